#include "tests/power_oracle/axioms.hpp"

namespace heddle::power_oracle {

Derived derive(const Candidate& c) {
  Relation fr = c.rf.inverse() * c.co;
  for (unsigned r = 0; r < c.events; ++r) {
    if ((c.read_initial >> r & 1) != 0) fr.add(r, c.same_location.row(r) & c.writes);
  }
  const Relation po_loc = c.po & c.same_location;
  const Relation com = c.rf | c.co | fr;
  const Relation rfi = c.rf & c.same_thread;
  const Relation rfe = c.rf - c.same_thread;
  const Relation coe = c.co - c.same_thread;
  const Relation fre = fr - c.same_thread;

  const Relation dp = c.address | c.data;
  const Relation rdw = po_loc & (fre * rfe);
  const Relation detour = po_loc & (coe * rfe);
  const Relation ii0 = dp | rdw | rfi;
  const Relation ci0 = c.control_isync | detour;
  const Relation cc0 = dp | po_loc | c.control | (c.address * c.po);
  Relation ii(c.events);
  Relation ic(c.events);
  Relation ci(c.events);
  Relation cc(c.events);
  for (;;) {
    const Relation next_ii = ii0 | ci | (ic * ci) | (ii * ii);
    const Relation next_ic = ii | cc | (ic * cc) | (ii * ic);
    const Relation next_ci = ci0 | (ci * ii) | (cc * ci);
    const Relation next_cc = cc0 | ci | (ci * ic) | (cc * cc);
    if (next_ii == ii && next_ic == ic && next_ci == ci && next_cc == cc) break;
    ii = next_ii;
    ic = next_ic;
    ci = next_ci;
    cc = next_cc;
  }
  const Relation ppo = ii.between(c.reads, c.reads) | ic.between(c.reads, c.writes);
  const Relation fences =
      c.sync | (c.lwsync - c.lwsync.between(c.writes, c.reads)) | c.eieio.between(c.writes, c.writes);
  const Relation hb = ppo | fences | rfe;
  const Relation hb_star = hb.star();
  const Relation propbase = (fences | (rfe * fences)) * hb_star;
  const Relation prop =
      propbase.between(c.writes, c.writes) | (com.star() * propbase.star() * c.sync * hb_star);

  Derived derived{(po_loc | com).plus(), fre, prop, hb_star, ppo | fences, false};
  derived.consistent = derived.coherence.irreflexive() &&       // SC per location
                       (c.rmw & (fre * coe)).empty() &&         // atomicity
                       (hb * hb_star).irreflexive() &&          // no thin air
                       (fre * prop * hb_star).irreflexive() &&  // observation
                       (c.co | prop).plus().irreflexive();      // propagation
  return derived;
}

}  // namespace heddle::power_oracle
