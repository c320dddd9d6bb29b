// Random programs with daemons: all algorithms agree, and they find what the interleavings of the program without
// the word show, where daemons that wait for ever are a deadlock.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "checker/api/state.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "generate.hpp"
#include "properties.hpp"
#include "tests/checker/every_run.hpp"
#include "tests/environment.hpp"
#include "text_writer.hpp"

namespace heddle::differential {

namespace {

class Writer : TextWriter {
 public:
  // Of every other program each thread waits often and hardly ever again: then ends can be reached in many ways.
  Writer(std::uint64_t number, std::string_view daemon)
      : TextWriter(number), daemon_(daemon), waits_once_(number % 2 == 1) {}

  std::string program() {
    std::string text = "shared x: int; shared y: int; mutex m;\n";
    const int threads = waits_once_ ? 3 + (below(3) == 0) : below(4) == 0 ? 2 : 3;
    for (int t = 0; t < threads; ++t) {
      if (t > 0 && below(3) > 0) text += daemon_;
      text += "thread " + std::string(1, static_cast<char>('p' + t)) + " { ";
      const int statements = threads == 2 ? 1 + below(4) : 1 + below(3);
      for (int i = 0; i < statements; ++i) text += statement(std::to_string(t) + std::to_string(i));
      text += "}\n";
    }
    if (below(3) == 0) text += "final { if x == 1 { y = 7; } }\n";
    return text;
  }

 private:
  std::string variable() { return below(3) == 0 ? "y" : "x"; }
  std::string comparison() { return variable() + (below(3) == 0 ? " != " : " == ") + number(); }

  std::string statement(const std::string& place) {
    if (waits_once_ && below(3) > 0)
      return below(2) == 0 ? "await " + comparison() + "; " : variable() + " = " + number() + "; ";
    switch (below(13)) {
      case 0:
      case 1:
      case 2: return variable() + " = " + number() + "; ";
      case 3:
      case 4: return "await " + comparison() + "; ";
      case 5: return "await " + comparison() + (below(2) == 0 ? " || " : " && ") + comparison() + "; ";
      case 6: {
        const std::string r = "r" + place;
        const std::string wait = below(2) == 0 ? "await " + r + " != " + number() + "; " : "";
        return "let " + r + " = " + variable() + "; " + wait;
      }
      case 7: return "while true { await " + comparison() + "; " + variable() + " = " + number() + "; } ";
      case 8: return "fetch_add(" + variable() + ", 1); ";
      case 9: return "lock m; " + variable() + " = " + number() + (below(3) > 0 ? "; unlock m; " : "; ");
      case 10: return "while !cas(" + variable() + ", " + number() + ", " + number() + ") { } ";
      case 11: {
        const auto alternative = [&] {
          return "{ await " + comparison() + "; " + variable() + " = " + number() + "; } ";
        };
        return "either " + alternative() + "or " + alternative();
      }
      default: return "let r" + place + " = " + variable() + "; assume r" + place + " != " + number() + "; ";
    }
  }

  std::string daemon_;
  bool waits_once_;
};

struct Truth {
  std::set<std::vector<std::int64_t>> memories;  // where all have ended or are daemons that wait
  bool deadlock = false;
};

// `daemons`: by thread, of a program without the word.
std::optional<Truth> interleavings(const Program& program, const std::vector<bool>& daemons,
                                   std::string_view model) {
  constexpr std::uint64_t most_runs = 20'000;
  CheckOptions options;
  options.model = model;
  const auto image = state_of(program).image(false);
  const checker::Search search(*image, options);
  Truth truth;
  std::uint64_t runs = 0;
  checker::with_machine(search, [&]<typename Machine>(Machine& machine) {
    checker::for_each_run(machine, [&] {
      if (runs > most_runs) return false;
      if (!machine.enabled().empty() || !machine.choosing().empty()) return true;
      ++runs;
      const auto ending = machine.ending();
      bool only_daemons = true;
      for (checker::ThreadId t = 0; t < machine.thread_count(); ++t) {
        const auto op = machine.threads().mailbox(t).op;
        only_daemons = only_daemons && (op == compiler::Op::done || daemons[t]);
      }
      const bool waits = ending == checker::Ending::deadlock;
      if (ending == checker::Ending::complete || (waits && only_daemons))
        truth.memories.insert(machine.memory());
      truth.deadlock = truth.deadlock || (waits && !only_daemons);
      return true;
    });
  });
  return runs > most_runs ? std::nullopt : std::optional(truth);
}

}  // namespace

TEST_SUITE_BEGIN("waiting");

TEST_CASE("a daemon may wait for ever, under every model and algorithm") {
  const std::size_t programs = tests::sized(150, 3000);
  std::size_t failures = 0;
  std::size_t waited = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const std::uint64_t seed = default_seed() * 1'000'000 + number;
    const std::string text = Writer(seed, "daemon ").program();
    CompileOptions compile;
    compile.unroll = spin_rounds;
    const auto program = Program::from_source(text, "daemons.hed", compile);
    REQUIRE(program);
    const auto finding = all_pairs_agree(*program);
    failures += !finding.difference.empty();
    CHECK_MESSAGE(finding.difference.empty(), "program " << number << ":\n" << text << finding.difference);

    const auto without = Program::from_source(Writer(seed, "").program(), "plain.hed", compile);
    REQUIRE(without);
    std::vector<bool> daemons;
    for (const auto& thread : state_of(*program).image(false)->threads) daemons.push_back(thread.is_daemon);
    if (std::none_of(daemons.begin(), daemons.end(), [](bool daemon) { return daemon; })) continue;
    // The memory of interleavings is the one before `final`.
    if (text.find("final") != std::string::npos) continue;
    for (const char* model : {"sc", "tso", "pso"}) {
      const auto truth = interleavings(*without, daemons, model);
      if (!truth) continue;
      waited += truth->memories.size();
      const auto result = check(*program, {.model = model, .keep_going = true, .collect_outcomes = true});
      REQUIRE(result);
      std::set<std::vector<std::int64_t>> memories;
      for (const auto& outcome : result->outcomes)
        memories.insert({outcome.values[0].value, outcome.values[1].value});
      std::set<std::vector<std::int64_t>> expected;
      for (const auto& memory : truth->memories) expected.insert({memory[0], memory[1]});
      const bool deadlock = std::any_of(result->violations.begin(), result->violations.end(),
                                        [](const auto& v) { return v.kind == ViolationKind::deadlock; });
      failures += memories != expected || deadlock != truth->deadlock;
      CHECK_MESSAGE(memories == expected, "program " << number << " under " << model << ":\n" << text);
      CHECK_MESSAGE(deadlock == truth->deadlock, "program " << number << " under " << model << ":\n" << text);
    }
  }
  CHECK(waited > programs);
}

TEST_SUITE_END();

}  // namespace heddle::differential
