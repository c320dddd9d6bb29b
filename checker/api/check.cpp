// check(): options -> search -> verdict.
#include "checker/api/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "checker/api/automatic.hpp"
#include "checker/api/checkpoint.hpp"
#include "checker/api/refusal.hpp"
#include "checker/api/state.hpp"
#include "checker/api/trees.hpp"
#include "checker/commits/algorithms.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "checker/registry.hpp"
#include "checker/report/sections.hpp"
#include "checker/report/trace.hpp"
#include "checker/search/data_races.hpp"
#include "checker/search/search.hpp"
#include "compiler/sites.hpp"
#include "heddle/details.h"

namespace heddle {

namespace {

using checker::Search;

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// The names in these sentences are those of the command line, the prompt and CheckOptions alike.
std::vector<std::string> bounds_that_cut(const CheckOptions& options, std::uint32_t unroll,
                                         const CheckResult& result) {
  const Counts& counts = result.counts;
  std::vector<std::string> bounds;
  std::uint64_t by_unroll = 0, by_limit = 0;
  for (const BlockedAt& place : result.blocked) {
    if (place.by == BlockedBy::loop_bound) by_unroll += place.executions;
    if (place.by == BlockedBy::round_limit) by_limit += place.executions;
  }
  if (by_unroll > 0) {
    bounds.push_back(fmt::format("the loop bound {} cut off {}; --unroll {} raises it", unroll,
                                 plural(by_unroll, "execution", "executions"), std::uint64_t{unroll} * 2));
  }
  if (by_limit > 0) {
    bounds.push_back(fmt::format("the limit of rounds cut off {}; no option raises it",
                                 plural(by_limit, "execution", "executions")));
  }
  if (options.preemption_bound && counts.blocked_preemption_bound > 0) {
    bounds.push_back(fmt::format("the preemption bound {} cut off {}; --preemption-bound {} raises it",
                                 *options.preemption_bound,
                                 plural(counts.blocked_preemption_bound, "branch", "branches"),
                                 std::uint64_t{*options.preemption_bound} + 1));
  }
  if (options.preemption_bound && counts.beyond_bound > 0) {
    bounds.push_back(fmt::format("{} beyond the preemption bound {}; --preemption-bound {} raises it",
                                 plural(counts.beyond_bound, "execution is", "executions are"),
                                 *options.preemption_bound, std::uint64_t{*options.preemption_bound} + 1));
  }
  if (options.buffer_bound && counts.buffer_bound_flushes > 0) {
    bounds.push_back(fmt::format(
        "the buffer bound {} made {} wait; --buffer-bound {} raises it", *options.buffer_bound,
        plural(counts.buffer_bound_flushes, "store", "stores"), std::uint64_t{*options.buffer_bound} + 1));
  }
  return bounds;
}

// True if the search has seen an execution from start to end, or `endless` ones count as such.
bool met_complete_execution(const CheckOptions& options, const Counts& counts, bool endless) {
  return endless || counts.executions > 0 || (options.report_beyond_bound && counts.beyond_bound > 0);
}

// Whether the program says something about final states.
bool asks_about_ends(const compiler::Image& image) {
  return image.final_block ||
         std::any_of(image.conditions.begin(), image.conditions.end(),
                     [](const auto& condition) { return condition.kind != compiler::ConditionKind::filter; });
}

// Why the question of robustness cannot be put so; empty: it can.
std::string why_not_robust(const CheckOptions& options, const AlgorithmInfo& algorithm) {
  if (options.model == "sc") return "under 'sc' every program is robust; robustness is about weaker models";
  if (options.robust_states && algorithm.counts == CountedAs::reads_from_class) {
    return fmt::format(
        "the algorithm '{}' cannot compare final states, because it visits only those that conditions look "
        "at",
        algorithm.name);
  }
  if (!options.robust_states && !algorithm.decides_robustness) {
    return fmt::format(
        "the algorithm '{}' cannot decide robustness, because it does not visit every execution graph as "
        "such; 'trust' and 'rsmc' can",
        algorithm.name);
  }
  if (options.preemption_bound) return "robustness under a preemption bound means nothing";
  if (!options.witness_of.empty()) return "robustness is decided without looking for a final state";
  return {};
}

// Why the runs cannot be drawn at random; empty: they can.
std::string why_not_random(const Program& program, const CheckOptions& options, const CheckOptions& requested,
                           const AlgorithmInfo& algorithm) {
  if (!checker::is_automatic(requested))
    return fmt::format("a random search takes the place of the algorithm '{}'", algorithm.name);
  if (options.live || checker::has_temporal_claims(program) || options.robust || options.preemption_bound ||
      !options.witness_of.empty() || options.save || !options.resume.empty() || options.threads > 1)
    return "a random search judges violations and conditions only, with one thread and without a checkpoint";
  if (options.random->runs == 0 || options.random->depth == 0) return "a random search has runs and a depth";
  return {};
}

// The final states of SC, and the limit that ended its exploration, if one did.
struct StatesOfSc {
  checker::Search::FinalStates states;
  std::string stopped_by;
  double seconds = 0;
};
StatesOfSc states_of_sc(const Program& program, CheckOptions options, Blocks blocks) {
  options.model = "sc";
  options.buffer_bound.reset();
  options.coverage = false;
  options.save = {};
  options.resume.clear();
  options.keep_going = options.collect_outcomes = true;
  const bool endless = checker::find_algorithm(options.algorithm)->runs_endless;
  const auto image = state_of(program).image(false, endless ? Loops::endless : Loops::bounded, blocks);
  Search search(*image, options);
  search.look_only_for(ViolationKind::not_robust);
  try {
    checker::find_cell(options.model, options.algorithm)->run(search);
  } catch (const std::bad_alloc&) {
    search.stop(std::string(checker::out_of_memory));
  }
  return {search.final_states(), search.stopped_by(), search.seconds()};
}

// The positions of the values in a final state.
Result<std::vector<checker::StateValue>> find_state(
    const compiler::Image& image, const std::vector<std::pair<std::string, std::int64_t>>& values) {
  std::vector<checker::StateValue> result;
  if (values.empty()) return result;
  const auto names = checker::state_names(image);
  for (const auto& [name, value] : values) {
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end() || name.empty())
      return refuse(fmt::format("final states have no variable '{}'", name));
    result.push_back({static_cast<std::size_t>(place - names.begin()), value});
  }
  return result;
}

// "'naive', 'dpor'": those of the model for which `works(cell)`.
template <typename Works>
std::string list_algorithms(std::string_view model, Works&& works) {
  std::string list;
  for (const checker::Cell& cell : checker::all_cells()) {
    if (cell.model == model && works(cell))
      list += (list.empty() ? "'" : ", '") + std::string(cell.algorithm) + "'";
  }
  return list;
}

// Why the pair cannot run the program's atomic blocks; empty if it can, or if there are none.
std::string why_no_blocks(const Program& program, std::string_view model, std::string_view algorithm) {
  if (checker::blocks_of(program, model, algorithm) == Blocks::steps) return {};
  std::string reason = checker::why_no_sections(program);
  if (reason.empty()) return {};
  const std::string others =
      list_algorithms(model, [](const checker::Cell& cell) { return cell.runs_blocks; });
  if (!others.empty()) reason += "; under the model '" + std::string(model) + "', " + others + " do without";
  return reason;
}

}  // namespace

