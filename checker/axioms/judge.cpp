// The axioms themselves: see judge.hpp. They are written once, over relations that are sets of pairs
// (Relation) or that also keep a shortest path for each pair (Paths).
#include "checker/axioms/judge.hpp"

#include <concepts>
#include <utility>

#include "checker/axioms/relation.hpp"

namespace heddle::axioms {

namespace {

// Makes relations from base edges. Paths refer to the edges by their numbers here.
template <typename R>
class Maker {
 public:
  explicit Maker(std::size_t events) : events_(events) {}

  [[nodiscard]] R none() {
    if constexpr (keeps_paths) {
      return R(events_, arena_);
    } else {
      return R(events_);
    }
  }
  void add(R& relation, const Edge& edge) {
    if constexpr (keeps_paths) {
      if (relation.has(edge.from, edge.to)) return;
      edges_.push_back(edge);
      relation.add(edge.from, edge.to, arena_.edge(static_cast<std::uint32_t>(edges_.size() - 1)));
    } else {
      relation.add(edge.from, edge.to);
    }
  }
  // The base edges of the path from `a` to `b`.
  [[nodiscard]] std::vector<Edge> edges(const R& relation, std::size_t a,
                                        std::size_t b) const requires std::same_as<R, Paths> {
    std::vector<std::uint32_t> numbers;
    arena_.append_edges(relation.at(a, b), numbers);
    std::vector<Edge> result;
    for (const auto number : numbers) result.push_back(edges_[number]);
    return result;
  }
  [[nodiscard]] std::uint32_t length(const R& relation, std::size_t a,
                                     std::size_t b) const requires std::same_as<R, Paths> {
    return arena_.length(relation.at(a, b));
  }

 private:
  static constexpr bool keeps_paths = std::same_as<R, Paths>;
  std::size_t events_;
  PathArena arena_;
  std::vector<Edge> edges_;
};

template <typename R>
class Judge {
 public:
  Judge(const Execution& execution, Model model)
      : execution_(execution),
        model_(model),
        count_(execution.events.size()),
        maker_(count_),
        index_(count_),
        po_loc_(maker_.none()),
        rf_(maker_.none()),
        co_(maker_.none()),
        fr_(maker_.none()) {
    std::uint32_t index = 0;
    for (EventId e = 0; e < count_; ++e) {
      index = e > 0 && event(e - 1).thread == event(e).thread ? index + 1 : 0;
      index_[e] = index;
    }
    communication();
  }

  // Calls visit(axiom, relation) for each axiom until it returns false; the axiom holds if the relation is
  // irreflexive.
  template <typename Visit>
  void for_each_axiom(Visit&& visit) {
    const R com = rf_ | co_ | fr_;
    if (!visit(Axiom::coherence, (po_loc_ | com).plus())) return;
    if (!visit(Axiom::atomicity, external(fr_) * external(co_) * update_back())) return;
    if (model_ != Model::power) {
      const R order = kept_order();
      const R edges = model_ == Model::sc ? order | com : order | external(rf_) | co_ | fr_;
      visit(Axiom::order, edges.plus());
      return;
    }
    power(com, visit);
  }

  [[nodiscard]] const Maker<R>& maker() const { return maker_; }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  [[nodiscard]] const Event& event(std::size_t e) const { return execution_.events[e]; }
  [[nodiscard]] bool po(std::size_t a, std::size_t b) const {
    return a < b && event(a).thread == event(b).thread;
  }
  [[nodiscard]] R external(const R& relation) const {
    return relation.filtered(
        [&](std::size_t a, std::size_t b) { return event(a).thread != event(b).thread; });
  }
  [[nodiscard]] R internal(const R& relation) const {
    return relation.filtered(
        [&](std::size_t a, std::size_t b) { return event(a).thread == event(b).thread; });
  }

  void communication() {
    for (EventId a = 0; a < count_; ++a) {
      for (EventId b = a + 1; b < count_ && po(a, b); ++b) {
        if (event(a).location == event(b).location)
          maker_.add(po_loc_, {.kind = EdgeKind::program_order, .from = a, .to = b});
      }
    }
    for (const auto& writes : execution_.coherence) {
      for (std::size_t i = 0; i < writes.size(); ++i) {
        for (std::size_t j = i + 1; j < writes.size(); ++j)
          maker_.add(co_, {.kind = EdgeKind::coherence, .from = writes[i], .to = writes[j]});
      }
    }
    for (EventId r = 0; r < count_; ++r) {
      if (event(r).writes) continue;
      const EventId source = event(r).source;
      if (source != no_event) maker_.add(rf_, {.kind = EdgeKind::reads_from, .from = source, .to = r});
      if (event(r).location >= execution_.coherence.size()) continue;
      bool after = source == no_event;
      for (const EventId write : execution_.coherence[event(r).location]) {
        if (after) maker_.add(fr_, {.kind = EdgeKind::from_read, .from = r, .to = write});
        after = after || write == source;
      }
    }
  }

