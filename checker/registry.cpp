#include "checker/registry.hpp"

#include "checker/commits/algorithms.hpp"
#include "checker/commits/axiomatic_models.hpp"
#include "checker/commits/machines.hpp"
#include "checker/interleavings/models.hpp"

namespace heddle::checker {

namespace {

constexpr ModelInfo power{.name = power_model,
                          .summary =
                              "POWER: loads and stores of a thread take effect in any order that its "
                              "dependencies and fences leave open",
                          .default_algorithm = "rsmc",
                          .out_of_order = true};

using Derived = void (*)(Search&, const GraphObserver&);

// `run` under each model of the list, and another one under `power`: interleavings of whole threads cannot
// show what that allows, so there an algorithm runs over the derived execution model.
template <typename Models, Derived derived>
std::vector<Algorithm::Implementation> under(Algorithm::Run run) {
  std::vector<Algorithm::Implementation> list;
  Models::for_each([&]<typename Model>() { list.push_back({Model::name, run}); });
  list.push_back({power.name, [](Search& search) { derived(search, {}); }});
  return list;
}

}  // namespace

const std::vector<Algorithm>& all_algorithms() {
  static const std::vector<Algorithm> list{
      {{"naive", "every interleaving; the oracle for small programs", "", true, true},
       under<OperationalModels, run_naive_derived>(run_naive)},
      {{"dpor", "dynamic partial-order reduction with sleep sets",
        "Flanagan and Godefroid, POPL'05; Zhang, Kusano, Wang, PLDI'15", true, true},
       under<OperationalModels, run_dpor_derived>(run_dpor)},
      {{"source", "source-DPOR: fewer redundant explorations than dpor",
        "Abdulla, Aronis, Jonsson, Sagonas, POPL'14", true, true},
       under<OperationalModels, run_source_derived>(run_source)},
      {{"sdpor", "stateful dpor: ends a path where it meets a known state",
        "Yang, Chen, Gopalakrishnan, Kirby, SPIN'08", true, true},
       under<OperationalModels, run_sdpor_derived>(run_sdpor)},
      {{"rsmc", "derived execution models: commits events in any order, each trace exactly once",
        "Abdulla, Atig, Jonsson, Leonardsson, CAV'16", false, false},
       under<AxiomaticModels, run_rsmc>(run_rsmc)},
      {{"trust", "execution graphs: each exactly once, in polynomial memory",
        "Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL'22", true, false, true},
       under<AxiomaticModels, run_trust_derived>(run_trust)},
      {{"rf", "reads-from classes: the order of writes left open, each class exactly once",
        "Bui, Chatterjee, Gautam, Pavlogiannis, Toman, OOPSLA'21", false, false},
       under<OperationalModels, run_rf_derived>(run_rf)},
  };
  return list;
}

Algorithm::Run Algorithm::run_under(std::string_view model) const {
  for (const auto& implementation : implementations) {
    if (implementation.model == model) return implementation.run;
  }
  return nullptr;
}

const std::vector<ModelInfo>& all_models() {
  static const std::vector<ModelInfo> list = [] {
    std::vector<ModelInfo> models;
    OperationalModels::for_each([&]<typename Model>() {
      models.push_back({Model::name, Model::summary, "source", Model::has_buffers});
    });
    models.push_back(power);
    return models;
  }();
  return list;
}

const Algorithm* find_algorithm(std::string_view name) {
  for (const auto& algorithm : all_algorithms()) {
    if (algorithm.info.name == name) return &algorithm;
  }
  return nullptr;
}

const ModelInfo* find_model(std::string_view name) {
  for (const auto& model : all_models()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

}  // namespace heddle::checker
