// `wait c, m;`, `signal c;` and `broadcast c;`.
#pragma once

#include <cstdint>

#include "lang/resolution.hpp"

namespace heddle::lang {

// The signature of the function that does what the statement says; it takes the number behind the condition
// variable by reference and, to wait, the mutex.
[[nodiscard]] std::uint32_t condition_function(Resolution& resolution, syntax::StatementKind kind);

}  // namespace heddle::lang
