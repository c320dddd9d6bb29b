// Products of the tables of options and of the language: completions, the manual page, the grammar for
// editors.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>

#include "heddle/heddle.h"
#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

// bash's completions of the last word of a command line.
std::vector<std::string> completed(const std::string& script, const std::vector<std::string>& words) {
  TemporaryFolder folder;
  std::string line = "source " + script + "\nCOMP_WORDS=(";
  for (const std::string& word : words) line += " '" + word + "'";
  line += " )\nCOMP_CWORD=" + std::to_string(words.size() - 1) +
          "\n_heddle\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  const std::string output = (folder.path() / "out").string();
  REQUIRE(std::system(("bash " + folder.file("ask.sh", line) + " > " + output).c_str()) == 0);
  std::istringstream lines(read(output));
  std::vector<std::string> result;
  for (std::string each; std::getline(lines, each);) result.push_back(each);
  return result;
}

// Every "--name" in the help of a command.
std::vector<std::string> long_options(const std::string& command) {
  const std::string help = run_heddle({command, "--help"}).output;
  const std::regex pattern("\n +(?:-[A-Za-z],)?(--[a-z-]+)");
  std::vector<std::string> names;
  for (std::sregex_iterator it(help.begin(), help.end(), pattern); it != std::sregex_iterator(); ++it)
    names.push_back((*it)[1]);
  return names;
}

const char* const commands[] = {"check", "outcomes", "compare",     "test",   "replay",      "repl",
                                "emit",  "list",     "consistency", "fences", "completions", "man"};

}  // namespace

TEST_CASE("bash completes commands, options, names of models and lists of them") {
  TemporaryFolder folder;
  const Finished run = run_heddle({"completions", "bash"});
  REQUIRE(run.exit_code == 0);
  const std::string script = folder.file("heddle.bash", run.output);
  CHECK(completed(script, {"heddle", "che"}) == std::vector<std::string>{"check"});
  CHECK(completed(script, {"heddle", "check", "--preem"}) == std::vector<std::string>{"--preemption-bound"});
  CHECK(completed(script, {"heddle", "check", "--model", "ts"}) == std::vector<std::string>{"tso"});
  CHECK(completed(script, {"heddle", "check", "--model", "sc,ts"}) == std::vector<std::string>{"sc,tso"});
  CHECK(completed(script, {"heddle", "outcomes", "--model", "al"}) == std::vector<std::string>{""});
  CHECK(completed(script, {"heddle", "compare", "--models", "sc,ts"}) == std::vector<std::string>{"sc,tso"});
  CHECK(completed(script, {"heddle", "completions", "z"}) == std::vector<std::string>{"zsh"});
  const std::string file = folder.file("program.hed", safe_program);
  CHECK(completed(script, {"heddle", "check", file.substr(0, file.size() - 3)}) ==
        std::vector<std::string>{file});
}

TEST_CASE("zsh completes commands, options and names of models") {
  if (std::system("zsh -f -c 'zmodload zsh/zpty' > /dev/null 2>&1") != 0 || !have_terminals()) {
    MESSAGE("zsh with zsh/zpty is not installed: not tested");
    return;
  }
  TemporaryFolder folder;
  const std::string at = folder.path().string();
  folder.file("_heddle", run_heddle({"completions", "zsh"}).output);
  // A shell at a pseudo-terminal: Tab completes the typed line, Ctrl-G records the result.
  const std::string noted = at + "/noted";
  const std::string setup = folder.file(
      "setup.zsh", "unsetopt zle_bracketed_paste; autoload -Uz compinit; fpath=(" + at +
                       " $fpath); compinit -u -d " + at + "/dump\nnote() { print -r -- $BUFFER >> " + noted +
                       "; BUFFER= }\nzle -N note; bindkey '^G' note\n");
  const std::string script = folder.file(
      "type.zsh",
      "zmodload zsh/zpty\nzpty z zsh -f -i\nzpty -w z '. " + setup +
          "; print READY'\nzpty -r -m z out $'*\nREADY*'\n"
          "for line in 'heddle che' 'heddle check --preem' 'heddle check --model ts' "
          "'heddle compare --models sc,ts' 'heddle completions z'; do zpty -w -n z $line$'\\t\\a'; done\n"
          "for i in {1..300}; do\n  while zpty -r -t z out; do :; done\n"
          "  [[ $(wc -l < " +
          noted + ") -ge 5 ]] && break; sleep 0.1\ndone 2> /dev/null\nzpty -d z\n");
  REQUIRE(std::system(("timeout 60 zsh -f " + script).c_str()) == 0);
  std::istringstream lines(read(noted));
  for (const char* expected : {"heddle check", "heddle check --preemption-bound", "heddle check --model tso",
                               "heddle compare --models sc,tso", "heddle completions zsh"}) {
    std::string line;
    CHECK(std::getline(lines, line));
    CHECK(line.substr(0, line.find_last_not_of(" ,") + 1) == expected);
  }
}

