// Commands that drive and inspect the interactive machine.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "cli/option_values.hpp"
#include "cli/repl/session.hpp"
#include "cli/text.hpp"
#include "heddle/graph.h"

namespace heddle::cli {
namespace {

constexpr std::size_t shown_rows = 60;  // of one long move

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t", at)) != std::string::npos) {
    const auto end = std::min(text.find_first_of(" \t", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::size_t number(std::string_view what, const std::string& text, std::uint64_t least) {
  return static_cast<std::size_t>(whole_number(what, text, least, std::numeric_limits<std::uint32_t>::max()));
}

std::string thread_of(const std::vector<std::string>& threads, const Step& step) {
  return step.thread < 0 ? "final" : threads[static_cast<std::size_t>(step.thread)];
}

std::string place(const Step& step) {
  return step.source.empty() ? fmt::format("line {}", step.line)
                             : fmt::format("line {}: {}", step.line, one_line(step.source));
}

// Column width for the actions in a list of steps; a long one may exceed it.
class ActionColumn {
 public:
  void see(const Step& step) {
    width_ = std::max(width_, std::min<std::size_t>(display_width(text(step)), 40));
  }
  [[nodiscard]] std::string show(const Step& step) const { return pad_right(text(step), width_); }

 private:
  [[nodiscard]] static std::string text(const Step& step) { return one_line(step.action); }
  std::size_t width_ = 12;
};

std::size_t widest(const std::vector<std::string>& names, std::size_t least) {
  for (const std::string& each : names) least = std::max(least, display_width(each));
  return least;
}

template <typename T>
void check_moved(const Result<T>& moved) {
  if (!moved) refuse(moved.error().front().message);
}

}  // namespace

Machine Session::new_machine(const MachineOptions& options) {
  auto made = Machine::start(program(), options);
  if (!made) refuse(made.error().front().message);
  return std::move(*made);
}

Machine& Session::machine() {
  if (!machine_) refuse("the machine has not been started", ":start starts it");
  return *machine_;
}

std::size_t Session::rows() { return machine().trace().steps.size(); }

void Session::show_status() {
  const MachineStatus status = machine().status();
  if (status.end == MachineEnd::running) return;
  const bool good = status.end == MachineEnd::complete;
  std::string text;
  if (status.end == MachineEnd::violation && !status.message.starts_with("violation")) text = "violation: ";
  const Paint paint = style().paint;
  const Colour colour = good ? Colour::green : status.end == MachineEnd::stuck ? Colour::yellow : Colour::red;
  print(fmt::format("{}{}{}{}\n", paint.begin(colour), text, one_line(status.message), paint.end(colour)));
  for (const ConditionCount& condition : status.conditions) {
    print(fmt::format("  {}: {}\n", one_line(condition.source),
                      condition.satisfied > 0 ? "holds here" : "does not hold here"));
  }
}

void Session::show_watches(bool all) {
  for (Watch& each : watches_) {
    const auto result = machine().evaluate(each.expression);
    std::string value = result ? result->text() : "(" + one_line(result.error().front().message) + ")";
    if (all || value != each.value)
      print(fmt::format("  watch  {} = {}\n", one_line(each.expression), value));
    each.value = std::move(value);
  }
}

void Session::show_moves(std::size_t before) {
  const Trace trace = machine().trace();
  const std::size_t width = widest(trace.threads, 5);
  ActionColumn column;
  for (std::size_t i = before; i < trace.steps.size(); ++i) column.see(trace.steps[i]);
  std::string text;
  for (std::size_t i = before; i < trace.steps.size(); ++i) {
    if (trace.steps.size() - before > shown_rows && i == before + shown_rows / 2) {
      const auto left_out = trace.steps.size() - before - shown_rows;
      text += fmt::format("  ... {} more, :trace shows them ...\n", left_out);
      i += left_out;
    }
    const Step& step = trace.steps[i];
    text += fmt::format("  {}  {}  ({})\n", pad_right(thread_of(trace.threads, step), width),
                        column.show(step), place(step));
  }
  print(text);
  show_watches(false);
  show_status();
}

void Session::start(const std::string& arguments) {
  MachineOptions options{.model = options_.check.model, .buffer_bound = options_.check.buffer_bound};
  if (!arguments.empty()) {
    check_name("model", arguments, model_names());
    options.model = arguments;
  }
  machine_ = new_machine(options);
  print(fmt::format("at the start, model {}\n", options.model));
  show_moves(0);
}

void Session::enabled(const std::string& /*arguments*/) {
  const Machine& m = machine();
  const auto threads = m.program().threads();
  const std::size_t width = widest(threads, 1);
  ActionColumn column;
  for (const Transition& transition : m.transitions()) column.see(transition.effect);
  std::string text;
  for (std::size_t i = 0; i < m.transitions().size(); ++i) {
    const Transition& transition = m.transitions()[i];
    text +=
        fmt::format("  {:>2}  {}  {}  ({})\n", i + 1, pad_right(thread_of(threads, transition.effect), width),
                    column.show(transition.effect), place(transition.effect));
  }
  if (!m.transitions().empty() && m.transitions().back().kind == TransitionKind::choice &&
      m.transitions().back().effect.read + 1 < m.transitions().back().high) {
    const Transition& last = m.transitions().back();
    text += fmt::format("      and so on up to {}: :step {} VALUE\n", last.high - 1, m.transitions().size());
  }
  if (m.transitions().empty()) text = "no transition is enabled\n";
  print(text);
  if (m.transitions().empty()) show_status();
}

void Session::why(const std::string& arguments) {
  if (!arguments.empty()) return explain(arguments);
  const Machine& m = machine();
  const auto threads = m.program().threads();
  const std::size_t width = widest(threads, 1);
  const auto held_up = m.disabled();
  ActionColumn column;
  for (const Transition& transition : held_up) column.see(transition.effect);
  std::string text;
  for (const Transition& transition : held_up) {
    text += fmt::format("  {}  {}  {}\n", pad_right(thread_of(threads, transition.effect), width),
                        column.show(transition.effect), one_line(transition.why));
  }
  print(text.empty() ? "nothing is waiting\n" : text);
}

namespace {

// A value for choice `index`: a number, or the name of an enum value that its thread can choose.
std::int64_t chosen_value(const Machine& machine, std::size_t index, const std::string& word) {
  const auto& transitions = machine.transitions();
  if (index < transitions.size() && transitions[index].kind == TransitionKind::choice) {
    for (const Transition& other : transitions) {
      if (other.kind == TransitionKind::choice && other.effect.thread == transitions[index].effect.thread &&
          other.effect.read_symbol == word)
        return other.effect.read;
    }
  }
  return signed_number("the value", word);
}

}  // namespace

void Session::step(const std::string& arguments) {
  Machine& m = machine();
  const auto words = words_of(arguments);
  if (words.size() > 2) refuse(":step takes a number and, for a choose, a value: :step N VALUE");
  const std::size_t before = rows();
  if (words.empty() && (m.ahead() > 0 || m.goes_round())) {
    step_forward(m, 1);
    return show_moves(before);
  }
  if (words.empty() && m.transitions().size() > 1) {
    refuse(fmt::format("{} transitions can be taken", m.transitions().size()),
           ":enabled shows them, :step N takes one");
  }
  const std::size_t index = words.empty() ? 1 : number(":step", words[0], 1);
  std::optional<std::int64_t> value;
  if (words.size() == 2) value = chosen_value(m, index - 1, words[1]);
  std::string retried;
  if (index <= m.transitions().size() && m.transitions()[index - 1].kind == TransitionKind::retry) {
    const Step effect = m.transitions()[index - 1].effect;
    retried = fmt::format("  {}  {}\n", thread_of(m.program().threads(), effect), one_line(effect.action));
  }
  check_moved(m.step(index - 1, value));
  print(retried);
  show_moves(before);
}

void Session::run_thread(const std::string& arguments) {
  Machine& m = machine();
  const auto words = words_of(arguments);
  const bool until = words.size() == 3 && words[1] == "until";
  if (words.empty() || words.size() > 3 || (words.size() == 3 && !until))
    refuse("the thread is missing: :run THREAD, :run THREAD until LINE");
  const auto threads = m.program().threads();
  if (std::find(threads.begin(), threads.end(), words[0]) == threads.end()) {
    refuse(fmt::format("there is no thread '{}'", shown(words[0])), did_you_mean(words[0], threads));
  }
  std::optional<std::uint32_t> line;
  if (words.size() > 1) line = static_cast<std::uint32_t>(number("the line", words.back(), 1));
  const std::size_t before = rows();
  const Result<RunResult> result = m.run(words[0], line);
  check_moved(result);
  show_moves(before);
  if (!result->reached && m.status().end == MachineEnd::running) print(one_line(result->why) + "\n");
}

void Session::random(const std::string& arguments) {
  Machine& m = machine();
  std::uint64_t seed = next_seed_;
  if (!arguments.empty())
    seed = whole_number(":random", arguments, 0, std::numeric_limits<std::uint64_t>::max());
  next_seed_ = seed + 1;
  const std::size_t before = rows();
  const std::size_t taken = m.random(seed);
  print(fmt::format("{} with seed {}\n", counted(taken, "transition"), seed));
  show_moves(before);
}

void Session::back(const std::string& arguments) {
  Machine& m = machine();
  const std::size_t count = arguments.empty() ? 1 : number(":back", arguments, 1);
  if (m.depth() == 0) refuse("this is the start");
  m.back(count);
  print(fmt::format("after {}\n", counted(m.depth(), "transition")));
  show_watches(false);
}

void Session::forward(const std::string& arguments) {
  Machine& m = machine();
  const std::size_t count = arguments.empty() ? 1 : number(":forward", arguments, 1);
  if (m.ahead() == 0 && !m.goes_round()) refuse("nothing was undone, and nothing is being replayed");
  const std::size_t before = rows();
  step_forward(m, count);
  show_moves(before);
}

void Session::step_forward(Machine& machine, std::size_t count) {
  if (machine.ahead() == 0) print("the cycle begins again\n");
  machine.forward(count);
}

void Session::go_to(const std::string& arguments) {
  Machine& m = machine();
  if (arguments.empty()) refuse("the number is missing: :goto K");
  check_moved(m.go_to(number(":goto", arguments, 0)));
  print(fmt::format("after {}\n", counted(m.depth(), "transition")));
  show_watches(false);
  show_status();
}

void Session::replay(const std::string& arguments) {
  if (found_.empty()) {
    refuse("there is nothing to replay", ":check finds violations and executions that satisfy an `exists`");
  }
  const std::size_t which = arguments.empty() ? 1 : number(":replay", arguments, 1);
  if (which > found_.size())
    refuse(fmt::format("the check has found {}", counted(found_.size(), "execution")));
  const Found& found = found_[which - 1];
  Machine replayed = new_machine(found.machine);
  check_moved(replayed.load(found.trace));
  machine_ = std::move(replayed);
  print(fmt::format("at the start of {}, model {}: :step and :forward replay them{}\n",
                    counted(machine_->ahead(), "transition"), found.machine.model,
                    machine_->goes_round() ? ", and go round the cycle" : ""));
  show_moves(0);
}

void Session::state(const std::string& /*arguments*/) {
  const MachineState state = machine().state();
  const std::size_t width = style().width;
  std::string text =
      fmt::format("after {}, model {}\n", counted(machine().depth(), "transition"), machine().model());
  if (!state.memory.empty())
    text += fmt::format("  memory  {}\n", wrap(format_values(state.memory), width, 10));
  std::vector<std::string> locks;
  for (const LockState& lock : state.locks)
    locks.push_back(lock.holder.empty() ? lock.mutex + " free"
                                        : fmt::format("{} held by {}", lock.mutex, lock.holder));
  if (!locks.empty()) text += fmt::format("  locks   {}\n", wrap(join(locks, ", "), width, 10));
  for (const ThreadEnd& thread : state.threads) {
    text += fmt::format("  {}: {}\n", thread.thread, one_line(thread.state));
    if (!thread.locals.empty())
      text += fmt::format("    locals  {}\n", wrap(format_values(thread.locals), width, 12));
    if (!thread.buffered.empty())
      text += fmt::format("    buffer  {}\n", wrap(format_values(thread.buffered), width, 12));
  }
  print(text);
}

void Session::trace(const std::string& /*arguments*/) {
  print(format_trace(machine().trace(), document_.name(), style()));
  show_status();
}

void Session::graph(const std::string& /*arguments*/) {
  const Trace trace = machine().trace();
  const std::string text = format_graph(graph_of(trace), in_commit_order(trace));
  print(text.empty() ? "no events yet\n" : text);
}

void Session::watch(const std::string& arguments) {
  if (arguments.empty()) {
    if (watches_.empty()) print("nothing is watched\n");
    for (std::size_t i = 0; i < watches_.size(); ++i)
      print(fmt::format("  {:>2}  {}\n", i + 1, one_line(watches_[i].expression)));
    return;
  }
  const Machine& m = machine();
  const auto result = m.evaluate(arguments);
  if (!result) throw Complaint{clean(result.error().front().text, true)};
  watches_.push_back({arguments, result->text()});
  print(fmt::format("  watch  {} = {}\n", one_line(arguments), result->text()));
}

void Session::unwatch(const std::string& arguments) {
  if (arguments.empty()) return watches_.clear();
  const std::size_t index = number(":unwatch", arguments, 1);
  if (index > watches_.size())
    refuse(fmt::format("there are {}", counted(watches_.size(), "watched expression")));
  watches_.erase(watches_.begin() + static_cast<std::ptrdiff_t>(index - 1));
}

void Session::evaluate(const std::string& expression) {
  std::optional<Machine> fresh;
  if (!machine_)
    fresh = new_machine({.model = options_.check.model, .buffer_bound = options_.check.buffer_bound});
  const auto result = (machine_ ? *machine_ : *fresh).evaluate(expression);
  if (!result) {
    std::string text;
    for (const Diagnostic& error : result.error()) text += clean(error.text, true);
    throw Complaint{text};
  }
  print(result->text() + "\n");
}

}  // namespace heddle::cli