std::string_view checker::explored_model(const Program& program, std::string_view model) {
  return runs_ahead(model) && trees::block_accesses(state_of(program).tree).only_in_blocks ? "sc" : model;
}

Blocks checker::blocks_of(const Program& program, std::string_view model, std::string_view algorithm) {
  if (find_cell(model, algorithm)->runs_blocks || !has_atomic_blocks(program)) return Blocks::steps;
  return Blocks::sections;
}

std::string checker::why_no_sections(const Program& program) {
  const ProgramAccess::State& state = state_of(program);
  constexpr std::string_view text =
      "the program has 'atomic' blocks, which would be critical sections of one mutex here, and {}";
  if (!has_atomic_blocks(program)) return {};
  if (const auto outside = trees::block_accesses(state.tree).shared) {
    const lang::SourceRange& range = outside->range;
    const auto [line, column] = state.sources.locate(range.file, range.begin);
    return fmt::format(text, fmt::format("'{}' accesses '{}' outside, which a block accesses, too ({}:{}:{})",
                                         compiler::fold_text(state.sources.text(range)),
                                         state.tree.variables[outside->variable].name,
                                         state.sources.name(range.file), line, column));
  }
  if (std::ranges::any_of(state.tree.templates, &lang::ThreadTemplate::is_daemon))
    return fmt::format(text, "daemons that wait for one would do so in orders that differ in nothing else");
  return {};
}

