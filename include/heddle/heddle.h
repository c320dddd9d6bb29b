// Heddle's public interface: compile a concurrent program, run it through every behaviour that a memory model
// allows.
//
//   auto program = heddle::Program::from_file("peterson.hed");
//   if (!program) { std::cerr << heddle::to_text(program.error()); return 2; }
//   auto result = heddle::check(*program, {.model = "sc", .algorithm = "dpor"});
//   if (result) std::cout << heddle::name(result->verdict);
//
// Results and errors are values (heddle/result.h): nothing throws except std::bad_alloc, Result::value() and
// your own callbacks. Nothing is printed. There is no global state. Everything here is a value type: it owns
// what it holds, and different objects may be used by different threads at the same time. Functions on a
// const object may be called by several threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/result.h"

namespace heddle {

using Parameters = std::map<std::string, std::int64_t>;

struct CompileOptions {
  Parameters parameters;      // override `param`s; unknown names are errors
  std::uint32_t unroll = 16;  // rounds of each `while` before the thread is cut off there
  bool optimise = false;      // spend more time on machine code; pays for programs that compute a lot
  bool keep_ir = false;       // keep the text for Program::llvm_ir
  // Unroll loops that only read shared variables until they change, like `while x != 0 { }`, instead of
  // treating them as `await`.
  bool unroll_spin_loops = false;
  // The model that most checks will use; empty: any. Saves compiling the form that this model does not need.
  // Checks under other models compile it when they start.
  std::string model = {};
};

enum class ExpectedOutcome : std::uint8_t {
  safe,
  safe_within_bounds,
  vacuous,
  violation,
  deadlock,
  race,
  never,
  sometimes,
  always,
  executions,
  outcomes,
  terminates,
  livelock,
  starves
};

// An `expect` line of a program.
struct Expectation {
  std::vector<std::string> models;      // may name models of another version of heddle
  std::vector<std::string> algorithms;  // likewise; empty: any
  Parameters parameters;                // set before the program is compiled
  ExpectedOutcome outcome = ExpectedOutcome::safe;
  std::string text;         // violation, starves: must occur in the message
  std::uint64_t count = 0;  // executions, outcomes
  std::uint32_t line = 0;   // from 1
  std::string source;       // the line as written
};

// What a litmus test claims: some, none or all of its final states satisfy its condition.
enum class LitmusKind : std::uint8_t { none, exists, not_exists, forall };

// The head and the condition of a .litmus file.
struct LitmusTest {
  std::string name;  // from its first line
  LitmusKind kind = LitmusKind::none;
  std::string condition;  // "exists (0:r1=1 /\ 1:r1=0)" on one line; empty for `none`
};

// A compiled program. Immutable; any number of threads may check one at a time. Copying is O(1): copies share
// the machine code, which is freed with the last of them.
// A loop like `while !try_push(s, node) { }`: it can be left, reads shared memory and need not change anything.
struct RetryLoop {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string source;  // "while !try_push(s, node)"
};

class Program {
 public:
  // `name` is the file that messages mention; imports are relative to it. If it ends in ".litmus", the
  // text is a litmus test in herd's format. Errors: everything that is wrong with the text, up to a limit, or
  // an unknown name in the options. Linear in the text with its imports; a few milliseconds for a small one.
  static Result<Program> from_source(std::string_view text, std::string name,
                                     const CompileOptions& options = {});
  // Errors also: `path` is no readable, regular file of at most 16 MiB.
  static Result<Program> from_file(const std::string& path, const CompileOptions& options = {});

