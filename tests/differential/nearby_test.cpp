// The witnesses that `rf` finds near its run (checker/interleavings/rf/nearby.hpp): each is a run with exactly
// the requested reads-from map, and the verifier agrees with every answer.
#include "checker/interleavings/rf/nearby.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "random_runs.hpp"

namespace heddle::differential {

namespace {

using namespace heddle::checker;  // NOLINT
using rf::Change;
using rf::EventName;
using rf::index_of;
using rf::initial_write;
using rf::name_of;
using rf::Nearby;
using rf::RunEvent;
using rf::thread_of;

struct Tally {
  std::uint64_t found = 0, impossible = 0, unknown = 0;
  std::uint64_t realisable = 0;  // of the unknown
};

// A mutation: the first kept[t] events of each thread, with changes.
struct Asked {
  std::vector<std::uint32_t> kept;
  std::vector<Change> changes;
};

template <Interleaving Machine>
class Mutations {
 public:
  using Run = rf::Run<Machine>;
  Mutations(Machine& machine, Machine& again, Tally& tally)
      : run_(machine), again_(again), nearby_(run_), realiser_(run_), tally_(tally) {}

  template <typename Random>
  void walk(Random& random) {
    for (auto next = transitions(run_.machine()); !next.empty(); next = transitions(run_.machine()))
      run_.follow(next[random() % next.size()]);
    std::vector<std::uint32_t> before(run_.threads(), 0);
    for (const auto read : run_.sequence()) {
      ++before[thread_of(read)];
      const auto& event = run_.event(read);
      if (!event.reads()) continue;
      accesses_.clear();
      for (const auto other : run_.sequence()) {
        const auto& access = run_.event(other);
        if (access.location == event.location && (access.reads() || access.writes()))
          accesses_.push_back(other);
      }
      // A lock reads what the unlock wrote, and rf changes what comes first instead.
      if (event.op != Op::lock) change_source(read, before, initial_write);
      for (const auto other : accesses_) {
        if (other == read) continue;
        if (event.op != Op::lock && run_.event(other).writes()) change_source(read, before, other);
        if (event.writes()) go_first(read, before, other);
      }
    }
  }

 private:
  static Change change(EventName name, const RunEvent& event, EventName source, std::int64_t value) {
    using consistency::Effect;
    auto effect = Effect::load;
    if (event.op != Op::load)
      effect = would_write(event.op, event.expected, value) ? Effect::read_modify_write : Effect::locked_load;
    return {.event = name, .effect = effect, .location = event.location, .source = source};
  }

  void change_source(EventName read, const std::vector<std::uint32_t>& before, EventName source) {
    const auto& event = run_.event(read);
    Asked asked{.kept = before, .changes = {}};
    if (source != initial_write && !keep_past(source, read, asked)) return;
    asked.changes = {change(read, event, source, run_.value_of(source, event.location))};
    ask(asked);
  }

  // A later read-modify-write reads what `read` reads, and `read` reads from it.
  void go_first(EventName read, const std::vector<std::uint32_t>& before, EventName other) {
    const auto& event = run_.event(read);
    const auto& first = run_.event(other);
    if (thread_of(other) == thread_of(read) || index_of(other) < before[thread_of(other)]) return;
    if (!first.reads() || event.op == Op::lock) return;
    const auto seen = run_.value_of(event.source, event.location);
    const auto effect = effect_of_reading(first.op, seen, first.operand, first.expected, thread_of(other));
    if (first.op == Op::load || !effect.writes) return;
    Asked asked{.kept = before, .changes = {}};
    if (index_of(other) > 0 && !keep_past(other - 1, read, asked)) return;
    if (event.source != initial_write && !keep_past(event.source, read, asked)) return;
    if (asked.kept[thread_of(other)] > index_of(other)) return;
    asked.kept[thread_of(other)] = index_of(other) + 1;
    asked.changes = {change(other, first, event.source, seen), change(read, event, other, effect.written)};
    ask(asked);
  }

