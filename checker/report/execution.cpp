// See execution.hpp.
#include "checker/report/execution.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace heddle::checker {

namespace {

axioms::PointKind point_kind(FenceType fence) {
  switch (fence) {
    case FenceType::full: return axioms::PointKind::full;
    case FenceType::lightweight: return axioms::PointKind::lightweight;
    case FenceType::store_store: return axioms::PointKind::store_store;
    case FenceType::instruction: break;
  }
  return axioms::PointKind::instruction;
}

// Begins with the events of each thread in program order, then adds what relates them.
class ExecutionOfTrace {
 public:
  explicit ExecutionOfTrace(const Trace& trace)
      : trace_(trace),
        commits_(std::any_of(trace.steps.begin(), trace.steps.end(),
                             [](const heddle::Step& step) { return step.commit.has_value(); })),
        halves_(trace.steps.size()) {}

  TracedExecution run() {
    for (std::uint32_t t = 0; t < trace_.threads.size(); ++t) {
      position_ = 0;
      controlled_by_.clear();
      for (const std::size_t step : steps_of(t)) add(t, step);
    }
    result_.execution.coherence.resize(result_.locations.size());
    if (commits_) {
      relate_commits();
    } else {
      replay();
    }
    return std::move(result_);
  }

 private:
  struct Halves {
    axioms::EventId read = axioms::no_event;
    axioms::EventId write = axioms::no_event;
  };

  [[nodiscard]] const heddle::Step& step(std::size_t index) const { return trace_.steps[index]; }
  [[nodiscard]] static bool on_mutex(const heddle::Step& s) {
    return s.kind == StepKind::lock || s.kind == StepKind::unlock || s.kind == StepKind::try_lock;
  }
  [[nodiscard]] static bool is_event(const heddle::Step& s) {
    switch (s.kind) {
      case StepKind::choose:
      case StepKind::fence:
      case StepKind::flush:
      case StepKind::failure:
      case StepKind::final_: return false;
      default: return !s.location.empty();
    }
  }
  [[nodiscard]] std::vector<axioms::EventId>& coherence(std::uint32_t location) {
    return result_.execution.coherence[location];
  }

  // The thread's steps in program order.
  [[nodiscard]] std::vector<std::size_t> steps_of(std::uint32_t t) const {
    std::vector<std::size_t> steps;
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      if (step(i).thread == static_cast<std::int32_t>(t) && (!commits_ || step(i).commit)) steps.push_back(i);
    }
    if (commits_) {
      std::sort(steps.begin(), steps.end(), [&](std::size_t a, std::size_t b) {
        return step(a).commit->position < step(b).commit->position;
      });
    }
    return steps;
  }

  void add(std::uint32_t t, std::size_t index) {
    const heddle::Step& s = step(index);
    if (commits_) add_points(t, index);
    if (s.fence) point(t, point_kind(*s.fence), index);
    if (!is_event(s)) return;
    const bool reads = s.reads || s.kind == StepKind::lock || s.kind == StepKind::try_lock;
    const bool locked =
        on_mutex(s) || s.kind == StepKind::cas || s.kind == StepKind::exchange || s.kind == StepKind::fetch;
    if (on_mutex(s)) point(t, axioms::PointKind::full, index, true);
    axioms::Event event{.thread = t, .location = location(s.location), .locked = locked, .tag = index};
    if (s.commit) event.address = reads_of(s.commit->address);
    if (reads) halves_[index].read = append(event);
    if (s.writes) {
      event.writes = true;
      event.read_half = halves_[index].read;
      if (s.commit) add_inputs(t, index, event);
      halves_[index].write = append(event);
    }
    if (on_mutex(s)) point(t, axioms::PointKind::full, index, true);
  }

  // What only the write of a step in commit order depends on.
  void add_inputs(std::uint32_t t, std::size_t index, axioms::Event& event) {
    const heddle::Step& s = step(index);
    event.data = reads_of(s.commit->data);
    if (s.commit->read_half && *s.commit->read_half < halves_.size())
      event.read_half = halves_[*s.commit->read_half].read;
    if (event.read_half == axioms::no_event || s.commit->read_half) return;
    if (s.kind == StepKind::fetch) event.data.push_back(event.read_half);
    if (s.kind == StepKind::cas) point(t, axioms::PointKind::branch, index).reads = {event.read_half};
  }

