// See option_tables.hpp.
#include "cli/option_tables.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cli/option_values.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

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

constexpr std::string_view product_codes =
    "Exit codes:\n"
    "  0  printed\n"
    "  2  the command line, the file or the program in it is wrong, or the output cannot be written";

// A flag or an option with a value; `text` is how the help shows the value.
template <typename Action>
CLI::Option* add_value(CLI::App& app, const char* name, const char* text, const std::string& description,
                       Action action) {
  return app.add_option_function<std::string>(name, action, description)->option_text(text);
}

void add_flag(CLI::App& app, const char* name, bool& value, const std::string& description) {
  app.add_flag(name, value, description)->disable_flag_override();
}

void add_timeout(CLI::App& app, const std::string& description, std::optional<double>& timeout) {
  add_value(app, "--timeout", "S", description,
            [&timeout](const std::string& text) { timeout = seconds_number("--timeout", text); });
}

// Models and algorithms as lists.
void add_lists(CLI::App& app, Options& options, const char* default_algorithms) {
  add_value(
      app, "--models", "NAMES", "Models with commas between them, or all (all)",
      [&options](const std::string& text) { options.models = name_list("model", text, model_names()); });
  add_value(app, "--algorithms", "NAMES",
            fmt::format("Algorithms with commas between them, or all ({})", default_algorithms),
            [&options](const std::string& text) {
              options.algorithms = name_list("algorithm", text, algorithm_names());
            });
}

void add_only_option(CLI::App& app, Options& options) {
  add_value(app, "--only", "NAMES", "Of the final states only these variables (x,flag[1],p.a)",
            [&options](const std::string& text) { options.only = split_names(text); });
}

void add_parameters(CLI::App& app, Options& options) {
  app.add_option_function<std::vector<std::string>>(
         "-D",
         [&options](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) define(text, options.compile.parameters);
         },
         "Give a `param` of the program another value; may be repeated")
      ->allow_extra_args(false)
      ->option_text("NAME=VALUE");
}

void add_unroll(CLI::App& app, Options& options) {
  constexpr std::uint64_t most32 = std::numeric_limits<std::uint32_t>::max();
  add_value(app, "--unroll", "N",
            fmt::format("Cut a thread off after N rounds of a `while` ({})", options.compile.unroll),
            [&options](const std::string& text) {
              options.compile.unroll = static_cast<std::uint32_t>(whole_number("--unroll", text, 1, most32));
            });
}

// What decides which program is made of a text.
void add_program_settings(CLI::App& app, Options& options) {
  add_parameters(app, options);
  add_unroll(app, options);
  add_flag(app, "--no-spin-await", options.compile.unroll_spin_loops,
           "Unroll loops that only wait, like `while x != 0 { }`, instead of treating them as `await`");
}

void add_compile_settings(CLI::App& app, Options& options) {
  add_program_settings(app, options);
  add_flag(app, "--optimise", options.compile.optimise, "Spend more time on faster machine code");
}

void add_program_file(CLI::App& app, Options& options) {
  app.add_option("FILE", options.file, "The program: a .hed file, or a .litmus file in herd's format")
      ->option_text(" ")
      ->required();
}

void add_compile_options(CLI::App& app, Options& options) {
  add_program_file(app, options);
  add_compile_settings(app, options);
}

// How one check explores: model, algorithm.
void add_choice_options(CLI::App& app, CheckOptions& check) {
  add_value(app, "--model", "NAME", fmt::format("The memory model ({}); see below", check.model),
            [&check](const std::string& text) { check.model = text; });
  add_value(app, "--algorithm", "NAME", "How to explore (the model's default); see below",
            [&check](const std::string& text) { check.algorithm = text; });
}

// Where an exploration ends.
void add_limit_options(CLI::App& app, CheckOptions& check) {
  constexpr std::uint64_t most32 = std::numeric_limits<std::uint32_t>::max();
  constexpr std::uint64_t most64 = std::numeric_limits<std::uint64_t>::max();
  add_value(app, "--max-executions", "N", "Stop after N complete executions",
            [&check](const std::string& text) {
              check.max_executions = whole_number("--max-executions", text, 1, most64);
            });
  add_timeout(app, "Stop after S seconds", check.timeout);
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
}

void add_no_progress(CLI::App& app, Options& options) {
  app.add_flag_callback(
         "--no-progress", [&options] { options.progress = false; }, "No progress line")
      ->disable_flag_override();
}

