// Warnings look like errors, but say that they are none.
#pragma once

#include <string>

#include "lang/diagnostics.hpp"
#include "lang/source.hpp"

namespace heddle::lang {

// As `render` in diagnostics.hpp, with "warning" in the place of "error".
[[nodiscard]] std::string render_warning(const Diagnostic& diagnostic, const SourceMap& sources);

}  // namespace heddle::lang
