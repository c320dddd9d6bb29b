// The report for people; see report.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "cli/report.hpp"
#include "cli/text.hpp"
#include "cli/why.hpp"

namespace heddle::cli {
namespace {

Colour colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::safe: return Colour::green;
    case Verdict::safe_within_bounds:
    case Verdict::vacuous:
    case Verdict::undecided: return Colour::yellow;
    case Verdict::violation: return Colour::red;
  }
  return Colour::none;
}

std::string format_verdict(const Program& program, const CheckResult& result, const Style& style) {
  std::string text =
      fmt::format("{}: {}{}{}", one_line(program.name()), style.paint.begin(colour_of(result.verdict)),
                  name(result.verdict), style.paint.end(colour_of(result.verdict)));
  if (!result.stopped_by.empty()) {
    text += fmt::format("{}, stopped by: {}",
                        result.verdict == Verdict::undecided ? "" : ", but the search has not finished",
                        one_line(result.stopped_by));
  }
  if (result.robust) text += *result.robust ? ", robust" : ", not robust";
  if (result.robust && result.robust_states) text += " in its final states";
  std::string model = result.model;
  if (!result.explored_as.empty()) model += ", explored as " + result.explored_as;
  if (result.random) return fmt::format("{} (model {}, random, seed {})\n", text, model, result.random->seed);
  return fmt::format("{} (model {}, algorithm {})\n", text, model, result.algorithm);
}

// What a random search is worth.
std::string format_random(const CheckResult& result) {
  std::string text = fmt::format("{} of {}, depth {}", counted(result.counts.runs, "run"),
                                 grouped(result.random->runs), result.random->depth);
  if (result.least_probability <= 0) return text + "; the chance of a violation is not known";
  return text + fmt::format("; a run finds a violation of this depth with a probability of at least {:.2g}",
                            result.least_probability);
}

std::string format_blocked(const Counts& counts) {
  const std::pair<std::uint64_t, std::string_view> causes[] = {
      {counts.blocked_assume, "by an assume"},
      {counts.blocked_await, "by an await whose condition was false when read"},
      {counts.blocked_idle, "by an idle round"},
      {counts.blocked_sleep_set, "redundant (sleep set)"},
      {counts.blocked_race, "races and locks that the model forbids"},
      {counts.blocked_loop_bound, "by the loop bound"},
      {counts.blocked_preemption_bound, "by the preemption bound"},
  };
  std::uint64_t sum = 0;
  std::vector<std::string> parts;
  for (const auto& [number, cause] : causes) {
    sum += number;
    if (number > 0) parts.push_back(fmt::format("{} {}", grouped(number), cause));
  }
  if (parts.empty()) return "0";
  if (parts.size() == 1) return parts.front();
  return fmt::format("{}: {}", grouped(sum), join(parts, ", "));
}

std::string format_counts(const Program& program, const CheckResult& result, const Style& style) {
  const Counts& counts = result.counts;
  std::vector<std::pair<std::string_view, std::string>> lines;
  if (!program.parameters().empty()) {
    std::vector<std::string> parts;
    for (const auto& [parameter, value] : program.parameters()) {
      parts.push_back(fmt::format("{} = {}", one_line(parameter), value));
    }
    lines.emplace_back("parameters", join(parts, ", "));
  }
  if (result.random) lines.emplace_back("random", format_random(result));
  lines.emplace_back("executions", fmt::format("{} complete", grouped(counts.executions)));
  if (counts.representatives < counts.executions) {
    lines.back().second += fmt::format(", {} explored (equal threads)", grouped(counts.representatives));
  }
  if (counts.beyond_bound > 0) {
    lines.back().second += fmt::format(", and {} beyond the preemption bound", grouped(counts.beyond_bound));
  }
  lines.emplace_back("blocked", format_blocked(counts));
  if (program.spin_loops() > 0) {
    lines.emplace_back("spin loops", fmt::format("{} treated as await", grouped(program.spin_loops())));
  }
  std::vector<std::string> waiting, trying;  // places of retry loops
  std::uint32_t number = 0;
  for (const RetryLoop& loop : program.retry_loops()) {
    const std::string line = std::to_string(loop.line);
    const bool waits = std::ranges::binary_search(result.waiting_loops, number++);
    (waits ? waiting : trying)
        .push_back(loop.file == program.name() ? "line " + line : one_line(loop.file) + ":" + line);
  }
  if (!waiting.empty()) {
    lines.emplace_back("retry loops",
                       fmt::format("{} treated as await: {}", grouped(waiting.size()), join(waiting, ", ")));
  }
  if (counts.blocked_idle > 0) {
    lines.emplace_back("retry loops", fmt::format("{}, executions end at rounds that change nothing: {}",
                                                  grouped(trying.size()), join(trying, ", ")));
  }
  if (counts.states > 0) {
    lines.emplace_back("states", fmt::format("{} distinct, {} revisits, {}", grouped(counts.states),
                                             grouped(counts.revisits), counted(counts.runs, "run")));
  }
  if (counts.buffer_bound_flushes > 0) {
    lines.emplace_back("buffers",
                       counted(counts.buffer_bound_flushes, "store") + " forced out by the buffer bound");
  }
  for (const GivenUp& other : result.given_up) {
    lines.emplace_back("given up",
                       fmt::format("{} after {}", other.algorithm, counted(other.transitions, "transition")));
  }
  lines.emplace_back("transitions", fmt::format("{}, at most {} on a path", grouped(counts.transitions),
                                                grouped(counts.max_depth)));
  if (counts.peak_memory > 0) lines.emplace_back("memory", byte_size(counts.peak_memory));
  std::string time = duration(result.seconds);
  if (result.threads > 1) time += fmt::format(" by {} threads", result.threads);
  if (result.seconds >= 0.1 && counts.representatives > 0) {
    time += fmt::format(", {} executions a second",
                        magnitude(static_cast<double>(counts.representatives) / result.seconds));
  }
  lines.emplace_back("time", std::move(time));
  std::string text;
  for (const auto& [label, body] : lines) {
    text += fmt::format("  {:<11}  {}\n", label, wrap(body, style.width, 15));
  }
  return text;
}

