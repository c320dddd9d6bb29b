// Near misses: "did you mean 'turn'?".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::lang {

// The candidate closest to `word`, allowing for dropped, added, changed or swapped letters and different
// case; empty if none is close. The first candidate wins a tie. O(candidates * length^2); long words are not
// compared.
[[nodiscard]] std::string_view nearest(std::string_view word,
                                       const std::vector<std::string_view>& candidates);

// "did you mean 'turn'?", or empty: also if `word` is one of them.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string_view>& candidates);

}  // namespace heddle::lang
