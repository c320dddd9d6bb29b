// The public interactive machine: an engine, the schedule that it has followed, and the one that lies ahead.
#include "heddle/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>
#include <variant>

#include "checker/api/engine.hpp"
#include "checker/api/operational_engine.hpp"
#include "checker/api/power_engine.hpp"
#include "checker/api/sources.hpp"
#include "checker/api/state.hpp"
#include "checker/explore/registry.hpp"
#include "checker/models/operational.hpp"
#include "checker/report/trace.hpp"
#include "compiler/value_types.hpp"
#include "lang/state_expression.hpp"

namespace heddle {

namespace checker {

std::unique_ptr<Engine> make_engine(const jit::Image& image, const heddle::MachineOptions& options,
                                    Rows& rows) {
  if (options.model == power_model) return std::make_unique<PowerEngine>(image, rows);
  std::unique_ptr<Engine> engine;
  OperationalModels::for_each([&]<typename Model>() {
    if (options.model != Model::name) return;
    constexpr unsigned narrow = 1;
    constexpr unsigned wide = 16;
    const MachineOptions inner{.buffer_bound = options.buffer_bound, .resume_after_assert = false};
    if (Model::most_processes(image.threads.size(), image.locations.size()) <= 64 * narrow) {
      engine = std::make_unique<OperationalEngine<Machine<Model, narrow>>>(image, inner, rows);
    } else {
      engine = std::make_unique<OperationalEngine<Machine<Model, wide>>>(image, inner, rows);
    }
  });
  return engine;
}

}  // namespace checker

namespace {

using checker::Choice;
using checker::Ending;
using checker::NextTransition;
using checker::Row;
using checker::Rows;
using checker::StepType;

constexpr std::size_t longest_run = 1'000'000;

bool same(const Choice& a, const Choice& b) {
  return a.type == b.type && a.thread == b.thread && a.location == b.location && a.value == b.value;
}

std::vector<Diagnostic> refuse(std::string message) {
  Diagnostic diagnostic;
  diagnostic.text = "error: " + message + "\n";
  diagnostic.message = std::move(message);
  return {diagnostic};
}

// Where the write stood in coherence order when it was committed: later ones may have come between since.
std::optional<std::size_t> first_place(const Trace& trace, std::size_t index) {
  auto place = trace.steps[index].commit->behind;
  // A trace need not be one of ours: it may go round in circles.
  for (std::size_t left = trace.steps.size(); left > 0; --left) {
    if (!place || *place < index || *place >= trace.steps.size() || !trace.steps[*place].commit) break;
    place = trace.steps[*place].commit->behind;
  }
  return place;
}

// Does the transition do what the step of a trace says?
bool matches(const Transition& transition, const Trace& trace, std::size_t index) {
  const Step& step = trace.steps[index];
  const Step& effect = transition.effect;
  if (step.commit && effect.commit) {
    if (step.commit->position != effect.commit->position) return false;
    if (step.reads && step.commit->source != effect.commit->source) return false;
    if (step.writes && first_place(trace, index) != effect.commit->behind) return false;
  }
  if (effect.thread != step.thread || effect.kind != step.kind || effect.location != step.location)
    return false;
  return (!step.reads || effect.read == step.read) && (!step.writes || effect.written == step.written);
}

bool is_transition(const Step& step) {
  return step.thread >= 0 && step.kind != StepKind::buffered && step.kind != StepKind::fence &&
         step.kind != StepKind::failure && step.kind != StepKind::final_;
}

}  // namespace

class Machine::Core {
 public:
  Core(const Program& program_, const MachineOptions& options_, bool run_ahead)
      : program(program_), options(options_), code(program_.state().image(run_ahead)) {
    reset();
    refresh();
  }

  void reset() {
    rows.clear();
    engine = checker::make_engine(image(), options, rows);
  }

  [[nodiscard]] const jit::Image& image() const { return *code; }

  void refresh() {
    next = engine->enabled();
    shown.clear();
    for (const auto& entry : next) shown.push_back(entry.shown);
  }

