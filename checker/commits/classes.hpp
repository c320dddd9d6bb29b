// Reads-from classes of POWER: a derived execution model without places in coherence order.
//
// A class is a set of committed events with the sources of its reads; it is possible if some coherence order
// makes it a trace of POWER. PowerClasses holds one such trace, the *witness*, with its events in the order
// in which they were committed. A store is committed behind all others, which the model always allows. A read
// may take any committed write of its location as its source, if the witness allows it; if not, all coherence
// orders are tried (`search`) until one is a witness. Whether there is one is NP-complete in general; what is
// tried here is the places of those stores only that some read needs, in an order that commits reads as early
// as it can: a store that nothing waits for can always go last.
//
// What is in cb does not depend on coherence, so the rest is the same as in PowerMachine.
#pragma once

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
  // The search that looks at the clock while coherence orders are tried.
  void watch(Search& search) { search_ = &search; }

  // Of a read: all writes of its location; of a store: nothing to choose.
  [[nodiscard]] std::optional<std::int64_t> first_parameter(const Prepared& event) const {
    if (!reads_memory(event)) return Base::first_parameter(event);
    return older_source(event, static_cast<std::int64_t>(this->model().size()));
  }
  [[nodiscard]] std::optional<std::int64_t> next_parameter(const Prepared& event,
                                                           std::int64_t parameter) const {
    if (event.newest == no_place || event.conditional) return Base::next_parameter(event, parameter);
    if (!reads_memory(event) || parameter < 0) return std::nullopt;
    return older_source(event, parameter);
  }

  // Commits the event if there is a witness for that.
  bool commit(const Prepared& event, std::int64_t parameter);

  // Is it open which write of the location is the last, as far as that has not been decided? O(events).
  [[nodiscard]] bool leaves_open(Location location) const {
    return !newest_of_all_[location] && !this->image().locations[location].is_mutex &&
           last_writes(location).size() > 1;
  }
  // Decides that: calls `visit()` for each write that the location can end with, with a witness of it. True
  // ends that, and is the result.
  template <typename Visit>
  bool for_each_last(Location location, Visit&& visit);
  // Calls `visit()` for each final memory that the class can have after what has been decided, with a witness
  // of it. True ends that.
  template <typename Visit>
  void for_each_final_memory(Visit&& visit);

 private:
  struct Item {
    EventName name;
    EventName source;        // of a read
    std::int64_t value = 0;  // of a choice
    bool reads = false;
    bool open = false;  // a store whose place is tried
    bool drop = false;  // the store of a read-modify-write that is left out
  };
  struct Frame {
    Prepared event;
    std::optional<std::int64_t> parameter;
  };

  [[nodiscard]] bool reads_memory(const Prepared& event) const {
    return event.newest != no_place && this->reads(event.name);
  }
  // The newest write of the location that was committed before the one given; the initial one is the oldest.
  [[nodiscard]] std::int64_t older_source(const Prepared& event, std::int64_t from) const {
    const auto location = this->location(event.name);
    while (--from >= 0) {
      const auto& write = this->model()[static_cast<PowerId>(from)];
      if (write.writes && write.location == location) return from;
    }
    return this->model().known(location);
  }
  // Does a prepared event that reads from the write write, too?
  [[nodiscard]] bool writes_behind(EventName name, PowerId source) const {
    return this->updates(name) &&
           would_write(this->op(name), this->request(name).expected, this->value_of(source));
  }
  [[nodiscard]] bool committed(EventName name) const {
    const auto& requests = this->requests(name.thread);
    return name.index < requests.size() && requests[name.index].committed;
  }
  [[nodiscard]] std::vector<EventName> last_writes(Location location) const;
  [[nodiscard]] std::vector<Item> items() const;
  [[nodiscard]] std::vector<Item> search_order(const std::vector<Item>& items, const Set* newest) const;
  [[nodiscard]] bool allowed(const Item& item, std::int64_t parameter) const;
  [[nodiscard]] std::optional<std::int64_t> first_try(const Item& item, const Prepared& event);
  bool search(const std::vector<Item>& order);
  bool rebuild(const std::vector<Item>& items, const std::vector<Item>& order);
  [[nodiscard]] std::vector<std::vector<EventName>> coherence() const;
  void repeat(const std::vector<Item>& items, const std::vector<std::vector<EventName>>& coherence);
  template <typename Visit>
  bool visit_final(Location location, std::set<std::vector<std::int64_t>>& seen, Visit&& visit);
  void undo_all() {
    while (this->depth() > 0) this->undo();
  }

  Search* search_ = nullptr;
  std::vector<std::optional<EventName>> newest_of_all_;  // by location: the write that must be the last one
  std::vector<Frame> frames_;                            // of the search
};

