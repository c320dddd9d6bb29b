// Ending executions at idle rounds of retry loops changes nothing that can be observed: random programs with such loops
// have the final states, violations and deadlocks that they have with loops as written, and all pairs of algorithm and
// model agree on them. Both searches have the same bound of rounds, which idle rounds do not need.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "heddle/heddle.h"
#include "tests/environment.hpp"
#include "text_writer.hpp"
#include "whole_search.hpp"

namespace heddle::differential {

namespace {

class Writer : TextWriter {
 public:
  explicit Writer(std::uint64_t number) : TextWriter(number) {}

  std::string program() {
    std::string text =
        "shared x: int; shared y: int; shared a: int[2]; mutex m;\n"
        "fn put(v: ref int, n: int) -> bool { let old = v; if old == n { return false; } return cas(v, old, "
        "n); }\n"
        "fn add(n: ref int, k: int) { n = (n + k) % 3; }\n"
        "fn until(n: int) { var r = 0; var b: int[2]; while true { " +
        round() + " if x == n { return; } } }\n";
    const int threads = 2 + (below(4) == 0);
    for (int t = 0; t < threads; ++t) {
      text += "thread " + std::string(1, "pqs"[t]) + " {\n  var r = 0; var b: int[2];\n";
      const bool has_loop = t == 0 || below(2) == 0;
      const int before = below(2);
      for (int i = 0; i < before; ++i) text += "  " + plain() + "\n";
      if (has_loop) text += "  " + loop();
      for (int i = below(has_loop ? 2 : 3); i >= 0; --i) text += "  " + plain() + "\n";
      text += "}\n";
    }
    if (below(6) == 0) text += "invariant x != 2 || y != 1;\n";
    if (below(6) == 0) text += "invariant p.r != 2 || x != 1;\n";
    return text;
  }

 private:
  std::string variable() { return one_of("xy"); }
  std::string equals() { return below(2) == 0 ? " == " : " != "; }

  std::string plain() {
    switch (below(9)) {
      case 0:
      case 1:
      case 2: return variable() + " = " + number() + ";";
      case 3: return "r = " + variable() + ";";
      case 4: return "fetch_add(" + variable() + ", 1);";
      case 5: return "fence;";
      case 6: return "assert " + variable() + " != " + number() + " || r != " + number() + ";";
      case 7: return "lock m; " + variable() + " = " + number() + "; unlock m;";
      default: return "a[" + std::to_string(below(2)) + "] = r;";
    }
  }

  // What a round does before it decides whether another one follows. Much of it may change something.
  std::string round() {
    std::string text;
    for (int i = below(3); i > 0; --i) {
      switch (below(19)) {
        case 0: text += " let c" + std::to_string(i) + " = " + variable() + ";"; break;
        case 1:
        case 15:
        case 16:
        case 17:
        case 18:
          text += " if " + variable() + equals() + number() + " { " + variable() + " = " + number() + "; }";
          break;
        case 2:
          text += " if cas(" + variable() + ", " + number() + ", " + number() + ") { " + bump() + " }";
          break;
        case 3: text += " " + bump(); break;
        case 4: text += " fence;"; break;
        case 5: text += " await " + variable() + " != " + number() + ";"; break;
        case 6: text += " assert " + variable() + " != " + number() + ";"; break;
        case 7:
          text += " if trylock m { " + std::string(below(2) == 0 ? "y = 1; " : "") + "unlock m; }";
          break;
        case 8:
          text += " if choose(0..2) == 1 { let d" + std::to_string(i) + " = " + variable() + "; }";
          break;
        case 9: text += " a[" + variable() + " % 2] = 1;"; break;
        case 10: text += " add(r, " + variable() + ");"; break;
        case 11: text += " if fetch_add(" + variable() + ", " + number() + ") == 1 { " + bump() + " }"; break;
        case 12: text += " if put(" + variable() + ", " + number() + ") { " + bump() + " }"; break;
        case 13: text += " assume " + variable() + " != " + number() + ";"; break;
        default: text += " for i in 0..2 { if a[i] == 1 { " + bump() + " } }"; break;
      }
    }
    return text;
  }
  std::string bump() {
    switch (below(4)) {
      case 0: return "r = " + variable() + ";";
      case 1: return "r = 1;";
      case 2: return "b[" + std::to_string(below(2)) + "] = " + variable() + ";";
      default: return "r = (r + 1) % 2;";
    }
  }

