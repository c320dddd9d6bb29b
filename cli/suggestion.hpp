// Commands that a report suggests, ready for a shell.
#pragma once

#include <string>
#include <string_view>

#include "heddle/heddle.h"

namespace heddle::cli {

// A word for a shell, quoted if necessary.
[[nodiscard]] std::string quoted_for_shell(std::string_view word);

// "heddle check FILE --model M --algorithm A -D N=3 --unroll 4 ...": all non-default settings that determine
// the explored executions and the results. Limits of time, memory and number are left out.
[[nodiscard]] std::string check_command(std::string_view file, const CompileOptions& compile,
                                        const CheckOptions& check);

}  // namespace heddle::cli
