// See fenced_execution.hpp.
#include "checker/api/fenced_execution.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "checker/commits/ahead_threads.hpp"
#include "checker/state/threads.hpp"
#include "heddle/graph.h"

namespace heddle::fenced {

namespace {

using axioms::EventId;
using axioms::no_event;
using axioms::PointKind;
using checker::ThreadId;
using compiler::Op;

PointKind point_kind(compiler::Fence fence) {
  switch (fence) {
    case compiler::Fence::full: return PointKind::full;
    case compiler::Fence::lightweight: return PointKind::lightweight;
    case compiler::Fence::store_store: return PointKind::store_store;
    case compiler::Fence::instruction: break;
  }
  return PointKind::instruction;
}

bool is_event(Op op) {
  return op <= Op::fetch_min || op == Op::lock || op == Op::unlock || op == Op::try_lock;
}

[[noreturn]] void cannot_repeat() {
  throw std::logic_error("internal error: a thread cannot repeat its part of an execution");
}

}  // namespace

struct FencedExecution::Builder {
  FencedExecution& into;
  const compiler::Image& image;
  const PlaceOfSite& place_of_site;
  const Trace& trace;
  // The events of each step: the read and the write.
  std::vector<EventId> reads = std::vector<EventId>(trace.steps.size(), no_event);
  std::vector<EventId> writes = std::vector<EventId>(trace.steps.size(), no_event);
  // Loads of update pairs (compiler/update_pairs.hpp), which are no steps of the trace, and the steps of their updates. These
  // loads read from the same writes.
  std::vector<std::pair<EventId, std::size_t>> pair_loads = {};

  void item(ThreadId t, Item item) { into.threads_[t].push_back(std::move(item)); }

  void pass_fence(ThreadId t, compiler::Fence fence, std::uint32_t site) {
    const std::uint32_t place = place_of_site[site];
    if (place != no_place) {
      into.passed_[place] = true;
      item(t, {.kind = ItemKind::marker, .place = place});
    } else {
      point(t, point_kind(fence));
    }
  }
  void point(ThreadId t, PointKind kind, std::vector<EventId> of = {}) {
    item(t, {.kind = ItemKind::point, .point = {.thread = t, .kind = kind, .reads = std::move(of)}});
  }

  // Whether a load is that of a pair whose update is the thread's next step; under POWER the write of the update may be the one
  // after it.
  [[nodiscard]] bool is_pair_load(std::uint32_t site, std::size_t step,
                                  std::optional<std::size_t> after = {}) const {
    const auto same_place = [](const auto& a, const auto& b) {
      return a.line == b.line && a.column == b.column && a.file == b.file;
    };
    const Step& update = trace.steps[step];
    if (same_place(update, image.sites[site])) return false;
    if (update.writes || !after) return update.writes;
    const Step& write = trace.steps[*after];
    return write.writes && !write.reads && same_place(write, update);
  }

  EventId event(ThreadId t, checker::Location location, bool write, bool locked) {
    const auto id = static_cast<EventId>(into.execution_.events.size());
    into.execution_.events.push_back({.thread = t, .location = location, .writes = write, .locked = locked});
    item(t, {.reads = !write, .writes = write});
    return id;
  }
  // The events of a step that needs no dependencies between its halves.
  void events(ThreadId t, Op op, checker::Location location, std::size_t step) {
    const bool locked = op != Op::load && op != Op::store;
    const bool reads_too = op != Op::store && op != Op::unlock;
    if (reads_too) reads[step] = event(t, location, false, locked);
    if (!trace.steps[step].writes && op != Op::store) return;
    if (op == Op::load) cannot_repeat();
    writes[step] = event(t, location, true, locked);
    if (reads_too) into.execution_.events[writes[step]].read_half = reads[step];
  }
  [[nodiscard]] std::int64_t result(Op op, const Step& step) const {
    if (op == Op::try_lock) return step.writes ? 1 : 0;
    return step.read;
  }

