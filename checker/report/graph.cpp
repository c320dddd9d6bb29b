// Builds the execution graph of a trace; see include/heddle/graph.h.
#include "heddle/graph.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace heddle {

namespace {

class GraphOfTrace {
 public:
  explicit GraphOfTrace(const Trace& trace) : trace_(trace), last_(trace.threads.size()) {
    graph_.threads = trace.threads;
  }

  ExecutionGraph run() {
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) step(i);
    for (const auto& [read, write] : reads_) {
      // A read-modify-write does not precede itself in any relation.
      if (const auto next = successor_.find(write); next != successor_.end() && next->second != read)
        graph_.edges.push_back({GraphRelation::from_read, read, next->second});
    }
    return std::move(graph_);
  }

 private:
  using Event = std::size_t;

  void step(std::size_t index) {
    const Step& s = trace_.steps[index];
    if (s.thread < 0 || s.location.empty()) return;
    switch (s.kind) {
      case StepKind::choose:
      case StepKind::fence:
      case StepKind::failure:
      case StepKind::final_: return;
      case StepKind::buffered: {
        const Event event = add(index);
        graph_.events[event].in_memory = false;
        buffers_[{s.thread, s.location}].push_back(event);
        return;
      }
      case StepKind::flush: {
        auto& buffer = buffers_[{s.thread, s.location}];
        if (buffer.empty()) return;
        graph_.events[buffer.front()].in_memory = true;
        reach_memory(buffer.front());
        buffer.pop_front();
        return;
      }
      default: break;
    }
    const Event event = add(index);
    if (s.reads || s.kind == StepKind::lock || s.kind == StepKind::try_lock) read(event);
    if (s.writes) reach_memory(event);
  }

  Event add(std::size_t index) {
    const Step& s = trace_.steps[index];
    const Event event = graph_.events.size();
    graph_.events.push_back({.thread = s.thread,
                             .step = index,
                             .location = s.location,
                             .reads = s.reads,
                             .writes = s.writes,
                             .read = s.read,
                             .written = s.written,
                             .read_symbol = s.read_symbol,
                             .written_symbol = s.written_symbol,
                             .line = s.line,
                             .source = s.source});
    auto& last = last_[static_cast<std::size_t>(s.thread)];
    if (last) graph_.edges.push_back({GraphRelation::program_order, *last, event});
    last = event;
    return event;
  }

  void read(Event event) {
    const GraphEvent& e = graph_.events[event];
    const auto own = buffers_.find({e.thread, e.location});
    const Event write =
        own != buffers_.end() && !own->second.empty() ? own->second.back() : newest(GraphEvent(e));
    graph_.edges.push_back({GraphRelation::reads_from, write, event});
    reads_.emplace_back(event, write);
  }

  void reach_memory(Event event) {
    const std::string location = graph_.events[event].location;
    if (const auto before = memory_.find(location); before != memory_.end()) {
      graph_.edges.push_back({GraphRelation::coherence, before->second, event});
      successor_[before->second] = event;
    }
    memory_[location] = event;
  }

  // The write that memory holds. The initial value becomes an event when it is first read.
  Event newest(const GraphEvent& read) {
    const auto [place, fresh] = memory_.try_emplace(read.location, graph_.events.size());
    if (fresh) {
      graph_.events.push_back({.location = read.location,
                               .writes = true,
                               .written = read.read,
                               .written_symbol = read.read_symbol});
    }
    return place->second;
  }

  const Trace& trace_;
  ExecutionGraph graph_;
  std::vector<std::optional<Event>> last_;
  std::map<std::pair<std::int32_t, std::string>, std::deque<Event>> buffers_;
  std::map<std::string, Event> memory_;
  std::map<Event, Event> successor_;  // in coherence
  std::vector<std::pair<Event, Event>> reads_;
};

// The graph of a trace in commit order.
class GraphOfCommits {
 public:
  explicit GraphOfCommits(const Trace& trace) : trace_(trace), events_(trace.steps.size()) {
    graph_.threads = trace.threads;
  }

