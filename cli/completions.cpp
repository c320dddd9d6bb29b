// heddle completions SHELL: scripts for bash, zsh and fish, made from the option tables.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/option_tables.hpp"
#include "cli/option_values.hpp"
#include "cli/pairs.hpp"
#include "cli/templates.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

struct Flag {
  std::vector<std::string> names;  // with their hyphens
  std::string description;
  bool takes_value = false;
  bool takes_list = false;          // values separated by commas
  std::vector<std::string> values;  // possible values; empty: files
};

struct Words {
  std::string name;
  std::string description;
  std::vector<Flag> flags;
  std::vector<std::string> arguments;  // possible arguments; empty: files
};

std::vector<std::string> values_of(const CLI::Option& option) {
  const auto is = [&](const char* name) {
    const auto& names = option.get_lnames();
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::string> values;
  if (is("model") || is("models")) values = model_names();
  if (is("algorithm") || is("algorithms")) values = algorithm_names();
  if (is("algorithm")) values.emplace_back(automatic);
  if (is("template")) {
    for (const Template& each : templates()) values.emplace_back(each.name);
    return values;
  }
  // The text of a list is NAMES, that of one name NAME.
  if (!values.empty() && option.get_option_text() == "NAMES") values.emplace_back("all");
  return values;
}

Flag flag_of(const CLI::Option& option) {
  Flag flag;
  for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  flag.description = option.get_description();
  flag.takes_value = option.get_items_expected_max() > 0;
  flag.values = values_of(option);
  flag.takes_list = std::find(flag.values.begin(), flag.values.end(), "all") != flag.values.end();
  return flag;
}

std::vector<Words> words() {
  Options unused;
  CLI::App app;
  build_app(app, unused);
  std::vector<Words> result;
  for (const CLI::App* command : app.get_subcommands({})) {
    Words entry{
        .name = command->get_name(), .description = command->get_description(), .flags = {}, .arguments = {}};
    for (const CLI::Option* option : command->get_options()) {
      if (!option->get_positional()) entry.flags.push_back(flag_of(*option));
    }
    if (entry.name == "completions") entry.arguments = {"bash", "zsh", "fish"};
    result.push_back(std::move(entry));
  }
  return result;
}

// Text inside single quotes of a shell; `closing` is that shell's way to write a quote there.
std::string quoted(std::string_view text, std::string_view closing) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += closing;
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::string bash(const std::vector<Words>& commands) {
  std::vector<std::string> names;
  for (const Words& command : commands) names.push_back(command.name);
  std::string cases;
  for (const Words& command : commands) {
    std::vector<std::string> flags;
    std::string values;
    for (const Flag& flag : command.flags) {
      flags.insert(flags.end(), flag.names.begin(), flag.names.end());
      if (flag.takes_value) {
        values += fmt::format("        {}) values={}; takes=1 ;;\n", join(flag.names, "|"),
                              quoted(join(flag.values, " "), ""));
      }
    }
    cases += fmt::format(
        "    {})\n      flags={}\n      arguments={}\n      case $previous in\n{}        *) ;;\n      esac "
        ";;\n",
        command.name, quoted(join(flags, " "), ""), quoted(join(command.arguments, " "), ""), values);
  }
  return fmt::format(R"(# bash completion for heddle; made by `heddle completions bash`.
_heddle() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local flags= arguments= values= takes=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}    *) return ;;
  esac
  if [[ $takes && $values ]]; then
    local before=
    [[ $current == *,* ]] && before=${{current%,*}},
    COMPREPLY=($(compgen -P "$before" -W "$values" -- "${{current##*,}}"))
  elif [[ ! $takes && $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ ! $takes && $arguments ]]; then
    COMPREPLY=($(compgen -W "$arguments" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _heddle heddle
)",
                     join(names, " "), cases);
}

std::string zsh(const std::vector<Words>& commands) {
  constexpr std::string_view closing = "'\\''";
  // A description inside [...] of _arguments.
  const auto described = [](std::string_view text) {
    std::string result;
    for (const char c : text) {
      if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
      result += c;
    }
    return result;
  };
  std::string list;
  std::string cases;
  for (const Words& command : commands) {
    list += fmt::format("    {}\n", quoted(command.name + ":" + described(command.description), closing));
    cases += fmt::format("    {})\n      _arguments", command.name);
    for (const Flag& flag : command.flags) {
      for (const std::string& name : flag.names) {
        std::string spec = fmt::format("{}[{}]", name, described(flag.description));
        if (flag.takes_value) {
          const std::string values = join(flag.values, " ");
          spec += flag.values.empty() ? ":value:_files"
                  : flag.takes_list   ? fmt::format(":value:_values -s , name {}", values)
                                      : fmt::format(":value:({})", values);
        }
        cases += " \\\n        " + quoted(spec, closing);
      }
    }
    cases += command.arguments.empty()
                 ? " \\\n        '*:file:_files'"
                 : fmt::format(" \\\n        '1:name:({})'", join(command.arguments, " "));
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef heddle
# zsh completion for heddle; made by `heddle completions zsh`.
_heddle() {{
  local -a commands
  commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{}  esac
}}
if [ "$funcstack[1]" = _heddle ]; then _heddle "$@"; else compdef _heddle heddle; fi
)",
                     list, cases);
}

std::string fish(const std::vector<Words>& commands) {
  constexpr std::string_view closing = "\\'";
  std::string text = "# fish completion for heddle; made by `heddle completions fish`.\n";
  for (const Words& command : commands) {
    text += fmt::format("complete -c heddle -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                        quoted(command.description, closing));
  }
  for (const Words& command : commands) {
    const std::string where = fmt::format("-n '__fish_seen_subcommand_from {}'", command.name);
    for (const Flag& flag : command.flags) {
      text += "complete -c heddle " + where;
      for (const std::string& name : flag.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (flag.takes_value) {
        const std::string values = join(flag.values, " ");
        text += flag.values.empty() ? " -r -F"
                : flag.takes_list   ? fmt::format(" -x -a '(__fish_append , {})'", values)
                                    : fmt::format(" -x -a {}", quoted(values, closing));
      }
      text += fmt::format(" -d {}\n", quoted(flag.description, closing));
    }
    if (!command.arguments.empty()) {
      text += fmt::format("complete -c heddle {} -f -a {}\n", where,
                          quoted(join(command.arguments, " "), closing));
    }
  }
  return text;
}

}  // namespace

int run_completions(const Options& options) {
  const std::vector<Words> commands = words();
  const std::string text = options.shell == "bash"  ? bash(commands)
                           : options.shell == "zsh" ? zsh(commands)
                                                    : fish(commands);
  return write_product(options, text);
}

}  // namespace heddle::cli
