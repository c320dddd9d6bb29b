// What the future of a run depends on, where that is less than its events: for searches that remember states.
//
// A write is *live* if something that can still be committed may read an older one, or go before it in coherence order. The
// past of a run is *sealed* if no live write, and no read of one, has been fenced: no event of the past is after it by a
// fence, and its thread has passed none since then. Then what comes later has relations with live writes only through its
// own reads, writes and fences, and with the rest of the past none that matter. So all that decides the future is the newest
// value of each location; if it has live writes, their values and where each thread has been among them; and for each thread
// where it is and what its locals are. Two runs with sealed pasts and equal keys can be continued in the same ways.
// docs/algorithms.md has the proof.
//
// Of each thread, all that is committed must come before all that is not, in program order. A location has no live writes
// if it is *clear* to every thread that can continue. It is clear to a thread if
// - no thread has written to it, or
// - every access to it takes the newest write: locks, unlocks, and `fetch_...` (where one is committed as two events and its
//   read has seen another write, its write is dropped, and the run does not count); or
// - the thread itself has seen or written the newest write (coherence), or
// - the newest write, or a read of it, is before all later events of the thread by a full fence (`strong` of power.hpp).
//   A lock is such a fence, and what its thread does next comes after what the unlock before it comes after.
//
//   thread 0: lock m; d = 1; unlock m     d is clear to thread 1, which is at its lock: it will read what unlock
//   thread 1: lock m; r = d; unlock m     has written, or a later write, and then cannot read an older d.
//
//   thread 0: x = 1; x = 2; y = 1         x = 1 and x = 2 are live, as thread 1 can still read 0. No fence comes after
//   thread 1: r = y; s = x                them, so it does not matter how x came by these values.
//
// Programs in which threads lock mutexes, fence what they share, or have no fences come to such states again and again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "checker/commits/ahead_threads.hpp"
#include "checker/commits/commit_machine.hpp"
#include "checker/commits/packed_numbers.hpp"
#include "checker/state/event.hpp"
#include "checker/state/step.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// Whether what the search looks for can be told from the ends of runs, whatever their pasts. Not data races, nor whether a
// daemon looked last, nor what a failed assumption leaves out.
[[nodiscard]] inline bool may_forget(const Image& image) {
  const bool any_daemon = std::ranges::any_of(image.threads, &compiler::ThreadImage::is_daemon);
  const bool any_plain = std::ranges::any_of(image.locations, &compiler::LocationImage::is_plain);
  return !image.assumes && !any_daemon && !any_plain;
}

// Machines of which it can be told.
template <typename M>
concept SealsPasts = RunsAhead<M> && !LeavesMemoryOpen<M>;

// The locations with live writes, and of each the places that something may still take: writes to read, or to follow in coherence
// order. The first one is the newest, and all but the last one are live.
class LivePlaces {
 public:
  // Of one location, each of which is a bit of a word. States with more are not remembered.
  static constexpr std::uint32_t most = 64;

  struct Section {
    Location location = none;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  // Of a thread's accesses to a location: the newest write that it has made, that it has read, and that it has read from another
  // thread, as `rank` numbers them.
  struct Ranks {
    std::uint8_t written = 0;
    std::uint8_t read = 0;
    std::uint8_t external = 0;
  };

  void clear(std::size_t threads, std::size_t locations, std::size_t events) {
    last_places_.assign(threads * locations, no_event);
    oldest_.assign(locations, no_event);
    section_of_.assign(locations, none);
    ranks_.assign(events, 0);
    sections_.clear();
    places_.clear();
  }
  // Of each location the place of the thread's last access, for threads that can continue; no_event if there is none.
  [[nodiscard]] std::span<EventId> last_places(ThreadId t) {
    return std::span(last_places_).subspan(t * oldest_.size(), oldest_.size());
  }
  // The oldest place so far; no_event if there is none.
  [[nodiscard]] EventId& oldest(Location location) { return oldest_[location]; }
  // Adds a section. `older(place)`: the place before it. False if there are too many.
  template <typename Older>
  [[nodiscard]] bool add(Location location, EventId newest, Older&& older) {
    const auto begin = static_cast<std::uint32_t>(places_.size());
    for (EventId place = newest;; place = older(place)) {
      places_.push_back(place);
      if (places_.size() - begin > most) return false;
      if (place == oldest_[location]) break;
    }
    section_of_[location] = static_cast<std::uint32_t>(sections_.size());
    sections_.push_back({location, begin, static_cast<std::uint32_t>(places_.size())});
    for (auto i = begin; i + 1 < places_.size(); ++i)
      ranks_[static_cast<std::size_t>(places_[i])] = static_cast<std::uint8_t>(places_.size() - 1 - i);
    return true;
  }

