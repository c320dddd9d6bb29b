// Programs written in C++ (include/heddle/builder.h).
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "heddle/builder.h"
#include "heddle/heddle.h"

namespace {

using heddle::Expression;
using heddle::ProgramBuilder;
using heddle::ThreadBuilder;

heddle::CheckResult check(const ProgramBuilder& builder, const std::string& model) {
  const auto program = builder.compile();
  for (const auto& error : program.error()) FAIL(error.text);
  heddle::CheckOptions options;
  options.model = model;
  options.collect_outcomes = true;
  options.keep_going = true;
  const auto result = heddle::check(*program, options);
  REQUIRE(result);
  return *result;
}

std::uint64_t satisfied(const heddle::CheckResult& result) { return result.conditions.at(0).satisfied; }

TEST_CASE("store buffering written in C++ behaves like the text") {
  ProgramBuilder p("SB");
  const auto x = p.shared("x"), y = p.shared("y");
  const auto left = p.thread("left", [&](auto& t) {
    t.store(x, 1);
    t.load(y, "a");
  });
  const auto right = p.thread("right", [&](auto& t) {
    t.store(y, 1);
    t.load(x, "b");
  });
  p.exists(left["a"] == 0 && right["b"] == 0);
  CHECK(p.text() ==
        "shared x: int = 0;\n"
        "shared y: int = 0;\n"
        "thread left {\n"
        "  x = 1;\n"
        "  let a = y;\n"
        "}\n"
        "thread right {\n"
        "  y = 1;\n"
        "  let b = x;\n"
        "}\n"
        "exists ((left.a == 0) && (right.b == 0));\n");
  CHECK(satisfied(check(p, "sc")) == 0);
  CHECK(satisfied(check(p, "tso")) == 1);
  CHECK(check(p, "tso").outcomes.size() == 4);
}

TEST_CASE("every operation can be written") {
  ProgramBuilder p("all");
  const auto n = p.param("N", 3);
  const auto x = p.shared("x", -7), y = p.shared("y", std::numeric_limits<std::int64_t>::min());
  const auto flag = p.shared_bool("flag", true);
  const auto a = p.shared_array("a", 3, 5);
  const auto m = p.mutex("m");
  const auto w = p.thread("w", [&](ThreadBuilder& t) {
    t.check(x == -7 && y < x && flag && a[2] == 5, "first \"values\"\nhere");
    t.lock(m);
    t.check(!t.try_lock(m));
    t.unlock(m);
    t.check(t.try_lock(m, "got"));
    t.unlock(m);
    t.check(t.cas(x, -7, 8) && !t.cas(x, 0, 1));
    t.check(t.exchange(x, 1) == 8);
    t.check(t.fetch_add(x, 5) == 1);   // 6
    t.check(t.fetch_sub(x, 3) == 6);   // 3
    t.check(t.fetch_or(x, 4) == 3);    // 7
    t.check(t.fetch_and(x, 6) == 7);   // 6
    t.check(t.fetch_xor(x, 5) == 6);   // 3
    t.check(t.fetch_max(x, 9) == 3);   // 9
    t.check(t.fetch_min(x, -2) == 9);  // -2
    t.fence();
    t.fence(heddle::FenceType::lightweight);
    t.fence(heddle::FenceType::store_store);
    t.fence(heddle::FenceType::instruction);
    const auto sum = t.var("sum", 0);
    t.for_("i", 0, n, [&](ThreadBuilder& inner, const Expression& i) {
      inner.if_(i == 1, [](ThreadBuilder& skip) { skip.continue_(); });
      inner.assign(sum, sum + a[i] * i);
    });
    t.check(sum == 10);
    t.while_(sum > 0, [&](ThreadBuilder& inner) {
      inner.if_else(
          sum == 3, [](ThreadBuilder& stop) { stop.break_(); },
          [&](ThreadBuilder& go_on) { go_on.assign(sum, sum - 1); });
    });
    t.check(sum == 3);
    const auto chosen = t.choose(0, 3, "chosen");
    t.assume(chosen != 1);
    t.await(flag);
    t.let("twice", select(chosen == 0, 10, chosen * 2));
    t.store(a[chosen], (~chosen + 1) % 7 - -(chosen << 2) / 2 + (chosen >> 1) + (chosen & 1) + (chosen | 2) +
                           (chosen ^ 3));
    t.store(flag, false);
    t.return_();
    t.check(false, "never reached");
  });
  p.finally([&](ThreadBuilder& t) { t.check(!flag && x == -2); });
  p.forall(w["twice"] == 10 || w["twice"] == 4);
  p.forbid(w["chosen"] == 1);
  for (const auto& model : heddle::models()) {
    const auto result = check(p, std::string(model.name));
    if (result.violation) FAIL(result.violation->message);
    CHECK(result.counts.executions == 2);
    CHECK(result.counts.blocked_assume == 1);
  }
  const auto other = p.compile({.parameters = {{"N", 2}}});
  REQUIRE(other);
  CHECK(heddle::check(*other)->violation->message == "assertion failed: assert (sum == 10)");
}

TEST_CASE("a C++ loop writes a family of models") {
  for (int threads = 1; threads <= 4; ++threads) {
    ProgramBuilder p("counter");
    const auto x = p.shared("x");
    for (int i = 0; i < threads; ++i) p.thread("t" + std::to_string(i), [&](auto& t) { t.fetch_add(x, 1); });
    const auto family = p.threads("w", 0, 2, [&](auto& t, const Expression& me) { t.store(x, me); });
    CHECK(family.size() == 2);
    CHECK(family[1].name() == "w[1]");
    CHECK(check(p, "sc").verdict == heddle::Verdict::safe);
  }
}

TEST_CASE("mistakes name the C++ call and its place") {
  ProgramBuilder p("wrong");
  const auto x = p.shared("x");
  Expression leaked = 0;
  p.thread("p", [&](auto& t) { leaked = t.load(x, "mine"); });
  p.thread("q", [&](auto& t) { t.store(x, leaked); });
  const auto line = static_cast<std::uint32_t>(__LINE__ - 1);
  const auto result = p.compile();
  REQUIRE_FALSE(result);
  const auto& error = result.error().front();
  CHECK(error.message == "store(): unknown name 'mine'");
  CHECK(error.line == line);
  CHECK(error.file.ends_with("builder_test.cpp"));
  CHECK(error.text.find("builder_test.cpp:" + std::to_string(line)) != std::string::npos);
}

TEST_CASE("names are checked, so that they cannot inject code") {
  ProgramBuilder p("wrong");
  const auto x = p.shared("x: int; thread evil { } shared y");
  p.shared("while");
  p.thread("p", [&](auto& t) {
    t.store(x, 1);
    t.load(x, "a\nb");
  });
  const auto result = p.compile();
  REQUIRE_FALSE(result);
  REQUIRE(result.error().size() == 3);
  CHECK(result.error()[1].message == "shared(): 'while' is not a name");
  CHECK(result.error()[2].message == "load(): 'a\nb' is not a name");
  CHECK_FALSE(ProgramBuilder("empty").compile());
}

TEST_CASE("fields, values and locals are names, too") {
  const auto message = [](const auto& use) {
    ProgramBuilder p("wrong");
    const auto pair = p.structure("Pair", {{"a", heddle::Type::integer()}});
    const auto x = p.shared("x", pair);
    p.thread("p", [&](auto& t) { use(t, x); });
    const auto result = p.compile();
    return result ? std::string() : result.error().front().message;
  };
  CHECK(message([](auto& t, const auto& x) { t.store(x.field("a"), 1); }).empty());
  CHECK_FALSE(message([](auto& t, const auto& x) { t.store(x.field("a = 1; x.a"), 1); }).empty());
  CHECK_FALSE(message([](auto& t, const auto& x) { t.store(x.field(""), 1); }).empty());
}

TEST_CASE("an operation without a name gets a unique one") {
  ProgramBuilder p("names");
  const auto x = p.shared("x");
  const auto r2 = p.shared("r2");
  p.thread("p", [&](auto& t) {
    t.load(x, "r1");
    t.store(r2, t.load(x) + t.load(x));
  });
  const auto q = p.thread("q", [&](auto& t) {
    t.load(x);
    t.store(x, t.load(x, "r4"));
  });
  p.exists(q["r1"] == 1);
  const auto program = p.compile();
  REQUIRE_MESSAGE(program, program.error().front().text);

  ProgramBuilder late("late");
  const auto y = late.shared("y");
  late.thread("p", [&](auto& t) {
    t.load(y);
    t.load(y, "r1");
  });
  late.shared("r1");
  const auto result = late.compile();
  REQUIRE_FALSE(result);
  REQUIRE(result.error().size() == 2);
  CHECK(result.error()[0].message ==
        "load(): 'r1' is the name of an operation above that was given none: name that one");
  CHECK(result.error()[1].message ==
        "shared(): 'r1' is the name of an operation above that was given none: name that one");
}

TEST_CASE("a number that does not fit into a signed 64-bit integer is refused at its place") {
  ProgramBuilder p("large");
  const auto x = p.shared("x");
  p.thread("p", [&](auto& t) { t.store(x, std::uint64_t{1} << 63U); });
  const auto result = p.compile();
  REQUIRE_FALSE(result);
  CHECK(result.error().front().message.starts_with("store(): "));
}

TEST_CASE("the front end checks types") {
  ProgramBuilder p("wrong");
  const auto x = p.shared("x");
  p.thread("p", [&](auto& t) { t.store(x, x == 1); });
  const auto result = p.compile();
  REQUIRE_FALSE(result);
  CHECK(result.error().front().message.find("store(): ") == 0);
  CHECK(result.error().front().message.find("bool") != std::string::npos);
}

}  // namespace
