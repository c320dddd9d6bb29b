// See option_tables.hpp.
#include "cli/option_tables.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "cli/option_groups.hpp"
#include "cli/option_values.hpp"
#include "cli/templates.hpp"
#include "cli/text.hpp"
#include "heddle/why.h"

namespace heddle::cli {
namespace {

constexpr std::uint64_t most_rows = std::numeric_limits<std::uint32_t>::max();

void add_check_options(CLI::App& app, Options& options) {
  CheckOptions& check = options.check;
  options.sweep_jobs = std::max(1u, std::thread::hardware_concurrency());
  check.threads = 0;
  add_choice_lists(app, options);
  add_sweep_compile_options(app, options);
  add_no_symmetry(app, check);
  add_limit_options(app, check);
  add_value(app, "-j,--jobs", "N",
            fmt::format("Threads (1 for a second, then {}; {} for several models, algorithms or params)",
                        options.sweep_jobs, options.sweep_jobs),
            [&options](const std::string& text) {
              options.sweep_jobs = static_cast<unsigned>(whole_number("--jobs", text, 1, 1024));
              options.check.threads = options.sweep_jobs;
            });
  add_flag(app, "--any-violation", check.any_violation,
           "With several threads: stop at the violation that is met first, not the first in serial order");
  add_value(app, "--checkpoint", "FILE",
            "Save the state of the search in FILE, from which --resume continues",
            [&options](const std::string& text) { options.artefacts.checkpoint = text; });
  add_value(app, "--every", "S",
            fmt::format("With --checkpoint: save every S seconds ({}), and when the search is stopped",
                        check.save_period),
            [&check](const std::string& text) { check.save_period = seconds_number("--every", text); });
  add_value(app, "--resume", "FILE", "Continue the search of which --checkpoint has saved the state",
            [&options](const std::string& text) { options.resume_file = text; });
  add_flag(app, "--estimate", options.estimate,
           "Do not check, but say after a second how many executions there are and how long they take");
  add_value(
      app, "--cluster", "URL",
      "Let the workers at this server explore: redis://HOST[:PORT][/DB], redis+unix:///PATH (docs/scale.md)",
      [&options](const std::string& text) { options.cluster.url = cluster_url(text); });
  add_value(app, "--csv", "FILE",
            "Write a table with one line per check as CSV; - is standard output, without the report",
            [&options](const std::string& text) { options.csv_file = text; });
  add_flag(app, "--report-beyond-bound", check.report_beyond_bound,
           "Also report violations beyond the preemption bound that trust comes across");
  add_flag(app, "--robust", check.robust,
           "Instead of violations, look for an execution graph that SC does not have, and show its cycle");
  add_flag(app, "--states", check.robust_states, "With --robust: compare final states, not execution graphs");
  add_flag(app, "--live", check.live,
           "Also ask whether every thread that is no daemon ends, in all fair runs; loops that are no mere "
           "waiting: by states");
  add_random_options(app, options);
  add_flag(app, "--minimise", options.minimise,
           "Find the shortest trace to the violation or witness, with the fewest context switches");
  add_flag(app, "--lint", options.lint,
           "Warn about probable mistakes: unused names, updates that can get lost, needless and missing "
           "fences, awaits that can never hold");
  add_flag(app, "--fix", options.fix,
           "With --lint: remove needless fences from the file, and weaken those that may be weaker");
  add_flag(app, "--keep-going", check.keep_going, "Continue after a violation, and list all distinct ones");
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
           "Count visits of each line; list assertions, branches and conditions that are never reached");
  add_artefact_options(app, options);
  add_value(app, "--coverage-lcov", "FILE", "Write the counts of --coverage as an lcov tracefile",
            [&options](const std::string& text) {
              options.artefacts.lcov = text;
              options.check.coverage = true;
            });
  add_report_options(app, options);
  app.footer(
      describe_registries() + "\n" + std::string(exit_codes) +
      "\n\nSeveral models, algorithms or values of params make a table of checks. Its exit code is 2 if "
      "some\nparams have no program, else 1, 3 or 0 in this order: the worst of the checks.");
}

void add_outcomes_options(CLI::App& app, Options& options) {
  add_choice_options(app, options.check);
  add_only_option(app, options);
  add_value(app, "--witness", "N", "Show, and save, an execution that ends in the state of row N",
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
  add_timeout(app, fmt::format("Abandon a check after S seconds ({})", default_compare_timeout),
              options.check.timeout);
  add_value(
      app, "--max-memory", "BYTES", "Abandon a check that uses more memory; suffixes K, M, G",
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
  add_value(app, "--cluster", "URL",
            "Let the workers at this server take checks that last longer than a second (docs/scale.md)",
            [&test](const std::string& text) { test.cluster = cluster_url(text); });
  add_lists(app, options, "those that an expectation names, else the model's default");
  add_value(
      app, "--filter", "PATTERN",
      "Only expectations whose text, or the path of whose program or suite, contains PATTERN; * and ? match "
      "any characters",
      [&test](const std::string& text) { test.filter = text; });
  add_flag(app, "--fail-fast", options.fail_fast, "Stop at the first failure");
  add_value(app, "--timeout", "S",
            fmt::format("A check that takes S seconds fails as undecided ({})", test.timeout),
            [&test](const std::string& text) { test.timeout = seconds_number("--timeout", text); });
  add_value(app, "--max-memory", "BYTES",
            "A search that uses more memory fails as undecided; suffixes K, M, G",
            [&test](const std::string& text) { test.max_memory = bytes_number("--max-memory", text); });
  add_bound(app, "--unroll", "Cut threads off after K rounds of a `while`; `safe` then means within bounds",
            1, test.bounds.unroll);
  add_bound(app, "--buffer-bound", "At most K entries in a store buffer; `safe` likewise", 0,
            test.bounds.buffer_bound);
  add_bound(app, "--preemption-bound", "Only executions with at most K preemptions; `safe` likewise", 0,
            test.bounds.preemption_bound);
  add_flag(app, "--update", options.update,
           "Set the numbers of `executions N` and `outcomes N` to the actual ones");
  add_value(app, "--junit", "FILE", "Write the results as JUnit XML",
            [&options](const std::string& text) { options.junit_file = text; });
  add_value(app, "--json", "FILE", "Write the results as JSON (docs/json.md); - is standard output",
            [&options](const std::string& text) { options.json_file = text; });
  add_no_progress(app, options);
  app.footer(
      "A .suite file lists expectations, one per line, for programs in other files:\n"
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
  add_value(app, "--model", "NAMES", "Models separated by commas, or all (all)",
            [&consistency](const std::string& text) {
              consistency.models = name_list("model", text, ConsistencyOptions{}.models);
            });
  add_value(app, "--max-states", "N",
            fmt::format("Abandon a model after N states of its search ({})", consistency.max_states),
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
      "  0  possible under every requested model\n"
      "  1  impossible under one of them\n"
      "  2  the command line or the file is wrong\n"
      "  3  undecided: a search was given up");
}

void add_repl_options(CLI::App& app, Options& options) {
  app.add_option("FILE", options.file, "The initial program")->option_text(" ");
  add_choice_options(app, options.check);
  add_compile_settings(app, options);
  add_limit_options(app, options.check);
  add_flag(app, "--echo", options.echo, "Show each line of a script before its output, as a transcript");
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
  add_value(app, "--expected", "FILE", "The table of each test's expected final states",
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
      "  0  every covered test ends in the expected states\n"
      "  1  one of them does not\n"
      "  2  the command line, the folder or the table is wrong, or no test could be compared\n"
      "  3  undecided: a test was given up, and no other one differs");
}

void add_why_options(CLI::App& app, Options& options) {
  add_program_file(app, options);
  app.add_option("CONDITION", options.condition,
                 "What holds at the end, written as after `exists` (the program's own condition)")
      ->option_text(" ");
  add_value(app, "--model", "NAME", fmt::format("The memory model ({})", options.check.model),
            [&options](const std::string& text) { options.check.model = text; });
  add_program_settings(app, options);
  add_timeout(app, fmt::format("Give up after S seconds ({})", WhyOptions{}.timeout), options.check.timeout);
  add_file_option(app, "--dot", "Draw the first execution with its cycle for Graphviz",
                  options.artefacts.dot);
  add_file_option(app, "--html", "Write the answer as a page with pictures", options.artefacts.html);
  add_json(app, options);
  app.footer(
      "Exit codes:\n"
      "  0  answered: allowed or forbidden\n"
      "  2  the command line, the condition, the file or the program in it is wrong\n"
      "  3  undecided: there are too many executions");
}

void add_translate_options(CLI::App& app, Options& options) {
  add_flag(app, "--to-litmus", options.to_litmus, "As a litmus test in C, not as a .hed program");
  add_json(app, options);
  add_program_file(app, options);
  add_parameters(app, options);
  app.footer(std::string(product_codes));
}

// "full=4,lw=2": the costs that are not named stay.
void set_costs(std::string_view text, FenceCosts& costs) {
  for (const std::string& entry : split_names(text)) {
    const auto sign = entry.find('=');
    const std::string word = entry.substr(0, sign);
    const std::pair<std::string_view, std::uint32_t*> words[] = {{"full", &costs.full},
                                                                 {"lw", &costs.lightweight},
                                                                 {"st", &costs.store_store},
                                                                 {"isync", &costs.instruction}};
    const auto* const known = std::find_if(std::begin(words), std::end(words),
                                           [&](const auto& each) { return each.first == word; });
    if (known == std::end(words) || sign == std::string::npos) {
      refuse(fmt::format("--cost takes KIND=COST, not '{}'", shown(entry)),
             "the kinds are full, lw, st and isync");
    }
    *known->second = static_cast<std::uint32_t>(
        whole_number("--cost " + word, std::string_view(entry).substr(sign + 1), 1, 1'000'000));
  }
}

void add_fences_options(CLI::App& app, Options& options) {
  constexpr std::uint64_t most64 = std::numeric_limits<std::uint64_t>::max();
  FenceOptions& fences = options.fences;
  add_compile_options(app, options);
  add_value(app, "--model", "NAMES",
            fmt::format("Models separated by commas, or all; the fences suffice under each of them ({})",
                        join(fences.models, ",")),
            [&fences](const std::string& text) { fences.models = name_list("model", text, model_names()); });
  add_flag(app, "--each", options.each_model, "The cheapest fences for each model by itself");
  add_value(app, "--goal", "GOAL",
            "safe: no violation; robust: no execution that sc does not allow; expect: the expect lines hold "
            "(safe)",
            [&fences](const std::string& text) {
              std::vector<std::string> goals;
              for (const auto goal : {FenceGoal::safe, FenceGoal::robust, FenceGoal::expect}) {
                if (text == name(goal)) fences.goal = goal;
                goals.emplace_back(name(goal));
              }
              check_name("goal", text, goals);
            });
  add_value(app, "--cost", "COSTS",
            fmt::format("What a fence of each kind costs (full={},lw={},st={},isync={})", fences.costs.full,
                        fences.costs.lightweight, fences.costs.store_store, fences.costs.instruction),
            [&fences](const std::string& text) { set_costs(text, fences.costs); });
  add_value(app, "--in", "MODULES",
            "Change the fences of these imported modules (spinlock,queue), not those of the file",
            [&fences](const std::string& text) { fences.modules = split_names(text); });
  add_flag(app, "--why", options.why, "List the clauses that prove that no cheaper fences suffice");
  add_flag(app, "--apply", options.apply, "Write the fences into the file, and remove those not needed");
  add_value(app, "--max-executions", "N", "Give up at a check with N complete executions",
            [&fences](const std::string& text) {
              fences.max_executions = whole_number("--max-executions", text, 1, most64);
            });
  add_timeout(app, "Give up after S seconds in all", fences.timeout);
  add_value(app, "--max-memory", "BYTES", "Give up at a check that uses more memory; suffixes K, M, G",
            [&fences](const std::string& text) { fences.max_memory = bytes_number("--max-memory", text); });
  add_report_options(app, options);
  app.footer(
      "Exit codes:\n"
      "  0  found: these fences suffice, and no cheaper ones do\n"
      "  1  no fences suffice\n"
      "  2  the command line, a file or the program in it is wrong, or the file cannot be written\n"
      "  3  undecided: a limit was reached, or the search was interrupted");
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
      "  0  the trace no longer leads to a violation; a witness: it ends in the same state\n"
      "  1  violation\n"
      "  2  the command line, a file or the program in it is wrong, or an output cannot be written\n"
      "  3  the trace of a witness no longer ends in the same state");
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

void add_cluster_options(CLI::App& app, Options& options) {
  ClusterOptions& cluster = options.cluster;
  cluster.workers = std::max(1u, std::thread::hardware_concurrency());
  app.add_option_function<std::string>(
         "ACTION",
         [&cluster](const std::string& text) {
           const std::pair<const char*, ClusterAction> actions[] = {{"work", ClusterAction::work},
                                                                    {"status", ClusterAction::status},
                                                                    {"cancel", ClusterAction::cancel}};
           std::vector<std::string> names;
           for (const auto& [name, action] : actions) {
             if (text == name) cluster.action = action;
             names.emplace_back(name);
           }
           check_name("action", text, names);
         },
         "work: explore; status: list workers and checks; cancel: end a check")
      ->option_text(" ")
      ->required();
  app.add_option_function<std::string>(
         "URL", [&cluster](const std::string& text) { cluster.url = cluster_url(text); },
         "The server: redis://HOST[:PORT][/DB] or redis+unix:///PATH")
      ->option_text(" ")
      ->required();
  app.add_option("CHECK", cluster.check, "cancel: the check to end, as status shows it (all)")
      ->option_text(" ");
  add_value(app, "-j,--jobs", "N", fmt::format("work: processes ({})", cluster.workers),
            [&cluster](const std::string& text) {
              cluster.workers = static_cast<unsigned>(whole_number("--jobs", text, 1, 1024));
            });
  add_value(app, "--idle", "S", "work: end after S seconds without work (never)",
            [&cluster](const std::string& text) { cluster.idle = seconds_number("--idle", text); });
  add_value(app, "--lease", "S",
            fmt::format("work: others take over what a worker has, S seconds after it was last heard of ({})",
                        std::chrono::duration<double>(cluster.lease).count()),
            [&cluster](const std::string& text) {
              const double seconds = std::clamp(seconds_number("--lease", text), 0.1, 86400.0);
              cluster.lease = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
            });
  add_json(app, options);
  app.footer(
      "The password of the server is taken from HEDDLE_REDIS_PASSWORD, a user's name from "
      "HEDDLE_REDIS_USER.\n"
      "docs/scale.md says who may reach the server, and how a check is submitted.\n\n"
      "Exit codes:\n"
      "  0  done; a worker: interrupted, or idle for as long as --idle says\n"
      "  2  the command line is wrong, or the server cannot be used");
}

void add_new_options(CLI::App& app, Options& options) {
  std::string kinds;
  for (const Template& each : templates())
    kinds += fmt::format("  {}  {}\n", pad_right(each.name, 8), each.summary);
  app.add_option("NAME", options.file, "The name of the file, with or without its extension")
      ->option_text(" ")
      ->required();
  add_value(app, "--template", "KIND", "What to start from; see below", [&options](const std::string& text) {
    std::vector<std::string> names;
    for (const Template& each : templates()) names.emplace_back(each.name);
    check_name("template", text, names);
    options.template_name = text;
  });
  add_json(app, options);
  app.footer("Templates:\n" + kinds +
             "\nExit codes:\n"
             "  0  written\n"
             "  2  the command line is wrong, or a file exists or cannot be written");
}

struct Entry {
  CommandInfo info;
  void (*add_options)(CLI::App& app, Options& options);
};

void add_emit_options(CLI::App& app, Options& options) {
  add_flag(app, "--llvm", options.llvm, "Print LLVM IR, as generated");
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
  app.add_option("FILES", options.paths, "Programs to rewrite; - formats standard input to standard output")
      ->option_text(" ")
      ->required();
  add_flag(app, "--check", options.check_only, "Change nothing; list the files that would change");
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
    {{"outcomes", Command::outcomes, "List a program's final states with the number of executions of each",
      "examples/store_buffering.hed"},
     add_outcomes_options},
    {{"compare", Command::compare,
      "Compare a program's outcomes by model, its verdicts and times by algorithm",
      "examples/store_buffering.hed"},
     add_compare_options},
    {{"test", Command::test, "Run the expectations of programs and suites", "examples"}, add_test_options},
    {{"repl", Command::repl, "Write a program and step through its executions at a prompt", ""},
     add_repl_options},
    {{"replay", Command::replay, "Replay a saved counterexample or witness", "trace.json"},
     add_replay_options},
    {{"fmt", Command::fmt, "Format programs in the canonical style", "examples/peterson.hed"},
     add_format_options},
    {{"emit", Command::emit, "Print the LLVM IR of a program", "--llvm examples/peterson.hed"},
     add_emit_options},
    {{"new", Command::new_, "Write a program to start from", "queue --template queue"}, add_new_options},
    {{"list", Command::list, "List the models, the algorithms and the supported pairs", ""},
     add_list_options},
    {{"consistency", Command::consistency, "Report which models allow a recorded execution", "history.json"},
     add_consistency_options},
    {{"conformance", Command::conformance,
      "Compare the final states of a folder of litmus tests with a table", "tests/ --expected expected.tsv"},
     add_conformance_options},
    {{"why", Command::why, "Explain why a final state is forbidden, or how it comes about",
      "sb.hed 'p.a == 0 && q.b == 0' --model tso"},
     add_why_options},
    {{"translate", Command::translate, "Translate a litmus test into a .hed program, or back", "test.litmus"},
     add_translate_options},
    {{"fences", Command::fences, "Find the cheapest fences that make a program safe or robust",
      "examples/dekker.hed"},
     add_fences_options},
    {{"cluster", Command::cluster, "Work on the checks of others, list them, or end them", ""},
     add_cluster_options},
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
  app.footer("heddle COMMAND --help describes a command.\n\n" + std::string(exit_codes));
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
