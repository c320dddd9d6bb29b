// From tokens to the parse tree.
#pragma once

#include <span>

#include "lang/diagnostics.hpp"
#include "lang/source.hpp"
#include "lang/syntax.hpp"
#include "lang/token.hpp"

namespace heddle::lang {

// `tokens` must end in a token of kind `end`. After a syntax error, parsing resumes at the next statement or
// item so that one run reports several errors; the tree is meaningful only if there was none. Never throws;
// stack use is bounded by limits::nesting, time is linear.
[[nodiscard]] syntax::File parse_syntax(std::span<const Token> tokens, const SourceMap& sources,
                                        std::uint32_t file, Diagnostics& diagnostics);

// The same for a text that is one expression.
[[nodiscard]] syntax::Expression parse_expression_syntax(std::span<const Token> tokens,
                                                         const SourceMap& sources, std::uint32_t file,
                                                         Diagnostics& diagnostics);

}  // namespace heddle::lang
