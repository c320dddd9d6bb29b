// Checks without a named algorithm, in turns so short that every program has several.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "campaign.hpp"
#include "checker/api/automatic.hpp"
#include "generate.hpp"
#include "properties.hpp"
#include "tests/environment.hpp"

namespace heddle::differential {

namespace {

CheckResult checked(const Result<CheckResult>& result) {
  REQUIRE_MESSAGE(result, to_text(result.error()));
  return *result;
}

}  // namespace

TEST_CASE("a search in turns finds what one without interruption finds") {
  const std::size_t programs = tests::sized(60, 2000);
  std::size_t continued = 0;
  for (std::uint64_t number = 0; number < programs; ++number) {
    CompileOptions compile;
    compile.unroll = spin_rounds;
    const auto program =
        Program::from_source(print(generate(default_seed(), number).program), "turns.hed", compile);
    REQUIRE(program);
    for (const char* model : {"sc", "tso", "pso"}) {
      CAPTURE(number);
      CAPTURE(model);
      CheckOptions options{.model = model};
      REQUIRE(checker::may_alternate(*program, options));
      const auto turns = checked(checker::check_by_turns(*program, options, 0));
      options.algorithm = "trust";
      const auto whole = checked(check(*program, options));
      CHECK(turns.stopped_by.empty());
      CHECK(turns.verdict == whole.verdict);
      continued += !turns.given_up.empty();
      // (sdpor decides programs that fail before the first transition, and those of
      // tests/checker/automatic_test.cpp.)
      if (turns.algorithm != "trust") continue;
      CHECK(turns.counts.executions == whole.counts.executions);
      CHECK(turns.counts.transitions == whole.counts.transitions);
      if (whole.violation) CHECK(turns.violation->message == whole.violation->message);
    }
  }
  CHECK(continued > programs);
}

}  // namespace heddle::differential
