// estimate(): a short check for the speed, random paths for the size.
#include "heddle/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "checker/api/automatic.hpp"
#include "checker/api/check.hpp"
#include "checker/api/refusal.hpp"
#include "checker/api/state.hpp"
#include "checker/registry.hpp"
#include "checker/search/sampling.hpp"
#include "checker/search/search.hpp"
#include "heddle/details.h"

namespace heddle {

namespace {

// The cell whose tree is as large as this one's; null if none is.
const checker::Cell* sampled_cell(std::string_view model, const AlgorithmInfo& algorithm) {
  const checker::Cell* const own = checker::find_cell(model, algorithm.name);
  if (own->sample != nullptr) return own;
  return algorithm.counts == CountedAs::graph ? checker::find_cell(model, "trust") : nullptr;
}

// With fewer samples, or one that is larger, the standard error has been seen to be too small.
constexpr std::uint64_t fewest_samples = 8;
constexpr double largest_share = 4;  // times its even share

std::optional<Estimate::Interval> interval_of(const checker::Samples& samples) {
  const auto n = static_cast<double>(samples.size());
  if (samples.size() < fewest_samples || samples.largest_share() > largest_share / n) return std::nullopt;
  // Student's distribution, approximately.
  const double width = (1.96 + 2.5 / (n - 1)) * samples.error();
  return Estimate::Interval{std::max(0.0, samples.mean().executions - width),
                            samples.mean().executions + width};
}

}  // namespace

std::string why_no_estimate(std::string_view model, std::string_view algorithm) {
  if (std::string reason = why_not(model, algorithm); !reason.empty()) return reason;
  const AlgorithmInfo& info = *checker::find_algorithm(algorithm);
  if (sampled_cell(model, info) != nullptr) return {};
  return fmt::format(
      "there is no estimate for the algorithm '{}' under the model '{}': what it explores depends on what it "
      "has "
      "explored before, so random paths say nothing about it",
      algorithm, model);
}

Result<Estimate> estimate(const Program& program, const CheckOptions& requested, const EstimateOptions& how) {
  CheckOptions options = requested;
  options.model = checker::explored_model(program, requested.model);
  if (checker::is_automatic(options)) options.algorithm = default_algorithm(program, options);
  if (std::string reason = why_no_estimate(options.model, options.algorithm); !reason.empty())
    return refuse(std::move(reason));
  const AlgorithmInfo& algorithm = *checker::find_algorithm(options.algorithm);
  const checker::Cell& sampled = *sampled_cell(options.model, algorithm);
  const bool own = sampled.algorithm == algorithm.name;
  if (auto reason = why_not(program, options.model, options.algorithm); !reason.empty())
    return refuse(std::move(reason));
  if (!own && has_atomic_blocks(program)) {
    return refuse(fmt::format(
        "there is no estimate for the algorithm '{}' and programs with 'atomic' blocks, of which '{}' counts "
        "other executions; 'naive' can be estimated",
        algorithm.name, sampled.algorithm));
  }
  if (options.live || options.random)
    return refuse("only the number of executions of a whole search can be estimated");
  options.keep_going = true;
  options.robust = options.robust_states = options.collect_outcomes = options.witnesses = false;
  options.coverage = false;
  options.witness_of.clear();
  options.save = {};
  options.resume.clear();
  options.max_executions.reset();
  options.threads = 1;
  options.timeout = how.measure_speed ? how.seconds / 2 : how.seconds;

  Estimate result{.model = requested.model, .algorithm = options.algorithm};
  CheckResult explored;
  if (how.measure_speed) {
    auto checked = check(program, options);
    if (!checked) return checked.error();
    explored = std::move(*checked);
    result.violation = explored.violation.has_value();
    if (explored.stopped_by.empty()) {
      result.exact = true;
      result.executions = static_cast<double>(explored.counts.executions);
      result.interval = {result.executions, result.executions};
      result.blocked = static_cast<double>(checker::blocked_runs(explored.counts));
      result.seconds = explored.seconds;
      return result;
    }
    result.interrupted = explored.stopped_by == "interrupted";
  }

  if (std::string reason = why_not(program, options.model, sampled.algorithm); !own && !reason.empty())
    return refuse(fmt::format("there is no estimate for the algorithm '{}', whose executions '{}' counts: {}",
                              algorithm.name, sampled.algorithm, reason));
  checker::Samples samples(how.most_paths);
  try {
    const ModelInfo& model = *checker::find_model(options.model);
    const auto image = state_of(program).image(model.out_of_order, checker::loops_of(options, algorithm),
                                               checker::blocks_of(program, model.name, sampled.algorithm));
    checker::Search search(*image, options);
    try {
      if (!result.interrupted) sampled.sample(search, how.seed, samples);
    } catch (const std::bad_alloc&) {
      search.stop(std::string(checker::out_of_memory));
    }
    result.interrupted = result.interrupted || search.stopped_by() == "interrupted";
    result.violation = result.violation || !search.violations().empty();
  } catch (const std::runtime_error& error) {
    return refuse(error.what());
  }
  if (samples.paths() == 0 && !result.interrupted)
    return refuse("no path of the search could be sampled in this time");
  result.paths = samples.paths();
  result.executions = samples.mean().executions;
  result.interval = interval_of(samples);
  if (own) result.blocked = samples.mean().blocked;
  // A search that is sampled itself has a number of transitions; of the others only the executions are known.
  const double all = own ? samples.mean().transitions : samples.mean().executions;
  const auto done = static_cast<double>(own ? explored.counts.transitions : explored.counts.executions);
  if (done > 0) result.seconds = std::max(explored.seconds, explored.seconds * all / done);
  return result;
}

}  // namespace heddle
