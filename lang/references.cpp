// Names with a value in expressions: constants, enumerators, locals; and the messages for names without one.
// Shared variables, and everything with elements or fields, are in places.cpp.
#include <array>
#include <string_view>

#include "lang/expressions.hpp"
#include "lang/suggest.hpp"

namespace heddle::lang {
namespace {

using SyntaxKind = syntax::ExpressionKind;

bool is_constant(const Symbol* symbol) {
  return symbol != nullptr && (symbol->kind == SymbolKind::param || symbol->kind == SymbolKind::constant);
}
bool has_value(const Symbol* symbol) {
  return symbol == nullptr || symbol->kind == SymbolKind::variable || is_constant(symbol);
}

// Functions of other languages.
std::string foreign_function_hint(std::string_view name) {
  struct Habit {
    std::string_view word;
    std::string_view hint;
  };
  static constexpr auto habits = std::to_array<Habit>({
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
  });
  for (const auto& [word, hint] : habits) {
    if (word == name) return std::string(hint);
  }
  return {};
}

}  // namespace

void ExpressionResolver::unknown_name(const syntax::Word& word, std::string_view what,
                                      bool (*wanted)(const Symbol*)) {
  std::string hint = what == "name" ? resolution_.suggest_value(word.text) : std::string();
  if (hint.empty()) hint = resolution_.suggest(word.text, locals_, wanted);
  if (hint.empty() && what == "function") hint = foreign_function_hint(word.text);
  if (hint.empty() && word.text == "skip") hint = "to do nothing, write an empty block: { }";
  if (place_ == Place::condition) {
    // A local named without its thread.
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

// `from` is a name, possibly qualified by its module; its word is the name itself.
std::optional<Expression> ExpressionResolver::symbol_value(const syntax::Expression& from,
                                                           const Symbol& symbol) {
  const std::string_view text = from.word.text;
  switch (symbol.kind) {
    case SymbolKind::param:
    case SymbolKind::constant: {
      if (symbol.broken) return {};
      if (!symbol.ready) {
        resolution_.error(from.range,
                          fmt::format("'{}' is used before its value is known: it is declared on {}", text,
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
    case SymbolKind::condition: no_value(from.range, text, symbol.kind == SymbolKind::mutex); return {};
    case SymbolKind::type:
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

// Enumerators, names in modules, fields, locals of threads.
std::optional<Expression> ExpressionResolver::member(const syntax::Expression& from) {
  const syntax::Expression& owner = from.operands[0];
  if (const Symbol* symbol = symbol_named(from); symbol != nullptr && !is_object(symbol)) {
    return symbol_value(from, *symbol);
  }
  if (const Symbol* symbol = symbol_named(owner);
      symbol != nullptr && symbol->kind == SymbolKind::enumeration && !symbol->broken) {
    if (!symbol->ready) {
      resolution_.error(from.range,
                        fmt::format("the enum '{}' is used before it is complete: it is declared on {}",
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
