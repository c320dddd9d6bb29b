#include "checker/explore/registry.hpp"

#include "checker/explore/algorithms.hpp"

namespace heddle::checker {

namespace {

// Every algorithm of the interleaving engine works with every model that has a machine, and all models have
// one.
std::string never(const ModelInfo& /*model*/) { return {}; }

}  // namespace

const std::vector<Algorithm>& all_algorithms() {
  static const std::vector<Algorithm> list{
      {{"naive", "every interleaving; the oracle for small programs", "", true, true}, run_naive, never},
      {{"dpor", "dynamic partial-order reduction with sleep sets",
        "Flanagan and Godefroid, POPL'05; Zhang, Kusano, Wang, PLDI'15", true, true},
       run_dpor,
       never},
      {{"source", "source-DPOR: fewer redundant explorations than dpor",
        "Abdulla, Aronis, Jonsson, Sagonas, POPL'14", true, true},
       run_source,
       never},
      {{"sdpor", "stateful dpor: ends a path where it meets a known state",
        "Yang, Chen, Gopalakrishnan, Kirby, SPIN'08", true, true},
       run_sdpor,
       never},
      {{"trust", "execution graphs: each exactly once, in polynomial memory",
        "Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL'22", true, false},
       run_trust,
       never},
      {{"rf", "reads-from classes: the order of writes left open, each class exactly once",
        "Bui, Chatterjee, Gautam, Pavlogiannis, Toman, OOPSLA'21", false, false},
       run_rf,
       never},
  };
  return list;
}

const std::vector<ModelInfo>& all_models() {
  static const std::vector<ModelInfo> list = [] {
    std::vector<ModelInfo> models;
    OperationalModels::for_each([&]<typename Model>() {
      models.push_back({Model::name, Model::summary, "source", Model::has_buffers});
    });
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
