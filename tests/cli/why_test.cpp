// heddle why: text, JSON and pictures of an answer, and errors.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <string>

#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const char* const passing =
    "shared data: int;\n"
    "shared ready: bool;\n"
    "thread writer {\n"
    "  data = 42;\n"
    "  fence lw;\n"
    "  ready = true;\n"
    "}\n"
    "thread reader {\n"
    "  let seen = ready;\n"
    "  fence lw;\n"
    "  let got = data;\n"
    "}\n";
const char* const old_data = "reader.seen && reader.got == 0";

}  // namespace

TEST_CASE("why names the cycle that forbids a state in the lines of the program, and the least change") {
  TemporaryFolder folder;
  const Finished run = run_heddle({"why", folder.file("mp.hed", passing), old_data, "--model", "power"});
  CAPTURE(run.output);
  CHECK_EQ(run.exit_code, 0);
  CHECK_EQ(run.errors, "");
  CHECK(contains(run.output, "mp.hed: forbidden under power: reader.seen && reader.got == 0\n"));
  CHECK(contains(run.output, "excluded by observation"));
  CHECK(contains(run.output,
                 "  writer: data = 42, line 4\n    -> fence lw, line 5: fence lw\n"
                 "  writer: ready = true, line 6\n    -> reads-from\n"));
  CHECK(contains(run.output, "The least change that would allow it:\n"));
  CHECK(contains(run.output, "  - weaken 'fence lw' on line 10 to 'fence st'\n"));
}

TEST_CASE("why shows the execution of an allowed state, and the weakest fences that would forbid it") {
  TemporaryFolder folder;
  std::string text = passing;
  text.replace(text.find("  fence lw;\n"), 12, "\n");
  const Finished run = run_heddle({"why", folder.file("mp.hed", text), old_data, "--model", "pso"});
  CAPTURE(run.output);
  CHECK_EQ(run.exit_code, 0);
  CHECK(contains(run.output, "mp.hed: allowed under pso"));
  CHECK(contains(run.output, "R ready = true"));
  CHECK(
      contains(run.output,
               "The weakest fences that would forbid it:\n  - add 'fence st' before line 6: ready = true\n"));
}

TEST_CASE("why tells values that nothing writes from executions that a model excludes") {
  TemporaryFolder folder;
  const Finished run = run_heddle({"why", folder.file("mp.hed", passing), "reader.got == 7"});
  CHECK_EQ(run.exit_code, 0);
  CHECK(contains(run.output, "No execution has such values, whatever the model allows"));
}

TEST_CASE("why --json has the cycle, the traces and the changes") {
  TemporaryFolder folder;
  const Finished run =
      run_heddle({"why", folder.file("mp.hed", passing), old_data, "--model", "power", "--json"});
  const Json json = Json::parse(run.output, nullptr, false);
  REQUIRE(json.is_object());
  CHECK_EQ(json["document"], "why");
  CHECK_EQ(json["allowed"], false);
  CHECK_EQ(json["candidates"], 1);
  REQUIRE_EQ(json["executions"].size(), 1);
  const Json& execution = json["executions"][0];
  CHECK_EQ(execution["axiom"], "observation");
  REQUIRE_EQ(execution["cycle"].size(), 4);
  const std::size_t steps = execution["trace"]["steps"].size();
  CHECK_EQ(steps, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK_LT(execution["cycle"][i]["from"].get<std::size_t>(), steps);
    CHECK_EQ(execution["cycle"][i]["to"], execution["cycle"][(i + 1) % 4]["from"]);
  }
  REQUIRE_EQ(json["changes"].size(), 2);
  CHECK_EQ(json["changes"][0][0]["kind"], "weaken_fence");
  CHECK_EQ(json["changes"][0][0]["line"], 10);
  CHECK_EQ(json["changes"][0][0]["before"], "lwsync");
  CHECK_EQ(json["changes"][0][0]["fence"], "eieio");
  CHECK_EQ(json["changes"][1][0]["kind"], "remove_fence");
  CHECK_EQ(json["changes"][1][0]["line"], 5);
}

