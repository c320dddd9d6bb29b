#include "lang/litmus/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle::lang::litmus {
namespace {

// Keywords of C, and other words with a meaning in a test or in the headers it includes.
constexpr auto reserved_words = std::to_array<std::string_view>(
    {"NULL",     "_Atomic", "alignas",  "alignof",   "asm",       "auto",      "bool",   "break",
     "case",     "char",    "const",    "constexpr", "continue",  "default",   "do",     "double",
     "else",     "enum",    "exists",   "extern",    "false",     "filter",    "float",  "for",
     "forall",   "goto",    "if",       "inline",    "int",       "locations", "long",   "main",
     "not",      "nullptr", "register", "restrict",  "return",    "short",     "signed", "sizeof",
     "smp_mb",   "static",  "struct",   "switch",    "true",      "typedef",   "typeof", "union",
     "unsigned", "void",    "volatile", "while",     "READ_ONCE", "WRITE_ONCE"});

bool is_reserved(std::string_view name) {
  return std::ranges::find(reserved_words, name) != reserved_words.end();
}
bool begins_as_reserved(std::string_view name) {
  return name.starts_with("atomic_") || name.starts_with("memory_order_");
}

class Printer {
 public:
  Printer(const Program& program, std::string_view name) : program_(program), name_(name) {
    for (const Variable& variable : program.variables) taken_.insert(variable.name);
    for (const ThreadTemplate& thread : program.templates) {
      for (const Local& local : thread.body.locals) taken_.insert(local.name);
    }
  }

  std::variant<std::string, NotALitmusTest> run() {
    try {
      refuse_what_does_not_fit();
      out_ = fmt::format("C {}\n{{\n", name_);
      for (const Variable& variable : program_.variables) {
        out_ += fmt::format("  int {} = {};\n", c_name(variable.name),
                            variable.initial.empty() ? 0 : variable.initial[0]);
      }
      out_ += "}\n";
      for (std::size_t number = 0; number < program_.threads.size(); ++number) thread(number);
      properties();
      return std::move(out_);
    } catch (NotALitmusTest& reason) {
      return std::move(reason);
    }
  }

 private:
  [[noreturn]] static void refuse(const SourceRange& range, std::string message) {
    throw NotALitmusTest{range, std::move(message)};
  }

  void refuse_what_does_not_fit() {
    for (const Variable& variable : program_.variables) {
      if (variable.is_mutex) refuse(variable.range, "a litmus test has no mutexes");
      if (variable.is_plain) refuse(variable.range, "a litmus test has no plain variables");
      if (variable.length > 1) refuse(variable.range, "a litmus test has no arrays");
      if (variable.type == Type::boolean) refuse(variable.range, "a litmus test has no booleans");
    }
    if (program_.final_block) refuse({}, "a litmus test has no final block");
    for (const ThreadTemplate& thread : program_.templates) {
      if (thread.is_daemon) refuse(thread.range, "a litmus test has no daemons");
      if (thread.is_family) refuse(thread.range, "a litmus test has no families of threads");
    }
    if (program_.properties.size() > 1) {
      refuse(program_.properties[1].range, "a litmus test has one condition only");
    }
  }

  // A name that is free in C and in litmus tests: `name` itself, with invalid characters replaced by '_'.
  const std::string& c_name(const std::string& name) {
    const auto [known, inserted] = c_names_.emplace(name, name);
    std::string& result = known->second;
    if (!inserted) return result;
    for (char& c : result) {
      if (c == '.' || c == '[' || c == ']') c = '_';  // from modules and structs
    }
    if (begins_as_reserved(result)) result.insert(0, 1, '_');
    while (is_reserved(result) || (result != name && taken_.contains(result))) result += '_';
    taken_.insert(result);
    return result;
  }
  const std::string& location(VariableId id) { return c_name(program_.variables[id].name); }
  const std::string& local(LocalId id) { return c_name(body_->locals[id].name); }

  void line(std::string_view text) {
    out_.append(2 * depth_, ' ');
    out_ += text;
    out_ += '\n';
  }

  void thread(std::size_t number) {
    body_ = &program_.templates[program_.threads[number].thread_template].body;
    std::string parameters;
    for (const Variable& variable : program_.variables) {
      parameters += fmt::format("{}atomic_int *{}", parameters.empty() ? "" : ", ", c_name(variable.name));
    }
    out_ += fmt::format("\nP{} ({}) {{\n", number, parameters);
    statements(body_->statements);
    out_ += "}\n";
  }

  void statements(const std::vector<Statement>& list) {
    ++depth_;
    for (const Statement& each : list) statement(each);
    --depth_;
  }

