// Reads-from classes of POWER: a commit machine whose stores have no places in coherence order.
//
// A class is a set of committed events with the sources of its reads; it is possible if some coherence order
// makes it a trace of POWER. PowerClasses holds one such trace, the *witness*, with its events in the order
// in which they were committed. A store is committed after all others, which the model always allows. A read
// may take any committed write of its location as its source, if the witness allows it; if not, coherence
// orders are tried (`search`) until one is a witness. Whether one exists is NP-complete in general. Only
// stores that some read needs try several places, in an order that commits reads as early as possible: a
// store that nothing waits for can always go last.
//
// cb does not depend on coherence, so the rest is the same as in PowerMachine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checker/commits/power_machine.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

template <unsigned Words>
class PowerClasses : public PowerMachine<Words> {
 public:
  using Base = PowerMachine<Words>;
  using Set = typename Base::Set;
  using Prepared = typename Base::Prepared;
  template <unsigned Wider>
  using Widened = PowerClasses<Wider>;

  PowerClasses(const Image& image, const MachineOptions& options)
      : Base(image, options), newest_of_all_(image.locations.size()) {}
  // The search whose limits are checked while coherence orders are tried.
  void watch(Search& search) { search_ = &search; }

  // For a read: all writes of its location; for a store: nothing to choose.
  [[nodiscard]] std::optional<std::int64_t> first_parameter(const Prepared& event) const {
    if (!reads_memory(event)) return Base::first_parameter(event);
    return older_source(event, static_cast<std::int64_t>(this->model().size()));
  }
  [[nodiscard]] std::optional<std::int64_t> next_parameter(const Prepared& event,
                                                           std::int64_t parameter) const {
    if (event.newest == no_event || event.conditional) return Base::next_parameter(event, parameter);
    if (!reads_memory(event) || parameter < 0) return std::nullopt;
    return older_source(event, parameter);
  }

  // Commits the event if the class with it has a witness.
  bool commit(const Prepared& event, std::int64_t parameter);

  // True if the last write of the location has not been decided and there is more than one possibility.
  // O(events).
  [[nodiscard]] bool leaves_open(Location location) const {
    return !newest_of_all_[location] && !this->image().locations[location].is_mutex &&
           last_writes(location).size() > 1;
  }
  // False if the thread of the write has written the location again, or if the write is an initial one and not the only
  // one. O(events).
  [[nodiscard]] bool may_be_last(Location location, std::int64_t write) const;
  // Decides the last write: calls `visit()` for each write that the location can end with, with a witness of
  // it, until it returns true or the search stops. Returns whether it ended in this way.
  template <typename Visit>
  bool for_each_last(Location location, Visit&& visit);
  // Calls `visit()` for each final memory that the class can have after what has been decided, with a witness
  // of it, until it returns true.
  template <typename Visit>
  void for_each_final_memory(Visit&& visit);

 private:
  // A commit of the witness by name, or one that it is to contain.
  struct WitnessStep {
    EventName name;
    EventName source;        // of a read
    std::int64_t value = 0;  // of a choice
    bool reads = false;
    bool open = false;  // a store that tries several places
    bool drop = false;  // the store of a read-modify-write that is left out
  };
  using Steps = std::vector<WitnessStep>;
  // By location: its writes, newest first.
  using Coherence = std::vector<std::vector<EventName>>;
  struct Frame {
    Prepared event;
    std::optional<std::int64_t> parameter;
  };

  [[nodiscard]] bool reads_memory(const Prepared& event) const {
    return event.newest != no_event && this->reads(event.name);
  }
  // The newest write of the location that was committed before `from`; the initial one is the oldest.
  [[nodiscard]] std::int64_t older_source(const Prepared& event, std::int64_t from) const {
    const auto location = this->location(event.name);
    while (--from >= 0) {
      const auto& write = this->model()[static_cast<EventId>(from)];
      if (write.writes && write.location == location) return from;
    }
    return this->model().known(location);
  }
  // True if the event, reading from the write, also writes.
  [[nodiscard]] bool would_write_after(EventName name, EventId source) const {
    return this->updates(name) &&
           would_write(this->op(name), this->request(name).expected, this->value_of(source));
  }
  [[nodiscard]] bool committed(EventName name) const {
    const auto& requests = this->requests(name.thread);
    return name.index < requests.size() && requests[name.index].committed;
  }
  [[nodiscard]] std::vector<EventName> last_writes(Location location) const;
  [[nodiscard]] bool could_read_from(const Prepared& event, EventId source) const;
  [[nodiscard]] Steps committed_steps() const;
  [[nodiscard]] Steps search_order(const Steps& steps, const Set* newest) const;
  [[nodiscard]] bool allowed(const WitnessStep& step, std::int64_t parameter) const;
  [[nodiscard]] std::optional<std::int64_t> first_try(const WitnessStep& step, const Prepared& event);
  bool search(const Steps& order);
  bool find_witness(const Steps& steps, const Steps& order);
  [[nodiscard]] Coherence coherence() const;
  void make_witness(const Steps& steps, const Coherence& coherence);
  [[nodiscard]] std::int64_t place_by(const Coherence& coherence, EventName store);
  using FinalMemories = std::set<std::vector<std::int64_t>>;
  template <typename Visit>
  bool decide_from(Location location, FinalMemories& seen, Visit&& visit);
  void undo_all() {
    while (this->depth() > 0) this->undo();
  }

