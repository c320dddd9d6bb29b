// The public interactive machine. machine_core.hpp has its state, machine_load.cpp follows traces.
#include "heddle/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>
#include <variant>

#include "checker/api/check.hpp"
#include "checker/api/machine_core.hpp"
#include "checker/api/refusal.hpp"
#include "checker/api/sources.hpp"
#include "checker/registry.hpp"
#include "checker/report/trace.hpp"
#include "compiler/value_types.hpp"
#include "lang/state_expression.hpp"

namespace heddle {

namespace {

using checker::Choice;
using checker::Ending;
using checker::NextTransition;
using checker::StepType;

constexpr std::size_t longest_run = 1'000'000;

}  // namespace

Machine::Machine(std::unique_ptr<Core> core) : core_(std::move(core)) {}
Machine::~Machine() = default;
Machine::Machine(Machine&& other) noexcept = default;
Machine& Machine::operator=(Machine&& other) noexcept = default;

Result<Machine> Machine::start(const Program& program, const MachineOptions& options) {
  const auto* const model = checker::find_model(options.model);
  if (model == nullptr) {
    return refuse(no_such_model(options.model));
  }
  if (options.buffer_bound && !model->has_buffers)
    return refuse(fmt::format("the model '{}' has no store buffers to bound", model->name));
  if (model->out_of_order) {
    if (auto reason = checker::why_no_sections(program); !reason.empty()) return refuse(std::move(reason));
  }
  try {
    return Machine(std::make_unique<Core>(program, options, model->out_of_order));
  } catch (const checker::CannotGoOn& error) {
    return refuse(fmt::format("{} under the model '{}'", error.what(), model->name));
  } catch (const std::runtime_error& error) {
    return refuse(error.what());
  }
}

const Program& Machine::program() const { return core_->program; }
const std::string& Machine::model() const { return core_->options.model; }
const std::vector<Transition>& Machine::transitions() const { return core_->shown; }
std::vector<Transition> Machine::disabled() const { return core_->engine->disabled(); }
std::size_t Machine::depth() const { return core_->depth; }
std::size_t Machine::ahead() const { return core_->ahead(); }
bool Machine::goes_round() const { return !core_->round.empty(); }
std::size_t Machine::back(std::size_t count) { return core_->back(count); }
std::size_t Machine::forward(std::size_t count) { return core_->forward(count); }

Result<void> Machine::step(std::size_t index, std::optional<std::int64_t> value) {
  if (index >= core_->next.size()) {
    return refuse(core_->next.empty() ? "nothing can happen any more"
                                      : fmt::format("there are only {} transitions", core_->next.size()));
  }
  auto [choice, shown] = core_->next[index];
  if (value && shown.kind != TransitionKind::choice) return refuse("only a choose takes a value");
  if (value && (*value < shown.low || *value >= shown.high))
    return refuse(
        fmt::format("the choice is from {}..{}, which {} is not in", shown.low, shown.high, *value));
  if (value) choice.value = *value;
  if (!core_->take(choice)) return refuse(core_->engine->limit());
  return {};
}

Result<void> Machine::go_to(std::size_t depth) {
  if (depth > core_->schedule.size())
    return refuse(fmt::format("only {} transitions are known", core_->schedule.size()));
  if (depth < core_->depth) {
    core_->back(core_->depth - depth);
  } else {
    core_->forward(depth - core_->depth);
  }
  return {};
}

Result<RunResult> Machine::run(std::string_view thread, std::optional<std::uint32_t> line) {
  Core& core = *core_;
  RunResult result;
  const auto& threads = core.image().threads;
  const auto found =
      std::find_if(threads.begin(), threads.end(), [&](const auto& image) { return image.name == thread; });
  if (found == threads.end()) return refuse(fmt::format("there is no thread '{}'", thread));
  const auto id = static_cast<checker::ThreadId>(found - threads.begin());
  for (; result.steps < longest_run; ++result.steps) {
    const auto own = std::find_if(core.next.begin(), core.next.end(), [&](const NextTransition& entry) {
      return entry.choice.thread == id && entry.choice.type != StepType::flush;
    });
    if (own != core.next.end()) {
      if (line && result.steps > 0 && own->shown.effect.line == *line) {
        result.reached = true;
        return result;
      }
      if (own->shown.kind == TransitionKind::choice) {
        result.why = fmt::format("{} chooses a value on line {}", thread, own->shown.effect.line);
        return result;
      }
      if (!core.take(Choice(own->choice))) break;
      continue;
    }
    const auto flush = std::find_if(core.next.begin(), core.next.end(), [&](const NextTransition& entry) {
      return entry.choice.thread == id && entry.choice.type == StepType::flush;
    });
    if (flush != core.next.end() && core.engine->waits_for_buffers(id)) {
      if (!core.take(Choice(flush->choice))) break;
      continue;
    }
    const auto state = core.engine->threads()[id].state;
    result.reached = !line && state == "finished";
    if (!result.reached)
      result.why = fmt::format("{} {}", thread, state == "finished" ? "has finished" : state);
    return result;
  }
  result.why = result.steps == longest_run ? "there are too many steps" : core.engine->limit();
  return result;
}

std::size_t Machine::random(std::uint64_t seed, std::size_t most) {
  std::mt19937_64 generator(seed);
  std::size_t taken = 0;
  while (taken < most && !core_->next.empty()) {
    const auto index = generator() % core_->next.size();
    if (!core_->take(Choice(core_->next[index].choice))) break;
    ++taken;
    if (!core_->engine->failures().empty()) break;
  }
  return taken;
}

MachineState Machine::state() const {
  MachineState result;
  const auto& memory = core_->engine->memory();
  const auto& image = core_->image();
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const auto& location = image.locations[i];
    if (!location.is_mutex) {
      result.memory.push_back(checker::named_value(location.name, memory[i], location.type));
      continue;
    }
    const auto holder =
        memory[i] == 0 ? std::string() : image.threads[static_cast<std::size_t>(memory[i] - 1)].name;
    result.locks.push_back({location.name, holder});
  }
  result.threads = core_->engine->threads();
  return result;
}

