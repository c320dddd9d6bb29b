#include "lang/litmus/build.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lang/limits.hpp"
#include "lang/token.hpp"

namespace heddle::lang::litmus {

Expression literal(std::int64_t value, const SourceRange& range) {
  Expression result;
  result.value = value;
  result.range = range;
  return result;
}

Expression truth(bool value, const SourceRange& range) {
  Expression result = literal(value ? 1 : 0, range);
  result.type = Type::boolean;
  return result;
}

Expression local(LocalId id, const SourceRange& range) {
  Expression result;
  result.kind = ExpressionKind::local;
  result.id = id;
  result.range = range;
  return result;
}

namespace {

std::int64_t wrapped(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

// Folds numbers only; false where the result is not obvious (divisions, comparisons).
bool fold(BinaryOperator op, std::int64_t left, std::int64_t right, std::int64_t& result) {
  const auto a = static_cast<std::uint64_t>(left);
  const auto b = static_cast<std::uint64_t>(right);
  switch (op) {
    case BinaryOperator::add: result = wrapped(a + b); return true;
    case BinaryOperator::subtract: result = wrapped(a - b); return true;
    case BinaryOperator::multiply: result = wrapped(a * b); return true;
    case BinaryOperator::bit_and: result = wrapped(a & b); return true;
    case BinaryOperator::bit_or: result = wrapped(a | b); return true;
    case BinaryOperator::bit_xor: result = wrapped(a ^ b); return true;
    case BinaryOperator::shift_left: result = wrapped(a << (b % 64)); return true;
    case BinaryOperator::shift_right: result = left >> (b % 64); return true;
    default: return false;
  }
}

bool compares(BinaryOperator op) {
  return op >= BinaryOperator::equal && op <= BinaryOperator::greater_equal;
}

}  // namespace

Expression binary(BinaryOperator op, Expression left, Expression right, const SourceRange& range) {
  std::int64_t folded = 0;
  if (is_literal(left) && is_literal(right) && fold(op, left.value, right.value, folded)) {
    return literal(folded, range);
  }
  Expression result;
  result.kind = ExpressionKind::binary;
  result.type = compares(op) ? Type::boolean : Type::integer;
  result.binary = op;
  result.range = range;
  result.operands.push_back(std::move(left));
  result.operands.push_back(std::move(right));
  return result;
}

Expression negation(Expression operand, const SourceRange& range) {
  Expression result;
  result.kind = ExpressionKind::unary;
  result.type = Type::boolean;
  result.unary = UnaryOperator::logical_not;
  result.range = range;
  result.operands.push_back(std::move(operand));
  return result;
}

Expression as_number(Expression boolean) {
  const SourceRange range = boolean.range;
  Expression result;
  result.kind = ExpressionKind::conditional;
  result.range = range;
  result.operands.push_back(std::move(boolean));
  result.operands.push_back(literal(1, range));
  result.operands.push_back(literal(0, range));
  return result;
}

Expression sign_extended(Expression value, const SourceRange& range) {
  Expression shifted = binary(BinaryOperator::shift_left, std::move(value), literal(32, range), range);
  return binary(BinaryOperator::shift_right, std::move(shifted), literal(32, range), range);
}

Statement plain(StatementKind kind, const SourceRange& range) {
  Statement result;
  result.kind = kind;
  result.range = range;
  return result;
}

Statement declare(LocalId id, Expression value, const SourceRange& range) {
  Statement result = plain(StatementKind::declare, range);
  result.id = id;
  result.expressions.push_back(std::move(value));
  return result;
}

Statement assign(LocalId id, Expression value, const SourceRange& range) {
  Statement result = declare(id, std::move(value), range);
  result.kind = StatementKind::assign;
  return result;
}

bool is_literal(const Expression& expression) { return expression.kind == ExpressionKind::literal; }

bool same(const Expression& left, const Expression& right) {
  if (left.kind != right.kind || left.id != right.id || left.value != right.value ||
      left.unary != right.unary || left.binary != right.binary || left.type != right.type ||
      left.operands.size() != right.operands.size()) {
    return false;
  }
  return std::equal(left.operands.begin(), left.operands.end(), right.operands.begin(), same);
}

std::size_t size(const Expression& expression) {
  std::size_t result = 1;
  for (const Expression& operand : expression.operands) result += size(operand);
  return result;
}

bool mentions(const Expression& expression, LocalId id) {
  if (expression.kind == ExpressionKind::local && expression.id == id) return true;
  return std::any_of(expression.operands.begin(), expression.operands.end(),
                     [&](const Expression& operand) { return mentions(operand, id); });
}

namespace {

// A valid name for a .hed file: letters, digits and '_', not a keyword.
std::string valid_name(std::string_view wanted) {
  std::string result;
  for (const char c : wanted) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (digit && result.empty()) result.push_back('_');
    if (letter || digit) result.push_back(c);
  }
  if (result.empty()) result.push_back('_');
  if (keyword_kind(result) != TokenKind::identifier) result.push_back('_');
  return result;
}

template <typename Taken>
std::string free_name(std::string_view wanted, const Taken& taken) {
  const std::string plain = valid_name(wanted);
  if (!taken(plain)) return plain;
  for (unsigned number = 2;; ++number) {
    std::string candidate = fmt::format("{}_{}", plain, number);
    if (!taken(candidate)) return candidate;
  }
}

// The number of operands of an access without index.
std::size_t plain_operands(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::cas: return 2;
    case ExpressionKind::exchange:
    case ExpressionKind::fetch: return 1;
    default: return 0;
  }
}

// Calls `use(variable, operands, number of operands without index, range)` for each access.
template <typename Use>
void each_access(Expression& expression, Use& use) {
  for (Expression& operand : expression.operands) each_access(operand, use);
  switch (expression.kind) {
    case ExpressionKind::load:
    case ExpressionKind::cas:
    case ExpressionKind::exchange:
    case ExpressionKind::fetch:
      use(expression.id, expression.operands, plain_operands(expression.kind), expression.range);
      break;
    default: break;
  }
}

template <typename Use>
void each_access(std::vector<Statement>& statements, Use& use) {
  for (Statement& statement : statements) {
    for (Expression& expression : statement.expressions) each_access(expression, use);
    if (statement.kind == StatementKind::store) use(statement.id, statement.expressions, 1, statement.range);
    each_access(statement.body, use);
    each_access(statement.otherwise, use);
  }
}

template <typename Use>
void each_access(Program& program, Use&& use) {
  for (ThreadTemplate& thread : program.templates) each_access(thread.body.statements, use);
  for (Property& property : program.properties) each_access(property.condition, use);
}

}  // namespace

