// heddle::lint: what each rule finds, what it does not, and that it does not warn about the standard library
// or about what the examples do on purpose.
#include "heddle/lint.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "tests/programs/program_files.hpp"

namespace {

// "line rule" for each warning, separated by commas.
std::string warnings(const std::string& text, const heddle::LintOptions& options = {}) {
  const auto program = heddle::Program::from_source(text, "test.hed");
  REQUIRE_MESSAGE(program, heddle::tests::first_error(program));
  std::string all;
  for (const auto& warning : heddle::lint(*program, options)) {
    all += (all.empty() ? "" : ", ") + std::to_string(warning.diagnostic.line) + " " +
           std::string(name(warning.rule));
  }
  return all;
}

}  // namespace

TEST_CASE("a warning is rendered like an error, but labelled as a warning") {
  const auto program =
      heddle::Program::from_source("param N = 2;\nshared x: int;\nthread p { x = 1; }\n", "test.hed");
  REQUIRE(program);
  const auto found = heddle::lint(*program);
  REQUIRE_EQ(found.size(), 1);
  CHECK_EQ(found[0].diagnostic.text,
           "test.hed:1:7: warning: the param 'N' is never used\n  param N = 2;\n        ^\n");
  CHECK_EQ(found[0].diagnostic.column, 7);
}

TEST_CASE("names that are never used are found: at the top, in functions, in inner blocks, imports") {
  CHECK_EQ(warnings("import std.spinlock;\n"
                    "import std.ticket { acquire, release };\n"
                    "param P = 1;\n"
                    "const C = 2;\n"
                    "shared s: int;\n"
                    "mutex m;\n"
                    "enum E { a }\n"
                    "struct S { v: int; }\n"
                    "fn f(a: int) { }\n"
                    "shared l: ticket.Lock;\n"
                    "thread p {\n"
                    "  acquire(l);\n"
                    "  if l.next > 0 { let inner = 1; var later = 0; later = 1; }\n"
                    "}\n"),
           "1 unused name, 2 unused name, 3 unused name, 4 unused name, 5 unused name, 6 unused name, "
           "7 unused name, 8 unused name, 9 unused name, 9 unused name, 13 unused name, 13 unused name");
}

TEST_CASE("names that are used, are part of the final state, or are loop counters are not reported") {
  CHECK_EQ(warnings("import std.spinlock { acquire };\n"
                    "param N = 2;\n"
                    "const LENGTH = N;\n"
                    "enum E { a, b }\n"
                    "struct S { v: int; of: E; }\n"
                    "shared l: spinlock.Lock;\n"
                    "shared x: S[LENGTH];\n"
                    "proc run(i: int) { x[i].of = E.b; }\n"
                    "fn twice(_ignored: int, out: ref int) { for round in 0..2 { out = 1; } }\n"
                    "thread p { acquire(l); let seen = x[0].v; twice(1, x[1].v); spawn run(0); }\n"
                    "thread w[i: 0..2] { let mine = 1; }\n"),
           "");
}

TEST_CASE("an update that can get lost is found, however it is written") {
  CHECK_EQ(warnings("shared x: int;\nthread w[i: 0..2] { x += 1; }\n"), "2 lost update");
  CHECK_EQ(warnings("shared x: int;\nthread p { x = x + 1; }\nthread q { x = 7; }\n"), "2 lost update");
  CHECK_EQ(
      warnings("shared a: int[2];\nfn f(i: int) { a[i] -= 1; }\nthread p { f(0); }\nthread q { f(0); }\n"),
      "2 lost update");
}

TEST_CASE("an update that can get lost is found whatever else is wrong with the program") {
  // The search finds the deadlock, the index and the failed assertion before the update.
  CHECK_EQ(warnings("shared x: int;\nmutex m;\nmutex n;\n"
                    "thread w[i: 0..2] { if i == 0 { lock m; lock n; } else { lock n; lock m; }\n"
                    "  unlock m; unlock n;\n"
                    "  x += 1;\n}\n"),
           "6 lost update");
  CHECK_EQ(warnings("shared x: int;\nshared a: int[2];\nthread p { x += 1; }\n"
                    "thread q { a[x + 1] = 1; x += 1; assert false; }\n"),
           "3 lost update, 4 lost update");
}