MachineStatus Machine::status() const {
  MachineStatus status;
  for (const auto& failure : core_->engine->failures()) Core::add_violation(status, failure);
  if (!core_->next.empty()) return status;
  const Ending ending = core_->engine->ending();
  if (status.end == MachineEnd::violation) {
    if (ending != Ending::complete) return status;
    MachineStatus completed = core_->completed();
    status.conditions = std::move(completed.conditions);
    if (completed.end == MachineEnd::violation) {
      status.also.push_back(std::move(completed.message));
      status.also.insert(status.also.end(), completed.also.begin(), completed.also.end());
    }
    return status;
  }
  switch (ending) {
    case Ending::complete: return core_->completed();
    case Ending::deadlock:
      return {MachineEnd::deadlock, "deadlock: " + checker::who_waits(core_->engine->threads()), {}};
    default: break;
  }
  return {MachineEnd::stuck, "stuck: " + checker::who_waits(core_->engine->threads()), {}};
}

Trace Machine::trace() const {
  const auto& image = core_->image();
  Trace trace;
  trace.waits_at_loops = core_->waits_at_loops;
  for (const auto& thread : image.threads) trace.threads.push_back(thread.name);
  trace.steps = core_->engine->describe(core_->rows);
  std::vector<std::int64_t> memory = core_->engine->memory();
  if (core_->complete()) {
    auto final = core_->final();
    for (const auto& row : final.rows) trace.steps.push_back(checker::describe_row(image, row));
    memory = std::move(final.memory);
  }
  for (std::size_t i = 0; i < image.locations.size(); ++i) {
    const auto& location = image.locations[i];
    if (location.is_mutex) continue;
    trace.initial.push_back(checker::named_value(location.name, location.initial, location.type));
    trace.memory.push_back(checker::named_value(location.name, memory[i], location.type));
  }
  trace.ends = core_->engine->threads();
  return trace;
}

Result<Value> Machine::evaluate(std::string_view text) const {
  const auto& state = state_of(core_->program);
  lang::SourceMap sources = state.sources;
  const auto file = sources.add("expression", std::string(text));
  lang::Diagnostics diagnostics;
  const auto expression = lang::parse_state_expression(state.tree, sources, file, diagnostics);
  if (!expression) return convert_diagnostics(diagnostics, sources);
  const lang::StateReader reader{
      .memory = [&](std::uint32_t location) { return core_->engine->memory()[location]; },
      .local = [&](lang::ThreadId thread, lang::LocalId local,
                   std::uint32_t element) { return core_->local(thread, local, element); }};
  std::variant<std::int64_t, lang::EvaluationError> result;
  try {
    result = lang::evaluate(state.tree, *expression, reader);
  } catch (const checker::CannotGoOn& error) {
    return refuse(error.what());
  }
  if (const auto* const error = std::get_if<lang::EvaluationError>(&result)) {
    lang::Diagnostics failed;
    failed.error(error->range, error->message);
    return convert_diagnostics(failed, sources);
  }
  const auto number = std::get<std::int64_t>(result);
  const compiler::ValueType type = compiler::ValueTypes(state.tree).of(expression->type);
  return Value{.number = number, .boolean = type.boolean, .symbol = type.symbol(number)};
}

std::string Value::text() const {
  return NamedValue{.name = {}, .value = number, .boolean = boolean, .symbol = symbol}.text();
}

std::string_view name(MachineEnd end) {
  switch (end) {
    case MachineEnd::running: return "running";
    case MachineEnd::complete: return "complete";
    case MachineEnd::stuck: return "stuck";
    case MachineEnd::deadlock: return "deadlock";
    case MachineEnd::violation: break;
  }
  return "violation";
}

}  // namespace heddle
