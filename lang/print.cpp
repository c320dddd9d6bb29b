#include "lang/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::lang {
namespace {

std::string_view spelling(UnaryOperator op) {
  switch (op) {
    case UnaryOperator::negate: return "-";
    case UnaryOperator::complement: return "~";
    case UnaryOperator::logical_not: break;
  }
  return "!";
}

std::string_view spelling(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::add: return "+";
    case BinaryOperator::subtract: return "-";
    case BinaryOperator::multiply: return "*";
    case BinaryOperator::divide: return "/";
    case BinaryOperator::remainder: return "%";
    case BinaryOperator::shift_left: return "<<";
    case BinaryOperator::shift_right: return ">>";
    case BinaryOperator::bit_and: return "&";
    case BinaryOperator::bit_or: return "|";
    case BinaryOperator::bit_xor: return "^";
    case BinaryOperator::equal: return "==";
    case BinaryOperator::not_equal: return "!=";
    case BinaryOperator::less: return "<";
    case BinaryOperator::less_equal: return "<=";
    case BinaryOperator::greater: return ">";
    case BinaryOperator::greater_equal: break;
  }
  return ">=";
}

std::string_view spelling(FetchOperator op) {
  switch (op) {
    case FetchOperator::add: return "fetch_add";
    case FetchOperator::subtract: return "fetch_sub";
    case FetchOperator::bit_and: return "fetch_and";
    case FetchOperator::bit_or: return "fetch_or";
    case FetchOperator::bit_xor: return "fetch_xor";
    case FetchOperator::max: return "fetch_max";
    case FetchOperator::min: break;
  }
  return "fetch_min";
}

std::string_view spelling(Type type) { return type == Type::boolean ? "bool" : "int"; }

std::string number(std::int64_t value) {
  // The smallest integer cannot be written as a literal.
  if (value == std::numeric_limits<std::int64_t>::min()) return fmt::format("{} - 1", value + 1);
  return std::to_string(value);
}

std::string value(std::int64_t value, Type type) {
  if (type == Type::boolean) return value != 0 ? "true" : "false";
  return number(value);
}

bool assigns(const std::vector<Statement>& statements, LocalId id) {
  return std::any_of(statements.begin(), statements.end(), [&](const Statement& statement) {
    return (statement.kind == StatementKind::assign && statement.id == id) || assigns(statement.body, id) ||
           assigns(statement.otherwise, id);
  });
}

// The operand of a logical negation; null for other expressions.
const Expression* negated(const Expression& node) {
  const bool is_negation = node.kind == ExpressionKind::unary && node.unary == UnaryOperator::logical_not;
  return is_negation ? &node.operands[0] : nullptr;
}