TEST_CASE("rules that could not be decided in time are reported one by one") {
  const auto program =
      heddle::Program::from_source("shared x: int;\nthread w[i: 0..2] { x += 1; fence; }\n", "test.hed");
  REQUIRE(program);
  std::string open;
  const auto found = heddle::lint(
      *program,
      {.go_on = [] { return false; }, .left_open = [&](const heddle::Diagnostic& d) { open += d.text; }});
  CHECK(found.empty());
  CHECK_EQ(open,
           "test.hed:2:21: note: not decided in the time there is: can this update get lost?\n"
           "test.hed:2:29: note: not decided in the time there is: does a model need this fence?\n");
}

TEST_CASE(
    "an update that cannot get lost is not reported: other elements, one writer, under a lock, one after the "
    "other") {
  CHECK_EQ(warnings("shared a: int[2];\nthread w[i: 0..2] { a[i] += 1; }\n"), "");
  CHECK_EQ(warnings("shared x: int;\nthread p { x += 1; }\nthread q { let seen = x; }\n"), "");
  CHECK_EQ(warnings("shared x: int;\nmutex m;\nthread w[i: 0..2] { lock m; x += 1; unlock m; }\n"), "");
  CHECK_EQ(warnings("import std.ticket;\nshared l: ticket.Lock;\nshared x: int;\n"
                    "thread w[i: 0..2] { ticket.acquire(l); x = x + 2; ticket.release(l); }\n"),
           "");
  CHECK_EQ(warnings("shared x: int;\nshared go: bool;\nthread p { x += 1; go = true; }\n"
                    "thread q { await go; x += 1; }\n"),
           "");
}

TEST_CASE("a fence that no model needs is found") {
  const std::string mp =
      "shared x: int;\nshared y: int;\nthread p { x = 1; fence lw; y = 1; FENCE }\n"
      "thread q { let a = y; if a == 1 { fence lw; } let b = x; }\n";
  const auto with = [&](const std::string& fence) {
    std::string text = mp;
    return text.replace(text.find("FENCE"), 5, fence);
  };
  CHECK_EQ(warnings(with("")), "");
  CHECK_EQ(warnings(with("fence;")), "3 needless fence");
  CHECK_EQ(warnings("shared x: int;\nthread p { fence; x = 1; }\nthread q { let a = x; }\n"),
           "2 needless fence");
}

TEST_CASE("a fence is needed if a set of parameters of an expect line needs it") {
  const std::string text =
      "param N = 1;\nshared x: int;\nshared y: int;\n"
      "thread p { x = 1; fence; let a = y; }\n"
      "thread q { if N == 2 { y = 1; fence; } let b = x; }\n"
      "exists p.a == 0 && q.b == 0;\n";
  CHECK_EQ(warnings(text), "4 needless fence");
  CHECK_EQ(warnings(text + "expect all with N=2: never;\n"), "");
}

TEST_CASE("a fence switched off by a param is ignored") {
  CHECK_EQ(warnings("param ON = 0;\nshared x: int;\nthread p { if ON { fence; } x = 1; }\n"), "");
}

TEST_CASE("a fence that is missing under a model is found, unless an expect line is about that model") {
  const std::string sb =
      "shared x: int;\nshared y: int;\nthread p { x = 1; let a = y; }\nthread q { y = 1; fence st; let b = "
      "x; }\n"
      "forbid p.a == 0 && q.b == 0;\n";
  CHECK_EQ(warnings(sb), "3 missing fence, 4 needless fence, 4 missing fence");
  CHECK_EQ(warnings(sb + "expect tso, pso, power: violation;\n"), "4 needless fence");
  // No fence corrects what is wrong under sc.
  CHECK_EQ(warnings("shared x: int;\nthread w[i: 0..2] { let a = x; x = 1; }\nforbid w[0].a == 0;\n"), "");
}