  [[nodiscard]] const std::string& name() const;
  // References are valid as long as a copy of the program lives.
  [[nodiscard]] const Parameters& parameters() const;  // all `param`s, with the values in force
  [[nodiscard]] const std::vector<Expectation>& expectations() const;
  [[nodiscard]] std::vector<std::string> threads() const;
  // The names of final states: shared variables ("x", "flag[1]"), then top-level locals ("p.a").
  [[nodiscard]] std::vector<std::string> variables() const;
  // The number of loops that are treated as `await`; see CompileOptions::unroll_spin_loops.
  [[nodiscard]] std::uint32_t spin_loops() const;
  // The loops that try again, each once, in the order of the text: a round of these that turns out to change nothing ends
  // its execution (not under models that are out of order), or is not made (CheckResult::waiting_loops), since an execution
  // without the round shows the same. Not with a preemption bound, in a random search, where robustness is asked about, or in
  // a stateful search. Empty with CompileOptions::unroll_spin_loops, and in programs with `plain` variables.
  [[nodiscard]] std::vector<RetryLoop> retry_loops() const;
  // Empty unless the program comes from a .litmus file. Final states then are what the test observes.
  [[nodiscard]] const std::optional<LitmusTest>& litmus() const;
  // A hash of the source text and its imports, 16 hexadecimal digits. Not cryptographic. Linear in the text.
  [[nodiscard]] std::string fingerprint() const;
  // The LLVM IR before optimisation; empty without CompileOptions::keep_ir.
  [[nodiscard]] const std::string& llvm_ir() const;

