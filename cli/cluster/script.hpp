// The script that the Redis server runs, which the build embeds in the program (cli/cluster/exchange.lua).
#pragma once

#include <string_view>

namespace heddle::cli {

[[nodiscard]] std::string_view exchange_script();

}  // namespace heddle::cli
