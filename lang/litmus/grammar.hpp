// From tokens to the parse tree of lang/litmus/syntax.hpp: the parts that all flavours of the format share,
// and one cell of an assembly program.
#pragma once

#include <vector>

#include "lang/litmus/grammar_parts.hpp"

namespace heddle::lang::litmus {

// Each reads the tokens from `first` up to `last`, which must be readable. What it returns is meaningful only
// if no error was reported. Never throws; stack use is bounded by limits::nesting, time is linear.
// The initial values with the `}` behind them.
[[nodiscard]] std::vector<InitialValue> parse_initial_values(ParserState& state, const Token* first,
                                                             const Token* last);
[[nodiscard]] Line parse_line(ParserState& state, const Token* first, const Token* last);
[[nodiscard]] Constraint parse_constraint(ParserState& state, const Token* first, const Token* last);

// Does a `locations`, `filter` or quantified condition begin here?
[[nodiscard]] bool begins_constraint(const Token* token);

}  // namespace heddle::lang::litmus
