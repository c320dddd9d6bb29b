// The registry has one cell for each pair of model and algorithm; what is in no list cannot run.
#include "checker/registry.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "checker/api/engine.hpp"
#include "checker/api/state.hpp"
#include "checker/commits/algorithms.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/shortest.hpp"

namespace {

using namespace heddle::checker;

std::shared_ptr<const heddle::compiler::Image> compile() {
  auto program =
      heddle::Program::from_source("shared x: int; thread p { x = 1; } thread q { let r = x; }", "t");
  REQUIRE(program);
  return state_of(*program).image();
}

}  // namespace

TEST_CASE("every pair of model and algorithm has one cell, which runs it or says why not") {
  std::set<std::pair<std::string_view, std::string_view>> pairs;
  for (const Cell& cell : all_cells()) {
    INFO(cell.algorithm << " under " << cell.model);
    CHECK(pairs.insert({cell.model, cell.algorithm}).second);
    CHECK(find_model(cell.model) != nullptr);
    CHECK(find_algorithm(cell.algorithm) != nullptr);
    const bool runs = cell.run != nullptr;
    CHECK(runs == cell.why_not.empty());
    CHECK(cell.why_not == heddle::why_not(cell.model, cell.algorithm));
  }
  CHECK(pairs.size() == all_models().size() * all_algorithms().size());
}

TEST_CASE("a name that is in no list has no cell") {
  CHECK(find_cell("arm", "naive") == nullptr);
  CHECK(find_cell("sc", "best") == nullptr);
  CHECK(heddle::why_not("arm", "naive").starts_with("there is no model 'arm'; the models are sc, "));
  CHECK(
      heddle::why_not("sc", "best").starts_with("there is no algorithm 'best'; the algorithms are naive, "));
}

TEST_CASE("every model's default algorithm works with it") {
  for (const auto& model : all_models())
    CHECK_MESSAGE(heddle::why_not(model.name, model.default_algorithm).empty(), model.name);
}

TEST_CASE("an algorithm that is run under a model that it has no machine for throws") {
  const auto image = compile();
  heddle::CheckOptions options;
  options.model = "arm";
  for (const auto& algorithm : all_algorithms()) {
    INFO(algorithm.name);
    Search search(*image, options);
    // The cell of SC, whose function picks its machine by the model's name.
    CHECK_THROWS_AS(find_cell("sc", algorithm.name)->run(search), NoImplementation);
    CHECK(search.counts.executions == 0);
  }
  const Search search(*image, options);
  CHECK_THROWS_AS((void)find_shortest(search, {.violation = [](const FoundViolation&) { return true; }}),
                  NoImplementation);
  heddle::MachineOptions machine;
  machine.model = "arm";
  Rows rows;
  CHECK_THROWS_AS((void)make_engine(*image, machine, rows), NoImplementation);
}
