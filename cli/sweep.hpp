// A sweep: one program checked with several sets of params, under several models, with several algorithms.
// The results are a table with a row for each set and a column for each model and algorithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/report.hpp"
#include "heddle/heddle.h"

namespace heddle::cli {

enum class CellStatus : std::uint8_t {
  checked,
  left_out,  // the algorithm does not support the model or a bound
  wrong,     // no program results from these params, or the check refuses an option
  not_run,   // interrupted before
};

struct SweepCell {
  CellStatus status = CellStatus::not_run;
  std::string reason;  // left_out, wrong
  // What follows is of the check.
  Verdict verdict = Verdict::safe;
  std::string algorithm;  // that decided; empty if it was not checked
  Counts counts;
  std::vector<std::string> bounds;
  std::string stopped_by;
  std::string message;  // of the first violation; empty: none
  std::string file;     // its place
  std::uint32_t line = 0;
  double seconds = 0;
};

struct SweepColumn {
  std::string model;
  std::string algorithm;  // or "auto"
};

struct Sweep {
  std::string file;
  CompileOptions compile;  // without params
  CheckOptions check;      // without model and algorithm
  std::vector<ParameterValues> values;
  std::vector<SweepColumn> columns;  // model by model
  std::vector<Parameters> sets;      // all combinations of the values; the last param changes fastest
  std::vector<SweepCell> cells;      // set by set, column by column
  bool interrupted = false;          // and therefore some checks were not run or not finished
  double seconds = 0;
  unsigned jobs = 1;

  [[nodiscard]] const SweepCell& cell(std::size_t set, std::size_t column) const {
    return cells[set * columns.size() + column];
  }
  [[nodiscard]] std::size_t set_of(std::size_t cell) const { return cell / columns.size(); }
  [[nodiscard]] const SweepColumn& column_of(std::size_t cell) const {
    return columns[cell % columns.size()];
  }
};

// The worst of the cells: 2 if one is wrong or all are left out, then 1 for a violation, 3 for a check that
// is undecided, vacuous or was not run, 0.
[[nodiscard]] int exit_code(const Sweep& sweep);
// "checked", "left out", ...: the verdict if there is one.
[[nodiscard]] std::string_view outcome(const SweepCell& cell);
// The command that runs one cell alone.
[[nodiscard]] std::string cell_command(const Sweep& sweep, std::size_t cell);

// The table, with models side by side if they fit, then the distinct violations with a command for each, the
// bounds, the reasons for cells without a verdict, and the sums.
[[nodiscard]] std::string sweep_text(const Sweep& sweep, const Style& style);
[[nodiscard]] std::string sweep_csv(const Sweep& sweep);
[[nodiscard]] std::string sweep_json(const Sweep& sweep);
[[nodiscard]] std::string sweep_html(const Sweep& sweep);

}  // namespace heddle::cli
