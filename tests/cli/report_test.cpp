// Reports of real checks: exit codes, the contents as text and as JSON, and the streams that they are written
// to.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <algorithm>

#include "heddle/heddle.h"
#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

Json parse(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  REQUIRE_MESSAGE(!json.is_discarded(), text);
  REQUIRE(json.is_object());
  return json;
}

}  // namespace

TEST_CASE("a safe program gives exit code 0, its counts and its conditions") {
  TemporaryFolder folder;
  const Finished result = run_heddle({"check", folder.file("sb.hed", safe_program)});
  CAPTURE(result.output);
  CHECK(result.exit_code == 0);
  CHECK(result.errors.empty());
  CHECK(contains(result.output, "sb.hed: safe (model sc, algorithm "));
  CHECK(contains(result.output, "3 complete"));
  CHECK(contains(result.output, "parameters   N = 1"));
  CHECK(contains(result.output, "exists p.a == 0 && q.b == 0: never (0 of 3 executions)"));
}

TEST_CASE("a violation gives exit code 1, its place and a trace with a column for each thread") {
  TemporaryFolder folder;
  const Finished result = run_heddle({"check", folder.file("lost.hed", unsafe_program)});
  CAPTURE(result.output);
  CHECK(result.exit_code == 1);
  CHECK(contains(result.output, "lost.hed: violation"));
  CHECK(contains(result.output, "an update is lost"));
  CHECK(contains(result.output, "lost.hed:6:"));
  const std::size_t header = result.output.find("  #  add[0]");
  REQUIRE(header != std::string::npos);
  const std::string columns = result.output.substr(header, result.output.find('\n', header) - header);
  CHECK(contains(columns, "add[1]"));
  CHECK(contains(columns, "final"));
  CHECK(contains(columns, "source"));
  CHECK(contains(result.output, "Shared variables at the end:\n  counter = 1\n"));
  CHECK(contains(result.output, "Threads at the end:\n  add[0]  finished"));
}

TEST_CASE("a trace becomes a list if the columns do not fit") {
  TemporaryFolder folder;
  const Setup narrow{.environment = {{"COLUMNS", "40"}}};
  const Finished result = run_heddle({"check", folder.file("lost.hed", unsafe_program)}, narrow);
  CHECK(result.exit_code == 1);
  CHECK(contains(result.output, "1  add["));
  CHECK(!contains(result.output, "#  add[0]"));
}

namespace {

const char* const vacuous_program =
    "shared x: int;\n"
    "thread p { x = 1; assume x == 5; assert false, \"reached\"; }\n"
    "thread q { x = 2; }\n"
    "exists x == 7;\n";
const char* const cut_program =
    "shared x: int;\n"
    "thread w[i: 0..2] {\n"
    "  while x < 3 { x += 1; }\n"
    "}\n";

}  // namespace

TEST_CASE("a check without a complete execution is vacuous: exit code 3, and the places to blame") {
  TemporaryFolder folder;
  const std::string file = folder.file("vac.hed", vacuous_program);
  const Finished result = run_heddle({"check", file});
  CAPTURE(result.output);
  CHECK(result.exit_code == 3);
  CHECK(contains(result.output, "vac.hed: vacuous (model sc, algorithm trust)\n"));
  CHECK(contains(result.output, "No execution is complete, so nothing was checked. Where they ended:\n"));
  CHECK(contains(result.output, "vac.hed:2:19: assume x == 5, in p: "));
  CHECK(contains(result.output, "exists x == 7: not judged (0 of 0 executions)"));
  const Json json = parse(run_heddle({"check", file, "--json"}).output);
  CHECK(json["verdict"] == "vacuous");
  CHECK(json["exit_code"] == 3);
  REQUIRE(json["blocked"].size() == 1);
  const Json& place = json["blocked"][0];
  CHECK(place["by"] == "assume");
  CHECK(place["thread"] == "p");
  CHECK(place["file"] == file);
  CHECK(place["line"] == 2);
  CHECK(place["column"] == 19);
  CHECK(place["source"] == "assume x == 5");
  CHECK(place["executions"] == json["counts"]["blocked_assume"]);

  for (const char* const command : {"outcomes", "compare"}) {
    const Finished other = run_heddle({command, file});
    CAPTURE(other.output);
    CHECK(other.exit_code == 3);
    CHECK(contains(other.output, "vacuous"));
  }
}

