// Final states of a check, cut down to the variables that somebody wants to see.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/options.hpp"
#include "heddle/heddle.h"

namespace heddle::cli {

// Full names of the variables that `only` means: "flag" is all of an array's elements. All of them if `only`
// is empty; an error for a name that the program has not.
[[nodiscard]] std::variant<std::vector<std::string>, UsageError> choose_variables(
    const Program& program, const std::vector<std::string>& only);

// The outcomes with these variables only, in their order; those that have become equal are one, with the
// executions of all. Sorted by values.
[[nodiscard]] std::vector<Outcome> project(const std::vector<Outcome>& outcomes,
                                           const std::vector<std::string>& variables);

}  // namespace heddle::cli
