// Top-level items. They are resolved in passes, so that functions, threads and variables can be declared in
// any order: names; constants and types; shared data and signatures; bodies (definitions.cpp); conditions and
// expectations. An imported file completes the first three passes before the importing file starts.
#include "lang/declarations.hpp"

#include <algorithm>

#include "lang/definitions.hpp"
#include "lang/expressions.hpp"
#include "lang/limits.hpp"
#include "lang/spawns.hpp"
#include "lang/suggest.hpp"

namespace heddle::lang {
namespace {

using syntax::Item;
using syntax::ItemKind;

class ProgramResolver {
 public:
  ProgramResolver(Resolution& resolution, const Parameters& overrides)
      : resolution_(resolution), program_(resolution.program), overrides_(overrides) {}

  // `order`: the modules, each after those it imports.
  void run(const std::vector<std::uint32_t>& order) {
    for (const std::uint32_t module : order) {
      resolution_.module = module;
      for (const Item& item : resolution_.items()) declare_name(item);
      declare_imports();
      for (const Item& item : resolution_.items()) constants(item);
      if (module == 0) check_overrides();
      for (const Item& item : resolution_.items()) signatures(item);
    }
    resolve_bodies(resolution_, order);
    resolution_.module = 0;
    for (const Item& item : resolution_.items()) {
      if (item.kind == ItemKind::property) condition(item);
    }
    for (const Item& item : resolution_.items()) {
      if (item.kind == ItemKind::expect) resolve_expectation(resolution_, item);
    }
    if (program_.threads.empty() && !resolution_.may_lack_threads && !resolution_.diagnostics.any()) {
      resolution_.error({resolution_.file, 0, 0}, "the program has no thread", "add one: thread p { ... }");
    }
  }

 private:
  void declare_name(const Item& item);
  void declare(const syntax::Word& name, const Symbol& symbol);
  void declare_imports();
  void constants(const Item& item);
  void param(const Item& item, Symbol& symbol);
  void check_overrides();
  void signatures(const Item& item);
  void condition(const Item& item);

  void variable(const Item& item, Symbol& symbol);
  void enumeration(const Item& item, Symbol& symbol);
  std::vector<Signature::Parameter> parameters(const Item& item, Symbol& symbol);
  void function_signature(const Item& item, Symbol& symbol);
  void threads(const Item& item, Symbol& symbol);

