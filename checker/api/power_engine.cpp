#include "checker/api/power_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "checker/report/trace.hpp"

namespace heddle::checker {

PowerEngine::PowerEngine(const compiler::Image& image, bool resume_after_assert, Rows& rows)
    : machine_(image, {.buffer_bound = {}, .resume_after_assert = resume_after_assert}),
      rows_(rows),
      memory_(image.locations.size()),
      blocks_(image.threads.size()) {
  if (!machine_.limit().empty()) throw CannotGoOn(fmt::format("the program has {}", machine_.limit()));
  log_failures();
  look();
}

// Of the newest step, or of the start.
void PowerEngine::log_failures() {
  for (const Failure& failure : machine_.failures()) {
    rows_.push_back(
        {.type = RowType::failure, .op = failure.op, .thread = failure.thread, .site = failure.site});
  }
}

// Commits refer to steps by their depths. Rows count violations, too, so depths become row numbers.
void PowerEngine::name_rows(const Rows& rows, heddle::Step& step) const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].type != RowType::failure) places.push_back(i);
  }
  if (places.size() == rows.size()) return;
  Commit& commit = *step.commit;
  if (commit.source) commit.source = places[*commit.source];
  if (commit.behind) commit.behind = places[*commit.behind];
  for (auto* const numbers : {&commit.address, &commit.data, &commit.control, &commit.control_isync}) {
    for (std::size_t& number : *numbers) number = places[number];
  }
}

std::vector<heddle::Step> PowerEngine::describe(const Rows& rows) const {
  std::vector<heddle::Step> steps;
  std::uint32_t depth = 0;
  for (const Row& row : rows) {
    if (row.type == RowType::failure) {
      steps.push_back(describe_row(image(), row));
      continue;
    }
    steps.push_back(describe_commit(machine_, depth++));
    name_rows(rows, steps.back());
  }
  return steps;
}

void PowerEngine::look() {
  machine_.final_memory(memory_);
  machine_.clean();
  for (ThreadId t = 0; t < blocks_.size(); ++t) blocks_[t] = machine_.block(t);
}

std::string PowerEngine::limit() const { return fmt::format("this leads to {}", limit_); }

std::vector<EventName> PowerEngine::events() const {
  std::vector<EventName> names;
  machine_.for_each_enabled([&](EventName name) { names.push_back(name); });
  return names;
}

std::optional<heddle::Step> PowerEngine::effect(const Machine::Prepared& event, std::int64_t parameter) {
  if (machine_.full()) return intention(event.name);  // `follow` will refuse it
  if (!machine_.commit(event, parameter)) return std::nullopt;
  heddle::Step step = describe_commit(machine_, machine_.depth() - 1);
  machine_.undo();
  name_rows(rows_, step);
  return step;
}

void PowerEngine::add_choices(EventName name, const Machine::Prepared& event,
                              std::vector<NextTransition>& into) {
  const auto count = static_cast<std::uint64_t>(event.high) - static_cast<std::uint64_t>(event.low);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, listed_choices); ++i) {
    const auto value = event.low + static_cast<std::int64_t>(i);
    auto step = effect(event, value);
    if (!step) return;
    into.push_back(
        {{.type = StepType::commit, .thread = name.thread, .location = name.index, .value = value},
         {.kind = TransitionKind::choice, .effect = std::move(*step), .low = event.low, .high = event.high}});
  }
}

std::vector<NextTransition> PowerEngine::enabled() {
  std::vector<NextTransition> result;
  for (const EventName name : events()) {
    if (machine_.waits(name)) continue;
    Machine::Prepared event;
    machine_.prepare(name, event);
    if (machine_.op(name) == compiler::Op::choose) {
      add_choices(name, event, result);
      continue;
    }
    for (auto place = machine_.first_parameter(event); place;
         place = machine_.next_parameter(event, *place)) {
      if (event.conditional && *place == dropped) break;
      auto step = effect(event, *place);
      if (!step) continue;
      result.push_back({{.type = StepType::commit,
                         .thread = name.thread,
                         .location = name.index,
                         .value = encoded(machine_.name_of(*place))},
                        {.kind = TransitionKind::commit, .effect = std::move(*step)}});
    }
  }
  look();
  return result;
}

