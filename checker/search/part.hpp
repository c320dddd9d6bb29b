// Parts of a depth-first search whose subtrees share nothing but the way to them.
//
// Such a search can be cut anywhere. A part is an interval of it in serial order: what comes after a certain
// point, down to the last child of a certain node. The point is written down as a path of numbers, so that a
// part can be explored by another thread, later, or on another computer: a search is a function of the program
// and the options, so the numbers lead to the same point everywhere.
//
// Splitting a part gives away all further children of its shallowest node (Simsa, Bryant, Gibson, Hickey,
// "Scalable dynamic partial order reduction", RV'12). What it keeps comes before what it gives away in serial order.
// So parts are always ordered, and findings that are put together in that order are those of the serial
// search, whoever explored what.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "checker/search/findings.hpp"

namespace heddle::checker {

struct Part {
  // The number of children that have been entered of each node from the root on, with the one on the path.
  // The part begins after the last of these children of the last node. Empty: it begins with the search.
  std::vector<std::uint32_t> path = {};
  // The nodes before this position have no further children that belong to the part.
  std::uint32_t first_own = 0;
  friend bool operator==(const Part&, const Part&) = default;
};

// A search in the middle: what was found in some of its parts, and which are left, in serial order.
struct Section {
  std::optional<Part> left;  // if it is not there: explored, with these findings
  Findings findings;
};
using Sections = std::vector<Section>;

// The program has no such part.
struct NoSuchPart : std::runtime_error {
  NoSuchPart() : std::runtime_error("the program's search has no part like this") {}
};

// A node of the stack of such a search.
template <typename N>
concept PartNode = requires(N& node, const N& fixed) {
  { node.children } -> std::same_as<std::uint32_t&>;  // entered so far
  { fixed.exhausted() } -> std::same_as<bool>;  // certainly has no further ones; may be false when in doubt
};

// What an exploration with this stack has left to do. Not to be called while it moves to a child.
template <PartNode Node>
[[nodiscard]] Part rest_of(const std::vector<Node>& nodes, std::uint32_t first_own) {
  Part part{.first_own = first_own};
  part.path.reserve(nodes.size());
  for (const Node& node : nodes) part.path.push_back(node.children);
  return part;
}

// Gives away the rest of the shallowest node that may have one, and moves `first_own` after it. Nothing: all
// that is left is below the newest node.
template <PartNode Node>
[[nodiscard]] std::optional<Part> split(const std::vector<Node>& nodes, std::uint32_t& first_own) {
  std::uint32_t given = first_own;
  while (given + 1 < nodes.size() && nodes[given].exhausted()) ++given;
  if (given + 1 >= nodes.size()) return std::nullopt;
  Part part{.first_own = given};
  for (std::uint32_t i = 0; i <= given; ++i) part.path.push_back(nodes[i].children);
  first_own = given + 1;
  return part;
}

}  // namespace heddle::checker
