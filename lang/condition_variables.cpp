// Condition variables, implemented in the language itself. A condition variable is an integer with one bit
// per waiting thread. To wait, a thread sets a free bit, unlocks the mutex, waits until the bit is cleared,
// and locks the mutex again. The bit is set while the mutex is held, so no signal can be lost in between. A
// signal clears any one bit, a broadcast clears all; if no thread waits, they have no effect. There are no
// spurious wake-ups.
//
// Each statement gets its own instance of the function. For traces and messages, the code of that instance
// has the source position of the statement.
#include "lang/condition_variables.hpp"

#include <stdexcept>

#include "lang/grammar.hpp"
#include "lang/token.hpp"

namespace heddle::lang {
namespace {

// `signal` chooses among waiting threads only, so that nothing is explored twice. If the `cas` fails, another
// thread came in between; an execution in which the load comes later covers that case.
constexpr std::string_view source = R"(
fn wait_for(condition: ref int, m: ref mutex) {
  let waiting = condition;
  let mine = ~waiting & (waiting + 1);
  fetch_or(condition, mine);
  unlock m;
  await (condition & mine) == 0;
  lock m;
}

fn signal_one(condition: ref int) {
  fence;
  let waiting = condition;
  if waiting != 0 {
    var rest = waiting & (waiting - 1);
    var others = 0;
    for i in 0..64 {
      if rest != 0 {
        rest = rest & (rest - 1);
        others += 1;
      }
    }
    rest = waiting;
    if others > 0 {
      let skipped = choose(0..others + 1);
      for i in 0..skipped { rest = rest & (rest - 1); }
    }
    assume cas(condition, waiting, waiting & ~(rest & -rest));
  }
}

fn signal_all(condition: ref int) {
  fence;
  if condition != 0 { exchange(condition, 0); }
}
)";

DataType of(DataType::Kind kind) {
  DataType type;
  type.kind = kind;
  return type;
}

void load(Resolution& resolution) {
  const auto number = static_cast<std::uint32_t>(resolution.modules.size());
  resolution.condition_module = number;
  Module& module = resolution.modules.emplace_back();
  module.name = "condition variables";
  module.file = resolution.sources.add("condition variables", std::string(source));
  const auto tokens = tokenize(resolution.sources, module.file, resolution.diagnostics);
  module.tree = std::make_shared<const syntax::File>(
      parse_syntax(tokens, resolution.sources, module.file, resolution.diagnostics));
  for (const syntax::Item& item : module.tree->items) {
    Symbol symbol;
    symbol.kind = SymbolKind::function;
    symbol.id = static_cast<std::uint32_t>(resolution.signatures.size());
    symbol.ready = true;
    module.names.declare(item.name.text, symbol);
    Signature& signature = resolution.signatures.emplace_back();
    signature.name = std::string(item.name.text);
    signature.item = &item;
    signature.module = number;
    signature.generic = true;
    for (const syntax::FunctionParameter& parameter : item.parameters) {
      const bool mutex = parameter.type.name.kind == TokenKind::mutex;
      signature.parameters.push_back(
          {parameter.name, of(mutex ? DataType::Kind::mutex : DataType::Kind::scalar), true, false});
    }
  }
}

}  // namespace

std::uint32_t condition_function(Resolution& resolution, syntax::StatementKind kind) {
  if (!resolution.condition_module) load(resolution);
  const std::string_view name = kind == syntax::StatementKind::wait     ? "wait_for"
                                : kind == syntax::StatementKind::signal ? "signal_one"
                                                                        : "signal_all";
  const Symbol* symbol = resolution.modules[*resolution.condition_module].names.find(name);
  if (symbol == nullptr) throw std::logic_error("a function of condition variables is missing");
  return symbol->id;
}

}  // namespace heddle::lang
