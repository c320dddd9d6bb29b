// See candidates.hpp.
#include "checker/candidates/candidates.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace heddle::checker {

namespace {

using axioms::EventId;
using axioms::no_event;

// The coherence order of one location's writes, and the sources of its reads.
struct LocationChoice {
  std::vector<EventId> order;
  std::vector<std::pair<EventId, EventId>> sources;  // read, write or no_event
};

class Enumerator {
 public:
  Enumerator(const Image& image, const Paths& paths, const FinalCondition& condition,
             const CandidateLimits& limits, const std::function<bool(Candidate&&)>& visit)
      : image_(image), paths_(paths), condition_(condition), limits_(limits), visit_(visit) {
    const std::size_t threads = paths.threads.size();
    chosen_.resize(threads);
    // The values that the threads from each one on can write.
    later_.resize(threads + 1);
    for (std::size_t t = threads; t-- > 0;) {
      later_[t] = later_[t + 1];
      for (const Path& path : paths.threads[t]) add_writes(path, later_[t]);
    }
  }

  Enumeration run() {
    for (const Allowed allowed : {Allowed::coherent, Allowed::any_source, Allowed::anything}) {
      allowed_ = allowed;
      combine(0);
      if (allowed != Allowed::coherent) {
        // They only explain, so having too many of them does not matter.
        result_.coherent = result_.candidates == 0;
        result_.gave_up.clear();
      }
      if (result_.candidates > 0 || !result_.gave_up.empty()) break;
    }
    return result_;
  }

 private:
  // The executions to enumerate: coherent ones; else those whose writes are in program order; else all.
  enum class Allowed : std::uint8_t { coherent, any_source, anything };

  using Written = std::set<std::pair<Location, std::int64_t>>;

  static void add_writes(const Path& path, Written& written) {
    for (const PathAccess& access : path.accesses) {
      if (access.writes) written.emplace(access.location, access.written);
    }
  }
  [[nodiscard]] bool stopped() const { return stopped_ || !result_.gave_up.empty(); }
  bool step() {
    if (++steps_ > limits_.most_steps) result_.gave_up = "too many candidate executions";
    if (steps_ % 256 == 0 && limits_.go_on && !limits_.go_on()) result_.gave_up = "timeout";
    return !stopped();
  }

  // Chooses the paths of the threads from `t` on.
  void combine(std::size_t t) {
    if (stopped()) return;
    if (t == chosen_.size()) return complete();
    for (const Path& path : paths_.threads[t]) {
      if (!step()) return;
      chosen_[t] = &path;
      if (reads_are_written(t)) combine(t + 1);
    }
  }

  // True if each value read so far has a writer that is chosen, or can still be chosen.
  [[nodiscard]] bool reads_are_written(std::size_t last) const {
    Written written = later_[last + 1];
    for (std::size_t t = 0; t <= last; ++t) add_writes(*chosen_[t], written);
    for (std::size_t t = 0; t <= last; ++t) {
      for (const PathAccess& access : chosen_[t]->accesses) {
        if (access.reads && access.read != image_.locations[access.location].initial &&
            !written.contains({access.location, access.read}))
          return false;
      }
    }
    return true;
  }

  // Makes the events of the chosen paths, then the choices of each location.
  void complete() {
    candidate_ = {};
    for (ThreadId t = 0; t < chosen_.size(); ++t) {
      add_thread(t);
      candidate_.blocks.push_back(chosen_[t]->block.data());
    }
    candidate_.execution.coherence.resize(image_.locations.size());
    locations_.clear();
    choices_.clear();
    std::vector<bool> seen(image_.locations.size());
    for (const axioms::Event& event : candidate_.execution.events) {
      if (seen[event.location]) continue;
      seen[event.location] = true;
      locations_.push_back(event.location);
      choices_.push_back(allowed_ == Allowed::coherent ? coherent_choices(event.location)
                                                       : all_choices(event.location));
      if (choices_.back().empty() || stopped()) return;
    }
    candidate_.memory.clear();
    for (const auto& location : image_.locations) candidate_.memory.push_back(location.initial);
    holds_.clear();
    choose(0);
  }

