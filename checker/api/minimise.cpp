// minimise(); see heddle/minimise.h.
#include "heddle/minimise.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>

#include "checker/api/refusal.hpp"
#include "checker/api/state.hpp"
#include "checker/explore/registry.hpp"
#include "checker/explore/shortest.hpp"
#include "checker/report/trace.hpp"

namespace heddle {

Result<Minimised> minimise(const Program& program, const CheckOptions& options, const Violation& violation) {
  const auto* const model = checker::find_model(options.model);
  if (model == nullptr) return refuse(no_such_model(options.model));
  std::shared_ptr<const jit::Image> code;
  try {
    code = program.state().image(model->out_of_order);
  } catch (const std::runtime_error& error) {
    return refuse(error.what());
  }
  const jit::Image& image = *code;
  const auto same = [&](const checker::FoundViolation& found) {
    if (found.kind != violation.kind) return false;
    if (found.site == checker::none) return true;  // a deadlock is one whoever waits
    const auto& site = image.sites[found.site];
    return site.file == violation.file && site.line == violation.line && site.column == violation.column;
  };
  const checker::Search search(image, options);
  Minimised result;
  try {
    std::optional<checker::Shortest> shortest;
    try {
      if (model->out_of_order) {
        const auto& steps = violation.trace.steps;
        const auto commits = std::count_if(steps.begin(), steps.end(),
                                           [](const Step& step) { return step.commit.has_value(); });
        shortest = checker::find_shortest_commits(search, static_cast<std::size_t>(commits), same);
      } else {
        shortest = checker::find_shortest(search, same);
      }
    } catch (const std::bad_alloc&) {
      shortest.emplace();
      shortest->stopped_by = checker::out_of_memory;
    }
    if (!shortest) return refuse(fmt::format("traces of the model '{}' cannot be minimised", options.model));
    result.stopped_by = shortest->stopped_by;
    result.states = shortest->states;
    if (!shortest->found) {
      if (result.stopped_by.empty())
        return refuse("the violation does not occur in the space of these options");
      result.violation = violation;
    } else {
      result.shortest = true;
      result.stopped_by.clear();
      result.transitions = shortest->found->schedule.size();
      result.switches = shortest->switches;
      result.violation = checker::describe(search, *shortest->found);
    }
  } catch (const checker::TooManyProcesses& error) {
    return refuse(fmt::format("the program has {} for the model '{}'", error.what(), options.model));
  } catch (const std::logic_error& error) {
    return refuse(error.what());
  }
  result.seconds = search.seconds();
  return result;
}

}  // namespace heddle
