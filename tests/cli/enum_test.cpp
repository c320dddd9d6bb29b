// Values of enums are shown by their names everywhere.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "cli/trace_file.hpp"
#include "heddle/heddle.h"
#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const char* const cache =
    "enum State { invalid, clean, modified }\n"
    "struct Line { state: State; value: int; }\n"
    "shared lines: Line[2];\n"
    "shared owner: State = State.clean;\n"
    "thread p {\n"
    "  lines[0].state = State.modified;\n"
    "  let next = choose(State);\n"
    "  var past: State[2];\n"
    "  past[1] = next;\n"
    "  owner = next;\n"
    "  let before = exchange(owner, State.invalid);\n"
    "  assert before != State.modified, \"modified\";\n"
    "}\n";

}  // namespace

TEST_CASE("traces show values of enums by name: steps, choices, memory, locals, arrays") {
  const TemporaryFolder folder;
  const std::string file = folder.file("cache.hed", cache);
  for (const std::string model : {"sc", "tso", "power"}) {
    CAPTURE(model);
    const Finished run = run_heddle({"check", file, "--model", model});
    CAPTURE(run.output);
    CHECK_EQ(run.exit_code, 1);
    CHECK(contains(run.output, "lines[0].state = modified"));
    CHECK(contains(run.output, "choose modified"));
    CHECK(contains(run.output, "owner: modified -> invalid"));
    CHECK(contains(run.output, "lines[0] = Line{state=modified, value=0}"));
    CHECK(contains(run_heddle({"check", file, "--model", model, "--unfold"}).output,
                   "lines[1].state = invalid"));
    CHECK(contains(run.output, "next = modified, past = {invalid, modified}, before = modified"));
    CHECK_EQ(contains(run.output, "U owner modified -> invalid"), model == "power");
    CHECK_EQ(contains(run.output, "lines[0].state = modified buffered"), model == "tso");
  }
}

TEST_CASE("final states and tables of models show the names, too") {
  const TemporaryFolder folder;
  const std::string file = folder.file("cache.hed", cache);
  const Finished outcomes = run_heddle({"outcomes", file, "--only", "owner,p.next"});
  CHECK(contains(outcomes.output, "  invalid     clean\n"));
  const Finished compared = run_heddle({"compare", file, "--only", "p.next"});
  CAPTURE(compared.output);
  CHECK(contains(compared.output, "\n     clean"));
}

TEST_CASE("JSON has the number and the name; a saved trace keeps both") {
  const TemporaryFolder folder;
  const std::string file = folder.file("cache.hed", cache);
  const std::string saved = (folder.path() / "trace.json").string();
  const std::string picture = (folder.path() / "trace.dot").string();
  const std::string page = (folder.path() / "trace.html").string();
  const Finished run =
      run_heddle({"check", file, "--json", "--trace", saved, "--dot", picture, "--html", page});
  const Json trace = Json::parse(run.output)["violation"]["trace"];
  CHECK_EQ(trace["initial"][4], Json({{"name", "owner"}, {"value", 1}, {"symbol", "clean"}}));
  CHECK_EQ(trace["steps"][0]["written"], 2);
  CHECK_EQ(trace["steps"][0]["written_symbol"], "modified");
  CHECK_EQ(trace["steps"][0]["read_symbol"], nullptr);
  CHECK_EQ(trace["steps"][1]["read_symbol"], "modified");
  CHECK(contains(read(picture), "owner: modified -> invalid"));
  CHECK(contains(read(page), "owner: modified -> invalid"));

  const auto parsed = cli::parse_trace(read(saved));
  REQUIRE(std::holds_alternative<cli::SavedTrace>(parsed));
  const Trace& again = std::get<cli::SavedTrace>(parsed).trace();
  CHECK_EQ(again.initial[4].text(), "clean");
  CHECK_EQ(again.initial[4].value, 1);
  CHECK_EQ(again.steps[0].written_symbol, "modified");
  const Finished replayed = run_heddle({"replay", saved, "--step"});
  CHECK(contains(replayed.output, "owner = invalid"));
}

TEST_CASE("a value without a name is a number") {
  CHECK_EQ(NamedValue{.name = "x", .value = 7}.text(), "7");
  CHECK_EQ(NamedValue{.name = "x", .value = 7, .symbol = "busy"}.text(), "busy");
  CHECK_EQ(NamedValue{.name = "x", .value = 1, .boolean = true}.text(), "true");
  CHECK_EQ(NamedValue{.name = "x", .value = 1, .pending = true, .symbol = "busy"}.text(), "pending");
}

}  // namespace heddle::test
