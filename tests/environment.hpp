// What the environment tells the tests (CONTRIBUTING.md, "Tests"): how long campaigns are, and where published
// litmus tests are.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace heddle::tests {

inline std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// `usual`, or `in_full` if campaigns run in full (`./dev test --full`, which sets HEDDLE_FULL=1).
template <typename Size>
[[nodiscard]] Size sized(Size usual, Size in_full) {
  return number_from_environment("HEDDLE_FULL", 0) == 0 ? usual : in_full;
}

// The folder of published litmus tests (docs/conformance.md says what is in it); empty: there is none.
[[nodiscard]] inline std::string published_litmus_tests() {
  const char* const folder = std::getenv("HEDDLE_LITMUS");
  return folder == nullptr ? std::string() : folder;
}

}  // namespace heddle::tests
