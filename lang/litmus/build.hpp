// Helpers that build the program tree, and the program that the threads of a test are added to.
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
// The low 32 bits, sign-extended.
[[nodiscard]] Expression sign_extended(Expression value, const SourceRange& range);
[[nodiscard]] Statement declare(LocalId id, Expression value, const SourceRange& range);
[[nodiscard]] Statement assign(LocalId id, Expression value, const SourceRange& range);
[[nodiscard]] Statement plain(StatementKind kind, const SourceRange& range);

[[nodiscard]] bool is_literal(const Expression& expression);
// Structural equality, regardless of source positions.
[[nodiscard]] bool same(const Expression& left, const Expression& right);
[[nodiscard]] std::size_t size(const Expression& expression);
[[nodiscard]] bool mentions(const Expression& expression, LocalId id);

// So few names need no hash table: lookups are linear.
inline constexpr std::size_t most_locations = 1000;

// Numeric addresses: that of the first location, and the distance between neighbours. Tests do not compute
// with numbers this large, and offsets that tests add to an address do not reach another location.
inline constexpr std::int64_t first_address = 1 << 30;
inline constexpr std::int64_t bytes_between_addresses = 16;

// The variable of an access whose index is a full address: all of memory.
inline constexpr VariableId whole_memory = ~VariableId{0};

// The program of a test under construction, and its locations by name. Names are valid in a .hed file.
class Builder {
 public:
  explicit Builder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  Program program;

  // The variable of a location, created with value 0 on first use. Reports and returns variable 0 if there
  // are too many.
  VariableId variable(std::string_view name, const SourceRange& range);
  [[nodiscard]] const std::string& location_name(VariableId id) const { return location_names_[id]; }
  // The location is accessed with a computed index: makes it an array of one element.
  void make_array(VariableId id) { program.variables[id].is_array = true; }
  // The number that stands for the location's address where the address is used as a value.
  std::int64_t address(VariableId id) {
    has_addresses_ = true;
    return first_address + bytes_between_addresses * static_cast<std::int64_t>(id);
  }
  // A computed or loaded value is used as an address: such accesses go to whole_memory.
  void use_computed_address(const SourceRange& range) {
    if (!computed_address_) computed_address_ = range;
  }
  // Records an access with 32 bits (`word`) or 64. Reports locations accessed with both widths, if it
  // matters.
  void access(VariableId id, bool word, bool matters, const SourceRange& range);
  [[nodiscard]] bool is_word(VariableId id) const {
    return id < widths_.size() && widths_[id] == Width::word;
  }

  // A name for a local of `body`: as close to `wanted` as .hed files allow.
  [[nodiscard]] std::string local_name(const Body& body, std::string_view wanted) const;
  void add_thread(ThreadTemplate thread);
  // Call last: numbers the locations and gives accesses to arrays their index. If an address is computed, all
  // locations become elements of one array.
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
