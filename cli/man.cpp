// heddle man: the manual page, made from the option tables.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/option_tables.hpp"
#include "cli/pairs.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

// Text for troff: a backslash, or a quote or full stop at the start of a line, would be a command; without
// escapes a hyphen would not match a search for "--model".
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool line_start = result.empty() || result.back() == '\n';
    if (line_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string option_entry(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("\\fB\\-" + roff(name) + "\\fR");
  for (const std::string& name : option.get_lnames()) names.push_back("\\fB\\-\\-" + roff(name) + "\\fR");
  std::string head = names.empty() ? "\\fI" + roff(option.get_name()) + "\\fR" : join(names, ", ");
  const std::string& value = option.get_option_text();
  if (!names.empty() && !value.empty()) head += " \\fI" + roff(value) + "\\fR";
  return fmt::format(".TP\n{}\n{}\n", head, roff(option.get_description()));
}

std::string command_section(const CLI::App& command) {
  std::string usage = command.get_name();
  std::string options;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) usage += " " + option->get_name();
    options += option_entry(*option);
  }
  return fmt::format(".SS heddle {}\n{}.\n{}", roff(usage), roff(command.get_description()), options);
}

std::string footer_of(const CLI::App& app) { return fmt::format(".nf\n{}\n.fi\n", roff(app.get_footer())); }

}  // namespace

int run_man(const Options& options) {
  Options unused;
  CLI::App app;
  build_app(app, unused);
  std::string text = fmt::format(".TH HEDDLE 1 \"\" \"heddle {}\" \"User Commands\"\n", roff(version()));
  text += fmt::format(".SH NAME\nheddle \\- {}\n", "model checker for small concurrent programs");
  text += ".SH SYNOPSIS\n.B heddle\n.I COMMAND\n.RI [ OPTIONS ]\n.I FILE\n";
  text += fmt::format(".SH DESCRIPTION\n{}\n", roff(app.get_description()));
  text += ".SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands({})) text += command_section(*command);
  text += ".SH MODELS\n";
  for (const ModelInfo& model : models()) {
    text += fmt::format(".TP\n.B {}\n{}\n", roff(model.name), roff(model.summary));
  }
  text += fmt::format(".SH ALGORITHMS\n.TP\n.B {}\n{}\n", roff(automatic), roff(automatic_summary));
  for (const AlgorithmInfo& algorithm : algorithms()) {
    text += fmt::format(".TP\n.B {}\n{}{}\n", roff(algorithm.name), roff(algorithm.summary),
                        algorithm.paper.empty() ? "" : fmt::format(" [{}]", roff(algorithm.paper)));
  }
  text += ".SH EXIT STATUS\n" + footer_of(app);
  return write_product(options, text);
}

}  // namespace heddle::cli
