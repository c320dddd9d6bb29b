// The registry: one cell for each pair of a model and an algorithm, with the function that runs it or the
// reason why none does. Help, completions, messages, reports and the tests' matrix read these tables; nothing
// else lists models or algorithms.
//
// A model is a row of interleavings/models.hpp (its machine of interleavings), of commits/axiomatic_models.hpp
// (its axioms), or of both under one name. An algorithm is a row of the table in registry.cpp, with a function
// for each of the two contracts that it works over. docs/extending.md adds one of each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checker/search/sampling.hpp"
#include "checker/search/search.hpp"
#include "heddle/heddle.h"

namespace heddle::checker {

struct Cell {
  std::string_view model;
  std::string_view algorithm;
  // Explores the program of the search, whose options name this model. Null: the pair does not work.
  void (*run)(Search&) = nullptr;
  std::string why_not = {};    // one sentence if the pair does not work, else empty
  bool divisible = false;      // it explores in parts (search/part.hpp)
  bool shares_states = false;  // several threads can explore one table of states
  // Whether it judges invariants, and those that name locals of threads.
  bool judges_invariants = false;
  bool sees_locals = false;
  bool runs_blocks = false;                       // `atomic` as steps
  std::string_view why_no_preemption_bound = {};  // half a sentence; empty if it takes one, or does not work
  // Samples random paths of the search until there are enough (search/sampling.hpp). Null: it cannot.
  void (*sample)(Search&, std::uint64_t seed, Samples&) = nullptr;
};

// Model by model, in the order of the lists below.
[[nodiscard]] const std::vector<Cell>& all_cells();
[[nodiscard]] const std::vector<ModelInfo>& all_models();
[[nodiscard]] const std::vector<AlgorithmInfo>& all_algorithms();

// Null for unknown names.
[[nodiscard]] const Cell* find_cell(std::string_view model, std::string_view algorithm);
[[nodiscard]] const ModelInfo* find_model(std::string_view name);
[[nodiscard]] const AlgorithmInfo* find_algorithm(std::string_view name);

// Whether the model needs threads that run ahead of their loads. False for unknown names.
[[nodiscard]] bool runs_ahead(std::string_view model);

}  // namespace heddle::checker