  void nested(const std::string& head, const Statement& statement) {
    line(head + "{");
    statements(statement.body);
    if (!statement.otherwise.empty()) {
      line("} else {");
      statements(statement.otherwise);
    }
    line("}");
  }

  void statement(const Statement& statement) {
    const auto first = [&] { return expression(statement.expressions[0]); };
    switch (statement.kind) {
      case StatementKind::block: return nested("", statement);
      case StatementKind::declare: return line(fmt::format("int {} = {};", local(statement.id), first()));
      case StatementKind::assign: return line(fmt::format("{} = {};", local(statement.id), first()));
      case StatementKind::store: return store(statement);
      case StatementKind::if_: return nested(fmt::format("if ({}) ", first()), statement);
      case StatementKind::while_: return nested(fmt::format("while ({}) ", first()), statement);
      case StatementKind::break_: return line("break;");
      case StatementKind::continue_: return line("continue;");
      case StatementKind::return_: return line("return;");
      case StatementKind::evaluate: return line(first() + ";");
      case StatementKind::fence:
        if (statement.fence != FenceKind::full) refuse(statement.range, "C has full fences only");
        return line("atomic_thread_fence(memory_order_seq_cst);");
      case StatementKind::for_: refuse(statement.range, "a litmus test has no for loops");
      case StatementKind::lock:
      case StatementKind::unlock: refuse(statement.range, "a litmus test has no mutexes");
      case StatementKind::assert_: refuse(statement.range, "a litmus test has no assertions");
      case StatementKind::progress: refuse(statement.range, "a litmus test has no progress");
      case StatementKind::assume: refuse(statement.range, "a litmus test has no assume");
      case StatementKind::await: refuse(statement.range, "a litmus test has no await");
      case StatementKind::restart: refuse(statement.range, "a litmus test has no restart");
      case StatementKind::either: refuse(statement.range, "a litmus test has no either");
      case StatementKind::atomic: refuse(statement.range, "a litmus test has no atomic blocks");
    }
  }

  void refuse_index(const std::vector<Expression>& operands, std::size_t plain, const SourceRange& range) {
    const bool zero = operands[0].kind == ExpressionKind::literal && operands[0].value == 0;
    if (operands.size() > plain && !zero) refuse(range, "a litmus test in C has no computed locations");
  }

  void store(const Statement& statement) {
    if (statement.expressions.size() > 1) refuse_index(statement.expressions, 1, statement.range);
    const std::string& name = location(statement.id);
    std::string text = expression(statement.expressions.back());
    if (statement.compound) refuse(statement.range, "write this as a load and a store for a litmus test");
    line(fmt::format("*{} = {};", name, text));
  }

  std::string operand(const Expression& inner) {
    const bool simple =
        inner.kind == ExpressionKind::local || (inner.kind == ExpressionKind::literal && inner.value >= 0);
    return simple ? expression(inner) : fmt::format("({})", expression(inner));
  }

  std::string update(std::string_view function, const Expression& expression) {
    if (expression.operands.size() > 1) refuse_index(expression.operands, 1, expression.range);
    return fmt::format("{}({}, {}, memory_order_relaxed)", function, location(expression.id),
                       this->expression(expression.operands.back()));
  }

  std::string fetch(const Expression& expression) {
    switch (expression.fetch) {
      case FetchOperator::add: return update("atomic_fetch_add_explicit", expression);
      case FetchOperator::subtract: return update("atomic_fetch_sub_explicit", expression);
      case FetchOperator::bit_and: return update("atomic_fetch_and_explicit", expression);
      case FetchOperator::bit_or: return update("atomic_fetch_or_explicit", expression);
      case FetchOperator::bit_xor: return update("atomic_fetch_xor_explicit", expression);
      case FetchOperator::max:
      case FetchOperator::min: break;
    }
    refuse(expression.range, "C has no fetch_max and no fetch_min");
  }

