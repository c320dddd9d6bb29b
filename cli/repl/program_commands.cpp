// Commands about the program and about checking it.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/litmus.hpp"
#include "cli/option_values.hpp"
#include "cli/outcomes.hpp"
#include "cli/pairs.hpp"
#include "cli/progress.hpp"
#include "cli/repl/session.hpp"
#include "cli/suggestion.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "heddle/source.h"

namespace heddle::cli {
namespace {

[[noreturn]] void complain(const std::vector<Diagnostic>& errors) {
  std::string text;
  for (const Diagnostic& error : errors) text += clean(error.text, true);
  throw Complaint{text};
}

std::string error_text(int number) { return std::generic_category().message(number); }

// Removes the file at the end.
struct TemporaryFile {
  explicit TemporaryFile(const std::string& text) {
    const char* folder = std::getenv("TMPDIR");
    path = fmt::format("{}/heddle-XXXXXX.hed", folder != nullptr && *folder != '\0' ? folder : "/tmp");
    const int file = ::mkstemps(path.data(), 4);
    if (file < 0) refuse(fmt::format("cannot make a file in {}: {}", path, error_text(errno)));
    const int error = write_all(file, text);
    ::close(file);
    if (error == 0) return;
    ::unlink(path.c_str());
    refuse(fmt::format("cannot write {}: {}", path, error_text(error)));
  }
  ~TemporaryFile() { ::unlink(path.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path;
};

constexpr std::uint64_t largest = std::uint64_t{16} << 20;

// The contents of a regular file; an unreadable file is equal to no other.
std::optional<std::string> file_text(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  auto text = read_file(path, largest);
  if (auto* const read = std::get_if<std::string>(&text)) return std::move(*read);
  return std::string(1, '\0');
}

std::string read_program(const std::string& path) {
  auto text = read_file(path, largest);
  if (const auto* const error = std::get_if<FileError>(&text)) refuse(error->message);
  return std::get<std::string>(std::move(text));
}

}  // namespace

const Program& Session::program() {
  if (program_) return *program_;
  if (document_.empty()) refuse("there is no program yet", "type declarations, or :load a file");
  auto compiled = Program::from_source(document_.text(), document_.name(), options_.compile);
  if (!compiled) complain(compiled.error());
  program_ = std::move(*compiled);
  return *program_;
}

void Session::settings_changed() {
  program_.reset();
  found_.clear();
  if (machine_) print("the machine has stopped: :start begins again\n");
  machine_.reset();
}

void Session::replace(Document document) {
  const auto checked = check_declarations(document.text(), document.name(), options_.compile.parameters);
  if (!checked) complain(checked.error());
  document_ = std::move(document);
  settings_changed();
}

void Session::declare(const std::string& text) {
  const auto changed = document_.with(text);
  if (!changed) complain(changed.error());
  replace(*changed);
}

void Session::load(const std::string& file) {
  if (const auto litmus = refuse_litmus(file)) refuse(litmus->message, litmus->hint);
  std::string text = read_program(file);
  const auto read = Document(file).with(text);
  if (!read) complain(read.error());
  // Params of another program do not apply.
  const auto parameters = file == file_ ? options_.compile.parameters : Parameters();
  auto before = std::exchange(options_.compile.parameters, parameters);
  try {
    replace(*read);
  } catch (const Complaint&) {
    options_.compile.parameters = std::move(before);
    throw;
  }
  file_ = file;
  on_disk_ = std::move(text);
  saved_ = document_.text();
  draft_.clear();
}

void Session::load_command(const std::string& arguments) {
  if (arguments.empty()) refuse("the file is missing: :load FILE");
  ask_before_dropping(fmt::format("Load {} anyway?", shown(arguments)));
  load(arguments);
}

void Session::reload(const std::string& /*arguments*/) {
  if (file_.empty()) refuse("no file has been loaded", ":load FILE loads one");
  ask_before_dropping("Load the file again?");
  load(file_);
}

void Session::save(const std::string& arguments) {
  const std::string path = arguments.empty() ? file_ : arguments;
  if (path.empty()) refuse("the file is missing: :save FILE");
  std::string text = document_.text();
  // Contents that this session has read or written may be overwritten without a question.
  const auto held = file_text(path);
  if (held && *held != text && !(path == file_ && *held == on_disk_))
    ask(fmt::format("{} has changed since. Overwrite it?", shown(path)));
  if (auto error = write_file(path, text); !error.empty()) refuse(std::move(error));
  file_ = path;
  on_disk_ = saved_ = std::move(text);
}

void Session::edit(const std::string& /*arguments*/) {
  const char* editor = std::getenv("VISUAL");
  if (editor == nullptr || *editor == '\0') editor = std::getenv("EDITOR");
  if (editor == nullptr || *editor == '\0') editor = "vi";
  const TemporaryFile file(draft_.empty() ? document_.text() : draft_);
  const int status = std::system(fmt::format("{} {}", editor, quoted_for_shell(file.path)).c_str());
  if (status != 0) refuse(fmt::format("'{}' failed, nothing has changed", shown(editor)));
  draft_ = read_program(file.path);
  const auto changed = Document(document_.name()).with(draft_);
  if (!changed) complain(changed.error());
  replace(*changed);
  draft_.clear();
}

void Session::list(const std::string& /*arguments*/) { print(clean(document_.text(), true)); }

void Session::drop(const std::string& arguments) {
  std::size_t removed = 0;
  auto changed = document_.without(arguments, removed);
  if (removed == 0) {
    refuse(fmt::format("the program has no declaration '{}'", shown(arguments)),
           did_you_mean(arguments, document_.names()));
  }
  replace(std::move(changed));
}

void Session::set_model(const std::string& arguments) {
  if (arguments.empty()) {
    std::string text;
    for (const ModelInfo& model : models()) {
      text += fmt::format("{} {}  {}\n", model.name == options_.check.model ? '*' : ' ',
                          pad_right(model.name, 8), model.summary);
    }
    return print(text);
  }
  check_name("model", arguments, model_names());
  if (!options_.check.algorithm.empty()) {
    if (auto reason = why_not(arguments, options_.check.algorithm); !reason.empty())
      refuse(std::move(reason));
  }
  options_.check.model = arguments;
  settings_changed();
}

void Session::set_algorithm(const std::string& arguments) {
  if (arguments.empty()) {
    std::string text;
    for (const AlgorithmInfo& algorithm : algorithms()) {
      text += fmt::format("{} {}  {}\n", algorithm.name == options_.check.algorithm ? '*' : ' ',
                          pad_right(algorithm.name, 8), algorithm.summary);
    }
    if (options_.check.algorithm.empty()) text += fmt::format("auto: {}\n", automatic_summary);
    return print(text);
  }
  if (arguments == automatic || arguments == "default") {
    options_.check.algorithm.clear();
    return;
  }
  check_name("algorithm", arguments, algorithm_names());
  if (auto reason = why_not(options_.check.model, arguments); !reason.empty()) refuse(std::move(reason));
  options_.check.algorithm = arguments;
}

namespace {

// The settings except model and algorithm: how to show and to change each.
struct Setting {
  std::string_view name;
  std::string (*show)(const Options& options);
  void (*change)(Options& options, const std::string& text);
};

constexpr std::uint64_t most32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t most_threads = 1024;
constexpr std::uint64_t most64 = std::numeric_limits<std::uint64_t>::max();

template <typename Number>
std::string optional_text(const std::optional<Number>& value) {
  return value ? fmt::format("{}", *value) : "off";
}
bool on_or_off(std::string_view name, const std::string& text) {
  if (text != "on" && text != "off") refuse(fmt::format("{} is 'on' or 'off'", name));
  return text == "on";
}

constexpr Setting table_of_settings[] = {
    {"unroll", [](const Options& o) { return fmt::format("{}", o.compile.unroll); },
     [](Options& o, const std::string& text) {
       o.compile.unroll = static_cast<std::uint32_t>(whole_number("unroll", text, 1, most32));
     }},
    {"optimise", [](const Options& o) { return std::string(o.compile.optimise ? "on" : "off"); },
     [](Options& o, const std::string& text) { o.compile.optimise = on_or_off("optimise", text); }},
    {"keep-going", [](const Options& o) { return std::string(o.check.keep_going ? "on" : "off"); },
     [](Options& o, const std::string& text) { o.check.keep_going = on_or_off("keep-going", text); }},
    {"live", [](const Options& o) { return std::string(o.check.live ? "on" : "off"); },
     [](Options& o, const std::string& text) { o.check.live = on_or_off("live", text); }},
    {"symmetry", [](const Options& o) { return std::string(o.check.symmetry ? "on" : "off"); },
     [](Options& o, const std::string& text) { o.check.symmetry = on_or_off("symmetry", text); }},
    {"buffer-bound", [](const Options& o) { return optional_text(o.check.buffer_bound); },
     [](Options& o, const std::string& text) {
       o.check.buffer_bound.reset();
       if (text != "off")
         o.check.buffer_bound = static_cast<std::uint32_t>(whole_number("buffer-bound", text, 0, most32));
     }},
    {"preemption-bound", [](const Options& o) { return optional_text(o.check.preemption_bound); },
     [](Options& o, const std::string& text) {
       o.check.preemption_bound.reset();
       if (text != "off")
         o.check.preemption_bound =
             static_cast<std::uint32_t>(whole_number("preemption-bound", text, 0, most32));
     }},
    {"threads", [](const Options& o) { return fmt::format("{}", o.check.threads); },
     [](Options& o, const std::string& text) {
       o.check.threads = static_cast<std::uint32_t>(whole_number("threads", text, 0, most_threads));
     }},
    {"max-executions", [](const Options& o) { return optional_text(o.check.max_executions); },
     [](Options& o, const std::string& text) {
       o.check.max_executions.reset();
       if (text != "off") o.check.max_executions = whole_number("max-executions", text, 1, most64);
     }},
    {"max-memory", [](const Options& o) { return optional_text(o.check.max_memory); },
     [](Options& o, const std::string& text) {
       o.check.max_memory.reset();
       if (text != "off") o.check.max_memory = bytes_number("max-memory", text);
     }},
    {"timeout", [](const Options& o) { return optional_text(o.check.timeout); },
     [](Options& o, const std::string& text) {
       o.check.timeout.reset();
       if (text != "off") o.check.timeout = seconds_number("timeout", text);
     }},
};

}  // namespace

std::vector<std::string> Session::setting_names() const {
  std::vector<std::string> names;
  for (const Setting& setting : table_of_settings) names.emplace_back(setting.name);
  if (program_) {
    for (const auto& [parameter, value] : program_->parameters()) names.push_back(parameter);
  }
  return names;
}

void Session::set(const std::string& arguments) {
  if (arguments.empty()) {
    std::string text;
    for (const Setting& setting : table_of_settings)
      text += fmt::format("  {}  {}\n", pad_right(setting.name, 16), setting.show(options_));
    if (!document_.empty()) {
      for (const auto& [name, value] : program().parameters())
        text += fmt::format("  {}  {} (param)\n", pad_right(name, 16), value);
    }
    return print(text);
  }
  const auto split = arguments.find_first_of(" \t=");
  const std::string name = arguments.substr(0, split);
  const auto begin = split == std::string::npos ? split : arguments.find_first_not_of(" \t=", split);
  if (begin == std::string::npos) refuse(fmt::format("the value is missing: :set {} VALUE", shown(name)));
  const std::string value = arguments.substr(begin);
  std::vector<std::string> known;
  for (const Setting& setting : table_of_settings) {
    known.emplace_back(setting.name);
    if (setting.name != name) continue;
    setting.change(options_, value);
    return settings_changed();
  }
  if (!document_.empty()) {
    const Parameters& parameters = program().parameters();
    for (const auto& [parameter, old] : parameters) known.push_back(parameter);
    if (parameters.contains(name)) {
      auto next = options_.compile.parameters;
      next[name] = signed_number(name, value);
      const auto checked = check_declarations(document_.text(), document_.name(), next);
      if (!checked) complain(checked.error());
      options_.compile.parameters = std::move(next);
      return settings_changed();
    }
  }
  std::string hint = did_you_mean(name, known);
  refuse(fmt::format("there is no setting and no param '{}'", shown(name)),
         hint.empty() ? fmt::format("the settings are {}", join(known, ", ")) : std::move(hint));
}

void Session::check_command(const std::string& /*arguments*/) {
  const Program& checked = program();
  ProgressLine line(ask_ && is_terminal(STDERR_FILENO));
  CheckOptions check_options = options_.check;
  check_options.progress = [&line](const Progress& progress) {
    line.update(progress);
    return !interrupted();
  };
  check_options.witnesses = true;
  found_.clear();
  const auto result = check(checked, check_options);
  line.clear();
  if (!result) complain(result.error());
  const MachineOptions options{.model = result->model_of_traces(),
                               .buffer_bound = check_options.buffer_bound,
                               .resume_after_assert = check_options.keep_going};
  for (const Violation& violation : result->violations) found_.push_back({violation.trace, options});
  if (found_.empty()) {
    for (const Witness& witness : result->witnesses) found_.push_back({witness.trace, options});
  }
  print(text_report(checked, *result, style(), ":replay"));
}

Options Session::options_for_check() const {
  Options options = options_;
  options.json = false;
  options.progress = ask_ != nullptr;
  return options;
}

namespace {

// "NAME,..." of final states; none: all of them.
std::vector<std::string> variables_of(const Program& program, const std::string& arguments) {
  if (arguments.empty()) return {};
  auto chosen = choose_variables(program, split_names(arguments));
  if (const auto* const error = std::get_if<UsageError>(&chosen)) refuse(error->message, error->hint);
  return std::get<std::vector<std::string>>(std::move(chosen));
}

}  // namespace

void Session::outcomes(const std::string& arguments) {
  Options options = options_for_check();
  options.only = variables_of(program(), arguments);
  if (show_outcomes(program(), options, ":check") == bad_input) throw Complaint{};
}

void Session::explain(const std::string& condition) {
  Options options = options_for_check();
  options.condition = condition;
  if (show_why(program(), options) == bad_input) throw Complaint{};
}

void Session::compare(const std::string& arguments) {
  Options options = options_for_check();
  options.only = variables_of(program(), arguments);
  options.models = model_names();
  options.algorithms = bounded_algorithm_names();
  if (show_comparison(program(), options) == bad_input) throw Complaint{};
}

}  // namespace heddle::cli
