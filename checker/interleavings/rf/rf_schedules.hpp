// The schedules of `rf`: for one read, the changes of its source that have been found realisable but not yet
// explored, each with a witness (paper 4, algorithm 3: schedules(pre(r))).
//
// A set lives from the call whose extension has the read until the call has explored all of it. Its entries
// share one array of words, and sets are used again, so that a long search allocates next to nothing; what is
// alive at a time is bounded by the depth of the search, not by the number of classes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "checker/interleavings/rf/rf_run.hpp"
#include "checker/state/rows.hpp"

namespace heddle::checker::rf {

// One change, as the caller reads it out of a set.
struct Schedule {
  bool without_read = false;  // the read is not in the new sequence (a lock that another one goes before)
  // Events whose write is another one than before, because what they read is.
  Ref changed[2] = {initial_write, initial_write};
  std::vector<Ref> tail;  // what follows the prefix that ends with the read
  checker::Schedule witness;
};

class ScheduleSet {
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

  // The key says which causal past the new source has. True if an entry, realisable or not, has it already.
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
  void add(const std::vector<std::uint32_t>& key, const Schedule& schedule) {
    Entry entry{.hash = hash_of(key), .begin = words_.size()};
    entry.key_length = static_cast<std::uint32_t>(key.size());
    entry.tail_length = static_cast<std::uint32_t>(schedule.tail.size());
    entry.steps = static_cast<std::uint32_t>(schedule.witness.size());
    entry.without_read = schedule.without_read;
    std::copy_n(schedule.changed, 2, entry.changed);
    words_.insert(words_.end(), key.begin(), key.end());
    words_.insert(words_.end(), schedule.tail.begin(), schedule.tail.end());
    const auto used = words_.size();
    words_.resize(used + 4 * schedule.witness.size());
    auto* word = words_.data() + used;
    for (const auto& step : schedule.witness) {
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
  // The same for all further values of a `choose`, whose step is the witness's last: up to below `end`.
  void add_choices(const Schedule& schedule, std::int64_t end) {
    add({}, schedule);
    entries_.back().values_end = end;
    entries_.back().value = schedule.witness.back().value;
  }

  // Takes the next entry out; its key stays.
  void take(Schedule& schedule) {
    auto& entry = entries_[next_];
    schedule.without_read = entry.without_read;
    std::copy_n(entry.changed, 2, schedule.changed);
    auto word = words_.begin() + static_cast<std::ptrdiff_t>(entry.begin + entry.key_length);
    schedule.tail.assign(word, word + entry.tail_length);
    word += entry.tail_length;
    schedule.witness.resize(entry.steps);
    for (auto& step : schedule.witness) {
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
      schedule.witness.back().value = entry.value++;
      if (entry.value == entry.values_end) ++next_;
    }
  }

  [[nodiscard]] std::size_t memory_used() const {
    return (words_.capacity() + slots_.capacity()) * sizeof(std::uint32_t) +
           entries_.capacity() * sizeof(Entry);
  }

 private:
  // Up to so many entries are found by looking at all of them, more by their hashes.
  static constexpr std::size_t few = 12;
  static constexpr std::int64_t no_values = INT64_MIN;
  struct Entry {
    std::uint64_t hash = 0;
    std::size_t begin = 0;  // in `words_`: key, tail, witness
    std::uint32_t key_length = 0, tail_length = 0, steps = 0;
    bool without_read = false;
    Ref changed[2] = {initial_write, initial_write};
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
