// Operators and conversions. Names are in references.cpp, objects and their parts in places.cpp, calls and
// atomic operations in operations.cpp.
#include "lang/expressions.hpp"

namespace heddle::lang {
namespace {

using SyntaxKind = syntax::ExpressionKind;

std::optional<BinaryOperator> binary_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::plus: return BinaryOperator::add;
    case TokenKind::minus: return BinaryOperator::subtract;
    case TokenKind::star: return BinaryOperator::multiply;
    case TokenKind::slash: return BinaryOperator::divide;
    case TokenKind::percent: return BinaryOperator::remainder;
    case TokenKind::shift_left: return BinaryOperator::shift_left;
    case TokenKind::shift_right: return BinaryOperator::shift_right;
    case TokenKind::bit_and: return BinaryOperator::bit_and;
    case TokenKind::bit_or: return BinaryOperator::bit_or;
    case TokenKind::bit_xor: return BinaryOperator::bit_xor;
    case TokenKind::equal: return BinaryOperator::equal;
    case TokenKind::not_equal: return BinaryOperator::not_equal;
    case TokenKind::less: return BinaryOperator::less;
    case TokenKind::less_equal: return BinaryOperator::less_equal;
    case TokenKind::greater: return BinaryOperator::greater;
    case TokenKind::greater_equal: return BinaryOperator::greater_equal;
    default: return {};
  }
}

bool is_simple(const syntax::Expression& from) {
  return from.kind == SyntaxKind::name || from.kind == SyntaxKind::index || from.kind == SyntaxKind::member ||
         from.kind == SyntaxKind::call || from.kind == SyntaxKind::integer;
}

}  // namespace

std::optional<Expression> ExpressionResolver::value(const syntax::Expression& from) {
  if (refuse_struct(from)) return {};
  std::optional<Expression> result = any(from);
  if (result && result->type == Type::none) {
    resolution_.error(from.range, fmt::format("'{}' has no result", from.operands[0].word.text),
                      "give it one: fn f() -> int { ... return e; }");
    return {};
  }
  return result;
}

std::optional<Expression> ExpressionResolver::value_of_type(const syntax::Expression& from, Type wanted,
                                                            std::string_view what) {
  if (const auto type = struct_type(from)) {
    resolution_.error(
        from.range,
        fmt::format("{} must be {}, not {}", what, resolution_.name_of(wanted), resolution_.name_of(*type)),
        fmt::format("name a field of it, like '{}'", resolution_.structures[type->structure].fields[0].name));
    return {};
  }
  std::optional<Expression> result = value(from);
  if (!result || !check_type(from, result->type, wanted, what)) return {};
  return result;
}

bool ExpressionResolver::check_type(const syntax::Expression& from, Type found, Type wanted,
                                    std::string_view what) {
  if (found == wanted) return true;
  resolution_.error(
      from.range,
      fmt::format("{} must be {}, not {}", what, resolution_.name_of(wanted), resolution_.name_of(found)),
      conversion_hint(from, found, wanted));
  return false;
}

// How to convert `from` to the other type.
std::string ExpressionResolver::conversion_hint(const syntax::Expression& from, Type found,
                                                Type wanted) const {
  if (resolution_.is_enumeration(wanted)) {
    return fmt::format("write a value like {}.{}", resolution_.name_of(wanted),
                       resolution_.enumeration(wanted).values[0]);
  }
  if (resolution_.is_enumeration(found)) {
    return fmt::format("an enum is not a number: compare it, as in {} == {}.{}",
                       resolution_.quote(from.range, "e"), resolution_.name_of(found),
                       resolution_.enumeration(found).values[0]);
  }
  if (from.kind == SyntaxKind::boolean) return fmt::format("write {}", from.value);
  if (from.kind == SyntaxKind::integer && from.value <= 1) return fmt::format("write {}", from.value == 1);
  const std::string text = resolution_.quote(from.range, is_simple(from) ? "x" : "e");
  if (wanted == Type::integer) return fmt::format("write '({} ? 1 : 0)'", text);
  return is_simple(from) || text.starts_with('(') ? fmt::format("write '{} != 0'", text)
                                                  : fmt::format("write '({}) != 0'", text);
}

