#include "parse.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace heddle::lang::test {
namespace {

constexpr std::array<std::string_view, 3> unary_names = {"-", "~", "!"};
constexpr std::array<std::string_view, 16> binary_names = {"+", "-", "*",  "/",  "%", "<<", ">>", "&",
                                                           "|", "^", "==", "!=", "<", "<=", ">",  ">="};
constexpr std::array<std::string_view, 7> fetch_names = {"add", "sub", "and", "or", "xor", "max", "min"};
constexpr std::array<std::string_view, 4> fence_names = {"full", "lw", "st", "isync"};

std::string_view binary_name(BinaryOperator operation) {
  return binary_names.at(static_cast<std::size_t>(operation));
}

std::string_view type_name(Type type) {
  return type == Type::integer ? "int" : type == Type::boolean ? "bool" : "none";
}

class Dumper {
 public:
  Dumper(const Program& program, const Body* body) : program_(program), body_(body) {}

  std::string expression(const Expression& e) const {
    const auto first = [&] { return expression(e.operands[0]); };
    const auto variable = [&] { return program_.variables.at(e.id).name; };
    switch (e.kind) {
      case ExpressionKind::literal:
        return e.type == Type::boolean ? (e.value != 0 ? "true" : "false") : fmt::format("{}", e.value);
      case ExpressionKind::local:
        return fmt::format("{}#{}{}", body_->locals.at(e.id).name, e.id,
                           e.operands.empty() ? "" : fmt::format("[{}]", first()));
      case ExpressionKind::bounded: return fmt::format("bounded({}; {})", first(), e.value);
      case ExpressionKind::load:
        return e.operands.empty() ? variable() : fmt::format("{}[{}]", variable(), first());
      case ExpressionKind::unary:
        return fmt::format("({}{})", unary_names.at(static_cast<std::size_t>(e.unary)), first());
      case ExpressionKind::binary:
        return fmt::format("({} {} {})", first(), binary_name(e.binary), expression(e.operands[1]));
      case ExpressionKind::logical_and: return fmt::format("({} && {})", first(), expression(e.operands[1]));
      case ExpressionKind::logical_or: return fmt::format("({} || {})", first(), expression(e.operands[1]));
      case ExpressionKind::conditional:
        return fmt::format("({} ? {} : {})", first(), expression(e.operands[1]), expression(e.operands[2]));
      case ExpressionKind::call: return fmt::format("{}({})", program_.functions.at(e.id).name, list(e));
      case ExpressionKind::cas: return fmt::format("cas:{}({}; {})", type_name(e.type), variable(), list(e));
      case ExpressionKind::exchange:
        return fmt::format("exchange:{}({}; {})", type_name(e.type), variable(), list(e));
      case ExpressionKind::fetch:
        return fmt::format("fetch_{}({}; {})", fetch_names.at(static_cast<std::size_t>(e.fetch)), variable(),
                           list(e));
      case ExpressionKind::try_lock: return fmt::format("trylock({}; {})", variable(), list(e));
      case ExpressionKind::choose: return fmt::format("choose({})", list(e));
      case ExpressionKind::let:
        return fmt::format("let({}#{} {}; {})", e.value == 0 ? body_->locals.at(e.id).name : "", e.id,
                           e.value, list(e));
      case ExpressionKind::thread_local_: {
        const Thread& thread = program_.threads.at(e.thread);
        const Body& body = program_.templates.at(thread.thread_template).body;
        return fmt::format("{}.{}", thread.name, body.locals.at(e.id).name);
      }
    }
    return "?";
  }

  void statements(const std::vector<Statement>& list, int indent) {
    for (const Statement& s : list) statement(s, indent);
  }

  std::string take() { return std::move(out_); }

 private:
  std::string list(const Expression& e) const {
    std::string out;
    for (const Expression& operand : e.operands) out += (out.empty() ? "" : ", ") + expression(operand);
    return out;
  }

  std::string list(const Statement& s) const {
    std::string out;
    for (const Expression& operand : s.expressions) out += (out.empty() ? "" : ", ") + expression(operand);
    return out;
  }

  std::string local(LocalId id) const {
    const Local& found = body_->locals.at(id);
    return fmt::format("{}#{}:{}{}", found.name, id, type_name(found.type), found.top_level ? "!" : "");
  }

  void line(int indent, const std::string& text) {
    out_ += std::string(static_cast<std::size_t>(2 * indent), ' ') + text + '\n';
  }

