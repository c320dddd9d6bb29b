// How the derived model of POWER fetches, commits and undoes: the definitions of power_machine.hpp.
#pragma once

#include "checker/execution/power_machine.hpp"

namespace heddle::checker {

// All earlier mutex operations of a thread that stays at one have been committed.
template <unsigned Words>
bool PowerMachine<Words>::holds(ThreadId t, Location mutex) const {
  const auto& requests = threads_.requests(t);
  for (std::size_t i = requests.size() - 1; i-- > 0;) {
    if (!requests[i].locks() || requests[i].location != mutex) continue;
    if (requests[i].op == jit::Op::unlock) return false;
    if (requests[i].result != 0) return true;
  }
  return false;
}

// Can the thread go on past what it stands at, without anything being committed?
template <unsigned Words>
bool PowerMachine<Words>::can_resume(ThreadId t) const {
  const Request& request = standing(t);
  switch (request.op) {
    case jit::Op::need: return (static_cast<std::uint64_t>(request.value) & ~threads_.committed(t)) == 0;
    case jit::Op::fence:
    case jit::Op::assertion: return true;
    // What comes next is behind the loads of the assumption if the thread has waited for them.
    case jit::Op::assumption: return request.value != 0 || (request.data & ~request.waited) != 0;
    default: return request.access() && !request.stays();
  }
}

template <unsigned Words>
void PowerMachine<Words>::count_coverage() {
  clean();
  const Set out = left_out();
  image_.coverage->weight = 1;
  for (ThreadId t = 0; t < threads_.count(); ++t) {
    threads_.repeat(t, [&](const Request& request) {
      if (request.op == jit::Op::assumption) return decided(t, request) && request.value != 0;
      if (request.op == jit::Op::assertion)
        return decided(t, request) && (request.value != 0 || resume_after_assert_);
      const auto event = request.read != Request::no_node ? request.read : request.write;
      return !request.committed || event == Request::no_node || !out.contains(static_cast<ProcessId>(event));
    });
  }
  image_.coverage->weight = 0;
}

// Lets the thread run ahead as far as it can.
template <unsigned Words>
void PowerMachine<Words>::fetch(ThreadId t) {
  for (;;) {
    const Request& request = standing(t);
    if (limit_.empty()) limit_ = threads_.limit(t);
    if (!limit_.empty() || !can_resume(t)) break;
    if (request.op == jit::Op::need) {
      const auto mask = static_cast<std::uint64_t>(request.value);
      threads_.clean(t, mask);
      if (assumed_wrongly(t, standing(t).waited | mask)) break;
    }
    threads_.resume(t, 0);
  }
  advance(t);
}

// Which of the thread's cas that are two requests are known to fail?
template <unsigned Words>
void PowerMachine<Words>::compare(ThreadId t) {
  auto& requests = threads_.requests(t);
  for (const auto index : threads_.write_halves(t)) {
    Request& store = requests[index];
    if (store.update != jit::Op::compare_exchange || store.committed || store.dropped) continue;
    const bool known = requests[index - 1].committed && (store.compared & ~threads_.committed(t)) == 0;
    if (known) threads_.clean(t, store.compared);
    store.absent = known && requests[index - 1].result != store.expected;
  }
}

// Judges the thread's assertions and assumptions as far as that has become possible.
template <unsigned Words>
void PowerMachine<Words>::watch(ThreadId t) {
  const auto& assumptions = threads_.assumptions(t);
  const auto& assertions = threads_.assertions(t);
  const bool stands_at_violation = fails(t);
  Watch now = watches_[t];
  while (now.assumed < assumptions.size() && judged(t, assumptions[now.assumed], true)) ++now.assumed;
  while (now.asserted < assertions.size() && judged(t, assertions[now.asserted], true)) ++now.asserted;
  const auto limit = now.assumed < assumptions.size() ? assumptions[now.assumed] : none;
  if (now.asserted < assertions.size()) {
    const auto next = assertions[now.asserted];
    now.suspect = next < limit && judged(t, next, false);
  } else {
    now.suspect = limit == none && stands_at_violation;
  }
  now.suspect = now.suspect && !now.counted;
  if (now == watches_[t]) return;
  trail_.push_back({t, watches_[t]});
  suspects_ += static_cast<std::uint32_t>(now.suspect) - static_cast<std::uint32_t>(watches_[t].suspect);
  watches_[t] = now;
}

// Which of the violations that threads have met count now?
template <unsigned Words>
void PowerMachine<Words>::count_violations() {
  for (ThreadId t = 0; suspects_ > 0 && t < threads_.count(); ++t) {
    while (watches_[t].suspect) {
      const auto index = suspected(t);
      if (!counts(t, index)) break;
      const Request& violation = threads_.requests(t)[index];
      const bool assertion = violation.op == jit::Op::assertion;
      failures_.push_back(
          {{.thread = t, .op = assertion ? jit::Op::assert_failed : violation.op, .site = violation.site},
           index});
      trail_.push_back({t, watches_[t]});
      --suspects_;
      watches_[t].suspect = false;
      if (assertion && resume_after_assert_) {
        ++watches_[t].asserted;
        watch(t);
      } else {
        watches_[t].counted = true;
      }
    }
  }
}

template <unsigned Words>
bool PowerMachine<Words>::meets(ThreadId t, std::uint64_t loads, const Set& events) const {
  Set nodes;
  add_loads(t, loads & threads_.committed(t), nodes);
  return nodes.intersects(events);
}

// Is the violation, with all that the thread has done before it, part of what assumptions leave?
template <unsigned Words>
bool PowerMachine<Words>::counts(ThreadId t, std::uint32_t index) {
  const Set out = left_out();
  if (out.empty()) return true;
  const auto& requests = threads_.requests(t);
  for (std::uint32_t i = 0; i <= index; ++i) {
    const Request& request = requests[i];
    const auto event = request.read != Request::no_node ? request.read : request.write;
    if (request.stays() && request.committed && out.contains(static_cast<ProcessId>(event))) return false;
    if ((request.observes() || i == index) && meets(t, request.data | request.waited | request.control, out))
      return false;
  }
  return true;
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
        if (request.op == jit::Op::assumption)
          behind = behind || !decided(t, request) || request.value == 0 || meets(t, request.data, out);
        if (request.write_half() && !request.committed && !request.absent) {
          const auto read = (&request)[-1].read;
          if (read != Request::no_node && !out.contains(static_cast<ProcessId>(read))) {
            out.insert(static_cast<ProcessId>(read));
            changed = true;
          }
        }
        if (!request.committed && !request.dropped) continue;
        for (const auto node : {request.read, request.write}) {
          const auto id = static_cast<ProcessId>(node);
          if (node == Request::no_node || out.contains(id)) continue;
          if (!behind && !model_[node].commit_before.intersects(out)) continue;
          out.insert(id);
          changed = true;
        }
      }
    }
  }
  return out;
}

