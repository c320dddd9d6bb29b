// See option_tables.hpp.
#include "cli/option_tables.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cli/option_groups.hpp"
#include "cli/option_values.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

constexpr std::uint64_t most_rows = std::numeric_limits<std::uint32_t>::max();

void add_check_options(CLI::App& app, Options& options) {
  CheckOptions& check = options.check;
  add_choice_options(app, check);
  add_compile_options(app, options);
  add_limit_options(app, check);
  add_flag(app, "--report-beyond-bound", check.report_beyond_bound,
           "Report violations beyond the preemption bound too, if trust meets any");
  add_flag(app, "--minimise", options.minimise,
           "Look for the shortest trace to the violation or witness, with the fewest context switches");
  add_flag(app, "--lint", options.lint,
           "Warn of what is probably not meant: unused names, updates that can get lost, needless fences, "
           "awaits that nobody can satisfy");
  add_flag(app, "--keep-going", check.keep_going,
           "Explore everything even after a violation, and list all that differ");
  add_value(app, "--violation", "N", "With --keep-going: show and save the Nth violation, not the first",
            [&options](const std::string& text) {
              options.violation = whole_number("--violation", text, 1, most_rows);
            });
  add_value(app, "--witness", "N", "Show, and save, an execution that satisfies the Nth `exists`",
            [&options](const std::string& text) {
              options.witness = whole_number("--witness", text, 1, most_rows);
            });
  add_flag(app, "--outcomes", check.collect_outcomes, "List the distinct final states");
  add_flag(app, "--coverage", check.coverage,
           "Count how often each line is reached; list assertions, branches and conditions that never are");
  add_artefact_options(app, options);
  add_value(app, "--coverage-lcov", "FILE", "Write the counts of --coverage as a tracefile of lcov",
            [&options](const std::string& text) {
              options.artefacts.lcov = text;
              options.check.coverage = true;
            });
  add_report_options(app, options);
  app.footer(describe_registries() + "\n" + std::string(exit_codes));
}

void add_outcomes_options(CLI::App& app, Options& options) {
  add_choice_options(app, options.check);
  add_only_option(app, options);
  add_value(app, "--witness", "N", "Show, and save, an execution that ends as row N says",
            [&options](const std::string& text) {
              options.witness = whole_number("--witness", text, 1, most_rows);
            });
  add_compile_options(app, options);
  add_limit_options(app, options.check);
  add_trace_options(app, options);
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
      "  3  one of the checks was given up or is vacuous, and none found a violation");
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
  add_value(
      app, "--filter", "PATTERN",
      "Only expectations that have PATTERN in the path of their program or suite or in their text; * and ? "
      "stand for any characters",
      [&test](const std::string& text) { test.filter = text; });
  add_flag(app, "--fail-fast", options.fail_fast, "Stop at the first failure");
  add_value(app, "--timeout", "S",
            fmt::format("A check that takes S seconds fails as undecided ({})", test.timeout),
            [&test](const std::string& text) { test.timeout = seconds_number("--timeout", text); });
  add_value(app, "--max-memory", "BYTES",
            "A search that takes more fails as undecided; K, M, G may follow the number",
            [&test](const std::string& text) { test.max_memory = bytes_number("--max-memory", text); });
  add_bound(app, "--unroll", "Cut threads off after K rounds of a `while`; `safe` means within bounds then",
            1, test.bounds.unroll);
  add_bound(app, "--buffer-bound", "At most K entries in a store buffer; the same", 0,
            test.bounds.buffer_bound);
  add_bound(app, "--preemption-bound", "Only executions with at most K preemptions; the same", 0,
            test.bounds.preemption_bound);
  add_flag(app, "--update", options.update,
           "Set the numbers of `executions N` and `outcomes N` to what is found");
  add_value(app, "--junit", "FILE", "Write the results as JUnit XML",
            [&options](const std::string& text) { options.junit_file = text; });
  add_value(app, "--json", "FILE", "Write the results as JSON (docs/json.md); - is standard output",
            [&options](const std::string& text) { options.json_file = text; });
  add_no_progress(app, options);
  app.footer(
      "A .suite file lists expectations, one a line, for programs that stand elsewhere:\n"
      "  # FILE          SETTINGS            MODELS   ALGORITHMS  EXPECTATION\n"
      "  peterson.hed    FENCED=0            tso,pso  -           violation \"two threads inside\"\n"
      "  dekker.hed      unroll=4,timeout=5  all      source      safe\n"
      "Settings are params, unroll, buffer-bound, preemption-bound, and timeout in seconds.\n\n"
      "Exit codes:\n"
      "  0  every expectation is met\n"
      "  1  one is not, or its check reached a limit or crashed\n"
      "  2  the command line or a path is wrong, nothing was checked, or an output cannot be written\n"
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
  app.add_option("FILE", options.file, "A trace that check --trace or outcomes --trace has saved")
      ->option_text(" ")
      ->required();
  add_file_option(app, "--program", "Run this program, not the file that the trace names", options.program);
  add_flag(app, "--step", options.step, "Show step by step, with the shared variables after each");
  add_artefact_options(app, options);
  add_json(app, options);
  app.footer(
      "Exit codes:\n"
      "  0  the trace leads to no violation any more; of a witness: it ends as it did\n"
      "  1  violation\n"
      "  2  the command line, a file or the program in it is wrong, or an output cannot be written\n"
      "  3  the trace of a witness no longer ends as it did");
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
