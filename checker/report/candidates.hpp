// Candidate executions, cycles and changes of fences as users read them: for heddle::why.
#pragma once

#include <vector>

#include "checker/candidates/candidates.hpp"
#include "checker/candidates/changes.hpp"
#include "heddle/why.h"

namespace heddle::checker {

// The candidate as a trace in the form of commit order: thread by thread in program order, step i for access
// i. `memory` and the ends of threads are those after the execution.
[[nodiscard]] Trace describe(const Image& image, const Candidate& candidate);

// The edges of a cycle between different steps.
[[nodiscard]] std::vector<WhyEdge> describe(const Image& image, const Candidate& candidate,
                                            const axioms::Cycle& cycle);

// A statement in the source text.
struct StatementPlace {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string source;
};
// `main_file`: places in it are named by their lines only. `statements`: what Change::place refers to.
[[nodiscard]] WhyChange describe(const Image& image, const std::string& main_file, const Change& change,
                                 const std::vector<StatementPlace>& statements);

}  // namespace heddle::checker
