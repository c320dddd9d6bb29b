// Whether a run is one of sequential consistency: po | rf | co | fr of its events is acyclic (Shasha, Snir,
// "Efficient and correct execution of parallel programs that share memory", TOPLAS 1988; in this form: Alglave,
// "A formal hierarchy of weak memory models", FMSD 2012).
//
// The run is undone on one memory, thread by thread, as SC could have made it: the newest
// event of a thread can be undone if everything that one of the relations puts directly after it has been,
// that is, if it reads, the write that is co-after its source; if it writes, the next write in coherence order
// and all reads from it. Where a thread has to wait for another one, that one continues until it has undone the
// missing event. If it is waiting itself, there is a cycle: each of these threads waits for an event of
// the next that is at, or po-before, the one at which that next one waits.
//
// Backwards, because events know their sources and readers, but in program order only the event before them.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/commits/commit_machine.hpp"

namespace heddle::checker {

template <CommitMachine Machine>
class SequentialOrder {
 public:
  // O(events), and no allocation once the buffers have their size.
  [[nodiscard]] bool exists(const Machine& machine) {
    if (machine.keeps_program_order()) return true;
    undone_ = {};
    threads_.resize(machine.thread_count());
    for (ThreadId t = 0; t < threads_.size(); ++t)
      threads_[t] = {.newest = machine.last_event(t), .awaited = no_event};
    for (ThreadId t = 0; t < threads_.size(); ++t) {
      if (!undo(machine, t)) return false;
    }
    return true;
  }

 private:
  struct Thread {
    EventId newest = no_event;   // of the events that have not been undone
    EventId awaited = no_event;  // the one that another thread waits for, by any of its ids
    bool waits = false;
  };

  // Undoes all events of the thread, and what has to be undone before them. False: there is a cycle.
  [[nodiscard]] bool undo(const Machine& machine, ThreadId first) {
    waiting_.clear();
    for (ThreadId t = first;;) {
      Thread& thread = threads_[t];
      const EventId event = thread.newest;
      const EventId write = event == no_event ? no_event : machine.write_of(event);
      const EventId later = event == no_event ? no_event : needed(machine, event, write);
      if (later != no_event) {
        waiting_.push_back(t);
        thread.waits = true;
        t = machine.name_of(later).thread;
        if (threads_[t].waits) return false;
        threads_[t].awaited = later;
        continue;
      }
      if (event != no_event) {
        undone_.insert(static_cast<ProcessId>(event));
        if (write != no_event) undone_.insert(static_cast<ProcessId>(write));
        thread.newest = machine.po_previous(event);
        if (missing(thread.awaited) || thread.awaited == no_event) continue;
      }
      thread.awaited = no_event;
      if (waiting_.empty()) return true;
      t = waiting_.back();
      waiting_.pop_back();
      threads_[t].waits = false;
    }
  }
  // An event that is still to be undone before `event`, whose write is `write`; no_event if there is none.
  [[nodiscard]] EventId needed(const Machine& machine, EventId event, EventId write) const {
    if (write != no_event) {
      if (const EventId next = machine.newer(write); missing(next)) return next;
      const auto readers = machine.readers(write) - undone_;
      if (!readers.empty()) return static_cast<EventId>(readers.first());
    }
    const EventId source = machine.source_of(event);
    if (source == no_event) return no_event;
    const EventId next = machine.newer(source);
    if (next == write || !missing(next)) return no_event;
    // A deferred lock has a source, but does not read.
    return write == no_event && machine.is_decision(event) ? no_event : next;
  }
  [[nodiscard]] bool missing(EventId id) const {
    return id != no_event && !undone_.contains(static_cast<ProcessId>(id));
  }

  typename Machine::Set undone_;
  std::vector<Thread> threads_;
  std::vector<ThreadId> waiting_;
};

}  // namespace heddle::checker
