// The way in: text of a .hed file -> resolved program, or diagnostics.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "lang/diagnostics.hpp"
#include "lang/source.hpp"
#include "lang/tree.hpp"

namespace heddle::lang {

using Parameters = std::map<std::string, std::int64_t>;

// Parses, resolves and types file number `file` of `sources`. `overrides` replace the values of `param`s; one
// that names no `param` is an error. Returns nothing exactly if `diagnostics` has an error afterwards. Never
// throws for any input; time is linear in the text. `may_lack_threads`: a text that is still being written.
[[nodiscard]] std::optional<Program> parse_program(const SourceMap& sources, std::uint32_t file,
                                                   const Parameters& overrides, Diagnostics& diagnostics,
                                                   bool may_lack_threads = false);

// The same for either of the two languages: a source whose name ends in ".litmus" is a litmus test, see
// lang/litmus/frontend.hpp.
[[nodiscard]] std::optional<Program> parse_source(const SourceMap& sources, std::uint32_t file,
                                                  const Parameters& overrides, Diagnostics& diagnostics);

}  // namespace heddle::lang
