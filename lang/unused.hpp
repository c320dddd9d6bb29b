// Reports names that are declared but never used, for `heddle check --lint`.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/source.hpp"

namespace heddle::lang {

// Checks one file that has been parsed without errors: its imports, its top-level declarations and those
// inside bodies. Not reported are names that are part of a final state (locals in the outermost block of a
// thread or proc), counters of families and of `for` loops, fields, enum values, and names that begin with
// `_`. A local that is only assigned counts as unused. In source order. O(size of the text).
[[nodiscard]] std::vector<Diagnostic> unused_names(const SourceMap& sources, std::uint32_t file);

}  // namespace heddle::lang
