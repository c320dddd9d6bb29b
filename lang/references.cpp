// Expressions that name something: variables, locals, elements, locals of threads, functions, atomic
// operations.
#include "lang/expressions.hpp"

namespace heddle::lang {
namespace {

using SyntaxKind = syntax::ExpressionKind;

bool is_thread(const Symbol* symbol) { return symbol != nullptr && symbol->kind == SymbolKind::thread; }
bool is_mutex(const Symbol* symbol) { return symbol != nullptr && symbol->kind == SymbolKind::mutex; }
bool is_variable(const Symbol* symbol) { return symbol != nullptr && symbol->kind == SymbolKind::variable; }
bool is_constant(const Symbol* symbol) {
  return symbol != nullptr && (symbol->kind == SymbolKind::param || symbol->kind == SymbolKind::constant);
}
bool has_value(const Symbol* symbol) {
  return symbol == nullptr || is_variable(symbol) || is_constant(symbol);
}

}  // namespace

void ExpressionResolver::unknown_name(const syntax::Word& word, std::string_view what,
                                      bool (*wanted)(const Symbol*)) {
  std::string hint = resolution_.suggest(word.text, locals_, wanted);
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

std::optional<Expression> ExpressionResolver::name(const syntax::Expression& from) {
  if (locals_ != nullptr) {
    if (const LocalSymbol* local = locals_->find(from.word.text); local != nullptr) {
      if (local->broken) return {};
      Expression result;
      result.kind = ExpressionKind::local;
      result.type = local->type;
      result.id = local->id;
      result.range = from.range;
      return result;
    }
  }
  const Symbol* symbol = resolution_.names.find(from.word.text);
  if (symbol == nullptr) {
    unknown_name(from.word, "name", place_ == Place::constant ? is_constant : has_value);
    return {};
  }
  return symbol_value(from, *symbol);
}

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
    case SymbolKind::function:
      resolution_.error(from.range, fmt::format("'{}' is a function", text),
                        fmt::format("call it: {}(...)", text));
      return {};
    case SymbolKind::thread:
      resolution_.error(from.range, fmt::format("'{}' is a thread and has no value", text),
                        "conditions over final states can name its locals, like p.a");
      return {};
  }
  return {};
}

std::optional<Expression> ExpressionResolver::load(const syntax::Expression& from) {
  std::optional<Target> found = target(from, "read", false);
  if (!found) return {};
  const Variable& variable = resolution_.program.variables[found->variable];
  if (place_ == Place::constant) {
    (void)check_allowed(from.range, fmt::format("the shared variable '{}'", variable.name));
    return {};
  }
  Expression result;
  result.kind = ExpressionKind::load;
  result.type = variable.type;
  result.id = found->variable;
  result.range = from.range;
  if (found->index) result.operands.push_back(std::move(*found->index));
  return result;
}

const Symbol* ExpressionResolver::target_symbol(const syntax::Expression& from, std::string_view use,
                                                bool want_mutex) {
  const std::string_view text = from.word.text;
  if (locals_ != nullptr) {
    if (const LocalSymbol* local = locals_->find(text); local != nullptr) {
      if (!local->broken) {
        resolution_.error(
            from.range,
            want_mutex ? fmt::format("'{}' needs a mutex, but '{}' is a local variable", use, text)
            : use == "read"
                ? fmt::format("'{}' is a local variable, not an array", text)
                : fmt::format("'{}' needs a shared variable, but '{}' is a local one", use, text));
      }
      return nullptr;
    }
  }
  const Symbol* symbol = resolution_.names.find(text);
  if (symbol == nullptr) {
    unknown_name(from.word,
                 want_mutex      ? "mutex"
                 : use == "read" ? "array"
                                 : "shared variable",
                 want_mutex ? is_mutex : is_variable);
    return nullptr;
  }
  if (symbol->broken) return nullptr;
  if (symbol->kind == (want_mutex ? SymbolKind::mutex : SymbolKind::variable)) return symbol;
  if (want_mutex) {
    resolution_.error(
        from.range, fmt::format("'{}' needs a mutex, but '{}' is a {}", use, text, describe(symbol->kind)),
        symbol->kind == SymbolKind::variable ? fmt::format("declare it as 'mutex {};'", text) : "");
  } else if (use == "read") {
    resolution_.error(from.range, fmt::format("'{}' is a {}, not an array", text, describe(symbol->kind)));
  } else {
    resolution_.error(from.range, fmt::format("'{}' needs a shared variable, but '{}' is a {}", use, text,
                                              describe(symbol->kind)));
  }
  return nullptr;
}

