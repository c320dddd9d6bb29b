// What the axiomatic models over execution graphs share; axiomatic_models.hpp lists them.
//
// Every model here is acyclic(order | rfe | co | fr), coherence per location and atomicity
// (memory-models.md). The models differ only in `order`, the part of program order (with fences) that they
// keep, so a model's file contains only this:
//
//   // True if the pair is kept without a fence. Loads must be kept before everything, since threads do not
//   run // ahead of them (cb is po | rf), and everything before `locked`, since full fences are defined by
//   that. static constexpr bool keeps(AccessKind earlier, AccessKind later);
//   // True if stores before the fence, which is not a full one, are kept before stores after it.
//   static constexpr bool orders_stores(Fence fence);
//
// A full fence keeps every pair across it in every model. A model that treats loads and stores alike has no
// store buffers; every other one is taken to have them: one for each thread if it keeps pairs of stores, else one
// for each thread and location. Where buffers have room for k stores (CheckOptions::buffer_bound), a store is also
// kept before everything that follows the k-th store after it to its buffer: that one enters only when it has
// left. The graph (graph.hpp) adds events only at the end
// of their threads, so it needs no queries about pairs: `Frontier` holds, for each kind of later event, the
// events of the thread that the model puts directly before it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "checker/state/step.hpp"

namespace heddle::checker {

// The kinds of events that the models distinguish.
enum class AccessKind : std::uint8_t {
  load,    // also `choose`, which must wait for the reads before it, as a load does
  store,   // a plain store
  locked,  // read-modify-writes, failed compare-and-swaps, lock, unlock, trylock: they drain the store buffer
};

// Kinds of later events that a model treats alike share a set: SC needs one, TSO two, PSO three.
template <typename Model>
struct FrontierLayout {
  static constexpr std::array<AccessKind, 3> kinds{AccessKind::load, AccessKind::store, AccessKind::locked};

  static_assert(Model::keeps(AccessKind::load, AccessKind::load) &&
                    Model::keeps(AccessKind::load, AccessKind::store),
                "threads do not run ahead of their loads here");
  static_assert(Model::keeps(AccessKind::load, AccessKind::locked) &&
                    Model::keeps(AccessKind::store, AccessKind::locked) &&
                    Model::keeps(AccessKind::locked, AccessKind::locked),
                "full fences are what precedes `locked`");

  // True if nothing distinguishes the two kinds: neither the pairs kept nor a fence (which adds what `locked`
  // has).
  static constexpr bool alike(AccessKind a, AccessKind b) {
    if (a == b) return true;
    for (const auto earlier : kinds) {
      const bool all = Model::keeps(earlier, AccessKind::locked);
      if (Model::keeps(earlier, a) != all || Model::keeps(earlier, b) != all) return false;
    }
    return true;
  }
  static constexpr bool store_as_load = alike(AccessKind::store, AccessKind::load);
  static constexpr bool locked_as_load = alike(AccessKind::locked, AccessKind::load);
  static constexpr bool locked_as_store = alike(AccessKind::locked, AccessKind::store);

  // The set of the kind: its own, or that of an earlier kind that is treated alike.
  static constexpr unsigned index(AccessKind later) {
    constexpr unsigned store = store_as_load ? 0 : 1;
    constexpr unsigned locked = locked_as_load ? 0 : locked_as_store ? store : store + 1;
    return later == AccessKind::load ? 0 : later == AccessKind::store ? store : locked;
  }
  // True if the kind is the first of those that share its set.
  static constexpr bool has_own_set(AccessKind kind) {
    if (kind == AccessKind::store) return !store_as_load;
    return kind == AccessKind::load || (!locked_as_load && !locked_as_store);
  }
  static constexpr unsigned count = 1 + has_own_set(AccessKind::store) + has_own_set(AccessKind::locked);
};

// Per thread: the events that the model puts before its next one, by the kind of that next event.
template <typename Model, typename Set>
class Frontier {
 public:
  using Layout = FrontierLayout<Model>;

  [[nodiscard]] const Set& before(AccessKind next) const { return sets_[Layout::index(next)]; }

  // Of sets that allocate, beyond the object itself.
  [[nodiscard]] std::size_t memory_used() const {
    std::size_t bytes = 0;
    for (const Set& set : sets_) bytes += set.memory_used();
    return bytes;
  }

  // The thread performed `event`; `upto` is the event with all that the model orders before it.
  void add(AccessKind kind, std::uint32_t event, const Set& upto) {
    for (const auto later : Layout::kinds) {
      if (!Layout::has_own_set(later) || !Model::keeps(kind, later)) continue;
      Set& set = sets_[Layout::index(later)];
      set -= upto;
      set.insert(event);
    }
  }

  // The store of the thread has left its buffer, to make room for another one. `upto`: as for `add`.
  void leave_buffer(std::uint32_t store, const Set& upto) {
    for (const auto later : Layout::kinds) {
      if (!Layout::has_own_set(later) || Model::keeps(AccessKind::store, later)) continue;
      Set& set = sets_[Layout::index(later)];
      set -= upto;
      set.insert(store);
    }
  }

  // The thread passed a fence.
  void pass(Fence fence) {
    if constexpr (counts_fences) {
      fences_.full += fence == Fence::full;
      fences_.stores += Model::orders_stores(fence);
    }
    const Set everything = before(AccessKind::locked);
    if (fence == Fence::full) {
      for (auto& set : sets_) set |= everything;
    } else if (Model::orders_stores(fence)) {
      sets_[Layout::index(AccessKind::store)] |= everything;
    }
  }

  // How many full fences the thread has passed, and how many others that keep stores in order; not counted
  // where the model keeps everything. (The sets do not tell: they leave out what is ordered through other
  // threads.)
  struct Fences {
    std::uint32_t full = 0;
    std::uint32_t stores = 0;
  };
  [[nodiscard]] Fences fences() const {
    if constexpr (counts_fences) return fences_;
    return {};
  }

 private:
  static constexpr bool counts_fences = Layout::count > 1;
  struct Nothing {};

  std::array<Set, Layout::count> sets_{};
  [[no_unique_address]] std::conditional_t<counts_fences, Fences, Nothing> fences_{};
};

}  // namespace heddle::checker
