// `rf` must visit the reads-from classes that all interleavings have, each once.
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "checker/api/check.hpp"
#include "checker/api/state.hpp"
#include "checker/commits/algorithms.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/rf/run.hpp"
#include "tests/programs/program_files.hpp"

namespace heddle::differential {

namespace {

using namespace heddle::checker;  // NOLINT

// A class: the operations of each thread, what each read reads, and the value of each choice.
using Class = std::vector<std::int64_t>;
// How the runs of each class end. A class does not determine whether what a daemon saw was the last write.
using Classes = std::map<Class, std::set<Ending>>;

// Nor does it determine whether an await waits forever.
Ending ending_of(const rf::FoundClass& found) {
  return found.ending == Ending::deadlock ? Ending::blocked_await : found.ending;
}

Class class_of(const rf::FoundClass& found) {
  Class result;
  for (const auto& thread : found.events) {
    for (const auto& event : thread) {
      result.push_back(static_cast<std::int64_t>(event.op));
      result.push_back(event.effect);
      result.push_back(event.location);
      result.push_back(event.reads() ? event.source : event.chooses() ? event.read : 0);
    }
    result.push_back(-1);
  }
  return result;
}

// Whether a thread stops at its first event needlessly: at a read that makes its assume fail, or at an await
// that read the initial value although it is not the last. `rf` need not visit such classes: see rf.cpp.
bool in_vain(const rf::FoundClass& found) {
  for (ThreadId t = 0; t < found.events.size(); ++t) {
    const auto op = found.threads.mailbox(t).op;
    if ((op != compiler::Op::assume_failed && op != compiler::Op::await_failed) ||
        found.events[t].size() != 1)
      continue;
    const auto& only = found.events[t].front();
    if (!only.reads() || only.writes()) continue;
    if (op == compiler::Op::assume_failed) return true;
    if (only.source != rf::initial_write) continue;
    for (const auto& thread : found.events) {
      for (const auto& event : thread) {
        if (event.writes() && event.location == only.location) return true;
      }
    }
  }
  return false;
}

// Explores every interleaving by replaying prefixes.
template <typename Machine>
class Interleavings {
 public:
  Interleavings(Machine& machine, std::uint64_t most) : run_(machine), left_(most) {}

  // Returns false if there are too many.
  bool explore(Classes& classes) {
    if (left_ == 0) return false;
    --left_;
    const auto choices = enabled();
    if (choices.empty()) {
      const rf::FoundClass found{run_.events(), run_.machine().threads(), run_.machine().ending()};
      if (!in_vain(found)) classes[class_of(found)].insert(ending_of(found));
      return true;
    }
    for (const auto& choice : choices) {
      static_cast<void>(run_.back_to_common_start(prefix_));
      run_.follow(choice);
      prefix_.push_back(choice);
      if (!explore(classes)) return false;
      prefix_.pop_back();
    }
    return true;
  }

 private:
  std::vector<Choice> enabled() {
    auto& machine = run_.machine();
    std::vector<Choice> result;
    if (!machine.choosing().empty()) {
      const auto thread = machine.choosing().first();
      const auto& m = machine.threads().mailbox(thread);
      for (auto value = m.value; value < m.expected; ++value)
        result.push_back({.type = StepType::choice, .thread = thread, .value = value});
      return result;
    }
    machine.enabled().for_each([&](ProcessId process) {
      if (process < machine.thread_count()) {
        const auto& m = machine.threads().mailbox(process);
        const bool foreign =
            m.op == compiler::Op::unlock && machine.memory()[m.location] != process + std::int64_t{1};
        if (!foreign) result.push_back({.type = StepType::operation, .thread = process});
        return;
      }
      if constexpr (Machine::has_buffers) {
        result.push_back({.type = StepType::flush,
                          .thread = machine.model().of_process(process).thread,
                          .location = machine.pending(process).location});
      }
    });
    return result;
  }

