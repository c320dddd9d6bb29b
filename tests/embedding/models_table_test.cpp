// The table of docs/memory-models.md has the results of checking the litmus programs. HEDDLE_UPDATE_DOCS=1
// rewrites it, with a column for every model.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "heddle/heddle.h"

namespace {

const std::string docs = HEDDLE_SOURCE_DIR "/docs/memory-models.md";

struct Row {
  std::string name;
  std::string file;  // in tests/programs/expect
  heddle::Parameters parameters = {};
};

const std::vector<Row> rows{
    {"SB, store buffering", "litmus_sb"},
    {"SB with a full fence on both sides", "litmus_sb", {{"BETWEEN", 1}}},
    {"SB with `fence st` on both sides", "litmus_sb", {{"BETWEEN", 2}}},
    {"SB with one fence only", "litmus_sb_one_fence"},
    {"SB with stores by `exchange`", "litmus_sb_exchange"},
    {"R", "litmus_r"},
    {"RWC", "litmus_rwc"},
    {"MP, message passing", "litmus_mp"},
    {"MP with `fence st` between the stores", "litmus_mp", {{"BETWEEN", 2}}},
    {"S", "litmus_s"},
    {"2+2W", "litmus_2_2w"},
    {"ISA2", "litmus_isa2"},
    {"LB, load buffering", "litmus_lb"},
    {"WRC", "litmus_wrc"},
    {"IRIW", "litmus_iriw"},
    {"CoRR, coherence", "coherence_corr"},
};

bool allows(const Row& row, const std::string& model) {
  heddle::CompileOptions compile;
  compile.parameters = row.parameters;
  const auto program = heddle::Program::from_file(
      std::string(HEDDLE_SOURCE_DIR) + "/tests/programs/expect/" + row.file + ".hed", compile);
  REQUIRE(program);
  heddle::CheckOptions options;
  options.model = model;
  const auto result = heddle::check(*program, options);
  REQUIRE(result);
  REQUIRE(result->verdict == heddle::Verdict::safe);
  return result->conditions.at(0).satisfied > 0;
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result;
  std::istringstream parts(line);
  for (std::string cell; std::getline(parts, cell, '|');) {
    const auto begin = cell.find_first_not_of(' ');
    if (begin != std::string::npos)
      result.push_back(cell.substr(begin, cell.find_last_not_of(' ') - begin + 1));
  }
  return result;
}

std::string table() {
  std::string text = "| program | in `tests/programs/expect/` |";
  std::string rule = "|---|---|";
  for (const auto& model : heddle::models()) {
    text += " " + std::string(model.name) + " |";
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const auto& row : rows) {
    text += "| " + row.name + " | `" + row.file;
    for (const auto& [name, value] : row.parameters) text += " -D " + name + "=" + std::to_string(value);
    text += "` |";
    for (const auto& model : heddle::models())
      text += allows(row, std::string(model.name)) ? " **yes** |" : " no |";
    text += "\n";
  }
  return text;
}

TEST_CASE("the table of docs/memory-models.md has the results of the checks") {
  std::ifstream in(docs);
  std::ostringstream whole;
  whole << in.rdbuf();
  const std::string text = whole.str();
  const auto begin = text.find("| program |");
  REQUIRE(begin != std::string::npos);
  const auto end = text.find("\n\n", begin) + 1;
  if (std::getenv("HEDDLE_UPDATE_DOCS") != nullptr) {
    std::ofstream(docs) << text.substr(0, begin) + table() + text.substr(end);
    return;
  }
  std::istringstream lines(text.substr(begin, end - begin));
  std::string line;
  std::getline(lines, line);
  const auto head = cells(line);
  REQUIRE(head.size() >= 3);
  std::getline(lines, line);
  for (const auto& row : rows) {
    REQUIRE(std::getline(lines, line));
    const auto found = cells(line);
    CAPTURE(line);
    REQUIRE(found.size() == head.size());
    CHECK(found[0] == row.name);
    for (std::size_t i = 2; i < head.size(); ++i) CHECK((found[i] == "**yes**") == allows(row, head[i]));
  }
}

}  // namespace
