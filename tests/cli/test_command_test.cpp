// heddle test: expectations in programs and suites, reports, updates, and failing checks.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cli/suite.hpp"
#include "cli/test_run.hpp"
#include "heddle/heddle.h"
#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

// The first child of the process; 0 if there is none.
pid_t first_child(pid_t parent = ::getpid()) {
  const std::string self = std::to_string(parent);
  std::ifstream file("/proc/" + self + "/task/" + self + "/children");
  pid_t child = 0;
  file >> child;
  return child;
}

// Whether the process runs or waits; a zombie does not count.
bool is_alive(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return file >> number >> name >> state && state != "Z" && state != "X";
}

// Polls until the condition holds; false after a minute.
template <typename Asked>
bool soon(Asked&& asked) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!asked()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

const char* const good = "expect sc: never;\nexpect tso: sometimes;\nexpect sc by source: executions 3;\n";

}  // namespace

TEST_CASE("test runs every expectation of files and folders and sums up") {
  TemporaryFolder folder;
  folder.file("a.hed", std::string(safe_program) + good);
  folder.file("b.hed", std::string(unsafe_program) + "expect sc by source, trust: violation \"lost\";\n");
  folder.file("note.txt", "not a program");
  const Finished run = run_heddle({"test", folder.path().string(), "-j", "2"});
  CAPTURE(run.output);
  CAPTURE(run.errors);
  CHECK(run.exit_code == 0);
  CHECK(contains(run.output, "5 checks of 2 programs: 5 passed;"));
  const Finished some =
      run_heddle({"test", folder.path().string(), "--models", "sc", "--algorithms", "trust"});
  CHECK(some.exit_code == 0);
  CHECK(contains(some.output, "2 checks of 2 programs: 2 passed; left out: 1 check;"));
}

TEST_CASE("a failure is one line with the difference and the command that reproduces it") {
  TemporaryFolder folder;
  const std::string file = folder.file("a.hed", std::string(safe_program) + "expect tso with N=2: never;\n");
  const Finished run = run_heddle({"test", file});
  CAPTURE(run.output);
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output, "failed " + file +
                                 ":7: [tso trust] expected never, found sometimes; heddle check " + file +
                                 " --model tso -D N=2 --keep-going\n"));
  CHECK(contains(run.output, "1 check of 1 program: 0 passed, 1 failed;"));
  const Finished again =
      run_heddle({"check", file, "--model", "tso", "--algorithm", "source", "-D", "N=2", "--keep-going"});
  CHECK(contains(again.output, "sometimes (1 of 4 executions)"));
}

TEST_CASE("a suite keeps expectations apart from programs") {
  TemporaryFolder folder;
  folder.file("a b.hed", safe_program);
  const std::string suite =
      folder.file("all.suite",
                  "# FILE SETTINGS MODELS ALGORITHMS EXPECTATION\n\n"
                  "\"a b.hed\"  -           sc       -             never  # a comment\n"
                  "\"a b.hed\"  N=2,unroll=4  tso,pso  source,trust  executions 4\n"
                  "\"a b.hed\"  -           sc       -             violation \"x y\"\n");
  const Finished run = run_heddle({"test", suite});
  CAPTURE(run.output);
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output, "6 checks of 1 program: 5 passed, 1 failed;"));
  CHECK(
      contains(run.output, "all.suite:5: [sc trust] expected violation \"x y\", found safe; heddle check '"));

  const std::string wrong =
      folder.file("wrong.suite",
                  "a.hed - sc - perhaps\na.hed - scc - safe\na.hed - sc safe\n"
                  "a.hed N=x sc - safe\na.hed - sc - executions\na.hed - sc - safe 3\n"
                  "\"a.hed - sc - safe\na.hed N=1,N=2 sc - safe\na.hed - sc dopr safe\n"
                  "a.hed timeout=0 sc - safe\na.hed buffer-bound=x sc - safe\na.hed timeout sc - safe\n");
  const Finished refused = run_heddle({"test", wrong});
  CAPTURE(refused.errors);
  CHECK(refused.exit_code == 2);
  for (const char* part :
       {"wrong.suite:1: error: unknown expectation 'perhaps'", "wrong.suite:2: error: unknown model 'scc'",
        "wrong.suite:3: error: a line is FILE SETTINGS MODELS ALGORITHMS EXPECTATION",
        "wrong.suite:4: error: -D N: 'x' is not a whole number",
        "wrong.suite:5: error: 'executions' needs a number",
        "wrong.suite:6: error: '3' comes after the expectation",
        "wrong.suite:7: error: a quotation mark is missing", "wrong.suite:8: error: -D gives N twice",
        "wrong.suite:9: error: unknown algorithm 'dopr'",
        "wrong.suite:10: error: timeout takes a number of seconds above 0, not '0'",
        "wrong.suite:11: error: buffer-bound takes a whole number of at least 0, not 'x'",
        "wrong.suite:12: error: timeout takes a number of seconds above 0, not ''"}) {
    CHECK_MESSAGE(contains(refused.errors, part), part);
  }
}

