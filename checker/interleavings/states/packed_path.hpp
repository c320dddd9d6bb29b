// The beginning of a long path of `states`, in few bytes a step.
//
// A path is often as long as most of the states that there are, and the search is at its end nearly all the time. So
// the search keeps the newest places as they are and packs the others, many at a time: what is left to take at a place
// follows from its state and the move that was taken last, and a step is packed to what undoing it needs, in bytes of
// seven bits each as far as a number goes. On most paths that is 7 bytes for a place and its step, in place of 136.
//
// Places can be given away, to a search by another thread; their steps stay, as the way to the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "checker/interleavings/states/state_graph.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

class PackedPath {
 public:
  // A state on the path that the search will return to. The move that it took last is that of its first step.
  struct Place {
    StateGraph::State state = 0;
    std::uint32_t steps = 0;         // of the move that it took last
    std::uint32_t alternatives = 0;  // how many it has not taken yet
    MoveKind last = MoveKind::transition;
    bool reduced = false;
    bool has_entered = false;  // its alternatives have been found
  };

  // How many parts it has that were pushed and not given away.
  [[nodiscard]] std::size_t own_parts() const { return blocks_.size() - given_; }
  // Adds places to the end, with the steps of all of them. O(steps), as all of these.
  void push(std::span<const Place> places, std::span<const Step> steps) {
    bytes_.clear();
    put(places.size());
    StateGraph::State previous = 0;
    for (const Place& place : places) {
      put(place, previous);
      previous = place.state;
      for (std::uint32_t i = 0; i < place.steps; ++i) put(steps[i]);
      steps = steps.subspan(place.steps);
    }
    Block& block = blocks_.emplace_back();
    block.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(bytes_.size());
    std::copy(bytes_.begin(), bytes_.end(), block.bytes.get());
    size_ += block.size = bytes_.size();
  }
  // Gives the first places away, those of this many parts. The path that it returns has them, with all steps up to
  // there. O(steps of that).
  PackedPath give(std::size_t parts) {
    PackedPath result;
    result.given_ = given_;
    given_ += parts;
    for (const Block& block : std::span(blocks_).first(given_)) {
      Block& copy =
          result.blocks_.emplace_back(std::make_unique_for_overwrite<std::uint8_t[]>(block.size), block.size);
      std::copy_n(block.bytes.get(), block.size, copy.bytes.get());
      result.size_ += block.size;
    }
    return result;
  }
  // Calls `visit(place)` for each place that it has, from the first one on.
  template <typename Visit>
  void for_each_place(Visit&& visit) const {
    for (const Block& block : std::span(blocks_).subspan(given_)) unpack(block, visit, [](const Step&) {});
  }
  // Removes the newest part, its own or not, and appends its steps, as `pop` does.
  void pop_steps(std::vector<Step>& steps) {
    std::vector<Place> places;
    pop(places, steps);
    given_ = std::min(given_, blocks_.size());
  }
  [[nodiscard]] std::size_t parts() const { return blocks_.size(); }
  // Removes the newest part that was pushed, and appends what it had. Of a step comes back what undoing it and
  // Machine::schedule need.
  void pop(std::vector<Place>& places, std::vector<Step>& steps) {
    unpack(
        blocks_.back(), [&](const Place& place) { places.push_back(place); },
        [&](const Step& step) { steps.push_back(step); });
    size_ -= blocks_.back().size;
    blocks_.pop_back();
  }
  // Calls `visit(step)` for each step from the first one on.
  template <typename Visit>
  void for_each_step(Visit&& visit) const {
    for (const Block& block : blocks_)
      unpack(
          block, [](const Place&) {}, visit);
  }
  [[nodiscard]] std::size_t memory_used() const {
    constexpr std::size_t of_heap = 16;
    return size_ + blocks_.size() * of_heap + blocks_.capacity() * sizeof(Block);
  }

 private:
  struct Block {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t size = 0;
  };

  // The first byte of a place: its kind of move, and these.
  static constexpr unsigned reduced = 1U << 3;
  static constexpr unsigned has_entered = 1U << 4;
  static constexpr unsigned has_alternatives = 1U << 5;
  static constexpr unsigned has_one_step = 1U << 6;
  // The first byte of a step: its type, and these. The second one: its operation, and whether it touches buffers.
  static constexpr unsigned writes = 1U << 3;
  static constexpr unsigned resumed = 1U << 4;
  static constexpr unsigned forwarded = 1U << 5;
  static constexpr unsigned block_shift = 6;
  static constexpr unsigned local = 3;  // in place of an InBlock
  static constexpr unsigned buffers = 1U << 7;

