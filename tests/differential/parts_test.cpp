// Searches that are stopped and continued again and again, and searches that several threads share, must report
// what one that is left alone reports: the same counts, violations, conditions and final states.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "heddle/heddle.h"

namespace heddle::differential {

namespace {

// All that must be equal, as text. (Memory is not: a search in parts keeps less at a time.)
std::string text_of(const CheckResult& result) {
  const Counts& c = result.counts;
  std::string text = std::string(name(result.verdict)) + (result.finished ? " finished" : " unfinished");
  for (const std::uint64_t count :
       {c.executions, c.blocked_assume, c.blocked_await, c.blocked_idle, c.blocked_sleep_set,
        c.blocked_loop_bound, c.blocked_race, c.blocked_preemption_bound, c.beyond_bound,
        c.buffer_bound_flushes, c.transitions, c.runs, c.max_depth})
    text += " " + std::to_string(count);
  for (const Violation& violation : result.violations)
    text += "\n" + violation.message + " x " + std::to_string(violation.count) + " " +
            std::to_string(violation.trace.steps.size());
  for (const auto& condition : result.conditions) text += "\n" + std::to_string(condition.satisfied);
  for (const auto& witness : result.witnesses) text += "\n" + witness.condition;
  for (const auto& place : result.blocked)
    text += "\n" + place.source + " " + std::to_string(place.executions);
  for (const auto& outcome : result.outcomes) {
    text += "\n";
    for (const auto& value : outcome.values) text += value.name + "=" + std::to_string(value.value) + " ";
    text += std::to_string(outcome.executions);
  }
  return text;
}

// Checks the program in pieces of at most `piece` executions.
CheckResult check_in_pieces(const Program& program, CheckOptions options, std::uint64_t piece) {
  std::string saved;
  std::uint64_t end = piece;
  options.save = [&](const std::string& text) { saved = text; };
  for (;; end += piece) {
    options.max_executions = end;
    saved.clear();
    const auto result = check(program, options);
    REQUIRE_MESSAGE(result, to_text(result.error()));
    if (saved.empty()) return *result;
    CHECK(result->stopped_by == "execution limit");
    // The last execution may stand for several.
    const Counts& counts = result->counts;
    CHECK_MESSAGE(counts.executions >= end, options.algorithm, " under ", options.model);
    if (counts.representatives == counts.executions) CHECK(counts.executions == end);
    options.resume = saved;
  }
}

struct Setting {
  std::string model;
  std::string algorithm;
  bool keep_going = false;
  std::optional<std::uint32_t> preemption_bound = {};
  std::optional<std::uint32_t> buffer_bound = {};
};

std::uint64_t pieces = 0;

Finding pieces_make_a_whole(const Program& program, const Setting& setting) {
  CheckOptions options{.model = setting.model, .algorithm = setting.algorithm, .timeout = 5};
  options.keep_going = setting.keep_going;
  options.preemption_bound = setting.preemption_bound;
  options.buffer_bound = setting.buffer_bound;
  options.collect_outcomes = options.witnesses = true;
  const auto whole = check(program, options);
  if (!whole) return {.difference = to_text(whole.error())};
  // A piece replays the way to its beginning.
  if (!whole->stopped_by.empty() || whole->counts.transitions > 5'000)
    return {.skipped = true, .difference = {}};
  options.timeout.reset();
  const std::uint64_t piece = 1 + whole->counts.executions / 16;
  const CheckResult together = check_in_pieces(program, options, piece);
  pieces += whole->counts.executions / piece;
  if (text_of(*whole) == text_of(together)) return {};
  return {.difference = setting.algorithm + " under " + setting.model + ", without interruption:\n" +
                        text_of(*whole) + "\nin pieces of " + std::to_string(piece) + ":\n" +
                        text_of(together) + "\n"};
}

}  // namespace

TEST_SUITE_BEGIN("parts");

TEST_CASE("a search that is stopped and continued reports what one without interruption reports") {
  pieces = 0;
  const std::vector<Setting> settings{
      {"sc", "trust", true},         {"tso", "trust", false},   {"pso", "trust", true},
      {"power", "trust", true},      {"power", "trust", false}, {"sc", "naive", true},
      {"tso", "naive", true, {}, 1}, {"sc", "trust", true, 1},  {"pso", "naive", false, 1},
      {"tso", "trust", true, 2},
  };
  std::vector<Property> properties;
  for (const Setting& setting : settings)
    properties.push_back([setting](const Program& program) { return pieces_make_a_whole(program, setting); });
  run({"parts", 400, 95'000'000, all_of(properties), 60});
  MESSAGE(pieces, " pieces");
  if (!is_short()) CHECK(pieces > 1000);
}

TEST_SUITE_END();

}  // namespace heddle::differential
