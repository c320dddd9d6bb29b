#include "tests/power_oracle/terms.hpp"

#include <algorithm>
#include <bit>

namespace heddle::power_oracle {

namespace {

constexpr std::size_t most_assignments = 20'000;  // of values to the reads of one term

}  // namespace

std::int64_t apply(lang::UnaryOperator op, std::int64_t operand) {
  switch (op) {
    case lang::UnaryOperator::negate: return static_cast<std::int64_t>(-static_cast<std::uint64_t>(operand));
    case lang::UnaryOperator::complement: return ~operand;
    case lang::UnaryOperator::logical_not: break;
  }
  return operand == 0 ? 1 : 0;
}

std::int64_t apply(lang::BinaryOperator op, std::int64_t left, std::int64_t right) {
  using Op = lang::BinaryOperator;
  const auto a = static_cast<std::uint64_t>(left);
  const auto b = static_cast<std::uint64_t>(right);
  const auto number = [](std::uint64_t bits) { return static_cast<std::int64_t>(bits); };
  switch (op) {
    case Op::add: return number(a + b);
    case Op::subtract: return number(a - b);
    case Op::multiply: return number(a * b);
    case Op::divide:
      if (right == 0) return 0;
      return right == -1 ? number(-a) : left / right;
    case Op::remainder: return right == 0 || right == -1 ? 0 : left % right;
    case Op::shift_left: return number(a << (b & 63));
    case Op::shift_right: return left >> (b & 63);
    case Op::bit_and: return left & right;
    case Op::bit_or: return left | right;
    case Op::bit_xor: return left ^ right;
    case Op::equal: return left == right ? 1 : 0;
    case Op::not_equal: return left != right ? 1 : 0;
    case Op::less: return left < right ? 1 : 0;
    case Op::less_equal: return left <= right ? 1 : 0;
    case Op::greater: return left > right ? 1 : 0;
    case Op::greater_equal: break;
  }
  return left >= right ? 1 : 0;
}

std::int64_t apply(lang::FetchOperator op, std::int64_t old, std::int64_t operand) {
  using Op = lang::FetchOperator;
  switch (op) {
    case Op::add: return apply(lang::BinaryOperator::add, old, operand);
    case Op::subtract: return apply(lang::BinaryOperator::subtract, old, operand);
    case Op::bit_and: return old & operand;
    case Op::bit_or: return old | operand;
    case Op::bit_xor: return old ^ operand;
    case Op::max: return std::max(old, operand);
    case Op::min: break;
  }
  return std::min(old, operand);
}

Term Terms::add(const Node& node) {
  nodes_.push_back(node);
  values_.push_back(0);
  evaluated_.push_back(0);
  return static_cast<Term>(nodes_.size() - 1);
}

Term Terms::constant(std::int64_t value) { return add({.value = value}); }

Term Terms::read(unsigned event) {
  return add({.kind = Kind::read, .value = static_cast<std::int64_t>(event), .reads = only(event)});
}

Term Terms::unary(lang::UnaryOperator op, Term operand) {
  if (const auto value = known(operand)) return constant(apply(op, *value));
  return add({.kind = Kind::unary,
              .op = static_cast<std::uint8_t>(op),
              .left = operand,
              .reads = nodes_[operand].reads});
}

Term Terms::binary(lang::BinaryOperator op, Term left, Term right) {
  const auto a = known(left);
  const auto b = known(right);
  if (a && b) return constant(apply(op, *a, *b));
  return add({.kind = Kind::binary,
              .op = static_cast<std::uint8_t>(op),
              .left = left,
              .right = right,
              .reads = nodes_[left].reads | nodes_[right].reads});
}

Term Terms::fetch(lang::FetchOperator op, Term left, Term right) {
  return add({.kind = Kind::fetch,
              .op = static_cast<std::uint8_t>(op),
              .left = left,
              .right = right,
              .reads = nodes_[left].reads | nodes_[right].reads});
}

Term Terms::truth(Term term) { return binary(lang::BinaryOperator::not_equal, term, constant(0)); }

std::optional<std::int64_t> Terms::known(Term term) const {
  if (nodes_[term].kind != Kind::constant) return {};
  return nodes_[term].value;
}

std::int64_t Terms::evaluate(Term term, std::span<const std::int64_t> reads) const {
  ++evaluation_;
  return evaluate_node(term, reads);
}

std::int64_t Terms::evaluate_node(Term term, std::span<const std::int64_t> reads) const {
  if (evaluated_[term] == evaluation_) return values_[term];
  const Node& node = nodes_[term];
  std::int64_t result = node.value;
  switch (node.kind) {
    case Kind::constant: break;
    case Kind::read: result = reads[static_cast<std::size_t>(node.value)]; break;
    case Kind::unary:
      result = apply(static_cast<lang::UnaryOperator>(node.op), evaluate_node(node.left, reads));
      break;
    case Kind::binary:
      result = apply(static_cast<lang::BinaryOperator>(node.op), evaluate_node(node.left, reads),
                     evaluate_node(node.right, reads));
      break;
    case Kind::fetch:
      result = apply(static_cast<lang::FetchOperator>(node.op), evaluate_node(node.left, reads),
                     evaluate_node(node.right, reads));
      break;
  }
  evaluated_[term] = evaluation_;
  values_[term] = result;
  return result;
}

bool Terms::for_each_assignment(Term term, const Domains& domains,
                                const std::function<void(std::span<const std::int64_t> reads)>& visit) const {
  std::vector<unsigned> reads;
  std::size_t assignments = 1;
  for (Set rest = nodes_[term].reads; rest != 0; rest &= rest - 1) {
    const auto read = static_cast<unsigned>(std::countr_zero(rest));
    if (!domains[read]) return false;
    assignments *= domains[read]->size();
    if (assignments > most_assignments) return false;
    reads.push_back(read);
  }
  std::vector<std::int64_t> chosen(domains.size());
  const auto assign = [&](const auto& self, std::size_t next) -> void {
    if (next == reads.size()) {
      visit(chosen);
      return;
    }
    for (const std::int64_t value : *domains[reads[next]]) {
      chosen[reads[next]] = value;
      self(self, next + 1);
    }
  };
  assign(assign, 0);
  return true;
}

Domain Terms::values(Term term, const Domains& domains) const {
  std::set<std::int64_t> values;
  const bool known = for_each_assignment(
      term, domains, [&](std::span<const std::int64_t> reads) { values.insert(evaluate(term, reads)); });
  if (!known) return {};
  return values;
}

}  // namespace heddle::power_oracle
