// Checks of models inside unit tests.
//
//   CHECK_SAFE(program, heddle::tso);                 // the whole space explored, nothing wrong
//   CHECK_SAFE_WITHIN_BOUNDS(program, heddle::tso);   // nothing wrong, but loops may have been cut
//   CHECK_VIOLATION(program, heddle::tso, "inside");  // a violation with this in its message
//   CHECK_NEVER(program, heddle::sc);                 // its `exists` condition holds in no final state
//   CHECK_SOMETIMES(program, heddle::tso);
//
// `program` is a Program or a Result<Program>. A failure shows what was found instead, and the trace of a
// violation. Include doctest, GoogleTest or Catch2 first: the macros report through whichever is there. With
// another framework use heddle::expectation(...), which returns the report of a failure.
#pragma once

#include <string>
#include <string_view>

#include "heddle/heddle.h"

namespace heddle {

// Names of the models, for the macros.
inline constexpr std::string_view sc = "sc";
inline constexpr std::string_view tso = "tso";
inline constexpr std::string_view pso = "pso";
inline constexpr std::string_view power = "power";

// A trace as text, one step a line, then memory and threads.
[[nodiscard]] std::string to_text(const Trace& trace);

// Checks the program and reports how it differs from the expectation, with the trace of a violation; empty if
// it meets it. Errors of the check are part of the report, so this is no Result. Replaces `options.model`.
[[nodiscard]] std::string expectation(const Program& program, std::string_view model, ExpectedOutcome outcome,
                                      std::string_view text = {}, CheckOptions options = {});
// If the program did not compile, the report is its errors.
[[nodiscard]] std::string expectation(const Result<Program>& program, std::string_view model,
                                      ExpectedOutcome outcome, std::string_view text = {},
                                      CheckOptions options = {});

}  // namespace heddle

#if defined(DOCTEST_VERSION)
#define HEDDLE_REPORT_(failure) CHECK_MESSAGE((failure).empty(), (failure))
#elif defined(EXPECT_TRUE)
#define HEDDLE_REPORT_(failure) EXPECT_TRUE((failure).empty()) << (failure)
#elif defined(CATCH_VERSION_MAJOR)
#define HEDDLE_REPORT_(failure) \
  do {                          \
    INFO(failure);              \
    CHECK((failure).empty());   \
  } while (false)
#endif

#ifdef HEDDLE_REPORT_
#define HEDDLE_EXPECT_(...)                                                 \
  do {                                                                      \
    const std::string heddle_failure_ = ::heddle::expectation(__VA_ARGS__); \
    HEDDLE_REPORT_(heddle_failure_);                                        \
  } while (false)
#define CHECK_SAFE(program, model) HEDDLE_EXPECT_(program, model, ::heddle::ExpectedOutcome::safe)
#define CHECK_SAFE_WITHIN_BOUNDS(program, model) \
  HEDDLE_EXPECT_(program, model, ::heddle::ExpectedOutcome::safe_within_bounds)
#define CHECK_VIOLATION(program, model, text) \
  HEDDLE_EXPECT_(program, model, ::heddle::ExpectedOutcome::violation, text)
#define CHECK_DEADLOCK(program, model) HEDDLE_EXPECT_(program, model, ::heddle::ExpectedOutcome::deadlock)
#define CHECK_RACE(program, model) HEDDLE_EXPECT_(program, model, ::heddle::ExpectedOutcome::race)
#define CHECK_NEVER(program, model) HEDDLE_EXPECT_(program, model, ::heddle::ExpectedOutcome::never)
#define CHECK_SOMETIMES(program, model) HEDDLE_EXPECT_(program, model, ::heddle::ExpectedOutcome::sometimes)
#define CHECK_ALWAYS(program, model) HEDDLE_EXPECT_(program, model, ::heddle::ExpectedOutcome::always)
#endif
