// Near misses: "did you mean 'turn'?".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::lang {

// The candidate that `word` most probably is a slip of (letters dropped, added, changed, swapped or in
// another case); empty if none is near. The first one wins a tie. O(candidates * length^2), with long words
// never compared.
[[nodiscard]] std::string_view nearest(std::string_view word,
                                       const std::vector<std::string_view>& candidates);

// "did you mean 'turn'?" or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string_view>& candidates);

}  // namespace heddle::lang
