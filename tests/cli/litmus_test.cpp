// Litmus tests on the command line: check, outcomes in herd's style, translate.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

const std::string tests = HEDDLE_SOURCE_DIR "/tests/litmus";

}  // namespace

TEST_CASE("outcomes of a litmus test are printed in herd's format") {
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

TEST_CASE("check reports a forbidden condition of a litmus test as a violation") {
  TemporaryFolder folder;
  const std::string file =
      folder.file("bad.litmus", "PPC bad\n{ 0:r5=x; }\nP0 ;\nli r1,1 ;\nstw r1,0(r5) ;\n~exists (x=1)\n");
  const Finished run = run_heddle({"check", file});
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output, "a final state satisfies 'x=1'"));
  CHECK(run_heddle({"check", tests + "/SB.litmus", "--outcomes"}).exit_code == 0);
  const Finished parameter = run_heddle({"check", tests + "/SB.litmus", "-D", "N=1"});
  CHECK(parameter.exit_code == 2);
  CHECK(contains(parameter.errors, "a litmus test has no params"));
}

TEST_CASE("a lock made of lwarx and stwcx. excludes") {
  const Finished run = run_heddle({"outcomes", tests + "/lock.litmus", "--model", "pso"});
  CHECK(contains(run.output, "States 1\n[l]=0; [n]=2;\nOk\n"));
}

TEST_CASE("translate prints an equivalent program") {
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
  const Finished same = run_heddle({"translate", program});
  CHECK(same.exit_code == 2);
  CHECK(contains(same.errors, "sb.hed: error: this is a .hed program already, which heddle fmt lays out"));
  const Finished refused =
      run_heddle({"translate", "--to-litmus", HEDDLE_SOURCE_DIR "/examples/bounded_buffer.hed"});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.errors, "error: a litmus test has no "));
}

TEST_CASE("a litmus test and its translation have the same executions and the same findings") {
  TemporaryFolder folder;
  int tests_read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(tests)) {
    if (entry.path().extension() != ".litmus") continue;
    ++tests_read;
    const Finished translated = run_heddle({"translate", entry.path().string()});
    REQUIRE(translated.exit_code == 0);
    const std::string program = folder.file("translated.hed", translated.output);
    for (const char* model : {"tso", "power"}) {
      const auto findings = [&](const std::string& file) {
        const Finished run =
            run_heddle({"check", file, "--model", model, "--unroll", "2", "--keep-going", "--json"});
        const auto document = nlohmann::json::parse(run.output);
        const auto& condition = document["conditions"][0];
        return fmt::format("{} of {}, {}", condition["satisfied"].get<int>(), condition["total"].get<int>(),
                           document["counts"]["executions"].get<int>());
      };
      CHECK_MESSAGE(findings(program) == findings(entry.path().string()), entry.path() << ' ' << model);
    }
  }
  CHECK(tests_read >= 20);
}

TEST_CASE("outcomes of a litmus test show addresses by name") {
  CHECK(contains(run_heddle({"outcomes", tests + "/addresses.litmus"}).output,
                 "States 2\n1:r1=x; 1:r2=0;\n1:r1=y; 1:r2=1;\n"));
}

TEST_CASE("outcomes of a litmus test report violations other than its condition's") {
  TemporaryFolder folder;
  const std::string divides = folder.file(
      "div.litmus",
      "PPC div\n{ 0:r5=x; }\nP0 ;\nli r1,4 ;\nlwz r2,0(r5) ;\ndivw r3,r1,r2 ;\n~exists (0:r3=1)\n");
  const Finished run = run_heddle({"outcomes", divides, "--model", "tso"});
  CHECK(run.exit_code == 1);
  CHECK(contains(run.output, "States 0\n"));
  CHECK(contains(run.output, "Note:\n  there is a violation: division by zero"));
  const std::string fails =
      folder.file("bad.litmus", "PPC bad\n{ 0:r5=x; }\nP0 ;\nli r1,1 ;\nstw r1,0(r5) ;\n~exists (x=1)\n");
  const Finished condition = run_heddle({"outcomes", fails});
  CHECK(condition.exit_code == 1);
  CHECK(!contains(condition.output, "Note:"));
}

}  // namespace heddle::test
