#include "tests/power_oracle/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "checker/api/state.hpp"

namespace heddle::power_oracle {

namespace {

using Values = std::vector<std::int64_t>;

constexpr std::uint64_t most_transitions = 20'000'000;

bool has_store_fence(const std::vector<lang::Statement>& statements) {
  return std::ranges::any_of(statements, [](const lang::Statement& s) {
    return (s.kind == lang::StatementKind::fence && s.fence == lang::FenceKind::store_store) ||
           has_store_fence(s.body) || has_store_fence(s.otherwise);
  });
}

bool has_store_fence(const lang::Program& program) {
  const auto in = [](const auto& code) { return has_store_fence(code.body.statements); };
  return std::ranges::any_of(program.functions, in) || std::ranges::any_of(program.templates, in);
}

std::string text(const Values& values) {
  std::string result;
  for (const std::int64_t value : values) result += fmt::format(" {}", value);
  return result;
}

class Comparing {
 public:
  Comparing(const Program& program, const Judgement& judgement)
      : program_(program),
        tree_(state_of(program).tree),
        judgement_(judgement),
        equal_(!has_store_fence(tree_)) {}

  std::string run() {
    std::string all;
    for (const auto& algorithm : algorithms()) {
      if (!why_not("power", algorithm.name).empty()) continue;
      const auto difference = with(std::string(algorithm.name));
      if (!difference.empty()) all += fmt::format("{}:\n{}", algorithm.name, difference);
    }
    return all;
  }

 private:
  std::string with(const std::string& algorithm) {
    CheckOptions options;
    options.model = "power";
    options.algorithm = algorithm;
    options.keep_going = true;
    options.collect_outcomes = true;
    options.progress = [](const Progress& progress) { return progress.transitions < most_transitions; };
    const auto result = check(program_, options);
    if (!result) return "  refused: " + result.error().front().text;
    if (!result->stopped_by.empty()) return {};  // too large for this algorithm
    const bool merges = algorithm == "sdpor" || !result->waiting_loops.empty();
    std::string wrong = outcomes(*result) + counts(*result, algorithm == "rf", merges);
    const Violation* violation = nullptr;
    bool race = false;
    for (const Violation& found : result->violations) {
      if (found.kind == ViolationKind::data_race) {
        race = true;
      } else if (violation == nullptr) {
        violation = &found;
      }
    }
    if ((violation != nullptr) != judgement_.violation() && (equal_ || violation != nullptr))
      wrong += fmt::format("  violation: {}, by the axioms: {}\n",
                           violation != nullptr ? violation->message : "none",
                           judgement_.violation() ? violations(judgement_) : "none");
    // The axioms see the races of complete executions only.
    if (equal_ && judgement_.race && !race) wrong += "  misses a data race\n";
    for (std::size_t i = 0; i < result->conditions.size(); ++i) {
      const auto& ours = judgement_.conditions[i];
      const auto& theirs = result->conditions[i];
      const bool same = (theirs.satisfied > 0) == (ours.satisfied > 0) &&
                        (theirs.satisfied == theirs.total) == (ours.satisfied == ours.total);
      if (equal_ && !same)
        wrong += fmt::format("  condition {}: {} of {}, by the axioms {} of {}\n", i, theirs.satisfied,
                             theirs.total, ours.satisfied, ours.total);
    }
    return wrong;
  }

  std::string outcomes(const CheckResult& result) const {
    std::set<Values> found;
    for (const Outcome& outcome : result.outcomes) {
      Values values;
      for (const auto& value : outcome.values) values.push_back(value.value);
      found.insert(std::move(values));
    }
    std::string wrong;
    for (const auto& values : found) {
      if (!judgement_.outcomes.contains(values))
        wrong += fmt::format("  forbidden outcome:{}\n", text(values));
    }
    for (const auto& [values, count] : judgement_.outcomes) {
      if (equal_ && !found.contains(values)) wrong += fmt::format("  missing outcome:{}\n", text(values));
    }
    return wrong;
  }

  // `merges`: paths end at known states, and some of the executions with them; or threads wait at loops, and executions that
  // differ in failing rounds are one.
  std::string counts(const CheckResult& result, bool classes, bool merges) const {
    const std::uint64_t allowed = classes ? judgement_.classes : judgement_.executions;
    const std::uint64_t found = result.counts.executions;
    // What `final` reads may differ within a class.
    if (classes && tree_.final_block) return {};
    if (equal_ && !merges ? found == allowed : found <= allowed) return {};
    return fmt::format("  {} executions, by the axioms {}\n", found, allowed);
  }

 public:
  static std::string violations(const Judgement& judgement) {
    std::string result;
    for (const Finding& finding : judgement.findings)
      result += fmt::format("{} at {} \"{}\"; ", static_cast<int>(finding.failure), finding.range.begin,
                            finding.text);
    if (judgement.condition_violated) result += "condition; ";
    if (judgement.deadlock) result += "deadlock; ";
    return result;
  }

 private:
  const Program& program_;
  const lang::Program& tree_;
  const Judgement& judgement_;
  bool equal_;
};

}  // namespace

Comparison compare(const Program& program, const Options& options) {
  Comparison result;
  for (const auto& thread : state_of(program).tree.templates) {
    if (!thread.is_daemon) continue;
    result.skipped = "the oracle has no daemons";
    return result;
  }
  try {
    auto with_bound = options;
    with_bound.unroll = state_of(program).options.unroll;
    result.judgement = judge(state_of(program).tree, with_bound);
  } catch (const TooLarge& reason) {
    result.skipped = reason.what();
    return result;
  }
  result.difference = Comparing(program, result.judgement).run();
  return result;
}

std::string describe(const Program& program, const Judgement& judgement) {
  std::string result =
      fmt::format("{} executions, {} classes, {} final states, {} candidates\n", judgement.executions,
                  judgement.classes, judgement.outcomes.size(), judgement.candidates);
  for (const auto& [values, count] : judgement.outcomes)
    result += fmt::format(" {}: {}\n", text(values), count);
  for (const auto& condition : judgement.conditions)
    result += fmt::format("  condition: {} of {}\n", condition.satisfied, condition.total);
  result += "  violations: " + Comparing::violations(judgement) + "\n";
  static_cast<void>(program);
  return result;
}

}  // namespace heddle::power_oracle
