// A run in the making: which thread events and which memory writes of an instance have been done, what may be
// done next without spoiling the reads-from map, and how to take steps back.
//
// This is "executable" of sections 4.1 and 4.2, for all three models at once. The models differ only in how
// stores are sorted into FIFO buffers: none (SC: every write is direct), one per thread (TSO), one per thread
// and location (PSO). A location is *held* while a read that has not been done wants the write that memory
// has; a held location takes no other write.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/verifier/instance.hpp"

namespace heddle::consistency {

class Prefix {
 public:
  // Prepares the empty run. False if the map cannot be realised for a local reason: a read sees a write of
  // its own thread that is not the newest one before it, or the initial value after an own write. O(n).
  [[nodiscard]] bool load(const Instance& instance, Model model);

  [[nodiscard]] ThreadId threads() const { return threads_; }
  [[nodiscard]] std::uint32_t buffers() const { return static_cast<std::uint32_t>(queue_.size()); }
  [[nodiscard]] bool has_store_fences() const { return has_store_fences_; }
  [[nodiscard]] bool complete() const { return trail_.size() == all_; }
  [[nodiscard]] const std::vector<Action>& trail() const { return trail_; }

  // The thread's next event, or `no_event` if it has none left.
  [[nodiscard]] EventId next(ThreadId thread) const {
    return position_[thread] < end_[thread] ? position_[thread] : no_event;
  }
  // How many events of the thread were done.
  [[nodiscard]] std::uint32_t progress(ThreadId thread) const { return position_[thread] - begin_[thread]; }
  // How many writes of the buffer have reached memory, and how many it gets in all.
  [[nodiscard]] std::uint32_t flushed(std::uint32_t buffer) const { return queue_[buffer].flushed; }
  [[nodiscard]] std::uint32_t capacity(std::uint32_t buffer) const {
    return queue_[buffer].end - queue_[buffer].begin;
  }
  [[nodiscard]] LocationId location_of_buffer(std::uint32_t buffer) const {
    return info_[order_[queue_[buffer].begin]].location;
  }
  // The oldest write of the buffer that has not reached memory, or `no_event`.
  [[nodiscard]] EventId oldest(std::uint32_t buffer) const {
    const auto& queue = queue_[buffer];
    return queue.begin + queue.flushed < queue.end ? order_[queue.begin + queue.flushed] : no_event;
  }
  [[nodiscard]] bool pending(std::uint32_t buffer) const {
    const auto write = oldest(buffer);
    return write != no_event && !is_direct(write) && write < position_[queue_[buffer].thread];
  }
  // The buffers of a thread are the ones from first_buffer(t) up to first_buffer(t + 1).
  [[nodiscard]] std::uint32_t first_buffer(ThreadId thread) const { return first_buffer_[thread]; }
  [[nodiscard]] std::uint32_t buffer_of(EventId write) const { return info_[write].buffer; }

  [[nodiscard]] bool reads(EventId event) const { return (info_[event].effect & Effect::reads) != 0; }
  [[nodiscard]] bool drains(EventId event) const { return (info_[event].effect & Effect::drains) != 0; }
  [[nodiscard]] bool is_direct(EventId event) const { return (info_[event].effect & Effect::direct) != 0; }
  [[nodiscard]] EventId source(EventId read) const { return info_[read].source; }
  [[nodiscard]] bool source_done(EventId read) const { return info_[read].local || done(info_[read].source); }
  // Reads that want this write and have not been done.
  [[nodiscard]] std::uint32_t readers(EventId write) const { return info_[write].readers; }
  [[nodiscard]] bool held(LocationId location) const { return held_[location] != 0; }
  // Calls `visit(thread, index)` for the reads that hold the location: they want what it has, and have not
  // been done; `index` counts the events of their thread.
  template <typename Visit>
  void for_each_holding_read(LocationId location, Visit&& visit) const {
    for (auto read = info_[memory_[location]].first_reader; read != no_event;
         read = info_[read].next_reader) {
      const auto thread = info_[read].thread;
      if (read >= position_[thread]) visit(thread, read - begin_[thread]);
    }
  }

  // Whether the thread's next event may happen now.
  [[nodiscard]] bool can_step(ThreadId thread) const {
    const auto event = next(thread);
    if (event == no_event) return false;
    const auto& info = info_[event];
    if ((info.effect & Effect::drains) != 0 && pending_[thread] != 0) return false;
    if ((info.effect & Effect::reads) != 0 && !info.local && !done(info.source)) return false;
    if ((info.effect & Effect::direct) != 0 && !can_write(event)) return false;
    if (bound_ != Instance::unbounded && !has_room(info)) return false;
    return allowed(event, false);
  }
  // Whether the oldest entry of the buffer may reach memory now.
  [[nodiscard]] bool can_flush(std::uint32_t buffer) const {
    return pending(buffer) && can_write(oldest(buffer)) && allowed(oldest(buffer), true);
  }