TEST_CASE("notes say which fences may be weaker, and which only one model needs; the fixed text has them") {
  const std::string text =
      "shared x: int;\nshared y: int;\n"
      "thread p {\n  x = 1;\n  fence;\n  y = 1;\n  fence;\n}\n"
      "thread q {\n  let a = y;\n  fence;  // loads\n  let b = x;\n}\n"
      "forbid q.a == 1 && q.b == 0;\n";
  const auto program = heddle::Program::from_source(text, "test.hed");
  REQUIRE(program);
  std::string notes;
  std::string fixed;
  std::size_t changes = 0;
  heddle::LintOptions options;
  options.noted = [&](const heddle::Diagnostic& note) { notes += note.text; };
  options.fixed = [&](const std::string& result, std::size_t count) {
    fixed = result;
    changes = count;
  };
  const auto found = heddle::lint(*program, options);
  REQUIRE_EQ(found.size(), 1);
  CHECK_EQ(found.front().diagnostic.line, 7);
  CHECK_EQ(notes,
           "test.hed:11:3: note: only power needs this fence\n"
           "test.hed:5:3: note: `fence st` is enough here, under every model\n"
           "test.hed:11:3: note: `fence lw` is enough here, under every model\n");
  CHECK_EQ(changes, 3);
  CHECK_EQ(fixed,
           "shared x: int;\nshared y: int;\n"
           "thread p {\n  x = 1;\n  fence st;\n  y = 1;\n}\n"
           "thread q {\n  let a = y;\n  fence lw;  // loads\n  let b = x;\n}\n"
           "forbid q.a == 1 && q.b == 0;\n");
}

TEST_CASE("an await that no thread can satisfy is found") {
  CHECK_EQ(warnings("shared go: bool;\nthread p { await go; }\n"), "2 hopeless await");
  CHECK_EQ(warnings("shared x: int;\nthread p { x = 1; }\nthread q { await x == 2; }\n"), "3 hopeless await");
  CHECK_EQ(
      warnings("enum E { a, b, c }\nshared e: E;\nthread p { e = E.b; }\nthread q { while e != E.c { } }\n"),
      "4 hopeless await");
}

TEST_CASE("an await that some thread may satisfy is not reported") {
  CHECK_EQ(warnings("shared go: bool;\nthread p { await !go; }\n"), "");
  CHECK_EQ(warnings("shared x: int;\nthread p { fetch_add(x, 2); }\nthread q { await x == 2; }\n"), "");
  CHECK_EQ(warnings("shared x: int;\nthread p { x = choose(0..3); }\nthread q { await x == 2; }\n"), "");
  CHECK_EQ(
      warnings("shared x: int;\nshared y: int;\nthread p { x = 1; }\nthread q { await y == 1 || x == 1; }\n"),
      "");
}

TEST_CASE("rules that are interrupted give no warning") {
  CHECK_EQ(warnings("param N = 1;\nshared x: int;\nthread w[i: 0..2] { x += 1; fence; }\n",
                    {.timeout = 2, .go_on = [] { return false; }}),
           "1 unused name");
}

TEST_CASE("the standard library and the examples get only the warnings that they are about") {
  const std::set<std::string> meant = {"lost_update: lost update"};
  for (const char* folder : {"tests/stdlib", "examples"}) {
    for (const auto& source : heddle::tests::programs_in(folder)) {
      const auto program = heddle::Program::from_source(source.text, source.name);
      REQUIRE_MESSAGE(program, heddle::tests::first_error(program));
      for (const auto& warning : heddle::lint(*program)) {
        const std::string key =
            heddle::tests::base_name(source.name) + ": " + std::string(name(warning.rule));
        CHECK_MESSAGE(meant.contains(key), warning.diagnostic.text);
      }
    }
  }
}
