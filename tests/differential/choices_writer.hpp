// Random programs, as text, whose threads wait at the choices of an `either`; some of them are daemons.
#pragma once

#include <cstdint>
#include <string>

#include "text_writer.hpp"

namespace heddle::differential {

class ChoicesWriter : TextWriter {
 public:
  explicit ChoicesWriter(std::uint64_t number) : TextWriter(number) {}

  std::string program() {
    std::string text =
        "shared x: int; shared y: int; shared a: int[2]; shared own: int[4];\n"
        "mutex m;\n"
        "fn seen(v: ref int, n: int) -> int { await v == n; return v; }\n"
        "fn grab(v: ref int, n: int) { while !cas(v, n, n + 1) { } }\n";
    threads_ = below(4) == 0 ? 2 : below(6) == 0 ? 4 : 3;
    daemons_ = below(3) == 0;
    for (thread_ = 0; thread_ < threads_; ++thread_) {
      if (daemons_ && thread_ > 0 && below(3) > 0) text += "daemon ";
      const bool are_equal = below(10) == 0;
      text +=
          "thread " + std::string(1, "pqst"[thread_]) + (are_equal ? "[k: 0..2]" : "") + " {\n  var r = 0;\n";
      eithers_ = 0;
      for (int i = 1 + below(threads_ == 2 ? 4 : threads_ == 3 ? 3 : 2); i > 0; --i) text += statement();
      text += "}\n";
    }
    return text;
  }

 private:
  std::string variable() { return below(4) == 0 ? "a[" + std::to_string(below(2)) + "]" : one_of("xxy"); }
  std::string mine() { return "own[" + std::to_string(thread_) + "]"; }

  std::string plain() {
    switch (below(10)) {
      case 0: return "r = " + variable() + ";";
      case 1: return "r = r * 3 + " + variable() + ";";
      case 2: return "fetch_add(" + variable() + ", 1);";
      case 3: return "cas(" + variable() + ", " + number() + ", " + number() + ");";
      case 4: return mine() + " = " + mine() + " + 1;";
      case 5: return below(3) == 0 ? "fence;" : "a[" + std::to_string(below(2)) + "] = r;";
      default: return variable() + " = " + number() + ";";
    }
  }
  // (Of a daemon that reads one location twice for a condition, others count a look with an old first value as well.)
  std::string condition() {
    const std::string one = variable();
    std::string other = variable();
    while (daemons_ && other == one) other = variable();
    const std::string again = daemons_ ? other : one;
    switch (below(10)) {
      case 0: return comparison(one) + " && " + comparison(other);
      case 1: return comparison(one) + " || " + comparison(other);
      case 2: return comparison(one) + " || " + comparison(again);
      case 3:
        return comparison(one) + " && " + comparison(other) + (daemons_ ? "" : " && " + comparison(again));
      case 4: return mine() + " < " + one;
      case 5: return mine() + " < " + one + " && " + comparison(other);
      case 6: return comparison("r") + (below(2) == 0 ? "" : " && " + comparison(one));
      default: return comparison(one);
    }
  }
  std::string rest() {
    std::string text;
    for (int i = below(3); i > 0; --i) text += " " + plain();
    return text;
  }
  std::string alternative(int depth) {
    switch (below(13)) {
      case 0: return rest();  // (What comes first is no `await`.)
      case 10: return "while !trylock m { }" + rest() + (below(3) == 0 ? "" : " unlock m;");
      case 11: return "grab(" + variable() + ", " + number() + ");" + rest();
      case 12:
        return "while !cas(" + variable() + ", " + (below(4) == 0 ? "r" : number()) + ", " + number() +
               ") { }" + rest();
      case 1: return "r = seen(" + variable() + ", " + number() + ");" + rest();
      case 2: return "let v = await " + variable() + "; r = v;" + rest();
      case 3:
        if (depth > 0) return either(depth - 1);
        [[fallthrough]];
      default: return "await " + condition() + ";" + rest();
    }
  }
  std::string either(int depth) {
    if (below(5) == 0)
      return std::string("either i in 0..2 { ") +
             (below(3) == 0 ? "while !cas(a[i], " + number() + ", 2) { }"
                            : "await " + comparison("a[i]") + ";") +
             " r = r + i;" + rest() + " }";
    std::string text;
    for (int i = below(4) == 0 ? 3 : 2; i > 0; --i)
      text += (text.empty() ? "either { " : " or { ") + alternative(depth) + " }";
    return text;
  }
  std::string statement() {
    const int most = threads_ == 2 ? 2 : 1;
    if (eithers_ < most && below(5) < 3) {
      ++eithers_;
      return "  " + either(1) + "\n";
    }
    if (below(8) == 0) return "  await " + condition() + ";\n";
    return "  " + plain() + "\n";
  }

  int threads_ = 0;
  int thread_ = 0;
  int eithers_ = 0;  // of the thread so far
  bool daemons_ = false;
};

}  // namespace heddle::differential
