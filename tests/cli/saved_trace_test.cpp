// check --trace, --minimise, --sarif and heddle replay.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

#include "cli/trace_file.hpp"
#include "heddle/heddle.h"
#include "heddle/minimise.h"
#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const char* const dekker =
    "param N = 1;\nshared x: int;\nshared y: int;\nshared inside: bool;\nmutex m;\n"
    "thread p { x = N; lock m; unlock m; if y == 0 { inside = true; } }\n"
    "thread q { y = 1; if x == 0 { assert !inside, \"both inside\"; } }\n"
    "thread r { let a = choose(0..2); if a == 1 { x = 0; } }\n";

// Saves the trace of a violation of the program in `file`.
std::string save(const TemporaryFolder& folder, const std::string& file,
                 const std::vector<std::string>& more = {}) {
  const std::string saved = (folder.path() / "trace.json").string();
  std::vector<std::string> arguments{"check", file, "--trace", saved};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Finished run = run_heddle(arguments);
  CAPTURE(run.output);
  CAPTURE(run.errors);
  REQUIRE(run.exit_code == 1);
  REQUIRE(run.errors.empty());
  return saved;
}

}  // namespace

TEST_CASE("a livelock is replayed although its first round changes a local that is not read again") {
  TemporaryFolder folder;
  const std::string file = folder.file(
      "late.hed", "shared x: int;\nthread p { var seen = 0; while x == 0 { seen = 1; x = 0; } }\n");
  const std::string saved = save(folder, file, {"--live"});
  const Json json = Json::parse(read(saved), nullptr, false);
  REQUIRE(json.is_object());
  const Finished again = run_heddle({"replay", saved});
  CAPTURE(again.output);
  CHECK(again.exit_code == 1);
  CHECK(contains(again.output, "livelock: p never ends"));
  // One that has no second round is none.
  const std::string once =
      folder.file("once.hed", "shared x: int;\nthread p { var seen = 0; if x == 0 { seen = 1; x = 0; } }\n");
  const Finished other = run_heddle({"replay", saved, "--program", once});
  CAPTURE(other.output);
  CHECK(!contains(other.output, "violation: livelock"));
}

TEST_CASE("a saved trace leads to the same violation again, under every model with its parameters") {
  TemporaryFolder folder;
  const std::string file = folder.file("dekker.hed", dekker);
  for (const std::string model : {"sc", "tso", "pso", "power"}) {
    CAPTURE(model);
    const std::string saved = save(folder, file, {"--model", model, "-D", "N=7", "--unroll", "3"});
    const Json json = Json::parse(read(saved), nullptr, false);
    REQUIRE(json.is_object());
    CHECK(json["document"] == "trace");
    CHECK(json["version"] == 1);
    CHECK(json["model"] == model);
    CHECK(json["parameters"]["N"] == 7);
    CHECK(json["unroll"] == 3);
    const Finished again = run_heddle({"replay", saved});
    CAPTURE(again.output);
    CHECK(again.exit_code == 1);
    CHECK(again.errors.empty());
    CHECK(contains(again.output, "violation: assertion failed: both inside (model " + model + ")"));
    CHECK(!contains(again.output, "note:"));
    const Json machine = Json::parse(run_heddle({"replay", saved, "--json"}).output, nullptr, false);
    CHECK(machine["document"] == "replay");
    CHECK(machine["same"] == true);
    CHECK(machine["changed"] == false);
    CHECK(machine["violation"]["trace"]["steps"] == json["violation"]["trace"]["steps"]);
  }
}

TEST_CASE("a trace through the rounds of a spin loop replays with these rounds") {
  TemporaryFolder folder;
  const std::string file = folder.file(
      "spin.hed", "shared f: int;\nthread p { f = 1; }\nthread q { while f == 0 { } assert false; }\n");
  const std::string again = (folder.path() / "again.json").string();
  for (const bool rounds : {false, true}) {
    CAPTURE(rounds);
    std::vector<std::string> more{"--model", "tso", "--algorithm",
                                  "source"};  // which goes through the rounds
    if (rounds) more.emplace_back("--no-spin-await");
    const std::string saved = save(folder, file, more);
    const Json json = Json::parse(read(saved));
    CHECK(json["unroll_spin_loops"] == rounds);
    const Finished run = run_heddle({"replay", saved, "--trace", again});
    CAPTURE(run.output);
    CHECK(run.exit_code == 1);
    CHECK(!contains(run.output, "note:"));
    CHECK(Json::parse(read(again))["unroll_spin_loops"] == rounds);
    // Files of older versions lack this field. (An await can be evaluated again, as often as the loop went round.)
    Json older = json;
    older.erase("unroll_spin_loops");
    const Finished without = run_heddle({"replay", folder.file("older.json", older.dump())});
    CHECK(without.exit_code == 1);
  }
}

