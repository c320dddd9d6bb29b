// The points at which instrumented code counts executions: every statement, and the outcomes of `if`, `?:`
// and loop conditions. An inlined function has one set of points for all its calls. Independent of LLVM.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/image.hpp"
#include "compiler/sites.hpp"
#include "lang/tree.hpp"

namespace heddle::compiler {

class CoveragePoints {
 public:
  CoveragePoints(const lang::Program& program, SiteTable& sites);

  [[nodiscard]] std::size_t size() const { return points_.size(); }
  // The points of a statement: first the statement itself, unless it is a block. Of an expression: its arms.
  [[nodiscard]] std::uint32_t of(const void* node, std::uint32_t which = 0) const {
    return first_.at(node) + which;
  }
  // Records whether the outcome of the branch with the points `arm` and `arm + 1` is known at compile time.
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