  Resolution& resolution_;
  Program& program_;
  const Parameters& overrides_;
  bool too_many_threads_ = false;  // reported once
};

void ProgramResolver::declare(const syntax::Word& name, const Symbol& symbol) {
  const Symbol* older = resolution_.names().declare(name.text, symbol);
  if (older == nullptr) return;
  resolution_.error(
      name.range, fmt::format("'{}' is declared twice", name.text),
      fmt::format("first declared on {} as a {}", resolution_.line_of(older->range), describe(older->kind)));
}

void ProgramResolver::declare_name(const Item& item) {
  Symbol symbol;
  symbol.range = item.name.range;
  const std::string name(item.name.text);
  const auto next = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  const bool taken = resolution_.names().find(item.name.text) != nullptr;
  switch (item.kind) {
    case ItemKind::param: symbol.kind = SymbolKind::param; break;
    case ItemKind::constant: symbol.kind = SymbolKind::constant; break;
    case ItemKind::enumeration:
      symbol.kind = SymbolKind::enumeration;
      symbol.id = next(program_.enumerations);
      symbol.type = static_cast<Type>(static_cast<std::uint32_t>(Type::first_enumeration) + symbol.id);
      if (!taken) program_.enumerations.push_back({name, {}, item.name.range});
      break;
    case ItemKind::structure:
      symbol.kind = SymbolKind::structure;
      symbol.id = next(resolution_.structures);
      if (!taken) resolution_.structures.emplace_back().name = name;
      break;
    case ItemKind::shared:
    case ItemKind::mutex:
    case ItemKind::cond:
      symbol.kind = item.kind == ItemKind::mutex  ? SymbolKind::mutex
                    : item.kind == ItemKind::cond ? SymbolKind::condition
                                                  : SymbolKind::variable;
      symbol.id = next(resolution_.objects);
      if (!taken) resolution_.objects.emplace_back();
      break;
    case ItemKind::function:
      symbol.kind = SymbolKind::function;
      symbol.id = next(resolution_.signatures);
      if (!taken) resolution_.signatures.emplace_back().name = name;
      break;
    case ItemKind::proc:
    case ItemKind::thread:
      symbol.kind = item.kind == ItemKind::proc ? SymbolKind::proc : SymbolKind::thread;
      symbol.id = next(program_.templates);
      if (taken) break;
      program_.templates.emplace_back().name = name;
      resolution_.templates.emplace_back();
      if (item.kind == ItemKind::proc) {
        resolution_.templates.back().proc = next(resolution_.procs);
        resolution_.procs.emplace_back().name = name;
      }
      break;
    default: return;
  }
  declare(item.name, symbol);
}

// Declares the imported modules by name, and the names imported from them.
void ProgramResolver::declare_imports() {
  for (const Module::Import& import : resolution_.modules[resolution_.module].imports) {
    const Item& item = *import.item;
    const Module& module = resolution_.modules[import.module];
    Symbol symbol;
    symbol.kind = SymbolKind::module;
    symbol.id = import.module;
    symbol.ready = true;
    symbol.range = item.name.range;
    syntax::Word name = item.name;
    if (name.kind == TokenKind::end) {
      name.text = module.name;
      name.range = symbol.range = item.path.back().range;
    }
    declare(name, symbol);
    for (const syntax::Word& word : item.words) {
      const Symbol* found = module.names.find(word.text);
      if (found == nullptr || found->kind == SymbolKind::module) {
        resolution_.error(word.range, fmt::format("module '{}' has no '{}'", module.name, word.text),
                          did_you_mean(word.text, module.names.all()));
        continue;
      }
      declare(word, *found);
    }
  }
}

void ProgramResolver::enumeration(const Item& item, Symbol& symbol) {
  Enumeration& made = program_.enumerations[symbol.id];
  for (const syntax::Word& word : item.words) {
    const bool again = std::find(made.values.begin(), made.values.end(), word.text) != made.values.end();
    if (again) {
      resolution_.error(word.range, fmt::format("'{}' is declared twice in {}", word.text, made.name));
    } else {
      made.values.emplace_back(word.text);
    }
  }
  symbol.ready = true;
}

void ProgramResolver::constants(const Item& item) {
  const bool wanted = item.kind == ItemKind::param || item.kind == ItemKind::constant ||
                      item.kind == ItemKind::enumeration || item.kind == ItemKind::structure;
  Symbol* symbol = wanted ? resolution_.symbol_of(item) : nullptr;
  if (symbol == nullptr) return;
  if (item.kind == ItemKind::enumeration) return enumeration(item, *symbol);
  if (item.kind == ItemKind::structure) return resolve_structure(resolution_, item, *symbol);
  if (item.kind == ItemKind::param) {
    param(item, *symbol);
  } else {
    ExpressionResolver expressions(resolution_, Place::constant, nullptr);
    const std::optional<Expression> value = expressions.value(item.expressions[0]);
    const auto number = value ? fold_constant(resolution_, *value) : std::nullopt;
    symbol->broken = !number;
    symbol->type = value ? value->type : Type::integer;
    symbol->value = number.value_or(0);
    program_.constants.push_back({std::string(item.name.text), symbol->type, symbol->value, item.name.range});
  }
  symbol->ready = true;
}

void ProgramResolver::param(const Item& item, Symbol& symbol) {
  const auto value = constant_value(resolution_, item.expressions[0], Type::integer, "the value of a param");
  symbol.broken = !value;
  Parameter parameter{resolution_.qualified(item.name.text), value.value_or(0), value.value_or(0),
                      item.name.range};
  symbol.id = static_cast<std::uint32_t>(program_.parameters.size());
  if (const auto found = overrides_.find(parameter.name); found != overrides_.end())
    parameter.value = found->second;
  symbol.value = parameter.value;
  program_.parameters.push_back(std::move(parameter));
}

void ProgramResolver::check_overrides() {
  for (const auto& [name, value] : overrides_) {
    const auto same = [&](const Parameter& parameter) { return parameter.name == name; };
    if (std::any_of(program_.parameters.begin(), program_.parameters.end(), same)) continue;
    const Symbol* symbol = resolution_.names().find(name);
    if (symbol != nullptr) {
      resolution_.error(
          symbol->range,
          fmt::format("'{}' cannot be set from outside: it is a {}", name, describe(symbol->kind)),
          symbol->kind == SymbolKind::constant ? "declare it with 'param'" : "");
      continue;
    }
    std::vector<std::string_view> names;
    for (const Parameter& parameter : program_.parameters) names.push_back(parameter.name);
    std::string hint = did_you_mean(name, names);
    if (hint.empty() && program_.parameters.empty()) hint = "the program has no params";
    resolution_.error({resolution_.file, 0, 0}, fmt::format("the program has no param '{}'", name),
                      std::move(hint));
  }
}

void ProgramResolver::signatures(const Item& item) {
  Symbol* symbol = resolution_.symbol_of(item);
  if (symbol == nullptr) return;
  switch (item.kind) {
    case ItemKind::shared:
    case ItemKind::mutex:
    case ItemKind::cond: return variable(item, *symbol);
    case ItemKind::function: return function_signature(item, *symbol);
    case ItemKind::thread: return threads(item, *symbol);
    case ItemKind::proc: return declare_proc(resolution_, item, parameters(item, *symbol), symbol->id);
    default: return;
  }
}

void ProgramResolver::variable(const Item& item, Symbol& symbol) {
  symbol.ready = true;
  symbol.broken = true;
  syntax::TypeName written = item.type;
  if (item.kind != ItemKind::shared) {
    written.name.kind = item.word.kind;
    written.lengths = item.length;
  }
  const auto type = resolve_type(resolution_, written, Plain::allowed);
  if (!type) return;
  if (item.kind == ItemKind::shared &&
      (type->kind == DataType::Kind::mutex || type->kind == DataType::Kind::condition)) {
    resolution_.error(item.type.name.range,
                      fmt::format("a {0} is declared as '{0} {1};'", item.type.name.text, item.name.text));
    return;
  }
  const auto initial = initial_values(resolution_, item.expressions, item.is_list, *type, item.name.text);
  const auto object =
      add_shared_object(resolution_, resolution_.qualified(item.name.text), *type,
                        initial.value_or(std::vector<std::int64_t>{}), item.name.range, is_plain(item.type));
  if (!object) return;
  resolution_.objects[symbol.id] = *object;
  symbol.broken = false;
}

std::vector<Signature::Parameter> ProgramResolver::parameters(const Item& item, Symbol& symbol) {
  std::vector<Signature::Parameter> result;
  for (const syntax::FunctionParameter& from : item.parameters) {
    Signature::Parameter& parameter = result.emplace_back();
    parameter.name = from.name;
    parameter.reference = from.reference.kind != TokenKind::end;
    if (parameter.reference) {
      const auto type = resolve_type(resolution_, from.type);
      parameter.broken = !type;
      if (type) parameter.type = *type;
      if (item.kind == ItemKind::proc) {
        resolution_.error(from.reference.range, "a proc cannot have 'ref' parameters",
                          "its thread can use shared variables directly; pass a number to choose one");
      }
    } else {
      const auto type = resolve_scalar_type(resolution_, from.type, "a parameter");
      parameter.broken = !type;
      if (type) parameter.type.scalar = *type;
    }
    symbol.broken = symbol.broken || parameter.broken;
  }
  return result;
}

void ProgramResolver::function_signature(const Item& item, Symbol& symbol) {
  Signature& signature = resolution_.signatures[symbol.id];
  signature.item = &item;
  signature.module = resolution_.module;
  signature.parameters = parameters(item, symbol);
  if (item.type.name.kind != TokenKind::end) {
    const auto type = resolve_scalar_type(resolution_, item.type, "a result");
    symbol.broken = symbol.broken || !type;
    signature.result = type.value_or(Type::integer);
  }
  for (const Signature::Parameter& parameter : signature.parameters) {
    signature.generic = signature.generic || parameter.reference;
  }
  symbol.ready = true;
  if (signature.generic) return;
  signature.function = static_cast<FunctionId>(program_.functions.size());
  Function& function = program_.functions.emplace_back();
  function.name = signature.name;
  function.range = item.name.range;
  function.result = signature.result;
}

void ProgramResolver::threads(const Item& item, Symbol& symbol) {
  ThreadTemplate& thread_template = program_.templates[symbol.id];
  Resolution::TemplateInfo& info = resolution_.templates[symbol.id];
  thread_template.range = item.name.range;
  thread_template.is_family = item.family.kind != TokenKind::end;
  symbol.ready = true;
  std::int64_t low = 0;
  std::int64_t high = 1;
  if (thread_template.is_family) {
    const auto from = constant_value(resolution_, item.length[0], Type::integer, "the low end of the range");
    const auto to = constant_value(resolution_, item.length[1], Type::integer, "the high end of the range");
    if (!from || !to) {
      symbol.broken = true;
      return;
    }
    low = *from;
    high = *to;
    const SourceRange range{item.word.range.file, item.length[0].range.begin, item.length[1].range.end};
    if (low < 0 || low >= high) {
      symbol.broken = true;
      resolution_.error(
          range,
          low < 0 ? "threads are numbered from 0" : fmt::format("no thread: {}..{} is empty", low, high),
          "a range includes its first number, but not its second");
      return;
    }
  }
  const auto number = static_cast<std::uint64_t>(high - low);
  if (number > limits::threads - program_.threads.size()) {
    symbol.broken = true;
    if (std::exchange(too_many_threads_, true)) return;
    resolution_.error(item.name.range, fmt::format("too many threads: at most {} in all", limits::threads));
    return;
  }
  info.first_thread = static_cast<ThreadId>(program_.threads.size());
  info.first_argument = low;
  info.threads = static_cast<std::uint32_t>(number);
  for (std::int64_t i = low; i < high; ++i) {
    program_.threads.push_back(
        {thread_template.is_family ? fmt::format("{}[{}]", thread_template.name, i) : thread_template.name,
         symbol.id, thread_template.is_family ? i : 0});
  }
}

void ProgramResolver::condition(const Item& item) {
  ExpressionResolver expressions(resolution_, Place::condition, nullptr);
  std::optional<Expression> condition = expressions.condition(item.expressions[0]);
  const PropertyKind kind = item.word.kind == TokenKind::exists   ? PropertyKind::exists
                            : item.word.kind == TokenKind::forall ? PropertyKind::forall
                                                                  : PropertyKind::forbid;
  // Broken conditions count too, so that `expect` lines do not report them as missing.
  program_.properties.push_back({kind, condition ? std::move(*condition) : Expression{}, item.range});
}

}  // namespace

void resolve_program(Resolution& resolution, const std::vector<std::uint32_t>& order,
                     const Parameters& overrides) {
  ProgramResolver(resolution, overrides).run(order);
}

}  // namespace heddle::lang
