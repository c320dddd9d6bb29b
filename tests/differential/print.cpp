// Prints random programs as text.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "random_program.hpp"

namespace heddle::differential {

namespace {

using Of = Expression::Kind;
using Do = Statement::Kind;

// The functions that random programs call, each with several returns. `call` and `update` refer to them by
// name.
struct Function {
  std::string_view name;
  std::string_view text;
};
constexpr std::array<Function, 4> functions{{
    {"take",
     "fn take(v: ref int, by: int) -> int {\n"
     "  let old = v;\n"
     "  if old != 0 { return old; }\n"
     "  v = by;\n"
     "  return 0 - by;\n"
     "}\n"},
    {"bump",
     "fn bump(v: ref int, by: int) -> int {\n"
     "  v += by;\n"
     "  if by == 0 { return 7; }\n"
     "  return v;\n"
     "}\n"},
    {"as_enum",
     "fn as_enum(v: int) -> E {\n"
     "  if v == 0 { return E.a; }\n"
     "  if v == 1 { return E.b; } else { return E.c; }\n"
     "}\n"},
    {"as_int",
     "fn as_int(v: E) -> int {\n"
     "  if v == E.a { return 0; }\n"
     "  return v == E.b ? 1 : 2;\n"
     "}\n"},
}};

std::string condition_variable(const std::string& mutex) { return "c" + mutex; }

// The names that a program uses, which must be declared.
struct Names {
  std::set<std::string> shared;  // without fields and indices
  std::set<std::string> mutexes;
  std::set<std::string> conditions;  // named by their mutexes
  std::set<std::string> functions;
};

std::string base(const std::string& name) { return name.substr(0, name.find('.')); }

void collect(const Expression& expression, Names& names) {
  if (expression.kind == Of::load) names.shared.insert(base(expression.name));
  for (const auto& operand : expression.operands) collect(operand, names);
}

void collect(const Block& block, Names& names) {
  for (const auto& s : block) {
    if (s.has_place()) collect(s.place, names);
    switch (s.kind) {
      case Do::wait:
      case Do::signal:
      case Do::broadcast: names.conditions.insert(s.word); [[fallthrough]];
      case Do::lock:
      case Do::unlock:
      case Do::try_lock: names.mutexes.insert(s.word); break;
      case Do::call:
      case Do::update: names.functions.insert(s.word); break;
      case Do::choose:
        if (!s.word.empty()) names.shared.insert(enum_name);
        break;
      default: break;
    }
    for (const auto& operand : s.operands) collect(operand, names);
    collect(s.body, names);
    collect(s.otherwise, names);
  }
}

// Locals that must be declared before the thread's first statement: all except those that are assigned
// exactly once, at the top level, before they are used.
class EarlyLocals {
 public:
  explicit EarlyLocals(const Block& body) {
    visit(body, 0);
    for (const auto& [local, count] : assignments_) {
      if (count > 1) early_.insert(local);
    }
  }
  [[nodiscard]] const std::set<std::int64_t>& early() const { return early_; }
  [[nodiscard]] bool array() const { return array_; }

 private:
  void use(const Expression& expression) {
    if (expression.kind == Of::local && !assignments_.contains(expression.value))
      early_.insert(expression.value);
    array_ = array_ || expression.kind == Of::element;
    for (const auto& operand : expression.operands) use(operand);
  }
  void visit(const Block& block, int depth) {
    for (const auto& s : block) {
      if (s.has_place()) use(s.place);
      for (const auto& operand : s.operands) use(operand);
      if (s.has_target()) {
        ++assignments_[s.target];
        if (depth > 0 || s.kind == Do::repeat || s.kind == Do::update) early_.insert(s.target);
      }
      visit(s.body, depth + 1);
      visit(s.otherwise, depth + 1);
    }
  }
  std::map<std::int64_t, int> assignments_;
  std::set<std::int64_t> early_;
  bool array_ = false;
};

std::string local_name(std::int64_t number) { return "r" + std::to_string(number); }

bool is_enum(const Expression& place) { return place.kind == Of::load && place.name == enum_name; }

// The expression as something that can be loaded and stored.
std::string place_text(const Expression& place, bool in_family) {
  if (place.operands.empty()) return place.name;
  const std::string index = "[" + print(place.operands[0], in_family) + "]";
  if (place.kind == Of::element) return "b" + index;
  const std::string name = base(place.name);
  return name + index + place.name.substr(name.size());
}

class Printer {
 public:
  std::string text(const RandomProgram& program) {
    Names names;
    for (const auto& thread : program.threads) collect(thread.body, names);
    collect(program.final_block, names);
    for (const auto& condition : program.conditions) collect(condition.expression, names);
    declare(names, std::to_string(program.initial));
    for (const auto& one : program.threads) thread(one);
    if (!program.final_block.empty()) {
      text_ += "final {\n";
      body(program.final_block);
      text_ += "}\n";
    }
    for (const auto& condition : program.conditions)
      text_ += condition.kind + " " + print(condition.expression) + ";\n";
    return text_;
  }

