// `heddle repl` at a pseudo-terminal: completion, history, Ctrl-C.
#include <doctest/doctest.h>

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

using Clock = std::chrono::steady_clock;

// The program at a pseudo-terminal.
class Terminal {
 public:
  explicit Terminal(const std::string& history, const std::string& folder = ".") {
    winsize size{};
    size.ws_col = 100;
    size.ws_row = 30;
    pid_ = forkpty(&file_, nullptr, nullptr, &size);
    if (pid_ < 0) MESSAGE("no pseudo-terminals here: what needs one is not tested");
    if (pid_ == 0) {
      setenv("TERM", "xterm", 1);
      setenv("HEDDLE_HISTORY", history.c_str(), 1);
      if (chdir(folder.c_str()) != 0) _exit(126);
      const std::string program = std::string(HEDDLE_BINARY_DIR) + "/heddle";
      execl(program.c_str(), "heddle", "repl", static_cast<char*>(nullptr));
      _exit(127);
    }
  }
  ~Terminal() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    if (works()) close(file_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // Not available in every container.
  [[nodiscard]] bool works() const { return pid_ >= 0; }

  void type(std::string_view text) {
    REQUIRE(write(file_, text.data(), text.size()) == ssize_t(text.size()));
  }

  // Waits for the text in the output since the last successful call.
  bool shows(std::string_view text, int seconds = 60) {
    const auto end = Clock::now() + std::chrono::seconds(seconds);
    for (;;) {
      if (const auto at = seen_.find(text); at != std::string::npos) {
        seen_.erase(0, at + text.size());
        return true;
      }
      if (Clock::now() > end || !pump()) {
        MESSAGE(seen_);
        return false;
      }
    }
  }

  int finish() {
    const auto end = Clock::now() + std::chrono::seconds(60);
    int status = 0;
    while (Clock::now() < end && waitpid(pid_, &status, WNOHANG) == 0) pump();
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  bool pump() {
    pollfd ready{file_, POLLIN, 0};
    if (poll(&ready, 1, 100) <= 0) return true;
    char bytes[1024];
    const auto got = read(file_, bytes, sizeof bytes);
    if (got <= 0) return false;
    seen_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }

  int file_ = -1;
  pid_t pid_ = -1;
  std::string seen_;
};

struct HistoryFile {
  HistoryFile() {
    std::string name = (std::filesystem::temp_directory_path() / "heddle-history-XXXXXX").string();
    const int file = mkstemp(name.data());
    REQUIRE(file >= 0);
    close(file);
    path = name;
    std::filesystem::remove(path);
  }
  ~HistoryFile() { std::filesystem::remove(path); }
  std::string path;
};

TEST_CASE("Tab completes commands and names, and lists the possibilities") {
  const HistoryFile history;
  Terminal terminal(history.path);
  if (!terminal.works()) return;
  CHECK(terminal.shows("> "));
  terminal.type("shared counter: int = 41;\r");
  CHECK(terminal.shows("> "));
  terminal.type("thread p { counter = 1; }\r");
  CHECK(terminal.shows("> "));
  terminal.type("coun\t+ 1\r");
  CHECK(terminal.shows("42"));
  terminal.type(":mo\tts\t\r");
  CHECK(terminal.shows("> "));
  terminal.type(":start\r");
  CHECK(terminal.shows("at the start, model tso"));
  terminal.type(":re\t");
  CHECK(terminal.shows(":reload :replay"));
  terminal.type("\x15:quit!\r");
  CHECK(terminal.finish() == 0);
}

TEST_CASE("the history outlives the session") {
  const HistoryFile history;
  {
    Terminal terminal(history.path);
    if (!terminal.works()) return;
    CHECK(terminal.shows("> "));
    terminal.type("shared first: int;\r");
    CHECK(terminal.shows("> "));
    terminal.type("\x04");
    CHECK(terminal.shows("Leave? [y/N] "));
    terminal.type("y\r");
    CHECK(terminal.finish() == 0);
  }
  Terminal terminal(history.path);
  if (!terminal.works()) return;
  CHECK(terminal.shows("> "));
  terminal.type("\x1b[A");
  CHECK(terminal.shows("shared first: int;"));
  terminal.type("\r:list\r");
  CHECK(terminal.shows("shared first: int;"));
  terminal.type(":quit!\r");
  CHECK(terminal.finish() == 0);
}

TEST_CASE("an input may span lines, and Ctrl-C discards it") {
  const HistoryFile history;
  Terminal terminal(history.path);
  if (!terminal.works()) return;
  CHECK(terminal.shows("> "));
  terminal.type("shared x: int = 6;\r");
  CHECK(terminal.shows("> "));
  terminal.type("thread p {\r");
  CHECK(terminal.shows(". "));
  terminal.type("nonsense\x03");
  CHECK(terminal.shows("> "));
  terminal.type("thread p {\r");
  CHECK(terminal.shows(". "));
  terminal.type("x = 1; }\r");
  CHECK(terminal.shows("> "));
  terminal.type("x * 7\r");
  CHECK(terminal.shows("42"));
  terminal.type(":quit!\r");
  CHECK(terminal.finish() == 0);
}

TEST_CASE("Ctrl-C directly after a key discards the line each time") {
  const HistoryFile history;
  Terminal terminal(history.path);
  if (!terminal.works()) return;
  CHECK(terminal.shows("> "));
  for (int i = 0; i < 200; ++i) {
    terminal.type(std::string(static_cast<std::size_t>(i % 16), 'a') + "\x03");
    REQUIRE(terminal.shows("\n"));
    REQUIRE(terminal.shows("> "));
  }
  terminal.type(":quit!\r");
  CHECK(terminal.finish() == 0);
}

TEST_CASE("Ctrl-C stops one check after the other, and the session continues") {
  const HistoryFile history;
  Terminal terminal(history.path);
  if (!terminal.works()) return;
  CHECK(terminal.shows("> "));
  terminal.type("shared a: int[8];\r");
  CHECK(terminal.shows("> "));
  terminal.type("thread w[i: 0..8] { for j in 0..8 { a[j] = i; } }\r");
  CHECK(terminal.shows("> "));
  for (int round = 0; round < 3; ++round) {
    terminal.type(":check\r");
    CHECK(terminal.shows("executions"));  // the progress line
    terminal.type("\x03");
    CHECK(terminal.shows("undecided"));
    CHECK(terminal.shows("interrupted"));
    CHECK(terminal.shows("> "));
  }
  terminal.type("6 * 7\r");
  CHECK(terminal.shows("42"));
  terminal.type("no_such_name\r");
  CHECK(terminal.shows("unknown name"));
  CHECK(terminal.shows("> "));
  terminal.type(":quit!\r");
  CHECK(terminal.finish() == 0);
}

// A folder with a program of one variable.
struct Folder {
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "heddle-terminal-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
    std::filesystem::create_directory(path / "nested folder");
    std::ofstream(path / "nested folder/program.hed")
        << "param ROUNDS = 3;\nshared from_file: int = 40;\nthread p {}\n";
    std::ofstream(path / "other.hed") << "other text\n";
  }
  ~Folder() { std::filesystem::remove_all(path); }
  [[nodiscard]] std::string text(const char* name) const {
    std::ifstream in(path / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::filesystem::path path;
};

TEST_CASE("Tab offers files after :load and settings and params after :set") {
  const HistoryFile history;
  const Folder folder;
  Terminal terminal(history.path, folder.path.string());
  if (!terminal.works()) return;
  CHECK(terminal.shows("> "));
  terminal.type(":load \t\t");
  CHECK(terminal.shows("nested folder/ other.hed"));
  terminal.type("ne\tpr\t\r");
  CHECK(terminal.shows("gram.hed"));
  CHECK(terminal.shows("> "));
  terminal.type("from_file + 2\r");
  CHECK(terminal.shows("42"));
  terminal.type(":set RO\t5\r");
  CHECK(terminal.shows("> "));
  terminal.type(":set preem\t2\r");
  CHECK(terminal.shows("> "));
  terminal.type(":set max-\t\t");
  CHECK(terminal.shows("max-executions max-memory"));
  terminal.type("\x15:set\r");
  CHECK(terminal.shows("preemption-bound  2"));
  CHECK(terminal.shows("ROUNDS            5"));
  terminal.type(":quit\r");
  CHECK(terminal.finish() == 0);
}

TEST_CASE(":save asks before it overwrites contents that it has not read, and :save! does not") {
  const HistoryFile history;
  const Folder folder;
  Terminal terminal(history.path, folder.path.string());
  if (!terminal.works()) return;
  CHECK(terminal.shows("> "));
  terminal.type("shared x: int;\r");
  CHECK(terminal.shows("> "));
  terminal.type(":save other.hed\r");
  CHECK(terminal.shows("other.hed has changed since. Overwrite it? [y/N] "));
  terminal.type("\r");
  CHECK(terminal.shows("nothing has changed"));
  CHECK(terminal.shows("> "));
  CHECK(folder.text("other.hed") == "other text\n");
  terminal.type(":save other.hed\r");
  CHECK(terminal.shows("[y/N] "));
  terminal.type("y\r");
  CHECK(terminal.shows("> "));
  terminal.type("shared y: int;\r");
  CHECK(terminal.shows("> "));
  terminal.type(":save\r");
  CHECK(terminal.shows("> "));
  CHECK(folder.text("other.hed") == "shared x: int;\nshared y: int;\n");
  std::ofstream(folder.path / "other.hed") << "changed meanwhile\n";
  terminal.type(":save\r");
  CHECK(terminal.shows("Overwrite it? [y/N] "));
  terminal.type("n\r");
  CHECK(terminal.shows("> "));
  terminal.type(":save!\r");
  CHECK(terminal.shows("> "));
  CHECK(folder.text("other.hed") == "shared x: int;\nshared y: int;\n");
  terminal.type(":save new.hed\r");
  CHECK(terminal.shows("> "));
  terminal.type("exit\r");
  CHECK(terminal.finish() == 0);
  CHECK(folder.text("new.hed") == "shared x: int;\nshared y: int;\n");
}

TEST_CASE("an unsaved program is not dropped without a question") {
  const HistoryFile history;
  const Folder folder;
  for (const char* last : {"\x04", "y\r"}) {
    Terminal terminal(history.path, folder.path.string());
    if (!terminal.works()) return;
    CHECK(terminal.shows("> "));
    terminal.type("shared kept: int = 6;\r");
    CHECK(terminal.shows("> "));
    terminal.type("thread p {}\r");
    CHECK(terminal.shows("> "));
    for (const char* leave : {":quit\r", "exit\r", "\x04"}) {
      CAPTURE(leave);
      terminal.type(leave);
      CHECK(terminal.shows("The program has not been saved. Leave? [y/N] "));
      terminal.type("n\r");
      CHECK(terminal.shows("> "));
    }
    terminal.type(":load other.hed\r");
    CHECK(terminal.shows("The program has not been saved. Load other.hed anyway? [y/N] "));
    terminal.type("\x03");
    CHECK(terminal.shows("> "));
    terminal.type("kept * 7\r");
    CHECK(terminal.shows("42"));
    CHECK(terminal.shows("> "));
    terminal.type("\x04");
    CHECK(terminal.shows("Leave? [y/N] "));
    terminal.type(last);
    CHECK(terminal.finish() == 0);
  }
}

TEST_CASE("a command in an incomplete input is executed, and the input continues") {
  const HistoryFile history;
  Terminal terminal(history.path);
  if (!terminal.works()) return;
  CHECK(terminal.shows("> "));
  terminal.type("shared x: int = 40\r");
  CHECK(terminal.shows(". "));
  terminal.type(":model\r");
  CHECK(terminal.shows("* sc"));
  CHECK(terminal.shows("'shared x: int = 40' is incomplete: ';' or '}' ends it, Ctrl-C discards it"));
  CHECK(terminal.shows(". "));
  terminal.type("+ 1;\r");
  CHECK(terminal.shows("> "));
  terminal.type("thread p { x = 1; }\r");
  CHECK(terminal.shows("> "));
  terminal.type("x + 1\r");
  CHECK(terminal.shows("42"));
  terminal.type("thread q {\r");
  CHECK(terminal.shows(". "));
  terminal.type(":quit!\r");
  CHECK(terminal.finish() == 0);
}

}  // namespace
