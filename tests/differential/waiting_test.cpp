// Programs that wait in many ways: each algorithm must find the complete graphs and the deadlocks that all
// interleavings show, in which a thread may look too early; and nothing else may be counted as complete.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "campaign.hpp"
#include "checker/api/state.hpp"
#include "checker/commits/algorithms.hpp"
#include "checker/registry.hpp"
#include "generate.hpp"
#include "tests/checker/collected_graphs.hpp"
#include "tests/environment.hpp"
#include "text_writer.hpp"
#include "whole_search.hpp"

namespace heddle::differential {

namespace {

constexpr std::uint64_t most_runs = 20'000;

using Waits = std::set<std::vector<std::uint32_t>>;

class Writer : TextWriter {
 public:
  explicit Writer(std::uint64_t number) : TextWriter(number), dense_(number % 2 == 1) {}

  std::string program() {
    std::string text = "shared x: int; shared y: int; shared l: int; mutex m;\n";
    const int threads = below(4) == 0 ? 2 : dense_ && below(3) == 0 ? 4 : 3;
    for (int t = 0; t < threads; ++t) {
      text += "thread " + std::string(1, static_cast<char>('p' + t)) + " { ";
      const int statements = threads == 2 ? 1 + below(4) : 1 + below(3);
      for (int i = 0; i < statements; ++i) text += statement(t, i);
      text += "}\n";
    }
    return text;
  }

 private:
  std::string variable() { return below(dense_ ? 9 : 3) == 0 ? "y" : "x"; }
  std::string comparison() { return variable() + (below(3) == 0 ? " != " : " == ") + number(); }

  std::string statement(int thread, int place) {
    const std::string local = "r" + std::to_string(thread) + std::to_string(place);
    switch (below(18)) {
      case 0:
      case 1:
      case 2:
      case 3: return variable() + " = " + number() + "; ";
      case 4:
      case 5:
      case 6: return "await " + comparison() + "; ";
      case 7: return "await " + comparison() + (below(2) == 0 ? " || " : " && ") + comparison() + "; ";
      case 8:
        return "let " + local + " = " + variable() + "; assume " + local + " != " + number() + "; " +
               (below(2) == 0 ? variable() + " = " + local + "; " : "");
      case 9:
        if (dense_) return "while !cas(x, " + number() + ", " + number() + ") { } ";
        return "while exchange(l, 1) != 0 { await l == 0; } " + variable() + " = " + number() + "; l = 0; ";
      case 10: return "await l == 0; if cas(l, 0, 1) { " + variable() + " = " + number() + "; l = 0; } ";
      case 11: return "fetch_add(" + variable() + ", 1); ";
      case 12: return "let " + local + " = cas(" + variable() + ", " + number() + ", " + number() + "); ";
      case 13: return "lock m; " + variable() + " = " + number() + "; unlock m; ";
      case 14: return "while " + variable() + " != " + number() + " { } ";
      case 15: return "assume " + comparison() + "; ";
      case 16:
        if (below(2) == 0)
          return "let " + local + " = await " + variable() + "; " + variable() + " = " + local + " + 1; ";
        return "await " + comparison() + "; " + variable() + " = " + number() + "; ";
      default: return "let " + local + " = " + variable() + "; ";
    }
  }

  bool dense_;  // nearly everything is about one variable
};

// Threads that begin to wait, or to write, at different times, and race: a thread that has read again may have to be taken out
// of the graph, with writes there that it does not wait for.
class LateWriter : TextWriter {
 public:
  explicit LateWriter(std::uint64_t number) : TextWriter(number) {}

  std::string program() {
    std::string text = "shared x: int; shared y: int; shared a: int; shared l: int; shared own: int;\n";
    const int threads = below(3) == 0 ? 4 : 3;
    for (int t = 0; t < threads; ++t) {
      text += below(6) == 0 ? "daemon thread " : "thread ";
      text += std::string(1, static_cast<char>('p' + t)) + " { ";
      if (below(4) == 0) text += "y = " + number() + "; ";
      if (below(3) == 0) text += wait();
      if (below(3) > 0) text += "await a == 0; ";
      for (int i = below(threads == 3 ? 4 : 3); i > 0; --i) text += statement();
      if (below(3) > 0) text += "own = own + 1; ";
      if (below(5) == 0) text += wait();
      text += "}\n";
    }
    return text;
  }

