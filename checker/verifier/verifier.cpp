// How the searches differ from the paper's algorithms 1 and 2, and why that is sound.
//
// Steps that can never hurt are taken at once, without a branch (`saturate`). A step is harmless in a state
// if every run from there is still a run when the step is moved to the front:
//   - stores entering their buffer and fences that may pass: no other thread notices;
//   - reads whose source is in memory, or in the thread's own buffer: until they are done, nothing may
//     overwrite what they see, so they see the same early as late, and done early they only release it;
//   - writes that reach memory when no read that wants them is left, at a location that is not held: later
//     reads of the location have to see a later write anyway. (The paper's spurious writes; they are
//     harmless under SC and TSO, too, once the buffer's order lets them go.) The same holds for a
//     read-modify-write without readers.
// What remains to branch over:
//   - SC and TSO (algorithm 1, line 7): which write that is still wanted reaches memory next. The state is
//     the lower set of memory writes, since thread events are always maximal for it.
//   - PSO (algorithm 2, line 7): which thread event happens next that first needs flushes: a read of another
//     thread's buffered write, or an event that drains. The state is the lower set of thread events and the
//     fence map (line 16).
//     With read-modify-writes the fence map is not enough (section 4.4 says that it is). It presumes that a
//     location is free once the last read that holds it is done, so that what waits in a buffer can reach
//     memory then; but a read-modify-write that is itself read passes the location on without releasing it.
//     Two prefixes with the same thread events and fence map can then differ in whether a store reached
//     memory before the first of a chain of updates, or has to wait for its end. So the state also has how
//     far each buffer of such a location has come.
//   - PSO with store-store fences: an entry after such a fence waits for entries of other locations, so
//     flushing as late as possible, the idea of algorithm 2, loses runs. Here the search is that of SC and
//     TSO, over one buffer per thread and location.
//   - Bounded buffers. That a store enters as soon as there is room is harmless, too: its place in the buffer is
//     taken in any case before its thread does anything else. So under TSO the state is the same. Under PSO a store
//     may need another one to be flushed, and again the search is the one over lower sets of memory writes.
// A write that has to be the last one of its location is executable only when it is the last one left. The
// arguments above still hold: a harmless step that is not that write only brings it nearer.
#include "checker/verifier/verifier.hpp"

#include <algorithm>
#include <bit>

