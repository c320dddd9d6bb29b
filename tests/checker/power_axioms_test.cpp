// Compares the incremental POWER model with its axioms, evaluated from scratch on each prefix of random
// traces.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "checker/commits/power.hpp"
#include "tests/checker/power_axioms.hpp"

namespace heddle::checker {

namespace {

using namespace power_axioms;

class Twins {
 public:
  explicit Twins(std::uint32_t seed) : random_(seed), model_(locations) {
    trace_.coherence.resize(locations);
    for (unsigned t = 0; t < threads; ++t) make_thread();
  }

  void run() {
    while (trace_.events.size() + 2 <= most_events && commit()) {
    }
    // Then undo everything, so that the next round tests undoing.
    while (model_.size() > 0) model_.remove();
  }

  std::uint64_t compared = 0;

 private:
  static constexpr unsigned threads = 3;
  static constexpr unsigned locations = 3;
  static constexpr unsigned most_events = 16;
  using Set = Power<1>::Set;

  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  void make_thread() {
    std::vector<Instruction> thread;
    std::vector<unsigned> loads;
    const unsigned length = 2 + below(4);
    for (unsigned position = 0; position < length; ++position) {
      Instruction instruction;
      static constexpr std::array<Kind, 12> kinds{Kind::load,   Kind::load,   Kind::load,   Kind::store,
                                                  Kind::store,  Kind::store,  Kind::update, Kind::sync,
                                                  Kind::lwsync, Kind::lwsync, Kind::eieio,  Kind::isync};
      instruction.kind = kinds[below(kinds.size())];
      instruction.location = static_cast<int>(below(locations));
      const auto some = [&](unsigned percent) {
        std::vector<unsigned> chosen;
        for (const unsigned load : loads) {
          if (below(100) < percent) chosen.push_back(load);
        }
        return chosen;
      };
      instruction.control = some(15);
      if (!fence(instruction.kind)) {
        instruction.address = some(15);
        if (instruction.kind != Kind::load) instruction.data = some(25);
      } else {
        instruction.location = -1;
      }
      if (instruction.kind == Kind::load || instruction.kind == Kind::update) loads.push_back(position);
      thread.push_back(instruction);
    }
    program_.push_back(thread);
    committed_.emplace_back(thread.size(), false);
  }

  // Commits one instruction in a random order that cb allows, after comparing all of its parameters.
  bool commit() {
    std::vector<std::pair<unsigned, unsigned>> ready;
    for (unsigned t = 0; t < threads; ++t) {
      for (unsigned p = 0; p < program_[t].size(); ++p) {
        if (!committed_[t][p] && !fence(program_[t][p].kind) && is_ready(t, p)) ready.emplace_back(t, p);
      }
    }
    if (ready.empty()) return false;
    const auto [t, p] = ready[below(static_cast<unsigned>(ready.size()))];
    const Instruction& instruction = program_[t][p];
    const auto location = static_cast<std::uint32_t>(instruction.location);
    const bool reads = instruction.kind != Kind::store;
    const bool writes = instruction.kind != Kind::load;
    const EventId initial = model_.initial(location);

    std::vector<EventId> possible;
    bool within = true;
    for (EventId place = model_.newest(initial);; place = model_.previous(place)) {
      const bool theirs = allowed(program_, with(t, p, place));
      const bool ours = within && try_add(t, p, place);
      if (ours) {
        model_.remove();
        if (reads && writes) model_.remove();
        possible.push_back(place);
      }
      ++compared;
      CHECK_MESSAGE(ours == theirs, "thread ", t, " position ", p, " place ", place, " of ",
                    trace_.events.size(), " events");
      const auto bound = model_.oldest_place(order(t, p, !reads), initial);
      if (place == bound) within = false;
      if (is_initial(place)) break;
    }
    CHECK_FALSE(possible.empty());  // the commit-order model does not block
    if (possible.empty()) return false;
    const EventId place = possible[below(static_cast<unsigned>(possible.size()))];
    REQUIRE(try_add(t, p, place));
    trace_ = with(t, p, place);
    committed_[t][p] = true;
    return true;
  }

