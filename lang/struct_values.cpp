// Structs as values: literals, copies, comparisons, arguments and results. The resolved program only has scalars,
// so a struct value is the list of its scalars, with the steps that must come before them: an index or the call
// of a function is evaluated once, into a local of its own.
#include <algorithm>
#include <iterator>
#include <span>

#include "lang/expressions.hpp"
#include "lang/limits.hpp"
#include "lang/suggest.hpp"

namespace heddle::lang {
namespace {

using SyntaxKind = syntax::ExpressionKind;

Expression local_value(LocalId id, Type type, const SourceRange& range) {
  Expression result;
  result.kind = ExpressionKind::local;
  result.type = type;
  result.id = id;
  result.range = range;
  return result;
}

Expression join(ExpressionKind kind, Expression left, Expression right, const SourceRange& range) {
  Expression result;
  result.kind = kind;
  result.type = Type::boolean;
  result.binary = BinaryOperator::equal;
  result.range = range;
  result.operands.push_back(std::move(left));
  result.operands.push_back(std::move(right));
  return result;
}

// Whether all pairs are equal, compared in order up to the first difference. A balanced tree, so that it does
// not become high.
Expression all_equal(std::span<Expression> left, std::span<Expression> right, const SourceRange& range) {
  if (left.size() == 1) return join(ExpressionKind::binary, std::move(left[0]), std::move(right[0]), range);
  const std::size_t half = left.size() / 2;
  return join(ExpressionKind::logical_and, all_equal(left.first(half), right.first(half), range),
              all_equal(left.subspan(half), right.subspan(half), range), range);
}

bool is_number(const Expression& expression) { return expression.kind == ExpressionKind::literal; }

}  // namespace

std::optional<Expression> ExpressionResolver::wrap(std::vector<Expression> steps, Expression body) {
  if (steps.size() > limits::value_steps) {
    resolution_.error(body.range, "too many struct values in one expression",
                      "keep some of them in locals before: 'let v = ...;'");
    return {};
  }
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    step->type = body.type;
    step->range = body.range;
    step->operands.push_back(std::move(body));
    body = std::move(*step);
  }
  return body;
}

void ExpressionResolver::add_steps(std::vector<Expression> steps, const SourceRange& range,
                                   std::vector<Statement>& into) {
  const auto add = [&](StatementKind kind, LocalId id, Expression value) {
    Statement& statement = into.emplace_back();
    statement.range = range;
    statement.kind = kind;
    statement.id = id;
    statement.expressions.push_back(std::move(value));
  };
  for (Expression& step : steps) {
    const bool call = step.operands[0].type == Type::none;
    for (std::uint32_t i = 0; call && i < step.value; ++i)
      add(StatementKind::declare, step.id + i, lang::literal(body_->locals[step.id + i].type, 0, range));
    add(call ? StatementKind::evaluate : StatementKind::declare, step.id, std::move(step.operands[0]));
  }
}

// Appends a local to the body that holds `value` from there on, and returns a read of it.
Expression ExpressionResolver::hold(Expression value, std::vector<Expression>& steps) {
  const Type type = value.type;
  const SourceRange range = value.range;
  Expression& step = steps.emplace_back();
  step.kind = ExpressionKind::let;
  step.id = static_cast<LocalId>(body_->locals.size());
  step.operands.push_back(std::move(value));
  Local& made = body_->locals.emplace_back();
  made.name = "value";
  made.type = type;
  made.range = range;
  return local_value(step.id, type, range);
}

void ExpressionResolver::hold_indexes(Object& object, std::vector<Expression>& steps) {
  if (body_ == nullptr) return;  // conditions: memory does not change while they are judged
  for (Object::Index& index : object.indexes) {
    if (index.checked ||
        (is_number(index.value) && index.value.value >= 0 && index.value.value < index.length))
      continue;
    Expression bounded;
    bounded.kind = ExpressionKind::bounded;
    bounded.value = index.length;
    bounded.range = index.value.range;
    bounded.operands.push_back(std::move(index.value));
    index.value = hold(std::move(bounded), steps);
    index.checked = true;
  }
}

