// check --lint: the report, JSON, SARIF, and exit codes unaffected by warnings. tests/programs tests the
// warnings themselves.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <string>

#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const char* const suspicious =
    "param N = 2;\n"
    "shared x: int;\n"
    "thread w[i: 0..2] { x += 1; }\n";

const char* const decent = "shared x: int;\nthread w[i: 0..2] { fetch_add(x, 1); }\n";

}  // namespace

TEST_CASE("--lint adds warnings to the report and leaves verdict and exit code as they are") {
  const TemporaryFolder folder;
  const Finished finished = run_heddle({"check", folder.file("a.hed", suspicious), "--lint"});
  CHECK_EQ(finished.exit_code, 0);
  CHECK_EQ(finished.errors, "");
  CHECK(finished.output.find("a.hed: safe") != std::string::npos);
  CHECK(finished.output.find("2 warnings:\n") != std::string::npos);
  CHECK(
      finished.output.find("a.hed:1:7: warning: the param 'N' is never used\n  param N = 2;\n        ^\n") !=
      std::string::npos);
  CHECK(finished.output.find("a.hed:3:21: warning: this is a load and a store") != std::string::npos);
  const std::string wrong = std::string(suspicious) + "final { assert x == 2; }\n";
  CHECK_EQ(run_heddle({"check", folder.file("b.hed", wrong), "--lint"}).exit_code, 1);
}

TEST_CASE("--lint reports that there are no warnings; without --lint there is no such line") {
  const TemporaryFolder folder;
  const Finished clean = run_heddle({"check", folder.file("a.hed", decent), "--lint"});
  CHECK_EQ(clean.exit_code, 0);
  CHECK(clean.output.find("No warnings.\n") != std::string::npos);
  CHECK(run_heddle({"check", folder.file("b.hed", suspicious)}).output.find("warning") == std::string::npos);
}

TEST_CASE("the JSON report has the warnings, null without --lint") {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.hed", suspicious);
  const Json json = Json::parse(run_heddle({"check", file, "--lint", "--json"}).output);
  REQUIRE_EQ(json["warnings"].size(), 2);
  CHECK_EQ(json["warnings"][0]["rule"], "unused_name");
  CHECK_EQ(json["warnings"][0]["line"], 1);
  CHECK_EQ(json["warnings"][0]["column"], 7);
  CHECK_EQ(json["warnings"][0]["hint"], nullptr);
  CHECK_EQ(json["warnings"][1]["rule"], "lost_update");
  CHECK_EQ(Json::parse(run_heddle({"check", file, "--json"}).output)["warnings"], nullptr);
}

TEST_CASE("--lint warns at the assume or loop because of which no execution is complete") {
  const TemporaryFolder folder;
  const std::string text = "shared x: int;\nthread p {\n  x = 1;\n  assume x == 5;\n}\n";
  const Finished finished = run_heddle({"check", folder.file("a.hed", text), "--lint"});
  CHECK_EQ(finished.exit_code, 3);
  CHECK_MESSAGE(
      finished.output.find("a.hed:4:3: warning: a check of this program checks nothing, for no "
                           "execution is complete\n    assume x == 5;\n    ^\n") != std::string::npos,
      finished.output);
  const std::string output = (folder.path() / "out.sarif").string();
  CHECK_EQ(run_heddle({"check", folder.file("a.hed", text), "--sarif", output}).exit_code, 3);
  const Json run = Json::parse(read(output))["runs"][0];
  REQUIRE_EQ(run["results"].size(), 1);
  const Json& result = run["results"][0];
  CHECK_EQ(result["level"], "error");
  CHECK_EQ(result["ruleId"], "vacuous");
  CHECK_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"], "vacuous");
  CHECK_EQ(result["locations"][0]["physicalLocation"]["region"]["startLine"], 4);
}

TEST_CASE("warnings are results of level warning in SARIF, each with its rule") {
  const TemporaryFolder folder;
  const std::string output = (folder.path() / "out.sarif").string();
  CHECK_EQ(run_heddle({"check", folder.file("a.hed", suspicious), "--lint", "--sarif", output}).exit_code, 0);
  const Json run = Json::parse(read(output))["runs"][0];
  REQUIRE_EQ(run["results"].size(), 2);
  const Json& rules = run["tool"]["driver"]["rules"];
  for (const Json& result : run["results"]) {
    CHECK_EQ(result["level"], "warning");
    CHECK_EQ(rules[result["ruleIndex"].get<std::size_t>()]["id"], result["ruleId"]);
  }
  CHECK_EQ(run["results"][1]["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
}

TEST_CASE("--lint --fix removes and weakens fences in the file, and reports how many") {
  const TemporaryFolder folder;
  const std::string text =
      "shared x: int;\nshared y: int;\n"
      "thread p { x = 1; fence; y = 1; }\n"
      "thread q { let a = y; fence; let b = x; fence; }\n"
      "forbid q.a == 1 && q.b == 0;\n";
  const std::string file = folder.file("a.hed", text);
  const Finished looked = run_heddle({"check", file, "--lint"});
  CHECK(contains(looked.output, "Notes:\n"));
  CHECK(contains(looked.output, "a.hed:3:19: note: `fence st` is enough here, under every model\n"));
  CHECK_EQ(read(file), text);
  const Finished fixed = run_heddle({"check", file, "--lint", "--fix"});
  CHECK_EQ(fixed.exit_code, 0);
  CHECK(contains(fixed.output, "a.hed was changed: 3 fences\n"));
  CHECK_EQ(read(file),
           "shared x: int;\nshared y: int;\n"
           "thread p { x = 1; fence st; y = 1; }\n"
           "thread q { let a = y; fence lw; let b = x; }\n"
           "forbid q.a == 1 && q.b == 0;\n");
  const Finished again = run_heddle({"check", file, "--lint", "--fix", "--json"});
  CHECK_EQ(Json::parse(again.output)["fixed"], 0);
  CHECK_EQ(run_heddle({"check", file, "--fix"}).exit_code, 2);
}

}  // namespace heddle::test
