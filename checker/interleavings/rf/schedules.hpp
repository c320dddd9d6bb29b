// The mutations of one read that `rf` has found realisable and has yet to explore: schedules(pre(r)) of paper 4.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "checker/interleavings/rf/run.hpp"

namespace heddle::checker::rf {

// A new sequence for one read, with a witness. Its prefix, up to the read, is that of the call's sequence.
struct Mutation {
  bool without_read = false;  // the read is not in the new sequence (a lock that another one goes before)
  // Events that may write something else than before, because what they read has changed.
  EventName changed[2] = {initial_write, initial_write};
  std::vector<EventName> tail;  // what follows the prefix that ends with the read
  Schedule witness;
};

// The schedules of one read. They live until the call whose extension has the read has explored all of them. The entries
// share one array of words, and the objects are used again, so that a long search allocates next to nothing;
// what is alive at a time is bounded by the depth of the search, not by the number of classes.
class Schedules {
 public:
  void open(std::uint32_t call, std::uint32_t position) {
    call_ = call;
    position_ = position;
    next_ = 0;
    entries_.clear();
    words_.clear();
    if (!slots_.empty()) slots_.clear();
  }
  [[nodiscard]] std::uint32_t call() const { return call_; }          // the call whose extension has the read
  [[nodiscard]] std::uint32_t position() const { return position_; }  // of the read in that call's sequence
  [[nodiscard]] bool exhausted() const { return next_ == entries_.size(); }

  // Whether there is a mutation with this key, which describes the causal past of the new source.
  [[nodiscard]] bool knows(const std::vector<std::uint32_t>& key) const {
    const auto hash = hash_of(key);
    const auto same = [&](const Entry& entry) {
      return entry.hash == hash && entry.key_length == key.size() &&
             std::equal(key.begin(), key.end(), words_.begin() + static_cast<std::ptrdiff_t>(entry.begin));
    };
    if (slots_.empty()) return std::any_of(entries_.begin(), entries_.end(), same);
    for (auto i = hash & (slots_.size() - 1); slots_[i] != none; i = (i + 1) & (slots_.size() - 1)) {
      if (same(entries_[slots_[i]])) return true;
    }
    return false;
  }
  void add(const std::vector<std::uint32_t>& key, const Mutation& mutation) {
    Entry entry{.hash = hash_of(key), .begin = words_.size()};
    entry.key_length = static_cast<std::uint32_t>(key.size());
    entry.tail_length = static_cast<std::uint32_t>(mutation.tail.size());
    entry.steps = static_cast<std::uint32_t>(mutation.witness.size());
    entry.without_read = mutation.without_read;
    std::copy_n(mutation.changed, 2, entry.changed);
    words_.insert(words_.end(), key.begin(), key.end());
    words_.insert(words_.end(), mutation.tail.begin(), mutation.tail.end());
    const auto used = words_.size();
    words_.resize(used + 4 * mutation.witness.size());
    auto* word = words_.data() + used;
    for (const auto& step : mutation.witness) {
      *word++ = static_cast<std::uint32_t>(step.type) | step.thread << 2;
      if (step.type == StepType::flush) *word++ = step.location;
      if (step.type != StepType::choice) continue;
      *word++ = static_cast<std::uint32_t>(step.value);
      *word++ = static_cast<std::uint32_t>(static_cast<std::uint64_t>(step.value) >> 32);
    }
    words_.resize(static_cast<std::size_t>(word - words_.data()));
    entries_.push_back(entry);
    if (entries_.size() > few) index();
  }
  // The same for the further values of a `choose`, up to below `end`; its step is the witness's last.
  void add_choices(const Mutation& mutation, std::int64_t end) {
    add({}, mutation);
    entries_.back().values_end = end;
    entries_.back().value = mutation.witness.back().value;
  }

  // Notes the key of what the call itself explores, so that no later call proposes it. No other key may be there yet.
  void add_own(const std::vector<std::uint32_t>& key) {
    add(key, {});
    next_ = entries_.size();
  }

  // Takes the next mutation out; its key stays.
  void take(Mutation& mutation) {
    auto& entry = entries_[next_];
    mutation.without_read = entry.without_read;
    std::copy_n(entry.changed, 2, mutation.changed);
    auto word = words_.begin() + static_cast<std::ptrdiff_t>(entry.begin + entry.key_length);
    mutation.tail.assign(word, word + entry.tail_length);
    word += entry.tail_length;
    mutation.witness.resize(entry.steps);
    for (auto& step : mutation.witness) {
      step = {.type = static_cast<StepType>(*word & 3), .thread = *word >> 2};
      ++word;
      if (step.type == StepType::flush) step.location = *word++;
      if (step.type == StepType::choice) {
        step.value = static_cast<std::int64_t>(std::uint64_t{word[0]} | std::uint64_t{word[1]} << 32);
        word += 2;
      }
    }
    if (entry.values_end == no_values) {
      ++next_;
    } else {
      mutation.witness.back().value = entry.value++;
      if (entry.value == entry.values_end) ++next_;
    }
  }

  [[nodiscard]] std::size_t memory_used() const {
    return (words_.capacity() + slots_.capacity()) * sizeof(std::uint32_t) +
           entries_.capacity() * sizeof(Entry);
  }

 private:
  // Up to this many entries are searched one by one, more by hash.
  static constexpr std::size_t few = 12;
  static constexpr std::int64_t no_values = INT64_MIN;
  struct Entry {
    std::uint64_t hash = 0;
    std::size_t begin = 0;  // in `words_`: key, tail, witness
    std::uint32_t key_length = 0, tail_length = 0, steps = 0;
    bool without_read = false;
    EventName changed[2] = {initial_write, initial_write};
    std::int64_t value = 0, values_end = no_values;  // `choose`: the values still to try
  };
  // Puts the newest entry into `slots_`, or all of them into larger ones.
  void index() {
    auto first = entries_.size() - 1;
    if (slots_.size() < 2 * entries_.size()) {
      slots_.assign(std::bit_ceil(4 * entries_.size()), none);
      first = 0;
    }
    for (auto e = first; e < entries_.size(); ++e) {
      auto i = entries_[e].hash & (slots_.size() - 1);
      while (slots_[i] != none) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = static_cast<std::uint32_t>(e);
    }
  }
  static std::uint64_t hash_of(const std::vector<std::uint32_t>& key) {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (const auto word : key) {
      hash = (hash ^ word) * 0xff51afd7ed558ccd;
      hash ^= hash >> 32;
    }
    return hash;
  }

  std::uint32_t call_ = 0, position_ = 0;
  std::size_t next_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> words_;
  std::vector<std::uint32_t> slots_;  // open addressing: entries by hash; empty while there are few
};

}  // namespace heddle::checker::rf
