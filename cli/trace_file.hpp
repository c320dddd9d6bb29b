// Counterexamples and witnesses as files: the document `trace` of docs/json.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "heddle/heddle.h"

namespace heddle::cli {

struct SavedTrace {
  std::string file;         // the program, as named on the command line
  std::string fingerprint;  // Program::fingerprint()
  Parameters parameters;
  std::uint32_t unroll = CompileOptions{}.unroll;
  bool unroll_spin_loops = CompileOptions{}.unroll_spin_loops;
  bool keep_going = false;  // threads continue after false assertions
  std::string model;
  std::string algorithm;
  std::optional<std::uint32_t> buffer_bound;
  // Exactly one of the two.
  std::optional<Violation> violation;
  std::optional<Witness> witness;

  [[nodiscard]] const Trace& trace() const { return violation ? violation->trace : witness->trace; }
};

[[nodiscard]] std::string trace_json(const SavedTrace& saved);

// The trace, or the error in one sentence.
[[nodiscard]] std::variant<SavedTrace, std::string> parse_trace(std::string_view text);

}  // namespace heddle::cli
