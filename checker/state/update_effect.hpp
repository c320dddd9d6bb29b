// What a read-modify-write in a round of a retry loop comes to (compiler::UpdateEffect). docs/algorithms.md, "Idle rounds",
// says why a round that reverts what it wrote can be left out.
#pragma once

#include <cstdint>
#include <optional>

#include "checker/state/step.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// A read-modify-write that has written.
struct Update {
  ThreadId thread = 0;
  Op op = Op::exchange;
  bool discarded = false;  // its result is not used
  std::int64_t read = 0;
  std::int64_t written = 0;

  [[nodiscard]] bool adds() const {
    return op == Op::fetch_add || op == Op::fetch_sub || (op >= Op::add_if_equal && op <= Op::add_if_at_most);
  }
};

// `before()`: each time the write that comes one further before `update` in the coherence order of its location, if that is
// an update. Linear in the writes since the thread's own last one.
template <typename Before>
[[nodiscard]] compiler::UpdateEffect effect_of_update(const Update& update,
                                                      const compiler::LocationImage& location,
                                                      Before&& before) {
  using compiler::UpdateEffect;
  if (update.read == update.written) return UpdateEffect::nothing;
  if (location.revertible == nullptr) return UpdateEffect::changes;
  // By how much values in between are greater without the two.
  const auto shift = static_cast<std::uint64_t>(update.written) - static_cast<std::uint64_t>(update.read);
  const auto shifted = [&](std::int64_t value) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) + shift);
  };
  for (bool adjacent = true;; adjacent = false) {
    const std::optional<Update> earlier = before();
    if (!earlier) return UpdateEffect::changes;
    for (const compiler::Comparison& awaited : *location.revertible) {
      if (awaited.holds(earlier->written) && !awaited.holds(shifted(earlier->written)))
        return UpdateEffect::changes;
    }
    if (earlier->thread == update.thread) {
      const bool possible = adjacent || (earlier->adds() && update.adds());
      return possible && earlier->read == shifted(earlier->written) ? UpdateEffect::reverts
                                                                    : UpdateEffect::changes;
    }
    if (!earlier->discarded || !earlier->adds()) return UpdateEffect::changes;
  }
}

}  // namespace heddle::checker