TEST_CASE("a trace to a thread that waits at a loop replays, is minimised and shows locals") {
  TemporaryFolder folder;
  const std::string file =
      folder.file("loop.hed",
                  "shared l: int;\nshared free: int = 1;\n"
                  "thread p { while exchange(l, 1) != 0 { } let a = l; }\n"
                  "thread q { while exchange(l, 1) != 0 { } }\n"
                  "thread r { while fetch_sub(free, 1) <= 0 { fetch_add(free, 1); } }\n");
  const std::string again = (folder.path() / "again.json").string();
  for (const std::string model : {"sc", "power"}) {
    const Finished report = run_heddle({"check", file, "--minimise", "--locals", "--model", model});
    CAPTURE(report.output);
    CHECK(report.exit_code == 1);
    CHECK(contains(report.output, "retry loops  3 treated as await: line 3, line 4, line 5"));
    CHECK(contains(report.output, "waits for l, reads 1"));
    CHECK(contains(report.output, "locals: a = 0"));
    CHECK(contains(report.output, "The shortest trace to this violation"));
    const std::string saved = save(folder, file, {"--model", model});
    CHECK(Json::parse(read(saved))["violation"]["trace"]["waits_at_loops"] == true);
    const Finished run = run_heddle({"replay", saved, "--trace", again});
    CAPTURE(run.output);
    CHECK(run.exit_code == 1);
    CHECK(!contains(run.output, "note:"));
    CHECK(Json::parse(read(again))["violation"]["trace"]["waits_at_loops"] == true);
    CHECK(run_heddle({"replay", again}).exit_code == 1);
  }
}

TEST_CASE("an output file that is an input or another output is refused before anything is done") {
  TemporaryFolder folder;
  const std::string module = folder.file("counter.hed", "shared n: int;\nfn add() { n += 1; }\n");
  const std::string program =
      "import \"./counter.hed\";\nthread w[i: 0..2] { counter.add(); }\n"
      "final { assert counter.n == 2; }\n";
  const std::string file = folder.file("main.hed", program);
  const std::string saved = save(folder, file);
  const std::string at = folder.path().string();
  std::filesystem::create_symlink(file, at + "/link.hed");
  std::filesystem::create_directory_symlink(at, at + "/there");
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& part) {
    CAPTURE(arguments.back());
    const Finished run = run_heddle(arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.output.empty());
    CHECK_MESSAGE(contains(run.errors, part), run.errors);
  };
  refused({"check", file, "--trace", file}, "--trace would overwrite " + file + ", which is read");
  refused({"check", file, "--sarif", at + "/link.hed"}, "--sarif would overwrite");
  refused({"check", at + "/link.hed", "--html", at + "/./there/main.hed"}, "--html would overwrite");
  refused({"check", file, "--dot", module}, "--dot would overwrite " + module);
  refused({"check", file, "--trace", at + "/t.json", "--dot", at + "/there/t.json"},
          "--trace and --dot are the same file");
  refused({"replay", saved, "--trace", saved}, "--trace would overwrite");
  refused({"replay", saved, "--html", file}, "--html would overwrite");
  refused({"replay", saved, "--sarif", at + "/s", "--html", at + "/s"},
          "--html and --sarif are the same file");
  refused({"check", file, "--mermaid", file}, "--mermaid would overwrite");
  refused({"replay", saved, "--mermaid", at + "/m", "--html", at + "/m"},
          "--html and --mermaid are the same file");
  refused({"test", file, "--junit", at + "/x", "--json", at + "/there/x"},
          "--junit and --json are the same file");
  refused({"test", file, "--json", file}, "--json would overwrite");
  CHECK(read(file) == program);
  CHECK(!std::filesystem::exists(at + "/t.json"));
  CHECK(run_heddle({"check", file, "--trace", "/dev/null", "--dot", "/dev/null"}).exit_code == 1);
}