// "never (0 of 3 executions)"; for an unfinished search "never so far (0 of 3 executions)".
std::string frequency(const ConditionCount& condition, bool finished) {
  const std::string executions = counted(condition.total, "execution");
  if (condition.satisfied > 0 && condition.satisfied < condition.total)
    return fmt::format("sometimes ({} of {}{})", grouped(condition.satisfied), executions,
                       finished ? "" : " so far");
  const std::string_view so_far = finished ? "" : " so far";
  const std::string_view word = condition.total == 0       ? "not judged"
                                : condition.satisfied == 0 ? "never"
                                                           : "always";
  return fmt::format("{}{} ({} of {})", word, so_far, grouped(condition.satisfied), executions);
}

}  // namespace

std::string format_conditions(const CheckResult& result, const Style& style) {
  if (result.conditions.empty()) return {};
  std::string text = "\nConditions:\n";
  for (const ConditionCount& condition : result.conditions) {
    std::string source = one_line(condition.source);
    while (source.ends_with(';') || source.ends_with(' ')) source.pop_back();
    if (!source.starts_with(condition.kind)) source = fmt::format("{} {}", condition.kind, source);
    const std::string line = fmt::format("{}: {}", source, frequency(condition, result.finished));
    text += fmt::format("  {}\n", wrap(line, style.width, 2));
  }
  return text;
}

std::string format_outcomes(const std::vector<Outcome>& outcomes, const Style& style) {
  std::string text = fmt::format("\n{}:\n", counted(outcomes.size(), "distinct final state"));
  if (outcomes.empty()) return text;
  std::size_t count_width = display_width("executions");
  for (const Outcome& outcome : outcomes) {
    count_width = std::max(count_width, display_width(grouped(outcome.executions)));
  }
  std::vector<std::size_t> widths;
  for (const NamedValue& value : outcomes.front().values)
    widths.push_back(display_width(one_line(value.name)));
  bool same_names = true;
  for (const Outcome& outcome : outcomes) {
    same_names = same_names && outcome.values.size() == widths.size();
    for (std::size_t i = 0; same_names && i < widths.size(); ++i) {
      same_names = outcome.values[i].name == outcomes.front().values[i].name;
      widths[i] = std::max(widths[i], outcome.values[i].text().size());
    }
  }
  // `heddle outcomes --witness N` refers to rows by their numbers.
  const std::size_t number_width = grouped(outcomes.size()).size();
  std::size_t width = 2 + number_width + 2 + count_width;
  for (const std::size_t column : widths) width += 2 + column;
  const auto begin_row = [&](std::string_view number, std::string_view count) {
    text += "  " + pad_left(number, number_width) + "  " + pad_left(count, count_width);
  };
  begin_row("#", "executions");
  std::size_t number = 0;
  if (!same_names || width > style.width) {
    text += "  state\n";
    for (const Outcome& outcome : outcomes) {
      begin_row(grouped(++number), grouped(outcome.executions));
      text += "  " + wrap(format_values(outcome.values), style.width, number_width + count_width + 6) + "\n";
    }
    return text;
  }
  for (std::size_t i = 0; i < widths.size(); ++i) {
    text += "  " + pad_left(one_line(outcomes.front().values[i].name), widths[i]);
  }
  text += '\n';
  for (const Outcome& outcome : outcomes) {
    begin_row(grouped(++number), grouped(outcome.executions));
    for (std::size_t i = 0; i < widths.size(); ++i)
      text += "  " + pad_left(outcome.values[i].text(), widths[i]);
    text += '\n';
  }
  return text;
}

