// What the front end must guarantee for any text.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "lang/frontend.hpp"

namespace heddle::fuzz {

// Parses the bytes as the file `name`, whose extension selects the grammar. Aborts unless the text is either
// accepted or rejected with printable messages.
inline void parse_and_judge(const char* name, const std::uint8_t* data, std::size_t size) {
  lang::SourceMap sources;
  const std::uint32_t file = sources.add(name, std::string(reinterpret_cast<const char*>(data), size));
  lang::Diagnostics diagnostics;
  const std::optional<lang::Program> program = lang::parse_source(sources, file, {}, diagnostics);
  if (program.has_value() == diagnostics.any()) std::abort();
  for (const lang::Diagnostic& error : diagnostics.errors()) {
    const std::string shown = render(error, sources);
    if (shown.empty() || shown.back() != '\n' || shown.find('\0') != std::string::npos) std::abort();
  }
}

}  // namespace heddle::fuzz