Loops checker::loops_of(const CheckOptions& options, const AlgorithmInfo& algorithm) {
  if (algorithm.runs_endless) {
    // (Final states show locals that nothing reads again.)
    const bool shows_states =
        options.collect_outcomes || options.robust_states || !options.witness_of.empty();
    return shows_states ? Loops::endless : Loops::merging;
  }
  const bool as_written = options.preemption_bound || options.robust || options.random || options.live;
  return as_written ? Loops::bounded : Loops::retrying;
}

const std::vector<ModelInfo>& models() { return checker::all_models(); }

const std::vector<AlgorithmInfo>& algorithms() { return checker::all_algorithms(); }

std::string why_not(std::string_view model_name, std::string_view algorithm_name) {
  const ModelInfo* const model = checker::find_model(model_name);
  if (model == nullptr) return no_such_model(model_name);
  if (algorithm_name == checker::automatic) algorithm_name = model->default_algorithm;
  if (checker::find_algorithm(algorithm_name) == nullptr) return no_such_algorithm(algorithm_name);
  return checker::find_cell(model_name, algorithm_name)->why_not;
}

namespace {

// The graph of all states has the threads of a state in a word.
constexpr std::size_t most_fair_threads = 64;
std::string why_no_fair_runs(const Program& program) {
  const std::size_t threads = state_of(program).tree.threads.size();
  if (threads <= most_fair_threads) return {};
  return fmt::format(
      "runs that never end can be judged in programs of at most {} threads, and this one has {}",
      most_fair_threads, threads);
}

// Why runs that never end cannot be judged.
std::string why_no_claims(const Program& program, const ModelInfo& model, std::string_view algorithm) {
  if (!checker::has_temporal_claims(program)) return {};
  if (std::string reason = why_no_fair_runs(program); !reason.empty()) return reason;
  constexpr std::string_view claims = "the program has temporal claims ('eventually', 'leads to'), and";
  if (model.out_of_order)
    return fmt::format("{} under the model '{}' threads and memory have no common state", claims, model.name);
  if (!checker::find_algorithm(algorithm)->decides_liveness) {
    return fmt::format("{} the algorithm '{}' does not keep the graph of all states; 'states' does", claims,
                       algorithm);
  }
  return {};
}

}  // namespace

std::string why_not(const Program& program, std::string_view model, std::string_view algorithm) {
  if (std::string reason = why_not(model, algorithm); !reason.empty()) return reason;
  model = checker::explored_model(program, model);
  if (algorithm == checker::automatic) algorithm = default_algorithm(program, {.model = std::string(model)});
  if (std::string reason = why_no_claims(program, *checker::find_model(model), algorithm); !reason.empty())
    return reason;
  if (std::string reason = why_no_blocks(program, model, algorithm); !reason.empty()) return reason;
  const auto invariants = checker::invariants_of(program);
  const bool names_locals = invariants == checker::InvariantsOf::locals;
  const auto judges = [&](const checker::Cell& cell) {
    return names_locals ? cell.sees_locals : cell.judges_invariants;
  };
  if (invariants == checker::InvariantsOf::nothing || judges(*checker::find_cell(model, algorithm)))
    return {};
  const std::string others = list_algorithms(model, judges);
  if (others.empty()) {
    return fmt::format(
        "the program has invariants, and under the model '{}' threads and memory have no common state",
        model);
  }
  return fmt::format(
      "the program has invariants{}, and the algorithm '{}' explores '{}' without the states between the "
      "steps; "
      "they can be judged by {}",
      names_locals ? " that name locals" : "", algorithm, model, others);
}

