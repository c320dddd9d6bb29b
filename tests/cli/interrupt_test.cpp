// Long checks: the progress line on a terminal, and Ctrl-C.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

struct LongCheck {
  TemporaryFolder folder;
  std::vector<std::string> arguments;
  explicit LongCheck(const std::vector<std::string>& more = {})
      : arguments({"check", folder.file("endless.hed", endless_program), "--algorithm", "naive"}) {
    arguments.insert(arguments.end(), more.begin(), more.end());
  }
};

const Setup on_terminal{.error_terminal = true};

}  // namespace

TEST_CASE("Ctrl-C ends a check with verdict undecided and the counts so far") {
  if (!have_terminals()) return;
  for (const int signal : {SIGINT, SIGTERM}) {
    LongCheck check({"--json"});
    Process process(check.arguments, on_terminal);
    REQUIRE(process.wait_for_error(" a second)"));  // the progress line: the search runs
    process.send(signal);
    const Finished result = process.finish();
    CHECK(result.signal == 0);
    CHECK(result.exit_code == 3);
    const nlohmann::json json = nlohmann::json::parse(result.output, nullptr, false);
    REQUIRE(!json.is_discarded());
    CHECK(json["verdict"] == "undecided");
    CHECK(json["stopped_by"] == "interrupted");
    CHECK(json["counts"]["executions"] > 0);
    CHECK(json["counts"]["transitions"] > 0);
  }
}

TEST_CASE("Ctrl-C works without a terminal, at any time") {
  for (const int milliseconds : {0, 20, 1000}) {
    LongCheck check;
    Process process(check.arguments);
    REQUIRE(process.wait_for_handler(SIGINT));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    process.send(SIGINT);
    const Finished result = process.finish();
    CHECK(result.exit_code == 3);
    CHECK(contains(result.output, "undecided, stopped by: interrupted"));
    CHECK(result.errors.empty());
  }
}

TEST_CASE("the progress line appears after a second and is cleared at the end") {
  if (!have_terminals()) return;
  LongCheck check({"--timeout", "1.8"});
  const Finished result = run_heddle(check.arguments, on_terminal);
  CHECK(result.exit_code == 3);
  CAPTURE(result.errors);
  REQUIRE(!result.errors.empty());
  CHECK(result.errors.front() == '\r');
  CHECK(contains(result.errors, "executions ("));
  CHECK(contains(result.errors, "depth "));
  CHECK(!contains(result.errors, "\n"));
  // Ends with the line overwritten by spaces and the cursor at its start.
  REQUIRE(result.errors.size() > 2);
  CHECK(result.errors.back() == '\r');
  const std::size_t before = result.errors.rfind('\r', result.errors.size() - 2);
  REQUIRE(before != std::string::npos);
  CHECK(result.errors.find_first_not_of(' ', before + 1) == result.errors.size() - 1);
}

TEST_CASE("the progress line fits a narrow terminal") {
  if (!have_terminals()) return;
  LongCheck check({"--timeout", "1.5"});
  Setup narrow = on_terminal;
  narrow.environment = {{"COLUMNS", "30"}};
  const Finished result = run_heddle(check.arguments, narrow);
  std::size_t start = 0;
  while (start < result.errors.size()) {
    const std::size_t end = std::min(result.errors.find('\r', start), result.errors.size());
    CHECK(end - start < 30);
    start = end + 1;
  }
}

TEST_CASE("there is no progress line for short checks, without a terminal, or with --no-progress") {
  LongCheck quiet({"--timeout", "1.5"});
  CHECK(run_heddle(quiet.arguments).errors.empty());
  if (!have_terminals()) return;
  quiet.arguments.emplace_back("--no-progress");
  CHECK(run_heddle(quiet.arguments, on_terminal).errors.empty());
  LongCheck brief({"--timeout", "0.3"});
  CHECK(run_heddle(brief.arguments, on_terminal).errors.empty());
}

}  // namespace heddle::test
