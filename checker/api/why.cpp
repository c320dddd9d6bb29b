// why(); see heddle/why.h.
#include "heddle/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "checker/api/check.hpp"
#include "checker/api/refusal.hpp"
#include "checker/api/state.hpp"
#include "checker/candidates/candidates.hpp"
#include "checker/candidates/changes.hpp"
#include "checker/candidates/paths.hpp"
#include "checker/report/candidates.hpp"
#include "checker/search/search.hpp"
#include "compiler/sites.hpp"
#include "heddle/source.h"

namespace heddle {

namespace {

using compiler::ConditionKind;

// How many executions are judged in search of changes: enough for litmus tests, and well below a second.
constexpr std::uint64_t most_judged_to_allow = 2'000;
constexpr std::uint64_t most_judged_to_forbid = 20'000;
constexpr std::size_t most_changed = 50;  // candidates that changes are sought for

// Errors with places in the condition as the user wrote it: it follows a prefix in a line of its own.
Errors as_errors_of_condition(Errors errors, const std::string& file, std::uint32_t line,
                              std::size_t prefix) {
  for (Diagnostic& error : errors) {
    if (error.file != file || error.line < line) continue;
    const auto before = fmt::format("{}:{}:{}:", file, error.line, error.column);
    error.file = "condition";
    error.line = 1;
    error.column = error.column > prefix ? error.column - static_cast<std::uint32_t>(prefix) : 1;
    if (error.text.starts_with(before))
      error.text = fmt::format("condition:1:{}:{}", error.column, error.text.substr(before.size()));
  }
  return errors;
}

constexpr std::string_view keyword = "exists ";

std::string without_quantifier(std::string text) {
  for (const std::string_view quantifier : {"~exists", "exists", "forall", "forbid"}) {
    if (!text.starts_with(quantifier)) continue;
    text.erase(0, quantifier.size());
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    break;
  }
  return text;
}

// The program with `exists CONDITION` at its end; of a litmus test, in place of its own.
Result<Program> with_condition(const Program& program, const std::string& condition) {
  const auto& state = state_of(program);
  std::string text(state.sources.text(0));
  std::string claim = condition;
  std::uint32_t begin = static_cast<std::uint32_t>(text.size());
  if (state.tree.litmus) {
    claim = without_quantifier(claim);
    const auto& range = state.tree.litmus->condition;
    if (range.begin != range.end) {
      begin = range.begin;
      text.resize(begin);
    }
    text += fmt::format("\n{}({})\n", keyword, claim);
  } else {
    if (claim.find_first_of("\n\r") != std::string::npos)
      return refuse("the condition is more than one line");
    const auto items = declarations(fmt::format("{}{};", keyword, claim), "condition");
    if (!items) return as_errors_of_condition(items.error(), "condition", 1, keyword.size());
    if (items->size() != 1) return refuse("the condition is more than one expression");
    text += fmt::format("\n{}{};\n", keyword, claim);
  }
  const std::size_t prefix = keyword.size() + (state.tree.litmus ? 1 : 0);
  const auto line = static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + begin, '\n') + 2);
  const CompileOptions options{.parameters = state.parameters,
                               .unroll = state.options.unroll,
                               .optimise = state.options.optimise,
                               .unroll_spin_loops = state.unroll_spin_loops,
                               .model = "power"};
  auto result = Program::from_source(text, state.name, options);
  if (!result) return as_errors_of_condition(result.error(), state.name, line, prefix);
  return result;
}

// The statements of a program, from its tree.
class StatementTable {
 public:
  StatementTable(const lang::Program& tree, const lang::SourceMap& sources, const compiler::Image& image)
      : sources_(sources) {
    for (const auto& function : tree.functions) add(function.body.statements);
    for (const auto& thread : tree.templates) add(thread.body.statements);
    table.innermost.assign(image.sites.size(), checker::none);
    for (const auto& site : image.sites) sites_.push_back({file_named(site.file), {site.line, site.column}});
    for (std::size_t i = 0; i < image.sites.size(); ++i) table.innermost[i] = innermost(sites_[i]);
    table.contains = [this](std::uint32_t site, std::uint32_t statement) {
      return within(sites_[site], extents_[statement].head.file, extents_[statement].head.begin,
                    extents_[statement].end);
    };
  }
  StatementTable(const StatementTable&) = delete;
  StatementTable& operator=(const StatementTable&) = delete;

  checker::Statements table;
  std::vector<checker::StatementPlace> places;

 private:
  using Position = std::pair<std::uint32_t, std::uint32_t>;  // line, column
  struct Head {
    std::uint32_t file = 0;
    Position begin, end;
  };
  struct Extent {
    Head head;
    Position end;  // with its body
  };
  struct Place {
    std::uint32_t file = 0;
    Position at;
  };

  [[nodiscard]] Position locate(std::uint32_t file, std::uint32_t offset) const {
    const auto place = sources_.locate(file, offset);
    return {place.line, place.column};
  }
  [[nodiscard]] std::uint32_t file_named(const std::string& name) const {
    for (std::uint32_t file = 0; file < sources_.size(); ++file) {
      if (sources_.name(file) == name) return file;
    }
    return checker::none;
  }
  static bool within(const Place& place, std::uint32_t file, const Position& begin, const Position& end) {
    return place.file == file && place.at >= begin && place.at < end;
  }

