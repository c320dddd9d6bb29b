// What is declared gets its body: threads, procs, functions, `final`.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/resolution.hpp"

namespace heddle::lang {

// The bodies of all items of the modules, into the program, once everything has been declared. Leaves the
// resolution in any module.
void resolve_bodies(Resolution& resolution, const std::vector<std::uint32_t>& order);

// Takes out again what functions were checked with that nobody calls; after check_calls.
void drop_phantoms(Resolution& resolution);

}  // namespace heddle::lang
