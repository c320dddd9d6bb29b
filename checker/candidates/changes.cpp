// See changes.hpp.
#include "checker/candidates/changes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace heddle::checker {

namespace {

using axioms::EdgeKind;
using axioms::EventId;
using axioms::Execution;
using axioms::Model;
using axioms::no_event;
using axioms::PointKind;

// The kinds of fences that have an effect under the model, the strongest first. PSO's `fence lw` is its
// `fence st`.
std::vector<PointKind> kinds_of(Model model) {
  switch (model) {
    case Model::sc: return {};
    case Model::tso: return {PointKind::full};
    case Model::pso: return {PointKind::full, PointKind::store_store};
    case Model::power: break;
  }
  return {PointKind::full, PointKind::lightweight, PointKind::store_store, PointKind::instruction};
}

std::vector<PointKind> weaker(PointKind kind, Model model) {
  std::vector<PointKind> result;
  if (kind == PointKind::instruction) return result;
  for (const PointKind other : kinds_of(model)) {
    if (other > kind && other != PointKind::instruction) result.push_back(other);
  }
  return result;
}

std::uint32_t site_of(const Candidate& candidate, EventId event) {
  return candidate.accesses[candidate.execution.events[event].tag].access->site;
}
std::uint32_t site_of_point(const Candidate& candidate, std::size_t point) {
  return candidate.points[candidate.execution.points[point].tag].point->site;
}

// Executions are judged and counted here.
class Budget {
 public:
  Budget(Model of, const ChangeLimits& limits) : model(of), limits_(limits) {}
  [[nodiscard]] bool consistent(const Execution& execution) {
    count();
    return axioms::consistent(execution, model);
  }
  void count() {
    ++judged_;
    if (judged_ > limits_.most_judged) gave_up = "too many possibilities";
    if (judged_ % 64 == 0 && limits_.go_on && !limits_.go_on()) gave_up = "timeout";
  }
  const Model model;
  std::string gave_up;

 private:
  const ChangeLimits& limits_;
  std::uint64_t judged_ = 0;
};

// Looks for changes that allow one execution.
class Allowing {
 public:
  Allowing(const Candidate& candidate, Budget& budget) : candidate_(candidate), budget_(budget) {}

  // Adds sets of at most `most` changes.
  void run(std::size_t most, std::vector<Changes>& found) {
    Execution execution = candidate_.execution;
    Changes changes;
    search(execution, changes, most, found);
  }

 private:
  void search(const Execution& execution, Changes& changes, std::size_t left, std::vector<Changes>& found) {
    if (!budget_.gave_up.empty()) return;
    budget_.count();
    const auto cycle = axioms::excluding_cycle(execution, budget_.model);
    if (!cycle) {
      if (std::find(found.begin(), found.end(), changes) == found.end()) found.push_back(changes);
      return;
    }
    if (left == 0) return;
    for (const axioms::Edge& edge : cycle->edges) {
      for (const Change& change : options(execution, edge)) {
        if (std::find(changes.begin(), changes.end(), change) != changes.end()) continue;
        Execution changed = execution;
        apply(change, changed);
        changes.push_back(change);
        search(changed, changes, left - 1, found);
        changes.pop_back();
      }
    }
  }

  // The changes that can remove an edge, the least first.
  [[nodiscard]] std::vector<Change> options(const Execution& execution, const axioms::Edge& edge) const {
    std::vector<Change> result;
    const auto drop = [&](EdgeKind kind) {
      if (execution.events[edge.to].read_half == edge.from) return;  // a read-modify-write's own
      result.push_back({.kind = Change::Kind::drop,
                        .site = site_of(candidate_, edge.from),
                        .dependency = kind,
                        .to = site_of(candidate_, edge.to)});
    };
    switch (edge.kind) {
      case EdgeKind::address:
      case EdgeKind::data: drop(edge.kind); break;
      case EdgeKind::control: drop(EdgeKind::control); break;
      case EdgeKind::control_isync:
      case EdgeKind::full_fence:
      case EdgeKind::lightweight_fence:
      case EdgeKind::store_fence: {
        const axioms::Point& fence = execution.points[edge.fence];
        if (!fence.implicit) {
          const auto site = site_of_point(candidate_, edge.fence);
          for (const PointKind kind : weaker(fence.kind, budget_.model))
            result.push_back(
                {.kind = Change::Kind::weaken, .before = fence.kind, .after = kind, .site = site});
          result.push_back({.kind = Change::Kind::remove, .before = fence.kind, .site = site});
        }
        if (edge.kind == EdgeKind::control_isync) drop(EdgeKind::control);
        break;
      }
      default: break;
    }
    return result;
  }

