// Pictures of a trace: the execution graph for Graphviz, and a page for a browser.
#pragma once

#include <string>
#include <variant>

#include "cli/files.hpp"
#include "cli/options.hpp"
#include "heddle/graph.h"
#include "heddle/heddle.h"

namespace heddle::cli {

// The execution graph in Graphviz's language: a column for each thread, colours for rf, co and fr.
[[nodiscard]] std::string dot_picture(const CheckResult& result, const ExecutionGraph& graph,
                                      const std::string& file);

// One page without network access: the trace as lanes with a slider, store buffers, memory, the source and
// the execution graph (left out if there is none). The source is read from the files that the steps name; one
// that cannot be read is left out.
[[nodiscard]] std::string html_page(const Program& program, const CheckResult& result, const Options& options,
                                    const ExecutionGraph* graph);

}  // namespace heddle::cli