  // Takes a transition without looking at `schedule`. False, and nothing has changed, if it is not possible.
  bool move(const Choice& choice) {
    const auto mark = rows.size();
    try {
      if (!engine->follow(choice)) return false;
    } catch (const checker::TooManyProcesses&) {
      // The engine stopped in the middle of the step: another one takes the steps before it.
      reset();
      for (std::size_t i = 0; i < depth; ++i) {
        marks[i] = rows.size();
        engine->follow(schedule[i]);
      }
      refresh();
      return false;
    }
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

  // Takes a transition; what lies ahead is kept only if it begins with it.
  bool take(const Choice& choice) {
    if (depth == schedule.size() || !same(schedule[depth], choice)) {
      schedule.resize(depth);
      schedule.push_back(choice);
    }
    if (!move(choice)) {
      schedule.resize(depth);
      return false;
    }
    refresh();
    return true;
  }

  std::size_t forward(std::size_t count) {
    std::size_t taken = 0;
    while (taken < count && depth < schedule.size() && move(schedule[depth])) ++taken;
    refresh();
    return taken;
  }
  std::size_t back(std::size_t count) {
    const auto taken = std::min(count, depth);
    for (std::size_t i = 0; i < taken; ++i) take_back();
    refresh();
    return taken;
  }

  // The operations of the final block, and what it found wrong.
  struct Final {
    std::vector<std::int64_t> memory;
    Rows rows;
    std::optional<std::string> failure;
  };
  [[nodiscard]] Final final() const {
    Final result{.memory = engine->memory(), .rows = {}, .failure = {}};
    if (image().final_block == nullptr) return result;
    if (const auto found = checker::run_final_block(image(), result.memory, &result.rows)) {
      const auto& row = result.rows.back();
      result.failure = checker::describe_failure(row.op, image().sites[row.site], nullptr);
    }
    return result;
  }
  [[nodiscard]] bool complete() const { return shown.empty() && engine->ending() == Ending::complete; }

  [[nodiscard]] MachineStatus completed() const {
    MachineStatus status{MachineEnd::complete, "all threads have finished", {}};
    const auto result = final();
    if (result.failure) {
      status.end = MachineEnd::violation;
      status.message = *result.failure;
    }
    for (const auto& condition : image().conditions) {
      const bool holds = condition.holds(result.memory.data(), engine->blocks());
      const std::string kind = std::string(name(condition.kind));
      const std::string& source = image().sites[condition.site].text;
      status.conditions.push_back({source, kind, holds ? 1U : 0U, 1});
      const bool wrong = (condition.kind == jit::ConditionKind::forall && !holds) ||
                         (condition.kind == jit::ConditionKind::forbid && holds);
      if (!wrong || status.end == MachineEnd::violation) continue;
      status.end = MachineEnd::violation;
      status.message = fmt::format("a final state {} '{}'", holds ? "satisfies" : "does not satisfy", source);
    }
    return status;
  }

  // A top-level local; they stand in the image in the order of the tree.
  [[nodiscard]] const jit::LocalImage& local_image(lang::ThreadId thread, lang::LocalId id,
                                                   std::uint32_t element) const {
    const auto& tree = program.state().tree;
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
  std::shared_ptr<const jit::Image> code;
  Rows rows;
  std::vector<std::size_t> marks;  // rows before each transition
  checker::Schedule schedule;      // the first `depth` of it have been taken
  std::size_t depth = 0;
  std::unique_ptr<checker::Engine> engine;
  std::vector<NextTransition> next;
  std::vector<Transition> shown;
};

Machine::Machine(std::unique_ptr<Core> core) : core_(std::move(core)) {}
Machine::~Machine() = default;
Machine::Machine(Machine&& other) noexcept = default;
Machine& Machine::operator=(Machine&& other) noexcept = default;

Result<Machine> Machine::start(const Program& program, const MachineOptions& options) {
  const auto* const model = checker::find_model(options.model);
  if (model == nullptr) {
    std::string known;
    for (const auto& info : models()) known += (known.empty() ? "" : ", ") + std::string(info.name);
    return refuse(fmt::format("there is no model '{}'; the models are {}", options.model, known));
  }
  if (options.buffer_bound && !model->has_buffers)
    return refuse(fmt::format("the model '{}' has no store buffers to bound", model->name));
  try {
    return Machine(std::make_unique<Core>(program, options, model->out_of_order));
  } catch (const checker::TooManyProcesses& error) {
    return refuse(fmt::format("the program has {} for the model '{}'", error.what(), model->name));
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
std::size_t Machine::ahead() const { return core_->schedule.size() - core_->depth; }
std::size_t Machine::back(std::size_t count) { return core_->back(count); }
std::size_t Machine::forward(std::size_t count) { return core_->forward(count); }

std::string Machine::step(std::size_t index, std::optional<std::int64_t> value) {
  if (index >= core_->next.size()) {
    return core_->next.empty() ? "nothing can happen any more"
                               : fmt::format("there are only {} transitions", core_->next.size());
  }
  auto [choice, shown] = core_->next[index];
  if (value && shown.kind != TransitionKind::choice) return "only a choose takes a value";
  if (value && (*value < shown.low || *value >= shown.high))
    return fmt::format("the choice is from {}..{}, which {} is not in", shown.low, shown.high, *value);
  if (value) choice.value = *value;
  if (!core_->take(choice)) return core_->engine->limit();
  return {};
}

std::string Machine::go_to(std::size_t depth) {
  if (depth > core_->schedule.size())
    return fmt::format("only {} transitions are known", core_->schedule.size());
  if (depth < core_->depth) {
    core_->back(core_->depth - depth);
  } else {
    core_->forward(depth - core_->depth);
  }
  return {};
}

std::string Machine::load(const Trace& trace) {
  Core& core = *core_;
  core.back(core.depth);
  core.schedule.clear();
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const Step& step = trace.steps[i];
    if (!is_transition(step)) continue;
    const auto find = [&] {
      return std::find_if(core.next.begin(), core.next.end(),
                          [&](const NextTransition& entry) { return matches(entry.shown, trace, i); });
    };
    auto found = find();
    if (found == core.next.end()) {
      // A second look at an await is no row of a trace, only the loads that it makes are.
      const auto again = std::find_if(core.next.begin(), core.next.end(), [&](const NextTransition& entry) {
        return entry.shown.kind == TransitionKind::retry && entry.shown.effect.thread == step.thread;
      });
      if (again != core.next.end() && core.take(Choice(again->choice))) found = find();
    }
    // A choice beyond the listed values is not among them.
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
    if (!choice || !core.take(*choice)) {
      core.back(core.depth);
      core.schedule.clear();
      return fmt::format("step {} of the trace, '{}', cannot happen there", i + 1, step.action);
    }
  }
  core.back(core.depth);
  return {};
}

RunResult Machine::run(std::string_view thread, std::optional<std::uint32_t> line) {
  Core& core = *core_;
  RunResult result;
  const auto& threads = core.image().threads;
  const auto found =
      std::find_if(threads.begin(), threads.end(), [&](const auto& image) { return image.name == thread; });
  if (found == threads.end()) {
    result.why = fmt::format("there is no thread '{}'", thread);
    return result;
  }
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
        result.why = fmt::format("{} chooses a value in line {}", thread, own->shown.effect.line);
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
  result.why = fmt::format("there are too many steps, or {}", core.engine->limit());
  return result;
}

std::size_t Machine::random(std::uint64_t seed, std::size_t most) {
  std::mt19937_64 generator(seed);
  std::size_t taken = 0;
  while (taken < most && !core_->next.empty()) {
    const auto index = generator() % core_->next.size();
    if (!core_->take(Choice(core_->next[index].choice))) break;
    ++taken;
    if (core_->engine->failure()) break;
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
  if (const auto failure = core_->engine->failure()) return {MachineEnd::violation, *failure, {}};
  if (!core_->next.empty()) return {};
  switch (core_->engine->ending()) {
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
  const auto& state = core_->program.state();
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
  const jit::ValueType type = compiler::ValueTypes(state.tree).of(expression->type);
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