  // Points keep their numbers: one that is removed becomes a branch on nothing.
  void apply(const Change& change, Execution& execution) const {
    if (change.kind == Change::Kind::drop) return drop(change, execution);
    for (std::size_t p = 0; p < execution.points.size(); ++p) {
      axioms::Point& point = execution.points[p];
      if (point.implicit || point.kind != change.before || site_of_point(candidate_, p) != change.site)
        continue;
      if (change.kind == Change::Kind::weaken) {
        point.kind = change.after;
      } else {
        point.kind = PointKind::branch;
        point.reads.clear();
      }
    }
  }

  // A control dependency ends where the access is: the thread no longer branches on the load before it.
  void drop(const Change& change, Execution& execution) const {
    const auto of_load = [&](EventId read) { return site_of(candidate_, read) == change.site; };
    std::map<std::uint32_t, std::uint32_t> until;  // by thread: the position of its last such access
    std::map<std::uint32_t, std::uint32_t> first;
    for (EventId e = 0; e < execution.events.size(); ++e) {
      axioms::Event& event = execution.events[e];
      const auto begin = first.try_emplace(event.thread, e).first->second;
      if (site_of(candidate_, e) != change.to) continue;
      until[event.thread] = e - begin;
      if (change.dependency == EdgeKind::address) std::erase_if(event.address, of_load);
      if (change.dependency == EdgeKind::data)
        std::erase_if(event.data, [&](EventId read) { return of_load(read) && event.read_half != read; });
    }
    if (change.dependency != EdgeKind::control) return;
    for (axioms::Point& point : execution.points) {
      const auto last = until.find(point.thread);
      if (point.kind == PointKind::branch && last != until.end() && point.position <= last->second)
        std::erase_if(point.reads, of_load);
    }
  }

  const Candidate& candidate_;
  Budget& budget_;
};

// Keeps, of sets that differ only in how far they weaken a fence, the one that weakens it least.
void keep_least(std::vector<Changes>& found) {
  const auto same_but_weaker = [](const Changes& a, const Changes& b) {
    if (a.size() != b.size() || a == b) return false;
    return std::equal(a.begin(), a.end(), b.begin(), [](const Change& x, const Change& y) {
      if (x == y) return true;
      const bool fences = x.kind != Change::Kind::drop && y.kind != Change::Kind::drop;
      if (!fences || x.site != y.site || x.before != y.before || x.kind != Change::Kind::weaken) return false;
      return y.kind == Change::Kind::remove || x.after < y.after;
    });
  };
  std::vector<Changes> kept;
  for (const Changes& set : found) {
    const bool beaten = std::any_of(found.begin(), found.end(),
                                    [&](const Changes& other) { return same_but_weaker(other, set); });
    if (!beaten) kept.push_back(set);
  }
  found = std::move(kept);
}

bool change_before(const Change& a, const Change& b) {
  return std::tie(a.kind, a.site, a.to, a.place, a.before, a.after, a.dependency) <
         std::tie(b.kind, b.site, b.to, b.place, b.before, b.after, b.dependency);
}

}  // namespace

std::uint32_t cost(PointKind kind) {
  switch (kind) {
    case PointKind::full: return 4;
    case PointKind::lightweight: return 2;
    default: return 1;
  }
}

