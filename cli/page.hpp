// The page of --html as the build has put it into the program (cli/page/trace.html).
#pragma once

#include <string_view>

namespace heddle::cli {

// "@DATA@" stands where the trace goes in.
[[nodiscard]] std::string_view trace_page();

}  // namespace heddle::cli
