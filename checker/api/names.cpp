// Names of the public enumerations, exit codes, and the meaning of `expect` lines.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heddle/heddle.h"

namespace heddle {

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::safe: return "safe";
    case Verdict::safe_within_bounds: return "safe within bounds";
    case Verdict::violation: return "violation";
    case Verdict::undecided: return "undecided";
    case Verdict::vacuous: break;
  }
  return "vacuous";
}

std::string_view name(ExpectedOutcome outcome) {
  switch (outcome) {
    case ExpectedOutcome::safe: return "safe";
    case ExpectedOutcome::safe_within_bounds: return "safe within bounds";
    case ExpectedOutcome::vacuous: return "vacuous";
    case ExpectedOutcome::violation: return "violation";
    case ExpectedOutcome::deadlock: return "deadlock";
    case ExpectedOutcome::race: return "race";
    case ExpectedOutcome::never: return "never";
    case ExpectedOutcome::sometimes: return "sometimes";
    case ExpectedOutcome::always: return "always";
    case ExpectedOutcome::executions: return "executions";
    case ExpectedOutcome::terminates: return "terminates";
    case ExpectedOutcome::livelock: return "livelock";
    case ExpectedOutcome::starves: return "starves";
    case ExpectedOutcome::outcomes: break;
  }
  return "outcomes";
}

std::string_view name(BlockedBy by) {
  switch (by) {
    case BlockedBy::assume: return "assume";
    case BlockedBy::await: return "await";
    case BlockedBy::idle_round: return "idle round";
    case BlockedBy::loop_bound: return "loop bound";
    case BlockedBy::round_limit: break;
  }
  return "round limit";
}

std::string_view name(CountedAs unit) {
  switch (unit) {
    case CountedAs::interleaving: return "interleaving";
    case CountedAs::graph: return "graph";
    case CountedAs::reads_from_class: return "reads-from class";
    case CountedAs::path: break;
  }
  return "path";
}

std::string_view name(ViolationKind kind) {
  switch (kind) {
    case ViolationKind::assertion: return "assertion";
    case ViolationKind::deadlock: return "deadlock";
    case ViolationKind::index_out_of_bounds: return "index out of bounds";
    case ViolationKind::division_by_zero: return "division by zero";
    case ViolationKind::empty_choice: return "empty choice";
    case ViolationKind::unlock_not_owner: return "unlock by a non-owner";
    case ViolationKind::forall: return "forall";
    case ViolationKind::forbid: return "forbid";
    case ViolationKind::data_race: return "data race";
    case ViolationKind::invariant: return "invariant";
    case ViolationKind::livelock: return "livelock";
    case ViolationKind::starvation: return "starvation";
    case ViolationKind::temporal: return "temporal claim";
    case ViolationKind::not_robust: break;
  }
  return "not robust";
}

std::string_view name(StepKind kind) {
  switch (kind) {
    case StepKind::load: return "load";
    case StepKind::store: return "store";
    case StepKind::exchange: return "exchange";
    case StepKind::cas: return "cas";
    case StepKind::fetch: return "fetch";
    case StepKind::fence: return "fence";
    case StepKind::lock: return "lock";
    case StepKind::unlock: return "unlock";
    case StepKind::try_lock: return "trylock";
    case StepKind::choose: return "choose";
    case StepKind::buffered: return "buffered";
    case StepKind::flush: return "flush";
    case StepKind::failure: return "failure";
    case StepKind::final_: break;
  }
  return "final";
}

std::string_view name(CoverageKind kind) {
  switch (kind) {
    case CoverageKind::statement: return "statement";
    case CoverageKind::assertion: return "assertion";
    case CoverageKind::branch: return "branch";
    case CoverageKind::condition: break;
  }
  return "condition";
}

int exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::safe:
    case Verdict::safe_within_bounds: return 0;
    case Verdict::violation: return 1;
    case Verdict::undecided:
    case Verdict::vacuous: break;
  }
  return 3;
}

std::string to_text(const Errors& errors) {
  std::string text;
  for (const Diagnostic& error : errors) text += error.text;
  return text;
}

std::string_view version() { return HEDDLE_VERSION; }

