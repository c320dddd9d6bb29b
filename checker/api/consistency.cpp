// check_consistency: from a history to instances of the verifiers and back.
//
// Reads without a source in the history get one by trial, the read with the fewest candidates first. After
// each decision the verifier judges the history without the reads that are still open (an update whose read
// is open counts as a locked store): a history without a run has none with more constraints either.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "checker/api/refusal.hpp"
#include "checker/verifier/verifier.hpp"
#include "heddle/consistency.h"

namespace heddle {

namespace {

using Kind = HistoryEvent::Kind;
using consistency::Effect;
using consistency::EventId;
using consistency::Instance;

// The most open reads with several candidates; with more, the trial would be hopeless, and deep.
constexpr std::size_t most_open = 10'000;

struct Refused {
  std::string message;
};

std::uint8_t effect_of(Kind kind) {
  switch (kind) {
    case Kind::read: return Effect::load;
    case Kind::write: return Effect::store;
    case Kind::update:
    case Kind::lock: return Effect::read_modify_write;
    case Kind::failed_update: return Effect::locked_load;
    case Kind::fence: return Effect::full_fence;
    case Kind::store_fence: return Effect::store_fence;
    case Kind::unlock: break;
  }
  return Effect::locked_store;
}

bool reads(Kind kind) { return (effect_of(kind) & Effect::reads) != 0; }
bool writes(Kind kind) { return (effect_of(kind) & Effect::writes) != 0; }
bool is_fence(Kind kind) { return kind == Kind::fence || kind == Kind::store_fence; }
bool is_mutex(Kind kind) { return kind == Kind::lock || kind == Kind::unlock; }

class Checker {
 public:
  explicit Checker(const History& history) : history_(history) {
    for (std::uint32_t t = 0; t < history.threads.size(); ++t) {
      for (std::uint32_t i = 0; i < history.threads[t].events.size(); ++i) add(t, i);
      instance_.end_thread();
    }
    instance_.locations = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(locations_.size()));
    for (EventId e = 0; e < instance_.events.size(); ++e) {
      if (reads(event(e).kind)) find_candidates(e);
    }
    check_mutexes();
  }

  ConsistencyResult check(const std::string& name, consistency::Model model,
                          const ConsistencyOptions& options) {
    use_closure_ = options.closure ? consistency::UseClosure::when_stuck : consistency::UseClosure::never;
    model_ = model;
    left_ = options.max_states;
    ConsistencyResult result;
    result.model = name;
    // Every read is open at first; those with one candidate are decided together.
    open_.clear();
    for (const auto& [read, sources] : candidates_) {
      auto& event = instance_.events[read];
      if (sources.size() == 1) {
        decide(read, sources.front());
      } else {
        leave_open(event);
        open_.push_back(read);
      }
    }
    std::stable_sort(open_.begin(), open_.end(),
                     [&](EventId a, EventId b) { return candidates_[a].size() < candidates_[b].size(); });
    const bool possible = std::none_of(candidates_.begin(), candidates_.end(),
                                       [](const auto& entry) { return entry.second.empty(); });
    result.verdict = !possible                  ? Realisability::unrealisable
                     : open_.size() > most_open ? Realisability::undecided
                                                : search(0);
    result.states = options.max_states - left_;
    if (result.verdict == Realisability::realisable) describe(result);
    return result;
  }

 private:
  struct Place {
    std::uint32_t thread = 0;
    std::uint32_t index = 0;
  };

  [[nodiscard]] const HistoryEvent& event(EventId id) const {
    return history_.threads[places_[id].thread].events[places_[id].index];
  }
  [[nodiscard]] std::string named(EventId id) const {
    const auto& thread = history_.threads[places_[id].thread];
    return fmt::format("event {} of thread '{}'", places_[id].index, thread.name);
  }

  void add(std::uint32_t thread, std::uint32_t index) {
    places_.push_back({thread, index});
    const auto id = static_cast<EventId>(instance_.events.size());
    const auto& added = event(id);
    consistency::Event entry{effect_of(added.kind)};
    if (!is_fence(added.kind)) {
      if (added.location.empty()) throw Refused{named(id) + " has no location"};
      const auto number = static_cast<std::uint32_t>(locations_.size());
      const auto [place, is_new] = locations_.emplace(added.location, number);
      entry.location = place->second;
      if (is_new) mutex_.push_back(is_mutex(added.kind));
      if (mutex_[entry.location] != is_mutex(added.kind)) {
        throw Refused{
            fmt::format("{}: '{}' is used both as a mutex and as a variable", named(id), added.location)};
      }
    }
    instance_.events.push_back(entry);
    if (locations_.size() > writes_.size()) writes_.emplace_back();
    if (writes(added.kind)) writes_[entry.location].push_back(id);
  }

  [[nodiscard]] EventId first_of(std::uint32_t thread) const { return instance_.first[thread]; }

