// Items. They are visited in four passes, so that functions, threads and variables may stand in any order:
// names and constants; shared data and signatures; bodies; conditions and expectations.
#include "lang/declarations.hpp"

#include "lang/bodies.hpp"
#include "lang/expressions.hpp"
#include "lang/limits.hpp"

namespace heddle::lang {
namespace {

using syntax::Item;
using syntax::ItemKind;

class ProgramResolver {
 public:
  ProgramResolver(Resolution& resolution, const Parameters& overrides)
      : resolution_(resolution), program_(resolution.program), overrides_(overrides) {}

  void run(const syntax::File& tree) {
    for (const Item& item : tree.items) declare_name(item);
    for (const Item& item : tree.items) constants(item);
    check_overrides();
    for (const Item& item : tree.items) signatures(item);
    for (const Item& item : tree.items) bodies(item);
    for (const Item& item : tree.items) {
      if (item.kind == ItemKind::property) condition(item);
    }
    for (const Item& item : tree.items) {
      if (item.kind == ItemKind::expect) resolve_expectation(resolution_, item);
    }
    if (program_.threads.empty() && !resolution_.may_lack_threads && !resolution_.diagnostics.any()) {
      resolution_.error({resolution_.file, 0, 0}, "the program has no thread", "add one: thread p { ... }");
    }
  }

 private:
  void declare_name(const Item& item);
  void constants(const Item& item);
  void param(const Item& item, Symbol& symbol);
  void check_overrides();
  void signatures(const Item& item);
  void bodies(const Item& item);
  void condition(const Item& item);

  void variable(const Item& item, Symbol& symbol);
  bool array_length(const Item& item, Variable& variable);
  void initial_values(const Item& item, Variable& variable);
  void function_signature(const Item& item, Symbol& symbol);
  void threads(const Item& item, Symbol& symbol);
  void function_body(const Item& item, const Symbol& symbol);
  void thread_body(const Item& item, const Symbol& symbol);
  void final_body(const Item& item);

  // The symbol that the item declares; null if its name belongs to an earlier item.
  Symbol* symbol_of(const Item& item) {
    Symbol* symbol = resolution_.names.find(item.name.text);
    const bool same = symbol != nullptr && symbol->range.begin == item.name.range.begin;
    return same ? symbol : nullptr;
  }

