// heddle fences: report, JSON, --apply, options and exit codes. tests/checker tests the results themselves.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <string>

#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const char* const handover =
    "shared data: int;\n"
    "shared ready: bool;\n"
    "thread producer {\n"
    "  fence;\n"
    "  data = 42;  // the answer\n"
    "  ready = true;\n"
    "}\n"
    "thread consumer {\n"
    "  await ready;\n"
    "  assert data == 42, \"stale\";\n"
    "}\n";

const char* const lost =
    "shared x: int;\n"
    "thread w[i: 0..2] { x += 1; }\n"
    "final { assert x == 2, \"lost\"; }\n";

}  // namespace

TEST_CASE("fences reports what to put where, what goes, and why nothing cheaper suffices") {
  const TemporaryFolder folder;
  const Finished run = run_heddle({"fences", folder.file("a.hed", handover), "--model", "power", "--why"});
  CHECK_EQ(run.exit_code, 0);
  CHECK_EQ(run.errors, "");
  CHECK(contains(run.output, "a.hed: safe under power with fences of cost 2; no cheaper ones suffice\n"));
  CHECK(contains(run.output, "  6:3   fence st     new, before ready = true\n"));
  CHECK(contains(run.output, "  10:3  fence isync  new, before assert data == 42, \"stale\"\n"));
  CHECK(contains(run.output, "Not needed:\n  4:3  fence\n"));
  CHECK(contains(run.output, "(power) 6:3 fence st; otherwise: assertion failed: stale\n"));
  CHECK(contains(run.output, "(power) 10:3 fence isync; otherwise: assertion failed: stale\n"));
  CHECK_EQ(read(folder.path() / "a.hed"), handover);
}

TEST_CASE("fences --apply writes the fences into the file, and a second run finds nothing to change") {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.hed", handover);
  CHECK(contains(run_heddle({"fences", file, "--apply"}).output, "a.hed was changed\n"));
  CHECK_EQ(read(file),
           "shared data: int;\n"
           "shared ready: bool;\n"
           "thread producer {\n"
           "  data = 42;  // the answer\n"
           "  fence st;\n"
           "  ready = true;\n"
           "}\n"
           "thread consumer {\n"
           "  await ready;\n"
           "  fence isync;\n"
           "  assert data == 42, \"stale\";\n"
           "}\n");
  CHECK_EQ(run_heddle({"check", file, "--model", "power"}).exit_code, 0);
  CHECK(contains(run_heddle({"fences", file, "--apply"}).output, "Nothing was changed"));
}

TEST_CASE("fences --each answers for each model by itself, and excludes --apply") {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.hed", handover);
  const Finished run = run_heddle({"fences", file, "--each"});
  CHECK(contains(run.output, "safe under tso with fences of cost 0"));
  CHECK(contains(run.output, "safe under pso with fences of cost 1"));
  CHECK(contains(run.output, "safe under power with fences of cost 2"));
  CHECK_EQ(run_heddle({"fences", file, "--each", "--apply"}).exit_code, 2);
}

TEST_CASE("fences in JSON has the fences, the clauses and the costs") {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.hed", handover);
  const Finished run = run_heddle({"fences", file, "--json", "--cost", "st=3,isync=2"});
  const Json json = Json::parse(run.output);
  CHECK_EQ(json["document"], "fences");
  CHECK_EQ(json["goal"], "safe");
  CHECK_EQ(json["exit_code"], 0);
  CHECK_EQ(json["applied"], false);
  REQUIRE_EQ(json["results"].size(), 1);
  const Json& result = json["results"][0];
  CHECK_EQ(result["models"], Json({"tso", "pso", "power"}));
  CHECK_EQ(result["answer"], "found");
  CHECK_EQ(result["cost"], 4);  // `fence lw` is cheaper than `fence st` now
  CHECK_EQ(result["fences"][0]["kind"], "lw");
  CHECK_EQ(result["fences"][0]["line"], 6);
  CHECK_EQ(result["fences"][0]["standing"], nullptr);
  CHECK_EQ(result["removed"][0]["line"], 4);
  CHECK_EQ(result["standing_cost"], 4);
  CHECK_FALSE(result["clauses"].empty());
  CHECK_FALSE(result["clauses"][0]["one_of"].empty());
}

