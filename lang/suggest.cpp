// Edit distance with transpositions (optimal string alignment), bounded by what still counts as a
// misspelling.
#include "lang/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace heddle::lang {
namespace {

constexpr std::size_t longest = 64;  // longer names are not worth the quadratic time

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// A change of case costs nothing: the caller has handled exact matches before.
std::size_t distance(std::string_view a, std::string_view b) {
  using Row = std::array<std::size_t, longest + 1>;
  Row before{};
  Row previous{};
  Row current{};
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    before = previous;
    previous = current;
  }
  return previous[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.empty() || word.size() > longest) return {};
  // One error in a short word, two in words of six or more letters. A one-letter name only matches its other
  // case.
  std::size_t best = word.size() == 1 ? 1 : word.size() < 6 ? 2 : 3;
  std::string_view found;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > longest || candidate.size() + best <= word.size() ||
        word.size() + best <= candidate.size()) {
      continue;
    }
    // At least half of the word must be unchanged.
    const std::size_t d = distance(word, candidate);
    if (d < best && 2 * d <= std::max(word.size(), candidate.size()) && (d == 0 || candidate.size() > 1)) {
      best = d;
      found = candidate;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  const std::string_view found = nearest(word, candidates);
  return found.empty() || found == word ? std::string() : fmt::format("did you mean '{}'?", found);
}

}  // namespace heddle::lang
