// Blocks, declarations and expression statements of a body. Assignments are in assignments.cpp, control flow
// in control.cpp.
#include "lang/bodies.hpp"

#include <algorithm>
#include <iterator>

#include "lang/limits.hpp"

namespace heddle::lang {
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
  if (restarts_at_end()) body_.statements.push_back(end_of_restart(body_.statements.back().range));
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
                      fmt::format("'{}' is already the name of a {}, declared on {}", name.text,
                                  describe(symbol->kind), resolution_.line_of(symbol->range)),
                      "choose another name: shadowing is not allowed");
  } else if (const LocalSymbol* older = locals_.declare(name.text, local); older != nullptr) {
    resolution_.error(
        name.range,
        fmt::format("'{}' is already declared on {}", name.text, resolution_.line_of(older->range)),
        older->kind == LocalKind::var && local.kind == LocalKind::var
            ? fmt::format("to change it, write '{} = ...;'; for a second variable, choose another name",
                          name.text)
            : "choose another name: shadowing is not allowed");
  }
}

// Adds an element of `object.type` for each of its leaves, named after the whole object.
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

void BodyResolver::add_result(const DataType& type, const SourceRange& range) {
  struct_result_.emplace();
  struct_result_->base = Object::Base::local;
  struct_result_->type = type;
  syntax::Word name;
  name.text = "result";
  name.range = range;
  add_leaves(name, *struct_result_, true, false);
}

void BodyResolver::add_struct_parameter(const syntax::Word& name, const DataType& type) {
  struct_parameters_.push_back({name, type, static_cast<LocalId>(body_.locals.size())});
  for (const Leaf& leaf : leaves_of(resolution_.structures, type, std::string(name.text), {})) {
    for (std::uint32_t element = 0; element < leaf.initial.size(); ++element) {
      std::string whole;
      for (const std::string& part : leaf.elements.parts) whole += part;
      Local& made = body_.locals.emplace_back();
      made.name = element_name(whole, leaf.is_array(), leaf.elements, element);
      made.type = leaf.type.scalar;
      made.range = name.range;
    }
  }
}

void BodyResolver::complete_struct_parameters(std::vector<Statement>& into) {
  for (const StructParameter& parameter : struct_parameters_) {
    LocalSymbol local;
    local.kind = LocalKind::function_parameter;
    local.range = parameter.name.range;
    local.object.emplace();
    local.object->base = Object::Base::local;
    local.object->type = parameter.type;
    local.object->first = parameter.first;
    const std::vector<Leaf> leaves =
        leaves_of(resolution_.structures, parameter.type, std::string(parameter.name.text), {});
    if (std::any_of(leaves.begin(), leaves.end(), [](const Leaf& leaf) { return leaf.is_array(); })) {
      // An index needs elements in one local.
      add_leaves(parameter.name, *local.object, false, false);
      LocalId scalar = parameter.first;
      for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        Statement& statement = into.emplace_back();
        statement.kind = StatementKind::declare;
        statement.range = parameter.name.range;
        statement.id = local.object->first + static_cast<LocalId>(leaf);
        for (std::size_t element = 0; element < leaves[leaf].initial.size(); ++element) {
          Expression& value = statement.expressions.emplace_back();
          value.kind = ExpressionKind::local;
          value.type = leaves[leaf].type.scalar;
          value.id = scalar++;
          value.range = parameter.name.range;
        }
      }
    }
    local.object->fixed = true;
    local.id = local.object->first;
    declare_local(parameter.name, local);
  }
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
    case Kind::either: either(from, result); break;
    case Kind::atomic: atomic(from, result); break;
    case Kind::while_: loop(from, result); break;
    case Kind::for_: count_loop(from, result); break;
    case Kind::break_:
    case Kind::continue_: jump(from, result); break;
    case Kind::return_: return_value(from, result); break;
    case Kind::progress: progress(from, result); break;
    case Kind::restart: restart(from, result); break;
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
    // Several declarations, visible until the end of the enclosing block.
    std::move(result.body.begin(), result.body.end(), std::back_inserter(into));
    return;
  }
  into.push_back(std::move(result));
}

