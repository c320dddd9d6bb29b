// Just enough UTF-8 to count columns and to reject invalid text.
#pragma once

#include <cstddef>
#include <string_view>

namespace heddle::lang {

// Length in bytes of the code point at the start of `text` (not empty); 0 if it is not valid UTF-8.
[[nodiscard]] std::size_t utf8_width(std::string_view text);

}  // namespace heddle::lang
