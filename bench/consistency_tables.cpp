// heddle_consistency_tables: cost of the reads-from verifiers by the length of a history, compared with the
// naive enumeration of lower sets, and with and without the closure (paper 4, figures 9 to 11). Prints the tables of
// docs/benchmarks.md as Markdown.
//
// Instances: runs of a random program of k threads under the model, for unrealisable ones with the last source of a
// thread exchanged. The tables by length use unrealisable ones, without the closure, so that the search has to visit
// everything. A cell is the median over the instances; the exponent is the slope of a line through (log n, log median
// states).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/verifier/verifier.hpp"
#include "tests/consistency/oracle.hpp"

namespace {

using namespace heddle::consistency;  // NOLINT

constexpr std::size_t instances = 31;
constexpr std::uint64_t most_states = 1'000'000;

struct Cell {
  double states = 0;
  double microseconds = 0;
  bool cut = false;  // the median search was given up
};

Cell measure(Verifier& verifier, const std::vector<Instance>& set, Model model, bool naive,
             UseClosure closure = UseClosure::never) {
  std::vector<Cell> cells;
  for (const auto& instance : set) {
    const auto start = std::chrono::steady_clock::now();
    static_cast<void>(naive ? verifier.verify_naive(instance, model, closure)
                            : verifier.verify(instance, model, closure));
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    cells.push_back({static_cast<double>(verifier.nodes()), time.count(), verifier.gave_up()});
  }
  std::nth_element(cells.begin(), cells.begin() + instances / 2, cells.end(),
                   [](const Cell& a, const Cell& b) { return a.states < b.states; });
  return cells[instances / 2];
}

double slope(const std::vector<std::pair<double, double>>& points) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(points.size());
  for (const auto& [size, states] : points) {
    x += std::log(size);
    y += std::log(states);
    xx += std::log(size) * std::log(size);
    xy += std::log(size) * std::log(states);
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

// Changes the source of some thread's last read to another write.
void spoil_the_end(Instance& instance, std::mt19937_64& random) {
  const auto thread = static_cast<ThreadId>(random() % instance.threads());
  for (auto e = instance.first[thread + 1]; e-- > instance.first[thread];) {
    auto& read = instance.events[e];
    if (read.effect != Effect::load) continue;
    std::vector<EventId> writes{no_event};
    for (EventId w = 0; w < instance.events.size(); ++w) {
      if ((instance.events[w].effect & Effect::writes) != 0 && instance.events[w].location == read.location)
        writes.push_back(w);
    }
    read.source = writes[random() % writes.size()];
    return;
  }
}

// A run of `threads` threads with `events` events; `locked_share` of 8 change memory at once.
Instance run_of(std::mt19937_64& random, Model model, std::uint32_t threads, std::uint32_t events,
                std::uint32_t locked_share = 1) {
  const heddle::consistency::tests::Shape shape{.threads = threads,
                                                .events = events,
                                                .locations = 4,
                                                .locked_share = locked_share,
                                                .store_fences = false,
                                                .final_writes = false};
  while (true) {
    auto instance = heddle::consistency::tests::random_instance(random, model, shape, false);
    if (instance.threads() == threads && instance.events.size() == events) return instance;
  }
}

void table(Model model, std::string_view name, std::uint32_t threads) {
  Verifier verifier;
  verifier.limit(most_states);
  std::mt19937_64 random(threads);
  std::vector<std::pair<double, double>> ours, naives;
  std::vector<double> speed_ups;
  fmt::print("\n{}, {} threads\n\n| events | states | naive states | us | naive us | faster |\n", name,
             threads);
  fmt::print("|---:|---:|---:|---:|---:|---:|\n");
  for (const std::uint32_t events : {8U, 12U, 16U, 24U, 32U, 48U}) {
    std::vector<Instance> set;
    while (set.size() < instances) {
      auto instance = run_of(random, model, threads, events);
      spoil_the_end(instance, random);
      // Instances refuted before any search say nothing about it.
      if (!verifier.verify(instance, model) && verifier.nodes() > 0) set.push_back(std::move(instance));
    }
    const auto our = measure(verifier, set, model, false);
    const auto naive = measure(verifier, set, model, true);
    ours.emplace_back(events, our.states);
    if (!naive.cut) naives.emplace_back(events, naive.states);
    speed_ups.push_back(naive.microseconds / our.microseconds);
    fmt::print("| {} | {:.0f} | {}{:.0f} | {:.1f} | {}{:.1f} | {:.0f} |\n", events, our.states,
               naive.cut ? "over " : "", naive.states, our.microseconds, naive.cut ? "over " : "",
               naive.microseconds, speed_ups.back());
  }
  std::sort(speed_ups.begin(), speed_ups.end());
  fmt::print("\nExponent {:.1f}, naive {:.1f}. Median speed-up {:.0f}.\n", slope(ours),
             naives.size() > 1 ? slope(naives) : NAN, speed_ups[speed_ups.size() / 2]);
}

// Figures 9 and 10: realisable instances and unrealisable ones, with the closure first and without it. Figure 11: the same
// where half of the accesses are read-modify-writes.
void closure_table() {
  constexpr std::uint32_t threads = 3;
  constexpr std::uint32_t events = 32;
  struct Row {
    Model model;
    std::string_view name;
    std::uint32_t locked_share;
  };
  Verifier verifier;
  verifier.limit(most_states);
  std::mt19937_64 random(1);
  fmt::print("\nMedian microseconds, {} threads, {} events\n\n", threads, events);
  fmt::print(
      "| instances | realisable | ours | with closure | naive | with closure | refuted by closure |\n");
  fmt::print("|---|---|---:|---:|---:|---:|---:|\n");
  for (const Row& row : {Row{Model::tso, "TSO", 1}, Row{Model::pso, "PSO", 1},
                         Row{Model::tso, "TSO, read-modify-writes", 4}}) {
    for (const bool realisable : {true, false}) {
      std::vector<Instance> set;
      while (set.size() < instances) {
        auto instance = run_of(random, row.model, threads, events, row.locked_share);
        if (!realisable) spoil_the_end(instance, random);
        if (verifier.verify(instance, row.model) == realisable && verifier.nodes() > 0)
          set.push_back(std::move(instance));
      }
      const auto refuted = std::ranges::count_if(set, [&](const Instance& instance) {
        return !verifier.verify(instance, row.model, UseClosure::first) && verifier.nodes() == 0;
      });
      fmt::print("| {} | {} |", row.name, realisable ? "yes" : "no");
      for (const bool naive : {false, true}) {
        for (const auto closure : {UseClosure::never, UseClosure::first}) {
          const auto cell = measure(verifier, set, row.model, naive, closure);
          fmt::print(" {}{:.1f} |", cell.cut ? "over " : "", cell.microseconds);
        }
      }
      fmt::print(" {} of {} |\n", refuted, set.size());
    }
  }
}

}  // namespace

int main() {
  for (const std::uint32_t threads : {2U, 3U, 4U}) {
    table(Model::sc, "SC", threads);
    table(Model::tso, "TSO", threads);
    table(Model::pso, "PSO", threads);
  }
  closure_table();
}
