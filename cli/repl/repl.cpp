// heddle repl: reads inputs, which may span several lines, and passes them to the session. At a terminal it
// shows an error and continues; a script ends at its first error with exit code 2.
#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/option_values.hpp"
#include "cli/repl/line_editor.hpp"
#include "cli/repl/session.hpp"
#include "cli/terminal.hpp"
#include "heddle/source.h"

namespace heddle::cli {
namespace {

constexpr int interrupted_code = 3;
constexpr std::string_view first_prompt = "> ";
constexpr std::string_view next_prompt = ". ";

bool is_command(const std::string& input) {
  const auto begin = input.find_first_not_of(" \t");
  return begin != std::string::npos && input[begin] == ':';
}

// Reads one input, which spans lines until it is complete; at a terminal an empty line ends it, too.
// `between` executes a command that comes before the input is complete, and returns false if it was the last
// one; without it such a command ends the input.
using Between = std::function<bool(const std::string& command, const std::string& input)>;
LineEvent read_input(LineSource& lines, const Between& between, std::string& input) {
  LineEvent event = lines.read(first_prompt, input);
  if (event != LineEvent::line || is_command(input)) return event;
  std::string line;
  while (is_unfinished(input)) {
    event = lines.read(next_prompt, line);
    if (event == LineEvent::interrupted) return event;
    if (event == LineEvent::end || (between && line.empty())) return LineEvent::line;
    if (Session::interrupts(line, input)) {
      if (!between) return LineEvent::line;
      if (!between(line, input)) return LineEvent::interrupted;
      continue;
    }
    input += "\n" + line;
  }
  return LineEvent::line;
}

// The reason why the action failed, if it has not been reported yet; empty if it succeeded.
template <typename Action>
std::optional<std::string> complaint_of(Action&& action) {
  try {
    action();
    return {};
  } catch (const Complaint& complaint) {
    return complaint.text;
  }
}

// One input and its result, on one line.
std::string answer(const std::string& input, const ReportCapture& said,
                   const std::optional<std::string>& complaint) {
  Json json = json_head("answer");
  json["input"] = input;
  json["output"] = said.output();
  json["error"] = complaint ? Json(said.errors() + *complaint) : Json(nullptr);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int run_repl(const Options& options) {
  const bool interactive = is_terminal(STDIN_FILENO) && !options.json;
  catch_every_interrupt();
  std::unique_ptr<LineSource> lines;
  const Question ask = [&](const std::string& question) {
    std::string answer;
    const LineEvent event = lines->read(question + " [y/N] ", answer);
    // After a second Ctrl-D, or if the terminal is closed, there is no answer.
    return event == LineEvent::end || answer.starts_with('y') || answer.starts_with('Y');
  };
  Session session(options, interactive ? ask : Question());
  lines = interactive ? terminal_lines([&](std::string_view line) { return session.completions(line); },
                                       history_file())
                      : script_lines(options.echo && !options.json);
  const auto attempt = [&](const std::string& input, auto&& action) {
    if (!options.json) {
      const auto complaint = complaint_of(action);
      if (complaint) write_error(*complaint);
      return !complaint;
    }
    std::optional<ReportCapture> said(std::in_place);
    const auto complaint = complaint_of(action);
    const std::string line = answer(input, *said, complaint);
    said.reset();
    return write_report(line) && !complaint;
  };
  if (!options.file.empty() && !attempt(":load " + options.file, [&] { session.load_first(options.file); }) &&
      !interactive)
    return bad_input;
  if (interactive) static_cast<void>(write_report(":help lists the commands, :quit leaves\n"));
  const Between between = [&](const std::string& command, const std::string& input) {
    lines->remember(command);
    attempt(command, [&] { session.obey(command); });
    static_cast<void>(forget_interrupts());
    if (session.finished()) return false;
    return write_report(fmt::format("'{}' is incomplete: ';' or '}}' ends it, Ctrl-C discards it\n",
                                    shown(input.substr(0, input.find('\n')))));
  };
  while (!session.finished()) {
    std::string input;
    const LineEvent event = read_input(*lines, interactive ? between : Between(), input);
    if (event == LineEvent::end) {
      if (session.may_leave()) break;
      continue;
    }
    if (event == LineEvent::interrupted) {
      if (!interactive) return interrupted_code;
      continue;
    }
    if (input.find_first_not_of(" \t") == std::string::npos) continue;
    lines->remember(input);
    const bool good = attempt(input, [&] { session.obey(input); });
    const bool stopped = forget_interrupts();
    if (interactive) continue;
    if (!good) return bad_input;
    if (stopped) return interrupted_code;
  }
  return session.output_lost() ? bad_input : 0;
}

}  // namespace heddle::cli
