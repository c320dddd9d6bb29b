// check() for other parts of the checker.
#pragma once

#include <functional>
#include <optional>

#include "heddle/heddle.h"

namespace heddle::checker {

// What a check looks for besides the options.
struct Wanted {
  std::optional<ViolationKind> only = {};  // violations of this kind only; see Search::look_only_for
  // Stops at the first complete execution for which it returns true, as a witness without a condition. Makes
  // the trace of each complete execution, which takes longer than exploring it.
  std::function<bool(const Trace&)> execution = {};
};

// As heddle::check.
[[nodiscard]] Result<CheckResult> check(const Program& program, const CheckOptions& options,
                                        const Wanted& wanted);

}  // namespace heddle::checker
