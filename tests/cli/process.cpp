// See process.hpp.
#include "tests/cli/process.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace heddle::test {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Ends {
  int ours = -1;
  int theirs = -1;
};

Ends open_channel(bool terminal) {
  std::array<int, 2> ends{};
  if (terminal) {
    if (::openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) != 0) throw std::runtime_error("openpty");
  } else if (::pipe(ends.data()) != 0) {
    throw std::runtime_error("pipe");
  }
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  return {ends[0], ends[1]};
}

// In the child: never returns.
[[noreturn]] void become_heddle(std::vector<std::string> arguments, const Setup& setup, int output,
                                int errors) {
  ::unsetenv("COLUMNS");
  ::unsetenv("NO_COLOR");
  for (const auto& [name, value] : setup.environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (!setup.output_file.empty()) output = ::open(setup.output_file.c_str(), O_WRONLY);
  if (!setup.input_file.empty()) ::dup2(::open(setup.input_file.c_str(), O_RDONLY), STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  if (setup.close_output) ::close(STDOUT_FILENO);
  if (setup.as_nobody && ::geteuid() == 0) {
    constexpr unsigned nobody = 65534;
    if (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0) ::_exit(127);
  }
  if (setup.address_space != 0) {
    const rlimit limit{setup.address_space, setup.address_space};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(127);
  }
  std::string program = HEDDLE_BINARY_DIR "/heddle";
  std::vector<char*> words = {program.data()};
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  ::_exit(127);
}

void close_end(int& file) {
  if (file >= 0) ::close(file);
  file = -1;
}

// Moves the available bytes into `text`; closes the file at its end. A terminal ends with EIO.
void take(int& file, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t count = ::read(file, buffer.data(), buffer.size());
  if (count > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    close_end(file);
  }
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments, const Setup& setup) {
  const Ends output = open_channel(setup.output_terminal);
  const Ends errors = open_channel(setup.error_terminal);
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ == 0) become_heddle(arguments, setup, output.theirs, errors.theirs);
  ::close(output.theirs);
  ::close(errors.theirs);
  output_ = output.ours;
  errors_ = errors.ours;
}

Process::~Process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  close_end(output_);
  close_end(errors_);
}

bool Process::pump(int milliseconds) {
  if (output_ < 0 && errors_ < 0) return false;
  std::array<pollfd, 2> files = {{{output_, POLLIN, 0}, {errors_, POLLIN, 0}}};
  if (::poll(files.data(), files.size(), milliseconds) > 0) {
    if (output_ >= 0 && files[0].revents != 0) take(output_, result_.output);
    if (errors_ >= 0 && files[1].revents != 0) take(errors_, result_.errors);
  }
  return true;
}

bool Process::wait_for_error(std::string_view text, double seconds) {
  const Clock::time_point start = Clock::now();
  while (result_.errors.find(text) == std::string::npos) {
    if (errors_ < 0 || seconds_since(start) > seconds) return false;
    pump(100);
  }
  return true;
}

void Process::send(int signal) const {
  if (pid_ > 0) ::kill(pid_, signal);
}

std::vector<pid_t> Process::children() const {
  const std::string number = std::to_string(pid_);
  std::ifstream file("/proc/" + number + "/task/" + number + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

bool Process::wait_for_handler(int signal) const {
  const Clock::time_point start = Clock::now();
  const std::filesystem::path about = "/proc/" + std::to_string(pid_);
  while (seconds_since(start) < 60) {
    // Before exec() the child is a copy of this program, with doctest's handlers.
    std::error_code gone;
    const bool started = std::filesystem::read_symlink(about / "exe", gone).filename() == "heddle";
    std::ifstream status(about / "status");
    for (std::string line; std::getline(status, line);) {
      if (!started || !line.starts_with("SigCgt:")) continue;
      if (((std::stoull(line.substr(7), nullptr, 16) >> (signal - 1)) & 1U) != 0) return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

void Process::stop_reading_output() { close_end(output_); }

Finished Process::finish(double seconds) {
  const Clock::time_point start = Clock::now();
  while (pump(100)) {
    if (seconds_since(start) > seconds) send(SIGKILL);
  }
  int status = 0;
  rusage usage{};
  ::wait4(pid_, &status, 0, &usage);
  pid_ = -1;
  if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
  const auto to_seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  result_.cpu_seconds = to_seconds(usage.ru_utime) + to_seconds(usage.ru_stime);
  return result_;
}

bool have_terminals() {
  std::array<int, 2> ends{};
  if (::openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) == 0) {
    for (const int end : ends) ::close(end);
    return true;
  }
  MESSAGE("no pseudo-terminals here: what needs one is not tested");
  return false;
}

Finished run_heddle(const std::vector<std::string>& arguments, const Setup& setup) {
  return Process(arguments, setup).finish();
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "heddle-cli-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = name;
  std::filesystem::permissions(path_, std::filesystem::perms(0755));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::file(const std::string& name, std::string_view text) const {
  const std::string result = (path_ / name).string();
  std::ofstream(result, std::ios::binary) << text;
  return result;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const char* const safe_program = R"(param N = 1;
shared x: int;
shared y: int;
thread p { x = N; let a = y; }
thread q { y = 1; let b = x; }
exists p.a == 0 && q.b == 0;
)";

const char* const unsafe_program = R"(shared counter: int;
thread add[i: 0..2] {
  let seen = counter;
  counter = seen + 1;
}
final { assert counter == 2, "an update is lost"; }
)";

const char* const endless_program = R"(shared a: int[8];
thread w[i: 0..8] {
  for k in 0..8 { a[k] += i; }
}
)";

}  // namespace heddle::test
