// Numbers sequences of 32-bit parts, all of one length, from 0 in the order in which they first come.
//
// The parts are the leaves of a binary tree. Each inner node is the number of the pair of its children, and the number of
// the pair at the root is that of the sequence. Neighbouring states differ in few parts, so few pairs are looked up, and
// most states add one word to one table. (Laarman, van de Pol, Weber, "Parallel recursive state compression for free",
// SPIN'11.)
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/search/word_table.hpp"

namespace heddle::checker {

// Holds a current sequence, whose parts are changed one by one.
class TreeTable {
 public:
  static constexpr std::uint32_t unset = 0xffffffff;

  // To be called first, and once. All parts must be set before the first `find`.
  void start(std::size_t length) {
    length_ = length;
    leaves_ = std::bit_ceil(std::max<std::size_t>(length, 2));
    nodes_.assign(2 * leaves_, unset);
  }
  [[nodiscard]] bool started() const { return leaves_ != 0; }
  // Changes a part of the current sequence, to anything but `unset`. O(1).
  void set(std::size_t part, std::uint32_t value) {
    // All subtrees of one level have as many parts, or one more or less.
    assign(leaves_ + part * leaves_ / length_, value);
  }
  // The number of the current sequence, which is added if it is not known. O(parts changed * log(length)).
  NumberFound find() {
    update();
    return sequences_.insert(children(1));
  }
  // `roll_back` makes the sequence what it was at the last `mark`. There must be a `find` in between.
  // O(parts changed * log(length)), both.
  void mark() {
    update();
    before_.clear();
  }
  void roll_back() {
    for (; !before_.empty(); before_.pop_back()) nodes_[before_.back().node] = before_.back().value;
  }
  [[nodiscard]] std::size_t size() const { return sequences_.size(); }
  [[nodiscard]] std::size_t memory_used() const { return pairs_.memory_used() + sequences_.memory_used(); }

 private:
  struct Before {
    std::size_t node = 0;
    std::uint32_t value = 0;
  };
  [[nodiscard]] std::uint64_t children(std::size_t node) const {
    return std::uint64_t{nodes_[2 * node]} << 32 | nodes_[2 * node + 1];
  }
  void assign(std::size_t node, std::uint32_t value) {
    if (nodes_[node] == value) return;
    before_.push_back({node, nodes_[node]});
    nodes_[node] = value;
    const std::size_t parent = node / 2;
    if (parent > 1 && (changed_.empty() || changed_.back() != parent)) changed_.push_back(parent);
  }
  void update() {
    for (std::size_t i = 0; i < changed_.size(); ++i) {
      const std::size_t node = changed_[i];
      const std::uint32_t left = nodes_[2 * node];
      const std::uint32_t right = nodes_[2 * node + 1];
      // An only child stands for its parent.
      assign(node, left == unset ? right : right == unset ? left : pairs_.insert(children(node)).number);
    }
    changed_.clear();
  }

  WordTable sequences_;  // by their last two inner nodes
  WordTable pairs_;      // all other inner nodes
  // Of the current sequence: the children of node n are 2n and 2n + 1, the root is 1.
  std::vector<std::uint32_t> nodes_;
  std::size_t length_ = 0;
  std::size_t leaves_ = 0;
  std::vector<std::size_t> changed_;  // inner nodes whose children have changed, by level from the leaves
  std::vector<Before> before_;        // what has changed since the last `mark`
};

}  // namespace heddle::checker