  std::string loop() {
    // (A loop with an empty body is an await.)
    const std::string body = " let seen = y;" + round();
    const std::string condition = variable() + equals() + number();
    switch (below(11)) {
      case 0:
        return "var done = false; while !done { let old = x;" + body + " done = cas(x, old, old + 1); }\n";
      case 1:
        return "while true {" + body + " if cas(" + variable() + ", " + number() + ", 2) { break; } }\n";
      case 2: return "while " + condition + " {" + body + " }\n";
      case 3: return "while !put(" + variable() + ", " + number() + ") {" + body + " }\n";
      case 4: return "while true {" + body + " if " + condition + " { continue; } " + plain() + " break; }\n";
      case 5: return "while r == 0 { r = " + variable() + ";" + body + " }\n";
      case 6: return "while " + condition + " { while y == 1 {" + body + " if x == 1 { break; } } r = x; }\n";
      case 7:  // here and below, rounds assign older locals that may be dead where a round begins
        return "var old = 0; var done = false; while !done { old = x;" + body +
               " done = cas(x, old, old + 1); }\n";
      case 8: return "while true { r = x;" + body + " if cas(x, r, " + number() + ") { break; } }\n";
      case 9:
        return "var at = 0; while r" + equals() + number() + " { b[at] = x; b[1] = y;" + body +
               " at = b[0] % 2; " + (below(2) == 0 ? "r = b[at];" : "if cas(x, b[1], 2) { r = 2; }") + " }\n";
      default: return "until(" + number() + ");\n";
    }
  }
};

// Programs in which rounds revert what they wrote: `z` is a counter, `k` a mutex without `trylock`. Some programs look
// at them in a way that others notice.
class CounterWriter : TextWriter {
 public:
  explicit CounterWriter(std::uint64_t number) : TextWriter(number) {}

  std::string program() {
    std::string text = "shared x: int; shared z: int = " + number() +
                       "; shared w: int[2]; mutex k;\n"
                       "fn up() -> int { return fetch_add(z, 1); }\nfn down() { fetch_sub(z, 1); }\n";
    noticed_ = below(4) == 0;
    const int threads = 2 + (below(3) == 0);
    for (int t = 0; t < threads; ++t) {
      text += "thread " + std::string(1, "pqs"[t]) + " {\n  var r = 0; var a = 0;\n";
      if (below(2) == 0) text += "  " + plain() + "\n";
      if (t < 2) text += "  " + loop();
      if (below(3) != 0) text += "  " + plain() + "\n";
      text += "}\n";
    }
    if (below(6) == 0) text += "invariant x != 2 || z != 1;\n";
    if (below(8) == 0) text += "final { assert z == " + number() + "; }\n";
    return text;
  }

