// Resolves names, elements, fields and locals of threads to objects, and reads them. What the object is
// needed for (Want) decides which objects are accepted and what messages say about the others.
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

using Filter = bool (*)(const Symbol*);
Filter filter_of(Want want) {
  switch (want) {
    case Want::mutex: return is_mutex;
    case Want::condition: return is_condition;
    case Want::reference: return is_object;
    default: return is_variable;
  }
}

// What should have been there: "needs a mutex", "unknown shared variable".
std::string_view wanted_name(Want want) {
  switch (want) {
    case Want::value: return "array";
    case Want::mutex: return "mutex";
    case Want::condition: return "condition variable";
    case Want::reference: return "name";
    default: return "shared variable";
  }
}

}  // namespace

bool ExpressionResolver::refuse_array(const SourceRange& range, std::string_view name, const DataType& type) {
  if (type.lengths.empty()) return false;
  resolution_.error(range, fmt::format("'{}' is an array", name),
                    fmt::format("name one of its elements: {}[i]", name));
  return true;
}

// A name without index. If `symbol` is null, the word is looked up as a plain name.
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
              ? fmt::format("'{}' needs a {}, but '{}' is a local variable", use, wanted_name(want), text)
          : want == Want::value ? fmt::format("'{}' is a local variable, not an array", text)
          : want == Want::reference
              ? fmt::format("'{}' cannot be passed to a 'ref' parameter: it is not a 'var'", text)
              : fmt::format("'{}' needs a shared variable, but '{}' is local", use, text));
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
    resolution_.error(from.range, fmt::format("'{}' needs a {}, but '{}' is a {}", use, wanted_name(want),
                                              text, describe(symbol->kind)));
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
    resolution_.error(owner.range, fmt::format("module '{}' is not imported", owner.word.text),
                      fmt::format("import it first: import std.{};", owner.word.text));
    return {};
  }
  const syntax::Expression& base = owner.kind == SyntaxKind::index ? owner.operands[0] : owner;
  if (place_ == Place::condition && base.kind == SyntaxKind::name && symbol_named(base) == nullptr) {
    unknown_name(base.word, "thread",
                 [](const Symbol* symbol) { return is_thread(symbol) || is_variable(symbol); });
    return {};
  }
  if (owner.kind == SyntaxKind::call || owner.kind == SyntaxKind::structure) {
    resolution_.error(owner.range, "a field is named of a variable only",
                      fmt::format("declare one with this value: let v = ...; then v.{}", from.word.text));
    return {};
  }
  // Whatever the field is wanted for, its owner must be an object.
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
  if (hint.empty()) hint = fmt::format("its fields are {}", fmt::join(fields, ", "));
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
                                                : fmt::format("'{}' needs a {}", use, wanted_name(want)),
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
                        fmt::format("'{}' takes only one index", resolution_.quote(base.range, "this")),
                        "an array of arrays is declared like 'shared a: int[2][3]'");
    } else {
      const Symbol* symbol = symbol_named(base);
      resolution_.error(
          base.range, fmt::format("'{}' is not an array", resolution_.quote(base.range, "this")),
          symbol == nullptr ? "" : fmt::format("it is declared on {}", resolution_.line_of(symbol->range)));
    }
    return {};
  }
  select_element(*object, std::move(*index));
  return object;
}

std::optional<Expression> ExpressionResolver::load(const syntax::Expression& from) {
  std::optional<Object> found = object(from, Want::value, "read");
  if (!found) return {};
  return read(from, std::move(*found));
}

void ExpressionResolver::no_value(const SourceRange& range, std::string_view name, bool mutex) {
  resolution_.error(range,
                    fmt::format("the {} '{}' has no value", mutex ? "mutex" : "condition variable", name),
                    mutex ? fmt::format("write 'lock {0};', 'unlock {0};' or 'trylock {0}'", name)
                          : fmt::format("write 'wait {0}, m;', 'signal {0};' or 'broadcast {0};'", name));
}

std::optional<Expression> ExpressionResolver::read(const syntax::Expression& from, Object found) {
  const std::string text = resolution_.quote(from.range, "this");
  if (refuse_array(from.range, text, found.type)) return {};
  if (found.type.kind != DataType::Kind::scalar) {
    no_value(from.range, text, found.type.kind == DataType::Kind::mutex);
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

std::optional<Target> ExpressionResolver::target(const syntax::Expression& from, Want want,
                                                 std::string_view use) {
  std::optional<Object> found = object(from, want, use);
  if (!found) return {};
  const std::string text = resolution_.quote(from.range, "this");
  if (refuse_array(from.range, text, found->type)) return {};
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
                      fmt::format("'{}' needs a {}, but '{}' is a {}", use, wanted_name(want), text, is),
                      std::move(hint));
    return {};
  }
  if (found->base != Object::Base::shared) {
    resolution_.error(from.range,
                      fmt::format("'{}' needs a {}, but '{}' is local", use, wanted_name(want), text),
                      resolution_.instance_call ? fmt::format("a local variable is passed to it on {}",
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

bool ExpressionResolver::names_thread(const syntax::Expression& from) const {
  return is_thread(symbol_named(from.kind == SyntaxKind::index ? from.operands[0] : from));
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
    (void)check_allowed(from.range, "a thread's local");
    return {};
  }
  if (place_ != Place::condition) {
    resolution_.error(from.range, "locals of threads can be named only in 'exists', 'forall' and 'forbid'",
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

}  // namespace heddle::lang
