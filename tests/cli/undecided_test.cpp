// Checks stopped by time, memory or a signal: one JSON document, exit code 3.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

// Each read of one thread may see each write of the other.
const char* const long_program = R"(
param K = 20000;
shared x: int;
shared y: int;
thread p { for k in 0..K { x = k; let r = y; } }
thread q { for k in 0..K { y = k; let r = x; } }
)";

const char* const many_states = R"(
shared a: int[50];
thread w[i: 0..4] { for k in 0..50 { a[k] = i; } }
)";

// Parses standard output, which must be exactly one document.
Json only_document(const std::string& output) {
  CAPTURE(output);
  Json json = Json::parse(output, nullptr, false);
  CHECK(!json.is_discarded());
  return json;
}

}  // namespace

TEST_CASE("a check that a limit ends is one JSON document, under every algorithm") {
  TemporaryFolder folder;
  const std::string file = folder.file("long.hed", long_program);
  struct Limit {
    std::vector<std::string> arguments;
    std::string why;
  };
  for (const Limit& limit :
       {Limit{{"--timeout", "0.05"}, "timeout"}, Limit{{"--max-memory", "100k"}, "memory limit"}}) {
    for (const std::string algorithm : {"naive", "dpor", "source", "sdpor", "rf"}) {
      for (const std::string model : {"sc", "tso", "pso"}) {
        CAPTURE(algorithm);
        CAPTURE(model);
        std::vector<std::string> arguments = {"check",   file,      "--json", "--algorithm",
                                              algorithm, "--model", model};
        arguments.insert(arguments.end(), limit.arguments.begin(), limit.arguments.end());
        const Finished result = run_heddle(arguments);
        CHECK(result.exit_code == 3);
        const Json json = only_document(result.output);
        CHECK(json["verdict"] == "undecided");
        CHECK(json["stopped_by"] == limit.why);
      }
    }
  }
}

TEST_CASE("Ctrl-C and SIGTERM end rf in the middle of one long execution") {
  TemporaryFolder folder;
  const std::string file = folder.file("long.hed", long_program);
  for (const int signal : {SIGINT, SIGTERM}) {
    // The mutations of one execution take minutes.
    Process process({"check", file, "--json", "--algorithm", "rf", "-D", "K=2000"});
    REQUIRE(process.wait_for_handler(signal));
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    process.send(signal);
    const Finished result = process.finish(60);
    CHECK(result.signal == 0);
    CHECK(result.exit_code == 3);
    const Json json = only_document(result.output);
    CHECK(json["stopped_by"] == "interrupted");
    CHECK(json["exit_code"] == 3);
  }
}

#ifndef __SANITIZE_ADDRESS__  // it needs more address space than the bounds here allow

TEST_CASE("a check that runs out of memory is one JSON document with its counts") {
  TemporaryFolder folder;
  const std::string states = folder.file("states.hed", many_states);
  const std::string long_run = folder.file("long.hed", long_program);
  struct Search {
    std::string file, algorithm, model;
  };
  for (const Search& search :
       {Search{states, "sdpor", "sc"}, Search{states, "naive", "power"}, Search{long_run, "rf", "tso"}}) {
    CAPTURE(search.algorithm);
    CAPTURE(search.model);
    const Finished result =
        run_heddle({"check", search.file, "--json", "--algorithm", search.algorithm, "--model", search.model},
                   {.address_space = 300 << 20});
    CHECK(result.exit_code == 3);
    const Json json = only_document(result.output);
    CHECK(json["document"] == "report");
    CHECK(json["verdict"] == "undecided");
    CHECK(json["stopped_by"] == "out of memory");
    CHECK(json["counts"]["transitions"] > 0);
    CHECK(json["counts"]["peak_memory"] > 10'000'000);
  }
}

TEST_CASE("a program too large for the memory is one JSON document") {
  TemporaryFolder folder;
  std::string text = "PPC big\n{ }\nP0 ;\n";
  for (int i = 0; i < 490'000; ++i) text += "nop ;\n";
  const std::string file = folder.file("big.litmus", text + "exists (x=0)\n");
  for (const std::string command : {"check", "outcomes", "compare"}) {
    CAPTURE(command);
    const Finished result = run_heddle({command, file, "--json"}, {.address_space = 300 << 20});
    CHECK(result.exit_code == 3);
    const Json json = only_document(result.output);
    CHECK(json["document"] == "errors");
    CHECK(json["exit_code"] == 3);
  }
}

#endif

}  // namespace heddle::test
