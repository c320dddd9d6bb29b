// One table says which algorithm works under which model; nothing else can run.
#include "checker/registry.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>

#include "checker/api/engine.hpp"
#include "checker/api/state.hpp"
#include "checker/commits/algorithms.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "checker/search/shortest.hpp"

namespace {

using namespace heddle::checker;

std::shared_ptr<const heddle::compiler::Image> compile() {
  auto program =
      heddle::Program::from_source("shared x: int; thread p { x = 1; } thread q { let r = x; }", "t");
  REQUIRE(program);
  return state_of(*program).image();
}

}  // namespace

TEST_CASE("every pair of model and algorithm has one implementation, or why_not gives a reason") {
  for (const auto& algorithm : all_algorithms()) {
    std::set<std::string_view> models;
    for (const auto& implementation : algorithm.implementations) {
      const bool runs = implementation.run != nullptr;
      CHECK(runs);
      CHECK(find_model(implementation.model) != nullptr);
      CHECK(models.insert(implementation.model).second);
    }
    for (const auto& model : all_models()) {
      INFO(algorithm.info.name << " under " << model.name);
      const bool runs = algorithm.run_under(model.name) != nullptr;
      CHECK(runs == heddle::why_not(model.name, algorithm.info.name).empty());
    }
    const bool runs_anywhere = algorithm.run_under("arm") != nullptr;
    CHECK_FALSE(runs_anywhere);
    CHECK_FALSE(heddle::why_not("arm", algorithm.info.name).empty());
  }
}

TEST_CASE("running an algorithm under a model without a machine for it throws") {
  const auto image = compile();
  heddle::CheckOptions options;
  options.model = "arm";
  for (const auto& algorithm : all_algorithms()) {
    INFO(algorithm.info.name);
    Search search(*image, options);
    // The implementation for SC, which picks its machine by the model's name.
    CHECK_THROWS_AS(algorithm.run_under("sc")(search), NoImplementation);
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
