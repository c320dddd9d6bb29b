// See options.hpp. CLI11 splits the words; numbers, names and misspellings are checked here and in
// option_values.cpp, because a message with the option, the expected and the actual value is better than the
// parser's own.
#include "cli/options.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/option_tables.hpp"
#include "cli/option_values.hpp"
#include "cli/templates.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

// All words that `app` does not recognise: "--modle" before "tso", which CLI11 took for the file.
void check_left_over(const CLI::App& app, const std::string& file) {
  const std::vector<std::string> words = app.remaining();
  for (const std::string& word : words) {
    if (word.size() < 2 || word[0] != '-' || word == "--") continue;
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> known;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& long_name : option->get_lnames()) known.push_back("--" + long_name);
      for (const std::string& short_name : option->get_snames()) known.push_back("-" + short_name);
    }
    // A single letter is similar to every other one.
    std::string hint = name.size() > 2 ? did_you_mean(name, known) : std::string();
    if (hint.empty()) {
      const std::string command = app.get_parent() == nullptr ? "heddle" : "heddle " + app.get_name();
      hint = fmt::format("{} --help lists the options", command);
    }
    refuse(fmt::format("unknown option '{}'", shown(name)), std::move(hint));
  }
  for (const std::string& word : words) {
    if (word == "--") continue;
    if (app.get_option_no_throw("FILE") == nullptr && app.get_option_no_throw("PATH") == nullptr) {
      refuse(fmt::format("heddle {} takes no file, but got '{}'", app.get_name(), shown(word)));
    }
    refuse(fmt::format("one file at a time: '{}' comes after '{}'", shown(word), shown(file)));
  }
}

// CLI11's messages are "--model: 1 required TEXT missing", "--model: At Most 1 required but received 2" and
// "json was given a disallowed flag override".
std::string explain(const CLI::ArgumentMismatch& mismatch) {
  const std::string_view text = mismatch.what();
  const std::string_view name = text.substr(0, text.find(':'));
  if (text.find("flag override") != std::string_view::npos) {
    return fmt::format("--{} takes no value", text.substr(0, text.find(' ')));
  }
  if (text.ends_with("missing")) return fmt::format("{} needs a value", name);
  if (text.find("At Most 1") != std::string_view::npos)
    return fmt::format("{} is given more than once", name);
  return std::string(text);
}

// No command, or an unknown one.
void check_commands(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  const bool chosen = !app.get_subcommands().empty();
  for (const std::string& word : app.remaining()) {
    if (word.starts_with('-') && word.size() > 1) continue;
    if (word.ends_with(".hed")) {
      refuse(fmt::format("'{}' is not a command", shown(word)),
             fmt::format("to check a program: heddle check {}", shown(word)));
    }
    std::string hint = did_you_mean(word, known);
    if (hint.empty()) hint = fmt::format("the commands are {}", join(known, ", "));
    refuse(fmt::format("unknown command '{}'", shown(word)), std::move(hint));
  }
  check_left_over(app, {});
  if (!chosen)
    refuse(fmt::format("a command is missing: {}", join(known, ", ")), "heddle --help describes them");
}

void check_model_and_algorithm(CheckOptions& check) {
  check_name("model", check.model, model_names());
  if (check.algorithm.empty()) return;
  check_name("algorithm", check.algorithm, algorithm_names());
  std::string reason = why_not(check.model, check.algorithm);
  if (!reason.empty()) refuse(std::move(reason), "heddle list shows the supported pairs");
}

// The number of checks of a sweep, or one more than allowed.
std::uint64_t count_checks(const Options& options) {
  std::uint64_t count = std::max<std::uint64_t>(options.algorithms.size(), 1) * options.models.size();
  for (const ParameterValues& parameter : options.values) {
    count *= parameter.values.size();  // both factors are at most most_checks
    if (count > most_checks) return most_checks + 1;
  }
  return count;
}

