// See hitting_set.hpp.
#include "checker/api/hitting_set.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>

namespace heddle::hitting_set {

namespace {

bool contains(const Set& outer, const Set& inner) {
  return std::includes(outer.begin(), outer.end(), inner.begin(), inner.end());
}

class Search {
 public:
  explicit Search(const Problem& problem) : problem_(problem), clauses_(problem.clauses) {
    for (Set& clause : clauses_) {
      std::sort(clause.begin(), clause.end());
      clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
    }
    std::sort(clauses_.begin(), clauses_.end(),
              [](const Set& a, const Set& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
    // A subset comes before the sets that contain it.
    std::vector<Set> kept;
    for (const Set& clause : clauses_) {
      if (std::none_of(kept.begin(), kept.end(), [&](const Set& other) { return contains(clause, other); }))
        kept.push_back(clause);
    }
    clauses_ = std::move(kept);
    hits_.resize(problem.weights.size());
    for (std::uint32_t c = 0; c < clauses_.size(); ++c) {
      for (const Element e : clauses_[c]) hits_[e].push_back(c);
    }
    banned_.resize(problem.weights.size());
    hit_.resize(clauses_.size());
    // With sets ruled out, the element that hits more may be the one that is not allowed.
    if (problem.ruled_out.empty()) ban_useless_elements();
  }

  std::optional<Set> run() {
    descend(0);
    if (!found_) return std::nullopt;
    std::sort(best_.begin(), best_.end());
    return best_;
  }

 private:
  [[nodiscard]] std::uint64_t weight(Element e) const { return problem_.weights[e]; }

  void ban_useless_elements() {
    std::vector<Element> used;
    for (Element e = 0; e < hits_.size(); ++e) {
      if (!hits_[e].empty()) used.push_back(e);
    }
    for (const Element e : used) {
      banned_[e] = std::any_of(used.begin(), used.end(), [&](Element other) {
        if (other == e || banned_[other] || weight(other) > weight(e)) return false;
        return std::includes(hits_[other].begin(), hits_[other].end(), hits_[e].begin(), hits_[e].end());
      });
    }
  }

  // What the clauses that are not hit cost at least.
  [[nodiscard]] std::uint64_t lower_bound() const {
    std::uint64_t sum = 0;
    std::vector<bool> used(hits_.size());
    for (std::size_t c = 0; c < clauses_.size(); ++c) {
      if (hit_[c] > 0) continue;
      const Set& clause = clauses_[c];
      if (std::any_of(clause.begin(), clause.end(), [&](Element e) { return !banned_[e] && used[e]; }))
        continue;
      std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
      for (const Element e : clause) {
        if (banned_[e]) continue;
        used[e] = true;
        least = std::min(least, weight(e));
      }
      if (least == std::numeric_limits<std::uint64_t>::max()) return least;
      sum += least;
    }
    return sum;
  }

  void descend(std::uint64_t cost) {
    const std::uint64_t rest = lower_bound();
    if (rest == std::numeric_limits<std::uint64_t>::max() || (found_ && cost + rest >= best_cost_)) return;
    const Set* branch = nullptr;
    std::ptrdiff_t fewest = 0;
    for (std::size_t c = 0; c < clauses_.size(); ++c) {
      if (hit_[c] > 0) continue;
      const auto left =
          std::count_if(clauses_[c].begin(), clauses_[c].end(), [&](Element e) { return !banned_[e]; });
      if (branch == nullptr || left < fewest) {
        branch = &clauses_[c];
        fewest = left;
      }
    }
    if (branch == nullptr) {
      Set sorted = chosen_;
      std::sort(sorted.begin(), sorted.end());
      for (const Set& set : problem_.ruled_out) {
        if (contains(sorted, set)) return;
      }
      found_ = true;
      best_cost_ = cost;
      best_ = chosen_;
      return;
    }
    std::vector<Element> candidates;
    std::copy_if(branch->begin(), branch->end(), std::back_inserter(candidates),
                 [&](Element e) { return !banned_[e]; });
    std::stable_sort(candidates.begin(), candidates.end(), [&](Element a, Element b) {
      return weight(a) * hits_[b].size() < weight(b) * hits_[a].size();
    });
    for (const Element e : candidates) {
      chosen_.push_back(e);
      for (const auto c : hits_[e]) ++hit_[c];
      descend(cost + weight(e));
      for (const auto c : hits_[e]) --hit_[c];
      chosen_.pop_back();
      banned_[e] = true;
    }
    for (const Element e : candidates) banned_[e] = false;
  }

  const Problem& problem_;
  std::vector<Set> clauses_;
  std::vector<std::vector<std::uint32_t>> hits_;  // clauses by element
  std::vector<bool> banned_;                      // by element
  std::vector<std::uint32_t> hit_;                // by clause: how many chosen elements it has
  Set chosen_;
  bool found_ = false;
  std::uint64_t best_cost_ = 0;
  Set best_;
};

}  // namespace

std::optional<Set> cheapest(const Problem& problem) { return Search(problem).run(); }

}  // namespace heddle::hitting_set
