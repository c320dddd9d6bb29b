// Final states of a check, restricted to selected variables (--only).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/options.hpp"
#include "heddle/heddle.h"

namespace heddle::cli {

// Full names of the variables in `only`: the name of an array selects all its elements. All variables if
// `only` is empty; unknown names are errors.
[[nodiscard]] std::variant<std::vector<std::string>, UsageError> choose_variables(
    const Program& program, const std::vector<std::string>& only);

// The outcomes restricted to these variables, in their order. Outcomes that become equal are merged, with the
// sum of their executions. Sorted by values.
[[nodiscard]] std::vector<Outcome> project(const std::vector<Outcome>& outcomes,
                                           const std::vector<std::string>& variables);

}  // namespace heddle::cli