  // SC, TSO, PSO: threads do one operation after the other.
  void run_in_order() {
    std::vector<std::vector<std::size_t>> steps(image.threads.size());
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
      const Step& step = trace.steps[i];
      if (step.thread < 0 || step.kind == StepKind::flush || step.kind == StepKind::fence ||
          step.kind == StepKind::failure || step.kind == StepKind::final_)
        continue;
      steps[static_cast<std::size_t>(step.thread)].push_back(i);
    }
    checker::Threads threads(image);
    for (ThreadId t = 0; t < threads.count(); ++t) {
      threads.start(t, image.threads[t]);
      std::size_t next = 0;
      for (;;) {
        auto& m = threads.mailbox(t);
        if (m.op == Op::fence) {
          pass_fence(t, m.fence, m.site);
        } else if (is_event(m.op) || m.op == Op::choose) {
          if (next == steps[t].size()) break;
          const std::size_t step = steps[t][next];
          if (m.op != Op::choose && trace.steps[step].location != image.locations[m.location].name)
            cannot_repeat();
          if (m.op == Op::load && is_pair_load(m.site, step)) {
            pair_loads.emplace_back(event(t, m.location, false, false), step);
          } else {
            if (m.op != Op::choose) events(t, m.op, m.location, step);
            ++next;
          }
          m.value = result(m.op, trace.steps[step]);
        } else if ((m.op != Op::await_failed && m.op != Op::assert_failed) || next == steps[t].size()) {
          break;
        }
        compiler::resume(threads.block(t));
      }
      if (next != steps[t].size()) cannot_repeat();
    }
  }

