#include "tests/power_oracle/oracle.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <span>
#include <utility>

#include "tests/power_oracle/conditions.hpp"
#include "tests/power_oracle/executions.hpp"

namespace heddle::power_oracle {

namespace {

constexpr std::size_t most_values = 40;  // of a location; with more, its values count as unknown

using Combination = std::vector<Part>;

class Judge {
 public:
  Judge(const lang::Program& program, const Options& options)
      : program_(program),
        options_(options),
        budget_{options.most_candidates},
        combinations_(options.most_combinations) {
    for (const lang::Variable& variable : program.variables) {
      for (std::uint32_t i = 0; i < variable.length; ++i) {
        initial_.push_back(variable.initial.empty() ? 0 : variable.initial[i]);
        is_mutex_.push_back(variable.is_mutex);
        is_plain_.push_back(variable.is_plain);
      }
    }
    judgement_.conditions.resize(program.properties.size());
  }

  Judgement run() {
    collect_values();
    for (lang::ThreadId t = 0; t < program_.threads.size(); ++t)
      paths_.push_back(paths(program_, t, values_, {options_.unroll, options_.most_paths, false}));
    complete_executions();
    if (options_.violations) {
      deadlocks();
      failures();
    }
    judgement_.candidates = options_.most_candidates - budget_.nodes;
    return std::move(judgement_);
  }

 private:
  // The values that locations may have. Each value of an execution is computed from earlier ones, back to
  // initial values, since dependencies are acyclic. Such a chain contains no location more often than it is
  // written, which bounds the values a counter can reach.
  using Depths = std::vector<std::uint32_t>;  // by location: how often every chain to a value writes it
  using Reached = std::vector<std::map<std::int64_t, Depths>>;  // by location

  void collect_values() {
    Reached reached(initial_.size());
    for (std::size_t i = 0; i < initial_.size(); ++i) {
      values_.emplace_back(std::set{initial_[i]});
      reached[i][initial_[i]] = Depths(initial_.size());
    }
    for (bool changed = true; changed;) {
      changed = false;
      std::vector<std::vector<Path>> all;
      Depths writes(initial_.size());
      for (lang::ThreadId t = 0; t < program_.threads.size(); ++t) {
        // Here, a thread must not be stopped by operations that order nothing.
        all.push_back(paths(program_, t, values_, {options_.unroll, options_.most_paths, true}));
        Depths most(initial_.size());
        for (const Path& path : all.back()) {
          Depths of_path(initial_.size());
          for (const PathEvent& event : path.events) {
            if (event.writes) ++of_path[event.location];
          }
          for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], of_path[i]);
        }
        for (std::size_t i = 0; i < most.size(); ++i) writes[i] += most[i];
      }
      for (const auto& list : all) {
        for (const Path& path : list) {
          for (const PathEvent& event : path.events) {
            if (event.writes && reach(path, event, writes, reached)) changed = true;
          }
        }
      }
    }
  }

  // Adds the values that the event may write. Returns whether there are new ones.
  bool reach(const Path& path, const PathEvent& event, const Depths& writes, Reached& reached) {
    Domain& domain = values_[event.location];
    if (!domain) return false;
    bool changed = false;
    const auto add = [&](std::span<const std::int64_t> reads) {
      Depths depths(initial_.size());
      for (Set rest = path.terms.reads(event.value); rest != 0; rest &= rest - 1) {
        const auto r = static_cast<std::size_t>(std::countr_zero(rest));
        const Depths& before = reached[path.events[r].location].at(reads[r]);
        for (std::size_t i = 0; i < depths.size(); ++i) depths[i] = std::max(depths[i], before[i]);
      }
      if (++depths[event.location] > writes[event.location]) return;
      const std::int64_t value = path.terms.evaluate(event.value, reads);
      const auto [place, is_new] = reached[event.location].try_emplace(value, depths);
      if (is_new) domain->insert(value);
      changed = changed || is_new;
      for (std::size_t i = 0; i < depths.size(); ++i) {
        if (depths[i] >= place->second[i]) continue;
        place->second[i] = depths[i];
        changed = true;
      }
    };
    if (!path.terms.for_each_assignment(event.value, path.domains, add) || domain->size() > most_values) {
      domain.reset();
      changed = true;
    }
    return changed;
  }

  [[nodiscard]] static Part whole(const Path& path) {
    return {&path, path.events.size(), path.constraints.size(), nullptr};
  }

  // Calls `visit` for each choice of one part per thread until it returns false.
  void combine(const std::vector<std::vector<Part>>& lists,
               const std::function<bool(const Combination&)>& visit) {
    Combination combination;
    bool stopped = false;
    const auto choose = [&](const auto& self) -> void {
      if (stopped) return;
      if (combination.size() == lists.size()) {
        if (combinations_-- == 0) throw TooLarge("too many combinations of paths");
        stopped = possible(combination) && !visit(combination);
        return;
      }
      for (const Part& part : lists[combination.size()]) {
        combination.push_back(part);
        self(self);
        combination.pop_back();
      }
    };
    choose(choose);
  }

