// See commands.hpp.
#include "cli/commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

constexpr int bad_input = 2;

bool asks_for_json(int count, const char* const* arguments) {
  for (int i = 1; i < count; ++i) {
    if (std::string_view(arguments[i]) == "--json") return true;
  }
  return false;
}

}  // namespace

Diagnostic as_diagnostic(const UsageError& error) {
  Diagnostic result;
  result.message = error.message;
  result.hint = error.hint;
  result.text = fmt::format("heddle: {}\n", error.message);
  if (!error.hint.empty()) result.text += fmt::format("  hint: {}\n", error.hint);
  return result;
}

int report_errors(const std::vector<Diagnostic>& errors, bool json) {
  if (errors.empty()) {
    return report_errors({as_diagnostic({"refused without a reason: a bug in heddle, please report it", ""})},
                         json);
  }
  if (json) {
    static_cast<void>(write_report(json_errors(errors)));
    return bad_input;
  }
  std::string text;
  for (const Diagnostic& error : errors) {
    if (!error.text.empty()) {
      text += clean(error.text, true);
    } else {
      text += clean(fmt::format("heddle: {}", error.message));
    }
    if (!text.ends_with('\n')) text += '\n';
  }
  write_error(text);
  return bad_input;
}

int run_check(const Options& options) {
  catch_interrupts();
  const Result<Program> program = Program::from_file(options.file, options.compile);
  if (!program) return report_errors(program.errors(), options.json);

  ProgressLine line(options.progress && is_terminal(STDERR_FILENO));
  CheckOptions settings = options.check;
  settings.progress = [&line](const Progress& progress) {
    line.update(progress);
    return !interrupted();
  };
  const Result<CheckResult> result = check(*program, settings);
  line.clear();
  if (!result) return report_errors(result.errors(), options.json);

  const Style style{terminal_width(STDOUT_FILENO), Paint(wants_colour(STDOUT_FILENO))};
  const std::string report =
      options.json ? json_report(*program, *result) : text_report(*program, *result, style);
  return write_report(report) ? exit_code(result->verdict) : bad_input;
}

int run_emit(const Options& options) {
  CompileOptions settings = options.compile;
  settings.keep_ir = true;
  const Result<Program> program = Program::from_file(options.file, settings);
  if (!program) return report_errors(program.errors(), false);
  return write_report(program->llvm_ir()) ? 0 : bad_input;
}

int run_list() {
  std::size_t name_width = 0;
  for (const ModelInfo& model : models()) name_width = std::max(name_width, model.name.size());
  for (const AlgorithmInfo& algorithm : algorithms())
    name_width = std::max(name_width, algorithm.name.size());
  const std::size_t indent = name_width + 4;
  const std::size_t width = terminal_width(STDOUT_FILENO);
  const auto entry = [&](std::string_view name, std::string_view body) {
    return fmt::format("  {}  {}\n", pad_right(name, name_width), wrap(body, width, indent));
  };

  std::string text = "Models:\n";
  for (const ModelInfo& model : models()) text += entry(model.name, model.summary);
  text += "\nAlgorithms:\n";
  for (const AlgorithmInfo& algorithm : algorithms()) {
    std::string body(algorithm.summary);
    if (!algorithm.paper.empty()) body += fmt::format(" [{}]", algorithm.paper);
    if (algorithm.bounds_preemptions) body += " (takes --preemption-bound)";
    text += entry(algorithm.name, body);
  }
  text += "\nWhich go together (* is the model's default):\n  " + std::string(name_width, ' ');
  for (const AlgorithmInfo& algorithm : algorithms()) text += fmt::format("  {}", algorithm.name);
  text += '\n';
  std::string reasons;
  for (const ModelInfo& model : models()) {
    text += "  " + pad_right(model.name, name_width);
    for (const AlgorithmInfo& algorithm : algorithms()) {
      const std::string reason = why_not(model.name, algorithm.name);
      const bool is_default = model.default_algorithm == algorithm.name;
      const std::string_view mark = !reason.empty() ? "no" : is_default ? "yes*" : "yes";
      text += "  " + pad_right(mark, algorithm.name.size());
      if (!reason.empty()) reasons += fmt::format("  {}\n", wrap(reason, width, 2));
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  if (!reasons.empty()) text += "\n" + reasons;
  return write_report(text) ? 0 : bad_input;
}

int run(int count, const char* const* arguments) {
  ignore_broken_pipes();
  const std::variant<Options, UsageError> parsed = parse_options(count, arguments);
  if (const UsageError* error = std::get_if<UsageError>(&parsed)) {
    return report_errors({as_diagnostic(*error)}, asks_for_json(count, arguments));
  }
  const Options& options = std::get<Options>(parsed);
  switch (options.command) {
    case Command::check: return run_check(options);
    case Command::outcomes: return run_outcomes(options);
    case Command::compare: return run_compare(options);
    case Command::test: return run_test(options);
    case Command::repl: return run_repl(options);
    case Command::emit: return run_emit(options);
    case Command::list: return run_list();
    case Command::consistency: return run_consistency(options);
    case Command::conformance: return run_conformance(options);
    case Command::translate: return run_translate(options);
    case Command::show_text: break;
  }
  return write_report(options.text) ? 0 : bad_input;
}

}  // namespace heddle::cli
