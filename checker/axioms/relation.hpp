// Relations over the events of an execution, with the operators that axioms use: union `|`, composition `*`,
// `plus` and `star`. There are two forms, so that axioms are written once.
//
// Relation is a bit matrix: it says whether a pair is related. Paths also says why: each pair has a shortest
// path of base edges, kept as a tree of concatenations in an arena. A composition costs O(n^3 / 64) for bits
// and O(n^3) for paths, n events.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/axioms/execution.hpp"

namespace heddle::axioms {

class Relation {
 public:
  explicit Relation(std::size_t events) : events_(events), words_((events + 63) / 64) {
    bits_.resize(events_ * words_);
  }

  [[nodiscard]] std::size_t events() const { return events_; }
  [[nodiscard]] bool has(std::size_t a, std::size_t b) const {
    return (bits_[a * words_ + b / 64] >> (b % 64) & 1) != 0;
  }
  void add(std::size_t a, std::size_t b) { bits_[a * words_ + b / 64] |= std::uint64_t{1} << (b % 64); }

  friend Relation operator|(Relation a, const Relation& b) {
    for (std::size_t i = 0; i < a.bits_.size(); ++i) a.bits_[i] |= b.bits_[i];
    return a;
  }
  friend Relation operator*(const Relation& a, const Relation& b) {
    Relation result(a.events_);
    for (std::size_t i = 0; i < a.events_; ++i) {
      a.for_each_after(i, [&](std::size_t middle) { result.unite(i, b, middle); });
    }
    return result;
  }
  friend bool operator==(const Relation& a, const Relation& b) { return a.bits_ == b.bits_; }

  // The pairs that `keeps(a, b)` accepts.
  template <typename Keeps>
  [[nodiscard]] Relation filtered(Keeps&& keeps) const {
    Relation result(events_);
    for (std::size_t i = 0; i < events_; ++i) {
      for_each_after(i, [&](std::size_t j) {
        if (keeps(i, j)) result.add(i, j);
      });
    }
    return result;
  }
  // The transitive closure, by Warshall's algorithm.
  [[nodiscard]] Relation plus() const {
    Relation result = *this;
    for (std::size_t middle = 0; middle < events_; ++middle) {
      for (std::size_t i = 0; i < events_; ++i) {
        if (result.has(i, middle)) result.unite(i, result, middle);
      }
    }
    return result;
  }
  [[nodiscard]] Relation star() const {
    Relation result = plus();
    for (std::size_t i = 0; i < events_; ++i) result.add(i, i);
    return result;
  }