TEST_CASE("every kind of violation can be saved and replayed") {
  TemporaryFolder folder;
  for (const std::string& text :
       {std::string(unsafe_program), std::string("shared x: int;\nthread p { x = 1; }\nforbid x == 1;\n"),
        std::string("shared x: int;\nthread p { x = 1; }\nforall x == 0;\n"),
        std::string("mutex a;\nmutex b;\nthread p { lock a; lock b; unlock b; unlock a; }\n"
                    "thread q { lock b; lock a; unlock a; unlock b; }\n"),
        std::string("shared x: int[2];\nthread p { let i = x[0]; x[i + 2] = 1; }\n"),
        std::string("shared x: int;\nthread p { let i = x; x = 1 / i; }\n"),
        std::string("mutex m;\nthread p { unlock m; }\n"),
        std::string("shared x: int;\nthread p { x = 1; }\neventually x == 2;\n"),
        std::string("shared x: int;\nthread p { x = 1; while x != 0 { x = 3 - x; fence; } }\nx == 2 leads to "
                    "x == 0;\n"),
        std::string("shared x: int;\nthread p { x = 1; while true { progress; } }\neventually x == 2;\n")}) {
    CAPTURE(text);
    const std::string saved = save(folder, folder.file("program.hed", text), {"--model", "tso"});
    const Json json = Json::parse(run_heddle({"replay", saved, "--json"}).output, nullptr, false);
    CAPTURE(json.dump(2));
    CHECK(json["same"] == true);
    CHECK(json["exit_code"] == 1);
  }
}

TEST_CASE("replay reports that the program has changed, and the effect on the trace") {
  TemporaryFolder folder;
  const std::string file = folder.file("dekker.hed", dekker);
  const std::string saved = save(folder, file, {"--model", "tso"});
  folder.file("dekker.hed", std::string(dekker) + "// a remark\n");
  const Finished remark = run_heddle({"replay", saved});
  CHECK(remark.exit_code == 1);
  CHECK(contains(remark.output, "has changed since the trace was saved"));
  CHECK(contains(remark.output, "both inside (model tso)"));

  folder.file("dekker.hed", "param N = 1;\nshared x: int;\nthread p { x = 2; }\nthread q {}\nthread r {}\n");
  const Finished other = run_heddle({"replay", saved});
  CAPTURE(other.output);
  CHECK(other.exit_code == 0);
  CHECK(contains(other.output, "no violation (model tso)"));
  CHECK(contains(other.output, "of the trace, '"));
  std::filesystem::remove(file);
  const Finished gone = run_heddle({"replay", saved});
  CHECK(gone.exit_code == 2);
  CHECK(contains(gone.errors, "No such file"));
  const Finished elsewhere = run_heddle({"replay", saved, "--program", folder.file("copy.hed", dekker)});
  CHECK(elsewhere.exit_code == 1);
  CHECK(!contains(elsewhere.output, "has changed"));
}

TEST_CASE("replay notices that an imported file has changed") {
  TemporaryFolder folder;
  const std::string module = "shared n: int;\nfn add() { n += 1; }\n";
  folder.file("counter.hed", module);
  const std::string saved =
      save(folder, folder.file("main.hed",
                               "import \"./counter.hed\";\nthread w[i: 0..2] { counter.add(); }\n"
                               "final { assert counter.n == 2; }\n"));
  CHECK(!contains(run_heddle({"replay", saved}).output, "has changed"));
  folder.file("counter.hed", module + "// a remark\n");
  const Finished changed = run_heddle({"replay", saved});
  CHECK(changed.exit_code == 1);
  CHECK(contains(changed.output, "has changed since the trace was saved"));
}

