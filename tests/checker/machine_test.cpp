// The operational machine by itself: undo is exact, schedules can be replayed, waiting and endings are right.
#include "checker/interleavings/machine.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <string>

#include "checker/api/state.hpp"
#include "checker/interleavings/models.hpp"
#include "heddle/heddle.h"

namespace {

using namespace heddle::checker;

heddle::Program compile(const std::string& text) {
  auto program = heddle::Program::from_source(text, "test.hed");
  REQUIRE(program);
  return *program;
}

const char* const busy_program = R"(
  shared x: int; shared y: int; shared a: int[2]; mutex m;
  thread p { x = 1; let r = y; a[0] = r; fence st; y = 2; if cas(x, 1, 5) { x += 1; } fence; let s = a[1]; }
  thread q { lock m; y = choose(0..3); let r = x; fence lw; a[1] = fetch_add(x, 2); unlock m; let t = exchange(y, 7); }
  thread third { if trylock m { x = 9; unlock m; } await y != 0; let v = a[0]; x = v; }
)";

// Everything a state consists of, as bytes.
template <typename Machine>
std::string digest(Machine& machine) {
  std::string bytes;
  const auto add = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const auto value : machine.memory()) add(value);
  for (ThreadId t = 0; t < machine.thread_count(); ++t) {
    bytes.append(reinterpret_cast<const char*>(machine.threads().block(t)), machine.threads().size(t));
  }
  machine.enabled().for_each([&](ProcessId p) { add(p); });
  add(none);
  machine.choosing().for_each([&](ProcessId p) { add(p); });
  if constexpr (Machine::has_buffers) {
    for (ThreadId t = 0; t < machine.thread_count(); ++t) {
      add(machine.model().barrier(t));
      for (const auto index : machine.model().owned(t)) {
        const auto& buffer = machine.model().buffer(index);
        for (auto i = buffer.head; i < buffer.writes.size(); ++i) {
          add(buffer.writes[i].location);
          add(buffer.writes[i].value);
          add(buffer.writes[i].barrier);
          add(buffer.writes[i].last_forward);
        }
      }
    }
  }
  return bytes;
}

template <typename Machine>
bool random_step(Machine& machine, std::mt19937& random) {
  if (!machine.choosing().empty()) {
    const auto thread = machine.choosing().first();
    const auto& m = machine.threads().mailbox(thread);
    machine.choose(
        thread, m.value + static_cast<std::int64_t>(random() % static_cast<unsigned>(m.expected - m.value)));
    return true;
  }
  std::vector<ProcessId> enabled;
  machine.enabled().for_each([&](ProcessId p) { enabled.push_back(p); });
  if (enabled.empty()) return false;
  machine.execute(enabled[random() % enabled.size()]);
  return true;
}

template <typename Visit>
void for_each_machine(const heddle::Program& program, Visit&& visit) {
  OperationalModels::for_each([&]<typename Model>() {
    for (const auto bound :
         {std::optional<std::uint32_t>(), std::optional<std::uint32_t>(1), std::optional<std::uint32_t>(0)}) {
      CAPTURE(Model::name);
      visit([&] { return Machine<Model, 1>(*state_of(program).image(), {.buffer_bound = bound}); });
    }
  });
}

TEST_CASE(
    "undoing a step restores every byte of the state, on random walks under every model and buffer bound") {
  const auto program = compile(busy_program);
  for_each_machine(program, [](auto make) {
    auto machine = make();
    std::mt19937 random(7);
    for (int walk = 0; walk < 300; ++walk) {
      // A buffer that a walk creates for the first time remains as an empty buffer, so states are compared
      // from the second walk on.
      std::vector<std::string> states{digest(machine)};
      while (random() % 40 != 0 && random_step(machine, random)) states.push_back(digest(machine));
      while (machine.depth() > 0) {
        REQUIRE(digest(machine) == states.back());
        states.pop_back();
        machine.undo();
      }
      REQUIRE(digest(machine) == states.back());
    }
  });
}

TEST_CASE("a schedule leads a fresh machine to the same memory and the same threads") {
  const auto program = compile(busy_program);
  for_each_machine(program, [](auto make) {
    auto machine = make();
    std::mt19937 random(11);
    for (int walk = 0; walk < 100; ++walk) {
      while (random_step(machine, random)) {
      }
      auto other = make();
      for (const auto& choice : machine.schedule()) REQUIRE(other.follow(choice));
      CHECK(other.memory() == machine.memory());
      CHECK(other.ending() == machine.ending());
      while (machine.depth() > 0) machine.undo();
    }
  });
}

TEST_CASE("an impossible schedule is rejected") {
  const auto program = compile("shared x: int; thread p { x = 1; }");
  Machine<TotalStoreOrder, 1> machine(*state_of(program).image(), {});
  CHECK_FALSE(machine.follow({.type = StepType::operation, .thread = 0}));
  CHECK_FALSE(machine.follow({.type = StepType::choice, .thread = 0}));
  CHECK(machine.follow({.type = StepType::flush, .thread = 0, .location = 0}));
  CHECK_FALSE(machine.follow({.type = StepType::flush, .thread = 0, .location = 0}));
}

TEST_CASE("a load sees its own thread's newest buffered store, other threads see memory") {
  const auto program =
      compile("shared x: int; thread p { x = 1; x = 2; let a = x; } thread q { let b = x; }");
  Machine<TotalStoreOrder, 1> machine(*state_of(program).image(), {});
  machine.execute(0);
  CHECK(machine.step(0).read == 2);
  CHECK(machine.step(0).access.forwarded);
  machine.execute(1);
  CHECK(machine.step(1).read == 0);
}

TEST_CASE("a store-store fence delays later flushes under PSO and has no effect under TSO") {
  const auto program = compile("shared x: int; shared y: int; thread p { x = 1; fence st; y = 1; }");
  Machine<PartialStoreOrder, 1> pso(*state_of(program).image(), {});
  CHECK(pso.enabled().contains(1));        // the buffer of x
  CHECK_FALSE(pso.enabled().contains(2));  // the buffer of y
  pso.execute(1);
  CHECK(pso.enabled().contains(2));
}

TEST_CASE("locked operations and full fences wait until the thread's buffers are empty") {
  const auto program = compile("shared x: int; shared y: int; thread p { x = 1; let a = exchange(y, 2); }");
  Machine<TotalStoreOrder, 1> machine(*state_of(program).image(), {});
  CHECK_FALSE(machine.enabled().contains(0));
  machine.execute(1);
  CHECK(machine.enabled().contains(0));
}

TEST_CASE("an await read too early is blocked, one that nothing can satisfy is a deadlock") {
  const auto program = compile("shared x: int; thread p { await x == 1; } thread q { x = 1; }");
  Machine<SequentialConsistency, 1> early(*state_of(program).image(), {});
  early.execute(0);
  early.execute(1);
  CHECK(early.ending() == Ending::blocked_await);
  const auto hopeless = compile("shared x: int; thread p { await x == 2; } thread q { x = 1; }");
  Machine<SequentialConsistency, 1> machine(*state_of(hopeless).image(), {});
  machine.execute(1);
  machine.execute(0);
  CHECK(machine.ending() == Ending::deadlock);
}

}  // namespace