  // POWER: threads run ahead of their loads; the trace may lack some of their events.
  void run_ahead() {
    Steps steps;
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
      if (const auto& commit = trace.steps[i].commit)
        steps[{static_cast<ThreadId>(trace.steps[i].thread), commit->position}] = i;
    }
    std::size_t used = 0;
    checker::AheadThreads threads(image);
    for (ThreadId t = 0; t < threads.count(); ++t) {
      Ahead thread{.threads = threads, .t = t};
      while (threads.limit(t).empty() && step_ahead(thread, steps, used)) {
      }
    }
    if (used != steps.size()) cannot_repeat();
  }

  struct Ahead {
    checker::AheadThreads& threads;
    ThreadId t = 0;
    std::uint32_t position = 0;                // events so far
    checker::LoadSets::Changing control = {};  // loads of branches so far
    std::vector<EventId> load_events = {};     // by number
  };
  // Appends the events of the loads that `use` accepts.
  template <typename Use>
  static void add_events(const Ahead& thread, checker::LoadSet loads, std::vector<EventId>& to, Use&& use) {
    thread.threads.sets().for_each(loads, [&](std::uint32_t load) {
      if (use(load) && load < thread.load_events.size() && thread.load_events[load] != no_event)
        to.push_back(thread.load_events[load]);
    });
  }
  [[nodiscard]] static std::vector<EventId> events_of(const Ahead& thread, checker::LoadSet loads) {
    std::vector<EventId> result;
    add_events(thread, loads, result, [](std::uint32_t) { return true; });
    return result;
  }
  // A branch on the loads of these sets, or on those that no earlier branch depends on.
  void branch(Ahead& thread, std::initializer_list<checker::LoadSet> sets) {
    std::vector<EventId> fresh;
    for (const checker::LoadSet loads : sets) {
      add_events(thread, loads, fresh, [&](std::uint32_t load) {
        if (thread.control.contains(load)) return false;
        thread.control.insert(load);
        return true;
      });
    }
    if (!fresh.empty()) point(thread.t, PointKind::branch, std::move(fresh));
  }

  // By thread and position.
  using Steps = std::map<std::pair<ThreadId, std::uint32_t>, std::size_t>;
  // What a request is of the thread's next step. A `cas` of two requests may be one step.
  enum class Part : std::uint8_t { whole, pair_load, read_half };
  [[nodiscard]] Part part_of(const Ahead& thread, const checker::Request& request, const Steps& steps) const {
    const std::size_t step = steps.at({thread.t, thread.position + 1});
    const auto after = steps.find({thread.t, thread.position + 2});
    if (request.read_half()) return trace.steps[step].writes ? Part::read_half : Part::whole;
    if (request.op != Op::load) return Part::whole;
    const auto next = after == steps.end() ? std::nullopt : std::optional(after->second);
    return is_pair_load(request.site, step, next) ? Part::pair_load : Part::whole;
  }
  void load_of_pair(Ahead& thread, const checker::Request& request, std::size_t step) {
    if (trace.steps[step].location != image.locations[request.location].name) cannot_repeat();
    const EventId id = event(thread.t, request.location, false, false);
    into.execution_.events[id].address = events_of(thread, request.address);
    thread.load_events[request.load] = id;
    pair_loads.emplace_back(id, step);
  }

  // The thread's newest request. False if the thread ends there.
  bool step_ahead(Ahead& thread, const Steps& steps, std::size_t& used) {
    auto& threads = thread.threads;
    const ThreadId t = thread.t;
    const auto index = static_cast<std::uint32_t>(threads.requests(t).size() - 1);
    const checker::Request request = threads.requests(t)[index];
    branch(thread, {request.control});
    if (request.load != checker::Request::no_load && thread.load_events.size() <= request.load)
      thread.load_events.resize(request.load + 1U, no_event);
    if (request.op == Op::fence) {
      pass_fence(t, request.fence, request.site);
    } else if (request.op == Op::need) {
      if (!threads.committed(t, static_cast<checker::LoadSet>(request.value))) return false;
    } else if (request.event()) {
      if (fails(threads, t, index)) {
        threads.requests(t)[index].absent = true;
      } else {
        const auto step = steps.find({t, thread.position + 1});
        const Part part = step == steps.end() ? Part::whole : part_of(thread, request, steps);
        if (part == Part::whole) ++thread.position;
        if (step == steps.end()) {
          if (request.stays()) return false;
          item(t, {.kind = ItemKind::missing, .reads = request.op != Op::store, .writes = request.writes()});
        } else {
          used += part == Part::whole;
          const std::int64_t value = result(request.op, trace.steps[step->second]);
          if (part == Part::pair_load) {
            load_of_pair(thread, request, step->second);
          } else if (request.op != Op::choose) {
            commit(thread, index, step->second);
          }
          threads.commit(t, index, value);
          threads.resume(t, value);
          return true;
        }
      }
    } else if (!request.observes()) {
      return false;
    }
    threads.resume(t, 0);
    return true;
  }

  // True for the store of a cas that is known to fail.
  [[nodiscard]] static bool fails(const checker::AheadThreads& threads, ThreadId t, std::uint32_t index) {
    const auto& request = threads.requests(t)[index];
    if (!request.write_half() || request.update != Op::compare_exchange) return false;
    const auto& read = threads.requests(t)[index - 1];
    return read.committed && threads.committed(t, request.compared) && read.result != request.expected;
  }

  // Adds the events of a request that the trace has at `step`.
  void commit(Ahead& thread, std::uint32_t index, std::size_t step) {
    const auto& request = thread.threads.requests(thread.t)[index];
    const ThreadId t = thread.t;
    if (trace.steps[step].location != image.locations[request.location].name) cannot_repeat();
    auto& all = into.execution_.events;
    const auto address = events_of(thread, request.address);
    if (checker::is_of_mutex(request.op)) point(t, PointKind::full);
    if (request.op != Op::store && request.op != Op::unlock) {
      reads[step] = event(t, request.location, false, request.op != Op::load || request.half());
      all[reads[step]].address = address;
      if (request.load != checker::Request::no_load) thread.load_events[request.load] = reads[step];
    }
    const bool cas = request.op == Op::compare_exchange;
    if (cas) {
      const bool reads_itself = request.load != checker::Request::no_load;
      branch(thread, {request.compared, reads_itself ? thread.threads.sets().of(request.load) : 0});
    }
    if (request.op != Op::load && trace.steps[step].writes) {
      auto data = events_of(thread, request.data);
      const bool fetches = request.op >= Op::fetch_add && request.op <= Op::fetch_min;
      if (fetches && reads[step] != no_event) data.push_back(reads[step]);
      writes[step] = event(t, request.location, true, request.op != Op::store || request.half());
      all[writes[step]].address = address;
      all[writes[step]].data = std::move(data);
      if (request.write_half()) {
        const auto load = thread.threads.requests(t)[index - 1].load;
        all[writes[step]].read_half = thread.load_events[load];
      } else if (reads[step] != no_event) {
        all[writes[step]].read_half = reads[step];
      }
    }
    if (checker::is_of_mutex(request.op)) point(t, PointKind::full);
  }

  // Reads-from and coherence, from the graph of the trace.
  void communication() {
    const ExecutionGraph graph = graph_of(trace);
    auto& execution = into.execution_;
    execution.coherence.resize(image.locations.size());
    std::map<std::size_t, std::size_t> after;  // the next write in coherence
    std::vector<bool> has_before(graph.events.size());
    for (const GraphEdge& edge : graph.edges) {
      const GraphEvent& from = graph.events[edge.from];
      const GraphEvent& to = graph.events[edge.to];
      if (edge.relation == GraphRelation::reads_from) {
        if (reads[to.step] == no_event) cannot_repeat();
        execution.events[reads[to.step]].source = from.thread < 0 ? no_event : writes[from.step];
      }
      if (edge.relation == GraphRelation::coherence && from.thread >= 0) {
        after[edge.from] = edge.to;
        has_before[edge.to] = true;
      }
    }
    for (const auto& [load, update] : pair_loads)
      execution.events[load].source = execution.events[reads[update]].source;
    const auto append = [&](std::size_t event) {
      const EventId id = writes[graph.events[event].step];
      if (id == no_event) cannot_repeat();
      execution.coherence[execution.events[id].location].push_back(id);
    };
    for (std::size_t i = 0; i < graph.events.size(); ++i) {
      const GraphEvent& first = graph.events[i];
      if (first.thread < 0 || !first.writes || !first.in_memory || has_before[i]) continue;
      append(i);
      for (auto next = after.find(i); next != after.end(); next = after.find(next->second))
        append(next->second);
    }
    // Stores that are still in their buffers may reach memory in this order.
    for (std::size_t i = 0; i < graph.events.size(); ++i) {
      if (graph.events[i].thread >= 0 && graph.events[i].writes && !graph.events[i].in_memory) append(i);
    }
  }
};

