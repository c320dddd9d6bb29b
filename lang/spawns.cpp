// Threads are static. Each `spawn` outside of branches creates one thread of the program for each thread that
// executes it; loops around it are unrolled. Each spawned thread has an element in three kinds of hidden
// variables: `started`, which it waits for before it begins, its arguments, and `ended`, which `join` waits
// for. Fences on both sides make everything done before a spawn or an end visible after it, as thread
// libraries do.
#include "lang/spawns.hpp"

#include "lang/bodies.hpp"
#include "lang/limits.hpp"

namespace heddle::lang {
namespace {

using SyntaxKind = syntax::ExpressionKind;

Statement make(StatementKind kind, const SourceRange& range) {
  Statement statement;
  statement.kind = kind;
  statement.range = range;
  return statement;
}

Expression load(VariableId variable, Type type, const Expression& index, const SourceRange& range) {
  Expression expression;
  expression.kind = ExpressionKind::load;
  expression.id = variable;
  expression.type = type;
  expression.range = range;
  expression.operands.push_back(index);
  return expression;
}

// Sets variable[index] to 1. A thread that sees this also sees everything before it.
void announce(VariableId variable, const Expression& index, const SourceRange& range,
              std::vector<Statement>& into) {
  into.push_back(make(StatementKind::fence, range));
  Statement& statement = into.emplace_back(make(StatementKind::evaluate, range));
  Expression& exchange = statement.expressions.emplace_back();
  exchange.kind = ExpressionKind::exchange;
  exchange.id = variable;
  exchange.range = range;
  exchange.operands.push_back(index);
  exchange.operands.push_back(literal(Type::integer, 1, range));
}

void wait_for(VariableId variable, const Expression& index, const SourceRange& range,
              std::vector<Statement>& into) {
  Statement& statement = into.emplace_back(make(StatementKind::await, range));
  Expression& condition = statement.expressions.emplace_back();
  condition.kind = ExpressionKind::binary;
  condition.type = Type::boolean;
  condition.binary = BinaryOperator::not_equal;
  condition.range = range;
  condition.operands.push_back(load(variable, Type::integer, index, range));
  condition.operands.push_back(literal(Type::integer, 0, range));
  into.push_back(make(StatementKind::fence, range));
}

VariableId hidden(Resolution& resolution, const Proc& proc, std::string_view part, Type type) {
  Variable& variable = resolution.program.variables.emplace_back();
  variable.name = fmt::format("{}.{}", proc.name, part);
  variable.type = type;
  variable.is_array = variable.is_hidden = true;
  variable.range = proc.item->name.range;
  return static_cast<VariableId>(resolution.program.variables.size() - 1);
}

}  // namespace

bool spawns(const std::vector<syntax::Statement>& statements) {
  for (const syntax::Statement& statement : statements) {
    for (const syntax::Expression& expression : statement.expressions) {
      if (expression.kind == SyntaxKind::spawn) return true;
    }
    if (spawns(statement.body) || spawns(statement.otherwise)) return true;
  }
  return false;
}

void declare_proc(Resolution& resolution, const syntax::Item& item,
                  std::vector<Signature::Parameter> parameters, std::uint32_t thread_template) {
  Proc& proc = resolution.procs[*resolution.templates[thread_template].proc];
  proc.item = &item;
  proc.module = resolution.module;
  proc.thread_template = thread_template;
  proc.parameters = std::move(parameters);
  resolution.program.templates[thread_template].range = item.name.range;
  resolution.program.templates[thread_template].is_daemon = item.daemon.kind != TokenKind::end;
  proc.started = hidden(resolution, proc, "started", Type::integer);
  proc.ended = hidden(resolution, proc, "ended", Type::integer);
  for (const Signature::Parameter& parameter : proc.parameters) {
    proc.arguments.push_back(hidden(resolution, proc, parameter.name.text, parameter.type.scalar));
  }
}

void complete_procs(Resolution& resolution) {
  Program& program = resolution.program;
  for (Proc& proc : resolution.procs) {
    if (proc.item == nullptr) continue;
    if (proc.threads > limits::threads - std::min(limits::threads, program.threads.size())) {
      resolution.error(proc.item->name.range,
                       fmt::format("too many threads: at most {} in all", limits::threads));
      return;
    }
    std::vector<VariableId> variables = proc.arguments;
    variables.push_back(proc.started);
    variables.push_back(proc.ended);
    const std::uint32_t length = std::max(1U, proc.threads);
    for (const VariableId id : variables) {
      Variable& variable = program.variables[id];
      variable.length = length;
      variable.first_location = program.locations;
      variable.initial.assign(length, 0);
      const std::string part = variable.name.substr(proc.name.size());
      if (proc.threads == 1) {
        variable.elements = {{variable.name}, {}};
      } else {
        variable.elements = {{proc.name, part}, {length}};
      }
      program.locations += length;
    }
    ThreadTemplate& thread_template = program.templates[proc.thread_template];
    thread_template.is_family = proc.threads > 1;
    Resolution::TemplateInfo& info = resolution.templates[proc.thread_template];
    info.first_thread = static_cast<ThreadId>(program.threads.size());
    info.threads = proc.threads;
    for (std::uint32_t i = 0; i < proc.threads; ++i) {
      program.threads.push_back({thread_template.is_family ? fmt::format("{}[{}]", proc.name, i) : proc.name,
                                 proc.thread_template, thread_template.is_family ? i : 0});
    }
  }
}

void resolve_proc(Resolution& resolution, std::uint32_t id) {
  const Proc& proc = resolution.procs[id];
  if (proc.item == nullptr) return;
  const SourceRange& place = proc.item->name.range;
  SourceRange head = proc.item->word.range;
  head.end = place.end;
  Body body;
  BodyResolver resolver(resolution, BodyKind::thread, Type::none, body);
  resolver.set_template(proc.thread_template);
  Expression index = literal(Type::integer, 0, head);
  if (resolution.program.templates[proc.thread_template].is_family) {
    index.kind = ExpressionKind::local;
    Local& made = body.locals.emplace_back();
    made.name = "number";
    made.range = place;
  }
  std::vector<Statement> statements;
  wait_for(proc.started, index, head, statements);
  for (std::size_t i = 0; i < proc.parameters.size(); ++i) {
    const Type type = proc.parameters[i].type.scalar;
    resolver.add_initialised(proc.parameters[i].name, type, load(proc.arguments[i], type, index, head),
                             statements);
  }
  std::vector<Statement> epilogue;
  announce(proc.ended, index, head, epilogue);
  resolver.set_epilogue(epilogue);
  resolver.resolve(proc.item->body);
  for (Statement& statement : body.statements) statements.push_back(std::move(statement));
  for (Statement& statement : epilogue) statements.push_back(std::move(statement));
  body.statements = std::move(statements);
  resolution.templates[proc.thread_template].locals = resolver.top_level();
  resolution.program.templates[proc.thread_template].body = std::move(body);
}

// Stores the arguments and starts the thread.
std::optional<Spawned> BodyResolver::spawn(const syntax::Expression& from, Statement& into) {
  into.kind = StatementKind::block;
  const syntax::Expression& call = from.operands[0];
  const auto refuse = [&](const SourceRange& range, std::string message, std::string hint) {
    resolution_.error(range, std::move(message), std::move(hint));
    return std::optional<Spawned>();
  };
  if (call.kind != SyntaxKind::call) {
    return refuse(call.range, "'spawn' needs a proc with its arguments", "write 'spawn worker(1);'");
  }
  ExpressionResolver resolver = expressions();
  const syntax::Expression& callee = call.operands[0];
  const Symbol* symbol = resolver.symbol_named(callee);
  if (symbol == nullptr) {
    resolver.unknown_name(callee.word, "proc", [](const Symbol* candidate) {
      return candidate != nullptr && candidate->kind == SymbolKind::proc;
    });
    return {};
  }
  if (symbol->kind != SymbolKind::proc) {
    return refuse(callee.range,
                  fmt::format("'{}' is a {}, not a proc", callee.word.text, describe(symbol->kind)),
                  symbol->kind == SymbolKind::function
                      ? fmt::format("declare it as 'proc {}(...) {{ ... }}'", callee.word.text)
                      : "");
  }
  if (symbol->broken) return {};
  if (kind_ != BodyKind::thread || (template_ && resolution_.templates[*template_].proc)) {
    return refuse(from.range, "'spawn' is allowed only in a 'thread'",
                  "the number of threads must be known before the program runs");
  }
  if (branches_ > 0 || left_) {
    return refuse(from.range,
                  left_ ? "'spawn' is not allowed after a 'return'"
                        : "'spawn' is not allowed in a branch or in a loop without a constant range",
                  "the number of threads must be known before the program runs");
  }
  if (restarts_) {
    return refuse(from.range, "'spawn' is not allowed after a 'restart'",
                  "the thread would be started again: start it before");
  }
  const auto is_daemon = [&](std::uint32_t of) { return resolution_.program.templates[of].is_daemon; };
  if (is_daemon(*template_) && !is_daemon(symbol->id)) {
    return refuse(callee.range, fmt::format("a daemon cannot start '{}', which is none", callee.word.text),
                  "the daemon may wait for ever before that: declare it as 'daemon proc'");
  }
  const std::uint32_t id = *resolution_.templates[symbol->id].proc;
  Proc& proc = resolution_.procs[id];
  std::vector<std::optional<Object>> references;
  std::vector<Expression> values;
  std::vector<Expression> steps;
  std::string key;
  const bool complete = resolver.arguments(call, proc.name, proc.parameters, proc.item->name.range,
                                           references, values, steps, key);
  const Resolution::TemplateInfo& parent = resolution_.templates[*template_];
  Spawned spawned{id, literal(Type::integer, proc.threads, from.range)};
  if (resolution_.program.templates[*template_].is_family) {
    // Each thread of this family has its own.
    Expression sum;
    sum.kind = ExpressionKind::binary;
    sum.range = from.range;
    Expression me;
    me.kind = ExpressionKind::local;
    me.range = from.range;
    sum.operands.push_back(std::move(me));
    sum.operands.push_back(
        literal(Type::integer, static_cast<std::int64_t>(proc.threads) - parent.first_argument, from.range));
    spawned.number = std::move(sum);
  }
  proc.threads = static_cast<std::uint32_t>(
      std::min<std::size_t>(limits::threads + 1, proc.threads + std::max(1U, parent.threads)));
  spawned_.push_back(spawned);
  if (!complete) return spawned;
  resolver.add_steps(std::move(steps), from.range, into.body);
  for (std::size_t i = 0; i < values.size(); ++i) {
    Statement& statement = into.body.emplace_back(make(StatementKind::store, from.range));
    statement.id = proc.arguments[i];
    statement.expressions.push_back(spawned.number);
    statement.expressions.push_back(std::move(values[i]));
  }
  announce(proc.started, spawned.number, from.range, into.body);
  return spawned;
}

// `join t;` waits for the thread from `let t = spawn ...`; `join worker;` waits for all threads of the proc
// spawned above.
void BodyResolver::join(const syntax::Statement& from, Statement& into) {
  const syntax::Expression& what = from.expressions[0];
  if (what.kind == SyntaxKind::name) {
    const LocalSymbol* local = locals_.find(what.word.text);
    if (local != nullptr && local->kind == LocalKind::spawned) {
      if (!local->broken) {
        wait_for(resolution_.procs[local->spawned->proc].ended, local->spawned->number, from.range,
                 into.body);
      }
      return;
    }
  }
  const Symbol* symbol = expressions().symbol_named(what);
  if (symbol == nullptr || symbol->kind != SymbolKind::proc) {
    resolution_.error(what.range, "'join' needs a spawned thread or a proc",
                      "write 'let t = spawn worker(1); join t;' or 'join worker;' for all that were spawned");
    return;
  }
  bool any = symbol->broken;
  for (const Spawned& spawned : spawned_) {
    const Proc& proc = resolution_.procs[spawned.proc];
    if (proc.thread_template != symbol->id) continue;
    any = true;
    wait_for(proc.ended, spawned.number, from.range, into.body);
  }
  if (!any) {
    resolution_.error(what.range, fmt::format("no '{}' has been spawned here", what.word.text),
                      fmt::format("write 'spawn {}(...);' above", what.word.text));
  }
}

void BodyResolver::unrolled_loop(const syntax::Statement& from, std::int64_t low, std::int64_t high,
                                 Statement& into) {
  into.kind = StatementKind::block;
  if (high - low > static_cast<std::int64_t>(limits::threads)) {
    resolution_.error(from.range, fmt::format("too many threads: at most {} in all", limits::threads));
    return;
  }
  const unsigned loops = std::exchange(loops_, 0);
  ++unrolled_;
  for (std::int64_t i = low; i < high; ++i) {
    locals_.enter();
    LocalSymbol local;
    local.kind = LocalKind::loop_variable;
    local.range = from.name.range;
    local.value = i;
    declare_local(from.name, local);
    Statement round = make(StatementKind::block, from.range);
    round.body = block(from.body);
    into.body.push_back(std::move(round));
    locals_.leave();
  }
  --unrolled_;
  loops_ = loops;
}

}  // namespace heddle::lang
