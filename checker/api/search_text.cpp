#include "checker/api/search_text.hpp"

#include <utility>

namespace heddle::checker {

namespace {

struct Switch {
  const char* name;
  bool CheckOptions::*value;
};
constexpr Switch switches[] = {
    {"symmetry", &CheckOptions::symmetry},
    {"keep_going", &CheckOptions::keep_going},
    {"report_beyond_bound", &CheckOptions::report_beyond_bound},
    {"live", &CheckOptions::live},
    {"robust", &CheckOptions::robust},
    {"robust_states", &CheckOptions::robust_states},
    {"collect_outcomes", &CheckOptions::collect_outcomes},
    {"witnesses", &CheckOptions::witnesses},
};

constexpr std::size_t violation_kinds = static_cast<std::size_t>(last_violation_kind) + 1;
constexpr std::size_t step_types = static_cast<std::size_t>(StepType::commit) + 1;

Json json_of(const Schedule& schedule) {
  Json json = Json::array();
  for (const auto& choice : schedule)
    json.push_back({static_cast<unsigned>(choice.type), choice.thread, choice.location, choice.value});
  return json;
}

// Null for none.
Json json_of(const DataRace& race) {
  if (race.location == none) return nullptr;
  const auto access = [](const RacingAccess& a) { return Json{a.thread, a.site, a.writes}; };
  return {race.location, access(race.first), access(race.second)};
}

std::uint32_t index(const Json& json, std::size_t end) {
  const auto value = json.get<std::uint64_t>();
  if (value >= end) throw Unusable("a number in it is too large");
  return static_cast<std::uint32_t>(value);
}
std::uint32_t index_or_none(const Json& json, std::size_t end) {
  return json == none ? none : index(json, end);
}

}  // namespace

Json json_of(const CheckOptions& options) {
  Json json{{"model", options.model},
            {"algorithm", options.algorithm},
            {"buffer_bound", or_null(options.buffer_bound)},
            {"preemption_bound", or_null(options.preemption_bound)},
            {"witness_of", options.witness_of}};
  for (const Switch& option : switches) json[option.name] = options.*option.value;
  return json;
}

CheckOptions options_of(const Json& json) {
  CheckOptions options;
  options.model = json.at("model");
  options.algorithm = json.at("algorithm");
  options.buffer_bound = optional_of<std::uint32_t>(json.at("buffer_bound"));
  options.preemption_bound = optional_of<std::uint32_t>(json.at("preemption_bound"));
  options.witness_of = json.at("witness_of").get<decltype(options.witness_of)>();
  for (const Switch& option : switches) options.*option.value = json.at(option.name);
  return options;
}

Json json_of(const FoundViolation& found) {
  return {{"kind", static_cast<unsigned>(found.kind)},
          {"site", found.site},
          {"in_final", found.in_final},
          {"waits", found.waits},
          {"race", json_of(found.race)},
          {"count", found.count},
          {"schedule", json_of(found.schedule)}};
}

Json json_of(const FoundWitness& found) {
  return {{"condition", or_null(found.condition)}, {"schedule", json_of(found.schedule)}};
}

DataRace FindingsReader::race(const Json& json) const {
  if (json.is_null()) return {};
  const auto access = [&](const Json& a) {
    return RacingAccess{static_cast<ThreadId>(index(a.at(0), image_.threads.size())),
                        static_cast<std::uint32_t>(index(a.at(1), image_.sites.size())), a.at(2).get<bool>()};
  };
  return {static_cast<Location>(index(json.at(0), image_.locations.size())), access(json.at(1)),
          access(json.at(2))};
}

FoundViolation FindingsReader::violation(const Json& json) const {
  FoundViolation found;
  found.kind = static_cast<ViolationKind>(index(json.at("kind"), violation_kinds));
  found.site = index_or_none(json.at("site"), image_.sites.size());
  found.in_final = json.at("in_final");
  found.waits = json.at("waits").get<std::vector<std::uint32_t>>();
  found.race = race(json.at("race"));
  found.count = json.at("count");
  found.schedule = schedule(json.at("schedule"));
  return found;
}

FoundWitness FindingsReader::witness(const Json& json) const {
  FoundWitness found;
  if (const Json& condition = json.at("condition"); !condition.is_null())
    found.condition = index(condition, image_.conditions.size());
  found.schedule = schedule(json.at("schedule"));
  return found;
}

std::uint64_t FindingsReader::place(std::uint64_t number) const {
  const BlockedPlace place = place_of(number);
  if (place.site >= image_.sites.size() || (place.thread != none && place.thread >= image_.threads.size()))
    throw Unusable("it names a place that the program does not have");
  return number;
}

Schedule FindingsReader::schedule(const Json& json) const {
  Schedule result;
  for (const Json& entry : json) {
    const auto type = static_cast<StepType>(index(entry.at(0), step_types));
    const bool flush = type == StepType::flush;
    result.push_back(
        {.type = type,
         .thread = index(entry.at(1), image_.threads.size()),
         .location = flush ? index(entry.at(2), image_.locations.size()) : entry.at(2).get<std::uint32_t>(),
         .value = entry.at(3)});
  }
  return result;
}

}  // namespace heddle::checker