template <unsigned Words>
void PowerMachine<Words>::fill(EventName name, bool writes, Order& order) const {
  const auto& requests = threads_.requests(name.thread);
  const Request& self = requests[name.index];
  order = {};
  order.thread = name.thread;
  order.location = self.location;
  order.writes = writes;
  const auto fenced = std::max(self.before_sync, self.before_lightweight);
  for (std::uint32_t i = 0; i < name.index; ++i) {
    const Request& earlier = requests[i];
    if (!earlier.committed) continue;
    const auto relate = [&](std::int32_t node, bool writes_too) {
      if (node == Request::no_node) return;
      const auto id = static_cast<ProcessId>(node);
      if (i < fenced || (earlier.op == jit::Op::choose && i < self.before_choice))
        order.commit_before.insert(id);
      if (!self.access() || !earlier.access()) return;
      if (i < self.before_sync) {
        order.sync.insert(id);
      } else if (i < self.before_lightweight) {
        if (!writes_too || writes) order.lightweight.insert(id);
      } else if (i < self.before_store_store && writes_too && writes) {
        order.lightweight.insert(id);
        order.commit_before.insert(id);
      }
      if (earlier.location == self.location) order.same_location.insert(id);
    };
    relate(earlier.read, false);
    relate(earlier.write, true);
  }
  // The operands of a read-modify-write are inputs of its write only.
  add_loads(name.thread, self.address | (writes ? self.data : 0), order.dependencies);
  add_loads(name.thread, self.control | (writes ? self.compared : 0), order.control);
  add_loads(name.thread, self.control_isync, order.control_isync);
  add_loads(name.thread, self.address_before, order.address_order);
  add_loads(name.thread, self.waited, order.commit_before);
  order.commit_before |= order.dependencies | order.control | order.address_order | order.same_location;
}

