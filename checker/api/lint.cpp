// heddle::lint: see heddle/lint.h. Unused names come from the text, hopeless awaits from the resolved
// program; for updates and fences lint checks slightly changed programs. Which fences could be weaker, and
// which are missing, find_fences says.
#include "heddle/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "checker/api/check.hpp"
#include "checker/api/fence_places.hpp"
#include "checker/api/lint_trees.hpp"
#include "checker/api/state.hpp"
#include "heddle/fences.h"
#include "lang/unused.hpp"
#include "lang/utf8.hpp"
#include "lang/warnings.hpp"

namespace heddle {

namespace {

using lint_trees::Place;

// The result of a check: whether there is a violation, and the final states.
struct Findings {
  bool violation = false;
  std::set<std::vector<std::int64_t>> final_states;
  bool operator==(const Findings&) const = default;
};

class Linter {
 public:
  Linter(const Program& program, const LintOptions& options) : options_(options), programs_{program} {
    sets_.insert(program.parameters());
    for (const Expectation& expectation : program.expectations()) {
      Parameters parameters = program.parameters();
      for (const auto& [name, value] : expectation.parameters) parameters[name] = value;
      if (!sets_.insert(parameters).second) continue;
      auto other = Program::from_source(state().sources.text(0), program.name(),
                                        {.parameters = std::move(parameters),
                                         .unroll = state().options.unroll,
                                         .optimise = state().options.optimise,
                                         .unroll_spin_loops = state().unroll_spin_loops});
      if (other) {
        programs_.push_back(std::move(*other));
      } else {
        all_sets_compile_ = false;
      }
    }
  }

  std::vector<LintWarning> run() {
    for (auto& unused : lang::unused_names(state().sources, 0)) {
      add(LintRule::unused_name, {unused.range.begin, unused.range.end}, std::move(unused.message), {});
    }
    for (const auto& await : lint_trees::hopeless_awaits(state().tree)) {
      add(LintRule::hopeless_await, await.place, "nobody can satisfy this await",
          fmt::format("no thread ever writes a value to {} with which it holds", quoted(await.variables)));
    }
    for (const auto& update : lint_trees::updates(state().tree)) look_at_update(update);
    std::set<Place> fences;
    for (const Program& program : programs_) {
      for (const Place place : lint_trees::fences(state_of(program).tree, state().sources))
        fences.insert(place);
    }
    for (const Place place : fences) look_at_fence(place);
    look_for_weaker_fences();
    look_for_missing_fences();
    look_for_complete_execution();
    write_fixed();
    std::stable_sort(warnings_.begin(), warnings_.end(), [](const auto& a, const auto& b) {
      return std::pair(a.diagnostic.line, a.diagnostic.column) <
             std::pair(b.diagnostic.line, b.diagnostic.column);
    });
    return std::move(warnings_);
  }

 private:
  [[nodiscard]] const ProgramAccess::State& state() const { return state_of(programs_.front()); }
  [[nodiscard]] bool stopped() const { return options_.go_on && !options_.go_on(); }

  static std::string quoted(const std::vector<std::string>& names) {
    std::string result;
    for (const std::string& name : names) result += fmt::format("{}'{}'", result.empty() ? "" : " or ", name);
    return result;
  }

  void add(LintRule rule, Place place, std::string message, std::string hint) {
    const lang::SourceRange range{0, place.begin, place.end};
    const lang::Diagnostic diagnostic{range, std::move(message), std::move(hint)};
    const auto start = state().sources.locate(0, place.begin);
    warnings_.push_back({rule,
                         {.file = state().sources.name(0),
                          .line = start.line,
                          .column = start.column,
                          .message = diagnostic.message,
                          .hint = diagnostic.hint,
                          .text = lang::render_warning(diagnostic, state().sources)}});
  }

  [[nodiscard]] Diagnostic remark(Place place, const std::string& message) const {
    const auto start = state().sources.locate(0, place.begin);
    const std::string& file = state().sources.name(0);
    return {.file = file,
            .line = start.line,
            .column = start.column,
            .message = message,
            .hint = {},
            .text = fmt::format("{}:{}:{}: note: {}\n", file, start.line, start.column, message)};
  }
  // Reports a question whose check did not end in time.
  void leave_open(Place place, const std::string& question) {
    if (options_.left_open)
      options_.left_open(remark(place, fmt::format("not decided in the time there is: {}", question)));
  }

  [[nodiscard]] std::optional<CheckResult> look(const Program& program, CheckOptions options,
                                                std::optional<ViolationKind> only = {}) const {
    if (stopped()) return {};
    options.timeout = options_.timeout;
    options.progress = [this](const Progress&) { return !stopped(); };
    auto result = checker::check(program, options, only);
    if (!result || result->verdict == Verdict::undecided) return {};
    return std::move(*result);
  }