  [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }
  // The number of the section of a location; `none` if it has no live writes.
  [[nodiscard]] std::uint32_t section_of(Location location) const { return section_of_[location]; }
  [[nodiscard]] std::span<const EventId> places(std::uint32_t section) const {
    const Section& it = sections_[section];
    return std::span(places_).subspan(it.begin, it.end - it.begin);
  }
  // Numbers the live writes of a location from the oldest one on; 0 for all other writes.
  [[nodiscard]] std::uint8_t rank(EventId write) const {
    return write < 0 ? 0 : ranks_[static_cast<std::size_t>(write)];
  }
  // By section, for one thread after the other.
  [[nodiscard]] std::vector<Ranks>& ranks_of_thread() { return ranks_of_thread_; }

 private:
  std::vector<EventId> last_places_;       // by thread and location
  std::vector<EventId> oldest_;            // by location
  std::vector<std::uint32_t> section_of_;  // by location
  std::vector<std::uint8_t> ranks_;        // by event
  std::vector<Ranks> ranks_of_thread_;
  std::vector<Section> sections_;
  std::vector<EventId> places_;
};

// Of each thread that runs ahead, the words of its block that are part of its state, as offsets in bytes: all but the mailbox
// and what says on which loads its operations and locals depend.
class StateWords {
 public:
  explicit StateWords(const Image& image) {
    for (const compiler::ThreadImage& thread : image.threads) {
      auto& words = offsets_.emplace_back();
      const auto add = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; i += sizeof(std::uint64_t)) words.push_back(i);
      };
      add(0, compiler::mailbox_offset);
      add(compiler::dependencies_offset + sizeof(compiler::Dependencies), thread.block_size);
      std::erase_if(words, [&](std::size_t offset) {
        return offset != 0 && std::ranges::any_of(thread.locals, [&](const compiler::LocalImage& local) {
                 return local.mask_offset == offset;
               });
      });
    }
  }
  [[nodiscard]] const std::vector<std::size_t>& of(ThreadId t) const { return offsets_[t]; }

 private:
  std::vector<std::vector<std::size_t>> offsets_;
};

template <SealsPasts Machine>
class SealedPast {
 public:
  using Set = typename Machine::Set;
  using Event = typename Machine::Model::Event;

  // `state_words`: of the machine's program. `live`: becomes that of the past, in `key`.
  SealedPast(Machine& machine, const StateWords& state_words, LivePlaces& live)
      : machine_(machine), state_words_(state_words), live_(live) {}

  // If the past is sealed, `words` becomes the key of the state. No key begins with another one. O(events * (threads + locations)).
  [[nodiscard]] bool key(std::vector<std::uint64_t>& words);
  // After `key`: calls `visit(place)` for the writes to the location that a later event of the thread may read from, the newest
  // one first; for at most LivePlaces::most.
  template <typename Visit>
  void for_each_place(ThreadId t, Location location, Visit&& visit) const;
  // Of threads that have committed in program order: the events that commit-before puts before all later writes to the
  // location of threads with `writes(t)`.
  template <typename Writes>
  [[nodiscard]] Set before_later_writes(Location location, Writes&& writes) const;

