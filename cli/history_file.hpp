// Histories as files: the JSON form of docs/consistency.md.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "heddle/consistency.h"

namespace heddle::cli {

// The history, or one sentence with the error and its place in the document ("threads[0].events[2]: ...").
[[nodiscard]] std::variant<History, std::string> parse_history(std::string_view text);

}  // namespace heddle::cli
