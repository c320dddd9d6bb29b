// What a search over a derived execution model does at the end of a run, and how it writes a run down.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/execution/derived.hpp"
#include "checker/execution/linearise.hpp"
#include "checker/explore/search.hpp"

namespace heddle::checker {

// Judges the ends of runs. Holds buffers, so one of them serves a whole search.
template <typename Machine>
class DerivedEnd {
 public:
  explicit DerivedEnd(Search& search)
      : search_(search),
        needs_states_(!search.image().conditions.empty() || search.image().final_block != nullptr ||
                      search.options().collect_outcomes) {
    for (const auto& location : search.image().locations) memory_.push_back(location.initial);
    blocks_.resize(search.image().threads.size());
  }

  // The newest step, or the start, found a violation.
  void failure(Machine& machine) {
    search_.note(Search::kind_of(machine.failed_op()), machine.failed_site(), [&] {
      if constexpr (requires { machine.graph(); }) {
        return linearise(search_, machine.graph(), machine.failed_causes());
      } else {
        return machine.run();
      }
    });
  }

  // Nothing is left that could be committed: classifies and counts the run, as Machine::ending does for
  // interleavings. Returns whether it was a complete execution.
  bool finish(Machine& machine) {
    auto& counts = search_.counts;
    ++counts.runs;
    if (machine.depth() > counts.max_depth) counts.max_depth = machine.depth();
    bool assumed = false;
    bool early = false;
    bool waits = false;
    for (ThreadId t = 0; t < machine.thread_count(); ++t) {
      const jit::Op op = machine.standing_op(t);
      if (op == jit::Op::done) continue;
      if (is_failure(op) || op == jit::Op::unlock) return false;
      if (op == jit::Op::loop_bound) {
        ++counts.blocked_loop_bound;
        return false;
      }
      waits = true;
      if (op == jit::Op::assume_failed) {
        assumed = true;
      } else if (op == jit::Op::await_failed && !assumed) {
        early = early || machine.await_holds(t);
      }
    }
    if (!waits) {
      complete(machine);
      return true;
    }
    if (assumed) {
      ++counts.blocked_assume;
    } else if (early) {
      ++counts.blocked_await;
    } else {
      search_.note(ViolationKind::deadlock, none, [&] { return schedule(machine); });
    }
    return false;
  }

 private:
  void complete(Machine& machine) {
    if (needs_states_) {
      machine.final_memory(memory_);
      machine.clean();
      for (ThreadId t = 0; t < blocks_.size(); ++t) blocks_[t] = machine.block(t);
    }
    search_.complete(memory_, blocks_.data(), [&] { return schedule(machine); });
  }

  // How a violation is shown: as a run of the store-buffer machine where the model has one.
  [[nodiscard]] Schedule schedule(const Machine& machine) const {
    if constexpr (requires { machine.graph(); }) {
      return linearise(search_, machine.graph(), machine.graph().live());
    } else {
      return machine.run();
    }
  }

  Search& search_;
  bool needs_states_;
  std::vector<std::int64_t> memory_;
  std::vector<const std::byte*> blocks_;
};

}  // namespace heddle::checker