  void statement(const Statement& s, int indent) {
    const auto variable = [&] { return program_.variables.at(s.id).name; };
    switch (s.kind) {
      case StatementKind::block: line(indent, "block"); break;
      case StatementKind::declare: line(indent, fmt::format("declare {} = {}", local(s.id), list(s))); break;
      case StatementKind::assign: line(indent, fmt::format("assign {} = {}", local(s.id), list(s))); break;
      case StatementKind::store:
        line(indent,
             fmt::format("store {} {}= {}", variable(), s.compound ? binary_name(*s.compound) : "", list(s)));
        break;
      case StatementKind::if_: line(indent, "if " + list(s)); break;
      case StatementKind::while_: line(indent, "while " + list(s)); break;
      case StatementKind::for_: line(indent, fmt::format("for {} in {}", local(s.id), list(s))); break;
      case StatementKind::break_: line(indent, "break"); break;
      case StatementKind::continue_: line(indent, "continue"); break;
      case StatementKind::return_: line(indent, "return " + list(s)); break;
      case StatementKind::evaluate: line(indent, "evaluate " + list(s)); break;
      case StatementKind::fence:
        line(indent, fmt::format("fence {}", fence_names.at(static_cast<std::size_t>(s.fence))));
        break;
      case StatementKind::lock: line(indent, fmt::format("lock {} {}", variable(), list(s))); break;
      case StatementKind::unlock: line(indent, fmt::format("unlock {} {}", variable(), list(s))); break;
      case StatementKind::assert_: line(indent, fmt::format("assert {} '{}'", list(s), s.text)); break;
      case StatementKind::assume: line(indent, "assume " + list(s)); break;
      case StatementKind::await:
        line(indent, (s.gives ? "await " + local(s.id) + " = " : "await ") + list(s));
        break;
      case StatementKind::either: line(indent, fmt::format("either#{} {}", s.id, list(s))); break;
      case StatementKind::atomic: line(indent, "atomic"); break;
      case StatementKind::progress: line(indent, "progress"); break;
      case StatementKind::restart: line(indent, "restart " + list(s)); break;
    }
    statements(s.body, indent + 1);
    if (!s.otherwise.empty()) {
      line(indent, "else");
      statements(s.otherwise, indent + 1);
    }
  }

  const Program& program_;
  const Body* body_;
  std::string out_;
};

std::string dump_variable(const Variable& variable) {
  std::string values;
  for (const std::int64_t value : variable.initial)
    values += fmt::format("{}{}", values.empty() ? "" : " ", value);
  return fmt::format("{} {}:{}{}{} @{} = {}\n", variable.is_mutex ? "mutex" : "shared", variable.name,
                     variable.is_plain ? "plain " : "", type_name(variable.type),
                     variable.is_array ? fmt::format("[{}]", variable.length) : "", variable.first_location,
                     values);
}

std::string dump_expectation(const Expectation& expectation) {
  constexpr std::array<std::string_view, 14> outcomes = {
      "safe",   "safe within bounds", "vacuous",  "violation",  "deadlock", "race",   "never", "sometimes",
      "always", "executions",         "outcomes", "terminates", "livelock", "starves"};
  std::string settings;
  for (const auto& [name, value] : expectation.parameters) settings += fmt::format(" {}={}", name, value);
  return fmt::format("expect {} by {} with{}: {} '{}' {}\n", fmt::join(expectation.models, " "),
                     fmt::join(expectation.algorithms, " "), settings,
                     outcomes.at(static_cast<std::size_t>(expectation.outcome)), expectation.text,
                     expectation.count);
}

}  // namespace

std::string Parsed::rendered() const {
  std::string out;
  for (const Diagnostic& error : diagnostics.errors()) out += render(error, sources);
  return out;
}

std::string Parsed::messages() const {
  std::string out;
  for (const Diagnostic& error : diagnostics.errors()) {
    const LineColumn place = sources.locate(error.range.file, error.range.begin);
    out += fmt::format("{}:{}: {}\n", place.line, place.column, error.message);
  }
  return out;
}

Parsed parse(std::string text, const Parameters& parameters, std::string name) {
  Parsed parsed;
  const std::uint32_t file = parsed.sources.add(std::move(name), std::move(text));
  parsed.program = parse_source(parsed.sources, file, parameters, parsed.diagnostics,
                                {.loader = {},
                                 .models = {"sc", "tso", "pso", "power"},
                                 .algorithms = {"naive", "dpor", "source", "sdpor", "rsmc", "trust", "rf"}});
  return parsed;
}

std::string dump_body(const Program& program, const Body& body) {
  Dumper dumper(program, &body);
  dumper.statements(body.statements, 0);
  return dumper.take();
}

std::string dump_expression(const Program& program, const Body* body, const Expression& expression) {
  return Dumper(program, body).expression(expression);
}

std::string dump(const Program& program) {
  std::string out;
  for (const Parameter& parameter : program.parameters) {
    out += fmt::format("param {} = {} ({})\n", parameter.name, parameter.value, parameter.default_value);
  }
  for (const Variable& variable : program.variables) out += dump_variable(variable);
  for (const Function& function : program.functions) {
    out += fmt::format("fn {}/{} -> {}\n", function.name, function.parameters, type_name(function.result));
    out += dump_body(program, function.body);
  }
  for (const Thread& thread : program.threads) {
    out += fmt::format("thread {} = {}({})\n", thread.name, program.templates.at(thread.thread_template).name,
                       thread.argument);
  }
  for (const ThreadTemplate& thread : program.templates) {
    out += fmt::format("template {}{}\n", thread.name, thread.is_family ? "[]" : "");
    out += dump_body(program, thread.body);
  }
  if (program.final_block) out += "final\n" + dump_body(program, *program.final_block);
  constexpr std::array<std::string_view, 7> kinds = {"exists",    "forall",     "forbid",  "filter",
                                                     "invariant", "eventually", "leads to"};
  for (const Property& property : program.properties) {
    out += fmt::format("{} {}\n", kinds.at(static_cast<std::size_t>(property.kind)),
                       dump_expression(program, nullptr, property.condition));
    if (property.kind == PropertyKind::leads_to)
      out += fmt::format("to {}\n", dump_expression(program, nullptr, property.goal));
  }
  for (const Expectation& expectation : program.expectations) out += dump_expectation(expectation);
  return out;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace heddle::lang::test
