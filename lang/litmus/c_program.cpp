#include "lang/litmus/c_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "lang/litmus/tables.hpp"

namespace heddle::lang::litmus::c {
namespace {

using TreeExpression = lang::Expression;
using TreeStatement = lang::Statement;
using TreeKind = lang::ExpressionKind;

struct Unusable {};

struct Fetch {
  std::string_view name;
  FetchOperator op;
};

constexpr std::array fetches{Fetch{"atomic_fetch_add_explicit", FetchOperator::add},
                             Fetch{"atomic_fetch_sub_explicit", FetchOperator::subtract},
                             Fetch{"atomic_fetch_and_explicit", FetchOperator::bit_and},
                             Fetch{"atomic_fetch_or_explicit", FetchOperator::bit_or},
                             Fetch{"atomic_fetch_xor_explicit", FetchOperator::bit_xor}};

struct Operator {
  std::string_view name;
  BinaryOperator op;
};

constexpr std::array operators{
    Operator{"|", BinaryOperator::bit_or},         Operator{"^", BinaryOperator::bit_xor},
    Operator{"&", BinaryOperator::bit_and},        Operator{"==", BinaryOperator::equal},
    Operator{"!=", BinaryOperator::not_equal},     Operator{"<", BinaryOperator::less},
    Operator{"<=", BinaryOperator::less_equal},    Operator{">", BinaryOperator::greater},
    Operator{">=", BinaryOperator::greater_equal}, Operator{"<<", BinaryOperator::shift_left},
    Operator{">>", BinaryOperator::shift_right},   Operator{"+", BinaryOperator::add},
    Operator{"-", BinaryOperator::subtract},       Operator{"*", BinaryOperator::multiply},
    Operator{"/", BinaryOperator::divide},         Operator{"%", BinaryOperator::remainder}};

// Functions of <stdatomic.h> without a memory order are sequentially consistent.
bool is_sequential(std::string_view name) {
  return name == "atomic_load" || name == "atomic_store" || name == "atomic_exchange" ||
         name == "atomic_fetch_add" || name == "atomic_fetch_sub" || name == "atomic_fetch_and" ||
         name == "atomic_fetch_or" || name == "atomic_fetch_xor";
}

class ThreadProgram {
 public:
  ThreadProgram(const Thread& thread, Builder& builder) : thread_(thread), builder_(builder) {}

  std::optional<std::vector<LocalId>> run(std::uint32_t number, const std::vector<Word>& observed) {
    try {
      return translate(number, observed);
    } catch (const Unusable&) {
      return {};
    }
  }

 private:
  struct Named {
    std::string_view name;
    LocalId id;
  };

  std::optional<std::vector<LocalId>> translate(std::uint32_t number, const std::vector<Word>& observed) {
    for (const Word& parameter : thread_.parameters) {
      static_cast<void>(builder_.variable(parameter.text, parameter.range));
    }
    ThreadTemplate result;
    std::vector<TreeStatement> statements = block(thread_.body, true);
    std::vector<LocalId> ids;
    for (const Word& name : observed) ids.push_back(observe(name, number));
    result.name = fmt::format("P{}", number);
    result.range = thread_.name.range;
    result.body = std::move(body_);
    result.body.statements = std::move(statements);
    builder_.add_thread(std::move(result));
    return ids;
  }

  LocalId observe(const Word& name, std::uint32_t number) {
    for (const Named& local : outermost_) {
      if (local.name == name.text) return local.id;
    }
    refuse(name.range, fmt::format("P{} declares no local '{}' in its outermost block", number, name.text));
  }

  [[noreturn]] void refuse(const SourceRange& range, std::string message, std::string hint = {}) {
    builder_.error(range, std::move(message), std::move(hint));
    throw Unusable{};
  }

  // --- Statements ---

