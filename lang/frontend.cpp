// The way through the front end: text -> tokens -> parse tree -> resolved program. Each step runs only if the
// one before found no error, so that no message is the consequence of another.
#include "lang/frontend.hpp"

#include "lang/declarations.hpp"
#include "lang/grammar.hpp"
#include "lang/litmus/frontend.hpp"
#include "lang/token.hpp"

namespace heddle::lang {

std::optional<Program> parse_program(const SourceMap& sources, std::uint32_t file,
                                     const Parameters& overrides, Diagnostics& diagnostics,
                                     bool may_lack_threads) {
  const std::vector<Token> tokens = tokenize(sources, file, diagnostics);
  if (tokens.empty()) return {};
  const syntax::File tree = parse_syntax(tokens, sources, file, diagnostics);
  if (diagnostics.any()) return {};
  Resolution resolution{sources, file, diagnostics, {}, {}, {}};
  resolution.may_lack_threads = may_lack_threads;
  resolve_program(resolution, tree, overrides);
  if (diagnostics.any()) return {};
  check_calls(resolution);
  if (diagnostics.any()) return {};
  return std::move(resolution.program);
}

std::optional<Program> parse_source(const SourceMap& sources, std::uint32_t file, const Parameters& overrides,
                                    Diagnostics& diagnostics) {
  if (!sources.name(file).ends_with(".litmus")) return parse_program(sources, file, overrides, diagnostics);
  if (!overrides.empty()) {
    diagnostics.error({file, 0, 0}, "a litmus test has no parameters: '" + overrides.begin()->first +
                                        "' cannot be given a value");
    return {};
  }
  return litmus::parse_test(sources, file, diagnostics);
}

}  // namespace heddle::lang
