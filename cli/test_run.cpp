// The pool of worker processes; see test_run.hpp.
//
// A worker receives lines "PROGRAM SKIP" through its pipe and sends back JSON lines: {"begin": result},
// {"end": result} and, at the end of the program, {"finished": true}.
#include "cli/test_run.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "cli/suggestion.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

using Message = nlohmann::json;  // between a worker and the run
using Clock = std::chrono::steady_clock;

struct Task {
  std::size_t program = 0;
  std::size_t skip = 0;
};

std::string encode(const char* event, const TestResult& result) {
  Message json = {{"status", static_cast<int>(result.status)},
                  {"place", result.place},
                  {"line", result.line},
                  {"expectation", result.expectation},
                  {"model", result.model},
                  {"algorithm", result.algorithm},
                  {"message", result.message},
                  {"violation", result.violation},
                  {"reproduce", result.reproduce},
                  {"seconds", result.seconds},
                  {"found", result.found ? Message(*result.found) : Message(nullptr)}};
  return Message{{event, std::move(json)}}.dump(-1, ' ', false, Message::error_handler_t::replace) + "\n";
}

TestResult decode(const Message& json, std::size_t program) {
  TestResult result;
  result.program = program;
  result.status = static_cast<TestStatus>(json.at("status").get<int>());
  result.place = json.at("place");
  result.line = json.at("line");
  result.expectation = json.at("expectation");
  result.model = json.at("model");
  result.algorithm = json.at("algorithm");
  result.message = json.at("message");
  result.violation = json.at("violation");
  result.reproduce = json.at("reproduce");
  result.seconds = json.at("seconds");
  if (!json.at("found").is_null()) result.found = json.at("found").get<std::uint64_t>();
  return result;
}

// How many threads each check may have at the moment: written by the run, read by all workers, in memory that the
// processes share.
class Share {
 public:
  Share()
      : memory_(::mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::runtime_error("there is no memory to share with workers");
    number_ = new (memory_) Number(1);
  }
  ~Share() { ::munmap(memory_, sizeof(Number)); }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  void set(std::uint32_t threads) { number_->store(threads, std::memory_order_relaxed); }
  [[nodiscard]] std::uint32_t get() const { return number_->load(std::memory_order_relaxed); }

 private:
  using Number = std::atomic<std::uint32_t>;
  static_assert(Number::is_always_lock_free, "processes share it");
  void* memory_;
  Number* number_ = nullptr;
};

