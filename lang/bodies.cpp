// Statements that compute: declarations, assignments, expression statements; and the frame of a body.
#include "lang/bodies.hpp"

#include <algorithm>
#include <iterator>

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
    case LocalKind::reference: return "a 'ref' parameter";
    case LocalKind::aggregate: return "an array or struct";
    case LocalKind::spawned: return "a spawned thread";
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
  LocalSymbol local;
  local.id = static_cast<LocalId>(body_.locals.size());
  local.kind = kind;
  local.broken = broken;
  local.type = type;
  local.range = name.range;
  declare_local(name, local);
  const bool parameter = kind == LocalKind::function_parameter || kind == LocalKind::family_parameter;
  const bool top_level =
      kind_ == BodyKind::thread && !parameter && kind != LocalKind::loop_variable && nameable();
  if (top_level) top_level_.emplace(name.text, local);
  Local& made = body_.locals.emplace_back();
  made.name = std::string(name.text);
  made.type = type;
  made.top_level = top_level;
  made.range = name.range;
  return local.id;
}

void BodyResolver::declare_local(const syntax::Word& name, const LocalSymbol& local) {
  if (const Symbol* symbol = resolution_.names().find(name.text); symbol != nullptr) {
    resolution_.error(name.range,
                      fmt::format("'{}' is already the name of a {}, declared in {}", name.text,
                                  describe(symbol->kind), resolution_.line_of(symbol->range)),
                      "choose another name: nothing is shadowed");
  } else if (const LocalSymbol* older = locals_.declare(name.text, local); older != nullptr) {
    resolution_.error(
        name.range,
        fmt::format("'{}' is already declared in {}", name.text, resolution_.line_of(older->range)),
        older->kind == LocalKind::var && local.kind == LocalKind::var
            ? fmt::format("to change it write '{} = ...;', for a second variable choose another name",
                          name.text)
            : "choose another name: nothing is shadowed");
  }
}

// An element of `object.type`, under the name of the whole, for each of its leaves.
void BodyResolver::add_leaves(const syntax::Word& name, Object& object, bool by_reference, bool top_level) {
  std::vector<std::uint32_t> lengths;
  for (const Object::Index& index : object.indexes) lengths.push_back(index.length);
  DataType whole = object.type;
  whole.lengths.insert(whole.lengths.begin(), lengths.begin(), lengths.end());
  object.first = static_cast<std::uint32_t>(body_.locals.size());
  for (Leaf& leaf : leaves_of(resolution_.structures, whole, std::string(name.text), {})) {
    Local& made = body_.locals.emplace_back();
    for (const std::string& part : leaf.elements.parts) made.name += part;
    made.type = leaf.type.scalar;
    made.top_level = top_level;
    made.range = name.range;
    made.is_array = leaf.is_array();
    made.length = static_cast<std::uint32_t>(leaf.initial.size());
    made.by_reference = by_reference;
    const bool plain = leaf.elements.lengths.size() == 1 && leaf.elements.parts.back().empty();
    if (made.is_array && !plain) made.elements = std::move(leaf.elements);
  }
}

void BodyResolver::add_reference(const syntax::Word& name, const Object& object) {
  LocalSymbol local;
  local.kind = LocalKind::reference;
  local.range = name.range;
  local.object = object;
  if (object.base == Object::Base::local) add_leaves(name, *local.object, true, false);
  for (Object::Index& index : local.object->indexes) {
    index.checked = true;
    index.value = Expression{};
    index.value.kind = ExpressionKind::local;
    index.value.id = static_cast<LocalId>(body_.locals.size());
    index.value.range = name.range;
    Local& made = body_.locals.emplace_back();
    made.name = fmt::format("{}[]", name.text);
    made.range = name.range;
  }
  local.id = local.object->first;
  declare_local(name, local);
}

void BodyResolver::add_initialised(const syntax::Word& name, Type type, Expression value,
                                   std::vector<Statement>& into) {
  Statement statement;
  statement.kind = StatementKind::declare;
  statement.range = value.range;
  statement.id = add_local(name, type, LocalKind::function_parameter, false);
  statement.expressions.push_back(std::move(value));
  into.push_back(std::move(statement));
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
    case Kind::wait:
    case Kind::signal:
    case Kind::broadcast: condition_variable(from, result); break;
    case Kind::join: join(from, result); break;
    case Kind::assert_:
    case Kind::assume:
    case Kind::await: check(from, result); break;
  }
  if (from.kind == Kind::declare && result.kind == StatementKind::block) {
    // Several declarations, which must live as long as the block around them.
    std::move(result.body.begin(), result.body.end(), std::back_inserter(into));
    return;
  }
  into.push_back(std::move(result));
}

void BodyResolver::declare(const syntax::Statement& from, Statement& into) {
  const bool typed = from.type.name.kind != TokenKind::end;
  const bool is_let = from.word.kind == TokenKind::let;
  into.kind = StatementKind::declare;
  if (!typed && from.expressions[0].kind == SyntaxKind::spawn) {
    into.kind = StatementKind::block;
    LocalSymbol local;
    local.kind = LocalKind::spawned;
    local.range = from.name.range;
    local.spawned = spawn(from.expressions[0], into);
    local.broken = !local.spawned;
    declare_local(from.name, local);
    return;
  }
  std::optional<DataType> wanted;
  if (typed) {
    wanted = resolve_type(resolution_, from.type);
    if (wanted && !wanted->is_scalar()) return declare_aggregate(from, *wanted, into);
    if (wanted && (from.expressions.empty() || from.is_list)) {
      resolution_.error(from.range, fmt::format("'{}' needs one value", from.name.text),
                        fmt::format("write '{} {}: {} = ...;'", from.word.text, from.name.text,
                                    resolution_.name_of(*wanted)));
      wanted.reset();
    }
  }
  std::optional<Expression> value;
  if (wanted) {
    value = expressions().value_of_type(from.expressions[0], wanted->scalar,
                                        fmt::format("the value of '{}'", from.name.text));
  } else if (!typed) {
    value = expressions().value(from.expressions[0]);
  }
  const Type type = wanted ? wanted->scalar : value ? value->type : Type::integer;
  into.id = add_local(from.name, type, is_let ? LocalKind::let : LocalKind::var, !wanted && !value);
  if (value) into.expressions.push_back(std::move(*value));
}