  Search* search_ = nullptr;
  std::vector<std::optional<EventName>> newest_of_all_;  // by location: the write that must be the last one
  std::vector<Frame> frames_;                            // of the search
};

template <unsigned Words>
bool PowerClasses<Words>::commit(const Prepared& event, std::int64_t parameter) {
  Prepared now;  // the witness may have changed since the event was prepared
  Base::prepare(event.name, now);
  const bool write_half = event.conditional && parameter != dropped;
  if (write_half) parameter = now.newest;
  if (Base::commit(now, parameter)) return true;
  // This witness does not allow it. Another one may.
  if (!write_half && !reads_memory(event)) return false;
  const auto source = static_cast<EventId>(parameter);
  if (write_half ? this->model().taken(source) : !could_read_from(now, source)) return false;
  Steps steps = committed_steps();
  steps.push_back({.name = event.name, .source = {}, .value = 0, .reads = !write_half});
  Set needed = this->commit_before(now);
  if (!write_half) {
    steps.back().source = this->name_of(parameter);
    if (source >= 0) needed |= this->committed_before(source);
  }
  return find_witness(steps, search_order(steps, &needed));
}

// Excludes sources that no witness allows. O(1).
template <unsigned Words>
bool PowerClasses<Words>::could_read_from(const Prepared& event, EventId source) const {
  const auto& model = this->model();
  // A lock takes a mutex over from the write that left it free, which is the newest one in any order.
  if (this->op(event.name) == Op::lock) return false;
  if (model.taken(source) && would_write_after(event.name, source)) return false;
  // The thread's last source or write there cannot be older in any order.
  if (event.oldest < 0) return true;
  return source >= 0 && !(source < event.oldest && model[source].thread == model[event.oldest].thread);
}

// The committed events in the order of commits.
template <unsigned Words>
auto PowerClasses<Words>::committed_steps() const -> Steps {
  Steps result;
  for (std::uint32_t step = 0; step < this->depth(); ++step) {
    WitnessStep made{.name = this->step(step), .source = {}, .value = 0};
    if (this->op(made.name) == Op::choose) {
      made.value = this->chosen(step);
    } else if (this->conditional(made.name)) {
      made.drop = this->place(step) == dropped;
    } else if (this->reads(made.name)) {
      made.reads = true;
      made.source = this->name_of(this->place(step));
    }
    result.push_back(made);
  }
  return result;
}

// Reads as early as possible, with what they need, and likewise stores to a location whose last write is
// decided. Stores that none of these needs come last. `newest`: what the last step needs, if it is not
// committed yet.
template <unsigned Words>
auto PowerClasses<Words>::search_order(const Steps& steps, const Set* newest) const -> Steps {
  Steps result;
  std::vector<bool> done(steps.size(), false);
  const auto take = [&](std::size_t i, bool open) {
    if (done[i]) return;
    done[i] = true;
    result.push_back(steps[i]);
    result.back().open =
        open && !steps[i].reads && this->op(steps[i].name) != Op::choose && !this->conditional(steps[i].name);
  };
  const auto take_with = [&](std::size_t i, const Set& needed) {
    for (std::uint32_t step = 0; step < this->depth(); ++step) {
      if (needed.contains(this->first_event(step))) take(step, true);
    }
    take(i, true);
  };
  if (newest != nullptr) take_with(steps.size() - 1, *newest);
  for (std::uint32_t step = 0; step < this->depth(); ++step) {
    const auto location = this->location(steps[step].name);
    if (steps[step].reads || this->conditional(steps[step].name) ||
        (location != none && newest_of_all_[location]))
      take_with(step, this->committed_before(this->first_event(step)));
  }
  for (std::uint32_t step = 0; step < this->depth(); ++step) take(step, false);
  return result;
}

// True if the parameter agrees with the decision on the last write of the location.
template <unsigned Words>
bool PowerClasses<Words>::allowed(const WitnessStep& step, std::int64_t parameter) const {
  const auto location = this->location(step.name);
  if (step.drop || location == none || !newest_of_all_[location]) return true;
  const EventName last = *newest_of_all_[location];
  const bool at_the_end = this->model().next(static_cast<EventId>(parameter)) == no_event;
  if (step.name == last) return at_the_end;
  if (!at_the_end || parameter < 0 || this->name_of(parameter) != last) return true;
  return step.reads && !would_write_after(step.name, static_cast<EventId>(parameter));
}

template <unsigned Words>
std::optional<std::int64_t> PowerClasses<Words>::first_try(const WitnessStep& step, const Prepared& event) {
  if (event.newest == no_event) return step.value;
  if (step.drop) return dropped;
  if (step.reads) return this->resolve(step.name, step.source);
  return Base::first_parameter(event);
}