TEST_CASE("fences ends with 1 and the counterexample if no fences suffice") {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.hed", lost);
  const Finished run = run_heddle({"fences", file, "--model", "tso"});
  CHECK_EQ(run.exit_code, 1);
  CHECK(contains(run.output, "no fences make it safe under tso"));
  CHECK(contains(run.output, "With all fences this remains possible under tso, and sc allows it, too:"));
  CHECK(contains(run.output, "assertion failed: lost"));
  const Json json = Json::parse(run_heddle({"fences", file, "--model", "tso", "--json"}).output);
  CHECK_EQ(json["results"][0]["answer"], "impossible");
  CHECK_EQ(json["results"][0]["also_under_sc"], true);
  CHECK(json["results"][0]["counterexample"]["trace"].is_object());
}

TEST_CASE("fences ends with 3 and a lower bound if a limit is reached") {
  const TemporaryFolder folder;
  const Finished run =
      run_heddle({"fences", folder.file("a.hed", handover), "--model", "pso", "--max-executions", "1"});
  CHECK_EQ(run.exit_code, 3);
  CHECK(contains(run.output,
                 "undecided under pso, stopped by: execution limit; sufficient fences cost at least"));
}

TEST_CASE("fences --in treats an imported file, and writes there") {
  const TemporaryFolder folder;
  const std::string module = folder.file("cell.hed",
                                         "shared data: int;\n"
                                         "shared ready: bool;\n"
                                         "fn publish(v: int) { data = v; ready = true; }\n"
                                         "fn receive() -> int {\n"
                                         "  await ready;\n"
                                         "  return data;\n"
                                         "}\n");
  const std::string client = folder.file("client.hed",
                                         "import \"./cell.hed\";\n"
                                         "thread p { cell.publish(7); }\n"
                                         "thread q { assert cell.receive() == 7; }\n");
  CHECK_EQ(run_heddle({"fences", client}).exit_code, 1);  // no place in the client helps
  const Finished run = run_heddle({"fences", client, "--in", "cell", "--apply"});
  CHECK_EQ(run.exit_code, 0);
  CHECK(contains(run.output, "cell.hed was changed\n"));
  CHECK(contains(read(module), "fn publish(v: int) { data = v; fence st; ready = true; }\n"));
  CHECK(contains(read(module), "  await ready;\n  fence isync;\n  return data;\n"));
  CHECK_EQ(run_heddle({"check", client, "--model", "power"}).exit_code, 0);
  const Finished missing = run_heddle({"fences", client, "--in", "shell"});
  CHECK_EQ(missing.exit_code, 2);
  CHECK(contains(missing.errors, "the program imports no module 'shell'"));
}

TEST_CASE("fences --apply refuses to change a built-in module") {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.hed",
                                       "import std.ticket;\n"
                                       "shared l: ticket.Lock;\nshared n: int;\n"
                                       "thread p[i: 0..2] { ticket.acquire(l); n += 1; ticket.release(l); }\n"
                                       "final { assert n == 2; }\n");
  const Finished run = run_heddle({"fences", file, "--in", "ticket", "--model", "tso", "--apply"});
  CHECK_EQ(run.exit_code, 2);
  CHECK(contains(run.errors, "std/ticket.hed is built in"));
}

TEST_CASE("wrong options of fences are usage errors") {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.hed", handover);
  CHECK(contains(run_heddle({"fences", file, "--cost", "sync=3"}).errors, "--cost takes KIND=COST"));
  CHECK_EQ(run_heddle({"fences", file, "--cost", "st=0"}).exit_code, 2);
  CHECK(contains(run_heddle({"fences", file, "--goal", "sound"}).errors, "goal"));
  CHECK_EQ(run_heddle({"fences", file, "--model", "arm"}).exit_code, 2);
  CHECK_EQ(run_heddle({"fences", file, "--goal", "expect"}).exit_code, 2);  // there are no expect lines
  CHECK_EQ(run_heddle({"fences", folder.file("b.hed", "thread p {")}).exit_code, 2);
  const Finished litmus =
      run_heddle({"fences", folder.file("c.litmus", "C c\n{}\nP0(int *x) { *x = 1; }\n")});
  CHECK_EQ(litmus.exit_code, 2);
}

}  // namespace heddle::test
