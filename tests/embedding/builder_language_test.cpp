// The builder (include/heddle/builder.h): the constructs beyond shared integers, each compared with the same
// program as text, and possible mistakes.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "heddle/builder.h"
#include "heddle/heddle.h"

namespace {

using heddle::Expression;
using heddle::Location;
using heddle::ProgramBuilder;
using heddle::ThreadBuilder;
using heddle::Type;
using Arguments = std::vector<Location>;

heddle::CheckResult check(const ProgramBuilder& builder, std::string_view model) {
  const auto program = builder.compile();
  for (const auto& error : program.error()) FAIL(error.text);
  heddle::CheckOptions options;
  options.model = model;
  options.keep_going = true;
  const auto result = heddle::check(*program, options);
  for (const auto& error : result.error()) FAIL(error.text);
  return *result;
}

// Safe under every model, with at least one complete execution.
void check_safe(const ProgramBuilder& builder) {
  for (const auto& model : heddle::models()) {
    CAPTURE(model.name);
    const auto result = check(builder, model.name);
    CHECK_MESSAGE(!result.violation, (result.violation ? result.violation->message : ""));
    CHECK(result.counts.executions > 0);
  }
}

// The first error message of a program.
std::string mistake(const ProgramBuilder& builder) {
  const auto program = builder.compile();
  return program ? "compiled" : program.error().front().message;
}

TEST_CASE("enums: values, variables, comparison and choice") {
  ProgramBuilder p("enum");
  const auto state = p.enumeration("State", {"idle", "busy", "done"});
  const auto s = p.shared("s", state, {state["busy"]});
  const auto all = p.shared("all", state.array(2));
  const auto t = p.thread("t", [&](ThreadBuilder& b) {
    b.check(s == state["busy"] && all[1] == state["idle"]);
    const auto chosen = b.choose(state, "chosen");
    b.store(s, chosen);
    b.if_(chosen != state["idle"], [&](ThreadBuilder& inner) { inner.store(all[0], state["done"]); });
  });
  p.exists(t["chosen"] == state["done"] && s == state["done"] && all[0] == state["done"]);
  check_safe(p);
  CHECK(check(p, "sc").counts.executions == 3);
  CHECK(check(p, "sc").conditions.at(0).satisfied == 1);
}

TEST_CASE("structs: fields with first values, nested, in arrays, with locks") {
  ProgramBuilder p("struct");
  const auto length = p.constant("LENGTH", 2);
  const auto inner = p.structure("Inner", {{"a", Type::integer(), {7}}, {"b", Type::boolean()}});
  const auto node = p.structure("Node", {{"part", inner},
                                         {"slots", Type::integer().array(length), {1, 2}},
                                         {"grid", Type::integer().array(3).array(2)},
                                         {"guard", Type::mutex()}});
  const auto pool = p.shared("pool", node.array(2));
  p.threads("w", 0, 2, [&](ThreadBuilder& t, const Expression& me) {
    t.check(pool[me].field("part").field("a") == 7 && !pool[me].field("part").field("b"));
    t.lock(pool[0].field("guard"));
    t.update(pool[0].field("slots")[1], "+", 10);
    t.store(pool[1].field("grid")[1][2], me);
    t.unlock(pool[0].field("guard"));
  });
  p.finally([&](ThreadBuilder& t) { t.check(pool[0].field("slots")[1] == 22); });
  check_safe(p);
}

TEST_CASE("local arrays and objects belong to their thread") {
  ProgramBuilder p("locals");
  const auto pair = p.structure("Pair", {{"left", Type::integer(), {3}}, {"right", Type::integer()}});
  const auto x = p.shared("x");
  p.threads("w", 0, 2, [&](ThreadBuilder& t, const Expression& me) {
    const auto a = t.var("a", Type::integer().array(4), {5});
    const auto b = t.var("", Type::boolean().array(2), {true, false});
    const auto object = t.var("object", pair);
    t.for_("i", 0, 4, [&](ThreadBuilder& loop, const Expression& i) { loop.assign(a[i], a[i] + me * i); });
    t.assign(object.field("right"), a[3]);
    t.check(b[0] && !b[1] && object.field("left") == 3 && object.field("right") == 5 + 3 * me);
    t.fetch_add(x, object.field("right"));
  });
  p.finally([&](ThreadBuilder& t) { t.check(x == 13); });
  check_safe(p);
}

TEST_CASE("condition variables: a wake-up that arrives, and a lost one") {
  for (const bool careful : {true, false}) {
    ProgramBuilder p("condition");
    const auto ready = p.shared_bool("ready");
    const auto m = p.mutex("m");
    const auto c = p.condition("c");
    p.thread("waiter", [&](ThreadBuilder& t) {
      t.lock(m);
      if (careful) {
        t.while_(!ready, [&](ThreadBuilder& loop) { loop.wait(c, m); });
      } else {
        t.wait(c, m);
      }
      t.unlock(m);
    });
    p.thread("waker", [&](ThreadBuilder& t) {
      t.lock(m);
      t.store(ready, true);
      t.unlock(m);
      careful ? t.broadcast(c) : t.signal(c);
    });
    const auto result = check(p, "tso");
    CHECK(result.violation.has_value() == !careful);
    if (result.violation) CHECK(result.violation->message.find("deadlock") != std::string::npos);
  }
}

TEST_CASE("arrays of mutexes and condition variables") {
  ProgramBuilder p("arrays");
  const auto n = p.param("N", 2);
  const auto m = p.mutex_array("m", n);
  const auto c = p.condition_array("c", 2);
  const auto go = p.shared_array("go", 2);
  p.threads("w", 0, 2, [&](ThreadBuilder& t, const Expression& me) {
    t.lock(m[me]);
    t.store(go[me], 1);
    t.signal(c[me]);
    t.unlock(m[me]);
    t.lock(m[1 - me]);
    t.while_(go[1 - me] == 0, [&](ThreadBuilder& loop) { loop.wait(c[1 - me], m[1 - me]); });
    t.unlock(m[1 - me]);
  });
  CHECK(check(p, "sc").verdict == heddle::Verdict::safe);
}

TEST_CASE("spawned threads: arguments, join, names in conditions") {
  ProgramBuilder p("spawn");
  const auto x = p.shared("x");
  const auto worker = p.proc("worker", {{"by", Type::integer()}}, [&](ThreadBuilder& t, const Arguments& a) {
    t.fetch_add(x, a[0]);
    t.let("mine", a[0]);
  });
  const auto single = p.proc("single", {}, [&](ThreadBuilder& t, const Arguments&) { t.let("seen", x); });
  p.thread("main", [&](ThreadBuilder& t) {
    const auto first = t.spawn(worker, {5});
    t.spawn(worker, {6}, "second");
    t.join(first);
    t.join(worker);
    t.join(t.spawn(single));
    t.check(x == 11);
  });
  p.exists(worker.thread(0)["mine"] == 5 && worker.thread(1)["mine"] == 6 && single.thread()["seen"] == 11);
  check_safe(p);
  const auto result = check(p, "pso");
  CHECK(result.conditions.at(0).satisfied == result.counts.executions);
}

TEST_CASE("functions: results, early return, arguments by reference") {
  ProgramBuilder p("functions");
  const auto x = p.shared("x", 4);
  const auto half = p.function("half", {{"n", Type::integer()}}, Type::integer(),
                               [&](ThreadBuilder& t, const Arguments& a) {
                                 t.if_(a[0] % 2 != 0, [](ThreadBuilder& odd) { odd.return_(-1); });
                                 t.return_(a[0] / 2);
                               });
  const auto reset = p.function("reset", {{"at", Type::integer(), true}, {"old", Type::integer(), true}},
                                [&](ThreadBuilder& t, const Arguments& a) {
                                  t.store(a[1], a[0]);
                                  t.store(a[0], 0);
                                });
  p.thread("t", [&](ThreadBuilder& t) {
    const auto old = t.var("old", 0);
    t.call(reset, {x, old});
    t.check(old == 4 && x == 0);
    t.check(t.call_value(half, {old}, "two") == 2);
    t.check(t.call_value(half, {7}) == -1);
  });
  check_safe(p);
}

TEST_CASE("modules of the standard library, under their own name and another") {
  ProgramBuilder p("modules");
  const auto spinlock = p.import("std.spinlock");
  const auto queue = p.import("std.spsc", "queue");
  const auto l = p.shared("l", spinlock.type("Lock"));
  const auto q = p.shared("q", queue.type("Queue"));
  const auto n = p.shared("n");
  p.threads("w", 0, 2, [&](ThreadBuilder& t, const Expression&) {
    t.call(spinlock.function("acquire"), {l});
    t.update(n, "+", 1);
    t.call(spinlock.function("release"), {l});
  });
  p.finally([&](ThreadBuilder& t) { t.check(n == 2); });
  p.thread("producer", [&](ThreadBuilder& t) {
    t.check(t.call_value(queue.function("try_put"), {q, Expression(5)}));
  });
  CHECK(check(p, "tso").verdict != heddle::Verdict::violation);
}

TEST_CASE("expect lines are part of the text and of the program") {
  ProgramBuilder p("expect");
  const auto x = p.shared("x");
  const auto n = p.param("N", 1);
  p.thread("t", [&](ThreadBuilder& t) { t.check(x != n, "zero"); });
  p.expect("sc, tso", "safe");
  p.expect("pso", "violation \"zero\"", "N=0");
  const auto program = p.compile();
  REQUIRE(program);
  REQUIRE(program->expectations().size() == 2);
  CHECK(program->expectations()[1].parameters == heddle::Parameters{{"N", 0}});
}

TEST_CASE("mistakes with the richer constructs name their call") {
  {
    ProgramBuilder p("wrong");
    const auto state = p.enumeration("State", {"idle"});
    const auto s = p.shared("s", state);
    p.thread("t", [&](ThreadBuilder& t) { t.store(s, state["bsuy"]); });
    CHECK(mistake(p).starts_with("store(): "));
    CHECK(mistake(p).find("bsuy") != std::string::npos);
  }
  {
    ProgramBuilder p("wrong");
    const auto pair = p.structure("Pair", {{"left", Type::integer()}});
    const auto o = p.shared("o", pair);
    p.thread("t", [&](ThreadBuilder& t) { t.load(o.field("right")); });
    CHECK(mistake(p).starts_with("load(): "));
  }
  {
    ProgramBuilder p("wrong");
    const auto x = p.shared("x");
    p.thread("t", [&](ThreadBuilder& t) { t.lock(x); });
    CHECK(mistake(p).starts_with("lock(): "));
  }
  {
    ProgramBuilder p("wrong");
    const auto worker = p.proc("worker", {{"i", Type::integer()}}, [](ThreadBuilder&, const Arguments&) {});
    p.thread("t", [&](ThreadBuilder& t) { t.spawn(worker, {true}); });
    CHECK(mistake(p).starts_with("spawn(): "));
  }
  {
    ProgramBuilder p("wrong");
    const auto x = p.shared("x");
    p.thread("t", [&](ThreadBuilder& t) { t.update(x, "; fence", 1); });
    CHECK(mistake(p) == "update(): '; fence' is not an operator for this");
  }
  {
    ProgramBuilder p("wrong");
    p.import("std.nothing");
    p.thread("t", [](ThreadBuilder&) {});
    CHECK(mistake(p).starts_with("import(): "));
  }
  {
    ProgramBuilder p("wrong");
    const auto x = p.shared("x");
    const auto f = p.function("f", {{"i", Type::integer()}},
                              [&](ThreadBuilder& t, const Arguments& a) { t.store(a[0], 1); });
    p.thread("t", [&](ThreadBuilder& t) { t.call(f, {x}); });
    CHECK(mistake(p).starts_with("store(): "));
  }
  ProgramBuilder litmus("SB.litmus");
  litmus.thread("t", [](ThreadBuilder&) {});
  CHECK(mistake(litmus) == "ProgramBuilder(): the name of a program cannot end in '.litmus'");
}

TEST_CASE("words that are not names are refused wherever a name is taken") {
  ProgramBuilder p("wrong");
  const std::string bad = "x; thread evil { }";
  const auto state = p.enumeration(bad, {"a b"});
  p.structure(bad, {{"f g", Type::integer()}});
  p.shared(bad, state);
  p.mutex_array(bad, 2);
  p.condition(bad);
  p.condition_array(bad, 2);
  p.constant(bad, 1);
  p.import("./queue.hed", bad);
  p.import("std.spin lock");
  p.function(bad, {{"p q", Type::integer()}}, [](ThreadBuilder&, const Arguments&) {});
  p.proc(bad, {}, [](ThreadBuilder&, const Arguments&) {});
  p.thread("t", [&](ThreadBuilder& t) {
    t.var(bad, Type::integer().array(2));
    t.choose(state, bad);
  });
  const auto program = p.compile();
  REQUIRE_FALSE(program);
  CHECK(program.error().size() == 16);
  for (const auto& error : program.error()) CHECK(error.message.ends_with("is not a name"));
}

}  // namespace
