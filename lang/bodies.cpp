// Statements that compute: declarations, assignments, expression statements; and the frame of a body.
#include "lang/bodies.hpp"

namespace heddle::lang {
namespace {

using SyntaxKind = syntax::ExpressionKind;

std::optional<BinaryOperator> compound_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::add_assign: return BinaryOperator::add;
    case TokenKind::subtract_assign: return BinaryOperator::subtract;
    case TokenKind::multiply_assign: return BinaryOperator::multiply;
    case TokenKind::divide_assign: return BinaryOperator::divide;
    case TokenKind::remainder_assign: return BinaryOperator::remainder;
    case TokenKind::and_assign: return BinaryOperator::bit_and;
    case TokenKind::or_assign: return BinaryOperator::bit_or;
    case TokenKind::xor_assign: return BinaryOperator::bit_xor;
    case TokenKind::shift_left_assign: return BinaryOperator::shift_left;
    case TokenKind::shift_right_assign: return BinaryOperator::shift_right;
    default: return {};
  }
}

std::string_view describe(LocalKind kind) {
  switch (kind) {
    case LocalKind::let: return "declared with 'let'";
    case LocalKind::var: return "declared with 'var'";
    case LocalKind::loop_variable: return "the variable of a 'for' loop";
    case LocalKind::function_parameter: return "a parameter";
    case LocalKind::family_parameter: return "the number of the thread";
  }
  return {};
}

}  // namespace

BodyResolver::BodyResolver(Resolution& resolution, BodyKind kind, Type result, Body& body)
    : resolution_(resolution),
      kind_(kind),
      place_(kind == BodyKind::final_ ? Place::final_ : Place::code),
      result_(result),
      body_(body) {}

void BodyResolver::add_parameter(const syntax::Word& name, Type type, LocalKind kind) {
  (void)add_local(name, type, kind, false);
}

void BodyResolver::resolve(const std::vector<syntax::Statement>& statements) {
  body_.statements = block(statements);
}

LocalId BodyResolver::add_local(const syntax::Word& name, Type type, LocalKind kind, bool broken) {
  LocalSymbol local{static_cast<LocalId>(body_.locals.size()), kind, broken, type, name.range};
  if (const Symbol* symbol = resolution_.names.find(name.text); symbol != nullptr) {
    resolution_.error(name.range,
                      fmt::format("'{}' is already the name of a {}, declared in {}", name.text,
                                  describe(symbol->kind), resolution_.line_of(symbol->range)),
                      "choose another name: nothing is shadowed");
  } else if (const LocalSymbol* older = locals_.declare(name.text, local); older != nullptr) {
    resolution_.error(
        name.range,
        fmt::format("'{}' is already declared in {}", name.text, resolution_.line_of(older->range)),
        older->kind == LocalKind::var && kind == LocalKind::var
            ? fmt::format("to change it write '{} = ...;', for a second variable choose another name",
                          name.text)
            : "choose another name: nothing is shadowed");
  }
  const bool parameter = kind == LocalKind::function_parameter || kind == LocalKind::family_parameter;
  const bool top_level =
      kind_ == BodyKind::thread && !parameter && kind != LocalKind::loop_variable && locals_.at_top_level();
  if (top_level) top_level_.emplace(name.text, local);
  body_.locals.push_back({std::string(name.text), type, top_level, name.range});
  return local.id;
}

std::vector<Statement> BodyResolver::block(const std::vector<syntax::Statement>& statements) {
  std::vector<Statement> result;
  result.reserve(statements.size());
  locals_.enter();
  for (const syntax::Statement& from : statements) statement(from, result);
  locals_.leave();
  return result;
}

void BodyResolver::statement(const syntax::Statement& from, std::vector<Statement>& into) {
  using Kind = syntax::StatementKind;
  if (from.kind == Kind::empty || !check_allowed(from)) return;
  Statement result;
  result.range = from.range;
  switch (from.kind) {
    case Kind::empty: break;
    case Kind::block: result.body = block(from.body); break;
    case Kind::declare: declare(from, result); break;
    case Kind::assign: assign(from, result); break;
    case Kind::evaluate: evaluate(from, result); break;
    case Kind::if_: branch(from, result); break;
    case Kind::while_: loop(from, result); break;
    case Kind::for_: count_loop(from, result); break;
    case Kind::break_:
    case Kind::continue_: jump(from, result); break;
    case Kind::return_: return_value(from, result); break;
    case Kind::fence: fence(from, result); break;
    case Kind::lock:
    case Kind::unlock: lock(from, result); break;
    case Kind::assert_:
    case Kind::assume:
    case Kind::await: check(from, result); break;
  }
  into.push_back(std::move(result));
}

