#include "checker/report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "checker/axioms/judge.hpp"
#include "checker/commits/machines.hpp"
#include "checker/commits/races.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "checker/report/commits.hpp"
#include "checker/report/execution.hpp"

namespace heddle::checker {

namespace {

StepKind step_kind(const Row& row) {
  switch (row.type) {
    case RowType::buffered: return StepKind::buffered;
    case RowType::flush: return StepKind::flush;
    case RowType::fence: return StepKind::fence;
    case RowType::choice: return StepKind::choose;
    case RowType::failure: return StepKind::failure;
    case RowType::operation: break;
  }
  switch (row.op) {
    case Op::load: return StepKind::load;
    case Op::store: return StepKind::store;
    case Op::exchange:
    case Op::exchange_if_equal: return StepKind::exchange;
    case Op::compare_exchange: return StepKind::cas;
    case Op::lock: return StepKind::lock;
    case Op::unlock: return StepKind::unlock;
    case Op::try_lock: return StepKind::try_lock;
    default: return StepKind::fetch;
  }
}

}  // namespace

std::string describe_failure(Op op, const compiler::Site& site, const Mailbox* mailbox) {
  switch (op) {
    case Op::assert_failed:
      return site.message.empty() ? "assertion failed: " + site.text : "assertion failed: " + site.message;
    case Op::index_out_of_bounds:
      if (mailbox == nullptr) return "index out of bounds in '" + site.text + "'";
      return fmt::format("index {} is out of bounds for an array of {} in '{}'", mailbox->value,
                         mailbox->expected, site.text);
    case Op::division_by_zero: return "division by zero in '" + site.text + "'";
    case Op::empty_choice:
      if (mailbox == nullptr) return "nothing to choose from in '" + site.text + "'";
      return fmt::format("nothing to choose from: {}..{} is empty in '{}'", mailbox->value, mailbox->expected,
                         site.text);
    default: return "unlock of a mutex that the thread does not hold: '" + site.text + "'";
  }
}

namespace {

std::string action(const Image& image, const Row& row, const std::string& location,
                   const compiler::ValueType& type) {
  const auto read = named_value({}, row.read, type).text();
  const auto written = named_value({}, row.written, type).text();
  switch (step_kind(row)) {
    case StepKind::load: return fmt::format("read {} = {}", location, read);
    case StepKind::store: return fmt::format("{} = {}", location, written);
    case StepKind::buffered: return fmt::format("{} = {} buffered", location, written);
    case StepKind::flush: return fmt::format("{} = {} reaches memory", location, written);
    case StepKind::cas:
      return row.writes ? fmt::format("cas {}: {} -> {}", location, read, written)
                        : fmt::format("cas {} fails, read {}", location, read);
    case StepKind::exchange:
    case StepKind::fetch:
      return row.writes ? fmt::format("{}: {} -> {}", location, read, written)
                        : fmt::format("waits for {}, reads {}", location, read);
    case StepKind::fence: return "fence";
    case StepKind::lock: return "lock " + location;
    case StepKind::unlock: return "unlock " + location;
    case StepKind::try_lock: return fmt::format("trylock {}: {}", location, row.writes ? "taken" : "busy");
    case StepKind::choose: return "choose " + read;
    case StepKind::failure:
    case StepKind::final_: break;
  }
  if (row.op == Op::load || row.op == Op::store) {
    return fmt::format("racing {} of {}", row.op == Op::store ? "write" : "read",
                       image.locations[row.location].name);
  }
  return describe_failure(row.op, image.sites[row.site], nullptr);
}

}  // namespace

heddle::Step describe_row(const Image& image, const Row& row) {
  const auto& site = image.sites[row.site];
  heddle::Step step;
  step.kind = step_kind(row);
  step.thread = row.in_final ? -1 : static_cast<std::int32_t>(row.thread);
  compiler::ValueType type = row.type == RowType::choice ? site.type : compiler::ValueType{};
  if (row.location != none && row.type != RowType::failure && row.type != RowType::choice &&
      row.type != RowType::fence) {
    step.location = image.locations[row.location].name;
    type = image.locations[row.location].type;
  }
  step.reads = row.reads || row.type == RowType::choice;
  step.writes = row.writes;
  step.read = row.read;
  step.written = row.written;
  if (step.reads && row.op != Op::try_lock) step.read_symbol = type.symbol(row.read);
  if (step.writes) step.written_symbol = type.symbol(row.written);
  step.file = site.file;
  step.line = site.line;
  step.column = site.column;
  step.source = site.text;
  if (row.type == RowType::fence) step.fence = fence_type(row.fence);
  step.action = action(image, row, step.location, type);
  return step;
}

namespace {

// "line 7"; in a built-in module "line 7 (std/spinlock.hed:12)", with the line of the call first.
std::string line_of(const Image& image, const compiler::Site& site) {
  if (!site.call) return fmt::format("line {}", site.line);
  return fmt::format("line {} ({}:{})", image.sites[*site.call].line, site.file, site.line);
}

}  // namespace

std::string describe_invariant(const compiler::Site& site) {
  return fmt::format("'{}' does not hold", site.text);
}

std::string describe_race(const Image& image, const DataRace& race) {
  const auto access = [&](const RacingAccess& a) {
    return fmt::format("{} {} it on {}", image.threads[a.thread].name, a.writes ? "writes" : "reads",
                       line_of(image, image.sites[a.site]));
  };
  return fmt::format("data race on {}: {}, {}", image.locations[race.location].name, access(race.first),
                     access(race.second));
}

std::string thread_state(const Image& image, const std::vector<std::int64_t>& memory, const Mailbox& m) {
  const auto& site = image.sites[m.site];
  switch (m.op) {
    case Op::done: return "finished";
    case Op::await_failed: return fmt::format("waits at {}: {}", line_of(image, site), site.text);
    case Op::assume_failed:
      return fmt::format("stopped by the assumption on line {}: {}", site.line, site.text);
    case Op::idle_round: return fmt::format("tries again on line {}: {}", site.line, site.text);
    case Op::loop_bound: return fmt::format("cut off by the loop bound on line {}", site.line);
    case Op::round_limit: return fmt::format("cut off by the limit of rounds on line {}", site.line);
    case Op::lock: {
      const auto owner = memory[m.location];
      if (owner == 0) break;
      return fmt::format("waits at {} for {}, which {} holds", line_of(image, site),
                         image.locations[m.location].name,
                         image.threads[static_cast<std::size_t>(owner - 1)].name);
    }
    default:
      if (is_failure(m.op)) return fmt::format("failed on line {}", site.line);
      break;
  }
  return fmt::format("about to do '{}' on line {}", site.text, site.line);
}

ThreadEnd describe_thread(const Image& image, const std::vector<std::int64_t>& memory, ThreadId t,
                          const std::byte* block) {
  ThreadEnd end{.thread = image.threads[t].name,
                .state = thread_state(image, memory, compiler::mailbox(block)),
                .locals = {},
                .buffered = {}};
  for (const auto& local : image.threads[t].locals) {
    std::int64_t value = 0;
    std::memcpy(&value, block + local.offset, sizeof value);
    end.locals.push_back(named_value(local.name, value, local.type));
  }
  return end;
}

std::string who_waits(const std::vector<ThreadEnd>& ends) {
  std::string text;
  for (const auto& end : ends) {
    if (end.state == "finished") continue;
    text += (text.empty() ? "" : "; ") + end.thread + " " + end.state;
  }
  return text;
}

namespace {

struct Replay {
  Trace trace;
  Rows rows;  // to be described after the steps of the trace
  std::vector<std::int64_t> memory;
  std::string message;                      // of the wanted violation, if a thread found it
  std::uint32_t waiting = none;             // where the first unfinished thread stands
  std::optional<std::size_t> repeats_from;  // of a violation of liveness: the row where the cycle begins
  std::size_t since = 0;                    // of a temporal claim: the number of rows before its cause holds
};

// The site in the user's files.
template <typename MailboxOf>
std::uint32_t first_waiting(const Image& image, MailboxOf&& mailbox) {
  for (ThreadId t = 0; t < image.threads.size(); ++t) {
    const Mailbox& m = mailbox(t);
    if (m.op != Op::done && !image.threads[t].is_daemon) return image.sites[m.site].call.value_or(m.site);
  }
  return none;
}

[[noreturn]] void cannot_replay() {
  throw std::logic_error("internal error: the trace of an execution cannot be replayed");
}

// Finds the violation among those of the newest step.
template <typename Machine>
const Failure* failure_of(const Machine& machine, const FoundViolation* found) {
  if (found == nullptr || found->in_final || found->site == none || found->kind == ViolationKind::data_race ||
      found->kind == ViolationKind::invariant)
    return nullptr;
  for (const auto& failure : machine.failures()) {
    if (!failure.is_race() && !failure.is_invariant() && failure.site == found->site) return &failure;
  }
  return nullptr;
}

std::string message_of(const Image& image, const Failure& failure, const Mailbox& m) {
  return describe_failure(failure.op, image.sites[failure.site], m.op == failure.op ? &m : nullptr);
}

// The trace does not show other violations of the same step.
void drop_failures_after(Rows& rows, std::uint32_t site) {
  while (!rows.empty() && rows.back().type == RowType::failure && rows.back().site != site) rows.pop_back();
}

// The two accesses of a race, which have no effect of their own here.
void add_race(Rows& rows, const DataRace& race) {
  for (const RacingAccess& access : {race.first, race.second}) {
    rows.push_back({.type = RowType::failure,
                    .op = access.writes ? Op::store : Op::load,
                    .thread = access.thread,
                    .location = race.location,
                    .site = access.site});
  }
}

// With the step that broke it.
std::string broken_invariant(const Image& image, const Rows& rows, std::uint32_t site) {
  const std::string text = describe_invariant(image.sites[site]);
  const auto last = std::find_if(rows.rbegin(), rows.rend(), [](const Row& row) {
    return row.type == RowType::operation || row.type == RowType::flush || row.type == RowType::choice;
  });
  if (last == rows.rend()) return text + " at the start";
  return fmt::format("{} after {}: {}", text, image.threads[last->thread].name,
                     describe_row(image, *last).action);
}

Replay replay_interleaving(const Search& search, const Schedule& schedule, const FoundViolation* found) {
  const auto& image = search.image();
  Replay replay;
  with_machine(search.shown_image(), search.options().model, search.machine_options(), [&](auto& machine) {
    machine.restart_with_log(&replay.rows);
    const auto note_place = [&](std::size_t i) {
      if (found != nullptr && i == found->repeats_from) replay.repeats_from = replay.rows.size();
      if (found != nullptr && i == found->since) replay.since = replay.rows.size();
    };
    for (std::size_t i = 0; i < schedule.size(); ++i) {
      note_place(i);
      if (!machine.follow(schedule[i])) cannot_replay();
    }
    note_place(schedule.size());
    replay.memory = machine.memory();
    replay.trace.ends = describe_threads(machine);
    replay.waiting =
        first_waiting(image, [&](ThreadId t) -> const Mailbox& { return machine.threads().mailbox(t); });
    if (const Failure* const failure = failure_of(machine, found)) {
      replay.message = message_of(image, *failure, machine.threads().mailbox(failure->thread));
      drop_failures_after(replay.rows, failure->site);
    }
    if (found == nullptr) return;
    for (const Failure& failure : machine.failures()) {
      if (found->kind == ViolationKind::invariant && failure.is_invariant() && failure.site == found->site)
        replay.message = broken_invariant(image, replay.rows, failure.site);
    }
    if (found->kind != ViolationKind::data_race) return;
    machine.for_each_race([&](const DataRace& race) {
      if (race == found->race) replay.message = describe_race(image, race);
    });
    add_race(replay.rows, found->race);
  });
  return replay;
}

// The events, in commit order.
Replay replay_commits(const Search& search, const Schedule& schedule, const FoundViolation* found) {
  const auto& image = search.image();
  Replay replay;
  ReportMachine machine(image, search.machine_options());
  // If a thread found the wanted violation, the run ends there.
  std::optional<Failure> failure;
  const auto look = [&] {
    if (const Failure* const here = failure_of(machine, found)) failure = *here;
  };
  look();
  for (const auto& choice : schedule) {
    if (failure) break;
    if (!machine.follow(choice)) cannot_replay();
    look();
  }
  replay.trace.steps = describe_commits(machine);
  replay.memory.resize(image.locations.size());
  machine.final_memory(replay.memory);
  replay.trace.ends = describe_ahead_threads(machine, replay.memory);
  replay.waiting =
      first_waiting(image, [&](ThreadId t) -> const Mailbox& { return compiler::mailbox(machine.block(t)); });
  if (found != nullptr && found->kind == ViolationKind::data_race) {
    DataRaces races(image);
    find_power_races(machine, races);
    for (const auto& race : races.found()) {
      if (race.race == found->race) replay.message = describe_race(image, found->race);
    }
    add_race(replay.rows, found->race);
  }
  if (!failure) return replay;
  replay.message = message_of(image, *failure, compiler::mailbox(machine.block(failure->thread)));
  replay.rows.push_back(
      {.type = RowType::failure, .op = failure->op, .thread = failure->thread, .site = failure->site});
  return replay;
}

// `found` is the violation at the end of the schedule, if there is one.
Replay replay_schedule(const Search& search, const Schedule& schedule, const FoundViolation* found) {
  const bool commits = search.options().model == power_model;
  Replay replay =
      commits ? replay_commits(search, schedule, found) : replay_interleaving(search, schedule, found);
  for (const auto& thread : search.image().threads) replay.trace.threads.push_back(thread.name);
  return replay;
}

// Adds the `final` block, up to the wanted violation if it is there.
void replay_final_block(const Search& search, Replay& replay, const FoundViolation* found) {
  const auto& image = search.image();
  if (image.final_block == nullptr) return;
  run_final_block(image, replay.memory, search.options().keep_going, &replay.rows);
  if (found == nullptr || !found->in_final) return;
  while (!replay.rows.empty() &&
         (replay.rows.back().type != RowType::failure || replay.rows.back().site != found->site))
    replay.rows.pop_back();
  if (!replay.rows.empty())
    replay.message = describe_failure(replay.rows.back().op, image.sites[found->site], nullptr);
}

Trace finished_trace(const Image& image, Replay& replay) {
  Trace& trace = replay.trace;
  for (const auto& row : replay.rows) trace.steps.push_back(describe_row(image, row));
  for (std::size_t i = 0; i < image.locations.size(); ++i) {
    const auto& location = image.locations[i];
    if (location.is_mutex) continue;
    trace.initial.push_back(named_value(location.name, location.initial, location.type));
    trace.memory.push_back(named_value(location.name, replay.memory[i], location.type));
  }
  return std::move(trace);
}

// Why SC does not have the execution of the trace.
void add_cycle(Violation& violation) {
  const auto traced = execution_of(violation.trace);
  const auto& events = traced.execution.events;
  const auto cycle = axioms::excluding_cycle(traced.execution, axioms::Model::sc);
  if (!cycle) throw std::logic_error("internal error: SC has the execution that it should not have");
  for (const axioms::Edge& edge : cycle->edges) {
    const std::size_t from = events[edge.from].tag;
    const std::size_t to = events[edge.to].tag;
    if (from == to) continue;  // within a read-modify-write
    violation.cycle.push_back({.relation = std::string(axioms::name(edge.kind)), .from = from, .to = to});
  }
  const heddle::Step& first = violation.trace.steps[violation.cycle.front().from];
  violation.file = first.file;
  violation.line = first.line;
  violation.column = first.column;
}

// "starvation: client never ends, while rival runs for ever".
std::string endless_run(const Search& search, const FoundViolation& found) {
  const auto& threads = search.image().threads;
  std::vector<std::string_view> unfinished;
  for (const auto thread : found.waits) unfinished.push_back(threads[thread].name);
  std::vector<std::string_view> others;
  std::vector<bool> runs(threads.size());
  for (std::size_t i = *found.repeats_from; i < found.schedule.size(); ++i)
    runs[found.schedule[i].thread] = true;
  for (ThreadId t = 0; t < threads.size(); ++t) {
    if (runs[t] && std::find(found.waits.begin(), found.waits.end(), t) == found.waits.end())
      others.push_back(threads[t].name);
  }
  const bool one = unfinished.size() == 1;
  const std::string_view verb =
      found.lacks_progress ? (one ? "makes progress" : "make progress") : (one ? "ends" : "end");
  if (found.kind == ViolationKind::livelock)
    return fmt::format("livelock: {} never {}", fmt::join(unfinished, ", "), verb);
  return fmt::format("starvation: {} never {}, while {} {} for ever", fmt::join(unfinished, ", "), verb,
                     fmt::join(others, ", "), others.size() == 1 ? "runs" : "run");
}

// "'asked leads to served' does not come true after step 3: the run ends".
std::string unmet_claim(const Image& image, const FoundViolation& found, std::size_t rows_before) {
  const std::string since = rows_before == 0 ? std::string() : fmt::format(" after step {}", rows_before);
  return fmt::format("'{}' does not come true{}: the run {}", image.sites[found.site].text, since,
                     found.repeats_from ? "repeats a cycle for ever" : "ends");
}

}  // namespace

Violation describe(const Search& search, const FoundViolation& found) {
  const auto& image = search.image();
  Violation violation;
  violation.kind = found.kind;
  violation.count = found.count;
  Replay replay = replay_schedule(search, found.schedule, &found);
  if (found.in_final || found.kind == ViolationKind::forall || found.kind == ViolationKind::forbid)
    replay_final_block(search, replay, &found);
  switch (found.kind) {
    case ViolationKind::deadlock: replay.message = "deadlock: " + who_waits(replay.trace.ends); break;
    case ViolationKind::forall:
      replay.message = "a final state does not satisfy '" + image.sites[found.site].text + "'";
      break;
    case ViolationKind::forbid:
      replay.message = "a final state satisfies '" + image.sites[found.site].text + "'";
      break;
    case ViolationKind::livelock:
    case ViolationKind::starvation:
      replay.message = endless_run(search, found);
      replay.trace.repeats_from = replay.repeats_from;
      break;
    case ViolationKind::temporal:
      replay.message = unmet_claim(image, found, replay.since);
      replay.trace.repeats_from = replay.repeats_from;
      break;
    case ViolationKind::not_robust:
      replay.message = fmt::format("not robust: '{}' has {} that SC does not have", search.options().model,
                                   search.options().robust_states ? "a final state" : "an execution");
      break;
    default: break;
  }
  if (replay.message.empty())
    throw std::logic_error("internal error: the replayed trace does not show the violation");
  violation.message = replay.message;
  const std::uint32_t place = found.kind == ViolationKind::deadlock ? replay.waiting : found.site;
  if (place != none) {
    violation.file = image.sites[place].file;
    violation.line = image.sites[place].line;
    violation.column = image.sites[place].column;
  }
  violation.trace = finished_trace(image, replay);
  if (found.kind == ViolationKind::not_robust) add_cycle(violation);
  if (found.kind == ViolationKind::data_race) {
    for (const RacingAccess& access : {found.race.first, found.race.second}) {
      const auto& site = image.sites[access.site];
      violation.race.push_back({.thread = image.threads[access.thread].name,
                                .writes = access.writes,
                                .location = image.locations[found.race.location].name,
                                .file = site.file,
                                .line = site.line,
                                .column = site.column,
                                .source = site.text});
    }
  }
  return violation;
}

Witness describe(const Search& search, const FoundWitness& found) {
  const auto& image = search.image();
  Witness witness;
  Replay replay = replay_schedule(search, found.schedule, nullptr);
  replay_final_block(search, replay, nullptr);
  if (found.condition) {
    const auto& site = image.sites[image.conditions[*found.condition].site];
    witness.condition = site.text;
    witness.file = site.file;
    witness.line = site.line;
    witness.column = site.column;
  }
  witness.trace = finished_trace(image, replay);
  return witness;
}

std::vector<std::string> state_names(const Image& image) {
  std::vector<std::string> names;
  if (image.observed) {
    for (const auto& observed : *image.observed) names.push_back(observed.name);
    return names;
  }
  for (const auto& location : image.locations)
    names.push_back(location.is_mutex ? std::string() : location.name);
  for (const auto& thread : image.threads) {
    for (const auto& local : thread.locals) names.push_back(thread.name + "." + local.name);
  }
  return names;
}

std::vector<Outcome> describe_outcomes(const Search& search) {
  const auto& image = search.image();
  std::vector<std::pair<FinalState, std::uint64_t>> states(search.final_states().begin(),
                                                           search.final_states().end());
  std::sort(states.begin(), states.end());
  std::vector<Outcome> outcomes;
  outcomes.reserve(states.size());
  for (const auto& [state, executions] : states) {
    Outcome outcome;
    outcome.executions = executions;
    if (image.observed) {
      for (std::size_t i = 0; i < state.size(); ++i) {
        outcome.values.push_back({(*image.observed)[i].name, state[i], false});
      }
      outcomes.push_back(std::move(outcome));
      continue;
    }
    for (std::size_t i = 0; i < image.locations.size(); ++i) {
      const auto& location = image.locations[i];
      if (!location.is_mutex) outcome.values.push_back(named_value(location.name, state[i], location.type));
    }
    auto next = image.locations.size();
    for (const auto& thread : image.threads) {
      for (const auto& local : thread.locals) {
        outcome.values.push_back(named_value(thread.name + "." + local.name, state[next++], local.type));
      }
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

std::vector<ConditionCount> describe_conditions(const Search& search) {
  std::vector<ConditionCount> result;
  for (std::size_t i = 0; i < search.image().conditions.size(); ++i) {
    const auto& condition = search.image().conditions[i];
    result.push_back({.source = search.image().sites[condition.site].text,
                      .kind = std::string(name(condition.kind)),
                      .satisfied = search.satisfied()[i],
                      .total = search.judged()});
  }
  return result;
}

namespace {

BlockedBy blocked_by(Op op) {
  switch (op) {
    case Op::assume_failed: return BlockedBy::assume;
    case Op::await_failed: return BlockedBy::await;
    case Op::idle_round: return BlockedBy::idle_round;
    case Op::loop_bound: return BlockedBy::loop_bound;
    default: return BlockedBy::round_limit;
  }
}

}  // namespace

std::vector<BlockedAt> describe_blocked(const Search& search) {
  const auto& image = search.image();
  std::vector<BlockedAt> result;
  for (const auto& [place, runs] : search.blocked_places()) {
    const auto& site = image.sites[place.site];
    const BlockedBy by = blocked_by(place.op);
    std::string source = site.text;
    // For a loop, the text before its body.
    if (by == BlockedBy::loop_bound || by == BlockedBy::round_limit) {
      source.resize(std::min(source.find('{'), source.size()));
      while (source.ends_with(' ')) source.pop_back();
    }
    result.push_back({.by = by,
                      .thread = place.thread == none ? "final" : image.threads[place.thread].name,
                      .file = site.file,
                      .line = site.line,
                      .column = site.column,
                      .source = std::move(source),
                      .executions = runs});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const BlockedAt& a, const BlockedAt& b) { return a.executions > b.executions; });
  return result;
}

std::vector<CoveredPlace> describe_coverage(const Search& search,
                                            const std::vector<compiler::CoveragePoint>& points) {
  const auto& image = search.image();
  std::vector<CoveredPlace> result;
  const auto add = [&](CoverageKind kind, std::string_view arm, std::uint32_t site, std::uint64_t count) {
    const auto& place = image.sites[site];
    result.push_back({.kind = kind,
                      .arm = std::string(arm),
                      .file = place.file,
                      .line = place.line,
                      .column = place.column,
                      .source = place.text,
                      .count = count});
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].decided && !points[i].open) continue;
    add(static_cast<CoverageKind>(points[i].kind), points[i].arm, points[i].site, image.coverage->counts[i]);
  }
  for (const auto& condition : image.conditions)
    add(CoverageKind::condition, {}, condition.site, search.judged());
  std::stable_sort(result.begin(), result.end(), [](const CoveredPlace& a, const CoveredPlace& b) {
    return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
  });
  return result;
}

}  // namespace heddle::checker
