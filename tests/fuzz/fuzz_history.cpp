// libFuzzer target: arbitrary bytes as a recorded history. A readable history is judged under every model,
// limited to a few thousand states.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>

#include "cli/history_file.hpp"
#include "heddle/consistency.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = heddle::cli::parse_history({reinterpret_cast<const char*>(data), size});
  if (const auto* const message = std::get_if<std::string>(&parsed)) {
    if (message->empty()) std::abort();
    return 0;
  }
  const auto results = heddle::check_consistency(std::get<heddle::History>(parsed), {.max_states = 2000});
  if (!results && results.error().empty()) std::abort();
  return 0;
}
