// A table of states is worth its price only if it never makes the search much longer: on every program, `sdpor` takes at most twice
// as many transitions as `dpor`, which has none. Programs for which `dpor` takes a million or more are left out.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "heddle/heddle.h"
#include "tests/environment.hpp"
#include "tests/programs/program_files.hpp"

namespace {

using heddle::tests::Source;

std::optional<std::uint64_t> transitions(const heddle::Program& program, const std::string& model,
                                         const std::string& algorithm, double seconds) {
  if (!heddle::why_not(program, model, algorithm).empty()) return std::nullopt;
  heddle::CheckOptions options;
  options.model = model;
  options.algorithm = algorithm;
  options.keep_going = true;
  options.timeout = seconds;
  const auto result = heddle::check(program, options);
  CHECK_MESSAGE(result, heddle::tests::first_error(result));
  if (!result || !result->stopped_by.empty()) return std::nullopt;
  return result->counts.transitions;
}

}  // namespace

TEST_CASE("sdpor takes at most twice as many transitions as dpor") {
  std::size_t compared = 0;
  std::size_t fewer = 0;
  for (const char* folder : {"examples", "examples/protocols", "tests/programs/expect",
                             "tests/programs/reference", "tests/stdlib"}) {
    for (const Source& source : heddle::tests::programs_in(folder)) {
      heddle::tests::Variants variants(source);
      for (const char* model : {"sc", "tso", "pso", "power"}) {
        CAPTURE(source.name);
        CAPTURE(model);
        const auto without = transitions(variants.get({}), model, "dpor", heddle::tests::sized(0.05, 0.2));
        if (!without || *without >= 1'000'000) continue;
        const auto with = transitions(variants.get({}), model, "sdpor", 60);
        REQUIRE(with);
        CHECK(*with <= 2 * *without);
        ++compared;
        fewer += *with < *without ? 1 : 0;
      }
    }
  }
  MESSAGE(compared, " comparisons, fewer transitions with states in ", fewer);
  CHECK(compared > 500);
  CHECK(fewer > 200);
}

TEST_CASE("without fences sdpor under power takes orders of stores that make no difference for one") {
  const std::string file = HEDDLE_SOURCE_DIR "/tests/programs/expect/paper_rsmc_figure_11.hed";
  const Source source{file, heddle::tests::read_file(file)};
  heddle::tests::Variants variants(source);
  const auto dpor = transitions(variants.get({}), "power", "dpor", 60);
  const auto sdpor = transitions(variants.get({}), "power", "sdpor", 60);
  REQUIRE(dpor);
  REQUIRE(sdpor);
  CHECK(*dpor > 184'759);
  CHECK(*sdpor < 1000);
}