FoundChanges changes_that_allow(const std::vector<Candidate>& candidates, Model model,
                                const ChangeLimits& limits) {
  FoundChanges result;
  Budget budget(model, limits);
  for (std::size_t most = 1; most <= limits.most_changes && result.sets.empty(); ++most) {
    for (const Candidate& candidate : candidates) {
      std::vector<Changes> found;
      Allowing(candidate, budget).run(most, found);
      for (Changes& set : found) {
        std::sort(set.begin(), set.end(), change_before);
        if (std::find(result.sets.begin(), result.sets.end(), set) == result.sets.end())
          result.sets.push_back(std::move(set));
      }
      if (!budget.gave_up.empty()) break;
    }
    if (!budget.gave_up.empty()) break;
  }
  keep_least(result.sets);
  std::sort(result.sets.begin(), result.sets.end(), [](const Changes& a, const Changes& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), change_before);
  });
  if (result.sets.size() > limits.most_solutions) result.sets.resize(limits.most_solutions);
  result.gave_up = budget.gave_up;
  return result;
}

namespace {

// A place where a thread of a candidate enters a statement: the event before which a fence would be put.
struct Entry {
  std::uint32_t thread = 0;
  std::uint32_t position = 0;
};
using Entries = std::map<std::uint32_t, std::vector<Entry>>;  // by statement

Entries entries_of(const Candidate& candidate, const Statements& statements) {
  Entries result;
  std::uint32_t previous = none;                  // site of the thread's access before
  std::set<std::pair<std::uint32_t, bool>> seen;  // sites in the statement since it was entered
  EventId first = 0;
  std::uint32_t thread = none;
  for (const Candidate::Access& access : candidate.accesses) {
    const EventId event = access.read != no_event ? access.read : access.write;
    if (access.thread != thread) {
      thread = access.thread;
      first = event;
      previous = none;
    }
    const auto site = access.access->site;
    const auto statement = statements.innermost[site];
    const std::pair operation{site, access.access->reads};
    if (statement != none) {
      const bool inside = previous != none && statements.contains(previous, statement);
      const bool again = inside && !statements.list[statement].loop && seen.contains(operation);
      if (!inside || again) {
        result[statement].push_back({thread, event - first});
        seen.clear();
      }
    }
    seen.insert(operation);
    previous = site;
  }
  return result;
}

// The execution with a fence at each entry of the statement. Branches of the statement itself come after it.
void add_fence(Execution& execution, const Candidate& candidate, const Statements& statements,
               std::uint32_t statement, PointKind kind, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    const auto after = std::find_if(execution.points.begin(), execution.points.end(), [&](const auto& point) {
      if (point.thread != entry.thread || point.position < entry.position) return false;
      if (point.position > entry.position || point.implicit) return true;
      if (point.kind != PointKind::branch || point.tag >= candidate.points.size()) return false;
      const auto site = candidate.points[point.tag].point->site;
      return site != none && statements.contains(site, statement);
    });
    execution.points.insert(
        after,
        {.thread = entry.thread, .position = entry.position, .kind = kind, .tag = candidate.points.size()});
  }
}

class Forbidding {
 public:
  Forbidding(const std::vector<Candidate>& candidates, Model model, const Statements& statements,
             const ChangeLimits& limits)
      : candidates_(candidates), statements_(statements), limits_(limits), budget_(model, limits) {
    std::set<std::uint32_t> places;
    for (const Candidate& candidate : candidates) {
      entries_.push_back(entries_of(candidate, statements));
      for (const auto& [statement, entries] : entries_.back()) places.insert(statement);
    }
    places_.assign(places.begin(), places.end());
  }

