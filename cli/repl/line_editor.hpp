// Lines from a terminal (with editing, history and completion) or from a script.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

enum class LineEvent { line, end, interrupted };

class LineSource {
 public:
  virtual ~LineSource() = default;
  // `line` has no newline.
  virtual LineEvent read(std::string_view prompt, std::string& line) = 0;
  // A complete input, for the history.
  virtual void remember(const std::string& input) = 0;
};

// Completions of the word at the end of a line.
using Completer = std::function<std::vector<std::string>(std::string_view line)>;

// Standard input as a script: no prompts, no history. `echo`: shows each line, after its prompt.
[[nodiscard]] std::unique_ptr<LineSource> script_lines(bool echo);

// Standard input as a terminal. The history is read from `history_file` and written there after every input.
// If the name is empty or unusable, the history lasts for this session only.
[[nodiscard]] std::unique_ptr<LineSource> terminal_lines(Completer completer, std::string history_file);

// $HEDDLE_HISTORY, else heddle/history in $XDG_STATE_HOME or ~/.local/state, creating the folder; empty if
// there is none.
[[nodiscard]] std::string history_file();

}  // namespace heddle::cli
