// The report for programs; see report.hpp and json.hpp.
#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/commands.hpp"
#include "cli/coverage.hpp"
#include "cli/json.hpp"
#include "cli/report.hpp"

namespace heddle::cli {
namespace {

// A `bool` becomes true or false in JSON.
Json value_of(const NamedValue& value) {
  if (value.pending) return nullptr;
  return value.boolean ? Json(value.value != 0) : Json(value.value);
}

Json commit(const Commit& commit) {
  Json fences = Json::array();
  for (const FenceType fence : commit.fences) fences.push_back(fence_name(fence));
  return {{"position", commit.position},
          {"source", commit.source ? Json(*commit.source) : Json(nullptr)},
          {"behind", commit.behind ? Json(*commit.behind) : Json(nullptr)},
          {"address", commit.address},
          {"data", commit.data},
          {"control", commit.control},
          {"control_isync", commit.control_isync},
          {"fences", std::move(fences)}};
}

Json step(const Step& step) {
  Json result = {{"kind", json_word(name(step.kind))}};
  result["thread"] = step.thread < 0 ? Json(nullptr) : Json(step.thread);
  result["location"] = step.location.empty() ? Json(nullptr) : Json(step.location);
  result["read"] = step.reads ? Json(step.read) : Json(nullptr);
  result["written"] = step.writes ? Json(step.written) : Json(nullptr);
  result["read_symbol"] = text_or_null(step.read_symbol);
  result["written_symbol"] = text_or_null(step.written_symbol);
  result["action"] = step.action;
  result["file"] = step.file;
  result["line"] = step.line;
  result["column"] = step.column;
  result["source"] = step.source;
  result["commit"] = step.commit ? commit(*step.commit) : Json(nullptr);
  return result;
}

}  // namespace

std::string_view fence_name(FenceType fence) {
  switch (fence) {
    case FenceType::full: return "sync";
    case FenceType::lightweight: return "lwsync";
    case FenceType::store_store: return "eieio";
    case FenceType::instruction: break;
  }
  return "isync";
}

Json json_head(std::string_view document) {
  return {{"document", document}, {"version", json_version}, {"heddle", std::string(version())}};
}

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_word(std::string_view text) {
  std::string result(text);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return result;
}

Json to_json(const Parameters& parameters) {
  Json result = Json::object();
  for (const auto& [name, value] : parameters) result[name] = value;
  return result;
}

Json to_json(const std::vector<Outcome>& outcomes) {
  Json result = Json::array();
  for (const Outcome& outcome : outcomes) {
    result.push_back({{"executions", outcome.executions}, {"values", to_json(outcome.values)}});
  }
  return result;
}

Json to_json(const std::vector<NamedValue>& list) {
  Json result = Json::array();
  for (const NamedValue& value : list) {
    Json entry = {{"name", value.name}, {"value", value_of(value)}};
    if (!value.boolean && !value.pending && !value.symbol.empty()) entry["symbol"] = value.symbol;
    result.push_back(std::move(entry));
  }
  return result;
}

Json to_json(const Trace& trace) {
  Json steps = Json::array();
  for (const Step& each : trace.steps) steps.push_back(step(each));
  Json ends = Json::array();
  for (const ThreadEnd& end : trace.ends) {
    ends.push_back({{"thread", end.thread},
                    {"state", end.state},
                    {"locals", to_json(end.locals)},
                    {"buffered", to_json(end.buffered)}});
  }
  Json result = {{"threads", trace.threads},
                 {"steps", std::move(steps)},
                 {"initial", to_json(trace.initial)},
                 {"memory", to_json(trace.memory)},
                 {"ends", std::move(ends)}};
  if (trace.repeats_from) result["repeats_from"] = *trace.repeats_from;
  if (trace.waits_at_loops) result["waits_at_loops"] = true;
  return result;
}

Json to_json(const RacingAccess& access) {
  return {{"thread", access.thread},     {"access", access.writes ? "write" : "read"},
          {"location", access.location}, {"file", access.file},
          {"line", access.line},         {"column", access.column},
          {"source", access.source}};
}

Json to_json(const Violation& violation) {
  Json result = {{"kind", json_word(name(violation.kind))},
                 {"message", violation.message},
                 {"file", violation.file},
                 {"line", violation.line},
                 {"column", violation.column},
                 {"count", violation.count},
                 {"trace", to_json(violation.trace)}};
  if (!violation.cycle.empty()) {
    result["cycle"] = Json::array();
    for (const CycleEdge& edge : violation.cycle) result["cycle"].push_back(to_json(edge));
  }
  if (!violation.race.empty()) {
    result["race"] = Json::array();
    for (const RacingAccess& access : violation.race) result["race"].push_back(to_json(access));
  }
  return result;
}

Json to_json(const Witness& witness) {
  Json result = {{"condition", text_or_null(witness.condition)}};
  if (!witness.condition.empty()) {
    result["file"] = witness.file;
    result["line"] = witness.line;
    result["column"] = witness.column;
  }
  result["trace"] = to_json(witness.trace);
  return result;
}

Json to_json(const Counts& counts) {
  return {{"executions", counts.executions},
          {"representatives", counts.representatives},
          {"blocked_assume", counts.blocked_assume},
          {"blocked_await", counts.blocked_await},
          {"blocked_idle", counts.blocked_idle},
          {"blocked_sleep_set", counts.blocked_sleep_set},
          {"blocked_race", counts.blocked_race},
          {"blocked_loop_bound", counts.blocked_loop_bound},
          {"blocked_preemption_bound", counts.blocked_preemption_bound},
          {"beyond_bound", counts.beyond_bound},
          {"buffer_bound_flushes", counts.buffer_bound_flushes},
          {"transitions", counts.transitions},
          {"states", counts.states},
          {"revisits", counts.revisits},
          {"cuts", counts.cuts},
          {"runs", counts.runs},
          {"max_depth", counts.max_depth},
          {"peak_memory", counts.peak_memory}};
}

Json to_json(const std::vector<BlockedAt>& places) {
  Json result = Json::array();
  for (const BlockedAt& place : places) {
    result.push_back({{"by", json_word(name(place.by))},
                      {"thread", place.thread},
                      {"file", place.file},
                      {"line", place.line},
                      {"column", place.column},
                      {"source", place.source},
                      {"executions", place.executions}});
  }
  return result;
}

Json to_json(const std::vector<ConditionCount>& conditions) {
  Json result = Json::array();
  for (const ConditionCount& condition : conditions) {
    result.push_back({{"kind", condition.kind},
                      {"source", condition.source},
                      {"satisfied", condition.satisfied},
                      {"total", condition.total}});
  }
  return result;
}

Json to_json(const Diagnostic& diagnostic) {
  return {{"file", diagnostic.file.empty() ? Json(nullptr) : Json(diagnostic.file)},
          {"line", diagnostic.line == 0 ? Json(nullptr) : Json(diagnostic.line)},
          {"column", diagnostic.column == 0 ? Json(nullptr) : Json(diagnostic.column)},
          {"message", diagnostic.message},
          {"hint", diagnostic.hint.empty() ? Json(nullptr) : Json(diagnostic.hint)},
          {"text", diagnostic.text}};
}

Json to_json(const std::vector<LintWarning>& warnings) {
  Json result = Json::array();
  for (const LintWarning& warning : warnings) {
    Json entry = to_json(warning.diagnostic);
    entry["rule"] = json_word(name(warning.rule));
    result.push_back(std::move(entry));
  }
  return result;
}

std::string json_report(const Program& program, const CheckResult& result, std::string_view minimised,
                        const LintReport* lint, const std::optional<Advice>& advice) {
  Json json = json_head("report");
  json["file"] = program.name();
  json["parameters"] = to_json(program.parameters());
  json["threads"] = program.threads();
  json["spin_loops"] = program.spin_loops();
  json["retry_loops"] = Json::array();
  std::uint32_t number = 0;
  for (const RetryLoop& loop : program.retry_loops()) {
    json["retry_loops"].push_back({{"file", loop.file},
                                   {"line", loop.line},
                                   {"column", loop.column},
                                   {"source", loop.source},
                                   {"waits", std::ranges::binary_search(result.waiting_loops, number++)}});
  }
  json["model"] = result.model;
  json["explored_as"] = result.explored_as.empty() ? Json(nullptr) : Json(result.explored_as);
  json["algorithm"] = result.algorithm;
  json["verdict"] = json_word(name(result.verdict));
  json["exit_code"] = exit_code(result.verdict);
  json["stopped_by"] = result.stopped_by.empty() ? Json(nullptr) : Json(result.stopped_by);
  json["finished"] = result.finished;
  json["robust"] = result.robust ? Json(*result.robust) : Json(nullptr);
  if (result.robust_states) json["robust_by"] = "states";
  json["given_up"] = Json::array();
  for (const GivenUp& other : result.given_up)
    json["given_up"].push_back({{"algorithm", other.algorithm},
                                {"transitions", other.transitions},
                                {"states", other.states},
                                {"new_states", other.new_states},
                                {"seconds", other.seconds}});
  json["advice"] = advice ? to_json(*advice) : Json(nullptr);
  json["grows"] = text_or_null(result.grows);
  json["endless"] = result.endless;
  json["random"] = Json(nullptr);
  if (result.random) {
    json["random"] = {{"runs", result.random->runs},
                      {"seed", result.random->seed},
                      {"depth", result.random->depth},
                      {"least_probability", result.least_probability}};
  }
  json["bounds"] = result.bounds;
  json["blocked"] = to_json(result.blocked);
  json["seconds"] = result.seconds;
  json["workers"] = result.threads;
  json["counts"] = to_json(result.counts);
  json["conditions"] = to_json(result.conditions);
  json["outcomes"] = to_json(result.outcomes);
  json["coverage"] = result.coverage.empty() ? Json(nullptr) : coverage_json(program, result);
  json["minimised"] = minimised.empty() ? Json(nullptr) : Json(minimised);
  json["warnings"] = lint == nullptr ? Json(nullptr) : to_json(lint->warnings);
  json["open_questions"] = lint == nullptr ? Json(nullptr) : to_json(lint->open);
  json["notes"] = lint == nullptr ? Json(nullptr) : to_json(lint->notes);
  json["fixed"] = lint == nullptr ? Json(nullptr) : Json(lint->fixed);
  json["violation"] = result.violation ? to_json(*result.violation) : Json(nullptr);
  json["violations"] = to_json_list(result.violations);
  json["witnesses"] = to_json_list(result.witnesses);
  return json_text(json);
}

Json to_json(const std::vector<Diagnostic>& diagnostics) {
  Json json = Json::array();
  for (const Diagnostic& each : diagnostics) json.push_back(to_json(each));
  return json;
}

std::string json_errors(const std::vector<Diagnostic>& errors, int exit_code) {
  Json json = json_head("errors");
  json["exit_code"] = exit_code;
  json["diagnostics"] = to_json(errors);
  return json_text(json);
}

int write_product(const Options& options, const std::string& text) {
  if (!options.json) return write_report(text) ? 0 : bad_input;
  Json json = json_head("text");
  json["file"] = options.file.empty() ? Json(nullptr) : Json(options.file);
  json["exit_code"] = 0;
  json["text"] = text;
  return write_report(json_text(json)) ? 0 : bad_input;
}

}  // namespace heddle::cli
