// See option_groups.hpp.
#include "cli/option_groups.hpp"
#include "cli/pairs.hpp"

#include <fmt/format.h>

#include <limits>
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

}  // namespace

std::string describe_registries() {
  std::string text = "Models (--model):\n";
  for (const ModelInfo& model : models()) {
    text += entry(model.name, model.summary);
  }
  text += "\nAlgorithms (--algorithm):\n" + entry(automatic, automatic_summary);
  for (const AlgorithmInfo& algorithm : algorithms()) {
    text += entry(algorithm.name, algorithm.paper.empty()
                                      ? std::string(algorithm.summary)
                                      : fmt::format("{} [{}]", algorithm.summary, algorithm.paper));
  }
  return text + "\nheddle list shows the supported pairs.\n";
}

void add_flag(CLI::App& app, const char* name, bool& value, const std::string& description) {
  app.add_flag(name, value, description)->disable_flag_override();
}

void add_timeout(CLI::App& app, const std::string& description, std::optional<double>& timeout) {
  add_value(app, "--timeout", "S", description,
            [&timeout](const std::string& text) { timeout = seconds_number("--timeout", text); });
}

void add_lists(CLI::App& app, Options& options, const char* default_algorithms) {
  add_value(
      app, "--models", "NAMES", "Models separated by commas, or all (all)",
      [&options](const std::string& text) { options.models = name_list("model", text, model_names()); });
  add_value(app, "--algorithms", "NAMES",
            fmt::format("Algorithms separated by commas, or all ({})", default_algorithms),
            [&options](const std::string& text) {
              options.algorithms = name_list("algorithm", text, algorithm_names());
            });
}

void add_only_option(CLI::App& app, Options& options) {
  add_value(app, "--only", "NAMES", "Show only these variables of the final states (x,flag[1],p.a)",
            [&options](const std::string& text) { options.only = split_names(text); });
}

namespace {

template <typename Define>
void add_definitions(CLI::App& app, const char* text, const char* description, Define&& define) {
  app.add_option_function<std::vector<std::string>>(
         "-D",
         [define](const std::vector<std::string>& texts) {
           for (const std::string& each : texts) define(each);
         },
         description)
      ->allow_extra_args(false)
      ->option_text(text);
}

}  // namespace

void add_parameters(CLI::App& app, Options& options) {
  add_definitions(app, "NAME=VALUE", "Set a `param` of the program; may be repeated",
                  [&options](const std::string& text) { define(text, options.compile.parameters); });
}

void add_parameter_lists(CLI::App& app, Options& options) {
  add_definitions(app, "NAME=VALUES",
                  "Set a `param` of the program, or several: A=3, A=0,2,B=0..4 (without 4); may be repeated",
                  [&options](const std::string& text) { define_lists(text, options.values); });
}

void add_bound(CLI::App& app, const char* name, const std::string& description, std::uint64_t least,
               std::optional<std::uint32_t>& bound) {
  add_value(app, name, "K", description, [&bound, name, least](const std::string& text) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    bound = static_cast<std::uint32_t>(whole_number(name, text, least, most));
  });
}

void add_unroll(CLI::App& app, Options& options) {
  constexpr std::uint64_t most32 = std::numeric_limits<std::uint32_t>::max();
  add_value(app, "--unroll", "N",
            fmt::format("Cut a thread off after N rounds of a `while` ({})", options.compile.unroll),
            [&options](const std::string& text) {
              options.compile.unroll = static_cast<std::uint32_t>(whole_number("--unroll", text, 1, most32));
            });
}

void add_random_options(CLI::App& app, Options& options) {
  constexpr std::uint64_t most32 = std::numeric_limits<std::uint32_t>::max();
  constexpr std::uint64_t most64 = std::numeric_limits<std::uint64_t>::max();
  add_value(app, "--random", "N", "Instead of all executions, N runs with random priorities",
            [&options](const std::string& text) {
              options.random.runs = whole_number("--random", text, 1, most64);
            });
  add_value(app, "--seed", "S",
            fmt::format("Of --random ({}): equal seeds give equal runs", options.random.seed),
            [&options](const std::string& text) {
              options.random.seed = whole_number("--seed", text, 0, most64);
              options.shapes_random = true;
            });
  add_value(app, "--depth", "D",
            fmt::format("Of --random ({}): priorities change D - 1 times in a run", options.random.depth),
            [&options](const std::string& text) {
              options.random.depth = static_cast<std::uint32_t>(whole_number("--depth", text, 1, most32));
              options.shapes_random = true;
            });
}