// The condition `!cas(...)` or `!trylock m` of a loop that only tries, which is an `await` for its negation in the tree;
// null for other awaits.
const Expression* loop_of_await(const Expression& awaited) {
  const Expression* const round = negated(awaited);
  const Expression* const tried = round == nullptr ? nullptr : negated(*round);
  if (tried == nullptr) return nullptr;
  return tried->kind == ExpressionKind::cas || tried->kind == ExpressionKind::try_lock ? round : nullptr;
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string run() {
    for (const Variable& variable : program_.variables) declaration(variable);
    for (const Function& function : program_.functions) print(function);
    for (std::uint32_t thread = 0; thread < program_.templates.size(); ++thread) print_template(thread);
    if (program_.final_block) {
      body_ = &*program_.final_block;
      out_ += "\nfinal";
      block(body_->statements);
      out_ += "\n";
    }
    if (!program_.properties.empty()) out_ += "\n";
    for (const Property& property : program_.properties) print(property);
    return std::move(out_);
  }

 private:
  void line(std::string_view text) {
    out_.append(2 * depth_, ' ');
    out_ += text;
    out_ += '\n';
  }

  void declaration(const Variable& variable) {
    std::string text = fmt::format("{} {}", variable.is_mutex ? "mutex" : "shared", variable.name);
    if (!variable.is_mutex)
      text += fmt::format(": {}{}", variable.is_plain ? "plain " : "", spelling(variable.type));
    if (variable.is_array) text += fmt::format("[{}]", variable.length);
    const auto& initial = variable.initial;
    const bool zero = std::all_of(initial.begin(), initial.end(), [](std::int64_t v) { return v == 0; });
    if (!variable.is_mutex && !zero) {
      const bool equal =
          std::all_of(initial.begin(), initial.end(), [&](std::int64_t v) { return v == initial[0]; });
      if (equal) {
        text += " = " + value(initial[0], variable.type);
      } else {
        text += " = {";
        for (std::size_t i = 0; i < initial.size(); ++i) {
          text += (i == 0 ? "" : ", ") + value(initial[i], variable.type);
        }
        text += "}";
      }
    }
    line(text + ";");
  }

  void print(const Function& function) {
    std::string parameters;
    for (std::uint32_t i = 0; i < function.parameters; ++i) {
      const Local& local = function.body.locals[i];
      parameters += fmt::format("{}{}: {}", i == 0 ? "" : ", ", local.name, spelling(local.type));
    }
    out_ += fmt::format("\nfn {}({})", function.name, parameters);
    if (function.result != Type::none) out_ += fmt::format(" -> {}", spelling(function.result));
    body_ = &function.body;
    block(function.body.statements);
    out_ += "\n";
  }

  void print_template(std::uint32_t number) {
    const ThreadTemplate& code = program_.templates[number];
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (const Thread& thread : program_.threads) {
      if (thread.thread_template != number) continue;
      if (low == high) low = thread.argument;
      high = thread.argument + 1;
    }
    out_ += fmt::format("\n{}thread {}", code.is_daemon ? "daemon " : "", code.name);
    if (code.is_family) out_ += fmt::format("[{}: {}..{}]", code.body.locals[0].name, low, high);
    body_ = &code.body;
    block(code.body.statements);
    out_ += "\n";
  }

  // --- Statements ---

  void block(const std::vector<Statement>& statements) {
    out_ += " {";
    if (statements.empty()) {
      out_ += "}";
      return;
    }
    out_ += "\n";
    ++depth_;
    for (const Statement& each : statements) statement(each);
    --depth_;
    out_.append(2 * depth_, ' ');
    out_ += "}";
  }

  void statement(const Statement& statement) {
    const auto first = [&] { return expression(statement.expressions[0]); };
    switch (statement.kind) {
      case StatementKind::block: return head("", statement);
      case StatementKind::declare: {
        const bool changes = assigns(body_->statements, statement.id);
        return line(fmt::format("{} {} = {};", changes ? "var" : "let", local(statement.id), first()));
      }
      case StatementKind::assign: return line(fmt::format("{} = {};", local(statement.id), first()));
      case StatementKind::store: return line(store(statement) + ";");
      case StatementKind::if_: return head(fmt::format("if ({})", first()), statement);
      case StatementKind::while_: return head(fmt::format("while ({})", first()), statement);
      case StatementKind::for_:
        return head(fmt::format("for {} in {}..{}", local(statement.id), operand(statement.expressions[0]),
                                operand(statement.expressions[1])),
                    statement);
      case StatementKind::break_: return line("break;");
      case StatementKind::continue_: return line("continue;");
      case StatementKind::return_:
        return line(statement.expressions.empty() ? "return;" : fmt::format("return {};", first()));
      case StatementKind::evaluate: return line(first() + ";");
      case StatementKind::fence: return line(fmt::format("{};", spelling(statement.fence)));
      case StatementKind::lock:
        return line(fmt::format("lock {};", place(statement.id, statement.expressions, 0)));
      case StatementKind::unlock:
        return line(fmt::format("unlock {};", place(statement.id, statement.expressions, 0)));
      case StatementKind::assert_:
        return line(statement.text.empty()
                        ? fmt::format("assert {};", first())
                        : fmt::format("assert {}, \"{}\";", first(), escaped(statement.text)));
      case StatementKind::assume: return line(fmt::format("assume {};", first()));
      case StatementKind::await:
        if (const auto* const round = loop_of_await(statement.expressions[0]))
          return line(fmt::format("while ({}) {{}}", expression(*round)));
        if (!statement.gives) return line(fmt::format("await {};", first()));
        return line(fmt::format("{} {} = await {};", assigns(body_->statements, statement.id) ? "var" : "let",
                                local(statement.id), first()));
      case StatementKind::progress: return line("progress;");
      case StatementKind::restart:
        if (!statement.expressions.empty()) line(fmt::format("restart if {};", first()));
        return;
      case StatementKind::either: return either(statement);
      case StatementKind::atomic: return head("atomic", statement);
    }
  }

  void head(const std::string& text, const Statement& statement) {
    out_.append(2 * depth_, ' ');
    out_ += text;
    const std::size_t before = out_.size();
    block(statement.body);
    if (text.empty()) out_.erase(before, 1);  // the space before the brace
    if (!statement.otherwise.empty()) {
      out_ += " else";
      block(statement.otherwise);
    }
    out_ += "\n";
  }

  void either(const Statement& statement) {
    if (statement.body.size() == 1) {
      const std::vector<Expression>& ends = statement.expressions[0].operands;
      out_.append(2 * depth_, ' ');
      out_ += fmt::format("either {} in {}..{}", local(statement.id), operand(ends[0]), operand(ends[1]));
      block(statement.body[0].body);
      out_ += "\n";
      return;
    }
    out_.append(2 * depth_, ' ');
    for (std::size_t i = 0; i < statement.body.size(); ++i) {
      out_ += i == 0 ? "either" : " or";
      block(statement.body[i].body);
    }
    out_ += "\n";
  }

  std::string store(const Statement& statement) {
    const std::string target = place(statement.id, statement.expressions, 1);
    const std::string text = expression(statement.expressions.back());
    if (!statement.compound) return fmt::format("{} = {}", target, text);
    return fmt::format("{} {}= {}", target, spelling(*statement.compound), text);
  }

  static std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      if (c == '\n') {
        result += "\\n";
      } else if (c == '\t') {
        result += "\\t";
      } else {
        result += c;
      }
    }
    return result;
  }

  // --- Expressions ---

  [[nodiscard]] const std::string& local(LocalId id) const { return body_->locals[id].name; }

  // The shared scalar accessed by an operation that has `others` operands besides its index.
  std::string place(VariableId id, const std::vector<Expression>& operands, std::size_t others) {
    const Variable& variable = program_.variables[id];
    if (operands.size() == others) return variable.name;
    return fmt::format("{}[{}]", variable.name, expression(operands[0]));
  }

  static bool is_atom(const Expression& expression) {
    switch (expression.kind) {
      case ExpressionKind::literal: return expression.value >= 0;
      case ExpressionKind::unary: return expression.unary != UnaryOperator::negate;
      case ExpressionKind::binary:
      case ExpressionKind::logical_and:
      case ExpressionKind::logical_or:
      case ExpressionKind::conditional: return false;
      default: return true;
    }
  }

  std::string operand(const Expression& inner) {
    return is_atom(inner) ? expression(inner) : fmt::format("({})", expression(inner));
  }

  // An operation with a location and `count` values as operands.
  std::string atomic(std::string_view name, const Expression& operation, std::size_t count) {
    const auto& operands = operation.operands;
    std::string text = fmt::format("{}({}", name, place(operation.id, operands, count));
    for (std::size_t i = operands.size() - count; i < operands.size(); ++i)
      text += ", " + expression(operands[i]);
    return text + ")";
  }

  // `a && b && c` without parentheses: both operators associate to the left, and the tree may be very high.
  std::string chain(const Expression& expression, ExpressionKind kind, std::string_view symbol) {
    const auto side = [&](const Expression& inner) {
      return inner.kind == kind ? chain(inner, kind, symbol) : operand(inner);
    };
    return side(expression.operands[0]) + fmt::format(" {} ", symbol) + side(expression.operands[1]);
  }

  std::string expression(const Expression& expression) {
    const auto& operands = expression.operands;
    switch (expression.kind) {
      case ExpressionKind::literal: return value(expression.value, expression.type);
      case ExpressionKind::local: return local(expression.id);
      case ExpressionKind::bounded: return this->expression(operands[0]);
      case ExpressionKind::load: return place(expression.id, operands, 0);
      case ExpressionKind::unary:
        return fmt::format("{}{}", spelling(expression.unary), operand(operands[0]));
      case ExpressionKind::binary:
        return fmt::format("{} {} {}", operand(operands[0]), spelling(expression.binary),
                           operand(operands[1]));
      case ExpressionKind::logical_and: return chain(expression, expression.kind, "&&");
      case ExpressionKind::logical_or: return chain(expression, expression.kind, "||");
      case ExpressionKind::conditional:
        return fmt::format("{} ? {} : {}", operand(operands[0]), operand(operands[1]), operand(operands[2]));
      case ExpressionKind::call: {
        std::string arguments;
        for (const Expression& argument : operands) {
          arguments += (arguments.empty() ? "" : ", ") + this->expression(argument);
        }
        return fmt::format("{}({})", program_.functions[expression.id].name, arguments);
      }
      case ExpressionKind::cas: return atomic("cas", expression, 2);
      case ExpressionKind::exchange: return atomic("exchange", expression, 1);
      case ExpressionKind::fetch: return atomic(spelling(expression.fetch), expression, 1);
      case ExpressionKind::try_lock: return fmt::format("trylock {}", place(expression.id, operands, 0));
      case ExpressionKind::choose:
        return fmt::format("choose({}..{})", operand(operands[0]), operand(operands[1]));
      case ExpressionKind::let: return this->expression(operands.back());  // of struct values only
      case ExpressionKind::thread_local_: break;
    }
    const Thread& thread = program_.threads[expression.thread];
    const Body& body = program_.templates[thread.thread_template].body;
    return fmt::format("{}.{}", thread.name, body.locals[expression.id].name);
  }

  // --- Properties ---

  // Filters are merged into every other property.
  std::string filters(bool negated) {
    std::string text;
    for (const Property& property : program_.properties) {
      if (property.kind != PropertyKind::filter) continue;
      const std::string condition = operand(property.condition);
      text += negated ? fmt::format("!{} || ", condition) : fmt::format("{} && ", condition);
    }
    return text;
  }

  void print(const Property& property) {
    const auto with_filters = [&](bool negated) {
      const std::string text = filters(negated);
      return text.empty() ? expression(property.condition) : text + operand(property.condition);
    };
    switch (property.kind) {
      case PropertyKind::exists: return line(fmt::format("exists {};", with_filters(false)));
      case PropertyKind::forbid: return line(fmt::format("forbid {};", with_filters(false)));
      case PropertyKind::forall: return line(fmt::format("forall {};", with_filters(true)));
      case PropertyKind::invariant: return line(fmt::format("invariant {};", expression(property.condition)));
      case PropertyKind::eventually:
        return line(fmt::format("eventually {};", expression(property.condition)));
      case PropertyKind::leads_to:
        return line(
            fmt::format("{} leads to {};", expression(property.condition), expression(property.goal)));
      case PropertyKind::filter: break;
    }
  }

  const Program& program_;
  const Body* body_ = nullptr;
  unsigned depth_ = 0;
  std::string out_;
};

}  // namespace

std::string_view spelling(FenceKind kind) {
  switch (kind) {
    case FenceKind::full: return "fence";
    case FenceKind::lightweight: return "fence lw";
    case FenceKind::store_store: return "fence st";
    case FenceKind::instruction: break;
  }
  return "fence isync";
}

std::string print_program(const Program& program) { return Printer(program).run(); }

}  // namespace heddle::lang
