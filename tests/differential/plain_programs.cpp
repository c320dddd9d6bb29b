#include "plain_programs.hpp"

#include <functional>
#include <regex>
#include <string>

#include "checker/api/state.hpp"

namespace heddle::differential {

std::string with_plain_variables(const Program& program, bool many) {
  const std::string text(state_of(program).sources.text(0));
  std::size_t hash = std::hash<std::string>()(text);
  std::string result;
  const std::regex declaration("shared (\\w+): ");
  auto rest = text.cbegin();
  for (std::smatch match; std::regex_search(rest, text.cend(), match, declaration); rest = match[0].second) {
    result.append(rest, match[0].second);
    const std::regex atomic("(cas|exchange|fetch_\\w+)\\(" + match[1].str() + "\\b");
    hash = hash * 6364136223846793005U + 1442695040888963407U;
    const bool chosen = (hash >> 33U) % 8 < (many ? 7U : 3U);
    if (chosen && !std::regex_search(text, atomic)) result += "plain ";
  }
  result.append(rest, text.cend());
  return result;
}

}  // namespace heddle::differential
