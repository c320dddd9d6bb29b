// Sequential consistency, the operational form: every operation acts on the one memory at once, and fences do
// nothing (memory-models.md, "SC").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "checker/state/step.hpp"

namespace heddle::checker {

class SequentialConsistency {
 public:
  static constexpr std::string_view name = "sc";
  static constexpr std::string_view summary = "sequential consistency: one interleaving of all operations";
  static constexpr bool has_buffers = false;

  SequentialConsistency(std::uint32_t threads, std::uint32_t /*locations*/,
                        std::optional<std::uint32_t> /*bound*/)
      : threads_(threads) {}
  [[nodiscard]] ProcessId processes() const { return threads_; }
  // The most processes that a program of this size can have.
  static constexpr std::uint64_t most_processes(std::uint64_t threads, std::uint64_t /*locations*/) {
    return threads;
  }

 private:
  std::uint32_t threads_;
};

}  // namespace heddle::checker
