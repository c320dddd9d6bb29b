// heddle repl: reads inputs, which may take several lines, and gives them to the session. At a terminal an
// error is shown and the next input is read; a script ends at its first error with exit code 2.
#include <unistd.h>

#include <string>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/repl/line_editor.hpp"
#include "cli/repl/session.hpp"
#include "cli/terminal.hpp"
#include "heddle/source.h"

namespace heddle::cli {
namespace {

constexpr int bad_input = 2;
constexpr int interrupted_code = 3;
constexpr std::string_view first_prompt = "> ";
constexpr std::string_view next_prompt = ". ";

bool is_command(const std::string& input) {
  const auto begin = input.find_first_not_of(" \t");
  return begin != std::string::npos && input[begin] == ':';
}

// One input, which goes on over as many lines as it is unfinished; at a terminal an empty line ends it too.
LineEvent read_input(LineSource& lines, bool interactive, std::string& input) {
  LineEvent event = lines.read(first_prompt, input);
  if (event != LineEvent::line || is_command(input)) return event;
  std::string line;
  while (is_unfinished(input)) {
    event = lines.read(next_prompt, line);
    if (event == LineEvent::interrupted) return event;
    if (event == LineEvent::end || (interactive && line.empty())) return LineEvent::line;
    input += "\n" + line;
  }
  return LineEvent::line;
}

}  // namespace

int run_repl(const Options& options) {
  const bool interactive = is_terminal(STDIN_FILENO);
  catch_every_interrupt();
  Session session(options, interactive);
  const auto lines =
      interactive
          ? terminal_lines([&](std::string_view line) { return session.completions(line); }, history_file())
          : script_lines(options.echo);
  const auto attempt = [&](auto&& action) {
    try {
      action();
      return true;
    } catch (const Complaint& complaint) {
      write_error(complaint.text);
      return false;
    }
  };
  if (!options.file.empty() && !attempt([&] { session.load_first(options.file); }) && !interactive)
    return bad_input;
  if (interactive) static_cast<void>(write_report(":help lists the commands, :quit leaves\n"));
  while (!session.finished()) {
    std::string input;
    const LineEvent event = read_input(*lines, interactive, input);
    if (event == LineEvent::end) break;
    if (event == LineEvent::interrupted) {
      if (!interactive) return interrupted_code;
      continue;
    }
    if (input.find_first_not_of(" \t") == std::string::npos) continue;
    lines->remember(input);
    const bool good = attempt([&] { session.obey(input); });
    const bool stopped = forget_interrupts();
    if (interactive) continue;
    if (!good) return bad_input;
    if (stopped) return interrupted_code;
  }
  return session.output_lost() ? bad_input : 0;
}

}  // namespace heddle::cli