std::optional<Target> ExpressionResolver::target(const syntax::Expression& from, std::string_view use,
                                                 bool want_mutex) {
  const bool indexed = from.kind == SyntaxKind::index;
  const syntax::Expression& base = indexed ? from.operands[0] : from;
  if (base.kind != SyntaxKind::name) {
    if (indexed && base.kind == SyntaxKind::index) {
      resolution_.error(from.range, "an array has one index only", "compute it: a[i * N + j]");
    } else if (indexed) {
      resolution_.error(base.range, "only arrays have elements");
    } else {
      resolution_.error(
          from.range, fmt::format("'{}' needs a {}", use, want_mutex ? "mutex" : "shared variable"),
          want_mutex ? "write a name or an element like m[i]" : "write a name or an element like a[i]");
    }
    return {};
  }
  const Symbol* symbol = target_symbol(base, use, want_mutex);
  std::optional<Expression> index;
  if (indexed) {
    index = value_of_type(from.operands[1], Type::integer, "the index");
    if (!index) return {};
  }
  if (symbol == nullptr) return {};
  const Variable& variable = resolution_.program.variables[symbol->id];
  if (variable.is_array && !indexed) {
    resolution_.error(from.range, fmt::format("'{}' is an array", variable.name),
                      fmt::format("name one of its elements: {}[i]", variable.name));
    return {};
  }
  if (!variable.is_array && indexed) {
    resolution_.error(base.range, fmt::format("'{}' is not an array", variable.name),
                      fmt::format("it is declared in {}", resolution_.line_of(variable.range)));
    return {};
  }
  return Target{symbol->id, std::move(index)};
}

std::optional<Target> ExpressionResolver::shared_target(const syntax::Expression& from,
                                                        std::string_view use) {
  return target(from, use, false);
}

std::optional<Target> ExpressionResolver::mutex_target(const syntax::Expression& from, std::string_view use) {
  return target(from, use, true);
}

std::optional<ThreadId> ExpressionResolver::thread_named_by(const syntax::Expression& from) {
  const bool indexed = from.kind == SyntaxKind::index;
  const syntax::Expression& base = indexed ? from.operands[0] : from;
  if (base.kind != SyntaxKind::name) {
    resolution_.error(from.range, "only threads have locals that can be named", "write p.a or w[1].a");
    return {};
  }
  const Symbol* symbol = resolution_.names.find(base.word.text);
  if (symbol == nullptr) {
    unknown_name(base.word, "thread", is_thread);
    return {};
  }
  if (symbol->kind != SymbolKind::thread) {
    resolution_.error(base.range,
                      fmt::format("'{}' is a {} and has no locals", base.word.text, describe(symbol->kind)));
    return {};
  }
  if (symbol->broken) return {};
  const Resolution::TemplateInfo& info = resolution_.templates[symbol->id];
  const bool is_family = resolution_.program.templates[symbol->id].is_family;
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

std::optional<Expression> ExpressionResolver::member(const syntax::Expression& from) {
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
    for (const Local& local : resolution_.program.templates[number].body.locals) {
      if (local.top_level) (void)visible.declare(local.name, {});
    }
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
  Expression result;
  result.kind = ExpressionKind::thread_local_;
  result.type = found->second.type;
  result.id = found->second.id;
  result.thread = *thread;
  result.range = from.range;
  return result;
}

}  // namespace heddle::lang
