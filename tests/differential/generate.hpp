// The generator of random programs.
//
// A profile gives the frequency of each kind of statement; `profiles` lists them so that each feature
// dominates in one. Programs are generated in three layers: expressions, statements, whole programs. A new
// kind of statement needs an entry in Statement::Kind, its text in print.cpp, a weight in profiles.cpp and a
// case in generate_statements.cpp.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "random_program.hpp"

namespace heddle::differential {

struct Profile {
  std::string_view name;
  std::vector<std::pair<Statement::Kind, unsigned>> weights;
  unsigned shared_load_percent = 10;  // of the operands of expressions: loads
  unsigned array_percent = 15;        // of the programs: with an array of two elements
  unsigned index_percent = 30;        // of array indices: not constant
  unsigned object_percent = 8;        // of the programs: with structs; of the others: with an enum
  unsigned spawn_percent = 4;         // of the programs: with a spawned thread
  unsigned mutex_percent = 40;        // of the programs: with a second mutex
  // Bound on the number of ways to interleave the threads' sequences, see Generator::trim. Where threads wait
  // for each other, most of these are impossible.
  double most_interleavings = 50'000;
};

[[nodiscard]] const std::vector<Profile>& profiles();

// Rounds that a thread executes in a loop whose condition holds, before it is cut off
// (CompileOptions::unroll).
inline constexpr std::uint32_t spin_rounds = 2;

struct GeneratedProgram {
  const Profile* profile = nullptr;
  RandomProgram program;
};

// The result depends on these numbers only, not on the machine.
[[nodiscard]] GeneratedProgram generate(std::uint64_t seed, std::uint64_t number);

}  // namespace heddle::differential
