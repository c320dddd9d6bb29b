// The read-modify-writes of an interleaving that revert earlier ones (checker/state/update_effect.hpp). Memory is coherent, so
// the order of the steps is the coherence order of each location.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checker/state/update_effect.hpp"

namespace heddle::checker {

// The newest write to the location among the first `position` steps, if that is an update; `position` becomes its own.
[[nodiscard]] inline std::optional<Update> update_before(std::span<const Step> steps, std::size_t& position,
                                                         Location location) {
  while (position > 0) {
    const Step& s = steps[--position];
    if (!s.access.writes || s.access.location != location) continue;
    if (!is_read_modify_write(s.op)) break;
    return Update{
        .thread = s.thread, .op = s.op, .discarded = s.discarded, .read = s.read, .written = s.written};
  }
  return std::nullopt;
}

// Of the newest step, a read-modify-write. O(steps since the thread's own last write to the location).
[[nodiscard, gnu::noinline]] inline compiler::UpdateEffect effect_of_newest(std::span<const Step> steps,
                                                                            const Image& image) {
  const Step& step = steps.back();
  if (!step.access.writes) return compiler::UpdateEffect::nothing;
  if (step.op == Op::try_lock) return compiler::UpdateEffect::changes;
  auto position = steps.size();
  const auto before = [&] { return update_before(steps, position, step.access.location); };
  const auto update = before();
  return effect_of_update(*update, image.locations[step.access.location], before);
}

// Appends what decides which updates will revert earlier ones and is no part of the state: of each location where some may, its
// newest updates, back to the first one before which none can be reverted. Appends something always or never. O(steps) for
// each of these locations.
inline void append_revertible(std::span<const Step> steps, const Image& image,
                              std::vector<std::uint64_t>& words) {
  for (Location x = 0; x < image.locations.size(); ++x) {
    if (image.locations[x].revertible == nullptr) continue;
    words.push_back(x);
    auto position = steps.size();
    while (const auto update = update_before(steps, position, x)) {
      words.insert(words.end(), {update->thread, static_cast<std::uint64_t>(update->read),
                                 static_cast<std::uint64_t>(update->written)});
      if (!update->discarded || !update->adds()) break;
    }
  }
}

}  // namespace heddle::checker
