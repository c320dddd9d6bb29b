#include "checker/report/sections.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/machine.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

namespace {

// The section that a thread is in, and its transitions as a block.
struct OpenBlock {
  ThreadId thread = 0;
  Schedule block;
  bool accessed = false;  // memory: what follows belongs to the same transition

  void access() {
    if (!std::exchange(accessed, true)) block.push_back({.type = StepType::operation, .thread = thread});
  }
};

}  // namespace

Schedule run_of_steps(const Search& search, const Schedule& schedule) {
  Schedule result;
  with_machine(search, [&](auto& machine) {
    std::optional<OpenBlock> open;
    const auto close = [&] {
      result.insert(result.end(), open->block.begin(), open->block.end());
      open.reset();
    };
    const auto add = [&](const Step& step) {
      const bool of_mutex = step.access.location == search.image().block_mutex;
      if (of_mutex && step.op == Op::lock) {
        open = OpenBlock{.thread = step.thread, .block = {}};
      } else if (of_mutex) {
        return close();
      } else if (!open || open->thread != step.thread) {
        return machine.add_to(result, step);
      } else if (step.type == StepType::operation) {
        open->access();
      } else if (step.type == StepType::choice) {
        machine.add_to(open->block, step);
      }
      if (step.buffered > 0) open->access();  // a store is a step only when it reaches memory
    };
    for (const Choice& choice : schedule) {
      if (!machine.follow(choice))
        throw std::logic_error("internal error: an execution with atomic blocks cannot be repeated");
      add(machine.step(machine.depth() - 1));
    }
    const auto is_of_block = [&](const Failure& failure) { return failure.thread == open->thread; };
    if (open && std::ranges::any_of(machine.failures(), is_of_block)) close();
  });
  return result;
}

}  // namespace heddle::checker
