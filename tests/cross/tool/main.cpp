// heddle_cross: every algorithm under every model on all files and then on random programs, until the time is
// up. Prints each failure with a minimal program and continues; exit code 1 if there was one, 2 for a wrong
// command line, a folder that cannot be read, or too little time to look at anything. ./dev cross builds and
// runs it.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "../corpus.hpp"
#include "differential/campaign.hpp"

namespace {

struct Settings {
  std::uint64_t seconds = 60;
  std::uint64_t seed = heddle::differential::default_seed();
  std::uint64_t first = 0;
  std::uint64_t sample = 10;  // of the litmus tests; 0: no files, random programs only
};

std::optional<Settings> parse(int count, char** arguments) {
  Settings settings;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = arguments[i];
    std::uint64_t* const value = name == "--seconds"  ? &settings.seconds
                                 : name == "--seed"   ? &settings.seed
                                 : name == "--first"  ? &settings.first
                                 : name == "--sample" ? &settings.sample
                                                      : nullptr;
    if (value == nullptr || i + 1 == count) return {};
    const std::string_view text = arguments[i + 1];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
  }
  return settings;
}

class Run {
 public:
  explicit Run(const Settings& settings)
      : settings_(settings), start_(std::chrono::steady_clock::now()), reported_(start_) {}

  int run() {
    fmt::print("pairs: {}\n", heddle::cross::all_pairs());
    if (settings_.sample > 0) files();
    random_programs();
    fmt::print("{} files, {} random programs (seed {}, from {}), {} skipped in part, {} failures\n", files_,
               programs_, settings_.seed, settings_.first, skipped_, failures_);
    if (files_ + programs_ == 0) {
      fmt::print(stderr, "heddle_cross: nothing was examined: the time was up before the first file\n");
      return 2;
    }
    return failures_ == 0 ? 0 : 1;
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool time_is_up() const {
    return Clock::now() - start_ >= std::chrono::seconds(settings_.seconds);
  }

  void fail(const std::string& text) {
    ++failures_;
    fmt::print("FAILURE: {}\n", text);
    std::fflush(stdout);
  }

  void files() {
    const auto corpus = heddle::cross::corpus(settings_.sample);
    fmt::print("{} files, with every {}th of {} published litmus tests\n", corpus.paths.size(),
               settings_.sample, corpus.published);
    for (const auto& path : corpus.paths) {
      if (time_is_up()) return;
      const auto finding = heddle::cross::examine_file(path);
      ++files_;
      skipped_ += finding.skipped ? 1 : 0;
      if (!finding.difference.empty()) fail(path + ":\n" + finding.difference);
    }
  }

  void random_programs() {
    for (auto number = settings_.first; !time_is_up(); ++number) {
      const auto trial =
          heddle::differential::try_program(settings_.seed, number, heddle::differential::all_pairs_agree);
      ++programs_;
      skipped_ += trial.skipped ? 1 : 0;
      if (!trial.failure.empty()) fail(trial.failure);
      if (Clock::now() - reported_ < std::chrono::seconds(60)) continue;
      reported_ = Clock::now();
      fmt::print("{} random programs so far\n", programs_);
      std::fflush(stdout);
    }
  }

  Settings settings_;
  Clock::time_point start_;
  Clock::time_point reported_;
  std::uint64_t files_ = 0;
  std::uint64_t programs_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t failures_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  const auto settings = parse(count, arguments);
  if (!settings) {
    fmt::print(stderr, "usage: heddle_cross [--seconds S] [--seed X] [--first N] [--sample N]\n");
    return 2;
  }
  try {
    return Run(*settings).run();
  } catch (const std::filesystem::filesystem_error& error) {
    fmt::print(stderr, "heddle_cross: {}\n", error.what());
    return 2;
  }
}
