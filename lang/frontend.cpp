// The stages of the front end: text -> tokens -> parse tree -> resolved program, including imported files.
// Each stage runs only if the previous one found no error, so that no message is a mere consequence of
// another.
#include "lang/frontend.hpp"

#include "lang/declarations.hpp"
#include "lang/definitions.hpp"
#include "lang/litmus/frontend.hpp"

namespace heddle::lang {

std::optional<Program> parse_program(SourceMap& sources, std::uint32_t file, const Parameters& overrides,
                                     Diagnostics& diagnostics, const FrontendOptions& options) {
  Resolution resolution{sources, file, diagnostics};
  resolution.may_lack_threads = options.may_lack_threads;
  resolution.models = options.models;
  resolution.algorithms = options.algorithms;
  const std::vector<std::uint32_t> order = load_modules(resolution, options.loader);
  if (diagnostics.any()) return {};
  resolve_program(resolution, order, overrides);
  if (diagnostics.any()) return {};
  check_calls(resolution, options.spin_await);
  if (diagnostics.any()) return {};
  drop_phantoms(resolution);
  return std::move(resolution.program);
}

std::optional<Program> parse_source(SourceMap& sources, std::uint32_t file, const Parameters& overrides,
                                    Diagnostics& diagnostics, const FrontendOptions& options) {
  if (!sources.name(file).ends_with(".litmus"))
    return parse_program(sources, file, overrides, diagnostics, options);
  if (!overrides.empty()) {
    diagnostics.error({file, 0, 0},
                      "a litmus test has no params: '" + overrides.begin()->first + "' cannot be set");
    return {};
  }
  return litmus::parse_test(sources, file, diagnostics);
}

}  // namespace heddle::lang