TEST_CASE("`safe` and `never` need a complete execution, and `safe` one that no bound cut") {
  TemporaryFolder folder;
  const std::string vacuous =
      "shared x: int;\nthread p { x = 1; assume x == 5; }\nexists x == 7;\n"
      "expect sc: safe;\nexpect sc: never;\nexpect sc: always;\nexpect sc: safe within bounds;\n"
      "expect sc: vacuous;\nexpect sc: executions 0;\n";
  const Finished run = run_heddle({"test", folder.file("a.hed", vacuous)});
  CAPTURE(run.output);
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output, "6 checks of 1 program: 2 passed, 4 failed;"));
  for (const char* const expected : {"safe", "never", "always", "safe within bounds"}) {
    CHECK(contains(run.output, std::string("expected ") + expected + ", found vacuous ("));
  }
  CHECK(contains(run.output, "a.hed:2:19: assume x == 5)"));

  const std::string cut =
      "shared x: int;\nthread p { while x < 20 { x += 1; } }\nthread q { x = choose(0..40); }\n"
      "expect all by trust: safe;\nexpect all: safe within bounds;\n";
  const Finished bounded = run_heddle({"test", folder.file("b.hed", cut), "--models", "sc"});
  CAPTURE(bounded.output);
  CHECK(bounded.exit_code == 1);
  CHECK(contains(bounded.output,
                 "b.hed:4: [sc trust] expected safe, found safe within bounds (the loop bound"));
  CHECK(contains(bounded.output, "2 checks of 1 program: 1 passed, 1 failed;"));

  // With a bound of the run `safe` means safe within it.
  const Finished of_run = run_heddle({"test", folder.file("b.hed", cut), "--models", "sc", "--unroll", "10"});
  CHECK_MESSAGE(of_run.exit_code == 0, of_run.output);
  CHECK(contains(of_run.output, "; `safe` means safe within --unroll 10"));

  const std::string suite = folder.file("all.suite",
                                        "b.hed unroll=50 sc - safe\n"
                                        "b.hed - sc - safe within bounds\n"
                                        "b.hed unroll=1 sc - safe\n"
                                        "a.hed - sc - vacuous\n");
  const Finished listed = run_heddle({"test", suite});
  CAPTURE(listed.output);
  CHECK(contains(listed.output, "4 checks of 2 programs: 3 passed, 1 failed;"));
  CHECK(contains(listed.output, "all.suite:3: "));
  const std::string wrong = folder.file("wrong.suite", "b.hed - sc - never within bounds\n");
  CHECK(contains(run_heddle({"test", wrong}).errors, "unknown expectation 'never within bounds'"));
}

