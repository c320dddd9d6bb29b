// The tables of visited states against std::set and std::map.
#include "checker/search/state_table.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "checker/search/shared_word_table.hpp"
#include "checker/search/tree_table.hpp"
#include "checker/search/word_table.hpp"
#include "checker/state/sequence_table.hpp"
#include "random_runs.hpp"

namespace heddle::differential {

namespace {

using namespace heddle::checker;  // NOLINT
using Words = std::vector<std::uint64_t>;

// All that decides what a machine can do next. Of a barrier: which buffered stores it puts before which.
template <Interleaving Machine>
Words state_of(Machine& machine) {
  Words words;
  for (const auto value : machine.memory()) words.push_back(static_cast<std::uint64_t>(value));
  for (ThreadId t = 0; t < machine.thread_count(); ++t) {
    const auto* const block = machine.threads().block(t);
    for (std::size_t i = 0; i < machine.threads().size(t); ++i)
      words.push_back(std::to_integer<std::uint64_t>(block[i]));
    if constexpr (Machine::has_buffers) {
      auto& model = machine.model();
      std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> pending;  // sequence: buffer, place
      for (const auto index : model.owned(t)) {
        const auto& buffer = model.buffer(index);
        for (auto i = buffer.head; i < buffer.writes.size(); ++i)
          pending[buffer.writes[i].sequence] = {index, i - buffer.head};
      }
      const auto add_before = [&](std::uint32_t barrier) {
        std::set<std::pair<std::uint64_t, std::uint64_t>> first;
        for (const auto& [sequence, place] : pending) {
          if (sequence < barrier) first.insert(place);
        }
        words.push_back(first.size());
        for (const auto& [buffer, place] : first) words.insert(words.end(), {buffer, place});
      };
      for (const auto index : model.owned(t)) {
        const auto& buffer = model.buffer(index);
        if (buffer.empty()) continue;
        words.insert(words.end(), {index, buffer.size()});
        for (auto i = buffer.head; i < buffer.writes.size(); ++i) {
          const auto& write = buffer.writes[i];
          words.insert(words.end(), {write.location, static_cast<std::uint64_t>(write.value)});
          add_before(write.barrier);
        }
      }
      add_before(model.barrier(t));
    }
  }
  return words;
}

}  // namespace

TEST_CASE("a table of sequences numbers them as a map does, also where their hashes collide") {
  std::mt19937_64 random(1);
  SequenceTable table;
  std::map<Words, std::uint32_t> expected;
  const auto insert = [&](const Words& words) {
    const auto [place, inserted] = expected.try_emplace(words, static_cast<std::uint32_t>(expected.size()));
    const auto found = table.insert(words);
    return found.number == place->second && found.known == !inserted;
  };
  std::uint64_t wrong = 0;
  // The table keeps 32 bits of each hash: of 300,000 sequences of one length, ten pairs or so share them.
  for (int i = 0; i < 300'000; ++i) wrong += insert({random()}) ? 0U : 1U;
  // Few different words, so that many sequences come again and one is the beginning of another.
  for (int i = 0; i < 100'000; ++i) {
    Words words(random() % 6);
    for (auto& word : words) word = random() % 7;
    wrong += insert(words) ? 0U : 1U;
  }
  // Longer than a chunk.
  for (int i = 0; i < 20; ++i) wrong += insert(Words(std::size_t{1} << (10 + i % 10), 5)) ? 0U : 1U;
  for (const auto& [words, number] : expected) wrong += table.insert(words).number == number ? 0U : 1U;
  CHECK_EQ(wrong, 0);
  CHECK_EQ(table.size(), expected.size());
  CHECK_GT(table.memory_used(), expected.size() * 2 * sizeof(std::uint64_t));
}

TEST_CASE("a table of words numbers them as a map does") {
  std::mt19937_64 random(2);
  WordTable table;
  std::map<std::uint64_t, std::uint32_t> expected;
  std::uint64_t wrong = 0;
  const auto insert = [&](std::uint64_t word) {
    const auto [place, inserted] = expected.try_emplace(word, static_cast<std::uint32_t>(expected.size()));
    const auto found = table.insert(word);
    wrong += found.number == place->second && found.known == !inserted ? 0U : 1U;
  };
  for (int i = 0; i < 300'000; ++i) {
    insert(random());
    insert(random() % 100'000);
    insert(random() % 1'000 << 32 | random() % 100);
  }
  CHECK_EQ(wrong, 0);
  CHECK_EQ(table.size(), expected.size());
  CHECK_LT(table.memory_used(), expected.size() * 25);
}

TEST_CASE("a table that several threads use gives each word one number") {
  constexpr std::size_t threads = 4;
  constexpr std::uint64_t words = 200'000;
  Gate gate;
  SharedWordTable table(gate);
  std::vector<std::map<std::uint64_t, NumberFound>> found(threads);  // of each thread, at its first look-up
  {
    std::vector<std::jthread> running;
    for (std::size_t t = 0; t < threads; ++t) {
      running.emplace_back([&, t] {
        Gate::Pass& pass = gate.new_pass();
        SharedWordTable::User user;
        std::mt19937_64 random(t);
        for (std::uint64_t i = 0; i < words; ++i) {
          const std::uint64_t word = random() % words;
          gate.enter(pass);
          const NumberFound now = table.insert(word, user, pass);
          Gate::leave(pass);
          const auto [first, is_new] = found[t].emplace(word, now);
          if (!is_new && (!now.known || now.number != first->second.number))
            first->second.number = 0xffffffff;
        }
      });
    }
  }
  std::map<std::uint64_t, std::uint32_t> number_of;
  std::map<std::uint64_t, int> finders;  // threads for which the word was new
  for (const auto& of_thread : found) {
    for (const auto& [word, first] : of_thread) {
      CHECK(first.number != 0xffffffff);
      CHECK(number_of.emplace(word, first.number).first->second == first.number);
      finders[word] += !first.known;
    }
  }
  std::set<std::uint32_t> numbers;
  for (const auto& [word, number] : number_of) {
    numbers.insert(number);
    CHECK(finders[word] == 1);
  }
  CHECK(numbers.size() == number_of.size());
}

TEST_CASE("a table of trees numbers sequences as a map does, also after it went back") {
  std::mt19937_64 random(3);
  for (std::size_t length = 1; length <= 20; ++length) {
    TreeTable table;
    table.start(length);
    std::map<std::vector<std::uint32_t>, std::uint32_t> expected;
    std::vector<std::uint32_t> parts(length, 0);
    for (std::size_t i = 0; i < length; ++i) table.set(i, 0);
    std::uint64_t wrong = 0;
    for (int i = 0; i < 5'000; ++i) {
      const auto before = parts;
      table.mark();
      const auto changes = random() % 3;
      for (std::uint64_t k = 0; k < changes; ++k) {
        const auto part = random() % length;
        parts[part] = static_cast<std::uint32_t>(random() % 4);
        table.set(part, parts[part]);
      }
      // Sometimes the number is not needed before the next change.
      if (random() % 4 == 0) continue;
      const auto [place, inserted] = expected.try_emplace(parts, static_cast<std::uint32_t>(expected.size()));
      const auto found = table.find();
      wrong += found.number == place->second && found.known == !inserted ? 0U : 1U;
      if (random() % 2 == 0) {
        table.roll_back();
        parts = before;
      }
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(table.size(), expected.size());
  }
}

TEST_CASE("a machine's state is known exactly if it has been met before") {
  std::uint64_t met_again = 0;
  std::uint64_t wrong = 0;
  for_each_random_machine(9'100'000, 400, Buffers::some_bounded,
                          [&]<Interleaving Machine>(Machine& machine, Machine&, auto& random) {
                            StateTable<Machine> table;
                            std::map<Words, std::uint32_t> states;
                            for (int walk = 0; walk < 20; ++walk) {
                              for (auto back = random() % (machine.depth() + 1); back > 0; --back)
                                machine.undo();
                              while (true) {
                                const Words path{random() % 2};
                                auto state = state_of(machine);
                                state.push_back(path.front());
                                const auto [place, inserted] =
                                    states.try_emplace(state, static_cast<std::uint32_t>(states.size()));
                                const auto found = table.find(machine, path);
                                if (found.number != place->second || found.known == inserted) ++wrong;
                                if (!inserted) ++met_again;
                                const auto next = transitions(machine);
                                if (next.empty()) break;
                                REQUIRE(machine.follow(next[random() % next.size()]));
                              }
                            }
                            CHECK_EQ(table.size(), states.size());
                          });
  CHECK_EQ(wrong, 0);
  CHECK_GT(met_again, 10'000);
}

}  // namespace heddle::differential
