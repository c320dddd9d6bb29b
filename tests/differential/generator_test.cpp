// Tests of the differential tests' own tools: the generator and the shrinker.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

#include "generate.hpp"
#include "shrink.hpp"

namespace heddle::differential {

namespace {

void count(const Block& block, std::map<Statement::Kind, int>& counts) {
  for (const auto& s : block) {
    ++counts[s.kind];
    count(s.body, counts);
    count(s.otherwise, counts);
  }
}

bool has(const RandomProgram& program, Statement::Kind kind) {
  std::map<Statement::Kind, int> counts;
  for (const auto& thread : program.threads) count(thread.body, counts);
  return counts.contains(kind);
}

}  // namespace

TEST_CASE("a generated program depends only on its seed and number") {
  CHECK(print(generate(1, 17).program) == print(generate(1, 17).program));
  CHECK(print(generate(1, 17).program) != print(generate(2, 17).program));
  CHECK(print(generate(1, 17).program) != print(generate(1, 18).program));
}

TEST_CASE("the generator produces statements of every kind, and two to four threads") {
  std::map<Statement::Kind, int> counts;
  std::set<std::int64_t> threads;
  std::set<std::string> texts;
  for (std::uint64_t number = 0; number < 4000; ++number) {
    const auto program = generate(1, number).program;
    std::int64_t all = 0;
    for (const auto& thread : program.threads) {
      all += thread.copies;
      count(thread.body, counts);
    }
    threads.insert(all);
    texts.insert(print(program));
  }
  CHECK(threads == std::set<std::int64_t>{2, 3, 4});
  CHECK(texts.size() > 3900);
  for (auto kind = 0; kind <= static_cast<int>(Statement::Kind::leave); ++kind) {
    INFO("kind " << kind);
    CHECK(counts[static_cast<Statement::Kind>(kind)] > 20);
  }
}

TEST_CASE("the shrinker keeps only what makes a program fail") {
  std::uint64_t number = 0;
  while (!has(generate(3, number).program, Statement::Kind::cas)) ++number;
  const auto fails = [](const RandomProgram& program) { return has(program, Statement::Kind::cas); };
  const auto shrunk = shrink(generate(3, number).program, fails);
  REQUIRE(shrunk.threads.size() == 1);
  REQUIRE(shrunk.threads[0].body.size() == 1);
  CHECK(shrunk.threads[0].body[0].kind == Statement::Kind::cas);
  CHECK(shrunk.conditions.empty());
  CHECK(shrunk.final_block.empty());
}

}  // namespace heddle::differential