  void add_thread(ThreadId t) {
    const Path& path = *chosen_[t];
    auto& execution = candidate_.execution;
    const auto first = static_cast<EventId>(execution.events.size());
    const std::size_t first_access = candidate_.accesses.size();
    std::size_t next_point = 0;
    const auto position = [&] { return static_cast<std::uint32_t>(execution.events.size()) - first; };
    const auto reads = [&](std::uint64_t mask) {
      std::vector<EventId> events;
      for (std::size_t bit = 0; mask >> bit != 0; ++bit) {
        if ((mask >> bit & 1) != 0)
          events.push_back(candidate_.accesses[first_access + path.loads[bit]].read);
        if (bit == 63) break;
      }
      return events;
    };
    // The points before the access, or inside it.
    const auto add_points = [&](std::size_t access, bool inside) {
      for (; next_point < path.points.size(); ++next_point) {
        const PathPoint& point = path.points[next_point];
        if (point.position > access || (point.position == access && point.inside != inside)) break;
        execution.points.push_back({.thread = t,
                                    .position = position(),
                                    .kind = point.kind,
                                    .implicit = point.implicit,
                                    .reads = reads(point.reads),
                                    .tag = candidate_.points.size()});
        candidate_.points.push_back({t, &point});
      }
    };
    for (std::size_t i = 0; i < path.accesses.size(); ++i) {
      const PathAccess& access = path.accesses[i];
      add_points(i, false);
      const bool locked = access.op != Op::load && access.op != Op::store;
      axioms::Event event{
          .thread = t, .location = access.location, .locked = locked, .tag = candidate_.accesses.size()};
      event.address = reads(access.address);
      Candidate::Access made{.thread = t, .access = &access};
      if (access.reads) {
        made.read = static_cast<EventId>(execution.events.size());
        execution.events.push_back(event);
      }
      candidate_.accesses.push_back(made);
      add_points(i, true);
      if (!access.writes) continue;
      event.writes = true;
      event.read_half = made.read;
      event.data = reads(access.data);
      const bool fetches = access.op >= Op::fetch_add && access.op <= Op::fetch_min;
      if (fetches) event.data.push_back(made.read);
      candidate_.accesses.back().write = static_cast<EventId>(execution.events.size());
      execution.events.push_back(event);
    }
    add_points(path.accesses.size(), false);
  }

  [[nodiscard]] const PathAccess& access_of(EventId event) const {
    return *candidate_.accesses[candidate_.execution.events[event].tag].access;
  }

  // The events of a location, thread by thread.
  [[nodiscard]] std::vector<EventId> events_at(Location location, bool writes) const {
    std::vector<EventId> events;
    const auto& all = candidate_.execution.events;
    for (EventId e = 0; e < all.size(); ++e) {
      if (all[e].location == location && all[e].writes == writes) events.push_back(e);
    }
    return events;
  }

  // All orders of the writes that keep program order, with all sources that coherence and atomicity allow.
  [[nodiscard]] std::vector<LocationChoice> coherent_choices(Location location) {
    std::vector<LocationChoice> result;
    for_each_order(location, true, [&](const std::vector<EventId>& order) {
      std::vector<std::vector<std::pair<EventId, EventId>>> partial{{}};
      for (const EventId read : events_at(location, false)) {
        std::vector<std::vector<std::pair<EventId, EventId>>> extended;
        for (const auto& sources : partial) {
          if (!step()) return;
          for (std::size_t place = 0; place <= order.size(); ++place) {
            if (!value_fits(read, order, place) || !coherent(read, order, place, sources)) continue;
            extended.push_back(sources);
            extended.back().emplace_back(read, place == 0 ? no_event : order[place - 1]);
          }
        }
        partial = std::move(extended);
      }
      for (auto& sources : partial) result.push_back({order, std::move(sources)});
    });
    return result;
  }

  // All orders that are enumerated, and all sources.
  [[nodiscard]] std::vector<LocationChoice> all_choices(Location location) {
    std::vector<LocationChoice> result;
    for_each_order(location, allowed_ == Allowed::any_source, [&](const std::vector<EventId>& order) {
      std::vector<LocationChoice> partial{{order, {}}};
      for (const EventId read : events_at(location, false)) {
        std::vector<LocationChoice> extended;
        for (const auto& choice : partial) {
          if (!step()) return;
          for (std::size_t place = 0; place <= order.size(); ++place) {
            if (!value_fits(read, order, place)) continue;
            extended.push_back(choice);
            extended.back().sources.emplace_back(read, place == 0 ? no_event : order[place - 1]);
          }
        }
        partial = std::move(extended);
      }
      for (auto& choice : partial) result.push_back(std::move(choice));
    });
    return result;
  }

