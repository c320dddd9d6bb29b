// See line_editor.hpp. libedit is a C library: its callbacks find their editor through EL_CLIENTDATA.
#include "cli/repl/line_editor.hpp"

#include <histedit.h>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/interrupt.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

class Script final : public LineSource {
 public:
  explicit Script(bool echo) : echo_(echo) {}

  LineEvent read(std::string_view prompt, std::string& line) override {
    line.clear();
    for (;;) {
      const auto end = buffer_.find('\n', at_);
      if (end != std::string::npos) {
        line = buffer_.substr(at_, end - at_);
        at_ = end + 1;
        break;
      }
      buffer_.erase(0, std::exchange(at_, 0));
      char bytes[4096];
      const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof bytes);
      if (got > 0) {
        buffer_.append(bytes, static_cast<std::size_t>(got));
        continue;
      }
      if (got < 0 && errno == EINTR) return LineEvent::interrupted;
      if (buffer_.empty()) return LineEvent::end;
      line = std::exchange(buffer_, {});
      break;
    }
    if (line.ends_with('\r')) line.pop_back();
    if (echo_ && !write_report(fmt::format("{}{}\n", prompt, clean(line)))) return LineEvent::end;
    return LineEvent::line;
  }
  void remember(const std::string& /*input*/) override {}

 private:
  bool echo_;
  std::string buffer_;
  std::size_t at_ = 0;
};

class Terminal final : public LineSource {
 public:
  Terminal(Completer completer, std::string file)
      : completer_(std::move(completer)),
        file_(std::move(file)),
        history_(history_init()),
        editor_(el_init("heddle", stdin, stdout, stderr)) {
    if (editor_ == nullptr || history_ == nullptr) return;
    HistEvent event;
    history(history_, &event, H_SETSIZE, 1000);
    history(history_, &event, H_SETUNIQUE, 1);
    if (!file_.empty()) history(history_, &event, H_LOAD, file_.c_str());
    el_set(editor_, EL_CLIENTDATA, this);
    el_set(editor_, EL_PROMPT, &Terminal::prompt);
    el_set(editor_, EL_EDITOR, "emacs");
    el_set(editor_, EL_HIST, &history, history_);
    el_set(editor_, EL_SIGNAL, 1);
    el_set(editor_, EL_ADDFN, "heddle-complete", "complete the word", &Terminal::complete);
    el_set(editor_, EL_BIND, "^I", "heddle-complete", nullptr);
    el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_source(editor_, nullptr);
  }
  ~Terminal() override {
    if (editor_ != nullptr) el_end(editor_);
    if (history_ != nullptr) history_end(history_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  LineEvent read(std::string_view prompt, std::string& line) override {
    line.clear();
    prompt_ = prompt;
    if (editor_ == nullptr) return LineEvent::end;
    int count = 0;
    // libedit shows the prompt before it takes the terminal out of its line mode, in which a Ctrl-D that
    // comes at once would be lost.
    el_set(editor_, EL_PREP_TERM, 1);
    const char* const text = el_gets(editor_, &count);
    if (forget_interrupts()) {
      el_reset(editor_);
      static_cast<void>(write_report("\n"));
      return LineEvent::interrupted;
    }
    if (text == nullptr || count <= 0) {
      static_cast<void>(write_report("\n"));
      return LineEvent::end;
    }
    line.assign(text, static_cast<std::size_t>(count));
    while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
    return LineEvent::line;
  }

  void remember(const std::string& input) override {
    if (history_ == nullptr) return;
    // Each entry is one line, in the file as well.
    std::string entry = input;
    std::replace(entry.begin(), entry.end(), '\n', ' ');
    HistEvent event;
    history(history_, &event, H_ENTER, entry.c_str());
    if (!file_.empty()) history(history_, &event, H_SAVE, file_.c_str());
  }

 private:
  static Terminal& of(EditLine* editor) {
    void* data = nullptr;
    el_get(editor, EL_CLIENTDATA, &data);
    return *static_cast<Terminal*>(data);
  }
  static char* prompt(EditLine* editor) { return of(editor).prompt_.data(); }

  static unsigned char complete(EditLine* editor, int /*key*/) {
    const LineInfo* const info = el_line(editor);
    const std::string_view line(info->buffer, static_cast<std::size_t>(info->cursor - info->buffer));
    const auto found = of(editor).completer_(line);
    if (found.empty()) return CC_ERROR;
    // Appends the common prefix of all candidates.
    std::size_t common = found.front().size();
    for (const std::string& each : found) {
      const auto differs =
          std::mismatch(found.front().begin(), found.front().end(), each.begin(), each.end());
      common = std::min(common, static_cast<std::size_t>(differs.first - found.front().begin()));
    }
    std::size_t typed = 0;
    for (std::size_t size = 1; size <= std::min(common, line.size()); ++size) {
      if (line.ends_with(std::string_view(found.front()).substr(0, size))) typed = size;
    }
    std::string more = found.front().substr(typed, common - typed);
    if (found.size() == 1 && !found.front().ends_with('/')) more += ' ';
    if (!more.empty()) return el_insertstr(editor, more.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    static_cast<void>(
        write_report(fmt::format("\n{}\n", wrap(join(found, "  "), terminal_width(STDOUT_FILENO), 0))));
    return CC_REDISPLAY;
  }

  Completer completer_;
  std::string file_;
  std::string prompt_;
  History* history_;
  EditLine* editor_;
};

}  // namespace

std::unique_ptr<LineSource> script_lines(bool echo) { return std::make_unique<Script>(echo); }

std::unique_ptr<LineSource> terminal_lines(Completer completer, std::string file) {
  return std::make_unique<Terminal>(std::move(completer), std::move(file));
}

std::string history_file() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  if (auto file = variable("HEDDLE_HISTORY"); !file.empty()) return file;
  std::filesystem::path folder = variable("XDG_STATE_HOME");
  if (folder.empty()) {
    folder = variable("HOME");
    if (folder.empty()) return {};
    folder /= ".local/state";
  }
  folder /= "heddle";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return error ? std::string() : (folder / "history").string();
}

}  // namespace heddle::cli