 private:
  void declare(const Names& names, const std::string& initial) {
    if (names.shared.contains("s") || names.shared.contains("t"))
      line(0, "struct S { f: int = " + initial + "; g: int = " + initial + "; }");
    const bool enumeration = names.shared.contains(enum_name);
    if (enumeration) line(0, "enum E { a, b, c }");
    for (const auto& name : names.shared) {
      const std::string type = name == array_name  ? "int[2] = " + initial
                               : name == "s"       ? "S"
                               : name == "t"       ? "S[2]"
                               : name == enum_name ? std::string("E")
                                                   : "int = " + initial;
      line(0, "shared " + name + ": " + type + ";");
    }
    for (const auto& name : names.mutexes) line(0, "mutex " + name + ";");
    for (const auto& mutex : names.conditions) line(0, "cond " + condition_variable(mutex) + ";");
    for (const auto& function : functions) {
      if (names.functions.contains(std::string(function.name)) ||
          (enumeration && function.name.starts_with("as_")))
        text_ += function.text;
    }
  }

  void thread(const Thread& thread) {
    in_family_ = thread.has_argument();
    if (thread.proc) {
      text_ += "proc " + thread.name() + "(i: int)";
    } else {
      text_ += "thread " + thread.name();
      if (in_family_) text_ += "[i: 0.." + std::to_string(thread.copies) + "]";
    }
    text_ += " {\n";
    const EarlyLocals locals(thread.body);
    early_ = locals.early();
    for (const auto local : early_) line(1, "var " + local_name(local) + ": int = 0;");
    if (locals.array()) line(1, "var b: int[2] = 0;");
    body(thread.body);
    text_ += "}\n";
    early_.clear();
    in_family_ = false;
  }

  void body(const Block& block) {
    for (const auto& s : block) statement(s, 1);
  }

  void line(int depth, const std::string& text) {
    text_.append(static_cast<std::size_t>(2 * depth), ' ');
    text_ += text + "\n";
  }
  [[nodiscard]] std::string operand(const Statement& s, std::size_t index) const {
    return print(s.operands[index], in_family_);
  }
  // The operand, converted to the type of the statement's place.
  [[nodiscard]] std::string stored(const Statement& s, std::size_t index) const {
    return is_enum(s.place) ? "as_enum(" + operand(s, index) + ")" : operand(s, index);
  }
  void assign(const Statement& s, int depth, const std::string& value) {
    const bool declares = !early_.contains(s.target);
    line(depth, (declares ? "let " : "") + local_name(s.target) + " = " + value + ";");
  }

  void nested(const Block& block, int depth, const std::string& head, const std::string& last = {}) {
    line(depth, head + " {");
    for (const auto& s : block) statement(s, depth + 1);
    if (!last.empty()) line(depth + 1, last);
    line(depth, "}");
  }

