// Assignments, including `a += b`: to locals, to shared variables and to parts of local arrays and structs.
#include <algorithm>
#include <iterator>

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

// Why the local cannot be assigned.
std::string_view why_fixed(LocalKind kind) {
  switch (kind) {
    case LocalKind::let: return "declared with 'let'";
    case LocalKind::var: return "declared with 'var'";
    case LocalKind::loop_variable: return "the variable of a 'for' loop";
    case LocalKind::function_parameter: return "a parameter";
    case LocalKind::family_parameter: return "the thread's number";
    case LocalKind::reference: return "a 'ref' parameter";
    case LocalKind::aggregate: return "an array or struct";
    case LocalKind::spawned: return "a spawned thread";
  }
  return {};
}

Expression read_local(LocalId id, const SourceRange& range) {
  Expression result;
  result.kind = ExpressionKind::local;
  result.id = id;
  result.range = range;
  return result;
}

Expression combine(BinaryOperator operation, Expression left, Expression right, const SourceRange& range) {
  Expression result;
  result.kind = ExpressionKind::binary;
  result.binary = operation;
  result.range = range;
  result.operands.push_back(std::move(left));
  result.operands.push_back(std::move(right));
  return result;
}

// Whether evaluating the scalars one by one, each just before it is assigned, gives the same: no assignment
// changes what a later one reads.
bool independent(const std::vector<Expression>& scalars, bool shared) {
  if (scalars.size() == 1) return true;
  return std::all_of(scalars.begin(), scalars.end(), [shared](const Expression& scalar) {
    if (scalar.kind == ExpressionKind::literal) return true;
    const bool plain =
        std::all_of(scalar.operands.begin(), scalar.operands.end(),
                    [](const Expression& index) { return index.kind == ExpressionKind::literal; });
    return plain && scalar.kind == (shared ? ExpressionKind::local : ExpressionKind::load);
  });
}

}  // namespace

// `a = b`: the indexes in `a`, then all fields of `b` are evaluated, then all fields of `a` assigned, in order.
void BodyResolver::assign_struct(const syntax::Statement& from, const DataType& type, Statement& into) {
  ExpressionResolver resolver = expressions();
  const syntax::Expression& place = from.expressions[0];
  into.kind = StatementKind::block;
  if (from.word.kind != TokenKind::assign) {
    resolution_.error(place.range,
                      fmt::format("'{}' needs int, but '{}' is {}", from.word.text,
                                  resolution_.quote(place.range, "this"), resolution_.name_of(type)));
    return;
  }
  std::optional<Object> target = resolver.object(place, Want::value, from.word.text);
  std::optional<StructValue> value = resolver.struct_value(
      from.expressions[1], type, fmt::format("the value of '{}'", resolution_.quote(place.range, "this")));
  if (target && target->fixed) {
    resolver.fixed_object(place);
    return;
  }
  if (!target || !value) return;
  const bool shared = target->base == Object::Base::shared;
  std::vector<Expression> steps;
  resolver.hold_indexes(*target, steps);
  std::move(value->steps.begin(), value->steps.end(), std::back_inserter(steps));
  if (!independent(value->scalars, shared)) resolver.hold_all(value->scalars, steps);
  expressions().add_steps(std::move(steps), from.range, into.body);
  auto scalar = value->scalars.begin();
  for (Object& part : scalars_of(resolution_.structures, *target)) {
    Statement& statement = into.body.emplace_back();
    statement.kind = shared ? StatementKind::store : StatementKind::assign;
    statement.range = from.range;
    statement.id = part.first;
    if (auto index = element_index(part)) statement.expressions.push_back(std::move(*index));
    statement.expressions.push_back(std::move(*scalar++));
  }
}

void BodyResolver::assign(const syntax::Statement& from, Statement& into) {
  const syntax::Expression& place = from.expressions[0];
  if (const auto type = expressions().struct_type(place);
      type && place.kind != SyntaxKind::call && place.kind != SyntaxKind::structure)
    return assign_struct(from, *type, into);
  if (place.kind == SyntaxKind::name) {
    const LocalSymbol* local = locals_.find(place.word.text);
    if (local != nullptr && !local->object) return assign_local(from, *local, into);
    if (local != nullptr) return store(from, into);
    const Symbol* symbol = resolution_.names().find(place.word.text);
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
    if (symbol->kind != SymbolKind::variable && !symbol->broken) {
      resolution_.error(
          place.range, fmt::format("cannot assign to the {} '{}'", describe(symbol->kind), place.word.text),
          symbol->kind == SymbolKind::mutex ? fmt::format("write 'lock {};'", place.word.text) : "");
      return;
    }
  } else if (place.kind == SyntaxKind::member && expressions().names_thread(place.operands[0])) {
    resolution_.error(place.range, "a thread cannot access another thread's locals",
                      "share a value through a 'shared' variable");
    return;
  } else if (place.kind != SyntaxKind::index && place.kind != SyntaxKind::member) {
    resolution_.error(place.range, "cannot assign to this expression",
                      from.word.kind == TokenKind::assign
                          ? "assign to a variable or an array element"
                          : "only variables and array elements can be changed");
    return;
  }
  store(from, into);
}

