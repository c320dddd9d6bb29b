#include "random_program.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace heddle::differential {

namespace {

using Of = Expression::Kind;
using Do = Statement::Kind;

// What a program names, so that it can be declared.
struct Names {
  std::set<std::string> shared;
  std::set<std::string> mutexes;
};

void collect(const Expression& expression, Names& names) {
  if (expression.kind == Of::load) names.shared.insert(expression.name);
  for (const auto& operand : expression.operands) collect(operand, names);
}

void collect(const Block& block, Names& names) {
  for (const auto& s : block) {
    if (s.has_place()) collect(s.place, names);
    if (s.kind == Do::lock || s.kind == Do::unlock || s.kind == Do::try_lock) names.mutexes.insert(s.word);
    for (const auto& operand : s.operands) collect(operand, names);
    collect(s.body, names);
    collect(s.otherwise, names);
  }
}

// Locals that must be declared before the thread's first statement: those that are not assigned exactly once,
// at the top level, before they are used.
class EarlyLocals {
 public:
  explicit EarlyLocals(const Block& body) {
    visit(body, 0);
    for (const auto& [local, count] : assignments_) {
      if (count > 1) early_.insert(local);
    }
  }
  [[nodiscard]] const std::set<std::int64_t>& early() const { return early_; }

 private:
  void use(const Expression& expression) {
    if (expression.kind == Of::local && !assignments_.contains(expression.value))
      early_.insert(expression.value);
    for (const auto& operand : expression.operands) use(operand);
  }
  void visit(const Block& block, int depth) {
    for (const auto& s : block) {
      if (s.has_place()) use(s.place);
      for (const auto& operand : s.operands) use(operand);
      if (s.has_target()) {
        ++assignments_[s.target];
        if (depth > 0 || s.kind == Do::repeat) early_.insert(s.target);
      }
      visit(s.body, depth + 1);
      visit(s.otherwise, depth + 1);
    }
  }
  std::map<std::int64_t, int> assignments_;
  std::set<std::int64_t> early_;
};

std::string local_name(std::int64_t number) { return "r" + std::to_string(number); }

class Printer {
 public:
  std::string text(const RandomProgram& program) {
    Names names;
    for (const auto& thread : program.threads) collect(thread.body, names);
    collect(program.final_block, names);
    for (const auto& condition : program.conditions) collect(condition.expression, names);
    for (const auto& name : names.shared) {
      text_ += "shared " + name + (name == array_name ? ": int[2] = " : ": int = ") +
               std::to_string(program.initial) + ";\n";
    }
    for (const auto& name : names.mutexes) text_ += "mutex " + name + ";\n";
    for (std::size_t i = 0; i < program.threads.size(); ++i) thread(program.threads[i], i);
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
  void thread(const Thread& thread, std::size_t number) {
    in_family_ = thread.copies > 1;
    text_ += "thread p" + std::to_string(number);
    if (in_family_) text_ += "[i: 0.." + std::to_string(thread.copies) + "]";
    text_ += " {\n";
    early_ = EarlyLocals(thread.body).early();
    for (const auto local : early_) line(1, "var " + local_name(local) + ": int = 0;");
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
    const auto place = s.has_place() ? print(s.place, in_family_) : std::string();
    switch (s.kind) {
      case Do::assign: return assign(s, depth, operand(s, 0));
      case Do::store: return line(depth, place + " = " + operand(s, 0) + ";");
      case Do::compound: return line(depth, place + " " + s.word + " " + operand(s, 0) + ";");
      case Do::cas:
        return assign(s, depth, "cas(" + place + ", " + operand(s, 0) + ", " + operand(s, 1) + ") ? 1 : 0");
      case Do::exchange: return assign(s, depth, "exchange(" + place + ", " + operand(s, 0) + ")");
      case Do::fetch: return assign(s, depth, "fetch_" + s.word + "(" + place + ", " + operand(s, 0) + ")");
      case Do::fence: return line(depth, s.word.empty() ? "fence;" : "fence " + s.word + ";");
      case Do::lock: return line(depth, "lock " + s.word + ";");
      case Do::unlock: return line(depth, "unlock " + s.word + ";");
      case Do::try_lock: return assign(s, depth, "trylock " + s.word + " ? 1 : 0");
      case Do::choose: return assign(s, depth, "choose(0.." + std::to_string(s.bound) + ")");
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

  void nested_else(const Block& block, int depth) {
    text_ += " else {\n";
    for (const auto& s : block) statement(s, depth + 1);
    line(depth, "}");
  }

  std::string text_;
  std::set<std::int64_t> early_;
  bool in_family_ = false;
};

std::int64_t loads(const Expression& expression) {
  std::int64_t count = expression.kind == Of::load ? 1 : 0;
  for (const auto& operand : expression.operands) count += loads(operand);
  return count;
}

void add_expressions(Expression& expression, std::vector<Expression*>& list) {
  list.push_back(&expression);
  for (auto& operand : expression.operands) add_expressions(operand, list);
}

void add_expressions(Block& block, std::vector<Expression*>& list) {
  for (auto& s : block) {
    // The place itself must stay a place; its index may change.
    for (auto& index : s.place.operands) add_expressions(index, list);
    for (auto& operand : s.operands) add_expressions(operand, list);
    add_expressions(s.body, list);
    add_expressions(s.otherwise, list);
  }
}

void add_blocks(Block& block, std::vector<Block*>& list) {
  list.push_back(&block);
  for (auto& s : block) {
    if (!s.body.empty()) add_blocks(s.body, list);
    if (!s.otherwise.empty()) add_blocks(s.otherwise, list);
  }
}

}  // namespace

bool Expression::boolean() const {
  static constexpr std::array<std::string_view, 8> comparisons{"==", "!=", "<", "<=", ">", ">=", "&&", "||"};
  return kind == Of::truth || kind == Of::negation ||
         (kind == Of::binary && std::find(comparisons.begin(), comparisons.end(), name) != comparisons.end());
}

bool Statement::has_target() const {
  return kind == Do::assign || kind == Do::cas || kind == Do::exchange || kind == Do::fetch ||
         kind == Do::try_lock || kind == Do::choose || kind == Do::repeat;
}

bool Statement::has_place() const {
  return kind == Do::store || kind == Do::compound || kind == Do::cas || kind == Do::exchange ||
         kind == Do::fetch;
}

std::string print(const Expression& expression, bool in_family) {
  const auto operand = [&](std::size_t i) { return print(expression.operands[i], in_family); };
  switch (expression.kind) {
    case Of::constant: return std::to_string(expression.value);
    case Of::truth: return expression.value != 0 ? "true" : "false";
    case Of::local: return local_name(expression.value);
    case Of::argument: return in_family ? "i" : "0";
    case Of::load:
      return expression.operands.empty() ? expression.name : expression.name + "[" + operand(0) + "]";
    case Of::member: return expression.name;
    case Of::negation: return "!(" + operand(0) + ")";
    case Of::binary: return "(" + operand(0) + " " + expression.name + " " + operand(1) + ")";
    case Of::conditional: return "(" + operand(0) + " ? " + operand(1) + " : " + operand(2) + ")";
  }
  return {};
}

std::string print(const RandomProgram& program) { return Printer().text(program); }

Operations visible_operations(const Block& block, std::int64_t spins) {
  Operations sum;
  for (const auto& s : block) {
    const auto rounds = s.kind == Do::repeat ? s.bound : s.kind == Do::spin ? spins : 1;
    const auto body = visible_operations(s.body, spins);
    const auto otherwise = visible_operations(s.otherwise, spins);
    const auto& larger = body.all() < otherwise.all() ? otherwise : body;
    std::int64_t own = 0;
    for (const auto& operand : s.operands) own += loads(operand);
    for (const auto& index : s.place.operands) own += loads(index);
    sum.stores += rounds * larger.stores;
    sum.others += rounds * (own + larger.others);
    if (s.kind == Do::store || s.kind == Do::compound) ++sum.stores;
    if ((s.has_place() && s.kind != Do::store) || s.kind == Do::lock || s.kind == Do::unlock ||
        s.kind == Do::try_lock) {
      ++sum.others;
    }
  }
  return sum;
}

RandomProgram without_checks(RandomProgram program) {
  program.final_block.clear();
  program.conditions.clear();
  auto list = blocks(program);
  // Innermost first, since erasing moves what is nested behind.
  for (; !list.empty(); list.pop_back())
    std::erase_if(*list.back(), [](const Statement& s) { return s.kind == Do::assertion; });
  return program;
}

std::int64_t locals(const Block& body) {
  std::int64_t count = 0;
  for (const auto& s : body) {
    if (s.has_target()) count = std::max(count, s.target + 1);
    count = std::max({count, locals(s.body), locals(s.otherwise)});
  }
  return count;
}

std::vector<Block*> blocks(RandomProgram& program) {
  std::vector<Block*> list;
  for (auto& thread : program.threads) add_blocks(thread.body, list);
  add_blocks(program.final_block, list);
  return list;
}

std::vector<Expression*> expressions(RandomProgram& program) {
  std::vector<Expression*> list;
  for (auto& thread : program.threads) add_expressions(thread.body, list);
  add_expressions(program.final_block, list);
  for (auto& condition : program.conditions) add_expressions(condition.expression, list);
  return list;
}

}  // namespace heddle::differential
