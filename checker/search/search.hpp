// What every algorithm of the checker shares: limits, counts, and what to do at the end of an execution.
//
// An algorithm drives a machine and tells the Search what it meets: `transition` for every step, `end` where
// nothing is enabled, `failure` where a thread found a violation. The Search counts, runs `final` blocks and
// conditions, remembers the first violation, and says through `stopped` when the algorithm must return.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checker/search/findings.hpp"
#include "checker/search/part.hpp"
#include "checker/state/ending.hpp"
#include "checker/state/machine_options.hpp"
#include "checker/state/rows.hpp"
#include "compiler/image.hpp"
#include "heddle/heddle.h"

namespace heddle::checker {

// Why a search stopped that ran out of memory without a limit of its own.
inline constexpr std::string_view out_of_memory = "out of memory";

// The end of a run of the `final` block: op `done`, a bound of rounds, or a violation at which it stops.
struct FinalEnd {
  Op op = Op::done;
  std::uint32_t site = none;
  std::vector<FoundViolation> violations = {};  // at most one unless it continues after assertions
  [[nodiscard]] bool cut() const { return op == Op::loop_bound || op == Op::round_limit; }
  // Whether the operation at which the block stops is a violation.
  [[nodiscard]] bool at(const Mailbox& m) {
    op = m.op;
    site = m.site;
    return op != Op::done && !cut();
  }
};

// One value of a final state.
struct StateValue {
  std::size_t index = 0;
  std::int64_t value = 0;
};

// Runs the `final` block on `memory`, which it may change. Appends to `rows` unless that is null.
FinalEnd run_final_block(const Image& image, std::vector<std::int64_t>& memory, bool resume_after_assert,
                         Rows* rows);

// Asks the options' limits and `progress`: why the search must stop, or empty. `memory` in bytes.
[[nodiscard]] std::string limit_met(const CheckOptions& options, const Progress& progress,
                                    std::uint64_t memory);

class Search;
struct Job;

// One of many searches that explore the parts of one.
class CrewTask {
 public:
  virtual ~CrewTask() = default;
  // Called every few transitions: gives a part away if another thread waits for one.
  virtual void feed_the_hungry(Search& search) = 0;
  // Called every few milliseconds: pauses the search if that is due.
  virtual void poll(Search& search, std::uint64_t depth, std::uint64_t memory) = 0;
  // The search has reached the limit of executions.
  virtual void reach_limit(Search& search) = 0;
};

class Search {
 public:
  Search(const Image& image, const CheckOptions& options);
  // Of one task of a crew (crew.hpp): looks for the same as `whole`. The task watches limits, but for that of
  // executions, of which there were some before.
  Search(const Search& whole, const CheckOptions& options, CrewTask& task, std::uint64_t executions_before);

  // Violations of other kinds that threads find, and deadlocks, then end their execution and nothing else.
  void look_only_for(ViolationKind kind) { only_ = kind; }
  // Stops at the first execution that ends in a state with these values. Needs `collect_outcomes`.
  void look_for_state(std::vector<StateValue> values) { wanted_state_ = std::move(values); }

  // Every execution that ends in another state than these is a violation of the kind `not_robust`. The caller
  // keeps the states.
  using FinalStates = std::unordered_map<FinalState, std::uint64_t, FinalStateHash>;
  void look_for_state_beyond(const FinalStates& known) { known_states_ = &known; }

  // Executions are shown as runs of this image, which the caller keeps: the same program, with the values of all locals.
  void show_by(const Image& image) { shown_ = &image; }

  [[nodiscard]] const Image& image() const { return image_; }
  [[nodiscard]] const Image& shown_image() const { return *shown_; }
  [[nodiscard]] const CheckOptions& options() const { return options_; }
  [[nodiscard]] MachineOptions machine_options() const {
    return {.buffer_bound = options_.buffer_bound,
            .preemption_bound = options_.preemption_bound,
            .report_beyond_bound = options_.report_beyond_bound,
            .daemons_look_last = true,
            .twins = twins_,
            .resume_after_assert = options_.keep_going || options_.robust};
  }
  Counts counts;
  // Of searches without loop bounds: what grows, once they were stopped; and whether some run has no end.
  std::string grows;
  bool endless = false;
  double least_probability = 0;  // of random searches: see CheckResult

