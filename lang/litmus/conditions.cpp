#include "lang/litmus/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "lang/litmus/instructions.hpp"

namespace heddle::lang::litmus {
namespace {

class Conditions {
 public:
  Conditions(const Constraint& constraint, Architecture architecture,
             const std::vector<ObservedLocal>& locals, Builder& builder)
      : constraint_(constraint), architecture_(architecture), locals_(locals), builder_(builder) {}

  void run(std::string name) {
    LitmusTest test;
    test.name = std::move(name);
    test.kind = static_cast<LitmusKind>(constraint_.quantifier);
    test.condition = constraint_.range;
    std::set<std::string> seen;
    each_place(constraint_, [&](const Place& place) { add_observation(test.observed, seen, place); });
    // Registers first, by thread, then locations.
    const auto key = [](const Observation& observation) {
      return std::tuple(!observation.thread, observation.thread.value_or(0), observation.name.size(),
                        std::string_view(observation.name));
    };
    std::sort(test.observed.begin(), test.observed.end(),
              [&](const Observation& left, const Observation& right) { return key(left) < key(right); });
    const auto add = [&](PropertyKind kind, const Formula& formula) {
      builder_.program.properties.push_back({kind, condition(formula), formula.range});
    };
    if (constraint_.filter) add(PropertyKind::filter, *constraint_.filter);
    switch (constraint_.quantifier) {
      case Quantifier::none: break;
      case Quantifier::exists: add(PropertyKind::exists, constraint_.formula); break;
      case Quantifier::not_exists: add(PropertyKind::forbid, constraint_.formula); break;
      case Quantifier::forall: add(PropertyKind::forall, constraint_.formula); break;
    }
    builder_.program.litmus = std::move(test);
  }

 private:
  [[nodiscard]] Expression value_of(const Place& place) {
    Expression result;
    result.range = place.range;
    if (!place.thread) {
      result.kind = ExpressionKind::load;
      result.id = builder_.variable(place.name.text, place.range);
      return result;
    }
    result.kind = ExpressionKind::thread_local_;
    result.thread = *place.thread;
    result.id = local_of(place);
    return result;
  }

  [[nodiscard]] LocalId local_of(const Place& place) const {
    const std::string name = canonical(place, architecture_);
    for (const ObservedLocal& local : locals_) {
      if (local.thread == *place.thread && local.name == name) return local.id;
    }
    return 0;  // unreachable: the condition's places are all listed
  }

  Expression wanted(const Formula& formula) {
    if (formula.other) return value_of(*formula.other);
    if (!formula.address) {
      const bool word = is_word(formula.place) && formula.value == static_cast<std::uint32_t>(formula.value);
      return literal(word ? static_cast<std::int32_t>(formula.value) : formula.value, formula.range);
    }
    if (architecture_ == Architecture::c) {
      builder_.error(formula.address->range, "in a C test only numbers can be observed, not addresses");
    }
    const VariableId variable = builder_.variable(formula.address->text, formula.address->range);
    return literal(builder_.address(variable), formula.range);
  }

  // Only 32 bits count, so that 0xffffffff and -1 are the same value.
  [[nodiscard]] bool is_word(const Place& place) {
    if (architecture_ != Architecture::x86) return false;
    if (place.thread) return is_word_x86(place.name.text);
    return builder_.is_word(builder_.variable(place.name.text, place.range));
  }

  Expression condition(const Formula& formula) {
    switch (formula.kind) {
      case FormulaKind::constant: return truth(formula.value != 0, formula.range);
      case FormulaKind::negation: return negation(condition(formula.parts[0]), formula.range);
      case FormulaKind::equal:
        return binary(BinaryOperator::equal, value_of(formula.place), wanted(formula), formula.range);
      case FormulaKind::conjunction:
      case FormulaKind::disjunction: break;
    }
    return joined(formula, 0, formula.parts.size());
  }

  // Joins the parts as a balanced tree: there may be thousands of them.
  Expression joined(const Formula& formula, std::size_t first, std::size_t last) {
    if (last - first == 1) return condition(formula.parts[first]);
    const std::size_t middle = first + (last - first) / 2;
    Expression result = truth(true, formula.range);
    result.kind =
        formula.kind == FormulaKind::conjunction ? ExpressionKind::logical_and : ExpressionKind::logical_or;
    result.value = 0;
    result.operands.push_back(joined(formula, first, middle));
    result.operands.push_back(joined(formula, middle, last));
    return result;
  }

  void add_observation(std::vector<Observation>& observed, std::set<std::string>& seen, const Place& place) {
    Observation result;
    if (place.thread) {
      result.name = fmt::format("{}:{}{}", *place.thread, place.symbolic ? "%" : "", place.name.text);
      result.thread = place.thread;
      result.id = local_of(place);
    } else {
      result.name = fmt::format("[{}]", place.name.text);
      result.id = builder_.variable(place.name.text, place.range);
    }
    // The same register may be spelled in several ways: %eax, RAX.
    std::string key =
        place.thread ? fmt::format("{}:{}", *place.thread, canonical(place, architecture_)) : result.name;
    if (!seen.insert(std::move(key)).second) return;
    observed.push_back(std::move(result));
  }

  const Constraint& constraint_;
  Architecture architecture_;
  const std::vector<ObservedLocal>& locals_;
  Builder& builder_;
};

}  // namespace

std::string canonical(const Place& place, Architecture architecture) {
  if (architecture == Architecture::c) return std::string(place.name.text);
  if (architecture == Architecture::x86) return canonical_x86(place.name.text);
  return place.symbolic ? "%" + std::string(place.name.text) : canonical_ppc(place.name.text);
}

void add_conditions(const Constraint& constraint, std::string name, Architecture architecture,
                    const std::vector<ObservedLocal>& locals, Builder& builder) {
  Conditions(constraint, architecture, locals, builder).run(std::move(name));
}

}  // namespace heddle::lang::litmus
