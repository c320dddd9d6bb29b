// A family of models without any text: a ticket lock for 2 and 3 threads, correct and with a mistake, checked
// under every model. Then one step of the interactive machine.
#include <heddle/builder.h>
#include <heddle/heddle.h>
#include <heddle/machine.h>

#include <iostream>

namespace {

// `atomic` false: the ticket is drawn by a load and a store.
heddle::Result<heddle::Program> ticket_lock(int threads, bool atomic) {
  heddle::ProgramBuilder p("ticket lock");
  const auto next = p.shared("next");
  const auto serving = p.shared("serving");
  const auto inside = p.shared("inside");
  const auto acquire = [&](heddle::ThreadBuilder& t) {
    if (atomic) return t.fetch_add(next, 1, "ticket");
    const auto ticket = t.load(next, "ticket");
    t.store(next, ticket + 1);
    return ticket;
  };
  p.threads("w", 0, threads, [&](heddle::ThreadBuilder& t, const heddle::Expression&) {
    const auto ticket = acquire(t);
    t.await(serving == ticket);
    t.check(t.fetch_add(inside, 1) == 0, "two threads inside");
    t.fetch_add(inside, -1);
    t.store(serving, ticket + 1);
  });
  return p.compile();
}

}  // namespace

int main() {
  for (const bool atomic : {true, false}) {
    for (int threads = 2; threads <= 3; ++threads) {
      const auto program = ticket_lock(threads, atomic);
      if (!program) {
        std::cerr << heddle::to_text(program.error());
        return 2;
      }
      for (const auto& model : heddle::models()) {
        heddle::CheckOptions options;
        options.model = model.name;
        const auto result = heddle::check(*program, options);
        if (!result) {
          std::cerr << result.error().front().text;
          return 2;
        }
        std::cout << (atomic ? "fetch_add" : "load/store") << ' ' << threads << " threads " << model.name
                  << ": " << heddle::name(result->verdict);
        if (result->violation) std::cout << ", " << result->violation->message;
        std::cout << '\n';
      }
    }
  }
  const auto program = ticket_lock(2, true);
  auto machine = heddle::Machine::start(*program, {.model = "tso"});
  if (!machine || !machine->step(0)) return 2;
  std::cout << "first step: " << machine->trace().steps.front().action << '\n';
  return 0;
}