 private:
  std::string compared() {
    static constexpr const char* relations[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
    return relations[below(6)] + std::to_string(below(4) - 1);
  }

  std::string plain() {
    switch (below(noticed_ ? 11 : 8)) {
      case 0: return "x = " + number() + ";";
      case 1: return "r = x;";
      case 2: return "fetch_add(z, " + number() + ");";
      case 3: return "fetch_sub(z, 1);";
      case 4: return "r = fetch_add(z, 1);";
      case 5: return "await z" + compared() + ";";
      case 6: return "lock k; x = r; unlock k;";
      case 7: return "w[1] = r; fetch_add(w[0], 1);";
      case 8: return "r = z;";
      case 9: return "if cas(z, 1, 2) { r = 1; }";
      default: return "z = " + number() + ";";
    }
  }

  std::string extra() {
    switch (below(8)) {
      case 0: return " if x == 2 { fence; }";
      case 1: return " await z" + compared() + ";";
      case 2: return " await x != " + number() + ";";
      case 3: return " fence;";
      case 4: return " if x == 1 { r = 1; }";
      case 5: return " assert x != 2;";
      default: return "";
    }
  }

  std::string loop() {
    const std::string test = compared();
    switch (below(11)) {
      case 0: return "while fetch_add(z, 1)" + test + " {" + extra() + " fetch_sub(z, 1);" + extra() + " }\n";
      case 1: return "while fetch_sub(z, 2)" + test + " { fetch_add(z, 2);" + extra() + " }\n";
      case 2:
        return "var old = fetch_add(z, 1); while old" + test + " { fetch_sub(z, 1);" + extra() +
               " old = fetch_add(z, 1); }\n";
      case 3: return "while up()" + test + " { down();" + extra() + " }\n";
      case 4: return "while exchange(x, 1) != 0 {" + extra() + " }\n";
      case 5: return "lock k; while x" + test + " { unlock k;" + extra() + " lock k; } r = x; unlock k;\n";
      case 6:
        return "while true { lock k; a = x; if a" + test + " { unlock k; break; } unlock k; a = 0;" +
               extra() + " }\n";
      case 7: return "var old = x; while !cas(x, old, old + 1) {" + extra() + " old = x; }\n";
      case 8: return "a = x; while !cas(x, a, " + number() + ") {" + extra() + " a = x; }\n";
      case 9:
        return "while fetch_add(w[0], 1)" + test + " { fetch_sub(w[" + std::to_string(below(2)) + "], 1);" +
               extra() + " }\n";
      default:
        return "while true { let v = fetch_add(z, 1); if v" + test + " { break; } fetch_add(z, -1);" +
               (below(2) == 0 ? " fetch_or(w[1], 1);" : "") + extra() + " }\n";
    }
  }

  bool noticed_ = false;
};

// Programs with loops that a thread may wait at, and some that look like these but are none: what is done elsewhere
// decides. `z` is a counter, `f` a flag, `g` an array of flags.
class UpdateWriter : TextWriter {
 public:
  explicit UpdateWriter(std::uint64_t number) : TextWriter(number) {}

  std::string program() {
    const std::string first = std::to_string(below(4));
    first_ = first;
    falls_ = below(3) != 0;
    amount_ = std::to_string(1 + below(2));
    noticed_ = below(4) == 0;
    std::string text =
        "shared x: int; shared z: int = " + first + "; shared f: int; shared g: bool[2]; mutex k;\n";
    text += "fn take() -> bool { if " + opening(amount_) + test(false, first) + " { " + undo(amount_) +
            (below(2) == 0 ? " return false; } " : " await z" + test(true, first) + "; return false; } ") +
            (below(2) == 0 ? "fence; " : "") + "return true; }\n";
    text += "fn get(n: int) { while fetch_sub(z, n) < n { fetch_add(z, n); await z >= n; } }\n";
    text += "fn mark(i: int) -> bool { if !cas(g[i], false, true) { return false; } return true; }\n";
    text += "fn open() -> bool { if exchange(f, 1) != 0 { return false; } x = 2; return true; }\n";
    const int threads = 2 + (below(3) == 0);
    for (int t = 0; t < threads; ++t) {
      text += std::string(below(12) == 0 ? "daemon " : "") + "thread " + std::string(1, "pqs"[t]) +
              " {\n  var r = 0;\n";
      if (below(2) == 0) text += "  " + plain() + "\n";
      const bool waits = t < 2 || below(2) == 0;
      if (waits) text += "  " + loop();
      if (below(3) != 0) text += "  " + plain() + "\n";
      if (waits && below(4) != 0) text += "  " + release_ + "\n";
      text += "}\n";
    }
    if (below(10) == 0) text += "invariant x != 2 || z != 1;\n";
    if (below(8) == 0) text += "final { assert z == " + first + "; }\n";
    return text;
  }

 private:
  std::string opening(const std::string& amount) const {
    return (falls_ ? "fetch_sub(z, " : "fetch_add(z, ") + amount + ")";
  }
  std::string undo(const std::string& amount) const {
    return (falls_ ? "fetch_add(z, " : "fetch_sub(z, ") + amount + ");";
  }
  // What ends a loop, or is not enough; mostly of a kind with that greater values do not fail, if the loop subtracts.
  std::string test(bool ends, const std::string& first) {
    switch (kind_) {
      case 0: return (ends ? " == " : " != ") + first;
      case 1: return (ends == falls_ ? " > " : " <= ") + (falls_ ? bound_ : std::to_string(bound() - 1));
      default: return (ends == falls_ ? " >= " : " < ") + (falls_ ? bound_ : std::to_string(bound() + 1));
    }
  }
  int bound() const { return bound_[0] - '0'; }