 private:
  std::string wait() {
    return "await " + one_of("xxxyl") + (below(2) == 0 ? " != " : " == ") + number() + "; ";
  }
  std::string statement() {
    switch (below(20)) {
      case 0: return wait();
      case 1: return "fetch_add(" + one_of("xya") + ", 1); ";
      case 2: return "y = x; ";
      case 3: return "cas(x, " + number() + ", " + number() + "); ";
      case 4:
      case 5: return "y = " + number() + "; ";
      case 6: return "a = " + number() + "; ";
      case 7: return "while !cas(l, 0, 1) { } ";
      case 8: return "l = 0; ";
      default: return below(4) == 0 ? "x = 0; " : "x = " + std::to_string(1 + below(2)) + "; ";
    }
  }
};

struct Truth {
  std::set<std::string> graphs;
  Waits deadlocks;
};

// From every interleaving; nothing if there are too many.
std::optional<Truth> interleavings(const Program& program, std::string_view model) {
  CheckOptions options;
  options.model = model;
  const auto image = state_of(program).image(false);
  const checker::Search search(*image, options);
  auto graphs = checker::collect_graphs(search, most_runs);
  if (!graphs) return std::nullopt;
  Truth truth{.graphs = std::move(*graphs), .deadlocks = {}};
  checker::with_machine(search, [&]<typename Machine>(Machine& machine) {
    checker::for_each_run(machine, [&] {
      if (checker::ended(machine) && machine.ending() == checker::Ending::deadlock)
        truth.deadlocks.insert(checker::Search::deadlock_of(machine).waits);
      return true;
    });
  });
  return truth;
}

// Under POWER: from every run of the commit-order model, in which a read looks at all times. Nothing if there are too many.
std::optional<Truth> commits(const Program& program) {
  CheckOptions options;
  options.model = "power";
  options.algorithm = "naive";
  options.keep_going = true;
  options.max_executions = most_runs;
  const auto image = state_of(program).image(true);
  checker::Search search(*image, options);
  Truth truth;
  checker::commits::run_naive(search,
                              [&](const checker::PlainGraph& graph) { truth.graphs.insert(graph.text()); });
  if (search.stopped()) return std::nullopt;
  for (const auto& violation : search.violations()) truth.deadlocks.insert(violation.waits);
  return truth;
}

std::string difference(std::string_view what, const std::set<std::string>& expected,
                       const std::set<std::string>& found) {
  std::string text;
  for (const auto& graph : expected) {
    if (!found.contains(graph)) text += std::string(what) + " misses " + graph + "\n";
  }
  for (const auto& graph : found) {
    if (!expected.contains(graph)) text += std::string(what) + " invents " + graph + "\n";
  }
  return text;
}

std::string compare(const Program& program, const checker::Cell& cell, const Truth& truth) {
  const auto image = state_of(program).image(cell.model == "power");
  CheckOptions options;
  options.model = cell.model;
  options.algorithm = cell.algorithm;
  options.keep_going = true;
  checker::Search search(*image, options);
  std::string wrong;
  const auto visit = [&](auto algorithm) {
    std::set<std::string> found;
    search.on_restart([&] { found.clear(); });
    algorithm(search, [&](const checker::PlainGraph& graph) {
      const auto text = graph.text();
      if (!found.insert(text).second) wrong += "a graph twice: " + text + "\n";
    });
    wrong += difference(cell.algorithm, truth.graphs, found);
  };
  if (cell.algorithm == "trust") {
    visit([&](checker::Search& s, const auto& observer) {
      return cell.model == "power" ? checker::run_trust_recommitting(s, observer)
                                   : checker::run_trust(s, observer);
    });
  } else if (cell.algorithm == "rsmc") {
    visit([](checker::Search& s, const auto& observer) { checker::run_rsmc(s, observer); });
  } else {
    cell.run(search);
    const bool once = cell.algorithm == "dpor" || cell.algorithm == "source";
    if (once && search.counts.executions != truth.graphs.size())
      wrong += "executions: " + std::to_string(search.counts.executions) + " of " +
               std::to_string(truth.graphs.size()) + "\n";
  }
  Waits deadlocks;
  for (const auto& violation : search.violations()) deadlocks.insert(violation.waits);
  if (deadlocks != truth.deadlocks)
    wrong += "deadlocks: " + std::to_string(deadlocks.size()) + " of " +
             std::to_string(truth.deadlocks.size()) + "\n";
  return wrong;
}

}  // namespace

TEST_SUITE_BEGIN("waiting");

TEST_CASE("waiting costs no execution and no deadlock") {
  const std::size_t programs = tests::sized(200, 3000);
  std::size_t compared = 0;
  std::size_t failures = 0;
  for (std::uint64_t number = 0; compared < programs && failures < 3; ++number) {
    const std::string text = Writer(default_seed() * 1'000'000 + number).program();
    CompileOptions compile;
    compile.unroll = spin_rounds;
    const auto program = Program::from_source(text, "waiting.hed", compile);
    REQUIRE(program);
    bool skipped = false;
    for (const std::string model : {"sc", "tso", "pso", "power"}) {
      const auto truth = model == "power" ? commits(*program) : interleavings(*program, model);
      skipped = skipped || !truth;
      if (skipped) break;
      for (const auto& cell : checker::all_cells()) {
        // (endless_test.cpp compares `states` with all states.)
        if (cell.model != model || cell.run == nullptr || cell.algorithm == "states") continue;
        const auto wrong = compare(*program, cell, *truth);
        failures += !wrong.empty();
        CHECK_MESSAGE(wrong.empty(), cell.algorithm << " under " << model << ", program " << number << ":\n"
                                                    << text << wrong);
      }
    }
    compared += !skipped;
  }
}

TEST_CASE("waiting costs no execution of programs with too many interleavings") {
  constexpr std::uint64_t most_executions = 3'000;
  const std::size_t programs = tests::sized(700, 6'000);
  std::size_t large = 0, failures = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const std::string text = LateWriter(default_seed() * 1'000'000 + number).program();
    const auto program = Program::from_source(text, "late.hed");
    REQUIRE(program);
    for (const std::string model : {"sc", "tso", "pso", "power"}) {
      const WholeSearch expected = search_whole(*program, model, "source", most_executions);
      if (expected.executions == most_executions) break;
      large += expected.executions >= 50;
      for (const std::string algorithm : {"trust", "rsmc"}) {
        const WholeSearch found = search_whole(*program, model, algorithm, most_executions);
        failures += found != expected;
        CHECK_MESSAGE(found == expected,
                      algorithm << " under " << model << ", program " << number << ": " << found.executions
                                << " executions of " << expected.executions << ", " << found.states.size()
                                << " final states of " << expected.states.size() << ", deadlock "
                                << found.violation << expected.violation << "\n"
                                << text);
      }
    }
  }
  CHECK(large > programs / 10);
}

TEST_CASE("trust and rsmc are never blocked where each condition has one load") {
  for (const std::string file :
       {"examples/ticket_lock.hed", "examples/linux_locks.hed", "examples/bakery.hed",
        "examples/szymanski.hed", "tests/stdlib/barrier.hed", "tests/stdlib/ticket.hed",
        "tests/stdlib/clh.hed", "tests/stdlib/mcs.hed", "tests/programs/reference/ticketlock.hed",
        "tests/programs/reference/mcs.hed"}) {
    const auto program = Program::from_file(std::string(HEDDLE_SOURCE_DIR "/") + file);
    REQUIRE(program);
    for (const char* model : {"sc", "tso", "pso"}) {
      for (const char* algorithm : {"trust", "rsmc"}) {
        CheckOptions options;
        options.model = model;
        options.algorithm = algorithm;
        options.keep_going = true;
        const auto result = check(*program, options);
        REQUIRE(result);
        CHECK(result->finished);
        const auto& counts = result->counts;
        CHECK_MESSAGE(counts.executions > 0, file);
        CHECK_MESSAGE(
            counts.blocked_await + counts.blocked_assume + counts.blocked_idle + counts.blocked_race == 0,
            file << " " << model << " " << algorithm);
      }
    }
  }
}

TEST_CASE("under POWER no algorithm but naive and rf is ever blocked at an await of one load") {
  const auto expect_none = [](const std::string& file, const std::vector<std::string>& algorithms) {
    const auto program = Program::from_file(std::string(HEDDLE_SOURCE_DIR "/") + file);
    REQUIRE(program);
    for (const auto& algorithm : algorithms) {
      const auto result = check(*program, {.model = "power", .algorithm = algorithm, .keep_going = true});
      REQUIRE(result);
      CHECK(result->finished);
      CHECK_MESSAGE(result->counts.executions > 0, file);
      CHECK_MESSAGE(result->counts.blocked_await == 0, file << " " << algorithm);
    }
  };
  for (const char* file : {"examples/ticket_lock.hed", "examples/linux_locks.hed", "examples/szymanski.hed",
                           "examples/protocols/ben_or.hed", "tests/stdlib/barrier.hed",
                           "tests/stdlib/ticket.hed", "tests/stdlib/clh.hed", "tests/stdlib/mcs.hed"}) {
    expect_none(file, {"trust", "rsmc", "dpor", "source", "sdpor"});
  }
  expect_none("examples/bakery.hed", {"trust", "rsmc"});  // has conditions of two loads
}

TEST_SUITE_END();

}  // namespace heddle::differential
