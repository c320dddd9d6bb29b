// find_fences: see heddle/fences.h.
//
// The problem is a minimum hitting set that is not known at the start. An element is a fence of some kind at
// some place. An execution that violates the goal remains possible with a set of fences, or not; its graph
// with these fences, judged by the model's axioms, says which, and more fences never bring it back. So for an
// execution that is possible with the proposed set there are largest sets with which it still is possible
// (`grow`), and every sufficient set has an element outside of each: a clause. The proposal is always a
// cheapest set that hits all clauses. The checker looks for an execution that violates the goal in the program
// with the proposed fences. If there is none, the proposal is a cheapest sufficient set, since all sufficient
// sets hit the clauses. If there is one, it gives at least one new clause.
//
// Clauses from counterexamples, and a solver that proposes: FenSying (Singh et al., ATVA 2022). A proposal
// that the checker judges, and its counterexamples guide: VSync (Oberhauser et al., ASPLOS 2021). Clauses as
// complements of grown sets: implicit hitting sets (Moreno-Centeno and Karp, Operations Research 2013). Unlike
// FenSying, which collects the cycles of a graph and the fences that break each, nothing here knows what a
// fence does except the axioms.
#include "heddle/fences.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "checker/api/check.hpp"
#include "checker/api/fence_places.hpp"
#include "checker/api/fenced_execution.hpp"
#include "checker/api/hitting_set.hpp"
#include "checker/api/refusal.hpp"
#include "checker/api/sources.hpp"
#include "checker/api/state.hpp"
#include "compiler/sites.hpp"
#include "lang/frontend.hpp"
#include "lang/print.hpp"

namespace heddle {

namespace {

using fenced::FencedExecution;

using TextPlace = fence_places::Place;
using hitting_set::Element;

constexpr FenceType all_kinds[] = {FenceType::full, FenceType::lightweight, FenceType::store_store,
                                   FenceType::instruction};
lang::FenceKind lang_kind(FenceType kind) { return static_cast<lang::FenceKind>(kind); }
FenceType fence_type(lang::FenceKind kind) { return static_cast<FenceType>(kind); }
std::uint8_t bit(FenceType kind) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(kind)); }

// Which kinds of fences mean something under the model.
bool matters(FenceType kind, std::string_view model) {
  if (model == "power") return true;
  if (model == "pso") return kind != FenceType::instruction;
  return model == "tso" && kind == FenceType::full;
}

std::uint32_t cost_of(const FenceCosts& costs, FenceType kind) {
  switch (kind) {
    case FenceType::full: return costs.full;
    case FenceType::lightweight: return costs.lightweight;
    case FenceType::store_store: return costs.store_store;
    case FenceType::instruction: break;
  }
  return costs.instruction;
}

// The program with certain parameters, and the same with markers at all places.
struct Variant {
  Program program;
  Parameters parameters;  // those of an expect line
  struct Marked {
    std::shared_ptr<const compiler::Image> image;
    FencedExecution::PlaceOfSite place_of_site;
  };
  std::optional<Marked> marked[2] = {};  // by whether threads run ahead
};

// One check that the result must pass.
struct Task {
  std::size_t variant = 0;
  std::string model;
  const Expectation* line = nullptr;  // null unless the goal is `expect`
  // The line is about executions that must exist: more fences can only do harm.
  bool existential = false;
};

struct Counterexample {
  std::size_t variant = 0;
  std::string model;
  Violation violation;
  FencedExecution execution;
};

class Finder {
 public:
  Finder(const Program& program, const FenceOptions& options)
      : options_(options), start_(std::chrono::steady_clock::now()) {
    variants_.push_back({program, {}});
  }

  Result<FenceResult> run() {
    if (auto error = unusable(); !error.empty()) return refuse(std::move(error));
    if (auto errors = make_tasks(); !errors.empty()) return errors;
    collect_places();
    make_elements();
    describe_standing();
    try {
      search();
      if (result_.answer == FenceAnswer::found) write_changed();
    } catch (const std::runtime_error& error) {  // the compiler refuses the program
      return refuse(error.what());
    } catch (const std::logic_error& error) {
      return refuse(error.what());
    }
    if (!errors_.empty()) return errors_;
    result_.seconds = seconds();
    return std::move(result_);
  }

