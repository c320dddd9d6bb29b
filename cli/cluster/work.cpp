// Those who work: heddle cluster work.
//
// The process that the user starts explores nothing. It starts others, each of which takes parts of checks one after the
// other. If one of them crashes, it says so to the exchange, and starts another: a part that crashes
// its worker ends that worker only, and never takes the parts of others with it.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "cli/cluster/cluster.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"

namespace heddle::cli {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A part is not divided before it has run for so long: what comes back would cost more than it brings.
constexpr double least_seconds = 0.01;
// What a worker has done for so long is committed, and the rest is a part of its own: no more is lost with it.
constexpr double most_seconds = 30;
constexpr milliseconds first_renewal{20};
constexpr std::size_t most_programs = 16;  // that a worker keeps

// What a worker tells the process that started it, in memory that both have.
struct Desk {
  std::array<char, 40> token{};  // of its lease; empty: it has none
  std::atomic<bool> started{false};
};

bool not_interrupted(const std::string&) { return !interrupted(); }

// Renews a lease while another thread explores, with a connection of its own.
class Keeper {
 public:
  explicit Keeper(const ClusterOptions& options)
      : exchange_(
            open_exchange({.url = options.url,
                           .lease = options.lease,
                           .patience = [this](const std::string&) { return !ending_ && !interrupted(); }})),
        thread_([this] { run(); }) {}
  ~Keeper() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  void begin(const Lease& lease) {
    const std::lock_guard lock(mutex_);
    lease_ = lease;
    ++job_;
    wanted_ = 0;
    lost_ = false;
    progress_ = {};
    next_ = Clock::now() + first_renewal;
    changed_.notify_all();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    lease_.reset();
    ++job_;
  }

  // The answer to Division::explore.
  std::uint32_t parts_wanted(const Progress& progress) {
    if (interrupted() || lost_.load(std::memory_order_relaxed)) return Division::stop;
    {
      const std::lock_guard lock(mutex_);
      progress_ = progress;
    }
    if (progress.seconds > most_seconds) return Division::stop;
    if (progress.seconds < least_seconds) return 0;
    return wanted_.exchange(0, std::memory_order_relaxed);
  }
  [[nodiscard]] bool lost() const { return lost_; }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!ending_) {
      if (!lease_) {
        changed_.wait(lock);
        continue;
      }
      if (const auto now = Clock::now(); now < next_) {
        changed_.wait_until(lock, next_);
        continue;
      }
      const Lease lease = *lease_;
      const std::uint64_t job = job_;
      const Progress progress = progress_;
      lock.unlock();
      Renewal renewal{.known = true};
      try {
        renewal = exchange_->renew(lease, progress);
      } catch (const ExchangeError&) {
        // The commit will say so.
      }
      lock.lock();
      if (job != job_) continue;
      if (!renewal.known) lost_ = true;
      if (renewal.parts_wanted > 0) wanted_ = renewal.parts_wanted;
      next_ = Clock::now() + renewal.next;
    }
  }

  std::atomic<bool> ending_{false};
  std::atomic<bool> lost_{false};
  std::atomic<std::uint32_t> wanted_{0};
  std::unique_ptr<Exchange> exchange_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Lease> lease_;
  std::uint64_t job_ = 0;
  Progress progress_;
  Clock::time_point next_;
  std::thread thread_;
};