  template <typename Use>
  void for_each_order(Location location, bool in_program_order, Use&& use) {
    std::vector<EventId> left = events_at(location, true);
    std::vector<EventId> order;
    extend(left, order, in_program_order, use);
  }
  template <typename Use>
  void extend(std::vector<EventId>& left, std::vector<EventId>& order, bool in_program_order, Use&& use) {
    if (!step()) return;
    if (left.empty()) return use(std::as_const(order));
    std::set<std::uint32_t> threads;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const EventId write = left[i];
      const bool first = threads.insert(candidate_.execution.events[write].thread).second;
      if (in_program_order && !first) continue;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      order.push_back(write);
      extend(left, order, in_program_order, use);
      order.pop_back();
      left.insert(left.begin() + static_cast<std::ptrdiff_t>(i), write);
    }
  }

  // True if the read can take its value from `place`: 0 is the initial write, i + 1 the write i of the order.
  [[nodiscard]] bool value_fits(EventId read, const std::vector<EventId>& order, std::size_t place) const {
    const PathAccess& access = access_of(read);
    const auto value =
        place == 0 ? image_.locations[access.location].initial : access_of(order[place - 1]).written;
    return value == access.read;
  }
  [[nodiscard]] static std::size_t place_of(EventId write, const std::vector<EventId>& order) {
    if (write == no_event) return 0;
    return 1 + static_cast<std::size_t>(std::find(order.begin(), order.end(), write) - order.begin());
  }
  // True if the places of writes and sources never go back along program order, and a write comes after the
  // sources that its thread has read before, directly after the source of its own read if it is part of a
  // read-modify-write.
  [[nodiscard]] bool coherent(EventId read, const std::vector<EventId>& order, std::size_t place,
                              const std::vector<std::pair<EventId, EventId>>& sources) const {
    const auto& events = candidate_.execution.events;
    for (const EventId write : order) {
      if (events[write].thread != events[read].thread) continue;
      const std::size_t at = place_of(write, order);
      if (write < read ? place < at : place >= at) return false;
      if (events[write].read_half == read && at != place + 1) return false;
    }
    for (const auto& [earlier, source] : sources) {
      if (events[earlier].thread == events[read].thread && place_of(source, order) > place) return false;
    }
    return true;
  }

  // Chooses for the locations from `index` on.
  void choose(std::size_t index) {
    if (stopped()) return;
    if (index == locations_.size()) {
      if (!condition_holds()) return;
      ++result_.candidates;
      Candidate copy = candidate_;
      stopped_ = !visit_(std::move(copy));
      return;
    }
    auto& order = candidate_.execution.coherence[locations_[index]];
    for (const LocationChoice& choice : choices_[index]) {
      if (!step()) return;
      order = choice.order;
      if (!order.empty()) candidate_.memory[locations_[index]] = access_of(order.back()).written;
      for (const auto& [read, source] : choice.sources) candidate_.execution.events[read].source = source;
      choose(index + 1);
    }
  }

  // The condition depends on the final state only.
  [[nodiscard]] bool condition_holds() {
    const auto known = holds_.find(candidate_.memory);
    if (known != holds_.end()) return known->second;
    auto memory = candidate_.memory;
    const bool holds = condition_(memory, candidate_.blocks.data());
    holds_[candidate_.memory] = holds;
    return holds;
  }

  const Image& image_;
  const Paths& paths_;
  const FinalCondition& condition_;
  const CandidateLimits& limits_;
  const std::function<bool(Candidate&&)>& visit_;
  std::vector<Written> later_;
  std::vector<const Path*> chosen_;
  Candidate candidate_;
  std::vector<Location> locations_;
  std::vector<std::vector<LocationChoice>> choices_;
  std::map<std::vector<std::int64_t>, bool> holds_;  // of the chosen paths, by memory
  Allowed allowed_ = Allowed::coherent;
  bool stopped_ = false;
  std::uint64_t steps_ = 0;
  Enumeration result_;
};

}  // namespace

Enumeration for_each_candidate(const Image& image, const Paths& paths, const FinalCondition& condition,
                               const CandidateLimits& limits, const std::function<bool(Candidate&&)>& visit) {
  Enumeration result = Enumerator(image, paths, condition, limits, visit).run();
  if (result.gave_up.empty()) result.gave_up = paths.gave_up;
  return result;
}

}  // namespace heddle::checker
