// The tables of the papers, the papers' own figures next to ours: one file a paper, listed in main.cpp. The papers are
// cited in docs/papers.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/programs.hpp"

namespace heddle::bench::papers {

// One run of the tables.
struct Run {
  double limit = 30;      // CPU seconds of a check
  bool all_equal = true;  // no finished check had another count than the paper has for the same program
};

void print_paper_1(Run& run);
void print_paper_2(Run& run);
void print_paper_3(Run& run);
void print_paper_4(Run& run);
void print_paper_5(Run& run);

// Checks `program` until the limit: the fastest of `rounds` checks, unless the first takes more than a tenth of it.
[[nodiscard]] Measured explore(const Run& run, const Program& program, CheckOptions options, int rounds = 1);
[[nodiscard]] bool finished(const Measured& measured);

// "2902 (0.01 s)", "> 120 (30.00 s)" at the limit.
[[nodiscard]] std::string cell(const Measured& measured);

// Prints what the figures of a table mean, and in what ours differ from the paper's.
void note(std::string_view text);

// What a paper says of a check. No count: its own run did not end, or it does not tell.
struct Published {
  std::optional<std::uint64_t> count = {};
  std::string_view time = {};
};
// "2902 (1.22 s)", "-"
[[nodiscard]] std::string text(const Published& published);
// cell(), and whether a finished check of the same program has the published count.
[[nodiscard]] std::string compared(Run& run, const Measured& measured, const Published& published);

}  // namespace heddle::bench::papers
