// What TSO and PSO share: FIFO buffers of writes that have not reached memory.
//
// A store enters a buffer of its thread at once and invisibly; the flush that carries it to memory is a
// transition of its own, made by the buffer as a process of its own (paper 1, section 2.1, "shadow threads").
// The model decides how many buffers a thread has and what a store-store fence does: see tso.hpp and pso.hpp.
// Flushed entries stay in their vectors before `head`, so undoing a flush is one decrement.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "checker/state/step.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

struct BufferedWrite {
  Location location = 0;
  std::uint32_t site = 0;
  std::int64_t value = 0;
  std::uint32_t sequence = 0;     // position among all stores of the thread
  std::uint32_t barrier = 0;      // entries of the thread with a smaller sequence must be flushed first
  std::uint32_t previous = none;  // the index in its buffer of the write before it to the same location
  // For algorithms that track happens-before: the step that flushed it, the last load that it answered while
  // buffered (both `none` before there is one), the clock row of its thread when it was buffered.
  std::uint32_t flushed_at = none;
  std::uint32_t last_forward = none;
  std::uint32_t row = 0;
};

struct StoreBuffer {
  ThreadId thread = 0;
  ProcessId process = 0;
  std::uint32_t head = 0;  // index of the oldest entry that is still buffered
  std::vector<BufferedWrite> writes;

  [[nodiscard]] bool empty() const { return head == writes.size(); }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(writes.size()) - head; }
};

// What a model with buffers decides itself; StoreBuffers does the rest.
template <typename Model>
concept StoreBufferLayout = requires(Model& model, const Model& view, ThreadId thread, Location location,
                                     Fence fence, const StoreBuffer& buffer, std::uint32_t index) {
  // The index of the buffer that a store of the thread to the location enters, always the same; creates the
  // buffer if needed (`add_buffer`).
  { model.buffer_for(thread, location) } -> std::same_as<std::uint32_t>;
  // That buffer, or null if there is none yet.
  { model.find(thread, location) } -> std::same_as<StoreBuffer*>;
  // True if the fence keeps stores after it from reaching memory before the stores before it, where the
  // buffers do not do so anyway (one FIFO buffer per thread does). All models wait at full fences.
  { view.orders_stores(fence) } -> std::same_as<bool>;
  // The index in the buffer of the newest write to the location that ever entered it, or `none`; `set_newest`
  // updates it. All stores of a thread to one location enter one buffer.
  { view.newest_index(buffer, location) } -> std::same_as<std::uint32_t>;
  model.set_newest(buffer, location, index);
};

// What machines and algorithms use of a model with buffers.
template <typename Model>
concept StoreBufferModel = StoreBufferLayout<Model> &&
    requires(Model& model, const Model& view, ThreadId thread, ProcessId process, Location location,
             const Mailbox& store, StoreBuffer& buffer, const BufferedWrite& write, Fence fence,
             std::uint32_t number) {
  // The buffers: by process, by index, and the indices of a thread's.
  { model.of_process(process) } -> std::same_as<StoreBuffer&>;
  { model.buffer(number) } -> std::same_as<StoreBuffer&>;
  { view.owned(thread) } -> std::same_as<const std::vector<std::uint32_t>&>;
  // The bound on the entries of each buffer.
  { view.bounded() } -> std::same_as<bool>;
  { view.bound() } -> std::same_as<std::uint32_t>;
  { view.buffers_stores() } -> std::same_as<bool>;
  { model.has_room(thread, location) } -> std::same_as<bool>;
  // The thread's side: stores enter, loads search, fences wait.
  model.append(thread, store);
  model.undo_append(thread);
  { model.appended(thread, number) } -> std::same_as<StoreBuffer&>;
  { view.index_of_appended(thread, number) } -> std::same_as<std::uint32_t>;
  { view.entered(thread) } -> std::same_as<std::uint32_t>;
  { model.newest(thread, location) } -> std::same_as<BufferedWrite*>;
  { view.drained(thread) } -> std::same_as<bool>;
  { model.pass(thread, fence) } -> std::same_as<bool>;
  { view.barrier(thread) } -> std::same_as<std::uint32_t>;
  model.set_barrier(thread, number);
  // Memory's side.
  { view.can_flush(buffer) } -> std::same_as<bool>;
  { model.flush(buffer, number) } -> std::same_as<std::uint32_t>;
  model.undo_flush(buffer);
  // To distinguish states.
  { view.flushed_before(write, thread) } -> std::same_as<std::uint32_t>;
  { view.flushed_before_next(thread) } -> std::same_as<std::uint32_t>;
  { view.memory_used() } -> std::same_as<std::size_t>;
};

