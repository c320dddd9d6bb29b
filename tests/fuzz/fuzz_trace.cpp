// libFuzzer target: arbitrary bytes as a saved trace. A readable trace is loaded into the machine of a small
// program under the trace's model; the machine must follow it or report where they diverge.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>

#include "cli/trace_file.hpp"
#include "heddle/machine.h"

namespace {

// The traces of the seed corpus belong to tests/fuzz/traced.hed.
const heddle::Program& program() {
  static const heddle::Result<heddle::Program> compiled =
      heddle::Program::from_file(HEDDLE_SOURCE_DIR "/tests/fuzz/traced.hed");
  if (!compiled) std::abort();
  return *compiled;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = heddle::cli::parse_trace({reinterpret_cast<const char*>(data), size});
  if (const auto* const message = std::get_if<std::string>(&parsed)) {
    if (message->empty()) std::abort();
    return 0;
  }
  const auto& saved = std::get<heddle::cli::SavedTrace>(parsed);
  auto machine = heddle::Machine::start(
      program(),
      {.model = saved.model, .buffer_bound = saved.buffer_bound, .resume_after_assert = saved.keep_going});
  if (!machine) return 0;
  if (machine->load(saved.trace())) {
    machine->forward(machine->ahead());
    static_cast<void>(machine->trace());
  } else if (machine->depth() != 0) {
    std::abort();  // after rejecting a trace, the machine is in its initial state
  }
  return 0;
}