void BodyResolver::declare(const syntax::Statement& from, Statement& into) {
  const Type wanted = type_of(from.type);
  ExpressionResolver resolver = expressions();
  std::optional<Expression> value =
      wanted == Type::none ? resolver.value(from.expressions[0])
                           : resolver.value_of_type(from.expressions[0], wanted,
                                                    fmt::format("the value of '{}'", from.name.text));
  const Type type = wanted != Type::none ? wanted : value ? value->type : Type::integer;
  const LocalKind kind = from.word.kind == TokenKind::let ? LocalKind::let : LocalKind::var;
  into.kind = StatementKind::declare;
  into.id = add_local(from.name, type, kind, wanted == Type::none && !value);
  if (value) into.expressions.push_back(std::move(*value));
}

void BodyResolver::assign(const syntax::Statement& from, Statement& into) {
  const syntax::Expression& place = from.expressions[0];
  if (place.kind == SyntaxKind::name) {
    if (const LocalSymbol* local = locals_.find(place.word.text); local != nullptr) {
      return assign_local(from, *local, into);
    }
    const Symbol* symbol = resolution_.names.find(place.word.text);
    if (symbol == nullptr) {
      resolution_.error(place.range, fmt::format("unknown name '{}'", place.word.text), [&] {
        std::string hint = resolution_.suggest(place.word.text, &locals_, [](const Symbol* candidate) {
          return candidate == nullptr || candidate->kind == SymbolKind::variable;
        });
        return hint.empty() ? fmt::format("declare it: 'var {0} = ...;' here, or 'shared {0}: int;' outside",
                                          place.word.text)
                            : hint;
      }());
      (void)expressions().value(from.expressions[1]);
      return;
    }
    if (symbol->kind != SymbolKind::variable) {
      resolution_.error(
          place.range, fmt::format("cannot assign to the {} '{}'", describe(symbol->kind), place.word.text),
          symbol->kind == SymbolKind::mutex ? fmt::format("write 'lock {};'", place.word.text) : "");
      return;
    }
  } else if (place.kind == SyntaxKind::member) {
    resolution_.error(place.range, "a thread cannot reach the locals of another thread",
                      "share a value through a 'shared' variable");
    return;
  } else if (place.kind != SyntaxKind::index) {
    resolution_.error(place.range, "cannot assign to this expression",
                      from.word.kind == TokenKind::assign
                          ? "assign to a variable or an array element"
                          : "only variables and array elements can be changed");
    return;
  }
  store(from, into);
}

void BodyResolver::assign_local(const syntax::Statement& from, const LocalSymbol& local, Statement& into) {
  const syntax::Expression& place = from.expressions[0];
  const std::string_view text = place.word.text;
  if (local.kind != LocalKind::var && !local.broken) {
    resolution_.error(from.range,
                      fmt::format("'{}' cannot be assigned: it is {}", text, describe(local.kind)),
                      local.kind == LocalKind::let
                          ? fmt::format("declare it with 'var' in {}", resolution_.line_of(local.range))
                          : fmt::format("copy it: 'var copy = {};'", text));
    return;
  }
  const std::optional<BinaryOperator> compound = compound_operator(from.word.kind);
  if (compound && local.type == Type::boolean && !local.broken) {
    resolution_.error(place.range, fmt::format("'{}' needs int, but '{}' is bool", from.word.text, text));
    return;
  }
  ExpressionResolver resolver = expressions();
  std::optional<Expression> value =
      local.broken
          ? resolver.value(from.expressions[1])
          : resolver.value_of_type(from.expressions[1], local.type, fmt::format("the value of '{}'", text));
  if (!value) return;
  into.kind = StatementKind::assign;
  into.id = local.id;
  if (compound) {
    Expression old;
    old.kind = ExpressionKind::local;
    old.id = local.id;
    old.range = place.range;
    Expression sum;
    sum.kind = ExpressionKind::binary;
    sum.binary = *compound;
    sum.range = from.range;
    sum.operands.push_back(std::move(old));
    sum.operands.push_back(std::move(*value));
    value = std::move(sum);
  }
  into.expressions.push_back(std::move(*value));
}

void BodyResolver::store(const syntax::Statement& from, Statement& into) {
  ExpressionResolver resolver = expressions();
  std::optional<Target> target = resolver.shared_target(from.expressions[0], from.word.text);
  if (!target) {
    (void)resolver.value(from.expressions[1]);
    return;
  }
  const Variable& variable = resolution_.program.variables[target->variable];
  into.kind = StatementKind::store;
  into.id = target->variable;
  into.compound = compound_operator(from.word.kind);
  if (into.compound && variable.type == Type::boolean) {
    resolution_.error(from.expressions[0].range,
                      fmt::format("'{}' needs int, but '{}' is bool", from.word.text, variable.name));
    return;
  }
  std::optional<Expression> value = resolver.value_of_type(from.expressions[1], variable.type,
                                                           fmt::format("the value of '{}'", variable.name));
  if (!value) return;
  if (target->index) into.expressions.push_back(std::move(*target->index));
  into.expressions.push_back(std::move(*value));
}

void BodyResolver::evaluate(const syntax::Statement& from, Statement& into) {
  std::optional<Expression> value = expressions().effect(from.expressions[0]);
  if (!value) return;
  into.kind = StatementKind::evaluate;
  into.expressions.push_back(std::move(*value));
}

}  // namespace heddle::lang