 private:
  [[nodiscard]] const Program& program() const { return variants_.front().program; }
  [[nodiscard]] const lang::SourceMap& sources() const { return state_of(program()).sources; }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  [[nodiscard]] std::string unusable() {
    if (program().litmus()) return "a litmus test is no program to put fences into; translate it first";
    const auto& variables = state_of(program()).tree.variables;
    if (std::any_of(variables.begin(), variables.end(), [](const lang::Variable& v) { return v.is_plain; })) {
      return "the program has 'plain' variables, and an execution with a data race is not excluded by a "
             "fence "
             "but ordered by it; look for fences without the word";
    }
    const auto& properties = state_of(program()).tree.properties;
    if (std::any_of(properties.begin(), properties.end(), [](const lang::Property& property) {
          return property.kind == lang::PropertyKind::invariant || is_temporal(property.kind);
        })) {
      return "the program has invariants or temporal claims, which are about the states on the way to the "
             "end; fences are found for what is wrong at the end";
    }
    for (const FenceType kind : all_kinds) {
      if (cost_of(options_.costs, kind) == 0) return "a fence costs at least 1";
    }
    if (options_.models.empty()) return "no model is given";
    for (const std::string& model : options_.models) {
      if (!axioms::model_named(model)) return no_such_model(model);
    }
    if (options_.modules.empty()) files_.insert(0);
    for (const std::string& module : options_.modules) {
      bool found = false;
      for (std::uint32_t file = 1; file < sources().size(); ++file) {
        if (std::filesystem::path(sources().name(file)).stem() != module) continue;
        files_.insert(file);
        found = true;
      }
      if (!found) return fmt::format("the program imports no module '{}'", module);
    }
    return {};
  }

  // The variant with these parameters, as a number; compiles it if it is new.
  Result<std::size_t> variant_with(const Parameters& parameters) {
    Parameters all = program().parameters();
    for (const auto& [name, value] : parameters) all[name] = value;
    for (std::size_t i = 0; i < variants_.size(); ++i) {
      if (variants_[i].program.parameters() == all) return i;
    }
    const auto& state = state_of(program());
    auto made = Program::from_source(state.sources.text(0), program().name(),
                                     {.parameters = std::move(all),
                                      .unroll = state.options.unroll,
                                      .optimise = state.options.optimise,
                                      .unroll_spin_loops = state.unroll_spin_loops});
    if (!made) return made.error();
    variants_.push_back({std::move(*made), parameters});
    return variants_.size() - 1;
  }

  // Lines whose checks have no loop bound.
  static bool about_endless_loops(const Expectation& line) {
    const auto is_endless = [](const std::string& name) {
      return std::any_of(algorithms().begin(), algorithms().end(),
                         [&](const AlgorithmInfo& info) { return info.name == name && info.runs_endless; });
    };
    return line.outcome == ExpectedOutcome::terminates || line.outcome == ExpectedOutcome::livelock ||
           line.outcome == ExpectedOutcome::starves ||
           (!line.algorithms.empty() &&
            std::all_of(line.algorithms.begin(), line.algorithms.end(), is_endless));
  }

  Errors make_tasks() {
    if (options_.goal != FenceGoal::expect) {
      for (const std::string& model : options_.models) tasks_.push_back({0, model});
      return {};
    }
    for (const Expectation& line : program().expectations()) {
      if (line.outcome == ExpectedOutcome::executions || line.outcome == ExpectedOutcome::outcomes) {
        result_.notes.push_back(
            fmt::format("line {} is left out: it counts, and other fences may change the count", line.line));
        continue;
      }
      if (about_endless_loops(line)) {
        result_.notes.push_back(
            fmt::format("line {} is left out: it is about loops that are not cut", line.line));
        continue;
      }
      const Result<std::size_t> variant = variant_with(line.parameters);
      if (!variant) return variant.error();
      const bool universal =
          line.outcome == ExpectedOutcome::safe || line.outcome == ExpectedOutcome::safe_within_bounds ||
          line.outcome == ExpectedOutcome::never || line.outcome == ExpectedOutcome::always;
      for (const std::string& model : options_.models) {
        const bool named = std::any_of(line.models.begin(), line.models.end(),
                                       [&](const std::string& m) { return m == model || m == "all"; });
        if (named) tasks_.push_back({*variant, model, &line, !universal});
      }
    }
    if (tasks_.empty()) return refuse("the program has no expect lines about these models");
    return {};
  }

