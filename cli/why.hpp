// heddle why: how its answer is shown. See heddle/why.h for the answer itself.
#pragma once

#include <string>

#include "cli/report.hpp"
#include "heddle/heddle.h"
#include "heddle/why.h"

namespace heddle::cli {

[[nodiscard]] std::string why_text(const Program& program, const Why& why, const Style& style);
[[nodiscard]] std::string why_json(const Program& program, const Why& why);

// The first execution for Graphviz, with the cycle in bold; empty if there is none.
[[nodiscard]] std::string why_dot(const Program& program, const Why& why);
// A page with the text and a picture of each of the first executions; needs no network and no scripts.
[[nodiscard]] std::string why_page(const Program& program, const Why& why);

// "allowed under tso: p.a == 0", "forbidden ...", "undecided (timeout) ...".
[[nodiscard]] std::string why_headline(const Why& why);

// The events of a cycle, each with the edge that leaves it, as lines of text.
[[nodiscard]] std::vector<std::string> cycle_lines(const Program& program, const Trace& trace,
                                                   const std::vector<CycleEdge>& cycle);

// How many executions text and page show; JSON has all that were returned.
inline constexpr std::size_t most_executions_shown = 3;

}  // namespace heddle::cli
