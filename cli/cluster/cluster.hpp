// Checks over a cluster: those who want one, those who work, those who look.
#pragma once

#include <functional>
#include <string>

#include "cli/cluster/exchange.hpp"
#include "cli/options.hpp"
#include "heddle/heddle.h"

namespace heddle::cli {

// As heddle::check(), with the workers that serve the exchange. `options.timeout` holds; `options.progress` is not
// called, but `watch` with the state of the check, at least five times a second: false ends the check, unless others wait
// for it. Errors also: the check cannot be divided; the server cannot be used. If the server is lost meanwhile, waits
// for it. A check of the same program with the same options that is under way is joined.
[[nodiscard]] Result<CheckResult> check_on_cluster(const Program& program, const CheckOptions& options,
                                                   const std::string& url,
                                                   const std::function<bool(const CheckStatus&)>& watch);

// One line: "1,234 executions (1.2 million a second), 61 % of about 2 thousand, 2 s left, 12 workers, 40 parts open, 3 s".
[[nodiscard]] std::string progress_text(const CheckStatus& status);

// heddle cluster work. Returns when it is interrupted, or after `idle` seconds without work.
[[nodiscard]] int run_workers(const ClusterOptions& options);

}  // namespace heddle::cli
