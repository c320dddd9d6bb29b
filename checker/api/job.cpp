// See include/heddle/job.h. A division is one JSON document; its id is a hash of that text. A part is written as
// "FIRST_OWN:CHILDREN.CHILDREN...". Everything that is read is compared with the program before it is used.
#include "heddle/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <new>
#include <utility>

#include "checker/api/automatic.hpp"
#include "checker/api/check.hpp"
#include "checker/api/refusal.hpp"
#include "checker/api/search_text.hpp"
#include "checker/api/sources.hpp"
#include "checker/api/state.hpp"
#include "checker/registry.hpp"
#include "checker/report/trace.hpp"
#include "checker/search/job.hpp"
#include "checker/search/search.hpp"

namespace heddle {

struct __attribute__((visibility("hidden"))) Division::State {
  std::string text;
  std::string id;
  Program program;
  CheckOptions options;
};

namespace {

using checker::FoundViolation;
using checker::FoundWitness;
using checker::Json;
using checker::Part;
using checker::Unusable;

// FNV-1a with 128 bits.
std::string hash_of(std::string_view text) {
  __extension__ using Wide = unsigned __int128;
  const Wide prime = (Wide{1} << 88) + 0x13b;
  Wide hash = (Wide{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(hash >> 64),
                     static_cast<std::uint64_t>(hash));
}

// -- Parts.

constexpr std::size_t longest_path = 1'000'000;  // nodes

SearchPart written(const Part& part) {
  return {fmt::format("{}:{}", part.first_own, fmt::join(part.path, ".")), part.first_own};
}

// Throws Unusable.
Part read_part(std::string_view text) {
  const auto number = [&]() {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end == text.data()) throw Unusable("the text of a part is damaged");
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
  };
  const auto take = [&](char expected) {
    if (text.empty() || text.front() != expected) throw Unusable("the text of a part is damaged");
    text.remove_prefix(1);
  };
  Part part;
  part.first_own = number();
  take(':');
  while (!text.empty()) {
    if (!part.path.empty()) take('.');
    part.path.push_back(number());
    if (part.path.size() > longest_path) throw Unusable("the path to a part is too long");
  }
  if (part.first_own > part.path.size()) throw Unusable("the text of a part is damaged");
  return part;
}

// What is found in a part comes, in serial order, where the part begins. Of two places, the one with the smaller
// number comes first; a place after all that is below a node comes after the places below it.
std::string order_of(const Part& part, std::size_t index) {
  std::string order;
  for (const std::uint32_t children : part.path) order += fmt::format("{:08x}", children);
  return fmt::format("{}{}/{:08x}", order, part.path.empty() ? "" : "ffffffff", index);
}

// -- Tallies. The names of sums are those of counts, "blocked/PLACE", "satisfied/CONDITION", "judged",
// "state/VALUES" and "violation/KEY"; firsts are "violation/KEY" and "witness/CONDITION".

constexpr std::string_view depth_name = "max_depth";
constexpr std::string_view memory_name = "peak_memory";
constexpr std::string_view judged_name = "judged";

std::string condition_name(const FoundWitness& witness) {
  return witness.condition ? std::to_string(*witness.condition) : "wanted";
}

Tally tally_of(const checker::Findings& findings, const Part& part) {
  Tally tally;
  const auto sum = [&](std::string key, std::uint64_t count) {
    if (count > 0) tally.sums[std::move(key)] += count;
  };
  for (const auto& named : checker::additive_counts)
    sum(std::string(named.name), findings.counts.*named.count);
  tally.maxima[std::string(depth_name)] = findings.counts.max_depth;
  tally.maxima[std::string(memory_name)] = findings.counts.peak_memory;
  for (const auto& [place, runs] : findings.blocked) sum(fmt::format("blocked/{}", place), runs);
  for (std::size_t i = 0; i < findings.satisfied.size(); ++i)
    sum(fmt::format("satisfied/{}", i), findings.satisfied[i]);
  sum(std::string(judged_name), findings.judged);
  for (const auto& [state, count] : findings.final_states)
    sum(fmt::format("state/{}", fmt::join(state, ",")), count);
  for (const auto& [key, index] : findings.known_violations) {
    FoundViolation found = findings.violations[index];
    const std::string name = fmt::format("violation/{}", fmt::join(key, ","));
    sum(name, std::exchange(found.count, 1));
    tally.firsts[name] = {order_of(part, index), checker::json_of(found).dump()};
  }
  for (std::size_t i = 0; i < findings.witnesses.size(); ++i) {
    const FoundWitness& witness = findings.witnesses[i];
    tally.firsts["witness/" + condition_name(witness)] = {order_of(part, i),
                                                          checker::json_of(witness).dump()};
  }
  return tally;
}

template <typename Number>
Number number_of(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    throw Unusable(fmt::format("'{}' is no number", text.substr(0, 40)));
  return value;
}

class TallyReader {
 public:
  TallyReader(const Tally& tally, const compiler::Image& image)
      : tally_(tally), image_(image), reader_(image), state_size_(checker::state_names(image).size()) {}

