// From the rows of a trace to its execution graph; see include/heddle/graph.h.
#include "heddle/graph.h"

#include <deque>
#include <map>
#include <optional>
#include <utility>

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
      // A read-modify-write comes before itself in nothing.
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
        own != buffers_.end() && !own->second.empty() ? own->second.back() : newest(e.location, e.read);
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

  // The write that memory holds; the first value becomes an event when somebody reads it.
  Event newest(const std::string& location, std::int64_t value) {
    const auto [place, fresh] = memory_.try_emplace(location, graph_.events.size());
    if (fresh) graph_.events.push_back({.location = location, .writes = true, .written = value});
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

}  // namespace

ExecutionGraph graph_of(const Trace& trace) { return GraphOfTrace(trace).run(); }

std::string_view name(GraphRelation relation) {
  switch (relation) {
    case GraphRelation::program_order: return "po";
    case GraphRelation::reads_from: return "rf";
    case GraphRelation::coherence: return "co";
    case GraphRelation::from_read: break;
  }
  return "fr";
}

}  // namespace heddle
