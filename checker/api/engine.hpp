// The contract between the interactive machine and a model's machine. There is one class for each contract of
// machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "checker/interleavings/machine.hpp"
#include "checker/state/rows.hpp"
#include "compiler/image.hpp"
#include "heddle/machine.h"

namespace heddle::checker {

// A transition and its entry in a schedule.
struct NextTransition {
  Choice choice;
  Transition shown;
};

// The number of values of one `choose` that are listed.
inline constexpr std::int64_t listed_choices = 64;

// The program or the execution is too large for the machine.
struct CannotGoOn : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Engine {
 public:
  virtual ~Engine() = default;

  [[nodiscard]] virtual std::vector<NextTransition> enabled() = 0;
  [[nodiscard]] virtual std::vector<Transition> disabled() = 0;
  // Takes a transition and logs its rows; false, without a change, if it is impossible now.
  virtual bool follow(const Choice& choice) = 0;
  // Takes the newest one back. The caller drops its rows.
  virtual void undo() = 0;

  [[nodiscard]] virtual const std::vector<std::int64_t>& memory() const = 0;
  [[nodiscard]] virtual const std::byte* const* blocks() const = 0;
  // False if the local depends on a load that has no value yet.
  [[nodiscard]] virtual bool known(ThreadId thread, const compiler::LocalImage& local) const = 0;
  [[nodiscard]] virtual std::vector<ThreadEnd> threads() = 0;
  // The steps so far. `rows` are those that were logged.
  [[nodiscard]] virtual std::vector<heddle::Step> describe(const Rows& rows) const = 0;
  // The violations that threads found in the newest step, then those at which other threads stand.
  [[nodiscard]] virtual std::vector<std::string> failures() const = 0;
  // Precondition: nothing is enabled.
  [[nodiscard]] virtual Ending ending() = 0;
  // True if the thread waits for nothing but its own store buffer.
  [[nodiscard]] virtual bool waits_for_buffers(ThreadId thread) = 0;
  // The reason why an enabled transition was refused; empty if this machine refuses none.
  [[nodiscard]] virtual std::string limit() const = 0;
};

// A machine at its start. Appends what threads do before their first transitions to `rows`. Throws
// CannotGoOn, and NoImplementation for a model without an engine.
[[nodiscard]] std::unique_ptr<Engine> make_engine(const compiler::Image& image,
                                                  const heddle::MachineOptions& options, Rows& rows);

}  // namespace heddle::checker
