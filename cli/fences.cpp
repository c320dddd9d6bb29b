// heddle fences FILE: the cheapest fences that make a program safe, robust, or meet its expect lines.
#include "heddle/fences.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/litmus.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

// The result for some models at once.
struct FencesFound {
  std::vector<std::string> models;
  FenceResult result;
};

std::string place_text(const Fence& fence, const std::string& main_file) {
  const std::string place = fmt::format("{}:{}", fence.line, fence.column);
  return fence.file == main_file ? place : one_line(fence.file) + ":" + place;
}

bool same_place(const Fence& a, const Fence& b) {
  return a.file == b.file && a.line == b.line && a.column == b.column;
}

// What happens at the place: "stays", "instead of fence", "new, before turn = 1".
std::string change_text(const Fence& fence) {
  if (!fence.standing)
    return fence.before == "}" ? "new, at the end of the function" : "new, before " + one_line(fence.before);
  if (*fence.standing == fence.kind) return "stays";
  return fmt::format("instead of {}", name(*fence.standing));
}

std::vector<Fence> removed(const FenceResult& result) {
  std::vector<Fence> list;
  for (const Fence& fence : result.standing) {
    const bool stays = std::any_of(result.fences.begin(), result.fences.end(),
                                   [&](const Fence& other) { return same_place(fence, other); });
    if (!stays) list.push_back(fence);
  }
  return list;
}

