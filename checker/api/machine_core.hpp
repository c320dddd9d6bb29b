// The implementation of the public interactive machine: an engine, the schedule that it has followed, and the
// steps that it can repeat.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "checker/api/engine.hpp"
#include "checker/api/state.hpp"
#include "checker/registry.hpp"
#include "checker/report/trace.hpp"
#include "heddle/machine.h"

namespace heddle {

class Machine::Core {
 public:
  Core(const Program& program_, const MachineOptions& options_, bool run_ahead)
      : Core(program_, options_, state_of(program_).image(run_ahead)) {}
  // With an image of the program's own making.
  Core(const Program& program_, const MachineOptions& options_, std::shared_ptr<const compiler::Image> image_)
      : program(program_), options(options_), code(std::move(image_)) {
    reset();
    refresh();
  }

  void reset() {
    rows.clear();
    engine = checker::make_engine(image(), options, rows);
  }

  // Changes to the program's code in which threads wait at loops, or to that in which they do not. (Nothing has been done yet.)
  void wait_at_loops(bool waits) {
    if (waits == waits_at_loops) return;
    code =
        state_of(program).image(checker::runs_ahead(options.model), waits ? Loops::retrying : Loops::bounded);
    waits_at_loops = waits;
    reset();
    refresh();
  }

  [[nodiscard]] const compiler::Image& image() const { return *code; }

  void refresh() {
    next = engine->enabled();
    shown.clear();
    for (const auto& entry : next) shown.push_back(entry.shown);
  }

  // Takes a transition and leaves `schedule` alone. False, without a change, if the transition is impossible.
  bool move(const checker::Choice& choice) {
    const auto mark = rows.size();
    if (!engine->follow(choice)) return false;
    marks.push_back(mark);
    ++depth;
    return true;
  }

  void take_back() {
    engine->undo();
    rows.resize(marks.back());
    marks.pop_back();
    --depth;
  }

  // Takes a transition. The steps ahead are kept only if this is the first of them.
  bool take(const checker::Choice& choice) {
    if (depth == schedule.size() || schedule[depth] != choice) {
      schedule.resize(depth);
      schedule.push_back(choice);
      round.clear();
    }
    if (!move(choice)) {
      schedule.resize(depth);
      return false;
    }
    refresh();
    return true;
  }

  [[nodiscard]] std::size_t ahead() const { return schedule.size() - depth; }
  std::size_t forward(std::size_t count) {
    std::size_t taken = 0;
    while (taken < count && (depth < schedule.size() || begin_round()) && move_on()) ++taken;
    refresh();
    return taken;
  }
  // If the schedule ends with a cycle that repeats for ever: adds it once more.
  bool begin_round() {
    schedule.insert(schedule.end(), round.begin(), round.end());
    return !round.empty();
  }
  // How a thread that waits comes to a step: by evaluating its await again, or, to a choice, by choosing again.
  static checker::Choice look_again(checker::ThreadId thread, bool to_choice) {
    return {.type = checker::StepType::retry,
            .thread = thread,
            .value = to_choice ? compiler::choose_again : compiler::own_alternative};
  }
  // The next transition of the schedule. In another round a thread may have to evaluate its await again first. If
  // there is no way (a bound of rounds has cut off a thread), the schedule ends here.
  bool move_on() {
    if (move(schedule[depth])) return true;
    const checker::Choice again =
        look_again(schedule[depth].thread, schedule[depth].type == checker::StepType::choice);
    if (!round.empty() && move(again)) {
      schedule.insert(schedule.begin() + static_cast<std::ptrdiff_t>(depth) - 1, again);
      if (move(schedule[depth])) return true;
      take_back();
      schedule.erase(schedule.begin() + static_cast<std::ptrdiff_t>(depth));
    }
    if (!round.empty()) schedule.resize(depth);
    round.clear();
    return false;
  }
  std::size_t back(std::size_t count) {
    const auto taken = std::min(count, depth);
    for (std::size_t i = 0; i < taken; ++i) take_back();
    refresh();
    return taken;
  }

