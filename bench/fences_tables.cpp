// Prints the table of docs/benchmarks.md about `heddle fences` as Markdown: all fences taken out of each module of
// the standard library and of the locks and queues of examples/, the cheapest ones found under each model, and
// under all at once. `heddle_fences_tables [--recheck] [SECONDS]`: the limit for each (60). With --recheck, the
// changed text of each cell is checked by every algorithm under its models, with the same limit for each check, and
// the totals follow the table; the exit code is 1 if one of them finds a violation.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
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

// A program with its modules in a folder of its own, where fences of the standard library can be changed, too.
class Copy {
 public:
  Copy(const Row& row, const std::vector<heddle::ChangedFile>& changed)
      : folder_(fs::temp_directory_path() / fmt::format("heddle_fences_{}", ::getpid())) {
    fs::create_directories(folder_);
    for (const auto& entry : fs::directory_iterator(HEDDLE_SOURCE_DIR "/stdlib")) add(entry.path());
    file_ = add(fmt::format("{}/{}", HEDDLE_SOURCE_DIR, row.file), "program.hed");
    for (const heddle::ChangedFile& file : changed) {
      write(file.built_in ? folder_ / fs::path(file.name).filename() : file_, file.text);
    }
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  ~Copy() { fs::remove_all(folder_); }

  [[nodiscard]] const fs::path& file() const { return file_; }

 private:
  fs::path add(const fs::path& from, std::string name = {}) {
    if (name.empty()) name = from.filename().string();
    std::ifstream in(from);
    write(folder_ / name, {std::istreambuf_iterator<char>(in), {}});
    return folder_ / name;
  }
  // Modules of the standard library are files next to the program here.
  static void write(const fs::path& to, std::string text) {
    constexpr std::string_view import = "import std.";
    for (auto at = text.find(import); at != std::string::npos; at = text.find(import, at + 1)) {
      const auto begin = at + import.size();
      const auto end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", begin);
      text.replace(at, end - at, fmt::format("import \"./{}.hed\"", text.substr(begin, end - begin)));
    }
    std::ofstream(to) << text;
  }

  fs::path folder_;
  fs::path file_;
};

struct Totals {
  std::uint64_t sets = 0;
  std::uint64_t safe = 0;
  std::vector<std::string> others;  // checks with another answer, one per line
  bool violated = false;
};

// Checks the set by every algorithm under each of its models.
void recheck(const Row& row, const std::vector<std::string>& models, const heddle::FenceResult& result,
             double limit, Totals& totals) {
  const Copy copy(row, result.changed);
  ++totals.sets;
  const auto program =
      heddle::Program::from_file(copy.file().string(), {.parameters = {}, .unroll = row.unroll});
  if (!program) {
    totals.others.push_back(fmt::format("{}: {}", row.file, heddle::to_text(program.error())));
    totals.violated = true;
    return;
  }
  for (const std::string& model : models) {
    for (const heddle::AlgorithmInfo& algorithm : heddle::algorithms()) {
      if (!heddle::why_not(model, algorithm.name).empty()) continue;
      const auto checked = heddle::check(
          *program, {.model = model, .algorithm = std::string(algorithm.name), .timeout = limit});
      if (checked && (checked->verdict == heddle::Verdict::safe ||
                      checked->verdict == heddle::Verdict::safe_within_bounds)) {
        ++totals.safe;
        continue;
      }
      const bool violation = !checked || checked->verdict == heddle::Verdict::violation;
      totals.violated = totals.violated || violation;
      totals.others.push_back(fmt::format("{} under {} by {}: {}", row.file, model, algorithm.name,
                                          !checked    ? heddle::to_text(checked.error())
                                          : violation ? checked->violation->message
                                                      : "undecided, " + checked->stopped_by));
    }
  }
}

std::string cell(const heddle::Program& program, const Row& row, const std::vector<std::string>& models,
                 double limit, std::uint64_t& by_hand, Totals* totals) {
  const auto result =
      heddle::find_fences(program, {.models = models, .modules = row.modules, .timeout = limit});
  if (!result) return " error |";
  by_hand = result->standing_cost;
  if (totals != nullptr && result->answer == heddle::FenceAnswer::found)
    recheck(row, models, *result, limit, *totals);
  const std::string effort =
      fmt::format("{} check{}, {:.2f} s", result->checks, result->checks == 1 ? "" : "s", result->seconds);
  switch (result->answer) {
    case heddle::FenceAnswer::found: return fmt::format(" {} ({}) |", result->cost, effort);
    case heddle::FenceAnswer::impossible: return fmt::format(" none ({}) |", effort);
    case heddle::FenceAnswer::undecided: break;
  }
  return fmt::format(" >= {} ({}) |", result->cost, effort);
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<Totals> totals;
  double limit = 60;
  for (int i = 1; i < argc; ++i) {
    if (argv[i] == std::string_view("--recheck")) {
      totals.emplace();
    } else {
      limit = std::atof(argv[i]);
    }
  }
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
      cells += cell(*program, row, models, limit, by_hand, totals ? &*totals : nullptr);
    const std::string name =
        row.unroll == 16 ? row.file : fmt::format("{} (--unroll {})", row.file, row.unroll);
    fmt::print("| {} | {} |{}\n", name, by_hand, cells);
  }
  if (!totals) return 0;
  fmt::print("\n{} sets; {} checks found the program safe, {} did not:\n", totals->sets, totals->safe,
             totals->others.size());
  for (const std::string& other : totals->others) fmt::print("- {}\n", other);
  return totals->violated ? 1 : 0;
}
