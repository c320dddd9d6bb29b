#include "tests/consistency/oracle.hpp"

#include <algorithm>
#include <set>

namespace heddle::consistency::tests {

namespace {

bool has(std::uint8_t effect, std::uint8_t bit) { return (effect & bit) != 0; }

std::uint32_t below(std::mt19937_64& random, std::uint32_t end) {
  return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random);
}

bool explore(Machine& machine, std::set<std::vector<std::uint32_t>>& entered) {
  if (machine.finished()) return true;
  for (const auto& action : machine.actions()) {
    Machine next = machine;
    next.take(action);
    if (entered.insert(next.state()).second && explore(next, entered)) return true;
  }
  return false;
}

}  // namespace

Machine::Machine(const Instance& instance, Model model)
    : instance_(instance),
      model_(model),
      position_(instance.first.begin(), instance.first.end() - 1),
      memory_(instance.locations, no_event),
      buffered_(instance.threads()),
      group_(instance.threads(), 0) {}

ThreadId Machine::thread_of(EventId event) const {
  ThreadId thread = 0;
  while (instance_.first[thread + 1] <= event) ++thread;
  return thread;
}

EventId Machine::seen(ThreadId thread) const {
  const auto location = instance_.events[position_[thread]].location;
  const auto& buffer = buffered_[thread];
  for (auto entry = buffer.rbegin(); entry != buffer.rend(); ++entry) {
    if (instance_.events[entry->write].location == location) return entry->write;
  }
  return memory_[location];
}

bool Machine::possible(const Action& action, bool free) const {
  const auto thread = thread_of(action.event);
  const auto& event = instance_.events[action.event];
  const auto& buffer = buffered_[thread];
  if (action.flush) {
    if (model_ == Model::sc) return false;
    for (const auto& entry : buffer) {
      if (entry.write == action.event) return true;
      // Whether an older entry must be flushed first.
      if (model_ == Model::tso || instance_.events[entry.write].location == event.location) return false;
      const auto own = std::find_if(buffer.begin(), buffer.end(),
                                    [&](const Entry& other) { return other.write == action.event; });
      if (own != buffer.end() && entry.group < own->group) return false;
    }
    return false;
  }
  if (position_[thread] != action.event || action.event >= instance_.first[thread + 1]) return false;
  if (has(event.effect, Effect::drains) && !buffer.empty()) return false;
  const bool enters = has(event.effect, Effect::writes) && model_ != Model::sc && !direct(event);
  if (enters && occupied(buffer, event.location) >= instance_.buffer_bound) return false;
  return free || !has(event.effect, Effect::reads) || seen(thread) == event.source;
}

bool Machine::direct(const Event& event) const {
  return has(event.effect, Effect::direct) || instance_.buffer_bound == 0;
}

// The stores in the store buffer that the location's stores enter.
std::size_t Machine::occupied(const std::vector<Entry>& buffered, LocationId location) const {
  return static_cast<std::size_t>(std::count_if(buffered.begin(), buffered.end(), [&](const Entry& entry) {
    return model_ == Model::tso || instance_.events[entry.write].location == location;
  }));
}

std::vector<Action> Machine::actions(bool free) const {
  std::vector<Action> result;
  for (ThreadId t = 0; t < instance_.threads(); ++t) {
    if (position_[t] < instance_.first[t + 1] && possible({position_[t], false}, free))
      result.push_back({position_[t], false});
    for (const auto& entry : buffered_[t]) {
      if (possible({entry.write, true}, free)) result.push_back({entry.write, true});
    }
  }
  return result;
}

void Machine::take(const Action& action) {
  const auto thread = thread_of(action.event);
  const auto& event = instance_.events[action.event];
  auto& buffer = buffered_[thread];
  if (action.flush) {
    memory_[event.location] = action.event;
    std::erase_if(buffer, [&](const Entry& entry) { return entry.write == action.event; });
    return;
  }
  ++position_[thread];
  if (has(event.effect, Effect::orders_stores)) ++group_[thread];
  if (!has(event.effect, Effect::writes)) return;
  if (model_ == Model::sc || direct(event)) {
    memory_[event.location] = action.event;
  } else {
    buffer.push_back({action.event, group_[thread]});
  }
}

