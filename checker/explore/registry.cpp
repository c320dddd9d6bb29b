#include "checker/explore/registry.hpp"

#include "checker/explore/derived_algorithms.hpp"
#include "checker/explore/derived_machines.hpp"

namespace heddle::checker {

namespace {

constexpr ModelInfo power{.name = power_model,
                          .summary =
                              "POWER: loads and stores of a thread take effect in any order that its "
                              "dependencies and fences leave open",
                          .default_algorithm = "rsmc",
                          .out_of_order = true};

// Interleavings of whole threads cannot show what `power` allows: there an algorithm runs over the derived
// execution model.
template <void (*interleaved)(Search&), void (*derived)(Search&, const GraphObserver&)>
void by_model(Search& search) {
  search.options().model == power.name ? derived(search, {}) : interleaved(search);
}

}  // namespace

const std::vector<Algorithm>& all_algorithms() {
  static const std::vector<Algorithm> list{
      {{"naive", "every interleaving; the oracle for small programs", "", true, true},
       by_model<run_naive, run_naive_derived>},
      {{"dpor", "dynamic partial-order reduction with sleep sets",
        "Flanagan and Godefroid, POPL'05; Zhang, Kusano, Wang, PLDI'15", true, true},
       by_model<run_dpor, run_dpor_derived>},
      {{"source", "source-DPOR: fewer redundant explorations than dpor",
        "Abdulla, Aronis, Jonsson, Sagonas, POPL'14", true, true},
       by_model<run_source, run_source_derived>},
      {{"sdpor", "stateful dpor: ends a path where it meets a known state",
        "Yang, Chen, Gopalakrishnan, Kirby, SPIN'08", true, true},
       by_model<run_sdpor, run_sdpor_derived>},
      {{"rsmc", "derived execution models: commits events in any order, each trace exactly once",
        "Abdulla, Atig, Jonsson, Leonardsson, CAV'16", false, false},
       run_rsmc},
      {{"trust", "execution graphs: each exactly once, in polynomial memory",
        "Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL'22", true, false},
       by_model<run_trust, run_trust_derived>},
      {{"rf", "reads-from classes: the order of writes left open, each class exactly once",
        "Bui, Chatterjee, Gautam, Pavlogiannis, Toman, OOPSLA'21", false, false},
       by_model<run_rf, run_rf_derived>},
  };
  return list;
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
