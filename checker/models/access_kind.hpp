// The kinds of events that the axiomatic models tell apart.
#pragma once

#include <cstdint>

namespace heddle::checker {

enum class AccessKind : std::uint8_t {
  load,    // also `choose`, which must wait for what was read before it, as a load does
  store,   // a plain store
  locked,  // read-modify-writes, failed compare-and-swaps, lock, unlock, trylock: they drain the store buffer
};

}  // namespace heddle::checker