std::optional<DataType> ExpressionResolver::any_type(const syntax::Expression& from) const {
  const Symbol* symbol = symbol_named(from);
  if (symbol != nullptr) {
    if (!is_object(symbol) || symbol->broken) return {};
    return resolution_.objects[symbol->id].type;
  }
  switch (from.kind) {
    case SyntaxKind::name: {
      const LocalSymbol* local = locals_ == nullptr ? nullptr : locals_->find(from.word.text);
      if (local == nullptr || local->broken || !local->object) return {};
      return local->object->type;
    }
    case SyntaxKind::index: {
      std::optional<DataType> type = any_type(from.operands[0]);
      if (!type || type->lengths.empty()) return {};
      type->lengths.erase(type->lengths.begin());
      return type;
    }
    case SyntaxKind::member: {
      if (names_thread(from.operands[0])) return thread_local_type(from);
      const std::optional<DataType> owner = any_type(from.operands[0]);
      if (!owner || owner->kind != DataType::Kind::structure || !owner->lengths.empty()) return {};
      for (const FieldType& field : resolution_.structures[owner->structure].fields) {
        if (field.name == from.word.text) return field.type;
      }
      return {};
    }
    case SyntaxKind::call: {
      const Symbol* callee = symbol_named(from.operands[0]);
      if (callee == nullptr || callee->kind != SymbolKind::function) return {};
      return resolution_.signatures[callee->id].struct_result;
    }
    case SyntaxKind::structure: {
      const Symbol* named = symbol_named(from.operands[0]);
      if (named == nullptr || named->kind != SymbolKind::structure || !named->ready || named->broken)
        return {};
      DataType type;
      type.kind = DataType::Kind::structure;
      type.structure = named->id;
      return type;
    }
    default: return {};
  }
}

// The type of a local of a thread that a condition names.
std::optional<DataType> ExpressionResolver::thread_local_type(const syntax::Expression& from) const {
  const syntax::Expression& owner = from.operands[0];
  const Symbol* symbol = symbol_named(owner.kind == SyntaxKind::index ? owner.operands[0] : owner);
  const auto& locals = resolution_.templates[symbol->id].locals;
  const auto found = locals.find(from.word.text);
  if (found == locals.end() || found->second.broken || !found->second.object) return {};
  return found->second.object->type;
}

std::optional<DataType> ExpressionResolver::struct_type(const syntax::Expression& from) const {
  std::optional<DataType> type = any_type(from);
  if (!type || type->kind != DataType::Kind::structure || !type->lengths.empty()) return {};
  return type;
}

bool ExpressionResolver::refuse_struct(const syntax::Expression& from) {
  const std::optional<DataType> type = struct_type(from);
  if (!type) return false;
  const std::string name = resolution_.name_of(*type);
  const bool place = from.kind != SyntaxKind::call && from.kind != SyntaxKind::structure;
  const std::string text = resolution_.quote(from.range, "this");
  resolution_.error(from.range, fmt::format("'{}' is a {}, not a single value", text, name),
                    place ? fmt::format("name one of its fields: {}.{}", text,
                                        resolution_.structures[type->structure].fields[0].name)
                          : "declare a variable with this value, then name one of its fields");
  return true;
}

std::optional<StructValue> ExpressionResolver::struct_value(const syntax::Expression& from,
                                                            const DataType& wanted, std::string_view what) {
  const std::optional<DataType> found = struct_type(from);
  if (!found) {
    if (from.kind == SyntaxKind::structure)
      return struct_literal(from);  // reports what is wrong with its type
    const std::optional<Expression> value = this->value(from);
    if (value) {
      resolution_.error(from.range,
                        fmt::format("{} must be {}, not {}", what, resolution_.name_of(wanted),
                                    resolution_.name_of(value->type)),
                        fmt::format("write a value like {}", example(wanted)));
    }
    return {};
  }
  if (*found != wanted) {
    resolution_.error(from.range, fmt::format("{} must be {}, not {}", what, resolution_.name_of(wanted),
                                              resolution_.name_of(*found)));
    return {};
  }
  const std::uint64_t scalars = scalar_count(resolution_.structures, *found);
  if (scalars > limits::value_scalars) {
    resolution_.error(from.range,
                      fmt::format("a {} is too large for a value: it has {} scalars, at most {}",
                                  resolution_.name_of(*found), scalars, limits::value_scalars),
                      "pass the object itself to a 'ref' parameter, or name its fields");
    return {};
  }
  if (resolution_.copied_scalars > limits::copied_scalars) return {};
  resolution_.copied_scalars += scalars;
  if (resolution_.copied_scalars > limits::copied_scalars) {
    resolution_.error(from.range, "too many struct values in one program");
    return {};
  }
  if (const auto lock = lock_in(resolution_.structures, *found)) {
    resolution_.error(
        from.range,
        fmt::format("a {} cannot be copied or compared: it has a {}", resolution_.name_of(*found),
                    *lock == DataType::Kind::mutex ? "mutex" : "condition variable"),
        "pass the object itself to a 'ref' parameter, or name its fields");
    return {};
  }
  if (from.kind == SyntaxKind::structure) return struct_literal(from);
  if (from.kind == SyntaxKind::call) return struct_call(from);
  std::optional<Object> object = this->object(from, Want::value, "read");
  if (!object) return {};
  if (place_ == Place::constant) {
    (void)check_allowed(from.range, fmt::format("the variable '{}'", resolution_.quote(from.range, "this")));
    return {};
  }
  StructValue result;
  hold_indexes(*object, result.steps);
  for (Object& scalar : scalars_of(resolution_.structures, *object)) {
    std::optional<Expression> read = this->read(from, std::move(scalar));
    if (!read) return {};
    result.scalars.push_back(std::move(*read));
  }
  return result;
}

