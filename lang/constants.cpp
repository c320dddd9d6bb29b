// Arithmetic at compile time, with the same rules as at run time: it wraps, shifts take their amount
// modulo 64.
#include <algorithm>
#include <limits>

#include "lang/resolution.hpp"
#include "lang/suggest.hpp"

namespace heddle::lang {
namespace {

std::int64_t wrap(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::optional<std::int64_t> divide(Resolution& resolution, const Expression& expression, std::int64_t left,
                                   std::int64_t right) {
  if (right == 0) {
    resolution.error(expression.operands[1].range, "division by zero in a constant");
    return {};
  }
  const bool quotient = expression.binary == BinaryOperator::divide;
  // The one quotient that does not fit wraps.
  if (right == -1) return quotient ? wrap(0 - static_cast<std::uint64_t>(left)) : 0;
  return quotient ? left / right : left % right;
}

std::optional<std::int64_t> fold_binary(Resolution& resolution, const Expression& expression) {
  const auto left = fold_constant(resolution, expression.operands[0]);
  const auto right = fold_constant(resolution, expression.operands[1]);
  if (!left || !right) return {};
  const auto a = static_cast<std::uint64_t>(*left);
  const auto b = static_cast<std::uint64_t>(*right);
  switch (expression.binary) {
    case BinaryOperator::add: return wrap(a + b);
    case BinaryOperator::subtract: return wrap(a - b);
    case BinaryOperator::multiply: return wrap(a * b);
    case BinaryOperator::divide:
    case BinaryOperator::remainder: return divide(resolution, expression, *left, *right);
    case BinaryOperator::shift_left: return wrap(a << (b % 64));
    case BinaryOperator::shift_right: return *left >> (b % 64);
    case BinaryOperator::bit_and: return *left & *right;
    case BinaryOperator::bit_or: return *left | *right;
    case BinaryOperator::bit_xor: return *left ^ *right;
    case BinaryOperator::equal: return *left == *right;
    case BinaryOperator::not_equal: return *left != *right;
    case BinaryOperator::less: return *left < *right;
    case BinaryOperator::less_equal: return *left <= *right;
    case BinaryOperator::greater: return *left > *right;
    case BinaryOperator::greater_equal: return *left >= *right;
  }
  return {};
}

}  // namespace

std::optional<std::int64_t> fold_constant(Resolution& resolution, const Expression& expression) {
  const auto operand = [&](std::size_t i) { return fold_constant(resolution, expression.operands[i]); };
  switch (expression.kind) {
    case ExpressionKind::literal: return expression.value;
    case ExpressionKind::unary: {
      const auto value = operand(0);
      if (!value) return {};
      switch (expression.unary) {
        case UnaryOperator::negate: return wrap(0 - static_cast<std::uint64_t>(*value));
        case UnaryOperator::complement: return ~*value;
        case UnaryOperator::logical_not: return *value == 0;
      }
      return {};
    }
    case ExpressionKind::binary: return fold_binary(resolution, expression);
    case ExpressionKind::logical_and:
    case ExpressionKind::logical_or: {
      const auto left = operand(0);
      if (!left) return {};
      const bool decided = expression.kind == ExpressionKind::logical_and ? *left == 0 : *left != 0;
      return decided ? left : operand(1);
    }
    case ExpressionKind::conditional: {
      const auto condition = operand(0);
      if (!condition) return {};
      return *condition != 0 ? operand(1) : operand(2);
    }
    default: return {};
  }
}

std::string Resolution::line_of(const SourceRange& range) const {
  const std::uint32_t line = sources.locate(range.file, range.begin).line;
  if (range.file == modules[module].file) return fmt::format("line {}", line);
  return fmt::format("line {} of {}", line, sources.name(range.file));
}

std::string Resolution::quote(const SourceRange& range, std::string_view otherwise) const {
  const std::string_view text = sources.text(range);
  return std::string(text.size() <= 40 && text.find('\n') == std::string_view::npos ? text : otherwise);
}

std::string Resolution::suggest(std::string_view name, const Locals* locals,
                                bool (*wanted)(const Symbol*)) const {
  // A text with very many names and very many unknown ones must not take quadratic time.
  constexpr std::size_t most = 10'000;
  if (diagnostics.full()) return {};
  if (std::string hint = suggest_module(name, wanted); !hint.empty()) return hint;
  std::vector<std::string_view> candidates;
  if (locals != nullptr && (wanted == nullptr || wanted(nullptr))) {
    candidates.assign(locals->visible().begin(), locals->visible().end());
  }
  for (const std::string_view other : names().all()) {
    if (candidates.size() >= most) break;
    if (wanted == nullptr || wanted(names().find(other))) candidates.push_back(other);
  }
  return did_you_mean(name, candidates);
}

std::string Resolution::suggest_module(std::string_view name, bool (*wanted)(const Symbol*)) const {
  for (const std::string_view other : names().all()) {
    const Symbol* module_symbol = names().find(other);
    if (module_symbol->kind != SymbolKind::module) continue;
    const Symbol* symbol = modules[module_symbol->id].names.find(name);
    if (symbol == nullptr || symbol->kind == SymbolKind::module || (wanted != nullptr && !wanted(symbol)))
      continue;
    return fmt::format("did you mean '{}.{}'?", other, name);
  }
  return {};
}

std::string Resolution::suggest_value(std::string_view name) const {
  if (diagnostics.full()) return {};
  for (const std::string_view other : names().all()) {
    const Symbol* symbol = names().find(other);
    if (symbol->kind != SymbolKind::enumeration || !symbol->ready || symbol->broken) continue;
    const std::vector<std::string>& values = enumeration(symbol->type).values;
    if (std::find(values.begin(), values.end(), name) != values.end())
      return fmt::format("did you mean '{}.{}'?", other, name);
  }
  return {};
}

}  // namespace heddle::lang
