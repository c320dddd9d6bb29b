// Warnings about programs that compile but probably do not say what their author means.
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
  vacuous,         // under `sc` no execution completes, so a check checks nothing
  missing_fence,   // a model that its expect lines do not mention needs a fence, or a stronger one
};
[[nodiscard]] std::string_view name(LintRule rule);  // "unused name"

struct LintWarning {
  LintRule rule = LintRule::unused_name;
  Diagnostic diagnostic;  // its text says "warning"
};

struct LintOptions {
  double timeout = 2;                // seconds for each check
  std::function<bool()> go_on = {};  // called between checks; false: stop
  // Called for each possible warning whose check reaches the limit: the question stays open.
  std::function<void(const Diagnostic&)> left_open = {};
  // Called for what is no mistake but worth knowing: fences that may be weaker, fences that only one model
  // needs.
  std::function<void(const Diagnostic&)> noted = {};
  // Called at most once, at the end, with the text of the file without its needless fences and with weaker
  // ones where they do, and with the number of changes. All changes together leave the final states and the
  // verdict under every model as they are. Not called if there is nothing to change.
  std::function<void(const std::string& text, std::size_t changes)> fixed = {};
};

// The warnings about the program's own file, without its imports, in the order of the text. docs/language.md
// defines each. A check that reaches its limit gives no warning. Takes up to 3 x (fences + 1) x (models) x
// (sets of parameters in expect lines) checks, and one more for each update of shared data. Litmus tests get
// no warnings. Looking for missing fences, and for weaker ones if there is a use for them, takes find_fences()
// (heddle/fences.h) up to four times, each with five times the limit of a check. Cannot fail, so no Result.
[[nodiscard]] std::vector<LintWarning> lint(const Program& program, const LintOptions& options = {});

}  // namespace heddle