TEST_CASE("broken programs, missing files and programs without expectations have different messages") {
  TemporaryFolder folder;
  folder.file("bad.hed", "thread p { x = 1; }\n");
  folder.file("empty.hed", safe_program);
  folder.file("gone.suite", "missing.hed - sc - safe\n");
  const Finished run = run_heddle({"test", folder.path().string()});
  CAPTURE(run.output);
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output, "broken " + (folder.path() / "bad.hed").string() + ": "));
  CHECK(contains(run.output, "gone.suite:1: [sc auto] No such file or directory"));
  CHECK(contains(run.output, "; 1 program without expectations;"));

  TemporaryFolder silent;
  silent.file("empty.hed", safe_program);
  silent.file("other.hed", unsafe_program);
  const Finished nothing = run_heddle({"test", silent.path().string(), "--json", "-"});
  CHECK(nothing.exit_code == 2);
  CHECK(Json::parse(nothing.output)["exit_code"] == 2);
  CHECK(contains(nothing.errors, "nothing was tested: none of these programs has an expectation"));
  CHECK(contains(run_heddle({"test", silent.path().string()}).output, "; 2 programs without expectations;"));

  const Finished missing = run_heddle({"test", (folder.path() / "no").string()});
  CHECK(missing.exit_code == 2);
  CHECK(contains(missing.errors, "there is no such file or folder"));
  const Finished none = run_heddle({"test"});
  CHECK(none.exit_code == 2);
  CHECK(contains(none.errors, "the file is missing"));
}

TEST_CASE("JSON and JUnit reports have the same results as the text") {
  TemporaryFolder folder;
  folder.file("a.hed", std::string(safe_program) + good + "expect sc: always;\n");
  const std::string junit = (folder.path() / "junit.xml").string();
  const std::string json_file = (folder.path() / "results.json").string();
  const Finished run =
      run_heddle({"test", folder.path().string(), "--junit", junit, "--json", json_file, "--models", "sc"});
  CHECK(run.exit_code == 1);
  const Json json = Json::parse(read(json_file), nullptr, false);
  REQUIRE(json.is_object());
  CHECK(json["document"] == "tests");
  CHECK(json["passed"] == 2);
  CHECK(json["failed"] == 1);
  CHECK(json["left_out"] == 1);
  REQUIRE(json["results"].size() == 4);
  CHECK(json["results"][3]["status"] == "failed");
  CHECK(json["results"][3]["line"] == 10);
  CHECK(json["results"][3]["expectation"] == "expect sc: always");
  CHECK(json["results"][3]["message"] == "expected always, found never");
  const std::string xml = read(junit);
  CHECK(contains(xml, "<testsuites name=\"heddle\" tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\""));
  CHECK(contains(xml, "<failure message=\"expected always, found never\">heddle check "));

  const Finished piped = run_heddle({"test", folder.path().string(), "--json", "-"});
  CHECK(Json::parse(piped.output, nullptr, false)["failed"] == 1);
  const Finished unwritable =
      run_heddle({"test", folder.path().string(), "--junit", (folder.path() / "no/junit.xml").string()});
  CHECK(unwritable.exit_code == 2);
  CHECK(contains(unwritable.errors, "cannot write"));
  CHECK(contains(unwritable.output, "3 passed, 1 failed"));
}

TEST_CASE("--update corrects counts that changed, in programs and suites, and nothing else") {
  TemporaryFolder folder;
  const std::string text = std::string(safe_program) +
                           "// executions 7 in a comment\nexpect sc by source: executions 7;  // why\n"
                           "expect sc, tso: outcomes 3;\nexpect tso\n  : outcomes 9;\nexpect sc: always;\n";
  const std::string file = folder.file("a.hed", text);
  const std::string suite = folder.file("s.suite", "a.hed N=2 sc trust executions 1 # one\n");
  std::filesystem::permissions(file, std::filesystem::perms(0640));
  const Finished run = run_heddle({"test", folder.path().string(), "--update"});
  CAPTURE(run.output);
  CHECK(run.exit_code == 1);  // `always` still fails, and so does the line of two models
  CHECK(contains(run.output, "updated " + file + ":8: 7 -> 3\n"));
  CHECK(contains(run.output, "not updated " + file + ":9: its checks found 3 and 4\n"));
  CHECK(contains(run.output, "updated " + file + ":10: 9 -> 4\n"));
  CHECK(contains(run.output, "updated " + suite + ":1: 1 -> 3\n"));
  std::string expected = text;
  expected.replace(expected.find("executions 7;"), 13, "executions 3;");
  expected.replace(expected.find("outcomes 9"), 10, "outcomes 4");
  CHECK(read(file) == expected);
  CHECK(read(suite) == "a.hed N=2 sc trust executions 3 # one\n");
  CHECK((std::filesystem::status(file).permissions() & std::filesystem::perms(0777)) ==
        std::filesystem::perms(0640));
}

