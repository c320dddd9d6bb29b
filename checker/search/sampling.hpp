// The size of a search, estimated from random paths through its tree.
//
// Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29 (1975): a path begins
// at the root and enters one child of each node, chosen uniformly. What is found at a node counts as often as
// the product of the numbers of children of the nodes before it. The expected value of the sum over a path is
// the sum over the whole tree, whatever the tree looks like. But if subtrees differ much in size, most of the
// sum is on paths that are rarely taken.
//
// Vaisman, Kroese, "Stochastic enumeration method for counting trees", Methodology and Computing in Applied
// Probability 19 (2017): many paths descend together. Of all children of the nodes of one level, so many that
// there are enough paths are chosen uniformly; what is found at a level counts as often as the product of the
// mean numbers of children of the levels before. This is unbiased, too, and much less spread, because large
// subtrees attract the paths.
//
// An exploration can be sampled if its stack is a path in its tree and a node's children depend on nothing that
// was found elsewhere: the same explorations as those that can be divided (part.hpp).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <vector>

#include "checker/search/search.hpp"

namespace heddle::checker {

template <typename E>
concept SampledExploration = requires(E& exploration, const E& fixed, const typename E::Node& node) {
  exploration.begin();                                  // opens the root, unless nothing follows the start
  { fixed.open_nodes() } -> std::same_as<std::size_t>;  // on the stack
  { fixed.newest() } -> std::same_as<const typename E::Node&>;
  // Makes the next child of the newest node. False if there are no more: then the node has been left.
  { exploration.make_child() } -> std::same_as<bool>;
  exploration.enter_child();  // opens the node of that child, unless it is the end of a run
  exploration.reopen(node);   // the node that was left last, as it was when it was opened
};

// What a search would count, estimated.
struct Sample {
  double executions = 0;
  double blocked = 0;
  double transitions = 0;
};

// The mean of many samples, and how far they are spread.
class Samples {
 public:
  explicit Samples(std::uint64_t most_paths) : most_paths_(most_paths) {}
  void add(const Sample& sample, std::uint64_t paths);
  [[nodiscard]] bool enough() const { return paths_ >= most_paths_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t paths() const { return paths_; }
  [[nodiscard]] const Sample& mean() const { return mean_; }
  // Standard error of the mean of executions; 0 for fewer than two samples.
  [[nodiscard]] double error() const;
  // The part that the largest sample has in the mean of executions. If it is large, there are probably larger
  // ones that have not been met, and the standard error says little.
  [[nodiscard]] double largest_share() const;

 private:
  std::uint64_t most_paths_;
  std::uint64_t size_ = 0;
  std::uint64_t paths_ = 0;  // of all samples
  Sample mean_;
  double squares_ = 0;  // sum of squared distances from the mean (Welford)
  double largest_ = 0;
};

// Adds up what the search counts, each with its weight.
class WeightedCounts {
 public:
  explicit WeightedCounts(const Search& search) : search_(search), seen_(search.counts) {}
  // What has been counted since the last call.
  void take(double weight) {
    const Counts& now = search_.counts;
    sample_.executions += weight * static_cast<double>(now.executions - seen_.executions);
    sample_.blocked += weight * static_cast<double>(blocked_runs(now) - blocked_runs(seen_));
    sample_.transitions += weight * static_cast<double>(now.transitions - seen_.transitions);
    seen_ = now;
  }
  void skip() { seen_ = search_.counts; }
  [[nodiscard]] const Sample& sample() const { return sample_; }

 private:
  const Search& search_;
  Counts seen_;
  Sample sample_;
};

// Samples the tree of an exploration, which must be new. If the search is stopped meanwhile, a sample means
// nothing.
template <SampledExploration Exploration>
class Sampler {
 public:
  Sampler(Exploration& exploration, Search& search, std::uint64_t seed)
      : exploration_(exploration), search_(search), random_(seed) {}

