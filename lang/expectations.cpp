// `expect` lines.
#include <algorithm>
#include <array>

#include "lang/declarations.hpp"
#include "lang/suggest.hpp"

namespace heddle::lang {
namespace {

using syntax::Word;

struct Outcome {
  std::string_view name;
  ExpectedOutcome outcome;
};
constexpr std::array<Outcome, 14> outcomes = {{{"safe", ExpectedOutcome::safe},
                                               {"safe within bounds", ExpectedOutcome::safe_within_bounds},
                                               {"vacuous", ExpectedOutcome::vacuous},
                                               {"violation", ExpectedOutcome::violation},
                                               {"deadlock", ExpectedOutcome::deadlock},
                                               {"race", ExpectedOutcome::race},
                                               {"never", ExpectedOutcome::never},
                                               {"sometimes", ExpectedOutcome::sometimes},
                                               {"always", ExpectedOutcome::always},
                                               {"executions", ExpectedOutcome::executions},
                                               {"outcomes", ExpectedOutcome::outcomes},
                                               {"terminates", ExpectedOutcome::terminates},
                                               {"livelock", ExpectedOutcome::livelock},
                                               {"starves", ExpectedOutcome::starves}}};

bool is_between(ExpectedOutcome outcome, ExpectedOutcome first, ExpectedOutcome last) {
  return outcome >= first && outcome <= last;
}

std::string list(const std::vector<std::string_view>& names) {
  return fmt::format("choose from {}", fmt::join(names, ", "));
}

void unknown(Resolution& resolution, const SourceRange& range, std::string_view text, std::string_view what,
             const std::vector<std::string_view>& names) {
  std::string hint = did_you_mean(text, names);
  if (hint.empty()) hint = list(names);
  resolution.error(range, fmt::format("unknown {} '{}'", what, text), std::move(hint));
}

// A name too different from all `names` to be a misspelling may belong to another version of the program. The
// line is then ignored here, and the caller reports that it was.
bool reported_as_misspelling(Resolution& resolution, const Word& word, std::string_view what,
                             const std::vector<std::string_view>& names) {
  if (nearest(word.text, names).empty()) return false;
  unknown(resolution, word.range, word.text, what, names);
  return true;
}

void add_once(std::vector<std::string>& names, std::string_view name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

void add_models(Resolution& resolution, const std::vector<Word>& words, Expectation& into) {
  const std::vector<std::string_view>& models = resolution.models;
  for (const Word& word : words) {
    if (word.text == "all") {
      for (const std::string_view model : models) add_once(into.models, model);
      continue;
    }
    std::vector<std::string_view> names = models;
    names.emplace_back("all");
    if (std::find(models.begin(), models.end(), word.text) != models.end() ||
        !reported_as_misspelling(resolution, word, "model", names)) {
      add_once(into.models, word.text);
    }
  }
}

void add_settings(Resolution& resolution, const std::vector<syntax::Setting>& settings, Expectation& into) {
  for (const syntax::Setting& setting : settings) {
    const Names* names = &resolution.names();
    if (setting.module.kind != TokenKind::end) {
      const Symbol* module = names->find(setting.module.text);
      if (module == nullptr || module->kind != SymbolKind::module) {
        resolution.error(setting.module.range,
                         fmt::format("module '{}' is not imported", setting.module.text));
        continue;
      }
      names = &resolution.modules[module->id].names;
    }
    const Symbol* symbol = names->find(setting.name.text);
    if (symbol == nullptr || symbol->kind != SymbolKind::param) {
      std::vector<std::string_view> params;
      for (const std::string_view other : names->all()) {
        if (names->find(other)->kind == SymbolKind::param) params.push_back(other);
      }
      std::string hint = did_you_mean(setting.name.text, params);
      if (hint.empty() && symbol != nullptr) {
        hint = fmt::format("'{}' is a {}", setting.name.text, describe(symbol->kind));
      }
      resolution.error(setting.name.range, fmt::format("unknown param '{}'", setting.name.text),
                       std::move(hint));
      continue;
    }
    const std::string& name = resolution.program.parameters[symbol->id].name;
    const bool again = std::any_of(into.parameters.begin(), into.parameters.end(),
                                   [&](const auto& other) { return other.first == name; });
    if (again) {
      resolution.error(setting.name.range, fmt::format("'{}' is set twice", name));
      continue;
    }
    std::int64_t value = 0;
    if (!integer_value(setting.value.text, value)) continue;  // already reported by the lexer
    into.parameters.emplace_back(name, setting.negative ? -value : value);
  }
}

// Sets the text or number after the outcome, as the outcome requires.
void set_argument(Resolution& resolution, const SourceRange& range, std::string_view outcome,
                  const Word& argument, Expectation& into) {
  if (into.outcome == ExpectedOutcome::executions || into.outcome == ExpectedOutcome::outcomes) {
    std::int64_t count = 0;
    if (argument.kind != TokenKind::integer) {
      resolution.error(range, fmt::format("'{}' needs a number", outcome),
                       fmt::format("write '{} 4'", outcome));
    } else if (integer_value(argument.text, count)) {
      into.count = static_cast<std::uint64_t>(count);
    }
    return;
  }
  if (argument.kind == TokenKind::end) return;
  const bool takes_text =
      into.outcome == ExpectedOutcome::violation || into.outcome == ExpectedOutcome::starves;
  if (takes_text && argument.kind == TokenKind::string) {
    into.text = string_value(argument.text);
    return;
  }
  resolution.error(
      argument.range,
      fmt::format("'{}' takes no {}", outcome, argument.kind == TokenKind::string ? "string" : "number"),
      takes_text ? fmt::format("'{}' can be followed by a string in double quotes", outcome) : "");
}

}  // namespace

void resolve_expectation(Resolution& resolution, const syntax::Item& item) {
  const syntax::ExpectLine& line = item.expect_line;
  Expectation expectation;
  expectation.range = item.range;
  SourceRange range = line.outcome.front().range;
  range.end = line.outcome.back().range.end;
  expectation.range.end = line.argument.kind == TokenKind::end ? range.end : line.argument.range.end;
  add_models(resolution, line.models, expectation);
  const std::vector<std::string_view>& algorithms = resolution.algorithms;
  for (const Word& word : line.algorithms) {
    if (std::find(algorithms.begin(), algorithms.end(), word.text) != algorithms.end() ||
        !reported_as_misspelling(resolution, word, "algorithm", algorithms)) {
      add_once(expectation.algorithms, word.text);
    }
  }
  add_settings(resolution, line.settings, expectation);
  std::string text(line.outcome.front().text);
  for (std::size_t i = 1; i < line.outcome.size(); ++i) text += fmt::format(" {}", line.outcome[i].text);
  const auto found = std::find_if(outcomes.begin(), outcomes.end(),
                                  [&](const Outcome& outcome) { return outcome.name == text; });
  if (found == outcomes.end()) {
    std::vector<std::string_view> names;
    for (const Outcome& outcome : outcomes) names.push_back(outcome.name);
    unknown(resolution, range, text, "outcome", names);
    return;
  }
  expectation.outcome = found->outcome;
  if (is_between(found->outcome, ExpectedOutcome::never, ExpectedOutcome::always) &&
      resolution.program.properties.empty()) {
    resolution.error(range, fmt::format("'{}' is about a condition, but there is none", found->name),
                     "add one: 'exists x == 1;'");
    return;
  }
  set_argument(resolution, range, text, line.argument, expectation);
  resolution.program.expectations.push_back(std::move(expectation));
}

}  // namespace heddle::lang