  [[nodiscard]] bool stopped() const { return stopped_; }
  // Whether the algorithm is to return before its next action: the search has stopped, or pauses.
  [[nodiscard]] bool halted() const { return halted_; }
  // Why the search stopped early: "timeout", "interrupted", ...; empty if it did not, or because of a
  // violation.
  [[nodiscard]] const std::string& stopped_by() const { return stopped_by_; }
  void stop(std::string reason);

  // For an exploration that begins again from its start: forgets all counts and findings, but not time, peak
  // memory and limits. The search must not have stopped.
  void restart();
  // Calls `forget` at every restart: for those who collect what the exploration visits.
  void on_restart(std::function<void()> forget) { forget_ = std::move(forget); }

  // For searches that can be divided: where it continues, instead of at its start; and who keeps what is needed
  // for that, by the calling thread. An algorithm that cannot be divided ignores both.
  void resume(Sections sections) { resumed_ = std::move(sections); }
  [[nodiscard]] const Sections& resumed() const { return resumed_; }
  void save_with(std::function<void(const Sections&)> save) { save_ = std::move(save); }
  [[nodiscard]] const std::function<void(const Sections&)>& saver() const { return save_; }

  // The only part that is to be explored (job.hpp), for searches that can be divided; null: all of the search. The
  // caller keeps the job.
  void explore_only(Job& job) { job_ = &job; }
  [[nodiscard]] Job* job() const { return job_; }

  // For searches that can be divided (part.hpp). An exploration registers with `divide` a function that gives
  // a part away; any transition may call it. An exploration that was halted says with `leave` what it has not
  // explored.
  void divide(std::function<std::optional<Part>()> split) { split_ = std::move(split); }
  [[nodiscard]] std::optional<Part> split() { return split_ ? split_() : std::nullopt; }
  void leave(Part rest) {
    // An exploration that was halted at its very end has no node left.
    if (rest.path.size() > rest.first_own) rest_ = std::move(rest);
  }
  [[nodiscard]] const std::optional<Part>& rest() const { return rest_; }
  // Asks the exploration to return as soon as `leave` can say what is left.
  void pause() { halted_ = true; }
  [[nodiscard]] Findings findings() const;
  // Adds what was found later in serial order.
  void append(const Findings& later);

  // After every transition. `memory` returns the bytes that the algorithm holds; it is called now and then.
  template <typename Memory>
  void transition(std::uint64_t depth, Memory&& memory) {
    ++counts.transitions;
    if (--until_look_ == 0) [[unlikely]]
      look(depth, memory);
  }
  // Between transitions, every few thousand steps of a pass that may take long. False if the algorithm must
  // return.
  template <typename Memory>
  [[nodiscard]] bool may_go_on(std::uint64_t depth, Memory&& memory) {
    if (poll_is_due()) poll(depth, memory());
    return !stopped_;
  }
  // At the end of the search, which may have come before the first poll with anything to see.
  void note_memory(std::uint64_t bytes);

  // Threads found violations in the newest step.
  template <typename Machine>
  void failure(const Machine& machine) {
    for (const Failure& failure : machine.failures())
      note(found_by(failure), [&] { return machine.schedule(); });
  }
  // Without a schedule.
  [[nodiscard]] static FoundViolation found_by(const Failure& failure) {
    if (failure.is_race()) return found_by(failure.race);
    if (failure.is_invariant()) return {.kind = ViolationKind::invariant, .site = failure.site};
    return {.kind = kind_of(failure.op), .site = failure.site};
  }
  [[nodiscard]] static FoundViolation found_by(const DataRace& race) {
    return {.kind = ViolationKind::data_race, .site = race.first.site, .race = race};
  }

  // Nothing is enabled: classifies and counts the execution.
  template <typename Machine>
  void end(Machine& machine) {
    ++counts.runs;
    const auto depth = machine.depth();
    if (depth > counts.max_depth) counts.max_depth = depth;
    machine.evaluate_waits();
    const RunEnd end = machine.end();
    switch (end.ending) {
      case Ending::complete:
        complete(machine.memory(), machine.threads().blocks(), [&] { return machine.schedule(); });
        break;
      case Ending::blocked_assume:
      case Ending::blocked_await:
      case Ending::blocked_loop_bound: blocked(end.thread, end.op, end.site); break;
      case Ending::deadlock: note(deadlock_of(machine), [&] { return machine.schedule(); }); break;
      case Ending::violation: break;
    }
    while (machine.depth() > depth) machine.undo();
  }
  template <typename Machine>
  [[nodiscard]] static FoundViolation deadlock_of(const Machine& machine) {
    FoundViolation found{.kind = ViolationKind::deadlock};
    for (ThreadId t = 0; t < machine.thread_count(); ++t)
      add_wait(found.waits, t, machine.threads().mailbox(t));
    return found;
  }

