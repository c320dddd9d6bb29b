// How the machines of SC, TSO and PSO let a thread wait at the choice of an `either` until it can take an alternative
// (MachineOptions::choices_wait). The end of machine.hpp, which includes it.
//
// Loads of locations that no other thread writes cannot be noticed, and others cannot change what they read. So a guard waits for
// one operation, the first one on another location, and what follows that operation up to the next one on another location is known with its
// value. If that is still in the guard, it is waited for after the choice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/state/threads.hpp"

namespace heddle::checker {

// Whether the thread is at an operation of a guard, and at a load that others cannot notice.
template <OperationalModel Model, unsigned Words>
bool Machine<Model, Words>::is_at_guard(ThreadId thread) const {
  const auto& m = threads_.mailbox(thread);
  return m.in_await != 0 && m.in_either == InEither::inside && m.in_atomic == 0 &&
         !image_.locations[m.location].is_plain;
}
template <OperationalModel Model, unsigned Words>
bool Machine<Model, Words>::is_at_own_guard(ThreadId thread) {
  const auto& m = threads_.mailbox(thread);
  if (m.op != Op::load || !is_at_guard(thread)) return false;
  const bool is_own = options_.sharing_of_guards->is_own_to_load(thread, m.location);
  if (options_.sharing_of_guards->is_wrong()) throw Sharing::Wrong{};
  return is_own;
}

// Whether the thread is at a choice at which it is to wait; finds its alternatives. Not in a block, nor where an invariant could tell when it
// chooses. Nor does a daemon where an alternative begins in a way in which it could wait and which is not waited for here: an
// execution in which it waits for ever counts in the first alternative only (last_look.hpp), which may never open.
template <OperationalModel Model, unsigned Words>
bool Machine<Model, Words>::waits_at_choice(ThreadId thread) {
  const auto& m = threads_.mailbox(thread);
  if (!options_.choices_wait || m.op != Op::choose || m.in_either != InEither::entry || m.in_atomic != 0)
    return false;
  if (image_.threads[thread].is_daemon && options_.daemons_choose_first) return false;
  for (const auto& invariant : image_.invariants) {
    if (std::ranges::find(invariant.threads, thread) != invariant.threads.end()) return false;
  }
  if (options_.sharing_of_guards == nullptr) throw SharingWanted{};
  WaitingChoice& choice = choices_[thread];
  choice.open = 0;
  choice.alternatives.clear();
  choice.blocks.clear();
  std::vector<std::int64_t> path;
  return find_alternatives(thread, path);
}

// Adds the alternatives to which these choices lead. False if the thread is not to wait for them.
template <OperationalModel Model, unsigned Words>
bool Machine<Model, Words>::find_alternatives(ThreadId thread, std::vector<std::int64_t>& path) {
  constexpr std::size_t most_alternatives = 64;
  WaitingChoice& choice = choices_[thread];
  auto& m = threads_.mailbox(thread);
  std::int64_t low = m.value;
  std::int64_t high = m.expected;
  std::uint32_t own_loads = 0;
  if (!path.empty()) {
    const Threads::Trial trial(threads_, image_, thread);
    for (const std::int64_t value : path) {
      m.value = value;
      compiler::resume(threads_.block(thread));
    }
    for (; is_at_own_guard(thread); ++own_loads) {
      m.value = seen(thread, m.location);
      compiler::resume(threads_.block(thread));
    }
    low = m.value;
    high = m.expected;
    if (m.op != Op::choose || m.in_either != InEither::inside) {
      if (choice.alternatives.size() == most_alternatives) return false;
      auto& it = choice.alternatives.emplace_back();
      it.choices = path;
      it.own_loads = own_loads;
      const std::byte* const block = threads_.block(thread);
      choice.blocks.insert(choice.blocks.end(), block, block + threads_.size(thread));
      if (is_at_guard(thread)) {
        it.kind = Alternative::Kind::guarded;
        it.op = m.op;
        it.location = m.location;
        it.expected = m.expected;
      } else if (m.op == Op::await_failed && m.in_either == InEither::inside) {
        it.kind = Alternative::Kind::closed;
      } else if (image_.threads[thread].is_daemon && m.in_await != 0) {
        return false;
      }
      return true;
    }
  }
  for (std::int64_t value = low; value < high; ++value) {
    path.push_back(value);
    if (!find_alternatives(thread, path)) return false;
    path.pop_back();
  }
  return true;
}

template <OperationalModel Model, unsigned Words>
bool Machine<Model, Words>::look_at_choice(ThreadId thread) {
  const auto& alternatives = choices_[thread].alternatives;
  std::uint64_t open = 0;
  lookers_.begin(thread);
  for (std::uint32_t i = 0; i < alternatives.size(); ++i) {
    const Alternative& it = alternatives[i];
    bool is_open = it.kind == Alternative::Kind::free;
    if (it.kind == Alternative::Kind::guarded) {
      lookers_.add(thread, it.location);
      is_open = (it.op == Op::load || drained(thread)) &&
                opens(thread, block_at_guard(thread, i), seen(thread, it.location), true);
    }
    open |= std::uint64_t{is_open} << i;
  }
  lookers_.end(thread);
  choices_[thread].open = open;
  return open != 0;
}

template <OperationalModel Model, unsigned Words>
Access Machine<Model, Words>::pending(ThreadId thread, std::uint32_t alternative) {
  const Alternative& it = choices_[thread].alternatives[alternative];
  if (it.kind != Alternative::Kind::guarded) return {};
  if (it.op == Op::load)
    return {.location = it.location, .reads = true, .forwarded = forwarded(thread, it.location)};
  return {.location = it.location,
          .reads = true,
          .writes = would_write(it.op, it.expected, memory_[it.location])};
}

template <OperationalModel Model, unsigned Words>
bool Machine<Model, Words>::opens(ThreadId thread, const std::byte* block_at_guard, std::int64_t value,
                                  bool is_now) {
  auto& m = threads_.mailbox(thread);
  std::byte* const block = threads_.block(thread);
  const Threads::Trial trial(threads_, image_, thread);
  copy_block(block, block_at_guard, threads_.size(thread));
  m.value = effect_of_reading(m.op, value, m.value, m.expected, thread).result;
  compiler::resume(block);
  while (is_at_own_guard(thread)) {
    if (!is_now) return true;
    m.value = seen(thread, m.location);
    compiler::resume(block);
  }
  return !fails_at_once(m);
}

template <OperationalModel Model, unsigned Words>
void Machine<Model, Words>::take_alternative(ThreadId thread, std::uint32_t alternative) {
  const Alternative it = choices_[thread].alternatives[alternative];
  const auto operate_later = [&] {
    auto& step = steps_.emplace_back();
    step.process = thread;
    step.after_choice = true;
    operate(thread, step);
  };
  for (std::size_t i = 0; i < it.choices.size(); ++i) {
    auto& step = steps_.emplace_back();
    step.after_choice = i > 0;
    begin_choice(thread, it.choices[i], step);
  }
  while (is_at_own_guard(thread)) operate_later();
  if (it.kind == Alternative::Kind::guarded) {
    failures_.clear();  // of invariants, which were noted when the state was reached
    operate_later();
    while (is_at_own_guard(thread)) operate_later();
  }
  if (image_.threads[thread].is_daemon && is_in_guard(thread)) throw DaemonInGuard{};
}

// The thread takes the first alternative, which it can pass or not.
template <OperationalModel Model, unsigned Words>
void Machine<Model, Words>::choose_first(ThreadId thread) {
  const auto& m = threads_.mailbox(thread);
  do {
    choose(thread, m.value);
  } while (m.op == Op::choose && m.in_either == InEither::inside);
}

template <OperationalModel Model, unsigned Words>
bool Machine<Model, Words>::finds_alternative(ThreadId thread) {
  auto& m = threads_.mailbox(thread);
  const Threads::Trial trial(threads_, image_, thread);
  // It may choose any: the value is the first one. (What it comes to without a guard may be an `either`, too, even
  // the same one.)
  if (m.in_either == InEither::entry) compiler::resume(threads_.block(thread));
  while (m.op == Op::choose && m.in_either == InEither::inside) compiler::resume(threads_.block(thread));
  const auto evaluate = [&] {
    while (m.in_await != 0 && m.in_either == InEither::inside) {
      m.value = seen(thread, m.location);
      compiler::resume(threads_.block(thread));
    }
    return m.op != Op::await_failed || m.in_either == InEither::no;
  };
  if (evaluate()) return true;
  m.value = compiler::any_alternative;
  compiler::resume(threads_.block(thread));
  return evaluate();
}

}  // namespace heddle::checker
