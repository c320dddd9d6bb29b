// Paper 4: table 1, reads-from classes and traces. Source counts the classes of Shasha and Snir, which `trust` counts,
// too.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bench/papers/papers.hpp"

namespace heddle::bench::papers {

void print_paper_4(Run& run) {
  struct Row {
    std::string name;
    std::int64_t unroll;
    std::string model;
    Published classes;
    Published traces;
  };
  const std::vector<Row> rows{{"boop4", 1, "sc", {2902, "1.22 s"}, {21'948, "1.74 s"}},
                              {"boop4", 1, "tso", {3682, "1.46 s"}, {36'588, "6.18 s"}},
                              {"boop4", 1, "pso", {8233, "4.40 s"}, {572'436, "169 s"}},
                              {"boop4", 4, "sc", {197'260, "124 s"}, {3'873'348, "550 s"}},
                              {"boop4", 4, "tso", {313'336, "182 s"}, {9'412'428, "2556 s"}},
                              {"boop4", 4, "pso", {1'807'408, "1593 s"}, {}},
                              {"eratosthenes2", 17, "sc", {4667, "6.70 s"}, {100'664, "46 s"}},
                              {"eratosthenes2", 17, "tso", {29'217, "32 s"}, {4'719'488, "2978 s"}},
                              {"eratosthenes2", 17, "pso", {253'125, "475 s"}, {}},
                              {"eratosthenes2", 21, "sc", {19'991, "41 s"}, {1'527'736, "736 s"}},
                              {"eratosthenes2", 21, "tso", {223'929, "342 s"}, {}},
                              {"eratosthenes2", 21, "pso", {}, {}},
                              {"fillarray", 3, "sc", {14'625, "12 s"}, {47'892, "6.18 s"}},
                              {"fillarray", 3, "tso", {14'625, "12 s"}, {59'404, "12 s"}},
                              {"fillarray", 3, "pso", {14'625, "18 s"}, {63'088, "39 s"}},
                              {"fillarray", 4, "sc", {471'821, "553 s"}, {2'278'732, "331 s"}},
                              {"fillarray", 4, "tso", {471'821, "547 s"}, {3'023'380, "778 s"}},
                              {"fillarray", 4, "pso", {471'821, "930 s"}, {3'329'934, "2844 s"}}};
  fmt::print("### Paper 4, table 1\n\n| program | model | paper, RF-SMC | rf | paper, Source | trust |\n");
  fmt::print("|---|---|---:|---:|---:|---:|\n");
  for (const auto& row : rows) {
    const std::string file = "tests/programs/reference/" + row.name + ".hed";
    const Parameters parameters{{"U", row.unroll}};
    const auto program = load(file, parameters);
    const auto explored = [&](const Published& published, const std::string& algorithm) {
      const auto measured =
          explore(run, program, {.model = row.model, .algorithm = algorithm, .keep_going = true});
      return compared(run, measured, published);
    };
    fmt::print("| {} | {} | {} | {} | {} | {} |\n", label(file, parameters), row.model, text(row.classes),
               explored(row.classes, "rf"), text(row.traces), explored(row.traces, "trust"));
  }
  note(
      "`-`: not within an hour there. The paper does not print the programs; where their loops end is "
      "reconstructed from\n"
      "its counts.");
}

}  // namespace heddle::bench::papers
