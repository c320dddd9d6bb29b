// heddle outcomes and heddle compare: tables that agree with the library, restricted by --only.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "heddle/heddle.h"
#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const char* const buffering =
    "shared x: int;\n"
    "shared y: int;\n"
    "shared flags: bool[2];\n"
    "thread p { x = 1; let a = y; }\n"
    "thread q { y = 1; flags[1] = true; let b = x; }\n"
    "exists p.a == 0 && q.b == 0;\n";

Json parse(const Finished& run) {
  const Json json = Json::parse(run.output, nullptr, false);
  REQUIRE_MESSAGE(!json.is_discarded(), run.output, run.errors);
  return json;
}

}  // namespace

TEST_CASE("outcomes lists every final state with its executions and how often a condition held") {
  TemporaryFolder folder;
  const std::string file = folder.file("sb.hed", buffering);
  const Finished run = run_heddle({"outcomes", file, "--model", "tso"});
  CAPTURE(run.output);
  CHECK(run.exit_code == 0);
  CHECK(contains(run.output, "(model tso, algorithm "));
  CHECK(contains(run.output, "4 distinct final states:"));
  CHECK(contains(run.output, "exists p.a == 0 && q.b == 0: sometimes (1 of 4 executions)"));

  const Json json = parse(run_heddle({"outcomes", file, "--model", "tso", "--json"}));
  const auto program = Program::from_file(file);
  REQUIRE(program);
  CheckOptions options;
  options.model = "tso";
  options.keep_going = options.collect_outcomes = true;
  const auto result = check(*program, options);
  REQUIRE(result);
  CHECK(json["document"] == "outcomes");
  REQUIRE(json["outcomes"].size() == result->outcomes.size());
  for (std::size_t i = 0; i < result->outcomes.size(); ++i) {
    CHECK(json["outcomes"][i]["executions"] == result->outcomes[i].executions);
    REQUIRE(json["outcomes"][i]["values"].size() == program->variables().size());
    for (std::size_t k = 0; k < program->variables().size(); ++k)
      CHECK(json["outcomes"][i]["values"][k]["name"] == program->variables()[k]);
  }
}

TEST_CASE("--only restricts final states to some variables and adds up the executions") {
  TemporaryFolder folder;
  const std::string file = folder.file("sb.hed", buffering);
  const Json json = parse(run_heddle({"outcomes", file, "--only", "p.a,flags", "--json"}));
  REQUIRE(json["outcomes"].size() == 2);
  std::uint64_t executions = 0;
  for (const Json& outcome : json["outcomes"]) {
    REQUIRE(outcome["values"].size() == 3);
    CHECK(outcome["values"][0]["name"] == "p.a");
    CHECK(outcome["values"][1]["name"] == "flags[0]");
    CHECK(outcome["values"][2]["value"] == true);
    executions += outcome["executions"].get<std::uint64_t>();
  }
  CHECK(executions == json["counts"]["executions"]);

  const Finished wrong = run_heddle({"outcomes", file, "--only", "p.aa"});
  CHECK(wrong.exit_code == 2);
  CHECK(contains(wrong.errors, "no variable 'p.aa'"));
  CHECK(contains(wrong.errors, "did you mean 'p.a'?"));
  CHECK(run_heddle({"compare", file, "--only", "p.aa"}).exit_code == 2);
  CHECK(run_heddle({"outcomes", file, "--only", "x,,y"}).exit_code == 2);
}

TEST_CASE("outcomes reports a violation, or that the table is incomplete") {
  TemporaryFolder folder;
  const Finished lost = run_heddle({"outcomes", folder.file("lost.hed", unsafe_program)});
  CAPTURE(lost.output);
  CHECK(lost.exit_code == 1);
  CHECK(contains(lost.output, "3 distinct final states:"));
  CHECK(contains(lost.output, "there is a violation: "));
  const Finished endless = run_heddle({"outcomes", folder.file("endless.hed", endless_program), "--algorithm",
                                       "naive", "--max-executions", "50"});
  CHECK(endless.exit_code == 3);
  CHECK(contains(endless.output, "incomplete: stopped by: execution limit"));
}

