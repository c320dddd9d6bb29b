// Random programs with an invariant: each algorithm that judges invariants finds a violation exactly if the
// interleavings, without any reduction, have a state in which it does not hold. The oracle evaluates the
// condition itself, on the memory and the locals of each state.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "checker/api/state.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "generate.hpp"
#include "tests/checker/every_run.hpp"
#include "tests/environment.hpp"
#include "text_writer.hpp"

namespace heddle::differential {

namespace {

// `a` relates to `b` in a state in which `c` has a value.
struct Claim {
  std::string text;
  int first = 0;  // 0: x, 1: y, 2: p.a, 3: q.b
  int second = 1;
  std::int64_t difference = 0;  // violated where first - second is this
};

class Writer : TextWriter {
 public:
  explicit Writer(std::uint64_t number) : TextWriter(number) {}

  std::string threads() {
    std::string text = "shared x: int; shared y: int; shared z: int; mutex m;\n";
    const int threads = below(3) == 0 ? 2 : 3;
    for (int t = 0; t < threads; ++t) {
      const std::string local(1, static_cast<char>('a' + t));
      text += "thread " + std::string(1, static_cast<char>('p' + t)) + " { var " + local + " = 0; ";
      const int statements = threads == 2 ? 2 + below(3) : 1 + below(2);
      for (int i = 0; i < statements; ++i) text += statement(local);
      text += "}\n";
    }
    return text;
  }
  Claim claim() {
    Claim claim;
    const std::string names[] = {"x", "y", "p.a", "q.b"};
    claim.first = below(4);
    claim.second = (claim.first + 1 + below(3)) % 4;
    claim.difference = below(4) - 1;
    claim.text = "invariant " + names[claim.first] + " - " + names[claim.second] +
                 " != " + std::to_string(claim.difference) + ";\n";
    return claim;
  }

 private:
  std::string variable() { return one_of("xyz"); }
  std::string statement(const std::string& local) {
    switch (below(9)) {
      case 0:
      case 1:
      case 2: return variable() + " = " + number() + "; ";
      case 3: return local + " = " + variable() + "; ";
      case 4: return "fetch_add(" + variable() + ", 1); ";
      case 5: return "await " + variable() + " == " + number() + "; ";
      case 6: return "lock m; " + variable() + " = " + number() + "; unlock m; ";
      case 7: return "if cas(" + variable() + ", " + number() + ", " + number() + ") { " + local + " = 3; } ";
      default: return below(2) == 0 ? "fence; " : local + " = choose(0..2); ";
    }
  }
};

// Whether the claim is violated in some state; nothing if there are too many.
std::optional<bool> violated(const Program& program, const Claim& claim, std::string_view model) {
  constexpr std::uint64_t most_states = 300'000;
  CheckOptions options;
  options.model = model;
  const auto image = state_of(program).image(false);
  const checker::Search search(*image, options);
  bool found = false;
  std::uint64_t states = 0;
  checker::with_machine(search, [&]<typename Machine>(Machine& machine) {
    const auto value = [&](int what) {
      if (what < 2) return machine.memory()[static_cast<std::size_t>(what)];
      const auto thread = static_cast<std::uint32_t>(what - 2);
      std::int64_t result = 0;
      std::memcpy(&result, machine.threads().block(thread) + image->threads[thread].locals[0].offset,
                  sizeof result);
      return result;
    };
    checker::for_each_run(machine, [&] {
      if (found || ++states > most_states) return false;
      if (machine.choosing().empty()) found = value(claim.first) - value(claim.second) == claim.difference;
      return !found;
    });
  });
  return states > most_states && !found ? std::nullopt : std::optional(found);
}

}  // namespace

TEST_CASE(
    "every algorithm that judges invariants finds a state in which one does not hold, if there is any") {
  const std::size_t programs = tests::sized(150, 4000);
  std::size_t failures = 0;
  std::size_t broken = 0;
  std::size_t compared = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    Writer writer(default_seed() * 1'000'000 + number);
    const std::string threads = writer.threads();
    const auto plain = Program::from_source(threads, "plain.hed");
    REQUIRE(plain);
    const Claim claim = writer.claim();
    const auto program = Program::from_source(threads + claim.text, "invariant.hed");
    REQUIRE(program);
    for (const char* model : {"sc", "tso", "pso"}) {
      const auto expected = violated(*plain, claim, model);
      if (!expected) continue;
      ++compared;
      broken += *expected;
      for (const auto& algorithm : algorithms()) {
        if (!why_not(*program, model, algorithm.name).empty()) continue;
        const auto result = check(*program, {.model = model, .algorithm = std::string(algorithm.name)});
        REQUIRE_MESSAGE(result, to_text(result.error())
                                    << algorithm.name << " under " << std::string(model) << "\n"
                                    << threads << claim.text);
        const bool found = result->violation && result->violation->kind == ViolationKind::invariant;
        const bool right = found == *expected || (result->violation && !found);  // a deadlock came first
        failures += !right;
        CHECK_MESSAGE(right, algorithm.name << " under " << model << ", program " << number << ": "
                                            << (found ? "a false alarm" : "missed") << "\n"
                                            << threads << claim.text);
      }
    }
  }
  CHECK(broken > programs / 4);
  CHECK(broken < compared);
}

}  // namespace heddle::differential
