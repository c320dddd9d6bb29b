// The derived execution models of SC, TSO and PSO (paper 2, section 2), with cb = (po | rf)+: a thread's next
// operation is the only one that it has fetched. The models are closed under prefixes of po | rf, and an
// event can always go last or read from the newest write, so no run blocks.
//
// A thin layer over the execution graph of trust (graph.hpp), which knows where an event may go, and with the
// same interface as PowerMachine. Since events are taken back in reverse order, their ids count the steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/commits/event_name.hpp"
#include "checker/commits/graph.hpp"
#include "checker/commits/linearise.hpp"
#include "checker/commits/plain_graph.hpp"
#include "checker/interleavings/machine.hpp"
#include "checker/state/rows.hpp"
#include "checker/state/snapshots.hpp"

namespace heddle::checker {

template <typename Model, unsigned Words>
class GraphMachine {
 public:
  using ExecutionGraph = Graph<Model, Words>;
  using Set = typename ExecutionGraph::Set;
  template <unsigned Wider>
  using Widened = GraphMachine<Model, Wider>;
  static constexpr unsigned words = Words;
  static constexpr unsigned next_width = Words < widest_machine ? widest_machine : 64;
  static constexpr std::string_view out_of_room = "an execution of more than 4,000 events";

  struct Prepared {
    static constexpr bool conditional = false;  // read-modify-writes are one event
    EventName name;
    Op op = Op::load;
    EventId initial = no_event;
    EventId newest = no_event;
    Set bounds;
    std::int64_t low = 0;
    std::int64_t high = 0;
  };

  GraphMachine(const Image& image, const MachineOptions& options)
      : image_(image),
        resume_after_assert_(options.resume_after_assert),
        graph_(static_cast<std::uint32_t>(image.threads.size()),
               static_cast<std::uint32_t>(image.locations.size())),
        snapshots_(image),
        lengths_(image.threads.size(), 0) {
    for (ThreadId t = 0; t < thread_count(); ++t) {
      snapshots_.start(t, image.threads[t]);
      settle(t);
    }
  }

  [[nodiscard]] std::uint32_t thread_count() const { return snapshots_.thread_count(); }
  [[nodiscard]] const ExecutionGraph& graph() const { return graph_; }
  [[nodiscard]] bool full() const { return graph_.full(); }
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(steps_.size()); }
  [[nodiscard]] EventName step(std::uint32_t depth) const { return steps_[depth].name; }
  [[nodiscard]] static ProcessId first_event(std::uint32_t depth) { return depth; }
  [[nodiscard]] EventName name_of(std::int64_t id) const {
    return id < 0 ? EventName{} : steps_[static_cast<std::size_t>(id)].name;
  }
  // The violations that threads found in the newest step, or before the first one, each with the events that
  // led there: the thread may have passed a fence since then.
  struct FailureWithCauses : Failure {
    Set causes;
  };
  [[nodiscard]] const std::vector<FailureWithCauses>& failures() const { return failures_; }
  // Threads do not run ahead, so nothing but `full` limits them.
  [[nodiscard]] static std::string_view limit() { return {}; }
  [[nodiscard]] std::size_t memory_used() const {
    return graph_.memory_used() + snapshots_.memory_used() + steps_.capacity() * sizeof(Step);
  }

  // An event is committed, or what its thread stands at.
  [[nodiscard]] Op op(EventName name) const { return mailbox(name).op; }
  [[nodiscard]] Location location(EventName name) const {
    const auto& m = mailbox(name);
    return m.op == Op::choose ? none : m.location;
  }
  [[nodiscard]] bool updates(EventName name) const { return updates(op(name)); }
  [[nodiscard]] bool reads(EventName name) const { return op(name) == Op::load || updates(name); }
  // Of the event of a step, which are found at once.
  [[nodiscard]] Location location_at(std::uint32_t depth) const {
    const auto& m = mailbox_at(depth);
    return m.op == Op::choose ? none : m.location;
  }
  [[nodiscard]] bool reads_at(std::uint32_t depth) const {
    const Op kind = mailbox_at(depth).op;
    return kind == Op::load || updates(kind);
  }
  // What the thread stands at.
  [[nodiscard]] const Mailbox& standing(ThreadId t) const {
    return snapshots_.mailbox(graph_.thread(t).snapshot);
  }
  [[nodiscard]] Op standing_op(ThreadId t) const { return standing(t).op; }
  [[nodiscard]] std::uint32_t standing_site(ThreadId t) const { return standing(t).site; }

  template <typename Visit>
  void for_each_enabled(Visit&& visit) const {
    for (ThreadId t = 0; t < thread_count(); ++t) {
      if (event(t)) visit(EventName{t, lengths_[t]});
    }
  }
  [[nodiscard]] bool waits(EventName name) {
    return op(name) == Op::lock && value_of(graph_.newest(initial(location(name)))) != 0;
  }