void BodyResolver::declare(const syntax::Statement& from, Statement& into) {
  const bool typed = from.type.name.kind != TokenKind::end;
  const bool is_let = from.word.kind == TokenKind::let;
  into.kind = StatementKind::declare;
  if (from.waits) return declare_awaited(from, into);
  if (!typed && from.expressions[0].kind == syntax::ExpressionKind::spawn) {
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
  if (!typed) {
    if (const auto type = expressions().struct_type(from.expressions[0]))
      return declare_struct(from, *type, into);
  }
  if (typed) {
    wanted = resolve_type(resolution_, from.type);
    if (wanted && wanted->kind == DataType::Kind::structure && wanted->lengths.empty() &&
        from.expressions.size() == 1 && !from.is_list) {
      return declare_struct(from, *wanted, into);
    }
    if (wanted && !wanted->is_scalar()) return declare_aggregate(from, *wanted, into);
    if (wanted && from.expressions.empty() && !is_let) {
      into.id = add_local(from.name, wanted->scalar, LocalKind::var, false);
      into.expressions.push_back(literal(wanted->scalar, 0, from.range));
      return;
    }
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

// `let v = await x;`
void BodyResolver::declare_awaited(const syntax::Statement& from, Statement& into) {
  const syntax::Expression& awaited = from.expressions[0];
  const bool typed = from.type.name.kind != TokenKind::end;
  const std::optional<DataType> wanted =
      typed ? resolve_type(resolution_, from.type) : expressions().struct_type(awaited);
  std::optional<Expression> value;
  if (wanted && !wanted->is_scalar()) {
    resolution_.error(awaited.range, "'await' waits for an 'int' or a 'bool'",
                      "await a condition, and read the rest after it");
  } else if (wanted) {
    value = expressions().value_of_type(awaited, wanted->scalar,
                                        fmt::format("the value of '{}'", from.name.text));
  } else if (!typed) {
    value = expressions().value(awaited);
  }
  into.kind = StatementKind::await;
  into.gives = true;
  into.id = add_local(from.name, value ? value->type : Type::integer,
                      from.word.kind == TokenKind::let ? LocalKind::let : LocalKind::var, !value);
  if (value) into.expressions.push_back(std::move(*value));
}

// `let v = Vote{term: 1};`: declares one local per leaf.
void BodyResolver::declare_struct(const syntax::Statement& from, const DataType& type, Statement& into) {
  into.kind = StatementKind::block;
  LocalSymbol local;
  local.kind = from.word.kind == TokenKind::let ? LocalKind::let : LocalKind::aggregate;
  local.range = from.name.range;
  local.object.emplace();
  local.object->base = Object::Base::local;
  local.object->type = type;
  std::optional<StructValue> value =
      expressions().struct_value(from.expressions[0], type, fmt::format("the value of '{}'", from.name.text));
  local.broken = !value;
  if (!value) return declare_local(from.name, local);
  const bool top_level = kind_ == BodyKind::thread && nameable();
  add_leaves(from.name, *local.object, false, top_level);
  local.object->fixed = from.word.kind == TokenKind::let;
  local.id = local.object->first;
  declare_local(from.name, local);
  if (top_level) top_level_.emplace(from.name.text, local);
  expressions().add_steps(std::move(value->steps), from.range, into.body);
  auto scalar = value->scalars.begin();
  for (LocalId id = local.id; scalar != value->scalars.end(); ++id) {
    Statement& statement = into.body.emplace_back();
    statement.kind = StatementKind::declare;
    statement.range = from.range;
    statement.id = id;
    for (std::uint32_t element = 0; element < body_.locals[id].length; ++element)
      statement.expressions.push_back(std::move(*scalar++));
  }
}

// `var a: int[3] = 0;`, `var n: Node;`: declares one local per leaf. Without a value, leaves start like
// shared variables.
void BodyResolver::declare_aggregate(const syntax::Statement& from, const DataType& type, Statement& into) {
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
    return refuse(type.kind == DataType::Kind::structure && type.lengths.empty()
                      ? fmt::format("'{}' needs a value", from.name.text)
                      : "arrays are declared with 'var'",
                  "declare it with 'var' and assign its elements and fields");
  }
  if (scalar_count(resolution_.structures, type) > limits::value_scalars) {
    return refuse(fmt::format("'{}' is too large for a local: at most {} scalars", from.name.text,
                              limits::value_scalars),
                  "make it a shared variable");
  }
  const std::vector<Leaf> leaves = leaves_of(resolution_.structures, type, std::string(from.name.text), {});
  for (const Leaf& leaf : leaves) {
    if (leaf.type.kind == DataType::Kind::scalar) continue;
    return refuse(fmt::format("a {} cannot be local", resolution_.name_of(leaf.type)),
                  "only shared data needs one");
  }
  if (!from.expressions.empty() && type.kind != DataType::Kind::scalar) {
    return refuse(fmt::format("the array '{}' cannot have an initial value", from.name.text),
                  "assign its elements one by one");
  }
  const std::uint64_t elements = element_count(type.lengths);
  if (from.is_list && from.expressions.size() != elements) {
    return refuse(
        fmt::format("{} values for {} elements of '{}'", from.expressions.size(), elements, from.name.text),
        "give one value per element, or one for all: '= 0'");
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

void BodyResolver::evaluate(const syntax::Statement& from, Statement& into) {
  if (from.expressions[0].kind == syntax::ExpressionKind::spawn) {
    (void)spawn(from.expressions[0], into);
    return;
  }
  if (const auto type = expressions().struct_type(from.expressions[0]);
      type && from.expressions[0].kind == syntax::ExpressionKind::call) {
    // The result is not used.
    std::optional<StructValue> value = expressions().struct_value(from.expressions[0], *type, "the result");
    if (value) expressions().add_steps(std::move(value->steps), from.range, into.body);
    return;
  }
  std::optional<Expression> value = expressions().effect(from.expressions[0]);
  if (!value) return;
  into.kind = StatementKind::evaluate;
  into.expressions.push_back(std::move(*value));
}

}  // namespace heddle::lang