namespace {

// Empty if `can` holds for the pair's cell. `refusal` is a format for the algorithm, the model and those that can.
template <typename Can>
std::string why_none(std::string_view model_name, std::string_view algorithm_name, Can&& can,
                     fmt::format_string<std::string_view&, std::string_view&, const std::string&> refusal) {
  if (std::string reason = why_not(model_name, algorithm_name); !reason.empty()) return reason;
  if (algorithm_name == checker::automatic)
    algorithm_name = checker::find_model(model_name)->default_algorithm;
  if (can(*checker::find_cell(model_name, algorithm_name))) return {};
  const std::string others = list_algorithms(model_name, can);
  return fmt::format(refusal, algorithm_name, model_name, others);
}

}  // namespace

std::string why_one_thread(std::string_view model, std::string_view algorithm) {
  return why_none(
      model, algorithm, [](const checker::Cell& cell) { return cell.divisible || cell.shares_states; },
      "the algorithm '{}' explores the model '{}' with one thread, because what it finds in one part of the "
      "search changes others; several can be used by {}");
}

std::string why_not_divided(std::string_view model, std::string_view algorithm) {
  return why_none(
      model, algorithm, [](const checker::Cell& cell) { return cell.divisible; },
      "the algorithm '{}' does not divide the search of the model '{}' into parts, because what it "
      "finds in one changes others; it can be divided by {}");
}

std::string why_no_preemption_bound(std::string_view model, std::string_view algorithm) {
  if (std::string reason = why_not(model, algorithm); !reason.empty()) return reason;
  const std::string_view why = checker::find_cell(model, algorithm)->why_no_preemption_bound;
  if (why.empty()) return {};
  return fmt::format("the algorithm '{}' cannot bound preemptions under the model '{}': {}", algorithm, model,
                     why);
}

namespace {

// Calls `check(options)` with the model whose executions are explored, which is another one; nothing: it is the same.
template <typename Check>
std::optional<Result<CheckResult>> check_as_other(const Program& program, const CheckOptions& options,
                                                  Check&& check) {
  const std::string_view model = checker::explored_model(program, options.model);
  if (model == options.model) return std::nullopt;
  if (!checker::is_automatic(options) && !why_not(options.model, options.algorithm).empty())
    return std::nullopt;
  CheckOptions as_other = options;
  as_other.model = model;
  Result<CheckResult> result = check(as_other);
  if (result) {
    result->explored_as = model;
    result->model = options.model;
  }
  return result;
}

}  // namespace

Result<CheckResult> check(const Program& program, const CheckOptions& options) {
  if (auto result =
          check_as_other(program, options, [&](const auto& other) { return check(program, other); }))
    return *std::move(result);
  if (checker::is_automatic(options)) return checker::check_automatically(program, options);
  return checker::check(program, options, {});
}

