// heddle check with lists of models, algorithms or params.
//
// The text is parsed once. Sets of params are compiled in batches (ProgramText shares what they have in
// common), each for all models of the sweep. Worker threads take checks of compiled sets in order, or compile
// the next batch if there are none, so that the first results come while later sets are still compiled. A
// program is freed after its last check.
#include "cli/sweep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/pairs.hpp"
#include "cli/progress.hpp"
#include "cli/suggestion.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "heddle/variants.h"

namespace heddle::cli {
namespace {

// All combinations of the values, the last param changing fastest.
std::vector<Parameters> combinations(const std::vector<ParameterValues>& values) {
  std::vector<Parameters> sets(1);
  for (const ParameterValues& parameter : values) {
    std::vector<Parameters> longer;
    for (const Parameters& set : sets) {
      for (const std::int64_t value : parameter.values) {
        longer.push_back(set);
        longer.back().emplace(parameter.name, value);
      }
    }
    sets = std::move(longer);
  }
  return sets;
}

CheckOptions check_options(const Sweep& sweep, const SweepColumn& column) {
  CheckOptions options = sweep.check;
  options.model = column.model;
  if (column.algorithm != automatic) options.algorithm = column.algorithm;
  if (!find_model_info(column.model)->has_buffers) options.buffer_bound.reset();
  return options;
}

Sweep plan(const Options& options) {
  Sweep sweep;
  sweep.file = options.file;
  sweep.compile = options.compile;
  sweep.check = options.check;
  sweep.check.threads = 1;
  sweep.values = options.values;
  sweep.jobs = options.sweep_jobs;
  for (const std::string& model : options.models) {
    std::vector<std::string> algorithms = options.algorithms;
    if (algorithms.empty()) algorithms.emplace_back(automatic);
    for (std::string& algorithm : algorithms) sweep.columns.push_back({model, std::move(algorithm)});
  }
  sweep.sets = combinations(options.values);
  sweep.cells.resize(sweep.sets.size() * sweep.columns.size());
  const PairBounds bounds{.preemption_bound = options.check.preemption_bound,
                          .robust = options.check.robust,
                          .robust_states = options.check.robust_states};
  for (std::size_t column = 0; column < sweep.columns.size(); ++column) {
    const auto& [model, algorithm] = sweep.columns[column];
    const std::string_view begun_with = algorithm == automatic
                                            ? default_algorithm(check_options(sweep, sweep.columns[column]))
                                            : std::string_view(algorithm);
    const std::string reason = unfit(*find_model_info(model), *find_algorithm_info(begun_with), bounds);
    if (reason.empty()) continue;
    for (std::size_t set = 0; set < sweep.sets.size(); ++set) {
      SweepCell& cell = sweep.cells[set * sweep.columns.size() + column];
      cell.status = CellStatus::left_out;
      cell.reason = reason;
    }
  }
  return sweep;
}

class Pool {
 public:
  Pool(const ProgramText& text, Sweep& sweep) : text_(text), sweep_(sweep), programs_(sweep.sets.size()) {
    // Large enough to share code, small enough to occupy all workers and to react to an interrupt.
    constexpr std::size_t most = 48;
    const std::size_t sets = sweep.sets.size();
    const std::size_t jobs = std::max(1u, sweep.jobs);
    batch_ = std::clamp<std::size_t>((sets + jobs - 1) / jobs, 1, most);
    std::set<std::string> models;
    for (const SweepCell& cell : sweep.cells) left_ += cell.status == CellStatus::not_run ? 1 : 0;
    for (std::size_t i = 0; i < sweep.columns.size(); ++i) {
      if (sweep.cells[i].status == CellStatus::not_run) models.insert(sweep.columns[i].model);
    }
    models_.assign(models.begin(), models.end());
    if (left_ == 0) next_batch_ = sets;
    total_ = left_;
  }