  std::string plain() {
    static constexpr const char* relations[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
    switch (below(noticed_ ? 16 : 10)) {
      case 0: return "x = " + number() + ";";
      case 1: return "r = x;";
      case 2: return "x = x + 1;";
      case 3: return "assert x != 2;";
      case 4: return undo("1");
      case 5: return falls_ ? "await z >= 1;" : "await z <= 1;";
      case 6: return "lock k; x = r; unlock k;";
      case 7: return "r = f;";
      case 8: return "g[0] = false;";
      case 9: return "atomic { x = x + 1; " + undo("1") + " }";
      case 10: return "await z" + std::string(relations[below(6)]) + number() + ";";
      case 11: return "f = " + number() + ";";
      case 12: return "r = z;";
      case 13: return "r = fetch_add(z, 1);";
      case 14: return "if take() { x = 1; }";
      default: return opening("1") + ";";
    }
  }

  std::string loop() {
    kind_ = below(3);
    bound_ = std::to_string(below(2));
    const std::string& first = first_;
    const std::string wait = below(2) == 0 ? " await z" + test(true, first) + ";" : "";
    const std::string other = below(8) == 0 ? " await f == 0;" : wait;
    release_ = undo(amount_);
    switch (below(11)) {
      case 0:
      case 1:
        return "while " + opening(amount_) + test(false, first) + " { " + undo(amount_) + other + " }\n";
      case 2:
        return "{ var old = " + opening(amount_) + "; while old" + test(false, first) + " { " +
               undo(amount_) + other + " old = " + opening(amount_) + "; } }\n";
      case 3:
        return "while true { let v = " + opening(amount_) + "; if v" + test(true, first) + " { break; } " +
               undo(amount_) + other + " }\n";
      case 4: return "while !take() { }\n";
      case 5: release_ = "fetch_add(z, " + amount_ + ");"; return "get(" + amount_ + ");\n";
      case 6:
        release_ = below(6) == 0 ? "f = 2;" : "f = 0;";
        return std::string("while exchange(f, 1) != 0 {") + (below(2) == 0 ? " await f == 0;" : "") + " }\n";
      case 7:
        release_ = "f = 0;";
        return std::string("while !cas(f, 0, 1) { ") + (below(4) == 0 ? "await f != 1;" : "await f == 0;") +
               " }\n";
      case 8: release_ = "g[1] = false;"; return "while exchange(g[1], true) { await !g[1]; }\n";
      case 9: release_ = "g[0] = false;"; return "while !mark(0) { }\n";
      default: release_ = "f = 0;"; return "while !open() { await f == 0; }\n";
    }
  }

  std::string first_;
  std::string amount_;
  std::string bound_ = "0";
  std::string release_;
  int kind_ = 1;
  bool falls_ = true;
  bool noticed_ = false;
};

// Programs with loops that load a value and replace it by a `cas`, and some that look like these.
class PairWriter : TextWriter {
 public:
  explicit PairWriter(std::uint64_t number) : TextWriter(number) {}

  std::string program() {
    bound_ = std::to_string(below(3));
    relation_ = relation();
    std::string text = "shared x: int; shared z: int = " + number() + "; shared g: int[2]; mutex k;\n";
    text += "fn take(n: int) -> bool { let v = z; if v" + negated() + " || !" + cas("z", "v") +
            " { return false; }" + (below(3) == 0 ? " x = v;" : "") + " return true; }\n";
    text += "fn grab(n: int) -> bool { let v = g[" + std::string(below(4) == 0 ? "1" : "n") + "]; if v" +
            negated() + " || !cas(g[1], v, v + 1) { return false; } return true; }\n";
    text += "fn bump(v: ref int) -> bool { let old = v;" + between() + " return " +
            (below(3) == 0 ? "old" + test() + " && " : "") + cas("v", "old") + "; }\n";
    const int threads = 2 + (below(4) == 0);
    for (int t = 0; t < threads; ++t) {
      const bool is_daemon = below(12) == 0;
      text += std::string(is_daemon ? "daemon " : "") + "thread " + std::string(1, "pqs"[t]) +
              " {\n  var r = 0; var old = 0; var w = 0; var done = false;\n";
      if (below(2) == 0) text += "  " + plain() + "\n";
      text += "  " + loop() + "\n";
      for (int i = below(3); i > 0; --i) text += "  " + plain() + "\n";
      text += "}\n";
    }
    if (below(8) == 0) text += "invariant x != 2 || z != 1;\n";
    if (below(8) == 0) text += "invariant p.old <= x;\n";
    if (below(4) == 0) text += "final { assert z == " + number() + "; }\n";
    return text;
  }