TEST_CASE("a loop that a bound cut is named with its thread, its place and the option that raises it") {
  TemporaryFolder folder;
  const std::string file = folder.file("cut.hed", cut_program);
  const Finished result = run_heddle({"check", file, "--unroll", "2"});
  CAPTURE(result.output);
  CHECK(result.exit_code == 0);
  CHECK(contains(result.output, "cut.hed: safe within bounds"));
  CHECK(contains(result.output, "  the loop bound 2 cut off "));
  CHECK(contains(result.output, "; --unroll 4 raises it\n"));
  CHECK(contains(result.output, "cut.hed:3:3: while x < 3, in w[0]: "));
  CHECK(contains(result.output, "cut.hed:3:3: while x < 3, in w[1]: "));
  const Json json = parse(run_heddle({"check", file, "--unroll", "2", "--json"}).output);
  REQUIRE(json["blocked"].size() == 2);
  std::uint64_t sum = 0;
  for (const Json& place : json["blocked"]) {
    CHECK(place["by"] == "loop_bound");
    CHECK(place["line"] == 3);
    sum += place["executions"].get<std::uint64_t>();
  }
  CHECK(sum == json["counts"]["blocked_loop_bound"].get<std::uint64_t>());
  CHECK(run_heddle({"check", file, "--unroll", "8"}).output.find(": safe (model") != std::string::npos);
}

TEST_CASE("the report names the option that raises a bound, for the other bounds, too") {
  TemporaryFolder folder;
  const std::string file = folder.file("sb.hed", safe_program);
  CHECK(contains(run_heddle({"check", file, "--preemption-bound", "0"}).output,
                 "; --preemption-bound 1 raises it\n"));
  CHECK(contains(run_heddle({"check", file, "--model", "tso", "--buffer-bound", "0"}).output,
                 "; --buffer-bound 1 raises it\n"));
}

TEST_CASE("a limit that is reached gives exit code 3 and the counts so far") {
  TemporaryFolder folder;
  const std::string file = folder.file("endless.hed", endless_program);
  const Finished result = run_heddle({"check", file, "--algorithm", "naive", "--max-executions", "1000"});
  CAPTURE(result.output);
  CHECK(result.exit_code == 3);
  CHECK(contains(result.output, "undecided"));
  CHECK(contains(result.output, "1,000 complete"));
  const Finished timed = run_heddle({"check", file, "--algorithm", "naive", "--timeout", "0.2"});
  CHECK(timed.exit_code == 3);
  CHECK(contains(timed.output, "undecided"));
}

TEST_CASE("--json reports the same as the library") {
  TemporaryFolder folder;
  const std::string file = folder.file("lost.hed", unsafe_program);
  const Finished run = run_heddle({"check", file, "--json", "--keep-going", "--outcomes"});
  CHECK(run.exit_code == 1);
  CHECK(run.errors.empty());
  const Json json = parse(run.output);

  const auto program = Program::from_file(file);
  REQUIRE(program);
  CheckOptions options;
  options.keep_going = true;
  options.collect_outcomes = true;
  const auto result = check(*program, options);
  REQUIRE(result);

  CHECK(json["document"] == "report");
  CHECK(json["version"] == 1);
  CHECK(json["heddle"] == std::string(version()));
  CHECK(json["file"] == file);
  CHECK(json["threads"] == program->threads());
  CHECK(json["verdict"] == "violation");
  CHECK(json["exit_code"] == 1);
  CHECK(json["model"] == result->model);
  CHECK(json["algorithm"] == result->algorithm);
  CHECK(json["stopped_by"].is_null());
  CHECK(json["counts"]["executions"] == result->counts.executions);
  CHECK(json["counts"]["blocked_sleep_set"] == result->counts.blocked_sleep_set);
  CHECK(json["counts"]["transitions"] == result->counts.transitions);
  CHECK(json["outcomes"].size() == result->outcomes.size());
  REQUIRE(result->violation);
  const Json& violation = json["violation"];
  CHECK(violation["message"] == result->violation->message);
  CHECK(violation["line"] == result->violation->line);
  REQUIRE(violation["trace"]["steps"].size() == result->violation->trace.steps.size());
  for (std::size_t i = 0; i < result->violation->trace.steps.size(); ++i) {
    const Step& step = result->violation->trace.steps[i];
    const Json& row = violation["trace"]["steps"][i];
    CHECK(row["action"] == step.action);
    CHECK(row["line"] == step.line);
    CHECK(row["thread"].is_null() == (step.thread < 0));
  }
  CHECK(violation["trace"]["memory"][0]["name"] == "counter");
  CHECK(violation["trace"]["memory"][0]["value"] == 1);
}

