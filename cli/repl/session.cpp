// The command table, and what all commands need.
#include "cli/repl/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cli/option_values.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "heddle/source.h"

namespace heddle::cli {

const std::vector<SessionCommand>& Session::commands() {
  static const std::vector<SessionCommand> list{
      {"load", "FILE", "read a program from a file, in place of the present one", &Session::load_command},
      {"reload", "", "read the file again", &Session::reload},
      {"save", "[FILE]", "write the program to a file", &Session::save},
      {"edit", "", "change the program in $VISUAL or $EDITOR", &Session::edit},
      {"list", "", "show the program", &Session::list},
      {"drop", "NAME", "take out a declaration, or all of a kind without names: final, exists, expect, ...",
       &Session::drop},
      {"model", "[NAME]", "show the memory models, or choose one", &Session::set_model},
      {"algorithm", "[NAME]", "show the algorithms, or choose one; 'default' is the model's own",
       &Session::set_algorithm},
      {"set", "[NAME VALUE]", "show all settings and params, or change one; 'off' takes a bound away",
       &Session::set},
      {"check", "", "explore all executions and give a verdict", &Session::check_command},
      {"outcomes", "[NAME,...]", "all final states, or those of some variables", &Session::outcomes},
      {"compare", "[NAME,...]", "outcomes by model, and executions by algorithm", &Session::compare},
      {"start", "[MODEL]", "put the machine at the start of an execution", &Session::start},
      {"enabled", "", "what can happen next, numbered", &Session::enabled},
      {"why", "", "what cannot happen now, and what it waits for", &Session::why},
      {"step", "[N [VALUE]]",
       "take transition N (VALUE: of a choose); without N the one of a replay, or the only one",
       &Session::step},
      {"run", "THREAD [until LINE]", "let one thread go on alone", &Session::run_thread},
      {"random", "[SEED]", "take transitions at random up to the end", &Session::random},
      {"back", "[K]", "take back one transition, or K", &Session::back},
      {"forward", "[K]", "go one transition along what was taken back or is replayed, or K",
       &Session::forward},
      {"goto", "K", "go to the state after K transitions", &Session::go_to},
      {"replay", "", "put the machine at the start of the violation that :check found", &Session::replay},
      {"state", "", "memory, locks, and each thread with its locals and store buffer", &Session::state},
      {"trace", "", "what has happened so far", &Session::trace},
      {"graph", "", "the execution so far as a graph: po, rf, co, fr", &Session::graph},
      {"watch", "[EXPR]", "show an expression whenever it changes; without one, show all that are watched",
       &Session::watch},
      {"unwatch", "[N]", "watch expression N no longer, or none", &Session::unwatch},
      {"help", "[COMMAND]", "this text, or one line of it", &Session::help},
      {"quit", "", "leave", &Session::quit},
  };
  return list;
}

Session::Session(const Options& options, bool interactive) : options_(options), interactive_(interactive) {}

void Session::print(const std::string& text) {
  if (output_lost_ || text.empty()) return;
  if (!write_report(text)) output_lost_ = finished_ = true;
}

Style Session::style() const { return {terminal_width(STDOUT_FILENO), Paint(wants_colour(STDOUT_FILENO))}; }

namespace {

// What `action` refuses becomes a complaint.
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

void Session::obey(const std::string& input) {
  const auto begin = input.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return;
  const std::string text = input.substr(begin, input.find_last_not_of(" \t\r\n") - begin + 1);
  complaining([&] {
    if (text.front() == ':') {
      command(text);
    } else if (text.starts_with("//") || text.starts_with("/*") || begins_declaration(text)) {
      declare(text);
    } else {
      evaluate(text);
    }
  });
}

void Session::command(const std::string& line) {
  const auto end = std::min(line.find_first_of(" \t", 1), line.size());
  const std::string name = line.substr(1, end - 1);
  const auto rest = line.find_first_not_of(" \t", end);
  const std::string arguments = rest == std::string::npos ? std::string() : line.substr(rest);
  std::vector<const SessionCommand*> meant;
  std::vector<std::string> known;
  for (const SessionCommand& entry : commands()) {
    known.emplace_back(entry.name);
    if (entry.name == name) {
      meant.assign(1, &entry);
      break;
    }
    if (!name.empty() && entry.name.starts_with(name)) meant.push_back(&entry);
  }
  if (meant.empty()) {
    const std::string near = near_miss(name, known);
    refuse(fmt::format("there is no command ':{}'", shown(name)),
           near.empty() ? ":help lists the commands" : fmt::format("did you mean ':{}'?", near));
  }
  if (meant.size() > 1) {
    std::vector<std::string> names;
    for (const SessionCommand* entry : meant) names.push_back(fmt::format(":{}", entry->name));
    refuse(fmt::format("':{}' can be {}", shown(name), join(names, ", ")));
  }
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
        "name, or an expression over the state of the machine (x + p.a). Commands may be cut short.\n";
  }
  print(text);
}

void Session::quit(const std::string& /*arguments*/) { finished_ = true; }

std::vector<std::string> Session::completions(std::string_view line) const {
  const auto space = line.find_last_of(" \t(,!&|=<>+-*/");
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
