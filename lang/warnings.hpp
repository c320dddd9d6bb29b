// Warnings: rendered like errors, but labelled "warning".
#pragma once

#include <string>

#include "lang/diagnostics.hpp"
#include "lang/source.hpp"

namespace heddle::lang {

// Like `render` in diagnostics.hpp, with "warning" instead of "error".
[[nodiscard]] std::string render_warning(const Diagnostic& diagnostic, const SourceMap& sources);

}  // namespace heddle::lang