  // From the write of each read-modify-write back to its read.
  [[nodiscard]] R update_back() {
    R back = maker_.none();
    for (EventId w = 0; w < count_; ++w) {
      if (event(w).read_half != no_event)
        maker_.add(back, {.kind = EdgeKind::atomicity, .from = w, .to = event(w).read_half});
    }
    return back;
  }

  // True if SC, TSO or PSO keeps a pair of program order without a fence.
  [[nodiscard]] bool keeps(const Event& earlier, const Event& later) const {
    if (model_ == Model::sc || earlier.locked || later.locked || !earlier.writes) return true;
    return model_ == Model::tso && later.writes;
  }

  // Adds the pairs around the fences of one kind that `keeps` accepts.
  template <typename Keeps>
  void around(R& relation, PointKind kind, EdgeKind edge, Keeps&& keeps) {
    for (std::uint32_t p = 0; p < execution_.points.size(); ++p) {
      const Point& point = execution_.points[p];
      if (point.kind != kind) continue;
      for (EventId a = 0; a < count_; ++a) {
        if (event(a).thread != point.thread || index_[a] >= point.position) continue;
        for (EventId b = a + 1; b < count_ && po(a, b); ++b) {
          if (index_[b] >= point.position && keeps(event(a), event(b)))
            maker_.add(relation, {.kind = edge, .from = a, .to = b, .fence = p});
        }
      }
    }
  }
  static bool both_write(const Event& a, const Event& b) { return a.writes && b.writes; }
  static bool all_pairs(const Event& /*a*/, const Event& /*b*/) { return true; }

  // SC, TSO, PSO: the part of program order that the model and its fences keep.
  [[nodiscard]] R kept_order() {
    R order = maker_.none();
    for (EventId a = 0; a < count_; ++a) {
      for (EventId b = a + 1; b < count_ && po(a, b); ++b) {
        if (keeps(event(a), event(b)))
          maker_.add(order, {.kind = EdgeKind::program_order, .from = a, .to = b});
      }
    }
    if (model_ == Model::pso) {
      around(order, PointKind::store_store, EdgeKind::store_fence, both_write);
      around(order, PointKind::lightweight, EdgeKind::lightweight_fence, both_write);
    }
    around(order, PointKind::full, EdgeKind::full_fence, all_pairs);
    return order;
  }

  // POWER: dependencies, as base edges.
  struct Dependencies {
    R address, data, control, control_isync;
  };
  [[nodiscard]] Dependencies dependencies() {
    Dependencies d{maker_.none(), maker_.none(), maker_.none(), maker_.none()};
    for (EventId e = 0; e < count_; ++e) {
      for (const EventId read : event(e).address)
        maker_.add(d.address, {.kind = EdgeKind::address, .from = read, .to = e});
      for (const EventId read : event(e).data)
        maker_.add(d.data, {.kind = EdgeKind::data, .from = read, .to = e});
    }
    for (std::uint32_t b = 0; b < execution_.points.size(); ++b) {
      const Point& branch = execution_.points[b];
      if (branch.kind != PointKind::branch) continue;
      control(d.control, branch, branch.position, {.kind = EdgeKind::control, .branch = b});
      for (std::uint32_t i = b + 1; i < execution_.points.size(); ++i) {
        const Point& isync = execution_.points[i];
        if (isync.thread != branch.thread || isync.kind != PointKind::instruction) continue;
        control(d.control_isync, branch, isync.position,
                {.kind = EdgeKind::control_isync, .fence = i, .branch = b});
      }
    }
    return d;
  }
  // Adds the pairs of a branch's reads and the thread's events from `position` on.
  void control(R& relation, const Point& branch, std::uint32_t position, Edge edge) {
    for (const EventId read : branch.reads) {
      for (EventId e = read + 1; e < count_ && po(read, e); ++e) {
        if (index_[e] < position) continue;
        edge.from = read;
        edge.to = e;
        maker_.add(relation, edge);
      }
    }
  }

