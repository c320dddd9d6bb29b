// What is probably not meant in a program that compiles.
//
//   for (const auto& warning : heddle::lint(*program)) std::cerr << warning.diagnostic.text;
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {

enum class LintRule : std::uint8_t {
  unused_name,     // declared, never used
  lost_update,     // `x += 1` or `x = x + 1` with a write of another thread between the load and the store
  needless_fence,  // no model shows a difference without it
  hopeless_await,  // no thread ever writes a value that the await waits for
  vacuous,         // under `sc` no execution comes to its end, so a check checks nothing
};
[[nodiscard]] std::string_view name(LintRule rule);  // "unused name"

struct LintWarning {
  LintRule rule = LintRule::unused_name;
  Diagnostic diagnostic;  // its text says "warning"
};

struct LintOptions {
  double timeout = 2;                // seconds for each of the checks that a question takes
  std::function<bool()> go_on = {};  // asked now and then; false: no further questions
  // Called for each question whose check reaches a limit: there is no warning then, nor does that mean that
  // all is well.
  std::function<void(const Diagnostic&)> left_open = {};
};

// The warnings about the program's own file, not those about what it imports, in the order of the text. What
// is decided, exactly, stands in docs/language.md. A question whose check reaches a limit is left open: no
// warning. Takes up to 3 x (fences + 1) x (models) x (sets of parameters in expect lines) checks, and one
// more for each update of shared data. A litmus test gets none.
[[nodiscard]] std::vector<LintWarning> lint(const Program& program, const LintOptions& options = {});

}  // namespace heddle
