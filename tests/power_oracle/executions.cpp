#include "tests/power_oracle/executions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>

namespace heddle::power_oracle {

namespace {

constexpr int open = -2;
constexpr int initial_write = -1;

template <typename Visit>
void for_each(Set set, Visit&& visit) {
  for (; set != 0; set &= set - 1) visit(static_cast<unsigned>(std::countr_zero(set)));
}

unsigned count_events(const std::vector<Part>& parts) {
  std::size_t count = 0;
  for (const Part& part : parts) count += part.events;
  if (count > most_events) throw TooLarge("an execution of more than 64 events");
  return static_cast<unsigned>(count);
}

class Enumeration {
 public:
  Enumeration(const std::vector<Part>& parts, const std::vector<std::int64_t>& initial, Budget& budget,
              const std::function<bool(const Execution&)>& visit, bool deduce)
      : parts_(parts),
        initial_(initial),
        budget_(budget),
        visit_(visit),
        deduce_(deduce),
        candidate_(count_events(parts)),
        state_(candidate_.events) {
    unsigned first = 0;
    for (const Part& part : parts) {
      first_.push_back(first);
      add(part, first);
      first += static_cast<unsigned>(part.events);
    }
    for (unsigned a = 0; a < candidate_.events; ++a) {
      for (unsigned b = 0; b < candidate_.events; ++b) {
        if (a != b && location_[a] == location_[b]) candidate_.same_location.add(a, b);
      }
    }
    state_.sources.fill(open);
  }

  Found run() {
    explore();
    return found_;
  }

 private:
  struct State {
    explicit State(unsigned events) : rf(events), co(events) {}
    Relation rf, co;
    Set read_initial = 0;
    Set known = 0;  // events with known values
    std::array<std::int64_t, most_events> values{};
    std::array<int, most_events> sources{};
  };

  void add(const Part& part, unsigned first) {
    const auto& events = part.path->events;
    Candidate& c = candidate_;
    const auto count = static_cast<unsigned>(part.events);
    for (unsigned i = 0; i < count; ++i) {
      const PathEvent& event = events[i];
      const unsigned e = first + i;
      (event.writes ? c.writes : c.reads) |= only(e);
      location_.push_back(event.location);
      thread_of_.push_back(first_.size() - 1);
      const auto from = [&](Relation& relation, Set reads) {
        for_each(reads, [&](unsigned read) { relation.add(first + read, e); });
      };
      from(c.address, event.address);
      from(c.data, event.data);
      from(c.control, event.control);
      from(c.control_isync, event.control_isync);
      if (event.read_of_pair >= 0) c.rmw.add(first + static_cast<unsigned>(event.read_of_pair), e);
      for (unsigned k = 0; k < count; ++k) {
        c.same_thread.add(e, first + k);
        if (i < k) c.po.add(e, first + k);
      }
    }
    for (const Path::Fence& fence : part.path->fences) {
      Relation* const relation = fence.kind == lang::FenceKind::full          ? &c.sync
                                 : fence.kind == lang::FenceKind::lightweight ? &c.lwsync
                                 : fence.kind == lang::FenceKind::store_store ? &c.eieio
                                                                              : nullptr;
      if (relation == nullptr) continue;
      for (unsigned a = 0; a < fence.events && a < count; ++a) {
        for (unsigned b = static_cast<unsigned>(fence.events); b < count; ++b)
          relation->add(first + a, first + b);
      }
    }
  }

  [[nodiscard]] std::span<const std::int64_t> values_of(std::size_t thread) const {
    return std::span(state_.values).subspan(first_[thread]);
  }
  [[nodiscard]] bool knows(std::size_t thread, Set reads) const {
    return (reads << first_[thread] & ~state_.known) == 0;
  }

  // Computes the values determined by the sources. Returns whether they satisfy the constraints of the paths.
  bool evaluate() {
    for (bool changed = true; changed;) {
      changed = false;
      for_each(candidate_.reads & ~state_.known, [&](unsigned r) {
        const int source = state_.sources[r];
        if (source == initial_write) {
          state_.values[r] = initial_[location_[r]];
        } else if (source >= 0 && (state_.known >> source & 1) != 0) {
          state_.values[r] = state_.values[static_cast<unsigned>(source)];
        } else {
          return;
        }
        state_.known |= only(r);
        changed = true;
      });
      for_each(candidate_.writes & ~state_.known, [&](unsigned w) {
        const std::size_t thread = thread_of_[w];
        const Path& path = *parts_[thread].path;
        const Term term = path.events[w - first_[thread]].value;
        if (!knows(thread, path.terms.reads(term))) return;
        state_.values[w] = path.terms.evaluate(term, values_of(thread));
        state_.known |= only(w);
        changed = true;
      });
    }
    for (std::size_t t = 0; t < parts_.size(); ++t) {
      const Terms& terms = parts_[t].path->terms;
      const auto is = [&](Term term, bool wanted) {
        return !knows(t, terms.reads(term)) || (terms.evaluate(term, values_of(t)) != 0) == wanted;
      };
      for (std::size_t i = 0; i < parts_[t].constraints; ++i) {
        if (!is(parts_[t].path->constraints[i].holds, true)) return false;
      }
      if (parts_[t].false_term != nullptr && !is(*parts_[t].false_term, false)) return false;
    }
    return true;
  }

  // Whether the candidate satisfies the axioms so far. Leaves the derived relations in `derived_`.
  bool consistent() {
    budget_.spend();
    if (!evaluate()) return false;
    for (;;) {
      candidate_.rf = state_.rf;
      candidate_.co = state_.co;
      candidate_.read_initial = state_.read_initial;
      derived_ = derive(candidate_);
      if (!derived_.consistent) return false;
      if (!deduce_) return true;
      const Relation before = state_.co;
      deduce();
      if (state_.co == before) return true;
      state_.co = state_.co.plus();
    }
  }

