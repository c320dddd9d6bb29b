// See test_report.hpp.
#include "cli/test_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

std::string place_of(const TestResult& result) {
  const std::string file = one_line(result.place);
  return result.line == 0 ? file : fmt::format("{}:{}", file, result.line);
}

std::size_t count(const TestSummary& summary, TestStatus status) {
  return static_cast<std::size_t>(
      std::count_if(summary.results.begin(), summary.results.end(),
                    [status](const TestResult& result) { return result.status == status; }));
}

std::string format_slowest(const TestSummary& summary) {
  constexpr double least = 0.1;  // seconds; faster checks are not listed
  constexpr std::size_t most = 5;
  std::vector<const TestResult*> slow;
  for (const TestResult& result : summary.results) {
    if (result.seconds >= least) slow.push_back(&result);
  }
  std::stable_sort(slow.begin(), slow.end(),
                   [](const TestResult* a, const TestResult* b) { return a->seconds > b->seconds; });
  if (slow.size() > most) slow.resize(most);
  std::string text;
  for (const TestResult* result : slow) {
    text += fmt::format("  {:>8}  {} {} {}\n", duration(result->seconds), place_of(*result), result->model,
                        result->algorithm);
  }
  return text.empty() ? text : "Slowest:\n" + text;
}

// The reasons why checks were left out, unless the user selected others.
std::string format_left_out(const TestSummary& summary) {
  std::map<std::string, std::pair<std::size_t, const TestResult*>> reasons;
  for (const TestResult& result : summary.results) {
    if (result.status != TestStatus::left_out || result.message.empty()) continue;
    auto& [number, first] = reasons[result.message];
    if (number++ == 0) first = &result;
  }
  std::string text;
  for (const auto& [reason, found] : reasons) {
    text += fmt::format("  {}, {}{}: {}\n", counted(found.first, "check"), found.first > 1 ? "first " : "",
                        place_of(*found.second), reason);
  }
  return text.empty() ? text : "Left out:\n" + text;
}

std::string bounds_text(const TestBounds& bounds) {
  std::string text;
  const auto add = [&](std::string_view option, const std::optional<std::uint32_t>& bound) {
    if (bound) text += fmt::format("{}{} {}", text.empty() ? "" : " ", option, *bound);
  };
  add("--unroll", bounds.unroll);
  add("--buffer-bound", bounds.buffer_bound);
  add("--preemption-bound", bounds.preemption_bound);
  return text;
}

std::string junit_case(const TestResult& result, const std::string& file) {
  const std::string title =
      result.line == 0 ? std::string("compile")
                       : fmt::format("line {}: {} [{}{}{}]", result.line, result.expectation, result.model,
                                     result.algorithm.empty() ? "" : " ", result.algorithm);
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"", escaped(file),
                                 escaped(title), result.seconds);
  const auto body = [&](std::string_view element) {
    const std::string violation = result.violation.empty() ? "" : "\n\n" + result.violation;
    return fmt::format(">\n      <{0} message=\"{1}\">{2}{3}</{0}>\n    </testcase>\n", element,
                       escaped(result.message), escaped(result.reproduce), escaped(violation, true));
  };
  switch (result.status) {
    case TestStatus::passed: return text + "/>\n";
    case TestStatus::left_out: {
      const std::string why =
          result.message.empty() ? "" : fmt::format(" message=\"{}\"", escaped(result.message));
      return fmt::format("{}>\n      <skipped{}/>\n    </testcase>\n", text, why);
    }
    case TestStatus::failed: return text + body("failure");
    case TestStatus::undecided:
    case TestStatus::broken:
    case TestStatus::crashed: break;
  }
  return text + body("error");
}

struct Sums {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
  void add(const TestResult& result) {
    ++tests;
    seconds += result.seconds;
    if (result.status == TestStatus::failed) ++failures;
    if (result.status == TestStatus::left_out) ++skipped;
    if (is_failure(result) && result.status != TestStatus::failed) ++errors;
  }
  [[nodiscard]] std::string attributes() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.6f}\"", tests,
                       failures, errors, skipped, seconds);
  }
};

}  // namespace

bool is_failure(const TestResult& result) {
  return result.status != TestStatus::passed && result.status != TestStatus::left_out;
}

std::size_t failures(const TestSummary& summary) {
  return static_cast<std::size_t>(std::count_if(summary.results.begin(), summary.results.end(), is_failure));
}

int exit_code(const TestSummary& summary) {
  if (failures(summary) > summary.updated) return exit_code(Verdict::violation);
  if (summary.interrupted) return exit_code(Verdict::undecided);
  return count(summary, TestStatus::passed) + failures(summary) == 0 ? bad_input : 0;
}