  // Throws Unusable or Json::exception.
  checker::Findings findings() {
    result_.satisfied.resize(image_.conditions.size());
    for (const auto& [key, value] : tally_.sums) sum(key, value);
    for (const auto& [key, value] : tally_.maxima) {
      if (key == depth_name) {
        result_.counts.max_depth = value;
      } else if (key == memory_name) {
        result_.counts.peak_memory = value;
      } else {
        throw Unusable("it has a maximum that this version does not know");
      }
    }
    firsts();
    return std::move(result_);
  }

 private:
  void sum(std::string_view key, std::uint64_t value) {
    const std::size_t slash = key.find('/');
    if (slash == std::string_view::npos) {
      if (key == judged_name) {
        result_.judged = value;
        return;
      }
      for (const auto& named : checker::additive_counts) {
        if (named.name != key) continue;
        result_.counts.*named.count = value;
        return;
      }
      throw Unusable("it has a sum that this version does not know");
    }
    const std::string_view kind = key.substr(0, slash), rest = key.substr(slash + 1);
    if (kind == "blocked") {
      result_.blocked[reader_.place(number_of<std::uint64_t>(rest))] = value;
    } else if (kind == "satisfied") {
      const auto index = number_of<std::size_t>(rest);
      if (index >= result_.satisfied.size()) throw Unusable("it has more conditions than the program");
      result_.satisfied[index] = value;
    } else if (kind == "state") {
      result_.final_states[state(rest)] = value;
    } else if (kind != "violation") {  // those are read with their texts
      throw Unusable("it has a sum that this version does not know");
    }
  }