  void collect_places() {
    std::map<fence_places::Spot, TextPlace> found;
    for (const Variant& variant : variants_) {
      const auto& state = state_of(variant.program);
      for (const TextPlace& place : fence_places::places(state.tree, state.sources, files_)) {
        const auto [known, fresh] = found.emplace(place.spot, place);
        // A guard that is constant with some parameters only is none.
        if (!fresh && !place.guard) known->second.guard.reset();
      }
    }
    for (const auto& [spot, place] : found) places_.push_back(place);
    result_.places = places_.size();
  }

  // A fence of some kind at some place.
  struct Candidate {
    std::uint32_t place = 0;
    FenceType kind = FenceType::full;
  };

  void make_elements() {
    std::vector<FenceType> kinds;
    for (const FenceType kind : all_kinds) {
      const bool used = std::any_of(options_.models.begin(), options_.models.end(),
                                    [&](const std::string& model) { return matters(kind, model); });
      const bool beaten = std::any_of(std::begin(all_kinds), std::end(all_kinds), [&](FenceType other) {
        return other != kind && covers(other, kind) && cost(other) <= cost(kind);
      });
      if (used && !beaten) kinds.push_back(kind);
    }
    for (std::uint32_t place = 0; place < places_.size(); ++place) {
      for (const FenceType kind : kinds) {
        candidates_.push_back({place, kind});
        // Among sets of the same cost, the one with the fewest changes.
        const auto& standing = places_[place].standing;
        const std::uint64_t change = !standing ? 3 : fence_type(*standing) == kind ? 1 : 2;
        problem_.weights.push_back((std::uint64_t{cost(kind)} << change_bits) + change);
      }
    }
  }
  static constexpr unsigned change_bits = 20;
  [[nodiscard]] std::uint32_t cost(FenceType kind) const { return cost_of(options_.costs, kind); }

  [[nodiscard]] Fence describe(const TextPlace& place, FenceType kind) const {
    const auto at = sources().locate(place.spot.file, place.spot.offset);
    Fence fence{.kind = kind,
                .file = sources().name(place.spot.file),
                .line = at.line,
                .column = at.column,
                .before = compiler::fold_text(sources().text(place.range))};
    if (place.standing) fence.standing = fence_type(*place.standing);
    return fence;
  }

  void describe_standing() {
    for (const TextPlace& place : places_) {
      if (!place.standing) continue;
      result_.standing.push_back(describe(place, fence_type(*place.standing)));
      result_.standing_cost += cost(fence_type(*place.standing));
    }
  }

  // The kinds at each place.
  [[nodiscard]] FencedExecution::Kinds kinds_of(const hitting_set::Set& set) const {
    FencedExecution::Kinds kinds(places_.size());
    for (const Element e : set) kinds[candidates_[e].place] |= bit(candidates_[e].kind);
    return kinds;
  }
  [[nodiscard]] fence_places::Fences fences_of(const hitting_set::Set& set) const {
    fence_places::Fences fences;
    for (const Element e : set)
      fences[places_[candidates_[e].place].spot].push_back(lang_kind(candidates_[e].kind));
    return fences;
  }
  [[nodiscard]] std::uint64_t cost_of_set(const hitting_set::Set& set) const {
    std::uint64_t sum = 0;
    for (const Element e : set) sum += cost(candidates_[e].kind);
    return sum;
  }