// The main loop of a worker: reads tasks from `in` and writes results to `out`, until `in` ends or `out` is
// closed.
void work(int in, int out, const std::vector<TestProgram>& programs, const TestSettings& settings,
          const Share& share) {
  const auto send = [out](const std::string& line) {
    if (write_all(out, line) != 0) ::_exit(0);
  };
  std::string text;
  for (char buffer[64];;) {
    const ssize_t got = ::read(in, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    text.append(buffer, static_cast<std::size_t>(got));
    const std::size_t end = text.find('\n');
    if (end == std::string::npos) continue;
    std::istringstream line(text.substr(0, end));
    text.erase(0, end + 1);
    Task task;
    line >> task.program >> task.skip;
    run_program(
        task.program, programs.at(task.program), settings, task.skip, [&share] { return share.get(); },
        [&](const TestResult& result) { send(encode("begin", result)); },
        [&](const TestResult& result) { send(encode("end", result)); });
    send("{\"finished\":true}\n");
  }
}

// Memory allowed for the compiler and the code, in addition to the search.
void limit_memory(std::uint64_t search) {
#if !defined(__SANITIZE_ADDRESS__)  // its shadow memory needs terabytes of address space
  constexpr std::uint64_t beside = std::uint64_t{1} << 30;
  const rlimit limit{.rlim_cur = search + beside, .rlim_max = search + beside};
  ::setrlimit(RLIMIT_AS, &limit);
#else
  static_cast<void>(search);
#endif
}

class Worker {
 public:
  // `others`: descriptors of our ends of the other workers' pipes, which the new process must close.
  Worker(const std::vector<TestProgram>& programs, const TestSettings& settings, const Share& share,
         const std::vector<int>& others) {
    int down[2];
    int up[2];
    if (::pipe(down) != 0) throw std::runtime_error("cannot make a pipe for a worker");
    if (::pipe(up) != 0) {
      ::close(down[0]);
      ::close(down[1]);
      throw std::runtime_error("cannot make a pipe for a worker");
    }
    pid_ = ::fork();
    if (pid_ == 0) {
      for (const int file : others) ::close(file);
      ::close(down[1]);
      ::close(up[0]);
      // The parent handles Ctrl-C and ends its workers. They do not outlive it.
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::signal(SIGINT, SIG_IGN);
      ::signal(SIGTERM, SIG_DFL);
      if (settings.max_memory) limit_memory(*settings.max_memory);
      work(down[0], up[1], programs, settings, share);
      ::_exit(0);
    }
    ::close(down[0]);
    ::close(up[1]);
    to_ = down[1];
    from_ = up[0];
    if (pid_ < 0) throw std::runtime_error(fmt::format("cannot start a worker: {}", std::strerror(errno)));
  }
  ~Worker() {
    ::close(to_);
    ::close(from_);
    if (pid_ > 0 && !ended_) {
      ::kill(pid_, SIGKILL);
      while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
    }
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  [[nodiscard]] int descriptor() const { return from_; }
  [[nodiscard]] std::vector<int> descriptors() const { return {to_, from_}; }
  [[nodiscard]] bool busy() const { return task_.has_value(); }
  [[nodiscard]] Task& task() { return *task_; }
  [[nodiscard]] const std::optional<TestResult>& running() const { return running_; }
  // Whether a check of the task has ended.
  [[nodiscard]] bool progressed() const { return progressed_; }
  [[nodiscard]] double silent_seconds() const {
    return std::chrono::duration<double>(Clock::now() - heard_).count();
  }

  void give(const Task& task) {
    task_ = task;
    progressed_ = false;
    running_.reset();
    heard_ = Clock::now();
    // A dead worker does not read this; the end of its other pipe will show that.
    static_cast<void>(write_all(to_, fmt::format("{} {}\n", task.program, task.skip)));
  }

  // Reads the available lines and calls `end(result)` for every result. False after the worker has died.
  template <typename End>
  bool listen(End&& end) {
    char buffer[4096];
    const ssize_t got = ::read(from_, buffer, sizeof buffer);
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    heard_ = Clock::now();
    text_.append(buffer, static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t stop = 0; (stop = text_.find('\n', begin)) != std::string::npos; begin = stop + 1) {
      const Message line = Message::parse(text_.substr(begin, stop - begin));
      if (line.contains("begin")) {
        running_ = decode(line["begin"], task_->program);
      } else if (line.contains("end")) {
        running_.reset();
        progressed_ = true;
        ++task_->skip;
        end(decode(line["end"], task_->program));
      } else {
        task_.reset();
      }
    }
    text_.erase(0, begin);
    return true;
  }

  // Waits for the worker to end. Returns how it ended.
  std::string obituary() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    ended_ = true;
    if (WIFSIGNALED(status))
      return fmt::format("crashed: {} (signal {})", ::strsignal(WTERMSIG(status)), WTERMSIG(status));
    return fmt::format("crashed: ended with exit code {}", WEXITSTATUS(status));
  }
  void kill() const { ::kill(pid_, SIGKILL); }

 private:
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  bool ended_ = false;
  std::string text_;
  std::optional<Task> task_;
  std::optional<TestResult> running_;
  bool progressed_ = false;
  Clock::time_point heard_ = Clock::now();
};

class Pool {
 public:
  Pool(const std::vector<TestProgram>& programs, const TestSettings& settings, const TestObserver& observer)
      : programs_(programs),
        settings_(settings),
        observer_(observer),
        longest_(settings.timeout),
        results_(programs.size()),
        finished_(programs.size(), false) {
    for (std::size_t i = 0; i < programs.size(); ++i) {
      waiting_.push_back({.program = i, .skip = 0});
      for (const SuiteEntry& entry : programs[i].entries)
        longest_ = std::max(longest_, entry.timeout.value_or(0));
    }
  }

  bool run() {
    while (next_ < programs_.size()) {
      hire();
      hand_out();
      wait();
      for (std::size_t i = 0; i < workers_.size(); ++i) {
        if (ready_[i] && !listen(*workers_[i])) bury(i);
      }
      std::erase(workers_, nullptr);
      tell();
      if (!observer_.idle(done_, failures_)) break;
    }
    if (next_ == programs_.size()) return true;
    for (; next_ < programs_.size(); ++next_) {
      if (finished_[next_] || !results_[next_].empty()) observer_.done(next_, results_[next_]);
    }
    return false;
  }

 private:
  void hire() {
    const std::size_t wanted = std::min<std::size_t>(settings_.jobs, waiting_.size() + busy());
    while (workers_.size() < wanted) {
      std::vector<int> others;
      for (const auto& worker : workers_) {
        for (const int file : worker->descriptors()) others.push_back(file);
      }
      workers_.push_back(std::make_unique<Worker>(programs_, settings_, share_, others));
    }
  }

  [[nodiscard]] std::size_t busy() const {
    std::size_t count = 0;
    for (const auto& worker : workers_) count += worker->busy() ? 1 : 0;
    return count;
  }

  void hand_out() {
    for (const auto& worker : workers_) {
      if (worker->busy() || waiting_.empty()) continue;
      worker->give(waiting_.front());
      waiting_.pop_front();
    }
    const std::size_t running = busy();
    share_.set(waiting_.empty() && running > 0 ? static_cast<std::uint32_t>(settings_.jobs / running) : 1);
  }

  // Waits for output of a worker, for at most a tenth of a second.
  void wait() {
    std::vector<pollfd> files;
    for (const auto& worker : workers_) files.push_back({worker->descriptor(), POLLIN, 0});
    const int count = ::poll(files.data(), files.size(), 100);
    ready_.assign(workers_.size(), false);
    for (std::size_t i = 0; i < files.size(); ++i) ready_[i] = count > 0 && files[i].revents != 0;
    for (const auto& worker : workers_) {
      // A check ends itself at its time limit. One that does not must be killed.
      constexpr double grace = 10;
      if (worker->busy() && worker->silent_seconds() > 2 * longest_ + grace) worker->kill();
    }
  }

  bool listen(Worker& worker) {
    if (!worker.busy()) {
      return worker.listen([](const TestResult&) {});
    }
    const std::size_t program = worker.task().program;
    const bool alive = worker.listen([this](TestResult result) { add(std::move(result)); });
    if (alive && !worker.busy()) finish(program);
    return alive;
  }

  void bury(std::size_t index) {
    Worker& worker = *workers_[index];
    const bool was_busy = worker.busy();
    const double silent = worker.silent_seconds();
    std::string how = worker.obituary();
    if (was_busy && !worker.running() && worker.progressed()) {
      // It died between two checks or after the last one, so no result is lost: another worker continues.
      waiting_.push_front(worker.task());
    } else if (was_busy) {
      if (silent > 2 * longest_) how = "did not end at its time limit and was killed";
      Task task = worker.task();
      TestResult result = worker.running().value_or(TestResult{});
      result.program = task.program;
      result.status = TestStatus::crashed;
      result.seconds = silent;
      result.message = std::move(how);
      const bool in_check = worker.running().has_value();
      if (!in_check) {
        result.place = programs_[task.program].file;
        result.message += " while compiling the program";
        result.reproduce = fmt::format("heddle check {}", quoted_for_shell(result.place));
      }
      add(std::move(result));
      if (in_check) {
        ++task.skip;
        waiting_.push_front(task);
      } else {
        finish(task.program);
      }
    }
    workers_[index].reset();
  }

  void add(TestResult result) {
    if (result.status != TestStatus::passed && result.status != TestStatus::left_out) ++failures_;
    results_[result.program].push_back(std::move(result));
  }
  void finish(std::size_t program) {
    finished_[program] = true;
    ++done_;
  }
  void tell() {
    for (; next_ < programs_.size() && finished_[next_]; ++next_) observer_.done(next_, results_[next_]);
  }

  const std::vector<TestProgram>& programs_;
  const TestSettings& settings_;
  const TestObserver& observer_;
  double longest_;  // the longest time limit of a check, in seconds
  std::vector<std::vector<TestResult>> results_;
  std::vector<bool> finished_;
  std::deque<Task> waiting_;
  Share share_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<bool> ready_;
  std::size_t next_ = 0;  // the first program that has not been reported
  std::size_t done_ = 0;
  std::size_t failures_ = 0;
};

}  // namespace

std::string_view name(TestStatus status) {
  switch (status) {
    case TestStatus::passed: return "passed";
    case TestStatus::failed: return "failed";
    case TestStatus::undecided: return "undecided";
    case TestStatus::broken: return "broken";
    case TestStatus::crashed: return "crashed";
    case TestStatus::left_out: break;
  }
  return "left out";
}

bool run_tests(const std::vector<TestProgram>& programs, const TestSettings& settings,
               const TestObserver& observer) {
  return Pool(programs, settings, observer).run();
}

}  // namespace heddle::cli
