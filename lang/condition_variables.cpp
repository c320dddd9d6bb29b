// Condition variables, written in the language itself. A condition variable is a number with one bit for each
// thread that waits. To wait is to take a free bit, to give back the mutex, to wait until somebody clears the
// bit, and to take the mutex again: as the bit is taken while the mutex is still held, nobody can signal in
// between unseen. A signal clears any one of the bits, a broadcast all of them; neither is remembered if
// nobody waits. There are no wake-ups without a signal.
//
// Each statement gets an instance of its function whose code stands, for traces and messages, where the
// statement stands.
#include "lang/condition_variables.hpp"

#include <stdexcept>

#include "lang/grammar.hpp"
#include "lang/token.hpp"

namespace heddle::lang {
namespace {

// In `signal` the choice is between the waiting threads only, so that nothing is explored twice. A `cas` that
// fails means that somebody came in between: another execution has the load later.
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
  module.tree = parse_syntax(tokens, resolution.sources, module.file, resolution.diagnostics);
  for (const syntax::Item& item : module.tree.items) {
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