heddle::Step PowerEngine::intention(EventName name) const {
  const Request& request = machine_.request(name);
  heddle::Step step = describe_row(
      image(), {.op = request.op, .thread = name.thread, .location = request.location, .site = request.site});
  step.action = step.source;
  return step;
}

// The events that must be committed first, with the reasons.
std::string PowerEngine::held_up_by(EventName name) const {
  const auto& requests = machine_.requests(name.thread);
  const Request& self = requests[name.index];
  std::string text;
  for (std::uint32_t i = 0; i < name.index; ++i) {
    const Request& earlier = requests[i];
    if (!earlier.event() || earlier.committed) continue;
    const auto depends = [&](LoadSet loads) {
      return earlier.load != Request::no_load && machine_.load_sets().contains(loads, earlier.load);
    };
    std::string why;
    if (depends(self.address)) {
      why = "its address depends on";
    } else if (depends(self.data)) {
      why = "its data depends on";
    } else if (depends(self.control)) {
      why = "a branch depends on";
    } else if (i < self.before_sync) {
      why = "a fence keeps it behind";
    } else if (i < self.before_lightweight) {
      why = "a lightweight fence keeps it behind";
    } else if (i < self.before_store_store && self.writes() && earlier.writes()) {
      why = "a store fence keeps it behind";
    } else if (earlier.access() && self.access() && earlier.location == self.location) {
      why = "program order of one location keeps it behind";
    } else {
      continue;
    }
    const auto& site = image().sites[earlier.site];
    text += fmt::format("{}{} '{}' on line {}", text.empty() ? "" : "; ", why, site.text, site.line);
  }
  return text;
}

std::string PowerEngine::refusal(EventName name, std::int64_t parameter) const {
  const Request& request = machine_.request(name);
  const auto place = static_cast<EventId>(parameter);
  const bool fails = compiler::is_conditional(request.op) &&
                     !checker::would_write(request.op, request.expected, machine_.value_of(place));
  if (request.op == compiler::Op::lock && machine_.value_of(place) != 0) return "the mutex is taken there";
  if (request.writes() && !fails && machine_.model().taken(place))
    return "an atomic operation stands right behind it";
  return machine_.model().refused_by() == PowerAxiom::propagation ? "forbidden: propagation"
                                                                  : "forbidden: observation";
}

// Places that coherence or the other axioms keep an enabled event from.
void PowerEngine::add_refused(EventName name, std::vector<Transition>& into) {
  if (machine_.op(name) == compiler::Op::choose || machine_.full()) return;
  Machine::Prepared event;
  machine_.prepare(name, event);
  const auto add = [&](EventId place, std::string why) {
    Transition transition{.kind = TransitionKind::commit, .effect = intention(name), .why = std::move(why)};
    transition.effect.action +=
        fmt::format(" ({} {})", machine_.reads(name) ? "rf" : "co after", write_name(machine_, place));
    into.push_back(std::move(transition));
  };
  const auto& model = machine_.model();
  for (EventId place = event.newest;; place = model.previous(place)) {
    if (!model.within(place, event.oldest)) {
      add(place, "forbidden: coherence, the thread knows of a newer value");
    } else if (!effect(event, place)) {
      add(place, refusal(name, place));
    }
    if (event.conditional || is_initial(place)) return;
  }
}

