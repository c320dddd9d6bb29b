// The interactive machine over an operational model (checker/interleavings/machine.hpp).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "checker/api/engine.hpp"
#include "checker/interleavings/store_buffers.hpp"
#include "checker/report/trace.hpp"

namespace heddle::checker {

template <typename Machine>
class OperationalEngine final : public Engine {
 public:
  OperationalEngine(const compiler::Image& image, const MachineOptions& options, Rows& rows)
      : machine_(image, options) {
    machine_.restart_with_log(&rows);
  }

  std::vector<NextTransition> enabled() override {
    std::vector<NextTransition> result;
    for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
      const auto& m = machine_.threads().mailbox(t);
      if (machine_.enabled().contains(t)) {
        auto effect = describe(operation(t));
        if (machine_.begins_block(t)) effect.action = fmt::format("atomic: {}, ...", effect.action);
        result.push_back({{.type = StepType::operation, .thread = t},
                          {.kind = TransitionKind::operation, .effect = std::move(effect)}});
      } else if (machine_.choosing().contains(t)) {
        add_choices(t, result);
      } else if (m.op == compiler::Op::await_failed && await_holds(t)) {
        result.push_back({{.type = StepType::retry, .thread = t},
                          {.kind = TransitionKind::retry, .effect = waiting(t, "look again")}});
      }
    }
    if constexpr (Machine::has_buffers) {
      for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
        for (const auto index : machine_.model().owned(t)) {
          const auto& buffer = machine_.model().buffer(index);
          if (!machine_.enabled().contains(buffer.process)) continue;
          const auto& write = buffer.writes[buffer.head];
          result.push_back({{.type = StepType::flush, .thread = t, .location = write.location},
                            {.kind = TransitionKind::flush, .effect = describe(flush(t, write))}});
        }
      }
    }
    return result;
  }

  std::vector<Transition> disabled() override {
    std::vector<Transition> result;
    for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
      const auto& m = machine_.threads().mailbox(t);
      if (machine_.enabled().contains(t) || machine_.choosing().contains(t)) continue;
      if (m.op == compiler::Op::await_failed && await_holds(t)) continue;
      result.push_back(
          {.kind = m.op == compiler::Op::await_failed ? TransitionKind::retry : TransitionKind::operation,
           .effect = waiting(t, {}),
           .why = why_disabled(t)});
    }
    if constexpr (Machine::has_buffers) {
      for (ThreadId t = 0; t < machine_.thread_count(); ++t) add_held_stores(t, result);
    }
    return result;
  }

  bool follow(const Choice& choice) override { return machine_.follow(choice); }
  void undo() override { machine_.undo(); }

  const std::vector<std::int64_t>& memory() const override { return machine_.memory(); }
  const std::byte* const* blocks() const override { return machine_.threads().blocks(); }
  bool known(ThreadId /*thread*/, const compiler::LocalImage& /*local*/) const override { return true; }
  std::vector<ThreadEnd> threads() override { return describe_threads(machine_); }
  std::vector<heddle::Step> describe(const Rows& rows) const override {
    std::vector<heddle::Step> steps;
    for (const Row& row : rows) steps.push_back(describe_row(image(), row));
    return steps;
  }
  std::string limit() const override { return {}; }
  Ending ending() override { return machine_.ending(); }
  bool waits_for_buffers(ThreadId thread) override {
    return Machine::has_buffers && !machine_.enabled().contains(thread) &&
           (machine_.can_go_on(thread) || machine_.waits_at_fence(thread));
  }

  std::vector<std::string> failures() const override {
    return describe_failures(
        machine_, [&](ThreadId t) -> const compiler::Mailbox& { return machine_.threads().mailbox(t); },
        [&](ThreadId t) {
          const auto& m = machine_.threads().mailbox(t);
          return is_failure(m.op) || (m.op == compiler::Op::unlock && !holds_lock(t, m.location));
        });
  }

 private:
  using Buffered = BufferedWrite;

  [[nodiscard]] const compiler::Image& image() const { return machine_.image(); }
  [[nodiscard]] heddle::Step describe(const Row& row) const { return describe_row(image(), row); }
  [[nodiscard]] bool holds_lock(ThreadId t, Location mutex) const {
    return machine_.memory()[mutex] == std::int64_t{t} + 1;
  }
  // The value as the thread sees it, with its own buffered stores.
  [[nodiscard]] bool await_holds(ThreadId t) {
    return machine_.await_holds(
        t, [&](Location x) { return seen(t, x); }, false);
  }
  [[nodiscard]] std::int64_t seen(ThreadId t, Location location) {
    if constexpr (Machine::has_buffers) {
      if (const auto* const write = machine_.model().newest(t, location)) return write->value;
    }
    return machine_.memory()[location];
  }

  // The next operation of the thread, as if it happened now.
  [[nodiscard]] Row operation(ThreadId t) {
    const auto& m = machine_.threads().mailbox(t);
    Row row{.op = m.op, .thread = t, .location = m.location, .site = m.site};
    if (m.op == compiler::Op::fence) {
      row.type = RowType::fence;
      row.fence = m.fence;
      return row;
    }
    const auto access = machine_.pending(t);
    row.reads = access.reads;
    row.writes = access.writes;
    row.read = m.op == compiler::Op::load ? seen(t, m.location) : machine_.memory()[m.location];
    row.written = is_read_modify_write(m.op) ? modified(m.op, row.read, m.value) : m.value;
    if (m.op == compiler::Op::lock || m.op == compiler::Op::try_lock) row.written = std::int64_t{t} + 1;
    if (m.op == compiler::Op::try_lock) row.read = access.writes ? 1 : 0;
    if (m.op == compiler::Op::unlock) row.written = 0;
    return row;
  }
  [[nodiscard]] static Row flush(ThreadId t, const Buffered& write) {
    return {.type = RowType::flush,
            .op = compiler::Op::store,
            .writes = true,
            .thread = t,
            .location = write.location,
            .site = write.site,
            .written = write.value};
  }

  void add_choices(ThreadId t, std::vector<NextTransition>& into) const {
    const auto& m = machine_.threads().mailbox(t);
    const auto count = static_cast<std::uint64_t>(m.expected) - static_cast<std::uint64_t>(m.value);
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, listed_choices); ++i) {
      const auto value = m.value + static_cast<std::int64_t>(i);
      into.push_back({{.type = StepType::choice, .thread = t, .value = value},
                      {.kind = TransitionKind::choice,
                       .effect = describe({.type = RowType::choice,
                                           .op = compiler::Op::choose,
                                           .thread = t,
                                           .site = m.site,
                                           .read = value}),
                       .low = m.value,
                       .high = m.expected}});
    }
  }

  // The operation that a waiting (or finished) thread is at.
  [[nodiscard]] heddle::Step waiting(ThreadId t, std::string_view what) {
    const auto& m = machine_.threads().mailbox(t);
    const bool has_effect = m.op <= compiler::Op::try_lock;
    auto step = describe(has_effect ? operation(t) : Row{.op = m.op, .thread = t, .site = m.site});
    if (m.op == compiler::Op::lock) {
      step.action = fmt::format("lock {}", step.location);
    } else if (m.op == compiler::Op::done) {
      step.action = "end";
    } else if (!has_effect) {
      step.location.clear();
      step.action = what.empty() ? step.source : fmt::format("{}: {}", what, step.source);
    }
    return step;
  }

  [[nodiscard]] std::string why_disabled(ThreadId t) {
    const auto& m = machine_.threads().mailbox(t);
    if constexpr (Machine::has_buffers) {
      if (waits_for_buffers(t)) {
        const auto text = m.op == compiler::Op::store ? "waits for room in its store buffer"
                                                      : "waits until its stores have reached memory";
        return fmt::format("{} on line {}: {}", text, image().sites[m.site].line, buffered_text(t));
      }
    }
    return thread_state(image(), machine_.memory(), m);
  }

  // "x = 1, y = 2", oldest first.
  [[nodiscard]] std::string buffered_text(ThreadId t) {
    std::vector<const Buffered*> writes;
    for (const auto index : machine_.model().owned(t)) {
      const auto& buffer = machine_.model().buffer(index);
      for (auto i = buffer.head; i < buffer.writes.size(); ++i) writes.push_back(&buffer.writes[i]);
    }
    std::sort(writes.begin(), writes.end(), [](auto* a, auto* b) { return a->sequence < b->sequence; });
    std::string text;
    for (const auto* write : writes) text += (text.empty() ? "" : ", ") + store_text(*write);
    return text;
  }
  [[nodiscard]] std::string store_text(const Buffered& write) const {
    const auto& location = image().locations[write.location];
    return fmt::format("{} = {}", location.name,
                       named_value(location.name, write.value, location.type).text());
  }

  // The thread's buffered stores that must not reach memory yet.
  void add_held_stores(ThreadId t, std::vector<Transition>& into) {
    const Buffered* oldest = nullptr;
    for (const auto index : machine_.model().owned(t)) {
      const auto& buffer = machine_.model().buffer(index);
      if (buffer.empty()) continue;
      const auto& head = buffer.writes[buffer.head];
      if (oldest == nullptr || head.sequence < oldest->sequence) oldest = &head;
    }
    for (const auto index : machine_.model().owned(t)) {
      const auto& buffer = machine_.model().buffer(index);
      for (auto i = buffer.head; i < buffer.writes.size(); ++i) {
        const auto& write = buffer.writes[i];
        std::string why;
        if (i > buffer.head) {
          why = fmt::format("stays in the buffer behind {}", store_text(buffer.writes[i - 1]));
        } else if (!machine_.enabled().contains(buffer.process)) {
          why = fmt::format("a fence between the stores keeps it behind {}", store_text(*oldest));
        } else {
          continue;
        }
        into.push_back(
            {.kind = TransitionKind::flush, .effect = describe(flush(t, write)), .why = std::move(why)});
      }
    }
  }

  Machine machine_;
};

}  // namespace heddle::checker
