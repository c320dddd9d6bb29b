// What a trace does not say itself: the library calls that its steps belong to, the locals that they change, the
// structs of the program's shared data. For reports that people read.
//
//   heddle::TraceDetails details = heddle::details_of(program, violation.trace, {.model = "sc"});
//   if (details.calls[7]) std::cout << details.calls[7]->source << '\n';
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heddle/heddle.h"
#include "heddle/machine.h"

namespace heddle {

// A call in a user's file: of a function of a built-in module, or of one that is one atomic block; or any other atomic
// block in a user's file.
struct LibraryCall {
  // Steps with the same number belong to one execution of the call, except that two executions in a row by
  // which a thread repeats only loops of the module cannot be distinguished.
  std::size_t number = 0;
  std::string file = {};
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string source =
      {};  // "net.send(wire, me, other, m)"; of a block "atomic", with the place of its first operation
  bool atomic = false;  // a block
};

struct TraceDetails {
  // By step; empty in commit order, and if the trace is none of the program.
  std::vector<std::optional<LibraryCall>> calls = {};
  // By step: the locals of the step's thread that have another value after it than before, as in
  // ThreadEnd::locals. A thread computes until its next operation.
  std::vector<std::vector<NamedValue>> locals = {};
  // By name of a shared variable: the innermost struct whose field it is, by the name of its declaration.
  std::map<std::string, std::string> structs = {};
};

// Repeats the trace, which is one of the program under this model; if that fails, only `structs` is filled. Compiles
// the program once more. Time: linear in the steps and, for each, in the shared data and the locals. No exception but
// std::bad_alloc.
[[nodiscard]] TraceDetails details_of(const Program& program, const Trace& trace,
                                      const MachineOptions& options = {});

// Whether some thread can come to an atomic block. Linear in the program.
[[nodiscard]] bool has_atomic_blocks(const Program& program);

// TraceDetails::structs. Linear in the shared data.
[[nodiscard]] std::map<std::string, std::string> struct_names(const Program& program);

}  // namespace heddle