std::vector<Transition> PowerEngine::disabled() {
  std::vector<Transition> result;
  const auto ready = events();
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
    const auto& requests = machine_.requests(t);
    for (std::uint32_t i = 0; i + 1 < requests.size(); ++i) {
      const EventName name{t, i};
      if (!requests[i].event() || requests[i].committed || std::ranges::find(ready, name) != ready.end())
        continue;
      std::string why = held_up_by(name);
      if (const auto stopped = machine_.stopped_at(t); why.empty() && stopped) {
        why = fmt::format("an assumption before it does not hold, on line {}",
                          image().sites[requests[*stopped].site].line);
      }
      result.push_back({.kind = TransitionKind::commit, .effect = intention(name), .why = std::move(why)});
    }
  }
  for (const EventName name : ready) {
    if (!machine_.waits(name)) add_refused(name, result);
  }
  const auto ends = threads();
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
    const EventName last{t, static_cast<std::uint32_t>(machine_.requests(t).size() - 1)};
    const Request& standing = machine_.request(last);
    if (std::ranges::find(ready, last) != ready.end() && !machine_.waits(last)) continue;
    Transition transition{.kind = TransitionKind::operation, .effect = intention(last), .why = ends[t].state};
    if (standing.op == compiler::Op::done) transition.effect.action = "end";
    if (standing.op == compiler::Op::need) transition.effect.action = "go on";
    if (standing.stays()) {
      const std::string why = held_up_by(last);
      if (!why.empty()) transition.why = why;
    }
    if (standing.op == compiler::Op::await_failed)
      transition.why += "; its loads are committed: only taking them back lets them read something else";
    result.push_back(std::move(transition));
  }
  look();
  return result;
}

bool PowerEngine::follow(const Choice& choice) {
  if (!machine_.follow(choice)) return false;
  if (!machine_.limit().empty()) {
    limit_ = machine_.limit();
    machine_.undo();
    look();
    return false;
  }
  rows_.push_back(machine_.row(machine_.depth() - 1));
  log_failures();
  look();
  return true;
}

void PowerEngine::undo() {
  machine_.undo();
  look();
}

bool PowerEngine::known(ThreadId thread, const compiler::LocalImage& local) const {
  LoadSet loads = 0;
  std::memcpy(&loads, blocks_[thread] + local.mask_offset, sizeof loads);
  return machine_.has_values(thread, loads);
}

std::string PowerEngine::failure_text(const Row& row) const {
  const bool asserts = row.op == compiler::Op::assert_failed;
  return describe_failure(row.op, image().sites[row.site],
                          asserts ? nullptr : &compiler::mailbox(machine_.block(row.thread)));
}

std::vector<std::string> PowerEngine::failures() const {
  // The newest step's violations are the last rows. The machine forgets them when it tries a transition.
  std::size_t first = rows_.size();
  while (first > 0 && rows_[first - 1].type == RowType::failure) --first;
  std::vector<std::string> result;
  for (std::size_t i = first; i < rows_.size(); ++i) result.push_back(failure_text(rows_[i]));
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
    const auto stopped = machine_.stopped_at(t);
    if (!stopped) continue;
    const Request& request = machine_.requests(t)[*stopped];
    if (request.op == compiler::Op::assumption) continue;
    const bool newest =
        std::any_of(rows_.begin() + static_cast<std::ptrdiff_t>(first), rows_.end(),
                    [&](const Row& row) { return row.thread == t && row.site == request.site; });
    const bool asserts = request.op == compiler::Op::assertion;
    const compiler::Op op = asserts ? compiler::Op::assert_failed : compiler::mailbox(machine_.block(t)).op;
    if (!newest) result.push_back(failure_text({.op = op, .thread = t, .site = request.site}));
  }
  return result;
}

// As RunEnds::finish says it for checks.
Ending PowerEngine::ending() {
  EndingOfThreads result;
  for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
    const auto holds = [&] { return machine_.await_holds(t); };
    const auto op = machine_.standing_op(t);
    const auto site = machine_.standing_site(t);
    const bool certain = machine_.image().threads[t].is_daemon
                             ? !result.add_daemon(t, op, site, holds, [] { return true; })
                             : !result.add(t, op, site, holds);
    if (certain) break;
  }
  look();
  return result.end().ending;
}

}  // namespace heddle::checker
