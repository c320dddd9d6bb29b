#include "checker/search/crew.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace heddle::checker {

namespace {

// The other threads join when the search has taken this long: with one thread for each core, and with a number
// that the user has given.
constexpr double seconds_alone = 1;
constexpr double seconds_alone_if_given = 0.005;
// How often an idle calling thread looks at the limits.
constexpr std::chrono::milliseconds watch_period{20};

CheckOptions without_limits(CheckOptions options) {
  options.timeout.reset();
  options.max_memory.reset();
  options.progress = nullptr;
  return options;
}

class Crew {
 public:
  Crew(Search& search, const ExplorePart& explore)
      : search_(search),
        explore_(explore),
        options_(without_limits(search.options())),
        size_(search.options().threads != 0 ? search.options().threads
                                            : std::max(1U, std::thread::hardware_concurrency())) {}

  bool run() {
    tasks_.emplace_back(*this, Part{});
    try {
      work(true);
    } catch (...) {
      fail(std::current_exception());
    }
    search_.note_threads(static_cast<std::uint32_t>(threads_.size()) + 1);
    threads_.clear();  // joins
    if (error_) std::rethrow_exception(error_);
    return collect();
  }

 private:
  enum class State : std::uint8_t { open, running, done };

  struct Task final : CrewTask {
    Task(Crew& its_crew, Part its_part) : crew(its_crew), part(std::move(its_part)) {}
    void feed_the_hungry(Search& searching) override {
      if (crew.hungry_.load(std::memory_order_relaxed)) crew.feed(*this, searching);
    }
    void poll(Search& searching, std::uint64_t at_depth, std::uint64_t bytes) override {
      crew.poll(*this, searching, at_depth, bytes);
    }

    Crew& crew;
    Part part;
    std::list<Task>::iterator self;
    State state = State::open;
    bool by_caller = false;  // explored by the calling thread
    bool full = false;       // the machine was too narrow
    std::unique_ptr<Search> search;
    std::atomic<bool> cancelled{false};
    // What the calling thread may know of a running task.
    std::atomic<std::uint64_t> executions{0}, blocked{0}, transitions{0}, depth{0}, memory{0};
  };

  // -- What a thread of the crew does.

  void work(bool by_caller) {
    while (Task* const task = next_task(by_caller)) explore(*task);
  }

  void work_for_caller() {
    try {
      work(false);
    } catch (...) {
      fail(std::current_exception());
    }
  }

  // The first open task in serial order; waits for one. Null: there will be none.
  Task* next_task(bool by_caller) {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (over_) return nullptr;
      bool running = false;
      for (auto task = tasks_.begin(); task != tasks_.end(); ++task) {
        running = running || task->state == State::running;
        if (task->state != State::open) continue;
        --open_;
        note_hunger();
        task->self = task;
        task->by_caller = by_caller;
        task->state = State::running;
        task->search = std::make_unique<Search>(search_, options_, *task);
        return &*task;
      }
      if (!running) {
        over_ = true;
        changed_.notify_all();
        return nullptr;
      }
      ++waiting_;
      note_hunger();
      if (by_caller) {
        changed_.wait_for(lock, watch_period);
        watch();
      } else {
        changed_.wait(lock);
      }
      --waiting_;
      note_hunger();
    }
  }

  void explore(Task& task) {
    bool fits = true;
    try {
      fits = explore_(*task.search, task.part);
    } catch (const std::bad_alloc&) {
      const std::lock_guard lock(mutex_);
      halt(std::string(out_of_memory));
    } catch (...) {
      fail(std::current_exception());
    }
    const std::lock_guard lock(mutex_);
    task.state = State::done;
    task.full = !fits;
    if (ended_early(task)) cancel_after(task);
    merge(task);
    changed_.notify_all();
  }

  void feed(Task& task, Search& searching) {
    const std::lock_guard lock(mutex_);
    if (!hungry_ || over_ || task.cancelled) return;
    auto part = searching.split();
    if (!part) return;
    tasks_.emplace(std::next(task.self), *this, std::move(*part));
    ++open_;
    note_hunger();
    changed_.notify_one();
  }

