// heddle check --coverage and --coverage-lcov.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const char* const program =
    "import std.spinlock;\n"
    "import \"./module.hed\";\n"
    "shared x: int;\n"
    "thread p {\n"
    "  x = 1;\n"
    "  let a = module.get();\n"
    "  if a == 7 {\n"
    "    assert x == 3;\n"
    "  }\n"
    "  if a == 8 { x = 2; } else { x = 4; }\n"
    "}\n"
    "thread q { assume x == 9; assert x == 1, \"not reached\"; }\n"
    "exists x == 1;\n";
const char* const module_text =
    "shared y: int;\nfn get() -> int {\n  return y;\n}\nfn set() {\n  y = 1;\n}\n";

}  // namespace

TEST_CASE("--coverage lists the lines with their counts, and the code that no execution reached") {
  TemporaryFolder folder;
  folder.file("module.hed", module_text);
  const std::string file = folder.file("main.hed", program);
  for (const std::string model : {"sc", "power"}) {
    const Finished run =
        run_heddle({"check", file, "--model", model, "--coverage"}, {.environment = {{"COLUMNS", "200"}}});
    CAPTURE(run.output);
    CHECK(contains(run.output, "Coverage (visits by the search, not executions):"));
    CHECK(contains(run.output, "main.hed: 5 of 7 lines"));
    CHECK(contains(run.output, "module.hed: 1 of 2 lines"));
    CHECK(!contains(run.output, "spinlock.hed"));
    CHECK(contains(run.output, "Assertions, branches and conditions that no execution reached:\n"));
    CHECK(contains(run.output, "main.hed:7:3: if a == 7: never true"));
    CHECK(contains(run.output, "main.hed:8:5: assert x == 3: never reached"));
    CHECK(contains(run.output, "main.hed:10:3: if a == 8: never true"));
    CHECK(contains(run.output, "main.hed:12:27: assert x == 1, \"not reached\": never reached"));
    CHECK(contains(run.output, "main.hed:13:1: exists x == 1: never evaluated"));
    CHECK(!contains(run.output, "never false"));
  }
}

TEST_CASE("--coverage reports the same in JSON and in lcov's format") {
  TemporaryFolder folder;
  folder.file("module.hed", module_text);
  const std::string file = folder.file("main.hed", program);
  const std::string lcov = (folder.path() / "main.info").string();
  const Finished run = run_heddle({"check", file, "--json", "--coverage-lcov", lcov});
  const Json json = Json::parse(run.output);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> lines;
  for (const Json& line : json["coverage"]["lines"]) {
    if (line["file"] == file) lines.emplace_back(line["line"], line["count"]);
  }
  REQUIRE(lines.size() == 7);
  const std::string text = read(lcov);
  CAPTURE(text);
  CHECK(text.starts_with("TN:\nSF:"));
  CHECK(contains(text, "SF:" + file + "\n"));
  for (const auto& [line, count] : lines) {
    CHECK((count > 0) == (line != 8 && line != 13));
    CHECK(contains(text, "DA:" + std::to_string(line) + "," + std::to_string(count) + "\n"));
  }
  CHECK(contains(text, "BRDA:7,0,0,0\n"));
  CHECK(!contains(text, "BRDA:7,0,1,0\n"));
  CHECK(contains(text, "BRDA:10,1,0,0\n"));
  CHECK(contains(text, "BRF:4\nBRH:2\n"));
  CHECK(contains(text, "LF:7\nLH:5\nend_of_record\n"));
  CHECK(json["coverage"]["branches"].size() == 4);
  std::vector<std::uint32_t> never;
  for (const Json& place : json["coverage"]["never_reached"]) never.push_back(place["line"]);
  CHECK(never == std::vector<std::uint32_t>{7, 8, 10, 12, 13});
  CHECK(Json::parse(run_heddle({"check", file, "--json"}).output)["coverage"].is_null());
}

TEST_CASE("an unfinished search does not claim that anything is never reached") {
  TemporaryFolder folder;
  const std::string file = folder.file(
      "late.hed", "shared x: int;\nthread p { x = 1; }\nthread q {\n  if x == 1 { assert x == 1; }\n}\n");
  const Finished whole = run_heddle({"check", file, "--coverage"});
  CAPTURE(whole.output);
  CHECK(contains(whole.output, "Every assertion, branch and condition was reached."));
  const Finished part = run_heddle({"check", file, "--coverage", "--max-executions", "1"});
  CAPTURE(part.output);
  CHECK(contains(part.output, "Coverage so far ("));
  CHECK(contains(part.output, "that no execution so far reached:"));
}

TEST_CASE("--coverage-lcov overwrites no input and no other output") {
  TemporaryFolder folder;
  const std::string file = folder.file("a.hed", safe_program);
  const Finished run = run_heddle({"check", file, "--coverage-lcov", file});
  CHECK(run.exit_code == 2);
  CHECK(contains(run.errors, "--coverage-lcov would overwrite"));
}

}  // namespace heddle::test
