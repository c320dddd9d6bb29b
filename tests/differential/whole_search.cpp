#include "whole_search.hpp"

#include <doctest/doctest.h>

#include <utility>

namespace heddle::differential {

std::set<std::vector<std::int64_t>> final_states(const CheckResult& result) {
  std::set<std::vector<std::int64_t>> states;
  for (const auto& outcome : result.outcomes) {
    std::vector<std::int64_t> state;
    for (const auto& value : outcome.values) state.push_back(value.value);
    states.insert(std::move(state));
  }
  return states;
}

WholeSearch search_whole(const Program& program, const std::string& model, const std::string& algorithm,
                         std::optional<std::uint64_t> max_executions,
                         std::optional<std::uint64_t> max_transitions,
                         std::optional<std::uint32_t> preemption_bound) {
  CheckOptions options{.model = model, .algorithm = algorithm, .keep_going = true, .collect_outcomes = true};
  options.max_executions = max_executions;
  options.preemption_bound = preemption_bound;
  if (max_transitions) {
    options.progress = [&](const Progress& progress) { return progress.transitions < *max_transitions; };
  }
  const auto result = check(program, options);
  REQUIRE_MESSAGE(result, model << " " << algorithm << ": " << (result ? "" : result.error().front().text));
  WholeSearch found;
  found.finished = result->stopped_by.empty();
  found.executions = result->counts.executions;
  found.violation = result->violation.has_value();
  found.states = final_states(*result);
  return found;
}

}  // namespace heddle::differential
