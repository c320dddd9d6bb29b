// One session of `heddle repl`: the program, the settings, the machine, and the commands on them. It knows
// nothing of terminals: it takes one complete input at a time and writes to standard output.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "cli/repl/document.hpp"
#include "cli/report.hpp"
#include "heddle/heddle.h"
#include "heddle/machine.h"

namespace heddle::cli {

// The reason why a command failed; complete lines for display.
struct Complaint {
  std::string text;
};

class Session;

// An entry of the command table, which `:help` and completion read; docs/repl.md describes the commands.
struct SessionCommand {
  std::string_view name;
  std::string_view arguments;
  std::string_view summary;
  void (Session::*run)(const std::string& arguments) = nullptr;
  bool asks = false;  // asks before something is lost, unless its name ends in `!`
};

// Asks the user a yes-or-no question.
using Question = std::function<bool(const std::string& text)>;

class Session {
 public:
  // The options give the initial settings (model, algorithm, bounds). `ask` is set at a terminal; without it
  // nothing is asked.
  Session(const Options& options, Question ask);

  // Executes a command, a declaration or an expression. If it throws Complaint, nothing has changed.
  void obey(const std::string& input);
  // Loads a file like `:load`, with the params of the command line.
  void load_first(const std::string& file);

  [[nodiscard]] bool finished() const { return finished_; }
  // The output could not be written; the error has been reported.
  [[nodiscard]] bool output_lost() const { return output_lost_; }

  // The user leaves without a command. False if that would lose a program and the user declines.
  [[nodiscard]] bool may_leave();
  // Whether the line, typed while the input `open` is incomplete, is a command rather than part of the input.
  [[nodiscard]] static bool interrupts(const std::string& line, const std::string& open);

  // Completions of the word at the end of the line.
  [[nodiscard]] std::vector<std::string> completions(std::string_view line) const;

  [[nodiscard]] static const std::vector<SessionCommand>& commands();

 private:
  // The program (session.cpp, program_commands.cpp)
  void load_command(const std::string& arguments);
  void reload(const std::string& arguments);
  void save(const std::string& arguments);
  void edit(const std::string& arguments);
  void list(const std::string& arguments);
  void drop(const std::string& arguments);
  void declare(const std::string& text);
  // Checking
  void set_model(const std::string& arguments);
  void set_algorithm(const std::string& arguments);
  void set(const std::string& arguments);
  void check_command(const std::string& arguments);
  void outcomes(const std::string& arguments);
  void compare(const std::string& arguments);
  // The machine (machine_commands.cpp)
  void start(const std::string& arguments);
  void enabled(const std::string& arguments);
  void why(const std::string& arguments);
  void explain(const std::string& condition);
  void step(const std::string& arguments);
  void run_thread(const std::string& arguments);
  void back(const std::string& arguments);
  void forward(const std::string& arguments);
  void step_forward(Machine& machine, std::size_t count);
  void go_to(const std::string& arguments);
  void random(const std::string& arguments);
  void state(const std::string& arguments);
  void trace(const std::string& arguments);
  void graph(const std::string& arguments);
  void watch(const std::string& arguments);
  void unwatch(const std::string& arguments);
  void replay(const std::string& arguments);
  void evaluate(const std::string& expression);
  // Others
  void help(const std::string& arguments);
  void quit(const std::string& arguments);

  void command(const std::string& line);
  [[nodiscard]] static std::vector<const SessionCommand*> meant_by(const std::string& name);
  // Throws unless the command has a `!` or the user agrees.
  void ask(const std::string& question);
  void ask_before_dropping(const std::string& question);
  [[nodiscard]] bool unsaved() const;
  // Whether the program declares that name.
  [[nodiscard]] bool names(const std::string& word) const;
  [[nodiscard]] std::vector<std::string> setting_names() const;
  void load(const std::string& file);
  void print(const std::string& text);
  [[nodiscard]] Style style() const;
  // Installs a checked program and drops everything derived from the old one.
  void replace(Document document);
  void settings_changed();
  [[nodiscard]] const Program& program();
  [[nodiscard]] Options options_for_check() const;
  // The machine, which must have been started; `machine_of_state` starts one for expressions if necessary.
  [[nodiscard]] Machine& machine();
  [[nodiscard]] Machine new_machine(const MachineOptions& options);
  // Prints the rows of the trace from `before` on, the changed watched expressions, and how the execution
  // ended.
  void show_moves(std::size_t before);
  void show_watches(bool all);
  void show_status();
  [[nodiscard]] std::size_t rows();

  struct Watch {
    std::string expression;
    std::string value;
  };
  struct Found {
    Trace trace;
    MachineOptions machine;
  };

  Options options_;
  Question ask_;         // empty: not at a terminal
  bool forced_ = false;  // the current command has a `!`
  bool finished_ = false;
  bool output_lost_ = false;
  Document document_;
  std::string file_;     // of the last :load or :save
  std::string on_disk_;  // its contents at that time
  std::string saved_;    // the program in it at that time
  std::string draft_;    // the text of :edit, if it has errors
  std::optional<Program> program_;
  std::optional<Machine> machine_;
  std::vector<Found> found_;  // by :check, for :replay: violations or, if there are none, witnesses
  std::vector<Watch> watches_;
  std::uint64_t next_seed_ = 1;
};

}  // namespace heddle::cli
