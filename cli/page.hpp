// The page of --html, which the build embeds in the program (cli/page/trace.html).
#pragma once

#include <string_view>

namespace heddle::cli {

// "@DATA@" is the placeholder for the trace.
[[nodiscard]] std::string_view trace_page();

}  // namespace heddle::cli
