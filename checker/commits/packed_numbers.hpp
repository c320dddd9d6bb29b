// Numbers packed into words: seven bits per byte, since nearly all are small. The same numbers give the same words.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::checker {

// Appends to the caller's vector, from a new word on.
class PackedNumbers {
 public:
  explicit PackedNumbers(std::vector<std::uint64_t>& words) : words_(words) {}
  void add(std::uint64_t number) {
    for (; number >= 128; number >>= 7U) add_byte((number & 127U) | 128U);
    add_byte(number);
  }

 private:
  void add_byte(std::uint64_t value) {
    if (bytes_ % 8 == 0) words_.push_back(0);
    words_.back() |= value << (8 * (bytes_++ % 8));
  }

  std::vector<std::uint64_t>& words_;
  unsigned bytes_ = 0;
};

}  // namespace heddle::checker
