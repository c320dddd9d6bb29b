#include "checker/verifier/prefix.hpp"

#include <algorithm>

namespace heddle::consistency {

namespace {
constexpr EventId any = 0xfffffffe;
}

bool Prefix::load(const Instance& instance, Model model) {
  threads_ = instance.threads();
  events_ = static_cast<EventId>(instance.events.size());
  before_ = nullptr;
  trail_.clear();
  has_store_fences_ = false;
  has_final_writes_ = !instance.final_writes.empty();
  info_.assign(events_ + instance.locations, {});
  begin_.assign(instance.first.begin(), instance.first.end() - 1);
  end_.assign(instance.first.begin() + 1, instance.first.end());
  position_ = begin_;
  pending_.assign(threads_, 0);
  held_.assign(instance.locations, 0);
  unwritten_.assign(instance.locations, 0);
  newest_.assign(instance.locations, initial);
  memory_.resize(instance.locations);
  overwritten_.clear();
  all_ = events_;

  for (LocationId x = 0; x < instance.locations; ++x) {
    auto& info = info_[events_ + x];
    info.in_memory = true;
    memory_[x] = events_ + x;
    info.location = x;
    info.thread = threads_;
  }
  for (ThreadId t = 0; t < threads_; ++t) {
    EventId barrier = 0;
    for (auto e = begin_[t]; e < end_[t]; ++e) {
      const auto& event = instance.events[e];
      auto& info = info_[e];
      info.effect = event.effect;
      // SC has no buffers: nothing to drain, and every write is direct.
      if (model == Model::sc) {
        info.effect &= static_cast<std::uint8_t>(~Effect::drains);
        if ((info.effect & Effect::writes) != 0) info.effect |= Effect::direct;
      }
      info.location = event.location;
      info.thread = t;
      info.barrier = barrier;
      if ((info.effect & Effect::reads) != 0) {
        info.source = event.source == initial ? events_ + event.location : event.source;
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
    for (auto e = begin_[t]; e < end_[t]; ++e) {
      if ((info_[e].effect & Effect::writes) != 0) newest_[info_[e].location] = initial;
    }
  }
  for (EventId e = 0; e < events_; ++e) {
    auto& info = info_[e];
    if ((info.effect & Effect::reads) == 0) continue;
    auto& source = info_[info.source];
    info.local = source.thread == info.thread;
    if (info.local ? info.source != info.own_before : info.source >= events_ && info.own_before != initial)
      return false;
    ++source.readers;
    info.next_reader = source.first_reader;
    source.first_reader = e;
    if (info.source >= events_) ++held_[info.location];
    if (info.local || info.own_before == initial) continue;
    const auto newest = source.first_late_reader;
    const bool same_thread = newest != initial && info_[newest].thread == info.thread;
    info.next_late_reader = same_thread ? info_[newest].next_late_reader : newest;
    source.first_late_reader = e;
  }
  sort_into_buffers(instance, model);
  if (has_final_writes_) {
    final_.assign(instance.locations, any);
    for (const auto& last : instance.final_writes) {
      final_[last.location] = last.write;
      if (last.write == initial && unwritten_[last.location] != 0) return false;
    }
  }
  return true;
}

void Prefix::sort_into_buffers(const Instance& instance, Model model) {
  queue_.clear();
  first_buffer_.clear();
  order_.resize(events_);
  of_location_.assign(instance.locations, initial);
  std::uint32_t used = 0;
  for (ThreadId t = 0; t < threads_; ++t) {
    const auto first = static_cast<std::uint32_t>(queue_.size());
    first_buffer_.push_back(first);
    // One queue per thread, or one per location in the order of their first writes.
    for (auto e = begin_[t]; e < end_[t]; ++e) {
      auto& info = info_[e];
      if ((info.effect & Effect::writes) == 0) continue;
      auto buffer =
          model == Model::pso ? of_location_[info.location] : (queue_.size() == first ? initial : first);
      if (buffer == initial) {
        buffer = static_cast<std::uint32_t>(queue_.size());
        queue_.push_back({t, 0, 0, 0});
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
      of_location_[info.location] = initial;
    }
  }
  first_buffer_.push_back(static_cast<std::uint32_t>(queue_.size()));
}

bool Prefix::can_write(EventId write) const {
  const auto& info = info_[write];
  // The read of a read-modify-write comes first and lets go of what it reads.
  const std::uint32_t own = (info.effect & Effect::reads) != 0 ? 1 : 0;
  if (held_[info.location] != own) return false;
  // A read of another thread that wants this write must not find an own one in its buffer. What the thread
  // has written to the location gets to memory in program order, so the last read speaks for all.
  for (auto read = info.first_late_reader; read != initial; read = info_[read].next_late_reader) {
    if (!done(info_[read].own_before)) return false;
  }
  if (has_final_writes_ && final_[info.location] == write && unwritten_[info.location] != 1) return false;
  return info.barrier == 0 || past_barrier(info);
}

bool Prefix::past_barrier(const Info& info) const {
  for (auto b = first_buffer_[info.thread]; b < first_buffer_[info.thread + 1]; ++b) {
    const auto write = oldest(b);
    if (write != initial && write < info.barrier) return false;
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
