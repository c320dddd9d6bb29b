// heddle conformance DIR --expected FILE: runs a folder of litmus tests in one process and compares their
// final states with the results of another tool.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/expected_states.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/litmus.hpp"
#include "cli/pairs.hpp"
#include "cli/report.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

enum class Agreement : std::uint8_t { not_run, agrees, differs, refused, undecided };

// One file of the folder.
struct Test {
  std::string name;
  std::string path;
  const ExpectedTest* expected = nullptr;
  Agreement agreement = Agreement::not_run;
  std::string verdict;  // in herd's words: "Ok Sometimes"
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
  std::string reason;  // refused, undecided
  std::string bounds;  // the bounds that have cut its runs; may be empty
};

struct Totals {
  std::size_t tests = 0;  // those in the table
  std::size_t agree = 0;
  std::size_t bounded = 0;  // those of them that agree within bounds
  std::size_t differ = 0;
  std::size_t refused = 0;
  std::size_t undecided = 0;
  std::size_t unknown = 0;  // files that are not in the table
  double seconds = 0;
  double cpu_seconds = 0;
  [[nodiscard]] double milliseconds_each() const {
    return tests == 0 ? 0 : 1000 * cpu_seconds / static_cast<double>(tests);
  }
};

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// "file:3:4: error: message" without the file: tests that are rejected for the same reason are shown
// together.
std::string reason_of(const std::vector<Diagnostic>& errors) {
  return errors.empty() ? std::string("rejected without a reason") : one_line(errors.front().message);
}

void run_test(Test& test, const Options& options) {
  const Result<Program> program = Program::from_file(test.path, for_one_model(options));
  if (!program) {
    test.agreement = Agreement::refused;
    test.reason = reason_of(program.error());
    return;
  }
  CheckOptions settings = options.check;
  settings.keep_going = true;
  settings.collect_outcomes = true;
  settings.progress = [](const Progress&) { return !interrupted(); };
  const Result<CheckResult> result = check(*program, settings);
  if (!result) {
    test.agreement = Agreement::refused;
    test.reason = reason_of(result.error());
    return;
  }
  if (result->verdict == Verdict::undecided || !result->stopped_by.empty()) {
    test.agreement = Agreement::undecided;
    test.reason = result->stopped_by;
    return;
  }
  const LitmusVerdict verdict = judge_litmus(*program, *result);
  test.verdict = fmt::format("{} {}", verdict.ok ? "Ok" : "No", verdict.observation);
  States states;
  for (const Outcome& outcome : result->outcomes) states.insert(canonical_state(format_state(outcome)));
  std::set_difference(test.expected->states.begin(), test.expected->states.end(), states.begin(),
                      states.end(), std::back_inserter(test.missing));
  std::set_difference(states.begin(), states.end(), test.expected->states.begin(),
                      test.expected->states.end(), std::back_inserter(test.unexpected));
  const bool agrees =
      test.missing.empty() && test.unexpected.empty() && test.verdict == test.expected->verdict;
  test.agreement = agrees ? Agreement::agrees : Agreement::differs;
  test.bounds = join(result->bounds, "; ");
  // Missing states may lie beyond a bound; unexpected ones do not.
  if (!test.bounds.empty() && !agrees && test.unexpected.empty()) {
    test.agreement = Agreement::undecided;
    test.reason = test.bounds;
  }
}

// Each worker takes the next free test.
void run_all(std::vector<Test>& tests, const Options& options) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t index = next++; index < tests.size(); index = next++) {
      if (interrupted()) return;
      Test& test = tests[index];
      if (test.expected == nullptr) continue;
      try {
        run_test(test, options);
      } catch (const std::bad_alloc&) {  // the others may still fit
        test.agreement = Agreement::undecided;
        test.reason = "out of memory";
      }
    }
  };
  std::vector<std::jthread> workers;
  for (std::uint32_t worker = 1; worker < options.jobs; ++worker) workers.emplace_back(work);
  work();
}

bool within_bounds(const Test& test) { return test.agreement == Agreement::agrees && !test.bounds.empty(); }

Totals add_up(const std::vector<Test>& tests) {
  Totals totals;
  for (const Test& test : tests) {
    if (test.expected == nullptr) {
      ++totals.unknown;
      continue;
    }
    ++totals.tests;
    totals.agree += test.agreement == Agreement::agrees ? 1 : 0;
    totals.bounded += within_bounds(test) ? 1 : 0;
    totals.differ += test.agreement == Agreement::differs ? 1 : 0;
    totals.refused += test.agreement == Agreement::refused ? 1 : 0;
    totals.undecided +=
        test.agreement == Agreement::undecided || test.agreement == Agreement::not_run ? 1 : 0;
  }
  return totals;
}

std::string format_differences(const Test& test) {
  std::string text = fmt::format("{}: {}, expected {}\n", one_line(test.name), test.verdict,
                                 one_line(test.expected->verdict));
  for (const std::string& state : test.missing) text += fmt::format("  missing     {}\n", one_line(state));
  for (const std::string& state : test.unexpected) text += fmt::format("  unexpected  {}\n", state);
  if (!test.bounds.empty()) text += fmt::format("  incomplete: {}\n", test.bounds);
  return text;
}

