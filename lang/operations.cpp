// Expressions with effects: calls, atomic operations, trylock, choose.
#include <iterator>

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

// Appends the arguments for a `ref` parameter: locals themselves, then the indexes on the path to the object.
// `key` is equal for calls that can share one body.
void ExpressionResolver::bind(Object object, std::vector<Expression>& into, std::string& key) {
  const bool shared = object.base == Object::Base::shared;
  key += shared ? fmt::format("|s{}", object.first) : std::string("|l");
  if (!shared) {
    for (std::uint32_t leaf = 0; leaf < leaf_count(resolution_.structures, object.type); ++leaf) {
      Expression local;
      local.kind = ExpressionKind::local;
      local.id = object.first + leaf;
      into.push_back(std::move(local));
    }
  }
  for (Object::Index& index : object.indexes) {
    key += fmt::format(":{}", index.length);
    Expression value = std::move(index.value);
    const bool known =
        value.kind == ExpressionKind::literal && value.value >= 0 && value.value < index.length;
    if (!index.checked && !known) {
      Expression bounded;
      bounded.kind = ExpressionKind::bounded;
      bounded.value = index.length;
      bounded.range = value.range;
      bounded.operands.push_back(std::move(value));
      value = std::move(bounded);
    }
    into.push_back(std::move(value));
  }
}

FunctionId ExpressionResolver::instance(std::uint32_t number, const std::string& key,
                                        std::vector<std::optional<Object>> references,
                                        const SourceRange& call, const std::optional<SourceRange>& place) {
  Signature& signature = resolution_.signatures[number];
  if (const auto found = signature.instances.find(key); found != signature.instances.end())
    return found->second;
  const auto function = static_cast<FunctionId>(resolution_.program.functions.size());
  signature.instances.emplace(key, function);
  Function& made = resolution_.program.functions.emplace_back();
  made.name = signature.name;
  made.result = signature.result;
  made.range = signature.item->name.range;
  resolution_.pending.push_back({number, function, std::move(references), place, call});
  return function;
}

bool ExpressionResolver::arguments(const syntax::Expression& from, std::string_view name,
                                   const std::vector<Signature::Parameter>& parameters,
                                   const SourceRange& declared,
                                   std::vector<std::optional<Object>>& references,
                                   std::vector<Expression>& into, std::vector<Expression>& steps,
                                   std::string& key) {
  const std::size_t given = from.operands.size() - 1;
  bool complete = true;
  std::vector<std::size_t> values;  // the places in `into` of arguments passed by value
  for (std::size_t i = 0; i < given; ++i) {
    const syntax::Expression& argument = from.operands[i + 1];
    const Signature::Parameter* parameter = i < parameters.size() ? &parameters[i] : nullptr;
    if (parameter == nullptr || parameter->broken) {
      if (parameter == nullptr) (void)value(argument);
      complete = complete && parameter == nullptr;
      continue;
    }
    const std::string what = fmt::format("'{}' of '{}'", parameter->name.text, name);
    if (!parameter->reference && parameter->type.kind == DataType::Kind::structure) {
      auto result = struct_value(argument, parameter->type, what);
      complete = complete && result;
      if (!result) continue;
      if (!result->steps.empty()) {
        // The arguments before this one are evaluated before its steps.
        for (const std::size_t value : values) {
          if (into[value].kind != ExpressionKind::literal) into[value] = hold(std::move(into[value]), steps);
        }
      }
      std::move(result->steps.begin(), result->steps.end(), std::back_inserter(steps));
      for (Expression& scalar : result->scalars) {
        values.push_back(into.size());
        into.push_back(std::move(scalar));
      }
      continue;
    }
    if (!parameter->reference) {
      auto result = value_of_type(argument, parameter->type.scalar, what);
      values.push_back(into.size());
      if (result) into.push_back(std::move(*result));
      complete = complete && result;
      continue;
    }
    std::optional<Object> object = this->object(argument, Want::reference, what);
    if (object && object->type != parameter->type) {
      resolution_.error(argument.range,
                        fmt::format("{} must be {}, not {}", what, resolution_.name_of(parameter->type),
                                    resolution_.name_of(object->type)));
      object.reset();
    }
    if (object && object->fixed) {
      fixed_object(argument);
      object.reset();
    }
    if (!object) {
      complete = false;
      continue;
    }
    references.resize(parameters.size());
    references[i] = *object;
    bind(std::move(*object), into, key);
  }
  if (given != parameters.size()) {
    resolution_.error(from.range,
                      fmt::format("'{}' takes {} argument{}, but {} {} given", name, parameters.size(),
                                  parameters.size() == 1 ? "" : "s", given, given == 1 ? "is" : "are"),
                      fmt::format("it is declared on {}", resolution_.line_of(declared)));
    return false;
  }
  references.resize(parameters.size());
  return complete;
}