  // Returns where the statements end.
  Position add(const std::vector<lang::Statement>& statements) {
    Position last;
    for (const auto& statement : statements) {
      const auto& range = statement.range;
      const Head head{range.file, locate(range.file, range.begin), locate(range.file, range.end)};
      const std::size_t index = extents_.size();
      const bool place = statement.kind != lang::StatementKind::block && !sources_.built_in(range.file) &&
                         !after_else(range);
      if (place) {
        extents_.push_back({head, head.end});
        table.list.push_back({.loop = statement.kind == lang::StatementKind::while_});
        places.push_back({.file = sources_.name(range.file),
                          .line = head.begin.first,
                          .column = head.begin.second,
                          .source = compiler::fold_text(sources_.text(range))});
      }
      const Position end = std::max({head.end, add(statement.body), add(statement.otherwise)});
      if (place) extents_[index].end = end;
      last = std::max(last, end);
    }
    return last;
  }
  // There is no room for a fence in `else if`.
  [[nodiscard]] bool after_else(const lang::SourceRange& range) const {
    const auto before = sources_.text(range.file).substr(0, range.begin);
    const auto end = before.find_last_not_of(" \t\r\n");
    return end != std::string_view::npos && before.substr(0, end + 1).ends_with("else");
  }
  [[nodiscard]] std::uint32_t innermost(const Place& site) const {
    std::uint32_t best = checker::none;
    for (std::uint32_t i = 0; i < extents_.size(); ++i) {
      const Head& head = extents_[i].head;
      if (!within(site, head.file, head.begin, head.end)) continue;
      if (best == checker::none || head.begin >= extents_[best].head.begin) best = i;
    }
    return best;
  }

  const lang::SourceMap& sources_;
  std::vector<Extent> extents_;  // as Statements::list
  std::vector<Place> sites_;     // by site
};

// The condition that is asked about.
struct Question {
  std::size_t condition = 0;  // index into Image::conditions
  bool negated = false;
};

class Asking {
 public:
  Asking(const Program& program, const compiler::Image& image, Question question, axioms::Model model,
         const WhyOptions& options)
      : program_(program),
        image_(image),
        question_(question),
        model_(model),
        options_(options),
        start_(std::chrono::steady_clock::now()) {}

  Why run() {
    Why why{.model = options_.model};
    const auto& site = image_.sites[image_.conditions[question_.condition].site];
    const std::string text = without_quantifier(site.text);
    why.condition = question_.negated ? fmt::format("not ({})", text) : text;
    const auto paths = checker::paths_of(image_, {.go_on = [this] { return go_on(); }});
    if (paths.cut != checker::none) {
      const auto& loop = image_.sites[paths.cut];
      why.bounds.push_back(
          fmt::format("the loop on line {} is cut off after {} rounds; --unroll raises the bound", loop.line,
                      state_of(program_).options.unroll));
    }
    collect(paths, why);
    why.allowed = why.consistent > 0;
    if (why.allowed) {
      describe_allowed(why);
    } else {
      describe_forbidden(why);
    }
    why.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return why;
  }