TEST_CASE("a check that reaches its time or memory limit fails as undecided, and the others still run") {
  TemporaryFolder folder;
  folder.file("a.hed", std::string(endless_program) + "expect sc by naive: safe;\n");
  folder.file("b.hed", std::string(safe_program) + good);
  const Finished timed = run_heddle({"test", folder.path().string(), "--timeout", "0.3", "-j", "1"});
  CAPTURE(timed.output);
  CHECK(timed.exit_code == 1);
  CHECK(contains(timed.output, "undecided: timeout; heddle check "));
  CHECK(contains(timed.output, "3 passed, 1 undecided"));
  const Finished small = run_heddle({"test", folder.path().string(), "--max-memory", "1", "-j", "1"});
  CAPTURE(small.output);
  CHECK(contains(small.output, "undecided: memory limit; heddle check "));
}

TEST_CASE("if a worker crashes, only its current check is lost") {
  TemporaryFolder folder;
  const std::string endless = folder.file(
      "a.hed", std::string(endless_program) + "expect sc by naive: safe;\nexpect sc by trust: safe;\n");
  const std::string fine = folder.file("b.hed", std::string(safe_program) + good);
  const std::vector<cli::TestProgram> programs{{endless, "", {}}, {fine, "", {}}};
  cli::TestSettings settings;
  settings.models = {"sc", "tso"};
  settings.timeout = 2;
  settings.jobs = 1;
  bool killed = false;
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::vector<cli::TestResult>> results;
  cli::TestObserver observer;
  observer.done = [&](std::size_t, const std::vector<cli::TestResult>& found) { results.push_back(found); };
  observer.idle = [&](std::size_t, std::size_t) {
    // The worker has begun its first check, which takes far longer than this.
    if (!killed && std::chrono::steady_clock::now() - start > std::chrono::seconds(1)) {
      const pid_t worker = first_child();
      if (worker > 0) killed = ::kill(worker, SIGKILL) == 0;
    }
    return true;
  };
  REQUIRE(cli::run_tests(programs, settings, observer));
  REQUIRE(killed);
  REQUIRE(results.size() == 2);
  REQUIRE(results[0].size() == 2);
  CHECK(results[0][0].status == cli::TestStatus::crashed);
  CHECK(contains(results[0][0].message, "crashed: Killed (signal 9)"));
  CHECK(results[0][0].line == 5);
  CHECK(results[0][0].algorithm == "naive");
  CHECK(results[0][1].status == cli::TestStatus::undecided);
  REQUIRE(results[1].size() == 3);
  for (const cli::TestResult& result : results[1]) CHECK(result.status == cli::TestStatus::passed);
}

