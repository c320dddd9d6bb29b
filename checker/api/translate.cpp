#include "heddle/translate.h"

#include <utility>
#include <variant>

#include "checker/api/sources.hpp"
#include "lang/frontend.hpp"
#include "lang/litmus/print.hpp"
#include "lang/print.hpp"

namespace heddle {
namespace {

// "a/b/MP+x.hed" -> "MP+x": a test's name is a word.
std::string test_name(const lang::Program& program, const std::string& path) {
  if (program.litmus) return program.litmus->name;
  std::string name = path.substr(path.find_last_of('/') + 1);
  name = name.substr(0, name.find_last_of('.'));
  for (char& c : name) {
    if (c == ' ' || c == '\t') c = '_';
  }
  return name.empty() ? "test" : name;
}

}  // namespace

Result<std::string> translate_file(const std::string& path, Syntax target, const Parameters& parameters) {
  if (target == Syntax::heddle && !path.ends_with(".litmus")) {
    return std::vector{about_file(path, "this is a .hed program already, which heddle fmt lays out")};
  }
  Result<std::string> text = read_source(path);
  if (!text) return text.error();
  lang::SourceMap sources;
  const auto file = sources.add(path, std::move(*text));
  lang::Diagnostics diagnostics;
  auto front_end = front_end_options();
  front_end.spin_await = false;
  const auto program = lang::parse_source(sources, file, parameters, diagnostics, front_end);
  if (!program) return convert_diagnostics(diagnostics, sources);
  if (target == Syntax::heddle) return lang::print_program(*program);
  auto printed = lang::litmus::print_test(*program, test_name(*program, path));
  if (auto* const reason = std::get_if<lang::litmus::NotALitmusTest>(&printed)) {
    diagnostics.error(reason->range, std::move(reason->message));
    return convert_diagnostics(diagnostics, sources);
  }
  return std::get<std::string>(std::move(printed));
}

}  // namespace heddle
