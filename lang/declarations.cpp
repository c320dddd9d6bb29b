// Top-level items. They are resolved in passes, so that functions, threads and variables can be declared in
// any order: names; constants and types; shared data and signatures; bodies (definitions.cpp); conditions and
// expectations. An imported file completes the first three passes before the importing file starts; an instance
// of a module completes them where its arguments are known, amid the second pass of the file that imports it.
#include "lang/declarations.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

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
    for (const std::uint32_t module : order) declare_module(module);
    std::vector<std::uint32_t> all = order;
    all.insert(all.end(), instances_.begin(), instances_.end());
    resolve_bodies(resolution_, all);
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
  // The second pass over the items of a module. An import with arguments needs types and constants that may be
  // declared below it.
  struct Pass {
    std::vector<bool> begun;                                  // by item
    std::unordered_map<std::string_view, std::size_t> named;  // the items by name
  };

  void declare_module(std::uint32_t module);
  void resolve_item(Pass& pass, std::size_t number);
  void prepare(Pass& pass, const syntax::Expression& argument);
  void import_instance(const Item& item);
  std::optional<std::vector<Module::Argument>> arguments(const Item& item, const Module& from);
  void declare_module_name(const Item& item, std::uint32_t number);
  [[nodiscard]] const Module::Argument* argument_of(const Item& item) const;
  void type_param(const Item& item, Symbol& symbol);
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
  std::vector<std::uint32_t> instances_;  // of modules, each after those that it imports
  bool too_many_threads_ = false;         // reported once
};

void ProgramResolver::declare_module(std::uint32_t module) {
  const std::uint32_t around = std::exchange(resolution_.module, module);
  for (const Item& item : resolution_.items()) declare_name(item);
  declare_imports();
  Pass pass;
  pass.begun.resize(resolution_.items().size());
  for (std::size_t i = 0; i < resolution_.items().size(); ++i) {
    const Item& item = resolution_.items()[i];
    const bool unnamed = item.kind == ItemKind::import_ && item.name.kind == TokenKind::end;
    if (item.kind == ItemKind::import_ && item.path.empty()) continue;
    pass.named.emplace(unnamed ? item.path.back().text : item.name.text, i);
  }
  for (std::size_t i = 0; i < resolution_.items().size(); ++i) resolve_item(pass, i);
  if (module == 0) check_overrides();
  for (const Item& item : resolution_.items()) signatures(item);
  resolution_.module = around;
}

void ProgramResolver::resolve_item(Pass& pass, std::size_t number) {
  const Item& item = resolution_.items()[number];
  if (pass.begun[number]) return;
  pass.begun[number] = true;
  if (item.kind != ItemKind::import_) return constants(item);
  if (item.expressions.empty()) return;
  for (const syntax::Expression& argument : item.expressions) prepare(pass, argument);
  import_instance(item);
}

// Resolves what the argument names, after what that needs from above it.
void ProgramResolver::prepare(Pass& pass, const syntax::Expression& argument) {
  std::set<std::size_t> needed;
  std::vector<std::size_t> open;
  const auto need = [&](const syntax::Word& word, std::size_t before) {
    const auto found = pass.named.find(word.text);
    if (found == pass.named.end() || found->second >= before || pass.begun[found->second]) return;
    if (needed.insert(found->second).second) open.push_back(found->second);
  };
  const auto need_names = [&](auto& self, const syntax::Expression& expression, std::size_t before) -> void {
    if (expression.kind == syntax::ExpressionKind::name) need(expression.word, before);
    for (const syntax::Expression& operand : expression.operands) self(self, operand, before);
  };
  need_names(need_names, argument, resolution_.items().size());
  while (!open.empty()) {
    const std::size_t number = open.back();
    open.pop_back();
    const Item& item = resolution_.items()[number];
    const auto type = [&](const syntax::TypeName& from) {
      need(from.module.kind == TokenKind::end ? from.name : from.module, number);
      for (const syntax::Expression& length : from.lengths) need_names(need_names, length, number);
    };
    if (item.kind != ItemKind::param && item.kind != ItemKind::constant && item.kind != ItemKind::structure)
      continue;
    type(item.type);
    for (const syntax::Expression& expression : item.expressions) need_names(need_names, expression, number);
    for (const syntax::Field& field : item.fields) {
      type(field.type);
      for (const syntax::Expression& expression : field.expressions)
        need_names(need_names, expression, number);
    }
  }
  for (const std::size_t number : needed) resolve_item(pass, number);
}

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
    case ItemKind::param:
      symbol.kind = item.expressions.empty() ? SymbolKind::type : SymbolKind::param;
      break;
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
    if (import.item->expressions.empty()) declare_module_name(*import.item, import.module);
  }
}