TEST_CASE("Ctrl-C reports the finished checks of an unfinished program, and of programs after it") {
  if (!have_terminals()) return;
  TemporaryFolder folder;
  folder.file("a.hed",
              "param N = 8;\nshared a: int[8];\nthread w[i: 0..N] { for k in 0..8 { a[k] += i; } }\n"
              "expect sc by naive with N=1: safe;\nexpect sc by naive: safe;\n");
  folder.file("b.hed", std::string(safe_program) + good + "expect sc: always;\n");
  folder.file("c.hed", std::string(safe_program) + good);
  const std::string junit = (folder.path() / "junit.xml").string();
  Process process({"test", folder.path().string(), "-j", "2", "--junit", junit, "--timeout", "600"},
                  {.error_terminal = true});
  REQUIRE(process.wait_for_error("2 of 3 programs, 1 failed"));
  std::this_thread::sleep_for(std::chrono::seconds(1));
  process.send(SIGINT);
  const Finished run = process.finish();
  CAPTURE(run.output);
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output, "b.hed:10: [sc trust] expected always, found never"));
  CHECK(contains(run.output, "interrupted; so far 8 checks of 3 programs: 7 passed, 1 failed"));
  const std::string xml = read(junit);
  CHECK(contains(xml, "<testsuites name=\"heddle\" tests=\"8\" failures=\"1\""));
  CHECK(contains(xml, "c.hed"));
}

TEST_CASE("--filter runs the expectations whose path or text contains the pattern") {
  TemporaryFolder folder;
  folder.file("peterson.hed", std::string(safe_program) + good);
  folder.file("dekker.hed", std::string(safe_program) + good);
  folder.file("broken.hed", "thread p { x = 1; }\n");
  folder.file("all.suite", "dekker.hed N=2 sc - never\npeterson.hed N=2 tso - sometimes\n");
  const auto checks = [&](const std::string& pattern) {
    const Finished run = run_heddle({"test", folder.path().string(), "--filter", pattern});
    // (On a slow machine, a list of the slowest checks comes first.)
    const std::size_t end = run.output.find(';');
    const std::size_t line = end == std::string::npos ? end : run.output.rfind('\n', end);
    const std::size_t begin = line == std::string::npos ? 0 : line + 1;
    return std::to_string(run.exit_code) + " " + run.output.substr(begin, end - begin) + run.errors;
  };
  CHECK(checks("peterson.hed") == "0 4 checks of 2 programs: 4 passed");
  CHECK(checks("all.suite") == "0 2 checks of 2 programs: 2 passed");
  CHECK(checks("tso*sometimes") == "0 3 checks of 3 programs: 3 passed");
  CHECK(checks("expect sc: nev?r") == "0 2 checks of 2 programs: 2 passed");
  CHECK(checks("executions") == "0 2 checks of 2 programs: 2 passed");
  CHECK(contains(run_heddle({"test", folder.path().string(), "--filter", "broken"}).output,
                 "1 check of 1 program: 0 passed, 1 broken;"));
  CHECK(contains(checks("[a-z]"), "nothing was tested: no expectation matches --filter"));
  CHECK(checks("[a-z]").starts_with("2 "));
}

TEST_CASE("--fail-fast stops at the first failure and says so") {
  TemporaryFolder folder;
  folder.file("a.hed", std::string(safe_program) + "expect sc: always;\n");
  folder.file("b.hed", std::string(endless_program) + "expect sc by naive: safe;\n");
  const Finished run = run_heddle({"test", folder.path().string(), "-j", "1", "--fail-fast", "--json", "-"});
  CHECK(run.exit_code == 1);
  const Json json = Json::parse(run.output, nullptr, false);
  CHECK(json["stopped_at_failure"] == true);
  CHECK(json["interrupted"] == false);
  CHECK(json["results"].size() == 1);
  const Finished text = run_heddle({"test", folder.path().string(), "-j", "1", "--fail-fast"});
  CHECK(
      contains(text.output, "stopped at the first failure; so far 1 check of 1 program: 0 passed, 1 failed"));
  const Finished good_run =
      run_heddle({"test", folder.file("c.hed", std::string(safe_program) + good), "--fail-fast"});
  CHECK(good_run.exit_code == 0);
  CHECK(contains(good_run.output, "\n3 checks of 1 program") == good_run.output.starts_with("Slowest"));
  CHECK(run_heddle({"test", folder.path().string(), "--fail-fast", "--update"}).exit_code == 2);
}

