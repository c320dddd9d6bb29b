// See advice.hpp.
//
// What is known of each algorithm: of those that count executions, how many they have counted, of how many there are
// by random paths (heddle/estimate.h); of those that merge equal states, how many states they met, and whether fewer of
// them were new towards the end. Nothing is known of how many states there are.
#include "cli/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/estimate.hpp"
#include "cli/text.hpp"

namespace heddle::cli {

namespace {

constexpr double longest = 24 * 3600;  // seconds that one may want to wait

const AlgorithmInfo* find(std::string_view algorithm) {
  for (const AlgorithmInfo& each : algorithms()) {
    if (each.name == algorithm) return &each;
  }
  return nullptr;
}

std::string percent(double share) {
  if (share < 0.001) return "less than 0.1 %";
  return share < 0.1 ? fmt::format("{:.1f} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

Advice::Reached of_states(std::string_view algorithm, std::uint64_t states, std::uint64_t transitions,
                          double new_states) {
  std::string text = fmt::format("{} met {}", algorithm, counted(states, "state"));
  const double all = transitions > 0 ? static_cast<double>(states) / static_cast<double>(transitions) : 0;
  if (new_states > 0) {
    text += fmt::format(", and {} of its later transitions led to new ones ({} of all)", percent(new_states),
                        percent(all));
  } else if (all > 0) {
    text += fmt::format(": {} of its transitions led to new ones", percent(all));
  }
  return {.algorithm = std::string(algorithm), .share = {}, .text = std::move(text)};
}

Advice::Reached of_executions(const CheckResult& result, const std::optional<Estimate>& expected) {
  Advice::Reached reached{.algorithm = result.algorithm, .share = {}, .text = {}};
  const auto left = remaining(expected, result.counts.executions, 0);
  if (!left) {
    reached.text = fmt::format("{} explored {}; how many there are is not known", result.algorithm,
                               counted(result.counts.executions, "execution"));
    return reached;
  }
  reached.share = left->share;
  reached.text = fmt::format("{} explored {} of the executions, by an estimate{}", result.algorithm,
                             percent(left->share), expected->interval ? "" : " that is probably too high");
  return reached;
}

// A number that one would type.
std::uint64_t rounded_up(double seconds) {
  const double unit = std::pow(10, std::floor(std::log10(std::max(seconds, 10.0))));
  return static_cast<std::uint64_t>(std::ceil(seconds / unit) * unit);
}

}  // namespace

bool needs_advice(const CheckResult& result) {
  return result.verdict == Verdict::undecided && !result.random &&
         (result.stopped_by == "timeout" || result.stopped_by == "memory limit" ||
          result.stopped_by == "out of memory");
}

std::optional<Advice> advise(const CheckOptions& options, const CheckResult& result,
                             const std::optional<Estimate>& expected) {
  const AlgorithmInfo* const algorithm = find(result.algorithm);
  if (!needs_advice(result) || algorithm == nullptr) return std::nullopt;
  Advice advice;
  advice.reached.push_back(
      algorithm->counts == CountedAs::path
          ? of_states(result.algorithm, result.counts.states, result.counts.transitions, 0)
          : of_executions(result, expected));
  const GivenUp* fading = nullptr;  // has met fewer and fewer new states
  for (const GivenUp& other : result.given_up) {
    if (other.states == 0) continue;
    advice.reached.push_back(of_states(other.algorithm, other.states, other.transitions, other.new_states));
    const double all = static_cast<double>(other.states) / static_cast<double>(other.transitions);
    if (other.new_states > 0 && other.new_states < 0.8 * all) fading = &other;
  }

  const auto share = advice.reached.front().share;
  const double whole = share && *share > 0 ? result.seconds / *share : 2 * longest;
  const bool is_named = !options.algorithm.empty() && options.algorithm != "auto";
  if (result.stopped_by == "timeout" && whole < longest) {
    advice.next = fmt::format("--timeout {}: at this rate {} needs about {}", rounded_up(1.5 * whole),
                              result.algorithm, duration(whole));
  } else if (fading != nullptr) {
    advice.next = fmt::format("--algorithm {} --timeout {}: fewer and fewer of its states were new",
                              fading->algorithm, rounded_up(10 * result.seconds));
  } else if (is_named && why_not(result.model, "auto").empty() && options.algorithm != "trust") {
    advice.next = "--algorithm auto, which takes trust and an algorithm that merges equal states by turns";
  } else if (result.stopped_by != "timeout") {
    advice.next = "--algorithm trust, which keeps one execution at a time, or a smaller program";
  } else {
    advice.next =
        "a smaller program, --preemption-bound 2, or --random 10000: nothing says that more time would do";
  }
  return advice;
}

std::string to_text(const Advice& advice, std::size_t width) {
  std::vector<std::string> clauses;
  clauses.reserve(advice.reached.size());
  for (const auto& reached : advice.reached) clauses.push_back(reached.text);
  return fmt::format("{}\n{}", wrap(fmt::format("How far: {}.", join(clauses, "; ")), width, 0),
                     wrap(fmt::format("Try {}.", advice.next), width, 0));
}

Json to_json(const Advice& advice) {
  Json reached = Json::array();
  for (const auto& each : advice.reached) {
    reached.push_back({{"algorithm", each.algorithm},
                       {"share", each.share ? Json(*each.share) : Json(nullptr)},
                       {"text", each.text}});
  }
  return {{"reached", std::move(reached)}, {"try", advice.next}};
}

}  // namespace heddle::cli