template <unsigned Words>
bool PowerClasses<Words>::commit(const Prepared& event, std::int64_t parameter) {
  Prepared now;  // the witness may be another one than it was when the event was prepared
  Base::prepare(event.name, now);
  if (event.conditional && parameter != dropped) {
    if (Base::commit(now, now.newest)) return true;
    if (this->model().taken(now.newest)) return false;
    auto list = items();
    list.push_back({.name = event.name, .source = {}, .value = 0});
    const Set needed = this->commit_before(now);
    return rebuild(list, search_order(list, &needed));
  }
  if (!reads_memory(event)) return Base::commit(now, parameter);
  if (Base::commit(now, parameter)) return true;
  const auto source = static_cast<PowerId>(parameter);
  // A lock takes a mutex over from the write that has left it free, and that is the newest one in any order.
  if (this->op(event.name) == Op::lock) return false;
  if (this->model().taken(source) && writes_behind(event.name, source)) return false;
  // What the thread has read from or written there last cannot be older in any order.
  if (now.oldest >= 0) {
    if (source < 0) return false;
    const auto& model = this->model();
    if (source < now.oldest && model[source].thread == model[now.oldest].thread) return false;
  }
  auto list = items();
  list.push_back({.name = event.name, .source = this->name_of(parameter), .value = 0, .reads = true});
  Set needed = this->commit_before(now);
  if (source >= 0) needed |= this->committed_before(source);
  return rebuild(list, search_order(list, &needed));
}

// The committed events in the order of commits.
template <unsigned Words>
auto PowerClasses<Words>::items() const -> std::vector<Item> {
  std::vector<Item> result;
  for (std::uint32_t step = 0; step < this->depth(); ++step) {
    Item item{.name = this->step(step), .source = {}, .value = 0};
    if (this->op(item.name) == Op::choose) {
      item.value = this->chosen(step);
    } else if (this->conditional(item.name)) {
      item.drop = this->place(step) == dropped;
    } else if (this->reads(item.name)) {
      item.reads = true;
      item.source = this->name_of(this->place(step));
    }
    result.push_back(item);
  }
  return result;
}

// Reads as early as possible, with what they need, and so stores to a location that is to end with a certain
// write. Stores that none of these needs come last. `newest`: what the last item needs, if it is not
// committed yet.
template <unsigned Words>
auto PowerClasses<Words>::search_order(const std::vector<Item>& items, const Set* newest) const
    -> std::vector<Item> {
  std::vector<Item> result;
  std::vector<bool> done(items.size(), false);
  const auto take = [&](std::size_t i, bool open) {
    if (done[i]) return;
    done[i] = true;
    result.push_back(items[i]);
    result.back().open =
        open && !items[i].reads && this->op(items[i].name) != Op::choose && !this->conditional(items[i].name);
  };
  const auto take_with = [&](std::size_t i, const Set& needed) {
    for (std::uint32_t step = 0; step < this->depth(); ++step) {
      if (needed.contains(this->first_event(step))) take(step, true);
    }
    take(i, true);
  };
  if (newest != nullptr) take_with(items.size() - 1, *newest);
  for (std::uint32_t step = 0; step < this->depth(); ++step) {
    const auto location = this->location(items[step].name);
    if (items[step].reads || this->conditional(items[step].name) ||
        (location != none && newest_of_all_[location]))
      take_with(step, this->committed_before(this->first_event(step)));
  }
  for (std::uint32_t step = 0; step < this->depth(); ++step) take(step, false);
  return result;
}

// May the item go there, as far as its location is to end with a certain write?
template <unsigned Words>
bool PowerClasses<Words>::allowed(const Item& item, std::int64_t parameter) const {
  const auto location = this->location(item.name);
  if (item.drop || location == none || !newest_of_all_[location]) return true;
  const EventName last = *newest_of_all_[location];
  const bool at_the_end = this->model().next(static_cast<PowerId>(parameter)) == no_place;
  if (item.name == last) return at_the_end;
  if (!at_the_end || parameter < 0 || this->name_of(parameter) != last) return true;
  return item.reads && !writes_behind(item.name, static_cast<PowerId>(parameter));
}

