// Relations over at most 64 events as bit matrices, with the operators that the axioms use.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace heddle::power_oracle {

using Set = std::uint64_t;  // of events by number
inline constexpr unsigned most_events = 64;

[[nodiscard]] constexpr Set only(unsigned event) { return Set{1} << event; }

class Relation {
 public:
  explicit Relation(unsigned events = 0) : events_(events) {
    for (unsigned i = 0; i < events_; ++i) rows_[i] = 0;
  }
  Relation(const Relation& other) : events_(other.events_) { copy(other); }
  Relation& operator=(const Relation& other) {
    events_ = other.events_;
    copy(other);
    return *this;
  }

  [[nodiscard]] unsigned events() const { return events_; }
  [[nodiscard]] bool has(unsigned a, unsigned b) const { return (rows_[a] >> b & 1) != 0; }
  [[nodiscard]] Set row(unsigned a) const { return rows_[a]; }
  void add(unsigned a, unsigned b) { rows_[a] |= only(b); }
  void add(unsigned a, Set b) { rows_[a] |= b; }

  friend Relation operator|(Relation a, const Relation& b) {
    for (unsigned i = 0; i < a.events_; ++i) a.rows_[i] |= b.rows_[i];
    return a;
  }
  friend Relation operator&(Relation a, const Relation& b) {
    for (unsigned i = 0; i < a.events_; ++i) a.rows_[i] &= b.rows_[i];
    return a;
  }
  friend Relation operator-(Relation a, const Relation& b) {
    for (unsigned i = 0; i < a.events_; ++i) a.rows_[i] &= ~b.rows_[i];
    return a;
  }
  // Composition.
  friend Relation operator*(const Relation& a, const Relation& b) {
    Relation result(a.events_);
    for (unsigned i = 0; i < a.events_; ++i) {
      for (Set rest = a.rows_[i]; rest != 0; rest &= rest - 1)
        result.rows_[i] |= b.rows_[static_cast<unsigned>(std::countr_zero(rest))];
    }
    return result;
  }
  friend bool operator==(const Relation& a, const Relation& b) {
    for (unsigned i = 0; i < a.events_; ++i) {
      if (a.rows_[i] != b.rows_[i]) return false;
    }
    return true;
  }

  [[nodiscard]] Relation inverse() const {
    Relation result(events_);
    for (unsigned i = 0; i < events_; ++i) {
      for (Set rest = rows_[i]; rest != 0; rest &= rest - 1)
        result.add(static_cast<unsigned>(std::countr_zero(rest)), i);
    }
    return result;
  }
  // The pairs with first element in `from` and second element in `to`.
  [[nodiscard]] Relation between(Set from, Set to) const {
    Relation result = *this;
    for (unsigned i = 0; i < events_; ++i) result.rows_[i] &= (from >> i & 1) != 0 ? to : 0;
    return result;
  }
  // The transitive closure, by Warshall's algorithm.
  [[nodiscard]] Relation plus() const {
    Relation result = *this;
    for (unsigned middle = 0; middle < events_; ++middle) {
      for (unsigned i = 0; i < events_; ++i) {
        if (result.has(i, middle)) result.rows_[i] |= result.rows_[middle];
      }
    }
    return result;
  }
  [[nodiscard]] Relation star() const {
    Relation result = plus();
    for (unsigned i = 0; i < events_; ++i) result.add(i, i);
    return result;
  }
  [[nodiscard]] bool irreflexive() const {
    for (unsigned i = 0; i < events_; ++i) {
      if (has(i, i)) return false;
    }
    return true;
  }
  [[nodiscard]] bool empty() const {
    for (unsigned i = 0; i < events_; ++i) {
      if (rows_[i] != 0) return false;
    }
    return true;
  }

 private:
  void copy(const Relation& other) {
    for (unsigned i = 0; i < events_; ++i) rows_[i] = other.rows_[i];
  }

  unsigned events_;
  std::array<Set, most_events> rows_;
};

}  // namespace heddle::power_oracle
