// Control flow and synchronisation: branches, loops, jumps, fences, locks, checks.
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
    case StatementKind::block: return never_falls_off(statement.body);
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
  switch (from.kind) {
    case syntax::StatementKind::fence:
    case syntax::StatementKind::lock:
    case syntax::StatementKind::unlock:
    case syntax::StatementKind::wait:
    case syntax::StatementKind::signal:
    case syntax::StatementKind::broadcast:
    case syntax::StatementKind::join:
    case syntax::StatementKind::assume:
    case syntax::StatementKind::await:
      resolution_.error(from.range, fmt::format("'{}' is not allowed in 'final'", from.word.text),
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
  if (kind_ == BodyKind::function && result_ != Type::none) {
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
  if (epilogue_.empty()) return;
  Statement leave = std::move(into);
  into = Statement{};
  into.range = leave.range;
  into.body = epilogue_;
  into.body.push_back(std::move(leave));
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
