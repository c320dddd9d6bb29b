// heddle conformance: agreement, differences, tests cut by a bound, and the JSON document.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <sys/wait.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "tests/cli/process.hpp"
#include "tests/environment.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const std::string tests = HEDDLE_SOURCE_DIR "/tests/litmus";
const std::string expected = tests + "/expected.tsv";
const std::string heading = "test\tmodel\tn_states\tverdict\tstates\n";

// Counts how long it waits for 1, as long as the loop bound allows.
const char* const waits =
    "PPC waits\n{ 0:r5=x; 1:r5=x; }\nP0 | P1 ;\nL: lwz r1,0(r5) | li r1,1 ;\naddi r2,r2,1 | stw r1,0(r5) ;\n"
    "cmpwi r1,1 | ;\nbne L | ;\nexists (0:r1=1)\n";

}  // namespace

TEST_CASE("conformance agrees with a table of expected states") {
  for (const auto& [model, agreeing] : {std::pair("sc", 20), std::pair("tso", 10), std::pair("pso", 9)}) {
    const Finished run =
        run_heddle({"conformance", tests, "--expected", expected, "--model", model, "-j", "2"});
    CAPTURE(run.output);
    CHECK(run.exit_code == 0);
    CHECK(contains(run.output, std::to_string(agreeing) + " agree, 0 differ, 0 not covered, 0 undecided"));
  }
  const Finished power = run_heddle({"conformance", tests, "--expected", expected, "--model", "power"});
  CHECK(power.exit_code == 0);
  CHECK(contains(power.output,
                 "11 agree, 0 differ, 0 not covered, 0 undecided; 9 files without an expectation"));
}

TEST_CASE("a row without states is a row like any other") {
  TemporaryFolder folder;
  folder.file("div.litmus", "PPC div\n{ 0:r5=x; }\nP0 ;\nlwz r1,0(r5) ;\ndivw r2,r1,r1 ;\nexists (0:r2=1)\n");
  folder.file("one.litmus", "PPC one\n{ 0:r5=x; }\nP0 ;\nlwz r1,0(r5) ;\nexists (0:r1=1)\n");
  for (const char* end : {"", "\t"}) {  // some editors strip trailing blanks
    const std::string table = folder.file(
        "table.tsv", heading + "div\tSC\t0\tNo Never" + end + "\none\tSC\t1\tNo Never\t0:r1=0;\n");
    const Finished run =
        run_heddle({"conformance", folder.path().string(), "--expected", table, "--model", "sc"});
    CAPTURE(run.output + run.errors);
    CHECK(contains(run.output, "2 agree, 0 differ"));
  }
}

TEST_CASE("conformance shows the differences and exits with 1") {
  TemporaryFolder folder;
  const std::string table = folder.file(
      "wrong.tsv",
      "test\tmodel\tn_states\tverdict\tstates\nSB\tSC\t2\tOk Sometimes\t0:r2=0; 1:r2=0; | 0:r2=0; 1:r2=1;\n");
  const Finished run = run_heddle({"conformance", tests, "--expected", table, "--model", "sc"});
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output,
                 "SB: No Never, expected Ok Sometimes\n  missing     0:r2=0; 1:r2=0;\n"
                 "  unexpected  0:r2=1; 1:r2=0;\n  unexpected  0:r2=1; 1:r2=1;\n"));
  CHECK(contains(run.output, "19 files without an expectation"));
  const Finished json = run_heddle({"conformance", tests, "--expected", table, "--json"});
  CHECK(json.exit_code == 1);
  const auto document = nlohmann::json::parse(json.output);
  CHECK(document["differ"] == 1);
  CHECK(document["problems"][0]["missing"][0] == "0:r2=0; 1:r2=0;");
}

TEST_CASE("conformance lists the tests that the front end rejects, and needs something to compare") {
  TemporaryFolder folder;
  folder.file("odd.litmus", "PPC odd\n{ }\nP0 ;\nfadd f1,f2,f3 ;\nexists (x=1)\n");
  const std::string table =
      folder.file("odd.tsv", "test\tmodel\tn_states\tverdict\tstates\nodd\tSC\t1\tNo Never\t[x]=0;\n");
  const Finished odd = run_heddle({"conformance", folder.path().string(), "--expected", table});
  CHECK(odd.exit_code == 2);
  CHECK(contains(odd.output, "1 test not covered: the PPC instruction 'fadd' is not supported\n  odd\n"));
  const auto refused = [](const std::vector<std::string>& arguments, std::string_view message) {
    const Finished run = run_heddle(arguments);
    CHECK(run.exit_code == 2);
    CHECK_MESSAGE(contains(run.errors, message), run.errors);
  };
  refused({"conformance", tests}, "the table of expected final states is missing");
  refused({"conformance", folder.path().string() + "/none", "--expected", table}, "is not a folder");
  refused({"conformance", tests, "--expected", folder.path().string() + "/none"}, "No such file");
  refused({"conformance", tests, "--expected", table, "--model", "pso"}, "has no rows about the model 'pso'");
  refused({"conformance", tests, "--expected", folder.file("short.tsv", "SB\tSC\n")}, "expected 5 columns");
}