TEST_CASE("a line of a suite can have a time limit and bounds of its own") {
  TemporaryFolder folder;
  folder.file("endless.hed", endless_program);
  folder.file("sb.hed", safe_program);
  const std::string suite = folder.file("bounds.suite",
                                        "endless.hed timeout=0.2 sc naive safe\n"
                                        "sb.hed buffer-bound=0 sc,tso - never\n"
                                        "sb.hed preemption-bound=0 sc naive executions 2\n"
                                        "sb.hed preemption-bound=0 power rsmc never\n");
  const Finished run = run_heddle({"test", suite});
  CAPTURE(run.output);
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output, "bounds.suite:1: [sc naive] undecided: timeout; heddle check "));
  CHECK(!contains(run.output, "bounds.suite:2"));
  CHECK(!contains(run.output, "bounds.suite:3"));
  CHECK(contains(run.output, "broken " + suite + ":4: [power rsmc] "));
}

TEST_CASE("bounds of the command line make 'safe' mean safe within them, and the report says so") {
  TemporaryFolder folder;
  const std::string file =
      folder.file("loop.hed",
                  "thread p { let n = choose(1..6); var i = 0; while i < n { i += 1; } }\n"
                  "expect sc: safe;\nexpect sc by rf: executions 5;\n");
  const std::string junit = (folder.path() / "junit.xml").string();
  CHECK(contains(run_heddle({"test", file}).output, "2 checks of 1 program: 2 passed;"));
  const Finished bounded = run_heddle({"test", file, "--unroll", "2", "--json", "-", "--junit", junit});
  CHECK(bounded.exit_code == 0);
  const Json json = Json::parse(bounded.output, nullptr, false);
  CHECK(json["bounds"]["unroll"] == 2);
  CHECK(json["bounds"]["preemption_bound"].is_null());
  CHECK(json["passed"] == 1);
  CHECK(json["results"][1]["status"] == "left_out");
  CHECK(json["results"][1]["message"] ==
        "the bounds of this run cut executions or outcomes, so they cannot be counted");
  CHECK(contains(read(junit), "<testsuites name=\"heddle within --unroll 2\""));
  const Finished text = run_heddle({"test", file, "--unroll", "2", "--preemption-bound", "1"});
  CHECK(text.exit_code == 0);
  CHECK(contains(text.output, "`safe` means safe within --unroll 2 --preemption-bound 1;"));
  CHECK(contains(text.output, ": 'rf' does not bound preemptions under 'sc'\n"));
  CHECK(run_heddle({"test", file, "--unroll", "2", "--update"}).exit_code == 2);

  // Bounds of the command line override those of a line; a model without buffers is within any buffer bound.
  const std::string own =
      folder.file("own.suite", "loop.hed unroll=2 sc - safe within bounds\nloop.hed unroll=2 sc - safe\n");
  CHECK(contains(run_heddle({"test", own}).output,
                 "own.suite:2: [sc trust] expected safe, found safe within bounds"));
  CHECK(contains(run_heddle({"test", own}).output, "1 passed, 1 failed;"));
  CHECK(contains(run_heddle({"test", own, "--unroll", "3"}).output, "2 passed;"));
  const std::string lost = folder.file("lost.hed", std::string(unsafe_program) + "expect sc: safe;\n");
  CHECK(contains(run_heddle({"test", lost, "--unroll", "3"}).output,
                 "expected safe within bounds, found violation"));
  const std::string suite = folder.file("loop.suite", "loop.hed unroll=5 sc source executions 5\n");
  CHECK(contains(run_heddle({"test", suite}).output, "1 check of 1 program: 1 passed;"));
  CHECK(contains(run_heddle({"test", suite, "--unroll", "2"}).errors, "all checks were left out"));
  const std::string buffers = folder.file("sb.hed", std::string(safe_program) + "expect sc, tso: never;\n");
  CHECK(contains(run_heddle({"test", buffers}).output, "1 passed, 1 failed;"));
  CHECK(contains(run_heddle({"test", buffers, "--buffer-bound", "0"}).output, "2 passed;"));
}

