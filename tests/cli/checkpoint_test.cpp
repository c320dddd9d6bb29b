// check -j, --checkpoint and --resume.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

// 576 executions.
const char* const searched_program =
    "param N = 4;\nshared x: int;\nthread w[i: 0..N] { let a = x; if i >= 0 { x = a + 1; } }\nexists x == "
    "1;\n";

struct Search {
  TemporaryFolder folder;
  std::string program = folder.file("searched.hed", searched_program);
  std::string checkpoint = (folder.path() / "saved.cp").string();
  [[nodiscard]] Finished run(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"check", program};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_heddle(arguments);
  }
};

}  // namespace

TEST_CASE("a search that was stopped tells how to continue it, and --resume does") {
  const Search search;
  const Finished stopped = search.run({"--algorithm", "trust", "--model", "tso", "-D", "N=3", "--keep-going",
                                       "--max-executions", "20", "--checkpoint", search.checkpoint});
  CHECK(stopped.exit_code == 3);
  CHECK(contains(stopped.output, "Continue with: --resume " + search.checkpoint));
  const Json whole = Json::parse(
      search.run({"--algorithm", "trust", "--model", "tso", "-D", "N=3", "--keep-going", "--json"}).output);
  const Finished continued = search.run({"--resume", search.checkpoint, "--json"});
  const Json json = Json::parse(continued.output);
  CHECK(continued.exit_code == 0);
  CHECK(json["model"] == "tso");
  CHECK(json["parameters"]["N"] == 3);
  for (const auto& [name, count] : whole["counts"].items()) {
    CAPTURE(name);
    if (name != "peak_memory") CHECK(json["counts"][name] == count);
  }
  CHECK(json["conditions"] == whole["conditions"]);
}

TEST_CASE("a search is only continued with what it was begun with") {
  const Search search;
  REQUIRE(search.run({"--algorithm", "trust", "--max-executions", "5", "--checkpoint", search.checkpoint})
              .exit_code == 3);
  const auto refused = [&](const std::vector<std::string>& more, const std::string& reason) {
    std::vector<std::string> arguments{"--resume", search.checkpoint};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished result = search.run(arguments);
    CHECK(result.exit_code == 2);
    CHECK_MESSAGE(contains(result.errors, reason), result.errors);
  };
  refused({"--model", "tso"}, "'model' was \"sc\"");
  refused({"-D", "N=3"}, "other params");
  refused({"--preemption-bound", "1"}, "'preemption_bound' was null");
  refused({"--coverage"}, "coverage");
  refused({"--model", "sc,tso"}, "--resume continues one search");
  std::filesystem::resize_file(search.checkpoint, 100);
  refused({}, "checkpoint cannot be used");
  std::filesystem::remove(search.checkpoint);
  refused({}, "cannot read");
}

TEST_CASE("what cannot be divided or saved is refused with the reason") {
  const Search search;
  const Finished threads = search.run({"--algorithm", "source", "-j", "2"});
  CHECK(threads.exit_code == 2);
  CHECK(contains(threads.errors, "'source' explores the model 'sc' with one thread"));
  CHECK(contains(threads.errors, "'naive', 'states', 'trust'"));
  const Finished saved = search.run({"--algorithm", "rsmc", "--checkpoint", search.checkpoint});
  CHECK(saved.exit_code == 2);
  CHECK(contains(saved.errors, "saved and continued"));
  const Finished itself = search.run({"--algorithm", "trust", "--checkpoint", search.program});
  CHECK(itself.exit_code == 2);
  CHECK(contains(itself.errors, "--checkpoint would overwrite"));
}

TEST_CASE("a search goes on if its checkpoint cannot be written") {
  const Search search;
  const std::string nowhere = (search.folder.path() / "missing" / "saved.cp").string();
  const Finished result =
      search.run({"--algorithm", "trust", "--max-executions", "5", "--checkpoint", nowhere, "--json"});
  CHECK(result.exit_code == 2);
  CHECK(contains(result.errors, "cannot write"));
  CHECK(Json::parse(result.output)["counts"]["executions"] == 5);
}

TEST_CASE("the report says how many threads took part") {
  const Search search;
  const Finished result =
      search.run({"--algorithm", "naive", "-D", "N=5", "-j", "3", "--timeout", "0.5", "--json"});
  CHECK(Json::parse(result.output)["workers"] == 3);
  CHECK(Json::parse(search.run({"--algorithm", "trust", "-j", "1", "--json"}).output)["workers"] == 1);
}

}  // namespace heddle::test