std::optional<Expression> ExpressionResolver::condition(const syntax::Expression& from) {
  if (const auto type = struct_type(from)) {
    resolution_.error(from.range,
                      fmt::format("a condition is bool or int, not {}", resolution_.name_of(*type)),
                      fmt::format("compare it: '== {}'", example(*type)));
    return {};
  }
  std::optional<Expression> result = value(from);
  if (!result || result->type == Type::boolean) return result;
  if (result->type != Type::integer) {
    resolution_.error(from.range,
                      fmt::format("a condition is bool or int, not {}", resolution_.name_of(result->type)),
                      fmt::format("compare it: 'x == {}.{}'", resolution_.name_of(result->type),
                                  resolution_.enumeration(result->type).values[0]));
    return {};
  }
  Expression wrapped;
  wrapped.kind = ExpressionKind::binary;
  wrapped.type = Type::boolean;
  wrapped.binary = BinaryOperator::not_equal;
  wrapped.range = result->range;
  wrapped.operands.push_back(std::move(*result));
  wrapped.operands.push_back(literal(Type::integer, 0, wrapped.range));
  return wrapped;
}

std::optional<Expression> ExpressionResolver::effect(const syntax::Expression& from) {
  const bool has_effect =
      from.kind == SyntaxKind::call || from.kind == SyntaxKind::atomic || from.kind == SyntaxKind::try_lock;
  if (!has_effect && refuse_struct(from)) return {};
  std::optional<Expression> result = any(from);
  if (has_effect || !result) return result;
  const bool comparison = from.kind == SyntaxKind::binary && from.word.kind == TokenKind::equal;
  resolution_.error(from.range, "this expression has no effect",
                    comparison ? "did you mean '='?" : "only calls and atomic operations can be statements");
  return {};
}

std::optional<Expression> ExpressionResolver::any(const syntax::Expression& from) {
  switch (from.kind) {
    case SyntaxKind::integer: return literal(Type::integer, from.value, from.range);
    case SyntaxKind::boolean: return literal(Type::boolean, from.value, from.range);
    case SyntaxKind::name: return name(from);
    case SyntaxKind::index: return load(from);
    case SyntaxKind::member: return member(from);
    case SyntaxKind::call: {
      std::vector<Expression> steps;
      std::optional<Expression> result = call(from, {}, steps);
      if (result) result = wrap(std::move(steps), std::move(*result));
      return result;
    }
    case SyntaxKind::atomic: return atomic(from);
    case SyntaxKind::try_lock: return try_lock(from);
    case SyntaxKind::choose: return choose(from);
    case SyntaxKind::spawn:
      resolution_.error(from.range, "'spawn' is not allowed inside an expression",
                        "write 'spawn f(...);' or 'let t = spawn f(...);'");
      return {};
    case SyntaxKind::unary: return unary(from);
    case SyntaxKind::binary: return binary(from);
    case SyntaxKind::conditional: return conditional(from);
    case SyntaxKind::structure: (void)struct_literal(from); return {};  // reports that it is none
    case SyntaxKind::field: break;
  }
  return {};
}

std::optional<Expression> ExpressionResolver::unary(const syntax::Expression& from) {
  Expression result;
  result.kind = ExpressionKind::unary;
  result.range = from.range;
  std::optional<Expression> operand;
  if (from.word.kind == TokenKind::exclamation) {
    result.unary = UnaryOperator::logical_not;
    result.type = Type::boolean;
    operand = condition(from.operands[0]);
  } else {
    result.unary = from.word.kind == TokenKind::minus ? UnaryOperator::negate : UnaryOperator::complement;
    operand =
        value_of_type(from.operands[0], Type::integer, fmt::format("the operand of '{}'", from.word.text));
  }
  if (!operand) return {};
  if (result.unary == UnaryOperator::negate && operand->kind == ExpressionKind::literal) {
    // -1 is a literal, not an operation.
    const auto negated = 0 - static_cast<std::uint64_t>(operand->value);
    return literal(Type::integer, static_cast<std::int64_t>(negated), from.range);
  }
  result.operands.push_back(std::move(*operand));
  return result;
}

