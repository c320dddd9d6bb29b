// Estimates of how long checks take, from random paths.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/heddle.h"

namespace heddle {

struct EstimateOptions {
  double seconds = 1;  // of work: half of them explore, which shows the speed, half of them sample
  std::uint64_t seed = 1;
  bool measure_speed = true;  // false: only samples, and Estimate::seconds is empty
  // No further paths are sampled when there are that many. Paths are sampled many together, so there may be more.
  // With such a number, and without measure_speed, the estimate of a program is always the same.
  std::uint64_t most_paths = std::numeric_limits<std::uint64_t>::max();
};

struct Estimate {
  struct Interval {
    double low = 0;
    double high = 0;
  };

  std::string model;
  std::string algorithm;
  // The whole search took no longer than it was sampled: these are its counts.
  bool exact = false;
  double executions = 0;  // complete ones; the estimator is unbiased
  // Holds `executions` in 95 of 100 cases. Empty if the paths differ too much to say so: then the number is
  // probably too small, because few paths lead to most executions.
  std::optional<Interval> interval = {};
  // Of runs that end otherwise. Empty where another algorithm was sampled.
  std::optional<double> blocked = {};
  std::optional<double> seconds = {};  // of a search with one thread
  std::uint64_t paths = 0;             // sampled
  bool violation = false;              // one was met; a check would end there
  bool interrupted = false;            // by CheckOptions::progress: then the numbers are worth less
};

// Estimates the check that check(program, options) would make with `keep_going`; of the limits, only `max_memory`
// and `progress` matter. trust and naive are sampled themselves; dpor, source and rsmc, which explore the same
// execution graphs as trust, get trust's estimate, with their own speed. Errors: what check() refuses, and
// pairs without an estimate (why_no_estimate). Takes options.seconds, or less if the search is small.
[[nodiscard]] Result<Estimate> estimate(const Program& program, const CheckOptions& options,
                                        const EstimateOptions& how = {});

// One sentence; empty if the pair has an estimate.
[[nodiscard]] std::string why_no_estimate(std::string_view model, std::string_view algorithm);

}  // namespace heddle
