// All commands and their options in one table, which parsing, --help, completions and the manual page read.
#pragma once

#include <string_view>

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace heddle::cli {

struct CommandInfo {
  std::string_view name;
  Command command = Command::show_text;
  std::string_view summary;
  std::string_view example;  // arguments after the name; empty if it takes no file
};

// Adds every command with its options to an empty app. Parsing with it then fills `options`, which must
// outlive it; impossible values throw Refusal (option_values.hpp).
void build_app(CLI::App& app, Options& options);

// Info on a command that build_app() has added.
[[nodiscard]] const CommandInfo& command_info(std::string_view name);

}  // namespace heddle::cli