std::optional<Expression> ExpressionResolver::binary(const syntax::Expression& from) {
  const std::optional<BinaryOperator> operation = binary_operator(from.word.kind);
  if (!operation) return logical(from);
  if ((*operation == BinaryOperator::equal || *operation == BinaryOperator::not_equal) &&
      (struct_type(from.operands[0]) || struct_type(from.operands[1])))
    return struct_comparison(from);
  Expression result;
  result.kind = ExpressionKind::binary;
  result.binary = *operation;
  result.range = from.range;
  result.type = *operation >= BinaryOperator::equal ? Type::boolean : Type::integer;
  std::optional<Expression> left = value(from.operands[0]);
  std::optional<Expression> right = value(from.operands[1]);
  if (!left || !right) return {};
  if (!check_operands(from, *operation, left->type, right->type)) return {};
  result.operands.push_back(std::move(*left));
  result.operands.push_back(std::move(*right));
  return result;
}

bool ExpressionResolver::check_operands(const syntax::Expression& from, BinaryOperator operation, Type left,
                                        Type right) {
  const std::string_view text = from.word.text;
  if (operation == BinaryOperator::equal || operation == BinaryOperator::not_equal) {
    if (left == right) return true;
    resolution_.error(
        from.range,
        fmt::format("'{}' compares {} with {}", text, resolution_.name_of(left), resolution_.name_of(right)),
        "both sides must have the same type");
    return false;
  }
  const bool bits = operation >= BinaryOperator::bit_and && operation <= BinaryOperator::bit_xor;
  if (bits && left == Type::boolean && right == Type::boolean) {
    resolution_.error(
        from.range, fmt::format("'{}' works on int, not bool", text),
        operation == BinaryOperator::bit_xor ? "write '!='" : fmt::format("write '{0}{0}'", text));
    return false;
  }
  const bool left_fits =
      check_type(from.operands[0], left, Type::integer, fmt::format("the left side of '{}'", text));
  const bool right_fits =
      check_type(from.operands[1], right, Type::integer, fmt::format("the right side of '{}'", text));
  return left_fits && right_fits;
}

std::optional<Expression> ExpressionResolver::logical(const syntax::Expression& from) {
  std::optional<Expression> left = condition(from.operands[0]);
  std::optional<Expression> right = condition(from.operands[1]);
  if (!left || !right) return {};
  Expression result;
  result.kind =
      from.word.kind == TokenKind::and_and ? ExpressionKind::logical_and : ExpressionKind::logical_or;
  result.type = Type::boolean;
  result.range = from.range;
  result.operands.push_back(std::move(*left));
  result.operands.push_back(std::move(*right));
  return result;
}

std::optional<Expression> ExpressionResolver::conditional(const syntax::Expression& from) {
  std::optional<Expression> chosen = condition(from.operands[0]);
  std::optional<Expression> then = value(from.operands[1]);
  std::optional<Expression> otherwise = value(from.operands[2]);
  if (!chosen || !then || !otherwise) return {};
  if (then->type != otherwise->type) {
    resolution_.error(from.range,
                      fmt::format("the two results of '?:' are {} and {}", resolution_.name_of(then->type),
                                  resolution_.name_of(otherwise->type)),
                      "both must have the same type");
    return {};
  }
  Expression result;
  result.kind = ExpressionKind::conditional;
  result.type = then->type;
  result.range = from.range;
  result.operands.push_back(std::move(*chosen));
  result.operands.push_back(std::move(*then));
  result.operands.push_back(std::move(*otherwise));
  return result;
}

bool ExpressionResolver::check_allowed(const SourceRange& range, std::string_view what) {
  switch (place_) {
    case Place::code: return true;
    case Place::constant:
      resolution_.error(range, fmt::format("{} is not known before the program runs", what),
                        "only numbers, params and constants are allowed here");
      return false;
    case Place::final_:
      resolution_.error(range, fmt::format("{} is not allowed in 'final'", what),
                        "'final' runs after all threads have ended");
      return false;
    case Place::condition:
      resolution_.error(range, fmt::format("{} is not allowed in a condition over final states", what),
                        "use shared variables, constants and locals of threads like p.a");
      return false;
  }
  return false;
}

std::optional<std::int64_t> constant_value(Resolution& resolution, const syntax::Expression& from,
                                           Type wanted, std::string_view what) {
  ExpressionResolver expressions(resolution, Place::constant, nullptr);
  const std::optional<Expression> value = expressions.value_of_type(from, wanted, what);
  if (!value) return {};
  return fold_constant(resolution, *value);
}

}  // namespace heddle::lang
