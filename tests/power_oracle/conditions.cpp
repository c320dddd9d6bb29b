#include "tests/power_oracle/conditions.hpp"

#include <stdexcept>

#include "tests/power_oracle/terms.hpp"

namespace heddle::power_oracle {

std::int64_t value_in(const lang::Program& program, const lang::Expression& e, const FinalState& state) {
  using Kind = lang::ExpressionKind;
  constexpr std::int64_t nowhere = -1;
  const auto operand = [&](std::size_t i) { return value_in(program, e.operands[i], state); };
  switch (e.kind) {
    case Kind::literal: return e.value;
    case Kind::load: {
      const lang::Variable& variable = program.variables[e.id];
      const std::int64_t index = variable.is_array ? operand(0) : 0;
      if (index < 0 || index >= std::int64_t{variable.length}) return 0;
      return state.memory[variable.first_location + static_cast<std::size_t>(index)];
    }
    case Kind::thread_local_: {
      const auto& elements = state.locals[e.thread][e.id];
      const std::int64_t index = e.operands.empty() ? 0 : operand(0);
      if (index < 0 || index >= static_cast<std::int64_t>(elements.size())) return 0;
      return elements[static_cast<std::size_t>(index)];
    }
    case Kind::bounded: {
      const std::int64_t index = operand(0);
      return index >= 0 && index < e.value ? index : nowhere;
    }
    case Kind::unary: return apply(e.unary, operand(0));
    case Kind::binary: return apply(e.binary, operand(0), operand(1));
    case Kind::logical_and: return operand(0) != 0 && operand(1) != 0 ? 1 : 0;
    case Kind::logical_or: return operand(0) != 0 || operand(1) != 0 ? 1 : 0;
    case Kind::conditional: return operand(operand(0) != 0 ? 1 : 2);
    default: throw std::logic_error("a condition that does something");
  }
}

}  // namespace heddle::power_oracle