  // A run that ended because the thread was blocked at an assume, an await or a bound of rounds. `site` is
  // `none` if that is not known.
  void blocked(ThreadId thread, Op op, std::uint32_t site);
  // With the number of runs, in order of their operations, sites and threads.
  [[nodiscard]] std::vector<std::pair<BlockedPlace, std::uint64_t>> blocked_places() const;

  // A complete execution, for engines that have no operational machine. `schedule` makes the schedule if one
  // is needed.
  void complete(const std::vector<std::int64_t>& memory, const std::byte* const* blocks,
                const std::function<Schedule()>& schedule);

  // The two halves of `complete`, for an algorithm whose executions leave open what memory holds at the end:
  // counts an execution; judges one of its final states by the `final` block and the conditions, and returns
  // false, with a blocked run counted, if the `final` block came to a bound of rounds instead of its end.
  void count_execution();
  // How many executions the ones that are counted and judged from now on stand for each.
  void stand_for(std::uint64_t executions) { weight_ = executions; }
  bool judge(const std::vector<std::int64_t>& memory, const std::byte* const* blocks,
             const std::function<Schedule()>& schedule);

  // Counts the violation, or remembers it with its schedule if it is a new one, and stops the search unless
  // it is to continue.
  void note(FoundViolation found, const std::function<Schedule()>& schedule);

  // Those that differ, in the order in which they were found.
  [[nodiscard]] const std::vector<FoundViolation>& violations() const { return found_.violations; }
  [[nodiscard]] const std::vector<FoundWitness>& witnesses() const { return found_.witnesses; }
  // How often each condition held, in the order of the image.
  [[nodiscard]] const std::vector<std::uint64_t>& satisfied() const { return found_.satisfied; }
  // How many final states were judged.
  [[nodiscard]] std::uint64_t judged() const { return found_.judged; }
  [[nodiscard]] const FinalStates& final_states() const { return found_.final_states; }
  [[nodiscard]] double seconds() const;
  // That have explored.
  [[nodiscard]] std::uint32_t threads() const { return threads_; }
  void note_threads(std::uint32_t threads) { threads_ = threads; }
  [[nodiscard]] static ViolationKind kind_of(Op op);

 private:
  // (Not inlined, to keep what happens at every transition small.)
  template <typename Memory>
  [[gnu::noinline]] void look(std::uint64_t depth, Memory& memory) {
    if (task_ != nullptr) task_->feed_the_hungry(*this);
    if (poll_is_due()) poll(depth, memory());
  }
  [[nodiscard]] bool poll_is_due();
  void poll(std::uint64_t depth, std::uint64_t memory);
  [[nodiscard]] std::uint64_t final_states_memory() const;
  // Into scratch_state_.
  void make_final_state(const std::vector<std::int64_t>& memory, const std::byte* const* blocks);

  const Image& image_;
  const Image* shown_ = &image_;
  const CheckOptions& options_;
  std::vector<std::uint32_t> twins_;  // see MachineOptions
  std::uint64_t weight_ = 1;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_poll_;
  std::uint32_t until_look_ = 1;  // transitions
  std::uint32_t looks_left_ = 0;  // before the next poll, however little time has passed
  bool halted_ = false;
  bool stopped_ = false;
  std::string stopped_by_;
  std::function<std::optional<Part>()> split_;
  std::optional<Part> rest_;
  Sections resumed_;
  std::function<void(const Sections&)> save_;
  Job* job_ = nullptr;
  CrewTask* task_ = nullptr;
  std::uint64_t executions_before_ = 0;
  std::uint32_t threads_ = 1;
  Findings found_;  // but for the counts
  std::vector<StateValue> wanted_state_;
  std::optional<ViolationKind> only_;
  const FinalStates* known_states_ = nullptr;
  std::function<void()> forget_;
  std::vector<std::int64_t> scratch_memory_;
  FinalState scratch_state_;
};

}  // namespace heddle::checker
