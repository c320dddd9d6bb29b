// Commands that a report suggests, ready for a shell.
#pragma once

#include <string>
#include <string_view>

#include "heddle/heddle.h"

namespace heddle::cli {

// A word for a shell: as it is, or in quotes.
[[nodiscard]] std::string quoted_for_shell(std::string_view word);

// "heddle check FILE --model M --algorithm A -D N=3 --unroll 4 ...": all that decides which executions are
// explored and what is found, as far as it is not the default. Limits of time, memory and number are not part
// of it.
[[nodiscard]] std::string check_command(std::string_view file, const CompileOptions& compile,
                                        const CheckOptions& check);

}  // namespace heddle::cli
