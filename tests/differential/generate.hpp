// The generator of random programs.
//
// A profile says how often each kind of statement comes; `profiles` lists them so that each feature dominates
// somewhere. Programs are made in three layers: expressions, statements, whole programs. A new kind of
// statement needs an entry in Statement::Kind, its text in print.cpp, a weight in profiles.cpp and a case in
// generate_statements.cpp.
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
  unsigned shared_load_percent = 10;  // of the operands of expressions: loads in their midst
  unsigned array_percent = 15;        // of the programs: with an array of two
  unsigned index_percent = 30;        // of the arrays' indices: not a constant
  unsigned object_percent = 8;        // of the programs: with structs, of the others: with an enum
  unsigned spawn_percent = 4;         // of the programs: with a thread that another one spawns
  unsigned mutex_percent = 40;        // of the programs: with a second mutex
  // Sequences of the program's stores and other operations in each order; see Generator::trim. Where threads
  // wait for each other most of these cannot be.
  double most_interleavings = 50'000;
};

[[nodiscard]] const std::vector<Profile>& profiles();

// While a thread's loop condition holds it goes round this often before it is cut off
// (CompileOptions::unroll).
inline constexpr std::uint32_t spin_rounds = 2;

struct GeneratedProgram {
  const Profile* profile = nullptr;
  RandomProgram program;
};

// The same numbers give the same program on every machine.
[[nodiscard]] GeneratedProgram generate(std::uint64_t seed, std::uint64_t number);

}  // namespace heddle::differential