  void find_candidates(EventId read) {
    const auto& reader = event(read);
    auto& sources = candidates_[read];
    if (reader.source && !reader.source->initial) {
      const auto& source = *reader.source;
      if (source.thread >= history_.threads.size() ||
          source.event >= history_.threads[source.thread].events.size())
        throw Refused{named(read) + " reads from an event that does not exist"};
      const auto write = first_of(source.thread) + source.event;
      const bool suits = writes(event(write).kind) && event(write).location == reader.location &&
                         (reader.kind != Kind::lock || event(write).kind == Kind::unlock);
      if (!suits || write == read) {
        throw Refused{fmt::format("{} reads from {}, which is no {} '{}'", named(read), named(write),
                                  reader.kind == Kind::lock ? "unlock of" : "other write to",
                                  reader.location)};
      }
      if (reader.read && event(write).written && *reader.read != *event(write).written) {
        throw Refused{fmt::format("{} reads {} from {}, which writes {}", named(read), *reader.read,
                                  named(write), *event(write).written)};
      }
      sources.push_back(write);
      return;
    }
    const auto first = history_.initial.find(reader.location);
    const auto initial_value = first == history_.initial.end() ? 0 : first->second;
    const bool from_start = reader.kind == Kind::lock || !reader.read || *reader.read == initial_value;
    if (reader.source && !from_start) {
      throw Refused{fmt::format("{} reads {} from the start, where '{}' is {}", named(read), *reader.read,
                                reader.location, initial_value)};
    }
    if (from_start) sources.push_back(consistency::no_event);
    if (reader.source) return;
    for (const auto e : writes_[instance_.events[read].location]) {
      const auto& writer = event(e);
      if (e == read) continue;
      if (reader.kind == Kind::lock ? writer.kind == Kind::unlock
                                    : !reader.read || !writer.written || *reader.read == *writer.written)
        sources.push_back(e);
    }
  }

  void check_mutexes() const {
    std::map<std::pair<std::uint32_t, std::string>, bool> held;  // by thread and mutex
    for (EventId e = 0; e < instance_.events.size(); ++e) {
      if (!is_mutex(event(e).kind)) continue;
      auto& holds = held[{places_[e].thread, event(e).location}];
      const bool locks = event(e).kind == Kind::lock;
      if (holds == locks) {
        throw Refused{fmt::format("{}: {} of '{}', which the thread {}", named(e), locks ? "lock" : "unlock",
                                  event(e).location, locks ? "holds already" : "does not hold")};
      }
      holds = locks;
    }
  }

  void leave_open(consistency::Event& entry) {
    entry.effect = static_cast<std::uint8_t>(entry.effect & ~Effect::reads);
    entry.source = consistency::no_event;
  }
  void decide(EventId read, EventId source) {
    auto& entry = instance_.events[read];
    entry.effect = effect_of(event(read).kind);
    entry.source = source;
  }

  // The reads open_[0 .. decided) have a source.
  Realisability search(std::size_t decided) {
    verifier_.limit(left_);
    const bool realisable = verifier_.verify(instance_, model_, use_closure_);
    left_ -= std::min(left_, std::max<std::uint64_t>(1, verifier_.nodes()));
    if (verifier_.gave_up() || left_ == 0) return Realisability::undecided;
    if (!realisable) return Realisability::unrealisable;
    if (decided == open_.size()) return Realisability::realisable;
    const auto read = open_[decided];
    auto result = Realisability::unrealisable;
    for (const auto source : candidates_[read]) {
      decide(read, source);
      const auto answer = search(decided + 1);
      if (answer == Realisability::realisable) return answer;
      if (answer == Realisability::undecided) {
        result = answer;
        break;
      }
    }
    leave_open(instance_.events[read]);
    return result;
  }

  void describe(ConsistencyResult& result) const {
    for (const auto& action : verifier_.witness()) {
      const auto& place = places_[action.event];
      result.witness.push_back({place.thread, place.index, action.flush});
    }
    for (const auto& thread : history_.threads) result.sources.emplace_back(thread.events.size());
    for (const auto& [read, sources] : candidates_) {
      HistorySource source;
      if (const auto write = instance_.events[read].source; write != consistency::no_event)
        source = {false, places_[write].thread, places_[write].index};
      result.sources[places_[read].thread][places_[read].index] = source;
    }
  }

  const History& history_;
  Instance instance_;
  std::vector<Place> places_;  // by event of the instance
  std::map<std::string, std::uint32_t> locations_;
  std::vector<std::vector<EventId>> writes_;            // by location
  std::vector<bool> mutex_;                             // by location
  std::map<EventId, std::vector<EventId>> candidates_;  // by read
  std::vector<EventId> open_;
  consistency::Verifier verifier_;
  consistency::Model model_ = consistency::Model::sc;
  consistency::UseClosure use_closure_ = consistency::UseClosure::never;
  std::uint64_t left_ = 0;
};

}  // namespace

Result<std::vector<ConsistencyResult>> check_consistency(const History& history,
                                                         const ConsistencyOptions& options) {
  for (const auto& model : options.models) {
    if (!consistency::find_model(model))
      return refuse(
          fmt::format("no reads-from verifier for the model '{}'; there are sc, tso and pso", model));
  }
  try {
    Checker checker(history);
    std::vector<ConsistencyResult> results;
    for (const auto& model : options.models)
      results.push_back(checker.check(model, *consistency::find_model(model), options));
    return results;
  } catch (const Refused& refused) {
    return refuse(refused.message);
  }
}

std::string_view name(Realisability verdict) {
  switch (verdict) {
    case Realisability::realisable: return "realisable";
    case Realisability::unrealisable: return "not realisable";
    case Realisability::undecided: break;
  }
  return "undecided";
}

std::string_view name(HistoryEvent::Kind kind) {
  switch (kind) {
    case Kind::read: return "read";
    case Kind::write: return "write";
    case Kind::update: return "update";
    case Kind::failed_update: return "failed_update";
    case Kind::fence: return "fence";
    case Kind::store_fence: return "store_fence";
    case Kind::lock: return "lock";
    case Kind::unlock: break;
  }
  return "unlock";
}

}  // namespace heddle