// A model with buffers derives from this: `class Model : public StoreBuffers<Model>`, and is a
// StoreBufferLayout.
template <typename Model>
class StoreBuffers {
 public:
  static constexpr bool has_buffers = true;

  StoreBuffers(std::uint32_t threads, std::optional<std::uint32_t> bound)
      : threads_(threads),
        bound_(bound.value_or(unbounded)),
        owned_(threads),
        pending_(threads, 0),
        sequence_(threads, 0),
        barrier_(threads, 0),
        log_(threads) {}

  [[nodiscard]] bool drained(ThreadId thread) const { return pending_[thread] == 0; }
  // With bound 0 there are no buffers: stores act on memory, as under SC.
  [[nodiscard]] bool buffers_stores() const { return bound_ != 0; }
  [[nodiscard]] bool bounded() const { return bound_ != unbounded; }
  [[nodiscard]] std::uint32_t bound() const { return bound_; }

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(buffers_.size()); }
  [[nodiscard]] ProcessId processes() const { return threads_ + count(); }
  [[nodiscard]] StoreBuffer& of_process(ProcessId process) { return buffers_[process - threads_]; }
  [[nodiscard]] const StoreBuffer& of_process(ProcessId process) const {
    return buffers_[process - threads_];
  }
  [[nodiscard]] StoreBuffer& buffer(std::uint32_t index) { return buffers_[index]; }
  // Indices of the thread's buffers.
  [[nodiscard]] const std::vector<std::uint32_t>& owned(ThreadId thread) const { return owned_[thread]; }

  [[nodiscard]] bool has_room(ThreadId thread, Location location) {
    return !bounded() || buffers_[self().buffer_for(thread, location)].size() < bound_;
  }

  void append(ThreadId thread, const Mailbox& store) {
    const auto index = self().buffer_for(thread, store.location);
    auto& buffer = buffers_[index];
    const auto previous = self().newest_index(buffer, store.location);
    self().set_newest(buffer, store.location, static_cast<std::uint32_t>(buffer.writes.size()));
    buffer.writes.push_back({.location = store.location,
                             .site = store.site,
                             .value = store.value,
                             .sequence = sequence_[thread]++,
                             .barrier = barrier_[thread],
                             .previous = previous});
    log_[thread].push_back(index);
    ++pending_[thread];
  }
  void undo_append(ThreadId thread) {
    auto& buffer = buffers_[log_[thread].back()];
    self().set_newest(buffer, buffer.writes.back().location, buffer.writes.back().previous);
    buffer.writes.pop_back();
    log_[thread].pop_back();
    --sequence_[thread];
    --pending_[thread];
  }
  // The buffer of the entry that the thread appended `back` entries before its newest one, and its index there. O(back).
  [[nodiscard]] StoreBuffer& appended(ThreadId thread, std::uint32_t back) {
    return buffers_[log_[thread][log_[thread].size() - 1 - back]];
  }
  [[nodiscard]] std::uint32_t index_of_appended(ThreadId thread, std::uint32_t back) const {
    const auto entry = log_[thread].end() - 1 - static_cast<std::ptrdiff_t>(back);
    const auto later = std::count(entry + 1, log_[thread].end(), *entry);
    return static_cast<std::uint32_t>(buffers_[*entry].writes.size() - 1 - static_cast<std::size_t>(later));
  }

  // How many stores of the thread have entered its buffers, flushed ones included.
  [[nodiscard]] std::uint32_t entered(ThreadId thread) const { return sequence_[thread]; }

  // The newest write of the thread to the location that is still buffered, or null.
  [[nodiscard]] BufferedWrite* newest(ThreadId thread, Location location) {
    if (pending_[thread] == 0) return nullptr;
    StoreBuffer* const buffer = self().find(thread, location);
    if (buffer == nullptr) return nullptr;
    const auto index = self().newest_index(*buffer, location);
    return index == none || index < buffer->head ? nullptr : &buffer->writes[index];
  }

  [[nodiscard]] bool can_flush(const StoreBuffer& buffer) const {
    if (buffer.empty()) return false;
    const auto barrier = buffer.writes[buffer.head].barrier;
    return barrier == 0 || barrier <= oldest_pending(buffer.thread);
  }
  // Removes the oldest entry; it stays readable at the returned index.
  std::uint32_t flush(StoreBuffer& buffer, std::uint32_t step) {
    buffer.writes[buffer.head].flushed_at = step;
    --pending_[buffer.thread];
    return buffer.head++;
  }
  void undo_flush(StoreBuffer& buffer) {
    --buffer.head;
    ++pending_[buffer.thread];
    buffer.writes[buffer.head].flushed_at = none;
  }

  // True if the thread may pass the fence now. Later entries remember a store-store fence.
  [[nodiscard]] bool pass(ThreadId thread, Fence fence) {
    if (fence == Fence::full) return drained(thread);
    if (self().orders_stores(fence)) barrier_[thread] = sequence_[thread];
    return true;
  }
  // To compare states: the number of buffered entries of the thread that must be flushed before this one (or
  // before the next one that it buffers) because of store-store fences.
  [[nodiscard]] std::uint32_t flushed_before(const BufferedWrite& write, ThreadId thread) const {
    return pending_before(write.barrier, thread);
  }
  [[nodiscard]] std::uint32_t flushed_before_next(ThreadId thread) const {
    return pending_before(barrier_[thread], thread);
  }

  [[nodiscard]] std::size_t memory_used() const {
    std::size_t bytes = buffers_.capacity() * sizeof(StoreBuffer);
    for (const auto& buffer : buffers_) bytes += buffer.writes.capacity() * sizeof(BufferedWrite);
    for (const auto& log : log_) bytes += log.capacity() * sizeof(std::uint32_t);
    return bytes;
  }

  [[nodiscard]] std::uint32_t barrier(ThreadId thread) const { return barrier_[thread]; }
  void set_barrier(ThreadId thread, std::uint32_t barrier) { barrier_[thread] = barrier; }

 protected:
  std::uint32_t add_buffer(ThreadId thread) {
    const auto index = count();
    buffers_.push_back({.thread = thread, .process = threads_ + index, .head = 0, .writes = {}});
    owned_[thread].push_back(index);
    return index;
  }
  std::vector<StoreBuffer> buffers_;

 private:
  static constexpr std::uint32_t unbounded = std::numeric_limits<std::uint32_t>::max();
  [[nodiscard]] Model& self() { return static_cast<Model&>(*this); }
  [[nodiscard]] std::uint32_t oldest_pending(ThreadId thread) const {
    auto oldest = std::numeric_limits<std::uint32_t>::max();
    for (const auto index : owned_[thread]) {
      const auto& buffer = buffers_[index];
      if (!buffer.empty()) oldest = std::min(oldest, buffer.writes[buffer.head].sequence);
    }
    return oldest;
  }

  [[nodiscard]] std::uint32_t pending_before(std::uint32_t sequence, ThreadId thread) const {
    if (sequence == 0) return 0;  // no store-store fence yet
    std::uint32_t count = 0;
    for (const auto index : owned_[thread]) {
      const auto& buffer = buffers_[index];
      for (auto i = buffer.head; i < buffer.writes.size() && buffer.writes[i].sequence < sequence; ++i)
        ++count;
    }
    return count;
  }

  std::uint32_t threads_;
  std::uint32_t bound_;
  std::vector<std::vector<std::uint32_t>> owned_;
  std::vector<std::uint32_t> pending_;           // entries buffered, by thread
  std::vector<std::uint32_t> sequence_;          // stores so far, by thread
  std::vector<std::uint32_t> barrier_;           // sequence at the last store-store fence, by thread
  std::vector<std::vector<std::uint32_t>> log_;  // the buffer of each store so far, by thread
};

}  // namespace heddle::checker
