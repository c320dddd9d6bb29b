// See estimate.hpp.
#include "cli/estimate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"

namespace heddle::cli {

namespace {

// Estimates have no more than two digits that mean something.
std::string roughly(double number) {
  if (number >= 1e12) return fmt::format("{:.1e}", number);
  return magnitude(number);
}

std::string roughly_seconds(double seconds) {
  constexpr double day = 86400;
  constexpr double year = 365 * day;
  if (seconds < 1) return "a second or less";
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * day) return duration(seconds);
  if (seconds < 2 * year) return fmt::format("{:.0f} days", seconds / day);
  return fmt::format("{} years", roughly(seconds / year));
}

}  // namespace

std::string estimate_text(const Estimate& estimate) {
  if (estimate.exact)
    return fmt::format("{} exactly, in {}",
                       counted(static_cast<std::uint64_t>(estimate.executions), "execution"),
                       duration(estimate.seconds.value_or(0)));
  std::string text = fmt::format("about {} executions", roughly(estimate.executions));
  if (estimate.interval) {
    text +=
        fmt::format(" (95 %: {} to {})", roughly(estimate.interval->low), roughly(estimate.interval->high));
  } else {
    text += ", or many more: paths differ too much for an interval";
  }
  if (estimate.seconds) text += fmt::format("; {} with one thread", roughly_seconds(*estimate.seconds));
  return text;
}

Json to_json(const Estimate& estimate) {
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  Json interval = nullptr;
  if (estimate.interval) interval = {estimate.interval->low, estimate.interval->high};
  return {{"model", estimate.model},
          {"algorithm", estimate.algorithm},
          {"exact", estimate.exact},
          {"executions", estimate.executions},
          {"interval", std::move(interval)},
          {"blocked", number(estimate.blocked)},
          {"seconds", number(estimate.seconds)},
          {"paths", estimate.paths},
          {"violation", estimate.violation},
          {"interrupted", estimate.interrupted}};
}

std::optional<Remaining> remaining(const std::optional<Estimate>& estimate, std::uint64_t done, double rate) {
  const auto found = static_cast<double>(done);
  if (!estimate || estimate->executions <= found) return std::nullopt;
  Remaining remaining{.share = found / estimate->executions, .seconds = {}};
  if (rate > 0) remaining.seconds = (estimate->executions - found) / rate;
  return remaining;
}

std::string remaining_text(const std::optional<Estimate>& estimate, std::uint64_t done, double rate) {
  const auto left = remaining(estimate, done, rate);
  if (!left) return {};
  return fmt::format(", {:.0f} % of about {}{}", std::floor(left->share * 100), roughly(estimate->executions),
                     left->seconds ? fmt::format(", {} left", roughly_seconds(*left->seconds)) : "");
}

std::optional<Estimate> quick_estimate(const Program& program, const CheckOptions& options) {
  CheckOptions quiet = options;
  quiet.progress = [](const Progress&) { return !interrupted(); };
  auto result = estimate(program, quiet, {.seconds = 0.1, .measure_speed = false});
  if (!result || result->interrupted) return std::nullopt;
  return std::move(*result);
}

int run_estimate(const Options& options) {
  catch_interrupts();
  const Result<Program> program = Program::from_file(options.file, for_one_model(options));
  if (!program) return report_errors(program.error(), options.json);
  CheckOptions settings = options.check;
  settings.progress = [](const Progress&) { return !interrupted(); };
  const Result<Estimate> result = estimate(*program, settings);
  if (!result) return report_errors(result.error(), options.json);
  constexpr Verdict verdict = Verdict::undecided;
  std::string report;
  if (options.json) {
    Json json = json_head("estimate");
    json["file"] = program->name();
    json["verdict"] = json_word(name(verdict));
    json["exit_code"] = exit_code(verdict);
    json["estimate"] = to_json(*result);
    report = json_text(json);
  } else {
    report = fmt::format("{}: {}\n  model {}, algorithm {}, {}\n", one_line(program->name()),
                         estimate_text(*result), result->model, result->algorithm,
                         result->exact ? "the whole search" : counted(result->paths, "random path"));
    if (result->violation) report += "  A violation was met. Check the program to see it.\n";
    if (result->interrupted) report += "  Interrupted: the numbers are worth less.\n";
    report += "  An estimate decides nothing.\n";
  }
  return write_report(report) ? exit_code(verdict) : bad_input;
}

}  // namespace heddle::cli