  // Adds edges common to all coherence orders that the axioms allow. Two writes to a location are ordered one
  // way or the other, so one that must not come after the other comes before it.
  void deduce() {
    const Candidate& c = candidate_;
    const Relation& coherence = derived_.coherence;
    const Relation observed = derived_.prop * derived_.hb_star;
    Relation& co = state_.co;
    for_each(c.writes, [&](unsigned w) {
      co.add(w, (coherence.row(w) | derived_.prop.row(w)) & c.same_location.row(w) & c.writes);
    });
    for_each(c.reads, [&](unsigned r) {
      if (state_.sources[r] < 0) return;
      const auto source = static_cast<unsigned>(state_.sources[r]);
      for_each(c.same_location.row(r) & c.writes & ~only(source), [&](unsigned w) {
        const bool external = !c.same_thread.has(r, w);
        if (coherence.has(w, r) || (external && observed.has(w, r))) co.add(w, source);
        if (coherence.has(r, w)) co.add(source, w);
      });
    });
    for_each(c.reads, [&](unsigned r) {
      for_each(c.rmw.row(r), [&](unsigned w) {
        if (state_.sources[r] == open) return;
        for_each(c.same_location.row(r) & c.writes & ~c.same_thread.row(r), [&](unsigned other) {
          if (state_.sources[r] == initial_write) {
            co.add(w, other);
            return;
          }
          const auto source = static_cast<unsigned>(state_.sources[r]);
          if (other == source) return;
          if (co.has(source, other)) co.add(w, other);
          if (co.has(other, w)) co.add(other, source);
        });
      });
    });
  }

  // The sources that coherence allows for an open read.
  [[nodiscard]] std::vector<int> sources(unsigned r) const {
    std::vector<int> result;
    const Set writes = candidate_.same_location.row(r) & candidate_.writes;
    const Relation& coherence = derived_.coherence;
    Set before = 0;  // writes that the source must not precede
    for_each(writes, [&](unsigned w) {
      if (coherence.has(w, r)) before |= only(w);
    });
    if (before == 0) result.push_back(initial_write);
    for_each(writes, [&](unsigned w) {
      if (coherence.has(r, w) || candidate_.po.has(r, w)) return;
      if ((state_.co.row(w) & before) == 0) result.push_back(static_cast<int>(w));
    });
    return result;
  }

  void explore() {
    if (stopped_ || !consistent()) return;
    std::optional<unsigned> read;
    std::vector<int> choices;
    for_each(candidate_.reads, [&](unsigned r) {
      if (state_.sources[r] != open) return;
      auto list = sources(r);
      if (read && list.size() >= choices.size()) return;
      read = r;
      choices = std::move(list);
    });
    if (!read) {
      const std::uint64_t before = found_.executions;
      order();
      if (found_.executions > before) ++found_.classes;
      return;
    }
    const State saved = state_;
    for (const int source : choices) {
      state_.sources[*read] = source;
      if (source == initial_write) {
        state_.read_initial |= only(*read);
      } else {
        state_.rf.add(static_cast<unsigned>(source), *read);
      }
      explore();
      state_ = saved;
    }
  }

  // Orders two unordered writes. All sources are known and the candidate is consistent so far.
  void order() {
    if (stopped_) return;
    std::optional<std::pair<unsigned, unsigned>> pair;
    for_each(candidate_.writes, [&](unsigned a) {
      if (pair) return;
      const Set others = candidate_.same_location.row(a) & candidate_.writes & ~state_.co.row(a);
      for_each(others, [&](unsigned b) {
        if (!pair && !state_.co.has(b, a)) pair = {a, b};
      });
    });
    if (!pair) {
      complete();
      return;
    }
    const State saved = state_;
    for (const bool swapped : {false, true}) {
      const auto [a, b] = *pair;
      state_.co.add(swapped ? b : a, swapped ? a : b);
      state_.co = state_.co.plus();
      if (consistent()) order();
      state_ = saved;
    }
  }

  void complete() {
    if (state_.known != (candidate_.reads | candidate_.writes))
      throw std::logic_error("a consistent execution in which a value comes from nowhere");
    ++found_.executions;
    Execution execution{initial_, {}};
    for_each(candidate_.writes, [&](unsigned w) {
      if (state_.co.row(w) == 0) execution.memory[location_[w]] = state_.values[w];
    });
    for (std::size_t t = 0; t < parts_.size(); ++t) execution.reads.push_back(values_of(t).data());
    execution.candidate = &candidate_;
    execution.derived = &derived_;
    execution.locations = &location_;
    if (!visit_(execution)) stopped_ = true;
  }

  const std::vector<Part>& parts_;
  const std::vector<std::int64_t>& initial_;
  Budget& budget_;
  const std::function<bool(const Execution&)>& visit_;
  bool deduce_;
  Candidate candidate_;
  State state_;
  Derived derived_{Relation(), Relation(), Relation(), Relation(), Relation(), false};
  std::vector<unsigned> first_;  // first event of each thread
  std::vector<std::uint32_t> location_;
  std::vector<std::size_t> thread_of_;
  Found found_;
  bool stopped_ = false;
};

}  // namespace

Found for_each_execution(const std::vector<Part>& parts, const std::vector<std::int64_t>& initial,
                         Budget& budget, const std::function<bool(const Execution&)>& visit, bool deduce) {
  return Enumeration(parts, initial, budget, visit, deduce).run();
}

}  // namespace heddle::power_oracle
