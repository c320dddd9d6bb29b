// The table of visited states. States are compared in full, never by their hashes only.
//
// A state is the memory, the buffered writes and a number per thread for its local state (paper 5, section 3,
// abstract states). The paper finds that number by deltas, since it cannot see a thread's local state; our
// thread blocks are that state, byte by byte, so numbers are given by content: two threads' blocks have one
// number exactly if they are equal. That finds every repetition that the delta scheme finds, and those that
// it misses. With buffers and values numbered, too, a state is a sequence of numbers: tree_table.hpp.
//
// Symmetry: where threads are equal (twins.hpp), the table takes states that a permutation of them turns into each other for
// one. It holds the one in which the threads of each class come in ascending order of their numbers: of the block, of
// the buffers, and of the mutexes that they hold. Threads with equal numbers can be exchanged and change nothing.
//
// Several threads can search together, each with a machine and a table of its own: the tables then share their states.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "checker/search/tree_table.hpp"
#include "checker/search/word_table.hpp"
#include "checker/state/sequence_table.hpp"
#include "checker/state/step.hpp"

namespace heddle::checker {

// What tables of machines of one kind share. Each table has its own numbers for blocks, buffers and large values; the ones
// that are common to all are here, and are looked up here when a table meets one for the first time.
class SharedStates {
 public:
  [[nodiscard]] TreeTable::Shared& trees() { return trees_; }

  // From a table's own numbers to the common ones, for one kind of thing.
  class Translation {
   public:
    // `words()` are those of the thing, which are looked up under the lock at its first time. O(1) but for that.
    template <typename Words>
    [[nodiscard]] std::uint32_t number(SharedStates& states, std::uint32_t own, Words&& words) {
      if (own >= numbers_.size()) numbers_.resize(own + 1, none);
      if (numbers_[own] == none) [[unlikely]] {
        const std::span<const std::uint64_t> known = words();
        const std::lock_guard lock(states.mutex_);
        numbers_[own] = states.things_.insert(known).number;
      }
      return numbers_[own];
    }
    [[nodiscard]] std::size_t memory_used() const { return numbers_.capacity() * sizeof(std::uint32_t); }

   private:
    std::vector<std::uint32_t> numbers_;
  };
  [[nodiscard]] std::size_t memory_used() {
    const std::lock_guard lock(mutex_);
    return trees_.memory_used() + things_.memory_used();
  }

 private:
  TreeTable::Shared trees_;
  std::mutex mutex_;      // of the next one
  SequenceTable things_;  // of all kinds: numbers are compared within one kind only
};

// The states of a machine. Each location, each thread and the buffers of each thread are a part of a state.
template <typename Machine>
class StateTable {
 public:
  using Found = NumberFound;

  StateTable() = default;
  // `twins`: MachineOptions::twins; states are taken for one if a permutation of these turns one into the other.
  // `shared`: null, or what it shares with other tables; that outlives it.
  explicit StateTable(std::span<const std::uint32_t> twins, SharedStates* shared = nullptr)
      : shared_(shared), tree_(shared == nullptr ? TreeTable() : TreeTable(shared->trees())) {
    class_of_.assign(twins.size(), none);
    for (ThreadId t = 0; t < twins.size(); ++t) {
      if (twins[t] == none) continue;
      if (class_of_[twins[t]] == none) {
        class_of_[twins[t]] = static_cast<std::uint32_t>(classes_.size());
        classes_.push_back({twins[t]});
      }
      class_of_[t] = class_of_[twins[t]];
      classes_[class_of_[t]].push_back(t);
    }
  }

  // Whether the machine's state is in the table; if not, it is added. `path` is part of the state: it
  // distinguishes states that are otherwise equal; all states of a table have one, or none has.
  bool known(Machine& machine, std::span<const std::uint64_t> path) { return find(machine, path).known; }
  // The same, with the state's number: states are numbered from 0 in the order in which they come, unless the table
  // shares them. O(size of the state); an unchanged part costs one comparison.
  Found find(Machine& machine, std::span<const std::uint64_t> path) {
    if (!tree_.started()) start(machine, !path.empty());
    tree_.mark();
    for (Location x = 0; x < machine.memory().size(); ++x) set_location(machine, x);
    for (ThreadId t = 0; t < machine.thread_count(); ++t) set_thread(machine, t);
    if (!path.empty()) {
      words_.assign(path.begin(), path.end());
      tree_.set(part_of_path_, number_of_words());
    }
    return tree_.find();
  }

