#include "campaign.hpp"

#include <doctest/doctest.h>

#include <string>

#include "generate.hpp"
#include "shrink.hpp"
#include "tests/environment.hpp"

namespace heddle::differential {

namespace {

constexpr std::uint64_t largest_campaign = 5000;
constexpr std::uint64_t usual_scale = largest_campaign / 5;
constexpr std::uint64_t most_failures = 3;

// The size of the largest campaign.
std::uint64_t scale() {
  return tests::number_from_environment("HEDDLE_RANDOM_PROGRAMS",
                                        tests::sized(usual_scale, largest_campaign));
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
  if (!fails(program)) return "it does not compile\n";
  const auto text = print(shrink(program, fails));
  return text + property(*compile(text)).difference;
}

// The finding for the program, or, if its violation may hide a deadlock, for the program without checks;
// `program` is then the latter.
Finding examine(RandomProgram& program, const Property& property) {
  const auto text = print(program);
  const auto compiled = compile(text);
  if (!compiled)
    return {.difference = "a random program does not compile: " + compiled.error().front().text + text};
  auto finding = property(*compiled);
  if (!finding.difference.empty() || !finding.violation) return finding;
  auto unchecked = without_checks(program);
  const auto unchecked_text = print(unchecked);
  if (unchecked_text == text) return finding;
  finding = property(*compile(unchecked_text));
  if (!finding.difference.empty()) program = std::move(unchecked);
  return finding;
}

}  // namespace

std::uint64_t default_seed() { return tests::number_from_environment("HEDDLE_RANDOM_SEED", 1); }

Trial try_program(std::uint64_t seed, std::uint64_t number, const Property& property) {
  auto [profile, program] = generate(seed, number);
  const auto finding = examine(program, property);
  Trial trial;
  trial.skipped = finding.skipped;
  if (finding.difference.empty()) return trial;
  trial.failure = "seed " + std::to_string(seed) + ", program " + std::to_string(number) + " (" +
                  std::string(profile->name) + "):\n" + finding.difference + "shrunk:\n" +
                  shrunk(program, property) + "as generated:\n" + print(program);
  return trial;
}

bool is_short() { return scale() < usual_scale; }

void run(const Campaign& campaign) {
  const auto seed = default_seed();
  const auto programs = (campaign.programs * scale() + largest_campaign - 1) / largest_campaign;
  std::uint64_t skipped = 0;
  std::uint64_t failures = 0;
  const auto end = campaign.first + programs;
  for (auto number = campaign.first; number < end && failures < most_failures; ++number) {
    const auto trial = try_program(seed, number, campaign.property);
    if (trial.skipped) ++skipped;
    if (trial.failure.empty()) continue;
    ++failures;
    FAIL_CHECK(campaign.name, ": ", trial.failure);
  }
  MESSAGE(campaign.name, ": ", programs, " programs, ", skipped, " skipped");
  // The share of skipped programs means little for few programs.
  if (programs >= 100) CHECK(skipped * 100 <= programs * campaign.most_skipped);
}

}  // namespace heddle::differential