  void look_at_update(const lint_trees::Update& update) {
    // Violations of other kinds, such as deadlocks, must not hide the update.
    const Program watched = with_tree(programs_.front(), lint_trees::watching(state().tree, update.place));
    const auto result = look(watched, {.model = "sc"}, ViolationKind::assertion);
    if (!result) return leave_open(update.place, "can this update get lost?");
    if (!result->violation) return;
    add(LintRule::lost_update, update.place,
        fmt::format("this is a load and a store, and another thread can change '{}' in between",
                    update.variable),
        "fetch_add is one step, or hold a mutex");
  }

  // Nothing if the check does not end in time.
  [[nodiscard]] std::optional<Findings> findings(const Program& program, std::string_view model) const {
    CheckOptions options{.model = std::string(model), .collect_outcomes = true};
    auto result = look(program, options);
    if (result && result->violation) {
      options.keep_going = true;
      result = look(program, options);
    }
    if (!result) return {};
    Findings found{.violation = result->violation.has_value(), .final_states = {}};
    for (const Outcome& outcome : result->outcomes) found.final_states.insert(values_of(outcome));
    return found;
  }
  static std::vector<std::int64_t> values_of(const Outcome& outcome) {
    std::vector<std::int64_t> values;
    for (const NamedValue& value : outcome.values) values.push_back(value.value);
    return values;
  }
  // The same for an unchanged program. Needed for each fence, computed once.
  const std::optional<Findings>& known_findings(std::size_t program, std::string_view model) {
    const auto [entry, fresh] = findings_.try_emplace({program, std::string(model)});
    if (fresh) entry->second = findings(programs_[program], model);
    return entry->second;
  }

  // The models under which the program differs with the changes; nothing if that is unknown for one. With
  // `one`, the first of them, or unknown only if there is none. The most relaxed model comes first, where a
  // fence is needed most often.
  std::optional<std::vector<std::string>> differences(std::size_t number, const lint_trees::Changes& changes,
                                                      bool one) {
    const Program changed =
        with_tree(programs_[number], lint_trees::with_changes(state_of(programs_[number]).tree, changes));
    std::vector<std::string> models_that_differ;
    bool open = false;
    for (auto model = models().rbegin(); model != models().rend(); ++model) {
      const auto differs = differs_under(number, changed, model->name);
      open = open || !differs;
      if (differs.value_or(false)) models_that_differ.emplace_back(model->name);
      if (one && differs.value_or(false)) return models_that_differ;
    }
    return open ? std::nullopt : std::optional(models_that_differ);
  }
  std::optional<bool> differs_under(std::size_t number, const Program& changed, std::string_view model) {
    const auto& before = known_findings(number, model);
    if (!before) return std::nullopt;
    if (!before->violation) {
      // One violation is enough then.
      const auto quick = look(changed, {.model = std::string(model)});
      if (quick && quick->violation) return true;
    }
    const auto found = findings(changed, model);
    if (!found) return std::nullopt;
    return *found != *before;
  }
  // True if the program stays the same with the changes, under all models and with all parameters.
  bool same(const lint_trees::Changes& changes) {
    for (std::size_t number = 0; number < programs_.size(); ++number) {
      const auto found = differences(number, changes, true);
      if (!found || !found->empty()) return false;
    }
    return true;
  }

  void look_at_fence(Place place) {
    if (!all_sets_compile_) return;
    std::set<std::string> needing;
    for (std::size_t number = 0; number < programs_.size(); ++number) {
      const auto there = lint_trees::fences(state_of(programs_[number]).tree, state().sources);
      if (std::find(there.begin(), there.end(), place) == there.end()) continue;
      const auto found = differences(number, {{place, std::nullopt}}, !options_.noted);
      if (!found) {
        // For the warning it is enough to know one model that needs the fence.
        const auto some = options_.noted ? differences(number, {{place, std::nullopt}}, true) : std::nullopt;
        if (some && !some->empty()) return;
        return leave_open(place, "does a model need this fence?");
      }
      needing.insert(found->begin(), found->end());
      if (!options_.noted && !needing.empty()) return;
    }
    if (needing.size() == 1) note(place, fmt::format("only {} needs this fence", *needing.begin()));
    if (!needing.empty()) return;
    add(LintRule::needless_fence, place, "no model needs this fence",
        programs_.size() > 1
            ? "without it the final states and the verdicts are the same under every model, also with the "
              "parameters of the expect lines"
            : "without it the final states and the verdict are the same under every model");
    change(place, std::nullopt);
  }

  void note(Place place, const std::string& message) {
    if (options_.noted) options_.noted(remark(place, message));
  }
  // A change that is certain, together with all before it.
  bool change(Place place, std::optional<lang::FenceKind> kind) {
    lint_trees::Changes more = changes_;
    more[place] = kind;
    if ((kind || !changes_.empty()) && !same(more)) return false;
    changes_ = std::move(more);
    return true;
  }

  [[nodiscard]] std::optional<FenceResult> cheapest(std::vector<std::string> models, FenceGoal goal) const {
    FenceOptions options;
    options.models = std::move(models);
    options.goal = goal;
    options.timeout = 5 * options_.timeout;
    options.progress = [this](std::uint64_t, const Progress&) { return !stopped(); };
    if (stopped()) return std::nullopt;
    auto result = find_fences(programs_.front(), options);
    if (!result || result->answer != FenceAnswer::found) return std::nullopt;
    return std::move(*result);
  }

