// Heddle's public interface: compile a concurrent program, run it through every behaviour that a memory model
// allows.
//
//   auto program = heddle::Program::from_file("peterson.hed");
//   if (!program) { for (auto& d : program.errors()) std::cerr << d.text; return 2; }
//   auto result = heddle::check(*program, {.model = "sc", .algorithm = "dpor"});
//   if (result) std::cout << heddle::name(result->verdict);
//
// Results and errors are values; nothing here throws except std::bad_alloc. Nothing is printed. There is no
// global state: programs are independent, and one program may be checked by several threads at a time.
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

namespace heddle {

// One message about a source text, an option or a file.
struct Diagnostic {
  std::string file;          // empty if the message is not about a file
  std::uint32_t line = 0;    // from 1; 0 if the message is not about a place
  std::uint32_t column = 0;  // from 1, in code points
  std::string message;
  std::string hint;  // "did you mean 'turn'?", may be empty
  std::string
      text;  // all of it as it should be shown: place, message, source line with caret, hint; ends in '\n'
};

// Either a value or at least one error.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(std::vector<Diagnostic> errors)
      : errors_(std::move(errors)) {}  // NOLINT(google-explicit-constructor)
  explicit operator bool() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  [[nodiscard]] const std::vector<Diagnostic>& errors() const { return errors_; }

 private:
  std::optional<T> value_;
  std::vector<Diagnostic> errors_;
};

using Parameters = std::map<std::string, std::int64_t>;

struct CompileOptions {
  Parameters parameters;      // override `param`s; a name that the program has not is an error
  std::uint32_t unroll = 16;  // rounds of each `while` before the thread is cut off there
  bool optimise = false;      // spend more time on machine code; pays for programs that compute a lot
  bool keep_ir = false;       // for Program::llvm_ir
  // Loops that only look at shared variables until they change, like `while x != 0 { }`, are treated as
  // `await` unless this is set.
  bool unroll_spin_loops = false;
  // If the program will be checked under one model only, its name: saves making the form that it does not
  // need. Checks under other models work all the same.
  std::string model = {};
};

enum class ExpectedOutcome : std::uint8_t {
  safe,
  safe_within_bounds,
  vacuous,
  violation,
  deadlock,
  never,
  sometimes,
  always,
  executions,
  outcomes
};

// An `expect` line of a program.
struct Expectation {
  std::vector<std::string> models;
  std::vector<std::string> algorithms;  // empty: any
  Parameters parameters;
  ExpectedOutcome outcome = ExpectedOutcome::safe;
  std::string text;         // violation: must occur in the message
  std::uint64_t count = 0;  // executions, outcomes
  std::uint32_t line = 0;
  std::string source;  // the line as written
};

// What a litmus test asks: of all its final states, is there one / none / are all such that ... ?
enum class LitmusKind : std::uint8_t { none, exists, not_exists, forall };

// What a .litmus file says about itself.
struct LitmusTest {
  std::string name;  // in its first line
  LitmusKind kind = LitmusKind::none;
  std::string condition;  // "exists (0:r1=1 /\ 1:r1=0)" on one line; empty for `none`
};

// A compiled program. Cheap to copy; copies share the code, which is freed with the last of them.
class Program {
 public:
  // `name` is used in messages, and what the text imports is looked for beside it; if it ends in ".litmus"
  // the text is a litmus test in herd's format. O(size of the text); a few milliseconds for a small program.
  static Result<Program> from_source(std::string_view text, std::string name,
                                     const CompileOptions& options = {});
  // Also refuses what is not a readable, regular file of at most 16 MiB.
  static Result<Program> from_file(const std::string& path, const CompileOptions& options = {});

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const Parameters& parameters() const;  // all of them, with the values in force
  [[nodiscard]] const std::vector<Expectation>& expectations() const;
  [[nodiscard]] std::vector<std::string> threads() const;
  // What a final state names: the shared variables ("x", "flag[1]"), then the top-level locals ("p.a").
  [[nodiscard]] std::vector<std::string> variables() const;
  // How many loops of the text are treated as `await`; see CompileOptions::unroll_spin_loops.
  [[nodiscard]] std::uint32_t spin_loops() const;
  // Of a program that was read from a .litmus file: its final states are what the test observes.
  [[nodiscard]] const std::optional<LitmusTest>& litmus() const;
  // A hash of the source text and of all that it imports, 16 hexadecimal digits: to notice that the program
  // has changed, not to prove that it has not.
  [[nodiscard]] std::string fingerprint() const;
  // The intermediate code as generated, for people who look under the bonnet; empty without
  // CompileOptions::keep_ir.
  [[nodiscard]] const std::string& llvm_ir() const;

  struct State;  // internal
  [[nodiscard]] const State& state() const { return *state_; }

