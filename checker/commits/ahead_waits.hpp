// Waits of threads that run ahead of their loads: what WaitsInPlace asks of a machine, by trying. A read of an await waits
// if the newest write stops its thread; a condition of several loads waits at the load that decides. Looks at plain
// variables do not wait in place: they can race even if they come too early. Nor does anything with a preemption bound, which
// has been proven for the order of events without waiting.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/commits/commit_machine.hpp"
#include "checker/commits/event_name.hpp"
#include "checker/state/machine_options.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

template <RunsAhead Machine>
class AheadWaits : public Machine {
 public:
  using Prepared = typename Machine::Prepared;
  // (IfAhead, because g++ 12 sometimes loses the constraint here.)
  template <unsigned Wider>
  using Widened = IfAhead<heddle::checker::AheadWaits, typename Machine::template Widened<Wider>>;

  AheadWaits(const Image& image, const MachineOptions& options)
      : Machine(image, options), waits_on_(image.threads.size()) {}

  [[nodiscard]] bool full() const { return out_of_room_ || Machine::full(); }
  [[nodiscard]] bool awaits(EventName name) const {
    if constexpr (BoundsPreemptions<Machine>) {
      if (Machine::bounds_preemptions()) return false;
    }
    const auto& image = Machine::image();
    return Machine::awaits(name) && !image.locations[Machine::location(name)].is_plain;
  }
  [[nodiscard]] bool awaits(const Prepared& event) const { return awaits(event.name); }
  [[nodiscard]] bool anyone_awaits() const {
    bool any = false;
    if (!Machine::any_awaits()) return any;
    Machine::for_each_enabled([&](EventName name) { any = any || awaits(name); });
    return any;
  }
  [[nodiscard]] bool stops(const Prepared& event, std::int64_t source) {
    return Machine::stops(event.name, Machine::value_of(static_cast<EventId>(source)));
  }
  template <typename MayRead>
  [[nodiscard]] std::optional<EventName> next_awaited(MayRead&& may_read) {
    return first_awaited([&](const Prepared& event) {
      const auto newest = *Machine::first_parameter(event);
      return may_read(event.name, static_cast<EventId>(newest)) && !stops(event, newest);
    });
  }
  template <typename MayRead>
  [[nodiscard]] std::optional<EventName> next_undecided(MayRead&& may_read) {
    return first_awaited([&](const Prepared& event) {
      for (auto source = Machine::first_parameter(event); source;
           source = Machine::next_parameter(event, *source)) {
        if (may_read(event.name, static_cast<EventId>(*source)) && !stops(event, *source)) return true;
      }
      return false;
    });
  }
  // A thread that could read the newest write, but not in these executions, waits on.
  template <typename MayWait>
  [[nodiscard]] bool evaluate_waits(MayWait&& may_wait) {
    evaluated_from_ = Machine::depth();
    while (const auto name =
               first_awaited([&](const Prepared& event) { return !waits_on_[event.name.thread]; })) {
      if (Machine::full()) {
        out_of_room_ = true;
        return false;
      }
      Prepared event;
      Machine::prepare(*name, event);
      const auto newest = *Machine::first_parameter(event);
      const bool elsewhere =
          Machine::image().threads[name->thread].is_daemon && !may_wait(*name, static_cast<EventId>(newest));
      if (elsewhere || !stops(event, newest) || !Machine::commit(event, newest))
        waits_on_[name->thread] = *name;
    }
    return true;
  }
  void forget_evaluations() {
    while (Machine::depth() > evaluated_from_) Machine::undo();
    for (auto& name : waits_on_) name.reset();
  }

  // -- The end of a run.

  [[nodiscard]] Op standing_op(ThreadId t) const {
    return waits_on_[t] ? Op::await_failed : Machine::standing_op(t);
  }
  [[nodiscard]] std::uint32_t standing_site(ThreadId t) const {
    return waits_on_[t] ? Machine::request(*waits_on_[t]).site : Machine::standing_site(t);
  }
  [[nodiscard]] bool finished() const {
    for (const auto& name : waits_on_) {
      if (name) return false;
    }
    return Machine::finished();
  }
  using Machine::await_holds;
  [[nodiscard]] bool await_holds(ThreadId t) { return waits_on_[t] || Machine::await_holds(t); }

 private:
  template <typename Accepts>
  [[nodiscard]] std::optional<EventName> first_awaited(Accepts&& accepts) {
    awaited_.clear();
    Machine::for_each_enabled([&](EventName name) {
      if (awaits(name)) awaited_.push_back(name);
    });
    for (const EventName name : awaited_) {
      Prepared event;
      Machine::prepare(name, event);
      if (accepts(event)) return name;
    }
    return std::nullopt;
  }

  // By thread, between evaluate_waits and forget_evaluations.
  std::vector<std::optional<EventName>> waits_on_;
  std::vector<EventName> awaited_;  // scratch
  std::uint32_t evaluated_from_ = 0;
  bool out_of_room_ = false;
};

}  // namespace heddle::checker