TEST_CASE("compare puts the models side by side and marks what each one adds") {
  TemporaryFolder folder;
  const std::string file = folder.file("sb.hed", buffering);
  const Finished run =
      run_heddle({"compare", file, "--models", "sc,tso,pso", "--algorithms", "source,trust"});
  CAPTURE(run.output);
  CHECK(run.exit_code == 0);
  CHECK(contains(run.output, "-   +1    1\n"));
  CHECK(contains(run.output, "tso adds 1 outcome: {x = 1, y = 1, flags = {false, true}, p.a = 0, q.b = 0}"));
  CHECK(contains(run.output, "pso adds nothing"));
  CHECK(contains(run.output, "tso    trust      safe"));
  CHECK(!contains(run.output, "naive"));

  const Json json = parse(run_heddle({"compare", file, "--json"}));
  CHECK(json["document"] == "comparison");
  std::size_t pairs = 0;
  for (const auto& model : models()) {
    for (const auto& algorithm : algorithms())
      pairs += !algorithm.runs_endless && why_not(model.name, algorithm.name).empty() ? 1 : 0;
  }
  CHECK(json["checks"].size() == pairs);
  std::size_t added = 0;
  for (const Json& outcome : json["outcomes"]) {
    if (outcome["added_by"] == "sc") continue;
    ++added;
    CHECK(outcome["added_by"] == "tso");
    CHECK(outcome["executions"]["sc"].is_null());
    CHECK(outcome["executions"]["tso"] == 1);
  }
  CHECK(added == 1);
}

TEST_CASE("compare abandons checks at its timeout and says so") {
  TemporaryFolder folder;
  const Finished run = run_heddle({"compare", folder.file("endless.hed", endless_program), "--models", "sc",
                                   "--algorithms", "naive", "--timeout", "0.2"});
  CAPTURE(run.output);
  CHECK(run.exit_code == 3);
  CHECK(contains(run.output, "sc (so far)"));
  CHECK(contains(run.output, "undecided (timeout)"));
}

TEST_CASE("compare finds the violation of one model and refuses unknown names") {
  TemporaryFolder folder;
  const std::string file = folder.file("lost.hed", unsafe_program);
  CHECK(run_heddle({"compare", file, "--models", "sc", "--algorithms", "source"}).exit_code == 1);
  const Finished wrong = run_heddle({"compare", file, "--models", "sc,tsoo"});
  CHECK(wrong.exit_code == 2);
  CHECK(contains(wrong.errors, "unknown model 'tsoo'"));
  CHECK(contains(wrong.errors, "did you mean 'tso'?"));
}

TEST_CASE("the command that outcomes suggests finds the violation") {
  TemporaryFolder folder;
  const std::string file = folder.file(
      "p q.hed", "param F = 1;\nshared x: int;\nthread p { x = F; }\nfinal { assert x == 1, \"off\"; }\n");
  const Finished run = run_heddle({"outcomes", file, "--model", "tso", "--algorithm", "naive", "-D", "F=0",
                                   "--unroll", "4", "--no-spin-await", "--buffer-bound", "1"},
                                  {.environment = {{"COLUMNS", "400"}}});
  CHECK(run.exit_code == 1);
  CHECK_MESSAGE(contains(run.output, "off (heddle check '" + file +
                                         "' --model tso --algorithm naive -D F=0 --unroll 4 --no-spin-await "
                                         "--buffer-bound 1 shows it)"),
                run.output);
  CHECK(run_heddle({"check", file, "--model", "tso", "--algorithm", "naive", "-D", "F=0", "--unroll", "4",
                    "--no-spin-await", "--buffer-bound", "1"})
            .exit_code == 1);
}

}  // namespace heddle::test
