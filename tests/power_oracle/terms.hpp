// Symbolic values of a thread that runs without knowing what it reads: terms over the thread's own reads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "lang/tree.hpp"
#include "tests/power_oracle/relation.hpp"

namespace heddle::power_oracle {

using Term = std::uint32_t;  // index into Terms

// A value, and the reads it depends on syntactically (the term itself may use fewer).
struct Value {
  Term term = 0;
  Set depends = 0;
};

// The values that a read may yield; nothing if unknown.
using Domain = std::optional<std::set<std::int64_t>>;
using Domains = std::vector<Domain>;  // by read

[[nodiscard]] std::int64_t apply(lang::UnaryOperator op, std::int64_t operand);
// A divisor of 0 gives 0: whatever follows is ignored.
[[nodiscard]] std::int64_t apply(lang::BinaryOperator op, std::int64_t left, std::int64_t right);
[[nodiscard]] std::int64_t apply(lang::FetchOperator op, std::int64_t old, std::int64_t operand);

class Terms {
 public:
  [[nodiscard]] Term constant(std::int64_t value);
  [[nodiscard]] Term read(unsigned event);
  [[nodiscard]] Term unary(lang::UnaryOperator op, Term operand);
  [[nodiscard]] Term binary(lang::BinaryOperator op, Term left, Term right);
  [[nodiscard]] Term fetch(lang::FetchOperator op, Term left, Term right);
  [[nodiscard]] Term truth(Term term);

  [[nodiscard]] Set reads(Term term) const { return nodes_[term].reads; }
  [[nodiscard]] std::optional<std::int64_t> known(Term term) const;
  // The term's value, given values for the reads; none of the term's reads may be missing.
  [[nodiscard]] std::int64_t evaluate(Term term, std::span<const std::int64_t> reads) const;
  // Calls `visit` for each choice of values for the term's reads from their domains. Returns false if these
  // are unknown or there are too many choices.
  bool for_each_assignment(Term term, const Domains& domains,
                           const std::function<void(std::span<const std::int64_t> reads)>& visit) const;
  // All values of the term over the domains of its reads; nothing if unknown or too many.
  [[nodiscard]] Domain values(Term term, const Domains& domains) const;

 private:
  enum class Kind : std::uint8_t { constant, read, unary, binary, fetch };
  struct Node {
    Kind kind = Kind::constant;
    std::uint8_t op = 0;
    Term left = 0;
    Term right = 0;
    std::int64_t value = 0;  // of a constant; for a read, its event
    Set reads = 0;
  };
  Term add(const Node& node);
  std::int64_t evaluate_node(Term term, std::span<const std::int64_t> reads) const;

  std::vector<Node> nodes_;
  mutable std::vector<std::int64_t> values_;
  mutable std::vector<std::uint64_t> evaluated_;  // by term: the last evaluation that computed its value
  mutable std::uint64_t evaluation_ = 0;
};

}  // namespace heddle::power_oracle
