// Small pieces of the program tree, and the program that all threads of a test are added to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/litmus/syntax.hpp"
#include "lang/tree.hpp"

namespace heddle::lang::litmus {

[[nodiscard]] Expression literal(std::int64_t value, const SourceRange& range);
[[nodiscard]] Expression truth(bool value, const SourceRange& range);
[[nodiscard]] Expression local(LocalId id, const SourceRange& range);
[[nodiscard]] Expression binary(BinaryOperator op, Expression left, Expression right,
                                const SourceRange& range);
[[nodiscard]] Expression negation(Expression operand, const SourceRange& range);
[[nodiscard]] Expression as_number(Expression boolean);  // 1 or 0
// The low 32 bits with their sign.
[[nodiscard]] Expression sign_extended(Expression value, const SourceRange& range);
[[nodiscard]] Statement declare(LocalId id, Expression value, const SourceRange& range);
[[nodiscard]] Statement assign(LocalId id, Expression value, const SourceRange& range);
[[nodiscard]] Statement plain(StatementKind kind, const SourceRange& range);

[[nodiscard]] bool is_literal(const Expression& expression);
// Equal trees, wherever they stand in the text.
[[nodiscard]] bool same(const Expression& left, const Expression& right);
[[nodiscard]] std::size_t size(const Expression& expression);
[[nodiscard]] bool mentions(const Expression& expression, LocalId id);

// Linear searches by name are good enough for so few.
inline constexpr std::size_t most_locations = 1000;

// Addresses as numbers: that of the first location, and how far apart they are. No test computes with numbers
// as large, and what a test adds to an address leads to no other location.
inline constexpr std::int64_t first_address = 1 << 30;
inline constexpr std::int64_t bytes_between_addresses = 16;

// The variable of an access whose index is an address: all of memory.
inline constexpr VariableId whole_memory = ~VariableId{0};

// The program of a test under construction: its locations by name, names that are valid in a .hed file.
class Builder {
 public:
  explicit Builder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  Program program;

  // The location's variable; a new one is 0 at first. Reports and returns variable 0 if there are too many.
  VariableId variable(std::string_view name, const SourceRange& range);
  [[nodiscard]] const std::string& location_name(VariableId id) const { return location_names_[id]; }
  // The location is accessed with an index that is computed: it becomes an array of one element.
  void make_array(VariableId id) { program.variables[id].is_array = true; }
  // The number that stands for the location's address where it is a value.
  std::int64_t address(VariableId id) {
    has_addresses_ = true;
    return first_address + bytes_between_addresses * static_cast<std::int64_t>(id);
  }
  // Something that is computed or loaded is used as an address: accesses then are to whole_memory.
  void use_computed_address(const SourceRange& range) {
    if (!computed_address_) computed_address_ = range;
  }
  // The location is accessed as a word of 32 bits, or of 64. Reports one that is both if it matters.
  void access(VariableId id, bool word, bool matters, const SourceRange& range);
  [[nodiscard]] bool is_word(VariableId id) const {
    return id < widths_.size() && widths_[id] == Width::word;
  }

  // A name for a local of `body`, as near to `wanted` as is possible in a .hed file.
  [[nodiscard]] std::string local_name(const Body& body, std::string_view wanted) const;
  void add_thread(ThreadTemplate thread);
  // When all is there: numbers locations, gives accesses to arrays their index. If an address is computed,
  // all locations become elements of one array.
  void finish();

  void error(const SourceRange& range, std::string message, std::string hint = {}) {
    diagnostics_.error(range, std::move(message), std::move(hint));
  }

 private:
  enum class Width : std::uint8_t { unknown, word, quad };

  [[nodiscard]] std::string global_name(std::string_view wanted);
  void gather_in_memory();

  Diagnostics& diagnostics_;
  std::vector<std::string> location_names_;  // as in the test, by VariableId
  std::unordered_set<std::string> taken_;
  std::vector<Width> widths_;  // by VariableId
  bool has_addresses_ = false;
  std::optional<SourceRange> computed_address_;  // the first one
};

}  // namespace heddle::lang::litmus
