#include "checker/explore/registry.hpp"

#include "checker/explore/algorithms.hpp"
#include "checker/explore/derived_machines.hpp"

namespace heddle::checker {

namespace {

// The interleaving engine works with every model that has a machine of store buffers, the graph engine with
// those whose order is made of whole pairs of program order.
std::string interleaved(const ModelInfo& model) {
  if (!model.out_of_order) return {};
  return "interleavings of whole threads cannot show what 'power' allows: its runs commit events out of "
         "order";
}
std::string closed_prefixes(const ModelInfo& model) {
  if (!model.out_of_order) return {};
  return "'trust' keeps the events before a write in program order, but under 'power' a write may come "
         "before "
         "them";
}
std::string has_verifier(const ModelInfo& model) {
  if (!model.out_of_order) return {};
  return "there is no reads-from verifier for 'power'";
}
std::string always(const ModelInfo& /*model*/) { return {}; }

constexpr ModelInfo power{.name = power_model,
                          .summary =
                              "POWER: loads and stores of a thread take effect in any order that its "
                              "dependencies and fences leave open",
                          .default_algorithm = "rsmc",
                          .out_of_order = true};

void run_naive_any(Search& search) {
  search.options().model == power.name ? run_naive_derived(search) : run_naive(search);
}

}  // namespace

const std::vector<Algorithm>& all_algorithms() {
  static const std::vector<Algorithm> list{
      {{"naive", "every interleaving; the oracle for small programs", "", true, true}, run_naive_any, always},
      {{"dpor", "dynamic partial-order reduction with sleep sets",
        "Flanagan and Godefroid, POPL'05; Zhang, Kusano, Wang, PLDI'15", true, true},
       run_dpor,
       interleaved},
      {{"source", "source-DPOR: fewer redundant explorations than dpor",
        "Abdulla, Aronis, Jonsson, Sagonas, POPL'14", true, true},
       run_source,
       interleaved},
      {{"sdpor", "stateful dpor: ends a path where it meets a known state",
        "Yang, Chen, Gopalakrishnan, Kirby, SPIN'08", true, true},
       run_sdpor,
       interleaved},
      {{"rsmc", "derived execution models: commits events in any order, each trace exactly once",
        "Abdulla, Atig, Jonsson, Leonardsson, CAV'16", false, false},
       run_rsmc,
       always},
      {{"trust", "execution graphs: each exactly once, in polynomial memory",
        "Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL'22", true, false},
       run_trust,
       closed_prefixes},
      {{"rf", "reads-from classes: the order of writes left open, each class exactly once",
        "Bui, Chatterjee, Gautam, Pavlogiannis, Toman, OOPSLA'21", false, false},
       run_rf,
       has_verifier},
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