// Commits the steps in the given order in an empty run, each with the first place that lets the rest follow.
// Returns whether such a run exists.
template <unsigned Words>
bool PowerClasses<Words>::search(const Steps& order) {
  if (frames_.size() < order.size()) frames_.resize(order.size());
  std::size_t at = 0;
  bool forward = true;
  while (at < order.size()) {
    const WitnessStep& step = order[at];
    Frame& frame = frames_[at];
    if (forward) {
      this->prepare(step.name, frame.event);
      frame.parameter = first_try(step, frame.event);
    }
    bool committed = false;
    while (frame.parameter && !committed) {
      const std::int64_t parameter = *frame.parameter;
      frame.parameter = step.open ? Base::next_parameter(frame.event, parameter) : std::nullopt;
      committed = allowed(step, parameter) && Base::commit(frame.event, parameter);
    }
    forward = committed;
    if (search_ != nullptr) search_->transition(this->depth(), [&] { return this->memory_used(); });
    if (committed) {
      ++at;
      continue;
    }
    if (at == 0 || (search_ != nullptr && search_->stopped())) return false;
    --at;
    this->undo();
  }
  return true;
}

// Looks for a witness of the steps by trying them in `order`. The run is then that witness, or the old one if
// there is none, with its events committed in the order of the steps, so that ids stay the same.
template <unsigned Words>
bool PowerClasses<Words>::find_witness(const Steps& steps, const Steps& order) {
  const auto steps_before = committed_steps();
  const auto coherence_before = coherence();
  undo_all();
  const bool found = search(order);
  const auto coherence_found = coherence();
  undo_all();
  if (found) {
    make_witness(steps, coherence_found);
  } else {
    make_witness(steps_before, coherence_before);
  }
  return found;
}

template <unsigned Words>
auto PowerClasses<Words>::coherence() const -> Coherence {
  Coherence result(newest_of_all_.size());
  for (Location location = 0; location < result.size(); ++location) {
    const EventId initial = this->model().known(location);
    if (initial == no_event) continue;
    for (EventId id = this->model().newest(initial); id >= 0; id = this->model().previous(id))
      result[location].push_back(this->name_of(id));
  }
  return result;
}

// Commits the steps in an empty run, with the given coherence order.
template <unsigned Words>
void PowerClasses<Words>::make_witness(const Steps& steps, const Coherence& coherence) {
  for (const WitnessStep& step : steps) {
    Prepared event;
    this->prepare(step.name, event);
    const bool has_place = event.newest != no_event && !step.reads && !event.conditional;
    const auto parameter = has_place ? place_by(coherence, step.name) : first_try(step, event);
    if (!parameter || !Base::commit(event, *parameter))
      throw std::logic_error("internal error: a witness of a reads-from class cannot be repeated");
  }
}

// The newest write that is committed and older than the store.
template <unsigned Words>
std::int64_t PowerClasses<Words>::place_by(const Coherence& coherence, EventName store) {
  const auto& writes = coherence[this->location(store)];
  auto older = std::find(writes.begin(), writes.end(), store);
  for (++older; older != writes.end() && !committed(*older);) ++older;
  return this->resolve(store, older == writes.end() ? EventName{} : *older);
}

// Each thread's last write of the location.
template <unsigned Words>
std::vector<EventName> PowerClasses<Words>::last_writes(Location location) const {
  std::vector<EventName> last;
  for (std::uint32_t step = 0; step < this->depth(); ++step) {
    const EventName name = this->step(step);
    if (this->location(name) != location || !this->written_by(step)) continue;
    std::erase_if(last, [&](EventName other) { return other.thread == name.thread; });
    last.push_back(name);
  }
  return last;
}

template <unsigned Words>
bool PowerClasses<Words>::may_be_last(Location location, std::int64_t write) const {
  const auto last = last_writes(location);
  if (write < 0) return last.empty();
  return std::find(last.begin(), last.end(), this->name_of(write)) != last.end();
}

template <unsigned Words>
template <typename Visit>
bool PowerClasses<Words>::for_each_last(Location location, Visit&& visit) {
  bool end = false;
  for (const EventName name : last_writes(location)) {
    if (search_ != nullptr && search_->stopped()) end = true;
    if (end) break;
    newest_of_all_[location] = name;
    const auto steps = committed_steps();
    if (find_witness(steps, search_order(steps, nullptr))) end = visit();
  }
  newest_of_all_[location].reset();
  return end;
}

template <unsigned Words>
template <typename Visit>
void PowerClasses<Words>::for_each_final_memory(Visit&& visit) {
  FinalMemories seen;
  decide_from(0, seen, visit);
}

// Decides the last writes of this location and those after it; the witness agrees with the decisions on those
// before. Visits each final memory that is new. Returns whether to end.
template <unsigned Words>
template <typename Visit>
bool PowerClasses<Words>::decide_from(Location location, FinalMemories& seen, Visit&& visit) {
  while (location < newest_of_all_.size() && !leaves_open(location)) ++location;
  if (location < newest_of_all_.size())
    return for_each_last(location, [&] { return decide_from(location + 1, seen, visit); });
  std::vector<std::int64_t> memory(newest_of_all_.size());
  this->final_memory(memory);
  return seen.insert(memory).second && visit();
}

}  // namespace heddle::checker