namespace {

std::string place_of(const Program& program, const Violation& violation) {
  if (violation.line == 0) return {};
  return fmt::format("{}:{}:{}: ", one_line(violation.file.empty() ? program.name() : violation.file),
                     violation.line, violation.column);
}

std::string message_of(const Violation& violation) {
  return one_line(violation.message.empty() ? name(violation.kind) : std::string_view(violation.message));
}

// All distinct violations; the trace of the selected one follows.
std::string format_violations(const Program& program, const std::vector<Violation>& violations,
                              const Style& style) {
  constexpr std::size_t most = 20;
  std::string text =
      fmt::format("\n{}:\n", violations.size() == 1 ? std::string("1 violation")
                                                    : counted(violations.size(), "distinct violation"));
  const std::size_t width = grouped(violations.size()).size();
  for (std::size_t i = 0; i < violations.size() && i < most; ++i) {
    const Violation& violation = violations[i];
    const std::string line = fmt::format("{}{} (met {})", place_of(program, violation), message_of(violation),
                                         counted(violation.count, "time"));
    text += fmt::format("  {}  {}\n", pad_left(grouped(i + 1), width), wrap(line, style.width, 4 + width));
  }
  if (violations.size() > most) text += fmt::format("  and {} more\n", grouped(violations.size() - most));
  return text;
}

}  // namespace

std::string format_cycle(const Program& program, const Violation& violation, const Style& style) {
  if (violation.cycle.empty()) return {};
  std::string text = "\nThe cycle that SC excludes:\n";
  for (const std::string& line : cycle_lines(program, violation.trace, violation.cycle))
    text += fmt::format("  {}\n", shorten(line, style.width - 2));
  return text;
}

std::string format_violation(const Program& program, const Violation& violation, const Style& style) {
  return fmt::format("{}{}violation: {}{}\n\n{}", place_of(program, violation),
                     style.paint.begin(Colour::red), message_of(violation), style.paint.end(Colour::red),
                     format_trace(violation.trace, program.name(), style)) +
         format_commit_graph(violation.trace) + format_cycle(program, violation, style);
}

namespace {

bool is_bound(BlockedBy by) { return by == BlockedBy::loop_bound || by == BlockedBy::round_limit; }

std::string format_bounds(const CheckResult& result, const Style& style) {
  if (result.bounds.empty()) return {};
  std::string text = "\nBounds:\n";
  for (const std::string& bound : result.bounds) {
    text += fmt::format("  {}\n", wrap(one_line(bound), style.width, 2));
  }
  if (result.verdict == Verdict::vacuous) return text;  // it names the places already
  std::vector<BlockedAt> loops;
  std::copy_if(result.blocked.begin(), result.blocked.end(), std::back_inserter(loops),
               [](const BlockedAt& place) { return is_bound(place.by); });
  return text + format_places(loops, style);
}

}  // namespace

std::string format_places(const std::vector<BlockedAt>& places, const Style& style) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(places.size(), most); ++i) {
    const BlockedAt& place = places[i];
    const std::string line =
        fmt::format("{}:{}:{}: {}, in {}: {}", one_line(place.file), place.line, place.column,
                    one_line(place.source), one_line(place.thread), counted(place.executions, "execution"));
    text += fmt::format("    {}\n", wrap(line, style.width, 6));
  }
  if (places.size() > most) text += fmt::format("    and {} more\n", counted(places.size() - most, "place"));
  return text;
}

std::string format_vacuity(const CheckResult& result, const Style& style) {
  if (result.verdict != Verdict::vacuous) return {};
  std::string text = "\nNo execution is complete, so nothing was checked.";
  if (!result.blocked.empty()) text += " Where they ended:";
  return text + "\n" + format_places(result.blocked, style);
}

std::string witness_message(const Witness& witness) {
  if (witness.condition.empty()) return "an execution that ends in this state";
  return fmt::format("an execution that satisfies '{}'", one_line(witness.condition));
}

std::string format_witness(const Program& program, const Witness& witness, const Style& style) {
  return fmt::format("\n{}{}:{}\n\n{}", style.paint.begin(Colour::bold), witness_message(witness),
                     style.paint.end(Colour::bold), format_trace(witness.trace, program.name(), style)) +
         format_commit_graph(witness.trace);
}

std::string text_report(const Program& program, const CheckResult& result, const Style& style,
                        const std::string& shows_witness) {
  std::string text = format_verdict(program, result, style);
  text += format_counts(program, result, style);
  text += format_vacuity(result, style);
  if (!result.grows.empty())
    text += fmt::format("\nThere may be infinitely many states: {}.\n",
                        wrap(one_line(result.grows), style.width, 2));
  text += format_bounds(result, style);
  text += format_conditions(result, style);
  const bool witnessed =
      std::any_of(result.conditions.begin(), result.conditions.end(),
                  [](const ConditionCount& each) { return each.kind == "exists" && each.satisfied > 0; });
  if (witnessed && !shows_witness.empty() && !result.violation)
    text += fmt::format("  ({} shows an execution that satisfies it)\n", shows_witness);
  if (!result.outcomes.empty()) text += format_outcomes(result.outcomes, style);
  if (result.violations.size() > 1 || (!result.violations.empty() && result.violations[0].count > 1))
    text += format_violations(program, result.violations, style);
  if (result.violation) text += "\n" + format_violation(program, *result.violation, style);
  return text;
}

}  // namespace heddle::cli
