// Several threads that search one space of states.
//
// Each has a machine, a Search and a path of its own; the table of states is common to all (state_table.hpp). A state is
// explored by the thread that finds it first, so each is explored once, and what is counted for each state comes to the
// same sums as in a search by one thread. A thread with nothing left gets the first half of another one's path: what is
// left to take there was found first, and the other thread would come to it last.
//
// The calling thread is one of the crew. It alone calls CheckOptions::progress and watches the limits.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "checker/interleavings/states/packed_path.hpp"
#include "checker/interleavings/states/state_graph.hpp"
#include "checker/search/running.hpp"
#include "checker/search/search.hpp"
#include "checker/search/state_table.hpp"

namespace heddle::checker {

class StateCrew {
 public:
  // A part of a path, with all that is left to take there.
  struct Work {
    PackedPath path;                      // without parts: the search from its start
    std::vector<Move> alternatives = {};  // PackedPath::Place::alternatives of all its places
  };

  // One of the crew, for the thread that explores.
  class Member final : public CrewTask {
   public:
    Member(StateCrew& crew, bool is_caller) : crew_(crew), is_caller_(is_caller) {}
    [[nodiscard]] SharedStates& states() { return crew_.states_; }
    // Waits until there is something to explore. None: there will be nothing.
    [[nodiscard]] std::optional<Work> next() { return crew_.next(is_caller_); }
    // Whether another thread waits for work.
    [[nodiscard]] bool is_asked() const { return crew_.hungry_.load(std::memory_order_relaxed); }
    void give(Work&& work) { crew_.add(std::move(work)); }

    void feed_the_hungry(Search& /*search*/) override {}
    void poll(Search& search, std::uint64_t depth, std::uint64_t memory) override;
    void reach_limit(Search& /*search*/) override {}  // a limit of executions is kept by one thread

   private:
    friend class StateCrew;
    StateCrew& crew_;
    bool is_caller_;
    Running counts_;
  };

  // `explore(search, member)` explores what `member.next()` returns until there is nothing or the search has stopped;
  // called once by each thread. `whole` has options for several threads.
  using Explore = std::function<void(Search&, Member&)>;
  StateCrew(Search& whole, Explore explore);
  // Explores everything and adds what the threads find to the whole search, which stops if a limit has stopped them, but not
  // for a violation. Throws what `explore` throws, except std::bad_alloc, which ends the search.
  void run();

 private:
  void join_in(Member& member);
  std::optional<Work> next(bool by_caller);
  void add(Work&& work);

  // Under the mutex.
  void note_hunger() { hungry_.store(waiting_ > work_.size(), std::memory_order_relaxed); }
  void halt(std::string reason);
  void watch();
  void collect(const Member& member, const Search& search);

  Search& whole_;
  const Explore explore_;
  const CheckOptions options_;
  SharedStates states_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> work_;
  std::list<Member> members_;
  std::size_t waiting_ = 0;  // members
  std::string halted_by_;
  std::exception_ptr error_;
  std::atomic<bool> hungry_{false};
  std::atomic<bool> over_{false};
  bool found_violation_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace heddle::checker
