#include "checker/registry.hpp"

#include <algorithm>
#include <concepts>
#include <stdexcept>
#include <string>
#include <utility>

#include "checker/commits/algorithms.hpp"
#include "checker/commits/axiomatic_models.hpp"
#include "checker/commits/machines.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/models.hpp"
#include "checker/verifier/instance.hpp"

namespace heddle::checker {

namespace {

using Run = void (*)(Search&);
using Sampler = decltype(Cell::sample);

// A function that runs an algorithm, and the models for which it has a machine.
struct Form {
  std::vector<std::string_view> models;
  Run run = nullptr;
  bool divisible = false;
  bool shares_states = false;
  bool judges_invariants = false;
  bool sees_locals = false;
  bool runs_blocks = false;
  bool bounds_preemptions = false;
  Sampler sample = nullptr;
};
// Of an algorithm whose subtrees share nothing.
Form in_parts(Form form, Sampler sample) {
  form.divisible = true;
  form.sample = sample;
  return form;
}

// Of an algorithm that looks at every state, or at one for all that are equal as far as invariants see.
Form of_states(Form form) {
  form.judges_invariants = form.sees_locals = form.runs_blocks = true;
  return form;
}

// Of an algorithm whose threads explore one table of states.
Form by_crews(Form form) {
  form.shares_states = true;
  return form;
}

// Of an algorithm that ends runs with a graph of which it judges every cut.
Form of_cuts(Form form) {
  form.judges_invariants = true;
  return form;
}

Form bounding_preemptions(Form form) {
  form.bounds_preemptions = true;
  return form;
}

template <typename Models>
Form form_over(Run run) {
  Form form{.models = {}, .run = run};
  Models::for_each([&]<typename Model>() { form.models.push_back(Model::name); });
  return form;
}
Form over_interleavings(Run run) { return form_over<OperationalModels>(run); }
// The models of interleavings whose histories the verifier can judge.
Form over_verified_interleavings(Run run) {
  Form form = over_interleavings(run);
  std::erase_if(form.models, [](std::string_view model) { return !consistency::find_model(model); });
  return form;
}
Form over_graphs(Run run) { return form_over<AxiomaticModels>(run); }
template <void (*run)(Search&, const GraphObserver&)>
Form over_power() {
  return {.models = {power_model}, .run = [](Search& search) { run(search, {}); }};
}

constexpr std::string_view finds_races_beyond_bound =
    "it may find a race only in a run that is beyond the bound";

struct AlgorithmRow {
  AlgorithmInfo info;
  std::vector<Form> forms;                        // the first one that has a machine for the model runs
  std::string_view why_no_preemption_bound = {};  // of the forms that take none; half a sentence
};

// One row for each algorithm, in the order of the documentation.
const std::vector<AlgorithmRow>& rows() {
  static const std::vector<AlgorithmRow> list{
      {{.name = "naive",
        .summary = "every interleaving; the oracle for small programs",
        .paper = "",
        .counts = CountedAs::interleaving},
       {bounding_preemptions(in_parts(of_states(over_interleavings(run_naive)), sample_naive)),
        bounding_preemptions(over_power<commits::run_naive>())}},
      {{.name = "dpor",
        .summary = "dynamic partial-order reduction with sleep sets",
        .paper = "Flanagan and Godefroid, POPL'05; Zhang, Kusano, Wang, PLDI'15"},
       {bounding_preemptions(of_states(over_interleavings(run_dpor))), over_power<commits::run_dpor>()},
       finds_races_beyond_bound},
      {{.name = "source",
        .summary = "source-DPOR: fewer redundant explorations than dpor",
        .paper = "Abdulla, Aronis, Jonsson, Sagonas, POPL'14"},
       {bounding_preemptions(of_states(over_interleavings(run_source))), over_power<commits::run_source>()},
       finds_races_beyond_bound},
      {{.name = "sdpor",
        .summary = "stateful dpor: ends a path where it meets a known state",
        .paper = "Yang, Chen, Gopalakrishnan, Kirby, SPIN'08",
        .counts = CountedAs::path},
       {bounding_preemptions(of_states(over_interleavings(run_sdpor))), over_power<commits::run_sdpor>()},
       finds_races_beyond_bound},
      {{.name = "states",
        .summary = "every state once, with endless loops; decides liveness",
        .paper = "",
        .decides_liveness = true,
        .runs_endless = true,
        .counts = CountedAs::path},
       {by_crews(of_states(over_interleavings(run_states)))},
       "paths that lead to one state differ in their preemptions"},
      {{.name = "rsmc",
        .summary = "commit machines: events in any order that the axioms allow, each trace once",
        .paper = "Abdulla, Atig, Jonsson, Leonardsson, CAV'16",
        .decides_robustness = true},
       {of_cuts(over_graphs(run_rsmc)), over_power<run_rsmc>()},
       finds_races_beyond_bound},
      {{.name = "trust",
        .summary = "execution graphs: each exactly once, in polynomial memory",
        .paper = "Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL'22",
        .reports_beyond_bound = true,
        .decides_robustness = true},
       {bounding_preemptions(in_parts(of_cuts(over_graphs(run_trust)), sample_trust)),
        bounding_preemptions(in_parts(over_power<run_trust_recommitting>(), sample_trust_recommitting))}},
      {{.name = "rf",
        .summary = "reads-from classes: the order of writes left open, each class exactly once",
        .paper = "Bui, Chatterjee, Gautam, Pavlogiannis, Toman, OOPSLA'21",
        .counts = CountedAs::reads_from_class},
       {over_verified_interleavings(run_rf), over_power<commits::run_rf>()},
       "the runs of a class differ in their preemptions"},
  };
  return list;
}

template <typename List>
auto find_named(const List& list, std::string_view name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.name == name; });
  return found == list.end() ? nullptr : &*found;
}

