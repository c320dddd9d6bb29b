// Prints the table of docs/benchmarks.md about `heddle fences` as Markdown: all fences taken out of each module of
// the standard library and of the locks and queues of examples/, the cheapest ones found under each model, and
// under all at once. `heddle_fences_tables [SECONDS]`: the limit for each (60).
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "heddle/fences.h"

namespace {

namespace fs = std::filesystem;

struct Row {
  std::string file;
  std::vector<std::string> modules = {};
  std::uint32_t unroll = 16;
};

// The clients of the modules, in the order of their names.
std::vector<Row> module_rows() {
  std::vector<Row> rows;
  for (const auto& entry : fs::directory_iterator(HEDDLE_SOURCE_DIR "/tests/stdlib")) {
    const std::string client = entry.path().stem().string();
    std::string module = client;
    if (!fs::exists(HEDDLE_SOURCE_DIR "/stdlib/" + module + ".hed")) module.resize(module.find('_'));
    rows.push_back({"tests/stdlib/" + client + ".hed", {module}});
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.file < b.file; });
  return rows;
}

std::string cell(const heddle::Program& program, const Row& row, std::vector<std::string> models,
                 double limit, std::uint64_t& by_hand) {
  const auto result =
      heddle::find_fences(program, {.models = std::move(models), .modules = row.modules, .timeout = limit});
  if (!result) return " error |";
  by_hand = result->standing_cost;
  const std::string effort = fmt::format("{} checks, {:.2f} s", result->checks, result->seconds);
  switch (result->answer) {
    case heddle::FenceAnswer::found: return fmt::format(" {} ({}) |", result->cost, effort);
    case heddle::FenceAnswer::impossible: return fmt::format(" none ({}) |", effort);
    case heddle::FenceAnswer::undecided: break;
  }
  return fmt::format(" >= {} ({}) |", result->cost, effort);
}

}  // namespace

int main(int argc, char** argv) {
  const double limit = argc > 1 ? std::atof(argv[1]) : 60;
  std::vector<Row> rows = module_rows();
  for (const char* name :
       {"bakery", "burns", "dekker", "dijkstra", "lamport_fast_mutex", "linux_locks", "message_passing",
        "parker", "peterson", "queue", "read_write_lock", "readers_writers", "seqlock", "spin_lock", "stack",
        "szymanski", "ticket_lock", "work_stealing"}) {
    // Dijkstra's lock goes round until its threads have more loads than power allows.
    rows.push_back({fmt::format("examples/{}.hed", name), {}, name == std::string("dijkstra") ? 4U : 16U});
  }
  fmt::print("| program | by hand | tso | pso | power | all three |\n|---|---|---|---|---|---|\n");
  for (const Row& row : rows) {
    const auto program = heddle::Program::from_file(fmt::format("{}/{}", HEDDLE_SOURCE_DIR, row.file),
                                                    {.parameters = {}, .unroll = row.unroll});
    if (!program) {
      fmt::print("| {} | error |\n", row.file);
      continue;
    }
    std::string cells;
    std::uint64_t by_hand = 0;
    for (const std::vector<std::string>& models :
         std::vector<std::vector<std::string>>{{"tso"}, {"pso"}, {"power"}, {"tso", "pso", "power"}})
      cells += cell(*program, row, models, limit, by_hand);
    const std::string name =
        row.unroll == 16 ? row.file : fmt::format("{} (--unroll {})", row.file, row.unroll);
    fmt::print("| {} | {} |{}\n", name, by_hand, cells);
  }
}
