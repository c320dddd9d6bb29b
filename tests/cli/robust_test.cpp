// heddle check --robust: text, JSON, exit codes, what it does not go with, and the classic litmus tests.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const char* const buffering =
    "shared x: int;\nshared y: int;\n"
    "thread p {\n"
    "  x = 1;\n"
    "  let a = y;\n"
    "}\n"
    "thread q {\n"
    "  y = 1;\n"
    "  let b = x;\n"
    "}\n";
const char* const fenced_buffering =
    "shared x: int;\nshared y: int;\n"
    "thread p {\n  x = 1;\n  fence;\n  let a = y;\n}\n"
    "thread q {\n  y = 1;\n  fence;\n  let b = x;\n}\n";
const char* const passing =
    "shared x: int;\nshared y: int;\n"
    "thread p {\n  x = 1;\n  y = 1;\n}\n"
    "thread q {\n  let a = y;\n  let b = x;\n}\n";
const char* const load_buffering =
    "shared x: int;\nshared y: int;\n"
    "thread p {\n  let a = x;\n  y = 1;\n}\n"
    "thread q {\n  let b = y;\n  x = 1;\n}\n";
const char* const independent_reads =
    "shared x: int;\nshared y: int;\n"
    "thread w { x = 1; }\n"
    "thread v { y = 1; }\n"
    "thread p {\n  let a = x;\n  fence lw;\n  let b = y;\n}\n"
    "thread q {\n  let c = y;\n  fence lw;\n  let d = x;\n}\n";

}  // namespace

TEST_CASE("check --robust shows the execution that SC does not have, with its cycle") {
  TemporaryFolder folder;
  const std::string file = folder.file("sb.hed", buffering);
  const Finished run = run_heddle({"check", file, "--robust", "--model", "tso"});
  CAPTURE(run.output);
  CHECK_EQ(run.exit_code, 1);
  CHECK_EQ(run.errors, "");
  CHECK(contains(run.output, "violation, not robust (model tso, algorithm trust)"));
  CHECK(contains(run.output, "not robust: 'tso' has an execution that SC does not have"));
  const auto cycle = run.output.find("The cycle that SC excludes:\n");
  REQUIRE(cycle != std::string::npos);
  const std::string edges = run.output.substr(cycle);
  for (const std::string_view part :
       {"line 4", "line 5", "line 8", "line 9", "-> from-reads", "-> program order"})
    CHECK(contains(edges, std::string(part)));

  const Finished json = run_heddle({"check", file, "--robust", "--model", "power", "--json"});
  CHECK_EQ(json.exit_code, 1);
  const Json report = Json::parse(json.output);
  CHECK_EQ(report["robust"], false);
  CHECK_EQ(report["violation"]["kind"], "not_robust");
  CHECK_EQ(report["violation"]["cycle"].size(), 4);
  CHECK(Json::parse(run_heddle({"check", file, "--json"}).output)["robust"].is_null());
}

TEST_CASE("check --robust answers as the literature does for the classic litmus tests") {
  struct Case {
    const char* name;
    const char* text;
    bool tso, pso, power;  // robust
  };
  const Case cases[] = {{"sb.hed", buffering, false, false, false},
                        {"sb-fences.hed", fenced_buffering, true, true, true},
                        {"mp.hed", passing, true, false, false},
                        {"lb.hed", load_buffering, true, true, false},
                        {"iriw-lw.hed", independent_reads, true, true, false}};
  TemporaryFolder folder;
  for (const Case& each : cases) {
    const std::string file = folder.file(each.name, each.text);
    const std::pair<const char*, bool> models[] = {
        {"tso", each.tso}, {"pso", each.pso}, {"power", each.power}};
    for (const auto& [model, robust] : models) {
      for (const char* algorithm : {"trust", "rsmc"}) {
        const Finished run =
            run_heddle({"check", file, "--robust", "--model", model, "--algorithm", algorithm});
        CAPTURE(run.output);
        CHECK_EQ(run.exit_code, robust ? 0 : 1);
        CHECK(contains(run.output, robust ? "safe, robust (" : "violation, not robust ("));
      }
    }
  }
}

TEST_CASE("check --robust counts executions that end in a deadlock or at a violation, but not assumptions") {
  TemporaryFolder folder;
  const auto ending = [&](const std::string& text) {
    return run_heddle({"check", folder.file("end.hed", text), "--robust", "--model", "tso"}).exit_code;
  };
  const std::string begin =
      "shared x: int;\nshared y: int;\nshared z: int;\nshared c: int[1];\n"
      "thread p {\n  x = 1;\n  let a = y;\n  z = a;\n}\n"
      "thread q {\n  y = 1;\n  let b = x;\n";
  CHECK_EQ(ending(begin + "  assert b == 1;\n}\n"), 1);
  CHECK_EQ(ending(begin + "  if (b == 0) { c[b + 1] = 1; }\n}\n"), 1);
  CHECK_EQ(ending(begin + "  if (b == 0) { await z == 1; }\n}\n"), 1);
  CHECK_EQ(ending(begin + "  assume b == 1;\n}\n"), 0);
}

