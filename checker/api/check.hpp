// check() for other parts of the checker.
#pragma once

#include <optional>

#include "heddle/heddle.h"

namespace heddle::checker {

// As heddle::check. `only`: violations of this kind only; see Search::look_only_for.
[[nodiscard]] Result<CheckResult> check(const Program& program, const CheckOptions& options,
                                        std::optional<ViolationKind> only);

}  // namespace heddle::checker
