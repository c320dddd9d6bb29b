// How trust over a derived execution model extends, cuts and mends its run: the definitions of
// trust_derived.hpp, which includes this file at its end.
#pragma once

#include <algorithm>
#include <utility>

namespace heddle::checker {

// The graph was extended: opens the node of the next event, or ends the execution.
template <typename Machine>
void DerivedTrust<Machine>::arrive() {
  stop_at_limits(machine_, search_);
  if (!machine_.failures().empty()) end_.failure(machine_);
  if (search_.stopped()) return;
  if (const auto name = next_event(machine_, [&](EventName lock) { return !is_stuck(lock); })) {
    open(*name, ++clock_);
    return;
  }
  // A stuck lock whose mutex is free by now, or has another owner, waits in other executions only.
  for (const StuckLock& lock : stuck_) {
    if (machine_.model().next(source_of(lock)) == no_place) continue;
    ++search_.counts.blocked_race;
    ++search_.counts.runs;
    return;
  }
  if (end_.finish(machine_) && observer_) observer_(machine_.plain_graph());
}

template <typename Machine>
bool DerivedTrust<Machine>::commit(const typename Machine::Prepared& event, std::int64_t parameter,
                                   std::uint64_t stamp) {
  if (!machine_.commit(event, parameter)) return false;
  stamps_.push_back(stamp);
  search_.transition(machine_.depth(), [&] { return memory_used(); });
  return true;
}

template <typename Machine>
void DerivedTrust<Machine>::prepare(Node& node) {
  if (node.version == version_) return;
  machine_.prepare(node.name, node.event);
  node.version = version_;
}

// Takes back what the node did last and does the next thing, until the graph has been extended or the node is
// left.
template <typename Machine>
void DerivedTrust<Machine>::advance(std::size_t at) {
  for (;;) {
    Node& node = nodes_[at];
    switch (node.stage) {
      case Stage::add:
        if (!node.begun && !next_parameter(node)) {
          --used_;
          return;
        }
        if (add(node)) return arrive();
        break;
      case Stage::added:
        undo_to(machine_.depth() - 1);
        node.stage = node.writes ? Stage::revisits : Stage::next;
        break;
      case Stage::stuck:
        stuck_.pop_back();
        node.stage = Stage::next;
        break;
      case Stage::revisits:
        start_revisits(node);
        node.stage = Stage::walk;
        break;
      case Stage::walk: node.stage = find_revisit(node) ? Stage::revisit : Stage::next; break;
      case Stage::revisit:
        if (try_place(at)) return;
        mend(nodes_[at]);
        nodes_[at].stage = Stage::walk;
        break;
      case Stage::next:
        if (next_parameter(node)) {
          node.stage = Stage::add;
        } else if (stores(node.name) && !node.revisited_by) {
          node.revisited_by = true;
          node.stage = Stage::revisits;
        } else {
          --used_;
          return;
        }
        break;
    }
    if (search_.stopped()) return;
  }
}

// Moves on to the next value, source or place in coherence order.
template <typename Machine>
bool DerivedTrust<Machine>::next_parameter(Node& node) {
  if (node.revisited_by) return false;
  const bool begun = std::exchange(node.begun, true);
  if (node.forced) return !begun;
  prepare(node);
  const auto next =
      begun ? machine_.next_parameter(node.event, parameter(node)) : machine_.first_parameter(node.event);
  if (!next) return false;
  if (op(node.name) == Op::choose) {
    node.value = *next;
  } else {
    node.place = machine_.name_of(*next);
  }
  return true;
}

// Adds the event with the parameter at hand. Returns whether the graph was extended.
template <typename Machine>
bool DerivedTrust<Machine>::add(Node& node) {
  prepare(node);
  const auto parameter = this->parameter(node);
  const auto write = static_cast<PowerId>(parameter);
  if (op(node.name) == Op::lock && machine_.value_of(write) != 0) {
    node.stage = Stage::next;
    // Behind an older one nothing could revisit it any more.
    if (machine_.model().next(write) != no_place) return false;
    stuck_.push_back({node.name, node.place, node.stamp});
    node.stage = Stage::stuck;
    return true;
  }
  node.writes = op(node.name) != Op::choose && writes_behind(node.name, parameter);
  const bool taken = node.writes && machine_.model().taken(write);
  if (!taken && commit(node.event, parameter, node.stamp)) {
    node.stage = Stage::added;
    return true;
  }
  node.stage = node.writes ? Stage::revisits : Stage::next;
  return false;
}

template <typename Machine>
void DerivedTrust<Machine>::start_revisits(Node& node) {
  prepare(node);
  node.prefix = machine_.commit_before(node.event);
  if (!stores(node.name)) {
    const auto source = parameter(node);
    if (source >= 0) node.prefix |= machine_.committed_before(source);
  }
  node.deleted = {};
  node.walk.clear();
  node.walked = 0;
  for (std::uint32_t step = 0; step < machine_.depth(); ++step) {
    if (!node.prefix.contains(machine_.first_event(step))) node.walk.push_back({stamps_[step], step, false});
  }
  for (std::uint32_t i = 0; i < stuck_.size(); ++i) node.walk.push_back({stuck_[i].stamp, i, true});
  std::sort(node.walk.begin(), node.walk.end(),
            [](const Inserted& a, const Inserted& b) { return a.stamp > b.stamp; });
}

// Walks back through the order of insertion to the next read that the event may revisit, and cuts the run.
// Everything walked over would be deleted, so the walk ends at the first event that is not maximal.
template <typename Machine>
bool DerivedTrust<Machine>::find_revisit(Node& node) {
  for (; node.walked < node.walk.size(); ++node.walked) {
    const Inserted& inserted = node.walk[node.walked];
    if (!maximal(inserted, node.deleted)) {
      node.walked = node.walk.size();
      return false;
    }
    const EventName name = name_of(inserted);
    if (machine_.location(name) == machine_.location(node.name) && machine_.reads(name)) {
      cut(node);
      return true;
    }
    insert(inserted, node.deleted);
  }
  return false;
}

// Nothing hinders a maximal event from being taken back and added again later: it saw the newest of all that
// stays or was there before it.
template <typename Machine>
bool DerivedTrust<Machine>::maximal(const Inserted& inserted, const Set& deleted) {
  const auto& model = machine_.model();
  const auto gone = [&](PowerId write) {
    return write == no_place || deleted.contains(static_cast<ProcessId>(write));
  };
  if (inserted.stuck) return gone(model.next(source_of(stuck_[inserted.index])));
  const auto& request = machine_.request(machine_.step(inserted.index));
  if (request.op == Op::choose) return request.result == request.value;
  // Of the two things that can be done with it, leaving it out is always possible.
  if (request.write_half()) return request.dropped;
  if (request.write == Request::no_node) return gone(model.next(model[request.read].source));
  for (const StuckLock& lock : stuck_) {
    if (lock.stamp < inserted.stamp && lock.source == machine_.step(inserted.index)) return false;
  }
  return (model.readers(request.write) - deleted).empty() && gone(model.next(request.write));
}

// How to commit the step again: its place is the newest one of those at the time that `keep` wants.
template <typename Machine>
template <typename Keep>
Recommit DerivedTrust<Machine>::recommit(std::uint32_t step, Keep&& keep) const {
  return {named_step(machine_, step,
                     [&](ProcessId place) { return place < machine_.first_event(step) && keep(place); }),
          stamps_[step]};
}

// Takes away the read at which the walk is and what was walked over. The steps that stay are committed again,
// from the first one that goes on.
template <typename Machine>
void DerivedTrust<Machine>::cut(Node& node) {
  const Inserted read = node.walk[node.walked];
  node.revisited = name_of(read);
  node.has_place = false;
  Set going = node.deleted;
  insert(read, going);
  node.kept_depth = machine_.depth();
  for (std::uint32_t step = 0; step < machine_.depth(); ++step) {
    if (!going.contains(machine_.first_event(step))) continue;
    node.kept_depth = step;
    break;
  }
  node.cut.clear();
  kept_.clear();
  for (auto step = node.kept_depth; step < machine_.depth(); ++step) {
    node.cut.push_back(recommit(step, [](ProcessId) { return true; }));
    if (!going.contains(machine_.first_event(step)))
      kept_.push_back(recommit(step, [&](ProcessId id) { return !going.contains(id); }));
  }
  node.stuck = stuck_;
  std::erase_if(stuck_, [&](const StuckLock& lock) { return lock.stamp >= read.stamp; });
  undo_to(node.kept_depth);
  ++version_;
  for (const Recommit& item : kept_) again(item);
  node.base_depth = machine_.depth();
}

template <typename Machine>
void DerivedTrust<Machine>::mend(Node& node) {
  undo_to(node.kept_depth);
  ++version_;
  for (const Recommit& item : node.cut) again(item);
  stuck_ = node.stuck;
  insert(node.walk[node.walked++], node.deleted);
}

template <typename Machine>
void DerivedTrust<Machine>::again(const Recommit& item) {
  typename Machine::Prepared event;
  machine_.prepare(item.event, event);
  if (!commit(event, parameter_of(machine_, item), item.stamp))
    throw std::logic_error("internal error: part of an allowed run is not allowed");
}

// Commits the node's event at its next place in the cut run, and opens a node for the read that is to see it.
template <typename Machine>
bool DerivedTrust<Machine>::try_place(std::size_t at) {
  Node& node = nodes_[at];
  undo_to(node.base_depth);
  typename Machine::Prepared event;
  machine_.prepare(node.name, event);
  for (;;) {
    std::optional<std::int64_t> place;
    if (!stores(node.name)) {
      if (!node.has_place) place = machine_.resolve(node.name, node.place);
    } else if (node.has_place) {
      place = machine_.next_parameter(event, machine_.resolve(node.name, node.event_place));
    } else {
      place = machine_.first_parameter(event);
    }
    if (!place || (event.conditional && *place == dropped)) return false;
    node.has_place = true;
    node.event_place = machine_.name_of(*place);
    if (!commit(event, *place, node.stamp)) continue;
    if (!machine_.failures().empty()) end_.failure(machine_);
    const EventName writer = node.name;
    Node& read = open(node.revisited, node.walk[node.walked].stamp);
    read.forced = true;
    read.place = writer;
    return true;
  }
}

}  // namespace heddle::checker
