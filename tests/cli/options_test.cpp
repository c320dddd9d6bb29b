// The command line: accepted and rejected options, and the messages.
#include <doctest/doctest.h>

#include "heddle/heddle.h"
#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

// Rejected with exit code 2, nothing on standard output, and all of `parts` in the message.
void check_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
  std::string line;
  for (const std::string& argument : arguments) line += " " + argument;
  CAPTURE(line);
  const Finished result = run_heddle(arguments);
  CHECK(result.exit_code == 2);
  CHECK(result.output.empty());
  CAPTURE(result.errors);
  for (const std::string& part : parts) CHECK_MESSAGE(contains(result.errors, part), part);
}

}  // namespace

TEST_CASE("help and version go to standard output and succeed") {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"--help"}, {"check", "--help"}, {"emit", "-h"}, {"list", "--help"}}) {
    const Finished result = run_heddle(arguments);
    CHECK(result.exit_code == 0);
    CHECK(contains(result.output, "Usage: heddle"));
    CHECK(result.errors.empty());
  }
  const Finished result = run_heddle({"--version"});
  CHECK(result.exit_code == 0);
  CHECK(result.output == "heddle " + std::string(version()) + "\n");
}

TEST_CASE("help and list name every model and algorithm of the registries") {
  const Finished help = run_heddle({"check", "--help"});
  const Finished list = run_heddle({"list"});
  CHECK(list.exit_code == 0);
  for (const ModelInfo& model : models()) {
    CHECK(contains(help.output, "  " + std::string(model.name) + " "));
    CHECK(contains(list.output, "  " + std::string(model.name) + " "));
  }
  for (const AlgorithmInfo& algorithm : algorithms()) {
    CHECK(contains(help.output, "  " + std::string(algorithm.name) + " "));
    CHECK(contains(list.output, "  " + std::string(algorithm.name) + " "));
  }
}

TEST_CASE("list says what each algorithm counts as one execution") {
  const Finished list = run_heddle({"list", "--json"});
  const auto counts = [&](const std::string& algorithm) {
    const std::size_t at = list.output.find("\"name\": \"" + algorithm + "\"");
    REQUIRE(at != std::string::npos);
    const std::size_t begin = list.output.find("\"counts\": \"", at) + 11;
    return list.output.substr(begin, list.output.find('"', begin) - begin);
  };
  CHECK(counts("naive") == "interleaving");
  CHECK(counts("source") == "graph");
  CHECK(counts("sdpor") == "path");
  CHECK(counts("rf") == "reads_from_class");
}

TEST_CASE("a misspelt option is refused with a suggestion, in any position") {
  check_refused({"check", "--modle", "sc", "x.hed"}, {"unknown option '--modle'", "did you mean '--model'?"});
  check_refused({"check", "x.hed", "--time-out=3"}, {"unknown option '--time-out'", "'--timeout'"});
  check_refused({"check", "--jsn"}, {"unknown option '--jsn'", "'--json'"});
  check_refused({"emit", "--lvm", "x.hed"}, {"unknown option '--lvm'", "'--llvm'"});
  check_refused({"check", "x.hed", "--frobnicate"}, {"unknown option '--frobnicate'", "heddle check --help"});
  check_refused({"--verison"}, {"unknown option '--verison'", "'--version'"});
}

TEST_CASE("an unknown command is refused with a suggestion") {
  check_refused({}, {"a command is missing", "check"});
  check_refused({"chekc", "x.hed"}, {"unknown command 'chekc'", "did you mean 'check'?"});
  check_refused({"peterson.hed"}, {"heddle check peterson.hed"});
  check_refused({"frobnicate"}, {"the commands are check, outcomes, "});
}

TEST_CASE("an unknown model or algorithm is refused with the list") {
  check_refused({"check", "x.hed", "--model", "scc"},
                {"unknown model 'scc'", "did you mean 'sc'?", "the models are"});
  check_refused({"check", "x.hed", "--algorithm", "niave"},
                {"unknown algorithm 'niave'", "did you mean 'naive'?", "the algorithms are"});
  check_refused({"check", "x.hed", "--model", ""}, {"unknown model ''"});
}

TEST_CASE("every algorithm supports every model, but states needs states") {
  const std::string path = std::string(HEDDLE_SOURCE_DIR) + "/examples/store_buffering.hed";
  for (const ModelInfo& model : models()) {
    for (const AlgorithmInfo& algorithm : algorithms()) {
      CAPTURE(model.name);
      CAPTURE(algorithm.name);
      const bool supported = algorithm.name != "states" || !model.out_of_order;
      CHECK(why_not(model.name, algorithm.name).empty() == supported);
      const auto run = run_heddle(
          {"check", path, "--model", std::string(model.name), "--algorithm", std::string(algorithm.name)});
      CHECK(run.exit_code == (supported ? 0 : 2));
    }
  }
}

