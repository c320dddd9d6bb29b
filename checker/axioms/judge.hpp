// The memory models as axioms over an explicit execution (docs/memory-models.md): whether the execution is
// consistent, and if not, the cycle that excludes it.
//
// Everything is computed from scratch, straight from the definitions, for reports and repairs about single
// executions of up to some hundred events. checker/commits/ has the incremental forms that searches use;
// tests compare the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "checker/axioms/execution.hpp"

namespace heddle::axioms {

enum class Model : std::uint8_t { sc, tso, pso, power };

// "sc", "tso", "pso", "power"; nothing for other names.
[[nodiscard]] std::optional<Model> model_named(std::string_view name);
[[nodiscard]] std::string_view name(Model model);

enum class EdgeKind : std::uint8_t {
  program_order,  // kept by the model, or between accesses of one location
  full_fence,
  lightweight_fence,
  store_fence,
  address,
  data,
  control,
  control_isync,
  reads_from,
  coherence,
  from_read,
  atomicity,  // from the write of a read-modify-write back to its read: no other write may come between
};

// "po", "fence", "fence lw", "fence st", "addr", "data", "ctrl", "ctrl+isync", "rf", "co", "fr", "rmw".
[[nodiscard]] std::string_view name(EdgeKind kind);

struct Edge {
  EdgeKind kind = EdgeKind::program_order;
  EventId from = 0;
  EventId to = 0;
  // Indexes into Execution::points, or no_point. Fences: the fence; control_isync: the isync; control and
  // control_isync: the branch.
  std::uint32_t fence = no_point;
  std::uint32_t branch = no_point;
  static constexpr std::uint32_t no_point = 0xffffffff;
};

enum class Axiom : std::uint8_t {
  coherence,    // acyclic(po-loc | com)
  atomicity,    // empty(rmw & (fre ; coe))
  order,        // SC, TSO, PSO: acyclic(order | rfe | co | fr), with the model's order
  no_thin_air,  // POWER: acyclic(hb)
  observation,  // irreflexive(fre ; prop ; hb*)
  propagation,  // acyclic(co | prop)
};

// "coherence", "atomicity", "order", "no thin air", "observation", "propagation".
[[nodiscard]] std::string_view name(Axiom axiom);

// A cycle that an axiom excludes: each edge begins where the one before it ends, and the last one ends where
// the first one begins. The derived relations of POWER are expanded to the edges that they are made of.
struct Cycle {
  Axiom axiom = Axiom::coherence;
  std::vector<Edge> edges;
};

// True if the model allows the execution. O(n^3 / 64) for n events, times the length of the longest chain of
// dependencies for POWER.
[[nodiscard]] bool consistent(const Execution& execution, Model model);

// A shortest of the cycles that exclude the execution, in base edges; nothing if it is consistent. Program
// order is preferred to a fence, a weaker fence to a stronger one. O(n^3), times the same for POWER.
[[nodiscard]] std::optional<Cycle> excluding_cycle(const Execution& execution, Model model);

}  // namespace heddle::axioms