bool works(const AlgorithmRow& row, std::string_view model) {
  return std::any_of(row.forms.begin(), row.forms.end(), [&](const Form& form) {
    return std::find(form.models.begin(), form.models.end(), model) != form.models.end();
  });
}

std::string refusal(const AlgorithmRow& row, std::string_view model) {
  std::string others;
  for (const AlgorithmRow& other : rows()) {
    if (works(other, model)) others += (others.empty() ? "" : ", ") + std::string(other.info.name);
  }
  return "the algorithm '" + std::string(row.info.name) + "' does not work with the model '" +
         std::string(model) + "'; these do: " + others;
}

// Models that have only axioms must do so.
template <typename Axioms>
concept DescribesItself = requires {
  { Axioms::summary } -> std::convertible_to<std::string_view>;
};

}  // namespace

const std::vector<ModelInfo>& all_models() {
  static const std::vector<ModelInfo> list = [] {
    std::vector<ModelInfo> models;
    OperationalModels::for_each([&]<typename Model>() {
      models.push_back({.name = Model::name, .summary = Model::summary, .has_buffers = Model::has_buffers});
    });
    AxiomaticModels::for_each([&]<typename Axioms>() {
      if (find_named(models, Axioms::name) != nullptr) return;
      if constexpr (DescribesItself<Axioms>) {
        models.push_back({.name = Axioms::name, .summary = Axioms::summary});
      } else {
        throw std::logic_error("internal error: the model '" + std::string(Axioms::name) +
                               "' has neither an operational form nor a summary");
      }
    });
    models.push_back(
        {.name = power_model,
         .summary = "POWER: loads and stores of a thread take effect in any order that its dependencies "
                    "and fences leave open",
         .out_of_order = true});
    return models;
  }();
  return list;
}

const std::vector<AlgorithmInfo>& all_algorithms() {
  static const std::vector<AlgorithmInfo> list = [] {
    std::vector<AlgorithmInfo> infos;
    for (const AlgorithmRow& row : rows()) {
      AlgorithmInfo& info = infos.emplace_back(row.info);
      info.bounds_preemptions = std::any_of(row.forms.begin(), row.forms.end(),
                                            [](const Form& form) { return form.bounds_preemptions; });
    }
    return infos;
  }();
  return list;
}

const std::vector<Cell>& all_cells() {
  static const std::vector<Cell> list = [] {
    std::vector<Cell> cells;
    for (const ModelInfo& model : all_models()) {
      for (const AlgorithmRow& row : rows()) {
        Cell& cell = cells.emplace_back(Cell{.model = model.name, .algorithm = row.info.name});
        for (const Form& form : row.forms) {
          const bool has = std::find(form.models.begin(), form.models.end(), model.name) != form.models.end();
          if (!has || cell.run != nullptr) continue;
          cell.run = form.run;
          cell.divisible = form.divisible;
          cell.shares_states = form.shares_states;
          cell.judges_invariants = form.judges_invariants;
          cell.sees_locals = form.sees_locals;
          cell.runs_blocks = form.runs_blocks;
          if (!form.bounds_preemptions) cell.why_no_preemption_bound = row.why_no_preemption_bound;
          cell.sample = form.sample;
        }
        if (cell.run == nullptr) cell.why_not = refusal(row, model.name);
      }
    }
    return cells;
  }();
  return list;
}

const Cell* find_cell(std::string_view model, std::string_view algorithm) {
  const auto& cells = all_cells();
  const auto found = std::find_if(cells.begin(), cells.end(), [&](const Cell& cell) {
    return cell.model == model && cell.algorithm == algorithm;
  });
  return found == cells.end() ? nullptr : &*found;
}

const ModelInfo* find_model(std::string_view name) { return find_named(all_models(), name); }
const AlgorithmInfo* find_algorithm(std::string_view name) { return find_named(all_algorithms(), name); }

bool runs_ahead(std::string_view model) {
  const ModelInfo* const info = find_model(model);
  return info != nullptr && info->out_of_order;
}

}  // namespace heddle::checker