  // For a search that goes from state to state by steps. What a step changes: its thread, with its buffers, and a
  // location, or `none`.
  struct Change {
    ThreadId thread = 0;
    Location location = none;
  };
  // The machine has taken a transition, whose steps made these changes, since the last call of `find`, `find_next`,
  // `go_back` or `step_back`.
  // O(size of the thread + log(size of the state)).
  Found find_next(Machine& machine, std::span<const Change> changes) {
    tree_.mark();
    if (!classes_.empty()) [[unlikely]]
      before_ = {numbers_[changes.back().thread], changes.back().thread};
    set(machine, changes);
    return tree_.find();
  }
  // The machine has undone the step that led to the last call, which was `find_next`. O(log(size of the state)).
  void go_back() {
    tree_.roll_back();
    if (!classes_.empty()) [[unlikely]]
      numbers_[before_.thread] = before_.numbers;
  }
  // The machine has undone a transition. O(as find_next).
  void step_back(Machine& machine, std::span<const Change> changes) {
    set(machine, changes);
    tree_.mark();
  }

  // Of a table that does not share its states.
  [[nodiscard]] std::size_t size() const { return tree_.size(); }
  // Without what it shares.
  [[nodiscard]] std::size_t memory_used() const {
    return tree_.memory_used() + sequences_.memory_used() + large_values_.memory_used() +
           common_blocks_.memory_used() + common_sequences_.memory_used() + common_values_.memory_used();
  }

 private:
  static constexpr std::uint32_t parts_of_thread = Machine::has_buffers ? 2 : 1;

  // Neighbours in the tree should be parts that depend on each other: few pairs of them occur then. An element of
  // an array often has to do with the thread of the same index. So arrays are spread over the threads.
  void start(Machine& machine, bool has_path) {
    for (Location x = 0; x < machine.memory().size() && !classes_.empty(); ++x) {
      if (machine.image().locations[x].is_mutex) mutexes_.push_back(x);
    }
    numbers_.resize(machine.thread_count());
    // (A class is sorted with the numbers of all its members.)
    for (ThreadId t = 0; t < machine.thread_count() && !classes_.empty(); ++t)
      numbers_[t] = numbers_of(machine, t);
    struct Place {
      double at = 0;  // from 0, the first thread, to 1
      std::uint32_t part = 0;
    };
    std::vector<Place> order;
    const auto spread = [&](std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        order.push_back({(static_cast<double>(i) + 0.5) / static_cast<double>(count),
                         static_cast<std::uint32_t>(order.size())});
    };
    const auto& locations = machine.image().locations;
    const auto array = [&](std::size_t x) {
      return std::string_view(locations[x].name).substr(0, locations[x].name.find('['));
    };
    for (std::size_t first = 0, end = 0; first < locations.size(); first = end) {
      while (end < locations.size() && array(end) == array(first)) ++end;
      spread(end - first);
    }
    spread(machine.thread_count());
    std::stable_sort(order.begin(), order.end(), [](const Place& a, const Place& b) { return a.at < b.at; });
    part_.resize(order.size());
    std::uint32_t next = 0;
    for (const Place& place : order) {
      part_[place.part] = next;
      next += place.part < locations.size() ? 1 : parts_of_thread;
    }
    tree_.start(next + has_path);
    part_of_path_ = next;
  }
  void set(Machine& machine, std::span<const Change> changes) {
    for (const Change& change : changes) {
      if (change.location != none) set_location(machine, change.location);
    }
    set_thread(machine, changes.back().thread);
  }
  void set_location(const Machine& machine, Location location) {
    tree_.set(part_[location], number_of_value(machine.memory()[location]));
  }
  void set_thread(Machine& machine, ThreadId thread) {
    const Numbers numbers = numbers_of(machine, thread);
    if (!classes_.empty()) [[unlikely]] {
      numbers_[thread] = numbers;
      if (class_of_[thread] != none) return set_class(machine, classes_[class_of_[thread]]);
    }
    set_place(machine, thread, numbers);
  }
  struct Numbers {
    std::uint32_t block = 0;
    std::uint32_t buffers = 0;
  };
  [[nodiscard]] Numbers numbers_of(Machine& machine, ThreadId thread) {
    Numbers result{.block = machine.block_number(thread)};
    if (shared_ != nullptr) [[unlikely]] {
      result.block = common_blocks_.number(*shared_, result.block, [&] {
        words_.resize(machine.threads().size(thread) / sizeof(std::uint64_t));
        std::memcpy(words_.data(), machine.threads().block(thread), machine.threads().size(thread));
        return std::span<const std::uint64_t>(words_);
      });
    }
    if constexpr (Machine::has_buffers) {
      words_.clear();
      add_buffers(machine, thread);
      result.buffers = number_of_words();
    }
    return result;
  }
  void set_place(const Machine& machine, ThreadId place, const Numbers& numbers) {
    const std::uint32_t part = part_[machine.memory().size() + place];
    tree_.set(part, numbers.block);
    if constexpr (Machine::has_buffers) tree_.set(part + 1, numbers.buffers);
  }

