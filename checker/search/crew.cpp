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
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "checker/search/running.hpp"

namespace heddle::checker {

namespace {

// The other threads join when the search has taken this long: with one thread for each core, and with a number
// that the user has given.
constexpr double seconds_alone = 1;
constexpr double seconds_alone_if_given = 0.005;
// However many the user allows later.
constexpr std::uint32_t most_threads = 1024;

std::uint32_t size_of_crew(const CheckOptions& options) {
  // A limit of executions ends at the same one every time.
  if (options.max_executions) return 1;
  return options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
}

class Crew {
 public:
  Crew(Search& search, const ExplorePart& explore)
      : search_(search),
        explore_(explore),
        options_(without_limits(search.options())),
        size_(size_of_crew(search.options())) {
    for (const Section& section : search.resumed()) {
      if (section.left) {
        insert(tasks_.end(), *section.left);
      } else {
        insert(tasks_.end(), {})->findings = section.findings;
        tasks_.back().state = State::done;
        --open_;
      }
    }
    if (tasks_.empty()) insert(tasks_.end(), {});
  }

  bool run() {
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

    void reach_limit(Search& searching) override {
      const std::lock_guard lock(crew.mutex_);
      crew.halt("execution limit");
      searching.pause();
    }

    Crew& crew;
    Part part;
    std::list<Task>::iterator self;
    State state = State::open;
    bool by_caller = false;  // explored by the calling thread
    // What a task that is done has come to.
    Findings findings;
    bool full = false;                   // the machine was too narrow
    std::optional<std::string> stopped;  // the search has stopped there, for this reason
    std::atomic<bool> cancelled{false};
    Running counts;  // for the calling thread
  };
  using Place = typename std::list<Task>::iterator;

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
      const auto is_open = [](const Task& task) { return task.state == State::open; };
      const auto found = std::find_if(tasks_.begin(), tasks_.end(), is_open);
      if (found != tasks_.end() && !saving_) {
        --open_;
        ++running_;
        note_hunger();
        found->by_caller = by_caller;
        found->state = State::running;
        return &*found;
      }
      if (found == tasks_.end() && running_ == 0) {
        over_ = true;
        changed_.notify_all();
        return nullptr;
      }
      ++waiting_;
      note_hunger();
      wait_for_change(changed_, lock, by_caller, [this] { watch(); });
      --waiting_;
      note_hunger();
    }
  }

  void explore(Task& task) {
    Search search(search_, options_, task, executions_before(task));
    bool fits = true, lost = false;
    try {
      fits = explore_(search, task.part);
    } catch (const std::bad_alloc&) {
      lost = true;
    } catch (...) {
      fail(std::current_exception());
      lost = true;
    }
    const std::lock_guard lock(mutex_);
    --running_;
    if (lost) {
      task.state = State::open;
      ++open_;
      halt(std::string(out_of_memory));
    } else {
      finish(task, search, fits);
    }
    if (saving_ && running_ == 0) changed_.notify_all();
  }

  void feed(Task& task, Search& searching) {
    const std::lock_guard lock(mutex_);
    if (!hungry_ || over_ || saving_ || task.cancelled) return;
    if (auto part = searching.split()) insert(std::next(task.self), std::move(*part));
  }