  // The fences and branches before a step in commit order.
  void add_points(std::uint32_t t, std::size_t index) {
    const Commit& commit = *step(index).commit;
    std::vector<axioms::EventId> with_isync;
    std::vector<axioms::EventId> without;
    for (const axioms::EventId read : reads_of(commit.control)) {
      if (std::find(controlled_by_.begin(), controlled_by_.end(), read) != controlled_by_.end()) continue;
      controlled_by_.push_back(read);
      const auto known = reads_of(commit.control_isync);
      const bool isync = std::find(known.begin(), known.end(), read) != known.end();
      (isync ? with_isync : without).push_back(read);
    }
    if (!with_isync.empty()) point(t, axioms::PointKind::branch, index).reads = with_isync;
    for (const FenceType fence : commit.fences) point(t, point_kind(fence), index);
    if (!without.empty()) point(t, axioms::PointKind::branch, index).reads = without;
  }

  [[nodiscard]] std::vector<axioms::EventId> reads_of(const std::vector<std::size_t>& steps) const {
    std::vector<axioms::EventId> reads;
    for (const std::size_t s : steps) {
      if (s < halves_.size() && halves_[s].read != axioms::no_event) reads.push_back(halves_[s].read);
    }
    return reads;
  }

  axioms::EventId append(const axioms::Event& event) {
    result_.execution.events.push_back(event);
    ++position_;
    return static_cast<axioms::EventId>(result_.execution.events.size() - 1);
  }
  axioms::Point& point(std::uint32_t t, axioms::PointKind kind, std::size_t tag, bool implicit = false) {
    return result_.execution.points.emplace_back(axioms::Point{
        .thread = t, .position = position_, .kind = kind, .implicit = implicit, .reads = {}, .tag = tag});
  }
  [[nodiscard]] std::uint32_t location(const std::string& name) {
    const auto [place, fresh] =
        numbers_.try_emplace(name, static_cast<std::uint32_t>(result_.locations.size()));
    if (fresh) result_.locations.push_back(name);
    return place->second;
  }

  // One memory: a write takes its place in coherence order when it reaches memory.
  void replay() {
    std::map<std::pair<std::int32_t, std::string>, std::deque<axioms::EventId>> buffers;
    const auto reach_memory = [&](axioms::EventId write) {
      coherence(result_.execution.events[write].location).push_back(write);
    };
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      const heddle::Step& s = step(i);
      if (s.thread < 0) continue;
      auto& buffer = buffers[{s.thread, s.location}];
      if (s.kind == StepKind::flush && !buffer.empty()) {
        reach_memory(buffer.front());
        buffer.pop_front();
      }
      if (!is_event(s)) continue;
      if (halves_[i].read != axioms::no_event) {
        axioms::Event& read = result_.execution.events[halves_[i].read];
        const auto& in_memory = coherence(read.location);
        read.source = !buffer.empty()     ? buffer.back()
                      : in_memory.empty() ? axioms::no_event
                                          : in_memory.back();
      }
      if (halves_[i].write == axioms::no_event) continue;
      if (s.kind == StepKind::buffered) {
        buffer.push_back(halves_[i].write);
      } else {
        reach_memory(halves_[i].write);
      }
    }
    for (axioms::EventId e = 0; e < result_.execution.events.size(); ++e) {
      const axioms::Event& event = result_.execution.events[e];
      if (!event.writes) continue;
      auto& writes = coherence(event.location);
      if (std::find(writes.begin(), writes.end(), e) == writes.end()) writes.push_back(e);
    }
  }

  void relate_commits() {
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      if (!step(i).commit) continue;
      const auto& source = step(i).commit->source;
      if (halves_[i].read != axioms::no_event && source)
        result_.execution.events[halves_[i].read].source = halves_[*source].write;
    }
    // Each write names its final predecessor, so the writes of a location are a chain.
    std::map<axioms::EventId, axioms::EventId> next;
    std::map<std::uint32_t, axioms::EventId> first;
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      const axioms::EventId write = halves_[i].write;
      if (write == axioms::no_event) continue;
      const auto& behind = step(i).commit->behind;
      if (behind) {
        next[halves_[*behind].write] = write;
      } else {
        first[result_.execution.events[write].location] = write;
      }
    }
    for (const auto& [location, oldest] : first) {
      coherence(location).push_back(oldest);
      for (auto after = next.find(oldest); after != next.end(); after = next.find(after->second))
        coherence(location).push_back(after->second);
    }
  }

  const Trace& trace_;
  bool commits_;
  std::vector<Halves> halves_;  // by step
  std::map<std::string, std::uint32_t> numbers_;
  std::uint32_t position_ = 0;                  // in the thread
  std::vector<axioms::EventId> controlled_by_;  // reads of the thread's branches so far
  TracedExecution result_;
};

}  // namespace

TracedExecution execution_of(const Trace& trace) { return ExecutionOfTrace(trace).run(); }

}  // namespace heddle::checker
