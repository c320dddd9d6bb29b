// How a search over a derived execution model goes on where an execution has more events than its machine has
// room for: a search of the same kind takes over on a wider machine.
//
// An exploration E over a machine, E::MachineType, says how: E::On<W> is the same exploration over a machine
// W, made from W and the E that ran out of room; E::next_width is the number of words of that machine, no more
// than E's own if there is none wider.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "checker/commits/event_name.hpp"
#include "checker/search/search.hpp"

namespace heddle::checker {

// Commits again, on a fresh machine, what a run has committed.
template <typename Machine>
class RunAgain {
 public:
  RunAgain(Machine& machine, Schedule run) : machine_(machine), run_(std::move(run)) {}

  // Up to so many steps; never fewer than before.
  void to(std::uint32_t steps) {
    for (; done_ < steps; ++done_) {
      if (!machine_.follow(run_[done_])) throw std::logic_error("internal error: a run cannot be repeated");
    }
  }
  void to_end() { to(static_cast<std::uint32_t>(run_.size())); }

 private:
  Machine& machine_;
  Schedule run_;
  std::uint32_t done_ = 0;
};

// Stops the search if some thread runs ahead to more than there is room for.
template <typename Machine>
void stop_at_limits(const Machine& machine, Search& search) {
  if (!machine.limit().empty()) search.stop(std::string(machine.limit()));
}

// The same parameter on another machine, whose numbers of initial writes are its own.
template <typename From, typename To>
[[nodiscard]] std::int64_t translated(const From& from, To& to, EventName name, std::int64_t parameter) {
  return to.op(name) == Op::choose ? parameter : to.resolve(name, from.name_of(parameter));
}

// Explores to the end, or to what stops the search.
template <typename Exploration>
void run_widening(Exploration& exploration, Search& search) {
  if (exploration.run()) return;
  using Machine = typename Exploration::MachineType;
  if constexpr (Machine::words < Exploration::next_width) {
    using Wider = typename Machine::template Widened<Exploration::next_width>;
    Wider machine(search.image(), search.machine_options());
    typename Exploration::template On<Wider> wider(machine, std::move(exploration));
    run_widening(wider, search);
  } else {
    search.stop(std::string(Machine::out_of_room));
  }
}

}  // namespace heddle::checker