  void put(const Place& place, StateGraph::State previous) {
    const bool one = place.steps == 1;
    put(static_cast<unsigned>(place.last) | (place.reduced ? reduced : 0) |
        (place.has_entered ? has_entered : 0) | (place.alternatives != 0 ? has_alternatives : 0) |
        (one ? has_one_step : 0));
    put(place.state - previous);
    if (place.alternatives != 0) put(place.alternatives);
    if (!one) put(place.steps);
  }
  void put(const Step& step) {
    const bool buffered =
        step.buffered != 0 || step.entry != none || step.previous_forward != none || step.barrier_before != 0;
    bytes_.push_back(
        static_cast<std::uint8_t>(static_cast<unsigned>(step.type) | (step.access.writes ? writes : 0) |
                                  (step.resumed ? resumed : 0) | (step.access.forwarded ? forwarded : 0) |
                                  (step.local ? local : static_cast<unsigned>(step.block)) << block_shift));
    bytes_.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(step.op) | (buffered ? buffers : 0)));
    put(step.thread);
    put_or_none(step.access.location);
    if (step.access.writes) put_signed(step.overwritten);
    if (has_value(step.type)) put_signed(step.read);
    if (step.type == StepType::flush) put(step.process);
    if (!buffered) return;
    put(step.buffered);
    put_or_none(step.entry);
    put_or_none(step.previous_forward);
    put(step.barrier_before);
  }
  void put(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_.push_back(static_cast<std::uint8_t>(number | 0x80));
    bytes_.push_back(static_cast<std::uint8_t>(number));
  }
  // Numbers close to 0 are short, whatever their sign.
  void put_signed(std::int64_t number) {
    put(static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63));
  }
  void put_or_none(std::uint32_t number) { put(std::uint32_t{number + 1}); }

  struct Reader {
    const std::uint8_t* at;
    std::uint64_t number() {
      std::uint64_t result = 0;
      for (unsigned shift = 0;; shift += 7) {
        const std::uint8_t byte = *at++;
        result |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return result;
      }
    }
    std::uint32_t short_number() { return static_cast<std::uint32_t>(number()); }
    std::uint32_t number_or_none() { return short_number() - 1; }
    std::int64_t signed_number() {
      const std::uint64_t read = number();
      return static_cast<std::int64_t>(read >> 1 ^ (0 - (read & 1)));
    }
    Place place(StateGraph::State previous) {
      const unsigned bits = *at++;
      Place place{.state = previous + short_number(),
                  .last = static_cast<MoveKind>(bits & (reduced - 1)),
                  .reduced = (bits & reduced) != 0,
                  .has_entered = (bits & has_entered) != 0};
      if ((bits & has_alternatives) != 0) place.alternatives = short_number();
      place.steps = (bits & has_one_step) != 0 ? 1 : short_number();
      return place;
    }
    Step step() {
      const unsigned bits = *at++;
      const unsigned op = *at++;
      Step step;
      step.type = static_cast<StepType>(bits & (writes - 1));
      step.op = static_cast<Op>(op & (buffers - 1));
      step.access.writes = (bits & writes) != 0;
      step.access.forwarded = (bits & forwarded) != 0;
      step.resumed = (bits & resumed) != 0;
      step.local = bits >> block_shift == local;
      if (!step.local) step.block = static_cast<InBlock>(bits >> block_shift);
      step.process = step.thread = short_number();
      step.access.location = number_or_none();
      if (step.access.writes) step.overwritten = signed_number();
      if (has_value(step.type)) step.read = signed_number();
      if (step.type == StepType::flush) step.process = short_number();
      if ((op & buffers) == 0) return step;
      step.buffered = short_number();
      step.entry = number_or_none();
      step.previous_forward = number_or_none();
      step.barrier_before = short_number();
      return step;
    }
  };
  template <typename VisitPlace, typename VisitStep>
  static void unpack(const Block& block, VisitPlace&& visit_place, VisitStep&& visit_step) {
    Reader reader{block.bytes.get()};
    StateGraph::State previous = 0;
    for (auto left = reader.number(); left > 0; --left) {
      const Place place = reader.place(previous);
      previous = place.state;
      visit_place(place);
      for (std::uint32_t i = 0; i < place.steps; ++i) visit_step(reader.step());
    }
  }

  std::vector<Block> blocks_;
  std::size_t given_ = 0;            // the first blocks, whose places are no longer its own
  std::size_t size_ = 0;             // of all blocks, in bytes
  std::vector<std::uint8_t> bytes_;  // scratch
};

}  // namespace heddle::checker