  void poll(Task& task, Search& searching, std::uint64_t depth, std::uint64_t memory) {
    const auto relaxed = std::memory_order_relaxed;
    task.executions.store(searching.counts.executions, relaxed);
    task.blocked.store(blocked_runs(searching.counts), relaxed);
    task.transitions.store(searching.counts.transitions, relaxed);
    task.depth.store(depth, relaxed);
    task.memory.store(memory, relaxed);
    if (task.by_caller) {
      const std::lock_guard lock(mutex_);
      watch();
    }
    if (over_) searching.pause();
    if (task.cancelled.load(relaxed)) searching.stop({});
  }

  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    halt({});
  }

  // -- What is done under the mutex.

  void note_hunger() { hungry_.store(waiting_ > open_, std::memory_order_relaxed); }

  void halt(std::string reason) {
    if (halted_by_.empty()) halted_by_ = std::move(reason);
    over_ = true;
    changed_.notify_all();
  }

  static bool ended_early(const Task& task) { return task.full || task.search->stopped(); }

  void cancel_after(const Task& task) {
    for (auto later = std::next(task.self); later != tasks_.end();) {
      if (later->state == State::running) {
        later->cancelled.store(true, std::memory_order_relaxed);
        ++later;
      } else {
        if (later->state == State::open) --open_;
        later = tasks_.erase(later);
      }
    }
    note_hunger();
    if (search_.options().any_violation && !task.full && !task.search->violations().empty()) halt({});
  }

  // Puts the findings of a task together with those of its neighbours, so that few are kept.
  void merge(Task& task) {
    if (task.cancelled) {
      tasks_.erase(task.self);
      return;
    }
    auto first = task.self;
    if (first != tasks_.begin() && is_whole(*std::prev(first))) --first;
    while (is_whole(*first)) {
      const auto next = std::next(first);
      if (next == tasks_.end() || next->state != State::done || next->full) break;
      if (next->search->stopped()) break;
      first->search->append(*next->search);
      if (next->search->rest()) first->search->leave(*next->search->rest());
      tasks_.erase(next);
    }
  }
  // Explored to its end.
  static bool is_whole(const Task& task) {
    return task.state == State::done && !ended_early(task) && !task.search->rest();
  }

  // Starts the other threads, shows progress, heeds the limits. By the calling thread.
  void watch() {
    const CheckOptions& options = search_.options();
    const double now = search_.seconds();
    if (threads_.empty() && size_ > 1 &&
        now >= (options.threads == 0 ? seconds_alone : seconds_alone_if_given)) {
      for (std::uint32_t i = 1; i < size_; ++i) threads_.emplace_back([this] { work_for_caller(); });
    }
    Progress progress{.seconds = now};
    std::uint64_t memory = 0;
    for (const Task& task : tasks_) {
      if (task.state == State::running) {
        progress.executions += task.executions;
        progress.blocked += task.blocked;
        progress.transitions += task.transitions;
        if (task.by_caller) progress.depth = task.depth;
        memory += task.memory;
      } else if (task.state == State::done) {
        progress.executions += task.search->counts.executions;
        progress.blocked += blocked_runs(task.search->counts);
        progress.transitions += task.search->counts.transitions;
      }
    }
    search_.note_memory(memory);
    if (options.max_memory && memory > *options.max_memory) halt("memory limit");
    if (options.timeout && now > *options.timeout) halt("timeout");
    if (options.progress && !options.progress(progress)) halt("interrupted");
  }

  // -- The end.

  bool collect() {
    for (const Task& task : tasks_) {
      if (task.state != State::done) continue;
      if (task.full) return false;
      search_.append(*task.search);
      search_.note_memory(task.search->counts.peak_memory);
      if (task.search->stopped()) {
        search_.stop(task.search->stopped_by());
        return true;
      }
    }
    if (over_ && !halted_by_.empty()) search_.stop(halted_by_);
    return true;
  }

  Search& search_;
  const ExplorePart& explore_;
  const CheckOptions options_;
  const std::uint32_t size_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Task> tasks_;  // in serial order
  int open_ = 1;
  int waiting_ = 0;
  std::string halted_by_;
  std::exception_ptr error_;
  std::atomic<bool> hungry_{false};
  std::atomic<bool> over_{false};
  std::vector<std::jthread> threads_;
};

}  // namespace

bool explore_parts(Search& search, const ExplorePart& explore) {
  const CheckOptions& options = search.options();
  // Compiled code counts what it passes in one place. A limit of executions ends at the same one every time.
  const bool alone = options.threads == 1 || options.coverage || options.max_executions;
  if (alone) return explore(search, Part{});
  return Crew(search, explore).run();
}

}  // namespace heddle::checker