  void prepare(EventName name, Prepared& event) {
    const auto& m = standing(name.thread);
    event.name = name;
    event.op = m.op;
    event.newest = no_event;
    event.low = m.value;
    event.high = m.expected;
    if (m.op == Op::choose) return;
    event.initial = initial(m.location);
    event.newest = graph_.newest(event.initial);
    event.bounds = graph_.bounds(name.thread, event.initial, access(m.op));
  }
  [[nodiscard]] std::optional<std::int64_t> first_parameter(const Prepared& event) const {
    return event.newest == no_event ? event.low : event.newest;
  }
  [[nodiscard]] std::optional<std::int64_t> next_parameter(const Prepared& event,
                                                           std::int64_t parameter) const {
    if (event.newest == no_event) {
      return parameter + 1 < event.high ? std::optional(parameter + 1) : std::nullopt;
    }
    if (parameter < 0 || event.bounds.contains(static_cast<ProcessId>(parameter))) return std::nullopt;
    return graph_[static_cast<EventId>(parameter)].co_previous;
  }

  bool commit(const Prepared& event, std::int64_t parameter) {
    const ThreadId t = event.name.thread;
    const auto id = static_cast<EventId>(steps_.size());
    const auto m = standing(t);
    std::int64_t result = 0;
    std::int64_t written = 0;
    EventKind kind = EventKind::write;
    EventId behind = no_event;
    if (m.op == Op::choose) {
      kind = EventKind::choice;
      result = written = parameter;
    } else {
      behind = place_within(event, static_cast<EventId>(parameter));
      if (behind == no_event) return false;
      const std::int64_t read = value_of(behind);
      switch (m.op) {
        case Op::store: written = m.value; break;
        case Op::unlock: break;
        default: {
          const ReadEffect effect = effect_of_reading(m.op, read, m.value, m.expected, t);
          if (m.op == Op::lock && !effect.writes) return false;
          kind = effect.writes ? EventKind::update : EventKind::read;
          result = effect.result;
          written = effect.written;
          break;
        }
      }
      if (kind != EventKind::read && graph_.taken(behind)) return false;
    }
    auto& thread = graph_.thread(t);
    steps_.push_back({.name = event.name, .thread = thread, .top = snapshots_.top(), .result = result});
    graph_.append_to_order(id);
    graph_.add(id, t, m.op, kind, event.newest == no_event ? no_event : event.initial, behind, written);
    ++lengths_[t];
    failures_.clear();
    snapshots_.enter(t, thread.snapshot).value = result;
    snapshots_.resume(t);
    settle(t);
    return true;
  }

  void undo() {
    const Step& step = steps_.back();
    const ThreadId t = step.name.thread;
    const auto id = static_cast<EventId>(steps_.size() - 1);
    graph_.remove(id);
    graph_.drop_from_order();
    graph_.thread(t) = step.thread;
    snapshots_.drop(step.top);
    --lengths_[t];
    failures_.clear();
    steps_.pop_back();
  }

  [[nodiscard]] std::int64_t place(std::uint32_t depth) const {
    const auto& event = graph_[static_cast<EventId>(depth)];
    return event.reads() ? event.source : event.co_previous;
  }
  [[nodiscard]] std::int64_t chosen(std::uint32_t depth) const { return steps_[depth].result; }
  [[nodiscard]] std::int64_t older(std::int64_t write) const {
    return graph_[static_cast<EventId>(write)].co_previous;
  }
  [[nodiscard]] std::optional<std::int64_t> written_by(std::uint32_t depth) const {
    return graph_[static_cast<EventId>(depth)].writes() ? std::optional<std::int64_t>(depth) : std::nullopt;
  }
  [[nodiscard]] std::int64_t resolve(EventName name, EventName place) {
    if (place.thread == none) return initial(location(name));
    return find(place);
  }
  [[nodiscard]] Set commit_before(const Prepared& event) const {
    return graph_.prefix(event.name.thread, no_event);
  }
  [[nodiscard]] const Set& committed_before(std::int64_t id) const {
    return graph_[static_cast<EventId>(id)].prefix;
  }

  void final_memory(std::vector<std::int64_t>& memory) const {
    for (std::uint32_t location = 0; location < memory.size(); ++location)
      memory[location] = newest_value(location);
  }
  static void clean() {}
  [[nodiscard]] const std::byte* block(ThreadId t) const {
    return snapshots_.block(graph_.thread(t).snapshot);
  }
  [[nodiscard]] bool await_holds(ThreadId t) {
    auto& m = snapshots_.enter(t, graph_.thread(t).snapshot);
    const auto site = m.site;
    const Uncounted trial(image_);
    snapshots_.resume(t);
    while (m.op == Op::load && m.in_await != 0) {
      m.value = newest_value(m.location);
      snapshots_.resume(t);
    }
    return m.op != Op::await_failed || m.site != site;
  }

