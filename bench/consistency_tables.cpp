// heddle_consistency_tables: cost of the reads-from verifiers by the length of a history, compared with the
// naive enumeration of lower sets. Prints the tables of docs/benchmarks.md as Markdown.
//
// Instances: runs of a random program of k threads under the model, with some sources exchanged. Only
// unrealisable ones are used, without the closure, so that the search has to visit everything. A cell is the
// median over the instances; the exponent is the slope of a line through (log n, log median states).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <string_view>
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

Cell measure(Verifier& verifier, const std::vector<Instance>& set, Model model, bool naive) {
  std::vector<Cell> cells;
  for (const auto& instance : set) {
    const auto start = std::chrono::steady_clock::now();
    static_cast<void>(naive ? verifier.verify_naive(instance, model) : verifier.verify(instance, model));
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
      const heddle::consistency::tests::Shape shape{
          .threads = threads, .events = events, .locations = 4, .store_fences = false, .final_writes = false};
      auto instance = heddle::consistency::tests::random_instance(random, model, shape, false);
      if (instance.threads() != threads || instance.events.size() != events) continue;
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

}  // namespace

int main() {
  for (const std::uint32_t threads : {2U, 3U, 4U}) {
    table(Model::sc, "SC", threads);
    table(Model::tso, "TSO", threads);
    table(Model::pso, "PSO", threads);
  }
}
