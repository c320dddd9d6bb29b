// heddle replay FILE.json: replays a saved counterexample or witness on the current program.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/artefacts.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/json.hpp"
#include "cli/pairs.hpp"
#include "cli/report.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "cli/trace_file.hpp"
#include "heddle/machine.h"

namespace heddle::cli {
namespace {

constexpr std::uint64_t largest_trace = std::uint64_t{256} << 20;

// The result of replaying the trace.
struct Rerun {
  std::optional<Violation> violation;
  std::optional<Witness> witness;  // a saved witness that ends in the same state
  std::string parts;               // where the program departs from the trace; empty if it does not

  [[nodiscard]] const Trace* trace() const {
    return violation ? &violation->trace : witness ? &witness->trace : nullptr;
  }
};

bool same_values(const std::vector<NamedValue>& a, const std::vector<NamedValue>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const NamedValue& x, const NamedValue& y) {
    return x.name == y.name && x.value == y.value;
  });
}

// Whether both end in the same state.
bool same_end(const Trace& a, const Trace& b) {
  return same_values(a.memory, b.memory) &&
         std::equal(a.ends.begin(), a.ends.end(), b.ends.begin(), b.ends.end(),
                    [](const ThreadEnd& x, const ThreadEnd& y) {
                      return x.thread == y.thread && same_values(x.locals, y.locals);
                    });
}

std::ptrdiff_t operations_of(const Trace& trace) {
  return std::count_if(trace.steps.begin(), trace.steps.end(),
                       [](const Step& step) { return step.kind != StepKind::failure; });
}

// Whether the machine is at an end like that of the witness.
bool ends_as(const Witness& witness, const Machine& machine, const MachineStatus& status) {
  if (status.conditions.empty() && status.end != MachineEnd::complete) return false;
  if (witness.condition.empty()) return same_end(machine.trace(), witness.trace);
  bool satisfied = false;
  for (const ConditionCount& condition : status.conditions) {
    if (condition.kind == "filter" && condition.satisfied == 0) return false;
    if (condition.kind == "exists" && condition.source == witness.condition)
      satisfied = satisfied || condition.satisfied > 0;
  }
  return satisfied;
}

// Whether both end in the same state, and every thread at the same place.
bool same_place(const Trace& a, const Trace& b) {
  return same_end(a, b) && std::equal(a.ends.begin(), a.ends.end(), b.ends.begin(), b.ends.end(),
                                      [](const ThreadEnd& x, const ThreadEnd& y) {
                                        return x.state == y.state && same_values(x.buffered, y.buffered);
                                      });
}

// A violation of liveness: its last steps must lead back to where they began, without the end of a thread. A local whose
// value is not read again may have got another one; then the second round leads back to where it began.
std::optional<Violation> run_round(const Violation& saved, Machine& machine) {
  while (machine.ahead() > 0 && machine.trace().steps.size() < *saved.trace.repeats_from) machine.forward(1);
  const Trace before = machine.trace();
  if (before.steps.size() != *saved.trace.repeats_from) return std::nullopt;
  const std::size_t length = machine.ahead();
  machine.forward(length);
  Trace after = machine.trace();
  if (!same_place(before, after)) {
    if (machine.forward(length) != length || !same_place(after, machine.trace())) return std::nullopt;
  }
  Violation result = saved;
  after.repeats_from = saved.trace.repeats_from;
  result.trace = std::move(after);
  return result;
}

Rerun run_again(const SavedTrace& saved, Machine& machine) {
  Rerun result;
  if (const auto loaded = machine.load(saved.trace()); !loaded) {
    result.parts = loaded.error().front().message;
    return result;
  }
  if (saved.violation && saved.violation->trace.repeats_from) {
    result.violation = run_round(*saved.violation, machine);
    return result;
  }
  machine.forward(machine.ahead());
  const MachineStatus status = machine.status();
  if (saved.witness) {
    if (!ends_as(*saved.witness, machine, status)) return result;
    result.witness = saved.witness;
    result.witness->trace = machine.trace();
    return result;
  }
  const bool judges_races = !find_model_info(saved.model)->out_of_order;
  if (saved.violation->kind == ViolationKind::not_robust ||
      saved.violation->kind == ViolationKind::temporal ||
      (saved.violation->kind == ViolationKind::data_race && !judges_races)) {
    // The steps are those of the trace, so the relations between them are, too. (Assertions that fail on the way
    // are passed over, and not always shown.)
    const Trace trace = machine.trace();
    if (operations_of(trace) == operations_of(saved.violation->trace) &&
        same_end(trace, saved.violation->trace))
      result.violation = saved.violation;
    return result;
  }
  if (status.end != MachineEnd::violation && status.end != MachineEnd::deadlock) return result;
  result.violation = saved.violation;
  // The trace of one violation may reach others on its way and at its end.
  const bool also =
      std::find(status.also.begin(), status.also.end(), saved.violation->message) != status.also.end();
  if (!also) result.violation->message = status.message;
  result.violation->trace = machine.trace();
  return result;
}

