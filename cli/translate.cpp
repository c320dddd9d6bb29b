// heddle translate FILE: translates a litmus test into a .hed program, or back.
#include "heddle/translate.h"

#include "cli/commands.hpp"

namespace heddle::cli {

int run_translate(const Options& options) {
  const Syntax target = options.to_litmus ? Syntax::litmus : Syntax::heddle;
  const Result<std::string> text = translate_file(options.file, target, options.compile.parameters);
  if (!text) return report_errors(text.error(), options.json);
  return write_product(options, *text);
}

}  // namespace heddle::cli
