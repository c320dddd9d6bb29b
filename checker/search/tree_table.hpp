// Numbers sequences of 32-bit parts, all of one length, from 0 in the order in which they first come.
//
// The parts are the leaves of a binary tree. Each inner node is the number of the pair of its children, and the number of
// the pair at the root is that of the sequence. Neighbouring states differ in few parts, so few pairs are looked up, and
// most states add one word to one table. (Laarman, van de Pol, Weber, "Parallel recursive state compression for free",
// SPIN'11.)
//
// Several threads can each have a current sequence of their own and share what they find.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/search/shared_word_table.hpp"
#include "checker/search/word_table.hpp"

namespace heddle::checker {

// Holds a current sequence, whose parts are changed one by one.
class TreeTable {
 public:
  static constexpr std::uint32_t unset = 0xffffffff;

  // What several tables share.
  class Shared {
   public:
    [[nodiscard]] std::size_t memory_used() const { return roots_.memory_used() + others_.memory_used(); }

   private:
    friend class TreeTable;
    Gate gate_;
    SharedWordTable roots_{gate_};
    SharedWordTable others_{gate_};
  };
  TreeTable() = default;
  // `shared` outlives the table. Different tables may be used by different threads.
  explicit TreeTable(Shared& shared) : shared_(&shared), pass_(&shared.gate_.new_pass()) {}

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
    const Inside inside(*this);
    update();
    if (shared_ == nullptr) [[likely]]
      return roots_.insert(children(1));
    return shared_->roots_.insert(children(1), roots_user_, *pass_);
  }
  // `roll_back` makes the sequence what it was at the last `mark`. There must be a `find` in between.
  // O(parts changed * log(length)), both.
  void mark() {
    if (!changed_.empty()) {
      const Inside inside(*this);
      update();
    }
    before_.clear();
  }
  void roll_back() {
    for (; !before_.empty(); before_.pop_back()) nodes_[before_.back().node] = before_.back().value;
  }
  // Of a table that does not share.
  [[nodiscard]] std::size_t size() const { return roots_.size(); }
  // Without what it shares.
  [[nodiscard]] std::size_t memory_used() const { return roots_.memory_used() + others_.memory_used(); }

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
  // Of a table that shares: its thread is inside the gate for the time of a look-up.
  struct Inside {
    explicit Inside(TreeTable& its_table) : table(its_table) {
      if (table.shared_ != nullptr) [[unlikely]]
        table.shared_->gate_.enter(*table.pass_);
    }
    ~Inside() {
      if (table.shared_ != nullptr) [[unlikely]]
        Gate::leave(*table.pass_);
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    TreeTable& table;
  };

  // The number of the pair of an inner node's children.
  [[nodiscard]] std::uint32_t number(std::uint64_t pair) {
    if (shared_ == nullptr) [[likely]]
      return others_.insert(pair).number;
    return shared_->others_.insert(pair, others_user_, *pass_).number;
  }
  void update() {
    for (std::size_t i = 0; i < changed_.size(); ++i) {
      const std::size_t node = changed_[i];
      const std::uint32_t left = nodes_[2 * node];
      const std::uint32_t right = nodes_[2 * node + 1];
      // An only child stands for its parent.
      assign(node, left == unset ? right : right == unset ? left : number(children(node)));
    }
    changed_.clear();
  }

  WordTable roots_;   // by their last two inner nodes; if it does not share
  WordTable others_;  // all other inner nodes
  Shared* shared_ = nullptr;
  Gate::Pass* pass_ = nullptr;  // if it shares
  SharedWordTable::User roots_user_, others_user_;
  // Of the current sequence: the children of node n are 2n and 2n + 1, the root is 1.
  std::vector<std::uint32_t> nodes_;
  std::size_t length_ = 0;
  std::size_t leaves_ = 0;
  std::vector<std::size_t> changed_;  // inner nodes whose children have changed, by level from the leaves
  std::vector<Before> before_;        // what has changed since the last `mark`
};

}  // namespace heddle::checker
