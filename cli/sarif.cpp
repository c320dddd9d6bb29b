// See sarif.hpp; the format is OASIS SARIF 2.1.0.
#include "cli/sarif.hpp"

#include <fmt/format.h>

#include "cli/json.hpp"
#include "cli/text.hpp"
#include "cli/why.hpp"

namespace heddle::cli {
namespace {

// A path as a URI reference (RFC 3986): everything but letters, digits and "-._~/" is escaped.
std::string uri(std::string_view path) {
  std::string result;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return path.starts_with('/') ? "file://" + result : result;
}

Json location(const std::string& file, std::uint32_t line, std::uint32_t column) {
  Json place = {{"artifactLocation", {{"uri", uri(file)}}}};
  if (line > 0) place["region"] = {{"startLine", line}, {"startColumn", std::max(column, 1u)}};
  return {{"physicalLocation", std::move(place)}};
}

constexpr LintRule last_rule = LintRule::vacuous;

int index_of(LintRule rule) { return static_cast<int>(last_violation_kind) + 1 + static_cast<int>(rule); }

Json rules() {
  Json result = Json::array();
  for (int i = 0; i <= static_cast<int>(last_violation_kind); ++i) {
    const std::string_view kind = name(static_cast<ViolationKind>(i));
    result.push_back({{"id", json_word(kind)},
                      {"shortDescription", {{"text", fmt::format("A check found: {}", kind)}}},
                      {"defaultConfiguration", {{"level", "error"}}}});
  }
  for (int i = 0; i <= static_cast<int>(last_rule); ++i) {
    const std::string_view rule = name(static_cast<LintRule>(i));
    result.push_back({{"id", json_word(rule)},
                      {"shortDescription", {{"text", fmt::format("Probable mistake: {}", rule)}}},
                      {"defaultConfiguration", {{"level", "warning"}}}});
  }
  return result;
}

Json thread_flow(const Program& program, const Trace& trace) {
  Json locations = Json::array();
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const Step& step = trace.steps[i];
    const std::string thread =
        step.thread < 0 ? "final" : trace.threads[static_cast<std::size_t>(step.thread)];
    Json place = location(step.file.empty() ? program.name() : step.file, step.line, step.column);
    place["message"] = {{"text", fmt::format("{}: {}", thread, step.action)}};
    locations.push_back({{"location", std::move(place)}, {"executionOrder", i + 1}});
  }
  return {{"locations", std::move(locations)}};
}

// The cycle that SC excludes: a place for each step, with the edge that leads on from it.
Json related_locations(const Program& program, const Violation& violation) {
  const std::vector<std::string> lines = cycle_lines(program, violation.trace, violation.cycle);
  Json places = Json::array();
  for (std::size_t i = 0; i < violation.cycle.size(); ++i) {
    const Step& step = violation.trace.steps[violation.cycle[i].from];
    Json place = location(step.file.empty() ? program.name() : step.file, step.line, step.column);
    place["id"] = i + 1;
    place["message"] = {{"text", lines[2 * i] + lines[2 * i + 1]}};
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace

std::string sarif(const Program& program, const CheckResult& result,
                  const std::vector<LintWarning>& warnings) {
  Json results = Json::array();
  for (const Violation& violation : result.violations) {
    Json entry = {{"ruleId", json_word(name(violation.kind))},
                  {"ruleIndex", static_cast<int>(violation.kind)},
                  {"level", "error"},
                  {"message",
                   {{"text", fmt::format("{} (model {}, algorithm {})", violation.message, result.model,
                                         result.algorithm)}}}};
    const std::string& file = violation.file.empty() ? program.name() : violation.file;
    entry["locations"] = Json::array({location(file, violation.line, violation.column)});
    if (!violation.race.empty()) {
      const RacingAccess& other = violation.race.back();
      Json place = location(other.file.empty() ? program.name() : other.file, other.line, other.column);
      place["message"] = {
          {"text", fmt::format("{} {} {}", other.thread, other.writes ? "writes" : "reads", other.location)}};
      entry["relatedLocations"] = Json::array({std::move(place)});
    }
    if (!violation.trace.steps.empty()) {
      entry["codeFlows"] =
          Json::array({{{"threadFlows", Json::array({thread_flow(program, violation.trace)})}}});
    }
    if (!violation.cycle.empty()) entry["relatedLocations"] = related_locations(program, violation);
    results.push_back(std::move(entry));
  }
  if (result.verdict == Verdict::vacuous) {
    Json locations = Json::array();
    for (const BlockedAt& place : result.blocked)
      locations.push_back(location(place.file, place.line, place.column));
    results.push_back({{"ruleId", json_word(name(LintRule::vacuous))},
                       {"ruleIndex", index_of(LintRule::vacuous)},
                       {"level", "error"},
                       {"message",
                        {{"text", fmt::format("no execution is complete, so nothing was checked (model {}, "
                                              "algorithm {})",
                                              result.model, result.algorithm)}}},
                       {"locations", std::move(locations)}});
  }
  for (const LintWarning& warning : warnings) {
    const Diagnostic& diagnostic = warning.diagnostic;
    std::string text = diagnostic.message;
    if (!diagnostic.hint.empty()) text += fmt::format(" ({})", diagnostic.hint);
    results.push_back(
        {{"ruleId", json_word(name(warning.rule))},
         {"ruleIndex", index_of(warning.rule)},
         {"level", "warning"},
         {"message", {{"text", std::move(text)}}},
         {"locations", Json::array({location(diagnostic.file, diagnostic.line, diagnostic.column)})}});
  }
  const Json driver = {{"name", "heddle"}, {"version", std::string(version())}, {"rules", rules()}};
  Json run = {{"tool", {{"driver", driver}}},
              {"columnKind", "unicodeCodePoints"},
              {"invocations", Json::array({{{"executionSuccessful", result.verdict != Verdict::undecided},
                                            {"exitCode", exit_code(result.verdict)}}})},
              {"results", std::move(results)}};
  const Json json = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                     {"version", "2.1.0"},
                     {"runs", Json::array({std::move(run)})}};
  return json_text(json);
}

}  // namespace heddle::cli
