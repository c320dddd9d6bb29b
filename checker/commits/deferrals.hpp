// The marks of an execution graph at which reads wait: an event of kind `deferral` keeps the position of a read that a write
// which stops its thread has revisited, with that write as its source (docs/algorithms.md, "Waiting in graphs"). It has no
// place in any relation, and the thread may read again later, from what follows the write. (A lock is deferred with
// such an event, too, but waits for its mutex: these functions are not about that.)
#pragma once

#include <cstdint>

#include "checker/commits/event_name.hpp"
#include "checker/commits/way_back.hpp"
#include "checker/state/event.hpp"

namespace heddle::checker {

template <typename ExecutionGraph>
class Deferrals {
 public:
  using Set = typename ExecutionGraph::Set;

  // The graph must outlive the object.
  explicit Deferrals(const ExecutionGraph& graph) : graph_(graph) {}

  // Whether the event, or no_event, is such a mark.
  [[nodiscard]] bool contains(EventId event) const {
    return event != no_event && graph_[event].kind == EventKind::deferral && graph_[event].op != Op::lock;
  }
  // See DefersReads. The thread is at the read.
  [[nodiscard]] bool may_read(ThreadId t, EventId source) const {
    return all_of_marks(t, [&](EventId mark) { return follows_mark(mark, source); });
  }
  [[nodiscard]] bool may_wait_on(ThreadId t, EventId newest) const {
    return all_of_marks(
        t, [&](EventId mark) { return graph_[mark].source == newest || follows_mark(mark, newest); });
  }
  [[nodiscard]] bool is_maximal(EventId mark, const Set& deleted) const {
    const auto& event = graph_[mark];
    return is_maximal_mark(*this, event.source, graph_.newest(event.location), deleted, earlier_than(mark));
  }
  [[nodiscard]] bool any_reads_on(EventId write, ThreadId writer, const Set& deleted) const {
    const Set readers = graph_[write].readers - deleted;
    return !readers.empty() && !have_read_since(readers, writer, deleted);
  }
  // Whether a write is at an earlier position in the order than the event.
  [[nodiscard]] auto earlier_than(EventId event) const {
    return [earlier = graph_.earlier_than(event)](EventId e) {
      return is_initial(e) || earlier.contains(static_cast<ProcessId>(e));
    };
  }

  // -- As way_back.hpp needs it. Each event is a step.

  [[nodiscard]] static std::uint32_t step_of(EventId id) { return static_cast<std::uint32_t>(id); }
  [[nodiscard]] static ProcessId first_event(std::uint32_t step) { return step; }
  [[nodiscard]] EventId older(EventId write) const { return graph_[write].co_previous; }
  [[nodiscard]] const Set& committed_before(EventId event) const { return graph_[event].prefix; }

 private:
  // Whether the predicate holds for all marks of the read that the thread is at.
  template <typename Predicate>
  [[nodiscard]] bool all_of_marks(ThreadId t, Predicate&& predicate) const {
    EventId mark = graph_.thread(t).last;
    while (contains(mark) && predicate(mark)) mark = graph_[mark].po_previous;
    return !contains(mark);
  }
  [[nodiscard]] bool follows_mark(EventId mark, EventId write) const {
    return follows(*this, graph_[mark].source, graph_.newest(graph_[mark].location), write,
                   earlier_than(mark));
  }
  // Whether all of these readers of a write are marks whose threads have read since.
  [[nodiscard, gnu::noinline]] bool have_read_since(const Set& readers, ThreadId writer,
                                                    const Set& deleted) const {
    bool all = true;
    readers.for_each([&](ProcessId reader) {
      const auto id = static_cast<EventId>(reader);
      if (!all || !contains(id)) {
        all = false;
        return;
      }
      const EventId next = graph_.po_next(id);
      all = next == no_event ? graph_[id].thread == writer : !deleted.contains(static_cast<ProcessId>(next));
    });
    return all;
  }

  const ExecutionGraph& graph_;
};

}  // namespace heddle::checker
