// Expressions that name something: variables, locals, elements, fields, locals of threads.
#include <array>
#include <utility>

#include "lang/expressions.hpp"
#include "lang/modules.hpp"
#include "lang/suggest.hpp"

namespace heddle::lang {
namespace {

using SyntaxKind = syntax::ExpressionKind;

bool is_thread(const Symbol* symbol) {
  return symbol != nullptr && (symbol->kind == SymbolKind::thread || symbol->kind == SymbolKind::proc);
}
bool is_mutex(const Symbol* symbol) { return symbol != nullptr && symbol->kind == SymbolKind::mutex; }
bool is_condition(const Symbol* symbol) { return symbol != nullptr && symbol->kind == SymbolKind::condition; }
bool is_variable(const Symbol* symbol) { return symbol != nullptr && symbol->kind == SymbolKind::variable; }
bool is_object(const Symbol* symbol) {
  return symbol != nullptr && (symbol->kind == SymbolKind::variable || symbol->kind == SymbolKind::mutex ||
                               symbol->kind == SymbolKind::condition);
}
bool is_constant(const Symbol* symbol) {
  return symbol != nullptr && (symbol->kind == SymbolKind::param || symbol->kind == SymbolKind::constant);
}
bool has_value(const Symbol* symbol) {
  return symbol == nullptr || is_variable(symbol) || is_constant(symbol);
}

using Filter = bool (*)(const Symbol*);
Filter filter_of(Want want) {
  switch (want) {
    case Want::mutex: return is_mutex;
    case Want::condition: return is_condition;
    case Want::reference: return is_object;
    default: return is_variable;
  }
}

// "an array", "a mutex": what an unknown name should have been.
std::string_view wanted_name(Want want) {
  switch (want) {
    case Want::value: return "array";
    case Want::mutex: return "mutex";
    case Want::condition: return "condition variable";
    case Want::reference: return "name";
    default: return "shared variable";
  }
}

// What people of other languages look for.
std::string foreign_function_hint(std::string_view name) {
  using Habit = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Habit, 17> habits{{
      {"CAS", "write 'cas(x, old, new)'"},
      {"compare_and_swap", "write 'cas(x, old, new)'"},
      {"compare_exchange", "write 'cas(x, old, new)'"},
      {"compare_exchange_strong", "write 'cas(x, old, new)'"},
      {"compare_exchange_weak", "write 'cas(x, old, new)'"},
      {"compare_and_set", "write 'cas(x, old, new)'"},
      {"swap", "write 'exchange(x, new)'"},
      {"atomic_add", "write 'fetch_add(x, n)'"},
      {"atomic_fetch_add", "write 'fetch_add(x, n)'"},
      {"load", "a shared variable is read by its name: let a = x;"},
      {"store", "a shared variable is written by an assignment: x = 1;"},
      {"print", "nothing is printed: traces and final states show all values"},
      {"printf", "nothing is printed: traces and final states show all values"},
      {"sleep", "there is no time: every order of the threads' operations is explored"},
      {"yield", "every order of the threads' operations is explored without it"},
      {"notify_one", "write 'signal c;'"},
      {"notify_all", "write 'broadcast c;'"},
  }};
  for (const auto& [word, hint] : habits) {
    if (word == name) return std::string(hint);
  }
  return {};
}

std::string_view needed(Want want) {
  switch (want) {
    case Want::mutex: return "mutex";
    case Want::condition: return "condition variable";
    default: return "shared variable";
  }
}

}  // namespace

void ExpressionResolver::unknown_name(const syntax::Word& word, std::string_view what,
                                      bool (*wanted)(const Symbol*)) {
  std::string hint = what == "name" ? resolution_.suggest_value(word.text) : std::string();
  if (hint.empty()) hint = resolution_.suggest(word.text, locals_, wanted);
  if (hint.empty() && what == "function") hint = foreign_function_hint(word.text);
  if (place_ == Place::condition) {
    // A local without its thread.
    for (std::size_t i = 0; i < resolution_.templates.size(); ++i) {
      if (!resolution_.templates[i].locals.contains(word.text)) continue;
      const ThreadTemplate& owner = resolution_.program.templates[i];
      const std::string member =
          owner.is_family ? fmt::format("{}[{}]", owner.name, resolution_.templates[i].first_argument)
                          : owner.name;
      hint = fmt::format("for the local of thread '{}' write {}.{}", owner.name, member, word.text);
      break;
    }
  }
  resolution_.error(word.range, fmt::format("unknown {} '{}'", what, word.text), std::move(hint));
}

const Symbol* ExpressionResolver::symbol_named(const syntax::Expression& from) const {
  if (from.kind == SyntaxKind::name) {
    if (locals_ != nullptr && locals_->find(from.word.text) != nullptr) return nullptr;
    return resolution_.names().find(from.word.text);
  }
  if (from.kind != SyntaxKind::member || from.operands[0].kind != SyntaxKind::name) return nullptr;
  const Symbol* module = symbol_named(from.operands[0]);
  if (module == nullptr || module->kind != SymbolKind::module) return nullptr;
  return resolution_.modules[module->id].names.find(from.word.text);
}

bool ExpressionResolver::names_thread(const syntax::Expression& from) const {
  return is_thread(symbol_named(from.kind == SyntaxKind::index ? from.operands[0] : from));
}

std::optional<Expression> ExpressionResolver::name(const syntax::Expression& from) {
  if (locals_ != nullptr) {
    if (const LocalSymbol* local = locals_->find(from.word.text); local != nullptr) {
      if (local->broken) return {};
      if (local->object) return load(from);
      if (local->kind == LocalKind::spawned) {
        resolution_.error(from.range,
                          fmt::format("'{}' is a spawned thread and has no value", from.word.text),
                          fmt::format("wait for its end: join {};", from.word.text));
        return {};
      }
      Expression result;
      result.kind = local->value ? ExpressionKind::literal : ExpressionKind::local;
      result.value = local->value.value_or(0);
      result.type = local->type;
      result.id = local->id;
      result.range = from.range;
      return result;
    }
  }
  const Symbol* symbol = resolution_.names().find(from.word.text);
  if (symbol == nullptr) {
    unknown_name(from.word, "name", place_ == Place::constant ? is_constant : has_value);
    return {};
  }
  return symbol_value(from, *symbol);
}

// `from` is a name, with or without its module; its word is the name itself.
std::optional<Expression> ExpressionResolver::symbol_value(const syntax::Expression& from,
                                                           const Symbol& symbol) {
  const std::string_view text = from.word.text;
  switch (symbol.kind) {
    case SymbolKind::param:
    case SymbolKind::constant: {
      if (symbol.broken) return {};
      if (!symbol.ready) {
        resolution_.error(from.range,
                          fmt::format("'{}' is used before its value is known: it is declared in {}", text,
                                      resolution_.line_of(symbol.range)),
                          "move its declaration up");
        return {};
      }
      Expression result;
      result.type = symbol.type;
      result.value = symbol.value;
      result.range = from.range;
      return result;
    }
    case SymbolKind::variable: return load(from);
    case SymbolKind::mutex:
      resolution_.error(from.range, fmt::format("the mutex '{}' has no value", text),
                        fmt::format("write 'lock {0};', 'unlock {0};' or 'trylock {0}'", text));
      return {};
    case SymbolKind::condition:
      resolution_.error(from.range, fmt::format("the condition variable '{}' has no value", text),
                        fmt::format("write 'wait {0}, m;', 'signal {0};' or 'broadcast {0};'", text));
      return {};
    case SymbolKind::enumeration:
    case SymbolKind::structure:
      resolution_.error(from.range, fmt::format("'{}' is a type", text),
                        symbol.kind == SymbolKind::enumeration && symbol.ready && !symbol.broken
                            ? fmt::format("name one of its values: {}.{}", text,
                                          resolution_.enumeration(symbol.type).values[0])
                            : "");
      return {};
    case SymbolKind::function:
      resolution_.error(from.range, fmt::format("'{}' is a function", text),
                        fmt::format("call it: {}(...)", text));
      return {};
    case SymbolKind::proc:
      resolution_.error(from.range, fmt::format("'{}' is a proc and has no value", text),
                        fmt::format("start a thread that runs it: spawn {}(...);", text));
      return {};
    case SymbolKind::thread:
      resolution_.error(from.range, fmt::format("'{}' is a thread and has no value", text),
                        "conditions over final states can name its locals, like p.a");
      return {};
    case SymbolKind::module:
      resolution_.error(from.range, fmt::format("'{}' is a module", text),
                        fmt::format("name something in it: {}.x", text));
      return {};
  }
  return {};
}

std::optional<Expression> ExpressionResolver::load(const syntax::Expression& from) {
  std::optional<Object> found = object(from, Want::value, "read");
  if (!found) return {};
  return read(from, std::move(*found));
}

std::optional<Expression> ExpressionResolver::read(const syntax::Expression& from, Object found) {
  const std::string text = resolution_.quote(from.range, "this");
  if (!found.type.lengths.empty()) {
    resolution_.error(from.range, fmt::format("'{}' is an array", text),
                      fmt::format("name one of its elements: {}[i]", text));
    return {};
  }
  if (found.type.kind == DataType::Kind::structure) {
    const Structure& structure = resolution_.structures[found.type.structure];
    resolution_.error(from.range, fmt::format("'{}' is a {} and has no value", text, structure.name),
                      fmt::format("name one of its fields: {}.{}", text, structure.fields[0].name));
    return {};
  }
  if (found.type.kind != DataType::Kind::scalar) {
    const bool mutex = found.type.kind == DataType::Kind::mutex;
    resolution_.error(from.range,
                      fmt::format("the {} '{}' has no value", mutex ? "mutex" : "condition variable", text),
                      mutex ? fmt::format("write 'lock {0};', 'unlock {0};' or 'trylock {0}'", text)
                            : fmt::format("write 'wait {0}, m;', 'signal {0};' or 'broadcast {0};'", text));
    return {};
  }
  if (place_ == Place::constant) {
    (void)check_allowed(from.range, fmt::format("the shared variable '{}'", text));
    return {};
  }
  Expression result;
  result.kind = found.base == Object::Base::shared  ? ExpressionKind::load
                : found.base == Object::Base::local ? ExpressionKind::local
                                                    : ExpressionKind::thread_local_;
  result.type = found.type.scalar;
  result.id = found.first;
  result.thread = found.thread;
  result.range = from.range;
  if (auto index = element_index(found)) result.operands.push_back(std::move(*index));
  return result;
}

// A name without index. `symbol` is null if it must be looked up as a plain name.
std::optional<Object> ExpressionResolver::named_object(const syntax::Expression& from,
                                                       const syntax::Word& word, const Symbol* symbol,
                                                       Want want, std::string_view use) {
  const std::string_view text = word.text;
  if (symbol == nullptr && locals_ != nullptr) {
    if (const LocalSymbol* local = locals_->find(text); local != nullptr) {
      if (local->broken) return {};
      if (local->object) return local->object;
      if (want == Want::reference && local->kind == LocalKind::var) {
        Object object;
        object.base = Object::Base::local;
        object.first = local->id;
        object.type.scalar = local->type;
        return object;
      }
      resolution_.error(
          from.range,
          want == Want::mutex || want == Want::condition
              ? fmt::format("'{}' needs a {}, but '{}' is a local variable", use, needed(want), text)
          : want == Want::value ? fmt::format("'{}' is a local variable, not an array", text)
          : want == Want::reference
              ? fmt::format("'{}' cannot be passed to a 'ref' parameter: it is no 'var'", text)
              : fmt::format("'{}' needs a shared variable, but '{}' is a local one", use, text));
      return {};
    }
  }
  if (symbol == nullptr) symbol = resolution_.names().find(text);
  if (symbol == nullptr) {
    unknown_name(word, wanted_name(want), filter_of(want));
    return {};
  }
  if (symbol->broken) return {};
  if (is_object(symbol)) return resolution_.objects[symbol->id];
  if (want == Want::value) {
    resolution_.error(from.range, fmt::format("'{}' is a {}, not an array", text, describe(symbol->kind)));
  } else if (want == Want::reference) {
    resolution_.error(from.range, fmt::format("{} must be a variable, but '{}' is a {}", use, text,
                                              describe(symbol->kind)));
  } else {
    resolution_.error(from.range, fmt::format("'{}' needs a {}, but '{}' is a {}", use, needed(want), text,
                                              describe(symbol->kind)));
  }
  return {};
}

std::optional<Object> ExpressionResolver::member_object(const syntax::Expression& from, Want want,
                                                        std::string_view use) {
  const syntax::Expression& owner = from.operands[0];
  if (const Symbol* module = symbol_named(owner); module != nullptr && module->kind == SymbolKind::module) {
    const Symbol* symbol = symbol_named(from);
    if (symbol != nullptr) return named_object(from, from.word, symbol, want, use);
    resolution_.error(from.word.range,
                      fmt::format("module '{}' has no '{}'", owner.word.text, from.word.text),
                      did_you_mean(from.word.text, resolution_.modules[module->id].names.all()));
    return {};
  }
  if (names_thread(owner)) return thread_object(from);
  if (owner.kind == SyntaxKind::name && symbol_named(owner) == nullptr &&
      (locals_ == nullptr || locals_->find(owner.word.text) == nullptr) && standard_module(owner.word.text)) {
    resolution_.error(owner.range, fmt::format("there is no module '{}' here", owner.word.text),
                      fmt::format("import it first: import std.{};", owner.word.text));
    return {};
  }
  const syntax::Expression& base = owner.kind == SyntaxKind::index ? owner.operands[0] : owner;
  if (place_ == Place::condition && base.kind == SyntaxKind::name && symbol_named(base) == nullptr) {
    unknown_name(base.word, "thread",
                 [](const Symbol* symbol) { return is_thread(symbol) || is_variable(symbol); });
    return {};
  }
  // Whatever is to happen to the field: its owner is an object.
  std::optional<Object> object =
      this->object(owner, want == Want::value ? Want::value : Want::reference, "the owner");
  if (!object) return {};
  const std::string text = resolution_.quote(owner.range, "this");
  if (!object->type.lengths.empty()) {
    resolution_.error(owner.range, fmt::format("'{}' is an array", text),
                      fmt::format("name one of its elements: {}[i].{}", text, from.word.text));
    return {};
  }
  if (object->type.kind != DataType::Kind::structure) {
    resolution_.error(from.word.range,
                      fmt::format("'{}' has no fields: it is {}", text, resolution_.name_of(object->type)));
    return {};
  }
  const Structure& structure = resolution_.structures[object->type.structure];
  std::vector<std::string_view> fields;
  for (std::size_t i = 0; i < structure.fields.size(); ++i) {
    if (structure.fields[i].name == from.word.text) {
      select_field(resolution_.structures, *object, i);
      return object;
    }
    fields.push_back(structure.fields[i].name);
  }
  std::string hint = did_you_mean(from.word.text, fields);
  if (hint.empty()) hint = fmt::format("it has {}", fmt::join(fields, ", "));
  resolution_.error(from.word.range, fmt::format("{} has no field '{}'", structure.name, from.word.text),
                    std::move(hint));
  return {};
}

std::optional<Object> ExpressionResolver::object(const syntax::Expression& from, Want want,
                                                 std::string_view use) {
  if (from.kind == SyntaxKind::name) return named_object(from, from.word, nullptr, want, use);
  if (from.kind == SyntaxKind::member) return member_object(from, want, use);
  if (from.kind != SyntaxKind::index) {
    if (want == Want::value) {
      resolution_.error(from.range, "only arrays have elements");
    } else {
      resolution_.error(from.range,
                        want == Want::reference ? fmt::format("{} must be a variable", use)
                                                : fmt::format("'{}' needs a {}", use, needed(want)),
                        want == Want::mutex ? "write a name or an element like m[i]"
                                            : "write a name or an element like a[i]");
    }
    return {};
  }
  const syntax::Expression& base = from.operands[0];
  std::optional<Object> object;
  const bool has_place =
      base.kind == SyntaxKind::name || base.kind == SyntaxKind::member || base.kind == SyntaxKind::index;
  if (has_place) {
    object = this->object(base, want, use);
  } else {
    resolution_.error(base.range, "only arrays have elements");
  }
  std::optional<Expression> index = value_of_type(from.operands[1], Type::integer, "the index");
  if (!object || !index) return {};
  if (object->type.lengths.empty()) {
    if (base.kind == SyntaxKind::index) {
      resolution_.error(from.range,
                        fmt::format("'{}' has one index only", resolution_.quote(base.range, "this")),
                        "an array of arrays is declared like 'shared a: int[2][3]'");
    } else {
      const Symbol* symbol = symbol_named(base);
      resolution_.error(
          base.range, fmt::format("'{}' is not an array", resolution_.quote(base.range, "this")),
          symbol == nullptr ? "" : fmt::format("it is declared in {}", resolution_.line_of(symbol->range)));
    }
    return {};
  }
  select_element(*object, std::move(*index));
  return object;
}

std::optional<Target> ExpressionResolver::target(const syntax::Expression& from, Want want,
                                                 std::string_view use) {
  std::optional<Object> found = object(from, want, use);
  if (!found) return {};
  const std::string text = resolution_.quote(from.range, "this");
  if (!found->type.lengths.empty()) {
    resolution_.error(from.range, fmt::format("'{}' is an array", text),
                      fmt::format("name one of its elements: {}[i]", text));
    return {};
  }
  const DataType::Kind wanted = want == Want::mutex       ? DataType::Kind::mutex
                                : want == Want::condition ? DataType::Kind::condition
                                                          : DataType::Kind::scalar;
  if (found->type.kind != wanted) {
    const std::string is = found->type.kind == DataType::Kind::scalar      ? "shared variable"
                           : found->type.kind == DataType::Kind::mutex     ? "mutex"
                           : found->type.kind == DataType::Kind::condition ? "condition variable"
                                                                           : resolution_.name_of(found->type);
    std::string hint;
    if (found->type.kind == DataType::Kind::scalar && wanted != DataType::Kind::scalar &&
        from.kind == SyntaxKind::name) {
      hint = fmt::format("declare it as '{} {};'", wanted == DataType::Kind::mutex ? "mutex" : "cond", text);
    } else if (found->type.kind == DataType::Kind::structure) {
      hint = fmt::format("name one of its fields: {}.{}", text,
                         resolution_.structures[found->type.structure].fields[0].name);
    }
    resolution_.error(from.range,
                      fmt::format("'{}' needs a {}, but '{}' is a {}", use, needed(want), text, is),
                      std::move(hint));
    return {};
  }
  if (found->base != Object::Base::shared) {
    resolution_.error(from.range,
                      fmt::format("'{}' needs a {}, but '{}' is a local one", use, needed(want), text),
                      resolution_.instance_call ? fmt::format("a local variable is passed to it in {}",
                                                              resolution_.line_of(*resolution_.instance_call))
                                                : "");
    return {};
  }
  Target target{found->first, found->type.scalar, {}};
  target.index = element_index(*found);
  return target;
}

std::optional<Target> ExpressionResolver::shared_target(const syntax::Expression& from,
                                                        std::string_view use) {
  return target(from, Want::shared, use);
}

std::optional<Target> ExpressionResolver::mutex_target(const syntax::Expression& from, std::string_view use) {
  return target(from, Want::mutex, use);
}

std::optional<ThreadId> ExpressionResolver::thread_named_by(const syntax::Expression& from) {
  const bool indexed = from.kind == SyntaxKind::index;
  const syntax::Expression& base = indexed ? from.operands[0] : from;
  const Symbol* symbol = symbol_named(base);
  if (symbol->broken) return {};
  const Resolution::TemplateInfo& info = resolution_.templates[symbol->id];
  const bool is_family = resolution_.program.templates[symbol->id].is_family;
  if (info.threads == 0) {
    resolution_.error(base.range, fmt::format("no thread of '{}' is ever spawned", base.word.text));
    return {};
  }
  if (is_family != indexed) {
    resolution_.error(base.range,
                      is_family ? fmt::format("'{}' is a family of threads", base.word.text)
                                : fmt::format("'{}' is a single thread", base.word.text),
                      is_family
                          ? fmt::format("name one of them: {}[{}].a", base.word.text, info.first_argument)
                          : fmt::format("write {}.a", base.word.text));
    return {};
  }
  if (!indexed) return info.first_thread;
  const auto index = constant_value(resolution_, from.operands[1], Type::integer, "the number of a thread");
  if (!index) return {};
  if (*index < info.first_argument || *index >= info.first_argument + info.threads) {
    resolution_.error(from.operands[1].range,
                      fmt::format("there is no thread {}[{}]", base.word.text, *index),
                      fmt::format("they are {0}[{1}] to {0}[{2}]", base.word.text, info.first_argument,
                                  info.first_argument + info.threads - 1));
    return {};
  }
  return info.first_thread + static_cast<ThreadId>(*index - info.first_argument);
}

std::optional<Object> ExpressionResolver::thread_object(const syntax::Expression& from) {
  if (place_ == Place::constant) {
    (void)check_allowed(from.range, "the local of a thread");
    return {};
  }
  if (place_ != Place::condition) {
    resolution_.error(from.range, "locals of threads can be named in 'exists', 'forall' and 'forbid' only",
                      "share a value through a 'shared' variable");
    return {};
  }
  const std::optional<ThreadId> thread = thread_named_by(from.operands[0]);
  if (!thread) return {};
  const std::uint32_t number = resolution_.program.threads[*thread].thread_template;
  const auto& locals = resolution_.templates[number].locals;
  const auto found = locals.find(from.word.text);
  if (found == locals.end()) {
    Locals visible;
    for (const auto& [name, local] : locals) (void)visible.declare(name, {});
    std::string hint =
        resolution_.suggest(from.word.text, &visible, [](const Symbol* symbol) { return symbol == nullptr; });
    if (hint.empty()) hint = "only locals of a thread's outermost block can be named";
    resolution_.error(from.word.range,
                      fmt::format("thread '{}' has no local '{}'", resolution_.program.templates[number].name,
                                  from.word.text),
                      std::move(hint));
    return {};
  }
  if (found->second.broken) return {};
  Object object;
  if (found->second.object) object = *found->second.object;
  if (!found->second.object) {
    object.first = found->second.id;
    object.type.scalar = found->second.type;
  }
  object.base = Object::Base::thread;
  object.thread = *thread;
  return object;
}

// Enumerators, what modules declare, fields, locals of threads.
std::optional<Expression> ExpressionResolver::member(const syntax::Expression& from) {
  const syntax::Expression& owner = from.operands[0];
  if (const Symbol* symbol = symbol_named(from); symbol != nullptr && !is_object(symbol)) {
    return symbol_value(from, *symbol);
  }
  if (const Symbol* symbol = symbol_named(owner);
      symbol != nullptr && symbol->kind == SymbolKind::enumeration && !symbol->broken) {
    if (!symbol->ready) {
      resolution_.error(from.range,
                        fmt::format("the enum '{}' is used before it is known: it is declared in {}",
                                    owner.word.text, resolution_.line_of(symbol->range)),
                        "move its declaration up");
      return {};
    }
    const Enumeration& enumeration = resolution_.enumeration(symbol->type);
    Expression result;
    result.type = symbol->type;
    result.range = from.range;
    for (const std::string& value : enumeration.values) {
      if (value == from.word.text) return result;
      ++result.value;
    }
    std::string hint = did_you_mean(from.word.text, {enumeration.values.begin(), enumeration.values.end()});
    if (hint.empty()) hint = fmt::format("its values are {}", fmt::join(enumeration.values, ", "));
    resolution_.error(from.word.range, fmt::format("{} has no value '{}'", enumeration.name, from.word.text),
                      std::move(hint));
    return {};
  }
  return load(from);
}

}  // namespace heddle::lang
