// What the interactive machine needs of a model's machine; one class for each form of machine.
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

// A transition with what it is called in a schedule.
struct NextTransition {
  Choice choice;
  Transition shown;
};

// How many values of one `choose` are listed.
inline constexpr std::int64_t listed_choices = 64;

// Something about the program or the execution is beyond what the machine can hold.
struct CannotGoOn : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Engine {
 public:
  virtual ~Engine() = default;

  [[nodiscard]] virtual std::vector<NextTransition> enabled() = 0;
  [[nodiscard]] virtual std::vector<Transition> disabled() = 0;
  // Takes a transition and logs what happens; false (and no change) if it is not possible now.
  virtual bool follow(const Choice& choice) = 0;
  // Takes the newest one back; what it logged is for the caller to drop.
  virtual void undo() = 0;

  [[nodiscard]] virtual const std::vector<std::int64_t>& memory() const = 0;
  [[nodiscard]] virtual const std::byte* const* blocks() const = 0;
  // Has the local its value? It may depend on a load that has none yet.
  [[nodiscard]] virtual bool known(ThreadId thread, const compiler::LocalImage& local) const = 0;
  [[nodiscard]] virtual std::vector<ThreadEnd> threads() = 0;
  // What has happened so far, which is what the rows say if it is in their order.
  [[nodiscard]] virtual std::vector<heddle::Step> describe(const Rows& rows) const = 0;
  // The violations that threads found in the newest step, then those at which others stand.
  [[nodiscard]] virtual std::vector<std::string> failures() const = 0;
  // Of a state in which nothing is enabled.
  [[nodiscard]] virtual Ending ending() = 0;
  // Is it only its store buffer that keeps the thread from going on?
  [[nodiscard]] virtual bool waits_for_buffers(ThreadId thread) const = 0;
  // Why a transition that is enabled could not be taken; empty if that does not happen.
  [[nodiscard]] virtual std::string limit() const = 0;
};

// A machine at its start; what its threads do before their first transitions is appended to `rows` already.
// Throws NoImplementation for a model that has no engine, and CannotGoOn.
[[nodiscard]] std::unique_ptr<Engine> make_engine(const compiler::Image& image,
                                                  const heddle::MachineOptions& options, Rows& rows);

}  // namespace heddle::checker
