// Expressions that do something: calls, atomic operations, trylock, choose.
#include "lang/expressions.hpp"

namespace heddle::lang {
namespace {

using SyntaxKind = syntax::ExpressionKind;

bool is_function(const Symbol* symbol) { return symbol != nullptr && symbol->kind == SymbolKind::function; }

FetchOperator fetch_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::fetch_sub: return FetchOperator::subtract;
    case TokenKind::fetch_and: return FetchOperator::bit_and;
    case TokenKind::fetch_or: return FetchOperator::bit_or;
    case TokenKind::fetch_xor: return FetchOperator::bit_xor;
    case TokenKind::fetch_max: return FetchOperator::max;
    case TokenKind::fetch_min: return FetchOperator::min;
    default: return FetchOperator::add;
  }
}

}  // namespace

std::optional<Expression> ExpressionResolver::call(const syntax::Expression& from) {
  const syntax::Expression& callee = from.operands[0];
  if (callee.kind != SyntaxKind::name) {
    resolution_.error(callee.range, "only functions can be called");
    return {};
  }
  Expression result;
  result.kind = ExpressionKind::call;
  result.range = from.range;
  const Symbol* symbol = resolution_.names.find(callee.word.text);
  if (locals_ != nullptr && locals_->find(callee.word.text) != nullptr) {
    resolution_.error(callee.range,
                      fmt::format("'{}' is a local variable, not a function", callee.word.text));
    return {};
  }
  if (symbol == nullptr) {
    unknown_name(callee.word, "function", is_function);
    return {};
  }
  if (symbol->kind != SymbolKind::function) {
    resolution_.error(callee.range,
                      fmt::format("'{}' is a {}, not a function", callee.word.text, describe(symbol->kind)));
    return {};
  }
  if (place_ == Place::constant || place_ == Place::condition) {
    (void)check_allowed(from.range, "a call");
    return {};
  }
  const Function& function = resolution_.program.functions[symbol->id];
  const std::size_t given = from.operands.size() - 1;
  bool complete = !symbol->broken;
  for (std::size_t i = 0; i < given; ++i) {
    std::optional<Expression> argument;
    if (i < function.parameters) {
      const Local& parameter = function.body.locals[i];
      argument = value_of_type(from.operands[i + 1], parameter.type,
                               fmt::format("'{}' of '{}'", parameter.name, function.name));
    } else {
      argument = value(from.operands[i + 1]);
    }
    if (argument) {
      result.operands.push_back(std::move(*argument));
    } else {
      complete = false;
    }
  }
  if (!symbol->broken && given != function.parameters) {
    resolution_.error(
        from.range,
        fmt::format("'{}' takes {} argument{}, but {} {} given", function.name, function.parameters,
                    function.parameters == 1 ? "" : "s", given, given == 1 ? "is" : "are"),
        fmt::format("it is declared in {}", resolution_.line_of(function.range)));
    return {};
  }
  if (!complete) return {};
  result.type = function.result;
  result.id = symbol->id;
  return result;
}

std::optional<Expression> ExpressionResolver::atomic(const syntax::Expression& from) {
  const std::string_view operation = from.word.text;
  if (!check_allowed(from.range, fmt::format("'{}'", operation))) return {};
  const bool is_cas = from.word.kind == TokenKind::cas;
  const std::size_t wanted = is_cas ? 3 : 2;
  if (from.operands.size() != wanted) {
    resolution_.error(
        from.range, fmt::format("'{}' takes {} arguments", operation, wanted),
        is_cas ? "write 'cas(x, expected, desired)'" : fmt::format("write '{}(x, value)'", operation));
    return {};
  }
  std::optional<Target> found = shared_target(from.operands[0], operation);
  Expression result;
  result.range = from.range;
  Type type = Type::integer;
  if (found) type = resolution_.program.variables[found->variable].type;
  if (is_cas) {
    result.kind = ExpressionKind::cas;
    result.type = Type::boolean;
  } else {
    result.kind = from.word.kind == TokenKind::exchange ? ExpressionKind::exchange : ExpressionKind::fetch;
    result.type = type;
    result.fetch = fetch_operator(from.word.kind);
  }
  if (found && result.kind == ExpressionKind::fetch && type == Type::boolean) {
    resolution_.error(from.operands[0].range, fmt::format("'{}' works on int only", operation),
                      "use 'exchange' or 'cas' for a bool");
    return {};
  }
  if (found && found->index) result.operands.push_back(std::move(*found->index));
  bool complete = found.has_value();
  for (std::size_t i = 1; i < wanted; ++i) {
    // Without a known variable the type is not known either.
    std::optional<Expression> operand =
        found ? value_of_type(from.operands[i], type,
                              is_cas ? (i == 1 ? "the expected value" : "the new value") : "the value")
              : value(from.operands[i]);
    if (operand) {
      result.operands.push_back(std::move(*operand));
    } else {
      complete = false;
    }
  }
  if (!complete) return {};
  if (found) result.id = found->variable;
  return result;
}

std::optional<Expression> ExpressionResolver::try_lock(const syntax::Expression& from) {
  if (!check_allowed(from.range, "'trylock'")) return {};
  std::optional<Target> found = mutex_target(from.operands[0], "trylock");
  if (!found) return {};
  Expression result;
  result.kind = ExpressionKind::try_lock;
  result.type = Type::boolean;
  result.id = found->variable;
  result.range = from.range;
  if (found->index) result.operands.push_back(std::move(*found->index));
  return result;
}

std::optional<Expression> ExpressionResolver::choose(const syntax::Expression& from) {
  if (!check_allowed(from.range, "'choose'")) return {};
  std::optional<Expression> low = value_of_type(from.operands[0], Type::integer, "the low end of 'choose'");
  std::optional<Expression> high = value_of_type(from.operands[1], Type::integer, "the high end of 'choose'");
  if (!low || !high) return {};
  if (low->kind == ExpressionKind::literal && high->kind == ExpressionKind::literal &&
      low->value >= high->value) {
    resolution_.error(from.range, fmt::format("nothing to choose: {}..{} is empty", low->value, high->value),
                      "the range ends before its second number");
    return {};
  }
  Expression result;
  result.kind = ExpressionKind::choose;
  result.range = from.range;
  result.operands.push_back(std::move(*low));
  result.operands.push_back(std::move(*high));
  return result;
}

}  // namespace heddle::lang