TEST_CASE("fish completes commands, options, names of models and lists of them") {
  if (std::system("fish --version > /dev/null 2>&1") != 0) {
    MESSAGE("fish is not installed: not tested");
    return;
  }
  TemporaryFolder folder;
  const std::string script = folder.file("heddle.fish", run_heddle({"completions", "fish"}).output);
  const auto completes = [&](const std::string& line) {
    const std::string output = (folder.path() / "out").string();
    const std::string command = "HOME=" + folder.path().string() + " fish --no-config -c 'source " + script +
                                "; complete -C \"" + line + "\"' > " + output;
    REQUIRE(std::system(command.c_str()) == 0);
    const std::string text = read(output);
    return text.substr(0, text.find_first_of("\t\n"));
  };
  CHECK(completes("heddle che") == "check");
  CHECK(completes("heddle check --preem") == "--preemption-bound");
  CHECK(completes("heddle check --model ts") == "tso");
  CHECK(completes("heddle compare --models sc,ts") == "sc,tso");
  CHECK(completes("heddle completions z") == "zsh");
}

TEST_CASE("every command that prints a text also prints it as JSON") {
  TemporaryFolder folder;
  const std::string program = folder.file("sb.hed", safe_program);
  const auto json = [](const std::vector<std::string>& arguments) {
    Json document = Json::parse(run_heddle(arguments).output, nullptr, false);
    REQUIRE(document.is_object());
    CHECK(document["version"] == 1);
    return document;
  };
  for (std::vector<std::string> arguments :
       std::vector<std::vector<std::string>>{{"man"},
                                             {"completions", "fish"},
                                             {"emit", "--llvm", program},
                                             {"translate", "--to-litmus", program}}) {
    CAPTURE(arguments[0]);
    const Finished plain = run_heddle(arguments);
    arguments.push_back("--json");
    const Json document = json(arguments);
    CHECK(document["document"] == "text");
    CHECK(document["text"] == plain.output);
    CHECK(document["exit_code"] == plain.exit_code);
  }
  const std::string bad = folder.file("bad.hed", "shared x int;\n");
  CHECK(json({"emit", bad, "--llvm", "--json"})["document"] == "errors");
  CHECK(json({"translate", bad, "--json"})["document"] == "errors");

  const std::string loose = folder.file("loose.hed", "shared x:int;thread p{x=1;}\n");
  const Json checked = json({"fmt", "--check", loose, bad, "--json"});
  CHECK(checked["document"] == "format");
  CHECK(checked["exit_code"] == 2);
  CHECK(checked["files"][0]["changed"] == true);
  CHECK(checked["files"][1]["diagnostics"][0]["line"] == 1);
  CHECK(json({"fmt", loose, "--json"})["exit_code"] == 0);
  CHECK(json({"fmt", "--check", loose, "--json"})["files"][0]["changed"] == false);
}

