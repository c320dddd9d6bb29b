// Runs a property on many random programs, shrinks the first failures and reports them to doctest.
//
// HEDDLE_RANDOM_PROGRAMS scales the numbers of programs (it is the number for the largest campaign; smaller
// ones keep their share) and HEDDLE_RANDOM_SEED moves all campaigns to other programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "properties.hpp"

namespace heddle::differential {

struct Campaign {
  std::string_view name;
  std::uint64_t programs = 0;  // the number by default
  std::uint64_t first = 0;     // number of the first program
  Property property;
  std::uint64_t most_skipped = 4;  // percent of the programs that may be too large for the oracle
};

// HEDDLE_RANDOM_SEED, or 1.
[[nodiscard]] std::uint64_t default_seed();

// What came of one random program.
struct Trial {
  bool skipped = false;
  std::string failure;  // empty: the property holds; else what is wrong, with the program made small
};
[[nodiscard]] Trial try_program(std::uint64_t seed, std::uint64_t number, const Property& property);

// Fails the running test case for every program that lacks the property, up to three, and if more programs
// were skipped than the campaign allows.
void run(const Campaign& campaign);

}  // namespace heddle::differential
