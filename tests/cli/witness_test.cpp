// --witness, --violation and --keep-going, and the reports of unfinished searches.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <filesystem>

#include "heddle/heddle.h"
#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const char* const buffering =
    "shared x: int;\nshared y: int;\n"
    "thread p { x = 1; let a = y; }\nthread q { y = 1; let b = x; }\n"
    "exists x == 7;\nexists p.a == 0 && q.b == 0;\n";

const char* const violations =
    "shared x: int;\n"
    "thread p { let a = x; assert a == 0, \"first\"; assert a < 1, \"second\"; }\n"
    "thread q { x = 1; }\n"
    "final { assert x == 0, \"third\"; }\n";

Json parse(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  REQUIRE_MESSAGE(json.is_object(), text);
  return json;
}

}  // namespace

TEST_CASE("the report names the option that shows an execution that satisfies an `exists`, which shows it") {
  TemporaryFolder folder;
  const std::string file = folder.file("sb.hed", buffering);
  const Finished plain = run_heddle({"check", file, "--model", "tso"});
  CHECK(plain.exit_code == 0);
  CHECK(contains(plain.output, "(--witness 2 shows an execution that satisfies it)"));
  const Finished never = run_heddle({"check", file});
  CHECK(!contains(never.output, "--witness"));
  const Finished shown = run_heddle({"check", file, "--model", "tso", "--witness", "2", "--minimise"});
  CAPTURE(shown.output);
  CHECK(shown.exit_code == 0);
  CHECK(contains(shown.output, "an execution that satisfies 'exists p.a == 0 && q.b == 0':"));
  CHECK(contains(shown.output, "x = 1 reaches memory"));
  CHECK(contains(shown.output, "The shortest trace to this witness: 4 transitions"));
  const Finished none = run_heddle({"check", file, "--model", "tso", "--witness", "1"});
  CHECK(none.exit_code == 0);
  CHECK(contains(none.output, "No execution satisfies it."));
  const Finished beyond = run_heddle({"check", file, "--witness", "3"});
  CHECK(beyond.exit_code == 2);
  CHECK(contains(beyond.errors, "there is no `exists` number 3"));
  const Json json = parse(run_heddle({"check", file, "--model", "tso", "--witness", "2", "--json"}).output);
  REQUIRE(json["witnesses"].size() == 1);
  CHECK(json["witnesses"][0]["condition"] == "exists p.a == 0 && q.b == 0");
  CHECK(json["witnesses"][0]["line"] == 6);
  CHECK(json["violation"].is_null());
}

TEST_CASE("a witness is saved, drawn and replayed, under every model") {
  TemporaryFolder folder;
  const std::string file = folder.file("sb.hed", buffering);
  const std::string at = folder.path().string();
  for (const std::string model : {"tso", "pso", "power"}) {
    CAPTURE(model);
    const Finished run = run_heddle({"check", file, "--model", model, "--trace", at + "/w.json", "--html",
                                     at + "/w.html", "--dot", at + "/w.dot"});
    CHECK(run.exit_code == 0);
    CHECK(run.errors.empty());
    CHECK(contains(read(at + "/w.html"), "an execution that satisfies"));
    CHECK(contains(read(at + "/w.dot"), "an execution that satisfies 'exists p.a == 0 && q.b == 0'"));
    const Json saved = parse(read(at + "/w.json"));
    CHECK(saved["violation"].is_null());
    const Finished again = run_heddle({"replay", at + "/w.json"});
    CAPTURE(again.output);
    CHECK(again.exit_code == 0);
    CHECK(
        contains(again.output, "an execution that satisfies 'exists p.a == 0 && q.b == 0' (model " + model));
    CHECK(!contains(again.output, "note:"));
    const Json json = parse(run_heddle({"replay", at + "/w.json", "--json"}).output);
    CHECK(json["same"] == true);
    CHECK(json["witness"]["trace"]["steps"] == saved["witness"]["trace"]["steps"]);
    const std::string changed = folder.file(
        "other.hed", std::string(buffering).replace(std::string(buffering).rfind("q.b == 0"), 8, "q.b == 5"));
    const Finished gone = run_heddle({"replay", at + "/w.json", "--program", changed});
    CAPTURE(gone.output);
    CHECK(gone.exit_code == 3);
    CHECK(contains(gone.output, "note: the trace no longer ends as it did"));
  }
  const Finished nothing = run_heddle({"check", file, "--html", at + "/n.html"});
  CHECK(nothing.exit_code == 0);
  CHECK(contains(nothing.errors, "no violation and no witness, so " + at + "/n.html is not written"));
  CHECK(!std::filesystem::exists(at + "/n.html"));
}