// "Vote{term: 0, ...}"
std::string ExpressionResolver::example(const DataType& type) const {
  const Structure& structure = resolution_.structures[type.structure];
  return fmt::format("{}{{{}: ...{}}}", structure.name, structure.fields[0].name,
                     structure.fields.size() > 1 ? ", ..." : "");
}

// `Vote{term: 2, from: me}`: values are evaluated in the order of the text; other fields have the values with
// which shared variables begin.
std::optional<StructValue> ExpressionResolver::struct_literal(const syntax::Expression& from) {
  const syntax::Expression& named = from.operands[0];
  if (named.kind != SyntaxKind::name &&
      (named.kind != SyntaxKind::member || named.operands[0].kind != SyntaxKind::name)) {
    resolution_.error(named.range, "only the name of a struct can be followed by fields");
    return {};
  }
  syntax::TypeName written;
  written.name = named.word;
  if (named.kind == SyntaxKind::member) written.module = named.operands[0].word;
  const std::optional<DataType> type = resolve_type(resolution_, written);
  if (!type) return {};
  if (type->kind != DataType::Kind::structure) {
    resolution_.error(named.range, fmt::format("'{}' is no struct", named.word.text));
    return {};
  }
  const Structure& structure = resolution_.structures[type->structure];
  std::vector<std::optional<std::vector<Expression>>> fields(structure.fields.size());
  StructValue result;
  bool complete = true;
  std::size_t newest = 0;
  for (std::size_t i = 1; i < from.operands.size(); ++i) {
    const syntax::Expression& given = from.operands[i];
    const auto field = std::find_if(structure.fields.begin(), structure.fields.end(),
                                    [&](const FieldType& one) { return one.name == given.word.text; });
    const auto number = static_cast<std::size_t>(field - structure.fields.begin());
    if (field == structure.fields.end() || fields[number]) {
      unknown_field(given, structure, field != structure.fields.end());
      complete = false;
      continue;
    }
    fields[number].emplace();
    std::vector<Expression> steps;
    auto values = field_value(given, *field, steps);
    if (!values) {
      complete = false;
      continue;
    }
    // Whatever is evaluated now comes after the fields before it in the text.
    if (!steps.empty() || number < newest) {
      for (auto& earlier : fields) {
        if (earlier) hold_all(*earlier, result.steps);
      }
    }
    newest = std::max(newest, number);
    std::move(steps.begin(), steps.end(), std::back_inserter(result.steps));
    fields[number] = std::move(*values);
  }
  if (!complete) return {};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldType& field = structure.fields[i];
    if (fields[i]) {
      std::move(fields[i]->begin(), fields[i]->end(), std::back_inserter(result.scalars));
      continue;
    }
    for (const Leaf& leaf : leaves_of(resolution_.structures, field.type, "", field.initial)) {
      for (const std::int64_t initial : leaf.initial)
        result.scalars.push_back(lang::literal(leaf.type.scalar, initial, from.range));
    }
  }
  return result;
}

// Lets the values be evaluated at this point.
void ExpressionResolver::hold_all(std::vector<Expression>& values, std::vector<Expression>& steps) {
  if (body_ == nullptr) return;
  for (Expression& value : values) {
    if (!is_number(value)) value = hold(std::move(value), steps);
  }
}

void ExpressionResolver::unknown_field(const syntax::Expression& given, const Structure& structure,
                                       bool twice) {
  if (twice) {
    resolution_.error(given.word.range, fmt::format("'{}' has two values", given.word.text));
    return;
  }
  std::vector<std::string_view> names;
  for (const FieldType& field : structure.fields) names.push_back(field.name);
  std::string hint = did_you_mean(given.word.text, names);
  if (hint.empty()) hint = fmt::format("its fields are {}", fmt::join(names, ", "));
  resolution_.error(given.word.range, fmt::format("{} has no field '{}'", structure.name, given.word.text),
                    std::move(hint));
}

