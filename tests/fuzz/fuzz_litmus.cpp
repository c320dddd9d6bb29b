// libFuzzer target: arbitrary bytes as a litmus test.
#include "tests/fuzz/front_end.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::fuzz::parse_and_judge("fuzz.litmus", data, size);
  return 0;
}