// Options that are about the one program or the one execution of a single check.
void check_sweep_options(const Options& options) {
  struct Refused {
    bool given;
    std::string_view option;
    std::string_view why;
  };
  const Artefacts& files = options.artefacts;
  const Refused refused[] = {
      {!files.trace.empty(), "--trace", "saves one execution"},
      {!files.dot.empty(), "--dot", "draws one execution"},
      {!files.mermaid.empty(), "--mermaid", "draws one execution"},
      {options.layout.chart, "--chart", "shows one execution"},
      {options.layout.unfold, "--unfold", "shows one execution"},
      {options.layout.locals, "--locals", "shows one execution"},
      {!files.sarif.empty(), "--sarif", "reports one check"},
      {!files.lcov.empty(), "--coverage-lcov", "counts the visits of one check"},
      {options.check.coverage, "--coverage", "counts the visits of one check"},
      {options.check.collect_outcomes, "--outcomes", "lists the final states of one check"},
      {options.witness > 0, "--witness", "shows one execution"},
      {options.violation > 1, "--violation", "shows one execution"},
      {options.minimise, "--minimise", "shortens one execution"},
      {options.lint, "--lint", "examines one program"},
      {options.estimate, "--estimate", "estimates one check"},
      {!options.artefacts.checkpoint.empty(), "--checkpoint", "saves one search"},
      {!options.resume_file.empty(), "--resume", "continues one search"},
  };
  for (const Refused& each : refused) {
    if (!each.given) continue;
    refuse(fmt::format("{} {}, and these options describe a table of checks", each.option, each.why),
           each.option == "--outcomes"
               ? "heddle compare shows the final states under several models"
               : "choose one model, one algorithm and one value for each param, without --csv");
  }
  if (options.json && options.csv_file == "-")
    refuse("--json and --csv - would both write to standard output", "--csv FILE writes to a file");
  if (count_checks(options) > most_checks) {
    refuse(fmt::format("these values, models and algorithms are more than {} checks", grouped(most_checks)),
           "ranges and lists are multiplied with each other");
  }
}

// The lists of `check`: lists of one are an ordinary check, unless a table is requested.
void choose_sweep(Options& options) {
  const auto several = [](const ParameterValues& each) { return each.values.size() > 1; };
  options.sweep = options.models.size() > 1 || options.algorithms.size() > 1 || !options.csv_file.empty() ||
                  std::any_of(options.values.begin(), options.values.end(), several);
  if (options.models.size() == 1) options.check.model = options.models.front();
  if (options.algorithms.size() == 1) options.check.algorithm = options.algorithms.front();
  if (options.sweep) {
    if (options.models.empty()) options.models = {options.check.model};
    check_sweep_options(options);
  } else {
    for (const ParameterValues& each : options.values)
      options.compile.parameters[each.name] = each.values.front();
  }
}

// What an option does not go with.
using Excluded = std::vector<std::pair<bool, std::string_view>>;
void check_excluded(std::string_view option, const Excluded& others, const std::string& hint = {}) {
  for (const auto& [given, other] : others) {
    if (given) refuse(fmt::format("{} and {} exclude each other", option, other), hint);
  }
}

// The witness of --robust is an execution that shows a cycle, not a failure.
void check_robust_options(const Options& options) {
  check_excluded("--robust", {{options.minimise, "--minimise"}, {options.witness > 0, "--witness"}});
}

// An estimate looks for nothing, so there is nothing to show, to save or to shorten.
void check_estimate_options(const Options& options) {
  const Artefacts& files = options.artefacts;
  check_excluded("--estimate",
                 {{options.check.robust, "--robust"},
                  {options.check.collect_outcomes, "--outcomes"},
                  {options.check.coverage, "--coverage"},
                  {options.witness > 0, "--witness"},
                  {options.minimise, "--minimise"},
                  {options.lint, "--lint"},
                  {!files.trace.empty(), "--trace"},
                  {!files.dot.empty(), "--dot"},
                  {!files.html.empty(), "--html"},
                  {!files.mermaid.empty(), "--mermaid"},
                  {options.layout.chart, "--chart"},
                  {options.layout.unfold, "--unfold"},
                  {options.layout.locals, "--locals"},
                  {!files.sarif.empty(), "--sarif"},
                  {!files.checkpoint.empty(), "--checkpoint"},
                  {!options.resume_file.empty(), "--resume"},
                  {!options.cluster.url.empty(), "--cluster"},
                  {options.random.runs > 0, "--random"},
                  {options.check.live, "--live"},
                  {options.check.timeout.has_value(), "--timeout"},
                  {options.check.max_executions.has_value(), "--max-executions"}},
                 "an estimate takes a second of work");
}

// What has no meaning for a check that others explore.
void check_cluster_options(const Options& options) {
  check_excluded("--cluster",
                 {{options.sweep, "a table of checks"},
                  {options.check.threads > 0, "-j"},
                  {!options.artefacts.checkpoint.empty(), "--checkpoint"},
                  {!options.resume_file.empty(), "--resume"}},
                 "the server keeps the search; heddle cluster work -j N sets the number of workers");
}

// --chart, --unfold and --locals are about the trace as text; the latter two also about a Mermaid diagram.
void check_layout(Command command, const Options& options) {
  const TraceLayout& layout = options.layout;
  const Excluded chart{{layout.chart, "--chart"}};
  const Excluded all{{layout.chart, "--chart"}, {layout.unfold, "--unfold"}, {layout.locals, "--locals"}};
  if (options.json)
    check_excluded("--json", options.artefacts.mermaid.empty() ? all : chart,
                   "they change the printed trace");
  if (options.step) check_excluded("--step", all);
  if (command != Command::outcomes || options.witness > 0) return;
  for (const auto& [given, option] : all) {
    if (given) refuse(fmt::format("{} needs --witness", option), "--witness N takes the number of a row");
  }
}