  // Proposes and checks until there is an answer.
  void search() {
    if (!check_existential_lines()) return;
    for (;;) {
      const auto proposal = hitting_set::cheapest(problem_);
      if (!proposal) return give_up();
      result_.cost = cost_of_set(*proposal);
      if (learn_from_known(*proposal)) continue;
      bool all_pass = true;
      result_.bounds.clear();
      // The task that failed last comes first.
      for (std::size_t i = 0; i < tasks_.size() && all_pass; ++i) {
        const bool known = tasks_[i].existential ? check_existential(tasks_[i], *proposal, all_pass)
                                                 : check_universal(tasks_[i], *proposal, all_pass);
        if (!known) return;
        if (!all_pass)
          std::rotate(tasks_.begin(), tasks_.begin() + static_cast<std::ptrdiff_t>(i),
                      tasks_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
      if (!all_pass) continue;
      result_.answer = FenceAnswer::found;
      result_set_ = *proposal;
      for (const Element e : *proposal)
        result_.fences.push_back(describe(places_[candidates_[e].place], candidates_[e].kind));
      return;
    }
  }

  // Lines about executions that must exist, without any fence: those that fail cannot be met. False if a limit
  // was reached.
  bool check_existential_lines() {
    std::vector<Task> kept;
    for (const Task& task : tasks_) {
      bool met = true;
      if (task.existential && !check_existential(task, {}, met)) return false;
      if (met) {
        kept.push_back(task);
      } else {
        result_.notes.push_back(fmt::format("line {} is left out: it fails under {} without any fence",
                                            task.line->line, task.model));
      }
    }
    problem_.ruled_out.clear();
    tasks_ = std::move(kept);
    return true;
  }

  void give_up() {
    const bool empty = std::any_of(problem_.clauses.begin(), problem_.clauses.end(),
                                   [](const auto& clause) { return clause.empty(); });
    result_.answer = FenceAnswer::impossible;
    if (!empty)
      result_.notes.emplace_back("the fences that the other lines need exclude what these lines expect");
    for (std::size_t i = 0; i < problem_.clauses.size() && !result_.counterexample; ++i) {
      if (!problem_.clauses[i].empty()) continue;
      const Counterexample& from = known_[clause_of_[i]];
      result_.counterexample = from.violation;
      result_.counterexample_model = from.model;
      result_.also_under_sc = from.execution.sequentially_consistent();
    }
  }

  // Adds a clause for each known counterexample that is possible with the proposal. False if there is none.
  bool learn_from_known(const hitting_set::Set& proposal) {
    const auto kinds = kinds_of(proposal);
    bool learnt = false;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (known_[i].execution.possible_with(kinds)) {
        learn(i, kinds);
        learnt = true;
      }
    }
    return learnt;
  }

  // The candidates without which the execution stays possible, and all that `kinds` has, as a largest such
  // set; the clause are the others. Two orders give two clauses.
  void learn(std::size_t number, const FencedExecution::Kinds& kinds) {
    const std::size_t before = problem_.clauses.size();
    for (const bool forwards : {true, false}) {
      hitting_set::Set clause = outside_of_grown(known_[number].execution, kinds, forwards);
      std::sort(clause.begin(), clause.end());
      if (problem_.clauses.size() > before && problem_.clauses.back() == clause) continue;
      add_clause(number, std::move(clause));
    }
  }
  [[nodiscard]] hitting_set::Set outside_of_grown(const FencedExecution& execution,
                                                  FencedExecution::Kinds kinds, bool forwards) const {
    hitting_set::Set outside;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      // The kinds of a place come together, stronger ones first.
      const std::size_t per_place = candidates_.size() / places_.size();
      const std::size_t place = forwards ? i / per_place : places_.size() - 1 - i / per_place;
      const auto e = static_cast<Element>(place * per_place + i % per_place);
      const Candidate& candidate = candidates_[e];
      if (!execution.passes(candidate.place)) continue;
      std::uint8_t& there = kinds[candidate.place];
      const bool covered = std::any_of(std::begin(all_kinds), std::end(all_kinds), [&](FenceType kind) {
        return (there & bit(kind)) != 0 && covers(kind, candidate.kind);
      });
      if (covered) continue;
      there |= bit(candidate.kind);
      if (execution.possible_with(kinds)) continue;
      there &= static_cast<std::uint8_t>(~bit(candidate.kind));
      outside.push_back(e);
    }
    return outside;
  }
  void add_clause(std::size_t number, hitting_set::Set clause) {
    const Counterexample& from = known_[number];
    FenceClause described{.one_of = {},
                          .model = from.model,
                          .parameters = variants_[from.variant].parameters,
                          .reason = from.violation.message};
    for (const Element e : clause)
      described.one_of.push_back(describe(places_[candidates_[e].place], candidates_[e].kind));
    result_.clauses.push_back(std::move(described));
    problem_.clauses.push_back(std::move(clause));
    clause_of_.push_back(number);
  }

