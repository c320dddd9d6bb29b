// `rf` must visit the reads-from classes that all interleavings have, each once, but for those in which a thread looks too early.
#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "checker/api/check.hpp"
#include "checker/api/state.hpp"
#include "checker/commits/algorithms.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/rf/run.hpp"
#include "choices_writer.hpp"
#include "tests/environment.hpp"
#include "tests/programs/program_files.hpp"

namespace heddle::differential {

namespace {

using namespace heddle::checker;  // NOLINT

// A class: the operations of each thread, what each read reads, and the value of each choice.
using Class = std::vector<std::int64_t>;
struct Runs {
  std::set<Ending> endings;  // a class does not determine whether what a daemon saw was the last write
  // Some run lets each thread that waits, or whose assumption fails, see the last write. Then some class is found in which all
  // threads do the same, but for what those see that wait at the choice of an `either`.
  bool is_needed = false;
  Class but_for_choices;
};
using Classes = std::map<Class, Runs>;

// Nor does it determine whether an await waits forever.
Ending ending_of(const rf::FoundClass& found) {
  return found.ending == Ending::deadlock ? Ending::blocked_await : found.ending;
}

bool waits_in_either(const Mailbox& m) {
  return m.op == compiler::Op::await_failed && m.in_either != compiler::InEither::no;
}

// Without the last choice of threads that wait in an `either`, and what they did after it, if `but_for_choices`.
Class class_of(const rf::FoundClass& found, bool but_for_choices = false) {
  Class result;
  for (ThreadId t = 0; t < found.events.size(); ++t) {
    std::span<const rf::RunEvent> thread = found.events[t];
    if (but_for_choices && waits_in_either(found.threads.mailbox(t))) {
      while (!thread.empty() && !thread.back().chooses()) thread = thread.first(thread.size() - 1);
      while (!thread.empty() && thread.back().chooses()) thread = thread.first(thread.size() - 1);
      result.push_back(-2);
    }
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

// The write that the location holds at the end of the run.
rf::EventName last_write(const rf::FoundClass& found, Location location) {
  rf::EventName last = rf::initial_write;
  std::uint32_t in_memory_at = 0;
  for (ThreadId t = 0; t < found.events.size(); ++t) {
    for (std::uint32_t i = 0; i < found.events[t].size(); ++i) {
      const auto& event = found.events[t][i];
      if (!event.writes() || event.location != location || event.in_memory_at <= in_memory_at) continue;
      in_memory_at = event.in_memory_at;
      last = rf::name_of(t, i);
    }
  }
  return last;
}

// Whether each thread that an await or an assumption has stopped has seen the last write there, and none waits in one
// alternative while one is open (`holds`). `rf` need not visit a class without such a run: see rf.cpp.
bool looked_last(const rf::FoundClass& found, const std::function<bool(ThreadId)>& holds) {
  for (ThreadId t = 0; t < found.events.size(); ++t) {
    const auto& m = found.threads.mailbox(t);
    if (waits_in_either(m)) {
      if (holds(t)) return false;
      continue;
    }
    if ((m.op != compiler::Op::assume_failed && !fails_to_await(m)) || found.events[t].empty()) continue;
    const auto& look = found.events[t].back();
    if (look.reads() && look.source != last_write(found, look.location)) return false;
  }
  return true;
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
      Runs& runs = classes[class_of(found)];
      runs.endings.insert(ending_of(found));
      const auto holds = [&](ThreadId t) {
        return run_.machine().await_holds(t, [&](Location x) { return run_.machine().memory()[x]; });
      };
      runs.is_needed = runs.is_needed || looked_last(found, holds);
      runs.but_for_choices = class_of(found, true);
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
  std::set<Class> found, found_but_for_choices;
  std::uint64_t twice = 0;
  std::uint64_t wrong = 0;  // not there, or with another ending
  rf::run(search, [&](const rf::FoundClass& one) {
    if (search.counts.runs == 1) {  // It has begun, or begun again.
      found.clear();
      found_but_for_choices.clear();
      twice = wrong = 0;
    }
    const Class its = class_of(one);
    if (!found.insert(its).second) ++twice;
    found_but_for_choices.insert(class_of(one, true));
    const auto place = expected.find(its);
    if (place == expected.end() || !place->second.endings.contains(ending_of(one))) ++wrong;
  });
  std::uint64_t missing = 0;
  for (const auto& [one, runs] : expected)
    missing += runs.is_needed && !found_but_for_choices.contains(runs.but_for_choices) ? 1U : 0U;
  if (missing == 0 && wrong == 0 && twice == 0) return {};
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

TEST_CASE("where threads wait at choices rf visits the classes of all interleavings, each once") {
  const std::size_t programs = tests::sized(200, 3'000);
  std::size_t compared = 0, failures = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const std::string text = ChoicesWriter(default_seed() * 10'000'000 + number).program();
    INFO("program " << number << ":\n" << text);
    const auto program = Program::from_source(text, "choices.hed");
    REQUIRE(program);
    for (const char* model : {"sc", "tso", "pso"}) {
      const Finding finding = classes_agree(*program, model, 20'000);
      CHECK_EQ(finding.difference, "");
      failures += !finding.difference.empty();
      compared += !finding.skipped;
    }
  }
  CHECK(compared > programs);
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