FencedExecution::FencedExecution(const compiler::Image& marked, const PlaceOfSite& place_of_site,
                                 axioms::Model model, const Trace& trace)
    : model_(model), threads_(marked.threads.size()) {
  std::uint32_t places = 0;
  for (const auto place : place_of_site) {
    if (place != no_place) places = std::max(places, place + 1);
  }
  passed_.resize(places);
  Builder builder{*this, marked, place_of_site, trace};
  if (model == axioms::Model::power) {
    builder.run_ahead();
  } else {
    builder.run_in_order();
  }
  builder.communication();
}

bool FencedExecution::needs_missing_event(const Kinds& kinds) const {
  const auto has = [](std::uint8_t set, FenceType type) {
    return (set >> static_cast<unsigned>(type) & 1) != 0;
  };
  for (const auto& items : threads_) {
    if (std::none_of(items.begin(), items.end(), [](const Item& i) { return i.kind == ItemKind::missing; }))
      continue;
    for (std::size_t f = 0; f < items.size(); ++f) {
      if (items[f].kind != ItemKind::marker || kinds[items[f].place] == 0) continue;
      const std::uint8_t set = kinds[items[f].place];
      bool missing_read = false, missing_write = false, read = false, write = false;
      for (std::size_t i = 0; i < f; ++i) {
        if (items[i].kind != ItemKind::missing) continue;
        missing_read = missing_read || items[i].reads;
        missing_write = missing_write || items[i].writes;
      }
      for (std::size_t i = f + 1; i < items.size(); ++i) {
        if (items[i].kind != ItemKind::event) continue;
        read = read || items[i].reads;
        write = write || items[i].writes;
      }
      if (has(set, FenceType::full) && (missing_read || missing_write) && (read || write)) return true;
      if (has(set, FenceType::lightweight) && ((missing_read && (read || write)) || (missing_write && write)))
        return true;
      if (has(set, FenceType::store_store) && missing_write && write) return true;
    }
  }
  return false;
}

bool FencedExecution::possible_with(const Kinds& kinds) const {
  if (needs_missing_event(kinds)) return false;
  axioms::Execution execution = execution_;
  for (ThreadId t = 0; t < threads_.size(); ++t) {
    std::uint32_t position = 0;
    for (const Item& item : threads_[t]) {
      if (item.kind == ItemKind::event) ++position;
      if (item.kind == ItemKind::point) {
        execution.points.push_back(item.point);
        execution.points.back().position = position;
      }
      if (item.kind != ItemKind::marker) continue;
      for (unsigned type = 0; type <= static_cast<unsigned>(FenceType::instruction); ++type) {
        if ((kinds[item.place] >> type & 1) == 0) continue;
        execution.points.push_back(
            {.thread = t, .position = position, .kind = point_kind(static_cast<compiler::Fence>(type))});
      }
    }
  }
  return axioms::consistent(execution, model_);
}

bool FencedExecution::sequentially_consistent() const {
  return axioms::consistent(execution_, axioms::Model::sc);
}

}  // namespace heddle::fenced
