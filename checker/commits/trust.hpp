// trust: every (po, rf, co) graph exactly once, in polynomial memory. The search itself; trust.cpp has the
// essay.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/commits/algorithms.hpp"
#include "checker/commits/graph.hpp"
#include "checker/preemption_bound/preemption_bound.hpp"
#include "checker/search/search.hpp"
#include "checker/state/snapshots.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// One choice point: an event that the search adds in all possible ways, one after the other.
template <typename Set>
struct TrustNode {
  enum class Stage : std::uint8_t { add, added, revisits, next };

  Set bounds;                    // what the event must stay co-behind
  Set prefix;                    // revisits: the events before it in po | rf
  Set deleted;                   // revisits: the events walked over that are not in the prefix
  Set revisit_bounds;            // revisits: what the read must stay co-behind
  Set settled;                   // revisits: the settled events before (see Trust)
  EventId event = no_event;      // its id; for revisited reads given, otherwise only while it is in the graph
  EventId location = no_event;   // initial write
  EventId behind = no_event;     // the write that it reads from or follows, now; none: all were tried
  EventId revisited = no_event;  // revisits: the read, while the graph is cut
  EventId place = no_event;      // revisits: the write that the event is to follow
  std::size_t walk = 0;          // revisits: position in the order of insertion
  std::size_t snapshots = 0;     // top of the stack of snapshots before the event
  std::int64_t choice = 0;
  std::uint32_t after = 0;  // stores: snapshot of the thread behind it, if `ran`
  ThreadId thread = 0;
  Op op = Op::load;
  Stage stage = Stage::add;
  EventKind kind = EventKind::read;
  ThreadState state_after = ThreadState::ready;  // with `after`
  bool full_fence_after = false;                 // with `after`
  bool store_fence_after = false;                // with `after`
  bool ran = false;
  bool present = false;  // the event is in the graph
  bool forced = false;   // a revisited read: its source and its place in the order are given
  bool idle = false;     // a thread that waits for a mutex in a graph where nothing can go on

  template <unsigned Wider>
  [[nodiscard]] auto widened() const {
    TrustNode<BitSet<Wider>> wide;
    wide.bounds = bounds.template widened<Wider>();
    wide.prefix = prefix.template widened<Wider>();
    wide.deleted = deleted.template widened<Wider>();
    wide.revisit_bounds = revisit_bounds.template widened<Wider>();
    wide.settled = settled.template widened<Wider>();
    wide.event = event;
    wide.location = location;
    wide.behind = behind;
    wide.revisited = revisited;
    wide.place = place;
    wide.walk = walk;
    wide.snapshots = snapshots;
    wide.choice = choice;
    wide.after = after;
    wide.thread = thread;
    wide.op = op;
    wide.stage = static_cast<typename TrustNode<BitSet<Wider>>::Stage>(stage);
    wide.kind = kind;
    wide.state_after = state_after;
    wide.full_fence_after = full_fence_after;
    wide.store_fence_after = store_fence_after;
    wide.ran = ran;
    wide.present = present;
    wide.forced = forced;
    wide.idle = idle;
    return wide;
  }
};

template <typename Model, unsigned Words>
class Trust {
 public:
  using Graph = checker::Graph<Model, Words>;
  using Set = typename Graph::Set;
  using Event = typename Graph::Event;
  using Node = TrustNode<Set>;

  explicit Trust(Search& search);
  // Goes on where a search with narrower sets had no more room.
  template <unsigned Narrower>
  explicit Trust(Trust<Model, Narrower>&& other);

  // Explores. False if an execution has more events than the sets hold: then a wider search must go on.
  bool run();
  void observe(const GraphObserver& observer) { observer_ = observer; }

 private:
  template <typename, unsigned>
  friend class Trust;
  using Stage = typename Node::Stage;
  enum class Result : std::uint8_t { extended, pushed, exhausted };
  enum class Added : std::uint8_t { yes, dead, taken, no };

  // The search (trust_search.hpp).
  void open();
  void push(ThreadId t, EventId source, EventId revisited);
  [[nodiscard]] std::uint32_t next_thread() const;
  [[nodiscard]] std::uint32_t next_idle(ThreadId from) const;
  Result advance(Node& node);
  Added add(Node& node);
  Added add_update(Node& node, std::int64_t read, std::int64_t written);
  void remove(Node& node);
  [[nodiscard]] bool next_source(Node& node) const;
  void start_revisits(Node& node);
  bool next_revisit(Node& node);
  bool find_revisit(Node& node);
  [[nodiscard]] bool maximal(const Event& event, const Set& deleted) const;
  bool find_place(Node& node, EventId read) const;

  [[nodiscard]] Set gone(const Node& node) const;
  void cut(const Node& node);
  void mend(const Node& node);

  // Threads (trust_threads.hpp).
  void insert(Node& node, EventKind kind, EventId behind, std::int64_t value);
  void resume(Node& node, std::int64_t result);
  void settle(ThreadId t, Node* node);
  void finish();
  [[nodiscard]] bool await_holds(ThreadId t);
  void complete();
  [[nodiscard]] Schedule schedule(const Set& events) const;
  [[nodiscard]] Schedule schedule() const;

  [[nodiscard]] const Mailbox& request(ThreadId t) const {
    return snapshots_.mailbox(graph_.thread(t).snapshot);
  }
  [[nodiscard]] bool deferred(ThreadId t) const {
    const EventId last = graph_.thread(t).last;
    return last != no_event && graph_[last].kind == EventKind::deferral;
  }
  [[nodiscard]] bool is_free(EventId mutex) const { return graph_[graph_.newest(mutex)].value == 0; }
  [[nodiscard]] std::size_t memory_used() const {
    return graph_.memory_used() + snapshots_.memory_used() + bound_.memory_used() +
           nodes_.capacity() * sizeof(Node);
  }

  Search& search_;
  Graph graph_;
  PreemptionBound<Graph> bound_;
  Snapshots snapshots_;
  std::vector<Node> nodes_;
  Set settled_;  // events that no revisit can delete any more: prefixes of writes that have revisited
  std::vector<std::int64_t> memory_;
  std::vector<const std::byte*> blocks_;
  bool needs_blocks_ = false;
  GraphObserver observer_;
};

}  // namespace heddle::checker