  // Keeps the causal past of the event; false if the read is in it.
  bool keep_past(EventName event, EventName read, Asked& asked) {
    const auto* const past = run_.clock(event);
    if (past[thread_of(read)] > index_of(read)) return false;
    for (ThreadId t = 0; t < run_.threads(); ++t) asked.kept[t] = std::max(asked.kept[t], past[t]);
    return true;
  }

  void ask(const Asked& asked) {
    const bool realisable = realiser_.realisable(asked.kept, asked.changes);
    switch (nearby_.find(asked.kept, asked.changes, accesses_)) {
      case Nearby::impossible:
        ++tally_.impossible;
        CHECK_FALSE(realisable);
        break;
      case Nearby::unknown:
        ++tally_.unknown;
        tally_.realisable += realisable ? 1U : 0U;
        break;
      case Nearby::found:
        ++tally_.found;
        CHECK(realisable);
        nearby_.witness(witness_);
        check_witness(asked);
        break;
    }
  }

  // The witness is a run of the machine; its events are those that are kept, with the requested
  // sources. Stores that follow the last of them may have entered their buffers, and fences may have been passed.
  void check_witness(const Asked& asked) {
    Run other(again_);
    for (const auto& choice : witness_) {
      const auto possible = transitions(again_);
      const bool accepted = std::any_of(possible.begin(), possible.end(), [&](const Choice& one) {
        return one.type == choice.type && one.thread == choice.thread && one.value == choice.value &&
               (one.type != StepType::flush || one.location == choice.location);
      });
      CHECK(accepted);
      if (!accepted) break;
      other.follow(choice);
    }
    for (ThreadId t = 0; t < run_.threads(); ++t) {
      CHECK_GE(other.events(t).size(), asked.kept[t]);
      for (std::uint32_t i = 0; i < other.events(t).size(); ++i) {
        const auto& event = other.events(t)[i];
        if (i >= asked.kept[t]) {
          CHECK_FALSE(event.reads());
          CHECK_EQ(event.in_memory_at, none);
          continue;
        }
        const auto name = name_of(t, i);
        const auto changed = std::find_if(asked.changes.begin(), asked.changes.end(),
                                          [&](const Change& change) { return change.event == name; });
        const bool kept = changed == asked.changes.end();
        CHECK_EQ(event.op, run_.event(name).op);
        CHECK_EQ(event.location, run_.event(name).location);
        CHECK_EQ(event.effect, kept ? run_.event(name).effect : changed->effect);
        if (event.reads()) CHECK_EQ(event.source, kept ? run_.event(name).source : changed->source);
      }
    }
    static_cast<void>(other.back_to_common_start({}));
  }

  Run run_;
  Machine& again_;
  rf::NearbyWitness<Run> nearby_;
  rf::Realiser<Run> realiser_;
  Tally& tally_;
  std::vector<EventName> accesses_;
  Schedule witness_;
};

}  // namespace

TEST_SUITE_BEGIN("rf");

TEST_CASE(
    "a witness near the run is a run with the wanted sources, and the verifier agrees with every answer") {
  Tally tally;
  for_each_random_machine(9'200'000, 300, Buffers::unbounded,
                          [&]<Interleaving Machine>(Machine& machine, Machine& again, auto& random) {
                            Mutations<Machine> mutations(machine, again, tally);
                            mutations.walk(random);
                          });
  MESSAGE(tally.found, " found, ", tally.impossible, " impossible, ", tally.unknown, " unknown, ",
          tally.realisable, " of these realisable");
  CHECK_GT(tally.found, 1000);
  CHECK_GT(tally.impossible, 100);
  // Most of what can be realised is found without the verifier.
  CHECK_GT(tally.found, 2 * tally.realisable);
}

TEST_SUITE_END();

}  // namespace heddle::differential
