// Reads source files and turns the front end's messages into diagnostics of the public interface.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"
#include "lang/diagnostics.hpp"
#include "lang/frontend.hpp"
#include "lang/source.hpp"

namespace heddle {

inline constexpr std::size_t largest_source = std::size_t{16} << 20;  // bytes

// A message about a file as a whole.
[[nodiscard]] Diagnostic about_file(const std::string& file, std::string message);

[[nodiscard]] std::vector<Diagnostic> convert_diagnostics(const lang::Diagnostics& diagnostics,
                                                          const lang::SourceMap& sources);

// The text of a readable, regular file of at most `largest_source` bytes.
[[nodiscard]] Result<std::string> read_source(const std::string& path);
// How the front end reads programs: imports from files, names of models and algorithms from the registry.
[[nodiscard]] lang::FrontendOptions front_end_options();
// As Program::from_source, with imports from `imports`; null: from files.
[[nodiscard]] Result<Program> compile_source(std::string_view text, std::string name,
                                             const CompileOptions& options, lang::ModuleLoader imports);

}  // namespace heddle