  bool is_ready(unsigned t, unsigned p) const {
    const auto& thread = program_[t];
    for (unsigned earlier = 0; earlier < p; ++earlier) {
      if (committed_[t][earlier] || fence(thread[earlier].kind)) continue;
      if (commits_before(t, earlier, p)) return false;
    }
    return true;
  }

  // cb between two instructions of a thread. An update is committed as a unit.
  bool commits_before(unsigned t, unsigned earlier, unsigned later) const {
    const auto& thread = program_[t];
    const auto in = [&](const std::vector<unsigned>& list) {
      return std::find(list.begin(), list.end(), earlier) != list.end();
    };
    if (thread[earlier].location == thread[later].location) return true;
    for (unsigned p = earlier + 1; p <= later; ++p) {
      if (in(thread[p].control) || in(thread[p].address)) return true;
      if (p == later) break;
      if (thread[p].kind == Kind::sync || thread[p].kind == Kind::lwsync) return true;
      if (thread[p].kind == Kind::eieio && thread[earlier].kind != Kind::load &&
          thread[later].kind != Kind::load) {
        return true;
      }
    }
    return in(thread[later].data);
  }

  // The model's input for an event: its static predecessors, computed from the evaluator's relations.
  PowerOrder<Set> order(unsigned t, unsigned p, bool writes) const {
    TestTrace with_event = trace_;
    const auto self = static_cast<unsigned>(with_event.events.size());
    with_event.events.push_back({t, p, writes, -1});
    const Candidate s = static_relations(program_, with_event);
    PowerOrder<Set> result;
    result.thread = t;
    result.location = static_cast<std::uint32_t>(program_[t][p].location);
    result.writes = writes;
    for (unsigned e = 0; e < self; ++e) {
      const auto put = [&](Set& set, bool member) {
        if (member) set.insert(e);
      };
      const bool sync = s.sync.has(e, self);
      const bool wr = trace_.events[e].writes && !writes;
      put(result.dependencies, s.address.has(e, self) || s.data.has(e, self));
      put(result.control, s.control.has(e, self));
      put(result.control_isync, s.control_isync.has(e, self));
      put(result.address_order, address_order(program_, trace_.events[e], with_event.events[self]));
      put(result.same_location, s.po.has(e, self) && s.same_location.has(e, self));
      put(result.sync, sync);
      const bool ww = trace_.events[e].writes && writes;
      put(result.lightweight, !sync && ((s.lwsync.has(e, self) && !wr) || (ww && s.eieio.has(e, self))));
    }
    return result;
  }

  bool try_add(unsigned t, unsigned p, EventId place) {
    const Kind kind = program_[t][p].kind;
    if (kind == Kind::load) return model_.add(order(t, p, false), place, 0);
    if (model_.taken(place)) return false;
    if (kind == Kind::store) return model_.add(order(t, p, true), place, 0);
    auto write = order(t, p, true);
    if (!model_.add(order(t, p, false), place, 0)) return false;
    const auto read = static_cast<ProcessId>(model_.size() - 1);
    write.same_location.insert(read);
    write.dependencies.insert(read);
    if (model_.add(write, place, 0, place)) return true;
    model_.remove();
    return false;
  }

  TestTrace with(unsigned t, unsigned p, EventId place) const {
    TestTrace result = trace_;
    const Kind kind = program_[t][p].kind;
    const int source = place < 0 ? -1 : place;
    if (kind != Kind::store) result.events.push_back({t, p, false, source});
    if (kind == Kind::load) return result;
    const auto number = static_cast<int>(result.events.size());
    result.events.push_back({t, p, true, -1});
    auto& coherence = result.coherence[static_cast<std::size_t>(program_[t][p].location)];
    auto at = coherence.begin();
    if (source >= 0) at = std::find(coherence.begin(), coherence.end(), source) + 1;
    coherence.insert(at, number);
    return result;
  }

  std::mt19937 random_;
  Power<1> model_;
  Program program_;
  TestTrace trace_;
  std::vector<std::vector<bool>> committed_;
};

}  // namespace

TEST_CASE("on every prefix of random traces POWER allows exactly the parameters that its axioms allow") {
  std::uint64_t compared = 0;
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    CAPTURE(seed);
    Twins twins(seed);
    twins.run();
    compared += twins.compared;
  }
  MESSAGE(compared, " parameters compared");
}

}  // namespace heddle::checker
