// Expressions: places, arithmetic, and the comparisons that conditions consist of.
#include "generate_expressions.hpp"

#include <array>
#include <utility>

namespace heddle::differential {

using Of = Expression::Kind;

Expression leaf(Of kind, std::int64_t value, std::string name) {
  Expression expression;
  expression.kind = kind;
  expression.value = value;
  expression.name = std::move(name);
  return expression;
}

Expression binary(std::string_view operation, Expression left, Expression right) {
  Expression expression = leaf(Of::binary, 0, std::string(operation));
  expression.operands = {std::move(left), std::move(right)};
  return expression;
}

Expression Expressions::value() { return leaf(Of::constant, random_.between(0, 2)); }

Expression Expressions::place() {
  static constexpr std::array<const char*, 2> fields{"s.f", "s.g"};
  static constexpr std::array<const char*, 2> element_fields{"t.f", "t.g"};
  if (scope_.has_structs && random_.percent(30)) return leaf(Of::load, 0, random_.of(fields));
  if (scope_.has_structs && random_.percent(35))
    return indexed(leaf(Of::load, 0, random_.of(element_fields)));
  if (!scope_.has_array || random_.percent(60)) return leaf(Of::load, 0, random_.of(scope_.scalars));
  return indexed(leaf(Of::load, 0, array_name));
}

Expression Expressions::place_or_enum() {
  Expression result = place();
  if (scope_.has_enum && random_.percent(40)) result = leaf(Of::load, 0, enum_name);
  return result;
}

Expression Expressions::loaded() {
  if (scope_.has_enum && random_.percent(30)) return leaf(Of::load, random_.between(0, 2), enum_name);
  return place();
}

Expression Expressions::element() { return indexed(leaf(Of::element, 0)); }

Expression Expressions::indexed(Expression element) {
  Expression index = leaf(Of::constant, random_.between(0, 1));
  if (random_.percent(profile_.index_percent) && !scope_.assigned.empty()) {
    index = leaf(Of::local, random_.of(scope_.assigned));
    // Without the mask, the index may be out of bounds.
    if (!random_.percent(10)) index = binary("&", std::move(index), leaf(Of::constant, 1));
  }
  element.operands = {std::move(index)};
  return element;
}

Expression Expressions::integer(int depth) {
  const auto roll = random_.below(100);
  if (depth > 0 && roll < 30) {
    static constexpr std::array<const char*, 8> operations{"+", "+", "+", "-", "*", "^", "&", "|"};
    if (random_.percent(3)) return binary("/", integer(0), integer(0));
    return binary(random_.of(operations), integer(depth - 1), integer(depth - 1));
  }
  if (depth > 0 && roll < 36) {
    Expression choice = leaf(Of::conditional, 0);
    choice.operands = {comparison(integer(0)), integer(0), integer(0)};
    return choice;
  }
  if (random_.percent(profile_.shared_load_percent)) return loaded();
  if (scope_.has_own_array && random_.percent(30)) return element();
  if (scope_.in_family && random_.percent(30)) return leaf(Of::argument, 0);
  if (!scope_.assigned.empty() && random_.percent(55)) return leaf(Of::local, random_.of(scope_.assigned));
  return value();
}

Expression Expressions::comparison(Expression left) {
  static constexpr std::array<const char*, 6> operations{"==", "==", "!=", "!=", "<", ">="};
  return binary(random_.of(operations), std::move(left), value());
}

Expression Expressions::local_comparison() {
  auto result = comparison(leaf(Of::local, random_.of(scope_.assigned)));
  if (random_.percent(25)) {
    result = binary(random_.percent(50) ? "&&" : "||", std::move(result), comparison(integer(0)));
  }
  return result;
}

Expression Expressions::any_comparison() { return comparison(loaded()); }

Expression Expressions::test() { return scope_.assigned.empty() ? any_comparison() : local_comparison(); }

Expression Expressions::awaited() {
  auto result = any_comparison();
  if (random_.percent(35)) {
    result = binary(random_.percent(50) ? "&&" : "||", std::move(result), any_comparison());
  }
  if (random_.percent(10)) {
    Expression negation = leaf(Of::negation, 0);
    negation.operands = {std::move(result)};
    return negation;
  }
  return result;
}

}  // namespace heddle::differential
