#include "checker/verifier/prefix.hpp"

#include <algorithm>

namespace heddle::consistency {

namespace {

constexpr EventId any = 0xfffffffe;         // a location that may end with any write
constexpr std::uint32_t none = 0xffffffff;  // no buffer

}  // namespace

bool Prefix::load(const Instance& instance, Model model) {
  clear(instance);
  for (ThreadId t = 0; t < threads_; ++t) load_thread(instance, model, t);
  if (!link_reads()) return false;
  sort_into_buffers(instance, model);
  return load_final_writes(instance);
}

// Nothing has happened; memory holds the initial values, which are writes of an extra thread.
void Prefix::clear(const Instance& instance) {
  threads_ = instance.threads();
  events_ = static_cast<EventId>(instance.events.size());
  all_ = events_;
  before_ = nullptr;
  trail_.clear();
  has_store_fences_ = false;
  bound_ = instance.buffer_bound;
  info_.assign(events_ + instance.locations, {});
  begin_.assign(instance.first.begin(), instance.first.end() - 1);
  end_.assign(instance.first.begin() + 1, instance.first.end());
  position_ = begin_;
  pending_.assign(threads_, 0);
  held_.assign(instance.locations, 0);
  unwritten_.assign(instance.locations, 0);
  newest_.assign(instance.locations, no_event);
  memory_.resize(instance.locations);
  overwritten_.clear();
  for (LocationId x = 0; x < instance.locations; ++x) {
    auto& info = info_[events_ + x];
    info.in_memory = true;
    info.location = x;
    info.thread = threads_;
    memory_[x] = events_ + x;
  }
}

// What concerns one thread alone: effects under the model, own writes before reads, store-store fences.
void Prefix::load_thread(const Instance& instance, Model model, ThreadId thread) {
  EventId barrier = 0;
  for (auto e = begin_[thread]; e < end_[thread]; ++e) {
    const auto& event = instance.events[e];
    auto& info = info_[e];
    info.effect = event.effect;
    // SC has no buffers: nothing to drain, and every write is direct.
    if (model == Model::sc) {
      info.effect &= static_cast<std::uint8_t>(~Effect::drains);
      if ((info.effect & Effect::writes) != 0) info.effect |= Effect::direct;
    }
    info.location = event.location;
    info.thread = thread;
    info.barrier = barrier;
    if ((info.effect & Effect::reads) != 0) {
      info.source = event.source == no_event ? events_ + event.location : event.source;
      info.own_before = newest_[event.location];
    }
    if ((info.effect & Effect::writes) != 0) {
      newest_[event.location] = e;
      ++unwritten_[event.location];
      if ((info.effect & Effect::direct) == 0) ++all_;
    }
    if (model == Model::pso && (info.effect & Effect::orders_stores) != 0) {
      barrier = e;
      has_store_fences_ = true;
    }
  }
  for (auto e = begin_[thread]; e < end_[thread]; ++e) {
    if ((info_[e].effect & Effect::writes) != 0) newest_[info_[e].location] = no_event;
  }
}

// Links every write to its readers. False if a read cannot see its source because of its thread's own writes.
bool Prefix::link_reads() {
  for (EventId e = 0; e < events_; ++e) {
    auto& info = info_[e];
    if ((info.effect & Effect::reads) == 0) continue;
    const bool from_start = info.source >= events_;
    auto& source = info_[info.source];
    info.local = source.thread == info.thread;
    if (info.local && info.source != info.own_before) return false;
    if (from_start && info.own_before != no_event) return false;
    ++source.readers;
    info.next_reader = source.first_reader;
    source.first_reader = e;
    if (from_start) ++held_[info.location];
    if (info.local || info.own_before == no_event) continue;
    // Of the late readers of one thread the last one replaces the others; they come one after the other.
    const auto newest = source.first_late_reader;
    const bool same_thread = newest != no_event && info_[newest].thread == info.thread;
    info.next_late_reader = same_thread ? info_[newest].next_late_reader : newest;
    source.first_late_reader = e;
  }
  return true;
}

// False if a location is to end with its initial value though it is written.
bool Prefix::load_final_writes(const Instance& instance) {
  has_final_writes_ = !instance.final_writes.empty();
  if (has_final_writes_) final_.assign(instance.locations, any);
  for (const auto& last : instance.final_writes) {
    final_[last.location] = last.write;
    if (last.write == no_event && unwritten_[last.location] != 0) return false;
  }
  return true;
}

void Prefix::sort_into_buffers(const Instance& instance, Model model) {
  queue_.clear();
  first_buffer_.clear();
  order_.resize(events_);
  of_location_.assign(instance.locations, none);
  std::uint32_t used = 0;
  for (ThreadId t = 0; t < threads_; ++t) {
    const auto first = static_cast<std::uint32_t>(queue_.size());
    first_buffer_.push_back(first);
    // One queue per thread, or one per location in the order of their first writes.
    for (auto e = begin_[t]; e < end_[t]; ++e) {
      auto& info = info_[e];
      if ((info.effect & Effect::writes) == 0) continue;
      auto buffer =
          model == Model::pso ? of_location_[info.location] : (queue_.size() == first ? none : first);
      if (buffer == none) {
        buffer = static_cast<std::uint32_t>(queue_.size());
        queue_.push_back({.thread = t});
        of_location_[info.location] = buffer;
      }
      info.buffer = buffer;
      ++queue_[buffer].end;
    }
    for (auto b = first; b < queue_.size(); ++b) {
      const auto size = queue_[b].end;
      queue_[b].begin = queue_[b].end = used;
      used += size;
    }
    for (auto e = begin_[t]; e < end_[t]; ++e) {
      const auto& info = info_[e];
      if ((info.effect & Effect::writes) == 0) continue;
      order_[queue_[info.buffer].end++] = e;
      of_location_[info.location] = none;
    }
  }
  first_buffer_.push_back(static_cast<std::uint32_t>(queue_.size()));
}

bool Prefix::can_write(EventId write) const {
  const auto& info = info_[write];
  // The read of a read-modify-write comes first and lets go of what it reads.
  const std::uint32_t own = (info.effect & Effect::reads) != 0 ? 1 : 0;
  if (held_[info.location] != own) return false;
  // A read of another thread that wants this write must not find one of its own thread in the buffer. The
  // thread's writes to the location reach memory in program order, so its last read speaks for all.
  for (auto read = info.first_late_reader; read != no_event; read = info_[read].next_late_reader) {
    if (!done(info_[read].own_before)) return false;
  }
  if (has_final_writes_ && final_[info.location] == write && unwritten_[info.location] != 1) return false;
  return info.barrier == 0 || past_barrier(info);
}

bool Prefix::past_barrier(const Info& info) const {
  for (auto b = first_buffer_[info.thread]; b < first_buffer_[info.thread + 1]; ++b) {
    const auto write = oldest(b);
    if (write != no_event && write < info.barrier) return false;
  }
  return true;
}

void Prefix::write_memory(EventId write) {
  auto& info = info_[write];
  info.in_memory = true;
  held_[info.location] += info.readers;
  --unwritten_[info.location];
  overwritten_.push_back(memory_[info.location]);
  memory_[info.location] = write;
  ++queue_[info.buffer].flushed;
}

void Prefix::unwrite_memory(EventId write) {
  auto& info = info_[write];
  info.in_memory = false;
  held_[info.location] -= info.readers;
  ++unwritten_[info.location];
  memory_[info.location] = overwritten_.back();
  overwritten_.pop_back();
  --queue_[info.buffer].flushed;
}

void Prefix::step(ThreadId thread) {
  const auto event = position_[thread]++;
  const auto& info = info_[event];
  if ((info.effect & Effect::reads) != 0) {
    --info_[info.source].readers;
    if (done(info.source)) --held_[info.location];
  }
  if ((info.effect & Effect::writes) != 0) ++queue_[info.buffer].entered;
  if ((info.effect & Effect::direct) != 0) {
    write_memory(event);
  } else if ((info.effect & Effect::writes) != 0) {
    ++pending_[thread];
  }
  trail_.push_back({event, false});
  if (before_ != nullptr) mark(2 * event, true);
}

void Prefix::flush(std::uint32_t buffer) {
  const auto write = oldest(buffer);
  write_memory(write);
  --pending_[queue_[buffer].thread];
  trail_.push_back({write, true});
  if (before_ != nullptr) mark(2 * write + 1, true);
}

void Prefix::undo_to(std::size_t length) {
  while (trail_.size() > length) {
    const auto [event, flush] = trail_.back();
    trail_.pop_back();
    const auto& info = info_[event];
    if (before_ != nullptr) mark(2 * event + (flush ? 1 : 0), false);
    if (flush) {
      unwrite_memory(event);
      ++pending_[info.thread];
      continue;
    }
    --position_[info.thread];
    if ((info.effect & Effect::writes) != 0) --queue_[info.buffer].entered;
    if ((info.effect & Effect::direct) != 0) {
      unwrite_memory(event);
    } else if ((info.effect & Effect::writes) != 0) {
      --pending_[info.thread];
    }
    if ((info.effect & Effect::reads) != 0) {
      ++info_[info.source].readers;
      if (done(info.source)) ++held_[info.location];
    }
  }
}

void Prefix::restrict_to(const std::vector<std::uint64_t>* before, std::size_t words) {
  before_ = before;
  words_ = words;
  nodes_done_.assign(words, 0);
}

bool Prefix::respects_order(std::size_t node) const {
  const auto* const row = before_->data() + node * words_;
  for (std::size_t i = 0; i < words_; ++i) {
    if ((row[i] & ~nodes_done_[i]) != 0) return false;
  }
  return true;
}

void Prefix::mark(std::size_t node, bool done) {
  const auto bit = std::uint64_t{1} << (node % 64);
  if (done) {
    nodes_done_[node / 64] |= bit;
  } else {
    nodes_done_[node / 64] &= ~bit;
  }
}

}  // namespace heddle::consistency
