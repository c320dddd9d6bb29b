// Options that several commands share.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "cli/options.hpp"

namespace heddle::cli {

inline constexpr std::string_view exit_codes =
    "Exit codes:\n"
    "  0  safe, perhaps within bounds that the report names\n"
    "  1  violation\n"
    "  2  the command line, a file or the program in it is wrong\n"
    "  3  undecided: a limit was reached, or the check was interrupted; or vacuous: no execution is complete";

inline constexpr std::string_view product_codes =
    "Exit codes:\n"
    "  0  printed\n"
    "  2  the command line, the file or the program in it is wrong, or the output cannot be written";

// A flag or an option with a value; `text` is how the help shows the value.
template <typename Action>
CLI::Option* add_value(CLI::App& app, const char* name, const char* text, const std::string& description,
                       Action action) {
  return app.add_option_function<std::string>(name, action, description)->option_text(text);
}

// The models and algorithms, for the end of a help text.
[[nodiscard]] std::string describe_registries();
void add_flag(CLI::App& app, const char* name, bool& value, const std::string& description);
void add_timeout(CLI::App& app, const std::string& description, std::optional<double>& timeout);
// Models and algorithms as lists.
void add_lists(CLI::App& app, Options& options, const char* default_algorithms);
// --only: the variables of the final states to show.
void add_only_option(CLI::App& app, Options& options);
void add_parameters(CLI::App& app, Options& options);
// -D with lists of values, for sweeps.
void add_parameter_lists(CLI::App& app, Options& options);
// An optional bound.
void add_bound(CLI::App& app, const char* name, const std::string& description, std::uint64_t least,
               std::optional<std::uint32_t>& bound);
void add_unroll(CLI::App& app, Options& options);
// --random, --seed, --depth.
void add_random_options(CLI::App& app, Options& options);
// Settings that determine the program.
void add_program_settings(CLI::App& app, Options& options);
// Those, and settings of the compiler.
void add_compile_settings(CLI::App& app, Options& options);
void add_program_file(CLI::App& app, Options& options);
// FILE, and all these settings.
void add_compile_options(CLI::App& app, Options& options);
// The same with lists of values for params.
void add_sweep_compile_options(CLI::App& app, Options& options);
// The choices of one check: model, algorithm.
void add_choice_options(CLI::App& app, CheckOptions& check);
// The same with lists, for sweeps.
void add_choice_lists(CLI::App& app, Options& options);
// Limits and bounds of an exploration.
void add_limit_options(CLI::App& app, CheckOptions& check);
void add_no_symmetry(CLI::App& app, CheckOptions& check);
void add_no_progress(CLI::App& app, Options& options);
void add_json(CLI::App& app, Options& options);
void add_report_options(CLI::App& app, Options& options);
void add_file_option(CLI::App& app, const char* name, const std::string& description, std::string& file);
// Files that show an execution.
void add_trace_options(CLI::App& app, Options& options);
// Those, and files about all results of a check.
void add_artefact_options(CLI::App& app, Options& options);

}  // namespace heddle::cli