std::optional<Expression> ExpressionResolver::call(const syntax::Expression& from,
                                                   std::vector<Expression> into,
                                                   std::vector<Expression>& steps) {
  const syntax::Expression& callee = from.operands[0];
  const Symbol* symbol = symbol_named(callee);
  if (callee.kind == SyntaxKind::member && symbol == nullptr) {
    (void)object(callee, Want::value, "read");  // reports what is wrong with the name, if anything
    resolution_.error(callee.range, "only functions can be called");
    return {};
  }
  if (callee.kind != SyntaxKind::name && symbol == nullptr) {
    resolution_.error(callee.range, "only functions can be called");
    return {};
  }
  if (locals_ != nullptr && symbol == nullptr && locals_->find(callee.word.text) != nullptr) {
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
                      fmt::format("'{}' is a {}, not a function", callee.word.text, describe(symbol->kind)),
                      symbol->kind == SymbolKind::proc
                          ? fmt::format("start a thread that runs it: spawn {}(...);", callee.word.text)
                          : "");
    return {};
  }
  if (place_ == Place::constant || place_ == Place::condition) {
    (void)check_allowed(from.range, "a call");
    return {};
  }
  const Signature& signature = resolution_.signatures[symbol->id];
  Expression result;
  result.kind = ExpressionKind::call;
  result.range = from.range;
  result.type = signature.result;
  std::vector<std::optional<Object>> references;
  std::vector<Expression> given;
  std::string key;
  if (!arguments(from, signature.name, signature.parameters, signature.item->name.range, references, given,
                 steps, key) ||
      symbol->broken) {
    return {};
  }
  result.operands = std::move(into);
  std::move(given.begin(), given.end(), std::back_inserter(result.operands));
  result.id = signature.generic ? instance(symbol->id, key, std::move(references), from.range, {})
                                : signature.function;
  return result;
}

Expression ExpressionResolver::bound_call(std::uint32_t number, std::vector<Object> objects,
                                          const SourceRange& place) {
  Expression result;
  result.kind = ExpressionKind::call;
  result.range = place;
  result.type = Type::none;
  std::vector<std::optional<Object>> references;
  std::string key = fmt::format("@{}:{}", place.file, place.begin);
  for (Object& object : objects) {
    references.emplace_back(object);
    bind(std::move(object), result.operands, key);
  }
  result.id = instance(number, key, std::move(references), place, place);
  return result;
}

// A plain variable orders nothing between threads, which is what read-modify-writes are for.
void ExpressionResolver::plain_atomic(const SourceRange& range, std::string_view operation,
                                      VariableId variable) {
  const std::string text = resolution_.quote(range, "this");
  std::string hint = fmt::format("it is declared 'plain' on {}",
                                 resolution_.line_of(resolution_.program.variables[variable].range));
  if (resolution_.instance_call) {
    hint += fmt::format(" and is passed to '{}' on {}", operation,
                        resolution_.line_of(*resolution_.instance_call));
  }
  resolution_.error(range,
                    fmt::format("'{}' needs a variable that is not plain, but '{}' is", operation, text),
                    std::move(hint));
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
  if (found) type = found->type;
  if (is_cas) {
    result.kind = ExpressionKind::cas;
    result.type = Type::boolean;
  } else {
    result.kind = from.word.kind == TokenKind::exchange ? ExpressionKind::exchange : ExpressionKind::fetch;
    result.type = type;
    result.fetch = fetch_operator(from.word.kind);
  }
  if (found && result.kind == ExpressionKind::fetch && type != Type::integer) {
    resolution_.error(
        from.operands[0].range, fmt::format("'{}' works on int only", operation),
        type == Type::boolean ? "use 'exchange' or 'cas' for a bool" : "use 'exchange' or 'cas' for an enum");
    return {};
  }
  if (found && resolution_.program.variables[found->variable].is_plain) {
    plain_atomic(from.operands[0].range, operation, found->variable);
    return {};
  }
  if (found && found->index) result.operands.push_back(std::move(*found->index));
  bool complete = found.has_value();
  for (std::size_t i = 1; i < wanted; ++i) {
    // The type is known only if the variable is.
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
  Expression result;
  result.kind = ExpressionKind::choose;
  result.range = from.range;
  if (from.operands.size() == 1) {
    const Symbol* symbol = symbol_named(from.operands[0]);
    if (symbol == nullptr || symbol->kind != SymbolKind::enumeration) {
      resolution_.error(from.operands[0].range, "'choose' needs a range or an enum",
                        "write 'choose(0..n)' or 'choose(State)'");
      return {};
    }
    if (symbol->broken) return {};
    result.type = symbol->type;
    result.operands.resize(2);
    result.operands[0].range = result.operands[1].range = from.operands[0].range;
    result.operands[1].value = static_cast<std::int64_t>(resolution_.enumeration(symbol->type).values.size());
    return result;
  }
  std::optional<Expression> low = value_of_type(from.operands[0], Type::integer, "the low end of 'choose'");
  std::optional<Expression> high = value_of_type(from.operands[1], Type::integer, "the high end of 'choose'");
  if (!low || !high) return {};
  if (low->kind == ExpressionKind::literal && high->kind == ExpressionKind::literal &&
      low->value >= high->value) {
    resolution_.error(from.range, fmt::format("nothing to choose: {}..{} is empty", low->value, high->value),
                      "the range ends before its second number");
    return {};
  }
  result.operands.push_back(std::move(*low));
  result.operands.push_back(std::move(*high));
  return result;
}

}  // namespace heddle::lang