template <unsigned Words>
void PowerMachine<Words>::prepare(EventName name, Prepared& event) {
  const Request& self = request(name);
  event.name = name;
  event.newest = event.oldest = no_place;
  event.conditional = self.write_half();
  if (self.op == jit::Op::choose) {
    fill(name, false, event.read);
    event.low = self.value;
    event.high = self.expected;
    return;
  }
  threads_.clean(name.thread, self.data | self.compared);
  if (event.conditional) {
    fill(name, true, event.write);
    event.newest = event.oldest = model_[threads_.requests(name.thread)[name.index - 1].read].source;
    return;
  }
  const bool updates = self.updates();
  const bool reads = updates || self.op == jit::Op::load;
  if (reads) fill(name, false, event.read);
  if (updates || !reads) fill(name, true, event.write);
  if (updates) event.read.commit_before |= event.write.commit_before;
  const PowerId initial = model_.initial(self.location);
  event.newest = model_.newest(initial);
  event.oldest = model_.oldest_place(reads ? event.read : event.write, initial);
}

template <unsigned Words>
bool PowerMachine<Words>::commit(const Prepared& event, std::int64_t parameter) {
  const EventName name = event.name;
  Request& self = threads_.requests(name.thread)[name.index];
  const auto first = static_cast<std::uint32_t>(model_.size());
  const auto place = static_cast<PowerId>(parameter);
  std::int64_t result = 0;
  if (self.op != jit::Op::choose && parameter != dropped && !model_.within(place, event.oldest)) return false;
  if (parameter == dropped && event.conditional) {
    model_.add_choice(event.write, 0);
    self.read = static_cast<std::int32_t>(first);
    self.dropped = true;
  } else if (event.conditional) {
    if (model_.taken(place)) return false;
    const std::int64_t read = threads_.requests(name.thread)[name.index - 1].result;
    if (!model_.add(event.write, place, modified(self.update, read, self.value), place)) return false;
    self.write = static_cast<std::int32_t>(first);
  } else if (self.op == jit::Op::choose) {
    result = parameter;
    model_.add_choice(event.read, parameter);
    self.read = static_cast<std::int32_t>(first);
  } else if (self.op == jit::Op::store || self.op == jit::Op::unlock) {
    if (model_.taken(place)) return false;
    if (!model_.add(event.write, place, self.op == jit::Op::store ? self.value : 0)) return false;
    self.write = static_cast<std::int32_t>(first);
  } else {
    const std::int64_t read = value_of(place);
    const ReadEffect effect = effect_of_reading(self.op, read, self.value, self.expected, name.thread);
    if (self.op == jit::Op::lock && !effect.writes) return false;
    result = effect.result;
    if (effect.writes && model_.taken(place)) return false;
    if (!model_.add(event.read, place, read)) return false;
    if (effect.writes) {
      Order order = event.write;
      const auto reader = static_cast<ProcessId>(first);
      order.same_location.insert(reader);
      order.commit_before.insert(reader);
      if (self.op == jit::Op::compare_exchange || self.locks()) {
        order.control.insert(reader);
      } else if (self.op != jit::Op::exchange) {
        order.dependencies.insert(reader);
      }
      if (!model_.add(order, place, effect.written, place)) {
        model_.remove();
        return false;
      }
      self.write = static_cast<std::int32_t>(first + 1);
    }
    self.read = static_cast<std::int32_t>(first);
  }
  const auto depth = static_cast<std::uint32_t>(steps_.size());
  steps_.push_back({.name = name,
                    .first_event = first,
                    .fetched = static_cast<std::uint32_t>(threads_.requests(name.thread).size()),
                    .open = open_[name.thread],
                    .trail = static_cast<std::uint32_t>(trail_.size())});
  step_of_.resize(model_.size(), depth);
  if (!self.dropped) threads_.commit(name.thread, name.index, result);
  if (!threads_.write_halves(name.thread).empty()) compare(name.thread);
  failures_.clear();
  if (self.stays()) {
    threads_.resume(name.thread, result);
    fetch(name.thread);
  } else if (can_resume(name.thread)) {
    fetch(name.thread);
  } else {
    advance(name.thread);
  }
  if (threads_.observed(name.thread) || fails(name.thread)) watch(name.thread);
  if (suspects_ > 0) count_violations();
  return true;
}

