// The programs that the benchmarks run: files of the project with parameters, checked through the public
// interface.
#pragma once

#include <string>

#include "heddle/heddle.h"

namespace heddle::bench {

struct Measured {
  CheckResult result;
  double cpu_seconds = 0;  // user and system time of the check alone
};

// Loads a program of the project; `file` is relative to its root. Exits with a message if it does not
// compile.
[[nodiscard]] Program load(const std::string& file, const Parameters& parameters = {},
                           std::uint32_t unroll = 16, bool loops_as_written = false);
// Runs a check without symmetry, so that counts are those of other checkers and of the papers; exits with a message if
// the options are rejected.
[[nodiscard]] Measured measure(const Program& program, const CheckOptions& options);
// The fastest of three such checks, to reduce noise; the first one if it takes more than a tenth of the
// options' timeout, which must be set.
[[nodiscard]] Measured best(const Program& program, const CheckOptions& options);
[[nodiscard]] double cpu_seconds();

// "inc N=5"
[[nodiscard]] std::string label(const std::string& file, const Parameters& parameters);

}  // namespace heddle::bench
