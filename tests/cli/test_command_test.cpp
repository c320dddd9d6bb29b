// heddle test: expectations in programs and suites, reports, updates, and what happens when a check goes
// wrong.
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

// The first child of this process; 0 if there is none.
pid_t first_child() {
  const std::string self = std::to_string(::getpid());
  std::ifstream file("/proc/" + self + "/task/" + self + "/children");
  pid_t child = 0;
  file >> child;
  return child;
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

TEST_CASE("a failure is one line with the difference and the command that shows it") {
  TemporaryFolder folder;
  const std::string file = folder.file("a.hed", std::string(safe_program) + "expect tso with N=2: never;\n");
  const Finished run = run_heddle({"test", file});
  CAPTURE(run.output);
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output, "failed " + file +
                                 ":7: [tso source] expected never, found sometimes; heddle check " + file +
                                 " --model tso --algorithm source -D N=2 --keep-going\n"));
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
  CHECK(contains(run.output,
                 "all.suite:5: [sc source] expected violation \"x y\", found safe; heddle check '"));

  const std::string wrong =
      folder.file("wrong.suite",
                  "a.hed - sc - perhaps\na.hed - scc - safe\na.hed - sc safe\n"
                  "a.hed N=x sc - safe\na.hed - sc - executions\na.hed - sc - safe 3\n"
                  "\"a.hed - sc - safe\na.hed N=1,N=2 sc - safe\na.hed - sc byy safe\n");
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
        "wrong.suite:9: error: unknown algorithm 'byy'"}) {
    CHECK_MESSAGE(contains(refused.errors, part), part);
  }
}

TEST_CASE("what cannot be compiled, is not there or expects nothing is told apart") {
  TemporaryFolder folder;
  folder.file("bad.hed", "thread p { x = 1; }\n");
  folder.file("empty.hed", safe_program);
  folder.file("gone.suite", "missing.hed - sc - safe\n");
  const Finished run = run_heddle({"test", folder.path().string()});
  CAPTURE(run.output);
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output, "broken " + (folder.path() / "bad.hed").string() + ": "));
  CHECK(contains(run.output, "gone.suite:1: [sc source] No such file or directory"));
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

TEST_CASE("JSON and JUnit reports say what the text says") {
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

TEST_CASE("--update sets counts that changed, in programs and suites, and leaves the rest alone") {
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

TEST_CASE("a check that reaches its time or memory limit fails as undecided, and the rest goes on") {
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

TEST_CASE("a worker that dies takes only its check with it") {
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
    // By now it has begun its first check, which takes far longer than this.
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

TEST_CASE("Ctrl-C ends a run of tests with what is known by then") {
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