// The process that explores.
class Worker {
 public:
  Worker(const ClusterOptions& options, Desk& desk)
      : options_(options),
        desk_(desk),
        exchange_(open_exchange({.url = options.url, .lease = options.lease, .patience = not_interrupted})),
        keeper_(options) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    info_.id = fmt::format("{}:{}", one_line(host.data()), ::getpid());
  }

  void run() {
    Clock::time_point busy = Clock::now();
    while (!interrupted()) {
      const std::optional<Lease> lease = exchange_->take(info_, refused_);
      if (lease) {
        note(lease->token);
        work(*lease);
        note({});
        busy = Clock::now();
        continue;
      }
      if (options_.idle && std::chrono::duration<double>(Clock::now() - busy).count() > *options_.idle)
        return;
      std::this_thread::sleep_for(exchange_->idle_period());
    }
  }

 private:
  void note(const std::string& token) {
    std::fill(desk_.token.begin(), desk_.token.end(), '\0');
    std::copy_n(token.begin(), std::min(token.size(), desk_.token.size() - 1), desk_.token.begin());
    desk_.started = true;
  }

  void work(const Lease& lease) {
    const Division* const division = division_of(lease);
    if (division == nullptr) return;
    keeper_.begin(lease);
    const auto explored = division->explore(
        lease.part, [this](const Progress& progress) { return keeper_.parts_wanted(progress); });
    keeper_.end();
    if (keeper_.lost()) return;
    if (!explored) {
      exchange_->give_back(lease, true, explored.error().front().message);
      return;
    }
    // An interrupted worker still says what it has done.
    if (exchange_->commit(lease, info_, *division, *explored)) {
      ++info_.jobs;
      info_.executions += Division::progress(explored->found).executions;
    }
  }

  // Compiles the program of a check, once. Null: the check is not for us, and we have given the part back.
  const Division* division_of(const Lease& lease) {
    for (const auto& [check, division] : divisions_) {
      if (check == lease.check) return &division;
    }
    const auto text = exchange_->division(lease.check);
    if (!text) return nullptr;
    Result<Division> division = Division::from_text(*text);
    if (!division) {
      exchange_->give_back(lease, false, {});
      exchange_->refuse(lease.check, info_, first_message(division.error()));
      refused_.push_back(lease.check);
      return nullptr;
    }
    if (divisions_.size() == most_programs) divisions_.pop_front();
    return &divisions_.emplace_back(lease.check, *division).second;
  }

  const ClusterOptions& options_;
  Desk& desk_;
  std::unique_ptr<Exchange> exchange_;
  WorkerInfo info_;
  std::deque<std::pair<std::string, Division>> divisions_;
  std::vector<std::string> refused_;
  Keeper keeper_;
};

// The process that starts the others.
class Foreman {
 public:
  explicit Foreman(const ClusterOptions& options) : options_(options), children_(options.workers) {
    const std::size_t size = children_.size() * sizeof(Desk);
    void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("there is no memory to share with workers");
    for (std::size_t i = 0; i < children_.size(); ++i)
      children_[i].desk = new (static_cast<std::byte*>(memory) + i * sizeof(Desk)) Desk;
  }

  int run() {
    for (Child& child : children_) start(child);
    std::size_t left = children_.size();
    int code = 0;
    while (left > 0) {
      int status = 0;
      const pid_t ended = ::waitpid(-1, &status, WNOHANG);
      if (interrupted() && !told_) {
        for (const Child& child : children_) {
          if (child.process > 0) ::kill(child.process, SIGTERM);
        }
        told_ = true;
      }
      if (ended <= 0) {
        std::this_thread::sleep_for(milliseconds(20));
        continue;
      }
      const auto child = std::find_if(children_.begin(), children_.end(),
                                      [&](const Child& each) { return each.process == ended; });
      if (child == children_.end()) continue;
      child->process = -1;
      if (WIFEXITED(status)) {
        code = std::max(code, WEXITSTATUS(status));
        --left;
      } else if (interrupted()) {
        --left;
      } else {
        bury(*child, WTERMSIG(status));
        start(*child);
      }
    }
    return code;
  }

 private:
  struct Child {
    pid_t process = -1;
    Desk* desk = nullptr;
  };

  void start(Child& child) {
    child.desk->token.fill('\0');
    const pid_t foreman = ::getpid();
    child.process = ::fork();
    if (child.process < 0)
      throw std::runtime_error(fmt::format("cannot start a worker: {}", std::strerror(errno)));
    if (child.process > 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != foreman) ::_exit(0);
    int code = 0;
    try {
      Worker(options_, *child.desk).run();
    } catch (const std::exception& error) {
      if (!interrupted()) {
        write_error(fmt::format("heddle: {}\n", error.what()));
        code = bad_input;
      }
    }
    ::_exit(code);
  }

  void bury(const Child& child, int signal) {
    const std::string how = fmt::format("a worker ended by signal {} ({})", signal, ::strsignal(signal));
    write_error(fmt::format("heddle: {}\n", how));
    if (child.desk->token.front() == '\0') {
      std::this_thread::sleep_for(milliseconds(500));  // not again at once
      return;
    }
    try {
      const auto exchange = open_exchange({.url = options_.url, .patience = not_interrupted});
      exchange->give_back({.token = child.desk->token.data(), .check = {}, .part = {}}, true, how);
    } catch (const ExchangeError& error) {
      write_error(fmt::format("heddle: {}\n", error.what()));
    }
  }

  const ClusterOptions& options_;
  std::vector<Child> children_;
  bool told_ = false;
};

}  // namespace

int run_workers(const ClusterOptions& options) {
  catch_interrupts();
  return Foreman(options).run();
}

}  // namespace heddle::cli
