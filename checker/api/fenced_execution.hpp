// One execution of a program, and whether it remains possible with fences at places of the text.
//
// The execution comes from a trace. Its threads run again, alone, in a copy of the program with a marker at
// each place, and receive the values that the trace has: the markers tell how often and where in program order
// each thread passes each place, and for POWER the threads report their dependencies and branches again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/axioms/execution.hpp"
#include "checker/axioms/judge.hpp"
#include "compiler/image.hpp"
#include "heddle/heddle.h"

namespace heddle::fenced {

class FencedExecution {
 public:
  // The places, by the site of their markers; `no_place` for all other sites. Markers are `fence isync`.
  using PlaceOfSite = std::vector<std::uint32_t>;
  static constexpr std::uint32_t no_place = 0xffffffff;

  // `marked`: the program with markers, with threads that run ahead exactly if the model is POWER. Throws
  // std::logic_error if the program cannot do what the trace says, which is a bug. O(events squared).
  FencedExecution(const compiler::Image& marked, const PlaceOfSite& place_of_site, axioms::Model model,
                  const Trace& trace);

  // The kinds of fences at each place, as bits 1 << FenceType.
  using Kinds = std::vector<std::uint8_t>;
  // Whether the model allows the execution in the program with these fences and no others at the places. False
  // also if the execution is partial, under POWER, and a fence would need an event that is missing. O(events
  // cubed).
  [[nodiscard]] bool possible_with(const Kinds& kinds) const;
  // Whether SC allows it.
  [[nodiscard]] bool sequentially_consistent() const;
  // Whether any thread passes the place.
  [[nodiscard]] bool passes(std::uint32_t place) const { return place < passed_.size() && passed_[place]; }

 private:
  enum class ItemKind : std::uint8_t { event, missing, point, marker };
  // One thing that a thread does, in program order.
  struct Item {
    ItemKind kind = ItemKind::event;
    bool reads = false;  // events, also missing ones
    bool writes = false;
    std::uint32_t place = no_place;  // markers
    axioms::Point point = {};        // points
  };
  struct Builder;

  [[nodiscard]] bool needs_missing_event(const Kinds& kinds) const;

  axioms::Model model_;
  axioms::Execution execution_;  // without points
  std::vector<std::vector<Item>> threads_;
  std::vector<bool> passed_;
};

}  // namespace heddle::fenced
