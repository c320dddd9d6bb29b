// libFuzzer target: arbitrary bytes as a .suite file.
#include <cstdint>
#include <cstdlib>
#include <variant>
#include <vector>

#include "cli/suite.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = heddle::cli::parse_suite({reinterpret_cast<const char*>(data), size}, "fuzz.suite");
  const auto* const errors = std::get_if<std::vector<heddle::Diagnostic>>(&parsed);
  if (errors != nullptr && errors->empty()) std::abort();
  return 0;
}