// Declares the module, and the names imported from it.
void ProgramResolver::declare_module_name(const Item& item, std::uint32_t number) {
  const Module& module = resolution_.modules[number];
  Symbol symbol;
  symbol.kind = SymbolKind::module;
  symbol.id = number;
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

// `import std.channel(Vote, 4) as votes;`: imports with equal arguments are one instance.
void ProgramResolver::import_instance(const Item& item) {
  const auto& imports = resolution_.modules[resolution_.module].imports;
  const auto import = std::find_if(imports.begin(), imports.end(),
                                   [&](const Module::Import& one) { return one.item == &item; });
  if (import == imports.end()) return;
  const std::uint32_t origin = import->module;
  std::optional<std::vector<Module::Argument>> given = arguments(item, resolution_.modules[origin]);
  if (!given) return;
  std::string key = std::to_string(origin);
  for (const Module::Argument& argument : *given) {
    key += argument.type
               ? fmt::format(",{}:{}:{}", static_cast<int>(argument.type->kind),
                             static_cast<std::uint32_t>(argument.type->scalar), argument.type->structure)
               : fmt::format(",{}", argument.value);
  }
  const auto number = static_cast<std::uint32_t>(resolution_.modules.size());
  const auto [known, added] = resolution_.instances.emplace(key, number);
  if (added) {
    if (number >= limits::modules) {
      resolution_.error(item.path.back().range, fmt::format("too many modules: at most {}", limits::modules));
      return;
    }
    const std::string name(item.name.kind == TokenKind::end
                               ? std::string_view(resolution_.modules[origin].name)
                               : item.name.text);
    Module made = resolution_.modules[origin];
    made.names = Names{};  // those of the module without arguments
    made.name = resolution_.qualified(name);
    made.arguments = std::move(*given);
    made.importer = item.word.range;
    const SourceRange range{item.word.range.file, item.expressions.front().range.begin,
                            item.expressions.back().range.end};
    made.written = fmt::format("({})", resolution_.sources.text(range));
    for (std::uint32_t other = 1; other < number; ++other) {
      const Module& module = resolution_.modules[other];
      if (module.name != made.name || (!module.plain && !module.importer)) continue;
      resolution_.error(item.path.back().range,
                        fmt::format("there is already a module named '{}'", made.name),
                        "give this one another name: 'as ...'");
      return;
    }
    made.plain = false;
    resolution_.modules.push_back(std::move(made));
    declare_module(number);
    instances_.push_back(number);
  }
  declare_module_name(item, known->second);
}

// The values of the module's first params; nothing after a report.
std::optional<std::vector<Module::Argument>> ProgramResolver::arguments(const Item& item,
                                                                        const Module& from) {
  std::vector<const Item*> params;
  std::vector<std::string_view> names;
  for (const Item& candidate : from.tree->items) {
    if (candidate.kind != ItemKind::param) continue;
    params.push_back(&candidate);
    names.push_back(candidate.name.text);
  }
  if (item.expressions.size() > params.size()) {
    resolution_.error(item.expressions[params.size()].range,
                      fmt::format("module '{}' has {} param{}, but {} arguments are given", from.name,
                                  params.size(), params.size() == 1 ? "" : "s", item.expressions.size()),
                      params.empty() ? std::string("import it without arguments")
                                     : fmt::format("they are {}", fmt::join(names, ", ")));
    return {};
  }
  std::vector<Module::Argument> result;
  for (std::size_t i = 0; i < item.expressions.size(); ++i) {
    const syntax::Expression& given = item.expressions[i];
    const std::string what = fmt::format("'{}' of '{}'", params[i]->name.text, from.name);
    const std::string declared =
        fmt::format("it is declared on {}", resolution_.line_of(params[i]->name.range));
    Module::Argument& argument = result.emplace_back();
    const bool named = given.kind == syntax::ExpressionKind::name ||
                       (given.kind == syntax::ExpressionKind::member &&
                        given.operands[0].kind == syntax::ExpressionKind::name);
    ExpressionResolver expressions(resolution_, Place::constant, nullptr);
    const bool keyword = is_between(given.word.kind, TokenKind::int_, TokenKind::bool_);
    const Symbol* symbol = named && !keyword ? expressions.symbol_named(given) : nullptr;
    const bool is_type = keyword || (symbol != nullptr && (symbol->kind == SymbolKind::type ||
                                                           symbol->kind == SymbolKind::enumeration ||
                                                           symbol->kind == SymbolKind::structure));
    const bool wants_type = params[i]->expressions.empty();
    if (is_type != wants_type && (is_type || symbol != nullptr || !named)) {
      resolution_.error(given.range,
                        fmt::format("{} must be a {}, but '{}' is {}", what, wants_type ? "type" : "number",
                                    resolution_.quote(given.range, "this"), is_type ? "a type" : "none"),
                        declared);
      return {};
    }
    if (!wants_type) {
      const auto value = constant_value(resolution_, given, Type::integer, what);
      if (!value) return {};
      argument.value = *value;
      continue;
    }
    syntax::TypeName written;
    written.name = given.word;
    if (given.kind == syntax::ExpressionKind::member) written.module = given.operands[0].word;
    argument.type = resolve_type(resolution_, written);
    if (!argument.type) return {};
  }
  return result;
}

// What the module in force was given for its param; null if it was given nothing.
const Module::Argument* ProgramResolver::argument_of(const Item& item) const {
  const Module& module = resolution_.modules[resolution_.module];
  std::size_t number = 0;
  for (const Item& other : resolution_.items()) {
    if (&other == &item) break;
    if (other.kind == ItemKind::param) ++number;
  }
  return number < module.arguments.size() ? &module.arguments[number] : nullptr;
}

// `param T: type = int;`
void ProgramResolver::type_param(const Item& item, Symbol& symbol) {
  const Module::Argument* const given = argument_of(item);
  const std::optional<DataType> type = given != nullptr ? given->type : resolve_type(resolution_, item.type);
  symbol.ready = true;
  symbol.broken = !type || !type->lengths.empty();
  if (!type) return;
  if (!type->lengths.empty() || type->kind == DataType::Kind::mutex ||
      type->kind == DataType::Kind::condition) {
    symbol.broken = true;
    resolution_.error(item.type.name.range, "a type is int, bool, an enum or a struct here");
    return;
  }
  symbol.type = type->scalar;
  if (type->kind == DataType::Kind::structure) {
    symbol.kind = SymbolKind::structure;
    symbol.id = type->structure;
  } else if (resolution_.is_enumeration(type->scalar)) {
    symbol.kind = SymbolKind::enumeration;
    symbol.id =
        static_cast<std::uint32_t>(type->scalar) - static_cast<std::uint32_t>(Type::first_enumeration);
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
  if (item.kind == ItemKind::param && item.expressions.empty()) return type_param(item, *symbol);
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
  const Module::Argument* const given = argument_of(item);
  auto value = constant_value(resolution_, item.expressions[0], Type::integer, "the value of a param");
  if (given != nullptr) value = given->value;
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
  const bool structs = type->kind == DataType::Kind::structure && !item.expressions.empty();
  const auto initial =
      structs ? std::nullopt
              : initial_values(resolution_, item.expressions, item.is_list, *type, item.name.text);
  const auto object =
      add_shared_object(resolution_, resolution_.qualified(item.name.text), *type,
                        initial.value_or(std::vector<std::int64_t>{}), item.name.range, is_plain(item.type));
  if (!object) return;
  if (structs) initial_structs(resolution_, item.expressions, item.is_list, *object, item.name.text);
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
      const auto type =
          item.kind == ItemKind::proc
              ? resolve_value_type(resolution_, from.type, "a parameter of a proc", Structs::refused)
              : resolve_value_type(resolution_, from.type, "a parameter");
      parameter.broken = !type;
      if (type) parameter.type = *type;
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
    const auto type = resolve_value_type(resolution_, item.type, "a result");
    symbol.broken = symbol.broken || !type;
    if (type && type->kind == DataType::Kind::structure) {
      signature.struct_result = type;
    } else {
      signature.result = type ? type->scalar : Type::integer;
    }
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
  thread_template.is_daemon = item.daemon.kind != TokenKind::end;
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
  const PropertyKind kind = item.word.kind == TokenKind::exists   ? PropertyKind::exists
                            : item.word.kind == TokenKind::forall ? PropertyKind::forall
                            : item.word.kind == TokenKind::forbid ? PropertyKind::forbid
                            : item.word.text == "invariant"       ? PropertyKind::invariant
                            : item.word.text == "eventually"      ? PropertyKind::eventually
                                                                  : PropertyKind::leads_to;
  // Broken conditions count too, so that `expect` lines do not report them as missing.
  Property& property = program_.properties.emplace_back(Property{kind, {}, item.range});
  if (auto condition = expressions.condition(item.expressions[0])) property.condition = *std::move(condition);
  if (kind != PropertyKind::leads_to) return;
  if (auto goal = expressions.condition(item.expressions[1])) property.goal = *std::move(goal);
}

}  // namespace

void resolve_program(Resolution& resolution, const std::vector<std::uint32_t>& order,
                     const Parameters& overrides) {
  ProgramResolver(resolution, overrides).run(order);
}

}  // namespace heddle::lang