 private:
  [[nodiscard]] bool go_on() const {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - start_).count() < options_.timeout &&
           (!options_.go_on || options_.go_on());
  }

  [[nodiscard]] bool holds(std::vector<std::int64_t>& memory, const std::byte* const* blocks) const {
    if (image_.final_block && checker::run_final_block(image_, memory, true, nullptr).cut()) return false;
    for (const auto& condition : image_.conditions) {
      if (condition.kind == ConditionKind::filter && !condition.holds(memory.data(), blocks)) return false;
    }
    return image_.conditions[question_.condition].holds(memory.data(), blocks) != question_.negated;
  }

  // Keeps the consistent candidates, and the others until there is one.
  void collect(const checker::Paths& paths, Why& why) {
    const auto visit = [&](checker::Candidate&& candidate) {
      const bool consistent = axioms::consistent(candidate.execution, model_);
      if (consistent && why.consistent++ == 0) kept_.clear();
      if (consistent == (why.consistent > 0) && kept_.size() < options_.most_executions)
        kept_.push_back(std::move(candidate));
      return true;
    };
    const auto found = checker::for_each_candidate(
        image_, paths,
        [this](std::vector<std::int64_t>& memory, const std::byte* const* blocks) {
          return holds(memory, blocks);
        },
        {.go_on = [this] { return go_on(); }}, visit);
    why.candidates = found.candidates;
    why.stopped_by =
        found.gave_up == "timeout" && options_.go_on && !options_.go_on() ? "interrupted" : found.gave_up;
    coherent_ = found.coherent;
  }

  void describe_allowed(Why& why) {
    for (const auto& candidate : kept_)
      why.executions.push_back({.trace = checker::describe(image_, candidate)});
    if (!why.stopped_by.empty() || why.consistent > kept_.size()) {
      why.changes_note = "There are too many executions to look for fences that forbid all of them.";
      return;
    }
    const auto& state = state_of(program_);
    const StatementTable statements(state.tree, state.sources, image_);
    const auto found = checker::fences_that_forbid(
        kept_, model_, statements.table,
        {.most_judged = most_judged_to_forbid, .go_on = [this] { return go_on(); }});
    add_changes(found, statements.places, why);
    if (!found.sets.empty() || !found.gave_up.empty()) return;
    const bool interleaving = std::any_of(kept_.begin(), kept_.end(), [](const auto& candidate) {
      return axioms::consistent(candidate.execution, axioms::Model::sc);
    });
    why.changes_note = interleaving ? "An interleaving ends like this, so no fence forbids it."
                                    : "Fences before all statements do not forbid it.";
  }

  void describe_forbidden(Why& why) {
    std::vector<std::pair<std::size_t, WhyExecution>> found;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (!go_on()) {
        why.changes_note = "The search for cycles was given up: timeout.";
        break;
      }
      const auto cycle = axioms::excluding_cycle(kept_[i].execution, model_);
      if (!cycle) continue;
      found.push_back({i,
                       {.trace = checker::describe(image_, kept_[i]),
                        .cycle = checker::describe(image_, kept_[i], *cycle),
                        .axiom = std::string(axioms::name(cycle->axiom))}});
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second.cycle.size(), a.second.trace.steps.size()) <
             std::pair(b.second.cycle.size(), b.second.trace.steps.size());
    });
    for (const auto& model : models()) {
      const auto other = axioms::model_named(model.name);
      if (other && std::any_of(kept_.begin(), kept_.end(), [&](const auto& candidate) {
            return axioms::consistent(candidate.execution, *other);
          }))
        why.allowed_by.emplace_back(model.name);
    }
    std::vector<checker::Candidate> shortest;
    for (auto& [index, execution] : found) {
      if (shortest.size() < most_changed) shortest.push_back(kept_[index]);
      why.executions.push_back(std::move(execution));
    }
    if (shortest.empty() || !why.stopped_by.empty()) return;
    if (!coherent_) {
      why.changes_note = "Coherence and atomicity forbid it under every model.";
      return;
    }
    const auto changes = checker::changes_that_allow(
        shortest, model_, {.most_judged = most_judged_to_allow, .go_on = [this] { return go_on(); }});
    add_changes(changes, {}, why);
    if (why.changes.empty() && why.changes_note.empty())
      why.changes_note = "No change of up to four fences and dependencies allows it.";
    if (shortest.size() < found.size() && why.changes_note.empty())
      why.changes_note =
          fmt::format("Only the {} executions with the shortest cycles were tried.", shortest.size());
  }

  void add_changes(const checker::FoundChanges& found, const std::vector<checker::StatementPlace>& places,
                   Why& why) const {
    for (const auto& set : found.sets) {
      auto& described = why.changes.emplace_back();
      for (const auto& change : set)
        described.push_back(checker::describe(image_, state_of(program_).name, change, places));
      std::stable_sort(described.begin(), described.end(), [](const WhyChange& a, const WhyChange& b) {
        return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
      });
    }
    if (!found.gave_up.empty())
      why.changes_note = fmt::format("The search for changes was given up: {}.", found.gave_up);
  }

  const Program& program_;
  const compiler::Image& image_;
  Question question_;
  axioms::Model model_;
  const WhyOptions& options_;
  std::chrono::steady_clock::time_point start_;
  std::vector<checker::Candidate> kept_;
  bool coherent_ = true;
};

// The condition that was added, or the program's only one.
Result<Question> question_of(const compiler::Image& image, bool added) {
  std::vector<Question> known;
  for (std::size_t i = 0; i < image.conditions.size(); ++i) {
    if (image.conditions[i].kind != ConditionKind::filter)
      known.push_back({i, image.conditions[i].kind == ConditionKind::forall});
  }
  if (added && !known.empty()) return known.back();
  if (known.empty()) return refuse("a condition is missing, and the program has none");
  if (known.size() > 1)
    return refuse(fmt::format("a condition is missing, and the program has {}", known.size()));
  return known.front();
}

}  // namespace

Result<Why> why(const Program& program, const std::string& condition, const WhyOptions& options) {
  const auto model = axioms::model_named(options.model);
  if (!model) return refuse(no_such_model(options.model));
  Program asked = program;
  const bool added = condition.find_first_not_of(" \t") != std::string::npos;
  if (added) {
    auto extended = with_condition(program, condition);
    if (!extended) return extended.error();
    asked = std::move(*extended);
  }
  if (auto reason = checker::why_no_sections(asked); !reason.empty()) return refuse(std::move(reason));
  try {
    const auto image = state_of(asked).image(true);
    const auto question = question_of(*image, added);
    if (!question) return question.error();
    for (const auto& thread : image->threads) {
      if (thread.is_daemon)
        return refuse(fmt::format("candidate executions end all threads, and '{}' is a daemon", thread.name));
    }
    return Asking(asked, *image, *question, *model, options).run();
  } catch (const std::bad_alloc&) {
    return refuse("out of memory, so nothing is decided");
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
}

}  // namespace heddle
