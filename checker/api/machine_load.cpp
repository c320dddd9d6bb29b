// Machine::load: finds the transitions of a trace.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

#include "checker/api/machine_core.hpp"
#include "checker/api/refusal.hpp"

namespace heddle {

namespace {

using checker::Choice;
using checker::NextTransition;

// The predecessor of the write in coherence order when it was committed. The trace has the final order, in
// which later commits may be between them.
std::optional<std::size_t> first_place(const Trace& trace, std::size_t index) {
  auto place = trace.steps[index].commit->behind;
  // A foreign trace may contain a cycle.
  for (std::size_t left = trace.steps.size(); left > 0; --left) {
    if (!place || *place < index || *place >= trace.steps.size() || !trace.steps[*place].commit) break;
    place = trace.steps[*place].commit->behind;
  }
  return place;
}

// True if `step` of the trace and `row` of the machine are the same commit. Violations are rows, too, and the
// machine may meet more of them than the trace shows, so this counts commits.
bool same_commit(const Trace& trace, std::optional<std::size_t> step, const checker::Rows& rows,
                 std::optional<std::size_t> row) {
  if (!step || !row) return step.has_value() == row.has_value();
  if (*step >= trace.steps.size() || *row >= rows.size()) return false;
  const auto commits =
      std::count_if(trace.steps.begin(), trace.steps.begin() + static_cast<std::ptrdiff_t>(*step),
                    [](const Step& earlier) { return earlier.commit.has_value(); });
  return commits ==
         std::count_if(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(*row),
                       [](const checker::Row& earlier) { return earlier.type != checker::RowType::failure; });
}

// True if the transition has the effect of the step of the trace.
bool matches(const Transition& transition, const Trace& trace, std::size_t index, const checker::Rows& rows) {
  const Step& step = trace.steps[index];
  const Step& effect = transition.effect;
  if (step.commit && effect.commit) {
    if (step.commit->position != effect.commit->position) return false;
    if (step.reads && !same_commit(trace, step.commit->source, rows, effect.commit->source)) return false;
    if (step.writes && !same_commit(trace, first_place(trace, index), rows, effect.commit->behind))
      return false;
  }
  if (effect.thread != step.thread || effect.kind != step.kind || effect.location != step.location)
    return false;
  return (!step.reads || effect.read == step.read) && (!step.writes || effect.written == step.written);
}

bool is_transition(const Step& step) {
  return step.thread >= 0 && step.kind != StepKind::buffered && step.kind != StepKind::fence &&
         step.kind != StepKind::failure && step.kind != StepKind::final_;
}

// How many steps of a trace the rows from `first` on are.
std::size_t count_steps(const checker::Rows& rows, std::size_t first) {
  using checker::RowType;
  return static_cast<std::size_t>(std::count_if(
      rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(), [](const checker::Row& row) {
        return row.type == RowType::operation || row.type == RowType::flush || row.type == RowType::choice;
      }));
}

}  // namespace

Result<void> Machine::load(const Trace& trace) {
  Core& core = *core_;
  core.back(core.depth);
  core.schedule.clear();
  core.round.clear();
  try {
    core.wait_at_loops(trace.waits_at_loops);
  } catch (const std::runtime_error& error) {
    return refuse(error.what());
  }
  std::optional<std::size_t> cycle;  // where in the schedule it begins
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const Step& step = trace.steps[i];
    if (!is_transition(step)) continue;
    if (!cycle && trace.repeats_from && i >= *trace.repeats_from) cycle = core.schedule.size();
    const auto find = [&] {
      return std::find_if(core.next.begin(), core.next.end(), [&](const NextTransition& entry) {
        return matches(entry.shown, trace, i, core.rows);
      });
    };
    auto found = find();
    // Evaluating an await again is no step of a trace; its loads are, and so is the choice of another alternative.
    const auto again =
        Core::look_again(static_cast<checker::ThreadId>(step.thread), step.kind == StepKind::choose);
    if (found == core.next.end() && core.take(again)) found = find();
    // The value of a choice may be beyond the listed ones.
    std::optional<Choice> choice;
    if (found != core.next.end()) choice = found->choice;
    if (!choice && step.kind == StepKind::choose) {
      const auto range = std::find_if(core.next.begin(), core.next.end(), [&](const NextTransition& entry) {
        return entry.shown.kind == TransitionKind::choice && entry.shown.effect.thread == step.thread &&
               step.read >= entry.shown.low && step.read < entry.shown.high;
      });
      if (range != core.next.end()) {
        choice = range->choice;
        choice->value = step.read;
      }
    }
    const auto thread = static_cast<checker::ThreadId>(step.thread);
    const bool listed = std::any_of(core.next.begin(), core.next.end(), [&](const NextTransition& entry) {
      return entry.shown.effect.thread == step.thread;
    });
    // (At the end of a run, an atomic block that waits looks, too.)
    if (!choice && !listed) choice = Choice{.type = checker::StepType::operation, .thread = thread};
    const std::size_t rows_before = core.rows.size();
    if (!choice || !core.take(*choice)) {
      core.back(core.depth);
      core.schedule.clear();
      return refuse(fmt::format("step {} of the trace, '{}', cannot happen there", i + 1, step.action));
    }
    // An atomic block is one transition.
    for (auto more = count_steps(core.rows, rows_before); more > 1 && i + 1 < trace.steps.size();) {
      if (is_transition(trace.steps[++i])) --more;
    }
  }
  if (cycle)
    core.round.assign(core.schedule.begin() + static_cast<std::ptrdiff_t>(*cycle), core.schedule.end());
  core.back(core.depth);
  return {};
}

}  // namespace heddle