std::string format_failure(const TestResult& result, const Style& style) {
  std::string what = result.message;
  if (!result.model.empty()) what = fmt::format("[{} {}] {}", result.model, result.algorithm, what);
  if (!result.reproduce.empty()) what += fmt::format("; {}", one_line(result.reproduce));
  return fmt::format("{}{}{} {}: {}\n", style.paint.begin(Colour::red), name(result.status),
                     style.paint.end(Colour::red), place_of(result), what);
}

std::string format_summary(const TestSummary& summary, const Style& style) {
  std::string text = format_slowest(summary) + format_left_out(summary);
  const std::size_t left_out = count(summary, TestStatus::left_out);
  const std::size_t passed = count(summary, TestStatus::passed);
  const std::size_t failed = failures(summary);
  const Colour colour = failed > 0 ? Colour::red : summary.interrupted ? Colour::yellow : Colour::green;
  text += style.paint.begin(colour);
  if (summary.interrupted) text += "interrupted; so far ";
  if (summary.stopped) text += "stopped at the first failure; so far ";
  text += fmt::format("{} of {}: {} passed", counted(passed + failed, "check"),
                      counted(summary.programs, "program"), grouped(passed));
  for (const TestStatus status :
       {TestStatus::failed, TestStatus::undecided, TestStatus::broken, TestStatus::crashed}) {
    if (const std::size_t number = count(summary, status); number > 0)
      text += fmt::format(", {} {}", grouped(number), name(status));
  }
  text += style.paint.end(colour);
  if (summary.updated > 0) text += fmt::format(" ({} updated)", grouped(summary.updated));
  if (left_out > 0) text += fmt::format("; left out: {}", counted(left_out, "check"));
  if (const std::string bounds = bounds_text(summary.bounds); !bounds.empty())
    text += fmt::format("; `safe` means safe within {}", bounds);
  if (summary.without_expectations > 0)
    text += fmt::format("; {} without expectations", counted(summary.without_expectations, "program"));
  return text + fmt::format("; {}, {}\n", duration(summary.seconds), counted(summary.jobs, "worker"));
}

std::string tests_json(const TestSummary& summary, const std::vector<TestProgram>& programs) {
  Json json = json_head("tests");
  json["exit_code"] = exit_code(summary);
  json["interrupted"] = summary.interrupted;
  json["stopped_at_failure"] = summary.stopped;
  const auto bound = [](const std::optional<std::uint32_t>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  json["bounds"] = {{"unroll", bound(summary.bounds.unroll)},
                    {"buffer_bound", bound(summary.bounds.buffer_bound)},
                    {"preemption_bound", bound(summary.bounds.preemption_bound)}};
  json["programs"] = summary.programs;
  json["seconds"] = summary.seconds;
  json["workers"] = summary.jobs;
  json["updated"] = summary.updated;
  for (const TestStatus status : {TestStatus::passed, TestStatus::failed, TestStatus::undecided,
                                  TestStatus::broken, TestStatus::crashed, TestStatus::left_out}) {
    json[json_word(name(status))] = count(summary, status);
  }
  json["results"] = Json::array();
  for (const TestResult& result : summary.results) {
    json["results"].push_back({{"program", programs[result.program].file},
                               {"status", json_word(name(result.status))},
                               {"file", result.place},
                               {"line", result.line == 0 ? Json(nullptr) : Json(result.line)},
                               {"expectation", text_or_null(result.expectation)},
                               {"model", text_or_null(result.model)},
                               {"algorithm", text_or_null(result.algorithm)},
                               {"message", text_or_null(result.message)},
                               {"reproduce", text_or_null(result.reproduce)},
                               {"violation", text_or_null(result.violation)},
                               {"seconds", result.seconds}});
  }
  return json_text(json);
}

std::string tests_junit(const TestSummary& summary, const std::vector<TestProgram>& programs) {
  Sums all;
  std::map<std::size_t, std::pair<Sums, std::string>> suites;
  for (const TestResult& result : summary.results) {
    all.add(result);
    auto& [sums, cases] = suites[result.program];
    sums.add(result);
    cases += junit_case(result, programs[result.program].file);
  }
  const std::string bounds = bounds_text(summary.bounds);
  std::string text =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"heddle{}\" {}>\n",
                  bounds.empty() ? "" : " within " + bounds, all.attributes());
  for (const auto& [program, suite] : suites) {
    text += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", escaped(programs[program].file),
                        suite.first.attributes(), suite.second);
  }
  return text + "</testsuites>\n";
}

}  // namespace heddle::cli
