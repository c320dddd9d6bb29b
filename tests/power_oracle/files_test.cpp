// Compares every algorithm under POWER with the oracle, on those of the project's programs that are small
// enough.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/environment.hpp"
#include "tests/power_oracle/compare.hpp"

namespace heddle::power_oracle {

TEST_CASE("under POWER every algorithm finds what the axioms allow in the examples and test programs") {
  std::vector<std::string> paths;
  for (const char* folder : {"/examples", "/tests/programs"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(HEDDLE_SOURCE_DIR) + folder)) {
      if (entry.path().extension() == ".hed") paths.push_back(entry.path().string());
    }
  }
  std::ranges::sort(paths);
  CompileOptions compile;
  compile.unroll = 2;  // any bound will do for a comparison
  compile.model = "power";
  const Options limits = tests::sized(Options{.most_combinations = 1'000, .most_candidates = 4'000},
                                      Options{.most_combinations = 5'000, .most_candidates = 20'000});
  std::size_t compared = 0, as_written = 0;
  // False if it was too large.
  const auto agrees = [&](const std::string& path, const Program& program) {
    const Comparison comparison = compare(program, limits);
    CHECK_MESSAGE(comparison.difference.empty(), path << ":\n" << comparison.difference);
    return comparison.skipped.empty();
  };
  for (const auto& path : paths) {
    CAPTURE(path);
    const auto program = Program::from_file(path, compile);
    REQUIRE(program);
    if (!why_not(*program, "power", "trust").empty()) continue;  // it has invariants
    compared += agrees(path, *program);
    if (program->retry_loops().empty()) continue;
    // Where threads wait at loops, there are fewer executions than by the axioms.
    compile.unroll_spin_loops = true;
    const auto written = Program::from_file(path, compile);
    compile.unroll_spin_loops = false;
    REQUIRE(written);
    as_written += agrees(path, *written);
  }
  MESSAGE(paths.size(), " files, ", compared, " small enough, and ", as_written,
          " with their loops as written");
  CHECK(compared * 2 >= paths.size());
  CHECK(as_written > 10);
}

}  // namespace heddle::power_oracle
