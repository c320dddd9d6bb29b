// The programs that the benchmarks run: files of the project with parameters, checked through the public
// interface.
#pragma once

#include <string>

#include "heddle/heddle.h"

namespace heddle::bench {

struct Measured {
  CheckResult result;
  double cpu_seconds = 0;  // of the check alone, this process's user and system time
};

// A program of the project; `file` is relative to its root. Ends the process with a message if it does not
// compile.
[[nodiscard]] Program load(const std::string& file, const Parameters& parameters = {},
                           std::uint32_t unroll = 16);
// A check that must be possible; ends the process with a message if the options are refused.
[[nodiscard]] Measured measure(const Program& program, const CheckOptions& options);
// The fastest of three such checks, since the machine is shared; the first one if it takes more than a tenth
// of the options' timeout, which must be set.
[[nodiscard]] Measured best(const Program& program, const CheckOptions& options);
[[nodiscard]] double cpu_seconds();

// "inc N=5"
[[nodiscard]] std::string label(const std::string& file, const Parameters& parameters);

}  // namespace heddle::bench