  rf::Run<Machine> run_;
  std::uint64_t left_;
  std::vector<Choice> prefix_;
};

Finding classes_agree(const Program& program, const std::string& model, std::uint64_t most) {
  CheckOptions options;
  options.model = model;
  options.keep_going = true;
  const auto& image =
      *state_of(program).image(false, Loops::bounded, checker::blocks_of(program, model, "rf"));
  Search search(image, options);
  Classes expected;
  bool finished = false;
  with_machine(search, [&]<typename Machine>(Machine& machine) {
    finished = Interleavings<Machine>(machine, most).explore(expected);
  });
  if (!finished) return {.skipped = true, .difference = {}};
  std::set<Class> found;
  std::uint64_t twice = 0;
  std::uint64_t wrong = 0;  // not there, or with another ending
  rf::run(search, [&](const rf::FoundClass& one) {
    if (in_vain(one)) return;
    const Class its = class_of(one);
    if (!found.insert(its).second) ++twice;
    const auto place = expected.find(its);
    if (place == expected.end() || !place->second.contains(ending_of(one))) ++wrong;
  });
  if (found.size() == expected.size() && wrong == 0 && twice == 0) return {};
  std::uint64_t missing = 0;
  for (const auto& [one, endings] : expected) missing += found.count(one) == 0 ? 1U : 0U;
  return {.difference = "rf under " + model + ": " + std::to_string(expected.size()) + " classes, found " +
                        std::to_string(found.size()) + ", missing " + std::to_string(missing) + ", " +
                        std::to_string(wrong) + " wrong, " + std::to_string(twice) + " met again\n"};
}

constexpr std::uint64_t most_states = 200'000;

}  // namespace

TEST_SUITE_BEGIN("rf");

TEST_CASE("under every model rf visits the classes of all interleavings, each once") {
  run({"classes", 3000, 7'000'000,
       all_of({[](const Program& p) { return classes_agree(p, "sc", most_states); },
               [](const Program& p) { return classes_agree(p, "tso", most_states); },
               [](const Program& p) { return classes_agree(p, "pso", most_states); }})});
}

TEST_CASE("on the test programs rf visits the classes of all interleavings, each once") {
  std::size_t compared = 0;
  for (const auto* folder : {"tests/programs/expect", "tests/programs/reference", "examples"}) {
    for (const auto& source : heddle::tests::programs_in(folder)) {
      const auto program = Program::from_source(source.text, source.name, {.parameters = {}, .unroll = 3});
      if (!program) continue;
      for (const auto* model : {"sc", "tso", "pso"}) {
        if (!why_not(*program, model, "rf").empty()) continue;
        CAPTURE(source.name);
        const auto finding = classes_agree(*program, model, 100'000);
        CHECK_EQ(finding.difference, "");
        if (!finding.skipped) ++compared;
      }
    }
  }
  CHECK_GT(compared, 60);
}

TEST_CASE("on the test programs rf counts no more classes than trust counts graphs") {
  constexpr std::uint64_t most = 20'000;
  std::size_t compared = 0;
  std::size_t fewer = 0;
  for (const auto* folder : {"tests/programs/expect", "tests/programs/reference", "examples"}) {
    for (const auto& source : heddle::tests::programs_in(folder)) {
      const auto program = Program::from_source(source.text, source.name, {.parameters = {}, .unroll = 3});
      if (!program) continue;
      for (const auto* model : {"sc", "tso", "pso"}) {
        if (!heddle::why_not(*program, model, "rf").empty()) continue;
        CheckOptions options;
        options.model = model;
        options.keep_going = true;
        options.max_executions = most;
        options.timeout = 1;
        options.algorithm = "trust";
        const auto graphs = check(*program, options);
        options.algorithm = "rf";
        const auto classes = check(*program, options);
        REQUIRE(graphs);
        REQUIRE(classes);
        if (!graphs->stopped_by.empty() || !classes->stopped_by.empty()) continue;
        CAPTURE(source.name);
        CAPTURE(model);
        CHECK_LE(classes->counts.executions, graphs->counts.executions);
        ++compared;
        if (classes->counts.executions < graphs->counts.executions) ++fewer;
      }
    }
  }
  CHECK_GT(compared, 100);
  CHECK_GT(fewer, 20);
}

TEST_SUITE_END();

}  // namespace heddle::differential
