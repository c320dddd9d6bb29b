// Parses and evaluates expressions over one state. See state_expression.hpp.
#include "lang/state_expression.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "lang/expressions.hpp"
#include "lang/grammar.hpp"
#include "lang/resolution.hpp"
#include "lang/state_names.hpp"
#include "lang/token.hpp"

namespace heddle::lang {
namespace {

class Evaluator {
 public:
  Evaluator(const Program& program, const StateReader& reader) : program_(program), reader_(reader) {}

  [[nodiscard]] std::int64_t value(const Expression& e) const {
    switch (e.kind) {
      case ExpressionKind::literal: return e.value;
      case ExpressionKind::load: return load(e);
      case ExpressionKind::thread_local_: return local(e);
      case ExpressionKind::unary: return unary(e.unary, value(e.operands[0]));
      case ExpressionKind::binary: return binary(e);
      case ExpressionKind::logical_and: return value(e.operands[0]) != 0 && value(e.operands[1]) != 0 ? 1 : 0;
      case ExpressionKind::logical_or: return value(e.operands[0]) != 0 || value(e.operands[1]) != 0 ? 1 : 0;
      case ExpressionKind::conditional: return value(e.operands[value(e.operands[0]) != 0 ? 1 : 2]);
      case ExpressionKind::bounded: return bounded(e);
      default: throw EvaluationError{e.range, "this has no value outside a thread"};
    }
  }

 private:
  [[nodiscard]] std::int64_t bounded(const Expression& e) const {
    const std::int64_t index = value(e.operands[0]);
    if (index >= 0 && index < e.value) return index;
    throw EvaluationError{e.range,
                          fmt::format("index {} is out of bounds: there are {} elements", index, e.value)};
  }

  [[nodiscard]] std::int64_t load(const Expression& e) const {
    const Variable& variable = program_.variables[e.id];
    if (e.operands.empty()) return reader_.memory(variable.first_location);
    const std::int64_t index = value(e.operands[0]);
    if (index < 0 || index >= std::int64_t{variable.length}) {
      throw EvaluationError{e.range, fmt::format("index {} is out of bounds: '{}' has {} elements", index,
                                                 variable.name, variable.length)};
    }
    return reader_.memory(variable.first_location + static_cast<std::uint32_t>(index));
  }

  [[nodiscard]] std::int64_t local(const Expression& e) const {
    if (e.operands.empty()) return reader_.local(e.thread, e.id, 0);
    const Local& local = program_.templates[program_.threads[e.thread].thread_template].body.locals[e.id];
    const std::int64_t index = value(e.operands[0]);
    if (index < 0 || index >= std::int64_t{local.length}) {
      throw EvaluationError{e.range, fmt::format("index {} is out of bounds: '{}' has {} elements", index,
                                                 local.name, local.length)};
    }
    return reader_.local(e.thread, e.id, static_cast<std::uint32_t>(index));
  }

  [[nodiscard]] static std::int64_t unary(UnaryOperator operation, std::int64_t operand) {
    switch (operation) {
      case UnaryOperator::negate: return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(operand));
      case UnaryOperator::complement: return ~operand;
      case UnaryOperator::logical_not: break;
    }
    return operand == 0 ? 1 : 0;
  }

  // Unsigned arithmetic where the language wraps.
  [[nodiscard]] std::int64_t binary(const Expression& e) const {
    const std::int64_t a = value(e.operands[0]);
    const std::int64_t b = value(e.operands[1]);
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    const auto wrapped = [](std::uint64_t number) { return static_cast<std::int64_t>(number); };
    switch (e.binary) {
      case BinaryOperator::add: return wrapped(x + y);
      case BinaryOperator::subtract: return wrapped(x - y);
      case BinaryOperator::multiply: return wrapped(x * y);
      case BinaryOperator::divide:
      case BinaryOperator::remainder: {
        if (b == 0) throw EvaluationError{e.range, "division by zero"};
        if (b == -1) return e.binary == BinaryOperator::divide ? wrapped(0 - x) : 0;
        return e.binary == BinaryOperator::divide ? a / b : a % b;
      }
      case BinaryOperator::shift_left: return wrapped(x << (y % 64));
      case BinaryOperator::shift_right: return a >> (y % 64);
      case BinaryOperator::bit_and: return a & b;
      case BinaryOperator::bit_or: return a | b;
      case BinaryOperator::bit_xor: return a ^ b;
      case BinaryOperator::equal: return a == b ? 1 : 0;
      case BinaryOperator::not_equal: return a != b ? 1 : 0;
      case BinaryOperator::less: return a < b ? 1 : 0;
      case BinaryOperator::less_equal: return a <= b ? 1 : 0;
      case BinaryOperator::greater: return a > b ? 1 : 0;
      case BinaryOperator::greater_equal: break;
    }
    return a >= b ? 1 : 0;
  }

  const Program& program_;
  const StateReader& reader_;
};

}  // namespace

std::optional<Expression> parse_state_expression(const Program& program, const SourceMap& sources,
                                                 std::uint32_t file, Diagnostics& diagnostics) {
  const std::vector<Token> tokens = tokenize(sources, file, diagnostics);
  if (tokens.empty()) return {};
  const syntax::Expression tree = parse_expression_syntax(tokens, sources, file, diagnostics);
  if (diagnostics.any()) return {};
  SourceMap texts = sources;  // the names of modules and their texts are not needed
  Resolution resolution(texts, file, diagnostics);
  resolution.modules.emplace_back().file = file;
  resolution.program = program;
  declare_again(resolution);
  ExpressionResolver resolver(resolution, Place::condition, nullptr);
  auto expression = resolver.value(tree);
  if (diagnostics.any()) return {};
  return expression;
}

std::variant<std::int64_t, EvaluationError> evaluate(const Program& program, const Expression& expression,
                                                     const StateReader& reader) {
  try {
    return Evaluator(program, reader).value(expression);
  } catch (EvaluationError& error) {
    return std::move(error);
  }
}

}  // namespace heddle::lang
