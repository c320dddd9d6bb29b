// See options.hpp. CLI11 splits the words; numbers, names and near misses are checked here, because a message
// that names the option, what it wants and what it got is worth more than the parser's own.
#include "cli/options.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/text.hpp"

namespace heddle::cli {
namespace {

// Leaves CLI11's parser from inside a callback.
struct Refusal {
  UsageError error;
};

[[noreturn]] void refuse(std::string message, std::string hint = {}) {
  throw Refusal{{std::move(message), std::move(hint)}};
}

// A word of the command line in a message: harmless, and not longer than a message can bear.
std::string shown(std::string_view word) { return shorten(clean(word), 60); }

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string candidate = near_miss(word, candidates);
  return candidate.empty() ? std::string() : fmt::format("did you mean '{}'?", candidate);
}

enum class Number { good, not_a_number, too_large };

// Decimal or 0x, all of the text. Signs are the caller's.
Number read_unsigned(std::string_view text, std::uint64_t& value) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return Number::not_a_number;
  return error == std::errc::result_out_of_range ? Number::too_large : Number::good;
}

std::uint64_t whole_number(std::string_view option, std::string_view text, std::uint64_t least,
                           std::uint64_t most) {
  std::uint64_t value = 0;
  const Number outcome = read_unsigned(text, value);
  if (outcome == Number::not_a_number) {
    refuse(fmt::format("{} takes a whole number of at least {}, not '{}'", option, least, shown(text)));
  }
  if (outcome == Number::too_large || value > most) {
    refuse(fmt::format("{} is at most {}, and '{}' is more", option, most, shown(text)));
  }
  if (value < least) refuse(fmt::format("{} is at least {}, and '{}' is less", option, least, shown(text)));
  return value;
}

// "1048576", "512K", "64M", "2G" (powers of 1024).
std::uint64_t bytes_number(std::string_view option, std::string_view text) {
  std::uint64_t unit = 1;
  std::string_view digits = text;
  if (!digits.empty()) {
    const std::size_t suffix = std::string_view("kKmMgG").find(digits.back());
    if (suffix != std::string_view::npos) {
      unit = std::uint64_t{1} << (10 * (suffix / 2 + 1));
      digits.remove_suffix(1);
    }
  }
  std::uint64_t value = 0;
  const Number outcome = read_unsigned(digits, value);
  if (outcome == Number::not_a_number || value == 0) {
    refuse(fmt::format("{} takes a number of bytes, not '{}'", option, shown(text)),
           "write for example 1048576, 512K, 64M or 2G");
  }
  if (outcome == Number::too_large || value > std::numeric_limits<std::uint64_t>::max() / unit) {
    refuse(fmt::format("{}: '{}' is more than any machine has", option, shown(text)));
  }
  return value * unit;
}

double seconds_number(std::string_view option, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
  if (!number || value <= 0) {
    refuse(fmt::format("{} takes a number of seconds above 0, not '{}'", option, shown(text)));
  }
  return value;
}

// Adds "NAME=VALUE".
void define(std::string_view text, Parameters& parameters) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    refuse(fmt::format("-D takes NAME=VALUE, not '{}'", shown(text)), "write for example -D N=3");
  }
  const std::string_view name = text.substr(0, equals);
  std::string_view digits = text.substr(equals + 1);
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  std::uint64_t magnitude = 0;
  const Number outcome = read_unsigned(digits, magnitude);
  if (outcome == Number::not_a_number) {
    refuse(fmt::format("-D {}: '{}' is not a whole number", shown(name), shown(text.substr(equals + 1))));
  }
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (outcome == Number::too_large || magnitude > most + (negative ? 1 : 0)) {
    refuse(fmt::format("-D {}: {} does not fit into 64 bits", shown(name), shown(text.substr(equals + 1))));
  }
  const auto value = static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
  if (!parameters.emplace(std::string(name), value).second) {
    refuse(fmt::format("-D gives {} twice", shown(name)));
  }
}

template <typename Info>
std::vector<std::string> names(const std::vector<Info>& infos) {
  std::vector<std::string> result;
  for (const Info& info : infos) result.emplace_back(info.name);
  return result;
}

template <typename Info>
void check_name(std::string_view what, const std::string& name, const std::vector<Info>& infos) {
  const std::vector<std::string> known = names(infos);
  for (const std::string& candidate : known) {
    if (candidate == name) return;
  }
  std::string hint = did_you_mean(name, known);
  hint += fmt::format("{}the {}s are {}", hint.empty() ? "" : " ", what, join(known, ", "));
  refuse(fmt::format("unknown {} '{}'", what, shown(name)), std::move(hint));
}

// "  name    summary", the summary wrapped.
std::string entry(std::string_view name, std::string_view summary) {
  constexpr std::size_t indent = 12;
  constexpr std::size_t width = 100;
  return fmt::format("  {} {}\n", pad_right(name, indent - 3), wrap(summary, width, indent));
}