void add_json(CLI::App& app, Options& options) {
  add_flag(app, "--json", options.json, "Report in JSON (docs/json.md), errors too");
}

void add_report_options(CLI::App& app, Options& options) {
  add_json(app, options);
  add_no_progress(app, options);
}

void add_file_option(CLI::App& app, const char* name, const std::string& description, std::string& file) {
  add_value(app, name, "FILE", description, [&file](const std::string& text) { file = text; });
}

void add_artefact_options(CLI::App& app, Options& options) {
  Artefacts& files = options.artefacts;
  add_file_option(app, "--trace", "Save a counterexample for heddle replay", files.trace);
  add_file_option(app, "--dot", "Draw its execution graph for Graphviz", files.dot);
  add_file_option(app, "--html", "Draw it as a page to step through in a browser", files.html);
  add_file_option(app, "--sarif", "Report a violation, and warnings, in SARIF 2.1.0", files.sarif);
}

void add_check_options(CLI::App& app, Options& options) {
  CheckOptions& check = options.check;
  add_choice_options(app, check);
  add_compile_options(app, options);
  add_limit_options(app, check);
  add_flag(app, "--report-beyond-bound", check.report_beyond_bound,
           "Report violations beyond the preemption bound too, if trust meets any");
  add_flag(app, "--minimise", options.minimise,
           "Look for the shortest trace to a violation, with the fewest context switches");
  add_flag(app, "--lint", options.lint,
           "Warn of what is probably not meant: unused names, updates that can get lost, needless fences, "
           "awaits that nobody can satisfy");
  add_flag(app, "--keep-going", check.keep_going, "Explore everything even after a violation");
  add_flag(app, "--outcomes", check.collect_outcomes, "List the distinct final states");
  add_artefact_options(app, options);
  add_report_options(app, options);
  app.footer(describe_registries() + "\n" + std::string(exit_codes));
}

void add_outcomes_options(CLI::App& app, Options& options) {
  add_choice_options(app, options.check);
  add_only_option(app, options);
  add_compile_options(app, options);
  add_limit_options(app, options.check);
  add_report_options(app, options);
  app.footer(describe_registries() + "\n" + std::string(exit_codes));
}

void add_compare_options(CLI::App& app, Options& options) {
  add_lists(app, options, "all");
  add_only_option(app, options);
  add_compile_options(app, options);
  add_timeout(app, fmt::format("Give a check up after S seconds ({})", default_compare_timeout),
              options.check.timeout);
  add_value(
      app, "--max-memory", "BYTES", "Give a check up when it takes more; K, M, G may follow the number",
      [&options](const std::string& text) { options.check.max_memory = bytes_number("--max-memory", text); });
  add_report_options(app, options);
  app.footer(
      "Exit codes:\n"
      "  0  safe under every model\n"
      "  1  violation under one of them\n"
      "  2  the command line, the file or the program in it is wrong\n"
      "  3  undecided: one of the checks was given up, and none found a violation");
}

void add_test_options(CLI::App& app, Options& options) {
  TestSettings& test = options.test;
  test.jobs = std::max(1u, std::thread::hardware_concurrency());
  app.add_option("PATH", options.paths, "Programs, .suite files, and folders with any of them")
      ->option_text("...")
      ->required();
  add_value(app, "-j,--jobs", "N", fmt::format("Worker processes ({})", test.jobs),
            [&test](const std::string& text) {
              test.jobs = static_cast<unsigned>(whole_number("--jobs", text, 1, 1024));
            });
  add_lists(app, options, "those that an expectation names, else the model's default");
  add_value(app, "--timeout", "S",
            fmt::format("A check that takes S seconds fails as undecided ({})", test.timeout),
            [&test](const std::string& text) { test.timeout = seconds_number("--timeout", text); });
  add_value(app, "--max-memory", "BYTES",
            "A search that takes more fails as undecided; K, M, G may follow the number",
            [&test](const std::string& text) { test.max_memory = bytes_number("--max-memory", text); });
  add_flag(app, "--update", options.update,
           "Set the numbers of `executions N` and `outcomes N` to what is found");
  add_value(app, "--junit", "FILE", "Write the results as JUnit XML",
            [&options](const std::string& text) { options.junit_file = text; });
  add_value(app, "--json", "FILE", "Write the results as JSON (docs/json.md); - is standard output",
            [&options](const std::string& text) { options.json_file = text; });
  add_no_progress(app, options);
  app.footer(
      "A .suite file lists expectations, one a line, for programs that stand elsewhere:\n"
      "  # FILE          SETTINGS  MODELS   ALGORITHMS  EXPECTATION\n"
      "  peterson.hed    FENCED=0  tso,pso  -           violation \"two threads inside\"\n"
      "  dekker.hed      unroll=4  all      source      safe\n\n"
      "Exit codes:\n"
      "  0  every expectation is met\n"
      "  1  one is not, or its check reached a limit or crashed\n"
      "  2  the command line or a path is wrong, nothing is expected, or an output cannot be written\n"
      "  3  interrupted, and no failure so far");
}