  void statement(const Statement& s, int depth) {
    switch (s.kind) {
      case Do::assign: return assign(s, depth, operand(s, 0));
      case Do::store:
      case Do::keep:
      case Do::compound:
      case Do::cas:
      case Do::exchange:
      case Do::fetch:
      case Do::call: return access(s, depth);
      case Do::update: return line(depth, s.word + "(" + local_name(s.target) + ", " + operand(s, 0) + ");");
      case Do::fence: return line(depth, s.word.empty() ? "fence;" : "fence " + s.word + ";");
      case Do::lock: return line(depth, "lock " + s.word + ";");
      case Do::unlock: return line(depth, "unlock " + s.word + ";");
      case Do::try_lock: return assign(s, depth, "trylock " + s.word + " ? 1 : 0");
      case Do::wait: return line(depth, "wait " + condition_variable(s.word) + ", " + s.word + ";");
      case Do::signal: return line(depth, "signal " + condition_variable(s.word) + ";");
      case Do::broadcast: return line(depth, "broadcast " + condition_variable(s.word) + ";");
      case Do::spawn: return spawn(s, depth);
      case Do::join: return line(depth, "join " + s.word + ";");
      case Do::choose:
        return assign(
            s, depth,
            s.word.empty() ? "choose(0.." + std::to_string(s.bound) + ")" : "as_int(choose(" + s.word + "))");
      case Do::assume: return line(depth, "assume " + operand(s, 0) + ";");
      case Do::await: return line(depth, "await " + operand(s, 0) + ";");
      case Do::assertion: return line(depth, "assert " + operand(s, 0) + ";");
      case Do::branch:
        nested(s.body, depth, "if " + operand(s, 0));
        if (!s.otherwise.empty()) {
          text_.pop_back();
          nested_else(s.otherwise, depth);
        }
        return;
      case Do::repeat: {
        const auto counter = local_name(s.target);
        line(depth, counter + " = 0;");
        return nested(s.body, depth, "while " + counter + " < " + std::to_string(s.bound),
                      counter + " += 1;");
      }
      case Do::spin: return nested(s.body, depth, "while " + operand(s, 0));
      case Do::leave: return line(depth, "break;");
    }
  }

  // Statements that access a place.
  void access(const Statement& s, int depth) {
    const auto place = place_text(s.place, in_family_);
    switch (s.kind) {
      case Do::compound: return line(depth, place + " " + s.word + " " + operand(s, 0) + ";");
      case Do::cas:
        return assign(s, depth, "cas(" + place + ", " + stored(s, 0) + ", " + stored(s, 1) + ") ? 1 : 0");
      case Do::exchange: {
        const auto exchange = "exchange(" + place + ", " + stored(s, 0) + ")";
        return assign(s, depth, is_enum(s.place) ? "as_int(" + exchange + ")" : exchange);
      }
      case Do::fetch: return assign(s, depth, "fetch_" + s.word + "(" + place + ", " + operand(s, 0) + ")");
      case Do::call: return assign(s, depth, s.word + "(" + place + ", " + operand(s, 0) + ")");
      default: return line(depth, place + " = " + stored(s, 0) + ";");
    }
  }

  void spawn(const Statement& s, int depth) {
    const auto call = "spawn " + s.word + "(" + operand(s, 0) + ");";
    if (s.bound == 1) return line(depth, call);
    line(depth, "for k in 0.." + std::to_string(s.bound) + " { " + call + " }");
  }

  void nested_else(const Block& block, int depth) {
    text_ += " else {\n";
    for (const auto& s : block) statement(s, depth + 1);
    line(depth, "}");
  }

  std::string text_;
  std::set<std::int64_t> early_;
  bool in_family_ = false;
};

}  // namespace

std::string print(const Expression& expression, bool in_family) {
  const auto operand = [&](std::size_t i) { return print(expression.operands[i], in_family); };
  switch (expression.kind) {
    case Of::constant: return std::to_string(expression.value);
    case Of::truth: return expression.value != 0 ? "true" : "false";
    case Of::local: return local_name(expression.value);
    case Of::argument: return in_family ? "i" : "0";
    case Of::load:
      if (is_enum(expression)) {
        static constexpr std::array<const char*, 3> values{"a", "b", "c"};
        return std::string("(e == E.") + values[static_cast<std::size_t>(expression.value) % 3] + " ? 1 : 0)";
      }
      return place_text(expression, in_family);
    case Of::element: return place_text(expression, in_family);
    case Of::member: return expression.name;
    case Of::negation: return "!(" + operand(0) + ")";
    case Of::binary: return "(" + operand(0) + " " + expression.name + " " + operand(1) + ")";
    case Of::conditional: return "(" + operand(0) + " ? " + operand(1) + " : " + operand(2) + ")";
  }
  return {};
}

std::string print(const RandomProgram& program) { return Printer().text(program); }

}  // namespace heddle::differential