std::string fence_rows(const std::vector<Fence>& fences, const std::string& main_file, bool with_change) {
  std::size_t width = 0;
  for (const Fence& fence : fences) width = std::max(width, display_width(place_text(fence, main_file)));
  std::string text;
  for (const Fence& fence : fences) {
    std::string row =
        fmt::format("  {}  {:<11}", pad_right(place_text(fence, main_file), width), name(fence.kind));
    if (with_change) row += "  " + change_text(fence);
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

std::string goal_text(FenceGoal goal) {
  switch (goal) {
    case FenceGoal::safe: return "safe";
    case FenceGoal::robust: return "robust";
    case FenceGoal::expect: break;
  }
  return "as its expect lines say";
}

// The weakest fences at each place.
std::vector<Fence> weakest(const std::vector<Fence>& fences) {
  std::vector<Fence> list;
  for (const Fence& fence : fences) {
    const bool beaten = std::any_of(fences.begin(), fences.end(), [&](const Fence& other) {
      return same_place(fence, other) && other.kind != fence.kind && covers(fence.kind, other.kind);
    });
    if (!beaten) list.push_back(fence);
  }
  return list;
}

std::string clauses_text(const FenceResult& result, const std::string& main_file, const Style& style) {
  std::string text =
      result.answer == FenceAnswer::found
          ? "\nWhy: sufficient fences have one of each of these, or a stronger one there; no cheaper "
            "ones do:\n"
          : "\nSufficient fences have one of each of these, or a stronger one there:\n";
  std::size_t number = 0;
  for (const FenceClause& clause : result.clauses) {
    std::vector<std::string> names;
    for (const Fence& fence : weakest(clause.one_of))
      names.push_back(fmt::format("{} {}", place_text(fence, main_file), name(fence.kind)));
    std::string settings;
    for (const auto& [param, value] : clause.parameters) settings += fmt::format(", {}={}", param, value);
    const std::string line =
        fmt::format("({}{}) {}; otherwise: {}", clause.model, settings,
                    names.empty() ? "no fence" : join(names, ", "), one_line(clause.reason));
    text += fmt::format("  {:>3}  {}\n", ++number, wrap(line, style.width, 7));
  }
  return text;
}

std::string found_text(const Program& program, const FencesFound& found, const Options& options,
                       const Style& style) {
  const FenceResult& result = found.result;
  const std::string& file = program.name();
  const std::string goal = goal_text(options.fences.goal);
  const std::string under = join(found.models, ", ");
  std::string text;
  switch (result.answer) {
    case FenceAnswer::found:
      text = fmt::format("{}: {} under {} with fences of cost {}; no cheaper ones suffice\n", one_line(file),
                         goal, under, result.cost);
      break;
    case FenceAnswer::impossible:
      text = fmt::format("{}: no fences make it {} under {}\n", one_line(file), goal, under);
      break;
    case FenceAnswer::undecided:
      text = fmt::format("{}: undecided under {}, stopped by: {}; sufficient fences cost at least {}\n",
                         one_line(file), under, one_line(result.stopped_by), result.cost);
      break;
  }
  if (result.answer == FenceAnswer::found && !result.fences.empty())
    text += "\nFences:\n" + fence_rows(result.fences, file, true);
  if (result.answer == FenceAnswer::found) {
    const auto gone = removed(result);
    if (!gone.empty()) text += "\nNot needed:\n" + fence_rows(gone, file, false);
  }
  if (options.why) text += clauses_text(result, file, style);
  if (result.counterexample) {
    text += fmt::format("\nWith all fences this remains possible under {}{}:\n", result.counterexample_model,
                        result.also_under_sc ? ", and sc allows it, too" : "");
    text += format_violation(program, *result.counterexample, style);
  }
  if (!result.bounds.empty()) text += "\nBounds:\n";
  for (const std::string& bound : result.bounds)
    text += fmt::format("  {}\n", wrap(one_line(bound), style.width, 2));
  if (!result.notes.empty()) text += "\nNotes:\n";
  for (const std::string& note : result.notes)
    text += fmt::format("  {}\n", wrap(one_line(note), style.width, 2));
  text += fmt::format("\n{}, standing fences of cost {}, {}, {}, {}, {}\n", counted(result.places, "place"),
                      result.standing_cost, counted(result.clauses.size(), "clause"),
                      counted(result.checks, "check"), counted(result.executions, "execution"),
                      duration(result.seconds));
  return text;
}

std::string_view kind_word(FenceType kind) {
  constexpr std::string_view words[] = {"full", "lw", "st", "isync"};
  return words[static_cast<std::size_t>(kind)];
}

Json fences_json(const std::vector<Fence>& fences) {
  Json list = Json::array();
  for (const Fence& fence : fences) {
    list.push_back({{"kind", kind_word(fence.kind)},
                    {"file", fence.file},
                    {"line", fence.line},
                    {"column", fence.column},
                    {"before", fence.before},
                    {"standing", fence.standing ? Json(kind_word(*fence.standing)) : Json(nullptr)}});
  }
  return list;
}

Json found_json(const FencesFound& found) {
  const FenceResult& result = found.result;
  Json json = {{"models", found.models}, {"answer", name(result.answer)}};
  json["stopped_by"] = text_or_null(result.stopped_by);
  json["cost"] = result.cost;
  json["fences"] = fences_json(result.fences);
  json["removed"] = result.answer == FenceAnswer::found ? fences_json(removed(result)) : Json::array();
  json["standing_cost"] = result.standing_cost;
  json["places"] = result.places;
  json["clauses"] = Json::array();
  for (const FenceClause& clause : result.clauses) {
    json["clauses"].push_back({{"model", clause.model},
                               {"parameters", to_json(clause.parameters)},
                               {"one_of", fences_json(clause.one_of)},
                               {"reason", clause.reason}});
  }
  json["counterexample"] = result.counterexample ? to_json(*result.counterexample) : Json(nullptr);
  json["counterexample_model"] = text_or_null(result.counterexample_model);
  json["also_under_sc"] = result.counterexample ? Json(result.also_under_sc) : Json(nullptr);
  json["bounds"] = result.bounds;
  json["notes"] = result.notes;
  json["checks"] = result.checks;
  json["executions"] = result.executions;
  json["seconds"] = result.seconds;
  return json;
}

int code_of(FenceAnswer answer) {
  switch (answer) {
    case FenceAnswer::found: return 0;
    case FenceAnswer::impossible: return exit_code(Verdict::violation);
    case FenceAnswer::undecided: break;
  }
  return exit_code(Verdict::undecided);
}

// Writes the changed files; an error in one sentence, or nothing.
std::string apply(const FenceResult& result) {
  for (const ChangedFile& file : result.changed) {
    if (file.built_in)
      return fmt::format("{} is built in and cannot be changed: copy it and import the copy", file.name);
  }
  for (const ChangedFile& file : result.changed) {
    if (std::string failure = write_file(file.name, file.text); !failure.empty()) return failure;
  }
  return {};
}

}  // namespace

int run_fences(const Options& options) {
  catch_interrupts();
  if (const auto litmus = refuse_litmus(options.file))
    return report_errors({as_diagnostic(*litmus)}, options.json);
  const Result<Program> program = Program::from_file(options.file, options.compile);
  if (!program) return report_errors(program.error(), options.json);

  std::vector<std::vector<std::string>> groups{options.fences.models};
  if (options.each_model) {
    groups.clear();
    for (const std::string& model : options.fences.models) groups.push_back({model});
  }
  ProgressLine line(options.progress && is_terminal(STDERR_FILENO));
  std::vector<FencesFound> all;
  int code = 0;
  for (const auto& models : groups) {
    FenceOptions settings = options.fences;
    settings.models = models;
    settings.progress = [&line](std::uint64_t /*checks*/, const Progress& progress) {
      line.update(progress);
      return !interrupted();
    };
    Result<FenceResult> result = find_fences(*program, settings);
    line.clear();
    if (!result) return report_errors(result.error(), options.json);
    // Undecided beats found, and impossible beats both.
    const int here = code_of(result->answer);
    if (here == exit_code(Verdict::violation) || code == 0) code = here;
    all.push_back({models, std::move(*result)});
  }

  if (options.apply && all.front().result.answer == FenceAnswer::found) {
    const std::string failure = apply(all.front().result);
    if (!failure.empty()) return report_errors({as_diagnostic({failure, ""})}, options.json);
  }
  if (options.json) {
    Json json = json_head("fences");
    json["file"] = program->name();
    json["parameters"] = to_json(program->parameters());
    json["goal"] = name(options.fences.goal);
    json["exit_code"] = code;
    json["applied"] = options.apply && code == 0;
    json["results"] = Json::array();
    for (const FencesFound& found : all) json["results"].push_back(found_json(found));
    return write_report(json_text(json)) ? code : bad_input;
  }
  const Style style{terminal_width(STDOUT_FILENO), Paint(wants_colour(STDOUT_FILENO))};
  std::string text;
  for (const FencesFound& found : all) {
    if (!text.empty()) text += '\n';
    text += found_text(*program, found, options, style);
  }
  if (options.apply && code == 0) {
    const auto& changed = all.front().result.changed;
    for (const ChangedFile& file : changed) text += fmt::format("{} was changed\n", one_line(file.name));
    if (changed.empty()) text += "Nothing was changed: the file has these fences\n";
  }
  return write_report(text) ? code : bad_input;
}

}  // namespace heddle::cli