  [[nodiscard]] R preserved_order() {
    const auto d = dependencies();
    R all_po = maker_.none();
    for (EventId a = 0; a < count_; ++a) {
      for (EventId b = a + 1; b < count_ && po(a, b); ++b)
        maker_.add(all_po, {.kind = EdgeKind::program_order, .from = a, .to = b});
    }
    const auto in_po_loc = [&](std::size_t a, std::size_t b) { return po_loc_.has(a, b); };
    const R rfe = external(rf_);
    const R dp = d.address | d.data;
    const R rdw = (external(fr_) * rfe).filtered(in_po_loc);
    const R detour = (external(co_) * rfe).filtered(in_po_loc);
    const R ii0 = dp | rdw | internal(rf_);
    const R ci0 = d.control_isync | detour;
    const R cc0 = dp | po_loc_ | d.control | (d.address * all_po);
    R ii = maker_.none();
    R ic = maker_.none();
    R ci = maker_.none();
    R cc = maker_.none();
    for (;;) {
      R next_ii = ii0 | ci | (ic * ci) | (ii * ii);
      R next_ic = ii | cc | (ic * cc) | (ii * ic);
      R next_ci = ci0 | (ci * ii) | (cc * ci);
      R next_cc = cc0 | ci | (ci * ic) | (cc * cc);
      if (next_ii == ii && next_ic == ic && next_ci == ci && next_cc == cc) break;
      ii = std::move(next_ii);
      ic = std::move(next_ic);
      ci = std::move(next_ci);
      cc = std::move(next_cc);
    }
    const auto between = [&](bool write) {
      return [this, write](std::size_t a, std::size_t b) {
        return !event(a).writes && event(b).writes == write;
      };
    };
    return ii.filtered(between(false)) | ic.filtered(between(true));
  }

  template <typename Visit>
  void power(const R& com, Visit&& visit) {
    R fences = maker_.none();
    around(fences, PointKind::store_store, EdgeKind::store_fence, both_write);
    around(fences, PointKind::lightweight, EdgeKind::lightweight_fence,
           [](const Event& a, const Event& b) { return !a.writes || b.writes; });
    R ffence = maker_.none();
    around(ffence, PointKind::full, EdgeKind::full_fence, all_pairs);
    fences = fences | ffence;

    const R rfe = external(rf_);
    const R hb = preserved_order() | fences | rfe;
    if (!visit(Axiom::no_thin_air, hb.plus())) return;
    const R hb_star = hb.star();
    const R propbase = (fences | (rfe * fences)) * hb_star;
    const R stores =
        propbase.filtered([&](std::size_t a, std::size_t b) { return both_write(event(a), event(b)); });
    const R prop = stores | (com.star() * propbase.star() * ffence * hb_star);
    if (!visit(Axiom::observation, external(fr_) * prop * hb_star)) return;
    visit(Axiom::propagation, (co_ | prop).plus());
  }

  const Execution& execution_;
  Model model_;
  std::size_t count_;
  Maker<R> maker_;
  std::vector<std::uint32_t> index_;  // of each event in its thread
  R po_loc_, rf_, co_, fr_;
};

}  // namespace

bool consistent(const Execution& execution, Model model) {
  Judge<Relation> judge(execution, model);
  bool result = true;
  judge.for_each_axiom([&](Axiom /*axiom*/, const Relation& relation) {
    for (std::size_t e = 0; e < judge.count(); ++e) result = result && !relation.has(e, e);
    return result;
  });
  return result;
}

std::optional<Cycle> excluding_cycle(const Execution& execution, Model model) {
  if (consistent(execution, model)) return std::nullopt;
  Judge<Paths> judge(execution, model);
  std::optional<Cycle> shortest;
  judge.for_each_axiom([&](Axiom axiom, const Paths& paths) {
    for (std::size_t e = 0; e < judge.count(); ++e) {
      if (!paths.has(e, e)) continue;
      if (shortest && judge.maker().length(paths, e, e) >= shortest->edges.size()) continue;
      shortest = Cycle{axiom, judge.maker().edges(paths, e, e)};
    }
    return true;
  });
  return shortest;
}

std::optional<Model> model_named(std::string_view wanted) {
  for (const Model model : {Model::sc, Model::tso, Model::pso, Model::power}) {
    if (name(model) == wanted) return model;
  }
  return std::nullopt;
}

std::string_view name(Model model) {
  constexpr std::string_view names[] = {"sc", "tso", "pso", "power"};
  return names[static_cast<std::size_t>(model)];
}

std::string_view name(EdgeKind kind) {
  constexpr std::string_view names[] = {"po",   "fence",      "fence lw", "fence st", "addr", "data",
                                        "ctrl", "ctrl+isync", "rf",       "co",       "fr",   "rmw"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name(Axiom axiom) {
  constexpr std::string_view names[] = {"coherence",   "atomicity",   "order",
                                        "no thin air", "observation", "propagation"};
  return names[static_cast<std::size_t>(axiom)];
}

}  // namespace heddle::axioms