namespace {

// The settings that determine the program besides its params.
void add_loop_settings(CLI::App& app, Options& options) {
  add_unroll(app, options);
  add_flag(app, "--no-spin-await", options.compile.unroll_spin_loops,
           "Run loops that wait as written: `while x != 0 { }` is no `await`, and a round that changes "
           "nothing does not end the execution");
}

void add_optimise(CLI::App& app, Options& options) {
  add_flag(app, "--optimise", options.compile.optimise, "Spend more time on faster machine code");
}

}  // namespace

void add_program_settings(CLI::App& app, Options& options) {
  add_parameters(app, options);
  add_loop_settings(app, options);
}

void add_sweep_compile_options(CLI::App& app, Options& options) {
  add_program_file(app, options);
  add_parameter_lists(app, options);
  add_loop_settings(app, options);
  add_optimise(app, options);
}

void add_compile_settings(CLI::App& app, Options& options) {
  add_program_settings(app, options);
  add_optimise(app, options);
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

void add_choice_options(CLI::App& app, CheckOptions& check) {
  add_value(app, "--model", "NAME", fmt::format("The memory model ({}); see below", check.model),
            [&check](const std::string& text) { check.model = text; });
  add_value(app, "--algorithm", "NAME", fmt::format("The algorithm ({}); see below", automatic),
            [&check](const std::string& text) { check.algorithm = text == automatic ? "" : text; });
}

void add_choice_lists(CLI::App& app, Options& options) {
  add_value(app, "--model", "NAMES",
            fmt::format("The memory model ({}), several, or all; see below", options.check.model),
            [&options](const std::string& text) {
              if (text.empty()) check_name("model", text, model_names());
              options.models = name_list("model", text, model_names());
            });
  add_value(app, "--algorithm", "NAMES",
            fmt::format("The algorithm ({}), several, or all; see below", automatic),
            [&options](const std::string& text) {
              if (text == automatic) return options.algorithms.clear();
              if (text == "all") {
                options.algorithms = algorithm_names();
                return;
              }
              std::vector<std::string> names = algorithm_names();
              names.emplace_back(automatic);
              if (text.empty()) check_name("algorithm", text, names);
              options.algorithms = name_list("algorithm", text, names);
            });
}

void add_limit_options(CLI::App& app, CheckOptions& check) {
  constexpr std::uint64_t most64 = std::numeric_limits<std::uint64_t>::max();
  add_value(app, "--max-executions", "N", "Stop after N complete executions",
            [&check](const std::string& text) {
              check.max_executions = whole_number("--max-executions", text, 1, most64);
            });
  add_timeout(app, "Stop after S seconds", check.timeout);
  add_value(app, "--max-memory", "BYTES", "Stop when the search uses more memory; suffixes K, M, G",
            [&check](const std::string& text) { check.max_memory = bytes_number("--max-memory", text); });
  add_bound(app, "--buffer-bound", "At most K entries in a store buffer", 0, check.buffer_bound);
  add_bound(app, "--preemption-bound",
            "At most K preemptions: switches away from a thread that could continue and comes back", 0,
            check.preemption_bound);
}

void add_no_symmetry(CLI::App& app, CheckOptions& check) {
  app.add_flag_callback(
         "--no-symmetry", [&check] { check.symmetry = false; },
         "Explore also executions and states that differ from others in a permutation of equal threads only")
      ->disable_flag_override();
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

void add_trace_options(CLI::App& app, Options& options) {
  Artefacts& files = options.artefacts;
  add_file_option(app, "--trace", "Save the counterexample, or witness, for heddle replay", files.trace);
  add_file_option(app, "--dot", "Draw its execution graph for Graphviz", files.dot);
  add_file_option(app, "--html", "Draw it as a page to step through in a browser", files.html);
  add_file_option(app, "--mermaid", "Draw it as a sequence diagram for Mermaid", files.mermaid);
  add_flag(app, "--chart", options.layout.chart,
           "Print it as a message sequence chart: arrows lead to the threads that read what others wrote");
  add_flag(app, "--unfold", options.layout.unfold,
           "Print each step of the library's functions and each field of structs, not one line for a call");
  add_flag(app, "--locals", options.layout.locals, "Print the locals that each step changes");
}

void add_artefact_options(CLI::App& app, Options& options) {
  add_trace_options(app, options);
  add_file_option(app, "--sarif", "Report violations, and warnings, in SARIF 2.1.0", options.artefacts.sarif);
}

}  // namespace heddle::cli