std::string describe_registries() {
  std::string text = "Models (--model):\n";
  for (const ModelInfo& model : models()) {
    text +=
        entry(model.name, fmt::format("{} (default algorithm: {})", model.summary, model.default_algorithm));
  }
  text += "\nAlgorithms (--algorithm):\n";
  for (const AlgorithmInfo& algorithm : algorithms()) {
    text += entry(algorithm.name, algorithm.paper.empty()
                                      ? std::string(algorithm.summary)
                                      : fmt::format("{} [{}]", algorithm.summary, algorithm.paper));
  }
  return text + "\nWhich of them go together: heddle list\n";
}

constexpr std::string_view exit_codes =
    "Exit codes:\n"
    "  0  safe, perhaps within bounds that the report names\n"
    "  1  violation\n"
    "  2  the command line, a file or the program in it is wrong\n"
    "  3  undecided: a limit was reached, or the check was interrupted";

// A flag or an option with a value; `text` is how the help shows the value.
template <typename Action>
CLI::Option* add_value(CLI::App& app, const char* name, const char* text, const std::string& description,
                       Action action) {
  return app.add_option_function<std::string>(name, action, description)->option_text(text);
}

void add_compile_options(CLI::App& app, Options& options) {
  app.add_option("FILE", options.file, "The program, a .hed file")->option_text(" ")->required();
  app.add_option_function<std::vector<std::string>>(
         "-D",
         [&options](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) define(text, options.compile.parameters);
         },
         "Give a `param` of the program another value; may be repeated")
      ->allow_extra_args(false)
      ->option_text("NAME=VALUE");
  add_value(app, "--unroll", "N",
            fmt::format("Cut a thread off after N rounds of a `while` ({})", options.compile.unroll),
            [&options](const std::string& text) {
              const std::uint64_t value =
                  whole_number("--unroll", text, 1, std::numeric_limits<std::uint32_t>::max());
              options.compile.unroll = static_cast<std::uint32_t>(value);
            });
  app.add_flag("--optimise", options.compile.optimise, "Spend more time on faster machine code")
      ->disable_flag_override();
}

void add_check_options(CLI::App& app, Options& options) {
  constexpr std::uint64_t most32 = std::numeric_limits<std::uint32_t>::max();
  constexpr std::uint64_t most64 = std::numeric_limits<std::uint64_t>::max();
  CheckOptions& check = options.check;
  add_value(app, "--model", "NAME", fmt::format("The memory model ({}); see below", check.model),
            [&check](const std::string& text) { check.model = text; });
  add_value(app, "--algorithm", "NAME", "How to explore (the model's default); see below",
            [&check](const std::string& text) { check.algorithm = text; });
  add_compile_options(app, options);
  add_value(app, "--max-executions", "N", "Stop after N complete executions",
            [&check](const std::string& text) {
              check.max_executions = whole_number("--max-executions", text, 1, most64);
            });
  add_value(app, "--timeout", "S", "Stop after S seconds",
            [&check](const std::string& text) { check.timeout = seconds_number("--timeout", text); });
  add_value(app, "--max-memory", "BYTES", "Stop when the search takes more; K, M, G may follow the number",
            [&check](const std::string& text) { check.max_memory = bytes_number("--max-memory", text); });
  add_value(
      app, "--buffer-bound", "K", "At most K entries in a store buffer", [&check](const std::string& text) {
        check.buffer_bound = static_cast<std::uint32_t>(whole_number("--buffer-bound", text, 0, most32));
      });
  add_value(app, "--preemption-bound", "K", "Only executions with at most K preemptions",
            [&check](const std::string& text) {
              check.preemption_bound =
                  static_cast<std::uint32_t>(whole_number("--preemption-bound", text, 0, most32));
            });
  app.add_flag("--report-beyond-bound", check.report_beyond_bound,
               "Report violations beyond the preemption bound too, if trust meets any")
      ->disable_flag_override();
  app.add_flag("--keep-going", check.keep_going, "Explore everything even after a violation")
      ->disable_flag_override();
  app.add_flag("--outcomes", check.collect_outcomes, "List the distinct final states")
      ->disable_flag_override();
  app.add_flag("--json", options.json, "Report in JSON (docs/json.md), errors too")->disable_flag_override();
  app.add_flag_callback(
         "--no-progress", [&options] { options.progress = false; }, "No progress line")
      ->disable_flag_override();
}

// "sc,tso" or "all".
std::vector<std::string> model_list(const std::string& text) {
  const std::vector<std::string> known = ConsistencyOptions{}.models;
  if (text == "all") return known;
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string hint = did_you_mean(name, known);
      hint += fmt::format("{}histories can be checked under {}", hint.empty() ? "" : " ", join(known, ", "));
      refuse(fmt::format("unknown model '{}'", shown(name)), std::move(hint));
    }
    result.push_back(name);
    begin = end + 1;
  }
  return result;
}

