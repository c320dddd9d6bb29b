// The checks of one program, as a worker of `heddle test` runs them; see test_run.hpp.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <new>
#include <tuple>
#include <utility>

#include "cli/cluster/cluster.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/pairs.hpp"
#include "cli/suggestion.hpp"
#include "cli/test_report.hpp"
#include "cli/test_run.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

// Outcomes that count executions need all of them, even after a violation.
bool needs_whole_space(ExpectedOutcome outcome) {
  switch (outcome) {
    case ExpectedOutcome::safe:
    case ExpectedOutcome::safe_within_bounds:
    case ExpectedOutcome::vacuous:
    case ExpectedOutcome::violation:
    case ExpectedOutcome::deadlock:
    case ExpectedOutcome::race:
    case ExpectedOutcome::terminates:
    case ExpectedOutcome::livelock:
    case ExpectedOutcome::starves: return false;
    case ExpectedOutcome::never:
    case ExpectedOutcome::sometimes:
    case ExpectedOutcome::always:
    case ExpectedOutcome::executions:
    case ExpectedOutcome::outcomes: break;
  }
  return true;
}

// Outcomes of checks with CheckOptions::live.
bool is_about_liveness(ExpectedOutcome outcome) {
  return outcome == ExpectedOutcome::terminates || outcome == ExpectedOutcome::livelock ||
         outcome == ExpectedOutcome::starves;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether the pattern occurs in the text. `*` matches any text, `?` any character.
bool occurs(std::string_view pattern, const std::string& text) {
  std::string glob = "*";
  for (const char c : pattern) {
    if (c == '[' || c == ']' || c == '\\') glob += '\\';
    glob += c;
  }
  return ::fnmatch((glob + "*").c_str(), text.c_str(), 0) == 0;
}

// A trace of a million steps is useless in a report.
std::string beginning(std::string text) {
  constexpr std::size_t most = std::size_t{1} << 16;
  if (text.size() <= most) return text;
  text.resize(text.rfind('\n', most) + 1);
  return text + "...\n";
}

class Runner {
 public:
  Runner(std::size_t number, const TestProgram& program, const TestSettings& settings, std::size_t skip,
         const std::function<std::uint32_t()>& threads, const std::function<void(const TestResult&)>& begin,
         const std::function<void(const TestResult&)>& end)
      : number_(number),
        test_(program),
        settings_(settings),
        skip_(skip),
        threads_(threads),
        begin_(begin),
        end_(end) {}

  void run() {
    if (!test_.suite.empty()) {
      for (const SuiteEntry& entry : test_.entries) {
        run(entry.expectation, {bounded(entry.bounds), entry.timeout.value_or(settings_.timeout)},
            test_.suite);
      }
      return;
    }
    const Limits limits{settings_.bounds, settings_.timeout};
    const Variant& variant = compile({}, limits.bounds);
    if (!variant.program) {
      if (!occurs(settings_.filter, test_.file)) return;
      TestResult result = blank();
      result.place = test_.file;
      result.reproduce = fmt::format("heddle check {}", quoted_for_shell(test_.file));
      report(result, [&](TestResult& broken) {
        broken.status = TestStatus::broken;
        broken.message = variant.error;
      });
      return;
    }
    const Program program = *variant.program;
    for (const Expectation& expectation : program.expectations()) run(expectation, limits, test_.file);
  }

 private:
  struct Variant {
    std::optional<Program> program;
    std::string error;
  };
  struct Limits {
    TestBounds bounds;
    double timeout = 0;  // seconds
    auto operator<=>(const Limits&) const = default;
  };

  // The bounds of the run override those of a line.
  [[nodiscard]] TestBounds bounded(const TestBounds& line) const {
    TestBounds result = settings_.bounds;
    if (!result.unroll) result.unroll = line.unroll;
    if (!result.buffer_bound) result.buffer_bound = line.buffer_bound;
    if (!result.preemption_bound) result.preemption_bound = line.preemption_bound;
    return result;
  }

  TestResult blank() const {
    TestResult result;
    result.program = number_;
    return result;
  }

  const Variant& compile(const Parameters& parameters, const TestBounds& bounds) {
    const auto [place, inserted] =
        variants_.try_emplace({parameters, bounds.unroll.value_or(CompileOptions{}.unroll)});
    if (inserted) {
      const CompileOptions options = build_options(parameters, bounds);
      const Result<Program> program = Program::from_file(test_.file, options);
      if (program) {
        place->second.program = *program;
      } else {
        place->second.error = first_message(program.error());
      }
    }
    return place->second;
  }

  void run(const Expectation& expectation, const Limits& limits, const std::string& where) {
    const std::string& filter = settings_.filter;
    if (!occurs(filter, test_.file) && !occurs(filter, where) && !occurs(filter, expectation.source)) return;
    TestResult result = blank();
    result.place = where;
    result.line = expectation.line;
    result.expectation = one_line(expectation.source);
    for (const std::string& model : expectation.models) {
      result.model = model;
      result.algorithm.clear();
      const ModelInfo* const info = find_model_info(model);
      if (info == nullptr) {
        leave_out(result, fmt::format("this version has no model '{}'", model));
        continue;
      }
      if (!has(settings_.models, model)) {
        leave_out(result, {});
        continue;
      }
      for (const std::string& algorithm : algorithms_for(expectation)) {
        result.algorithm = algorithm;
        if (std::string reason = unfit(*info, algorithm, expectation, limits.bounds); !reason.empty()) {
          leave_out(result, std::move(reason));
          continue;
        }
        result.reproduce = check_command(test_.file, build_options(expectation.parameters, limits.bounds),
                                         check_options(expectation, limits.bounds, *info, algorithm));
        report(result, [&](TestResult& each) { check_one(expectation, limits, *info, each); });
      }
    }
  }

  // The reason why the algorithm does not support the request; empty if it does.
  [[nodiscard]] std::string unfit(const ModelInfo& model, const std::string& algorithm,
                                  const Expectation& expectation, const TestBounds& bounds) {
    const CheckOptions options = check_options(expectation, bounds, model, algorithm);
    const std::string_view begun_with =
        algorithm == automatic ? default_algorithm(options) : std::string_view(algorithm);
    const AlgorithmInfo* const info = find_algorithm_info(begun_with);
    if (info == nullptr) return fmt::format("this version has no algorithm '{}'", algorithm);
    std::string reason = cli::unfit(model, *info, {.preemption_bound = settings_.bounds.preemption_bound});
    if (!reason.empty()) return reason;
    const bool live = is_about_liveness(expectation.outcome);
    if (live && !info->decides_liveness) {
      if (expectation.outcome != ExpectedOutcome::terminates)
        return fmt::format("'{}' does not find runs that repeat a cycle for ever", info->name);
      if (algorithm != automatic && !has(expectation.algorithms, algorithm))
        return fmt::format("'{}' knows loops only up to a bound, and the expectation does not name it",
                           algorithm);
    }
    if (!live && info->runs_endless && !has(expectation.algorithms, algorithm))
      return fmt::format("'{}' does not cut loops, and the expectation does not name it", algorithm);
    const Variant& variant = compile(expectation.parameters, bounds);
    if (!variant.program) return {};
    if (algorithm != automatic) return why_not(*variant.program, model.name, algorithm);
    return why_not(*variant.program, model.name, default_algorithm(*variant.program, options));
  }

  std::vector<std::string> algorithms_for(const Expectation& expectation) const {
    if (expectation.algorithms.empty()) {
      if (!settings_.algorithms.empty()) return settings_.algorithms;
      return {std::string(automatic)};
    }
    std::vector<std::string> names;
    for (const std::string& algorithm : expectation.algorithms) {
      if (settings_.algorithms.empty() || has(settings_.algorithms, algorithm)) names.push_back(algorithm);
    }
    return names;
  }

  // The settings of an expectation's check.
  static CompileOptions build_options(const Parameters& parameters, const TestBounds& bounds) {
    CompileOptions options;
    options.parameters = parameters;
    if (bounds.unroll) options.unroll = *bounds.unroll;
    return options;
  }
  static CheckOptions check_options(const Expectation& expectation, const TestBounds& bounds,
                                    const ModelInfo& model, const std::string& algorithm) {
    CheckOptions options;
    options.model = model.name;
    if (algorithm != automatic) options.algorithm = algorithm;
    if (model.has_buffers) options.buffer_bound = bounds.buffer_bound;
    options.preemption_bound = bounds.preemption_bound;
    options.keep_going = needs_whole_space(expectation.outcome);
    options.live = is_about_liveness(expectation.outcome);
    options.collect_outcomes = expectation.outcome == ExpectedOutcome::outcomes;
    return options;
  }

  void check_one(const Expectation& expectation, const Limits& limits, const ModelInfo& model,
                 TestResult& into) {
    const Variant& variant = compile(expectation.parameters, limits.bounds);
    if (!variant.program) {
      into.status = TestStatus::broken;
      into.message = variant.error;
      return;
    }
    CheckOptions options = check_options(expectation, limits.bounds, model, into.algorithm);
    options.timeout = limits.timeout;
    options.max_memory = settings_.max_memory;
    const auto result = checked(*variant.program, {expectation.parameters, limits}, options);
    if (!result) {
      into.status = TestStatus::broken;
      into.message = first_message(result.error());
      return;
    }
    into.algorithm = result->algorithm;
    const bool counts = expectation.outcome == ExpectedOutcome::executions ||
                        expectation.outcome == ExpectedOutcome::outcomes;
    if (counts && settings_.bounds != TestBounds{} && !result->bounds.empty()) {
      into.status = TestStatus::left_out;
      into.message = "the bounds of this run cut executions or outcomes, so they cannot be counted";
      return;
    }
    Expectation expected = expectation;
    if (settings_.bounds != TestBounds{} && expected.outcome == ExpectedOutcome::safe)
      expected.outcome = ExpectedOutcome::safe_within_bounds;
    into.message = mismatch(expected, *result);
    if (!into.message.empty() && result->violation)
      into.violation = beginning(format_violation(*variant.program, *result->violation, Style{}));
    const bool undecided = !result->stopped_by.empty() &&
                           (result->verdict == Verdict::undecided || needs_whole_space(expectation.outcome));
    if (undecided) into.message = fmt::format("undecided: {}", result->stopped_by);
    into.status = undecided              ? TestStatus::undecided
                  : into.message.empty() ? TestStatus::passed
                                         : TestStatus::failed;
    if (undecided) return;
    if (expectation.outcome == ExpectedOutcome::executions) into.found = result->counts.executions;
    if (expectation.outcome == ExpectedOutcome::outcomes) into.found = result->outcomes.size();
  }

  // Over a cluster go those checks that take long enough to be worth it.
  [[nodiscard]] Result<CheckResult> explored(const Program& program, CheckOptions options) const {
    constexpr double seconds_alone = 1;
    options.threads_now = threads_;
    const std::string_view begun_with =
        options.algorithm.empty() ? default_algorithm(program, options) : std::string_view(options.algorithm);
    const bool shared = !settings_.cluster.empty() && !options.max_memory &&
                        options.timeout.value_or(seconds_alone + 1) > seconds_alone &&
                        why_not_divided(options.model, begun_with).empty();
    if (!shared) return check(program, options);
    CheckOptions first = options;
    first.timeout = seconds_alone;
    Result<CheckResult> result = check(program, first);
    if (!result || result->stopped_by != "timeout") return result;
    if (options.timeout) options.timeout = *options.timeout - result->seconds;
    return check_on_cluster(program, options, settings_.cluster, {});
  }

  // Expectations that need the same exploration share it.
  using Settings = std::pair<Parameters, Limits>;
  Result<CheckResult> checked(const Program& program, const Settings& settings, const CheckOptions& options) {
    const auto key = std::make_tuple(settings, options.model, options.algorithm, options.keep_going,
                                     options.collect_outcomes, options.live);
    const auto known = results_.find(key);
    if (known != results_.end()) return known->second;
    Result<CheckResult> result = explored(program, options);
    if (result) {
      result->violations.clear();  // only the first one is reported
      results_.emplace(key, *result);
    }
    return result;
  }

  template <typename Check>
  void report(TestResult result, Check&& check_it) {
    if (index_++ < skip_) return;
    begin_(result);
    const auto start = std::chrono::steady_clock::now();
    try {
      check_it(result);
    } catch (const std::bad_alloc&) {
      result.status = TestStatus::undecided;
      result.message = "undecided: memory limit";
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.message = one_line(result.message);
    if (!is_failure(result)) result.reproduce.clear();
    end_(result);
  }

  void leave_out(TestResult result, std::string reason) {
    if (index_++ < skip_) return;
    result.status = TestStatus::left_out;
    result.message = one_line(reason);
    result.reproduce.clear();
    end_(result);
  }

  std::size_t number_;
  const TestProgram& test_;
  const TestSettings& settings_;
  std::size_t skip_;
  const std::function<std::uint32_t()>& threads_;
  const std::function<void(const TestResult&)>& begin_;
  const std::function<void(const TestResult&)>& end_;
  std::size_t index_ = 0;
  std::map<std::pair<Parameters, std::uint32_t>, Variant> variants_;  // by params and unroll
  std::map<std::tuple<Settings, std::string, std::string, bool, bool, bool>, CheckResult> results_;
};

}  // namespace

void run_program(std::size_t number, const TestProgram& program, const TestSettings& settings,
                 std::size_t skip, const std::function<std::uint32_t()>& threads,
                 const std::function<void(const TestResult&)>& begin,
                 const std::function<void(const TestResult&)>& end) {
  Runner(number, program, settings, skip, threads, begin, end).run();
}

}  // namespace heddle::cli