TEST_CASE("replay --step shows the shared variables after each step") {
  TemporaryFolder folder;
  const std::string saved = save(folder, folder.file("lost.hed", unsafe_program));
  const Finished run = run_heddle({"replay", saved, "--step"});
  CAPTURE(run.output);
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output, "1 of "));
  CHECK(contains(run.output, "read counter = 0  (line 3: "));
  CHECK(contains(run.output, "counter = 1  (line 4: "));
  CHECK(contains(run.output, "\n    counter = 1\n"));
}

TEST_CASE(
    "trace files that are cut off, of another version or changed by hand are refused with one message") {
  TemporaryFolder folder;
  const std::string saved = save(folder, folder.file("lost.hed", unsafe_program));
  const std::string text = read(saved);
  const auto refused = [&](const std::string& changed, const std::string& part) {
    CAPTURE(part);
    const Finished run = run_heddle({"replay", folder.file("changed.json", changed)});
    CAPTURE(run.errors);
    CHECK(run.exit_code == 2);
    CHECK(run.output.empty());
    CHECK(contains(run.errors, part));
    CHECK(std::count(run.errors.begin(), run.errors.end(), '\n') <= 2);
  };
  refused("", "it is not JSON, or it was cut off");
  refused(text.substr(0, text.size() / 2), "it is not JSON, or it was cut off");
  refused("[1, 2]", "the document is not an object");
  refused(run_heddle({"list", "--json"}).output, "not a trace but a document of the kind 'list'");
  const auto with = [&](const auto& change) {
    Json json = Json::parse(text);
    change(json);
    return json.dump();
  };
  refused(with([](Json& json) { json["version"] = 2; }),
          "version 2 of the format, and this heddle reads version 1");
  refused(with([](Json& json) { json.erase("model"); }), "model is missing");
  refused(with([](Json& json) { json["model"] = "alpha"; }), "alpha");
  refused(with([](Json& json) { json["unroll"] = -1; }), "unroll is not a number from 0");
  refused(with([](Json& json) { json["violation"]["kind"] = "boredom"; }),
          "violation.kind is not a kind that this version knows");
  refused(with([](Json& json) { json["violation"]["trace"]["steps"][1]["thread"] = 9; }),
          "violation.trace.steps[1].thread is not the number of a thread");
  refused(with([](Json& json) { json["violation"]["trace"]["initial"] = 3; }),
          "violation.trace.initial is not a list");
  // Every prefix of the file, and the file with every fifth byte damaged: an error or a replay, never a
  // crash.
  for (std::size_t size = 0; size + 1 < text.size(); size += 7)
    CHECK(std::holds_alternative<std::string>(cli::parse_trace(text.substr(0, size))));
  for (std::size_t i = 0; i < text.size(); i += 5) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x11);
    static_cast<void>(cli::parse_trace(damaged));
  }
}

TEST_CASE("--minimise finds a shortest trace") {
  TemporaryFolder folder;
  // Thread r has many irrelevant steps.
  const std::string file = folder.file("long.hed",
                                       "shared x: int;\nshared y: int;\nshared z: int;\n"
                                       "thread r { for i in 0..6 { z = i; } }\n"
                                       "thread p { x = 1; let a = y; if a == 0 { y = 2; } }\n"
                                       "thread q { y = 1; let b = x; assert b == 1 || y != 2; }\n");
  for (const std::string model : {"sc", "tso"}) {
    CAPTURE(model);
    const auto program = Program::from_file(file);
    REQUIRE(program);
    CheckOptions options;
    options.model = model;
    options.algorithm = "naive";
    const auto result = check(*program, options);
    REQUIRE(result);
    if (!result->violation) {
      CHECK(model == "sc");
      continue;
    }
    const auto minimised = minimise(*program, options, *result->violation);
    REQUIRE(minimised);
    REQUIRE(minimised->shortest);
    CHECK(minimised->violation.line == result->violation->line);
    CHECK(minimised->transitions <= result->violation->trace.steps.size());
    // A thread's stores before its first visible step are in any trace.
    for (const Step& step : minimised->violation.trace.steps) {
      if (step.kind != StepKind::buffered) CHECK(step.location != "z");
    }
    const Finished run = run_heddle({"check", file, "--model", model, "--minimise"});
    CHECK(contains(run.output,
                   "The shortest trace to this violation: " + std::to_string(minimised->transitions) +
                       " transitions, " + std::to_string(minimised->switches) + " context switch"));
  }
}