  // The tree of the task's program with the fences.
  [[nodiscard]] lang::Program tree_of(const Task& task, const fence_places::Fences& fences) const {
    const auto& state = state_of(variants_[task.variant].program);
    lang::Program tree = fence_places::with_fences(state.tree, state.sources, files_, fences);
    const auto outcome = task.line != nullptr ? task.line->outcome : ExpectedOutcome::safe;
    if (outcome != ExpectedOutcome::never && outcome != ExpectedOutcome::always) return tree;
    // An `exists` that must never or always hold, as a condition whose violation is the counterexample.
    std::vector<lang::Property> kept;
    for (lang::Property& property : tree.properties) {
      if (property.kind == lang::PropertyKind::filter) kept.push_back(property);
      if (property.kind != lang::PropertyKind::exists || exists_seen(kept)) continue;
      property.kind =
          outcome == ExpectedOutcome::never ? lang::PropertyKind::forbid : lang::PropertyKind::forall;
      kept.push_back(property);
    }
    tree.properties = std::move(kept);
    return tree;
  }
  static bool exists_seen(const std::vector<lang::Property>& properties) {
    return std::any_of(properties.begin(), properties.end(),
                       [](const auto& p) { return p.kind != lang::PropertyKind::filter; });
  }
  [[nodiscard]] static std::optional<ViolationKind> only_kind(const Task& task) {
    const auto outcome = task.line != nullptr ? task.line->outcome : ExpectedOutcome::safe;
    if (outcome == ExpectedOutcome::never) return ViolationKind::forbid;
    if (outcome == ExpectedOutcome::always) return ViolationKind::forall;
    return std::nullopt;
  }

  // Nothing if a limit was reached.
  std::optional<CheckResult> look(const Task& task, const Program& program, CheckOptions settings,
                                  std::optional<ViolationKind> only = {}) {
    if (options_.timeout) {
      const double left = *options_.timeout - seconds();
      if (left <= 0) return stop("timeout"), std::nullopt;
      settings.timeout = left;
    }
    settings.model = task.model;
    settings.max_executions = options_.max_executions;
    settings.max_memory = options_.max_memory;
    if (options_.progress) {
      settings.progress = [this](const Progress& progress) {
        return options_.progress(result_.checks, progress);
      };
    }
    auto result = checker::check(program, settings, only);
    if (!result) {
      errors_ = result.error();
      return std::nullopt;
    }
    ++result_.checks;
    result_.executions += result->counts.executions;
    return std::move(*result);
  }
  void stop(std::string reason) {
    result_.answer = FenceAnswer::undecided;
    result_.stopped_by = std::move(reason);
  }

  // False if a limit was reached.
  bool check_universal(const Task& task, const hitting_set::Set& proposal, bool& passes) {
    const Program fenced = with_tree(program_of(task), tree_of(task, fences_of(proposal)));
    CheckOptions settings;
    settings.robust = options_.goal == FenceGoal::robust;
    const auto result = look(task, fenced, settings, only_kind(task));
    if (!result) return false;
    if (result->violation) {
      return learn_first(task, proposal, *result->violation, execution_of(task, result->violation->trace),
                         passes);
    }
    if (!result->stopped_by.empty()) return stop(result->stopped_by), false;
    if (result->counts.executions == 0 && !result->violation)
      return stop(fmt::format("no execution is complete under {}", task.model)), false;
    for (const std::string& bound : result->bounds)
      result_.bounds.push_back(fmt::format("under {} {}", task.model, bound));
    if (task.line != nullptr && task.line->outcome == ExpectedOutcome::safe && !result->bounds.empty())
      return stop(fmt::format("line {} expects safe, and a bound cut something", task.line->line)), false;
    return true;
  }
  bool learn_first(const Task& task, const hitting_set::Set& proposal, Violation violation,
                   FencedExecution execution, bool& passes) {
    passes = false;
    const auto kinds = kinds_of(proposal);
    if (!execution.possible_with(kinds))
      throw std::logic_error(
          fmt::format("internal error: the axioms of {} exclude an execution that the check found: a bug in "
                      "heddle, please report it",
                      task.model));
    known_.push_back({task.variant, task.model, std::move(violation), std::move(execution)});
    learn(known_.size() - 1, kinds);
    return true;
  }

  // A line about executions that must exist. False if a limit was reached.
  bool check_existential(const Task& task, const hitting_set::Set& proposal, bool& passes) {
    const Program fenced = with_tree(program_of(task), tree_of(task, fences_of(proposal)));
    CheckOptions settings;
    settings.keep_going = task.line->outcome == ExpectedOutcome::sometimes;
    const auto result = look(task, fenced, settings);
    if (!result) return false;
    if (mismatch(*task.line, *result).empty()) return true;
    if (!result->stopped_by.empty()) return stop(result->stopped_by), false;
    passes = false;
    problem_.ruled_out.push_back(proposal);
    return true;
  }