  // Fences of the cheapest set that are weaker than those that stand, if nothing changes with them.
  void look_for_weaker_fences() {
    if (!options_.noted && !options_.fixed) return;
    if (!all_sets_compile_ || lint_trees::fences(state().tree, state().sources).empty()) return;
    const auto result =
        cheapest(FenceOptions{}.models,
                 programs_.front().expectations().empty() ? FenceGoal::safe : FenceGoal::expect);
    if (!result) return;
    for (const Fence& fence : result->fences) {
      if (!fence.standing || *fence.standing == fence.kind) continue;
      const std::uint32_t begin = offset_of(fence.line, fence.column);
      for (const Place place : lint_trees::fences(state().tree, state().sources)) {
        if (place.begin != begin || changes_.contains(place)) continue;
        if (change(place, static_cast<lang::FenceKind>(fence.kind)))
          note(place, fmt::format("`{}` is enough here, under every model", name(fence.kind)));
      }
    }
  }

  // For each model under which only fences are wrong, and which no expect line without parameters is about.
  void look_for_missing_fences() {
    const auto& strict = known_findings(0, "sc");
    if (!strict || strict->violation) return;
    std::map<std::tuple<std::uint32_t, std::uint32_t, FenceType>, std::vector<std::string>> missing;
    for (const std::string& model : FenceOptions{}.models) {
      const bool expected =
          std::any_of(programs_.front().expectations().begin(), programs_.front().expectations().end(),
                      [&](const Expectation& line) {
                        return line.parameters.empty() &&
                               std::find(line.models.begin(), line.models.end(), model) != line.models.end();
                      });
      if (expected) continue;
      const auto& found = known_findings(0, model);
      if (!found || !found->violation) continue;
      const auto result = cheapest({model}, FenceGoal::safe);
      if (!result) continue;
      for (const Fence& fence : result->fences) {
        const bool enough = fence.standing && covers(*fence.standing, fence.kind);
        if (!enough) missing[{fence.line, fence.column, fence.kind}].push_back(model);
      }
    }
    for (const auto& [fence, models_of] : missing) {
      const auto& [line, column, kind] = fence;
      const std::uint32_t begin = offset_of(line, column);
      add(LintRule::missing_fence, {begin, begin + 1},
          fmt::format("a `{}` is missing here, under {}", name(kind), fmt::join(models_of, " and ")),
          "without it there are violations that sc does not have; `heddle fences` puts fences into the file");
    }
  }

  void write_fixed() {
    if (!options_.fixed || changes_.empty()) return;
    fence_places::Fences fences;
    const auto places = fence_places::places(state().tree, state().sources, {0});
    for (const auto& place : places) {
      if (!place.standing) continue;
      const auto change = changes_.find({place.range.begin, place.range.end});
      if (change == changes_.end()) {
        fences[place.spot] = {*place.standing};
      } else if (change->second) {
        fences[place.spot] = {*change->second};
      }
    }
    options_.fixed(fence_places::edited_text(state().sources, 0, places, fences), changes_.size());
  }

  // Only with the file's own parameters: an `expect` line that sets others says itself what to expect.
  void look_for_complete_execution() {
    const auto result = look(programs_.front(), {.model = "sc", .max_executions = 1});
    if (!result || result->verdict != Verdict::vacuous) return;
    for (const BlockedAt& at : result->blocked) {
      if (at.file != state().sources.name(0)) continue;
      const std::uint32_t begin = offset_of(at.line, at.column);
      return add(LintRule::vacuous, {begin, begin + 1},
                 "a check of this program checks nothing, for no execution is complete",
                 fmt::format("{} of them end here", at.executions));
    }
  }
  [[nodiscard]] std::uint32_t offset_of(std::uint32_t line, std::uint32_t column) const {
    const std::string_view text = state().sources.text(0);
    std::size_t offset = 0;
    while (--line > 0) offset = text.find('\n', offset) + 1;
    while (--column > 0) offset += lang::utf8_width(text.substr(offset));
    return static_cast<std::uint32_t>(offset);
  }

  const LintOptions& options_;
  std::vector<Program> programs_;  // as it is, then with the parameters of each expect line
  std::set<Parameters> sets_;
  bool all_sets_compile_ = true;
  std::map<std::pair<std::size_t, std::string>, std::optional<Findings>> findings_;
  std::vector<LintWarning> warnings_;
  lint_trees::Changes changes_;  // certain ones, all together
};

}  // namespace

std::string_view name(LintRule rule) {
  switch (rule) {
    case LintRule::unused_name: return "unused name";
    case LintRule::lost_update: return "lost update";
    case LintRule::needless_fence: return "needless fence";
    case LintRule::hopeless_await: return "hopeless await";
    case LintRule::vacuous: return "vacuous";
    case LintRule::missing_fence: return "missing fence";
  }
  return {};
}

std::vector<LintWarning> lint(const Program& program, const LintOptions& options) {
  if (program.litmus()) return {};
  return Linter(program, options).run();
}

}  // namespace heddle