// The differences between the program and the trace's, and between the run and the trace.
std::vector<std::string> differences(const SavedTrace& saved, const Program& program, const Rerun& now) {
  std::vector<std::string> lines;
  if (program.fingerprint() != saved.fingerprint) {
    lines.push_back(fmt::format("{} has changed since the trace was saved", one_line(program.name())));
  }
  if (!now.parts.empty()) {
    lines.push_back(one_line(now.parts));
  } else if (saved.witness) {
    if (!now.witness) lines.emplace_back("the trace no longer ends as it did");
  } else if (!now.violation) {
    lines.emplace_back("the trace no longer leads to a violation");
  } else if (now.violation->message != saved.violation->message) {
    lines.push_back(fmt::format("the trace led to '{}' and now leads to '{}'",
                                one_line(saved.violation->message), one_line(now.violation->message)));
  }
  return lines;
}

// Whether another one of the first `count` steps is a write after this one in coherence order. It can be an
// earlier step only in traces in commit order.
bool overwritten(const Trace& trace, std::size_t step, std::size_t count) {
  if (!trace.steps[step].commit) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == step || trace.steps[i].location != trace.steps[step].location || !trace.steps[i].commit)
      continue;
    auto behind = trace.steps[i].writes ? trace.steps[i].commit->behind : std::nullopt;
    for (std::size_t left = trace.steps.size(); behind && left > 0; --left) {
      if (*behind == step) return true;
      const auto& commit = trace.steps[*behind].commit;
      behind = commit ? commit->behind : std::nullopt;
    }
  }
  return false;
}

// The shared variables after the first `count` steps.
std::vector<NamedValue> memory_after(const Trace& trace, std::size_t count) {
  std::vector<NamedValue> memory = trace.initial;
  for (std::size_t i = 0; i < count; ++i) {
    const Step& step = trace.steps[i];
    if (!step.writes || step.kind == StepKind::buffered || overwritten(trace, i, count)) continue;
    for (NamedValue& value : memory) {
      if (value.name != step.location) continue;
      value.value = step.written;
      value.symbol = step.written_symbol;
    }
  }
  return memory;
}

// Step by step: each line of input goes one step forward; q quits, p goes back. False if output cannot be
// written.
bool show_steps(const Trace& trace, const Style& style) {
  const bool asks = is_terminal(STDIN_FILENO) && is_terminal(STDOUT_FILENO);
  if (asks && !write_report("Return: next step; p: previous; q: quit\n")) return false;
  for (std::size_t i = 0; i < trace.steps.size();) {
    const Step& step = trace.steps[i];
    const std::string thread =
        step.thread < 0 ? "final" : trace.threads[static_cast<std::size_t>(step.thread)];
    std::string text =
        fmt::format("{}{} of {}  {}: {}{}", style.paint.begin(Colour::bold), i + 1, trace.steps.size(),
                    one_line(thread), one_line(step.action), style.paint.end(Colour::bold));
    if (step.line > 0) text += fmt::format("  (line {}: {})", step.line, one_line(step.source));
    text += fmt::format("\n    {}\n", wrap(format_values(memory_after(trace, i + 1)), style.width, 4));
    if (!write_report(text)) return false;
    ++i;
    if (!asks) continue;
    std::string line;
    int c = 0;
    while ((c = std::getchar()) != EOF && c != '\n') line += static_cast<char>(c);
    if (c == EOF || line == "q") break;
    if (line == "p") i = i >= 2 ? i - 2 : 0;
  }
  return true;
}

