// How the machines of SC, TSO and PSO take an atomic block as one transition, and how a search asks what a block would do. The end
// of machine.hpp, which includes it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "checker/state/rows.hpp"
#include "checker/state/threads.hpp"

namespace heddle::checker {

template <OperationalModel Model, unsigned Words>
[[gnu::noinline]] void Machine<Model, Words>::run_block(ThreadId thread) {
  const auto& m = threads_.mailbox(thread);
  while (m.in_atomic == later_in_block && m.op != Op::choose && can_go_on(thread)) {
    auto& step = steps_.emplace_back();
    step.process = thread;
    operate(thread, step);
  }
  find_alone(thread);
}

template <OperationalModel Model, unsigned Words>
void Machine<Model, Words>::find_alone(ThreadId thread) {
  const auto& m = threads_.mailbox(thread);
  alone_.assign(thread, m.in_atomic == later_in_block);
  broken_ = m.in_atomic == later_in_block && m.op != Op::choose;
}

template <OperationalModel Model, unsigned Words>
template <typename Read, typename Visit>
bool Machine<Model, Words>::evaluate_block(ThreadId thread, Read&& read, Visit&& visit) {
  auto& m = threads_.mailbox(thread);
  const Threads::Trial trial(threads_, image_, thread);
  do {
    if (m.in_await == 0) break;
    visit(Access{.location = m.location, .reads = true, .writes = m.op != Op::load});
    m.value = effect_of_reading(m.op, read(m.location), m.value, m.expected, thread).result;
    compiler::resume(threads_.block(thread));
  } while (m.in_atomic == later_in_block);
  return !fails_to_await(m);
}

template <OperationalModel Model, unsigned Words>
template <typename Visit>
void Machine<Model, Words>::for_each_in_block(ThreadId thread, Visit&& visit) {
  const Uncounted trial(image_);
  Rows* const log = std::exchange(log_, nullptr);
  const std::vector<Failure> failures = std::exchange(failures_, {});
  const Set alone = std::exchange(alone_, {});
  const bool broken = std::exchange(broken_, false);
  const auto made_since = [&](std::uint32_t first) {
    for (auto position = first; position < depth(); ++position) visit(steps_[position].access);
  };
  const auto from_here = [&](const auto& rest) -> void {
    if (!in_block()) return;
    const std::int64_t low = threads_.mailbox(thread).value;
    const std::int64_t high = threads_.mailbox(thread).expected;
    for (auto value = low; value < high; ++value) {
      const auto first = depth();
      choose(thread, value);
      made_since(first);
      rest(rest);
      undo();
    }
  };
  const auto first = depth();
  execute(thread);
  made_since(first);
  from_here(from_here);
  undo();
  alone_ = alone;
  broken_ = broken;
  failures_ = failures;
  log_ = log;
}

}  // namespace heddle::checker