TEST_CASE("why --dot and --html draw the execution with its cycle") {
  TemporaryFolder folder;
  const std::string dot = (folder.path() / "why.dot").string();
  const std::string html = (folder.path() / "why.html").string();
  const Finished run = run_heddle(
      {"why", folder.file("mp.hed", passing), old_data, "--model", "power", "--dot", dot, "--html", html});
  CHECK_EQ(run.exit_code, 0);
  const std::string graph = read(dot);
  CHECK(graph.starts_with("digraph execution {"));
  CHECK(graph.ends_with("}\n"));
  CHECK(contains(graph, "penwidth=3, label=\"fence lw\""));
  const std::string page = read(html);
  CHECK(contains(page, "<svg viewBox="));
  CHECK(contains(page, "forbidden under power: reader.seen &amp;&amp; reader.got == 0"));
  CHECK(contains(page, ">from-reads") == false);
  CHECK(contains(page, "class=\"cycle bold\""));
  CHECK(contains(page, "<pre>"));
}

TEST_CASE("why writes no picture of an execution that does not exist") {
  TemporaryFolder folder;
  const std::string dot = (folder.path() / "why.dot").string();
  const Finished run = run_heddle({"why", folder.file("mp.hed", passing), "reader.got == 7", "--dot", dot});
  CHECK_EQ(run.exit_code, 0);
  CHECK(contains(run.errors, "there is no execution"));
  CHECK_EQ(read(dot), "");
}

TEST_CASE("why takes the condition of a litmus test, or another one") {
  TemporaryFolder folder;
  const std::string file = folder.file("SB.litmus", read(HEDDLE_SOURCE_DIR "/tests/litmus/SB.litmus"));
  const Finished own = run_heddle({"why", file, "--model", "tso"});
  CAPTURE(own.output);
  CHECK_EQ(own.exit_code, 0);
  CHECK(contains(own.output, ": allowed under tso"));
  const Finished other = run_heddle({"why", file, "~exists (0:r2=1 /\\ 1:r2=7)", "--model", "tso"});
  CAPTURE(other.output);
  CHECK_EQ(other.exit_code, 0);
  CHECK(contains(other.output, ": forbidden under tso: 0:r2=1 /\\ 1:r2=7"));
  const Finished wrong = run_heddle({"why", file, "0:r2=1 /\\ 7:r2=1"});
  CAPTURE(wrong.errors);
  CHECK_EQ(wrong.exit_code, 2);
  CHECK(contains(wrong.errors, "condition:1:11: error: "));
}

TEST_CASE("why reports errors in the condition with their place in it") {
  TemporaryFolder folder;
  const std::string file = folder.file("mp.hed", passing);
  const auto fails = [&](const std::vector<std::string>& more, const std::string& message) {
    std::vector<std::string> arguments{"why", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished run = run_heddle(arguments);
    CAPTURE(run.errors);
    CHECK_EQ(run.exit_code, 2);
    CHECK_EQ(run.output, "");
    CHECK(contains(run.errors, message));
  };
  fails({"reader.lost == 1"}, "condition:1:8: error: thread 'reader' has no local 'lost'");
  fails({"data =="}, "condition:1:8: error: expected an expression");
  fails({"data == 1; shared z: int"}, "the condition is more than one expression");
  fails({}, "a condition is missing, and the program has none");
  fails({"data == 1", "data == 2"}, "one file at a time");
  fails({"data == 1", "--model", "arm"}, "model");
  fails({"data == 1", "--html", file}, file);
}

TEST_CASE("why exits with 3 if it reaches a limit, and names it") {
  TemporaryFolder folder;
  const std::string file = folder.file(
      "many.hed",
      "shared x: int;\nshared y: int;\n"
      "thread w[i: 0..6] { for k in 0..3 { let a = fetch_add(x, 1); let b = fetch_add(y, a); } }\n");
  const Finished run = run_heddle({"why", file, "x == 99", "--timeout", "2"});
  CAPTURE(run.output);
  CHECK_EQ(run.exit_code, 3);
  CHECK(contains(run.output, "undecided ("));
}

}  // namespace heddle::test
