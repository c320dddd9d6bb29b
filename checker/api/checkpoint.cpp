// A checkpoint is one JSON document. Its last member is a checksum of the text before it, so that damage is
// noticed. Nothing in it is executed; what is read is compared with the program before it is used.
#include "checker/api/checkpoint.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checker/api/refusal.hpp"
#include "checker/api/state.hpp"

namespace heddle {

namespace {

using checker::Findings;
using checker::FoundViolation;
using checker::FoundWitness;
using checker::Part;
using checker::Schedule;
using checker::Section;
using checker::Sections;
using Json = nlohmann::ordered_json;

// A sentence about the text.
struct Unusable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr std::string_view checksum_key = ",\"checksum\":\"";

std::string checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}
template <typename Value>
std::optional<Value> optional_of(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<Value>();
}

// -- What decides what is explored and what is found.

struct Switch {
  const char* name;
  bool CheckOptions::*value;
};
constexpr Switch switches[] = {
    {"keep_going", &CheckOptions::keep_going},
    {"report_beyond_bound", &CheckOptions::report_beyond_bound},
    {"robust", &CheckOptions::robust},
    {"robust_states", &CheckOptions::robust_states},
    {"collect_outcomes", &CheckOptions::collect_outcomes},
    {"witnesses", &CheckOptions::witnesses},
};

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

// -- Sections.

Json json_of(const Schedule& schedule) {
  Json json = Json::array();
  for (const auto& choice : schedule)
    json.push_back({static_cast<unsigned>(choice.type), choice.thread, choice.location, choice.value});
  return json;
}

// Null for none.
Json json_of(const checker::DataRace& race) {
  if (race.location == checker::none) return nullptr;
  const auto access = [](const checker::RacingAccess& a) { return Json{a.thread, a.site, a.writes}; };
  return {race.location, access(race.first), access(race.second)};
}

Json json_of(const Findings& findings) {
  Json counts;
  for (const auto& named : checker::additive_counts)
    counts[std::string(named.name)] = findings.counts.*named.count;
  counts["max_depth"] = findings.counts.max_depth;
  Json violations = Json::array();
  for (const FoundViolation& found : findings.violations) {
    violations.push_back({{"kind", static_cast<unsigned>(found.kind)},
                          {"site", found.site},
                          {"in_final", found.in_final},
                          {"waits", found.waits},
                          {"race", json_of(found.race)},
                          {"count", found.count},
                          {"schedule", json_of(found.schedule)}});
  }
  Json witnesses = Json::array();
  for (const FoundWitness& found : findings.witnesses)
    witnesses.push_back({{"condition", or_null(found.condition)}, {"schedule", json_of(found.schedule)}});
  return {{"counts", std::move(counts)},
          {"violations", std::move(violations)},
          {"witnesses", std::move(witnesses)},
          {"blocked", std::vector(findings.blocked.begin(), findings.blocked.end())},
          {"satisfied", findings.satisfied},
          {"judged", findings.judged},
          {"final_states", std::vector(findings.final_states.begin(), findings.final_states.end())}};
}

Json json_of(const Sections& sections) {
  Json json = Json::array();
  for (const Section& section : sections) {
    if (section.left) {
      json.push_back({{"path", section.left->path}, {"first_own", section.left->first_own}});
    } else {
      json.push_back({{"findings", json_of(section.findings)}});
    }
  }
  return json;
}

// Reads findings, and compares every number that is an index with the program.
class Reader {
 public:
  explicit Reader(const compiler::Image& image) : image_(image) {}

  [[nodiscard]] Sections sections(const Json& json) const {
    Sections result;
    for (const Json& entry : json) {
      Section& section = result.emplace_back();
      if (const auto found = entry.find("findings"); found != entry.end()) {
        section.findings = findings(*found);
      } else {
        Part& part = section.left.emplace();
        part.path = entry.at("path").get<std::vector<std::uint32_t>>();
        part.first_own = entry.at("first_own");
      }
    }
    return result;
  }

 private:
  [[nodiscard]] checker::DataRace race(const Json& json) const {
    if (json.is_null()) return {};
    const auto access = [&](const Json& a) {
      return checker::RacingAccess{static_cast<checker::ThreadId>(index(a.at(0), image_.threads.size())),
                                   static_cast<std::uint32_t>(index(a.at(1), image_.sites.size())),
                                   a.at(2).get<bool>()};
    };
    return {static_cast<checker::Location>(index(json.at(0), image_.locations.size())), access(json.at(1)),
            access(json.at(2))};
  }
  [[nodiscard]] Findings findings(const Json& json) const {
    Findings result;
    const Json& counts = json.at("counts");
    for (const auto& named : checker::additive_counts)
      result.counts.*named.count = counts.at(std::string(named.name));
    result.counts.max_depth = counts.at("max_depth");
    for (const Json& entry : json.at("violations")) {
      FoundViolation found;
      found.kind = static_cast<ViolationKind>(index(entry.at("kind"), violation_kinds));
      found.site = index_or_none(entry.at("site"), image_.sites.size());
      found.in_final = entry.at("in_final");
      found.waits = entry.at("waits").get<std::vector<std::uint32_t>>();
      found.race = race(entry.at("race"));
      found.count = entry.at("count");
      found.schedule = schedule(entry.at("schedule"));
      result.note(std::move(found));
    }
    for (const Json& entry : json.at("witnesses")) {
      FoundWitness& found = result.witnesses.emplace_back();
      if (const Json& condition = entry.at("condition"); !condition.is_null())
        found.condition = index(condition, image_.conditions.size());
      found.schedule = schedule(entry.at("schedule"));
    }
    for (const auto& [number, runs] :
         json.at("blocked").get<std::vector<std::pair<std::uint64_t, std::uint64_t>>>()) {
      const checker::BlockedPlace place = checker::place_of(number);
      if (place.site >= image_.sites.size() ||
          (place.thread != checker::none && place.thread >= image_.threads.size()))
        throw Unusable("it names a place that the program does not have");
      result.blocked[number] = runs;
    }
    result.satisfied = json.at("satisfied").get<std::vector<std::uint64_t>>();
    if (result.satisfied.size() != image_.conditions.size())
      throw Unusable("it has another number of conditions than the program");
    result.judged = json.at("judged");
    for (auto& [state, count] :
         json.at("final_states").get<std::vector<std::pair<checker::FinalState, std::uint64_t>>>())
      result.final_states[std::move(state)] = count;
    return result;
  }

