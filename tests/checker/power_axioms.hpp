// The axioms of POWER, evaluated from scratch: an oracle for the incremental model.
//
// It is written down from the definitions (memory-models.md, "POWER") in another style: relations are sets of
// pairs, combined by union, composition and closure; nothing is kept from one trace to the next.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace heddle::checker::power_axioms {

inline constexpr unsigned most_events = 16;

// A relation over events by number, with the operators of the definitions.
class Relation {
 public:
  void add(unsigned a, unsigned b) { rows_[a] |= bit(b); }
  [[nodiscard]] bool has(unsigned a, unsigned b) const { return (rows_[a] & bit(b)) != 0; }

  friend Relation operator|(Relation a, const Relation& b) {
    for (unsigned i = 0; i < most_events; ++i) a.rows_[i] |= b.rows_[i];
    return a;
  }
  friend Relation operator&(Relation a, const Relation& b) {
    for (unsigned i = 0; i < most_events; ++i) a.rows_[i] &= b.rows_[i];
    return a;
  }
  // Composition.
  friend Relation operator*(const Relation& a, const Relation& b) {
    Relation result;
    for (unsigned i = 0; i < most_events; ++i) {
      for (unsigned j = 0; j < most_events; ++j) {
        if (a.has(i, j)) result.rows_[i] |= b.rows_[j];
      }
    }
    return result;
  }
  friend bool operator==(const Relation&, const Relation&) = default;

  [[nodiscard]] Relation inverse() const {
    Relation result;
    for (unsigned i = 0; i < most_events; ++i) {
      for (unsigned j = 0; j < most_events; ++j) {
        if (has(i, j)) result.add(j, i);
      }
    }
    return result;
  }
  [[nodiscard]] Relation plus() const {
    for (Relation result = *this;;) {
      const Relation next = result | result * result;
      if (next == result) return result;
      result = next;
    }
  }
  [[nodiscard]] Relation star() const {
    Relation result = plus();
    for (unsigned i = 0; i < most_events; ++i) result.add(i, i);
    return result;
  }
  [[nodiscard]] bool irreflexive() const {
    for (unsigned i = 0; i < most_events; ++i) {
      if (has(i, i)) return false;
    }
    return true;
  }
  [[nodiscard]] bool acyclic() const { return plus().irreflexive(); }

 private:
  static std::uint32_t bit(unsigned b) { return std::uint32_t{1} << b; }
  std::array<std::uint32_t, most_events> rows_{};
};

// Instructions of the random program; memory accesses become events when they are committed.
enum class Kind : std::uint8_t { load, store, update, sync, lwsync, eieio, isync };

struct Instruction {
  Kind kind = Kind::load;
  int location = 0;
  std::vector<unsigned> address;  // loads that it depends on, by position in the thread
  std::vector<unsigned> data;
  std::vector<unsigned> control;
};
using Program = std::vector<std::vector<Instruction>>;

struct TraceEvent {
  unsigned thread = 0;
  unsigned position = 0;
  bool writes = false;
  int source = -1;  // of a read: an event, or -1 for the initial write
};

struct TestTrace {
  std::vector<TraceEvent> events;
  std::vector<std::vector<int>> coherence;  // by location
};

inline bool fence(Kind kind) { return kind >= Kind::sync; }

struct Static {
  Relation po, po_loc, address, data, control, control_isync, sync, lwsync, eieio, address_po;
};

inline Static static_relations(const Program& program, const TestTrace& trace) {
  Static r;
  const auto count = static_cast<unsigned>(trace.events.size());
  const auto in = [](const std::vector<unsigned>& list, unsigned x) {
    return std::find(list.begin(), list.end(), x) != list.end();
  };
  for (unsigned a = 0; a < count; ++a) {
    for (unsigned b = 0; b < count; ++b) {
      const auto& x = trace.events[a];
      const auto& y = trace.events[b];
      if (x.thread != y.thread) continue;
      const auto& thread = program[x.thread];
      if (x.position == y.position) {  // the read and the write of one update
        if (!x.writes && y.writes) {
          r.po_loc.add(a, b);
          r.data.add(a, b);
        }
        continue;
      }
      if (x.position > y.position) continue;
      r.po.add(a, b);
      if (thread[x.position].location == thread[y.position].location) r.po_loc.add(a, b);
      if (!x.writes) {
        if (in(thread[y.position].address, x.position)) r.address.add(a, b);
        if (in(thread[y.position].data, x.position)) r.data.add(a, b);
        bool branch = false;
        bool isync = false;
        for (unsigned p = x.position + 1; p <= y.position; ++p) {
          if (p < y.position && thread[p].kind == Kind::isync && branch) isync = true;
          if (in(thread[p].control, x.position)) branch = true;
          if (p < y.position && !fence(thread[p].kind) && in(thread[p].address, x.position))
            r.address_po.add(a, b);
        }
        if (branch) r.control.add(a, b);
        if (isync) r.control_isync.add(a, b);
      }
      for (unsigned p = x.position + 1; p < y.position; ++p) {
        if (thread[p].kind == Kind::sync) r.sync.add(a, b);
        if (thread[p].kind == Kind::lwsync) r.lwsync.add(a, b);
        if (thread[p].kind == Kind::eieio && x.writes && y.writes) r.eieio.add(a, b);
      }
    }
  }
  return r;
}

