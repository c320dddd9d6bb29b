// The places of a program's text where a fence stands or could stand, and the program with other fences there.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lang/source.hpp"
#include "lang/tree.hpp"

namespace heddle::fence_places {

// Byte `offset` of the file: where a statement begins, or the brace that closes a function.
struct Spot {
  std::uint32_t file = 0;
  std::uint32_t offset = 0;
  auto operator<=>(const Spot&) const = default;
};

struct Place {
  Spot spot;
  bool closes_function = false;                  // at the closing brace of a function
  std::optional<lang::FenceKind> standing = {};  // the fence statement that begins here
  lang::SourceRange range;                       // of the statement, or of the brace
  // The head of an `if` with a constant condition that holds nothing but the standing fence.
  std::optional<lang::SourceRange> guard = {};
};

using Files = std::set<std::uint32_t>;  // file numbers of the SourceMap
// The fences at each place. Places without an entry have none.
using Fences = std::map<Spot, std::vector<lang::FenceKind>>;

// All places in these files, in the order of the text: each fence statement; before each statement with a
// visible operation; before each `return`; the end of each function with a visible operation. Not in code
// under conditions that are constantly false. O(tree).
[[nodiscard]] std::vector<Place> places(const lang::Program& program, const lang::SourceMap& sources,
                                        const Files& files);

// The program with these fences at the places of these files, and no others there. The range of a new fence
// is empty and begins at its spot. O(tree).
[[nodiscard]] lang::Program with_fences(const lang::Program& program, const lang::SourceMap& sources,
                                        const Files& files, const Fences& fences);

// The text of the file with these fences at its places, and no others there. What need not change stays as it
// is: a fence of another kind replaces the word, a new fence before the first statement of a line gets a line
// of its own, an `if PARAM` that holds nothing else goes with its fence. O(text).
[[nodiscard]] std::string edited_text(const lang::SourceMap& sources, std::uint32_t file,
                                      const std::vector<Place>& places, const Fences& fences);

}  // namespace heddle::fence_places
