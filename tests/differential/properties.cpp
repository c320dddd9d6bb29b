#include "properties.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "checker/api/check.hpp"
#include "checker/api/state.hpp"
#include "lang/tree.hpp"

namespace heddle::differential {

namespace {

// `naive`'s limit. Generated programs that exceed it are skipped.
constexpr std::uint64_t most_transitions = 200'000;

using Values = std::vector<std::int64_t>;

struct Observation {
  CheckResult result;
  std::set<Values> outcomes;
  std::vector<std::string> names;  // of the values
  bool daemons = false;            // whether the program has some
  bool invariants = false;
  bool sections = false;          // atomic blocks are critical sections, whose order is part of executions
  bool waits_at_choices = false;  // whether a thread chooses an alternative only once it can be taken
};

bool has_daemons(const Program& program) {
  const auto& threads = state_of(program).image(false)->threads;
  return std::any_of(threads.begin(), threads.end(), [](const auto& thread) { return thread.is_daemon; });
}

bool has_invariants(const Program& program) { return !state_of(program).image(false)->invariants.empty(); }

bool has_sections(const Program& program, const CheckResult& result) {
  return checker::blocks_of(program, result.model_of_traces(), result.algorithm) == Blocks::sections;
}

bool has_either(const std::vector<lang::Statement>& statements) {
  return std::any_of(statements.begin(), statements.end(), [](const lang::Statement& statement) {
    return statement.kind == lang::StatementKind::either || has_either(statement.body) ||
           has_either(statement.otherwise);
  });
}
bool has_either(const Program& program) {
  const auto in_one_of = [](const auto& list) {
    return std::any_of(list.begin(), list.end(),
                       [](const auto& it) { return has_either(it.body.statements); });
  };
  const lang::Program& tree = state_of(program).tree;
  return in_one_of(tree.templates) || in_one_of(tree.functions);
}

CheckOptions options_for(const std::string& model, const std::string& algorithm) {
  CheckOptions options;
  options.model = model;
  options.algorithm = algorithm;
  options.keep_going = true;
  options.collect_outcomes = true;
  return options;
}

// Nothing if it exceeds the limit of transitions.
std::optional<Observation> observe(const Program& program, CheckOptions options, std::uint64_t most) {
  options.progress = [most](const Progress& progress) { return progress.transitions < most; };
  auto result = check(program, options);
  if (!result) {
    Observation refused;
    refused.result.stopped_by = result.error().front().text;
    return refused;
  }
  if (result->stopped_by == "interrupted") return std::nullopt;
  Observation observation{*result,
                          {},
                          {},
                          has_daemons(program),
                          has_invariants(program),
                          has_sections(program, *result),
                          options.algorithm != "naive" && !options.preemption_bound && has_either(program)};
  for (const auto& outcome : result->outcomes) {
    Values values;
    for (const auto& value : outcome.values) values.push_back(value.value);
    if (observation.names.empty()) {
      for (const auto& value : outcome.values) observation.names.push_back(value.name);
    }
    observation.outcomes.insert(std::move(values));
  }
  return observation;
}

std::string text(const std::set<Values>& outcomes, const std::vector<std::string>& names) {
  std::string text;
  for (const auto& values : outcomes) {
    text += "   ";
    for (std::size_t i = 0; i < values.size(); ++i) text += " " + names[i] + "=" + std::to_string(values[i]);
    text += "\n";
  }
  return text.empty() ? "    none\n" : text;
}

std::string text(const Counts& counts) {
  const auto part = [](const char* name, std::uint64_t count) {
    return std::string(", ") + name + " " + std::to_string(count);
  };
  return "executions " + std::to_string(counts.executions) + part("assume", counts.blocked_assume) +
         part("await", counts.blocked_await) + part("idle", counts.blocked_idle) +
         part("loop bound", counts.blocked_loop_bound) + part("sleep set", counts.blocked_sleep_set) +
         part("transitions", counts.transitions);
}

std::string text(const Observation& observation) {
  std::string text_of_all = "    " + text(observation.result.counts) + "\n";
  if (observation.result.violation) {
    text_of_all += "    violation: " + observation.result.violation->message + "\n";
  }
  return text_of_all + text(observation.outcomes, observation.names);
}

bool contains(const Observation& larger, const Observation& smaller) {
  return std::includes(larger.outcomes.begin(), larger.outcomes.end(), smaller.outcomes.begin(),
                       smaller.outcomes.end());
}

// Whether each condition held in some executions, and in all. Its exact share depends on how often each class was run.
std::vector<std::pair<bool, bool>> ever_and_always(const CheckResult& result) {
  std::vector<std::pair<bool, bool>> ever_and_always;
  for (const auto& condition : result.conditions) {
    ever_and_always.emplace_back(condition.satisfied > 0, condition.satisfied == condition.total);
  }
  return ever_and_always;
}

// The algorithms to compare with the oracle under the options' model and bounds.
std::vector<std::string> reduced_algorithms(const Program& program, const CheckOptions& options) {
  std::vector<std::string> names;
  for (const auto& algorithm : algorithms()) {
    // (Without a loop bound there are more executions: endless_test.cpp.)
    if (algorithm.name == "naive" || algorithm.runs_endless ||
        !why_not(program, options.model, algorithm.name).empty())
      continue;
    if (options.preemption_bound && !why_no_preemption_bound(options.model, algorithm.name).empty()) continue;
    names.emplace_back(algorithm.name);
  }
  return names;
}

// What an algorithm counts.
enum class Counting : std::uint8_t {
  paths,            // every path; known states may cut some
  traces,           // each complete or blocked execution once per (po, rf, co) graph
  complete_graphs,  // complete executions once per graph; a blocked one may be cut early, on behalf of many
  classes           // once for all orders of writes, and per final memory
};

Counting counting(const std::string& algorithm, const std::string& model) {
  if (algorithm == "rf") return Counting::classes;
  if (algorithm == "sdpor") return Counting::paths;
  if (algorithm == "dpor" || algorithm == "source") return Counting::traces;
  // Under `power`, `naive` recognises graphs.
  if (algorithm == "rsmc" || model == "power") return Counting::complete_graphs;
  if (algorithm == "trust") return Counting::complete_graphs;
  return Counting::paths;
}
Counting counting(const CheckResult& result) { return counting(result.algorithm, result.model_of_traces()); }

bool counts_graphs(Counting counting) {
  return counting == Counting::traces || counting == Counting::complete_graphs;
}

bool violates_invariant(const Observation& observation) {
  const auto& violations = observation.result.violations;
  return std::any_of(violations.begin(), violations.end(),
                     [](const auto& violation) { return violation.kind == ViolationKind::invariant; });
}

bool same_counts(const Observation& left, const Observation& right) {
  const auto& a = left.result.counts;
  const auto& b = right.result.counts;
  if (left.sections != right.sections) return true;
  // Interleavings count the orders of the steps that an invariant sees.
  if (left.invariants && counting(left.result) != counting(right.result)) return true;
  // An execution ends where an invariant fails: at a state, of which a graph has many.
  if (violates_invariant(left) || violates_invariant(right)) return true;
  if (a.executions != b.executions) return false;
  if (counting(left.result) != Counting::traces) return true;
  if (counting(right.result) != Counting::traces) return true;
  return a.blocked_assume == b.blocked_assume && a.blocked_await == b.blocked_await &&
         a.blocked_idle == b.blocked_idle && a.blocked_loop_bound == b.blocked_loop_bound;
}

std::string accounts(const Observation& observation) {
  std::uint64_t total = 0;
  for (const auto& outcome : observation.result.outcomes) total += outcome.executions;
  const auto& counts = observation.result.counts;
  if (counting(observation.result) == Counting::classes)
    return total < counts.executions ? "classes without an outcome" : "";
  if (total != counts.executions) return "the outcomes' executions do not add up";
  if (counts.executions < observation.outcomes.size()) return "fewer executions than outcomes";
  return {};
}

// What must be equal in any two complete explorations under one model.
std::string first_difference(const Observation& naive, const Observation& other) {
  const auto& a = naive.result;
  const auto& b = other.result;
  if (!b.stopped_by.empty()) return "stopped: " + b.stopped_by;
  if (auto wrong = accounts(other); !wrong.empty()) return wrong;
  if (naive.outcomes != other.outcomes) return "outcomes differ";
  if (a.violation.has_value() != b.violation.has_value()) return "verdicts differ";
  // Which of several blocked threads ends an execution, and whether a failed await waits forever, is not
  // always determined by a graph or class. sdpor does not count looks of daemons that came too early. Under power only naive
  // looks at all times, and a thread that waits instead may come to the bound of a loop. Where naive chooses
  // an alternative before it can be taken, threads may wait for one that does not.
  if (counting(b) < Counting::complete_graphs) {
    const bool comes_further = a.model == "power" && b.counts.blocked_loop_bound > 0;
    const bool chose_first = a.algorithm == "naive" && other.waits_at_choices;
    const bool assumed_too_early = chose_first && a.counts.blocked_assume > 0;
    if (!comes_further && !assumed_too_early &&
        (a.counts.blocked_assume > 0) != (b.counts.blocked_assume > 0))
      return "blocked by assume or not";
    const bool every_look =
        (!other.daemons || counting(b) != Counting::paths) && a.model != "power" && !chose_first;
    if (every_look && (a.counts.blocked_await > 0) != (b.counts.blocked_await > 0))
      return "blocked by await or not";
    const bool looks_at_most = (a.model == "power" && a.algorithm == "naive") || chose_first;
    if (looks_at_most && a.counts.blocked_await == 0 && b.counts.blocked_await > 0)
      return "blocked by an await that is never evaluated too early";
  }
  if ((a.counts.blocked_loop_bound > 0) != (b.counts.blocked_loop_bound > 0)) return "loop bound hit or not";
  if (ever_and_always(a) != ever_and_always(b)) return "conditions differ";
  return {};
}

std::string describe(const CheckOptions& options) {
  std::string text = options.algorithm + " under " + options.model;
  if (options.buffer_bound) text += ", buffer bound " + std::to_string(*options.buffer_bound);
  if (options.preemption_bound) text += ", preemption bound " + std::to_string(*options.preemption_bound);
  return text;
}

std::string report(const std::string& what, const CheckOptions& left, const Observation& a,
                   const CheckOptions& right, const Observation& b) {
  return what + "\n  " + describe(left) + ":\n" + text(a) + "  " + describe(right) + ":\n" + text(b);
}

// Compares all algorithms under the options' model and bounds with `naive`'s observation. `strict`: an
// algorithm that needs a hundred times the oracle's limit is a failure, else it is left out.
Finding compare_all(const Program& program, const CheckOptions& with_naive, const Observation& naive,
                    bool strict = true) {
  if (auto wrong = accounts(naive); !wrong.empty())
    return {.difference = report(wrong, with_naive, naive, with_naive, naive)};
  std::optional<Observation> counted;
  CheckOptions counted_by = with_naive;
  if (counts_graphs(counting(naive.result))) counted = naive;
  for (const auto& algorithm : reduced_algorithms(program, with_naive)) {
    auto options = with_naive;
    options.algorithm = algorithm;
    // Under `power`, rf tries coherence orders, in the worst case all of them.
    const bool must_finish = strict && (algorithm != "rf" || options.model != "power");
    const auto other = observe(program, options, must_finish ? 100 * most_transitions : 2 * most_transitions);
    if (!other && !must_finish) continue;
    if (!other) return {.difference = algorithm + " needs a hundred times what naive needs\n"};
    if (auto wrong = first_difference(naive, *other); !wrong.empty())
      return {.difference = report(wrong, with_naive, naive, options, *other)};
    // (Under `power` no two paths of `sdpor` have one graph.)
    const bool at_most_graphs = counting(other->result) == Counting::classes ||
                                (algorithm == "sdpor" && other->result.model_of_traces() == "power");
    if (at_most_graphs && counted && counted->sections == other->sections &&
        counted->result.counts.executions < other->result.counts.executions)
      return {.difference = report("more executions than graphs", counted_by, *counted, options, *other)};
    if (!counts_graphs(counting(other->result))) continue;
    if (naive.result.algorithm == "naive" && naive.sections == other->sections &&
        naive.result.counts.executions < other->result.counts.executions)
      return {.difference = report("more executions than interleavings", with_naive, naive, options, *other)};
    if (counted && !same_counts(*counted, *other))
      return {.difference = report("counts differ", counted_by, *counted, options, *other)};
    counted = other;
    counted_by = options;
  }
  return {.violation = naive.result.violation.has_value(), .difference = {}};
}

}  // namespace

Property all_of(std::vector<Property> properties) {
  return [list = std::move(properties)](const Program& program) {
    Finding all;
    for (const auto& property : list) {
      const auto finding = property(program);
      all.skipped = all.skipped || finding.skipped;
      all.violation = all.violation || finding.violation;
      all.difference = finding.difference;
      if (!all.difference.empty()) break;
    }
    return all;
  };
}

Finding algorithms_agree(const Program& program, const std::string& model) {
  const auto options = options_for(model, "naive");
  const auto naive = observe(program, options, most_transitions);
  if (!naive) return {.skipped = true, .difference = {}};
  return compare_all(program, options, *naive);
}

Finding all_pairs_agree(const Program& program) {
  Finding all;
  for (const auto& model : models()) {
    std::optional<Observation> reference;
    CheckOptions options;
    for (const auto& algorithm : algorithms()) {
      if (algorithm.runs_endless || !why_not(program, model.name, algorithm.name).empty()) continue;
      // Algorithms that count classes report fewer details.
      if (counting(std::string(algorithm.name), std::string(model.name)) == Counting::classes) continue;
      options = options_for(std::string(model.name), std::string(algorithm.name));
      reference = observe(program, options, most_transitions);
      if (reference && reference->result.stopped_by.empty()) break;
      reference.reset();
    }
    if (!reference) {
      all.skipped = true;
      continue;
    }
    const bool by_naive = options.algorithm == "naive";
    const auto finding = compare_all(program, options, *reference, by_naive);
    all.violation = all.violation || finding.violation;
    all.difference = finding.difference;
    if (!all.difference.empty()) break;
  }
  return all;
}

Finding buffer_bounds_agree(const Program& program, const std::string& model) {
  for (std::uint32_t bound = 0; bound <= 2; ++bound) {
    auto options = options_for(model, "naive");
    options.buffer_bound = bound;
    const auto naive = observe(program, options, most_transitions);
    if (!naive) return {.skipped = true, .difference = {}};
    if (auto finding = compare_all(program, options, *naive); !finding.difference.empty()) return finding;
    if (bound > 0) continue;
    const auto sc_options = options_for("sc", "naive");
    const auto sc = observe(program, sc_options, most_transitions);
    if (!sc) return {.skipped = true, .difference = {}};
    if (auto wrong = first_difference(*sc, *naive); !wrong.empty())
      return {.difference = report(wrong, sc_options, *sc, options, *naive)};
  }
  return {};
}

Finding models_are_ordered(const Program& program) {
  std::optional<Observation> stronger;
  CheckOptions stronger_options;
  for (const std::string model : {"sc", "tso", "pso", "power"}) {
    const auto options = options_for(model, model == "power" ? "rsmc" : "naive");
    auto weaker = observe(program, options, most_transitions);
    if (!weaker || !weaker->result.stopped_by.empty()) return {.skipped = model == "sc", .difference = {}};
    if (stronger) {
      std::string wrong;
      if (!contains(*weaker, *stronger)) wrong = "the weaker model lacks outcomes";
      if (stronger->result.violation && !weaker->result.violation)
        wrong = "the weaker model lacks the violation";
      if (!wrong.empty()) return {.difference = report(wrong, stronger_options, *stronger, options, *weaker)};
    }
    stronger = std::move(weaker);
    stronger_options = options;
  }
  return {};
}

Finding bounded_models_are_ordered(const Program& program) {
  for (const std::uint32_t bound : {0U, 1U, 2U}) {
    auto sc = options_for("sc", "naive");
    auto power = options_for("power", "trust");
    sc.preemption_bound = power.preemption_bound = bound;
    const auto stronger = observe(program, sc, most_transitions);
    const auto weaker = observe(program, power, most_transitions);
    for (const auto& observed : {stronger, weaker}) {
      if (!observed || !observed->result.stopped_by.empty()) return {.skipped = true, .difference = {}};
    }
    std::string wrong;
    if (!contains(*weaker, *stronger)) wrong = "power lacks outcomes that sc has within the bound";
    if (stronger->result.violation && !weaker->result.violation)
      wrong = "power lacks the violation that sc has within the bound";
    if (!wrong.empty())
      return {.difference = report(wrong + ", " + std::to_string(bound), sc, *stronger, power, *weaker)};
  }
  return {};
}

}  // namespace heddle::differential