  [[nodiscard]] PlainGraph plain_graph() const { return checker::plain_graph(graph_); }
  // The run so far, to be repeated by `follow` on a machine of this kind.
  [[nodiscard]] Schedule run() const {
    Schedule result;
    for (std::uint32_t depth = 0; depth < steps_.size(); ++depth) {
      const EventName name = steps_[depth].name;
      Choice choice{
          .type = StepType::commit, .thread = name.thread, .location = name.index, .value = chosen(depth)};
      if (op(name) != Op::choose) {
        std::int64_t write = place(depth);
        while (write >= static_cast<std::int64_t>(depth)) write = older(write);
        choice.value = encoded(name_of(write));
      }
      result.push_back(choice);
    }
    return result;
  }
  [[nodiscard]] bool follow(const Choice& choice) {
    const EventName name{choice.thread, choice.location};
    if (!event(name.thread) || lengths_[name.thread] != name.index) return false;
    Prepared event;
    prepare(name, event);
    if (op(name) == Op::choose) return commit(event, choice.value);
    return commit(event, resolve(name, decoded(choice.value)));
  }

 private:
  struct Step {
    EventName name;
    typename ExecutionGraph::Thread thread;  // before the event
    std::size_t top = 0;                     // of the snapshots
    std::int64_t result = 0;
  };

  [[nodiscard]] static AccessKind access(Op op) { return ExecutionGraph::access_of(op); }
  [[nodiscard]] EventId initial(Location location) {
    return graph_.initial(location, image_.locations[location].initial);
  }
  [[nodiscard]] std::int64_t value_of(EventId write) const { return graph_[write].value; }
  [[nodiscard]] std::int64_t newest_value(Location location) const {
    const EventId known = graph_.known(location);
    return known == no_event ? image_.locations[location].initial : value_of(graph_.newest(known));
  }
  [[nodiscard]] static bool updates(Op kind) {
    return is_read_modify_write(kind) || kind == Op::lock || kind == Op::try_lock;
  }
  [[nodiscard]] const Mailbox& mailbox_at(std::uint32_t depth) const {
    return snapshots_.mailbox(graph_[static_cast<EventId>(depth)].snapshot);
  }
  [[nodiscard]] const Mailbox& mailbox(EventName name) const {
    if (name.index == lengths_[name.thread]) return standing(name.thread);
    return snapshots_.mailbox(graph_[find(name)].snapshot);
  }
  [[nodiscard]] EventId find(EventName name) const {
    EventId id = graph_.thread(name.thread).last;
    for (std::uint32_t index = lengths_[name.thread] - 1; index > name.index; --index)
      id = graph_[id].po_previous;
    return id;
  }
  // Does the thread stand at something that can become an event?
  [[nodiscard]] bool event(ThreadId t) const {
    const auto& m = standing(t);
    if (m.op == Op::unlock) return graph_.owns(t, m.location);
    return m.op <= Op::choose && m.op != Op::fence;
  }
  // The place, if the model allows it; no_event if something behind it must come first.
  [[nodiscard]] EventId place_within(const Prepared& event, EventId place) const {
    for (EventId write = event.newest;; write = graph_[write].co_previous) {
      if (write == place) return write;
      if (is_initial(write) || event.bounds.contains(static_cast<ProcessId>(write))) return no_event;
    }
  }
  // Lets the thread do what no other thread can notice, and takes a snapshot of where it stands then.
  void settle(ThreadId t) {
    auto& thread = graph_.thread(t);
    const auto& m = snapshots_.live(t);
    for (;; snapshots_.resume(t)) {
      if (m.op == Op::fence) {
        thread.frontier.pass(m.fence);
      } else if (m.op == Op::assert_failed && resume_after_assert_) {
        fail(t, m);
      } else {
        break;
      }
    }
    thread.snapshot = snapshots_.save(t);
    if (is_failure(m.op) || (m.op == Op::unlock && !graph_.owns(t, m.location))) fail(t, m);
  }
  void fail(ThreadId t, const Mailbox& m) {
    failures_.push_back({{.thread = t, .op = m.op, .site = m.site}, graph_.causes(t)});
  }

  const Image& image_;
  bool resume_after_assert_;
  ExecutionGraph graph_;
  Snapshots snapshots_;
  std::vector<std::uint32_t> lengths_;  // committed events by thread
  std::vector<Step> steps_;
  std::vector<FailureWithCauses> failures_;
};

}  // namespace heddle::checker
