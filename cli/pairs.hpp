// Names of algorithms, and pairs of a model and an algorithm in runs of many checks: those that work with the bounds of
// the run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/heddle.h"

namespace heddle::cli {

// Null for unknown names.
[[nodiscard]] const ModelInfo* find_model_info(std::string_view name);
[[nodiscard]] const AlgorithmInfo* find_algorithm_info(std::string_view name);

// The name that leaves the choice to check(), and what that does.
inline constexpr std::string_view automatic = "auto";
inline constexpr std::string_view automatic_summary =
    "the default: trust, and where that takes long, sdpor by turns with it; states for liveness; source "
    "under a preemption bound and for invariants that name locals";

struct PairBounds {
  std::optional<std::uint32_t> preemption_bound;
  bool robust = false;  // the question is CheckOptions::robust
  bool robust_states = false;
};
// The reason why the pair does not support this bound or this question, or is no pair at all; empty if it works.
[[nodiscard]] std::string unfit(const ModelInfo& model, const AlgorithmInfo& algorithm,
                                const PairBounds& bounds);

}  // namespace heddle::cli