template <unsigned Words>
void PowerMachine<Words>::undo() {
  const Step& step = steps_.back();
  const EventName name = step.name;
  threads_.cut(name.thread, step.fetched);
  threads_.uncommit(name.thread, name.index);
  Request& self = threads_.requests(name.thread)[name.index];
  self.read = self.write = Request::no_node;
  self.dropped = false;
  if (!threads_.write_halves(name.thread).empty()) compare(name.thread);
  open_[name.thread] = step.open;
  while (model_.size() > step.first_event) model_.remove();
  step_of_.resize(model_.size());
  for (; trail_.size() > step.trail; trail_.pop_back()) {
    Watch& watch = watches_[trail_.back().thread];
    suspects_ +=
        static_cast<std::uint32_t>(trail_.back().before.suspect) - static_cast<std::uint32_t>(watch.suspect);
    watch = trail_.back().before;
  }
  steps_.pop_back();
  failures_.clear();
  limit_ = {};
}

template <unsigned Words>
bool PowerMachine<Words>::await_holds(ThreadId t) {
  threads_.clean(t);
  std::byte* const block = threads_.trial(t);
  auto& m = jit::mailbox(block);
  const auto site = m.site;
  jit::resume(block);
  while ((m.op == jit::Op::load && m.in_await != 0) || m.op == jit::Op::need || m.op == jit::Op::assertion ||
         m.op == jit::Op::assumption) {
    if (m.op == jit::Op::load) {
      const PowerId initial = model_.known(m.location);
      m.value = initial == no_place ? image_.locations[m.location].initial : value_of(model_.newest(initial));
      jit::dependencies(block).result = 0;
    }
    jit::resume(block);
  }
  return m.op != jit::Op::await_failed || m.site != site;
}

template <unsigned Words>
Row PowerMachine<Words>::row(std::uint32_t depth) const {
  const EventName name = steps_[depth].name;
  const Request& committed = request(name);
  Row row{.op = committed.op, .thread = name.thread, .site = committed.site};
  if (committed.op == jit::Op::choose) {
    row.type = RowType::choice;
    row.read = committed.result;
    return row;
  }
  row.location = committed.location;
  row.reads = committed.read != Request::no_node && !committed.dropped;
  row.writes = committed.write != Request::no_node;
  if (row.reads) row.read = committed.result;
  if (row.writes) row.written = model_[committed.write].value;
  return row;
}