 private:
  [[nodiscard]] bool in_order(ThreadId t) const;
  [[nodiscard]] bool may_continue(ThreadId t) const { return first_open(t).event(); }
  [[nodiscard]] bool find_live();
  void find_unclear(ThreadId t);
  [[nodiscard]] EventId own_place(ThreadId t, Location location) const;
  [[nodiscard]] EventId place_of(const Request& access) const {
    return access.write != no_event ? access.write : machine_.model()[access.read].source;
  }
  [[nodiscard]] bool any_fenced() const;
  [[nodiscard]] bool has_fenced(ThreadId t, const Set& events) const;
  [[nodiscard]] Set before_all_later(ThreadId t) const;
  [[nodiscard]] Set before_later_writes(ThreadId t, Location location) const;
  template <Set Event::*row>
  void add_rows(const Request& request, Set& set) const;
  template <Set Event::*row>
  void add_rows(ThreadId t, std::uint32_t end, Set& set) const;
  template <Set Event::*row>
  void add_rows_before_lock(const Request& lock, Set& set) const;
  void add(ThreadId t, PackedNumbers& key) const;
  void add_live(PackedNumbers& key) const;
  void add_ranks(ThreadId t, PackedNumbers& key) const;

  // The first request of the thread that is not committed. It may be where the thread has ended.
  [[nodiscard]] const Request& first_open(ThreadId t) const {
    return machine_.requests(t)[machine_.first_open(t)];
  }

  Machine& machine_;
  const StateWords& state_words_;
  LivePlaces& live_;
};

template <SealsPasts Machine>
bool SealedPast<Machine>::key(std::vector<std::uint64_t>& words) {
  if (machine_.any_violation()) return false;
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
    if (!in_order(t)) return false;
  }
  if (!find_live() || any_fenced()) return false;
  machine_.clean();
  words.clear();
  PackedNumbers key(words);
  for (Location location = 0; location < machine_.image().locations.size(); ++location)
    key.add(static_cast<std::uint64_t>(machine_.newest_value(location)));
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) add(t, key);
  add_live(key);
  return true;
}

template <SealsPasts Machine>
template <typename Visit>
void SealedPast<Machine>::for_each_place(ThreadId t, Location location, Visit&& visit) const {
  const auto section = live_.section_of(location);
  if (section == none) return visit(machine_.newest_write(location));
  const EventId oldest = own_place(t, location);
  for (const EventId place : live_.places(section)) {
    visit(place);
    if (place == oldest) return;
  }
}

// Whether the committed events of the thread come before all others. (The store of a read-modify-write whose read is
// committed is tied to that.)
template <SealsPasts Machine>
bool SealedPast<Machine>::in_order(ThreadId t) const {
  const auto& requests = machine_.requests(t);
  return !first_open(t).write_half() &&
         std::none_of(requests.begin() + machine_.first_open(t), requests.end(),
                      [](const Request& request) { return request.committed || request.dropped; });
}

// False if a location has too many live writes.
template <SealsPasts Machine>
bool SealedPast<Machine>::find_live() {
  const auto locations = machine_.image().locations.size();
  live_.clear(machine_.thread_count(), locations, machine_.model().size());
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
    if (may_continue(t)) find_unclear(t);
  }
  for (Location location = 0; location < locations; ++location) {
    if (live_.oldest(location) == no_event) continue;
    if (!live_.add(location, machine_.newest_write(location),
                   [&](EventId place) { return machine_.model().previous(place); }))
      return false;
  }
  return true;
}

// Notes the locations that are not clear to the thread.
template <SealsPasts Machine>
void SealedPast<Machine>::find_unclear(ThreadId t) {
  const auto& model = machine_.model();
  const auto& locations = machine_.image().locations;
  const auto last = live_.last_places(t);
  for (std::uint32_t i = 0; i < machine_.first_open(t); ++i) {
    const Request& own = machine_.requests(t)[i];
    if (own.access()) last[own.location] = place_of(own);
  }
  std::optional<Set> before;
  for (Location location = 0; location < locations.size(); ++location) {
    const EventId newest = machine_.newest_write(location);
    if (newest < 0 || newest == last[location]) continue;
    if (locations[location].is_chain && !locations[location].is_loaded) continue;
    if (!before) before = before_all_later(t);
    if (before->contains(static_cast<ProcessId>(newest)) || before->intersects(model.readers(newest)))
      continue;
    const EventId own = own_place(t, location);
    EventId& oldest = live_.oldest(location);
    if (oldest == no_event || model.within(oldest, own)) oldest = own;
  }
}

