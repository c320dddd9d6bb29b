// Expressions about one state of a program, typed in while the program is stopped: shared variables, locals
// of threads as `p.a`, params, constants and operators. As in `exists` conditions, but of any type.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "lang/diagnostics.hpp"
#include "lang/source.hpp"
#include "lang/tree.hpp"

namespace heddle::lang {

// Parses and resolves file number `file` of `sources` as one expression over the program's names. `sources`
// must also hold the program's own files, since messages may point there. Returns nothing exactly if
// `diagnostics` has an error afterwards. Never throws.
[[nodiscard]] std::optional<Expression> parse_state_expression(const Program& program,
                                                               const SourceMap& sources, std::uint32_t file,
                                                               Diagnostics& diagnostics);

// Where the values come from.
struct StateReader {
  std::function<std::int64_t(std::uint32_t location)> memory;
  std::function<std::int64_t(ThreadId thread, LocalId local, std::uint32_t element)> local;
};

// An index out of bounds or a division by zero.
struct EvaluationError {
  SourceRange range;
  std::string message;
};

// The expression's value, as the compiled program would compute it.
[[nodiscard]] std::variant<std::int64_t, EvaluationError> evaluate(const Program& program,
                                                                   const Expression& expression,
                                                                   const StateReader& reader);

}  // namespace heddle::lang
