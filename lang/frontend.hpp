// The way in: text of a .hed file -> resolved program, or diagnostics.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "lang/diagnostics.hpp"
#include "lang/modules.hpp"
#include "lang/source.hpp"
#include "lang/tree.hpp"

namespace heddle::lang {

using Parameters = std::map<std::string, std::int64_t>;

struct FrontendOptions {
  // Reads files that are imported, by their paths: relative ones as the importing file's name makes them.
  // Without it only the standard library can be imported.
  ModuleLoader loader;
  // Loops that do nothing but look at shared data until it changes are treated as `await`.
  bool spin_await = true;
  // The text is still being written.
  bool may_lack_threads = false;
};

// Parses, resolves and types file number `file` of `sources`, which the imported files are added to.
// `overrides` replace the values of `param`s; one that names no `param` is an error. Returns nothing exactly
// if `diagnostics` has an error afterwards. Never throws for any input; time is linear in the text.
[[nodiscard]] std::optional<Program> parse_program(SourceMap& sources, std::uint32_t file,
                                                   const Parameters& overrides, Diagnostics& diagnostics,
                                                   const FrontendOptions& options = {});

}  // namespace heddle::lang
