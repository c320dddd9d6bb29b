// How a run of the commit-order model of POWER is written down: as rows, as a schedule to be followed again, as a graph, and
// as a key; and which of its events belong to the run to a violation. The end of power_machine.hpp, which includes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/commits/packed_numbers.hpp"
#include "checker/commits/plain_graph.hpp"
#include "checker/state/rows.hpp"

namespace heddle::checker {

template <unsigned Words>
Row PowerMachine<Words>::row(std::uint32_t depth) const {
  const EventName name = steps_[depth].name;
  const Request& committed = request(name);
  Row row{.op = committed.op, .thread = name.thread, .site = committed.site};
  if (committed.op == Op::choose) {
    row.type = RowType::choice;
    row.read = committed.result;
    return row;
  }
  row.location = committed.location;
  row.reads = committed.read != no_event && !committed.dropped;
  row.writes = committed.write != no_event;
  if (row.reads) row.read = committed.result;
  if (row.writes) row.written = model_[committed.write].value;
  return row;
}

// A step of a schedule: `location` is the index of the request, `value` the choice, or the name of the write
// that it reads from or directly follows: -1 for an initial one. `present`: whether a write is there when it is committed.
template <unsigned Words>
template <typename Present>
Choice PowerMachine<Words>::choice_of(const Step& step, Present&& present) const {
  const Request& committed = request(step.name);
  Choice choice{.type = StepType::commit, .thread = step.name.thread, .location = step.name.index};
  const bool reads = committed.read != no_event;
  const auto& event = model_[reads ? committed.read : committed.write];
  if (committed.op == Op::choose) {
    choice.value = committed.result;
  } else if (committed.dropped) {
    choice.value = encoded(dropped_name);
  } else {
    // The write that the event followed at the time: others may have been put between them since.
    EventId place = reads ? event.source : event.previous;
    while (place >= 0 && !present(static_cast<ProcessId>(place))) place = model_.previous(place);
    choice.value = encoded(name_of(place));
  }
  return choice;
}

template <unsigned Words>
Schedule PowerMachine<Words>::run(const Set& without) const {
  Schedule result;
  for (const Step& step : steps_) {
    if (without.contains(step.first_event)) continue;
    result.push_back(choice_of(
        step, [&](ProcessId write) { return write < step.first_event && !without.contains(write); }));
  }
  return result;
}

template <unsigned Words>
Schedule PowerMachine<Words>::run_of(const std::vector<EventId>& order) const {
  Schedule result;
  Set done;
  for (const EventId id : order) {
    const std::uint32_t step = step_of(id);
    result.push_back(choice_of(steps_[step], [&](ProcessId write) { return done.contains(write); }));
    for (auto event = first_event(step); event < first_event(step + 1); ++event) done.insert(event);
  }
  return result;
}

// Commits what the choice names on the machine, which may be of a kind that adds something to `commit`.
template <typename Machine>
[[nodiscard]] bool follow_commit(Machine& machine, const Choice& choice) {
  const EventName name{choice.thread, choice.location};
  bool found = false;
  machine.for_each_enabled([&](EventName enabled) { found = found || enabled == name; });
  if (!found) return false;
  typename Machine::Prepared event;
  machine.prepare(name, event);
  if (machine.op(name) == Op::choose) return machine.commit(event, choice.value);
  return machine.commit(event, machine.resolve(name, decoded(choice.value)));
}

template <unsigned Words>
bool PowerMachine<Words>::follow(const Choice& choice) {
  return follow_commit(*this, choice);
}

template <unsigned Words>
auto PowerMachine<Words>::left_out() -> Set {
  Set out;
  for (ThreadId t = 0; t < threads_.count(); ++t) {
    if (unassumed(t) != none) threads_.clean(t);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (ThreadId t = 0; t < threads_.count(); ++t) {
      bool behind = false;
      for (const Request& request : threads_.requests(t)) {
        if (request.op == Op::assumption)
          behind = behind || !decided(t, request) || request.value == 0 || meets(t, request.data, out);
        if (request.write_half() && !request.committed && !request.absent) {
          const auto read = (&request)[-1].read;
          if (read != no_event && !out.contains(static_cast<ProcessId>(read))) {
            out.insert(static_cast<ProcessId>(read));
            changed = true;
          }
        }
        if (!request.committed && !request.dropped) continue;
        for (const auto node : {request.read, request.write}) {
          const auto id = static_cast<ProcessId>(node);
          if (node == no_event || out.contains(id)) continue;
          if (!behind && !model_[node].commit_before.intersects(out)) continue;
          out.insert(id);
          changed = true;
        }
      }
    }
  }
  return out;
}

// What `counts` looks at, and what must be there so that nothing of it is left out: the loads of earlier assumptions, and
// the stores of read-modify-writes.
template <unsigned Words>
auto PowerMachine<Words>::causes_of(const FailureAt& failure) const -> Set {
  Set causes;
  bool changed = false;
  const auto add = [&](EventId id) {
    if (id == no_event || causes.contains(static_cast<ProcessId>(id))) return;
    causes |= model_[id].commit_before;
    changed = true;
  };
  const auto add_all = [&](ThreadId t, LoadSet loads) {
    load_sets().for_each(loads, [&](std::uint32_t number) { add(threads_.load(t, number).read); });
  };
  const auto& failing = threads_.requests(failure.thread);
  for (std::uint32_t i = 0; i <= failure.index; ++i) {
    const Request& request = failing[i];
    if (request.stays()) add(request.read != no_event ? request.read : request.write);
    if (!request.observes() && i != failure.index) continue;
    for (const LoadSet loads : {request.data, request.waited, request.control})
      add_all(failure.thread, loads);
  }
  do {
    changed = false;
    for (ThreadId t = 0; t < threads_.count(); ++t) {
      const auto& requests = threads_.requests(t);
      bool needed = false;  // something later in program order
      for (auto i = requests.size(); i > 0; --i) {
        const Request& request = requests[i - 1];
        if (needed && request.op == Op::assumption) add_all(t, request.data);
        for (const EventId id : {request.read, request.write})
          needed = needed || (id != no_event && causes.contains(static_cast<ProcessId>(id)));
        if (request.write_half() && requests[i - 2].read != no_event &&
            causes.contains(static_cast<ProcessId>(requests[i - 2].read)))
          add(request.write);
      }
    }
  } while (changed);
  return causes;
}

template <unsigned Words>
PlainGraph PowerMachine<Words>::plain_graph() const {
  PlainGraph result;
  result.threads.resize(thread_count());
  std::vector<PlainGraph::Place> places(model_.size(), {none, 0});
  // The two halves of a read-modify-write are one event.
  const auto committed = [&](auto&& visit) {
    for (ThreadId t = 0; t < thread_count(); ++t) {
      const auto& requests = threads_.requests(t);
      for (std::uint32_t i = 0; i < requests.size(); ++i) {
        if (!requests[i].committed || requests[i].write_half()) continue;
        Request request = requests[i];
        if (request.read_half()) {
          request.op = request.update;
          request.write = requests[i + 1].write;
        }
        visit(t, request);
      }
    }
  };
  committed([&](ThreadId t, const Request& request) {
    auto& events = result.threads[t];
    const PlainGraph::Place place{t, static_cast<std::uint32_t>(events.size())};
    const bool choice = request.op == Op::choose;
    auto& event = events.emplace_back();
    event.op = request.op;
    event.location = request.location;
    event.reads = !choice && request.read != no_event;
    event.writes = request.write != no_event;
    if (choice) event.value = request.result;
    if (event.writes) event.value = model_[request.write].value;
    if (event.reads) places[static_cast<std::size_t>(request.read)] = place;
    if (event.writes) places[static_cast<std::size_t>(request.write)] = place;
  });
  std::vector<std::uint32_t> index(thread_count(), 0);
  committed([&](ThreadId t, const Request& request) {
    auto& event = result.threads[t][index[t]++];
    if (!event.reads) return;
    const EventId source = model_[request.read].source;
    if (source >= 0) event.source = places[static_cast<std::size_t>(source)];
  });
  for (Location location = 0; location < image_.locations.size(); ++location) {
    const EventId initial = model_.known(location);
    if (initial == no_event) continue;
    std::vector<PlainGraph::Place> writes;
    for (EventId id = model_.next(initial); id != no_event; id = model_.next(id))
      writes.push_back(places[static_cast<std::size_t>(id)]);
    if (!writes.empty()) result.coherence[location] = writes;
  }
  return result;
}

template <unsigned Words>
void PowerMachine<Words>::key(std::vector<std::uint64_t>& packed) const {
  packed.clear();
  PackedNumbers numbers(packed);
  const auto place = [&](EventId write) {
    numbers.add(name_of(write).thread + 1U);
    if (write >= 0) numbers.add(name_of(write).index);
  };
  for (ThreadId t = 0; t < thread_count(); ++t) {
    const auto& requests = threads_.requests(t);
    for (std::uint32_t i = 0; i < requests.size(); ++i) {
      const Request& request = requests[i];
      if (!request.committed && !request.dropped) continue;
      numbers.add(i + 1);
      if (request.dropped) {
        numbers.add(thread_count() + 1U);
      } else if (request.op == Op::choose) {
        numbers.add(static_cast<std::uint64_t>(request.result));
      } else {
        if (request.read != no_event) place(model_[request.read].source);
        if (request.write != no_event) place(model_[request.write].previous);
      }
    }
    numbers.add(0);
  }
}

}  // namespace heddle::checker
