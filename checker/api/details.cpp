// Details of a trace; see include/heddle/details.h. A machine runs the trace again on code in which each place of a
// module has a site for each call that leads there (compiler/sites.hpp), so that its rows name the calls.
#include "heddle/details.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "checker/api/machine_core.hpp"
#include "checker/api/trees.hpp"
#include "checker/registry.hpp"
#include "lang/tree.hpp"

namespace heddle {

namespace {

// Gives the executions of library calls and of atomic blocks their numbers. A thread is in one call at a time. Another
// call begins where it is another place of a user's file, or where a place is passed again that a call passes once.
class Calls {
 public:
  Calls(const compiler::Image& image, const std::vector<bool>& repeated)
      : image_(image), repeated_(repeated), current_(image.threads.size()) {}

  std::optional<LibraryCall> next(const checker::Row& row) {
    if (row.in_final || row.type == checker::RowType::flush || row.type == checker::RowType::failure)
      return {};
    const auto& site = image_.sites[row.site];
    // (A thread that could crash and does not is in the same call as before.)
    if (row.type == checker::RowType::choice && row.read == 0 && site.file == "std/crash.hed") return {};
    Current& current = current_[row.thread];
    if (!site.call) {
      current.call.reset();
      if (row.block == checker::InBlock::no) return {};
      if (row.block == checker::InBlock::first) current.block = block_at(site);
      return current.block;
    }
    // (`x += 1` is a load and a store of one place, and a copy of a struct passes its place for each field.)
    const bool copies = current.line == site.line && !current.accessed.contains({row.site, row.location});
    const bool again = !repeated_[row.site] && !copies && current.passed.contains({row.site, row.op});
    if (current.call != site.call || again || row.block == checker::InBlock::first) {
      current.call = site.call;
      current.number = count_++;
      current.passed.clear();
      current.accessed.clear();
    }
    current.passed.insert({row.site, row.op});
    current.accessed.insert({row.site, row.location});
    current.line = site.line;
    const auto& place = image_.sites[*site.call];
    return LibraryCall{.number = current.number,
                       .file = place.file,
                       .line = place.line,
                       .column = place.column,
                       .source = place.text};
  }

 private:
  struct Current {
    std::optional<std::uint32_t> call;
    std::size_t number = 0;
    std::set<std::pair<std::uint32_t, compiler::Op>> passed;         // sites
    std::set<std::pair<std::uint32_t, checker::Location>> accessed;  // sites
    std::uint32_t line = 0;                                          // of the newest site
    LibraryCall block;                                               // the newest one
  };
  LibraryCall block_at(const compiler::Site& site) {
    return {.number = count_++,
            .file = site.file,
            .line = site.line,
            .column = site.column,
            .source = "atomic",
            .atomic = true};
  }
  const compiler::Image& image_;
  const std::vector<bool>& repeated_;
  std::vector<Current> current_;  // by thread
  std::size_t count_ = 0;
};

// Those of `after` that have other values before; the lists have the same names.
std::vector<NamedValue> changed(const std::vector<NamedValue>& before, const std::vector<NamedValue>& after) {
  std::vector<NamedValue> result;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (i >= before.size() || before[i].value != after[i].value || before[i].pending != after[i].pending)
      result.push_back(after[i]);
  }
  return result;
}

// Whether the rows of the machine are the first steps of the trace.
bool begins_with(const Trace& trace, const Trace& rows, std::size_t count) {
  if (count > trace.steps.size() || count > rows.steps.size()) return false;
  return std::equal(rows.steps.begin(), rows.steps.begin() + static_cast<std::ptrdiff_t>(count),
                    trace.steps.begin(), [](const Step& a, const Step& b) {
                      return a.thread == b.thread && a.kind == b.kind && a.action == b.action;
                    });
}

}  // namespace

bool has_atomic_blocks(const Program& program) {
  return trees::has(state_of(program).tree, lang::StatementKind::atomic);
}

std::map<std::string, std::string> struct_names(const Program& program) {
  const ProgramAccess::State& state = state_of(program);
  std::map<std::string, std::string> result;
  const auto& variables = state.tree.variables;
  for (std::size_t v = 0; v < variables.size() && v < state.structs.size(); ++v) {
    if (state.structs[v].empty()) continue;
    for (std::uint32_t element = 0; element < variables[v].length; ++element) {
      result[lang::element_name(variables[v].name, variables[v].is_array, variables[v].elements, element)] =
          state.structs[v];
    }
  }
  return result;
}

TraceDetails details_of(const Program& program, const Trace& trace, const MachineOptions& options) {
  const ProgramAccess::State& state = state_of(program);
  TraceDetails result;
  result.structs = struct_names(program);
  const auto* const model = checker::find_model(options.model);
  if (model == nullptr) return result;
  try {
    const auto traced = state.traced(model->out_of_order, trace.waits_at_loops);
    Machine machine(std::make_unique<Machine::Core>(program, options, traced.image));
    machine.core_->waits_at_loops = trace.waits_at_loops;
    if (!machine.load(trace)) return result;
    Machine::Core& core = *machine.core_;
    std::vector<std::vector<NamedValue>> changes(trace.steps.size());
    std::vector<ThreadEnd> before = core.engine->threads();
    while (core.ahead() > 0) {
      const std::size_t first = core.rows.size();
      const checker::ThreadId thread = core.schedule[core.depth].thread;
      core.forward(1);
      std::vector<ThreadEnd> after = core.engine->threads();
      std::vector<NamedValue> now = changed(before[thread].locals, after[thread].locals);
      before = std::move(after);
      // The last step of the transition that is neither a store on its way to memory nor a violation.
      // (A commit is one step.)
      std::size_t step = std::min(model->out_of_order ? core.depth : core.rows.size(), changes.size());
      while (!model->out_of_order && step > first + 1 &&
             (core.rows[step - 1].type == checker::RowType::flush ||
              core.rows[step - 1].type == checker::RowType::failure))
        --step;
      if (step > 0 && !now.empty()) {
        auto& there = changes[step - 1];
        there.insert(there.end(), std::make_move_iterator(now.begin()), std::make_move_iterator(now.end()));
      }
    }
    const Trace rows = machine.trace();
    std::size_t count = core.rows.size();
    if (model->out_of_order) count = std::min(rows.steps.size(), trace.steps.size());
    if (!begins_with(trace, rows, count)) return result;
    result.locals = std::move(changes);
    result.calls.resize(trace.steps.size());
    // In the order of commits a call is no sequence of steps.
    if (model->out_of_order) return result;
    Calls calls(core.image(), traced.repeated);
    for (std::size_t i = 0; i < count; ++i) result.calls[i] = calls.next(core.rows[i]);
  } catch (const checker::CannotGoOn&) {
  } catch (const std::runtime_error&) {
  }
  return result;
}

}  // namespace heddle