namespace heddle::consistency {

namespace {

// Lower sets after which a search under UseClosure::when_stuck asks the closure.
constexpr std::uint64_t patience = 32;

// Events up to which the closure's matrices stay below 64 MiB; for more the search does without.
constexpr std::size_t largest_closure = 8192;

unsigned bits_for(std::uint64_t largest) { return static_cast<unsigned>(std::bit_width(largest)); }

}  // namespace

bool Verifier::verify(const Instance& instance, Model model, UseClosure closure) {
  return run(instance, model, closure, false);
}

bool Verifier::verify_naive(const Instance& instance, Model model, UseClosure closure) {
  return run(instance, model, closure, true);
}

bool Verifier::run(const Instance& instance, Model model, UseClosure use, bool naive) {
  nodes_ = 0;
  gave_up_ = stopped_ = false;
  if (instance.buffer_bound == 0) model = Model::sc;
  if (instance.events.size() > largest_closure) use = UseClosure::never;
  if (!prefix_.load(instance, model)) return false;
  const bool flushes_late =
      model == Model::pso && !prefix_.has_store_fences() && instance.buffer_bound == Instance::unbounded;
  const auto kind = naive          ? Search::naive
                    : flushes_late ? Search::by_thread_events
                                   : Search::by_memory_writes;
  progress_bits_.clear();
  buffer_bits_.clear();
  last_drain_.clear();
  any_drain_ = false;
  for (ThreadId t = 0; t < instance.threads(); ++t) {
    progress_bits_.push_back(bits_for(instance.first[t + 1] - instance.first[t]));
    EventId last = no_event;
    if (kind == Search::by_thread_events) {
      for (auto e = instance.first[t]; e < instance.first[t + 1]; ++e) {
        if (prefix_.drains(e)) last = e;
      }
    }
    last_drain_.push_back(last);
    any_drain_ = any_drain_ || last != no_event;
  }
  for (std::uint32_t b = 0; b < prefix_.buffers(); ++b) buffer_bits_.push_back(bits_for(prefix_.capacity(b)));

  updated_buffers_.clear();
  if (kind == Search::by_thread_events) find_updated_buffers(instance);

  auto answer = Answer::gave_up;
  if (use != UseClosure::first) {
    answer = search(kind, use == UseClosure::never ? most_nodes_ : std::min(patience, most_nodes_));
    if (answer == Answer::gave_up) prefix_.undo_to(0);
  }
  if (answer == Answer::gave_up && use != UseClosure::never) {
    if (!closure_.compute(instance, model, [this] { return stopped_ = stop_ && stop_(); })) {
      gave_up_ = stopped_;
      return false;
    }
    prefix_.restrict_to(&closure_.before(), closure_.words());
    answer = search(kind, most_nodes_);
  }
  gave_up_ = answer == Answer::gave_up;
  return answer == Answer::yes;
}

// Depth-first over the states that `write_key` distinguishes. If the answer is yes, `prefix_` has the
// witness.
Verifier::Answer Verifier::search(Search kind, std::uint64_t limit) {
  frames_.clear();
  bool keyed = false;  // the visited set is in use; a search that never branches twice needs none
  const auto arrive = [&] {
    ++nodes_;
    if (kind != Search::naive) saturate();
    if (prefix_.complete()) return true;
    frames_.push_back({prefix_.trail().size(), 0});
    return false;
  };
  if (arrive()) return Answer::yes;
  const auto choices = prefix_.threads() + prefix_.buffers();
  while (!frames_.empty()) {
    const auto length = frames_.back().length;
    const auto choice = frames_.back().next;
    if (choice == choices) {
      frames_.pop_back();
      if (!frames_.empty()) prefix_.undo_to(frames_.back().length);
      continue;
    }
    if (stopped()) return Answer::gave_up;
    ++frames_.back().next;
    if (!advance(kind, choice)) {
      prefix_.undo_to(length);
      continue;
    }
    if (nodes_ > limit) return Answer::gave_up;
    if (kind != Search::naive) saturate();
    if (!keyed) {
      keyed = true;
      write_key(kind);  // only to learn how long a key is
      visited_.reset(key_.words());
    }
    if (prefix_.complete()) return Answer::yes;
    write_key(kind);
    if (!visited_.insert(key_.data())) {
      prefix_.undo_to(length);
      continue;
    }
    ++nodes_;
    frames_.push_back({prefix_.trail().size(), 0});
  }
  return Answer::no;
}

// Counts a step; true if the search is to give up.
bool Verifier::stopped() {
  if (--until_stop_ == 0) {
    until_stop_ = steps_per_stop;
    stopped_ = stopped_ || (stop_ && stop_());
  }
  return stopped_;
}

// Takes harmless steps until there are none.
void Verifier::saturate() {
  for (bool moved = true; moved;) {
    moved = false;
    for (ThreadId t = 0; t < prefix_.threads(); ++t) {
      while (harmless(t) && !stopped()) {
        prefix_.step(t);
        moved = true;
      }
    }
    for (std::uint32_t b = 0; b < prefix_.buffers(); ++b) {
      while (prefix_.pending(b) && prefix_.readers(prefix_.oldest(b)) == 0 && prefix_.can_flush(b) &&
             !stopped()) {
        prefix_.flush(b);
        moved = true;
      }
    }
  }
}

bool Verifier::harmless(ThreadId thread) const {
  const auto event = prefix_.next(thread);
  return event != no_event && !(prefix_.is_direct(event) && prefix_.readers(event) != 0) &&
         prefix_.can_step(thread);
}

// Makes one choice. False if it is not executable; then some flushes may have to be undone.
bool Verifier::advance(Search kind, std::uint32_t choice) {
  if (choice >= prefix_.threads()) {
    const auto buffer = choice - prefix_.threads();
    if (kind == Search::by_thread_events || !prefix_.can_flush(buffer)) return false;
    prefix_.flush(buffer);
    return true;
  }
  if (kind == Search::by_thread_events) return step_with_flushes(choice);
  if (!prefix_.can_step(choice)) return false;
  prefix_.step(choice);
  return true;
}

// Algorithm 2, lines 9 to 15: the flushes that the event needs, then the event.
bool Verifier::step_with_flushes(ThreadId thread) {
  const auto event = prefix_.next(thread);
  if (event == no_event) return false;
  if (prefix_.drains(event)) {
    for (auto b = prefix_.first_buffer(thread); b < prefix_.first_buffer(thread + 1); ++b) {
      while (prefix_.pending(b)) {
        if (!prefix_.can_flush(b)) return false;
        prefix_.flush(b);
      }
    }
  }
  if (prefix_.reads(event) && !prefix_.source_done(event)) {
    const auto source = prefix_.source(event);
    const auto buffer = prefix_.buffer_of(source);
    if (prefix_.oldest(buffer) != source || !prefix_.can_flush(buffer)) return false;
    prefix_.flush(buffer);
  }
  if (!prefix_.can_step(thread)) return false;
  prefix_.step(thread);
  return true;
}

void Verifier::write_key(Search kind) {
  key_.reset();
  if (kind != Search::by_memory_writes) {
    for (ThreadId t = 0; t < prefix_.threads(); ++t) key_.put(prefix_.progress(t), progress_bits_[t]);
  }
  if (kind != Search::by_thread_events) {
    for (std::uint32_t b = 0; b < prefix_.buffers(); ++b) key_.put(prefix_.flushed(b), buffer_bits_[b]);
    return;
  }
  for (const auto b : updated_buffers_) key_.put(prefix_.flushed(b), buffer_bits_[b]);
  if (any_drain_) put_fence_map();
}

// The buffers of locations that a read-modify-write changes.
void Verifier::find_updated_buffers(const Instance& instance) {
  updated_.assign(instance.locations, false);
  for (const auto& event : instance.events) {
    if (event.effect == Effect::read_modify_write) updated_[event.location] = true;
  }
  for (std::uint32_t b = 0; b < prefix_.buffers(); ++b) {
    if (updated_[prefix_.location_of_buffer(b)]) updated_buffers_.push_back(b);
  }
}

// For every thread that has yet to drain and every other thread: how far the other one must get before that
// is possible, because it still reads what keeps a store of the first one in its buffer.
void Verifier::put_fence_map() {
  const auto threads = prefix_.threads();
  for (ThreadId t = 0; t < threads; ++t) {
    if (last_drain_[t] == no_event) continue;
    fence_map_.assign(threads, 0);
    if (prefix_.next(t) != no_event && prefix_.next(t) <= last_drain_[t]) {
      for (auto b = prefix_.first_buffer(t); b < prefix_.first_buffer(t + 1); ++b) {
        if (!prefix_.pending(b)) continue;
        const auto location = prefix_.location_of_buffer(b);
        if (!prefix_.held(location)) continue;
        prefix_.for_each_holding_read(location, [&](ThreadId reader, EventId index) {
          fence_map_[reader] = std::max(fence_map_[reader], index + 1);
        });
      }
    }
    for (ThreadId other = 0; other < threads; ++other) {
      if (other != t) key_.put(fence_map_[other], progress_bits_[other]);
    }
  }
}

}  // namespace heddle::consistency
