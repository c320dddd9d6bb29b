#include "checker/api/automatic.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "checker/api/check.hpp"
#include "checker/api/state.hpp"
#include "checker/api/trees.hpp"
#include "checker/commits/event_name.hpp"
#include "checker/registry.hpp"
#include "heddle/details.h"

namespace heddle {

namespace {

constexpr std::string_view graphs = "trust";
constexpr std::string_view merging = "sdpor";
constexpr std::string_view interleavings = "source";
constexpr std::string_view uncut = "states";

constexpr std::uint64_t growth = 4;
// Of the transitions of `graphs`, which are up to ten times as fast as `merging` and up to four times as `uncut`.
constexpr std::uint64_t share = 32;
// The same under models whose threads run ahead, where `graphs` is up to four times as fast.
constexpr std::uint64_t share_ahead = 8;
constexpr std::uint64_t share_of_uncut = 8;
constexpr std::uint64_t most_memory = std::uint64_t{1} << 30;  // of `merging` and `uncut`, bytes
constexpr std::uint64_t least_uncut = 1'000'000;               // transitions, some 0.3 s
// The part of its turn that `graphs` has if no execution is complete by then and loops have been cut.
constexpr std::uint64_t vain_share = 16;

bool names_local(const lang::Expression& expression) {
  return expression.kind == lang::ExpressionKind::thread_local_ ||
         std::any_of(expression.operands.begin(), expression.operands.end(), names_local);
}

// One search that ends after a number of transitions, as far as the options' own limits let it.
class Turn {
 public:
  Turn(const CheckOptions& whole, std::string_view algorithm, double seconds_before)
      : options_(whole), whole_(whole), seconds_before_(seconds_before) {
    options_.algorithm = algorithm;
    if (options_.timeout) options_.timeout = std::max(0.0, *options_.timeout - seconds_before);
    options_.progress = [this](const Progress& progress) { return may_continue(progress); };
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  CheckOptions& options() { return options_; }
  // For algorithms that keep all states, in one thread.
  void keep_states() {
    use_one_thread();
    options_.max_memory = std::min(options_.max_memory.value_or(most_memory), most_memory);
  }
  void use_one_thread() {
    options_.threads = 1;
    options_.threads_now = {};
  }
  Result<CheckResult> run(const Program& program, std::uint64_t most) {
    most_ = most;
    return checker::check(program, options_, {});
  }
  // Its turn is over as well if no execution is complete after this many transitions.
  void end_if_vain(std::uint64_t most) { most_in_vain_ = most; }
  // Whether it ended because its turn was over.
  [[nodiscard]] bool over() const { return over_; }
  // `result`: what it ended with.
  [[nodiscard]] GivenUp given_up(const CheckResult& result) const {
    GivenUp all{.algorithm = result.algorithm,
                .transitions = result.counts.transitions,
                .states = result.counts.states,
                .seconds = result.seconds};
    // (The marks are at powers of two, so what comes after the last but one is half of the turn or more.)
    if (half_.states > 0 && all.transitions > half_.transitions)
      all.new_states = static_cast<double>(all.states - half_.states) /
                       static_cast<double>(all.transitions - half_.transitions);
    return all;
  }

 private:
  bool may_continue(Progress progress) {
    if (progress.transitions >= 2 * mark_.transitions) half_ = std::exchange(mark_, progress);
    progress.seconds += seconds_before_;
    if (whole_.progress && !whole_.progress(progress)) return false;
    over_ = progress.transitions + progress.cuts > most_;  // a cut takes as long
    if (progress.executions == 0 && progress.transitions > most_in_vain_) over_ = true;
    return !over_;
  }

  CheckOptions options_;
  const CheckOptions& whole_;
  double seconds_before_;
  std::uint64_t most_ = 0;
  Progress mark_;  // when the transitions had last doubled
  Progress half_;  // at the mark before
  std::uint64_t most_in_vain_ = std::numeric_limits<std::uint64_t>::max();
  bool over_ = false;
};

}  // namespace

namespace checker {

InvariantsOf invariants_of(const Program& program) {
  InvariantsOf result = InvariantsOf::nothing;
  for (const auto& property : state_of(program).tree.properties) {
    if (property.kind != lang::PropertyKind::invariant) continue;
    if (names_local(property.condition)) return InvariantsOf::locals;
    result = InvariantsOf::shared;
  }
  return result;
}

bool has_temporal_claims(const Program& program) {
  const auto& properties = state_of(program).tree.properties;
  return std::any_of(properties.begin(), properties.end(),
                     [](const lang::Property& property) { return is_temporal(property.kind); });
}

namespace {

// Whether neither all violations are needed, nor numbers of executions, nor something else that not all algorithms have.
bool needs_verdict_only(const CheckOptions& options) {
  return !options.keep_going && !options.collect_outcomes && !options.witnesses &&
         options.witness_of.empty() && !options.max_executions && !options.save && options.resume.empty() &&
         !options.coverage && !options.robust && !options.random;
}

}  // namespace

bool may_alternate(const Program& program, const CheckOptions& options) {
  if (!needs_verdict_only(options) || options.live) return false;
  const Cell* const continued = find_cell(options.model, default_algorithm(program, options));
  const Cell* const merged = find_cell(options.model, merging);
  return continued != nullptr && continued->algorithm == graphs && continued->divisible &&
         merged->run != nullptr;
}

namespace {

// Replaces the entry of the algorithm's last turn, if there is one.
void put(std::vector<GivenUp>& given_up, GivenUp newest) {
  const auto before = std::ranges::find(given_up, newest.algorithm, &GivenUp::algorithm);
  if (before == given_up.end()) {
    given_up.push_back(std::move(newest));
  } else {
    *before = std::move(newest);
  }
}

// A loop bound that the caller has chosen holds for every algorithm.
bool may_leave_loop_bound(const Program& program, const CheckOptions& options) {
  const Cell* const cell = find_cell(options.model, uncut);
  return cell != nullptr && cell->run != nullptr &&
         state_of(program).options.unroll == CompileOptions{}.unroll;
}

}  // namespace

std::uint64_t first_turn(const CheckOptions& options) {
  return runs_ahead(options.model) ? 1'000'000 : 4'000'000;
}

Result<CheckResult> check_by_turns(const Program& program, const CheckOptions& options, std::uint64_t first) {
  std::string left;
  double seconds = 0;
  bool may_leave_bound = may_leave_loop_bound(program, options);
  std::vector<std::string_view> keeping{merging};  // keep states, and have had memory enough
  if (may_leave_bound) keeping.push_back(uncut);
  std::vector<GivenUp> given_up;
  bool may_be_vain = may_leave_bound;
  for (std::uint64_t most = first;;) {
    constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();
    if (keeping.empty() || most > unlimited / growth) most = unlimited;
    Turn turn(options, graphs, seconds);
    turn.options().resume = std::move(left);
    turn.options().save = [&left](const std::string& text) { left = text; };
    turn.options().save_period = std::numeric_limits<double>::infinity();
    if (may_be_vain) turn.end_if_vain(most / vain_share);
    auto result = turn.run(program, most);
    if (!result) return result;
    result->seconds = seconds += result->seconds;
    if (!turn.over() || result->stopped_by.empty()) {
      result->given_up = std::move(given_up);
      return result;
    }

    const bool has_cut = result->counts.blocked_loop_bound > 0;
    const bool is_vain = may_be_vain && result->counts.executions == 0;
    may_be_vain = is_vain && has_cut && std::ranges::find(keeping, uncut) != keeping.end();
    if (is_vain && !has_cut) continue;  // something else blocks them, so it has the rest of its turn
    const bool is_first = std::exchange(may_leave_bound, false);
    const bool cuts_loops = has_cut && (is_first || may_be_vain);
    for (std::size_t i = 0; i < keeping.size();) {
      const bool is_uncut = keeping[i] == uncut;
      if (cuts_loops && !is_uncut) {
        ++i;
        continue;
      }
      const std::uint64_t part = is_uncut ? std::max(most / share_of_uncut, least_uncut)
                                          : most / (runs_ahead(options.model) ? share_ahead : share);
      Turn other(options, keeping[i], seconds);
      other.keep_states();
      auto kept = other.run(program, cuts_loops ? most : part);
      if (!kept) return kept;
      GivenUp so_far = other.given_up(*kept);
      kept->seconds = seconds += kept->seconds;
      if (kept->stopped_by.empty()) {
        kept->given_up = {{std::string(graphs), result->counts.transitions}};
        return kept;
      }
      put(given_up, std::move(so_far));
      if (other.over()) {
        ++i;
        continue;
      }
      if (kept->stopped_by == "timeout" || kept->stopped_by == "interrupted") {
        result->stopped_by = kept->stopped_by;
        result->seconds = seconds;
        result->given_up = std::move(given_up);
        return result;
      }
      keeping.erase(keeping.begin() + static_cast<std::ptrdiff_t>(i));
    }
    most = std::max(most * growth, std::uint64_t{1});
  }
}

namespace {

// The whole program, with as many transitions as the search that was cut, or the result of that.
Result<CheckResult> check_without_loop_bound(const Program& program, const CheckOptions& options,
                                             CheckResult cut) {
  Turn turn(options, uncut, cut.seconds);
  turn.keep_states();
  auto whole = turn.run(program, std::max(cut.counts.transitions, least_uncut));
  if (!whole) return cut;
  if (!whole->stopped_by.empty()) {
    cut.seconds += whole->seconds;
    return cut;
  }
  whole->seconds += cut.seconds;
  whole->given_up = {{cut.algorithm, cut.counts.transitions}};
  return whole;
}

}  // namespace

namespace {

// For programs with atomic blocks, which cost `trust` many runs (compiler/atomic.cpp): `states` and `sdpor` by turns, each from
// its beginning.
Result<CheckResult> check_states_by_turns(const Program& program, const CheckOptions& options) {
  double seconds = 0;
  std::vector<std::string_view> left{merging};
  if (may_leave_loop_bound(program, options)) left.insert(left.begin(), uncut);
  std::vector<GivenUp> given_up;
  for (std::uint64_t most = first_turn(options);; most *= growth) {
    for (std::size_t i = 0; i < left.size();) {
      Turn turn(options, left[i], seconds);
      turn.use_one_thread();
      const bool last = left.size() == 1;
      const std::uint64_t share_of_turn = left[i] == uncut ? most : most / growth;
      auto result = turn.run(program, last ? std::numeric_limits<std::uint64_t>::max() : share_of_turn);
      if (!result) return result;
      GivenUp so_far = turn.given_up(*result);
      result->seconds = seconds += result->seconds;
      if (result->stopped_by.empty() || last || (!turn.over() && result->stopped_by != "memory limit")) {
        result->given_up = std::move(given_up);
        return result;
      }
      put(given_up, std::move(so_far));
      if (turn.over()) {
        ++i;
      } else {
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
}

}  // namespace

Result<CheckResult> check_automatically(const Program& program, const CheckOptions& options) {
  if (has_atomic_blocks(program) && !runs_ahead(options.model) && needs_verdict_only(options) &&
      !options.live && !has_temporal_claims(program) && !options.preemption_bound &&
      why_not(program, options.model, merging).empty())
    return check_states_by_turns(program, options);
  const bool alternates = may_alternate(program, options);
  auto result = alternates ? check_by_turns(program, options, first_turn(options))
                           : checker::check(program, options, {});
  if (!result) return result;
  const bool is_bounded =
      result->verdict == Verdict::safe_within_bounds || result->verdict == Verdict::vacuous;
  const bool has_cut_loops = result->counts.blocked_loop_bound > 0 || result->counts.blocked_idle > 0;
  if (alternates && is_bounded && has_cut_loops && may_leave_loop_bound(program, options))
    return check_without_loop_bound(program, options, *std::move(result));
  if (result->stopped_by != too_long_graph || options.save || !options.resume.empty() || options.robust)
    return result;
  Turn turn(options, interleavings, result->seconds);
  turn.use_one_thread();
  auto other = turn.run(program, std::numeric_limits<std::uint64_t>::max());
  if (!other) return other;
  other->seconds += result->seconds;
  other->given_up = {{result->algorithm, result->counts.transitions}};
  return other;
}

}  // namespace checker

namespace {

// `judges_runs`: whether it is about runs that never end.
std::string_view default_algorithm(const CheckOptions& options, std::string_view model, bool judges_runs) {
  if (options.robust && !options.robust_states) return graphs;
  if (checker::runs_ahead(model)) return graphs;
  if (judges_runs) return uncut;
  return options.preemption_bound && !options.report_beyond_bound ? interleavings : graphs;
}

}  // namespace

std::string_view default_algorithm(const CheckOptions& options) {
  return default_algorithm(options, options.model, options.live);
}

std::string_view default_algorithm(const Program& program, const CheckOptions& options) {
  const std::string_view model = checker::explored_model(program, options.model);
  const bool judges_runs = options.live || checker::has_temporal_claims(program);
  const std::string_view algorithm = default_algorithm(options, model, judges_runs);
  if (algorithm != graphs) return algorithm;
  const bool by_steps = (has_atomic_blocks(program) && !checker::runs_ahead(model)) ||
                        checker::invariants_of(program) == checker::InvariantsOf::locals;
  return by_steps ? interleavings : algorithm;
}

}  // namespace heddle
