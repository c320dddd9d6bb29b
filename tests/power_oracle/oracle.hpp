// A second opinion on programs under POWER: what the axioms allow, determined without the checker.
//
// Enumerates, from the resolved tree, all paths of each thread (paths.hpp), for each combination of paths all
// sources and coherence orders (executions.hpp), and judges each candidate by the axioms (axioms.hpp). Shares
// no code with the compiler, the machines or the algorithms, only the front end. For programs of up to about
// thirty events.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lang/tree.hpp"
#include "tests/power_oracle/paths.hpp"

namespace heddle::power_oracle {

struct Options {
  std::uint32_t unroll = 16;
  std::size_t most_paths = 500;              // per thread
  std::uint64_t most_combinations = 20'000;  // of paths
  std::uint64_t most_candidates = 100'000;
  bool deduce = true;  // see executions.hpp
  bool violations = true;
};

struct Finding {
  Failure failure = Failure::assertion;
  lang::SourceRange range;
  std::string text;
  friend bool operator<(const Finding& a, const Finding& b) {
    return std::tie(a.failure, a.range.file, a.range.begin, a.text) <
           std::tie(b.failure, b.range.file, b.range.begin, b.text);
  }
};

struct Judgement {
  std::uint64_t executions = 0;  // complete (po, rf, co)
  std::uint64_t classes = 0;     // complete (po, rf)
  // Shared variables without mutexes, then the outermost locals of each thread; for a litmus test, the
  // observed values. With the number of executions.
  std::map<std::vector<std::int64_t>, std::uint64_t> outcomes;
  struct Count {
    std::uint64_t satisfied = 0;
    std::uint64_t total = 0;
  };
  std::vector<Count> conditions;  // by property of the program
  // Failures in threads and in `final`, including those in executions that cannot be completed.
  std::set<Finding> findings;
  bool condition_violated = false;  // a forall or forbid
  bool deadlock = false;
  bool race = false;             // in a complete execution: see `is_racy` in oracle.cpp
  std::uint64_t candidates = 0;  // number of candidates judged

  [[nodiscard]] bool violation() const { return !findings.empty() || condition_violated || deadlock; }
};

// Throws TooLarge if the program exceeds the limits in `options`.
[[nodiscard]] Judgement judge(const lang::Program& program, const Options& options = {});

}  // namespace heddle::power_oracle