template <unsigned Words>
std::optional<std::int64_t> PowerClasses<Words>::first_try(const Item& item, const Prepared& event) {
  if (event.newest == no_place) return item.value;
  if (item.drop) return dropped;
  if (item.reads) return this->resolve(item.name, item.source);
  return Base::first_parameter(event);
}

// From no event at all, commits the items in the order given, with the first places that do.
template <unsigned Words>
bool PowerClasses<Words>::search(const std::vector<Item>& order) {
  if (frames_.size() < order.size()) frames_.resize(order.size());
  std::size_t at = 0;
  bool forward = true;
  while (at < order.size()) {
    const Item& item = order[at];
    Frame& frame = frames_[at];
    if (forward) {
      this->prepare(item.name, frame.event);
      frame.parameter = first_try(item, frame.event);
    }
    bool committed = false;
    while (frame.parameter && !committed) {
      const std::int64_t parameter = *frame.parameter;
      frame.parameter = item.open ? Base::next_parameter(frame.event, parameter) : std::nullopt;
      committed = allowed(item, parameter) && Base::commit(frame.event, parameter);
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

// Makes a witness of the items, in their order. If there is none, the old one comes back.
template <unsigned Words>
bool PowerClasses<Words>::rebuild(const std::vector<Item>& items, const std::vector<Item>& order) {
  const auto before = this->items();
  const auto coherence_before = coherence();
  undo_all();
  const bool found = search(order);
  const auto coherence_now = coherence();
  undo_all();
  found ? repeat(items, coherence_now) : repeat(before, coherence_before);
  return found;
}

// By location: its writes, newest first.
template <unsigned Words>
std::vector<std::vector<EventName>> PowerClasses<Words>::coherence() const {
  std::vector<std::vector<EventName>> result(newest_of_all_.size());
  for (Location location = 0; location < result.size(); ++location) {
    const PowerId initial = this->model().known(location);
    if (initial == no_place) continue;
    for (PowerId id = this->model().newest(initial); id >= 0; id = this->model().previous(id))
      result[location].push_back(this->name_of(id));
  }
  return result;
}

template <unsigned Words>
void PowerClasses<Words>::repeat(const std::vector<Item>& items,
                                 const std::vector<std::vector<EventName>>& coherence) {
  for (const Item& item : items) {
    Prepared event;
    this->prepare(item.name, event);
    auto parameter = first_try(item, event);
    if (event.newest != no_place && !item.reads && !event.conditional) {
      // Behind the newest of its older writes that are committed.
      const auto& writes = coherence[this->location(item.name)];
      auto older = writes.begin();
      while (*older != item.name) ++older;
      for (++older; older != writes.end() && !committed(*older);) ++older;
      parameter = this->resolve(item.name, older == writes.end() ? EventName{} : *older);
    }
    if (!parameter || !Base::commit(event, *parameter))
      throw std::logic_error("internal error: a witness of a reads-from class cannot be repeated");
  }
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
template <typename Visit>
bool PowerClasses<Words>::for_each_last(Location location, Visit&& visit) {
  bool end = false;
  for (const EventName name : last_writes(location)) {
    if (search_ != nullptr && search_->stopped()) end = true;
    if (end) break;
    newest_of_all_[location] = name;
    const auto list = items();
    if (rebuild(list, search_order(list, nullptr))) end = visit();
  }
  newest_of_all_[location].reset();
  return end;
}

template <unsigned Words>
template <typename Visit>
void PowerClasses<Words>::for_each_final_memory(Visit&& visit) {
  std::set<std::vector<std::int64_t>> seen;
  visit_final(0, seen, visit);
}

// The witness fits what newest_of_all_ says. Decides about this location and those after it. Returns whether
// to end.
template <unsigned Words>
template <typename Visit>
bool PowerClasses<Words>::visit_final(Location location, std::set<std::vector<std::int64_t>>& seen,
                                      Visit&& visit) {
  while (location < newest_of_all_.size() && !leaves_open(location)) ++location;
  if (location < newest_of_all_.size())
    return for_each_last(location, [&] { return visit_final(location + 1, seen, visit); });
  std::vector<std::int64_t> memory(newest_of_all_.size());
  this->final_memory(memory);
  return seen.insert(memory).second && visit();
}

}  // namespace heddle::checker