bool Machine::finished() const {
  for (ThreadId t = 0; t < instance_.threads(); ++t) {
    if (position_[t] != instance_.first[t + 1] || !buffered_[t].empty()) return false;
  }
  return std::all_of(instance_.final_writes.begin(), instance_.final_writes.end(),
                     [&](const FinalWrite& last) { return memory_[last.location] == last.write; });
}

std::vector<std::uint32_t> Machine::state() const {
  std::vector<std::uint32_t> result(position_.begin(), position_.end());
  result.insert(result.end(), memory_.begin(), memory_.end());
  for (const auto& buffer : buffered_) {
    for (const auto& entry : buffer) result.push_back(entry.write);
    result.push_back(no_event);
  }
  return result;
}

bool realisable(const Instance& instance, Model model) {
  Machine machine(instance, model);
  std::set<std::vector<std::uint32_t>> entered;
  return explore(machine, entered);
}

bool replays(const Instance& instance, Model model, const std::vector<Action>& run) {
  Machine machine(instance, model);
  for (const auto& action : run) {
    if (!machine.possible(action)) return false;
    machine.take(action);
  }
  return machine.finished();
}

Instance random_instance(std::mt19937_64& random, Model model, const Shape& shape, bool spoil) {
  Instance instance;
  instance.locations = 1 + below(random, shape.locations);
  if (shape.largest_bound != 0) instance.buffer_bound = below(random, shape.largest_bound + 1);
  const auto threads = 1 + below(random, shape.threads);
  const auto events = threads + below(random, shape.events - threads + 1);
  const auto writes_share = 2 + below(random, 5);  // of 8
  std::vector<std::uint32_t> sizes(threads, 0);
  for (std::uint32_t i = 0; i < events; ++i) ++sizes[below(random, threads)];
  for (ThreadId t = 0; t < threads; ++t) {
    for (std::uint32_t i = 0; i < sizes[t]; ++i) {
      Event event;
      event.location = below(random, instance.locations);
      event.effect = below(random, 8) < writes_share ? Effect::store : Effect::load;
      if (shape.locked && below(random, 8) < shape.locked_share) {
        constexpr std::uint8_t locked[] = {Effect::read_modify_write, Effect::locked_load,
                                           Effect::locked_store};
        event.effect = locked[shape.locked_share > 1 ? 0 : below(random, 3)];
      }
      if (shape.fences && below(random, 10) == 0) event.effect = Effect::full_fence;
      if (shape.store_fences && below(random, 10) == 0) event.effect = Effect::store_fence;
      instance.events.push_back(event);
    }
    instance.end_thread();
  }
  Machine machine(instance, model);
  std::vector<EventId> last(instance.locations, no_event);
  for (auto actions = machine.actions(true); !actions.empty(); actions = machine.actions(true)) {
    const auto action = actions[below(random, static_cast<std::uint32_t>(actions.size()))];
    auto& event = instance.events[action.event];
    if (!action.flush && has(event.effect, Effect::reads))
      event.source = machine.seen(machine.thread_of(action.event));
    const bool to_memory =
        action.flush || model == Model::sc || has(event.effect, Effect::direct) || instance.buffer_bound == 0;
    if (to_memory && has(event.effect, Effect::writes)) last[event.location] = action.event;
    machine.take(action);
  }
  if (shape.final_writes) {
    for (LocationId x = 0; x < instance.locations; ++x) {
      if (below(random, 3) == 0) instance.final_writes.push_back({x, last[x]});
    }
  }
  if (!spoil) return instance;

  const auto another_write = [&](LocationId location) {
    std::vector<EventId> writes{no_event};
    for (EventId e = 0; e < instance.events.size(); ++e) {
      if (has(instance.events[e].effect, Effect::writes) && instance.events[e].location == location)
        writes.push_back(e);
    }
    return writes[below(random, static_cast<std::uint32_t>(writes.size()))];
  };
  const auto share = 1 + below(random, 3);
  for (EventId e = 0; e < instance.events.size(); ++e) {
    auto& event = instance.events[e];
    if (has(event.effect, Effect::reads) && below(random, 3) < share) {
      event.source = another_write(event.location);
      if (event.source == e) event.source = no_event;
    }
  }
  for (auto& final_write : instance.final_writes) {
    if (below(random, 3) == 0) final_write.write = another_write(final_write.location);
  }
  return instance;
}

}  // namespace heddle::consistency::tests