TEST_CASE("completions and the manual page have every command and every option") {
  const std::string bash = run_heddle({"completions", "bash"}).output;
  const std::string zsh = run_heddle({"completions", "zsh"}).output;
  const std::string fish = run_heddle({"completions", "fish"}).output;
  const std::string man = run_heddle({"man"}).output;
  for (const std::string command : commands) {
    CAPTURE(command);
    CHECK(contains(bash, "    " + command + ")"));
    CHECK(contains(zsh, "    " + command + ")"));
    CHECK(contains(fish, "__fish_use_subcommand -f -a " + command + " "));
    CHECK(contains(man, ".SS heddle " + command));
    for (const std::string& name : long_options(command)) {
      CAPTURE(name);
      CHECK(contains(bash, name));
      CHECK(contains(zsh, name + "["));
      CHECK(contains(fish, " -l " + name.substr(2)));
      std::string escaped;
      for (const char c : name) escaped += c == '-' ? "\\-" : std::string(1, c);
      CHECK(contains(man, "\\fB" + escaped + "\\fR"));
    }
  }
  const Finished unknown = run_heddle({"completions", "tcsh"});
  CHECK(unknown.exit_code == 2);
  CHECK(contains(unknown.errors, "no completions for 'tcsh'"));
  CHECK(run_heddle({"completions"}).exit_code == 2);
}

TEST_CASE("list --json has the supported pairs of algorithms and models") {
  const Json json = Json::parse(run_heddle({"list", "--json"}).output, nullptr, false);
  REQUIRE(json.is_object());
  CHECK(json["document"] == "list");
  REQUIRE(json["models"].size() == models().size());
  CHECK(json["algorithms"].size() == algorithms().size());
  for (const Json& model : json["models"]) {
    for (const auto& algorithm : algorithms()) {
      const std::string name(algorithm.name);
      const bool listed = std::find(model["algorithms"].begin(), model["algorithms"].end(), name) !=
                          model["algorithms"].end();
      CHECK(listed == why_not(model["name"].get<std::string>(), name).empty());
    }
  }
}

TEST_CASE("the grammar for editors is JSON with valid patterns, and has every keyword") {
  const std::string folder = std::string(HEDDLE_SOURCE_DIR) + "/editors/vscode/";
  for (const char* file : {"package.json", "language-configuration.json"})
    CHECK(!Json::parse(read(folder + file), nullptr, false).is_discarded());
  const std::string text = read(folder + "syntaxes/heddle.tmLanguage.json");
  const Json grammar = Json::parse(text, nullptr, false);
  REQUIRE(grammar.is_object());
  CHECK(grammar["scopeName"] == "source.heddle");
  std::vector<std::regex> patterns;
  const auto collect = [&](const auto& self, const Json& node) -> void {
    if (node.is_object()) {
      if (node.contains("include")) {
        const std::string target = node["include"];
        CHECK_MESSAGE(grammar["repository"].contains(target.substr(1)), target);
      }
      for (const char* key : {"match", "begin"}) {
        if (node.contains(key)) patterns.emplace_back(node[key].get<std::string>());
      }
    }
    for (const Json& child : node) {
      if (child.is_structured()) self(self, child);
    }
  };
  collect(collect, grammar);

  // The list of keywords in docs/language.md.
  const std::string document = read(std::string(HEDDLE_SOURCE_DIR) + "/docs/language.md");
  const std::size_t begin = document.find("**Keywords** cannot be names: ");
  REQUIRE(begin != std::string::npos);
  const std::string list = document.substr(begin, document.find("The words `as`", begin) - begin);
  std::size_t keywords = 0;
  const std::regex quoted("`([^`]*)`");
  for (std::sregex_iterator it(list.begin(), list.end(), quoted); it != std::sregex_iterator(); ++it) {
    std::istringstream words((*it)[1].str());
    for (std::string word; words >> word;) {
      ++keywords;
      const bool known = std::any_of(patterns.begin(), patterns.end(), [&](const std::regex& pattern) {
        return std::regex_match(word, pattern);
      });
      CHECK_MESSAGE(known, word);
    }
  }
  CHECK(keywords > 40);
}

}  // namespace heddle::test
