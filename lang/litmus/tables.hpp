// Lookup by name in tables of instructions, functions and operators.
#pragma once

#include <algorithm>
#include <string_view>

namespace heddle::lang::litmus {

// The row with that name; null if there is none.
template <typename Table>
[[nodiscard]] constexpr auto* row_of(const Table& table, std::string_view name) {
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const auto& each) { return each.name == name; });
  return row == table.end() ? nullptr : &*row;
}

}  // namespace heddle::lang::litmus
