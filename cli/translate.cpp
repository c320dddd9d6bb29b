// heddle translate FILE: a litmus test as a .hed program, or the other way.
#include "heddle/translate.h"

#include "cli/commands.hpp"
#include "cli/terminal.hpp"

namespace heddle::cli {

int run_translate(const Options& options) {
  constexpr int bad_input = 2;
  const Syntax target = options.to_litmus ? Syntax::litmus : Syntax::heddle;
  const Result<std::string> text = translate_file(options.file, target, options.compile.parameters);
  if (!text) return report_errors(text.errors(), false);
  return write_report(*text) ? 0 : bad_input;
}

}  // namespace heddle::cli