// The oldest place that coherence leaves to a thread that can continue, at a location that has been written to.
template <SealsPasts Machine>
EventId SealedPast<Machine>::own_place(ThreadId t, Location location) const {
  const EventId last = live_.last_places(t)[location];
  return last != no_event ? last : machine_.model().known(location);
}

// Whether some event of the past, or every later one of some thread, is after a live write, or a read of one, by a fence.
template <SealsPasts Machine>
bool SealedPast<Machine>::any_fenced() const {
  if (live_.sections().empty()) return false;
  const auto& model = machine_.model();
  Set live;
  for (std::uint32_t section = 0; section < live_.sections().size(); ++section) {
    const auto places = live_.places(section);
    for (const EventId write : places.first(places.size() - 1)) {
      live.insert(static_cast<ProcessId>(write));
      live |= model.readers(write);
    }
  }
  for (std::size_t id = 0; id < model.size(); ++id) {
    if (model[static_cast<EventId>(id)].propbase.intersects(live)) return true;
  }
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
    if (may_continue(t) && has_fenced(t, live)) return true;
  }
  return false;
}

// Whether the thread has committed one of the events, and has come to a fence since then.
template <SealsPasts Machine>
bool SealedPast<Machine>::has_fenced(ThreadId t, const Set& events) const {
  const Request& next = first_open(t);
  const auto contains = [&](EventId id) {
    return id != no_event && events.contains(static_cast<ProcessId>(id));
  };
  const std::uint32_t fenced = std::max(next.before_sync, next.before_lightweight);
  for (std::uint32_t i = 0; i < std::max(fenced, next.before_store_store); ++i) {
    const Request& request = machine_.requests(t)[i];
    if (request.access() && ((i < fenced && contains(request.read)) || contains(request.write))) return true;
  }
  return false;
}

// Events that a full fence puts before each later event of the thread: that will be in `strong` of these.
template <SealsPasts Machine>
auto SealedPast<Machine>::before_all_later(ThreadId t) const -> Set {
  Set result;
  const Request& next = first_open(t);
  add_rows<&Event::propbase_star>(t, next.before_sync, result);
  if (next.op == Op::lock) add_rows_before_lock<&Event::propbase_star>(next, result);
  return result;
}

template <SealsPasts Machine>
template <typename Writes>
auto SealedPast<Machine>::before_later_writes(Location location, Writes&& writes) const -> Set {
  std::optional<Set> result;
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
    if (!writes(t) || !may_continue(t)) continue;
    const Set before = before_later_writes(t, location);
    result = result ? *result & before : before;
  }
  return result.value_or(Set());
}

template <SealsPasts Machine>
auto SealedPast<Machine>::before_later_writes(ThreadId t, Location location) const -> Set {
  Set result;
  const Request& next = first_open(t);
  add_rows<&Event::commit_before>(t, std::max(next.before_sync, next.before_lightweight), result);
  for (std::uint32_t i = 0; i < machine_.first_open(t); ++i) {
    const Request& own = machine_.requests(t)[i];
    if (own.location == location) add_rows<&Event::commit_before>(own, result);
  }
  // (A lock's own source is no part of its prefix.)
  if (next.op == Op::lock && next.location != location)
    add_rows_before_lock<&Event::commit_before>(next, result);
  return result;
}

template <SealsPasts Machine>
template <typename SealedPast<Machine>::Set SealedPast<Machine>::Event::*row>
void SealedPast<Machine>::add_rows(const Request& request, Set& set) const {
  if (!request.access()) return;
  for (const EventId id : {request.read, request.write}) {
    if (id != no_event) set |= machine_.model()[id].*row;
  }
}