  // Whether each read with a known value on a whole path has a possible source.
  [[nodiscard]] bool possible(const Combination& combination) const {
    for (const Part& part : combination) {
      if (part.constraints < part.path->constraints.size()) continue;
      for (std::size_t r = 0; r < part.events; ++r) {
        const PathEvent& read = part.path->events[r];
        const Domain& wanted = part.path->domains[r];
        if (read.writes || !wanted || wanted->contains(initial_[read.location])) continue;
        const auto gives = [&](const Part& other) {
          for (std::size_t w = 0; w < other.events; ++w) {
            const PathEvent& write = other.path->events[w];
            if (!write.writes || write.location != read.location) continue;
            const auto value = other.path->terms.known(write.value);
            if (!value || wanted->contains(*value)) return true;
          }
          return false;
        };
        if (std::ranges::none_of(combination, gives)) return false;
      }
    }
    return true;
  }

  Found explore(const Combination& combination, const std::function<bool(const Execution&)>& visit) {
    return for_each_execution(combination, initial_, budget_, visit, options_.deduce);
  }

  // Per thread, its whole paths that end in one of these ways.
  [[nodiscard]] std::vector<std::vector<Part>> ending(std::initializer_list<Path::End> ends) const {
    std::vector<std::vector<Part>> lists;
    for (const auto& list : paths_) {
      auto& parts = lists.emplace_back();
      for (const Path& path : list) {
        if (std::ranges::find(ends, path.end) != ends.end()) parts.push_back(whole(path));
      }
    }
    return lists;
  }

  // Complete executions. A failed assert does not end its thread here.

  void complete_executions() {
    combine(ending({Path::End::complete}), [&](const Combination& combination) {
      const Found found = explore(combination, [&](const Execution& execution) {
        finish(combination, execution);
        return true;
      });
      judgement_.executions += found.executions;
      judgement_.classes += found.classes;
      return true;
    });
  }

  // Whether (ppo | fences | rfe of locations that are not plain)+ leaves two accesses of different threads to a
  // plain location unordered of which one is a write.
  [[nodiscard]] bool is_racy(const Execution& execution) const {
    const Candidate& c = *execution.candidate;
    const auto plain = [&](unsigned e) { return is_plain_[(*execution.locations)[e]]; };
    Set plain_accesses = 0;
    for (unsigned e = 0; e < c.events; ++e) plain_accesses |= plain(e) ? only(e) : 0;
    if (plain_accesses == 0) return false;
    const Relation rfe = c.rf - c.same_thread;
    const Relation before =
        (execution.derived->order | (rfe - rfe.between(plain_accesses, plain_accesses))).plus();
    const Relation conflicts = (c.same_location - c.same_thread).between(plain_accesses, c.writes);
    return !(conflicts - before - before.inverse()).empty();
  }

  void finish(const Combination& combination, const Execution& execution) {
    judgement_.race = judgement_.race || is_racy(execution);
    FinalState state{execution.memory, {}};
    for (std::size_t t = 0; t < combination.size(); ++t) {
      const Path& path = *combination[t].path;
      const std::span reads(execution.reads[t], path.events.size());
      for (std::size_t i = 0; i < path.events.size(); ++i) {
        const Domain& values = values_[path.events[i].location];
        if (values && !values->contains(reads[i])) throw std::logic_error("a value that was not foreseen");
      }
      for (const Path::Check& check : path.checks) {
        if (path.terms.evaluate(check.holds, reads) == 0)
          judgement_.findings.insert({Failure::assertion, check.range, check.text});
      }
      auto& locals = state.locals.emplace_back();
      for (const auto& terms : path.locals) {
        auto& local = locals.emplace_back();
        for (const Term term : terms) local.push_back(path.terms.evaluate(term, reads));
      }
    }
    try {
      run_final(program_, state.memory, options_.unroll);
    } catch (const Failed& failed) {
      judgement_.findings.insert({failed.failure, failed.range, failed.text});
    }
    judge_state(state);
  }

  void judge_state(const FinalState& state) {
    std::vector<bool> holds;
    for (const lang::Property& property : program_.properties) {
      holds.push_back(value_in(program_, property.condition, state) != 0);
      if (property.kind == lang::PropertyKind::filter && !holds.back()) return;
    }
    for (std::size_t i = 0; i < holds.size(); ++i) {
      const auto kind = program_.properties[i].kind;
      ++judgement_.conditions[i].total;
      if (holds[i]) ++judgement_.conditions[i].satisfied;
      if ((kind == lang::PropertyKind::forall && !holds[i]) ||
          (kind == lang::PropertyKind::forbid && holds[i]))
        judgement_.condition_violated = true;
    }
    ++judgement_.outcomes[outcome(state)];
  }