std::string NamedValue::text() const {
  if (pending) return "pending";
  if (!symbol.empty()) return symbol;
  if (boolean) return value != 0 ? "true" : "false";
  return std::to_string(value);
}

namespace {

std::string found(const CheckResult& result) {
  if (result.violation) {
    return fmt::format(
        "violation: {}{}", result.violation->message,
        result.stopped_by.empty() ? "" : fmt::format(" (not finished: {})", result.stopped_by));
  }
  if (result.verdict == Verdict::undecided) return fmt::format("undecided ({})", result.stopped_by);
  if (result.verdict == Verdict::vacuous && !result.blocked.empty()) {
    const BlockedAt& place = result.blocked.front();
    return fmt::format("vacuous ({}:{}:{}: {})", place.file, place.line, place.column, place.source);
  }
  if (result.verdict == Verdict::safe_within_bounds)
    return fmt::format("safe within bounds ({})", fmt::join(result.bounds, "; "));
  return std::string(name(result.verdict));
}

// How often the program's `exists` held; there is nothing to observe without one or without final states.
std::string observed(const CheckResult& result) {
  if (result.verdict == Verdict::undecided || result.verdict == Verdict::vacuous) return found(result);
  for (const auto& condition : result.conditions) {
    if (condition.kind != "exists") continue;
    if (condition.total == 0) return "no final state";
    if (condition.satisfied == 0) return "never";
    return condition.satisfied == condition.total ? "always" : "sometimes";
  }
  return "no exists condition";
}

}  // namespace

std::string mismatch(const Expectation& expectation, const CheckResult& result) {
  const std::string wanted(name(expectation.outcome));
  const auto expect = [](bool met, const std::string& expected, const std::string& got) {
    return met ? std::string() : fmt::format("expected {}, found {}", expected, got);
  };
  const bool explored = result.stopped_by.empty();
  switch (expectation.outcome) {
    case ExpectedOutcome::safe: return expect(result.verdict == Verdict::safe, wanted, found(result));
    case ExpectedOutcome::safe_within_bounds:
      return expect(result.verdict == Verdict::safe || result.verdict == Verdict::safe_within_bounds, wanted,
                    found(result));
    case ExpectedOutcome::vacuous: return expect(result.verdict == Verdict::vacuous, wanted, found(result));
    case ExpectedOutcome::deadlock:
      return expect(result.violation && result.violation->kind == ViolationKind::deadlock, wanted,
                    found(result));
    case ExpectedOutcome::race:
      return expect(result.violation && result.violation->kind == ViolationKind::data_race, wanted,
                    found(result));
    case ExpectedOutcome::violation:
      return expect(result.violation && result.violation->message.find(expectation.text) != std::string::npos,
                    expectation.text.empty() ? wanted : fmt::format("violation \"{}\"", expectation.text),
                    found(result));
    case ExpectedOutcome::never:
    case ExpectedOutcome::sometimes:
    case ExpectedOutcome::always: return expect(observed(result) == wanted, wanted, observed(result));
    case ExpectedOutcome::executions:
      return expect(explored && result.counts.executions == expectation.count,
                    fmt::format("{} executions", expectation.count),
                    fmt::format("{} ({})", result.counts.executions, found(result)));
    case ExpectedOutcome::terminates:
      return expect(result.verdict == Verdict::safe || result.verdict == Verdict::safe_within_bounds, wanted,
                    found(result));
    case ExpectedOutcome::livelock:
      return expect(result.violation && result.violation->kind == ViolationKind::livelock, wanted,
                    found(result));
    case ExpectedOutcome::starves:
      return expect(result.violation && result.violation->kind == ViolationKind::starvation &&
                        result.violation->message.find(expectation.text) != std::string::npos,
                    expectation.text.empty() ? wanted : fmt::format("starves \"{}\"", expectation.text),
                    found(result));
    case ExpectedOutcome::outcomes: break;
  }
  return expect(explored && result.outcomes.size() == expectation.count,
                fmt::format("{} outcomes", expectation.count),
                fmt::format("{} ({})", result.outcomes.size(), found(result)));
}

}  // namespace heddle