  std::vector<TreeStatement> block(const std::vector<Statement>& statements, bool outermost) {
    // The braces of `if (c) { ... }` are not a nested block.
    const bool braces = !outermost && statements.size() == 1 && statements[0].kind == StatementKind::block &&
                        !statements[0].body.empty();
    if (braces) return block(statements[0].body, false);
    const std::size_t visible = locals_.size();
    const bool was_outermost = std::exchange(outermost_block_, outermost);
    std::vector<TreeStatement> result;
    for (const Statement& each : statements) statement(each, result);
    outermost_block_ = was_outermost;
    if (outermost) outermost_ = locals_;
    locals_.resize(visible);
    return result;
  }

  void statement(const Statement& statement, std::vector<TreeStatement>& out) {
    const SourceRange& range = statement.range;
    switch (statement.kind) {
      case StatementKind::block: {
        if (statement.body.empty()) return;
        TreeStatement result = plain(lang::StatementKind::block, statement.body.front().range);
        result.body = block(statement.body, false);
        out.push_back(std::move(result));
        return;
      }
      case StatementKind::declare: return declaration(statement, out);
      case StatementKind::assign: return assignment(statement, out);
      case StatementKind::evaluate: return evaluation(statement.expressions[0], out);
      case StatementKind::if_:
      case StatementKind::while_: {
        const bool loop = statement.kind == StatementKind::while_;
        TreeStatement result = plain(loop ? lang::StatementKind::while_ : lang::StatementKind::if_, range);
        result.expressions.push_back(condition(statement.expressions[0]));
        loops_ += loop ? 1 : 0;
        result.body = block(statement.body, false);
        loops_ -= loop ? 1 : 0;
        result.otherwise = block(statement.otherwise, false);
        out.push_back(std::move(result));
        return;
      }
      case StatementKind::break_:
      case StatementKind::continue_: {
        const bool leaves = statement.kind == StatementKind::break_;
        if (loops_ == 0) refuse(range, "this is not inside a loop");
        out.push_back(plain(leaves ? lang::StatementKind::break_ : lang::StatementKind::continue_, range));
        return;
      }
      case StatementKind::return_: out.push_back(plain(lang::StatementKind::return_, range)); return;
    }
  }

  void declaration(const Statement& statement, std::vector<TreeStatement>& out) {
    const bool again = std::any_of(locals_.begin(), locals_.end(),
                                   [&](const Named& local) { return local.name == statement.word.text; });
    if (again || parameter(statement.word.text)) {
      refuse(statement.word.range, fmt::format("the name '{}' is taken", statement.word.text));
    }
    TreeExpression initial = literal(0, statement.word.range);
    if (!statement.expressions.empty()) initial = value(statement.expressions[0]);
    std::string name = builder_.local_name(body_, statement.word.text);
    Local& local = body_.locals.emplace_back();
    local.name = std::move(name);
    local.top_level = outermost_block_;
    local.range = statement.word.range;
    const auto id = static_cast<LocalId>(body_.locals.size() - 1);
    locals_.push_back({statement.word.text, id});
    out.push_back(declare(id, std::move(initial), statement.range));
  }

  void assignment(const Statement& statement, std::vector<TreeStatement>& out) {
    const Expression& target = statement.expressions[0];
    if (target.kind == ExpressionKind::name) {
      if (const auto id = find(target.word.text)) {
        out.push_back(assign(*id, value(statement.expressions[1]), statement.range));
        return;
      }
      if (!parameter(target.word.text)) unknown(target.word);
      refuse(target.range, fmt::format("'{0}' is a location: write *{0}", target.word.text));
    }
    store(location(target), value(statement.expressions[1]), statement.range, out);
  }

  static void store(VariableId variable, TreeExpression value, const SourceRange& range,
                    std::vector<TreeStatement>& out) {
    TreeStatement result = plain(lang::StatementKind::store, range);
    result.id = variable;
    result.expressions.push_back(std::move(value));
    out.push_back(std::move(result));
  }

