// See pairs.hpp.
#include "cli/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::cli {
namespace {

template <typename Info>
const Info* find_info(const std::vector<Info>& infos, std::string_view name) {
  const auto found =
      std::find_if(infos.begin(), infos.end(), [&](const Info& info) { return info.name == name; });
  return found == infos.end() ? nullptr : &*found;
}

}  // namespace

const ModelInfo* find_model_info(std::string_view name) { return find_info(models(), name); }
const AlgorithmInfo* find_algorithm_info(std::string_view name) { return find_info(algorithms(), name); }

std::string unfit(const ModelInfo& model, const AlgorithmInfo& algorithm, const PairBounds& bounds) {
  if (std::string reason = why_not(model.name, algorithm.name); !reason.empty()) return reason;
  if (bounds.robust && model.name == "sc") return "every program is robust under 'sc'";
  if (bounds.robust_states && algorithm.counts == CountedAs::reads_from_class)
    return fmt::format("'{}' does not visit every final state", algorithm.name);
  if (bounds.robust && !bounds.robust_states && !algorithm.decides_robustness)
    return fmt::format("'{}' does not decide robustness", algorithm.name);
  if (bounds.preemption_bound && !why_no_preemption_bound(model.name, algorithm.name).empty())
    return fmt::format("'{}' does not bound preemptions under '{}'", algorithm.name, model.name);
  return {};
}

}  // namespace heddle::cli
