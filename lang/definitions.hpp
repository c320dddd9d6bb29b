// Resolves the bodies of declared threads, procs, functions and `final`.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/resolution.hpp"

namespace heddle::lang {

// Resolves the bodies of all items of all modules into the program, once everything has been declared. Leaves
// an arbitrary module in force.
void resolve_bodies(Resolution& resolution, const std::vector<std::uint32_t>& order);

// Removes what was added only to check functions that are never called. Call after check_calls.
void drop_phantoms(Resolution& resolution);

}  // namespace heddle::lang