  // The operations of the `final` block and its violations.
  struct Final {
    std::vector<std::int64_t> memory;
    checker::Rows rows;
    std::vector<std::string> failures;
    std::optional<std::string> cut;  // set: a bound of rounds ended it early
  };
  [[nodiscard]] Final final() const {
    Final result{.memory = engine->memory(), .rows = {}, .failures = {}, .cut = {}};
    if (image().final_block == nullptr) return result;
    const auto end =
        checker::run_final_block(image(), result.memory, options.resume_after_assert, &result.rows);
    for (const auto& row : result.rows) {
      if (row.type == checker::RowType::failure)
        result.failures.push_back(checker::describe_failure(row.op, image().sites[row.site], nullptr));
    }
    if (end.cut()) {
      result.cut =
          fmt::format("stuck: final cut off by a bound of rounds on line {}", image().sites[end.site].line);
    }
    return result;
  }
  [[nodiscard]] bool complete() const {
    return shown.empty() && engine->ending() == checker::Ending::complete;
  }

  static void add_violation(MachineStatus& status, std::string message) {
    if (status.end == MachineEnd::violation) return status.also.push_back(std::move(message));
    status.end = MachineEnd::violation;
    status.message = std::move(message);
  }

  [[nodiscard]] MachineStatus completed() const {
    MachineStatus status{MachineEnd::complete, "all threads have finished", {}};
    const auto result = final();
    for (const auto& failure : result.failures) add_violation(status, failure);
    if (result.cut) {
      if (status.end == MachineEnd::complete) return {MachineEnd::stuck, *result.cut, {}};
      return status;
    }
    for (const auto& condition : image().conditions) {
      const bool holds = condition.holds(result.memory.data(), engine->blocks());
      const std::string kind = std::string(name(condition.kind));
      const std::string& source = image().sites[condition.site].text;
      status.conditions.push_back({source, kind, holds ? 1U : 0U, 1});
      const bool wrong = (condition.kind == compiler::ConditionKind::forall && !holds) ||
                         (condition.kind == compiler::ConditionKind::forbid && holds);
      if (!wrong) continue;
      add_violation(status,
                    fmt::format("a final state {} '{}'", holds ? "satisfies" : "does not satisfy", source));
    }
    return status;
  }

  // A top-level local; the image has them in the order of the tree.
  [[nodiscard]] const compiler::LocalImage& local_image(lang::ThreadId thread, lang::LocalId id,
                                                        std::uint32_t element) const {
    const auto& tree = state_of(program).tree;
    const auto& locals = tree.templates[tree.threads[thread].thread_template].body.locals;
    std::size_t before = element;
    for (auto l = locals.begin(); l != locals.begin() + id; ++l) before += l->top_level ? l->length : 0;
    return image().threads[thread].locals[before];
  }
  // Its value. Throws CannotGoOn if it has none yet.
  [[nodiscard]] std::int64_t local(lang::ThreadId thread, lang::LocalId id, std::uint32_t element) const {
    const auto& found = local_image(thread, id, element);
    if (!engine->known(thread, found)) {
      throw checker::CannotGoOn(
          fmt::format("{}.{} has no value yet: a load that it depends on is not committed",
                      image().threads[thread].name, found.name));
    }
    std::int64_t value = 0;
    std::memcpy(&value, engine->blocks()[thread] + found.offset, sizeof value);
    return value;
  }

  Program program;
  MachineOptions options;
  std::shared_ptr<const compiler::Image> code;
  checker::Rows rows;
  std::vector<std::size_t> marks;  // rows before each transition
  bool waits_at_loops = false;     // Trace::waits_at_loops
  checker::Schedule schedule;      // the first `depth` of it have been taken
  std::size_t depth = 0;
  checker::Schedule round;  // if it was loaded from a run that repeats a cycle for ever: the cycle
  std::unique_ptr<checker::Engine> engine;
  std::vector<checker::NextTransition> next;
  std::vector<Transition> shown;
};

}  // namespace heddle
