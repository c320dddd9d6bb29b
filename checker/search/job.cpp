#include "checker/search/job.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace heddle::checker {

namespace {

class Task final : public CrewTask {
 public:
  explicit Task(Job& job) : job_(job) {}

  void feed_the_hungry(Search& /*search*/) override {}

  void poll(Search& search, std::uint64_t depth, std::uint64_t /*memory*/) override {
    std::uint32_t wanted = job_.parts_wanted({.executions = search.counts.executions,
                                              .blocked = blocked_runs(search.counts),
                                              .transitions = search.counts.transitions,
                                              .depth = depth,
                                              .seconds = search.seconds()});
    if (wanted == 0 || search.halted()) return;
    if (wanted == Job::stop_now) return search.pause();
    // Nothing can be given away on the way to the part, or if all that is left is below the newest node.
    for (; wanted > 0; --wanted) {
      std::optional<Part> part = search.split();
      if (!part) break;
      given_.push_back(std::move(*part));
    }
    if (!given_.empty()) search.pause();
  }

  void reach_limit(Search& /*search*/) override {}

  // Later in serial order are those that were given away first.
  [[nodiscard]] const std::vector<Part>& given() const { return given_; }

 private:
  Job& job_;
  std::vector<Part> given_;
};

}  // namespace

bool explore_job(Search& whole, const ExplorePart& explore) {
  Job& job = *whole.job();
  Task task(job);
  Search search(whole, whole.options(), task, 0);
  if (!explore(search, job.part)) return false;
  job.left.clear();
  if (search.rest()) job.left.push_back(*search.rest());
  job.left.insert(job.left.end(), task.given().rbegin(), task.given().rend());
  whole.append(search.findings());
  if (search.stopped()) {
    job.left.clear();
    whole.stop(search.stopped_by());
  }
  return true;
}

}  // namespace heddle::checker