TEST_CASE("--sarif reports a violation with its place and its steps, and safety without results") {
  TemporaryFolder folder;
  const std::string output = (folder.path() / "out.sarif").string();
  const std::string lost = folder.file("lo st.hed", unsafe_program);
  CHECK(run_heddle({"check", lost, "--sarif", output}).exit_code == 1);
  const Json json = Json::parse(read(output), nullptr, false);
  REQUIRE(json.is_object());
  CHECK(json["version"] == "2.1.0");
  const Json& run = json["runs"][0];
  REQUIRE(run["results"].size() == 1);
  const Json& result = run["results"][0];
  CHECK(result["ruleId"] == "assertion");
  CHECK(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"] == result["ruleId"]);
  const Json& place = result["locations"][0]["physicalLocation"];
  CHECK(place["region"]["startLine"] == 6);
  CHECK(contains(place["artifactLocation"]["uri"].get<std::string>(), "/lo%20st.hed"));
  CHECK(result["codeFlows"][0]["threadFlows"][0]["locations"].size() >= 4);
  CHECK(run_heddle({"check", folder.file("sb.hed", safe_program), "--sarif", output}).exit_code == 0);
  CHECK(Json::parse(read(output), nullptr, false)["runs"][0]["results"].empty());
}

TEST_CASE("files that cannot be written are one message each, and the report is still printed") {
  TemporaryFolder folder;
  const std::string lost = folder.file("lost.hed", unsafe_program);
  const std::string nowhere = (folder.path() / "none" / "x").string();
  for (const char* option : {"--trace", "--dot", "--html", "--mermaid", "--sarif"}) {
    CAPTURE(option);
    const Finished run = run_heddle({"check", lost, option, nowhere});
    CHECK(run.exit_code == 2);
    CHECK(contains(run.output, "lost.hed: violation"));
    CHECK(contains(run.errors, "cannot write " + nowhere + ": No such file or directory"));
    const Finished full = run_heddle({"check", lost, option, "/dev/full"});
    CHECK(full.exit_code == 2);
    CHECK(contains(full.output, "lost.hed: violation"));
    CHECK(contains(full.errors, "cannot write /dev/full: No space left on device"));
  }
  const std::filesystem::path closed = folder.path() / "closed";
  std::filesystem::create_directory(closed);
  std::filesystem::permissions(closed, std::filesystem::perms(0555));
  const Finished denied =
      run_heddle({"check", lost, "--trace", (closed / "t.json").string()}, {.as_nobody = true});
  CHECK(denied.exit_code == 2);
  CHECK(contains(denied.output, "lost.hed: violation"));
  CHECK(contains(denied.errors, "Permission denied"));
  CHECK(std::filesystem::is_empty(closed));

  const Finished safe =
      run_heddle({"check", folder.file("sb.hed", safe_program), "--trace", (folder.path() / "t").string()});
  CHECK(safe.exit_code == 0);
  CHECK(contains(safe.errors, "no violation and no witness, so "));
  CHECK(!std::filesystem::exists(folder.path() / "t"));
}

TEST_CASE("the trace of a data race is replayed under every model") {
  TemporaryFolder folder;
  const std::string file =
      folder.file("race.hed", "shared x: plain int;\nthread p { x = 1; }\nthread q { let a = x; }\n");
  const std::string trace = (folder.path() / "race.json").string();
  for (const char* model : {"sc", "power"}) {
    CAPTURE(model);
    CHECK_EQ(run_heddle({"check", file, "--model", model, "--trace", trace}).exit_code, 1);
    const Finished again = run_heddle({"replay", trace});
    CHECK_EQ(again.exit_code, 1);
    CHECK(contains(again.output, "data race"));
    CHECK_FALSE(contains(again.output, "note:"));
  }
  folder.file("race.hed", "shared x: int;\nthread p { x = 1; }\nthread q { let a = x; }\n");
  const Finished changed = run_heddle({"replay", trace});
  CHECK_EQ(changed.exit_code, 2);
  CHECK(contains(changed.errors, "has changed since"));
}

}  // namespace heddle::test
