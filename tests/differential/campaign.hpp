// Runs a property on many random programs, shrinks the first failures and reports them to doctest.
//
// HEDDLE_RANDOM_PROGRAMS sets the size of the largest campaign and scales the others in proportion (1000, or
// 5000 in full, unless it is set); HEDDLE_RANDOM_SEED moves all campaigns to other programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "properties.hpp"

namespace heddle::differential {

struct Campaign {
  std::string_view name;
  std::uint64_t programs = 0;  // in full
  std::uint64_t first = 0;     // number of the first program
  Property property;
  std::uint64_t most_skipped = 4;  // percentage of programs that may be too large for the oracle
};

// Whether the environment asks for fewer programs than usual, as `./dev sanitize` does. Totals over all programs of
// a campaign mean little then.
[[nodiscard]] bool is_short();

// HEDDLE_RANDOM_SEED, or 1.
[[nodiscard]] std::uint64_t default_seed();

// The result for one random program.
struct Trial {
  bool skipped = false;
  std::string failure;  // empty if the property holds; else a description with the shrunk program
};
[[nodiscard]] Trial try_program(std::uint64_t seed, std::uint64_t number, const Property& property);

// Fails the running test case for up to three programs that violate the property, and if more programs were
// skipped than the campaign allows.
void run(const Campaign& campaign);

}  // namespace heddle::differential