 private:
  std::string relation() {
    static constexpr const char* relations[] = {" >= ", " > ", " <= ", " < ", " == ", " != "};
    return relations[below(below(3) == 0 ? 6 : 4)];
  }
  std::string test() const { return relation_ + bound_; }
  std::string negated() const {
    static constexpr std::pair<const char*, const char*> all[] = {{" >= ", " < "},  {" > ", " <= "},
                                                                  {" <= ", " > "},  {" < ", " >= "},
                                                                  {" == ", " != "}, {" != ", " == "}};
    for (const auto& [relation, other] : all) {
      if (relation_ == relation) return other + bound_;
    }
    return test();
  }
  // Mostly one that can be part of a pair.
  std::string cas(const std::string& loaded, const std::string& old) {
    const std::string variable = below(12) == 0 ? "x" : loaded;
    const std::string expected = below(10) == 0 ? number() : old;
    switch (below(8)) {
      case 0: return "cas(" + variable + ", " + expected + ", " + number() + ")";
      case 1: return "cas(" + variable + ", " + expected + ", 1 + " + old + ")";
      case 2: return "cas(" + variable + ", " + expected + ", (" + old + " + 1) % 3)";
      case 3:
      case 4: return "cas(" + variable + ", " + expected + ", " + old + " - 1)";
      default: return "cas(" + variable + ", " + expected + ", " + old + " + 1)";
    }
  }
  std::string between() {
    switch (below(12)) {
      case 0: return " fence;";
      case 1: return " let c = x;";
      default: return "";
    }
  }
  std::string wait(const std::string& variable) {
    switch (below(5)) {
      case 0: return "";
      case 1: return " await x == 2;";
      case 2: return " fence;";
      default: return " await " + variable + test() + ";";
    }
  }

  std::string plain() {
    switch (below(12)) {
      case 0: return "z = " + number() + ";";
      case 1: return "r = z;";
      case 2: return "fetch_add(z, 1);";
      case 3: return "g[0] = r;";
      case 4: return "x = old;";
      case 5: return "assert x != 2 || r != 1;";
      case 6: return "if take(1) { x = 1; }";
      case 7: return "if bump(x) { r = 2; }";
      case 8: return "atomic { x = z; if bump(g[1]) { r = 1; } }";
      case 9: return "await z" + test() + ";";
      case 10: return "x = z + r;";
      default: return "lock k; x = r; unlock k;";
    }
  }

  std::string loop() {
    const std::string v = below(4) == 0 ? "g[1]" : "z";
    const std::string load = below(2) == 0 ? "let seen = " + v + ";" : "old = " + v + ";";
    const std::string seen = load[0] == 'l' ? "seen" : "old";
    const std::string update = cas(v, seen);
    switch (below(11)) {
      case 8: return "while !grab(1) {" + wait(below(2) == 0 ? "g[1]" : "g[r]") + " }";
      case 0: return "while !done { " + load + between() + " done = " + update + "; }";
      case 9: {
        static constexpr const char* values[] = {" + 1", " - 2",       " | 1", " & 2", " ^ 1",
                                                 " + r", " + (r - 1)", " * 2", " + w", " + old"};
        const std::string next = below(2) == 0 ? "let next" : "w";
        const std::string test = below(3) == 0 ? seen + this->test() + " && " : "";
        return "while true { " + load + " " + next + " = " + seen + values[below(10)] + "; if " + test +
               "cas(" + v + ", " + seen + ", " + (next == "w" ? "w" : "next") + ") { break; } }";
      }
      case 1:
        return "while !done { " + load + " if " + seen + negated() + " {" + wait(v) +
               " } else { done = " + update + "; } }";
      case 2: return "while !done { " + load + " done = " + seen + test() + " && " + update + "; }";
      case 3: return "while true { " + load + between() + " if " + update + " { r = " + seen + "; break; } }";
      case 4: return "while true { " + load + " if " + seen + test() + " && " + update + " { break; } }";
      case 5:
        return "old = " + v + "; while !" + cas(v, "old") + " {" + (below(4) == 0 ? wait(v) : "") +
               " old = " + v + "; }";
      case 6: return "while !take(1) {" + wait("z") + " }";
      case 7: return "while !bump(" + v + ") {" + (below(3) == 0 ? wait(v) : "") + " }";
      default:
        return "while !done { " + load + " if " + seen + test() + " { done = " + update + "; } else {" +
               wait(v) + " } }";
    }
  }