void check_shell(const std::string& shell) {
  const std::vector<std::string> known{"bash", "zsh", "fish"};
  if (shell.empty())
    refuse("the name of a shell is missing", fmt::format("the shells are {}", join(known, ", ")));
  if (std::find(known.begin(), known.end(), shell) != known.end()) return;
  std::string hint = did_you_mean(shell, known);
  hint += fmt::format("{}the shells are {}", hint.empty() ? "" : " ", join(known, ", "));
  refuse(fmt::format("no completions for '{}'", shown(shell)), std::move(hint));
}

[[noreturn]] void check_template() {
  std::vector<std::string> known;
  for (const Template& each : templates()) known.emplace_back(each.name);
  refuse("new needs --template", fmt::format("the templates are {}", join(known, ", ")));
}

Options parse(int count, const char* const* arguments) {
  Options options;
  CLI::App app;
  build_app(app, options);
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    options.text = app.help();
    return options;
  } catch (const CLI::RequiredError&) {
    // The file is missing. A misspelt option may be the reason, so options are checked first, below.
  } catch (const CLI::ArgumentMismatch& mismatch) {
    refuse(explain(mismatch));
  } catch (const CLI::ParseError& error) {
    refuse(error.what());
  }
  if (options.version) {
    options.text = fmt::format("heddle {}\n", version());
    return options;
  }
  check_commands(app);
  const CLI::App* command = app.get_subcommands().front();
  if (app.get_subcommands().size() > 1) {
    refuse(fmt::format("one command at a time, not both {} and {}", command->get_name(),
                       app.get_subcommands()[1]->get_name()));
  }
  check_left_over(*command, options.file);
  const CommandInfo& info = command_info(command->get_name());
  if (!info.example.empty() && options.file.empty() && options.paths.empty()) {
    refuse("the file is missing", fmt::format("for example: heddle {} {}", info.name, info.example));
  }
  options.command = info.command;
  if (info.command == Command::check) choose_sweep(options);
  if (info.command == Command::emit && !options.llvm) {
    refuse("emit needs an output format", "--llvm prints LLVM IR");
  }
  if (options.fix && !options.lint) refuse("--fix needs --lint", "--lint says what --fix would change");
  if (options.violation > 1 && !options.check.keep_going)
    refuse("--violation needs --keep-going", "without both, the first violation is shown");
  if (options.check.robust) check_robust_options(options);
  if (options.random.runs > 0) options.check.random = options.random;
  if (options.shapes_random && options.random.runs == 0)
    refuse("--seed and --depth need --random", "--random N says how many runs there are");
  if (options.check.save_period != CheckOptions().save_period && options.artefacts.checkpoint.empty())
    refuse("--every needs --checkpoint", "--checkpoint FILE says where the search is saved");
  if (options.check.any_violation && (options.check.random || options.check.live))
    refuse("--any-violation is for searches with several threads", "--random and --live explore with one");
  if (options.estimate) check_estimate_options(options);
  if (info.command == Command::check && !options.cluster.url.empty()) check_cluster_options(options);
  if (info.command == Command::cluster && options.cluster.url.empty())
    refuse("cluster needs an action and a server", "for example: heddle cluster work redis://localhost");
  if (options.check.robust_states && !options.check.robust)
    refuse("--states needs --robust", "--outcomes lists the final states");
  const Artefacts& files = options.artefacts;
  if (info.command == Command::outcomes && options.witness == 0 &&
      !(files.trace.empty() && files.dot.empty() && files.html.empty() && files.mermaid.empty())) {
    refuse("saving an execution needs --witness", "--witness N takes the number of a row");
  }
  check_layout(info.command, options);
  if (options.apply && options.each_model)
    refuse("--apply and --each exclude each other", "without --each, the fences suffice under all models");
  if (info.command == Command::completions) check_shell(options.shell);
  if (info.command == Command::new_ && options.template_name.empty()) check_template();
  if (!options.sweep) check_model_and_algorithm(options.check);
  options.test.models = options.models.empty() ? model_names() : options.models;
  options.test.algorithms = options.algorithms;
  if (options.update && options.fail_fast) refuse("--update and --fail-fast exclude each other");
  if (options.update && options.test.bounds != TestBounds{})
    refuse("--update sets the numbers of all executions and cannot be combined with bounds");
  if (options.models.empty()) options.models = model_names();
  if (options.algorithms.empty() && !options.sweep) options.algorithms = bounded_algorithm_names();
  return options;
}

}  // namespace

std::variant<Options, UsageError> parse_options(int count, const char* const* arguments) {
  try {
    return parse(count, arguments);
  } catch (const Refusal& refusal) {
    return refusal.error;
  }
}

}  // namespace heddle::cli
