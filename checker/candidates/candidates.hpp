// Candidate executions: everything that a program could do if no memory model forbade it. Each combination of
// the threads' paths (paths.hpp), with each way to give every read a write of its value, and each order of the
// writes of every location.
//
// Herd's enumeration, with coherence built in: the sources and orders of one location are chosen together and
// only as coherence per location and the atomicity of read-modify-writes allow, since every model here forbids
// the rest. If the condition has no coherent candidate, those that are not are enumerated: with the writes of each
// thread in program order, or if there is none of these either, with any order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "checker/axioms/execution.hpp"
#include "checker/candidates/paths.hpp"
#include "compiler/image.hpp"

namespace heddle::checker {

// One complete execution. The tags of its events and points are indexes into `accesses` and `points`.
struct Candidate {
  struct Access {
    ThreadId thread = 0;
    const PathAccess* access = nullptr;
    axioms::EventId read = axioms::no_event;
    axioms::EventId write = axioms::no_event;
  };
  struct PointPlace {
    ThreadId thread = 0;
    const PathPoint* point = nullptr;
  };
  axioms::Execution execution;
  std::vector<Access> accesses;  // thread by thread, in program order
  std::vector<PointPlace> points;
  std::vector<std::int64_t> memory;      // at the end, before the `final` block
  std::vector<const std::byte*> blocks;  // of the threads at their ends
};

struct CandidateLimits {
  std::uint64_t most_steps = 2'000'000;  // partial combinations that are visited
  std::function<bool()> go_on = {};      // called now and then; false gives up
};

// True if a final state satisfies the condition. May change its argument, as the `final` block does.
using FinalCondition = std::function<bool(std::vector<std::int64_t>& memory, const std::byte* const* blocks)>;

struct Enumeration {
  std::uint64_t candidates = 0;  // that satisfy the condition
  bool coherent = true;          // false: there is no coherent candidate, and these are the others
  std::string gave_up;           // the limit that was too small; empty: all candidates were visited
};

// Calls visit(candidate) for each candidate that satisfies the condition until it returns false. `paths` must
// outlive the candidates, which refer to it.
Enumeration for_each_candidate(const Image& image, const Paths& paths, const FinalCondition& condition,
                               const CandidateLimits& limits, const std::function<bool(Candidate&&)>& visit);

}  // namespace heddle::checker