  Resolution& resolution_;
  Program& program_;
  const Parameters& overrides_;
  const Item* final_ = nullptr;
  bool too_much_data_ = false;     // reported once
  bool too_many_threads_ = false;  // reported once
};

void ProgramResolver::declare_name(const Item& item) {
  Symbol symbol;
  symbol.range = item.name.range;
  const auto next = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  switch (item.kind) {
    case ItemKind::import_:
      resolution_.error(item.range, "modules are not supported in this version",
                        "copy the functions that you need into this file");
      return;
    case ItemKind::param: symbol.kind = SymbolKind::param; break;
    case ItemKind::constant: symbol.kind = SymbolKind::constant; break;
    case ItemKind::shared:
    case ItemKind::mutex:
      symbol.kind = item.kind == ItemKind::mutex ? SymbolKind::mutex : SymbolKind::variable;
      symbol.id = next(program_.variables);
      break;
    case ItemKind::function:
      symbol.kind = SymbolKind::function;
      symbol.id = next(program_.functions);
      break;
    case ItemKind::thread:
      symbol.kind = SymbolKind::thread;
      symbol.id = next(program_.templates);
      break;
    default: return;
  }
  if (const Symbol* older = resolution_.names.declare(item.name.text, symbol); older != nullptr) {
    resolution_.error(item.name.range, fmt::format("'{}' is declared twice", item.name.text),
                      fmt::format("first declared in {} as a {}", resolution_.line_of(older->range),
                                  describe(older->kind)));
    return;
  }
  const std::string name(item.name.text);
  if (symbol.kind == SymbolKind::variable || symbol.kind == SymbolKind::mutex) {
    program_.variables.emplace_back().name = name;
  } else if (symbol.kind == SymbolKind::function) {
    program_.functions.emplace_back().name = name;
  } else if (symbol.kind == SymbolKind::thread) {
    program_.templates.emplace_back().name = name;
    resolution_.templates.emplace_back();
  }
}

void ProgramResolver::constants(const Item& item) {
  if (item.kind != ItemKind::param && item.kind != ItemKind::constant) return;
  Symbol* symbol = symbol_of(item);
  if (symbol == nullptr) return;
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
  Parameter parameter{std::string(item.name.text), value.value_or(0), value.value_or(0), item.name.range};
  if (const auto found = overrides_.find(parameter.name); found != overrides_.end())
    parameter.value = found->second;
  symbol.value = parameter.value;
  program_.parameters.push_back(std::move(parameter));
}

void ProgramResolver::check_overrides() {
  for (const auto& [name, value] : overrides_) {
    const Symbol* symbol = resolution_.names.find(name);
    if (symbol != nullptr && symbol->kind == SymbolKind::param) continue;
    if (symbol != nullptr) {
      resolution_.error(
          symbol->range,
          fmt::format("'{}' cannot be set from outside: it is a {}", name, describe(symbol->kind)),
          symbol->kind == SymbolKind::constant ? "declare it with 'param'" : "");
      continue;
    }
    std::string hint = resolution_.suggest(name, nullptr, [](const Symbol* candidate) {
      return candidate != nullptr && candidate->kind == SymbolKind::param;
    });
    if (hint.empty() && program_.parameters.empty()) hint = "the program has no params";
    resolution_.error({resolution_.file, 0, 0}, fmt::format("the program has no param '{}'", name),
                      std::move(hint));
  }
}

void ProgramResolver::signatures(const Item& item) {
  Symbol* symbol = symbol_of(item);
  if (symbol == nullptr) return;
  if (item.kind == ItemKind::shared || item.kind == ItemKind::mutex) variable(item, *symbol);
  if (item.kind == ItemKind::function) function_signature(item, *symbol);
  if (item.kind == ItemKind::thread) threads(item, *symbol);
}

void ProgramResolver::variable(const Item& item, Symbol& symbol) {
  Variable& variable = program_.variables[symbol.id];
  variable.range = item.name.range;
  variable.is_mutex = item.kind == ItemKind::mutex;
  variable.type = variable.is_mutex ? Type::integer : type_of(item.type);
  variable.is_array = !item.length.empty();
  symbol.type = variable.type;
  symbol.ready = true;
  if (variable.is_array && !array_length(item, variable)) {
    // Uses of the array are checked all the same: its type is known.
    variable.length = 1;
    variable.initial.assign(1, 0);
    return;
  }
  variable.first_location = program_.locations;
  if (variable.length > limits::locations - program_.locations) {
    if (std::exchange(too_much_data_, true)) return;
    resolution_.error(item.name.range,
                      fmt::format("too much shared data: at most {} scalars in all", limits::locations));
    return;
  }
  program_.locations += variable.length;
  initial_values(item, variable);
}

bool ProgramResolver::array_length(const Item& item, Variable& variable) {
  const syntax::Expression& from = item.length[0];
  const auto length = constant_value(resolution_, from, Type::integer, "the length of an array");
  if (!length) return false;
  if (*length < 1 || *length > limits::array_length) {
    resolution_.error(from.range, fmt::format("the length of '{}' is {}", variable.name, *length),
                      fmt::format("an array has 1 to {} elements", limits::array_length));
    return false;
  }
  variable.length = static_cast<std::uint32_t>(*length);
  return true;
}

void ProgramResolver::initial_values(const Item& item, Variable& variable) {
  variable.initial.assign(variable.length, 0);
  if (item.is_list && !variable.is_array) {
    resolution_.error(item.expressions[0].range, fmt::format("'{}' is not an array", variable.name),
                      "write one value without braces");
    return;
  }
  if (item.is_list && item.expressions.size() != variable.length) {
    resolution_.error(item.expressions[0].range,
                      fmt::format("{} value{} for {} element{} of '{}'", item.expressions.size(),
                                  item.expressions.size() == 1 ? "" : "s", variable.length,
                                  variable.length == 1 ? "" : "s", variable.name),
                      "give as many, or one value for all: '= 0'");
    return;
  }
  const std::string what = fmt::format("the initial value of '{}'", variable.name);
  for (std::size_t i = 0; i < item.expressions.size(); ++i) {
    const auto value = constant_value(resolution_, item.expressions[i], variable.type, what);
    if (!value) continue;
    if (item.is_list) {
      variable.initial[i] = *value;
    } else {
      variable.initial.assign(variable.length, *value);
    }
  }
}

void ProgramResolver::function_signature(const Item& item, Symbol& symbol) {
  Function& function = program_.functions[symbol.id];
  function.range = item.name.range;
  function.result = type_of(item.type);
  function.parameters = static_cast<std::uint32_t>(item.parameters.size());
  for (const syntax::FunctionParameter& parameter : item.parameters) {
    function.body.locals.push_back(
        {std::string(parameter.name.text), type_of(parameter.type), false, parameter.name.range});
  }
  symbol.ready = true;
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
    const SourceRange range{resolution_.file, item.length[0].range.begin, item.length[1].range.end};
    if (low < 0 || low >= high) {
      symbol.broken = true;
      resolution_.error(
          range,
          low < 0 ? "threads are numbered from 0" : fmt::format("no thread: {}..{} is empty", low, high),
          "the range begins at its first number and ends before its second");
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

void ProgramResolver::bodies(const Item& item) {
  if (item.kind == ItemKind::final_) return final_body(item);
  const Symbol* symbol = symbol_of(item);
  if (symbol == nullptr) return;
  if (item.kind == ItemKind::function) function_body(item, *symbol);
  if (item.kind == ItemKind::thread) thread_body(item, *symbol);
}

void ProgramResolver::function_body(const Item& item, const Symbol& symbol) {
  const Type result = program_.functions[symbol.id].result;
  Body body;
  BodyResolver resolver(resolution_, BodyKind::function, result, body);
  for (const syntax::FunctionParameter& parameter : item.parameters) {
    resolver.add_parameter(parameter.name, type_of(parameter.type), LocalKind::function_parameter);
  }
  resolver.resolve(item.body);
  if (result != Type::none && !never_falls_off(body.statements)) {
    resolution_.error(item.name.range, fmt::format("'{}' can end without a result", item.name.text),
                      "end every path with 'return ...;'");
  }
  program_.functions[symbol.id].body = std::move(body);
}

void ProgramResolver::thread_body(const Item& item, const Symbol& symbol) {
  Body body;
  BodyResolver resolver(resolution_, BodyKind::thread, Type::none, body);
  if (item.family.kind != TokenKind::end) {
    resolver.add_parameter(item.family, Type::integer, LocalKind::family_parameter);
  }
  resolver.resolve(item.body);
  resolution_.templates[symbol.id].locals = resolver.top_level();
  program_.templates[symbol.id].body = std::move(body);
}

void ProgramResolver::final_body(const Item& item) {
  if (final_ != nullptr) {
    resolution_.error(item.word.range, "a second 'final'",
                      fmt::format("there is one already in {}", resolution_.line_of(final_->word.range)));
    return;
  }
  final_ = &item;
  Body body;
  BodyResolver resolver(resolution_, BodyKind::final_, Type::none, body);
  resolver.resolve(item.body);
  program_.final_block = std::move(body);
}

void ProgramResolver::condition(const Item& item) {
  ExpressionResolver expressions(resolution_, Place::condition, nullptr);
  std::optional<Expression> condition = expressions.condition(item.expressions[0]);
  const PropertyKind kind = item.word.kind == TokenKind::exists   ? PropertyKind::exists
                            : item.word.kind == TokenKind::forall ? PropertyKind::forall
                                                                  : PropertyKind::forbid;
  // A broken condition counts too, so that `expect` lines do not miss it.
  program_.properties.push_back({kind, condition ? std::move(*condition) : Expression{}, item.range});
}

}  // namespace

void resolve_program(Resolution& resolution, const syntax::File& tree, const Parameters& overrides) {
  ProgramResolver(resolution, overrides).run(tree);
}

}  // namespace heddle::lang