void add_consistency_options(CLI::App& app, Options& options) {
  constexpr std::uint64_t most64 = std::numeric_limits<std::uint64_t>::max();
  ConsistencyOptions& consistency = options.consistency;
  app.add_option("FILE", options.file, "The history, a JSON file (docs/consistency.md)")
      ->option_text(" ")
      ->required();
  add_value(app, "--model", "NAMES", "Models with commas between them, or all (all)",
            [&consistency](const std::string& text) {
              consistency.models = name_list("model", text, ConsistencyOptions{}.models);
            });
  add_value(app, "--max-states", "N",
            fmt::format("Give a model up after N states of its search ({})", consistency.max_states),
            [&consistency](const std::string& text) {
              consistency.max_states = whole_number("--max-states", text, 1, most64);
            });
  app.add_flag_callback(
         "--no-closure", [&consistency] { consistency.closure = false; },
         "Search without looking for a contradiction first")
      ->disable_flag_override();
  add_flag(app, "--json", options.json, "Report in JSON (docs/consistency.md), errors too");
  app.footer(
      "Exit codes:\n"
      "  0  possible under every model asked for\n"
      "  1  impossible under one of them\n"
      "  2  the command line or the file is wrong\n"
      "  3  undecided: a search was given up");
}

void add_repl_options(CLI::App& app, Options& options) {
  app.add_option("FILE", options.file, "A program to begin with")->option_text(" ");
  add_choice_options(app, options.check);
  add_compile_settings(app, options);
  add_limit_options(app, options.check);
  add_flag(app, "--echo", options.echo, "Show each line of a script before what it says, as a transcript");
  add_flag(app, "--json", options.json, "Answer each input with one line of JSON (docs/json.md)");
  app.footer(
      "Reads commands from the terminal, or from standard input if that is no terminal: then it stops at "
      "the\n"
      "first error with exit code 2. :help lists the commands; docs/repl.md explains them.");
}

void add_conformance_options(CLI::App& app, Options& options) {
  constexpr std::uint64_t most32 = std::numeric_limits<std::uint32_t>::max();
  app.add_option("FILE", options.file, "The folder with the .litmus files")
      ->option_text("(a folder)")
      ->required();
  add_value(app, "--expected", "FILE", "The table of the states that each test should end in",
            [&options](const std::string& text) { options.expected = text; });
  add_choice_options(app, options.check);
  add_value(app, "-j,--jobs", "N", fmt::format("Worker threads ({})", options.jobs),
            [&options](const std::string& text) {
              options.jobs = static_cast<std::uint32_t>(whole_number("--jobs", text, 1, 1024));
            });
  add_value(app, "--sample", "N", "Run every Nth test only", [&options](const std::string& text) {
    options.sample = static_cast<std::uint32_t>(whole_number("--sample", text, 1, most32));
  });
  add_unroll(app, options);
  add_limit_options(app, options.check);
  add_flag(app, "--json", options.json, "Report in JSON (docs/conformance.md), errors too");
  app.footer(
      "Exit codes:\n"
      "  0  every test that is covered ends in the expected states\n"
      "  1  one of them does not\n"
      "  2  the command line, the folder or the table is wrong, or no test could be compared\n"
      "  3  undecided: a test was given up, and no other one differs");
}

void add_translate_options(CLI::App& app, Options& options) {
  add_flag(app, "--to-litmus", options.to_litmus, "As a litmus test in C, not as a .hed program");
  add_json(app, options);
  add_program_file(app, options);
  add_parameters(app, options);
  app.footer(std::string(product_codes));
}

