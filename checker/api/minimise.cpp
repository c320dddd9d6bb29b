// minimise(); see heddle/minimise.h.
#include "heddle/minimise.h"

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "checker/api/refusal.hpp"
#include "checker/api/state.hpp"
#include "checker/commits/shortest.hpp"
#include "checker/interleavings/shortest.hpp"
#include "checker/registry.hpp"
#include "checker/report/trace.hpp"

namespace heddle {

namespace {

// `known` is a trace with the wanted end. `describe(search, found, result)` puts the shorter one into
// `result`.
template <typename Describe>
Result<Minimised> minimise(const compiler::Image& image, const CheckOptions& options, const Trace& known,
                           const checker::WantedEnd& wanted, Minimised result, Describe&& describe) {
  const checker::Search search(image, options);
  try {
    checker::Shortest shortest;
    try {
      if (checker::find_model(options.model)->out_of_order) {
        const auto commits = std::count_if(known.steps.begin(), known.steps.end(),
                                           [](const Step& step) { return step.commit.has_value(); });
        shortest = checker::find_shortest_commits(search, static_cast<std::size_t>(commits), wanted);
      } else {
        shortest = checker::find_shortest(search, wanted);
      }
    } catch (const std::bad_alloc&) {
      shortest.stopped_by = checker::out_of_memory;
    }
    result.stopped_by = shortest.stopped_by;
    result.states = shortest.states;
    if (!shortest.found) {
      if (result.stopped_by.empty()) return refuse("it does not occur in the space of these options");
    } else {
      result.shortest = true;
      result.stopped_by.clear();
      result.transitions = shortest.found->schedule.size();
      result.switches = shortest.switches;
      describe(search, *shortest.found, result);
    }
  } catch (const std::logic_error& error) {
    return refuse(error.what());
  }
  result.seconds = search.seconds();
  return result;
}

Result<std::shared_ptr<const compiler::Image>> image_of(const Program& program, const CheckOptions& options,
                                                        const Trace& trace) {
  const auto* const model = checker::find_model(options.model);
  if (model == nullptr) return refuse(no_such_model(options.model));
  try {
    return state_of(program).image(model->out_of_order,
                                   trace.waits_at_loops ? Loops::retrying : Loops::bounded);
  } catch (const std::runtime_error& error) {
    return refuse(error.what());
  }
}

template <typename Place>
bool same_place(const compiler::Site& site, const Place& place) {
  return site.file == place.file && site.line == place.line && site.column == place.column;
}

}  // namespace

Result<Minimised> minimise(const Program& program, const CheckOptions& options, const Violation& violation) {
  if (violation.trace.repeats_from || violation.kind == ViolationKind::temporal)
    return refuse("the way to the cycle, or to the end of the run, is a shortest one already");
  const auto code = image_of(program, options, violation.trace);
  if (!code) return code.error();
  const compiler::Image& image = **code;
  const auto same = [&](const checker::FoundViolation& found) {
    if (found.kind != violation.kind) return false;
    if (found.kind == ViolationKind::data_race &&
        !same_place(image.sites[found.race.second.site], violation.race.back()))
      return false;
    if (found.site == checker::none) return true;  // all deadlocks count as the same, whoever waits
    return same_place(image.sites[found.site], violation);
  };
  const auto describe = [&](const checker::Search& search, const checker::FoundViolation& found,
                            Minimised& result) {
    const auto count = result.violation.count;
    result.violation = checker::describe(search, found);
    result.violation.trace.waits_at_loops = violation.trace.waits_at_loops;
    result.violation.count = count;
  };
  Minimised result;
  result.violation = violation;
  return minimise(image, options, violation.trace, {.violation = same}, std::move(result), describe);
}

Result<Minimised> minimise(const Program& program, const CheckOptions& options, const Witness& witness) {
  const auto code = image_of(program, options, witness.trace);
  if (!code) return code.error();
  const compiler::Image& image = **code;
  const auto condition = std::find_if(
      image.conditions.begin(), image.conditions.end(), [&](const compiler::ConditionImage& each) {
        return each.kind == compiler::ConditionKind::exists && same_place(image.sites[each.site], witness);
      });
  if (condition == image.conditions.end())
    return refuse("only executions that satisfy an `exists` can be minimised");
  const auto index = static_cast<std::size_t>(condition - image.conditions.begin());
  const auto describe = [&](const checker::Search& search, const checker::FoundViolation& found,
                            Minimised& result) {
    result.witness =
        checker::describe(search, checker::FoundWitness{.condition = index, .schedule = found.schedule});
    result.witness.trace.waits_at_loops = witness.trace.waits_at_loops;
  };
  Minimised result;
  result.witness = witness;
  return minimise(image, options, witness.trace, {.condition = index}, std::move(result), describe);
}

}  // namespace heddle
