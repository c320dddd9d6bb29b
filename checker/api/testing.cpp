// See include/heddle/testing.h.
#include "heddle/testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace heddle {

namespace {

std::string values(const std::vector<NamedValue>& list) {
  std::string text;
  for (const NamedValue& value : list)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", value.name, value.text());
  return text;
}

}  // namespace

std::string to_text(const Trace& trace) {
  std::size_t width = 5;
  for (const std::string& thread : trace.threads) width = std::max(width, thread.size());
  std::string text;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const Step& step = trace.steps[i];
    const std::string thread =
        step.thread < 0 ? "final" : trace.threads[static_cast<std::size_t>(step.thread)];
    text += fmt::format("  {:>3}  {:<{}}  {}  (line {}: {})\n", i + 1, thread, width, step.action, step.line,
                        step.source);
  }
  text += fmt::format("  memory: {}\n", values(trace.memory));
  for (const ThreadEnd& end : trace.ends) {
    text += fmt::format("  {}: {}", end.thread, end.state);
    if (!end.locals.empty()) text += fmt::format("; {}", values(end.locals));
    if (!end.buffered.empty()) text += fmt::format("; buffered: {}", values(end.buffered));
    text += '\n';
  }
  return text;
}

std::string expectation(const Program& program, std::string_view model, ExpectedOutcome outcome,
                        std::string_view text, CheckOptions options) {
  options.model = model;
  // Conditions need all executions, so a violation must not end the check.
  if (outcome == ExpectedOutcome::never || outcome == ExpectedOutcome::sometimes ||
      outcome == ExpectedOutcome::always)
    options.keep_going = true;
  const auto result = check(program, options);
  if (!result) return result.error().front().text;
  Expectation expected;
  expected.outcome = outcome;
  expected.text = text;
  const std::string difference = mismatch(expected, *result);
  if (difference.empty()) return {};
  std::string report = fmt::format("{} under {}: {}\n", program.name(), model, difference);
  if (result->violation) report += to_text(result->violation->trace);
  return report;
}

std::string expectation(const Result<Program>& program, std::string_view model, ExpectedOutcome outcome,
                        std::string_view text, CheckOptions options) {
  if (program) return expectation(*program, model, outcome, text, std::move(options));
  return to_text(program.error());
}

}  // namespace heddle
