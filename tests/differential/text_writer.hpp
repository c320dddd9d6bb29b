// What the writers of random programs as text have in common: a source of numbers, which decides the program.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace heddle::differential {

class TextWriter {
 protected:
  explicit TextWriter(std::uint64_t number) : random_(number) {}

  // From 0 to count - 1.
  int below(int count) { return std::uniform_int_distribution(0, count - 1)(random_); }
  // A variable whose name is one of these letters.
  std::string one_of(std::string_view letters) {
    return std::string(1, letters[static_cast<std::size_t>(below(static_cast<int>(letters.size())))]);
  }
  // A small constant.
  std::string number() { return std::to_string(below(3)); }
  // Of something with such a constant, for inequality in `unequal` of three cases.
  std::string comparison(const std::string& what, int unequal = 1) {
    return what + (below(3) < unequal ? " != " : " == ") + number();
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace heddle::differential
