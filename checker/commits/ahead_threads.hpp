// Threads that run ahead of their loads (compiler::Dependencies), and how they get the true values
// afterwards.
//
// A thread is the list of its *requests* so far, each with the bytes that the thread's block had at that
// time. After a load it continues at once with some value; it waits only at a branch or an address that
// depends on a load without its true value. When a load gets its value, nothing happens at first. Once that
// value is needed (by the branch, by a store that depends on it, at the end of the execution), the thread is
// reset to the first load that it passed with another value than the load has now, and repeats everything
// after it (`clean`): the same requests, since all branches and addresses on the way had true values, with
// new operands. The value with which a thread passed a load is a property of the stored bytes, not of the
// execution, so undoing a load undoes nothing here; undoing requests drops them from the list.
//
// A read-modify-write is one request if cb puts everything that its write needs before its read as well
// (`follows`), or if its result is not used: then nothing is lost by committing both at once. Otherwise it is
// two, a load and a store (`update` names the operation), and the thread continues after the store with the
// value that the load read.
//
// Assertions and assumptions are requests that the thread passes at once; the machine judges them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "checker/commits/event_name.hpp"
#include "checker/commits/load_sets.hpp"
#include "checker/state/event.hpp"
#include "checker/state/step.hpp"
#include "checker/state/threads.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// A request of a thread, and its position relative to the fences and branches of the thread.
struct Request {
  Op op = Op::done;
  Fence fence = Fence::full;
  bool committed = false;
  bool dropped = false;  // of the store of a read-modify-write: never committed in this run
  bool absent = false;   // of the store of a conditional read-modify-write: it does not write
  bool awaits = false;   // a read in the condition of an await
  compiler::InEither in_either = compiler::InEither::no;
  Op update = Op::done;          // of half a read-modify-write: the whole operation
  std::uint32_t load = no_load;  // the number of a load among those of its thread
  Location location = none;
  std::uint32_t site = 0;
  std::uint32_t previous = none;  // the previous request for the same location
  std::int64_t value = 0;         // operands, as in the mailbox
  std::int64_t expected = 0;
  std::int64_t result = 0;  // of committed ones that have one
  std::int64_t passed = 0;  // the result with which the thread continued
  EventId read = no_event;  // events of the trace
  EventId write = no_event;
  LoadSet address = 0;  // loads that it depends on
  LoadSet data = 0;
  LoadSet compared = 0;  // of a conditional read-modify-write: the loads that the expected value depends on
  LoadSet control = 0;
  LoadSet control_isync = 0;   // branches before the newest isync
  LoadSet address_before = 0;  // addresses of earlier accesses
  LoadSet waited = 0;          // loads that the thread has waited for, for any reason
  // The number of the thread's requests before the newest fence of the kind.
  std::uint32_t before_sync = 0;
  std::uint32_t before_lightweight = 0;
  std::uint32_t before_store_store = 0;
  std::uint32_t before_choice = 0;  // or before the newest `choose`, which is included
  std::uint32_t events_before = 0;

  static constexpr std::uint32_t no_load = none;

  [[nodiscard]] bool updates() const {
    return is_read_modify_write(op) || op == Op::lock || op == Op::try_lock;
  }
  // True if it can become a write.
  [[nodiscard]] bool writes() const { return op == Op::store || op == Op::unlock || updates(); }
  [[nodiscard]] bool half() const { return update != Op::done; }
  [[nodiscard]] bool read_half() const { return half() && op == Op::load; }
  [[nodiscard]] bool write_half() const { return half() && op == Op::store; }
  // True if it becomes an event.
  [[nodiscard]] bool event() const {
    if (absent) return false;
    return op == Op::load || op == Op::store || op == Op::unlock || op == Op::choose || updates();
  }
  // True if the value read decides only whether the operation writes, and not what.
  [[nodiscard]] static bool reading_decides(Op op) {
    return op == Op::compare_exchange || op == Op::exchange_if_equal || is_of_mutex(op);
  }
  [[nodiscard]] bool access() const { return event() && op != Op::choose; }
  [[nodiscard]] bool observes() const { return op == Op::assertion || op == Op::assumption; }
  // True if the thread waits there until it is committed. Nothing after a mutex operation could be committed
  // before it, because it is a full fence.
  [[nodiscard]] bool stays() const { return is_of_mutex(op) || op == Op::choose; }
};

