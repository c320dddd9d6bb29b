// Compares checks with a preemption bound against unbounded interleavings: the preemptions of each
// interleaving are counted by the definition, and the check must show exactly the interleavings with few. Under POWER, runs
// of the commit machine take the place of interleavings, and executions count with the least number of their runs.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/api/state.hpp"
#include "checker/commits/algorithms.hpp"
#include "checker/commits/power_machine.hpp"
#include "checker/commits/run_ends.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "heddle/minimise.h"
#include "properties.hpp"
#include "tests/checker/every_run.hpp"

namespace heddle::differential {

namespace {

constexpr std::uint64_t most_transitions = 200'000;  // limit of the oracle
constexpr std::uint32_t most_preemptions = 3;

using Values = std::vector<std::int64_t>;
// Kind and position; no position for deadlocks.
using Found = std::tuple<ViolationKind, std::uint32_t, std::uint32_t>;

// The findings of interleavings with at most three preemptions, each with the smallest number that shows it.
struct Oracle {
  std::map<Values, std::uint32_t> outcomes;
  std::map<Found, std::uint32_t> violations;
  std::map<std::uint32_t, std::uint64_t> complete;  // by preemptions
  std::uint32_t most = 0;                           // maximum over all runs, capped
};

void at_most(std::uint32_t& least, std::uint32_t preemptions) { least = std::min(least, preemptions); }

template <typename Key>
void add(std::map<Key, std::uint32_t>& least, const Key& key, std::uint32_t preemptions) {
  at_most(least.try_emplace(key, preemptions).first->second, preemptions);
}

// The values of a final state that a public outcome contains: all except mutexes.
Values shown(const compiler::Image& image, const checker::FinalState& state) {
  Values values;
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (image.observed || i >= image.locations.size() || !image.locations[i].is_mutex)
      values.push_back(state[i]);
  }
  return values;
}

Found place_of(const compiler::Image& image, const checker::FoundViolation& found) {
  if (found.site == checker::none) return {found.kind, 0, 0};
  const auto& site = image.sites[found.site];
  return {found.kind, site.line, site.column};
}

std::optional<Oracle> ask(const Program& program, const CheckOptions& options) {
  const auto code = state_of(program).image();
  const compiler::Image& image = *code;
  const checker::Search search(image, options);
  Oracle oracle;
  std::uint64_t transitions = 0;
  checker::with_machine(search, [&](auto& machine) {
    checker::for_each_run(machine, [&] {
      if (++transitions > most_transitions) return false;
      const auto count = checker::preemptions(machine.steps());
      oracle.most = std::max(oracle.most, count);
      if (count > most_preemptions) return false;
      const bool ended = checker::ended(machine);
      if (!ended && machine.failures().empty()) return true;
      checker::Search judge(image, options);
      judge.failure(machine);
      for (const auto& found : judge.violations()) add(oracle.violations, place_of(image, found), count);
      if (!ended) return true;
      checker::Search end(image, options);
      end.end(machine);
      for (const auto& found : end.violations()) add(oracle.violations, place_of(image, found), count);
      for (const auto& [state, times] : end.final_states()) add(oracle.outcomes, shown(image, state), count);
      oracle.complete[count] += end.counts.executions;
      return false;
    });
  });
  if (transitions > most_transitions) return std::nullopt;
  return oracle;
}

// All runs of the commit machine of POWER with at most three preemptions. Ways to one partial trace are merged if they
// also agree in what their further preemptions depend on.
class PowerRuns {
 public:
  using Machine = checker::PowerMachine<1>;

  PowerRuns(const compiler::Image& image, const CheckOptions& options)
      : image_(image),
        options_(options),
        machine_(image, checker::Search(image, options).machine_options()) {}

  // Nothing if there are too many.
  std::optional<Oracle> ask() {
    visit({});
    if (transitions_ > most_transitions || machine_.full()) return std::nullopt;
    for (const auto& [trace, least] : traces_) oracle_.most = std::max(oracle_.most, least);
    for (const auto& [trace, least] : complete_) ++oracle_.complete[least];
    return std::move(oracle_);
  }

 private:
  struct Way {
    checker::ThreadId running = checker::none;
    std::uint32_t preemptions = 0;
    std::set<checker::ThreadId> left;  // threads that could have continued
  };

  [[nodiscard]] std::vector<checker::EventName> enabled() {
    std::vector<checker::EventName> names;
    machine_.for_each_enabled([&](checker::EventName name) {
      if (!machine_.waits(name)) names.push_back(name);
    });
    return names;
  }
  [[nodiscard]] static Way after(const Way& way, checker::ThreadId next,
                                 const std::vector<checker::EventName>& enabled) {
    if (next == way.running) return way;
    Way longer = way;
    longer.preemptions += longer.left.erase(next) > 0 ? 1 : 0;
    longer.running = next;
    if (std::any_of(enabled.begin(), enabled.end(),
                    [&](checker::EventName name) { return name.thread == way.running; }))
      longer.left.insert(way.running);
    return longer;
  }

