// Control flow and synchronisation: branches, loops, jumps, fences, locks, checks.
#include <algorithm>

#include "lang/bodies.hpp"
#include "lang/condition_variables.hpp"
#include "lang/spawns.hpp"
#include "lang/suggest.hpp"

namespace heddle::lang {
namespace {

bool is_true(const Expression& condition) {
  if (condition.kind == ExpressionKind::literal) return condition.value != 0;
  // `while 1` was wrapped into `1 != 0`.
  return condition.kind == ExpressionKind::binary && condition.binary == BinaryOperator::not_equal &&
         condition.operands[0].kind == ExpressionKind::literal && condition.operands[0].value != 0 &&
         condition.operands[1].kind == ExpressionKind::literal && condition.operands[1].value == 0;
}

// Whether `statements` contain a `break` out of the loop whose body they are.
bool breaks(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) {
    if (statement.kind == StatementKind::break_) return true;
    if (statement.kind == StatementKind::while_ || statement.kind == StatementKind::for_) continue;
    if (breaks(statement.body) || breaks(statement.otherwise)) return true;
  }
  return false;
}

bool never_falls_off(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::return_: return true;
    case StatementKind::block:
    case StatementKind::atomic: return never_falls_off(statement.body);
    case StatementKind::either:
      return std::all_of(statement.body.begin(), statement.body.end(),
                         [](const Statement& alternative) { return never_falls_off(alternative.body); });
    case StatementKind::if_: return never_falls_off(statement.body) && never_falls_off(statement.otherwise);
    case StatementKind::while_:
      return !statement.expressions.empty() && is_true(statement.expressions[0]) && !breaks(statement.body);
    default: return false;
  }
}

}  // namespace

bool never_falls_off(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) {
    if (never_falls_off(statement)) return true;
    // Control never falls through to the next statement.
    if (statement.kind == StatementKind::break_ || statement.kind == StatementKind::continue_) return true;
  }
  return false;
}

bool BodyResolver::check_allowed(const syntax::Statement& from) {
  if (kind_ != BodyKind::final_) return true;
  std::string_view what = from.word.text;
  switch (from.kind) {
    case syntax::StatementKind::declare:
      if (!from.waits) return true;
      what = "await";
      [[fallthrough]];
    case syntax::StatementKind::either:
    case syntax::StatementKind::atomic:
    case syntax::StatementKind::fence:
    case syntax::StatementKind::lock:
    case syntax::StatementKind::unlock:
    case syntax::StatementKind::wait:
    case syntax::StatementKind::signal:
    case syntax::StatementKind::broadcast:
    case syntax::StatementKind::join:
    case syntax::StatementKind::assume:
    case syntax::StatementKind::await:
    case syntax::StatementKind::progress:
    case syntax::StatementKind::restart:
      resolution_.error(from.range, fmt::format("'{}' is not allowed in 'final'", what),
                        "'final' runs after all threads have ended");
      return false;
    default: return true;
  }
}

void BodyResolver::branch(const syntax::Statement& from, Statement& into) {
  into.kind = StatementKind::if_;
  if (auto condition = expressions().condition(from.expressions[0])) {
    into.expressions.push_back(std::move(*condition));
  }
  ++branches_;
  into.body = block(from.body);
  into.otherwise = block(from.otherwise);
  --branches_;
}

// One of the alternatives is chosen; what that means for those that have to wait is in compiler/either.cpp.
void BodyResolver::either(const syntax::Statement& from, Statement& into) {
  if (from.name.kind != TokenKind::end) return either_of_range(from, into);
  into.kind = StatementKind::either;
  Expression& choice = into.expressions.emplace_back();
  choice.kind = ExpressionKind::choose;
  choice.range = from.range;
  choice.operands.push_back(literal(Type::integer, 0, from.range));
  choice.operands.push_back(literal(Type::integer, static_cast<std::int64_t>(from.body.size()), from.range));
  ++branches_;
  for (const syntax::Statement& alternative : from.body) {
    if (!alternative.body.empty()) refuse_guard(alternative.body.front());
    Statement& made = into.body.emplace_back();
    made.range = alternative.range;
    made.body = block(alternative.body);
  }
  --branches_;
}

