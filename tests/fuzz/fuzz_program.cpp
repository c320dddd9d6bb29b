// libFuzzer target: arbitrary bytes as a program. Texts that once crashed the front end are kept in
// tests/bad.
#include "tests/fuzz/front_end.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::fuzz::parse_and_judge("fuzz.hed", data, size);
  return 0;
}
