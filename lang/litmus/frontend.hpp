// Entry point for litmus tests: text of a .litmus file in herd's format -> resolved program, or diagnostics.
//
//   PPC SB                          header: architecture and name, then any number of comment lines
//   { 0:r5=x; 0:r6=y; ... }         initial values of registers and locations; all others are 0
//   P0           | P1           ;   one column per thread (or C functions)
//   stw r1,0(r5) | stw r1,0(r6) ;
//   exists (0:r2=0 /\ 1:r2=0)       the condition
//
// Files in the order of the data: token, grammar (syntax.hpp), ppc and x86 (instructions.hpp), translate,
// control_flow, atomics, or c_*; build; frontend.
#pragma once

#include <cstdint>
#include <optional>

#include "lang/diagnostics.hpp"
#include "lang/source.hpp"
#include "lang/tree.hpp"

namespace heddle::lang::litmus {

// Parses and translates file number `file` of `sources`. Returns nothing exactly if `diagnostics` has an
// error afterwards. Never throws, whatever the input. Linear in the text, apart from factors for threads,
// labels and locations, which are all limited.
[[nodiscard]] std::optional<Program> parse_test(const SourceMap& sources, std::uint32_t file,
                                                Diagnostics& diagnostics);

}  // namespace heddle::lang::litmus