  void step(ThreadId thread);
  void flush(std::uint32_t buffer);
  // Undoes actions until `length` are left.
  void undo_to(std::size_t length);

  [[nodiscard]] std::size_t memory_used() const {
    return info_.capacity() * sizeof(Info) + order_.capacity() * sizeof(EventId) +
           overwritten_.capacity() * sizeof(EventId) + trail_.capacity() * sizeof(Action) +
           queue_.capacity() * sizeof(Queue);
  }

  // From now on only steps that respect the order are executable: before[node] has the bits of the nodes that
  // must be done first; node 2 * event is the thread event, 2 * event + 1 its write reaching memory.
  void restrict_to(const std::vector<std::uint64_t>* before, std::size_t words);

 private:
  struct Info {
    std::uint8_t effect = 0;
    bool local = false;  // reads a write of its own thread
    bool in_memory = false;
    LocationId location = 0;
    EventId source = no_event;  // with initial values as events of their own
    std::uint32_t readers = 0;  // reads of this write that have not been done
    std::uint32_t buffer = 0;   // of writes
    EventId first_reader = no_event;
    EventId next_reader = no_event;
    // Of the readers, the last one of each other thread that has written the location before it.
    EventId first_late_reader = no_event;
    EventId next_late_reader = no_event;
    EventId own_before = no_event;  // reads: the newest write of the thread to the location before it
    ThreadId thread = 0;
    EventId barrier = 0;  // writes: stores of the thread before this event must have reached memory
  };
  struct Queue {
    ThreadId thread = 0;
    std::uint32_t begin = 0, end = 0;  // its writes in `order_`
    std::uint32_t entered = 0, flushed = 0;
  };

  // Whether the event is no store or finds room in its buffer.
  [[nodiscard]] bool has_room(const Info& info) const {
    if ((info.effect & (Effect::writes | Effect::direct)) != Effect::writes) return true;
    return queue_[info.buffer].entered - queue_[info.buffer].flushed < bound_;
  }
  [[nodiscard]] bool done(EventId write) const { return info_[write].in_memory; }
  [[nodiscard]] bool can_write(EventId write) const;
  [[nodiscard]] bool past_barrier(const Info& info) const;
  [[nodiscard]] bool allowed(EventId event, bool flush) const {
    return before_ == nullptr || respects_order(2 * event + (flush ? 1 : 0));
  }
  [[nodiscard]] bool respects_order(std::size_t node) const;
  void mark(std::size_t node, bool done);
  void write_memory(EventId write);
  void unwrite_memory(EventId write);
  void clear(const Instance& instance);
  void load_thread(const Instance& instance, Model model, ThreadId thread);
  [[nodiscard]] bool link_reads();
  void sort_into_buffers(const Instance& instance, Model model);
  [[nodiscard]] bool load_final_writes(const Instance& instance);

  ThreadId threads_ = 0;
  EventId events_ = 0;
  std::size_t all_ = 0;                        // actions of a complete run
  std::uint32_t bound_ = Instance::unbounded;  // see Instance
  bool has_store_fences_ = false;
  bool has_final_writes_ = false;
  std::vector<Info> info_;  // by event, then one per location for its first value
  std::vector<EventId> begin_, end_, position_;
  std::vector<std::uint32_t> pending_;    // stores in the thread's buffers
  std::vector<std::uint32_t> held_;       // reads that want what the location holds, by location
  std::vector<std::uint32_t> unwritten_;  // writes to the location that have not reached memory
  std::vector<EventId> final_;            // the write that must be last, by location; `any` for no demand
  std::vector<EventId> memory_;           // the write that memory has, by location
  std::vector<EventId> overwritten_;      // the writes that those in memory took the place of, oldest first
  std::vector<Queue> queue_;
  std::vector<std::uint32_t> first_buffer_;
  std::vector<EventId> order_;
  std::vector<std::uint32_t> of_location_;  // scratch: the thread's buffer of a location
  std::vector<EventId> newest_;             // scratch: the thread's newest write to a location
  std::vector<Action> trail_;
  const std::vector<std::uint64_t>* before_ = nullptr;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> nodes_done_;
};

}  // namespace heddle::consistency
