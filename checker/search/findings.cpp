#include "checker/search/findings.hpp"

#include <algorithm>
#include <utility>

namespace heddle::checker {

std::size_t FinalStateHash::operator()(const FinalState& state) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const auto value : state) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

std::uint64_t blocked_runs(const Counts& counts) {
  return counts.blocked_assume + counts.blocked_await + counts.blocked_idle + counts.blocked_sleep_set +
         counts.blocked_race + counts.blocked_loop_bound;
}

bool Findings::note(FoundViolation&& found) {
  std::vector<std::uint32_t> key{static_cast<std::uint32_t>(found.kind), found.site, found.in_final};
  key.insert(key.end(), found.waits.begin(), found.waits.end());
  if (found.kind == ViolationKind::data_race)
    key.insert(key.end(), {found.race.first.thread, found.race.second.thread, found.race.second.site});
  const auto [place, fresh] = known_violations.try_emplace(std::move(key), violations.size());
  if (fresh) {
    violations.push_back(std::move(found));
  } else {
    violations[place->second].count += found.count;
  }
  return fresh;
}

void Findings::append(const Findings& later) {
  for (const NamedCount& named : additive_counts) add_up(counts.*named.count, later.counts.*named.count);
  counts.max_depth = std::max(counts.max_depth, later.counts.max_depth);
  counts.peak_memory = std::max(counts.peak_memory, later.counts.peak_memory);
  for (const FoundViolation& found : later.violations) note(FoundViolation(found));
  satisfied.resize(later.satisfied.size());
  for (const FoundWitness& witness : later.witnesses) {
    const bool known = witness.condition ? satisfied[*witness.condition] > 0 : !witnesses.empty();
    if (!known) witnesses.push_back(witness);
  }
  for (std::size_t i = 0; i < satisfied.size(); ++i) add_up(satisfied[i], later.satisfied[i]);
  add_up(judged, later.judged);
  for (const auto& [place, runs] : later.blocked) blocked[place] += runs;
  for (const auto& [state, count] : later.final_states) add_up(final_states[state], count);
}

// 8 bits of the operation, 32 of the site, 24 of the thread.
constexpr std::uint32_t final_thread = 0xffffff;

std::uint64_t number_of(const BlockedPlace& place) {
  return std::uint64_t{static_cast<std::uint8_t>(place.op)} << 56 | std::uint64_t{place.site} << 24 |
         (place.thread == none ? final_thread : place.thread);
}

BlockedPlace place_of(std::uint64_t number) {
  const auto thread = static_cast<std::uint32_t>(number & final_thread);
  return {.thread = thread == final_thread ? none : thread,
          .op = static_cast<Op>(number >> 56),
          .site = static_cast<std::uint32_t>(number >> 24)};
}

}  // namespace heddle::checker