void add_replay_options(CLI::App& app, Options& options) {
  app.add_option("FILE", options.file, "A trace that check --trace has saved")->option_text(" ")->required();
  add_file_option(app, "--program", "Run this program, not the file that the trace names", options.program);
  add_flag(app, "--step", options.step, "Show step by step, with the shared variables after each");
  add_artefact_options(app, options);
  add_json(app, options);
  app.footer(
      "Exit codes:\n"
      "  0  the trace leads to no violation any more\n"
      "  1  violation\n"
      "  2  the command line, a file or the program in it is wrong, or an output cannot be written");
}

void add_list_options(CLI::App& app, Options& options) {
  add_json(app, options);
  app.footer(std::string(product_codes));
}

void add_completions_options(CLI::App& app, Options& options) {
  app.add_option("SHELL", options.shell, "bash, zsh or fish")->option_text(" ")->required();
  add_json(app, options);
  app.footer(
      "Write the output where the shell looks for completions, for example\n"
      "  heddle completions bash > ~/.local/share/bash-completion/completions/heddle\n\n" +
      std::string(product_codes));
}

struct Entry {
  CommandInfo info;
  void (*add_options)(CLI::App& app, Options& options);
};

void add_emit_options(CLI::App& app, Options& options) {
  add_flag(app, "--llvm", options.llvm, "LLVM's intermediate code, as generated");
  add_json(app, options);
  add_program_file(app, options);
  add_program_settings(app, options);
  app.footer(std::string(product_codes));
}

void add_man_options(CLI::App& app, Options& options) {
  add_json(app, options);
  app.footer(std::string(product_codes));
}

void add_format_options(CLI::App& app, Options& options) {
  app.add_option("FILES", options.paths,
                 "Programs to be rewritten; - formats standard input to standard output")
      ->option_text(" ")
      ->required();
  add_flag(app, "--check", options.check_only, "Change nothing; name the files that would be changed");
  add_json(app, options);
  app.footer(
      "Exit codes:\n"
      "  0  done\n"
      "  1  with --check: a file would be changed\n"
      "  2  a file is wrong, or cannot be read or written");
}

constexpr Entry entries[] = {
    {{"check", Command::check, "Explore a program's executions and report a verdict",
      "examples/peterson.hed"},
     add_check_options},
    {{"outcomes", Command::outcomes, "List a program's final states and how many executions give each",
      "examples/store_buffering.hed"},
     add_outcomes_options},
    {{"compare", Command::compare, "Compare a program's outcomes by model, verdicts and times by algorithm",
      "examples/store_buffering.hed"},
     add_compare_options},
    {{"test", Command::test, "Run the expectations of programs and suites", "examples"}, add_test_options},
    {{"repl", Command::repl, "Explore a program step by step, and change it, at a prompt", ""},
     add_repl_options},
    {{"replay", Command::replay, "Run a saved counterexample again", "trace.json"}, add_replay_options},
    {{"fmt", Command::fmt, "Lay out programs in the canonical style", "examples/peterson.hed"},
     add_format_options},
    {{"emit", Command::emit, "Print what a program is compiled to", "--llvm examples/peterson.hed"},
     add_emit_options},
    {{"list", Command::list, "List the models and algorithms, and which go together", ""}, add_list_options},
    {{"consistency", Command::consistency, "Say under which models a recorded execution is possible",
      "history.json"},
     add_consistency_options},
    {{"conformance", Command::conformance,
      "Compare the final states of a folder of litmus tests with a table", "tests/ --expected expected.tsv"},
     add_conformance_options},
    {{"translate", Command::translate, "Print a litmus test as a .hed program, or the other way",
      "test.litmus"},
     add_translate_options},
    {{"completions", Command::completions, "Print a shell's completions for heddle", ""},
     add_completions_options},
    {{"man", Command::man, "Print the manual page", ""}, add_man_options},
};

}  // namespace

void build_app(CLI::App& app, Options& options) {
  app.name("heddle");
  app.description("Heddle checks small concurrent programs under memory models.");
  app.allow_extras();
  app.get_formatter()->column_width(32);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.footer("heddle COMMAND --help says more about a command.\n\n" + std::string(exit_codes));
  add_flag(app, "--version", options.version, "Print the version");
  for (const Entry& entry : entries) {
    CLI::App* const command =
        app.add_subcommand(std::string(entry.info.name), std::string(entry.info.summary));
    command->allow_extras()->group("Commands");
    entry.add_options(*command, options);
  }
}

const CommandInfo& command_info(std::string_view name) {
  for (const Entry& entry : entries) {
    if (entry.info.name == name) return entry.info;
  }
  throw std::logic_error("a command that is in no table");
}

}  // namespace heddle::cli
