#include "tests/jit/random_programs.hpp"

namespace heddle::test {

std::string RandomProgram::integer(unsigned depth) {
  static const std::vector<std::string> operators{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
  static const std::vector<std::string> fetches{"add", "sub", "and", "or", "xor", "max", "min"};
  if (depth == 0 || chance(25)) {
    if (!integers_.empty() && chance(45))
      return integers_[below(static_cast<std::uint32_t>(integers_.size()))].first;
    if (chance(50)) return pick({"x", "y", "a[0]", "a[2]"});
    return pick({"0", "1", "2", "3", "7", "N", "-1", "9223372036854775807"});
  }
  const auto kind = below(13);
  if (only_reads_ && kind >= 2 && kind <= 6 && kind != 4) return place(depth - 1);
  switch (kind) {
    case 0: return place(depth - 1);
    case 1: return "(" + boolean(depth - 1) + " ? " + integer(depth - 1) + " : " + integer(depth - 1) + ")";
    case 2: return "exchange(" + place(depth - 1) + ", " + integer(depth - 1) + ")";
    case 3: return "fetch_" + pick(fetches) + "(" + place(depth - 1) + ", " + integer(depth - 1) + ")";
    case 12:
      if (!arrays_.empty()) return element(depth - 1);
      [[fallthrough]];
    case 4: return pick({"-", "~"}) + "(" + integer(depth - 1) + ")";
    case 5: return "choose((x & 1) + " + integer(depth - 1) + ".." + integer(depth - 1) + ")";
    case 6:
      if (functions_ > 0) {
        return "f" + std::to_string(below(functions_)) + "(" + integer(depth - 1) + ", " +
               boolean(depth - 1) + ")";
      }
      [[fallthrough]];
    default: {
      // Mostly operators that cannot fail.
      const std::string op = chance(80) ? pick({"+", "-", "*", "&", "^"}) : pick(operators);
      // The front end rejects divisors that are certainly 0.
      const std::string right =
          op == "/" || op == "%" ? "(y ^ " + integer(depth - 1) + ")" : integer(depth - 1);
      return "(" + integer(depth - 1) + " " + op + " " + right + ")";
    }
  }
}

std::string RandomProgram::boolean(unsigned depth) {
  static const std::vector<std::string> comparisons{"==", "!=", "<", "<=", ">", ">="};
  if (depth == 0 || chance(15)) {
    if (!booleans_.empty() && chance(50))
      return booleans_[below(static_cast<std::uint32_t>(booleans_.size()))].first;
    return pick({"b", "true", "false", "b"});
  }
  const auto kind = below(9);
  if (only_reads_ && (kind == 3 || kind == 4 || kind == 6)) return "b";
  switch (kind) {
    case 0: return "(" + boolean(depth - 1) + " && " + boolean(depth - 1) + ")";
    case 1: return "(" + boolean(depth - 1) + " || " + boolean(depth - 1) + ")";
    case 2: return "!" + boolean(depth - 1);
    case 3: return "cas(" + place(depth - 1) + ", " + integer(depth - 1) + ", " + integer(depth - 1) + ")";
    case 4: return "exchange(b, " + boolean(depth - 1) + ")";
    case 5: return "(" + boolean(depth - 1) + " == " + boolean(depth - 1) + ")";
    case 6: return chance(50) ? "trylock m" : "trylock k[" + integer(depth - 1) + " & 1]";
    default: return "(" + integer(depth - 1) + " " + pick(comparisons) + " " + integer(depth - 1) + ")";
  }
}

// The front end rejects an await condition with effects.
std::string RandomProgram::await() {
  only_reads_ = true;
  if (chance(30)) {
    const std::string awaited = integer(2) + (chance(80) ? " | 1" : "");
    only_reads_ = false;
    return "{ let given = await " + awaited + "; x = given; }\n";
  }
  std::string text = chance(30) ? "await " + boolean(2) + ";\n" : "await x == x || " + boolean(1) + ";\n";
  only_reads_ = false;
  return text;
}

std::string RandomProgram::place(unsigned depth) {
  if (chance(50)) return pick({"x", "y"});
  if (!in_bounds_ && chance(15)) return "a[(x & 1) + " + integer(depth) + "]";
  return "a[(" + integer(depth) + ") & 1]";
}

std::string RandomProgram::element(unsigned depth) {
  return pick(arrays_) + "[(" + integer(depth) + ")" + (chance(90) ? " & 1]" : "]");
}

std::string RandomProgram::declaration(unsigned depth) {
  const std::string name = "v" + std::to_string(names_++);
  if (chance(25)) {
    std::string text = "var " + name + ": int[2] = ";
    text += chance(50) ? integer(depth) : "{" + integer(depth) + ", " + integer(depth) + "}";
    arrays_.push_back(name);
    return text + ";\n";
  }
  const bool assignable = chance(60);
  const bool is_integer = chance(70);
  const std::string text =
      (assignable ? "var " : "let ") + name + " = " + (is_integer ? integer(depth) : boolean(depth)) + ";\n";
  (is_integer ? integers_ : booleans_).emplace_back(name, assignable);
  return text;
}

std::string RandomProgram::block(unsigned depth) {
  const Locals integers = integers_;
  const Locals booleans = booleans_;
  const std::size_t arrays = arrays_.size();
  std::string text = "{\n";
  for (std::uint32_t count = 1 + below(3); count > 0; --count) text += statement(depth);
  integers_ = integers;
  booleans_ = booleans;
  arrays_.resize(arrays);
  return text + "}";
}

std::string RandomProgram::statement(unsigned depth) {
  static const std::vector<std::string> compounds{
      "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=", "/=", "%="};
  if (depth > 0 && chance(40)) {
    switch (below(4)) {
      case 0:
        return "if " + boolean(2) + " " + block(depth - 1) + (chance(50) ? " else " + block(depth - 1) : "") +
               "\n";
      case 1: {
        const std::string condition = boolean(2);
        ++loops_;
        std::string text = "while " + condition + " " + block(depth - 1) + "\n";
        --loops_;
        return text;
      }
      case 2: {
        const std::string name = "v" + std::to_string(names_++);
        std::string head = "for " + name + " in " + integer(1) + " & 3.." + integer(1) + " & 3 ";
        ++loops_;
        integers_.emplace_back(name, false);
        head += block(depth - 1) + "\n";
        integers_.pop_back();
        --loops_;
        return head;
      }
      default: return block(depth - 1) + "\n";
    }
  }
  switch (below(16)) {
    case 0:
    case 1:
    case 2: return declaration(2);
    case 3:
    case 4:
      for (const auto& [name, assignable] : integers_) {
        if (assignable && chance(50)) return name + " = " + integer(2) + ";\n";
      }
      for (const auto& [name, assignable] : booleans_) {
        if (assignable && chance(50)) return name + " = " + boolean(2) + ";\n";
      }
      if (!arrays_.empty()) return element(1) + pick({" = ", " += "}) + integer(2) + ";\n";
      [[fallthrough]];
    case 5: return "b = " + boolean(3) + ";\n";
    case 6: return place(1) + " " + (chance(85) ? "+=" : pick(compounds)) + " (x ^ " + integer(2) + ");\n";
    case 7: return pick({"fence;\n", "fence lw;\n", "lock m;\n", "unlock k[1];\n", "lock k[x & 1];\n"});
    case 8: return "assert " + boolean(2) + ", \"text\";\n";
    case 9: return await();
    case 10:
      // Conditional: code after an unconditional jump would be rejected or never run.
      if (loops_ > 0) return "if " + boolean(1) + " { " + pick({"break", "continue"}) + "; }\n";
      if (in_function_) return "if " + boolean(1) + " { return " + integer(1) + "; }\n";
      return "if " + boolean(1) + " { return; }\n";
    case 11: return chance(10) ? "assume " + boolean(2) + ";\n" : "fetch_add(x, 1);\n";
    default: return place(2) + " = " + integer(3) + ";\n";
  }
}

std::string RandomProgram::function(unsigned number) {
  integers_ = {{"n", false}};
  booleans_ = {{"c", false}};
  in_function_ = true;
  std::string text = "fn f" + std::to_string(number) + "(n: int, c: bool) -> int {\n";
  for (std::uint32_t count = below(3); count > 0; --count) text += statement(1);
  text += "return " + integer(2) + ";\n}\n";
  in_function_ = false;
  integers_.clear();
  booleans_.clear();
  arrays_.clear();
  return text;
}

std::string RandomProgram::generate() {
  std::string text =
      "param N = 2;\nshared x: int;\nshared y: int = 5;\nshared b: bool;\nshared a: int[3] = {1, 2, 3};\n"
      "mutex m;\nmutex k[2];\n";
  for (const std::uint32_t count = below(3); functions_ < count; ++functions_) text += function(functions_);
  integers_ = {{"i", false}};
  text += "thread w[i: 1..3] {\n";
  for (std::uint32_t count = 2 + below(6); count > 0; --count) text += statement(2);
  return text + "}\n";
}

}  // namespace heddle::test