  // Calls used as statements. Any other expression is evaluated for its reads.
  void evaluation(const Expression& expression, std::vector<TreeStatement>& out) {
    const std::string_view name =
        expression.kind == ExpressionKind::call ? expression.word.text : std::string_view();
    if (name == "atomic_store_explicit") {
      expect_arguments(expression, 3);
      expect_relaxed(expression.operands[2]);
      const VariableId target = pointer(expression.operands[0]);
      return store(target, value(expression.operands[1]), expression.range, out);
    }
    if (name == "WRITE_ONCE") {
      expect_arguments(expression, 2);
      const VariableId target = location(expression.operands[0]);
      return store(target, value(expression.operands[1]), expression.range, out);
    }
    if (name == "atomic_thread_fence") {
      expect_arguments(expression, 1);
      const Expression& order = expression.operands[0];
      if (order.kind != ExpressionKind::name || order.word.text != "memory_order_seq_cst") {
        refuse(order.range, "the only supported fence is atomic_thread_fence(memory_order_seq_cst)");
      }
      out.push_back(plain(lang::StatementKind::fence, expression.range));
      return;
    }
    if (name == "smp_mb") {
      expect_arguments(expression, 0);
      out.push_back(plain(lang::StatementKind::fence, expression.range));
      return;
    }
    TreeStatement result = plain(lang::StatementKind::evaluate, expression.range);
    result.expressions.push_back(value(expression));
    out.push_back(std::move(result));
  }

  // --- Names ---

  [[nodiscard]] std::optional<LocalId> find(std::string_view name) const {
    for (const Named& local : locals_) {
      if (local.name == name) return local.id;
    }
    return {};
  }
  [[nodiscard]] bool parameter(std::string_view name) const {
    return std::any_of(thread_.parameters.begin(), thread_.parameters.end(),
                       [&](const Word& word) { return word.text == name; });
  }
  [[noreturn]] void unknown(const Word& word) {
    refuse(word.range, fmt::format("'{}' is neither a local nor a parameter of this thread", word.text));
  }

  // An address: `x`, a pointer, or `&*x`.
  VariableId pointer(const Expression& expression) {
    if (expression.kind == ExpressionKind::address) return location(expression.operands[0]);
    if (expression.kind != ExpressionKind::name || !parameter(expression.word.text)) {
      refuse(expression.range, "expected a location: a parameter of this thread");
    }
    return builder_.variable(expression.word.text, expression.range);
  }

  // The location `*x`.
  VariableId location(const Expression& expression) {
    if (expression.kind == ExpressionKind::dereference) return pointer(expression.operands[0]);
    refuse(expression.range, "expected a location like *x");
  }

  // --- Expressions ---

  void expect_arguments(const Expression& call, std::size_t count) {
    if (call.operands.size() == count) return;
    refuse(call.range, fmt::format("{} takes {} argument{}, not {}", call.word.text, count,
                                   count == 1 ? "" : "s", call.operands.size()));
  }

  void expect_relaxed(const Expression& order) {
    if (order.kind == ExpressionKind::name && order.word.text == "memory_order_relaxed") return;
    refuse(order.range, "the only supported memory order is memory_order_relaxed",
           "atomic_thread_fence(memory_order_seq_cst) is a full fence");
  }

  TreeExpression access(TreeKind kind, VariableId variable, const SourceRange& range) {
    TreeExpression result;
    result.kind = kind;
    result.id = variable;
    result.range = range;
    return result;
  }

  // An expression used as a truth value.
  TreeExpression condition(const Expression& expression) {
    const SourceRange& range = expression.range;
    if (expression.kind == ExpressionKind::unary && expression.word.text == "!") {
      return negation(condition(expression.operands[0]), range);
    }
    if (expression.kind == ExpressionKind::binary) {
      const std::string_view op = expression.word.text;
      if (op == "&&" || op == "||") {
        TreeExpression result = truth(false, range);
        result.kind = op == "&&" ? TreeKind::logical_and : TreeKind::logical_or;
        result.operands.push_back(condition(expression.operands[0]));
        result.operands.push_back(condition(expression.operands[1]));
        return result;
      }
      TreeExpression result = plain_binary(expression);
      if (result.type == Type::boolean) return result;
      return binary(BinaryOperator::not_equal, std::move(result), literal(0, range), range);
    }
    return binary(BinaryOperator::not_equal, value(expression), literal(0, range), range);
  }