// Of the first requests of the thread.
template <SealsPasts Machine>
template <typename SealedPast<Machine>::Set SealedPast<Machine>::Event::*row>
void SealedPast<Machine>::add_rows(ThreadId t, std::uint32_t end, Set& set) const {
  for (std::uint32_t i = 0; i < end; ++i) add_rows<row>(machine_.requests(t)[i], set);
}

// What comes after the lock is after the write that it will read, and after all that this is after. If the mutex is taken, its
// owner has to unlock it first, and that is after all that the owner has done.
template <SealsPasts Machine>
template <typename SealedPast<Machine>::Set SealedPast<Machine>::Event::*row>
void SealedPast<Machine>::add_rows_before_lock(const Request& lock, Set& set) const {
  const EventId newest = machine_.newest_write(lock.location);
  if (newest < 0) return;
  const Event& last = machine_.model()[newest];
  if (last.value == 0) {
    set |= last.*row;
  } else {
    add_rows<row>(last.thread, machine_.first_open(last.thread), set);
  }
}

// What the thread does next: its block there, and of the mailbox what the operation is and has as operands. On which loads these
// depend does not matter, since all loads so far have their values. (Where the thread has ended, the mailbox says how.) Whether
// it has begun is for equal threads, whose first events have an order (first_events.hpp).
template <SealsPasts Machine>
void SealedPast<Machine>::add(ThreadId t, PackedNumbers& key) const {
  const Request& next = first_open(t);
  key.add(next.site);
  key.add(static_cast<std::uint64_t>(next.op) << 16 | static_cast<std::uint64_t>(next.update) << 8 |
          (machine_.first_open(t) > 0 ? 1U : 0U));
  if (next.access()) key.add(next.location);
  const bool has_operands = next.op == Op::store || next.op == Op::choose || is_read_modify_write(next.op) ||
                            is_read_modify_write(next.update);
  if (has_operands) {
    key.add(static_cast<std::uint64_t>(next.value));
    key.add(static_cast<std::uint64_t>(next.expected));
  }
  const auto block = machine_.block(t, machine_.first_open(t));
  for (const std::size_t offset : state_words_.of(t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, block.data() + offset, sizeof word);
    key.add(word);
  }
}

// The places of each location with live writes: their values, and which of them a read-modify-write has taken. Then where the
// threads that can continue have been among them.
template <SealsPasts Machine>
void SealedPast<Machine>::add_live(PackedNumbers& key) const {
  const auto& sections = live_.sections();
  key.add(sections.size());
  for (std::uint32_t section = 0; section < sections.size(); ++section) {
    const auto places = live_.places(section);
    key.add(sections[section].location);
    key.add(places.size());
    std::uint64_t taken = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      key.add(static_cast<std::uint64_t>(machine_.value_of(places[i])));
      taken |= std::uint64_t{machine_.taken(places[i])} << i;
    }
    key.add(taken);
  }
  if (sections.empty()) return;
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
    if (may_continue(t)) add_ranks(t, key);
  }
}

// Adds the thread's ranks for each section. It cannot take older places, and a fence of the thread may put these accesses before
// later events.
template <SealsPasts Machine>
void SealedPast<Machine>::add_ranks(ThreadId t, PackedNumbers& key) const {
  auto& ranks = live_.ranks_of_thread();
  ranks.assign(live_.sections().size(), {});
  for (std::uint32_t i = 0; i < machine_.first_open(t); ++i) {
    const Request& own = machine_.requests(t)[i];
    const auto section = own.access() ? live_.section_of(own.location) : none;
    if (section == none) continue;
    if (own.write != no_event) ranks[section].written = live_.rank(own.write);
    if (own.read == no_event) continue;
    const EventId source = machine_.model()[own.read].source;
    ranks[section].read = live_.rank(source);
    if (source >= 0 && machine_.model()[source].thread != t) ranks[section].external = live_.rank(source);
  }
  for (const auto& of : ranks) {
    for (const std::uint8_t rank : {of.written, of.read, of.external}) key.add(rank);
  }
}

}  // namespace heddle::checker