  void poll(Task& task, Search& searching, std::uint64_t depth, std::uint64_t memory) {
    constexpr auto relaxed = std::memory_order_relaxed;
    task.counts.note(searching, depth, memory);
    if (task.by_caller) {
      const std::lock_guard lock(mutex_);
      watch();
    }
    if (over_.load(relaxed) || saving_.load(relaxed)) searching.pause();
    if (task.cancelled.load(relaxed)) searching.stop({});
  }

  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    halt({});
  }

  // Of a crew of one, which explores in serial order.
  std::uint64_t executions_before(const Task& task) {
    const std::lock_guard lock(mutex_);
    std::uint64_t executions = 0;
    for (auto before = tasks_.begin(); before != task.self; ++before)
      executions += before->findings.counts.executions;
    return executions;
  }

  // -- What is done under the mutex.

  Place insert(Place before, Part part) {
    const Place place = tasks_.emplace(before, *this, std::move(part));
    place->self = place;
    ++open_;
    note_hunger();
    changed_.notify_one();
    return place;
  }

  void note_hunger() { hungry_.store(waiting_ > open_, std::memory_order_relaxed); }

  void halt(std::string reason) {
    if (halted_by_.empty()) halted_by_ = std::move(reason);
    over_ = true;
    changed_.notify_all();
  }

  void finish(Task& task, const Search& search, bool fits) {
    if (task.cancelled) {
      tasks_.erase(task.self);
      return;
    }
    task.state = State::done;
    task.findings = search.findings();
    task.full = !fits;
    if (search.stopped()) task.stopped = search.stopped_by();
    if (task.full || task.stopped) {
      cancel_after(task);
    } else if (search.rest()) {
      insert(std::next(task.self), *search.rest());
    }
    join_neighbours(task.self);
    if (open_ == 0 && running_ == 0) changed_.notify_all();
  }

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
    if (search_.options().any_violation && !task.findings.violations.empty()) halt({});
  }

  // Puts the findings of a task together with those of its neighbours, so that few are kept.
  void join_neighbours(Place task) {
    if (task != tasks_.begin() && is_whole(*std::prev(task))) --task;
    while (is_whole(*task)) {
      const Place next = std::next(task);
      if (next == tasks_.end() || next->state != State::done || next->full) return;
      task->findings.append(next->findings);
      task->stopped = std::move(next->stopped);
      tasks_.erase(next);
    }
  }
  // Explored to its end.
  static bool is_whole(const Task& task) { return task.state == State::done && !task.full && !task.stopped; }

  // Starts the other threads, shows progress, obeys the limits, saves. By the calling thread.
  void watch() {
    const CheckOptions& options = search_.options();
    const double now = search_.seconds();
    std::uint32_t wanted = 1;
    if (now >= (options.threads == 0 ? seconds_alone : seconds_alone_if_given)) wanted = size_;
    if (options.threads_now && !options.max_executions)
      wanted = std::max(wanted, std::min(options.threads_now(), most_threads));
    while (threads_.size() + 1 < wanted) threads_.emplace_back([this] { work_for_caller(); });
    if (search_.saver() && now >= save_at_) {
      saving_ = running_ > 0;
      if (!saving_) save();
    }
    Progress progress{.seconds = now};
    std::uint64_t memory = 0;
    for (const Task& task : tasks_) {
      if (task.state == State::running) {
        task.counts.add_to(progress);
        if (task.by_caller) progress.depth = task.counts.depth();
        memory += task.counts.memory();
      } else if (task.state == State::done) {
        progress.executions += task.findings.counts.executions;
        progress.blocked += blocked_runs(task.findings.counts);
        progress.transitions += task.findings.counts.transitions;
        progress.cuts += task.findings.counts.cuts;
      }
    }
    search_.note_memory(memory);
    if (std::string reason = limit_met(options, progress, memory); !reason.empty()) halt(std::move(reason));
  }

  // Nothing is running.
  void save() {
    Sections sections;
    for (const Task& task : tasks_) {
      Section& section = sections.emplace_back();
      if (task.state == State::open) {
        section.left = task.part;
      } else {
        section.findings = task.findings;
      }
    }
    search_.saver()(sections);
    save_at_ = search_.seconds() + options_.save_period;
    saving_ = false;
    changed_.notify_all();
  }

  // -- The end.

  bool collect() {
    const bool left = open_ > 0;
    if (left && search_.saver() && !found_violation()) save();
    for (const Task& task : tasks_) {
      if (task.state != State::done) continue;
      if (task.full) return false;
      search_.append(task.findings);
      if (task.stopped) {
        search_.stop(*task.stopped);
        return true;
      }
    }
    if (left) search_.stop(halted_by_);
    return true;
  }
  bool found_violation() const {
    return !tasks_.empty() && tasks_.back().stopped && !tasks_.back().findings.violations.empty();
  }

  Search& search_;
  const ExplorePart& explore_;
  const CheckOptions options_;
  const std::uint32_t size_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Task> tasks_;  // in serial order
  int open_ = 0;
  int running_ = 0;
  int waiting_ = 0;
  double save_at_ = options_.save_period;  // seconds since the start of the search
  std::string halted_by_;
  std::exception_ptr error_;
  std::atomic<bool> hungry_{false};
  std::atomic<bool> saving_{false};  // all are to pause, so that the state of the search can be written down
  std::atomic<bool> over_{false};
  std::vector<std::jthread> threads_;
};

}  // namespace

bool explore_parts(Search& search, const ExplorePart& explore) {
  if (search.job() != nullptr) return explore_job(search, explore);
  const CheckOptions& options = search.options();
  const bool alone =
      (options.threads == 1 && !options.threads_now) || options.max_executions || options.coverage;
  if (alone && !search.saver() && search.resumed().empty()) return explore(search, Part{});
  return Crew(search, explore).run();
}

}  // namespace heddle::checker