  // One path. O(depth) transitions for each child of a node.
  Sample path() {
    WeightedCounts counts(search_);
    double weight = 1;
    exploration_.begin();
    counts.take(weight);
    for (depth_ = 0; exploration_.open_nodes() > depth_ && !search_.stopped(); ++depth_) {
      const typename Exploration::Node node = exploration_.newest();
      std::uint32_t children = 0;
      while (exploration_.make_child()) ++children;
      counts.take(weight);
      if (children == 0 || search_.stopped()) break;
      exploration_.reopen(node);
      std::uniform_int_distribution<std::uint32_t> any(1, children);
      for (std::uint32_t left = any(random_); left > 0; --left) static_cast<void>(exploration_.make_child());
      counts.skip();
      weight *= children;
      exploration_.enter_child();
      counts.take(weight);
    }
    unwind(0);
    return counts.sample();
  }
  // The number of nodes of the newest path.
  [[nodiscard]] std::size_t depth() const { return depth_; }

  // `width` paths together. Each level is reached from the root again: O(width * depth^2) transitions for each
  // child of a node.
  Sample paths(std::size_t width) {
    WeightedCounts counts(search_);
    std::vector<std::vector<std::uint32_t>> level{{}};
    for (double nodes = 1; !level.empty() && !search_.stopped();) {
      const double weight = nodes / static_cast<double>(level.size());
      std::vector<std::vector<std::uint32_t>> next;
      unwind(0);
      entered_.clear();
      for (const auto& path : level) {
        descend(path, counts);
        counts.take(weight);
        if (search_.stopped()) return {};
        for (std::uint32_t child = 1; exploration_.open_nodes() > path.size() && exploration_.make_child();
             ++child) {
          next.push_back(path);
          next.back().push_back(child);
        }
        counts.take(weight);
      }
      nodes = weight * static_cast<double>(next.size());
      level.clear();
      std::sample(std::make_move_iterator(next.begin()), std::make_move_iterator(next.end()),
                  std::back_inserter(level), width, random_);
    }
    unwind(0);
    return counts.sample();
  }

 private:
  void unwind(std::size_t nodes) {
    while (exploration_.open_nodes() > nodes && !search_.stopped()) {
      static_cast<void>(exploration_.make_child());
    }
  }
  // Goes to the node at the end of the path, from that of a path that is before it in lexical order. All but
  // what is found there is skipped.
  void descend(const std::vector<std::uint32_t>& path, WeightedCounts& counts) {
    if (path.empty()) return exploration_.begin();
    std::size_t common = 0;
    if (entered_.empty()) {
      exploration_.begin();
      entered_.push_back(0);
    } else {
      while (entered_[common] == path[common]) ++common;
      unwind(common + 1);
      entered_.resize(common + 1);
    }
    for (std::size_t position = common; position < path.size() && !search_.stopped(); ++position) {
      entered_.resize(position + 1, 0);
      for (; entered_[position] < path[position]; ++entered_[position])
        static_cast<void>(exploration_.make_child());
      counts.skip();
      exploration_.enter_child();
    }
  }

  Exploration& exploration_;
  Search& search_;
  std::mt19937_64 random_;
  std::size_t depth_ = 0;
  std::vector<std::uint32_t> entered_;  // the child of each node on the way to the newest node of a level
};

// Adds samples until there are enough, or the search is stopped. The first path shows how long others take;
// then as many descend together as fit into some ten milliseconds.
template <SampledExploration Exploration>
void sample_paths(Exploration& exploration, Search& search, std::uint64_t seed, Samples& samples) {
  constexpr double round = 100'000;  // transitions
  constexpr double most_together = 256;
  Sampler sampler(exploration, search, seed);
  static_cast<void>(sampler.path());
  const double one =
      static_cast<double>(search.counts.transitions) * static_cast<double>(sampler.depth() + 1);
  const auto width = static_cast<std::size_t>(std::clamp(round / one, 1.0, most_together));
  while (!samples.enough() && !search.stopped()) {
    const Sample sample = width == 1 ? sampler.path() : sampler.paths(width);
    if (!search.stopped()) samples.add(sample, width);
  }
}

}  // namespace heddle::checker