inline bool allowed(const Program& program, const TestTrace& trace) {
  const Static s = static_relations(program, trace);
  const auto count = static_cast<unsigned>(trace.events.size());
  Relation rf, co, fr, rr, rw, ww, not_wr, internal, rmw;
  for (unsigned a = 0; a < count; ++a) {
    for (unsigned b = 0; b < count; ++b) {
      const auto& x = trace.events[a];
      const auto& y = trace.events[b];
      if (x.thread == y.thread) internal.add(a, b);
      if (x.thread == y.thread && x.position == y.position && !x.writes && y.writes) rmw.add(a, b);
      if (!x.writes && !y.writes) rr.add(a, b);
      if (!x.writes && y.writes) rw.add(a, b);
      if (x.writes && y.writes) ww.add(a, b);
      if (!x.writes || y.writes) not_wr.add(a, b);
      if (!y.writes && y.source == static_cast<int>(a)) rf.add(a, b);
    }
  }
  for (const auto& order : trace.coherence) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size(); ++j)
        co.add(static_cast<unsigned>(order[i]), static_cast<unsigned>(order[j]));
    }
  }
  fr = rf.inverse() * co;
  for (unsigned r = 0; r < count; ++r) {  // reads of initial writes are before all writes
    const auto& x = trace.events[r];
    if (x.writes || x.source >= 0) continue;
    const int location = program[x.thread][x.position].location;
    for (const int w : trace.coherence[static_cast<std::size_t>(location)])
      fr.add(r, static_cast<unsigned>(w));
  }
  const auto external = [&](const Relation& relation) {
    Relation result;
    for (unsigned a = 0; a < count; ++a) {
      for (unsigned b = 0; b < count; ++b) {
        if (relation.has(a, b) && !internal.has(a, b)) result.add(a, b);
      }
    }
    return result;
  };
  const Relation rfe = external(rf);
  const Relation fre = external(fr);
  const Relation coe = external(co);
  const Relation rfi = rf & internal;
  if (!(s.po_loc | rf | co | fr).acyclic()) return false;
  if ((rmw & (fre * coe)) != Relation()) return false;

  const Relation dp = s.address | s.data;
  const Relation rdw = s.po_loc & (fre * rfe);
  const Relation detour = s.po_loc & (coe * rfe);
  const Relation ii0 = dp | rdw | rfi;
  const Relation ci0 = s.control_isync | detour;
  const Relation cc0 = dp | s.po_loc | s.control | s.address_po;
  Relation ii, ic, ci, cc;
  for (;;) {
    const Relation ii2 = ii0 | ci | ic * ci | ii * ii;
    const Relation ic2 = ii | cc | ic * cc | ii * ic;
    const Relation ci2 = ci0 | ci * ii | cc * ci;
    const Relation cc2 = cc0 | ci | ci * ic | cc * cc;
    if (ii2 == ii && ic2 == ic && ci2 == ci && cc2 == cc) break;
    ii = ii2;
    ic = ic2;
    ci = ci2;
    cc = cc2;
  }
  const Relation ppo = (ii & rr) | (ic & rw);
  const Relation fences = s.sync | (s.lwsync & not_wr) | s.eieio;
  const Relation hb = ppo | fences | rfe;
  if (!hb.acyclic()) return false;
  const Relation propbase = (fences | rfe * fences) * hb.star();
  const Relation prop = (propbase & ww) | (rf | co | fr).star() * propbase.star() * s.sync * hb.star();
  return (fre * prop * hb.star()).irreflexive() && (co | prop).acyclic();
}

}  // namespace heddle::checker::power_axioms