  void visit(const Way& way) {
    if (++transitions_ > most_transitions || machine_.full()) return;
    std::vector<std::uint64_t> trace;
    machine_.key(trace);
    at_most(traces_.try_emplace(trace, way.preemptions).first->second, way.preemptions);
    if (way.preemptions > most_preemptions ||
        !known_.insert({trace, way.running, way.preemptions, way.left}).second)
      return;
    if (!machine_.failures().empty()) {
      judge(way, [](auto& ends, Machine& machine) { ends.failure(machine); });
    }
    const auto names = enabled();
    for (const auto name : names) extend(after(way, name.thread, names), name);
    if (!names.empty()) return;
    if (judge(way, [](auto& ends, Machine& machine) { (void)ends.finish(machine); }) > 0)
      at_most(complete_.try_emplace(trace, way.preemptions).first->second, way.preemptions);
  }
  void extend(const Way& way, checker::EventName name) {
    Machine::Prepared event;
    machine_.prepare(name, event);
    for (auto p = machine_.first_parameter(event); p; p = machine_.next_parameter(event, *p)) {
      if ((event.conditional && *p == checker::dropped) || !machine_.commit(event, *p)) continue;
      visit(way);
      machine_.undo();
    }
  }
  // Adds what the judgement of this run says. Returns how many executions it has found complete.
  template <typename Judgement>
  std::uint64_t judge(const Way& way, Judgement&& judgement) {
    checker::Search search(image_, options_);
    checker::RunEnds<Machine> ends(search);
    judgement(ends, machine_);
    for (const auto& found : search.violations())
      add(oracle_.violations, place_of(image_, found), way.preemptions);
    for (const auto& [state, times] : search.final_states())
      add(oracle_.outcomes, shown(image_, state), way.preemptions);
    return search.counts.executions;
  }

  const compiler::Image& image_;
  const CheckOptions& options_;
  Machine machine_;
  Oracle oracle_;
  std::uint64_t transitions_ = 0;
  std::map<std::vector<std::uint64_t>, std::uint32_t> traces_;  // the least preemptions of each that was met
  std::map<std::vector<std::uint64_t>, std::uint32_t> complete_;  // the same of complete executions
  std::set<
      std::tuple<std::vector<std::uint64_t>, checker::ThreadId, std::uint32_t, std::set<checker::ThreadId>>>
      known_;
};

std::string text(const Values& values) {
  std::string text;
  for (const auto value : values) text += " " + std::to_string(value);
  return text;
}
std::string text(const Found& found) {
  return " " + std::string(name(std::get<0>(found))) + " in line " + std::to_string(std::get<1>(found)) +
         ":" + std::to_string(std::get<2>(found));
}

// The missing and the superfluous findings of the check.
template <typename Key>
std::string difference(const std::string& what, const std::map<Key, std::uint32_t>& expected,
                       const std::vector<Key>& found, std::uint32_t bound) {
  std::string wrong;
  for (const auto& [key, least] : expected) {
    if (least <= bound && std::find(found.begin(), found.end(), key) == found.end())
      wrong += "  missing " + what + text(key) + ", with " + std::to_string(least) + " preemptions\n";
  }
  for (const auto& key : found) {
    const auto place = expected.find(key);
    if (place == expected.end() || place->second > bound)
      wrong += "  " + what + " beyond the bound:" + text(key) + "\n";
  }
  return wrong;
}

std::optional<Found> violation_of(const CheckResult& result) {
  if (!result.violation) return std::nullopt;
  if (result.violation->kind == ViolationKind::deadlock) return Found{ViolationKind::deadlock, 0, 0};
  return Found{result.violation->kind, result.violation->line, result.violation->column};
}

// How often the trace returns to a thread.
std::uint32_t returns(const Trace& trace) {
  std::uint32_t count = 0;
  std::set<std::int32_t> seen;
  std::optional<std::int32_t> running;
  for (const auto& step : trace.steps) {
    if (running != step.thread && !seen.insert(step.thread).second) ++count;
    running = step.thread;
  }
  return count;
}

// Under power: the trace is within the bound, and so is the shortest one.
std::string wrong_with_trace(const Program& program, const CheckOptions& options, const CheckResult& result) {
  if (!result.violation) return {};
  std::string wrong;
  const auto& locations = state_of(program).image(true)->locations;
  const bool mutexes =
      std::any_of(locations.begin(), locations.end(), [](const auto& location) { return location.is_mutex; });
  // (Leaving a thread that waits for a mutex is free.)
  if (!mutexes && returns(result.violation->trace) > *options.preemption_bound)
    wrong += "  the trace is beyond the bound\n";
  const auto shortest = minimise(program, options, *result.violation);
  if (!shortest) return wrong + "  no shortest trace: " + shortest.error().front().text + "\n";
  if (!mutexes && returns(shortest->violation.trace) > *options.preemption_bound)
    wrong += "  the shortest trace is beyond the bound\n";
  return wrong;
}

// Describes the error in one algorithm's check, if any.
std::string wrong_with(const CheckResult& result, const Oracle& oracle, std::uint32_t bound) {
  std::vector<Values> outcomes;
  for (const auto& outcome : result.outcomes) {
    Values values;
    for (const auto& value : outcome.values) values.push_back(value.value);
    outcomes.push_back(std::move(values));
  }
  auto wrong = difference("outcome", oracle.outcomes, outcomes, bound);
  const bool expected = std::any_of(oracle.violations.begin(), oracle.violations.end(),
                                    [&](const auto& entry) { return entry.second <= bound; });
  const auto violation = violation_of(result);
  if (expected && !violation) wrong += difference("violation", oracle.violations, {}, bound);
  if (violation) {
    const auto place = oracle.violations.find(*violation);
    if (place == oracle.violations.end() || place->second > bound)
      wrong += "  violation beyond the bound:" + text(*violation) + "\n";
  }
  const bool cut = result.counts.blocked_preemption_bound > 0 || result.counts.beyond_bound > 0;
  if (cut && oracle.most <= bound) wrong += "  something was cut, though no run has so many preemptions\n";
  if (!cut && result.algorithm == "naive" && oracle.most > bound) wrong += "  nothing was cut\n";
  if (!cut && !difference("outcome", oracle.outcomes, outcomes, most_preemptions).empty())
    wrong += "  nothing was cut, but outcomes are missing\n";
  return wrong;
}

std::optional<Oracle> ask_power(const Program& program, CheckOptions options) {
  options.symmetry = false;
  const auto code = state_of(program).image(true);
  return PowerRuns(*code, options).ask();
}

}  // namespace

