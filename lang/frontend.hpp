// Entry point of the front end: text of a .hed file -> resolved program, or diagnostics.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/modules.hpp"
#include "lang/source.hpp"
#include "lang/tree.hpp"

namespace heddle::lang {

using Parameters = std::map<std::string, std::int64_t>;

struct FrontendOptions {
  // Reads imported files by path; relative paths are resolved against the importing file's name. Without a
  // loader, only the standard library can be imported.
  ModuleLoader loader;
  // Treat loops that only read shared data until it changes as `await`.
  bool spin_await = true;
  // The text is still being written: a program without threads is not an error.
  bool may_lack_threads = false;
  // The names that `expect` lines can use. Others that look like a slip of one of these are errors.
  std::vector<std::string_view> models = {};
  std::vector<std::string_view> algorithms = {};
  // If not null: receives for each variable of the program the name of the struct whose field it is, the
  // innermost one; empty for others. May stay shorter than the list of variables.
  std::vector<std::string>* structs = nullptr;
};

// Parses, resolves and types file number `file` of `sources`; imported files are added to `sources`.
// `overrides` replace the values of `param`s; an override of an unknown `param` is an error. Returns nothing
// exactly if `diagnostics` has an error afterwards. Never throws, whatever the input; linear in the size of
// the text.
[[nodiscard]] std::optional<Program> parse_program(SourceMap& sources, std::uint32_t file,
                                                   const Parameters& overrides, Diagnostics& diagnostics,
                                                   const FrontendOptions& options = {});

// The two halves of parse_program, for texts from which several programs are made that differ in their
// params. Null exactly if `diagnostics` has an error afterwards.
struct ParsedModules;
[[nodiscard]] std::shared_ptr<const ParsedModules> parse_modules(SourceMap& sources, std::uint32_t file,
                                                                 Diagnostics& diagnostics,
                                                                 const FrontendOptions& options = {});
// `sources` is the source map of parse_modules or a copy of it; files may be added. Thread-safe for different
// copies.
[[nodiscard]] std::optional<Program> resolve_modules(const ParsedModules& parsed, SourceMap& sources,
                                                     const Parameters& overrides, Diagnostics& diagnostics,
                                                     const FrontendOptions& options = {});

// parse_program for both input languages: a source whose name ends in ".litmus" is a litmus test, see
// lang/litmus/frontend.hpp.
[[nodiscard]] std::optional<Program> parse_source(SourceMap& sources, std::uint32_t file,
                                                  const Parameters& overrides, Diagnostics& diagnostics,
                                                  const FrontendOptions& options = {});

}  // namespace heddle::lang