 private:
  template <typename Visit>
  void for_each_after(std::size_t a, Visit&& visit) const {
    for (std::size_t word = 0; word < words_; ++word) {
      for (auto rest = bits_[a * words_ + word]; rest != 0; rest &= rest - 1)
        visit(word * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }
  void unite(std::size_t row, const Relation& from, std::size_t other) {
    for (std::size_t word = 0; word < words_; ++word)
      bits_[row * words_ + word] |= from.bits_[other * words_ + word];
  }

  std::size_t events_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

// Paths of base edges. Base edge `e` is whatever the caller numbers so.
class PathArena {
 public:
  using Path = std::uint32_t;
  static constexpr Path none = 0;   // no path
  static constexpr Path empty = 1;  // the path without edges, from an event to itself

  PathArena() : nodes_{{.length = unreachable}, {.length = 0}} {}

  Path edge(std::uint32_t number) {
    nodes_.push_back({.length = 1, .left = number});
    return static_cast<Path>(nodes_.size() - 1);
  }
  Path join(Path left, Path right) {
    if (left == empty) return right;
    if (right == empty) return left;
    nodes_.push_back({.length = length(left) + length(right), .left = left, .right = right});
    return static_cast<Path>(nodes_.size() - 1);
  }
  // Number of edges; more than any path's if there is none.
  [[nodiscard]] std::uint32_t length(Path path) const { return nodes_[path].length; }
  void append_edges(Path path, std::vector<std::uint32_t>& edges) const {
    const Node& node = nodes_[path];
    if (node.right != none) {
      append_edges(node.left, edges);
      append_edges(node.right, edges);
    } else if (node.length == 1) {
      edges.push_back(node.left);
    }
  }

  static constexpr std::uint32_t unreachable = 0x3fffffff;

 private:
  struct Node {
    std::uint32_t length = 0;
    std::uint32_t left = none;   // of one edge: its number
    std::uint32_t right = none;  // none: no concatenation
  };
  std::vector<Node> nodes_;
};

class Paths {
 public:
  Paths(std::size_t events, PathArena& arena) : events_(events), arena_(&arena) {
    paths_.resize(events * events, PathArena::none);
  }

  [[nodiscard]] std::size_t events() const { return events_; }
  [[nodiscard]] bool has(std::size_t a, std::size_t b) const { return at(a, b) != PathArena::none; }
  [[nodiscard]] PathArena::Path at(std::size_t a, std::size_t b) const { return paths_[a * events_ + b]; }
  // Keeps the shorter path, the older one of two equally long ones.
  void add(std::size_t a, std::size_t b, PathArena::Path path) {
    auto& known = paths_[a * events_ + b];
    if (arena_->length(path) < arena_->length(known)) known = path;
  }

  friend Paths operator|(Paths a, const Paths& b) {
    for (std::size_t i = 0; i < a.paths_.size(); ++i) {
      if (a.arena_->length(b.paths_[i]) < a.arena_->length(a.paths_[i])) a.paths_[i] = b.paths_[i];
    }
    return a;
  }
  friend Paths operator*(const Paths& a, const Paths& b) {
    Paths result(a.events_, *a.arena_);
    for (std::size_t i = 0; i < a.events_; ++i) {
      for (std::size_t middle = 0; middle < a.events_; ++middle) {
        if (!a.has(i, middle)) continue;
        for (std::size_t j = 0; j < a.events_; ++j) result.add_joined(i, j, a.at(i, middle), b.at(middle, j));
      }
    }
    return result;
  }
  // Equally long everywhere.
  friend bool operator==(const Paths& a, const Paths& b) {
    for (std::size_t i = 0; i < a.paths_.size(); ++i) {
      if (a.arena_->length(a.paths_[i]) != b.arena_->length(b.paths_[i])) return false;
    }
    return true;
  }

  template <typename Keeps>
  [[nodiscard]] Paths filtered(Keeps&& keeps) const {
    Paths result(events_, *arena_);
    for (std::size_t i = 0; i < events_; ++i) {
      for (std::size_t j = 0; j < events_; ++j) {
        if (has(i, j) && keeps(i, j)) result.add(i, j, at(i, j));
      }
    }
    return result;
  }
  // The transitive closure, by the algorithm of Floyd and Warshall.
  [[nodiscard]] Paths plus() const {
    Paths result = *this;
    for (std::size_t middle = 0; middle < events_; ++middle) {
      for (std::size_t i = 0; i < events_; ++i) {
        if (!result.has(i, middle)) continue;
        for (std::size_t j = 0; j < events_; ++j)
          result.add_joined(i, j, result.at(i, middle), result.at(middle, j));
      }
    }
    return result;
  }
  [[nodiscard]] Paths star() const {
    Paths result = plus();
    for (std::size_t i = 0; i < events_; ++i) result.add(i, i, PathArena::empty);
    return result;
  }

 private:
  void add_joined(std::size_t a, std::size_t b, PathArena::Path left, PathArena::Path right) {
    if (right == PathArena::none) return;
    auto& known = paths_[a * events_ + b];
    if (arena_->length(left) + arena_->length(right) < arena_->length(known))
      known = arena_->join(left, right);
  }

  std::size_t events_;
  PathArena* arena_;
  std::vector<PathArena::Path> paths_;
};

}  // namespace heddle::axioms
