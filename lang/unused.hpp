// Names that a file declares and never uses, for `heddle check --lint`.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/source.hpp"

namespace heddle::lang {

// Looks at one file, which has been parsed without errors before: what it imports, declares at the top and
// inside bodies. Not reported are the names that are part of a final state (locals in the outermost block of
// a thread or proc), the counters of families and of `for` loops, fields, values of enums, and names that
// begin with `_`. A local that is only ever assigned counts as unused. In the order of the text. O(size of
// the text).
[[nodiscard]] std::vector<Diagnostic> unused_names(const SourceMap& sources, std::uint32_t file);

}  // namespace heddle::lang