  [[nodiscard]] checker::FinalState state(std::string_view text) const {
    checker::FinalState state;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      state.push_back(number_of<std::int64_t>(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    if (state.size() != state_size_) throw Unusable("it has a final state that is none of the program");
    return state;
  }

  void firsts() {
    std::vector<std::pair<const std::string*, const Tally::First*>> in_order;
    for (const auto& [key, first] : tally_.firsts) in_order.emplace_back(&key, &first);
    std::sort(in_order.begin(), in_order.end(), [](const auto& a, const auto& b) {
      return std::tie(a.second->order, *a.first) < std::tie(b.second->order, *b.first);
    });
    for (const auto& [key, first] : in_order) {
      const Json json = Json::parse(first->text);
      if (key->starts_with("violation/")) {
        FoundViolation found = reader_.violation(json);
        const auto count = tally_.sums.find(*key);
        if (count != tally_.sums.end()) found.count = count->second;
        if (!result_.note(std::move(found))) throw Unusable("it has the same violation twice");
      } else if (key->starts_with("witness/")) {
        result_.witnesses.push_back(reader_.witness(json));
      } else {
        throw Unusable("it has a text that this version does not know");
      }
    }
  }

  const Tally& tally_;
  const compiler::Image& image_;
  const checker::FindingsReader reader_;
  const std::size_t state_size_;
  checker::Findings result_;
};

// -- Divisions.

// Why a check with these options is not divided; empty: it can be.
std::string why_one_process(const CheckOptions& options) {
  if (std::string reason = why_not_divided(options.model, options.algorithm); !reason.empty()) return reason;
  if (options.max_executions) return "a limit of executions cannot be kept by several processes";
  if (options.max_memory) return "a limit of memory cannot be kept by several processes";
  if (options.coverage) return "coverage is counted by one process only";
  if (options.random) return "a random search is one of one process";
  if (options.robust_states) return "robustness of final states is decided by one process only";
  if (options.save || !options.resume.empty())
    return "a search that several processes explore is not saved or continued by one of them";
  return {};
}

std::string text_of(const Program& program, const CheckOptions& options) {
  const auto& state = state_of(program);
  Json files = Json::array();
  for (std::uint32_t file = 0; file < state.sources.size(); ++file) {
    if (state.sources.built_in(file)) continue;
    files.push_back({{"name", state.sources.name(file)}, {"text", std::string(state.sources.text(file))}});
  }
  return Json{{"document", "division"},
              {"heddle", std::string(version())},
              {"files", std::move(files)},
              {"fingerprint", program.fingerprint()},
              {"parameters", program.parameters()},
              {"unroll", state.options.unroll},
              {"unroll_spin_loops", state.unroll_spin_loops},
              {"optimise", state.options.optimise},
              {"options", checker::json_of(options)}}
      .dump();
}

// Throws Unusable or Json::exception.
Result<Program> program_of(const Json& json) {
  CompileOptions options;
  options.parameters = json.at("parameters").get<Parameters>();
  options.unroll = json.at("unroll");
  options.unroll_spin_loops = json.at("unroll_spin_loops");
  options.optimise = json.at("optimise");
  options.model = json.at("options").at("model");
  std::map<std::string, std::string> files;
  for (const Json& file : json.at("files")) files[file.at("name")] = file.at("text");
  const Json& main = json.at("files").at(0);
  Result<Program> program = compile_source(
      main.at("text").get<std::string>(), main.at("name"), options, [&](const std::string& path) {
        const auto found = files.find(path);
        if (found == files.end()) return lang::ModuleText{.text = {}, .error = "it was not sent"};
        return lang::ModuleText{.text = found->second, .error = {}};
      });
  if (program && program->fingerprint() != json.at("fingerprint"))
    return refuse("its text, or a module of the standard library, is not the one that was sent");
  return program;
}

}  // namespace

void add(Tally& into, const Tally& other) {
  for (const auto& [key, value] : other.sums) {
    std::uint64_t& sum = into.sums[key];
    sum = value > std::numeric_limits<std::uint64_t>::max() - sum ? std::numeric_limits<std::uint64_t>::max()
                                                                  : sum + value;
  }
  for (const auto& [key, value] : other.maxima) into.maxima[key] = std::max(into.maxima[key], value);
  for (const auto& [key, first] : other.firsts) {
    const auto [place, fresh] = into.firsts.try_emplace(key, first);
    if (!fresh && first.order < place->second.order) place->second = first;
  }
}

Result<Division> Division::of(const Program& program, const CheckOptions& requested) {
  CheckOptions options = requested;
  if (checker::is_automatic(options)) options.algorithm = default_algorithm(program, options);
  if (std::string reason = why_one_process(options); !reason.empty()) return refuse(std::move(reason));
  std::string text;
  try {
    text = text_of(program, options);
    options = checker::options_of(checker::json_of(options));
  } catch (const Json::exception&) {
    return refuse("the name of a file is no text in UTF-8, so the program cannot be sent");
  }
  // Refuses what check() refuses.
  const auto checked = checker::check(program, options, {}, [](const auto&, auto&) { return false; });
  if (!checked) return checked.error();
  std::string id = hash_of(text);
  return Division(
      std::make_shared<const State>(State{std::move(text), std::move(id), program, std::move(options)}));
}

Result<Division> Division::from_text(std::string_view text) {
  const auto unusable = [](std::string_view why) {
    return refuse(fmt::format("the description of the search cannot be used: {}", why));
  };
  try {
    const Json json = Json::parse(text);
    if (json.at("document") != "division") return unusable("it is none");
    if (const std::string made_by = json.at("heddle"); made_by != version())
      return unusable(fmt::format("it was made by heddle {}, and this is heddle {}", made_by, version()));
    const Result<Program> program = program_of(json);
    if (!program) return program.error();
    auto division = of(*program, checker::options_of(json.at("options")));
    if (division && division->text() != text) return unusable("this program reads it in another way");
    return division;
  } catch (const Unusable& error) {
    return unusable(error.what());
  } catch (const Json::exception& error) {
    return unusable(fmt::format("it lacks something ({})", error.what()));
  }
}

const std::string& Division::text() const { return state_->text; }
const std::string& Division::id() const { return state_->id; }
const Program& Division::program() const { return state_->program; }
const CheckOptions& Division::options() const { return state_->options; }

SearchPart Division::whole() { return written(Part{}); }
std::string Division::id(const SearchPart& part) const { return hash_of(state_->id + part.text); }

Result<Explored> Division::explore(std::string_view text, const PartsWanted& parts_wanted) const {
  checker::Job job;
  job.parts_wanted = parts_wanted;
  Explored explored;
  static_assert(stop == checker::Job::stop_now);
  try {
    job.part = read_part(text);
    std::string failure;
    const auto result = checker::check(
        state_->program, state_->options, {}, [&](const checker::Cell& cell, checker::Search& search) {
          search.explore_only(job);
          try {
            cell.run(search);
          } catch (const std::bad_alloc&) {
            failure = checker::out_of_memory;
            return false;
          } catch (const checker::NoSuchPart& error) {
            failure = error.what();
            return false;
          }
          // The way to a part leads past no violation, unless the search is to continue.
          if (search.stopped() && search.stopped_by().empty() && search.violations().empty()) {
            failure = checker::NoSuchPart().what();
            return false;
          }
          explored.found = tally_of(search.findings(), job.part);
          explored.over = search.stopped();
          explored.stopped_by = search.stopped_by();
          return false;
        });
    if (!result) return result.error();
    if (!failure.empty()) return refuse(std::move(failure));
  } catch (const Unusable& error) {
    return refuse(error.what());
  }
  for (const Part& part : job.left) explored.left.push_back(written(part));
  return explored;
}

Result<CheckResult> Division::result(const Tally& tally, const DivisionEnd& end) const {
  std::string unusable;
  auto result = checker::check(
      state_->program, state_->options, {}, [&](const checker::Cell&, checker::Search& search) {
        try {
          search.append(TallyReader(tally, search.image()).findings());
        } catch (const Unusable& error) {
          unusable = error.what();
        } catch (const Json::exception& error) {
          unusable = error.what();
        }
        const bool at_violation = !search.violations().empty() && !state_->options.keep_going;
        if (at_violation || !end.stopped_by.empty()) search.stop(at_violation ? "" : end.stopped_by);
        search.note_threads(end.processes);
        return unusable.empty();
      });
  if (!unusable.empty()) return refuse(fmt::format("the findings cannot be used: {}", unusable));
  if (result) result->seconds = end.seconds;
  return result;
}

Progress Division::progress(const Tally& tally) {
  const auto value = [&](std::string_view name) {
    const auto found = tally.sums.find(std::string(name));
    return found == tally.sums.end() ? 0 : found->second;
  };
  Counts counts;
  for (const auto& named : checker::additive_counts) counts.*named.count = value(named.name);
  return {.executions = counts.executions,
          .blocked = checker::blocked_runs(counts),
          .transitions = counts.transitions,
          .cuts = counts.cuts};
}

}  // namespace heddle
