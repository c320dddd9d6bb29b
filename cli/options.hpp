// The command line as a value. Parsing prints nothing and ends nothing; main() does that.
#pragma once

#include <string>
#include <variant>

#include "heddle/consistency.h"
#include "heddle/heddle.h"

namespace heddle::cli {

enum class Command { show_text, check, emit, list, consistency };

struct Options {
  Command command = Command::show_text;
  std::string text;  // show_text: what --help or --version shows
  std::string file;  // check, emit, consistency
  CompileOptions compile;
  CheckOptions check;
  ConsistencyOptions consistency;
  bool json = false;
  bool progress = true;
};

// One sentence about what is wrong, and a hint that may be empty.
struct UsageError {
  std::string message;
  std::string hint;
};

// `arguments` as main() gets them. Names of models and algorithms, and whether the two go together, are
// checked here, before any work is done; everything else about a bound is up to heddle::check().
[[nodiscard]] std::variant<Options, UsageError> parse_options(int count, const char* const* arguments);

}  // namespace heddle::cli
