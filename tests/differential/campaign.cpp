#include "campaign.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "generate.hpp"
#include "shrink.hpp"

namespace heddle::differential {

namespace {

constexpr std::uint64_t default_programs = 5000;
constexpr std::uint64_t most_failures = 3;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

Result<Program> compile(const std::string& text) {
  CompileOptions options;
  options.unroll = spin_rounds;
  return Program::from_source(text, "random.hed", options);
}

std::string shrunk(const RandomProgram& program, const Property& property) {
  const auto fails = [&](const RandomProgram& candidate) {
    const auto compiled = compile(print(candidate));
    return compiled && !property(*compiled).difference.empty();
  };
  const auto text = print(shrink(program, fails));
  return text + property(*compile(text)).difference;
}

}  // namespace

void run(const Campaign& campaign) {
  const auto seed = from_environment("HEDDLE_RANDOM_SEED", 1);
  const auto scale = from_environment("HEDDLE_RANDOM_PROGRAMS", default_programs);
  const auto programs = (campaign.programs * scale + default_programs - 1) / default_programs;
  std::uint64_t skipped = 0;
  std::uint64_t failures = 0;
  for (auto number = campaign.first; number < campaign.first + programs && failures < most_failures;
       ++number) {
    const auto generated = generate(seed, number);
    const auto text = print(generated.program);
    const auto compiled = compile(text);
    if (!compiled) {
      ++failures;
      FAIL_CHECK("random program does not compile: ", compiled.errors().front().text, "\n", text);
      continue;
    }
    const auto finding = campaign.property(*compiled);
    if (finding.skipped) ++skipped;
    if (finding.difference.empty()) continue;
    ++failures;
    FAIL_CHECK(campaign.name, ": seed ", seed, ", program ", number, " (", generated.profile->name,
               "), shrunk:\n", shrunk(generated.program, campaign.property), "as generated:\n", text);
  }
  MESSAGE(campaign.name, ": ", programs, " programs, ", skipped, " skipped");
  CHECK(skipped * 25 <= programs);
}

}  // namespace heddle::differential