  // Sorts the threads of a class into their places. O(n log(n) m) for n threads and m mutexes.
  void set_class(Machine& machine, const std::vector<ThreadId>& threads) {
    members_.clear();
    for (const ThreadId t : threads) members_.push_back({numbers_[t], t});
    const auto holds_more = [&](ThreadId a, ThreadId b) {
      const auto differs = std::find_if(mutexes_.begin(), mutexes_.end(), [&](Location x) {
        return (machine.memory()[x] == Machine::holder(a)) != (machine.memory()[x] == Machine::holder(b));
      });
      return differs != mutexes_.end() && machine.memory()[*differs] == Machine::holder(a);
    };
    std::sort(members_.begin(), members_.end(), [&](const Member& a, const Member& b) {
      if (a.numbers.block != b.numbers.block) return a.numbers.block < b.numbers.block;
      if (a.numbers.buffers != b.numbers.buffers) return a.numbers.buffers < b.numbers.buffers;
      return holds_more(a.thread, b.thread);
    });
    for (std::size_t i = 0; i < threads.size(); ++i) {
      set_place(machine, threads[i], members_[i].numbers);
      for (const Location x : mutexes_) {
        if (machine.memory()[x] == Machine::holder(members_[i].thread))
          tree_.set(part_[x], number_of_value(Machine::holder(threads[i])));
      }
    }
  }

  // Small values stand for themselves.
  [[nodiscard]] std::uint32_t number_of_value(std::int64_t value) {
    constexpr std::uint64_t half = std::uint64_t{1} << 30;
    const std::uint64_t moved = static_cast<std::uint64_t>(value) + half;
    if (moved < 2 * half) [[likely]]
      return static_cast<std::uint32_t>(moved);
    std::uint32_t number = large_values_.insert(static_cast<std::uint64_t>(value)).number;
    if (shared_ != nullptr)
      number = common_values_.number(*shared_, number, [word = static_cast<std::uint64_t>(value)] {
        return std::span<const std::uint64_t>(&word, 1);
      });
    if (number >= 2 * half - 1) throw std::bad_alloc();
    return static_cast<std::uint32_t>(2 * half) + number;
  }
  // Of `words_`; 0 if there are none.
  [[nodiscard]] std::uint32_t number_of_words() {
    if (words_.empty()) return 0;
    const std::uint32_t number = sequences_.insert(words_).number;
    if (shared_ == nullptr) [[likely]]
      return 1 + number;
    return 1 +
           common_sequences_.number(*shared_, number, [&] { return std::span<const std::uint64_t>(words_); });
  }

  // Into `words_`. Per buffer: the location of its oldest entry, which tells it from the thread's others, and how many
  // entries, then each. Of a store-store barrier only what it still orders matters. Nothing if that is all empty.
  void add_buffers(const Machine& machine, ThreadId thread) {
    const auto& model = machine.model();
    for (const auto index : model.owned(thread)) {
      const auto& buffer = model.of_process(machine.thread_count() + index);
      if (buffer.empty()) continue;
      words_.push_back((std::uint64_t{buffer.writes[buffer.head].location} << 32) | buffer.size());
      for (auto i = buffer.head; i < buffer.writes.size(); ++i) {
        const auto& write = buffer.writes[i];
        words_.push_back(write.location);
        words_.push_back(static_cast<std::uint64_t>(write.value));
        words_.push_back(model.flushed_before(write, thread));
      }
    }
    if (!words_.empty()) words_.push_back(model.flushed_before_next(thread));
  }

  SharedStates* shared_ = nullptr;
  SharedStates::Translation common_blocks_, common_sequences_, common_values_;
  TreeTable tree_;
  SequenceTable sequences_;  // buffers, paths
  WordTable large_values_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> part_;  // by location, then by thread
  std::uint32_t part_of_path_ = 0;
  std::vector<std::vector<ThreadId>> classes_;  // of equal threads
  std::vector<std::uint32_t> class_of_;         // by thread, or `none`; empty if there are none
  std::vector<Location> mutexes_;               // if there are classes
  struct Member {
    Numbers numbers;
    ThreadId thread = 0;
  };
  std::vector<Member> members_;   // scratch
  std::vector<Numbers> numbers_;  // by thread, if there are classes
  Member before_;                 // what find_next changed of them
};

}  // namespace heddle::checker