// `either i in a..b { ... }`: an alternative for each number.
void BodyResolver::either_of_range(const syntax::Statement& from, Statement& into) {
  ExpressionResolver resolver = expressions();
  std::vector<Expression> ends;
  for (const std::size_t end : {0, 1}) {
    auto value = resolver.value_of_type(from.expressions[end], Type::integer,
                                        end == 0 ? "the low end of the range" : "the high end of the range");
    if (value) ends.push_back(std::move(*value));
  }
  into.kind = StatementKind::block;
  std::vector<Expression> steps;
  resolver.hold_all(ends, steps);
  resolver.add_steps(std::move(steps), from.range, into.body);
  Statement& statement = into.body.emplace_back();
  statement.kind = StatementKind::either;
  statement.range = from.range;
  Expression& choice = statement.expressions.emplace_back();
  choice.kind = ExpressionKind::choose;
  choice.range = from.range;
  choice.operands = std::move(ends);
  locals_.enter();
  statement.id = add_local(from.name, Type::integer, LocalKind::loop_variable, choice.operands.size() != 2);
  ++branches_;
  if (!from.body[0].body.empty()) refuse_guard(from.body[0].body.front());
  Statement& made = statement.body.emplace_back();
  made.range = from.body[0].range;
  made.body = block(from.body[0].body);
  --branches_;
  locals_.leave();
}

// What may not be in it depends on the functions that it calls: lang/calls.cpp.
void BodyResolver::atomic(const syntax::Statement& from, Statement& into) {
  into.kind = StatementKind::atomic;
  ++branches_;
  into.body = block(from.body);
  --branches_;
}

// What looks like a guard, but is none: the alternative could be chosen and then wait, although another one
// could continue.
void BodyResolver::refuse_guard(const syntax::Statement& first) {
  switch (first.kind) {
    case syntax::StatementKind::lock:
      resolution_.error(first.range, "an alternative cannot begin with 'lock'",
                        "only an 'await' is waited for: write 'while !trylock m { }' instead");
      break;
    case syntax::StatementKind::wait:
    case syntax::StatementKind::join:
      resolution_.error(first.range, fmt::format("an alternative cannot begin with '{}'", first.word.text),
                        "only an 'await' is waited for");
      break;
    default: break;
  }
}

void BodyResolver::loop(const syntax::Statement& from, Statement& into) {
  into.kind = StatementKind::while_;
  if (auto condition = expressions().condition(from.expressions[0])) {
    into.expressions.push_back(std::move(*condition));
  }
  ++loops_;
  ++branches_;
  into.body = block(from.body);
  --branches_;
  --loops_;
}

void BodyResolver::count_loop(const syntax::Statement& from, Statement& into) {
  into.kind = StatementKind::for_;
  ExpressionResolver resolver = expressions();
  auto low = resolver.value_of_type(from.expressions[0], Type::integer, "the low end of the range");
  auto high = resolver.value_of_type(from.expressions[1], Type::integer, "the high end of the range");
  const bool known =
      low && high && low->kind == ExpressionKind::literal && high->kind == ExpressionKind::literal;
  if (known && spawns(from.body)) return unrolled_loop(from, low->value, high->value, into);
  if (low && high) {
    into.expressions.push_back(std::move(*low));
    into.expressions.push_back(std::move(*high));
  }
  locals_.enter();
  into.id = add_local(from.name, Type::integer, LocalKind::loop_variable, false);
  ++loops_;
  ++branches_;
  into.body = block(from.body);
  --branches_;
  --loops_;
  locals_.leave();
}

void BodyResolver::jump(const syntax::Statement& from, Statement& into) {
  into.kind = from.kind == syntax::StatementKind::break_ ? StatementKind::break_ : StatementKind::continue_;
  if (loops_ == 0 && unrolled_ > 0) {
    resolution_.error(from.range,
                      fmt::format("'{}' is not allowed in a loop that spawns threads", from.word.text),
                      "the number of threads must be known before the program runs");
    return;
  }
  if (loops_ == 0) resolution_.error(from.range, fmt::format("'{}' outside a loop", from.word.text));
}

void BodyResolver::return_value(const syntax::Statement& from, Statement& into) {
  into.kind = StatementKind::return_;
  left_ = true;
  const bool given = !from.expressions.empty();
  if (struct_result_) {
    return_struct(from, into);
  } else if (kind_ == BodyKind::function && result_ != Type::none) {
    if (!given) {
      resolution_.error(from.range, "this 'return' has no value",
                        fmt::format("the result is {}", resolution_.name_of(result_)));
      return;
    }
    auto value = expressions().value_of_type(from.expressions[0], result_, "the result");
    if (value) into.expressions.push_back(std::move(*value));
  } else if (given) {
    resolution_.error(
        from.expressions[0].range,
        kind_ == BodyKind::function ? "this function has no result" : "only functions return values",
        kind_ == BodyKind::function ? "declare one: 'fn f() -> int { ... }'" : "write 'return;'");
  }
  if (epilogue_.empty() && !restarts_at_end()) return;
  Statement leave = std::move(into);
  into = Statement{};
  into.range = leave.range;
  into.body = epilogue_;
  if (restarts_at_end()) into.body.push_back(end_of_restart(leave.range));
  into.body.push_back(std::move(leave));
}

