#include "checker/search/twins.hpp"

#include <algorithm>
#include <cstddef>

#include "checker/state/step.hpp"

namespace heddle::checker {

namespace {

constexpr std::uint64_t most_permutations = std::uint64_t{1} << 40U;

// Whether final states, which are collected, may differ if the thread is exchanged for an equal one.
bool is_in_final_states(const compiler::Image& image, std::uint32_t thread) {
  if (image.observed) {
    return std::any_of(image.observed->begin(), image.observed->end(),
                       [&](const compiler::ObservedImage& observed) { return observed.thread == thread; });
  }
  // (A mutex holds the number of its owner.)
  return !image.threads[thread].locals.empty() ||
         std::any_of(image.locations.begin(), image.locations.end(),
                     [](const compiler::LocationImage& location) { return location.is_mutex; });
}

}  // namespace

std::vector<std::uint32_t> twins_of(const compiler::Image& image, const CheckOptions& options) {
  if (!options.symmetry || options.coverage) return {};
  const bool looks_at_states = options.collect_outcomes || options.robust_states;
  const std::size_t count = image.threads.size();
  std::vector<std::uint32_t> twins(count, none);
  std::vector<std::uint32_t> place(count, 1);  // in its class, from 1
  std::uint64_t permutations = 1;
  for (std::uint32_t thread = 0; thread < count; ++thread) {
    const auto twin = image.threads[thread].twin;
    if (!twin || (looks_at_states && (is_in_final_states(image, thread) || is_in_final_states(image, *twin))))
      continue;
    const std::uint64_t more = permutations * (place[*twin] + 1);
    if (more >= most_permutations) continue;
    permutations = more;
    place[thread] = place[*twin] + 1;
    twins[thread] = *twin;
  }
  if (permutations == 1) twins.clear();
  return twins;
}

}  // namespace heddle::checker