  [[nodiscard]] const Program& program_of(const Task& task) const { return variants_[task.variant].program; }

  FencedExecution execution_of(const Task& task, const Trace& trace) {
    const auto& marked = marked_image(variants_[task.variant], task.model == "power");
    return {*marked.image, marked.place_of_site, *axioms::model_named(task.model), trace};
  }
  const Variant::Marked& marked_image(Variant& variant, bool run_ahead) {
    auto& marked = variant.marked[run_ahead ? 1 : 0];
    if (marked) return *marked;
    fence_places::Fences everywhere;
    std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      const auto& spot = places_[i].spot;
      everywhere[spot] = {lang::FenceKind::instruction};
      const auto at = sources().locate(spot.file, spot.offset);
      numbers[{sources().name(spot.file), at.line, at.column}] = i;
    }
    const auto& state = state_of(variant.program);
    const Program program =
        with_tree(variant.program, fence_places::with_fences(state.tree, state.sources, files_, everywhere));
    marked = {.image = state_of(program).image(run_ahead), .place_of_site = {}};
    for (const compiler::Site& site : marked->image->sites) {
      const auto known =
          site.text.empty() ? numbers.find({site.file, site.line, site.column}) : numbers.end();
      marked->place_of_site.push_back(known == numbers.end() ? FencedExecution::no_place : known->second);
    }
    return *marked;
  }

  // The changed files. The program's own one is read again: it must have the fences of the result.
  void write_changed() {
    const fence_places::Fences fences = fences_of(result_set_);
    for (const std::uint32_t file : files_) {
      std::string text = fence_places::edited_text(sources(), file, places_, fences);
      if (text == sources().text(file)) continue;
      if (file == 0) confirm(text);
      result_.changed.push_back({sources().name(file), std::move(text), sources().built_in(file)});
    }
  }
  void confirm(const std::string& text) const {
    std::vector<FenceType> wanted;
    std::vector<FenceType> there;
    for (const auto& [spot, kinds] : fences_of(result_set_)) {
      for (const auto kind : kinds) wanted.push_back(fence_type(kind));
    }
    lang::SourceMap sources;
    lang::Diagnostics diagnostics;
    const auto file = sources.add(program().name(), text);
    auto front_end = front_end_options();
    front_end.spin_await = !state_of(program()).unroll_spin_loops;
    const auto tree = lang::parse_source(sources, file, program().parameters(), diagnostics, front_end);
    if (tree) {
      for (const TextPlace& place : fence_places::places(*tree, sources, {0})) {
        if (place.standing) there.push_back(fence_type(*place.standing));
      }
    }
    if (!tree || there != wanted)
      throw std::logic_error("internal error: the edited text does not have the fences: a bug in heddle");
  }

  const FenceOptions& options_;
  std::chrono::steady_clock::time_point start_;
  std::vector<Variant> variants_;  // the first one has the program's own parameters
  fence_places::Files files_;
  std::vector<Task> tasks_;
  std::vector<TextPlace> places_;
  std::vector<Candidate> candidates_;  // by element
  hitting_set::Problem problem_;
  hitting_set::Set result_set_;
  std::vector<Counterexample> known_;
  std::vector<std::size_t> clause_of_;  // by clause: its counterexample
  FenceResult result_;
  Errors errors_;
};

}  // namespace

Result<FenceResult> find_fences(const Program& program, const FenceOptions& options) {
  return Finder(program, options).run();
}

bool covers(FenceType a, FenceType b) {
  return a == b || a == FenceType::full || (a == FenceType::lightweight && b != FenceType::full);
}

std::string_view name(FenceGoal goal) {
  switch (goal) {
    case FenceGoal::safe: return "safe";
    case FenceGoal::robust: return "robust";
    case FenceGoal::expect: break;
  }
  return "expect";
}

std::string_view name(FenceAnswer answer) {
  switch (answer) {
    case FenceAnswer::found: return "found";
    case FenceAnswer::impossible: return "impossible";
    case FenceAnswer::undecided: break;
  }
  return "undecided";
}

std::string_view name(FenceType kind) { return lang::spelling(lang_kind(kind)); }

}  // namespace heddle
