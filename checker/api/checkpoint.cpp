// A checkpoint is one JSON document. Its last member is a checksum of the text before it, so that damage is
// noticed. Nothing in it is executed; what is read is compared with the program before it is used.
#include "checker/api/checkpoint.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "checker/api/refusal.hpp"
#include "checker/api/search_text.hpp"
#include "checker/api/state.hpp"

namespace heddle {

namespace {

using checker::Findings;
using checker::FoundViolation;
using checker::FoundWitness;
using checker::Json;
using checker::Part;
using checker::Section;
using checker::Sections;
using checker::Unusable;

constexpr std::string_view checksum_key = ",\"checksum\":\"";

std::string checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

// -- Sections.

Json json_of(const Findings& findings) {
  Json counts;
  for (const auto& named : checker::additive_counts)
    counts[std::string(named.name)] = findings.counts.*named.count;
  counts["max_depth"] = findings.counts.max_depth;
  Json violations = Json::array();
  for (const FoundViolation& found : findings.violations) violations.push_back(checker::json_of(found));
  Json witnesses = Json::array();
  for (const FoundWitness& found : findings.witnesses) witnesses.push_back(checker::json_of(found));
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

// Reads sections of this program.
class Reader {
 public:
  explicit Reader(const compiler::Image& image) : image_(image), reader_(image) {}

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
  [[nodiscard]] Findings findings(const Json& json) const {
    Findings result;
    const Json& counts = json.at("counts");
    for (const auto& named : checker::additive_counts)
      result.counts.*named.count = counts.at(std::string(named.name));
    result.counts.max_depth = counts.at("max_depth");
    for (const Json& entry : json.at("violations")) result.note(reader_.violation(entry));
    for (const Json& entry : json.at("witnesses")) result.witnesses.push_back(reader_.witness(entry));
    for (const auto& [number, runs] :
         json.at("blocked").get<std::vector<std::pair<std::uint64_t, std::uint64_t>>>()) {
      result.blocked[reader_.place(number)] = runs;
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

  const compiler::Image& image_;
  const checker::FindingsReader reader_;
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
  info.options = checker::options_of(json.at("options"));
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
                  {"options", checker::json_of(options)},
                  {"sections", heddle::json_of(sections)}};
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
    const Json expected = checker::json_of(options);
    for (const auto& [name, value] : json.at("options").items()) {
      if (expected.contains(name) && expected.at(name) == value) continue;
      throw Unusable(fmt::format("it was made with other options: '{}' was {}", name, value.dump()));
    }
    return Reader(image).sections(json.at("sections"));
  });
}

}  // namespace heddle