// A step of a schedule: `location` is the index of the request, `value` the choice, or the name of the write
// that it reads from or stands behind: -1 for an initial one.
template <unsigned Words>
Schedule PowerMachine<Words>::run(const Set& without) const {
  Schedule result;
  for (const Step& step : steps_) {
    if (without.contains(step.first_event)) continue;
    const Request& committed = request(step.name);
    Choice choice{.type = StepType::commit, .thread = step.name.thread, .location = step.name.index};
    const bool reads = committed.read != Request::no_node;
    const auto& event = model_[reads ? committed.read : committed.write];
    if (committed.op == jit::Op::choose) {
      choice.value = committed.result;
    } else if (committed.dropped) {
      choice.value = encoded(dropped_name);
    } else {
      // The write that the event stood behind at the time: later ones may have come between since.
      PowerId place = reads ? event.source : event.previous;
      while (place >= 0 && (static_cast<std::uint32_t>(place) >= step.first_event ||
                            without.contains(static_cast<ProcessId>(place)))) {
        place = model_.previous(place);
      }
      choice.value = encoded(name_of(place));
    }
    result.push_back(choice);
  }
  return result;
}

template <unsigned Words>
bool PowerMachine<Words>::follow(const Choice& choice) {
  const EventName name{choice.thread, choice.location};
  bool found = false;
  for_each_enabled([&](EventName enabled) { found = found || enabled == name; });
  if (!found) return false;
  Prepared event;
  prepare(name, event);
  if (op(name) == jit::Op::choose) return commit(event, choice.value);
  return commit(event, resolve(name, decoded(choice.value)));
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
    const bool choice = request.op == jit::Op::choose;
    auto& event = events.emplace_back();
    event.op = request.op;
    event.location = request.location;
    event.reads = !choice && request.read != Request::no_node;
    event.writes = request.write != Request::no_node;
    if (choice) event.value = request.result;
    if (event.writes) event.value = model_[request.write].value;
    if (event.reads) places[static_cast<std::size_t>(request.read)] = place;
    if (event.writes) places[static_cast<std::size_t>(request.write)] = place;
  });
  std::vector<std::uint32_t> index(thread_count(), 0);
  committed([&](ThreadId t, const Request& request) {
    auto& event = result.threads[t][index[t]++];
    if (!event.reads) return;
    const PowerId source = model_[request.read].source;
    if (source >= 0) event.source = places[static_cast<std::size_t>(source)];
  });
  for (Location location = 0; location < image_.locations.size(); ++location) {
    const PowerId initial = model_.known(location);
    if (initial == no_place) continue;
    std::vector<PlainGraph::Place> writes;
    for (PowerId id = model_.next(initial); id != no_place; id = model_.next(id)) {
      writes.push_back(places[static_cast<std::size_t>(id)]);
    }
    if (!writes.empty()) result.coherence[location] = writes;
  }
  return result;
}

template <unsigned Words>
void PowerMachine<Words>::key(std::vector<std::uint64_t>& packed) const {
  packed.clear();
  unsigned bytes = 0;
  const auto byte = [&](std::uint64_t value) {
    if (bytes % 8 == 0) packed.push_back(0);
    packed.back() |= value << (8 * (bytes++ % 8));
  };
  // Seven bits a byte: nearly all numbers are small.
  const auto number = [&](std::uint64_t value) {
    for (; value >= 128; value >>= 7U) byte((value & 127U) | 128U);
    byte(value);
  };
  const auto place = [&](PowerId write) {
    number(name_of(write).thread + 1U);
    if (write >= 0) number(name_of(write).index);
  };
  for (ThreadId t = 0; t < thread_count(); ++t) {
    const auto& requests = threads_.requests(t);
    for (std::uint32_t i = 0; i < requests.size(); ++i) {
      const Request& request = requests[i];
      if (!request.committed && !request.dropped) continue;
      number(i + 1);
      if (request.dropped) {
        number(thread_count() + 1U);
        continue;
      }
      if (request.op == jit::Op::choose) {
        number(static_cast<std::uint64_t>(request.result));
        continue;
      }
      if (request.read != Request::no_node) place(model_[request.read].source);
      if (request.write != Request::no_node) place(model_[request.write].previous);
    }
    number(0);
  }
}

}  // namespace heddle::checker
