// The interactive machine over the commit machine of POWER: its transitions are commits, each with
// its parameter (checker/commits/power_machine.hpp).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "checker/api/engine.hpp"
#include "checker/report/commits.hpp"

namespace heddle::checker {

class PowerEngine final : public Engine {
 public:
  // Appends a row to `rows` for every commit and every violation of a thread. Throws CannotGoOn.
  PowerEngine(const compiler::Image& image, bool resume_after_assert, Rows& rows);

  std::vector<NextTransition> enabled() override;
  // Events that wait for others; then forbidden parameters of those that do not; then what threads wait at.
  std::vector<Transition> disabled() override;
  bool follow(const Choice& choice) override;
  void undo() override;

  const std::vector<std::int64_t>& memory() const override { return memory_; }
  const std::byte* const* blocks() const override { return blocks_.data(); }
  bool known(ThreadId thread, const compiler::LocalImage& local) const override;
  std::vector<ThreadEnd> threads() override { return describe_ahead_threads(machine_, memory_); }
  std::vector<heddle::Step> describe(const Rows& rows) const override;
  std::vector<std::string> failures() const override;
  Ending ending() override;
  bool waits_for_buffers(ThreadId /*thread*/) override { return false; }
  std::string limit() const override;

 private:
  using Machine = ReportMachine;

  [[nodiscard]] const compiler::Image& image() const { return machine_.image(); }
  [[nodiscard]] std::vector<EventName> events() const;
  void add_choices(EventName name, const Machine::Prepared& event, std::vector<NextTransition>& into);
  // The effect of the event with the parameter; nothing if the model forbids it.
  [[nodiscard]] std::optional<heddle::Step> effect(const Machine::Prepared& event, std::int64_t parameter);
  // The effect of an event without its parameter: "read x".
  [[nodiscard]] heddle::Step intention(EventName name) const;
  [[nodiscard]] std::string held_up_by(EventName name) const;
  [[nodiscard]] std::string refusal(EventName name, std::int64_t parameter) const;
  void add_refused(EventName name, std::vector<Transition>& into);
  void log_failures();
  [[nodiscard]] std::string failure_text(const Row& row) const;
  void name_rows(const Rows& rows, heddle::Step& step) const;
  // Brings memory and blocks up to date with the machine.
  void look();

  Machine machine_;
  std::string_view limit_;  // of the last refused commit
  Rows& rows_;
  std::vector<std::int64_t> memory_;
  std::vector<const std::byte*> blocks_;
};

}  // namespace heddle::checker
