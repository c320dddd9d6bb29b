// Random programs: every form of the compiled code against the interpreter.
#include <doctest/doctest.h>

#include "tests/environment.hpp"
#include "tests/jit/interpreter.hpp"
#include "tests/jit/random_programs.hpp"

namespace heddle::test {
namespace {

void set_up(Host& host) {
  host.choices = {1, 0, 3, -2};
  host.resumes_after_assertions = true;
  host.on_await_failed = [](Host& h) {
    ++h.memory[0];
    h.memory[2] = 1;
  };
}

void compare(std::uint64_t seed, const std::vector<std::pair<std::string, compiler::Options>>& forms,
             bool in_bounds = false) {
  constexpr std::size_t steps = 400;
  const std::string source = RandomProgram(seed, in_bounds).generate();
  INFO("seed ", seed, "\n", source);
  const lang::Program program = parse(source);
  for (const auto& [name, options] : forms) {
    INFO(name);
    const auto image = compile(source, options);
    Host reference(*image);
    set_up(reference);
    const Interpreted expected = interpret(program, *image, 1, reference, options.unroll, steps);
    Host host(*image);
    set_up(host);
    host.at_suspension = [](Block& block) {
      const std::vector<std::byte> saved = block.bytes();
      std::fill_n(block.data(), block.size(), std::byte{0x5a});
      block.restore(saved);
    };
    CHECK(host.run(1, steps) == expected.log);
    CHECK(host.locals == expected.locals);
    CHECK(host.memory == reference.memory);
  }
}

// HEDDLE_RANDOM_PROGRAMS=20000 selects a long run.
std::uint64_t programs(std::uint64_t usual) {
  return tests::number_from_environment("HEDDLE_RANDOM_PROGRAMS", usual);
}

}  // namespace

TEST_CASE("random programs do what the interpreter does") {
  const std::vector<std::pair<std::string, compiler::Options>> quick{
      {"coroutine", {.unroll = 3, .coroutine_operations = 1'000'000}},
      {"machine", {.unroll = 3, .coroutine_operations = 0}}};
  for (std::uint64_t seed = 1; seed <= programs(150); ++seed) compare(seed, quick);
}

// If every load gets its value at once, a thread that runs ahead behaves the same, except for when indexes
// are checked.
TEST_CASE("random programs that run ahead do the same") {
  const std::vector<std::pair<std::string, compiler::Options>> ahead{
      {"coroutine", {.unroll = 3, .run_ahead = true, .coroutine_operations = 1'000'000}},
      {"machine", {.unroll = 3, .run_ahead = true, .coroutine_operations = 0}}};
  for (std::uint64_t seed = 1; seed <= programs(150); ++seed) compare(seed + 2'000'000'000, ahead, true);
}

TEST_CASE("random programs do the same when they are optimised") {
  const std::vector<std::pair<std::string, compiler::Options>> optimised{
      {"optimised coroutine", {.unroll = 2, .optimise = true, .coroutine_operations = 1'000'000}},
      {"optimised machine", {.unroll = 2, .optimise = true, .coroutine_operations = 0}}};
  for (std::uint64_t seed = 1; seed <= programs(20) / 10 + 10; ++seed)
    compare(seed + 1'000'000'000, optimised);
}

}  // namespace heddle::test