TEST_CASE("check --robust refuses what cannot answer the question") {
  TemporaryFolder folder;
  const std::string file = folder.file("sb.hed", buffering);
  const auto refused = [&](std::vector<std::string> options, const std::string& why) {
    options.insert(options.begin(), {"check", file, "--robust"});
    const Finished run = run_heddle(options);
    CAPTURE(run.errors);
    CHECK_EQ(run.exit_code, 2);
    CHECK(contains(run.errors, why));
  };
  refused({}, "under 'sc' every program is robust");
  refused({"--model", "tso", "--algorithm", "rf"}, "the algorithm 'rf' cannot decide robustness");
  refused({"--model", "tso", "--algorithm", "source"}, "the algorithm 'source' cannot decide robustness");
  refused({"--model", "tso", "--preemption-bound", "2"}, "robustness under a preemption bound");
  refused({"--model", "tso", "--minimise"}, "--robust and --minimise exclude each other");
  refused({"--model", "tso", "--states", "--algorithm", "rf"},
          "the algorithm 'rf' cannot compare final states");
  const Finished states = run_heddle({"check", file, "--model", "tso", "--states"});
  CHECK_EQ(states.exit_code, 2);
  CHECK(contains(states.errors, "--states needs --robust"));
}

TEST_CASE("check --robust --states asks for a final state that SC does not have") {
  TemporaryFolder folder;
  // Both graphs that TSO adds end in states that SC has: nothing shows which value was read.
  const std::string silent = folder.file("silent.hed",
                                         "shared x: int;\nshared y: int;\n"
                                         "thread p { x = 1; if (y == 5) { x = 2; } }\n"
                                         "thread q { y = 1; if (x == 5) { y = 2; } }\n");
  CHECK_EQ(run_heddle({"check", silent, "--robust", "--model", "tso"}).exit_code, 1);
  const std::string open = folder.file("sb.hed", buffering);
  for (const char* model : {"tso", "pso", "power"}) {
    for (const char* algorithm : {"naive", "dpor", "source", "sdpor", "trust", "rsmc"}) {
      CAPTURE(model);
      CAPTURE(algorithm);
      const auto run = [&](const std::string& file) {
        return run_heddle(
            {"check", file, "--robust", "--states", "--model", model, "--algorithm", algorithm});
      };
      const Finished same = run(silent);
      CHECK_EQ(same.exit_code, 0);
      CHECK(contains(same.output, "safe, robust in its final states ("));
      const Finished other = run(open);
      CHECK_EQ(other.exit_code, 1);
      CHECK(contains(other.output, "has a final state that SC does not have"));
      CHECK(contains(other.output, "The cycle that SC excludes:"));
    }
  }
  const Json report =
      Json::parse(run_heddle({"check", silent, "--robust", "--states", "--model", "tso", "--json"}).output);
  CHECK_EQ(report["robust"], true);
  CHECK_EQ(report["robust_by"], "states");
}

TEST_CASE("an execution that SC does not have can be saved, replayed and drawn with its cycle") {
  TemporaryFolder folder;
  // In a deadlock, after an assertion that fails: the end of the execution is no complete one.
  const std::string file = folder.file("end.hed",
                                       "shared x: int;\nshared y: int;\nshared z: int;\n"
                                       "thread p {\n  x = 1;\n  let a = y;\n  assert a == 1;\n  z = a;\n}\n"
                                       "thread q {\n  y = 1;\n  let b = x;\n"
                                       "  if (b == 0) { await z == 1; }\n}\n");
  const auto path = [&](const std::string& name) { return (folder.path() / name).string(); };
  for (const char* model : {"tso", "power"}) {
    CAPTURE(model);
    const Finished run =
        run_heddle({"check", file, "--robust", "--model", model, "--trace", path("t.json"), "--dot",
                    path("t.dot"), "--html", path("t.html"), "--sarif", path("t.sarif")});
    CAPTURE(run.errors);
    CHECK_EQ(run.exit_code, 1);
    const Finished again = run_heddle({"replay", path("t.json")});
    CAPTURE(again.output);
    CHECK_EQ(again.exit_code, 1);
    CHECK(contains(again.output, "violation: not robust"));
    CHECK(contains(again.output, "The cycle that SC excludes:"));
    CHECK_FALSE(contains(again.output, "note:"));

    const Json saved = Json::parse(read(path("t.json")));
    const std::size_t edges = saved["violation"]["cycle"].size();
    CHECK_GE(edges, 4);
    const std::string dot = read(path("t.dot"));
    std::size_t bold = 0;
    for (auto at = dot.find("penwidth=3"); at != std::string::npos; at = dot.find("penwidth=3", at + 1))
      ++bold;
    CHECK_EQ(bold, edges);
    CHECK(contains(read(path("t.html")), "\"cycle\":[[\""));
    const Json sarif = Json::parse(read(path("t.sarif")));
    const Json& related = sarif["runs"][0]["results"][0]["relatedLocations"];
    REQUIRE_EQ(related.size(), edges);
    CHECK(contains(related[0]["message"]["text"].get<std::string>(), " -> "));
  }
  // The trace does not fit a program that ends differently.
  folder.file("end.hed",
              "shared x: int;\nshared y: int;\nshared z: int;\n"
              "thread p {\n  x = 1;\n  let a = y;\n}\nthread q {\n  y = 1;\n  let b = x;\n}\n");
  const Finished changed = run_heddle({"replay", path("t.json")});
  CHECK_EQ(changed.exit_code, 0);
  CHECK(contains(changed.output, "note:"));
}

TEST_CASE("check --robust with several models is a table that leaves out SC") {
  TemporaryFolder folder;
  const Finished run =
      run_heddle({"check", folder.file("mp.hed", passing), "--robust", "--model", "all", "--json"});
  CHECK_EQ(run.exit_code, 1);
  CHECK(contains(run.output, "every program is robust under 'sc'"));
}

}  // namespace heddle::test