void add_consistency_options(CLI::App& app, Options& options) {
  constexpr std::uint64_t most64 = std::numeric_limits<std::uint64_t>::max();
  ConsistencyOptions& consistency = options.consistency;
  app.add_option("FILE", options.file, "The history, a JSON file (docs/consistency.md)")
      ->option_text(" ")
      ->required();
  add_value(app, "--model", "NAMES", "Models with commas between them, or all (all)",
            [&consistency](const std::string& text) { consistency.models = model_list(text); });
  add_value(app, "--max-states", "N",
            fmt::format("Give a model up after N states of its search ({})", consistency.max_states),
            [&consistency](const std::string& text) {
              consistency.max_states = whole_number("--max-states", text, 1, most64);
            });
  app.add_flag_callback(
         "--no-closure", [&consistency] { consistency.closure = false; },
         "Search without looking for a contradiction first")
      ->disable_flag_override();
  app.add_flag("--json", options.json, "Report in JSON (docs/consistency.md), errors too")
      ->disable_flag_override();
  app.footer(
      "Exit codes:\n"
      "  0  possible under every model asked for\n"
      "  1  impossible under one of them\n"
      "  2  the command line or the file is wrong\n"
      "  3  undecided: a search was given up");
}

// All that `app` does not know: "--modle" before "tso", which CLI11 took for the file.
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
    // A single letter is near to every other one.
    std::string hint = name.size() > 2 ? did_you_mean(name, known) : std::string();
    if (hint.empty()) {
      const std::string command = app.get_parent() == nullptr ? "heddle" : "heddle " + app.get_name();
      hint = fmt::format("{} --help lists the options", command);
    }
    refuse(fmt::format("unknown option '{}'", shown(name)), std::move(hint));
  }
  for (const std::string& word : words) {
    if (word == "--") continue;
    if (app.get_option_no_throw("FILE") == nullptr) {
      refuse(fmt::format("heddle {} takes no file, but got '{}'", app.get_name(), shown(word)));
    }
    refuse(fmt::format("one file at a time: '{}' comes after '{}'", shown(word), shown(file)));
  }
}

// CLI11 says "--model: 1 required TEXT missing", "--model: At Most 1 required but received 2" and "json was
// given a disallowed flag override".
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

// No command, or a word that is none.
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
  if (!chosen) refuse(fmt::format("a command is missing: {}", join(known, ", ")), "heddle --help says more");
}

void check_model_and_algorithm(CheckOptions& check) {
  check_name("model", check.model, models());
  if (check.algorithm.empty()) return;
  check_name("algorithm", check.algorithm, algorithms());
  std::string reason = why_not(check.model, check.algorithm);
  if (!reason.empty()) refuse(std::move(reason), "heddle list shows which ones go together");
}

Options parse(int count, const char* const* arguments) {
  Options options;
  CLI::App app("Heddle checks small concurrent programs under memory models.", "heddle");
  app.allow_extras();
  app.get_formatter()->column_width(32);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.footer("heddle COMMAND --help says more about a command.\n\n" + std::string(exit_codes));
  bool wants_version = false;
  app.add_flag("--version", wants_version, "Print the version")->disable_flag_override();

  CLI::App* check = app.add_subcommand("check", "Explore a program's executions and report a verdict");
  add_check_options(*check, options);
  check->footer(describe_registries() + "\n" + std::string(exit_codes));

  CLI::App* emit = app.add_subcommand("emit", "Print what a program is compiled to");
  bool llvm = false;
  emit->add_flag("--llvm", llvm, "LLVM's intermediate code, as generated")->disable_flag_override();
  add_compile_options(*emit, options);

  CLI::App* list = app.add_subcommand("list", "List the models and algorithms, and which go together");

  CLI::App* consistency =
      app.add_subcommand("consistency", "Say under which models a recorded execution is possible");
  add_consistency_options(*consistency, options);

  for (CLI::App* command : {check, emit, list, consistency}) command->allow_extras()->group("Commands");
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    options.text = app.help();
    return options;
  } catch (const CLI::RequiredError&) {
    // The file is missing; a misspelt option may be why, so that is looked at first, below.
  } catch (const CLI::ArgumentMismatch& mismatch) {
    refuse(explain(mismatch));
  } catch (const CLI::ParseError& error) {
    refuse(error.what());
  }
  if (wants_version) {
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
  if (command == list) {
    options.command = Command::list;
    return options;
  }
  if (command == consistency) {
    if (options.file.empty())
      refuse("the file is missing", "write for example heddle consistency history.json");
    options.command = Command::consistency;
    return options;
  }
  if (options.file.empty()) {
    refuse("the file is missing", fmt::format("write for example heddle {} examples/peterson.hed",
                                              command == emit ? "emit --llvm" : "check"));
  }
  if (command == emit) {
    if (!llvm) refuse("say what to emit", "--llvm prints LLVM's intermediate code");
    options.command = Command::emit;
  } else {
    check_model_and_algorithm(options.check);
    options.command = Command::check;
  }
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