void ExpressionResolver::fixed_object(const syntax::Expression& place) {
  const syntax::Expression* root = &place;
  while (root->kind != SyntaxKind::name) root = &root->operands[0];
  const LocalSymbol* local = locals_->find(root->word.text);
  const LocalKind kind = local == nullptr ? LocalKind::function_parameter : local->kind;
  resolution_.error(place.range,
                    fmt::format("'{}' cannot be changed: '{}' is {}", resolution_.quote(place.range, "this"),
                                root->word.text, why_fixed(kind)),
                    kind == LocalKind::let
                        ? fmt::format("declare it with 'var' on {}", resolution_.line_of(local->range))
                        : fmt::format("copy it: 'var copy = {};'", root->word.text));
}

void BodyResolver::assign_local(const syntax::Statement& from, const LocalSymbol& local, Statement& into) {
  const syntax::Expression& place = from.expressions[0];
  const std::string_view text = place.word.text;
  if (local.kind != LocalKind::var && !local.broken) {
    resolution_.error(from.range,
                      fmt::format("'{}' cannot be assigned: it is {}", text, why_fixed(local.kind)),
                      local.kind == LocalKind::let
                          ? fmt::format("declare it with 'var' on {}", resolution_.line_of(local.range))
                          : fmt::format("copy it: 'var copy = {};'", text));
    return;
  }
  const std::optional<BinaryOperator> compound = compound_operator(from.word.kind);
  if (compound && local.type != Type::integer && !local.broken) {
    resolution_.error(place.range, fmt::format("'{}' needs int, but '{}' is {}", from.word.text, text,
                                               resolution_.name_of(local.type)));
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
  if (compound) value = combine(*compound, read_local(local.id, place.range), std::move(*value), from.range);
  into.expressions.push_back(std::move(*value));
}

// Assigns to a shared variable, or to a part of a local array or struct.
void BodyResolver::store(const syntax::Statement& from, Statement& into) {
  ExpressionResolver resolver = expressions();
  const syntax::Expression& place = from.expressions[0];
  const Symbol* symbol = resolver.symbol_named(place);
  if (symbol != nullptr && place.kind == SyntaxKind::member && symbol->kind != SymbolKind::variable &&
      !symbol->broken) {
    resolution_.error(place.range,
                      fmt::format("cannot assign to the {} '{}'", describe(symbol->kind), place.word.text));
    return;
  }
  std::optional<Object> target = resolver.object(place, Want::place, from.word.text);
  const std::string text = resolution_.quote(place.range, "this");
  if (target && !target->type.is_scalar()) {
    const bool array = !target->type.lengths.empty();
    resolution_.error(place.range,
                      array ? fmt::format("'{}' is an array", text)
                            : fmt::format("'{}' is a {}", text, resolution_.name_of(target->type)),
                      array ? fmt::format("name one of its elements: {}[i]", text) : "");
    target.reset();
  }
  if (target && target->fixed) {
    resolver.fixed_object(place);
    target.reset();
  }
  if (!target) {
    (void)resolver.value(from.expressions[1]);
    return;
  }
  const Type type = target->type.scalar;
  const std::optional<BinaryOperator> compound = compound_operator(from.word.kind);
  if (compound && type != Type::integer) {
    resolution_.error(place.range, fmt::format("'{}' needs int, but '{}' is {}", from.word.text, text,
                                               resolution_.name_of(type)));
    return;
  }
  const std::string_view name = place.kind == SyntaxKind::index && place.operands[0].kind == SyntaxKind::name
                                    ? place.operands[0].word.text
                                    : std::string_view(text);
  std::optional<Expression> value =
      resolver.value_of_type(from.expressions[1], type, fmt::format("the value of '{}'", name));
  if (!value) return;
  const bool shared = target->base == Object::Base::shared;
  into.kind = shared ? StatementKind::store : StatementKind::assign;
  into.id = target->first;
  std::optional<Expression> index = element_index(*target);
  if (shared) {
    into.compound = compound;
  } else if (compound) {
    // An index with a visible operation must not be evaluated twice.
    if (index && index->kind != ExpressionKind::literal && index->kind != ExpressionKind::local) {
      Statement held;
      held.kind = StatementKind::declare;
      held.range = from.range;
      held.id = static_cast<LocalId>(body_.locals.size());
      Local& made = body_.locals.emplace_back();
      made.name = "index";
      made.range = place.range;
      const SourceRange range = index->range;
      held.expressions.push_back(std::move(*index));
      index = read_local(held.id, range);
      into.body.push_back(std::move(held));
    }
    Expression old = read_local(into.id, place.range);
    if (index) old.operands.push_back(*index);
    value = combine(*compound, std::move(old), std::move(*value), from.range);
  }
  if (index) into.expressions.push_back(std::move(*index));
  into.expressions.push_back(std::move(*value));
  if (into.body.empty()) return;
  // Evaluate the index first, then assign.
  Statement assignment = std::move(into);
  into = Statement{};
  into.range = assignment.range;
  into.body = std::move(assignment.body);
  assignment.body.clear();
  into.body.push_back(std::move(assignment));
}

}  // namespace heddle::lang
