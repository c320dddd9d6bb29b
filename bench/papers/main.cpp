// `heddle_papers_tables [--seconds S] [--paper N]` prints the tables of the papers as Markdown. A check beyond S seconds
// of CPU time (30) is shown with what it counted so far. Exits with 1 if a finished check has another count than the
// paper has for the same program.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bench/papers/papers.hpp"

namespace {

using heddle::bench::papers::Run;

struct Paper {
  int number;
  std::string_view tables;
  void (*print)(Run&);
};

constexpr Paper papers[] = {
    {1, "tables 1 and 2, figures 7 to 9", heddle::bench::papers::print_paper_1},
    {2, "table 1, figure 11", heddle::bench::papers::print_paper_2},
    {3, "tables 1 to 4", heddle::bench::papers::print_paper_3},
    {4, "table 1", heddle::bench::papers::print_paper_4},
    {5, "table 1", heddle::bench::papers::print_paper_5},
};

int usage() {
  fmt::print(stderr, "usage: heddle_papers_tables [--seconds S] [--paper N]\n");
  for (const auto& paper : papers) fmt::print(stderr, "  --paper {}   {}\n", paper.number, paper.tables);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Run run;
  const Paper* chosen = nullptr;
  if (argc % 2 == 0) return usage();
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--seconds") {
      run.limit = std::atof(argv[i + 1]);
      if (run.limit <= 0) return usage();
    } else if (option == "--paper") {
      chosen = std::ranges::find(papers, std::atoi(argv[i + 1]), &Paper::number);
      if (chosen == std::end(papers)) return usage();
    } else {
      return usage();
    }
  }
  for (const auto& paper : papers) {
    if (chosen == nullptr || chosen == &paper) paper.print(run);
    std::fflush(stdout);
  }
  return run.all_equal ? 0 : 1;
}
