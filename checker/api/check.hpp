// check() for other parts of the checker.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "checker/api/state.hpp"
#include "heddle/heddle.h"

namespace heddle::checker {

class Search;
struct Cell;

// What ends the loops of the image that such a check runs. Idle rounds do where an execution without them shows the same: no
// switch between threads becomes a preemption, no cycle is missing, and no run of a random search is lost.
[[nodiscard]] Loops loops_of(const CheckOptions& options, const AlgorithmInfo& algorithm);

// What the program's atomic blocks are for a pair that exists.
[[nodiscard]] Blocks blocks_of(const Program& program, std::string_view model, std::string_view algorithm);

// Why critical sections cannot stand for the program's atomic blocks (compiler/atomic.cpp); empty if they can, or if there are
// none.
[[nodiscard]] std::string why_no_sections(const Program& program);

// The model whose executions are explored for those of this one: "sc" for models that run ahead, if threads access variables in
// atomic blocks only, which are full fences; else the model.
[[nodiscard]] std::string_view explored_model(const Program& program, std::string_view model);

// As heddle::check. `only`: violations of this kind only; see Search::look_only_for. `explore`, if it is not null,
// takes the place of the cell's function, which explores all of the search; false: the result is not needed.
[[nodiscard]] Result<CheckResult> check(const Program& program, const CheckOptions& options,
                                        std::optional<ViolationKind> only,
                                        const std::function<bool(const Cell&, Search&)>& explore = {});

}  // namespace heddle::checker
