// Litmus tests on the command line: check, outcomes in herd's style, translate, conformance.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

const std::string tests = HEDDLE_SOURCE_DIR "/tests/litmus";
const std::string expected = tests + "/expected.tsv";

}  // namespace

TEST_CASE("outcomes of a litmus test are printed as herd prints them") {
  const Finished sc = run_heddle({"outcomes", tests + "/SB.litmus"});
  CHECK(sc.exit_code == 0);
  CHECK(
      sc.output.starts_with("Test SB Allowed\n"
                            "States 3\n"
                            "0:r2=0; 1:r2=1;\n"
                            "0:r2=1; 1:r2=0;\n"
                            "0:r2=1; 1:r2=1;\n"
                            "No\n"
                            "Witnesses\n"
                            "Positive: 0 Negative: 3\n"
                            "Condition exists (0:r2=0 /\\ 1:r2=0)\n"
                            "Observation SB Never 0 3\n"
                            "Time SB "));
  const Finished tso = run_heddle({"outcomes", tests + "/SB.litmus", "--model", "tso"});
  CHECK(contains(tso.output, "States 4\n0:r2=0; 1:r2=0;\n"));
  CHECK(contains(tso.output, "\nOk\nWitnesses\nPositive: 1 Negative: 3\n"));
  CHECK(contains(tso.output, "\nObservation SB Sometimes 1 3\n"));
  const Finished forbidden = run_heddle({"outcomes", tests + "/MP+dmb.litmus"});
  CHECK(contains(forbidden.output, "Test MP+dmb Forbidden\nStates 3\n"));
  CHECK(contains(forbidden.output, "\nOk\nWitnesses\nPositive: 3 Negative: 0\n"));
  CHECK(contains(forbidden.output, "\nObservation MP+dmb Never 0 3\n"));
}

TEST_CASE("a litmus test can be checked; a condition that must not hold is a violation") {
  TemporaryFolder folder;
  const std::string file =
      folder.file("bad.litmus", "PPC bad\n{ 0:r5=x; }\nP0 ;\nli r1,1 ;\nstw r1,0(r5) ;\n~exists (x=1)\n");
  const Finished run = run_heddle({"check", file});
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output, "a final state satisfies 'x=1'"));
  CHECK(run_heddle({"check", tests + "/SB.litmus", "--outcomes"}).exit_code == 0);
  const Finished parameter = run_heddle({"check", tests + "/SB.litmus", "-D", "N=1"});
  CHECK(parameter.exit_code == 2);
  CHECK(contains(parameter.errors, "a litmus test has no parameters"));
}

TEST_CASE("a lock made of lwarx and stwcx. excludes") {
  const Finished run = run_heddle({"outcomes", tests + "/lock.litmus", "--model", "pso"});
  CHECK(contains(run.output, "States 1\n[l]=0; [n]=2;\nOk\n"));
}

TEST_CASE("translate prints a program that means the same") {
  TemporaryFolder folder;
  const Finished translated = run_heddle({"translate", tests + "/SB.litmus"});
  REQUIRE(translated.exit_code == 0);
  const std::string program = folder.file("sb.hed", translated.output);
  CHECK(contains(run_heddle({"check", program, "--model", "tso"}).output, "sometimes"));
  const Finished back = run_heddle({"translate", "--to-litmus", program});
  REQUIRE(back.exit_code == 0);
  CHECK(back.output.starts_with("C sb\n"));
  const std::string litmus = folder.file("sb.litmus", back.output);
  CHECK(contains(run_heddle({"outcomes", litmus, "--model", "tso"}).output,
                 "\nObservation sb Sometimes 1 3\n"));
  const Finished refused =
      run_heddle({"translate", "--to-litmus", HEDDLE_SOURCE_DIR "/examples/bounded_buffer.hed"});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.errors, "error: a litmus test has no "));
}

TEST_CASE("conformance agrees with a table of expected states") {
  for (const char* model : {"sc", "tso", "pso"}) {
    const Finished run =
        run_heddle({"conformance", tests, "--expected", expected, "--model", model, "-j", "2"});
    CAPTURE(run.output);
    CHECK(run.exit_code == 0);
    CHECK(contains(run.output, "7 agree, 0 differ, 0 not covered, 0 undecided"));
  }
}

TEST_CASE("conformance shows what differs and ends with 1") {
  TemporaryFolder folder;
  const std::string table = folder.file(
      "wrong.tsv",
      "test\tmodel\tn_states\tverdict\tstates\nSB\tSC\t2\tOk Sometimes\t0:r2=0; 1:r2=0; | 0:r2=0; 1:r2=1;\n");
  const Finished run = run_heddle({"conformance", tests, "--expected", table, "--model", "sc"});
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output,
                 "SB: No Never, expected Ok Sometimes\n  missing     0:r2=0; 1:r2=0;\n"
                 "  unexpected  0:r2=1; 1:r2=0;\n  unexpected  0:r2=1; 1:r2=1;\n"));
  CHECK(contains(run.output, "6 files without an expectation"));
  const Finished json = run_heddle({"conformance", tests, "--expected", table, "--json"});
  CHECK(json.exit_code == 1);
  const auto document = nlohmann::json::parse(json.output);
  CHECK(document["differ"] == 1);
  CHECK(document["problems"][0]["missing"][0] == "0:r2=0; 1:r2=0;");
}

TEST_CASE("conformance lists what the front end refuses, and needs something to compare") {
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
  refused({"conformance", tests}, "say with --expected what the tests should end in");
  refused({"conformance", folder.path().string() + "/none", "--expected", table}, "is not a folder");
  refused({"conformance", tests, "--expected", folder.path().string() + "/none"}, "No such file");
  refused({"conformance", tests, "--expected", table, "--model", "pso"},
          "says nothing about the model 'pso'");
  refused({"conformance", tests, "--expected", folder.file("short.tsv", "SB\tSC\n")}, "expected 5 columns");
}

TEST_CASE("published litmus tests end in the expected states (a sample)") {
  const std::string published = HEDDLE_SOURCE_DIR "/../shared/litmus";
  if (!std::filesystem::exists(published)) {
    MESSAGE("skipped: there is no ", published);
    return;
  }
  for (const std::string set : {"ppc", "x86"}) {
    for (const char* model : {"sc", "tso", "pso"}) {
      const Finished run =
          run_heddle({"conformance", published + "/" + set, "--expected",
                      published + "/" + set + "-expected.tsv", "--model", model, "--sample", "40"});
      CHECK_MESSAGE(run.exit_code == 0, run.output, run.errors);
      CHECK(contains(run.output, " 0 differ, 0 not covered, 0 undecided"));
    }
  }
}

}  // namespace heddle::test