// The scalars of one field of a literal.
std::optional<std::vector<Expression>> ExpressionResolver::field_value(const syntax::Expression& given,
                                                                       const FieldType& field,
                                                                       std::vector<Expression>& steps) {
  const syntax::Expression& from = given.operands[0];
  const std::string what = fmt::format("the value of '{}'", field.name);
  const std::optional<DataType> whole = any_type(from);
  if (field.type.kind == DataType::Kind::structure && field.type.lengths.empty()) {
    std::optional<StructValue> value = struct_value(from, field.type, what);
    if (!value) return {};
    std::move(value->steps.begin(), value->steps.end(), std::back_inserter(steps));
    return std::move(value->scalars);
  }
  if (field.type.kind != DataType::Kind::scalar) {
    resolution_.error(from.range,
                      fmt::format("'{}' is {} and has no value here", field.name,
                                  field.type.lengths.empty() ? "a lock" : "an array of structs"),
                      "leave it out and assign its elements afterwards");
    return {};
  }
  std::vector<Expression> values;
  if (!field.type.lengths.empty() && whole && *whole == field.type) {
    // An array of the same type is copied.
    std::optional<Object> object = this->object(from, Want::value, "read");
    if (!object) return {};
    hold_indexes(*object, steps);
    for (Object& scalar : scalars_of(resolution_.structures, *object)) {
      std::optional<Expression> read = this->read(from, std::move(scalar));
      if (!read) return {};
      values.push_back(std::move(*read));
    }
    return values;
  }
  std::optional<Expression> value = value_of_type(from, field.type.scalar, what);
  if (!value) return {};
  const auto elements = static_cast<std::size_t>(element_count(field.type.lengths));
  // One value for all elements is evaluated once.
  if (elements > 1 && !is_number(*value) && body_ != nullptr) value = hold(std::move(*value), steps);
  values.assign(elements, *value);
  return values;
}

std::optional<StructValue> ExpressionResolver::struct_call(const syntax::Expression& from) {
  if (body_ == nullptr) {
    (void)check_allowed(from.range, "a call");
    return {};
  }
  StructValue result;
  Object object;
  object.base = Object::Base::local;
  object.type = *struct_type(from);
  object.first = static_cast<std::uint32_t>(body_->locals.size());
  std::vector<Expression> results;
  for (const Leaf& leaf : leaves_of(resolution_.structures, object.type, "", {})) {
    const auto id = static_cast<LocalId>(body_->locals.size());
    Local& made = body_->locals.emplace_back();
    made.name = "result";
    made.type = leaf.type.scalar;
    made.range = from.range;
    made.is_array = leaf.is_array();
    made.length = static_cast<std::uint32_t>(leaf.initial.size());
    results.push_back(local_value(id, leaf.type.scalar, from.range));
  }
  const auto locals = static_cast<std::int64_t>(results.size());
  std::optional<Expression> call = this->call(from, std::move(results), result.steps);
  if (!call) return {};
  Expression& step = result.steps.emplace_back();
  step.kind = ExpressionKind::let;
  step.id = object.first;
  step.value = locals;
  step.operands.push_back(std::move(*call));
  for (Object& scalar : scalars_of(resolution_.structures, object)) {
    std::optional<Expression> read = this->read(from, std::move(scalar));
    if (!read) return {};
    result.scalars.push_back(std::move(*read));
  }
  return result;
}

// `a == b`: field by field, in order, up to the first difference.
std::optional<Expression> ExpressionResolver::struct_comparison(const syntax::Expression& from) {
  const std::optional<DataType> left_type = struct_type(from.operands[0]);
  const std::optional<DataType> right_type = struct_type(from.operands[1]);
  const DataType& type = left_type ? *left_type : *right_type;
  const auto side = [&](std::size_t i) {
    return struct_value(from.operands[i], type,
                        fmt::format("the {} side of '{}'", i == 0 ? "left" : "right", from.word.text));
  };
  std::optional<StructValue> left = side(0);
  std::optional<StructValue> right = side(1);
  if (!left || !right) return {};
  std::move(right->steps.begin(), right->steps.end(), std::back_inserter(left->steps));
  Expression result = all_equal(left->scalars, right->scalars, from.range);
  if (from.word.kind == TokenKind::not_equal) {
    Expression negated;
    negated.kind = ExpressionKind::unary;
    negated.unary = UnaryOperator::logical_not;
    negated.type = Type::boolean;
    negated.range = from.range;
    negated.operands.push_back(std::move(result));
    result = std::move(negated);
  }
  return wrap(std::move(left->steps), std::move(result));
}

}  // namespace heddle::lang