  ExecutionGraph run() {
    std::vector<std::vector<std::size_t>> steps(trace_.threads.size());
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      const Step& step = trace_.steps[i];
      if (step.commit && step.thread >= 0 && static_cast<std::size_t>(step.thread) < steps.size())
        steps[static_cast<std::size_t>(step.thread)].push_back(i);
    }
    for (auto& of_thread : steps) {
      std::sort(of_thread.begin(), of_thread.end(),
                [&](std::size_t a, std::size_t b) { return commit(a).position < commit(b).position; });
      for (const std::size_t step : of_thread) {
        if (!trace_.steps[step].location.empty()) add(step);
      }
    }
    for (const auto& of_thread : steps) program_order(of_thread);
    for (Event event = 0, count = graph_.events.size(); event < count; ++event) communication(event);
    for (const auto& [read, write] : reads_) {
      if (const auto next = successor_.find(write); next != successor_.end() && next->second != read)
        edge(GraphRelation::from_read, read, next->second);
    }
    return std::move(graph_);
  }

 private:
  using Event = std::size_t;

  [[nodiscard]] const Commit& commit(std::size_t step) const { return *trace_.steps[step].commit; }
  void edge(GraphRelation relation, Event from, Event to) { graph_.edges.push_back({relation, from, to}); }

  void add(std::size_t index) {
    const Step& s = trace_.steps[index];
    // A step on a mutex reads whether it got the mutex, not the value.
    const bool takes_mutex = s.writes && (s.kind == StepKind::lock || s.kind == StepKind::try_lock);
    events_[index] = graph_.events.size();
    graph_.events.push_back({.thread = s.thread,
                             .step = index,
                             .location = s.location,
                             .reads = s.reads || s.kind == StepKind::lock,
                             .writes = s.writes,
                             .read = takes_mutex ? 0 : s.read,
                             .written = s.written,
                             .read_symbol = s.read_symbol,
                             .written_symbol = s.written_symbol,
                             .line = s.line,
                             .source = s.source});
  }

  // po, fences and dependencies of one thread, whose steps are in program order.
  void program_order(const std::vector<std::size_t>& steps) {
    std::optional<Event> last;
    std::optional<Event> last_write;
    bool sync = false;
    bool lightweight = false;
    bool store = false;
    for (const std::size_t step : steps) {
      for (const FenceType fence : commit(step).fences) {
        sync = sync || fence == FenceType::full;
        lightweight = lightweight || fence == FenceType::lightweight;
        store = store || fence == FenceType::store_store;
      }
      if (!events_[step]) continue;
      const Event event = *events_[step];
      const bool writes = graph_.events[event].writes;
      if (last) {
        edge(GraphRelation::program_order, *last, event);
        if (sync) edge(GraphRelation::sync, *last, event);
        if (lightweight) edge(GraphRelation::lightweight_sync, *last, event);
      }
      if (store && writes && last_write) edge(GraphRelation::store_fence, *last_write, event);
      sync = lightweight = false;
      if (writes) store = false;
      dependencies(step, event);
      last = event;
      if (writes) last_write = event;
    }
  }

  void dependencies(std::size_t step, Event event) {
    const Commit& c = commit(step);
    const auto add_all = [&](GraphRelation relation, const std::vector<std::size_t>& reads) {
      for (const std::size_t read : reads) {
        const auto from = event_of(read);
        if (!from) continue;
        const bool with_isync =
            std::find(c.control_isync.begin(), c.control_isync.end(), read) != c.control_isync.end();
        if (relation != GraphRelation::control || !with_isync) edge(relation, *from, event);
      }
    };
    add_all(GraphRelation::address, c.address);
    add_all(GraphRelation::data, c.data);
    add_all(GraphRelation::control, c.control);
    add_all(GraphRelation::control_isync, c.control_isync);
  }

  // rf and co of one event.
  void communication(Event event) {
    const std::size_t step = graph_.events[event].step;
    if (graph_.events[event].reads) {
      const Event write = source(event, commit(step).source);
      edge(GraphRelation::reads_from, write, event);
      reads_.emplace_back(event, write);
    }
    if (!graph_.events[event].writes) return;
    const auto behind = commit(step).behind;
    const auto before = behind ? event_of(*behind) : initial_if_read(graph_.events[event].location);
    if (behind && !before) return;
    if (before) edge(GraphRelation::coherence, *before, event);
    if (before) successor_[*before] = event;
    if (!behind) oldest_[graph_.events[event].location] = event;
  }

  [[nodiscard]] std::optional<Event> event_of(std::size_t step) const {
    return step < events_.size() ? events_[step] : std::nullopt;
  }
  Event source(Event event, std::optional<std::size_t> step) {
    if (const auto write = step ? event_of(*step) : std::nullopt) return *write;
    const std::string location = graph_.events[event].location;
    const auto [place, fresh] = initial_.try_emplace(location, graph_.events.size());
    if (fresh) {
      const StepKind kind = trace_.steps[graph_.events[event].step].kind;
      const bool mutex = kind == StepKind::lock || kind == StepKind::try_lock;
      const std::int64_t value = mutex ? 0 : graph_.events[event].read;
      graph_.events.push_back({.location = location,
                               .writes = true,
                               .written = value,
                               .written_symbol = std::string(graph_.events[event].read_symbol)});
      if (const auto oldest = oldest_.find(location); oldest != oldest_.end()) {
        edge(GraphRelation::coherence, place->second, oldest->second);
        successor_[place->second] = oldest->second;
      }
    }
    return place->second;
  }
  [[nodiscard]] std::optional<Event> initial_if_read(const std::string& location) const {
    const auto known = initial_.find(location);
    return known == initial_.end() ? std::nullopt : std::optional<Event>(known->second);
  }

  const Trace& trace_;
  ExecutionGraph graph_;
  std::vector<std::optional<Event>> events_;  // by step
  std::map<std::string, Event> initial_;      // initial values that were read
  std::map<std::string, Event> oldest_;       // the write right after the initial value
  std::map<Event, Event> successor_;          // in coherence
  std::vector<std::pair<Event, Event>> reads_;
};

}  // namespace

ExecutionGraph graph_of(const Trace& trace) {
  const bool commits = std::any_of(trace.steps.begin(), trace.steps.end(),
                                   [](const Step& step) { return step.commit.has_value(); });
  return commits ? GraphOfCommits(trace).run() : GraphOfTrace(trace).run();
}

std::string_view name(GraphRelation relation) {
  switch (relation) {
    case GraphRelation::program_order: return "po";
    case GraphRelation::reads_from: return "rf";
    case GraphRelation::coherence: return "co";
    case GraphRelation::from_read: return "fr";
    case GraphRelation::address: return "addr";
    case GraphRelation::data: return "data";
    case GraphRelation::control: return "ctrl";
    case GraphRelation::control_isync: return "ctrl+isync";
    case GraphRelation::sync: return "sync";
    case GraphRelation::lightweight_sync: return "lwsync";
    case GraphRelation::store_fence: break;
  }
  return "eieio";
}

}  // namespace heddle