// `var a: int[3] = 0;`, `var n: Node;`: a local for each leaf. Without values they start as shared ones do.
void BodyResolver::declare_aggregate(const syntax::Statement& from, const DataType& type, Statement& into) {
  constexpr std::uint64_t most = 1000;
  into.kind = StatementKind::block;
  LocalSymbol local;
  local.kind = LocalKind::aggregate;
  local.range = from.name.range;
  local.object.emplace();
  local.object->base = Object::Base::local;
  local.object->type = type;
  local.broken = true;
  const auto refuse = [&](std::string message, std::string hint) {
    resolution_.error(from.name.range, std::move(message), std::move(hint));
    declare_local(from.name, local);
  };
  if (from.word.kind == TokenKind::let) {
    return refuse("arrays and structs are declared with 'var'",
                  "their elements and fields are assigned one by one");
  }
  if (scalar_count(resolution_.structures, type) > most) {
    return refuse(fmt::format("'{}' is too large for a local: at most {} scalars", from.name.text, most),
                  "make it a shared variable");
  }
  const std::vector<Leaf> leaves = leaves_of(resolution_.structures, type, std::string(from.name.text), {});
  for (const Leaf& leaf : leaves) {
    if (leaf.type.kind == DataType::Kind::scalar) continue;
    return refuse(fmt::format("a {} cannot be local", resolution_.name_of(leaf.type)),
                  "only what several threads share needs one");
  }
  if (!from.expressions.empty() && type.kind != DataType::Kind::scalar) {
    return refuse(fmt::format("'{}' cannot have an initial value", from.name.text),
                  "assign its fields one by one");
  }
  const std::uint64_t elements = element_count(type.lengths);
  if (from.is_list && from.expressions.size() != elements) {
    return refuse(
        fmt::format("{} values for {} elements of '{}'", from.expressions.size(), elements, from.name.text),
        "give as many, or one value for all: '= 0'");
  }
  std::vector<Expression> values;
  for (const syntax::Expression& expression : from.expressions) {
    auto value = expressions().value_of_type(expression, type.scalar,
                                             fmt::format("the value of '{}'", from.name.text));
    if (value) values.push_back(std::move(*value));
  }
  local.broken = values.size() != from.expressions.size();
  const bool top_level = kind_ == BodyKind::thread && nameable();
  add_leaves(from.name, *local.object, false, top_level);
  local.id = local.object->first;
  declare_local(from.name, local);
  if (top_level) top_level_.emplace(from.name.text, local);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    Statement statement;
    statement.kind = StatementKind::declare;
    statement.range = from.range;
    statement.id = local.id + static_cast<LocalId>(i);
    if (values.empty()) {
      const auto& initial = leaves[i].initial;
      const bool same = std::equal(initial.begin() + 1, initial.end(), initial.begin());
      for (std::size_t k = 0; k < (same ? 1 : initial.size()); ++k) {
        Expression value;
        value.type = leaves[i].type.scalar;
        value.value = initial[k];
        value.range = from.range;
        statement.expressions.push_back(std::move(value));
      }
    } else {
      statement.expressions = std::move(values);
    }
    into.body.push_back(std::move(statement));
  }
}

void BodyResolver::assign(const syntax::Statement& from, Statement& into) {
  const syntax::Expression& place = from.expressions[0];
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
    resolution_.error(place.range, "a thread cannot reach the locals of another thread",
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

// To a shared variable, or to a part of a local array or struct.
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
                      array ? fmt::format("name one of its elements: {}[i]", text)
                      : target->type.kind == DataType::Kind::structure
                          ? fmt::format("assign its fields one by one: {}.{} = ...;", text,
                                        resolution_.structures[target->type.structure].fields[0].name)
                          : "");
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
    // An index with a visible operation would be evaluated twice.
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
      index = Expression{};
      index->kind = ExpressionKind::local;
      index->id = held.id;
      index->range = range;
      into.body.push_back(std::move(held));
    }
    Expression old;
    old.kind = ExpressionKind::local;
    old.id = into.id;
    old.range = place.range;
    if (index) old.operands.push_back(*index);
    Expression sum;
    sum.kind = ExpressionKind::binary;
    sum.binary = *compound;
    sum.range = from.range;
    sum.operands.push_back(std::move(old));
    sum.operands.push_back(std::move(*value));
    value = std::move(sum);
  }
  if (index) into.expressions.push_back(std::move(*index));
  into.expressions.push_back(std::move(*value));
  if (into.body.empty()) return;
  // The index first, then the assignment.
  Statement assignment = std::move(into);
  into = Statement{};
  into.range = assignment.range;
  into.body = std::move(assignment.body);
  assignment.body.clear();
  into.body.push_back(std::move(assignment));
}

void BodyResolver::evaluate(const syntax::Statement& from, Statement& into) {
  if (from.expressions[0].kind == SyntaxKind::spawn) {
    (void)spawn(from.expressions[0], into);
    return;
  }
  std::optional<Expression> value = expressions().effect(from.expressions[0]);
  if (!value) return;
  into.kind = StatementKind::evaluate;
  into.expressions.push_back(std::move(*value));
}

}  // namespace heddle::lang