  // Calls `idle(finished, violations)` ten times a second until all checks have ended, or until it returns
  // false and the running ones have ended.
  template <typename Idle>
  void run(Idle&& idle) {
    const auto most = std::min<std::size_t>(sweep_.jobs, total_);
    std::vector<std::jthread> workers;
    for (std::size_t worker = 0; worker < most; ++worker) workers.emplace_back([this] { work(); });
    std::unique_lock lock(mutex_);
    while (left_ > 0 && !stopped_) {
      changed_.wait_for(lock, std::chrono::milliseconds(100), [this] { return left_ == 0 || stopped_; });
      if (!idle(total_ - left_, violations_)) stopped_ = true;
    }
    changed_.notify_all();
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  void work() {
    Lock lock(mutex_);
    while (left_ > 0 && !stopped_ && !interrupted()) {
      if (next_cell_ < sweep_.cells.size() && ready(sweep_.set_of(next_cell_))) {
        take(lock);
      } else if (next_batch_ < sweep_.sets.size()) {
        compile(lock);
      } else {
        changed_.wait(lock);
      }
    }
  }

  [[nodiscard]] bool ready(std::size_t set) const { return programs_[set].has_value(); }

  // Runs the check of the next cell.
  void take(Lock& lock) {
    const std::size_t number = next_cell_++;
    SweepCell& cell = sweep_.cells[number];
    const std::size_t set = sweep_.set_of(number);
    const Result<Program> program = *programs_[set];
    if (number + 1 == (set + 1) * sweep_.columns.size()) programs_[set].reset();
    if (cell.status == CellStatus::left_out) return;
    lock.unlock();
    SweepCell result;
    try {
      result = run_cell(program, sweep_.column_of(number));
    } catch (const std::bad_alloc&) {  // others may still fit
      result = {};
      result.status = CellStatus::checked;
      result.verdict = Verdict::undecided;
      result.stopped_by = "out of memory";
    }
    lock.lock();
    cell = std::move(result);
    if (cell.status == CellStatus::checked && cell.verdict == Verdict::violation) ++violations_;
    if (--left_ == 0) changed_.notify_all();
  }

  void compile(Lock& lock) {
    const std::size_t begin = next_batch_;
    const std::size_t end = std::min(begin + batch_, sweep_.sets.size());
    next_batch_ = end;
    const std::vector<Parameters> sets(sweep_.sets.begin() + static_cast<std::ptrdiff_t>(begin),
                                       sweep_.sets.begin() + static_cast<std::ptrdiff_t>(end));
    lock.unlock();
    std::vector<Result<Program>> programs;
    try {
      programs = text_.compile(sets, models_);
    } catch (const std::bad_alloc&) {
      programs.assign(sets.size(), std::vector{as_diagnostic({"out of memory", ""})});
    }
    lock.lock();
    for (std::size_t i = 0; i < sets.size(); ++i) programs_[begin + i] = std::move(programs[i]);
    changed_.notify_all();
  }

  [[nodiscard]] SweepCell run_cell(const Result<Program>& program, const SweepColumn& column) const {
    SweepCell cell;
    if (!program) {
      cell.status = CellStatus::wrong;
      cell.reason = first_message(program.error());
      return cell;
    }
    CheckOptions options = check_options(sweep_, column);
    options.progress = [](const Progress&) { return !interrupted(); };
    const Result<CheckResult> result = check(*program, options);
    if (!result) {
      cell.status = CellStatus::wrong;
      cell.reason = first_message(result.error());
      return cell;
    }
    cell.status = CellStatus::checked;
    cell.verdict = result->verdict;
    cell.algorithm = result->algorithm;
    cell.counts = result->counts;
    cell.bounds = result->bounds;
    cell.stopped_by = result->stopped_by;
    cell.seconds = result->seconds;
    if (result->violation) {
      cell.message = result->violation->message;
      cell.file = result->violation->file;
      cell.line = result->violation->line;
    }
    return cell;
  }

  const ProgramText& text_;
  Sweep& sweep_;
  std::vector<std::optional<Result<Program>>> programs_;  // by set; empty before and after its checks
  std::vector<std::string> models_;                       // of the columns that run
  std::size_t batch_ = 1;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_cell_ = 0;
  std::size_t next_batch_ = 0;  // the first set that no worker has begun to compile
  std::size_t total_ = 0;
  std::size_t left_ = 0;  // checks that have not ended
  std::size_t violations_ = 0;
  bool stopped_ = false;
};

// Errors that all sets share are errors of the program or the command line, not of some cells.
bool all_wrong(const Sweep& sweep) {
  return std::all_of(sweep.cells.begin(), sweep.cells.end(), [&](const SweepCell& cell) {
    return cell.status == CellStatus::wrong && cell.reason == sweep.cells.front().reason;
  });
}

}  // namespace

int exit_code(const Sweep& sweep) {
  bool none = true;
  bool wrong = false;
  bool violation = false;
  bool open = false;
  for (const SweepCell& cell : sweep.cells) {
    none = none && cell.status == CellStatus::left_out;
    wrong = wrong || cell.status == CellStatus::wrong;
    open = open || cell.status == CellStatus::not_run;
    if (cell.status != CellStatus::checked) continue;
    violation = violation || cell.verdict == Verdict::violation;
    open = open || exit_code(cell.verdict) == exit_code(Verdict::undecided);
  }
  if (none || wrong) return bad_input;
  if (violation) return exit_code(Verdict::violation);
  return open ? exit_code(Verdict::undecided) : exit_code(Verdict::safe);
}

std::string_view outcome(const SweepCell& cell) {
  switch (cell.status) {
    case CellStatus::checked: return name(cell.verdict);
    case CellStatus::left_out: return "left out";
    case CellStatus::wrong: return "error";
    case CellStatus::not_run: break;
  }
  return "not run";
}

std::string cell_command(const Sweep& sweep, std::size_t cell) {
  CompileOptions compile = sweep.compile;
  compile.parameters = sweep.sets[sweep.set_of(cell)];
  return check_command(sweep.file, compile, check_options(sweep, sweep.column_of(cell)));
}

int run_sweep(const Options& options) {
  catch_interrupts();
  const auto start = std::chrono::steady_clock::now();
  const bool quiet = options.csv_file == "-";  // standard output has only the table
  const Result<ProgramText> text = ProgramText::from_file(options.file, options.compile);
  if (!text) return report_errors(text.error(), options.json);
  if (const auto clash = overwritten_file(
          {{"--csv", quiet ? std::string() : options.csv_file}, {"--html", options.artefacts.html}},
          text->files())) {
    return report_errors({as_diagnostic(*clash)}, options.json);
  }
  Sweep sweep = plan(options);
  ProgressBar bar(options.progress && is_terminal(STDERR_FILENO), sweep.cells.size(), "check");
  Pool(*text, sweep).run([&](std::size_t finished, std::size_t violations) {
    bar.update(finished, violations, violations == 1 ? "violation" : "violations");
    return !interrupted();
  });
  bar.clear();
  sweep.interrupted = interrupted();
  sweep.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (all_wrong(sweep)) {
    // Once more, for the whole message with its place.
    const auto again = text->compile({sweep.sets.front()});
    if (!again.front()) return report_errors(again.front().error(), options.json);
    return report_errors({as_diagnostic({sweep.cells.front().reason, ""})}, options.json);
  }
  if (std::all_of(sweep.cells.begin(), sweep.cells.end(),
                  [](const SweepCell& cell) { return cell.status == CellStatus::left_out; })) {
    return report_errors({as_diagnostic({"none of these checks is possible: " + sweep.cells.front().reason,
                                         "heddle list shows the supported pairs"})},
                         options.json);
  }

  const Style style{terminal_width(STDOUT_FILENO), Paint(wants_colour(STDOUT_FILENO))};
  bool written = write_report(quiet          ? sweep_csv(sweep)
                              : options.json ? sweep_json(sweep)
                                             : sweep_text(sweep, style));
  const auto write = [&written](const std::string& path, const std::string& content) {
    const std::string error = write_file(path, content);
    if (error.empty()) return;
    write_error(fmt::format("heddle: {}\n", error));
    written = false;
  };
  if (!quiet && !options.csv_file.empty()) write(options.csv_file, sweep_csv(sweep));
  if (!options.artefacts.html.empty()) write(options.artefacts.html, sweep_html(sweep));
  return written ? exit_code(sweep) : bad_input;
}

}  // namespace heddle::cli
