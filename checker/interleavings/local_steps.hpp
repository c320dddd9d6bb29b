// How the machines of SC, TSO and PSO make operations on locations of a thread's own as part of the transition before
// (MachineOptions::sharing, sharing.hpp). The end of machine.hpp, which includes it.
#pragma once

#include <cstdint>

#include "checker/interleavings/sharing.hpp"

namespace heddle::checker {

template <OperationalModel Model, unsigned Words>
[[gnu::noinline]] void Machine<Model, Words>::take_local(ThreadId thread) {
  constexpr std::uint32_t most_at_once = 100;  // a thread may do so for ever
  for (std::uint32_t i = 0; i < most_at_once && failures_.empty() && is_local(thread); ++i) {
    auto& step = steps_.emplace_back();
    step.process = thread;
    step.local = true;
    operate(thread, step);
  }
}

template <OperationalModel Model, unsigned Words>
bool Machine<Model, Words>::is_local(ThreadId thread) {
  const auto& m = threads_.mailbox(thread);
  const bool is_visible = has_invariants_ && observed_threads_[thread];
  if (is_visible) return false;
  if (m.op == Op::load) return loads_own(thread) && (!waiting_.contains(thread) || look(thread));
  if (has_buffers || (m.op != Op::store && !is_read_modify_write(m.op)) || m.in_await != 0) return false;
  return m.in_atomic == 0 && !(has_invariants_ && observed_[m.location]) &&
         options_.sharing->is_own_to_store(thread, m.location);
}

template <OperationalModel Model, unsigned Words>
bool Machine<Model, Words>::loads_own(ThreadId thread) const {
  const auto& m = threads_.mailbox(thread);
  return m.op == Op::load && m.in_atomic == 0 && options_.sharing->is_own_to_load(thread, m.location);
}

}  // namespace heddle::checker