  std::string expression(const Expression& expression) {
    const auto& operands = expression.operands;
    switch (expression.kind) {
      case ExpressionKind::literal:
        if (expression.value == std::numeric_limits<std::int64_t>::min()) {
          return fmt::format("{} - 1", expression.value + 1);
        }
        return std::to_string(expression.value);
      case ExpressionKind::local:
        if (!operands.empty()) refuse(expression.range, "litmus tests in C have no arrays");
        return local(expression.id);
      case ExpressionKind::bounded: refuse(expression.range, "litmus tests in C have no arrays");
      case ExpressionKind::load:
        if (!operands.empty()) refuse_index(operands, 0, expression.range);
        return fmt::format("*{}", location(expression.id));
      case ExpressionKind::unary: {
        constexpr std::string_view symbols[] = {"-", "~", "!"};
        return fmt::format("{}{}", symbols[static_cast<std::size_t>(expression.unary)], operand(operands[0]));
      }
      case ExpressionKind::binary: {
        constexpr std::string_view symbols[] = {"+", "-", "*",  "/",  "%", "<<", ">>", "&",
                                                "|", "^", "==", "!=", "<", "<=", ">",  ">="};
        return fmt::format("{} {} {}", operand(operands[0]),
                           symbols[static_cast<std::size_t>(expression.binary)], operand(operands[1]));
      }
      case ExpressionKind::logical_and:
        return fmt::format("{} && {}", operand(operands[0]), operand(operands[1]));
      case ExpressionKind::logical_or:
        return fmt::format("{} || {}", operand(operands[0]), operand(operands[1]));
      case ExpressionKind::exchange: return update("atomic_exchange_explicit", expression);
      case ExpressionKind::fetch: return fetch(expression);
      case ExpressionKind::cas: refuse(expression.range, "a litmus test in C has no cas here");
      case ExpressionKind::conditional:
        refuse(expression.range, "a litmus test has no conditional expressions");
      case ExpressionKind::call: refuse(expression.range, "a litmus test has no functions");
      case ExpressionKind::choose: refuse(expression.range, "a litmus test has no choose");
      case ExpressionKind::try_lock: refuse(expression.range, "a litmus test has no mutexes");
      case ExpressionKind::let: refuse(expression.range, "litmus tests in C have no struct values");
      case ExpressionKind::thread_local_: break;
    }
    refuse(expression.range, "a thread cannot read another thread's locals");
  }

  // --- Conditions ---

  std::string place(const Expression& expression) {
    if (expression.kind == ExpressionKind::load) return location(expression.id);
    const Thread& thread = program_.threads[expression.thread];
    return fmt::format("{}:{}", expression.thread,
                       c_name(program_.templates[thread.thread_template].body.locals[expression.id].name));
  }

  static bool is_place(const Expression& expression) {
    return expression.kind == ExpressionKind::load || expression.kind == ExpressionKind::thread_local_;
  }

  std::string condition(const Expression& expression) {
    const auto& operands = expression.operands;
    switch (expression.kind) {
      case ExpressionKind::literal: return expression.value != 0 ? "true" : "false";
      case ExpressionKind::unary:
        if (expression.unary == UnaryOperator::logical_not)
          return fmt::format("not ({})", condition(operands[0]));
        break;
      case ExpressionKind::logical_and:
        return fmt::format("({} /\\ {})", condition(operands[0]), condition(operands[1]));
      case ExpressionKind::logical_or:
        return fmt::format("({} \\/ {})", condition(operands[0]), condition(operands[1]));
      case ExpressionKind::binary: {
        const bool equal = expression.binary == BinaryOperator::equal;
        if (!equal && expression.binary != BinaryOperator::not_equal) break;
        const bool swapped = operands[0].kind == ExpressionKind::literal;
        const Expression& left = operands[swapped ? 1 : 0];
        const Expression& right = operands[swapped ? 0 : 1];
        if (!is_place(left) || right.kind != ExpressionKind::literal) break;
        const std::string text = fmt::format("{}={}", place(left), right.value);
        return equal ? text : fmt::format("not ({})", text);
      }
      default: break;
    }
    refuse(expression.range,
           "the condition of a litmus test compares locations and locals with numbers only");
  }

  void properties() {
    if (program_.properties.empty()) {
      std::string places;
      for (const Variable& variable : program_.variables) places += c_name(variable.name) + "; ";
      for (std::size_t number = 0; number < program_.threads.size(); ++number) {
        const Thread& thread = program_.threads[number];
        for (const Local& local : program_.templates[thread.thread_template].body.locals) {
          if (local.top_level) places += fmt::format("{}:{}; ", number, c_name(local.name));
        }
      }
      out_ += fmt::format("\nlocations [{}]\n", places);
      return;
    }
    const Property& property = program_.properties.front();
    if (property.kind == PropertyKind::invariant)
      refuse(property.range, "a litmus test has no invariants, only a condition over final states");
    if (is_temporal(property.kind))
      refuse(property.range, "a litmus test claims nothing about runs, only about final states");
    constexpr std::string_view kinds[] = {"exists", "forall", "~exists", "filter"};
    out_ += fmt::format("\n{} {}\n", kinds[static_cast<std::size_t>(property.kind)],
                        condition(property.condition));
  }

  const Program& program_;
  std::string_view name_;
  std::set<std::string> taken_;                 // names in use
  std::map<std::string, std::string> c_names_;  // keyed by name in the program
  const Body* body_ = nullptr;
  unsigned depth_ = 0;
  std::string out_;
};

}  // namespace

std::variant<std::string, NotALitmusTest> print_test(const Program& program, std::string_view name) {
  return Printer(program, name).run();
}

}  // namespace heddle::lang::litmus