 private:
  explicit Program(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// What is happening during a check; see CheckOptions::progress.
struct Progress {
  std::uint64_t executions = 0;  // complete ones so far
  std::uint64_t blocked = 0;
  std::uint64_t transitions = 0;
  std::uint64_t depth = 0;  // transitions on the current path
  double seconds = 0;       // since the start
};

// Every member has a default, so that callers may name just those they want: {.model = "tso"}.
struct CheckOptions {
  std::string model = "sc";
  std::string algorithm = {};  // empty: the default for the model, see models()
  std::optional<std::uint64_t> max_executions = {};
  std::optional<double> timeout = {};              // seconds, wall clock
  std::optional<std::uint64_t> max_memory = {};    // bytes that the search itself may take
  std::optional<std::uint32_t> buffer_bound = {};  // entries a store buffer; models with store buffers only
  std::optional<std::uint32_t> preemption_bound = {};
  // `trust` meets executions a little beyond the preemption bound on its way; report their violations too.
  bool report_beyond_bound = false;
  // Explore the whole space even after a violation: the counts are then complete, and CheckResult::violations
  // are all that there are.
  bool keep_going = false;
  bool collect_outcomes = false;  // fill CheckResult::outcomes; costs a hash look-up per complete execution
  bool witnesses = false;         // fill CheckResult::witnesses; costs one trace for each `exists`
  // Look for an execution that ends with these values, named as in Outcome::values (not all of them need be
  // there), and stop at the first: CheckResult::witnesses holds it, or the search has found none.
  std::vector<std::pair<std::string, std::int64_t>> witness_of = {};
  // Fill CheckResult::coverage: compiles the program again, with counters; the search is slower with them.
  bool coverage = false;
  // Called now and then (at least ten times a second once the search runs); return false to stop the check.
  std::function<bool(const Progress&)> progress = {};
};

enum class Verdict : std::uint8_t {
  safe,                // the whole space was explored
  safe_within_bounds,  // explored up to bounds that did cut something: see CheckResult::bounds
  violation,
  undecided,  // stopped by a limit: see CheckResult::stopped_by
  vacuous,    // explored, but no execution is complete: see CheckResult::blocked
};

enum class ViolationKind : std::uint8_t {
  assertion,
  deadlock,
  index_out_of_bounds,
  division_by_zero,
  empty_choice,
  unlock_not_owner,
  forall,
  forbid
};

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

// What belongs to a step of a trace in commit order (POWER). Steps are named by their indexes in the trace.
struct Commit {
  std::uint32_t position = 0;  // in its thread's program order, from 1; some of them may not be in the trace
  std::optional<std::size_t> source = {};  // reads: who wrote the value; nothing: it is the first one
  // Writes: the write right before it in the coherence order, as it is at the end; nothing: the first value.
  std::optional<std::size_t> behind = {};
  // The reads on which its address, its data, a branch before it depend; and with an isync behind the branch.
  std::vector<std::size_t> address = {};
  std::vector<std::size_t> data = {};
  std::vector<std::size_t> control = {};
  std::vector<std::size_t> control_isync = {};
  // Between the thread's step before it in program order and this one.
  std::vector<FenceType> fences = {};
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
  // What the program's text calls these values: "true", "Modified"; empty for plain numbers.
  std::string read_symbol = {};
  std::string written_symbol = {};
  std::string file = {};
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string source;  // source text of the operation
  std::string action;  // one phrase: "x = 1", "read y = 0", "x = 1 buffered", "x = 1 reaches memory"
  std::optional<Commit> commit = {};  // traces in commit order
};

struct NamedValue {
  std::string name;
  std::int64_t value = 0;
  bool boolean = false;
  bool pending = false;     // POWER: depends on a load that has no value yet; `value` means nothing then
  std::string symbol = {};  // what the program's text calls the value: "true", "Modified"; empty for numbers
  [[nodiscard]] std::string text() const;  // "Modified" for a value of an enum, "true", "7", "pending"
};

// What a thread is doing at the end of a trace.
struct ThreadEnd {
  std::string thread;
  std::string state;  // "finished", "waits for m, which q holds (line 7)", ...
  std::vector<NamedValue> locals;
  std::vector<NamedValue> buffered;  // oldest first
};

struct Trace {
  std::vector<std::string> threads;
  std::vector<Step> steps;          // in the order in which they happen; POWER: are committed
  std::vector<NamedValue> initial;  // shared variables before the first step
  std::vector<NamedValue> memory;   // and at the end; POWER: the last in coherence order
  std::vector<ThreadEnd> ends;
};

struct Violation {
  ViolationKind kind = ViolationKind::assertion;
  std::string message;
  std::string file;  // where it shows; of a deadlock: where the first thread waits, in the user's files
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  Trace trace;
  // How often the search met it; not a number of executions, which may share the steps that lead to it.
  std::uint64_t count = 1;
};

// An execution that ends in a state that was asked for.
struct Witness {
  std::string condition;  // source text of the `exists` that it satisfies; empty: CheckOptions::witness_of
  std::string file;       // of the condition
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  Trace trace;
};

// One distinct final state.
struct Outcome {
  // Shared variables, then top-level locals as "p.a"; of a litmus test what it observes.
  std::vector<NamedValue> values;
  std::uint64_t executions = 0;  // complete executions that end so
};

// How an `exists`, `forall` or `forbid`, or the `filter` of a litmus test, fared over the complete executions
// (those that pass the filter, for the others).
struct ConditionCount {
  std::string source;
  std::string kind;
  std::uint64_t satisfied = 0;
  std::uint64_t total = 0;
};

enum class CoverageKind : std::uint8_t {
  statement,
  assertion,
  branch,     // an arm of an `if` or `?:`, the rounds of a loop, or what follows when none is left
  condition,  // exists, forall, forbid, filter
};

// A place of the program and how often the search came there. Steps that several executions share are counted
// as often as the algorithm takes them, so this is no number of executions; but 0 means that no execution
// comes there (so far, if the search has not finished). Under POWER it is counted when a run has come to its
// end, so what threads do ahead of time is not: only what they did with the values that their loads got.
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
  std::uint64_t blocked_assume = 0;
  std::uint64_t blocked_await = 0;  // an await evaluated too early; its later evaluation is another execution
  std::uint64_t blocked_sleep_set = 0;  // redundant, noticed late
  std::uint64_t blocked_loop_bound = 0;
  // rsmc: the reversal of a race, which the model turned out not to allow; trust under power: a lock that
  // waits in other executions only.
  std::uint64_t blocked_race = 0;
  std::uint64_t blocked_preemption_bound = 0;  // cut off by the preemption bound
  std::uint64_t beyond_bound = 0;              // complete executions beyond the preemption bound
  std::uint64_t buffer_bound_flushes = 0;      // flushes that the buffer bound forced
  std::uint64_t transitions = 0;
  std::uint64_t states = 0;    // stateful algorithms: distinct states
  std::uint64_t revisits = 0;  // stateful algorithms: times that a known state was met again
  std::uint64_t runs = 0;      // paths to an end, of whatever kind
  std::uint64_t max_depth = 0;
  std::uint64_t peak_memory = 0;  // bytes that the search itself took
};

enum class BlockedBy : std::uint8_t {
  assume,
  await,
  loop_bound,   // CompileOptions::unroll
  round_limit,  // 1,000,000 rounds of a `for`, or 10,000,000 between two operations; no option raises it
};

// Where executions ended that did not come to their end. If threads stand at several such places, the first
// bound counts, else the first assume, else the first await.
struct BlockedAt {
  BlockedBy by = BlockedBy::assume;
  std::string thread;  // "final": the `final` block
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string source;  // "assume x == 5", "while busy"
  std::uint64_t executions = 0;
};

struct CheckResult {
  Verdict verdict = Verdict::safe;
  std::string model;
  std::string algorithm;
  // Was all explored that the bounds leave? False after a limit, and after the first violation without
  // `keep_going`; then all counts are counts so far.
  bool finished = true;
  std::optional<Violation> violation;  // the first one found
  // With CheckOptions::keep_going all that differ, otherwise the first: what differs is the message (numbers
  // in it apart) or the place. In the order in which they were found.
  std::vector<Violation> violations;
  // With CheckOptions::witnesses: one for each `exists` that held, in their order.
  std::vector<Witness> witnesses;
  std::vector<std::string> bounds;  // which bounds cut how much, one sentence each
  std::vector<BlockedAt> blocked;   // most executions first
  std::string stopped_by;           // the limit that ended the search: "timeout", "interrupted", ...
  Counts counts;
  std::vector<ConditionCount> conditions;
  std::vector<Outcome> outcomes;       // sorted by values; with CheckOptions::collect_outcomes
  std::vector<CoveredPlace> coverage;  // sorted by place; with CheckOptions::coverage
  double seconds = 0;
};

// An impossible option (unknown name, a pair that cannot be meant, a bound that nothing uses) is an error
// that says which ones work.
Result<CheckResult> check(const Program& program, const CheckOptions& options = {});

// The registries. Names are stable; the order is the order of documentation.
struct ModelInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view default_algorithm;
  bool has_buffers = false;
  bool out_of_order = false;  // threads run ahead of their loads; no interleaving of program orders
};
struct AlgorithmInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view paper;
  bool bounds_preemptions = false;
  bool bounds_buffers = false;
};
[[nodiscard]] const std::vector<ModelInfo>& models();
[[nodiscard]] const std::vector<AlgorithmInfo>& algorithms();
// Empty if the pair works, else the sentence that says why not.
[[nodiscard]] std::string why_not(std::string_view model, std::string_view algorithm);

[[nodiscard]] std::string_view name(Verdict verdict);
[[nodiscard]] std::string_view name(ViolationKind kind);
[[nodiscard]] std::string_view name(StepKind kind);
[[nodiscard]] std::string_view name(CoverageKind kind);
[[nodiscard]] std::string_view name(ExpectedOutcome outcome);
[[nodiscard]] std::string_view name(BlockedBy by);
// Exit code of the command line for a verdict: 0 safe, 1 violation, 3 undecided or vacuous.
[[nodiscard]] int exit_code(Verdict verdict);
[[nodiscard]] std::string_view version();

// Does `result` meet the expectation? Empty if so, else one sentence with what was found instead.
[[nodiscard]] std::string mismatch(const Expectation& expectation, const CheckResult& result);

}  // namespace heddle