std::string Builder::global_name(std::string_view wanted) {
  std::string result = free_name(wanted, [&](const std::string& name) { return taken_.contains(name); });
  taken_.insert(result);
  return result;
}

VariableId Builder::variable(std::string_view name, const SourceRange& range) {
  const auto found = std::find(location_names_.begin(), location_names_.end(), name);
  if (found != location_names_.end()) return static_cast<VariableId>(found - location_names_.begin());
  if (location_names_.size() >= most_locations) {
    error(range, fmt::format("the test has too many locations: at most {}", most_locations));
    return 0;
  }
  location_names_.emplace_back(name);
  Variable& variable = program.variables.emplace_back();
  variable.name = global_name(name);
  variable.initial = {0};
  variable.range = range;
  return static_cast<VariableId>(location_names_.size() - 1);
}

std::string Builder::local_name(const Body& body, std::string_view wanted) const {
  return free_name(wanted, [&](const std::string& name) {
    return taken_.contains(name) || std::any_of(body.locals.begin(), body.locals.end(),
                                                [&](const Local& local) { return local.name == name; });
  });
}

void Builder::add_thread(ThreadTemplate thread) {
  Thread& added = program.threads.emplace_back();
  thread.name = global_name(thread.name);
  added.name = thread.name;
  added.thread_template = static_cast<std::uint32_t>(program.templates.size());
  program.templates.push_back(std::move(thread));
}

void Builder::access(VariableId id, bool word, bool matters, const SourceRange& range) {
  if (id == whole_memory) return;
  if (widths_.size() <= id) widths_.resize(id + 1);
  const Width width = word ? Width::word : Width::quad;
  if (matters && widths_[id] != Width::unknown && widths_[id] != width) {
    error(range, fmt::format("{} is accessed with 32 and with 64 bits, and its value may need more than 32",
                             location_names_[id]));
  }
  widths_[id] = width;
}

void Builder::finish() {
  if (program.litmus && has_addresses_) {
    for (VariableId id = 0; id < location_names_.size(); ++id) {
      program.litmus->addresses.emplace(address(id), location_names_[id]);
    }
  }
  if (computed_address_ && !has_addresses_) {
    error(*computed_address_, "the location accessed here is not known before the test runs",
          "give the register a location in the initial state, like 0:r5=x");
    return;
  }
  if (computed_address_) gather_in_memory();
  std::uint32_t next = 0;
  for (Variable& variable : program.variables) {
    variable.first_location = next;
    next += variable.length;
  }
  program.locations = next;
  const auto give_index = [&](VariableId id, std::vector<Expression>& operands, std::size_t plain,
                              const SourceRange& range) {
    if (!program.variables[id].is_array || operands.size() > plain) return;
    operands.insert(operands.begin(), literal(0, range));
  };
  each_access(program, give_index);
}

void Builder::gather_in_memory() {
  Variable memory;
  memory.name = global_name("memory");
  memory.is_array = true;
  memory.length = static_cast<std::uint32_t>(bytes_between_addresses * std::ssize(program.variables));
  memory.initial.resize(memory.length);
  for (VariableId id = 0; id < program.variables.size(); ++id) {
    memory.initial[static_cast<std::size_t>(bytes_between_addresses) * id] = program.variables[id].initial[0];
  }
  memory.range = program.variables.front().range;
  each_access(program, [&](VariableId& id, std::vector<Expression>& operands, std::size_t plain,
                           const SourceRange& range) {
    const bool indexed = operands.size() > plain;
    if (id == whole_memory) {
      operands[0] =
          binary(BinaryOperator::subtract, std::move(operands[0]), literal(first_address, range), range);
    } else {
      Expression offset = literal(address(id) - first_address, range);
      if (indexed) {
        operands[0] = binary(BinaryOperator::add, std::move(offset), std::move(operands[0]), range);
      } else {
        operands.insert(operands.begin(), std::move(offset));
      }
    }
    id = 0;
  });
  for (Observation& observed : program.litmus->observed) {
    if (observed.thread) continue;
    observed.index = static_cast<std::uint32_t>(bytes_between_addresses * observed.id);
    observed.id = 0;
  }
  program.variables = {std::move(memory)};
}

}  // namespace heddle::lang::litmus