TEST_CASE("outcomes --witness shows and saves an execution for a row of the table") {
  TemporaryFolder folder;
  const std::string file = folder.file("sb.hed", buffering);
  const std::string saved = (folder.path() / "row.json").string();
  for (const std::string model : {"tso", "pso", "power"}) {
    for (int row = 1; row <= 4; ++row) {
      CAPTURE(row);
      const std::vector<std::string> arguments{"outcomes", file,        "--model",
                                               model,      "--witness", std::to_string(row)};
      std::vector<std::string> saving = arguments;
      saving.insert(saving.end(), {"--trace", saved});
      const Finished run = run_heddle(saving);
      CAPTURE(run.output);
      CHECK(run.exit_code == 0);
      const std::string a = row <= 2 ? "0" : "1";
      const std::string b = row % 2 == 1 ? "0" : "1";
      CHECK(contains(run.output, "an execution that ends in this state:"));
      CHECK(contains(run.output, "locals: a = " + a));
      CHECK(contains(run.output, "locals: b = " + b));
      const Finished again = run_heddle({"replay", saved});
      CAPTURE(again.output);
      CHECK(again.exit_code == 0);
      CHECK(contains(again.output, "an execution that ends in this state"));
      std::vector<std::string> machine = arguments;
      machine.emplace_back("--json");
      CHECK(parse(run_heddle(machine).output)["witness"]["row"] == row);
    }
    const Finished beyond = run_heddle({"outcomes", file, "--model", model, "--witness", "5"});
    CHECK(beyond.exit_code == 2);
    CHECK(contains(beyond.errors, "there is no row 5"));
    CHECK(contains(beyond.errors, "the table has 4 rows"));
  }
  const Finished part = run_heddle({"outcomes", file, "--only", "p.a", "--witness", "2"});
  CAPTURE(part.output);
  CHECK(contains(part.output, "2           2    1\n"));
  CHECK(contains(part.output, "locals: a = 1"));
  const Finished refused = run_heddle({"outcomes", file, "--html", "x.html"});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.errors, "saving an execution needs --witness"));
}

TEST_CASE("outcomes --witness works for litmus tests") {
  TemporaryFolder folder;
  const std::string file = folder.file("sb.litmus",
                                       "X86 SB\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n"
                                       " MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n");
  const std::string saved = (folder.path() / "row.json").string();
  const Finished run = run_heddle({"outcomes", file, "--model", "tso", "--witness", "1", "--trace", saved});
  CAPTURE(run.output);
  CHECK(run.exit_code == 0);
  CHECK(contains(run.output, "Observation SB Sometimes 1 3"));
  CHECK(contains(run.output, "an execution that ends in this state:"));
  CHECK(run_heddle({"replay", saved}).exit_code == 0);
}

