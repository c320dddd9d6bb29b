// Checkpoints: the text that CheckOptions::save is called with and CheckOptions::resume takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heddle/heddle.h"

namespace heddle {

// What a checkpoint belongs to.
struct CheckpointInfo {
  std::string file;  // Program::name
  Parameters parameters;
  std::uint32_t unroll = 0;  // CompileOptions
  bool unroll_spin_loops = false;
  CheckOptions options;  // those that decide what is explored, and what is found; others have defaults
  std::uint64_t executions = 0;  // complete ones so far
};

// Errors: the text is no checkpoint, is damaged, or comes from another version of the library. Linear in the
// text.
[[nodiscard]] Result<CheckpointInfo> describe_checkpoint(std::string_view text);

}  // namespace heddle