TEST_CASE("--json reports errors in a program as a list with places") {
  TemporaryFolder folder;
  const Finished run =
      run_heddle({"check", "--json", folder.file("bad.hed", "shared x: int;\nthread p { z = 1; }\n")});
  CHECK(run.exit_code == 2);
  CHECK(run.errors.empty());
  const Json json = parse(run.output);
  CHECK(json["document"] == "errors");
  REQUIRE(json["diagnostics"].size() >= 1);
  CHECK(json["diagnostics"][0]["line"] == 2);
  CHECK(json["diagnostics"][0]["column"] == 12);
  CHECK(contains(json["diagnostics"][0]["text"].get<std::string>(), "bad.hed:2:12"));
}

TEST_CASE("--outcomes lists the distinct final states") {
  TemporaryFolder folder;
  const Finished run = run_heddle({"check", folder.file("sb.hed", safe_program), "--outcomes"});
  CAPTURE(run.output);
  CHECK(contains(run.output, "3 distinct final states:"));
  CHECK(contains(run.output, "p.a"));
}

TEST_CASE("emit --llvm prints LLVM IR") {
  TemporaryFolder folder;
  const Finished run = run_heddle({"emit", "--llvm", folder.file("sb.hed", safe_program)});
  CHECK(run.exit_code == 0);
  CHECK(contains(run.output, "define"));
  CHECK(contains(run.output, "llvm.coro"));
}

TEST_CASE("an output that cannot be written is an error, with --json too") {
  TemporaryFolder folder;
  const std::string file = folder.file("sb.hed", safe_program);
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"check", file}, {"check", "--json", file}, {"emit", "--llvm", file}, {"list"}, {"--help"}}) {
    const Finished full = run_heddle(arguments, {.output_file = "/dev/full"});
    CHECK(full.exit_code == 2);
    CHECK(contains(full.errors, "No space left on device"));
    const Finished closed = run_heddle(arguments, {.close_output = true});
    CHECK(closed.exit_code == 2);
    CHECK(contains(closed.errors, "cannot write"));
  }
}

TEST_CASE("a reader that leaves early does not crash the program or change the exit code") {
  TemporaryFolder folder;
  Process process({"check", folder.file("lost.hed", unsafe_program)});
  process.stop_reading_output();
  const Finished result = process.finish();
  CHECK(result.signal == 0);
  CHECK(result.exit_code == 1);
  CHECK(result.errors.empty());
}

TEST_CASE("colours are for terminals, unless NO_COLOR is set") {
  TemporaryFolder folder;
  const std::string file = folder.file("lost.hed", unsafe_program);
  CHECK(!contains(run_heddle({"check", file}, {.environment = {{"TERM", "xterm"}}}).output, "\x1b"));
  if (!have_terminals()) return;
  Setup terminal{.environment = {{"TERM", "xterm"}}, .output_terminal = true};
  CHECK(contains(run_heddle({"check", file}, terminal).output, "\x1b[1;31mviolation\x1b[0m"));
  terminal.environment = {{"TERM", "xterm"}, {"NO_COLOR", "1"}};
  CHECK(!contains(run_heddle({"check", file}, terminal).output, "\x1b"));
  terminal.environment = {{"TERM", "dumb"}};
  CHECK(!contains(run_heddle({"check", file}, terminal).output, "\x1b"));
}

}  // namespace heddle::test
