// Just enough UTF-8 to count columns and to refuse what is no text.
#pragma once

#include <cstddef>
#include <string_view>

namespace heddle::lang {

// Bytes of the code point that `text` (not empty) begins with; 0 if it begins with no valid one.
[[nodiscard]] std::size_t utf8_width(std::string_view text);

}  // namespace heddle::lang