TEST_CASE("an expectation for a model or algorithm that this version lacks is left out with a note") {
  TemporaryFolder folder;
  folder.file("a.hed", std::string(safe_program) + "expect arm, sc: never;\nexpect sc by optimal: never;\n");
  folder.file("all.suite", "a.hed - arm - never\na.hed - sc,riscv optimal,source never\n");
  const std::string junit = (folder.path() / "junit.xml").string();
  const Finished run = run_heddle({"test", folder.path().string(), "--junit", junit});
  CAPTURE(run.output);
  CHECK(run.exit_code == 0);
  CHECK(contains(run.output, "Left out:\n"));
  CHECK(contains(run.output, "  2 checks, first "));
  CHECK(contains(run.output, "a.hed:7: this version has no model 'arm'\n"));
  CHECK(contains(run.output, "  1 check, " + (folder.path() / "all.suite").string() +
                                 ":2: this version has no model 'riscv'\n"));
  CHECK(contains(run.output, ": this version has no algorithm 'optimal'\n"));
  CHECK(contains(run.output, "2 checks of 2 programs: 2 passed; left out: 5 checks;"));
  CHECK(contains(read(junit), "<skipped message=\"this version has no model 'arm'\"/>"));

  const Finished nothing = run_heddle({"test", folder.path().string(), "--filter", "arm - never"});
  CHECK(nothing.exit_code == 2);
  CHECK(contains(nothing.errors, "nothing was tested: all checks were left out"));

  const Finished slip =
      run_heddle({"test", folder.file("b.hed", std::string(safe_program) + "expect tos: never;\n")});
  CHECK(slip.exit_code == 1);
  CHECK(contains(slip.output, "b.hed:7: unknown model 'tos'"));
  const Finished suite = run_heddle({"test", folder.file("b.suite", "a.hed - tos - never\n")});
  CHECK(suite.exit_code == 2);
  CHECK(contains(suite.errors, "did you mean 'tso'?"));
}

TEST_CASE("JUnit and JSON have an unexpected violation with its place and trace") {
  TemporaryFolder folder;
  const std::string file = folder.file("a.hed", std::string(unsafe_program) + "expect sc: safe;\n");
  const std::string junit = (folder.path() / "junit.xml").string();
  const Finished run = run_heddle({"test", file, "--junit", junit, "--json", "-"});
  CHECK(run.exit_code == 1);
  const std::string xml = read(junit);
  CAPTURE(xml);
  CHECK(contains(xml, "violation: assertion failed: "));
  CHECK(contains(xml, "\nShared variables at the end:\n"));
  const Finished check = run_heddle({"check", file});
  const Json json = Json::parse(run.output, nullptr, false);
  const std::string violation = json["results"][0]["violation"];
  CHECK(violation.starts_with(file + ":"));
  CHECK(contains(check.output, violation));
}

TEST_CASE("if a run is killed, its workers end, too") {
  TemporaryFolder folder;
  folder.file("a.hed", std::string(endless_program) + "expect sc by naive: safe;\n");
  Process process({"test", folder.path().string(), "-j", "1", "--timeout", "600"});
  pid_t worker = 0;
  REQUIRE(soon([&] { return (worker = first_child(process.id())) > 0; }));
  CHECK(is_alive(worker));
  process.send(SIGKILL);
  CHECK(process.finish().signal == SIGKILL);
  CHECK(soon([&] { return !is_alive(worker); }));
}

TEST_CASE("Ctrl-C ends a run of tests with the results so far") {
  TemporaryFolder folder;
  folder.file("a.hed", std::string(safe_program) + "expect sc: always;\n");
  folder.file("b.hed", std::string(endless_program) + "expect sc by naive: safe;\n");
  Process process({"test", folder.path().string(), "-j", "1"});
  REQUIRE(process.wait_for_handler(SIGINT));
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  process.send(SIGINT);
  const Finished run = process.finish();
  CAPTURE(run.output);
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output, "expected always, found never"));
  CHECK(contains(run.output, "interrupted; so far 1 check of 1 program: 0 passed, 1 failed"));
}

}  // namespace heddle::test