  FoundChanges run() {
    FoundChanges result;
    const auto kinds = kinds_of(budget_.model);
    Changes everywhere;
    for (const auto place : places_) everywhere.push_back(fence(place, PointKind::full));
    if (kinds.empty() || candidates_.empty() || !forbids(everywhere)) return result;
    for (std::size_t size = 1; size <= std::min(limits_.most_changes, places_.size()); ++size) {
      Changes chosen;
      choose(chosen, 0, size, result.sets);
      if (!result.sets.empty() || !budget_.gave_up.empty()) break;
    }
    if (result.sets.empty() && budget_.gave_up.empty()) budget_.gave_up = "more fences are needed";
    std::vector<Changes> weakest;
    for (const Changes& set : result.sets) weaken(set, weakest);
    std::stable_sort(weakest.begin(), weakest.end(),
                     [](const Changes& a, const Changes& b) { return total(a) < total(b); });
    std::erase_if(weakest, [&](const Changes& set) { return total(set) > total(weakest.front()); });
    if (weakest.size() > limits_.most_solutions) weakest.resize(limits_.most_solutions);
    result.sets = std::move(weakest);
    result.gave_up = budget_.gave_up;
    return result;
  }

 private:
  static Change fence(std::uint32_t place, PointKind kind) {
    return {.kind = Change::Kind::add, .after = kind, .place = place};
  }
  static std::uint32_t total(const Changes& fences) {
    std::uint32_t sum = 0;
    for (const Change& fence : fences) sum += cost(fence.after);
    return sum;
  }

  // True if no execution is consistent with these fences.
  [[nodiscard]] bool forbids(const Changes& fences) {
    for (std::size_t i = candidates_.size(); i-- > 0;) {
      if (!budget_.gave_up.empty()) return false;
      const Candidate& candidate = candidates_[order(i)];
      Execution execution = candidate.execution;
      bool changed = false;
      for (const Change& each : fences) {
        const auto entries = entries_[order(i)].find(each.place);
        if (entries == entries_[order(i)].end()) continue;
        changed = true;
        add_fence(execution, candidate, statements_, each.place, each.after, entries->second);
      }
      if (!changed || budget_.consistent(execution)) {
        resisting_ = order(i);
        return false;
      }
    }
    return true;
  }
  // The execution that the last set of fences did not forbid is likely to refute the next one, too, so it
  // comes first.
  [[nodiscard]] std::size_t order(std::size_t i) const {
    if (i + 1 == candidates_.size()) return resisting_;
    return i == resisting_ ? candidates_.size() - 1 : i;
  }

  // All sets of full fences at `size` places, from the place `from` on, that forbid everything.
  void choose(Changes& chosen, std::size_t from, std::size_t size, std::vector<Changes>& found) {
    if (!budget_.gave_up.empty()) return;
    if (chosen.size() == size) {
      if (forbids(chosen)) found.push_back(chosen);
      return;
    }
    for (std::size_t i = from; i < places_.size(); ++i) {
      chosen.push_back(fence(places_[i], PointKind::full));
      choose(chosen, i + 1, size, found);
      chosen.pop_back();
    }
  }

  // The cheapest kinds for these places.
  void weaken(const Changes& places, std::vector<Changes>& found) {
    const auto kinds = kinds_of(budget_.model);
    std::vector<Changes> all{{}};
    for (const Change& place : places) {
      std::vector<Changes> longer;
      for (const Changes& begin : all) {
        for (const PointKind kind : kinds) {
          longer.push_back(begin);
          longer.back().push_back(fence(place.place, kind));
        }
      }
      all = std::move(longer);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Changes& a, const Changes& b) { return total(a) < total(b); });
    std::uint32_t least = 0;
    for (const Changes& set : all) {
      if (least != 0 && total(set) > least) return;
      if (!forbids(set)) continue;
      least = total(set);
      found.push_back(set);
    }
  }

  const std::vector<Candidate>& candidates_;
  const Statements& statements_;
  const ChangeLimits& limits_;
  Budget budget_;
  std::vector<Entries> entries_;  // by candidate
  std::vector<std::uint32_t> places_;
  std::size_t resisting_ = 0;
};

}  // namespace

FoundChanges fences_that_forbid(const std::vector<Candidate>& candidates, Model model,
                                const Statements& statements, const ChangeLimits& limits) {
  return Forbidding(candidates, model, statements, limits).run();
}

}  // namespace heddle::checker