Finding preemption_bounds_agree(const Program& program, const std::string& model,
                                std::optional<std::uint32_t> buffer_bound) {
  CheckOptions options;
  options.model = model;
  options.buffer_bound = buffer_bound;
  options.keep_going = true;
  options.collect_outcomes = true;
  const bool power = model == checker::power_model;
  const auto oracle = power ? ask_power(program, options) : ask(program, options);
  if (!oracle) return {.skipped = true, .difference = {}};
  for (std::uint32_t bound = 0; bound <= most_preemptions; ++bound) {
    std::uint64_t graphs = 0;
    std::uint64_t paths = 0;
    for (const auto& [preemptions, runs] : oracle->complete) paths += preemptions <= bound ? runs : 0;
    std::map<std::string, std::uint64_t> executions;
    for (const auto& algorithm : algorithms()) {
      if (!why_no_preemption_bound(model, algorithm.name).empty()) continue;
      options.preemption_bound = bound;
      options.algorithm = algorithm.name;
      options.keep_going = true;
      options.progress = [](const Progress& progress) {
        return progress.transitions < 100 * most_transitions;
      };
      const auto result = check(program, options);
      const auto where =
          options.algorithm + " under " + model + ", preemption bound " + std::to_string(bound) +
          (buffer_bound ? ", buffer bound " + std::to_string(*buffer_bound) : std::string()) + ":\n";
      if (!result) return {.difference = where + result.error().front().text + "\n"};
      if (!result->stopped_by.empty()) return {.difference = where + "stopped: " + result->stopped_by + "\n"};
      auto wrong = wrong_with(*result, *oracle, bound);
      if (power) wrong += wrong_with_trace(program, options, *result);
      executions[options.algorithm] = result->counts.executions;
      if (result->violation) {
        options.keep_going = false;
        const auto first = check(program, options);
        if (!first || !first->violation) wrong += "  no violation without --keep-going\n";
      }
      if (!wrong.empty()) return {.difference = where + wrong};
    }
    graphs = executions["trust"];
    std::string wrong;
    if (executions["naive"] != paths) wrong = "naive does not count the runs within the bound";
    if (power && graphs != paths) wrong = "trust does not count the executions within the bound";
    for (const auto& [algorithm, count] : executions) {
      const bool reduced = algorithm == "dpor" || algorithm == "source";
      if (reduced && (count < graphs || count > paths))
        wrong = algorithm + " counts fewer executions than graphs, or more than interleavings";
    }
    if (!wrong.empty()) {
      wrong += ", preemption bound " + std::to_string(bound) + " under " + model + "\n";
      for (const auto& [algorithm, count] : executions)
        wrong += "  " + algorithm + " " + std::to_string(count) + "\n";
      return {.difference = wrong};
    }
  }
  const bool violation = !oracle->violations.empty();
  return {.violation = violation, .difference = {}};
}

}  // namespace heddle::differential
