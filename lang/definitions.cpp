// Bodies of items: threads, procs, functions and `final`. Everything they can name has been declared before
// (declarations.cpp). Functions with `ref` parameters are resolved once per combination of objects passed to
// them.
#include "lang/definitions.hpp"

#include <algorithm>
#include <iterator>

#include "lang/bodies.hpp"
#include "lang/spawns.hpp"

namespace heddle::lang {
namespace {

using syntax::Item;
using syntax::ItemKind;

// Gives all code the source position of the statement it implements.
void move_to(Expression& expression, const SourceRange& place) {
  expression.range = place;
  for (Expression& operand : expression.operands) move_to(operand, place);
}

void move_to(std::vector<Statement>& statements, const SourceRange& place) {
  for (Statement& statement : statements) {
    statement.range = place;
    for (Expression& expression : statement.expressions) move_to(expression, place);
    move_to(statement.body, place);
    move_to(statement.otherwise, place);
  }
}

class DefinitionResolver {
 public:
  explicit DefinitionResolver(Resolution& resolution)
      : resolution_(resolution), program_(resolution.program) {}

  void run(const std::vector<std::uint32_t>& order) {
    // All spawns are known once the threads are resolved.
    for (const bool procs : {false, true}) {
      if (procs) complete_procs(resolution_);
      for (const std::uint32_t module : order) {
        resolution_.module = module;
        for (const Item& item : resolution_.items()) {
          if ((item.kind == ItemKind::proc) == procs) body(item);
        }
      }
    }
    instances();
  }

 private:
  void body(const Item& item);
  void instances();
  void instance(const Instance& instance);
  void thread_body(const Item& item, const Symbol& symbol);
  void final_body(const Item& item);

  Resolution& resolution_;
  Program& program_;
  const Item* final_ = nullptr;
};

void DefinitionResolver::body(const Item& item) {
  if (item.kind == ItemKind::final_) return final_body(item);
  const Symbol* symbol = resolution_.symbol_of(item);
  if (symbol == nullptr) return;
  if (item.kind == ItemKind::function && !resolution_.signatures[symbol->id].generic) {
    instance({symbol->id, resolution_.signatures[symbol->id].function, {}, {}, {}});
  }
  if (item.kind == ItemKind::thread) thread_body(item, *symbol);
  if (item.kind == ItemKind::proc) resolve_proc(resolution_, *resolution_.templates[symbol->id].proc);
}

// Resolves the bodies of functions with `ref` parameters as they are called. Each may call further instances.
void DefinitionResolver::instances() {
  const auto drain = [this] {
    while (!resolution_.pending.empty()) {
      const Instance next = std::move(resolution_.pending.front());
      resolution_.pending.pop_front();
      instance(next);
    }
  };
  drain();
  // A function that is never called is checked with made-up objects.
  resolution_.phantom_functions = program_.functions.size();
  resolution_.phantom_variables = program_.variables.size();
  const std::uint32_t locations = program_.locations;
  for (std::uint32_t id = 0; id < resolution_.signatures.size(); ++id) {
    Signature& signature = resolution_.signatures[id];
    const bool broken = std::any_of(signature.parameters.begin(), signature.parameters.end(),
                                    [](const Signature::Parameter& parameter) { return parameter.broken; });
    if (!signature.generic || !signature.instances.empty() || broken) continue;
    std::vector<std::optional<Object>> references;
    for (const Signature::Parameter& parameter : signature.parameters) {
      references.emplace_back();
      if (!parameter.reference) continue;
      references.back() = add_shared_object(resolution_, std::string(parameter.name.text), parameter.type, {},
                                            parameter.name.range);
      if (!references.back()) return;
    }
    Function& made = program_.functions.emplace_back();
    made.name = signature.name;
    made.result = signature.result;
    made.range = signature.item->name.range;
    const auto function = static_cast<FunctionId>(program_.functions.size() - 1);
    signature.instances.emplace("", function);
    resolution_.pending.push_back({id, function, std::move(references), {}, signature.item->name.range});
    drain();
  }
  program_.locations = locations;
}

void DefinitionResolver::instance(const Instance& instance) {
  const Signature& signature = resolution_.signatures[instance.signature];
  resolution_.module = signature.module;
  resolution_.instance_call.reset();
  if (signature.generic) resolution_.instance_call = instance.call;
  Body body;
  BodyResolver resolver(resolution_, BodyKind::function, signature.result, body);
  if (signature.struct_result) resolver.add_result(*signature.struct_result, signature.item->name.range);
  const auto results = static_cast<std::uint32_t>(body.locals.size());
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const Signature::Parameter& parameter = signature.parameters[i];
    if (!parameter.reference && parameter.type.kind == DataType::Kind::structure) {
      if (!parameter.broken) resolver.add_struct_parameter(parameter.name, parameter.type);
    } else if (parameter.reference) {
      if (!instance.references[i]) return;  // already reported
      resolver.add_reference(parameter.name, *instance.references[i]);
    } else {
      resolver.add_parameter(parameter.name, parameter.type.scalar, LocalKind::function_parameter);
    }
  }
  const auto parameters = static_cast<std::uint32_t>(body.locals.size());
  std::vector<Statement> first;
  resolver.complete_struct_parameters(first);
  resolver.resolve(signature.item->body);
  body.statements.insert(body.statements.begin(), std::move_iterator(first.begin()),
                         std::move_iterator(first.end()));
  if ((signature.result != Type::none || signature.struct_result) && !never_falls_off(body.statements)) {
    resolution_.error(signature.item->name.range,
                      fmt::format("'{}' can end without a result", signature.name),
                      "end every path with 'return ...;'");
  }
  if (instance.place) move_to(body.statements, *instance.place);
  program_.functions[instance.function].body = std::move(body);
  program_.functions[instance.function].parameters = parameters;
  program_.functions[instance.function].results = results;
  resolution_.instance_call.reset();
}

void DefinitionResolver::thread_body(const Item& item, const Symbol& symbol) {
  Body body;
  BodyResolver resolver(resolution_, BodyKind::thread, Type::none, body);
  resolver.set_template(symbol.id);
  if (item.family.kind != TokenKind::end) {
    resolver.add_parameter(item.family, Type::integer, LocalKind::family_parameter);
  }
  resolver.resolve(item.body);
  resolution_.templates[symbol.id].locals = resolver.top_level();
  program_.templates[symbol.id].body = std::move(body);
}

void DefinitionResolver::final_body(const Item& item) {
  if (final_ != nullptr) {
    resolution_.error(item.word.range, "a second 'final'",
                      fmt::format("there is already one on {}", resolution_.line_of(final_->word.range)));
    return;
  }
  final_ = &item;
  Body body;
  BodyResolver resolver(resolution_, BodyKind::final_, Type::none, body);
  resolver.resolve(item.body);
  program_.final_block = std::move(body);
}

}  // namespace

void resolve_bodies(Resolution& resolution, const std::vector<std::uint32_t>& order) {
  DefinitionResolver(resolution).run(order);
}

void drop_phantoms(Resolution& resolution) {
  resolution.program.functions.resize(resolution.phantom_functions);
  resolution.program.variables.resize(resolution.phantom_variables);
}

}  // namespace heddle::lang