  std::string bound_;
  std::string relation_;
};

struct Found {
  std::set<std::vector<std::int64_t>> outcomes;
  // By the statement at their place: a loop may repeat statements from in front of it, of which the first ones count.
  std::set<std::pair<ViolationKind, std::string>> violations;
  bool deadlock = false;  // some violation is one
  std::uint64_t executions = 0;
  std::uint64_t idle = 0;
  std::uint32_t waiting_loops = 0;
  // `as_written`: with loops as written. Where threads wait at loops, the place of a deadlock is another one; and threads
  // that would try for ever are a deadlock only there.
  [[nodiscard]] bool agrees_with(const Found& as_written) const {
    if (outcomes != as_written.outcomes) return false;
    if (waiting_loops == 0) return violations == as_written.violations;
    return others() == as_written.others() && (deadlock || !as_written.deadlock);
  }
  [[nodiscard]] std::set<std::pair<ViolationKind, std::string>> others() const {
    auto result = violations;
    std::erase_if(result, [](const auto& violation) { return violation.first == ViolationKind::deadlock; });
    return result;
  }
};

// From the place to the end of its statement. Lines and columns count from 1.
std::string statement_at(const std::string& text, std::uint32_t line, std::uint32_t column) {
  std::size_t begin = 0;
  for (std::uint32_t i = 1; i < line; ++i) begin = text.find('\n', begin) + 1;
  begin += column - 1;
  return text.substr(begin, text.find(';', begin) - begin);
}

// `text`: the program's. Nothing if there are too many executions, or none under this model.
std::optional<Found> find(const Program& program, const std::string& text, const std::string& model,
                          std::optional<std::uint32_t> buffer_bound) {
  CheckOptions options;
  options.model = model;
  const auto has = [&](std::string_view word) { return text.find(word) != std::string::npos; };
  options.algorithm = has("invariant") || has("atomic") ? "source" : "trust";
  if (buffer_bound) options.algorithm = "source";
  if (!why_not(program, model, options.algorithm).empty()) return std::nullopt;
  options.buffer_bound = buffer_bound;
  options.keep_going = true;
  options.collect_outcomes = true;
  options.progress = [](const Progress& progress) { return progress.transitions < 300'000; };
  const auto result = check(program, options);
  REQUIRE(result);
  if (!result->stopped_by.empty()) return std::nullopt;
  Found found;
  found.executions = result->counts.executions;
  found.idle = result->counts.blocked_idle;
  found.waiting_loops = static_cast<std::uint32_t>(result->waiting_loops.size());
  found.outcomes = final_states(*result);
  // (The message about an invariant names a step after which it fails, one of several.)
  for (const auto& violation : result->violations)
    found.violations.emplace(violation.kind, statement_at(text, violation.line, violation.column));
  found.deadlock = std::ranges::any_of(
      result->violations, [](const auto& violation) { return violation.kind == ViolationKind::deadlock; });
  return found;
}

// Of searches, but for `tried_for_ever`.
struct Tally {
  std::size_t searches = 0;
  std::size_t idle = 0;     // had idle rounds
  std::size_t fewer = 0;    // had fewer executions than with loops as written
  std::size_t waiting = 0;  // had threads that wait at loops
  std::size_t violations = 0;
  std::size_t tried_for_ever = 0;  // deadlocks that are none with loops as written
};

// `write(number)`: a program. `under_power`: threads wait there, too.
template <typename Write>
Tally compare_with_loops_as_written(std::size_t programs, Write&& write, bool under_power = false) {
  Tally tally;
  std::size_t failures = 0, skipped = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const std::string text = write(default_seed() * 1'000'000 + number);
    INFO("program " << number << ":\n" << text);
    const auto program = Program::from_source(text, "retry.hed", {.parameters = {}, .unroll = 3});
    REQUIRE(program);
    const auto as_written =
        Program::from_source(text, "retry.hed", {.parameters = {}, .unroll = 3, .unroll_spin_loops = true});
    REQUIRE(as_written);
    const Finding finding = all_pairs_agree(*program);
    CHECK_MESSAGE(finding.difference.empty(), finding.difference);
    failures += !finding.difference.empty();
    for (const std::string model : {"sc", "tso", "pso", "power"}) {
      if (model == "power" && !under_power) continue;
      std::optional<std::uint32_t> buffer_bound;
      if ((model == "tso" || model == "pso") && number % 3 == 0) buffer_bound = number % 2;
      const auto found = find(*program, text, model, buffer_bound);
      const auto expected = find(*as_written, text, model, buffer_bound);
      if (!found || !expected) {
        ++skipped;
        continue;
      }
      const bool agree = found->agrees_with(*expected);
      CHECK_MESSAGE(agree, model << ": " << found->outcomes.size() << " final states for "
                                 << expected->outcomes.size() << ", " << found->violations.size()
                                 << " violations for " << expected->violations.size());
      failures += !agree;
      ++tally.searches;
      tally.idle += found->idle > 0;
      tally.fewer += found->executions < expected->executions;
      tally.waiting += found->waiting_loops > 0;
      tally.violations += !found->violations.empty();
      tally.tried_for_ever += found->deadlock && !expected->deadlock;
    }
  }
  MESSAGE(tally.idle << " of " << tally.searches << " searches with idle rounds, " << tally.waiting
                     << " with threads that wait at loops, " << tally.fewer << " with fewer executions, "
                     << tally.violations << " with violations, " << skipped << " too large");
  CHECK(tally.violations > programs / 5);
  return tally;
}

}  // namespace

TEST_SUITE_BEGIN("retrying");

TEST_CASE("executions that end at idle rounds are not missed, and all algorithms agree on where they end") {
  const std::size_t programs = tests::sized(200, 2000);
  const Tally tally =
      compare_with_loops_as_written(programs, [](std::uint64_t number) { return Writer(number).program(); });
  CHECK(tally.idle > programs / 2);
  CHECK(tally.fewer > programs / 3);
}

TEST_CASE("rounds that revert what they wrote can be left out where no other thread notices") {
  const std::size_t programs = tests::sized(200, 4000);
  const Tally tally = compare_with_loops_as_written(
      programs, [](std::uint64_t number) { return CounterWriter(number).program(); });
  CHECK(tally.idle > programs / 2);
  CHECK(tally.fewer > programs / 3);
}

TEST_CASE("threads may wait at loops that try until an update succeeds where no other thread notices") {
  const std::size_t programs = tests::sized(300, 3000);
  const Tally tally = compare_with_loops_as_written(
      programs, [](std::uint64_t number) { return UpdateWriter(number).program(); }, true);
  CHECK(tally.waiting > tally.searches / 3);
  CHECK(tally.waiting < tally.searches);
  CHECK(tally.fewer > programs / 3);
  CHECK(tally.tried_for_ever < tally.searches / 10);
}

TEST_CASE("a load and a cas are one update where no other thread notices") {
  const std::size_t programs = tests::sized(300, 2000);
  const Tally tally = compare_with_loops_as_written(
      programs, [](std::uint64_t number) { return PairWriter(number).program(); }, true);
  CHECK(tally.waiting > tally.searches / 3);
  CHECK(tally.waiting < tally.searches);
  CHECK(tally.fewer > programs / 3);
  CHECK(tally.tried_for_ever < tally.searches / 5);
}

TEST_SUITE_END();

}  // namespace heddle::differential