std::string conformance_text(const std::vector<Test>& tests, const Totals& totals,
                             const CheckOptions& check) {
  std::string text;
  std::map<std::string, std::vector<std::string>> refused;
  std::map<std::string, std::vector<std::string>> undecided;
  std::map<std::string, std::vector<std::string>> bounded;
  for (const Test& test : tests) {
    if (test.agreement == Agreement::differs) text += format_differences(test) + '\n';
    if (test.agreement == Agreement::refused) refused[test.reason].push_back(one_line(test.name));
    if (test.agreement == Agreement::undecided) undecided[test.reason].push_back(one_line(test.name));
    if (within_bounds(test)) bounded[test.bounds].push_back(one_line(test.name));
  }
  const auto list = [&](std::string_view title, const auto& reasons) {
    for (const auto& [reason, names] : reasons) {
      text += fmt::format("{} {}: {}\n  {}\n\n", counted(names.size(), "test"), title, reason,
                          wrap(join(names, ", "), 100, 2));
    }
  };
  list("not covered", refused);
  list("undecided", undecided);
  list("agreeing within bounds only", bounded);
  const std::string bounds =
      totals.bounded > 0 ? fmt::format(" ({} within bounds)", totals.bounded) : std::string();
  text += fmt::format("{} under {}: {} agree{}, {} differ, {} not covered, {} undecided",
                      counted(totals.tests, "test"), check.model, totals.agree, bounds, totals.differ,
                      totals.refused, totals.undecided);
  if (totals.unknown > 0) text += fmt::format("; {} without an expectation", counted(totals.unknown, "file"));
  text += fmt::format("\n{}, {} of CPU, {:.2f} ms of CPU a test\n", duration(totals.seconds),
                      duration(totals.cpu_seconds), totals.milliseconds_each());
  return text;
}

int exit_code_of(const Totals& totals) {
  if (totals.differ > 0) return exit_code(Verdict::violation);
  if (totals.agree == 0 && totals.undecided == 0) return bad_input;  // nothing was compared
  return totals.undecided > 0 ? exit_code(Verdict::undecided) : 0;
}

std::string conformance_json(const std::vector<Test>& tests, const Totals& totals, const Options& options) {
  constexpr std::string_view words[] = {"not_run", "agrees", "differs", "refused", "undecided"};
  Json json = json_head("conformance");
  json["folder"] = options.file;
  json["expected"] = options.expected;
  json["model"] = options.check.model;
  json["algorithm"] = options.check.algorithm.empty() ? std::string(default_algorithm(options.check))
                                                      : options.check.algorithm;
  json["exit_code"] = exit_code_of(totals);
  json["tests"] = totals.tests;
  json["agree"] = totals.agree;
  json["agree_within_bounds"] = totals.bounded;
  json["differ"] = totals.differ;
  json["not_covered"] = totals.refused;
  json["undecided"] = totals.undecided;
  json["without_expectation"] = totals.unknown;
  json["seconds"] = totals.seconds;
  json["cpu_seconds"] = totals.cpu_seconds;
  json["problems"] = Json::array();
  for (const Test& test : tests) {
    if (test.expected == nullptr || (test.agreement == Agreement::agrees && test.bounds.empty())) continue;
    Json problem;
    problem["test"] = test.name;
    problem["kind"] = words[static_cast<std::size_t>(test.agreement)];
    if (test.agreement == Agreement::differs) {
      problem["verdict"] = test.verdict;
      problem["expected_verdict"] = test.expected->verdict;
      problem["missing"] = test.missing;
      problem["unexpected"] = test.unexpected;
      problem["bounds"] = text_or_null(test.bounds);
    } else if (test.agreement == Agreement::agrees) {
      problem["bounds"] = test.bounds;
    } else {
      problem["reason"] = text_or_null(test.reason);
    }
    json["problems"].push_back(std::move(problem));
  }
  return json_text(json);
}

// The .litmus files of the folder and its subfolders, sorted by name; every options.sample-th of them.
std::variant<std::vector<Test>, UsageError> find_tests(const Options& options) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(options.file, error)) {
    return UsageError{fmt::format("'{}' is not a folder", one_line(options.file)), ""};
  }
  std::vector<Test> all;
  for (auto entry = fs::recursive_directory_iterator(options.file, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() != ".litmus") continue;
    Test& test = all.emplace_back();
    test.name = entry->path().stem().string();
    test.path = entry->path().string();
  }
  if (error) return UsageError{fmt::format("'{}': {}", one_line(options.file), error.message()), ""};
  if (all.empty()) {
    return UsageError{fmt::format("there are no .litmus files in '{}'", one_line(options.file)), ""};
  }
  std::sort(all.begin(), all.end(), [](const Test& a, const Test& b) { return a.path < b.path; });
  std::vector<Test> chosen;
  for (std::size_t i = 0; i < all.size(); i += options.sample) chosen.push_back(std::move(all[i]));
  return chosen;
}

}  // namespace

int run_conformance(const Options& options) {
  catch_interrupts();
  const auto begin = std::chrono::steady_clock::now();
  if (options.expected.empty()) {
    return report_errors({as_diagnostic({"the table of expected final states is missing",
                                         "--expected FILE names it; docs/conformance.md describes it"})},
                         options.json);
  }
  const Result<ExpectedTests> expected = read_expected(options.expected, options.check.model);
  if (!expected) return report_errors(expected.error(), options.json);
  auto found = find_tests(options);
  if (const auto* const error = std::get_if<UsageError>(&found)) {
    return report_errors({as_diagnostic(*error)}, options.json);
  }
  auto& tests = std::get<std::vector<Test>>(found);
  for (Test& test : tests) {
    const auto entry = expected->find(test.name);
    if (entry != expected->end()) test.expected = &entry->second;
  }
  run_all(tests, options);

  Totals totals = add_up(tests);
  totals.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  totals.cpu_seconds = cpu_seconds();
  const std::string report = options.json ? conformance_json(tests, totals, options)
                                          : conformance_text(tests, totals, options.check);
  return write_report(report) ? exit_code_of(totals) : bad_input;
}

}  // namespace heddle::cli