class AheadThreads {
 public:
  // Events of one thread: the memory of POWER's relations grows with the square of all events. Fences and
  // waits are not events, but take memory, too.
  static constexpr std::uint32_t most_events = 10'000;
  static constexpr std::uint32_t most_requests = 65'536;

  explicit AheadThreads(const Image& image) : live_(image), threads_(live_.count()) {
    for (ThreadId t = 0; t < live_.count(); ++t) {
      threads_[t].image = &image.threads[t];
      live_.start(t, image.threads[t]);
      append(t);
    }
  }

  [[nodiscard]] std::uint32_t count() const { return live_.count(); }
  // A thread's requests; the thread is at the last one.
  [[nodiscard]] std::vector<Request>& requests(ThreadId t) { return threads_[t].requests; }
  [[nodiscard]] const std::vector<Request>& requests(ThreadId t) const { return threads_[t].requests; }
  [[nodiscard]] const compiler::ThreadImage& image(ThreadId t) const { return *threads_[t].image; }
  // The request of the load with this number.
  [[nodiscard]] const Request& load(ThreadId t, std::uint32_t number) const {
    return threads_[t].requests[threads_[t].loads[number]];
  }
  [[nodiscard]] LoadSets& sets() { return sets_; }
  [[nodiscard]] const LoadSets& sets() const { return sets_; }
  // Whether any thread has ever made a request that awaits something.
  [[nodiscard]] bool any_awaits() const { return any_awaits_; }
  [[nodiscard]] unsigned loads(ThreadId t) const { return static_cast<unsigned>(threads_[t].loads.size()); }
  // The limit above that the thread has exceeded; empty if none.
  [[nodiscard]] std::string_view limit(ThreadId t) const {
    const Thread& thread = threads_[t];
    if (thread.requests.back().events_before > most_events) return too_many_events;
    return thread.requests.size() > most_requests ? too_many_requests : std::string_view();
  }
  // The stores of read-modify-writes that are two requests.
  [[nodiscard]] const std::vector<std::uint32_t>& write_halves(ThreadId t) const {
    return threads_[t].write_halves;
  }
  // The thread's assertions and its assumptions, as indexes of requests.
  [[nodiscard]] const std::vector<std::uint32_t>& assertions(ThreadId t) const {
    return threads_[t].assertions;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& assumptions(ThreadId t) const {
    return threads_[t].assumptions;
  }
  [[nodiscard]] bool observed(ThreadId t) const {
    return !threads_[t].assertions.empty() || !threads_[t].assumptions.empty();
  }
  // Whether all loads of the set have their values.
  [[nodiscard]] bool committed(ThreadId t, LoadSet set) const {
    return threads_[t].committed.includes(sets_, set);
  }
  [[nodiscard]] bool committed_load(ThreadId t, std::uint32_t number) const {
    return threads_[t].committed.contains(number);
  }

  void commit(ThreadId t, std::uint32_t index, std::int64_t result) {
    Thread& thread = threads_[t];
    Request& request = thread.requests[index];
    request.committed = true;
    request.result = result;
    if (request.load == Request::no_load) return;
    thread.committed.insert(request.load);
    if (index + 1 < thread.requests.size() && request.passed != result && index < thread.dirty)
      thread.dirty = index;
  }
  void uncommit(ThreadId t, std::uint32_t index) {
    Thread& thread = threads_[t];
    Request& request = thread.requests[index];
    request.committed = false;
    if (request.load != Request::no_load) thread.committed.erase(request.load);
  }

  // Runs the thread from its last request, which has `result`, to its next one.
  void resume(ThreadId t, std::int64_t result) {
    Thread& thread = threads_[t];
    enter(t, static_cast<std::uint32_t>(thread.requests.size() - 1));
    pass(t, static_cast<std::uint32_t>(thread.requests.size() - 1), result);
    thread.live = none;
    append(t);
  }

  // Makes everything that the thread has computed from committed loads true.
  void clean(ThreadId t) {
    Thread& thread = threads_[t];
    auto& requests = thread.requests;
    const auto count = static_cast<std::uint32_t>(requests.size());
    if (thread.dirty == none) return;
    std::uint32_t index = thread.dirty;
    thread.dirty = none;
    while (index < count && !stale(requests[index])) ++index;
    if (index + 1 >= count) return;
    enter(t, index);
    for (; index + 1 < count; ++index) {
      Request& request = requests[index];
      pass(t, index, request.committed ? request.result : request.passed);
      refresh(t, index + 1);
    }
    thread.live = count - 1;
  }
  // The same, but only if a load of the set requires it.
  void clean(ThreadId t, LoadSet set) {
    const Thread& thread = threads_[t];
    if (thread.dirty == none) return;
    bool required = false;
    sets_.for_each(set, [&](std::uint32_t number) { required = required || stale(load(t, number)); });
    if (required) clean(t);
  }

  // Repeats everything from the start, with the results that are known, while `continues(request)` holds: for
  // counting what threads do. The thread stays as it is.
  template <typename Continues>
  void repeat(ThreadId t, Continues&& continues) {
    Thread& thread = threads_[t];
    live_.start(t, *thread.image);
    for (std::size_t index = 0; index + 1 < thread.requests.size(); ++index) {
      const Request& request = thread.requests[index];
      if (!continues(request)) break;
      if (request.read_half()) continue;
      const Request& read = request.write_half() ? thread.requests[index - 1] : request;
      hand_over(t, read, read.committed ? read.result : read.passed);
    }
    thread.live = none;
  }

  // Drops all requests but the first `count`.
  void cut(ThreadId t, std::uint32_t count) {
    Thread& thread = threads_[t];
    if (thread.requests.size() == count) return;
    for (auto* list : {&thread.loads, &thread.write_halves, &thread.assertions, &thread.assumptions}) {
      while (!list->empty() && list->back() >= count) list->pop_back();
    }
    thread.requests.resize(count);
    if (thread.live != none && thread.live >= count) thread.live = none;
  }

  // The block as it was when the thread made its last request.
  [[nodiscard]] const std::byte* block(ThreadId t) const {
    const Thread& thread = threads_[t];
    return thread.bytes.data() + (thread.requests.size() - 1) * live_.size(t);
  }
  // The block as it was when the thread made this request.
  [[nodiscard]] std::span<const std::byte> block(ThreadId t, std::uint32_t index) const {
    return {threads_[t].bytes.data() + index * live_.size(t), live_.size(t)};
  }
  // A trial: begins with the live block as it was when the thread made this request; then the thread runs on, past what is no
  // operation on memory, as if it had the values of all loads. The requests stay as they are.
  Mailbox& begin_trial(ThreadId t, std::uint32_t index) {
    enter(t, index);
    threads_[t].live = none;
    return live_.mailbox(t);
  }
  // Whether the operands of the operation depend on loads.
  [[nodiscard]] bool depends_on_trial(ThreadId t) const {
    const auto& dependencies = compiler::dependencies(live_.block(t));
    return (dependencies.data | dependencies.compared) != 0;
  }
  void resume_trial(ThreadId t) const {
    std::byte* const block = live_.block(t);
    const Mailbox& m = compiler::mailbox(block);
    compiler::dependencies(block).result = 0;
    do {
      compiler::resume(block);
    } while (m.op == Op::need || m.op == Op::assertion || m.op == Op::assumption);
  }

  [[nodiscard]] std::size_t memory_used() const {
    std::size_t total = live_.memory_used() + sets_.memory_used();
    for (const Thread& thread : threads_) {
      total += thread.bytes.capacity() + thread.requests.capacity() * sizeof(Request);
    }
    return total;
  }

 private:
  struct Thread {
    const compiler::ThreadImage* image = nullptr;
    std::vector<Request> requests;
    std::vector<std::uint32_t> loads;  // by number
    std::vector<std::uint32_t> write_halves;
    std::vector<std::uint32_t> assertions;
    std::vector<std::uint32_t> assumptions;
    std::vector<std::byte> bytes;  // blocks, by request
    LoadSets::Changing committed;
    std::uint32_t dirty = none;  // no request before it is stale
    std::uint32_t live = none;   // the request whose block is the live one
  };

  [[nodiscard]] static bool stale(const Request& request) {
    return request.committed && request.load != Request::no_load && request.passed != request.result;
  }

  void enter(ThreadId t, std::uint32_t index) {
    Thread& thread = threads_[t];
    if (thread.live != index) {
      copy_block(live_.block(t), thread.bytes.data() + index * live_.size(t), live_.size(t));
      thread.live = index;
    }
  }

  void pass(ThreadId t, std::uint32_t index, std::int64_t result) {
    auto& requests = threads_[t].requests;
    requests[index].passed = result;
    if (requests[index].read_half()) return;  // the thread continues after the store half
    const Request& read = requests[index].write_half() ? requests[index - 1] : requests[index];
    hand_over(t, read, read.passed);
  }
  void hand_over(ThreadId t, const Request& read, std::int64_t result) {
    std::byte* const block = live_.block(t);
    auto& dependencies = compiler::dependencies(block);
    dependencies.result = read.load == Request::no_load ? 0 : sets_.of(read.load);
    dependencies.sets = &sets_;
    compiler::mailbox(block).value = result;
    compiler::resume(block);
  }

  void save(ThreadId t, std::uint32_t index) {
    Thread& thread = threads_[t];
    const std::size_t size = live_.size(t);
    if (thread.bytes.size() < (index + 1) * size) thread.bytes.resize(2 * (index + 1) * size);
    copy_block(thread.bytes.data() + index * size, live_.block(t), size);
    thread.live = index;
  }

  // The thread makes the request again, with operands that may have changed.
  void refresh(ThreadId t, std::uint32_t index) {
    Request& request = threads_[t].requests[index];
    const auto& m = compiler::mailbox(live_.block(t));
    if (m.op != (request.half() ? request.update : request.op) ||
        (request.access() && m.location != request.location)) {
      throw std::logic_error("internal error: a thread that ran ahead took another way with the true values");
    }
    request.value = m.value;
    request.expected = m.expected;
    save(t, index);
  }

  void append(ThreadId t) {
    Thread& thread = threads_[t];
    const auto index = static_cast<std::uint32_t>(thread.requests.size());
    const std::byte* const block = live_.block(t);
    const auto& m = compiler::mailbox(block);
    const auto& dependencies = compiler::dependencies(block);
    Request request{.op = m.op,
                    .fence = m.fence,
                    .in_either = m.in_either,
                    .site = m.site,
                    .value = m.value,
                    .expected = m.expected};
    request.control = dependencies.control;
    if (index > 0) {
      const Request& before = thread.requests.back();
      request.control_isync = before.control_isync;
      request.address_before = sets_.join(before.address_before, before.address);
      request.waited = before.waited;
      request.before_sync = before.before_sync;
      request.before_lightweight = before.before_lightweight;
      request.before_store_store = before.before_store_store;
      request.before_choice = before.before_choice;
      request.events_before = before.events_before + (before.event() ? 1 : 0);
      if (before.op == Op::need)
        request.waited = sets_.join(request.waited, static_cast<LoadSet>(before.value));
      if (before.op == Op::choose) request.before_choice = index;
      if (is_of_mutex(before.op)) request.before_sync = index;
      if (before.op == Op::fence) pass_fence(request, before, index);
    }
    if (is_of_mutex(request.op)) request.before_sync = index;
    if (request.observes()) {
      request.data = dependencies.data;
      (m.op == Op::assertion ? thread.assertions : thread.assumptions).push_back(index);
    }
    if (request.access()) {
      request.location = m.location;
      request.address = dependencies.address;
      request.data = dependencies.data;
      if (is_conditional(m.op)) request.compared = dependencies.compared;
      for (std::uint32_t i = index; i-- > 0;) {
        if (thread.requests[i].access() && thread.requests[i].location == m.location) {
          request.previous = i;
          break;
        }
      }
      if (index > 0 && thread.requests.back().read_half()) {
        become_write_half(request, thread.requests.back());
        thread.write_halves.push_back(index);
      } else if (m.op == Op::load || is_read_modify_write(m.op)) {
        if ((request.data | request.compared) != 0 && m.discarded == 0 && !follows(thread, request)) {
          request.op = Op::load;
          request.update = m.op;
          request.data = request.compared = 0;
        }
        request.load = static_cast<std::uint32_t>(thread.loads.size());
        thread.loads.push_back(index);
      }
      request.awaits = m.in_await != 0 && request.update == Op::done;
      any_awaits_ = any_awaits_ || request.awaits;
    }
    thread.requests.push_back(request);
    save(t, index);
  }

  void become_write_half(Request& request, const Request& read) {
    const LoadSet own = sets_.of(read.load);
    request.update = request.op;
    request.op = Op::store;
    if (is_conditional(request.update)) request.control = sets_.join(request.control, request.compared);
    if (Request::reading_decides(request.update)) {
      request.control = sets_.join(request.control, own);
    } else if (request.update != Op::exchange) {
      request.data = sets_.join(request.data, own);
    }
  }

  // True if cb puts the loads that the write of a new read-modify-write depends on before its read, too.
  [[nodiscard]] bool follows(const Thread& thread, const Request& request) {
    needed_.assign(thread.requests.size(), false);
    const auto need_loads = [&](LoadSet set) {
      sets_.for_each(set, [&](std::uint32_t number) { needed_[thread.loads[number]] = true; });
    };
    const auto need = [&](const Request& later) {
      for (const LoadSet set : {later.address, later.control, later.address_before, later.waited})
        need_loads(set);
      const auto fenced = std::max(later.before_sync, later.before_lightweight);
      std::fill(needed_.begin(), needed_.begin() + fenced, true);
      if (later.previous != none) needed_[later.previous] = true;
    };
    need(request);
    for (std::size_t i = needed_.size(); i-- > 0;) {
      if (!needed_[i]) continue;
      need(thread.requests[i]);
      need_loads(thread.requests[i].data);
      need_loads(thread.requests[i].compared);
    }
    bool all = true;
    for (const LoadSet set : {request.data, request.compared})
      sets_.for_each(set, [&](std::uint32_t number) { all = all && needed_[thread.loads[number]]; });
    return all;
  }

  static void pass_fence(Request& request, const Request& fence, std::uint32_t index) {
    switch (fence.fence) {
      case Fence::full: request.before_sync = index; break;
      case Fence::lightweight: request.before_lightweight = index; break;
      case Fence::store_store: request.before_store_store = index; break;
      case Fence::instruction: request.control_isync = fence.control; break;
    }
  }

  LoadSets sets_;
  Threads live_;
  std::vector<Thread> threads_;
  bool any_awaits_ = false;
  std::vector<bool> needed_;  // scratch
};

}  // namespace heddle::checker