  [[nodiscard]] Schedule schedule(const Json& json) const {
    Schedule result;
    for (const Json& entry : json) {
      const auto type = static_cast<checker::StepType>(index(entry.at(0), step_types));
      const bool flush = type == checker::StepType::flush;
      result.push_back(
          {.type = type,
           .thread = index(entry.at(1), image_.threads.size()),
           .location = flush ? index(entry.at(2), image_.locations.size()) : entry.at(2).get<std::uint32_t>(),
           .value = entry.at(3)});
    }
    return result;
  }

  static std::uint32_t index(const Json& json, std::size_t end) {
    const auto value = json.get<std::uint64_t>();
    if (value >= end) throw Unusable("a number in it is too large");
    return static_cast<std::uint32_t>(value);
  }
  static std::uint32_t index_or_none(const Json& json, std::size_t end) {
    return json == checker::none ? checker::none : index(json, end);
  }

  static constexpr std::size_t violation_kinds = static_cast<std::size_t>(ViolationKind::starvation) + 1;
  static constexpr std::size_t step_types = static_cast<std::size_t>(checker::StepType::commit) + 1;

  const compiler::Image& image_;
};

// Throws Unusable.
Json parse(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const auto end = text.rfind(checksum_key);
  const std::string_view whole = text.substr(0, end);
  if (end == std::string_view::npos ||
      text.substr(end) != fmt::format("{}{}\"}}", checksum_key, checksum(whole)))
    throw Unusable(text.find("\"document\":\"checkpoint\"") == std::string_view::npos
                       ? "it is not a checkpoint"
                       : "it is damaged: its checksum is not that of its text");
  const Json json = Json::parse(text);
  if (const std::string made_by = json.at("heddle"); made_by != version())
    throw Unusable(fmt::format("it was written by heddle {}, and this is heddle {}", made_by, version()));
  return json;
}

CheckpointInfo info_of(const Json& json) {
  CheckpointInfo info;
  info.file = json.at("file");
  info.parameters = json.at("parameters").get<Parameters>();
  info.unroll = json.at("unroll");
  info.unroll_spin_loops = json.at("unroll_spin_loops");
  info.options = options_of(json.at("options"));
  for (const Json& section : json.at("sections")) {
    if (const auto found = section.find("findings"); found != section.end())
      info.executions += found->at("counts").at("executions").get<std::uint64_t>();
  }
  return info;
}

// `use(json)` with the errors of the text as errors.
template <typename Use>
auto with_checkpoint(std::string_view text, Use&& use) -> Result<std::invoke_result_t<Use, const Json&>> {
  try {
    return use(parse(text));
  } catch (const std::runtime_error& error) {
    return refuse(fmt::format("the checkpoint cannot be used: {}", error.what()));
  } catch (const Json::exception& error) {
    return refuse(fmt::format("the checkpoint cannot be used: it lacks something ({})", error.what()));
  }
}

}  // namespace

Result<CheckpointInfo> describe_checkpoint(std::string_view text) { return with_checkpoint(text, info_of); }

std::string checker::write_checkpoint(const Program& program, const CheckOptions& options,
                                      const Sections& sections) {
  const auto& state = state_of(program);
  const Json json{{"document", "checkpoint"},
                  {"heddle", std::string(version())},
                  {"file", program.name()},
                  {"fingerprint", program.fingerprint()},
                  {"parameters", program.parameters()},
                  {"unroll", state.options.unroll},
                  {"unroll_spin_loops", state.unroll_spin_loops},
                  {"options", json_of(options)},
                  {"sections", json_of(sections)}};
  std::string text = json.dump();
  text.pop_back();
  return fmt::format("{}{}{}\"}}\n", text, checksum_key, checksum(text));
}

Result<Sections> checker::read_checkpoint(std::string_view text, const Program& program,
                                          const CheckOptions& options, const compiler::Image& image) {
  return with_checkpoint(text, [&](const Json& json) {
    if (json.at("fingerprint") != program.fingerprint())
      throw Unusable("it belongs to another program, or the program has changed");
    const auto& state = state_of(program);
    if (json.at("parameters").get<Parameters>() != program.parameters() ||
        json.at("unroll") != state.options.unroll || json.at("unroll_spin_loops") != state.unroll_spin_loops)
      throw Unusable("it was made with other params or another bound of loops");
    const Json expected = json_of(options);
    for (const auto& [name, value] : json.at("options").items()) {
      if (expected.contains(name) && expected.at(name) == value) continue;
      throw Unusable(fmt::format("it was made with other options: '{}' was {}", name, value.dump()));
    }
    return Reader(image).sections(json.at("sections"));
  });
}

}  // namespace heddle