  TreeExpression plain_binary(const Expression& expression) {
    const Operator* const row = row_of(operators, expression.word.text);
    TreeExpression left = value(expression.operands[0]);
    return binary(row->op, std::move(left), value(expression.operands[1]), expression.range);
  }

  // An expression used as a number.
  TreeExpression value(const Expression& expression) {
    const SourceRange& range = expression.range;
    switch (expression.kind) {
      case ExpressionKind::integer: return literal(expression.value, range);
      case ExpressionKind::name:
        if (const auto id = find(expression.word.text)) return local(*id, range);
        if (!parameter(expression.word.text)) unknown(expression.word);
        refuse(range, fmt::format("'{0}' is a location: write *{0} for its value", expression.word.text));
      case ExpressionKind::dereference: return access(TreeKind::load, location(expression), range);
      case ExpressionKind::address: refuse(range, "arithmetic on addresses is not supported");
      case ExpressionKind::call: return call(expression);
      case ExpressionKind::unary: {
        if (expression.word.text == "!") return as_number(condition(expression));
        TreeExpression operand = value(expression.operands[0]);
        if (expression.word.text == "-" && is_literal(operand)) {
          return binary(BinaryOperator::subtract, literal(0, range), std::move(operand), range);
        }
        TreeExpression result = negation(std::move(operand), range);
        result.type = Type::integer;
        result.unary = expression.word.text == "-" ? UnaryOperator::negate : UnaryOperator::complement;
        return result;
      }
      case ExpressionKind::binary: break;
    }
    if (expression.word.text == "&&" || expression.word.text == "||") return as_number(condition(expression));
    TreeExpression result = plain_binary(expression);
    return result.type == Type::boolean ? as_number(std::move(result)) : result;
  }

  TreeExpression call(const Expression& call) {
    const std::string_view name = call.word.text;
    const SourceRange& range = call.range;
    if (name == "atomic_load_explicit") {
      expect_arguments(call, 2);
      expect_relaxed(call.operands[1]);
      return access(TreeKind::load, pointer(call.operands[0]), range);
    }
    if (name == "READ_ONCE") {
      expect_arguments(call, 1);
      return access(TreeKind::load, location(call.operands[0]), range);
    }
    if (name == "atomic_exchange_explicit") return update(call, TreeKind::exchange, FetchOperator::add);
    if (const Fetch* const fetch = row_of(fetches, name)) return update(call, TreeKind::fetch, fetch->op);
    if (is_sequential(name)) {
      refuse(range, fmt::format("{0} is sequentially consistent, which is not supported", name),
             fmt::format("write {}_explicit(..., memory_order_relaxed), and fences where needed", name));
    }
    if (name.starts_with("atomic_compare_exchange")) {
      refuse(range,
             "compare-and-exchange is not supported in C tests: it changes a local through its address");
    }
    refuse(call.word.range, fmt::format("the function '{}' is not supported", name));
  }

  TreeExpression update(const Expression& call, TreeKind kind, FetchOperator op) {
    expect_arguments(call, 3);
    expect_relaxed(call.operands[2]);
    TreeExpression result = access(kind, pointer(call.operands[0]), call.range);
    result.fetch = op;
    result.operands.push_back(value(call.operands[1]));
    return result;
  }

  const Thread& thread_;
  Builder& builder_;
  Body body_;
  std::vector<Named> locals_;     // visible locals
  std::vector<Named> outermost_;  // locals of the outermost block, at its end
  bool outermost_block_ = false;
  unsigned loops_ = 0;
};

}  // namespace

std::optional<std::vector<LocalId>> translate(const Thread& thread, std::uint32_t number,
                                              const std::vector<Word>& observed, Builder& builder) {
  return ThreadProgram(thread, builder).run(number, observed);
}

}  // namespace heddle::lang::litmus::c