TEST_CASE("a value that is no number, or out of range, is refused by name") {
  check_refused({"check", "x.hed", "--unroll", "many"}, {"--unroll", "whole number", "'many'"});
  check_refused({"check", "x.hed", "--unroll", "0"}, {"--unroll is at least 1"});
  check_refused({"check", "x.hed", "--unroll", "-1"}, {"--unroll", "'-1'"});
  check_refused({"check", "x.hed", "--unroll", "4294967296"}, {"--unroll is at most 4294967295"});
  check_refused({"check", "x.hed", "--max-executions", "1e9"}, {"--max-executions", "'1e9'"});
  check_refused({"check", "x.hed", "--max-executions", "99999999999999999999999"},
                {"--max-executions is at most"});
  check_refused({"check", "x.hed", "--timeout", "soon"}, {"--timeout", "seconds", "'soon'"});
  check_refused({"check", "x.hed", "--timeout", "-5"}, {"--timeout", "'-5'"});
  check_refused({"check", "x.hed", "--timeout", "nan"}, {"--timeout", "'nan'"});
  check_refused({"check", "x.hed", "--timeout", "inf"}, {"--timeout", "'inf'"});
  check_refused({"check", "x.hed", "--max-memory", "12X"}, {"--max-memory", "bytes", "'12X'"});
  check_refused({"check", "x.hed", "--max-memory", "99999999999999999999G"}, {"--max-memory"});
  check_refused({"check", "x.hed", "--buffer-bound", "-1"}, {"--buffer-bound", "'-1'"});
  check_refused({"check", "x.hed", "--preemption-bound", "two"}, {"--preemption-bound", "'two'"});
}

TEST_CASE("options without a value, twice, or flags with a value are refused") {
  check_refused({"check", "x.hed", "--model"}, {"--model needs a value"});
  check_refused({"check", "x.hed", "--model", "sc", "--model", "sc"}, {"--model is given more than once"});
  check_refused({"check", "x.hed", "--keep-going=3"}, {"--keep-going takes no value"});
  check_refused({"check"}, {"the file is missing"});
  check_refused({"check", "x.hed", "y.hed"}, {"one file at a time", "'y.hed'"});
  check_refused({"list", "x.hed"}, {"takes no file"});
  check_refused({"emit", "x.hed"}, {"--llvm"});
}

TEST_CASE("-D takes a name and a whole number, once per name") {
  TemporaryFolder folder;
  const std::string file = folder.file("sb.hed", safe_program);
  check_refused({"check", file, "-D", "N"}, {"-D takes NAME=VALUE, not 'N'"});
  check_refused({"check", file, "-D", "=3"}, {"-D takes NAME=VALUE"});
  check_refused({"check", file, "-D", "N=x"}, {"-D N", "'x' is not a whole number"});
  check_refused({"check", file, "-D", "N="}, {"-D N", "not a whole number"});
  check_refused({"check", file, "-D", "N=9223372036854775808"}, {"does not fit into 64 bits"});
  check_refused({"check", file, "-D", "N=1", "-D", "N=2"}, {"-D gives N twice"});
  check_refused({"check", file, "-D", "M=1"}, {"M"});
  CHECK(run_heddle({"check", file, "-D", "N=-9223372036854775808"}).exit_code == 0);
  CHECK(run_heddle({"check", "-DN=2", file}).exit_code == 0);
  CHECK(run_heddle({"check", "-D", "N=0x10", file}).exit_code == 0);
}

TEST_CASE("messages show words of any length and content shortened and sanitised") {
  for (const std::string& word : {std::string(100'000, 'a'), std::string("\x1b[31m\xFF\n--\x01")}) {
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{word},
                                               {"check", "--" + word, "x.hed"},
                                               {"check", "--model", word, "x.hed"},
                                               {"check", "x.hed", word},
                                               {"check", "-D", word, "x.hed"},
                                               {"check", "--unroll", word, "x.hed"},
                                               {"list", word}}) {
      const Finished result = run_heddle(arguments);
      CHECK(result.exit_code == 2);
      CHECK(result.errors.size() < 500);
      CHECK(result.errors.find('\x1b') == std::string::npos);
    }
  }
}

TEST_CASE("usage errors are JSON when --json is given") {
  const Finished result = run_heddle({"check", "--json", "--modle", "sc", "x.hed"});
  CHECK(result.exit_code == 2);
  CHECK(result.errors.empty());
  CHECK(contains(result.output, "\"unknown option '--modle'\""));
  CHECK(contains(result.output, "\"did you mean '--model'?\""));
}

TEST_CASE("the help of a command lists only options and exit codes that it has") {
  for (const char* option : {"--unroll=2", "--no-spin-await", "--optimise"}) {
    check_refused({"translate", "x.litmus", option}, {"unknown option"});
  }
  check_refused({"emit", "--llvm", "x.hed", "--optimise"}, {"unknown option '--optimise'"});
  TemporaryFolder folder;
  const std::string file = folder.file(
      "loops.hed", "shared x: int;\nthread p { while x != 1 { x = 2; } }\nthread q { while x == 0 { } }\n");
  const std::string code = run_heddle({"emit", "--llvm", file}).output;
  CHECK(run_heddle({"emit", "--llvm", file, "--unroll", "3"}).output != code);
  CHECK(run_heddle({"emit", "--llvm", file, "--no-spin-await"}).output != code);
  for (const char* command : {"emit", "translate", "list", "man", "completions"}) {
    CAPTURE(command);
    const std::string help = run_heddle({command, "--help"}).output;
    CHECK(contains(help, "Exit codes:\n  0  "));
    CHECK(contains(help, "\n  2  "));
    CHECK(!contains(help, "\n  1  "));
    CHECK(!contains(help, "\n  3  "));
    CHECK(!contains(help, "heddle COMMAND --help"));
  }
}

TEST_CASE("commands that need the text of a program refuse litmus tests with a hint") {
  const std::string test = HEDDLE_SOURCE_DIR "/tests/litmus/SB.litmus";
  for (const char* command : {"fmt", "repl"}) {
    check_refused({command, test}, {"SB.litmus is a litmus test, not a .hed program",
                                    "heddle translate converts it to a .hed program"});
  }
}

}  // namespace heddle::test
