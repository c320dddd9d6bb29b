// The checks of one program, as a worker of `heddle test` runs them; see test_run.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <new>
#include <tuple>
#include <utility>

#include "cli/files.hpp"
#include "cli/suggestion.hpp"
#include "cli/test_run.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

// Outcomes that count executions need all of them, also behind a violation.
bool needs_whole_space(ExpectedOutcome outcome) {
  switch (outcome) {
    case ExpectedOutcome::safe:
    case ExpectedOutcome::violation:
    case ExpectedOutcome::deadlock: return false;
    case ExpectedOutcome::never:
    case ExpectedOutcome::sometimes:
    case ExpectedOutcome::always:
    case ExpectedOutcome::executions:
    case ExpectedOutcome::outcomes: break;
  }
  return true;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <typename Infos>
auto find_info(const Infos& infos, std::string_view name) {
  return std::find_if(infos.begin(), infos.end(), [&](const auto& info) { return info.name == name; });
}

std::string first_message(const std::vector<Diagnostic>& errors) {
  if (errors.empty()) return "refused without a reason";
  const Diagnostic& error = errors.front();
  if (error.line == 0) return one_line(error.message);
  return fmt::format("{}:{}: {}", one_line(error.file), error.line, one_line(error.message));
}

class Runner {
 public:
  Runner(std::size_t number, const TestProgram& program, const TestSettings& settings, std::size_t skip,
         const std::function<void(const TestResult&)>& begin,
         const std::function<void(const TestResult&)>& end)
      : number_(number), test_(program), settings_(settings), skip_(skip), begin_(begin), end_(end) {}

  void run() {
    if (!test_.suite.empty()) {
      for (const SuiteEntry& entry : test_.entries) run(entry.expectation, entry.unroll, test_.suite);
      return;
    }
    const Variant& variant = compile({}, CompileOptions{}.unroll);
    if (!variant.program) {
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
    for (const Expectation& expectation : program.expectations())
      run(expectation, CompileOptions{}.unroll, test_.file);
  }

 private:
  struct Variant {
    std::optional<Program> program;
    std::string error;
  };

  TestResult blank() const {
    TestResult result;
    result.program = number_;
    return result;
  }

  const Variant& compile(const Parameters& parameters, std::uint32_t unroll) {
    const auto [place, inserted] = variants_.try_emplace({parameters, unroll});
    if (inserted) {
      CompileOptions options;
      options.parameters = parameters;
      options.unroll = unroll;
      const Result<Program> program = Program::from_file(test_.file, options);
      if (program) {
        place->second.program = *program;
      } else {
        place->second.error = first_message(program.errors());
      }
    }
    return place->second;
  }

  void run(const Expectation& expectation, std::uint32_t unroll, const std::string& where) {
    TestResult result = blank();
    result.place = where;
    result.line = expectation.line;
    result.expectation = one_line(expectation.source);
    for (const std::string& model : expectation.models) {
      result.model = model;
      result.algorithm.clear();
      const auto info = find_info(models(), model);
      if (info == models().end() || !has(settings_.models, model)) {
        leave_out(result);
        continue;
      }
      for (const std::string& algorithm : algorithms_for(expectation, *info)) {
        result.algorithm = algorithm;
        if (find_info(algorithms(), algorithm) == algorithms().end() || !why_not(model, algorithm).empty()) {
          leave_out(result);
          continue;
        }
        result.reproduce = check_command(test_.file, build_options(expectation, unroll),
                                         check_options(expectation, model, algorithm));
        report(result, [&](TestResult& each) { check_one(expectation, unroll, each); });
      }
    }
  }

  std::vector<std::string> algorithms_for(const Expectation& expectation, const ModelInfo& model) const {
    if (expectation.algorithms.empty()) {
      return settings_.algorithms.empty() ? std::vector<std::string>{std::string(model.default_algorithm)}
                                          : settings_.algorithms;
    }
    std::vector<std::string> names;
    for (const std::string& algorithm : expectation.algorithms) {
      if (settings_.algorithms.empty() || has(settings_.algorithms, algorithm)) names.push_back(algorithm);
    }
    return names;
  }

  // How an expectation is checked.
  static CompileOptions build_options(const Expectation& expectation, std::uint32_t unroll) {
    CompileOptions options;
    options.parameters = expectation.parameters;
    options.unroll = unroll;
    return options;
  }
  static CheckOptions check_options(const Expectation& expectation, const std::string& model,
                                    const std::string& algorithm) {
    CheckOptions options;
    options.model = model;
    options.algorithm = algorithm;
    options.keep_going = needs_whole_space(expectation.outcome);
    options.collect_outcomes = expectation.outcome == ExpectedOutcome::outcomes;
    return options;
  }

  void check_one(const Expectation& expectation, std::uint32_t unroll, TestResult& into) {
    const Variant& variant = compile(expectation.parameters, unroll);
    if (!variant.program) {
      into.status = TestStatus::broken;
      into.message = variant.error;
      return;
    }
    CheckOptions options = check_options(expectation, into.model, into.algorithm);
    options.timeout = settings_.timeout;
    options.max_memory = settings_.max_memory;
    const auto result = checked(*variant.program, {expectation.parameters, unroll}, options);
    if (!result) {
      into.status = TestStatus::broken;
      into.message = first_message(result.errors());
      return;
    }
    into.message = mismatch(expectation, *result);
    const bool undecided = result->verdict == Verdict::undecided;
    if (undecided) into.message = fmt::format("undecided: {}", result->stopped_by);
    into.status = undecided              ? TestStatus::undecided
                  : into.message.empty() ? TestStatus::passed
                                         : TestStatus::failed;
    if (undecided) return;
    if (expectation.outcome == ExpectedOutcome::executions) into.found = result->counts.executions;
    if (expectation.outcome == ExpectedOutcome::outcomes) into.found = result->outcomes.size();
  }

  // Several expectations that ask for the same exploration share it.
  using Build = std::pair<Parameters, std::uint32_t>;
  Result<CheckResult> checked(const Program& program, const Build& build, const CheckOptions& options) {
    const auto key = std::make_tuple(build, options.model, options.algorithm, options.keep_going,
                                     options.collect_outcomes);
    const auto known = results_.find(key);
    if (known != results_.end()) return known->second;
    Result<CheckResult> result = check(program, options);
    if (result) {
      if (result->violation) result->violation->trace = {};
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
    if (result.status == TestStatus::passed) result.reproduce.clear();
    end_(result);
  }

  void leave_out(TestResult result) {
    if (index_++ < skip_) return;
    result.status = TestStatus::left_out;
    result.reproduce.clear();
    end_(result);
  }

  std::size_t number_;
  const TestProgram& test_;
  const TestSettings& settings_;
  std::size_t skip_;
  const std::function<void(const TestResult&)>& begin_;
  const std::function<void(const TestResult&)>& end_;
  std::size_t index_ = 0;
  std::map<Build, Variant> variants_;
  std::map<std::tuple<Build, std::string, std::string, bool, bool>, CheckResult> results_;
};

}  // namespace

void run_program(std::size_t number, const TestProgram& program, const TestSettings& settings,
                 std::size_t skip, const std::function<void(const TestResult&)>& begin,
                 const std::function<void(const TestResult&)>& end) {
  Runner(number, program, settings, skip, begin, end).run();
}

}  // namespace heddle::cli
