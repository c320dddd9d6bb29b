// Values of a thread that runs without knowing what it reads: terms over the thread's own reads.
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

// What a value is, and the reads that it depends on by the program's text (of which the term may need fewer).
struct Value {
  Term term = 0;
  Set depends = 0;
};

// The values that a read may give; nothing: nobody knows.
using Domain = std::optional<std::set<std::int64_t>>;
using Domains = std::vector<Domain>;  // by read

[[nodiscard]] std::int64_t apply(lang::UnaryOperator op, std::int64_t operand);
// A divisor of 0 gives 0: what comes after that is not looked at.
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
  // With these values of the reads; of those that the term has none may be missing.
  [[nodiscard]] std::int64_t evaluate(Term term, std::span<const std::int64_t> reads) const;
  // Calls `visit` with each choice of values for the term's reads from their domains. False if they are
  // unknown or too many.
  bool for_each_assignment(Term term, const Domains& domains,
                           const std::function<void(std::span<const std::int64_t> reads)>& visit) const;
  // All values that the term has over the domains of its reads; nothing if they are unknown or too many.
  [[nodiscard]] Domain values(Term term, const Domains& domains) const;

 private:
  enum class Kind : std::uint8_t { constant, read, unary, binary, fetch };
  struct Node {
    Kind kind = Kind::constant;
    std::uint8_t op = 0;
    Term left = 0;
    Term right = 0;
    std::int64_t value = 0;  // of a constant; the event of a read
    Set reads = 0;
  };
  Term add(const Node& node);
  std::int64_t evaluate_node(Term term, std::span<const std::int64_t> reads) const;

  std::vector<Node> nodes_;
  mutable std::vector<std::int64_t> values_;
  mutable std::vector<std::uint64_t> evaluated_;  // terms by the number of the evaluation that knows them
  mutable std::uint64_t evaluation_ = 0;
};

}  // namespace heddle::power_oracle
