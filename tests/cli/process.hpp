// Runs the built `heddle` as a process, like a shell, and returns its results.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::test {

struct Setup {
  std::map<std::string, std::string> environment = {};  // added to ours, without COLUMNS and NO_COLOR
  std::string output_file = {};                         // receives standard output; empty: the caller does
  std::string input_file = {};                          // standard input; empty: inherited
  std::uint64_t address_space = 0;                      // bytes (RLIMIT_AS); 0: no limit of its own
  bool close_output = false;                            // start without a standard output
  bool output_terminal = false;                         // standard output is a pseudo-terminal
  bool error_terminal = false;                          // standard error is a pseudo-terminal
  bool as_nobody = false;                               // give up root's rights (no effect for others)
};

struct Finished {
  int exit_code = -1;  // -1: ended by a signal, or never started
  int signal = 0;
  std::string output;
  std::string errors;
  double cpu_seconds = 0;  // user and system time
};

class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments, const Setup& setup = {});
  ~Process();  // kills it if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Waits until standard error holds the text. False after `seconds`, or if the process has closed it before.
  bool wait_for_error(std::string_view text, double seconds = 60);
  void send(int signal) const;
  [[nodiscard]] pid_t id() const { return pid_; }
  // The processes that it has started.
  [[nodiscard]] std::vector<pid_t> children() const;
  // Waits until it has a handler of its own for the signal, which is soon after its start. False after a
  // minute.
  [[nodiscard]] bool wait_for_handler(int signal) const;
  // Closes our end of its standard output, as `| head` does.
  void stop_reading_output();
  // Waits for the process to end; kills it after `seconds`.
  Finished finish(double seconds = 120);

 private:
  // Reads available output; waits at most `milliseconds` for it. False once both streams are closed.
  bool pump(int milliseconds);

  pid_t pid_ = -1;
  int output_ = -1;
  int errors_ = -1;
  Finished result_;
};

// Whether pseudo-terminals are available, which is not so in every container; prints a message if not.
bool have_terminals();

// Runs it to its end.
Finished run_heddle(const std::vector<std::string>& arguments, const Setup& setup = {});

// A new folder under the system's temporary folder, readable by everybody, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Writes a file and returns its path.
  std::string file(const std::string& name, std::string_view text) const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

[[nodiscard]] bool contains(std::string_view text, std::string_view part);
// The contents of a file; empty if it cannot be read.
[[nodiscard]] std::string read(const std::filesystem::path& path);

// Programs for the tests.
extern const char* const safe_program;     // store buffering: three executions, 0/0 never
extern const char* const unsafe_program;   // two threads that lose an update
extern const char* const endless_program;  // more interleavings than any test can wait for

}  // namespace heddle::test
