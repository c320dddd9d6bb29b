// Parses tokens into the tree of lang/litmus/syntax.hpp: the parts shared by all flavours of the format, and
// one cell of an assembly program.
#pragma once

#include <vector>

#include "lang/litmus/grammar_parts.hpp"

namespace heddle::lang::litmus {

// Each function parses the tokens from `first` up to `last`; `*last` must be readable. The result is
// meaningful only if no error was reported. Never throws; stack use is bounded by limits::nesting, time is
// linear.
//
// The initial values and the `}` after them.
[[nodiscard]] std::vector<InitialValue> parse_initial_values(ParserState& state, const Token* first,
                                                             const Token* last);
[[nodiscard]] Line parse_line(ParserState& state, const Token* first, const Token* last);
[[nodiscard]] Constraint parse_constraint(ParserState& state, const Token* first, const Token* last);

// Whether a `locations`, `filter` or quantified condition begins here.
[[nodiscard]] bool begins_constraint(const Token* token);

}  // namespace heddle::lang::litmus
