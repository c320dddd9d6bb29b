// libFuzzer target: arbitrary bytes as a command line, one argument per line, including the values of -D.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "cli/options.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words{"heddle", {}};
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n') {
      words.emplace_back();
    } else if (data[i] != 0) {  // arguments of a process cannot contain one
      words.back() += static_cast<char>(data[i]);
    }
  }
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  const auto parsed = heddle::cli::parse_options(static_cast<int>(arguments.size()), arguments.data());
  const auto* const error = std::get_if<heddle::cli::UsageError>(&parsed);
  if (error != nullptr && error->message.empty()) std::abort();
  return 0;
}