  [[nodiscard]] std::vector<std::int64_t> outcome(const FinalState& state) const {
    std::vector<std::int64_t> values;
    if (program_.litmus) {
      for (const lang::Observation& observed : program_.litmus->observed) {
        values.push_back(observed.thread ? state.locals[*observed.thread][observed.id][0]
                                         : state.memory[program_.variables[observed.id].first_location]);
      }
      return values;
    }
    for (std::size_t i = 0; i < state.memory.size(); ++i) {
      if (!is_mutex_[i]) values.push_back(state.memory[i]);
    }
    for (std::size_t t = 0; t < state.locals.size(); ++t) {
      const auto& locals = program_.templates[program_.threads[t].thread_template].body.locals;
      for (std::size_t i = 0; i < locals.size(); ++i) {
        if (!locals[i].top_level) continue;
        values.insert(values.end(), state.locals[t][i].begin(), state.locals[t][i].end());
      }
    }
    return values;
  }

  // Deadlocks: every thread has ended or waits, and no condition waited for holds in the final memory. The
  // loads of an await that waits forever are not events here: they can always be added, reading the final
  // memory, without ordering anything.

  void deadlocks() {
    auto lists = ending({Path::End::complete, Path::End::awaiting, Path::End::locking});
    combine(lists, [&](const Combination& combination) {
      if (std::ranges::all_of(combination,
                              [](const Part& part) { return part.path->end == Path::End::complete; }))
        return true;
      explore(combination, [&](const Execution& execution) {
        judgement_.deadlock = hopeless(combination, execution);
        return !judgement_.deadlock;
      });
      return !judgement_.deadlock;
    });
  }

  [[nodiscard]] bool hopeless(const Combination& combination, const Execution& execution) const {
    for (std::size_t t = 0; t < combination.size(); ++t) {
      const Path& path = *combination[t].path;
      const std::span reads(execution.reads[t], path.events.size());
      if (path.end == Path::End::locking && execution.memory[path.mutex] == 0) return false;
      if (path.end != Path::End::awaiting) continue;
      std::vector<std::vector<std::int64_t>> locals;
      for (const auto& terms : path.environment.locals) {
        auto& values = locals.emplace_back();
        for (const Term term : terms) values.push_back(path.terms.evaluate(term, reads));
      }
      auto memory = execution.memory;
      if (holds_in(program_, *path.awaited, *path.environment.body, locals, memory)) return false;
    }
    return true;
  }

  // Failures in executions that cannot be completed: the failing thread up to the failure, each other thread
  // up to some write or not at all. A read-modify-write is never split.

  void failures() {
    std::vector<std::vector<Part>> beginnings;
    for (const auto& list : paths_) beginnings.push_back(beginnings_of(list));
    for (std::size_t t = 0; t < paths_.size(); ++t) {
      std::set<std::pair<std::vector<unsigned>, std::size_t>> tried;
      for (const Path& path : paths_[t]) {
        for (std::size_t i = 0; i < path.checks.size(); ++i) {
          const Path::Check& check = path.checks[i];
          const std::vector<unsigned> way(
              path.decisions.begin(), path.decisions.begin() + static_cast<std::ptrdiff_t>(check.decisions));
          if (!tried.insert({way, i}).second) continue;
          const auto known = path.terms.known(check.holds);
          if (known && *known != 0) continue;
          look_for({Failure::assertion, check.range, check.text}, t,
                   {&path, check.events, check.constraints, &check.holds}, beginnings);
        }
        if (path.end == Path::End::failed)
          look_for({path.failure, path.range, {}}, t, whole(path), beginnings);
      }
    }
  }

  [[nodiscard]] static std::vector<Part> beginnings_of(const std::vector<Path>& list) {
    std::vector<Part> parts{{&list.front(), 0, 0, nullptr}};
    std::set<std::vector<unsigned>> known;
    for (const Path& path : list) {
      for (std::size_t events = 1; events <= path.events.size(); ++events) {
        if (!path.events[events - 1].writes) continue;
        std::vector<unsigned> way(
            path.decisions.begin(),
            path.decisions.begin() + static_cast<std::ptrdiff_t>(path.decisions_before[events - 1]));
        way.push_back(static_cast<unsigned>(events));
        if (!known.insert(way).second) continue;
        const auto constraints = std::ranges::count_if(
            path.constraints, [&](const Path::Constraint& c) { return c.events < events; });
        parts.push_back({&path, events, static_cast<std::size_t>(constraints), nullptr});
      }
    }
    return parts;
  }

  void look_for(const Finding& finding, std::size_t thread, const Part& failing,
                std::vector<std::vector<Part>> lists) {
    if (judgement_.findings.contains(finding)) return;
    lists[thread] = {failing};
    combine(lists, [&](const Combination& combination) {
      if (explore(combination, [](const Execution&) { return false; }).executions == 0) return true;
      judgement_.findings.insert(finding);
      return false;
    });
  }

  const lang::Program& program_;
  const Options& options_;
  Budget budget_;
  std::uint64_t combinations_;
  std::vector<std::int64_t> initial_;
  std::vector<bool> is_mutex_;
  std::vector<bool> is_plain_;
  std::vector<Domain> values_;  // by location
  std::vector<std::vector<Path>> paths_;
  Judgement judgement_;
};

}  // namespace

Judgement judge(const lang::Program& program, const Options& options) {
  return Judge(program, options).run();
}

}  // namespace heddle::power_oracle