Result<CheckResult> checker::check(const Program& program, const CheckOptions& requested,
                                   std::optional<ViolationKind> only,
                                   const std::function<bool(const Cell&, Search&)>& explore) {
  if (auto result = check_as_other(program, requested, [&](const auto& other) {
        return checker::check(program, other, only, explore);
      }))
    return *std::move(result);
  CheckOptions options = requested;
  const auto* const model = checker::find_model(options.model);
  if (is_automatic(options)) options.algorithm = default_algorithm(program, options);
  if (auto reason = why_not(options.model, options.algorithm); !reason.empty())
    return refuse(std::move(reason));
  const auto& algorithm = *checker::find_algorithm(options.algorithm);
  if (!options.robust) {
    if (auto reason = why_not(program, options.model, options.algorithm); !reason.empty())
      return refuse(std::move(reason));
  }
  if (options.random) {
    if (auto reason = why_not_random(program, options, requested, algorithm); !reason.empty())
      return refuse(std::move(reason));
  }
  if (options.live && algorithm.decides_liveness) {
    if (auto reason = why_no_fair_runs(program); !reason.empty()) return refuse(std::move(reason));
  }
  if (options.live && (options.robust || options.preemption_bound)) {
    return refuse(
        "liveness is about all fair runs: with a preemption bound there are few of them, and robustness "
        "judges none");
  }
  if (options.robust_states && !options.robust)
    return refuse("robust_states is a form of the question `robust`");
  if (options.robust) {
    if (has_atomic_blocks(program) && !options.robust_states) {
      return refuse(
          "robustness is a question about executions of single operations, and the program has 'atomic' "
          "blocks; "
          "--states compares final states");
    }
    if (auto reason = why_not_robust(options, algorithm); !reason.empty()) return refuse(std::move(reason));
    if (auto reason = why_no_blocks(program, options.model, options.algorithm); !reason.empty())
      return refuse(std::move(reason));
  }
  if (options.buffer_bound && !model->has_buffers) {
    return refuse(fmt::format("the model '{}' has no store buffers to bound", model->name));
  }
  if (options.report_beyond_bound && (!options.preemption_bound || !algorithm.reports_beyond_bound)) {
    return refuse(
        "only 'trust' with a preemption bound meets executions beyond a bound that it could report");
  }
  if (options.preemption_bound) {
    if (auto reason = why_no_preemption_bound(options.model, options.algorithm); !reason.empty())
      return refuse(std::move(reason));
  }

  if (options.random) options.threads = 1;
  if (const auto reason = why_one_thread(options.model, options.algorithm); !reason.empty()) {
    if (options.threads > 1) return refuse(reason);
    options.threads = 1;
  }
  if (options.save || !options.resume.empty()) {
    if (const auto reason = why_not_divided(options.model, options.algorithm); !reason.empty())
      return refuse(fmt::format("a search can be saved and continued only if it can be divided: {}", reason));
  }
  if (options.coverage && (options.save || !options.resume.empty()))
    return refuse("a search that counts coverage cannot be saved and continued");
  const Loops loops = checker::loops_of(options, algorithm);
  const Blocks blocks = blocks_of(program, model->name, algorithm.name);
  std::shared_ptr<const compiler::Image> image;
  std::shared_ptr<const compiler::Image> shown;
  std::vector<compiler::CoveragePoint> points;
  try {
    if (options.coverage) {
      auto instrumented = state_of(program).instrumented(model->out_of_order, loops, blocks);
      image = std::move(instrumented.image);
      points = std::move(instrumented.points);
    } else {
      image = state_of(program).image(model->out_of_order, loops, blocks);
    }
  } catch (const std::runtime_error& error) {
    return refuse(error.what());
  }
  if (options.preemption_bound && !options.robust && checker::has_plain_locations(*image)) {
    return refuse(
        "data races are not looked for under a preemption bound, and the program has 'plain' variables");
  }
  if (options.preemption_bound && has_atomic_blocks(program)) {
    return refuse(
        "preemptions are not counted in programs with 'atomic' blocks: a thread cannot be interrupted in "
        "one");
  }
  if (options.preemption_bound && !image->invariants.empty()) {
    return refuse(
        "invariants are not judged under a preemption bound: a state in the middle of a run has no number of "
        "preemptions");
  }
  const bool has_daemons = std::any_of(image->threads.begin(), image->threads.end(),
                                       [](const compiler::ThreadImage& thread) { return thread.is_daemon; });
  if (options.preemption_bound && has_daemons) {
    return refuse(
        "preemptions are not counted in programs with daemons, because they depend on when a daemon looks "
        "that "
        "has nothing to do");
  }
  const auto wanted_state = find_state(*image, options.witness_of);
  if (!wanted_state) return wanted_state.error();
  if (!wanted_state->empty()) options.collect_outcomes = true;
  StatesOfSc of_sc;
  if (options.robust_states) {
    of_sc = states_of_sc(program, options, image->block_mutex ? Blocks::sections : Blocks::steps);
    if (options.timeout) options.timeout = std::max(0.0, *options.timeout - of_sc.seconds);
  }
  // With threads that run ahead, coverage counts at the ends of runs only.
  if (options.coverage && model->out_of_order) image->coverage->weight = 0;
  Search search(*image, options);
  if (only) search.look_only_for(*only);
  if (options.robust) search.look_only_for(ViolationKind::not_robust);
  search.look_for_state(*wanted_state);
  if (options.robust_states) search.look_for_state_beyond(of_sc.states);
  if (!of_sc.stopped_by.empty()) search.stop("sc: " + of_sc.stopped_by);
  if (options.save) {
    search.save_with([&](const checker::Sections& sections) {
      options.save(checker::write_checkpoint(program, options, sections));
    });
  }
  if (!options.resume.empty()) {
    auto sections = checker::read_checkpoint(options.resume, program, options, *image);
    if (!sections) return sections.error();
    search.resume(std::move(*sections));
  }
  CheckResult result;
  try {
    try {
      const Cell& cell = *checker::find_cell(model->name, algorithm.name);
      if (explore != nullptr) {
        if (!explore(cell, search)) return result;
      } else if (options.random) {
        model->out_of_order ? checker::commits::run_random(search) : checker::run_random(search);
      } else {
        cell.run(search);
      }
      // A run without an end that goes round no loop waits for ever, and the end of an execution shows that.
      const bool judges_waits_only = options.live && !algorithm.decides_liveness;
      if (judges_waits_only && search.counts.blocked_loop_bound > 0 && !search.stopped())
        search.stop("a loop that was cut off");
    } catch (const std::bad_alloc&) {
      // The search has released its memory.
      search.stop(std::string(checker::out_of_memory));
    }
    if (options.coverage) result.coverage = checker::describe_coverage(search, points);
    std::optional<Search> of_steps;
    const bool by_sections = image->block_mutex && !model->out_of_order;
    if ((loops == Loops::merging || by_sections) &&
        !(search.violations().empty() && search.witnesses().empty())) {
      try {
        shown = state_of(program).image(false, by_sections ? loops : Loops::endless);
      } catch (const std::runtime_error& error) {
        return refuse(error.what());
      }
      if (by_sections) {
        of_steps.emplace(*shown, options);
      } else {
        search.show_by(*shown);
      }
    }
    if (image->waiting_loops > 0) result.waiting_loops = state_of(program).waiting_loops(model->out_of_order);
    const auto describe = [&](auto found) {
      if (of_steps) found.schedule = checker::run_of_steps(search, found.schedule);
      auto described = checker::describe(of_steps ? *of_steps : search, found);
      described.trace.waits_at_loops = !result.waiting_loops.empty();
      return described;
    };
    for (const auto& found : search.violations()) result.violations.push_back(describe(found));
    auto witnesses = search.witnesses();
    std::sort(witnesses.begin(), witnesses.end(),
              [](const auto& a, const auto& b) { return a.condition < b.condition; });
    for (const auto& found : witnesses) result.witnesses.push_back(describe(found));
  } catch (const std::logic_error& error) {
    return refuse(error.what());
  } catch (const checker::NoSuchPart& error) {
    return refuse(fmt::format("the checkpoint cannot be used: {}", error.what()));
  }
  result.model = options.model;
  result.algorithm = options.random ? "random" : options.algorithm;
  result.random = options.random;
  result.least_probability = search.least_probability;
  result.counts = search.counts;
  result.blocked = checker::describe_blocked(search);
  result.bounds = bounds_that_cut(options, state_of(program).options.unroll, result);
  result.stopped_by = search.stopped_by();
  result.grows = search.grows;
  result.endless = search.endless;
  result.finished = !search.stopped();
  result.threads = search.threads();
  result.conditions = checker::describe_conditions(search);
  if (requested.collect_outcomes) result.outcomes = checker::describe_outcomes(search);
  if (const auto& test = state_of(program).tree.litmus; test && !test->addresses.empty()) {
    for (Outcome& outcome : result.outcomes) {
      for (NamedValue& value : outcome.values) {
        const auto address = test->addresses.find(value.value);
        if (address != test->addresses.end()) value.symbol = address->second;
      }
    }
  }
  if (!result.violations.empty()) result.violation = result.violations.front();
  if (result.violation) {
    result.verdict = Verdict::violation;
  } else if (!result.stopped_by.empty()) {
    result.verdict = Verdict::undecided;
  } else if (!met_complete_execution(options, result.counts, search.endless && !asks_about_ends(*image))) {
    result.verdict = Verdict::vacuous;
  } else if (!result.bounds.empty()) {
    result.verdict = Verdict::safe_within_bounds;
  }
  if (options.robust && (result.violation || result.stopped_by.empty())) result.robust = !result.violation;
  result.robust_states = options.robust_states;
  result.seconds = search.seconds() + of_sc.seconds;
  return result;
}

}  // namespace heddle