// The scalars go into locals of the caller that no other code can name.
void BodyResolver::return_struct(const syntax::Statement& from, Statement& into) {
  if (from.expressions.empty()) {
    resolution_.error(from.range, "this 'return' has no value",
                      fmt::format("the result is {}", resolution_.name_of(struct_result_->type)));
    return;
  }
  std::optional<StructValue> value =
      expressions().struct_value(from.expressions[0], struct_result_->type, "the result");
  if (!value) return;
  Statement leave = std::move(into);
  into = Statement{};
  into.range = leave.range;
  expressions().add_steps(std::move(value->steps), from.range, into.body);
  auto scalar = value->scalars.begin();
  for (Object& part : scalars_of(resolution_.structures, *struct_result_)) {
    Statement& statement = into.body.emplace_back();
    statement.kind = StatementKind::assign;
    statement.range = from.range;
    statement.id = part.first;
    if (auto index = element_index(part)) statement.expressions.push_back(std::move(*index));
    statement.expressions.push_back(std::move(*scalar++));
  }
  into.body.push_back(std::move(leave));
}

void BodyResolver::progress(const syntax::Statement& from, Statement& into) {
  into.kind = StatementKind::progress;
  if (template_ && resolution_.program.templates[*template_].is_daemon) {
    resolution_.error(from.range, "a daemon may wait for ever, so 'progress' claims nothing here",
                      "claim what it does for others: 'c leads to d;'");
  }
}

// The compiler evaluates the condition elsewhere, so it can only name what is declared here (compiler/restart.cpp).
void BodyResolver::restart(const syntax::Statement& from, Statement& into) {
  into.kind = StatementKind::restart;
  into.id = static_cast<std::uint32_t>(body_.locals.size());
  if (kind_ != BodyKind::thread || !nameable()) {
    resolution_.error(from.range, "'restart' is allowed only in the outermost block of a thread or proc",
                      "the thread continues from here whenever the condition holds");
    return;
  }
  restarts_ = true;
  if (auto condition = expressions().condition(from.expressions[0])) {
    into.expressions.push_back(std::move(*condition));
  }
}

Statement BodyResolver::end_of_restart(const SourceRange& range) {
  Statement statement;
  statement.kind = StatementKind::restart;
  statement.range = range;
  return statement;
}

void BodyResolver::fence(const syntax::Statement& from, Statement& into) {
  into.kind = StatementKind::fence;
  if (from.name.kind == TokenKind::end) return;
  if (from.name.text == "lw") {
    into.fence = FenceKind::lightweight;
  } else if (from.name.text == "st") {
    into.fence = FenceKind::store_store;
  } else if (from.name.text == "isync") {
    into.fence = FenceKind::instruction;
  } else {
    std::string hint = did_you_mean(from.name.text, {"isync", "lw", "st"});
    resolution_.error(
        from.name.range, fmt::format("unknown fence '{}'", from.name.text),
        hint.empty() ? "the fences are 'fence', 'fence lw', 'fence st' and 'fence isync'" : hint);
  }
}

void BodyResolver::lock(const syntax::Statement& from, Statement& into) {
  into.kind = from.kind == syntax::StatementKind::lock ? StatementKind::lock : StatementKind::unlock;
  auto target = expressions().mutex_target(from.expressions[0], from.word.text);
  if (!target) return;
  into.id = target->variable;
  if (target->index) into.expressions.push_back(std::move(*target->index));
}

// lang/condition_variables.cpp defines what they mean.
void BodyResolver::condition_variable(const syntax::Statement& from, Statement& into) {
  into.kind = StatementKind::evaluate;
  ExpressionResolver resolver = expressions();
  auto condition = resolver.target(from.expressions[0], Want::condition, from.word.text);
  const bool waits = from.kind == syntax::StatementKind::wait;
  auto mutex = waits ? resolver.target(from.expressions[1], Want::mutex, from.word.text) : std::nullopt;
  if (!condition || (waits && !mutex)) return;
  std::vector<Object> objects;
  objects.push_back(*resolver.object(from.expressions[0], Want::condition, from.word.text));
  if (waits) objects.push_back(*resolver.object(from.expressions[1], Want::mutex, from.word.text));
  // The implementing functions take the condition variable's integer.
  objects[0].type = DataType{};
  const std::uint32_t function = condition_function(resolution_, from.kind);
  into.expressions.push_back(resolver.bound_call(function, std::move(objects), from.range));
}

void BodyResolver::check(const syntax::Statement& from, Statement& into) {
  into.kind = from.kind == syntax::StatementKind::assert_  ? StatementKind::assert_
              : from.kind == syntax::StatementKind::assume ? StatementKind::assume
                                                           : StatementKind::await;
  if (from.text.kind == TokenKind::string) into.text = string_value(from.text.text);
  auto condition = expressions().condition(from.expressions[0]);
  if (condition) into.expressions.push_back(std::move(*condition));
}

}  // namespace heddle::lang
