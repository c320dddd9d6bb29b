// The points at which instrumented code counts how often it comes there: every statement, and the ways on from
// `if`, `?:` and loops. Functions are inlined, but have one point for all their calls. Knows nothing of LLVM.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/sites.hpp"
#include "lang/tree.hpp"

namespace heddle::compiler {

enum class PointKind : std::uint8_t { statement, assertion, branch };

struct CoveragePoint {
  PointKind kind = PointKind::statement;
  std::string_view arm = {};  // branches
  std::uint32_t site = 0;     // index into Image::sites
  // Branches: in some copy of the code the text (and its params) alone says which way is taken; in some it does
  // not.
  bool decided = false;
  bool open = false;
};

class CoveragePoints {
 public:
  CoveragePoints(const lang::Program& program, SiteTable& sites);

  [[nodiscard]] std::size_t size() const { return points_.size(); }
  // Points of a statement: the first is the statement itself, but for a block. Of an expression: its arms.
  [[nodiscard]] std::uint32_t of(const void* node, std::uint32_t which = 0) const {
    return first_.at(node) + which;
  }
  // The branch with this arm and the next: does the text decide it here?
  void note_branch(std::uint32_t arm, bool decided) {
    for (const std::uint32_t each : {arm, arm + 1})
      (decided ? points_[each].decided : points_[each].open) = true;
  }
  [[nodiscard]] std::vector<CoveragePoint> take() { return std::move(points_); }

 private:
  void add(std::span<const lang::Statement> statements);
  void add(const lang::Statement& statement);
  void add(const lang::Expression& expression);
  void add_arms(const lang::SourceRange& range, std::string_view yes, std::string_view no);

  SiteTable& sites_;
  std::vector<CoveragePoint> points_;
  std::unordered_map<const void*, std::uint32_t> first_;
};

}  // namespace heddle::compiler