 private:
  friend struct ProgramAccess;  // the library's own way in
  struct State;
  explicit Program(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// The state of a running check; see CheckOptions::progress.
struct Progress {
  std::uint64_t executions = 0;  // complete ones so far
  std::uint64_t blocked = 0;
  std::uint64_t transitions = 0;
  std::uint64_t states = 0;  // stateful algorithms: distinct ones so far
  std::uint64_t cuts = 0;    // Counts::cuts
  std::uint64_t depth = 0;   // transitions on the current path
  double seconds = 0;        // since the start
};

// A random search: runs whose schedules are drawn at random, instead of all of them.
struct RandomSearch {
  std::uint64_t runs = 0;   // how many
  std::uint64_t seed = 1;   // of the generator; equal seeds give equal runs
  std::uint32_t depth = 3;  // of bugs: one more than the number of times that priorities change in a run
};

// Every member has a default, so that callers may name only those they want: {.model = "tso"}.
struct CheckOptions {
  std::string model = "sc";  // a name of models()
  // A name of algorithms(). Empty or "auto": default_algorithm(), and where that does not finish soon and no other
  // option depends on it, `sdpor` and `states` by turns with it (CheckResult::given_up).
  std::string algorithm = {};
  std::optional<std::uint64_t> max_executions = {};
  std::optional<double> timeout = {};              // seconds, wall clock
  std::optional<std::uint64_t> max_memory = {};    // bytes that the search itself may take
  std::optional<std::uint32_t> buffer_bound = {};  // entries a store buffer; models with store buffers only
  std::optional<std::uint32_t> preemption_bound = {};
  // Some algorithms (AlgorithmInfo::reports_beyond_bound) meet executions a little beyond the preemption
  // bound on their way. Report the violations of these, too.
  bool report_beyond_bound = false;
  // Explore executions that differ in nothing but a permutation of equal threads once: members of a family that
  // do not use their index, and whose locals neither a condition nor an outcome names. Numbers of executions mean
  // all that are stood for, up to 2^64 - 1; blocked runs and transitions are those that were explored. By `trust`
  // and `rsmc` under SC, TSO and PSO, all under POWER, and `states`, which counts states; not with `coverage`.
  bool symmetry = true;
  // Explore the whole space even after a violation. Counts are then complete, and so is
  // CheckResult::violations.
  bool keep_going = false;
  // Ask about robustness instead: whether the model adds execution graphs (program order, reads-from, coherence)
  // to those of SC. The first one that SC lacks is a violation of the kind `not_robust`; nothing else is a
  // violation. Executions that end in a deadlock or at a violation count as those that end normally; an `assert`
  // that fails is passed over. What an `assume`, an await or a bound cuts off does not count. Needs
  // AlgorithmInfo::decides_robustness and a model weaker than SC.
  bool robust = false;
  // With `robust`: compare the final states of complete executions, not graphs. SC is explored first, with the
  // same algorithm and limits, and its final states are kept. Needs an algorithm that visits every final state:
  // all but those that count reads-from classes.
  bool robust_states = false;
  // Ask about liveness as well: whether every thread that is no daemon ends, if every thread and every store
  // buffer that can always take a step takes one. A run that repeats a cycle for ever instead is a violation of
  // the kind `livelock` or `starvation`; so an algorithm with AlgorithmInfo::decides_liveness. The others know
  // loops only up to their bound: they decide whether what waits can wait for ever, which is a deadlock, and
  // stop as undecided if a loop was cut.
  bool live = false;
  // Instead of an algorithm: random runs with priorities (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A
  // randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS'10). Without a violation the
  // verdict is `undecided`. Models with out-of-order execution give no guarantee.
  std::optional<RandomSearch> random = {};
  bool collect_outcomes = false;  // fill CheckResult::outcomes; costs a hash look-up per complete execution
  bool witnesses = false;         // fill CheckResult::witnesses; costs one trace for each `exists`
  // Look for an execution that ends with these values, named as in Outcome::values (any subset of them), and
  // stop at the first. CheckResult::witnesses holds it; empty: there is none.
  std::vector<std::pair<std::string, std::int64_t>> witness_of = {};
  // The threads that explore; 0: one for each core, all but the calling one joining in when the search has taken
  // a second. What a finished search reports does not depend on it, nor does which violation comes first. More
  // than one is refused for pairs with a reason (why_one_thread), which explore with one where it is 0. Always
  // one with `coverage` and `max_executions`.
  // `states` uses several only if their number is given, and one for liveness and `witnesses`. It looks for violations
  // with several, and if there are some, with one thread from the start again, for the report. `max_depth` and
  // CheckResult::endless may differ, and the number of states where equal threads choose.
  std::uint32_t threads = 1;
  // For callers with several checks at a time, who may have cores to spare before a check has ended: called by the
  // checking thread now and then, returns how many threads may explore from here on. Smaller numbers than before are
  // ignored. Not called for pairs with a reason (why_one_thread).
  std::function<std::uint32_t()> threads_now = {};
  // With several threads: stop at whichever violation is met first. Otherwise the search continues with all that
  // comes before it in serial order, and reports the one that a single thread would have met.
  bool any_violation = false;
  // Called by the checking thread every `save_period` seconds, and when the search is stopped by a limit or by
  // `progress`, with a text from which another check of the same program with the same options can continue. Its
  // size grows with the depth of the search, the threads and the distinct outcomes, not with the executions. For
  // pairs whose search can be divided (why_not_divided), without `coverage`. May throw, as `progress` may.
  std::function<void(const std::string&)> save = {};
  double save_period = 60;  // seconds
  // Such a text. A finished search reports what one without interruption would have reported.
  std::string resume = {};
  // Fill CheckResult::coverage. Compiles the program again, with counters, which slow the search down.
  bool coverage = false;
  // Called by the checking thread at least ten times a second while the search runs. Return false to stop the
  // check. May throw: the exception leaves check().
  std::function<bool(const Progress&)> progress = {};
};

enum class Verdict : std::uint8_t {
  safe,                // the whole space was explored
  safe_within_bounds,  // explored up to bounds that did cut something: see CheckResult::bounds
  violation,
  undecided,  // stopped by a limit: see CheckResult::stopped_by
  vacuous,    // the whole space was explored, but no execution is complete: see CheckResult::blocked
};

enum class ViolationKind : std::uint8_t {
  assertion,
  deadlock,
  index_out_of_bounds,
  division_by_zero,
  empty_choice,
  unlock_not_owner,
  forall,
  forbid,
  data_race,   // conflicting accesses to a `plain` variable that nothing orders
  not_robust,  // CheckOptions::robust
  invariant,   // does not hold after the last step of the trace
  livelock,    // CheckOptions::live: threads that should end keep each other from it for ever
  starvation,  // CheckOptions::live: daemons keep a thread from ending for ever
  temporal,    // `eventually` or `leads to` does not come true in some fair run
};
inline constexpr ViolationKind last_violation_kind = ViolationKind::temporal;

enum class StepKind : std::uint8_t {
  load,
  store,
  exchange,
  cas,
  fetch,
  fence,
  lock,
  unlock,
  try_lock,
  choose,
  buffered,  // a store enters its thread's buffer
  flush,     // a buffered store reaches memory
  failure,   // where the violation shows
  final_,    // an operation of the `final` block
};

enum class FenceType : std::uint8_t { full, lightweight, store_store, instruction };

// The extra data of a step in a trace in commit order (models with ModelInfo::out_of_order). Steps are
// identified by their indexes in Trace::steps.
struct Commit {
  std::uint32_t position = 0;  // in its thread's program order, from 1; positions may be missing in the trace
  std::optional<std::size_t> source = {};  // reads: the write that is read; nothing: the initial value
  // Writes: the immediate predecessor in the final coherence order; nothing: the initial value.
  std::optional<std::size_t> behind = {};
  // The reads on which its address, its data or an earlier branch depends; control_isync: with an isync after
  // the branch.
  std::vector<std::size_t> address = {};
  std::vector<std::size_t> data = {};
  std::vector<std::size_t> control = {};
  std::vector<std::size_t> control_isync = {};
  // The fences between the thread's previous step in program order and this one.
  std::vector<FenceType> fences = {};
  // Of the write of a read-modify-write whose read is a step of its own: that step.
  std::optional<std::size_t> read_half = {};
};

// One row of a trace.
struct Step {
  StepKind kind = StepKind::load;
  std::int32_t thread = 0;   // index into Trace::threads; -1: the final block
  std::string location;      // "x", "flag[1]"; empty for fences and choices
  std::int64_t read = 0;     // value read (load, read-modify-writes, try_lock, choose)
  std::int64_t written = 0;  // value written (store, read-modify-writes, flush)
  bool reads = false;
  bool writes = false;
  // These values as the program writes them: "true", "Modified"; empty for plain numbers.
  std::string read_symbol = {};
  std::string written_symbol = {};
  std::string file = {};
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string source;  // source text of the operation
  std::string action;  // one phrase: "x = 1", "read y = 0", "x = 1 buffered", "x = 1 reaches memory"
  std::optional<Commit> commit = {};    // traces in commit order
  std::optional<FenceType> fence = {};  // of a fence
};

struct NamedValue {
  std::string name;
  std::int64_t value = 0;
  bool boolean = false;
  bool pending = false;     // depends on a load that has no value yet, which makes `value` meaningless
  std::string symbol = {};  // the value as the program writes it: "true", "Modified"; empty for numbers
  [[nodiscard]] std::string text() const;  // "Modified" for a value of an enum, "true", "7", "pending"
};

// A thread at the end of a trace.
struct ThreadEnd {
  std::string thread;
  std::string state;  // "finished", "waits for m, which q holds (line 7)", ...
  std::vector<NamedValue> locals;
  std::vector<NamedValue> buffered;  // oldest first
};

struct Trace {
  std::vector<std::string> threads;
  std::vector<Step> steps;          // in the order in which they happen (out-of-order models: are committed)
  std::vector<NamedValue> initial;  // shared variables before the first step
  std::vector<NamedValue> memory;   // and at the end (out-of-order models: the last in coherence order)
  std::vector<ThreadEnd> ends;
  // Violations of liveness: the steps from this one on repeat for ever; the state after the last step is the
  // one before this step.
  std::optional<std::size_t> repeats_from = {};
  // Threads waited at loops instead of trying again and again (CheckResult::waiting_loops).
  bool waits_at_loops = false;
};

// An edge of a cycle between two steps of a trace.
struct CycleEdge {
  // "po", "fence", "fence lw", "fence st", "addr", "data", "ctrl", "ctrl+isync", "rf", "co", "fr", or "rmw": the
  // halves of a read-modify-write, with which no other write may interfere.
  std::string relation;
  std::size_t from = 0;  // indexes of steps
  std::size_t to = 0;
  // The place of the fence, the isync, or the branch; line 0: there is none.
  std::string file = {};
  std::uint32_t line = 0;
  std::string source = {};
};

// One of the two accesses of a data race.
struct RacingAccess {
  std::string thread;
  bool writes = false;  // else it reads
  std::string location;
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string source;  // source text of the operation
};

struct Violation {
  ViolationKind kind = ViolationKind::assertion;
  std::string message;
  std::string file;  // the place; deadlocks: where the first thread waits, in the user's files
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  Trace trace;
  // How often the search met it. This is no number of executions: several may share the steps that lead to
  // it.
  std::uint64_t count = 1;
  // not_robust: a shortest cycle of po, rf, co and fr between steps of the trace; else empty.
  std::vector<CycleEdge> cycle = {};
  // data_race: the two accesses, which are the last two steps of the trace; else empty. The violation is at
  // the place of the first.
  std::vector<RacingAccess> race = {};
};

// An execution that ends in a requested state.
struct Witness {
  std::string condition;  // source text of the satisfied `exists`; empty: CheckOptions::witness_of
  std::string file;       // of the condition
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  Trace trace;
};

// One distinct final state.
struct Outcome {
  // Shared variables, then top-level locals as "p.a"; litmus tests: the observed variables.
  std::vector<NamedValue> values;
  std::uint64_t executions = 0;  // complete executions with this final state
};

// How often an `exists`, `forall` or `forbid`, or the `filter` of a litmus test, held in complete executions
// (all but the filter: in those that pass the filter).
struct ConditionCount {
  std::string source;
  std::string kind;
  std::uint64_t satisfied = 0;
  std::uint64_t total = 0;
};

enum class CoverageKind : std::uint8_t {
  statement,
  assertion,
  branch,     // an arm of an `if` or `?:`, the rounds of a loop, or the way out of it
  condition,  // exists, forall, forbid, filter
};

// A place of the program and how often the search came there. A step that several executions share counts as
// often as the algorithm takes it, so this is no number of executions; but 0 means that no execution comes
// there (if the search has not finished: so far). Out-of-order models count at the end of a run, and only
// what threads did with the values that their loads got in the end.
struct CoveredPlace {
  CoverageKind kind = CoverageKind::statement;
  std::string arm = {};  // branches: "then", "else", "round", "leave"
  std::string file = {};
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string source = {};  // text of the statement or condition
  std::uint64_t count = 0;
};

struct Counts {
  std::uint64_t executions = 0;  // complete ones
  // How many of these were explored: with symmetry, one stands for all that permutations of equal threads make of it.
  std::uint64_t representatives = 0;
  std::uint64_t blocked_assume = 0;
  std::uint64_t blocked_await = 0;      // waiting: the condition was false when read
  std::uint64_t blocked_idle = 0;       // a round of a retry loop changed nothing, see Program::retry_loops
  std::uint64_t blocked_sleep_set = 0;  // redundant executions that were abandoned
  std::uint64_t blocked_loop_bound = 0;
  // Algorithms over commits: the reversal of a race that the model turned out to forbid, or a lock that waits
  // in other executions only.
  std::uint64_t blocked_race = 0;
  std::uint64_t blocked_preemption_bound = 0;  // cut off by the preemption bound
  std::uint64_t beyond_bound = 0;              // complete executions beyond the preemption bound
  std::uint64_t buffer_bound_flushes = 0;      // stores that had to wait for room, or may have had to
  std::uint64_t transitions = 0;
  std::uint64_t states = 0;    // stateful algorithms: distinct states
  std::uint64_t revisits = 0;  // stateful algorithms: times that a known state was met again
  std::uint64_t cuts =
      0;  // algorithms over graphs: states of execution graphs in which invariants were judged
  std::uint64_t runs = 0;         // paths to an end, of whatever kind
  std::uint64_t max_depth = 0;    // transitions of the longest path
  std::uint64_t peak_memory = 0;  // bytes held by the search itself
};

enum class BlockedBy : std::uint8_t {
  assume,
  await,
  idle_round,   // a round of a retry loop that changed nothing, see Program::retry_loops
  loop_bound,   // CompileOptions::unroll
  round_limit,  // 1,000,000 rounds of a `for`, or 10,000,000 between two operations; no option raises it
};

// A place where executions were blocked. If the threads of one are at several such places, the first bound
// counts, else the first assume or idle round, else the first await.
struct BlockedAt {
  BlockedBy by = BlockedBy::assume;
  std::string thread;  // "final": the `final` block
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string source;  // "assume x == 5", "while busy"
  std::uint64_t executions = 0;
};

// A search that ended without a result when its turn was over.
struct GivenUp {
  std::string algorithm;
  std::uint64_t transitions = 0;
  std::uint64_t states = 0;  // Counts::states
  // Stateful algorithms: how many transitions of the later half of the turn led to new states; 0 if the turn was too
  // short to say.
  double new_states = 0;
  double seconds = 0;
};

struct CheckResult {
  Verdict verdict = Verdict::safe;
  std::string model;
  std::string algorithm;
  // The model whose executions were explored, if it is another one under which the program behaves in the same way: a program
  // all of whose accesses are in atomic blocks, under "power" as under "sc".
  std::string explored_as;
  // The whole space within the bounds was explored. False after a limit, and after the first violation
  // without `keep_going`: all counts are then counts so far.
  bool finished = true;
  std::optional<Violation> violation;  // the first one found
  // In the order in which they were found: the first, or with CheckOptions::keep_going all that differ in
  // place or message (apart from numbers in it).
  std::vector<Violation> violations;
  // With CheckOptions::witnesses: one for each `exists` that held, in their order.
  std::vector<Witness> witnesses;
  std::vector<std::string> bounds;  // one sentence for each bound that cut something
  std::vector<BlockedAt> blocked;   // most executions first
  // Of Program::retry_loops, indexes that ascend: those at which a thread waits as at an `await` and makes no round that fails, as
  // `while exchange(taken, true) { }`. Models that are out of order have only some of them.
  std::vector<std::uint32_t> waiting_loops;
  std::string stopped_by;  // the limit that ended the search: "timeout", "interrupted", ...
  Counts counts;
  std::vector<ConditionCount> conditions;
  std::vector<Outcome> outcomes;       // sorted by values; with CheckOptions::collect_outcomes
  std::vector<CoveredPlace> coverage;  // sorted by place; with CheckOptions::coverage
  // With CheckOptions::robust, unless undecided: whether every execution within the bounds is one of SC.
  std::optional<bool> robust;
  bool robust_states = false;  // CheckOptions::robust_states: `robust` is about final states
  std::uint32_t threads = 1;   // that took part
  // Of an algorithm with AlgorithmInfo::runs_endless that was stopped by a limit: what grows, as a sentence.
  std::string grows;
  bool endless = false;  // of the same: some run never ends; with several threads, no run ends
  // With CheckOptions::random: the search, and the least probability with which it finds a violation of this
  // depth, if there is one that needs no more steps than the longest run (0: nothing is known, as with models
  // that execute out of order and programs that have a `choose`).
  std::optional<RandomSearch> random;
  double least_probability = 0;
  // Without a named algorithm: the other one that was tried for a while, without a result.
  std::vector<GivenUp> given_up;
  double seconds = 0;

  // The model of the traces of violations and witnesses.
  [[nodiscard]] const std::string& model_of_traces() const {
    return explored_as.empty() ? model : explored_as;
  }
};

// Explores the program's executions under options.model. Errors: an unknown name, a model and an algorithm
// that do not work together, a bound that means nothing here; the message says which options work. Running
// out of memory is no error but Verdict::undecided. Blocks until the check ends; exponential in the worst
// case, so limit it by `timeout`, `max_memory`, `max_executions` or `progress`. Thread-safe.
Result<CheckResult> check(const Program& program, const CheckOptions& options = {});

// The models and algorithms that there are, in the order of the documentation. Names are stable.
struct ModelInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view default_algorithm = "trust";  // of programs and options without peculiarities
  bool has_buffers = false;
  bool out_of_order = false;  // threads run ahead of their loads; no interleaving of program orders
};
// What an algorithm counts as one execution.
enum class CountedAs : std::uint8_t {
  interleaving,      // one order of the operations and flushes
  graph,             // one (program order, reads-from, coherence) graph
  reads_from_class,  // graphs with the same reads-from edges; may lead to several final states
  path,              // an explored path; paths end at known states, so the number means nothing
};
struct AlgorithmInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view paper;             // authors and venue; empty if it needs none
  bool bounds_preemptions = false;    // takes CheckOptions::preemption_bound under some model
  bool reports_beyond_bound = false;  // takes CheckOptions::report_beyond_bound
  bool decides_robustness = false;    // takes CheckOptions::robust
  bool decides_liveness = false;      // CheckOptions::live: finds runs that repeat a cycle for ever
  bool runs_endless = false;          // explores loops without a bound; CompileOptions::unroll means nothing
  CountedAs counts = CountedAs::graph;
};
[[nodiscard]] const std::vector<ModelInfo>& models();
[[nodiscard]] const std::vector<AlgorithmInfo>& algorithms();
// The algorithm with which check() begins where the options name none: `states` for liveness, `source` under a preemption
// bound (but for `power`) and for invariants that name locals, `trust` otherwise. Linear in the program's properties.
[[nodiscard]] std::string_view default_algorithm(const Program& program, const CheckOptions& options);
// The same for programs without such invariants.
[[nodiscard]] std::string_view default_algorithm(const CheckOptions& options);
// Why check() refuses the pair: one sentence, empty if it accepts it. An answer and not an error, so no
// Result.
[[nodiscard]] std::string why_not(std::string_view model, std::string_view algorithm);
// The same for a program, which may have what only some pairs can judge.
[[nodiscard]] std::string why_not(const Program& program, std::string_view model, std::string_view algorithm);
// Why the pair explores with one thread only: one sentence, empty if it can use several.
[[nodiscard]] std::string why_one_thread(std::string_view model, std::string_view algorithm);
// Why the search of the pair is not divided into parts, which can be saved, continued, and explored by several processes
// (heddle/job.h): one sentence, empty if it can be.
[[nodiscard]] std::string why_not_divided(std::string_view model, std::string_view algorithm);
// Why the pair takes no CheckOptions::preemption_bound: one sentence, empty if it does.
[[nodiscard]] std::string why_no_preemption_bound(std::string_view model, std::string_view algorithm);

[[nodiscard]] std::string_view name(Verdict verdict);
[[nodiscard]] std::string_view name(ViolationKind kind);
[[nodiscard]] std::string_view name(StepKind kind);
[[nodiscard]] std::string_view name(CoverageKind kind);
[[nodiscard]] std::string_view name(ExpectedOutcome outcome);
[[nodiscard]] std::string_view name(BlockedBy by);
[[nodiscard]] std::string_view name(CountedAs unit);
// Exit code of the command line for a verdict: 0 safe, 1 violation, 3 undecided or vacuous.
[[nodiscard]] int exit_code(Verdict verdict);
[[nodiscard]] std::string_view version();

// How `result` differs from the expectation: one sentence with what was found, empty if it meets it. An
// answer and not an error, so no Result.
[[nodiscard]] std::string mismatch(const Expectation& expectation, const CheckResult& result);

}  // namespace heddle