TEST_CASE("--keep-going lists every distinct violation, and --violation selects the one to show") {
  TemporaryFolder folder;
  const std::string file = folder.file("v.hed", violations);
  const std::string saved = (folder.path() / "t.json").string();
  const Finished run = run_heddle({"check", file, "--keep-going"});
  CAPTURE(run.output);
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output, "3 distinct violations:"));
  for (const std::string word : {"first", "second", "third"})
    CHECK(contains(run.output, "assertion failed: " + word + " (met "));
  const Json json = parse(run_heddle({"check", file, "--keep-going", "--json"}).output);
  CHECK(json["finished"] == true);
  REQUIRE(json["violations"].size() == 3);
  CHECK(json["violation"] == json["violations"][0]);
  for (std::size_t i = 1; i <= 3; ++i) {
    const std::string message = json["violations"][i - 1]["message"];
    CAPTURE(message);
    const Finished one =
        run_heddle({"check", file, "--keep-going", "--violation", std::to_string(i), "--trace", saved});
    CHECK(contains(one.output, "violation: " + message + "\n"));
    const Finished again = run_heddle({"replay", saved});
    CAPTURE(again.output);
    CHECK(again.exit_code == 1);
    CHECK(contains(again.output, "violation: " + message));
    CHECK(!contains(again.output, "note:"));
  }
  const Finished beyond = run_heddle({"check", file, "--keep-going", "--violation", "4"});
  CHECK(beyond.exit_code == 2);
  CHECK(contains(beyond.errors, "there is no violation number 4"));
  CHECK(contains(beyond.errors, "the check has found 3 distinct violations"));
  const Finished refused = run_heddle({"check", file, "--violation", "2"});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.errors, "--violation needs --keep-going"));
  const std::string report = (folder.path() / "r.sarif").string();
  CHECK(run_heddle({"check", file, "--keep-going", "--sarif", report}).exit_code == 1);
  CHECK(parse(read(report))["runs"][0]["results"].size() == 3);
}

TEST_CASE(
    "a search stopped by a limit says so in addition to its violation, and claims nothing about conditions") {
  TemporaryFolder folder;
  const std::string safe = folder.file(
      "s.hed",
      "shared x: int;\nthread p[i: 0..3] { x = i; x = i; x = i; }\nexists x == 9;\nexists x < 3;\n"
      "exists x == 2;\n");
  const std::vector<std::string> limited{"--algorithm", "naive", "--max-executions", "40"};
  const auto with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), limited.begin(), limited.end());
    return run_heddle(arguments);
  };
  for (const std::string command : {"check", "outcomes"}) {
    const Finished run = with({command, safe});
    CAPTURE(run.output);
    CHECK(run.exit_code == 3);
    CHECK(contains(run.output, "exists x == 9: never so far (0 of 40 executions)"));
    CHECK(contains(run.output, "exists x < 3: always so far (40 of 40 executions)"));
    CHECK(!contains(run.output, "never (0"));
    const Json json = parse(with({command, safe, "--json"}).output);
    CHECK(json["finished"] == false);
    CHECK(json["stopped_by"] == "execution limit");
  }
  const std::string unsafe = folder.file(
      "u.hed", "shared x: int;\nthread p[i: 0..3] { x = i; assert x == i; x = i; x = i; }\nexists x == 9;\n");
  const Finished found = with({"check", unsafe, "--keep-going"});
  CAPTURE(found.output);
  CHECK(found.exit_code == 1);
  CHECK(contains(found.output, "violation, but the search has not finished, stopped by: execution limit"));
  const Json json = parse(with({"check", unsafe, "--keep-going", "--json"}).output);
  CHECK(json["verdict"] == "violation");
  CHECK(json["exit_code"] == 1);
  CHECK(json["finished"] == false);
  CHECK(json["stopped_by"] == "execution limit");
  const Finished compared =
      run_heddle({"compare", unsafe, "--models", "sc", "--algorithms", "naive", "--timeout", "0.000001"});
  CAPTURE(compared.output);
  CHECK(contains(compared.output, "(timeout)"));
  CHECK(contains(compared.output, "sc (so far)"));
}

TEST_CASE("a litmus test whose search is stopped by a limit is Ok or No only if that is certain") {
  TemporaryFolder folder;
  const auto test = [&](const std::string& condition) {
    return folder.file("mp.litmus",
                       "X86 MP\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[y] ;\n"
                       " MOV [y],$1 | MOV EBX,[x] ;\n" +
                           condition + "\n");
  };
  const auto run = [&](const std::string& condition) {
    return run_heddle({"outcomes", test(condition), "--max-executions", "1"}).output;
  };
  const std::string open = run("exists (1:EAX=7)");
  CAPTURE(open);
  CHECK(contains(open, "\nUndecided\nWitnesses"));
  CHECK(contains(open, "Observation MP Undecided 0 1"));
  CHECK(contains(run("exists (x=1)"), "\nOk\nWitnesses"));
  CHECK(contains(run("~exists (x=1)"), "\nNo\nWitnesses"));
  CHECK(contains(run("~exists (x=2)"), "\nUndecided\nWitnesses"));
}

}  // namespace heddle::test
