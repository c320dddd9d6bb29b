// `wait c, m;`, `signal c;` and `broadcast c;`.
#pragma once

#include <cstdint>

#include "lang/resolution.hpp"

namespace heddle::lang {

// The signature of the function that implements the statement. It takes the condition variable's counter by
// reference and, for `wait`, the mutex.
[[nodiscard]] std::uint32_t condition_function(Resolution& resolution, syntax::StatementKind kind);

}  // namespace heddle::lang
