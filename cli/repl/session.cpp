// The command table, and functions shared by all commands.
#include "cli/repl/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/option_values.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "heddle/source.h"

namespace heddle::cli {

const std::vector<SessionCommand>& Session::commands() {
  static const std::vector<SessionCommand> list{
      {"load", "FILE", "load a program from a file, replacing the current one", &Session::load_command, true},
      {"reload", "", "load the file again", &Session::reload, true},
      {"save", "[FILE]", "save the program to a file", &Session::save, true},
      {"edit", "", "edit the program in $VISUAL or $EDITOR", &Session::edit},
      {"list", "", "show the program", &Session::list},
      {"drop", "NAME", "remove a declaration, or all of a kind without names: final, exists, expect, ...",
       &Session::drop},
      {"model", "[NAME]", "show the memory models, or select one", &Session::set_model},
      {"algorithm", "[NAME]", "show the algorithms, or select one; 'default' is the model's default",
       &Session::set_algorithm},
      {"set", "[NAME VALUE]", "show all settings and params, or change one; 'off' removes a bound",
       &Session::set},
      {"check", "", "explore all executions and give a verdict", &Session::check_command},
      {"outcomes", "[NAME,...]", "all final states, or those of some variables", &Session::outcomes},
      {"compare", "[NAME,...]", "outcomes by model, and executions by algorithm", &Session::compare},
      {"start", "[MODEL]", "put the machine at the start of an execution", &Session::start},
      {"enabled", "", "list the enabled transitions, numbered", &Session::enabled},
      {"why", "[CONDITION]",
       "list what is not enabled, and what it waits for; or explain why the final state is forbidden or "
       "allowed",
       &Session::why},
      {"step", "[N [VALUE]]",
       "take transition N (VALUE: of a choose); without N the one of a replay, or the only one",
       &Session::step},
      {"run", "THREAD [until LINE]", "run one thread alone", &Session::run_thread},
      {"random", "[SEED]", "take random transitions to the end", &Session::random},
      {"back", "[K]", "undo one transition, or K", &Session::back},
      {"forward", "[K]", "redo or replay one transition, or K", &Session::forward},
      {"goto", "K", "go to the state after K transitions", &Session::go_to},
      {"replay", "[N]",
       "put the machine at the start of the violation or witness that :check found, or the Nth",
       &Session::replay},
      {"state", "", "memory, locks, and each thread with its locals and store buffer", &Session::state},
      {"trace", "", "the execution so far as a table", &Session::trace},
      {"graph", "", "the execution so far as a graph: po, rf, co, fr", &Session::graph},
      {"watch", "[EXPR]", "show an expression whenever it changes; without one, list the watched expressions",
       &Session::watch},
      {"unwatch", "[N]", "stop watching expression N, or all", &Session::unwatch},
      {"help", "[COMMAND]", "show this text, or one line of it", &Session::help},
      {"quit", "", "leave", &Session::quit, true},
  };
  return list;
}

Session::Session(const Options& options, Question ask) : options_(options), ask_(std::move(ask)) {}

void Session::print(const std::string& text) {
  if (output_lost_ || text.empty()) return;
  if (!write_report(text)) output_lost_ = finished_ = true;
}

Style Session::style() const { return {terminal_width(STDOUT_FILENO), Paint(wants_colour(STDOUT_FILENO))}; }

namespace {

// Commands without a colon, as at other prompts: "exit" is ":quit", "help step" is ":help step"; else empty.
std::string command_in_words(const std::string& text) {
  if (text == "exit" || text == "quit") return ":quit";
  if (text == "?" || text == "help") return ":help";
  return text.starts_with("help ") ? ":" + text : std::string();
}

// Turns errors of `action` into complaints.
template <typename Action>
void complaining(Action&& action) {
  try {
    action();
  } catch (const Refusal& refusal) {
    std::string text = fmt::format("error: {}\n", clean(refusal.error.message));
    if (!refusal.error.hint.empty()) text += fmt::format("  hint: {}\n", clean(refusal.error.hint));
    throw Complaint{text};
  }
}

}  // namespace

void Session::load_first(const std::string& file) {
  file_ = file;
  complaining([&] { load(file); });
}

bool Session::names(const std::string& word) const {
  const auto known = document_.names();
  return std::find(known.begin(), known.end(), word) != known.end();
}

void Session::obey(const std::string& input) {
  const auto begin = input.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return;
  const std::string text = input.substr(begin, input.find_last_not_of(" \t\r\n") - begin + 1);
  complaining([&] {
    if (text.front() == ':') {
      command(text);
    } else if (const std::string meant = command_in_words(text); !meant.empty() && !names(text)) {
      command(meant);
    } else if (text.starts_with("//") || text.starts_with("/*") || begins_declaration(text)) {
      declare(text);
    } else {
      evaluate(text);
    }
  });
}

namespace {

// The word after the colon, without the `!`; `rest` is where its arguments begin.
std::string command_name(const std::string& line, bool& forced, std::size_t& rest) {
  const auto end = std::min(line.find_first_of(" \t", 1), line.size());
  std::string name = line.substr(1, end - 1);
  rest = std::min(line.find_first_not_of(" \t", end), line.size());
  forced = name.ends_with('!');
  if (forced) name.pop_back();
  return name;
}

}  // namespace

// All commands whose names begin with the word, or only the one with exactly that name.
std::vector<const SessionCommand*> Session::meant_by(const std::string& name) {
  const std::string full = name == "exit" ? "quit" : name == "?" ? "help" : name;
  std::vector<const SessionCommand*> meant;
  for (const SessionCommand& entry : commands()) {
    if (entry.name == full) return {&entry};
    if (!full.empty() && entry.name.starts_with(full)) meant.push_back(&entry);
  }
  return meant;
}

// A colon can also continue `expect tso` and `a ? b`.
bool Session::interrupts(const std::string& line, const std::string& open) {
  const auto begin = line.find_first_not_of(" \t");
  const auto end = line.find_last_not_of(" \t");
  if (begin == std::string::npos || line[begin] != ':' || line[end] == ';') return false;
  bool forced = false;
  std::size_t rest = 0;
  const std::string name = command_name(line.substr(begin), forced, rest);
  const auto meant = meant_by(name);
  return meant.size() == 1 && (meant.front()->name == name || open.find('?') == std::string::npos);
}

void Session::command(const std::string& line) {
  std::size_t rest = 0;
  const std::string name = command_name(line, forced_, rest);
  const std::string arguments = line.substr(rest);
  const auto meant = meant_by(name);
  if (meant.empty()) {
    std::vector<std::string> known;
    for (const SessionCommand& entry : commands()) known.emplace_back(entry.name);
    const std::string near = near_miss(name, known);
    refuse(fmt::format("there is no command ':{}'", shown(name)),
           near.empty() ? ":help lists the commands" : fmt::format("did you mean ':{}'?", near));
  }
  if (meant.size() > 1) {
    std::vector<std::string> names;
    for (const SessionCommand* entry : meant) names.push_back(fmt::format(":{}", entry->name));
    refuse(fmt::format("':{}' can be {}", shown(name), join(names, ", ")));
  }
  if (forced_ && !meant.front()->asks) refuse(fmt::format(":{} takes no '!'", meant.front()->name));
  if (meant.front()->arguments.empty() && !arguments.empty())
    refuse(fmt::format(":{} takes no argument", meant.front()->name));
  (this->*meant.front()->run)(arguments);
}

void Session::help(const std::string& arguments) {
  const std::string wanted = arguments.starts_with(':') ? arguments.substr(1) : arguments;
  std::size_t width = 0;
  for (const SessionCommand& entry : commands())
    width = std::max(width, entry.name.size() + 1 + entry.arguments.size());
  std::string text;
  for (const SessionCommand& entry : commands()) {
    if (!wanted.empty() && entry.name != wanted) continue;
    const std::string head = fmt::format(":{} {}", entry.name, entry.arguments);
    text +=
        fmt::format("  {}  {}\n", pad_right(head, width + 1), wrap(entry.summary, style().width, width + 5));
  }
  if (text.empty())
    refuse(fmt::format("there is no command ':{}'", shown(wanted)), ":help lists the commands");
  if (wanted.empty()) {
    text +=
        "\nAnything else is a declaration (shared x: int; thread p { ... }), which replaces one of the same\n"
        "name, or an expression over the state of the machine (x + p.a). Commands may be abbreviated.\n"
        ":load, :reload, :save and :quit ask at a terminal before something is lost, :quit! and so on do "
        "not.\n";
  }
  print(text);
}

bool Session::unsaved() const {
  return !draft_.empty() || (!document_.empty() && document_.text() != saved_);
}

void Session::ask(const std::string& question) {
  if (ask_ && !forced_ && !ask_(question)) refuse("nothing has changed");
}

void Session::ask_before_dropping(const std::string& question) {
  if (unsaved()) ask(fmt::format("The program has not been saved. {}", question));
}

bool Session::may_leave() { return !unsaved() || !ask_ || ask_("The program has not been saved. Leave?"); }

void Session::quit(const std::string& /*arguments*/) { finished_ = forced_ || may_leave(); }

namespace {

// Files and folders whose paths begin with the word; folders end in '/'.
std::vector<std::string> paths_from(std::string_view begin) {
  const std::filesystem::path typed(begin);
  const std::string folder(begin.substr(0, begin.size() - typed.filename().string().size()));
  std::vector<std::string> result;
  std::error_code error;
  std::filesystem::directory_iterator place(folder.empty() ? "." : folder, error);
  for (; !error && place != std::filesystem::directory_iterator(); place.increment(error)) {
    const std::string name = place->path().filename().string();
    std::error_code ignored;
    if (!name.starts_with(typed.filename().string()) || (name[0] == '.' && typed.filename().empty()))
      continue;
    result.push_back(folder + name + (place->is_directory(ignored) ? "/" : ""));
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

std::vector<std::string> Session::completions(std::string_view line) const {
  for (const std::string_view command : {":load", ":load!", ":save", ":save!"}) {
    const auto begin = std::min(line.find_first_not_of(" \t", command.size()), line.size());
    if (line.starts_with(command) && begin > command.size()) return paths_from(line.substr(begin));
  }
  const auto space = line.find_last_of(line.starts_with(":set") ? " \t=" : " \t(,!&|=<>+-*/");
  const std::string_view word = space == std::string_view::npos ? line : line.substr(space + 1);
  const bool first = space == std::string_view::npos;
  std::vector<std::string> candidates;
  if (first && word.starts_with(':')) {
    for (const SessionCommand& entry : commands()) candidates.push_back(fmt::format(":{}", entry.name));
  } else if (line.starts_with(":model") || line.starts_with(":start")) {
    candidates = model_names();
  } else if (line.starts_with(":algorithm")) {
    candidates = algorithm_names();
    candidates.emplace_back("default");
  } else if (line.starts_with(":set")) {
    candidates = setting_names();
  } else if (line.starts_with(":help")) {
    for (const SessionCommand& entry : commands()) candidates.emplace_back(entry.name);
  } else {
    candidates = document_.names();
    if (program_) {
      for (const auto& list : {program_->variables(), program_->threads()})
        candidates.insert(candidates.end(), list.begin(), list.end());
    }
    if (!line.starts_with(':')) candidates.insert(candidates.end(), keywords().begin(), keywords().end());
  }
  std::erase_if(candidates, [&](const std::string& candidate) { return !candidate.starts_with(word); });
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

}  // namespace heddle::cli