std::string replay_json(const SavedTrace& saved, const Program& program, const Rerun& now, int code,
                        const std::vector<std::string>& notes) {
  Json json = json_head("replay");
  json["file"] = program.name();
  json["exit_code"] = code;
  json["model"] = saved.model;
  json["changed"] = program.fingerprint() != saved.fingerprint;
  json["same"] = saved.witness ? now.witness.has_value()
                               : now.violation && now.violation->message == saved.violation->message;
  json["notes"] = notes;
  json["violation"] = now.violation ? to_json(*now.violation) : Json(nullptr);
  json["witness"] = now.witness ? to_json(*now.witness) : Json(nullptr);
  return json_text(json);
}

}  // namespace

int run_replay(const Options& options) {
  const auto text = read_file(options.file, largest_trace);
  if (const auto* const error = std::get_if<FileError>(&text)) {
    return report_errors({as_diagnostic({error->message, ""})}, options.json);
  }
  const auto parsed = parse_trace(std::get<std::string>(text));
  if (const auto* const message = std::get_if<std::string>(&parsed)) {
    return report_errors({about_file(options.file, "cannot use the trace: " + *message)}, options.json);
  }
  const SavedTrace& saved = std::get<SavedTrace>(parsed);
  Options settings = options;
  settings.compile.parameters = saved.parameters;
  settings.compile.unroll = saved.unroll;
  settings.compile.unroll_spin_loops = saved.unroll_spin_loops;
  settings.check.model = saved.model;
  settings.check.algorithm = saved.algorithm;
  settings.check.buffer_bound = saved.buffer_bound;
  settings.check.keep_going = saved.keep_going;
  const Result<Program> program =
      Program::from_file(options.program.empty() ? saved.file : options.program, settings.compile);
  if (!program) return report_errors(program.error(), options.json);
  if (const auto clash = overwritten_file(options.artefacts, *program, {options.file})) {
    return report_errors({as_diagnostic(*clash)}, options.json);
  }
  if (saved.violation && saved.violation->kind == ViolationKind::data_race &&
      find_model_info(saved.model)->out_of_order && program->fingerprint() != saved.fingerprint) {
    return report_errors(
        {about_file(options.file,
                    fmt::format("{} has changed since the trace was saved, and a trace under '{}' does "
                                "not tell whether two accesses still race; check the program again",
                                one_line(program->name()), saved.model))},
        options.json);
  }
  Result<Machine> machine = Machine::start(
      *program,
      {.model = saved.model, .buffer_bound = saved.buffer_bound, .resume_after_assert = saved.keep_going});
  if (!machine) return report_errors(machine.error(), options.json);
  const Rerun now = run_again(saved, *machine);
  const std::vector<std::string> notes = differences(saved, *program, now);
  const int code = now.violation ? 1 : saved.witness && !now.witness ? 3 : 0;
  Style style{terminal_width(STDOUT_FILENO), Paint(wants_colour(STDOUT_FILENO))};
  std::optional<TraceDetails> details;
  if (now.trace() != nullptr && !options.json)
    style.view = view_of(*program, *now.trace(), saved.model, settings, details);
  bool written = true;
  if (options.json) {
    written = write_report(replay_json(saved, *program, now, code, notes));
  } else {
    const std::string found = now.violation   ? "violation: " + one_line(now.violation->message)
                              : now.witness   ? witness_message(*now.witness)
                              : saved.witness ? "the trace no longer shows the witness"
                                              : std::string("no violation");
    std::string report = fmt::format("{}: {} (model {})\n", one_line(program->name()), found, saved.model);
    for (const std::string& note : notes) report += fmt::format("  note: {}\n", wrap(note, style.width, 8));
    if (now.trace() != nullptr && !options.step)
      report += "\n" + format_trace(*now.trace(), program->name(), style) + format_commit_graph(*now.trace());
    if (now.violation && !options.step) report += format_cycle(*program, *now.violation, style);
    written = write_report(report);
    if (written && now.trace() != nullptr && options.step) written = show_steps(*now.trace(), style);
  }
  CheckResult result;
  result.model = saved.model;
  result.algorithm = saved.algorithm;
  result.verdict = now.violation ? Verdict::violation : Verdict::safe;
  result.violation = now.violation;
  if (now.violation) result.violations = {*now.violation};
  if (now.witness) result.witnesses = {*now.witness};
  written = write_artefacts(*program, result, settings) && written;
  return written ? code : bad_input;
}

}  // namespace heddle::cli