TEST_CASE("published litmus tests end in the expected states (a sample)") {
  const std::string published = heddle::tests::published_litmus_tests();
  if (published.empty()) {
    MESSAGE("left out: HEDDLE_LITMUS names no folder");
    return;
  }
  for (const std::string set : {"ppc", "x86"}) {
    for (const std::string model : {"sc", "tso", "pso", "power"}) {
      if (set == "x86" && model == "power") continue;  // herd's table has no such rows
      const Finished run =
          run_heddle({"conformance", published + "/" + set, "--expected",
                      published + "/" + set + "-expected.tsv", "--model", model, "--sample", "40"});
      CHECK_MESSAGE(run.exit_code == 0, run.output, run.errors);
      CHECK(contains(run.output, " 0 differ, 0 not covered, 0 undecided"));
    }
  }
}

TEST_CASE("results that a bound has cut off are not treated as complete") {
  TemporaryFolder folder;
  folder.file("waits.litmus", waits);
  const auto run = [&](const std::string& states, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{
        "conformance", folder.path().string(),
        "--expected",  folder.file("table.tsv", heading + "waits\tSC\t" + states + "\n"),
        "--unroll",    "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_heddle(arguments);
  };
  // There may be a state with 0 beyond the bound.
  const Finished missing = run("2\tOk Sometimes\t0:r1=0; | 0:r1=1;");
  CHECK(missing.exit_code == 3);
  CHECK(contains(missing.output, "1 test undecided: the loop bound 2 cut off "));
  CHECK(contains(missing.output, "0 agree, 0 differ, 0 not covered, 1 undecided"));
  // An unexpected state is a difference, bound or not.
  const Finished unexpected = run("1\tNo Never\t0:r1=0;");
  CHECK(unexpected.exit_code == 1);
  CHECK(contains(unexpected.output, "  unexpected  0:r1=1;\n  incomplete: the loop bound 2 cut off "));
  const Finished agrees = run("1\tOk Always\t0:r1=1;");
  CHECK(agrees.exit_code == 0);
  CHECK(contains(agrees.output, "1 test agreeing within bounds only: the loop bound 2 cut off "));
  CHECK(contains(agrees.output, "1 agree (1 within bounds), 0 differ"));
  const Json json = Json::parse(run("1\tOk Always\t0:r1=1;", {"--json"}).output);
  CHECK(json["agree_within_bounds"] == 1);
  CHECK(json["problems"][0]["kind"] == "agrees");
  CHECK(contains(json["problems"][0]["bounds"].get<std::string>(), "the loop bound"));
  const Finished buffers =
      run_heddle({"conformance", tests, "--expected", expected, "--model", "tso", "--buffer-bound", "0"});
  CHECK(buffers.exit_code == 3);
  CHECK(contains(buffers.output, " 0 differ"));
}

TEST_CASE("tests that run out of memory are undecided, in every worker thread") {
#ifdef __SANITIZE_ADDRESS__
  MESSAGE("not tested: AddressSanitizer needs more address space than any bound here leaves");
#else
  TemporaryFolder folder;
  std::string text = "PPC big\n{ }\nP0 ;\n";
  for (int i = 0; i < 490'000; ++i) text += "nop ;\n";
  text += "exists (x=0)\n";
  std::string table = heading;
  for (const std::string name : {"one", "two"}) {
    folder.file(name + ".litmus", text);
    table += name + "\tSC\t1\tNo Never\t[x]=1;\n";
  }
  const std::string output = (folder.path() / "out").string();
  const std::string command = "ulimit -v 300000; " HEDDLE_BINARY_DIR "/heddle conformance " +
                              folder.path().string() + " --expected " + folder.file("table.tsv", table) +
                              " -j 2 > " + output;
  const int status = std::system(command.c_str());
  CHECK(WEXITSTATUS(status) == 3);
  CHECK(contains(read(output), "undecided: out of memory\n"));
#endif
}

TEST_CASE("the JSON document of conformance has the settings and the results") {
  const Finished run = run_heddle({"conformance", tests, "--expected", expected, "--model", "tso", "--json"});
  const Json json = Json::parse(run.output);
  CHECK(json["document"] == "conformance");
  CHECK(json["exit_code"] == 0);
  CHECK(json["model"] == "tso");
  CHECK(!json["algorithm"].get<std::string>().empty());
  const Json chosen = Json::parse(
      run_heddle({"conformance", tests, "--expected", expected, "--json", "--algorithm", "naive"}).output);
  CHECK(chosen["algorithm"] == "naive");
}

}  // namespace heddle::test
