#include "checker/verifier/closure.hpp"

#include <bit>

namespace heddle::consistency {

bool Closure::compute(const Instance& instance, Model model, const std::function<bool()>& stop) {
  stop_ = &stop;
  spent_ = 0;
  const auto nodes = 2 * instance.events.size();
  words_ = (nodes + 63) / 64;
  after_.assign(nodes * words_, 0);
  before_.assign(nodes * words_, 0);
  earlier_.resize(words_);
  later_.resize(words_);
  if (!program_order(instance, model)) return false;
  do {
    changed_ = false;
    if (!apply_rules(instance)) return false;
  } while (changed_);
  return true;
}

bool Closure::may_spend(std::size_t words) {
  constexpr std::size_t much = std::size_t{1} << 20;
  spent_ += words;
  if (spent_ < much) return true;
  spent_ = 0;
  return !*stop_ || !(*stop_)();
}

// Orders `first` before `second`, and everything that follows from it. False if that closes a cycle.
bool Closure::add(std::size_t first, std::size_t second) {
  if (first == second || ordered(second, first)) return false;
  if (ordered(first, second)) return true;
  changed_ = true;
  // The pairs that become ordered: what is before `first`, and not before `second` yet, with what is after `second`, and
  // not after `first` yet.
  for (std::size_t i = 0; i < words_; ++i) {
    earlier_[i] = before_[first * words_ + i] & ~before_[second * words_ + i];
    later_[i] = after_[second * words_ + i] & ~after_[first * words_ + i];
  }
  earlier_[first / 64] |= std::uint64_t{1} << (first % 64);
  later_[second / 64] |= std::uint64_t{1} << (second % 64);
  const auto rows = add_to_rows(earlier_, after_, later_) + add_to_rows(later_, before_, earlier_);
  return may_spend(rows * words_);
}

// Adds the set to the rows of these nodes, and returns how many there are.
std::size_t Closure::add_to_rows(const std::vector<std::uint64_t>& nodes, std::vector<std::uint64_t>& matrix,
                                 const std::vector<std::uint64_t>& set) const {
  std::size_t begin = 0;
  std::size_t end = words_;
  while (begin < end && set[begin] == 0) ++begin;
  while (end > begin && set[end - 1] == 0) --end;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < words_; ++i) {
    for (auto bits = nodes[i]; bits != 0; bits &= bits - 1, ++rows) {
      std::uint64_t* const row =
          &matrix[(i * 64 + static_cast<std::size_t>(std::countr_zero(bits))) * words_];
      for (std::size_t j = begin; j < end; ++j) row[j] |= set[j];
    }
  }
  return rows;
}

bool Closure::program_order(const Instance& instance, Model model) {
  const auto events = instance.events.size();
  memory_node_.assign(events, 0);
  thread_.assign(events, 0);
  own_before_.assign(events, no_event);
  if (writes_.size() < instance.locations) writes_.resize(instance.locations);
  for (auto& writes : writes_) writes.clear();
  for (ThreadId t = 0; t < instance.threads(); ++t) {
    if (!thread_order(instance, model, t)) return false;
  }
  for (const auto& last : instance.final_writes) {
    for (const auto write : writes_[last.location]) {
      if (last.write == no_event) return false;
      if (write != last.write && !add(memory_node(write), memory_node(last.write))) return false;
    }
  }
  return true;
}

bool Closure::thread_order(const Instance& instance, Model model, ThreadId thread) {
  pending_.clear();
  EventId barrier = no_event;  // the last store-store fence
  for (auto e = instance.first[thread]; e < instance.first[thread + 1]; ++e) {
    const auto& event = instance.events[e];
    thread_[e] = thread;
    if (e > instance.first[thread] && !add(2 * (e - std::size_t{1}), 2 * std::size_t{e})) return false;
    if ((event.effect & Effect::reads) != 0) {
      for (const auto write : writes_[event.location]) {
        if (thread_[write] == thread) own_before_[e] = write;
      }
    }
    if (model != Model::sc && (event.effect & Effect::drains) != 0) {
      for (const auto write : pending_) {
        if (!add(memory_node(write), 2 * std::size_t{e})) return false;
      }
      pending_.clear();
    }
    if (model == Model::pso && (event.effect & Effect::orders_stores) != 0) barrier = e;
    if ((event.effect & Effect::writes) == 0) continue;
    const bool direct = model == Model::sc || (event.effect & Effect::direct) != 0;
    memory_node_[e] = 2 * std::size_t{e} + (direct ? 0 : 1);
    writes_[event.location].push_back(e);
    if (direct) continue;
    if (!add(2 * std::size_t{e}, memory_node(e))) return false;
    if (instance.buffer_bound != Instance::unbounded) {
      const EventId last = last_to_leave(instance, model, e);
      if (last != no_event && !add(memory_node(last), 2 * std::size_t{e})) return false;
    }
    for (const auto write : pending_) {
      const bool keeps = model == Model::tso || instance.events[write].location == event.location ||
                         (barrier != no_event && write < barrier);
      if (keeps && !add(memory_node(write), memory_node(e))) return false;
    }
    pending_.push_back(e);
  }
  return true;
}

// The store that has to leave the buffer of the store `e` before that one enters.
EventId Closure::last_to_leave(const Instance& instance, Model model, EventId e) const {
  std::uint32_t room = instance.buffer_bound;
  for (auto write = pending_.rbegin(); write != pending_.rend(); ++write) {
    const bool same = model == Model::tso || instance.events[*write].location == instance.events[e].location;
    if (same && --room == 0) return *write;
  }
  return no_event;
}

bool Closure::apply_rules(const Instance& instance) {
  for (EventId r = 0; r < instance.events.size(); ++r) {
    const auto& read = instance.events[r];
    if ((read.effect & Effect::reads) == 0) continue;
    if (!may_spend(writes_[read.location].size())) return false;
    const std::size_t node = 2 * std::size_t{r};
    const auto source = read.source;
    if (source == no_event) {
      if (own_before_[r] != no_event) return false;
      for (const auto other : writes_[read.location]) {
        if (thread_[other] != thread_[r] && !add(node, memory_node(other))) return false;
      }
      continue;
    }
    const auto seen = memory_node(source);
    if (thread_[source] == thread_[r]) {
      if (own_before_[r] != source) return false;
    } else {
      // Rule 1.
      if (!add(seen, node)) return false;
      if (own_before_[r] != no_event && !add(memory_node(own_before_[r]), seen)) return false;
    }
    for (const auto other : writes_[read.location]) {
      if (other == source || thread_[other] == thread_[r]) continue;
      const auto there = memory_node(other);
      if (ordered(there, node) && !add(there, seen)) return false;  // rule 2
      if (ordered(seen, there) && !add(node, there)) return false;  // rule 3
    }
  }
  return true;
}

}  // namespace heddle::consistency
