#include "cli/litmus.hpp"

#include <fmt/format.h>

#include "cli/text.hpp"

namespace heddle::cli {

LitmusVerdict judge_litmus(const Program& program, const CheckResult& result) {
  LitmusVerdict verdict;
  verdict.holds = result.counts.executions;
  for (const ConditionCount& condition : result.conditions) {
    if (condition.kind == "filter") continue;
    verdict.holds = condition.satisfied;
    verdict.others = condition.total - condition.satisfied;
  }
  switch (program.litmus()->kind) {
    case LitmusKind::exists: verdict.ok = verdict.holds > 0; break;
    case LitmusKind::not_exists: verdict.ok = verdict.holds == 0; break;
    case LitmusKind::none:
    case LitmusKind::forall: verdict.ok = verdict.others == 0; break;
  }
  // An observed state settles the condition early; the absence of one is known only at the end.
  const bool certain = result.finished || (verdict.holds > 0 && verdict.others > 0) ||
                       (program.litmus()->kind == LitmusKind::exists ? verdict.ok : !verdict.ok);
  verdict.decided = certain;
  verdict.observation = verdict.holds > 0 && verdict.others > 0 ? "Sometimes"
                        : !result.finished                      ? "Undecided"
                        : verdict.holds == 0                    ? "Never"
                        : verdict.others == 0                   ? "Always"
                                                                : "Sometimes";
  return verdict;
}

std::optional<UsageError> refuse_litmus(const std::string& file) {
  if (!file.ends_with(".litmus")) return {};
  return UsageError{fmt::format("{} is a litmus test, not a .hed program", clean(file)),
                    "heddle translate converts it to a .hed program"};
}

std::string format_state(const Outcome& outcome) {
  std::string text;
  for (const NamedValue& value : outcome.values) {
    text += fmt::format("{}{}={};", text.empty() ? "" : " ", value.name, value.text());
  }
  return text;
}

}  // namespace heddle::cli
