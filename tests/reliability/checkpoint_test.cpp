// Searches that are killed at random moments and continued from their last checkpoint, again and again, report
// what an uninterrupted one reports. HEDDLE_ROUNDS scales the number of searches (./dev kill).
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/process.hpp"
#include "tests/environment.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

// Of a finished report, all but what depends on time and on the number of threads.
std::string substance(const std::string& report) {
  Json json = Json::parse(report, nullptr, false);
  if (json.is_discarded()) return "not JSON: " + report;
  for (const char* const key : {"seconds", "workers"}) json.erase(key);
  json["counts"].erase("peak_memory");
  return json.dump(1);
}

bool finished(const std::string& report) {
  const Json json = Json::parse(report, nullptr, false);
  return !json.is_discarded() && json.value("finished", false);
}

const char* const searched_program =
    "shared x: int; mutex m;\n"
    "thread w[i: 0..6] { let a = x; x = a + 1; if a > 3 { lock m; x = 9; unlock m; } assert a != 5; }\n"
    "exists x == 1;\n";

}  // namespace

TEST_CASE("a search that is killed at any moment continues from its last checkpoint") {
  std::mt19937_64 random(tests::number_from_environment("HEDDLE_SEED", 1));
  const auto up_to = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  const auto searches =
      tests::number_from_environment("HEDDLE_ROUNDS", tests::sized<std::uint64_t>(6, 20)) / 2;
  TemporaryFolder folder;
  const std::string program = folder.file("searched.hed", searched_program);
  const std::string checkpoint = (folder.path() / "saved.cp").string();
  int kills = 0;
  for (std::uint64_t search = 0; search < searches; ++search) {
    const std::string model = search % 2 == 0 ? "sc" : "tso";
    const std::vector<std::string> check{"check", program,  "--algorithm",  "trust",     "--model",
                                         model,   "--json", "--keep-going", "--outcomes"};
    std::vector<std::string> whole = check;
    whole.insert(whole.end(), {"-j", "1"});
    const auto start = std::chrono::steady_clock::now();
    const Finished expected = run_heddle(whole);
    const auto milliseconds = static_cast<int>(
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start)
            .count());
    REQUIRE(finished(expected.output));
    std::filesystem::remove(checkpoint);
    // After many kills it may run to its end: a busy machine may not get beyond the start in the time given.
    for (int attempt = 0;; ++attempt) {
      std::vector<std::string> piece = check;
      piece.insert(piece.end(),
                   {"-j", std::to_string(1 + up_to(2)), "--checkpoint", checkpoint, "--every", "0.002"});
      if (std::filesystem::exists(checkpoint)) piece.insert(piece.end(), {"--resume", checkpoint});
      Process process(piece);
      if (attempt < 20) {
        std::this_thread::sleep_for(std::chrono::milliseconds(up_to(milliseconds)));
        process.send(SIGKILL);
      }
      const Finished result = process.finish();
      if (result.signal == SIGKILL) {
        ++kills;
        continue;
      }
      CHECK(result.exit_code == expected.exit_code);
      CHECK(substance(result.output) == substance(expected.output));
      break;
    }
  }
  MESSAGE(kills, " kills");
  CHECK(kills > 0);
}

}  // namespace heddle::test
