// What a step of the operational machine does: the definitions of machine.hpp.
#pragma once

#include "checker/execution/machine.hpp"

namespace heddle::checker {

template <typename Model, unsigned Words>
inline void Machine<Model, Words>::operate(ThreadId thread, Step& step) {
  auto& m = threads_.mailbox(thread);
  step.op = m.op;
  step.thread = thread;
  step.site = m.site;
  step.access.location = m.location;
  auto& cell = memory_[m.location];
  std::int64_t result = cell;
  switch (m.op) {
    case jit::Op::load:
      step.access.reads = true;
      if constexpr (has_buffers) {
        if (auto* const write = model_.newest(thread, m.location)) {
          result = write->value;
          step.access.forwarded = true;
          step.entry = static_cast<std::uint32_t>(write - model_.find(thread, m.location)->writes.data());
          step.previous_forward = write->last_forward;
          write->last_forward = depth() - 1;
        }
      }
      break;
    case jit::Op::store:
      if constexpr (has_buffers) ++forced_;
      write(step, cell, m.value);
      break;
    case jit::Op::lock:
      step.access.reads = true;
      write(step, cell, holder(thread));
      break;
    case jit::Op::unlock: write(step, cell, 0); break;
    case jit::Op::try_lock:
      step.access.reads = true;
      result = cell == 0;
      if (cell == 0) write(step, cell, holder(thread));
      break;
    case jit::Op::compare_exchange:
      step.access.reads = true;
      if (cell == m.expected) write(step, cell, m.value);
      break;
    default:
      step.access.reads = true;
      write(step, cell, modified(m.op, cell, m.value));
      break;
  }
  step.read = result;
  log(RowType::operation, step);
  advance(thread, step, result);
}

template <typename Model, unsigned Words>
inline void Machine<Model, Words>::write(Step& step, std::int64_t& cell, std::int64_t value) {
  step.access.writes = true;
  step.overwritten = cell;
  step.written = value;
  cell = value;
}

template <typename Model, unsigned Words>
template <typename Buffer>
inline void Machine<Model, Words>::flush(Buffer& buffer, Step& step) {
  step.type = StepType::flush;
  step.op = jit::Op::store;
  step.thread = buffer.thread;
  step.entry = model_.flush(buffer, depth() - 1);
  const auto& entry = buffer.writes[step.entry];
  step.site = entry.site;
  step.access.location = entry.location;
  write(step, memory_[entry.location], entry.value);
  log(RowType::flush, step);
  const auto& m = threads_.mailbox(step.thread);
  const bool goes_on = (m.op == jit::Op::fence && model_.drained(step.thread)) ||
                       (m.op == jit::Op::store && model_.has_room(step.thread, m.location));
  if (goes_on) {
    step.resumed = true;
    step.barrier_before = model_.barrier(step.thread);
    threads_.save(step.thread);
    settle(step.thread, step);
  } else {
    refresh(step.thread, step);
  }
}

template <typename Model, unsigned Words>
inline void Machine<Model, Words>::advance(ThreadId thread, Step& step, std::int64_t result) {
  step.resumed = true;
  if constexpr (has_buffers) step.barrier_before = model_.barrier(thread);
  threads_.save(thread);
  threads_.mailbox(thread).value = result;
  jit::resume(threads_.block(thread));
  settle(thread, step);
}

template <typename Model, unsigned Words>
inline void Machine<Model, Words>::settle(ThreadId thread, Step& step) {
  void* const block = threads_.block(thread);
  for (auto& m = threads_.mailbox(thread);;) {
    if (m.op == jit::Op::fence) {
      if constexpr (has_buffers) {
        if (!model_.pass(thread, m.fence)) break;
        step.passed_fence |= m.fence == jit::Fence::full;
      }
      log(RowType::fence, thread, m);
    } else if (has_buffers && m.op == jit::Op::store) {
      if constexpr (has_buffers) {
        if (!model_.buffers_stores()) break;
        if (!model_.has_room(thread, m.location)) {
          ++forced_;
          break;
        }
        model_.append(thread, m);
        if (model_.processes() > Set::capacity)
          throw std::logic_error("internal error: too many store buffers");
        ++step.buffered;
      }
      log(RowType::buffered, thread, m);
    } else if (m.op == jit::Op::assert_failed && options_.resume_after_assert) {
      fail(thread, m);
    } else {
      break;
    }
    jit::resume(block);
  }
  const auto& m = threads_.mailbox(thread);
  if (is_failure(m.op) || (m.op == jit::Op::unlock && memory_[m.location] != holder(thread))) fail(thread, m);
  refresh(thread, step);
}

template <typename Model, unsigned Words>
inline void Machine<Model, Words>::fail(ThreadId thread, const jit::Mailbox& m) {
  failures_.push_back({.thread = thread, .op = m.op, .site = m.site});
  log(RowType::failure, thread, m);
}

template <typename Model, unsigned Words>
inline void Machine<Model, Words>::refresh(ThreadId thread, const Step& step) {
  refresh_thread(thread);
  if constexpr (has_buffers) {
    for (const auto index : model_.owned(thread)) {
      const auto& buffer = model_.buffer(index);
      enabled_.assign(buffer.process, model_.can_flush(buffer));
    }
  }
  if (step.op >= jit::Op::lock && step.op <= jit::Op::try_lock) {
    for (ThreadId t = 0; t < thread_count(); ++t) {
      const auto& m = threads_.mailbox(t);
      if (m.op == jit::Op::lock && m.location == step.access.location) refresh_thread(t);
    }
  }
}

template <typename Model, unsigned Words>
inline void Machine<Model, Words>::refresh_thread(ThreadId thread) {
  const auto op = threads_.mailbox(thread).op;
  const bool drains = op != jit::Op::load && op != jit::Op::store;
  enabled_.assign(thread, can_go_on(thread) && (!drains || drained(thread)));
  choosing_.assign(thread, op == jit::Op::choose);
}

template <typename Model, unsigned Words>
inline void Machine<Model, Words>::log(RowType type, const Step& step) {
  if (log_ == nullptr) return;
  log_->push_back({.type = type,
                   .op = step.op,
                   .reads = step.access.reads,
                   .writes = step.access.writes,
                   .thread = step.thread,
                   .location = step.access.location,
                   .site = step.site,
                   .read = step.read,
                   .written = step.written});
}

template <typename Model, unsigned Words>
inline void Machine<Model, Words>::log(RowType type, ThreadId thread, const jit::Mailbox& m) {
  if (log_ == nullptr) return;
  log_->push_back({.type = type,
                   .op = m.op,
                   .writes = type == RowType::buffered,
                   .fence = m.fence,
                   .thread = thread,
                   .location = type == RowType::buffered ? m.location : none,
                   .site = m.site,
                   .written = m.value});
}

}  // namespace heddle::checker
