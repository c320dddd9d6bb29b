// states: every reachable state once, depth first, with loops run as the program has them.
//
// The program is compiled without bounds of rounds, so that no counter of rounds is part of a state: a loop that
// comes back to where it was comes back to a known state, and the search ends if there are finitely many states.
// All processes are taken in every state, so whatever cycles there are, nothing is put off for ever: a reduction
// that takes only some processes must not leave out the others all the way round a cycle (the ignoring problem;
// Valmari, "Stubborn sets for reduced state space generation", 1989).
//
// One reduction is made, for `choose`: a thread at a `choose` goes first and alone, since no other process can
// notice it. That is an ample set of one process (Peled, "All from one, one for all: on model checking using
// representatives", CAV'93): its transitions are independent of all others and stay enabled whatever the others
// do, and they change nothing that a claim is about: assertions come with the visible step before or after, final
// states come after all choices, and invariants are not judged where a thread has yet to choose. For cycles there
// is a proviso: a state is expanded fully if some choice leads the thread to a `choose` that is not further down in the
// program. So some state of every cycle of the reduced graph is expanded fully. Proof: in a cycle of others all moves
// are choices. None of them brings a thread to a `choose` that was not at one before, so none may take a thread away
// from one: each leads its thread to a `choose` further down. So the sum of the places of all threads that have yet to
// choose grows with each move, and the cycle does not close. (The proviso of Holzmann and Peled, "An improvement in
// formal verification", FORTE'94, looks at the path of the search. This one looks at the state alone, so that several
// threads can search; it costs no state on any program of the project.)
//
// Of states that a permutation of equal threads turns into each other only the first one is explored (state_table.hpp).
// Permutations turn runs into runs, so what is reachable from one of them is, permuted, reachable from the other, and what
// is judged tells equal threads apart nowhere (twins.hpp). The proof above holds in the graph of these classes of states,
// as a permutation leaves the sum as it is. Liveness is judged without it: what is fair to each thread is not what is fair
// to a class.
//
// A thread evaluates what it awaits only where that does not stop it, as in the other algorithms. A thread in the
// middle of a condition stops there; other runs look later. Where liveness is judged, such a thread may give up
// and begin again instead, as a thread that polls would, nothing is reduced, and the graph of all states is kept:
// state_graph.hpp.
//
// A thread makes operations on locations of its own as part of the transition before (sharing.hpp), unless an invariant can
// tell: the states between are not states of the search. As all that is enabled in a state is taken, no cycle leaves
// anything out.
//
// Several threads can search (state_crew.hpp), but not for liveness.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "checker/interleavings/algorithms.hpp"
#include "checker/interleavings/sharing.hpp"
#include "checker/interleavings/states/packed_path.hpp"
#include "checker/interleavings/states/state_crew.hpp"
#include "checker/interleavings/states/state_graph.hpp"
#include "checker/search/state_table.hpp"

namespace heddle::checker {

namespace {

// What grows from state to state, for searches that do not end.
template <typename Machine>
class Growth {
 public:
  explicit Growth(const Image& image) : image_(image) {
    locations_.resize(image.locations.size());
    for (const auto& thread : image.threads) locals_.emplace_back(thread.locals.size());
    seen_.resize(image.threads.size());
  }
  void add(Machine& machine) {
    for (Location x = 0; x < locations_.size(); ++x) add_location(machine, x);
    for (ThreadId t = 0; t < machine.thread_count(); ++t) add_thread(machine, t);
  }
  // After a transition from a state that was added.
  void add(Machine& machine, std::span<const typename StateTable<Machine>::Change> changes) {
    for (const auto& change : changes) {
      if (change.location != none) add_location(machine, change.location);
    }
    add_thread(machine, changes.back().thread);
  }
  [[nodiscard]] std::string describe() const {
    constexpr std::uint32_t long_buffer = 24;
    if (longest_ >= long_buffer)
      return fmt::format("the store buffer of {} grows: up to {} stores; --buffer-bound bounds it",
                         image_.threads[buffering_].name, longest_);
    const Range* widest = nullptr;
    std::string name;
    const auto look = [&](const Range& range, const std::string& of) {
      if (range.low > range.high || (widest != nullptr && range.width() <= widest->width())) return;
      widest = &range;
      name = of;
    };
    for (std::size_t i = 0; i < locations_.size(); ++i) {
      if (!image_.locations[i].is_mutex) look(locations_[i], image_.locations[i].name);
    }
    for (std::size_t t = 0; t < locals_.size(); ++t) {
      for (std::size_t i = 0; i < locals_[t].size(); ++i)
        look(locals_[t][i], image_.threads[t].name + "." + image_.threads[t].locals[i].name);
    }
    if (widest == nullptr || widest->width() == 0) return {};
    return fmt::format("the widest range is that of {}: from {} to {} so far", name, widest->low,
                       widest->high);
  }

 private:
  struct Range {
    std::int64_t low = INT64_MAX, high = INT64_MIN;
    void add(std::int64_t value) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
    [[nodiscard]] std::uint64_t width() const {
      return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    }
  };
  void add_location(const Machine& machine, Location location) {
    locations_[location].add(machine.memory()[location]);
  }
  void add_thread(Machine& machine, ThreadId thread) {
    if (is_new(thread, machine.block_number(thread))) {
      for (std::size_t i = 0; i < locals_[thread].size(); ++i) {
        std::int64_t value = 0;
        std::memcpy(&value, machine.threads().block(thread) + image_.threads[thread].locals[i].offset,
                    sizeof value);
        locals_[thread][i].add(value);
      }
    }
    if constexpr (Machine::has_buffers) {
      for (const auto index : machine.model().owned(thread)) {
        const auto size = machine.model().of_process(machine.thread_count() + index).size();
        if (size <= longest_) continue;
        longest_ = size;
        buffering_ = thread;
      }
    }
  }

  // Threads are in few blocks compared with the number of states.
  [[nodiscard]] bool is_new(ThreadId thread, std::uint32_t block) {
    std::vector<bool>& seen = seen_[thread];
    if (block >= seen.size()) seen.resize(2 * std::size_t{block} + 1);
    if (seen[block]) return false;
    return seen[block] = true;
  }

  const Image& image_;
  std::vector<Range> locations_;
  std::vector<std::vector<Range>> locals_;  // by thread; those that have names
  std::uint32_t longest_ = 0;               // of the store buffers
  ThreadId buffering_ = 0;
  std::vector<std::vector<bool>> seen_;  // by thread and number of its block
};

bool asks_about_endless_runs(const Search& search) {
  return search.options().live || !search.image().temporal.empty();
}

// A thread that was cut off or else one that has assumed what does not hold; of several the first one in the order of the
// program. Site `none`: there was neither.
struct Cut {
  ThreadId thread = 0;
  Op op = Op::assume_failed;
  std::uint32_t site = none;

  void add(const Cut& other) {
    const auto rank = [](const Cut& cut) {
      return std::tuple(cut.site == none, cut.op == Op::assume_failed, cut.site, cut.thread);
    };
    if (rank(other) < rank(*this)) *this = other;
  }
};

// Counts a run that was cut, unless there is one already.
void count_cut(Search& search, const Cut& cut) {
  const bool assumed = cut.op == Op::assume_failed;
  const auto counted = assumed ? search.counts.blocked_assume : search.counts.blocked_loop_bound;
  if (cut.site != none && counted == 0) search.blocked(cut.thread, cut.op, cut.site);
}

template <Interleaving Machine>
class StateSearch {
 public:
  // `member`: of the crew that searches; null: the search is by one thread. `sharing`: that of the machine, or null.
  StateSearch(Machine& machine, Search& search, StateCrew::Member* member, const Sharing* sharing)
      : machine_(machine),
        search_(search),
        member_(member),
        sharing_(sharing),
        table_(asks_about_endless_runs(search) ? std::span<const std::uint32_t>()
                                               : search.machine_options().twins,
               member == nullptr ? nullptr : &member->states()),
        growth_(machine.image()),
        live_(asks_about_endless_runs(search)),
        truths_(machine.image().temporal.size()) {
    machine_.begin_schedules_with([this](Schedule& schedule) {
      for (const Step& step : start_) Machine::add_to(schedule, step);
      past_.for_each_step([&](const Step& step) { Machine::add_to(schedule, step); });
    });
  }
  ~StateSearch() { machine_.begin_schedules_with({}); }
  StateSearch(const StateSearch&) = delete;
  StateSearch& operator=(const StateSearch&) = delete;

  void run() {
    if (member_ == nullptr) {
      begin();
      search();
    } else {
      number_buffers();
      const auto at_start = machine_.forced_flushes();
      flushes_of_others_ = at_start;
      while (auto work = member_->next()) {
        go_to_start();
        if (work->path.parts() == 0) {
          flushes_of_others_ -= at_start;
          begin();
        } else {
          begin(*std::move(work));
        }
        search();
        if (search_.stopped()) break;
      }
    }
    search_.counts.buffer_bound_flushes -= flushes_of_others_;
    search_.note_memory(memory_used());
    if (!search_.stopped_by().empty() || member_ != nullptr) search_.grows = growth_.describe();
    if (member_ == nullptr && !search_.stopped()) count_cut(search_, cut_);
    if (live_ && !search_.stopped()) judge_liveness();
    if (live_ && cut_.op != Op::assume_failed && cut_.site != none && !search_.stopped())
      search_.stop("a thread that was cut off");
  }
  [[nodiscard]] const Cut& cut() const { return cut_; }

 private:
  using Set = typename Machine::Set;
  using Table = StateTable<Machine>;

  // A state on the path, and what is left to take there.
  struct Node {
    StateGraph::State state = 0;  // 0 if a crew searches
    Set choosing = {};
    Set enabled = {};
    Set looking = {};              // threads that may give up and begin again
    std::uint32_t depth = 0;       // in steps
    Set entering = {};             // threads at an `either`, until their alternatives have been found
    std::size_t alternatives = 0;  // from here on alternatives_ are of this node
    Move last{.process = none};    // that was taken
    bool reduced = false;          // only the first thread of `choosing` moves
    bool was_packed = false;       // its sets are to be found again
    bool has_entered = false;      // if so: its alternatives have been found
  };

  // Models number buffers in the order in which threads come to need them. All machines of a crew must number them alike.
  void number_buffers() {
    if constexpr (Machine::has_buffers) {
      for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
        for (Location x = 0; x < machine_.memory().size(); ++x) {
          if (!machine_.image().locations[x].is_mutex) (void)machine_.model().buffer_for(t, x);
        }
      }
    }
  }

  // Operations of threads on locations of their own with which the program begins.
  void take_start() {
    for (ThreadId t = 0; sharing_ != nullptr && t < machine_.thread_count(); ++t) {
      (void)machine_.block_number(t);  // before the first step
      if (machine_.failures().empty() && machine_.is_local(t)) machine_.execute(t);
    }
    start_ = machine_.steps();
    forget_steps(machine_.depth());
  }
  // At the start of the program.
  void begin() {
    take_start();
    growth_.add(machine_);
    arrive(table_.find(machine_, {}), {});
  }
  // At the end of a path that another thread has given away.
  [[gnu::noinline]] void begin(StateCrew::Work&& work) {
    const auto flushes = machine_.forced_flushes();
    take_start();
    growth_.add(machine_);
    past_ = std::move(work.path);
    alternatives_ = std::move(work.alternatives);
    Schedule choice;
    past_.for_each_step([&](const Step& step) {
      if (step.continues()) return;
      choice.clear();
      Machine::add_to(choice, step);
      constexpr std::uint32_t most_steps = 4096;
      if (machine_.depth() >= most_steps) forget_steps(machine_.depth());
      if (!machine_.follow(choice.front()))
        throw std::logic_error("internal error: a path does not lead to its end");
    });
    flushes_of_others_ += machine_.forced_flushes() - flushes;
    forget_steps(machine_.depth());
    unpack();
    undo_to(nodes_.back().depth);
    growth_.add(machine_);
    (void)table_.find(machine_, {});
    reopen(nodes_.back());
  }
  void forget_steps(std::uint32_t count) {
    machine_.forget_first(count);
    past_depth_ += count;
  }
  // From where the last search ended.
  void go_to_start() {
    for (;;) {
      while (machine_.depth() > 0) machine_.undo();
      if (past_.parts() == 0) break;
      steps_.clear();
      past_.pop_steps(steps_);
      machine_.take_back(steps_);
    }
    machine_.take_back(start_);
    start_.clear();
    while (machine_.depth() > 0) machine_.undo();
    past_depth_ = 0;
  }
  // Gives the first half of the path to another thread; nothing if only the newest state is left.
  [[gnu::noinline]] void give() {
    if (past_.own_parts() == 0) {
      if (nodes_.size() < 2) return;
      pack(nodes_.size() / 2);
    }
    StateCrew::Work work{.path = past_.give((past_.own_parts() + 1) / 2)};
    std::size_t alternatives = 0;
    work.path.for_each_place([&](const PackedPath::Place& place) { alternatives += place.alternatives; });
    const auto end = alternatives_.begin() + static_cast<std::ptrdiff_t>(alternatives);
    work.alternatives.assign(alternatives_.begin(), end);
    alternatives_.erase(alternatives_.begin(), end);
    for (Node& node : nodes_) node.alternatives -= alternatives;
    member_->give(std::move(work));
  }

  void search() {
    while (!nodes_.empty() && !search_.stopped()) {
      if (sharing_ != nullptr && sharing_->is_wrong()) [[unlikely]]
        be_wrong();
      if (member_ != nullptr && member_->is_asked()) [[unlikely]]
        give();
      if (const auto move = next_move()) {
        nodes_.back().last = *move;
        take(*move);
        find_changes();
        const auto found = table_.find_next(machine_, changes_);
        if (arrive(found, *move)) {
          growth_.add(machine_, changes_);
          if (nodes_.size() == 2 * newest) pack(newest);
        } else {
          undo_to(nodes_.back().depth);
          table_.go_back();
        }
        continue;
      }
      if (member_ == nullptr) on_path_[nodes_.back().state] = false;
      alternatives_.resize(nodes_.back().alternatives);
      if (nodes_.size() == 1) unpack();
      nodes_.pop_back();
      if (nodes_.empty()) break;
      find_changes();
      undo_to(nodes_.back().depth);
      table_.step_back(machine_, changes_);
      if (nodes_.back().was_packed) reopen(nodes_.back());
    }
    if (sharing_ != nullptr && sharing_->is_wrong() && !search_.stopped()) throw Sharing::Wrong();
  }
  // The search took a location for one of a thread alone that is not. Before it begins again it searches for as long as
  // it has searched until now: mostly that tells it of others, too.
  [[gnu::noinline]] void be_wrong() {
    constexpr std::uint64_t least = 1000;
    const auto now = search_.counts.transitions;
    if (wrong_since_ == 0) wrong_since_ = now;
    if (member_ != nullptr || now >= 2 * wrong_since_ + least) throw Sharing::Wrong();
  }

  std::optional<Move> next_move() {
    for (Node& node = nodes_.back();;) {
      if (!node.choosing.empty()) {
        const ThreadId thread = node.choosing.first();
        const auto& m = machine_.threads().mailbox(thread);
        const bool progresses = live_ && machine_.image().sites[m.site].is_progress;
        const auto kind = progresses ? MoveKind::progress : MoveKind::choice;
        const std::int64_t value = node.last.process == thread ? node.last.value + 1 : m.value;
        if (value < m.expected) return Move{.process = thread, .kind = kind, .value = value};
        node.choosing.erase(thread);
        if (node.reduced) return std::nullopt;
        continue;
      }
      if (!node.enabled.empty()) {
        const ProcessId process = node.enabled.first();
        node.enabled.erase(process);
        return Move{.process = process, .kind = MoveKind::transition};
      }
      if (!node.entering.empty()) find_alternatives(node);
      if (alternatives_.size() > node.alternatives) {
        const Move move = alternatives_.back();
        alternatives_.pop_back();
        return move;
      }
      if (node.looking.empty()) return std::nullopt;
      const ProcessId thread = node.looking.first();
      node.looking.erase(thread);
      const bool has_failed = machine_.threads().mailbox(thread).op == Op::await_failed;
      return Move{.process = thread, .kind = has_failed ? MoveKind::begin_again : MoveKind::look_again};
    }
  }

  void take(const Move& move) {
    switch (move.kind) {
      case MoveKind::transition: machine_.execute(move.process); break;
      case MoveKind::choice:
      case MoveKind::progress: machine_.choose(move.process, move.value); break;
      case MoveKind::alternative:
        choose_alternative(move.process, move.value);
        if (machine_.threads().mailbox(move.process).in_either == InEither::inside)
          machine_.execute(move.process);
        break;
      case MoveKind::look_again: machine_.execute(move.process); [[fallthrough]];
      case MoveKind::begin_again: machine_.retry(move.process, compiler::choose_again); break;
    }
    search_.transition(depth(), [&] { return memory_used(); });
  }
  [[nodiscard]] std::uint32_t depth() const { return past_depth_ + machine_.depth(); }
  void undo_to(std::uint32_t to) {
    while (depth() > to) machine_.undo();
  }

  // Moves the oldest places of the path, which are not all, and their steps to `past_`.
  [[gnu::noinline]] void pack(std::size_t count) {
    places_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const Node& node = nodes_[i];
      places_.push_back(
          {.state = node.state,
           .steps = nodes_[i + 1].depth - node.depth,
           .alternatives = static_cast<std::uint32_t>(nodes_[i + 1].alternatives - node.alternatives),
           .last = node.last.kind,
           .reduced = node.reduced,
           .has_entered = node.was_packed ? node.has_entered : node.entering.empty()});
    }
    const auto steps = nodes_[count].depth - past_depth_;
    past_.push(places_, std::span(machine_.steps()).first(steps));
    forget_steps(steps);
    nodes_.erase(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  // Brings the newest of them back.
  [[gnu::noinline]] void unpack() {
    if (past_.own_parts() == 0) return;
    places_.clear();
    steps_.clear();
    past_.pop(places_, steps_);
    past_depth_ -= static_cast<std::uint32_t>(steps_.size());
    std::vector<Node> nodes;
    auto alternatives = nodes_.empty() ? alternatives_.size() : nodes_.front().alternatives;
    for (const auto& place : places_) alternatives -= place.alternatives;
    std::uint32_t at = 0;
    for (const auto& place : places_) {
      const Step& step = steps_[at];
      nodes.push_back({.state = place.state,
                       .depth = past_depth_ + at,
                       .alternatives = alternatives,
                       .last = {.process = step.process, .kind = place.last, .value = step.read},
                       .reduced = place.reduced,
                       .was_packed = true,
                       .has_entered = place.has_entered});
      at += place.steps;
      alternatives += place.alternatives;
    }
    machine_.take_back(steps_);
    nodes_.insert(nodes_.begin(), std::make_move_iterator(nodes.begin()),
                  std::make_move_iterator(nodes.end()));
  }
  // The machine is in the state of the node again, which was packed. What is left there comes after the move that it took
  // last, in the order of next_move().
  void reopen(Node& node) {
    node.was_packed = false;
    node.enabled = machine_.enabled();
    node.choosing = machine_.choosing();
    node.entering = {};
    if (!node.choosing.empty()) separate_entries(node);
    if (node.has_entered) node.entering = {};
    if (live_) node.looking = looking();
    const auto leave_from = [&](Set& set, ProcessId first) {
      const Set all = set;
      all.for_each([&](ProcessId p) {
        if (p < first) set.erase(p);
      });
    };
    switch (node.last.kind) {
      case MoveKind::choice:
      case MoveKind::progress: return leave_from(node.choosing, node.last.process);
      case MoveKind::transition: leave_from(node.enabled, node.last.process + 1); break;
      case MoveKind::alternative: node.enabled = {}; break;
      case MoveKind::look_again:
      case MoveKind::begin_again:
        node.enabled = {};
        leave_from(node.looking, node.last.process + 1);
        break;
    }
    node.choosing = {};
  }

  // Chooses an alternative, by several choices if it begins with another `either`. Its code has their numbers, the first
  // one as the lowest digit. Returns the code of the next one; 0 after the last one.
  std::int64_t choose_alternative(ThreadId thread, std::int64_t code) {
    const auto& m = machine_.threads().mailbox(thread);
    choices_.clear();
    do {
      const std::int64_t count = m.expected - m.value;
      choices_.push_back({code % count, count});
      machine_.choose(thread, m.value + code % count);
      code /= count;
    } while (m.op == Op::choose && m.in_either == InEither::inside);
    while (!choices_.empty() && choices_.back().number + 1 == choices_.back().count) choices_.pop_back();
    std::int64_t next = 0;
    for (std::size_t i = choices_.size(); i-- > 0;) {
      const std::int64_t number = choices_[i].number + (i + 1 == choices_.size() ? 1 : 0);
      if (__builtin_mul_overflow(next, choices_[i].count, &next) ||
          __builtin_add_overflow(next, number, &next)) {
        search_.stop("an 'either' of too many alternatives");
        return 0;
      }
    }
    return next;
  }

  // What the threads at the entry of an `either` can do. They choose an alternative that begins with an `await` only
  // with the first load of that: so they have not chosen before.
  [[gnu::noinline]] void find_alternatives(Node& node) {
    node.entering.for_each([&](ThreadId t) { find_alternatives(t); });
    node.entering = {};
    std::reverse(alternatives_.begin() + static_cast<std::ptrdiff_t>(node.alternatives), alternatives_.end());
  }
  void find_alternatives(ThreadId thread) {
    const Uncounted trial(machine_.image());
    const auto& m = machine_.threads().mailbox(thread);
    const auto before = depth();
    std::int64_t code = 0;
    for (std::uint32_t tried = 0;;) {
      const Move alternative{.process = thread, .kind = MoveKind::alternative, .value = code};
      code = choose_alternative(thread, code);
      const bool waits = m.in_either == InEither::inside;
      // (A load of a plain variable can race, even if it comes too early.)
      for (const Failure& failure : machine_.failures()) {
        if (waits && failure.is_race())
          search_.note(Search::found_by(failure.race), [&] { return machine_.schedule(); });
      }
      if (!waits || machine_.enabled().contains(thread)) alternatives_.push_back(alternative);
      undo_to(before);
      if (code == 0 || search_.stopped()) return;
      if (++tried % 4096 == 0 && !search_.may_go_on(before, [&] { return memory_used(); })) return;
    }
  }

  // Nothing is possible any more. Threads at an `either` first choose: any alternative, as none can be taken.
  void end(const Set& entering) {
    const auto before = depth();
    entering.for_each([&](ThreadId t) { (void)choose_alternative(t, 0); });
    search_.end(machine_);
    undo_to(before);
  }

  // Of the newest move: one step, or two of which the first one only reads, or an atomic block.
  void find_changes() {
    changes_.clear();
    for (auto position = machine_.depth(); position > 0; --position) {
      const Step& step = machine_.step(position - 1);
      changes_.push_back({step.thread, step.access.writes ? step.access.location : none});
      if (!step.continues()) break;
    }
  }

  // Opens the node of the state that was just reached and found in the table. False if the state is known.
  bool arrive(const NumberFound& found, Move move) {
    if (!machine_.failures().empty()) search_.failure(machine_);
    if (live_ && !nodes_.empty()) {
      // The thread is still at the `either` if it has evaluated a part of a guard or begins again.
      if (move.process < machine_.thread_count()) {
        const InEither now = machine_.threads().mailbox(move.process).in_either;
        const bool begins_again = move.kind == MoveKind::look_again || move.kind == MoveKind::begin_again;
        move.waits = now == InEither::inside || (now == InEither::entry && begins_again);
      }
      graph_.add_edge(nodes_.back().state, found.number, move);
    }
    if (move.kind == MoveKind::choice && nodes_.back().reduced) obey_proviso(move.process);
    if (found.known) {
      ++search_.counts.revisits;
      if (member_ == nullptr && on_path_[found.number]) search_.endless = true;
      return false;
    }
    ++search_.counts.states;
    search_.counts.max_depth = std::max<std::uint64_t>(search_.counts.max_depth, depth());
    if (member_ == nullptr) on_path_.push_back(true);
    if (live_) add_to_graph();
    note_cuts();
    Node& node = nodes_.emplace_back();
    node.state = member_ == nullptr ? found.number : 0;
    node.depth = depth();
    node.alternatives = alternatives_.size();
    node.enabled = machine_.enabled();
    node.choosing = machine_.choosing();
    if (!node.choosing.empty()) separate_entries(node);
    if (node.choosing.empty() && node.enabled.empty()) {
      const Set entering = node.entering;
      find_alternatives(node);
      if (alternatives_.size() == node.alternatives) end(entering);
    }
    if (live_) node.looking = looking();
    node.reduced = !live_ && !node.choosing.empty();
    return true;
  }

  // The thread has made a choice from the newest node.
  void obey_proviso(ThreadId thread) {
    const auto& m = machine_.threads().mailbox(thread);
    const bool chooses_again = m.op == Op::choose && m.in_either != InEither::entry;
    const Step& choice = machine_.step(nodes_.back().depth - past_depth_);
    if (chooses_again && m.site <= choice.site) nodes_.back().reduced = false;
  }

  void separate_entries(Node& node) {
    const Set choosing = node.choosing;
    choosing.for_each([&](ThreadId t) {
      if (machine_.threads().mailbox(t).in_either != InEither::entry) return;
      node.choosing.erase(t);
      node.entering.insert(t);
    });
  }

  // The newest step may have cut its thread off, while others run for ever: then no end shows it.
  void note_cuts() {
    if (machine_.depth() > 0) return note_cut(machine_.step(machine_.depth() - 1).thread);
    for (ThreadId t = 0; t < machine_.thread_count(); ++t) note_cut(t);
  }
  void note_cut(ThreadId thread) {
    const auto& m = machine_.threads().mailbox(thread);
    if (m.op == Op::round_limit || m.op == Op::loop_bound || m.op == Op::assume_failed)
      cut_.add({thread, m.op, m.site});
  }

  // Threads that are in the middle of a condition that does not let them continue, or have given up.
  [[nodiscard]] Set looking() {
    Set result;
    if (machine_.in_block() || machine_.broken()) return result;
    for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
      const auto& m = machine_.threads().mailbox(t);
      const bool inside = machine_.awaits(t) && !machine_.enabled().contains(t) && m.op == Op::load &&
                          m.in_await != 0 && m.expected == 0;
      if (inside || m.op == Op::await_failed) result.insert(t);
    }
    return result;
  }

  void add_to_graph() {
    std::uint64_t unfinished = 0;
    std::uint64_t ready = 0;
    bool has_stopped = false;
    for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
      const Op op = machine_.threads().mailbox(t).op;
      const bool in_either = machine_.threads().mailbox(t).in_either != InEither::no;
      if (in_either && machine_.finds_alternative(t)) ready |= std::uint64_t{1} << t;
      has_stopped = has_stopped || op == Op::assume_failed || op == Op::round_limit || op == Op::loop_bound ||
                    is_failure(op);
      if (op != Op::done && !machine_.image().threads[t].is_daemon) unfinished |= std::uint64_t{1} << t;
    }
    graph_.add_state(ready, machine_.in_block());
    unfinished_.push_back(has_stopped ? 0 : unfinished);
    stopped_.push_back(has_stopped);
    // As for invariants, a state in which a thread has yet to choose is not judged: it has neither cause nor goal.
    const bool is_judged = !machine_.has_yet_to_choose();
    const auto holds = [&](auto condition) {
      return condition(machine_.memory().data(), machine_.threads().blocks());
    };
    for (std::size_t i = 0; i < truths_.size(); ++i) {
      const auto& claim = machine_.image().temporal[i];
      truths_[i].cause.push_back(claim.cause == nullptr ? graph_.size() == 1
                                                        : is_judged && holds(claim.cause));
      truths_[i].goal.push_back(is_judged && holds(claim.goal));
    }
  }

  void judge_liveness() {
    graph_.close();
    if (search_.options().live) judge_ends();
    for (std::size_t i = 0; i < truths_.size() && !search_.stopped(); ++i) judge(i);
  }

  // Threads that never end and, if they have a `progress`, do not come to it again and again: first where none does
  // that has one, then where threads without one do not end, then each of those that have one by itself.
  void judge_ends() {
    std::set<std::uint64_t> known;  // the sets of threads
    const auto judge_threads = [&](std::uint64_t asked, std::uint64_t without_progress_of) {
      StateGraph::Question question{.starts = std::vector<bool>(graph_.size(), true),
                                    .inside = {},
                                    .without_progress_of = without_progress_of};
      for (const auto unfinished : unfinished_) question.inside.push_back((unfinished & asked) != 0);
      // A thread that ends has ended in all states of a component.
      const auto starving = [&](const StateGraph::Round& round) {
        const auto result = unfinished_[round.start] & ~round.progresses;
        return (result & asked) != 0 ? result : 0;
      };
      for (const auto& lasso : fair_runs(question, starving)) {
        if (!known.insert(lasso.key).second) continue;
        FoundViolation found{.kind = (lasso.running & ~lasso.key) == 0 ? ViolationKind::livelock
                                                                       : ViolationKind::starvation};
        found.lacks_progress = (lasso.key & graph_.progressing()) != 0;
        note(std::move(found), lasso);
        if (search_.stopped()) return;
      }
    };
    const std::uint64_t progressing = graph_.progressing();
    judge_threads(~std::uint64_t{0}, progressing);
    if (progressing == 0 || search_.stopped()) return;
    judge_threads(~progressing, 0);
    for (ThreadId t = 0; t < machine_.thread_count() && !search_.stopped(); ++t) {
      const std::uint64_t alone = progressing & std::uint64_t{1} << t;
      if (alone != 0) judge_threads(alone, alone);
    }
  }

  void judge(std::size_t claim) {
    StateGraph::Question question{
        .starts = truths_[claim].cause, .inside = truths_[claim].goal, .may_end = true};
    for (StateGraph::State s = 0; s < graph_.size(); ++s)
      question.inside[s] = !question.inside[s] && !stopped_[s];
    const auto runs = fair_runs(question, [](const StateGraph::Round&) -> std::uint64_t { return 1; });
    if (runs.empty()) return;
    note({.kind = ViolationKind::temporal, .site = machine_.image().temporal[claim].site}, runs.front());
  }

  template <typename Key>
  [[nodiscard]] std::vector<StateGraph::Lasso> fair_runs(const StateGraph::Question& question, Key&& key) {
    const auto owner = [&](ProcessId process) -> ThreadId {
      if constexpr (Machine::has_buffers) {
        if (process >= machine_.thread_count()) return machine_.model().of_process(process).thread;
      }
      return process;
    };
    return graph_.fair_runs(question, machine_.process_count(), owner, key);
  }

  // Of threads that do not end, the lasso's key is their set.
  void note(FoundViolation&& found, const StateGraph::Lasso& lasso) {
    const auto start = lasso.stem.begin() + static_cast<std::ptrdiff_t>(lasso.since);
    for (auto move = lasso.stem.begin(); move != start; ++move) take(*move);
    found.since = machine_.schedule().size();
    for (auto move = start; move != lasso.stem.end(); ++move) take(*move);
    if (found.kind != ViolationKind::temporal) {
      for (ThreadId t = 0; t < machine_.thread_count(); ++t) {
        if ((lasso.key >> t & 1) == 0) continue;
        if (found.site == none) found.site = machine_.threads().mailbox(t).site;
        found.waits.push_back(t);
      }
    }
    if (!lasso.cycle.empty()) found.repeats_from = machine_.schedule().size();
    for (const Move& move : lasso.cycle) take(move);
    const Schedule schedule = machine_.schedule();
    while (machine_.depth() > 0) machine_.undo();
    search_.note(std::move(found), [&] { return schedule; });
  }
  [[nodiscard]] std::uint64_t memory_used() const {
    return machine_.memory_used() + table_.memory_used() + graph_.memory_used() + on_path_.capacity() / 8 +
           nodes_.capacity() * sizeof(Node) + past_.memory_used() +
           unfinished_.capacity() * sizeof(std::uint64_t) +
           (stopped_.capacity() + truths_.size() * 2 * stopped_.capacity()) / 8;
  }

  Machine& machine_;
  Search& search_;
  StateCrew::Member* member_;
  const Sharing* sharing_;
  std::uint64_t wrong_since_ = 0;  // transition
  std::vector<Step> start_;  // before the first transition: operations of threads on locations of their own
  std::uint64_t flushes_of_others_ = 0;  // forced flushes of this machine that another thread counts
  Table table_;
  std::vector<bool> on_path_;  // by state; of a search by one thread
  static constexpr std::size_t newest = 128;
  std::vector<Node> nodes_;                // the path from where `past_` ends, never more than twice `newest`
  PackedPath past_;                        // its beginning
  std::uint32_t past_depth_ = 0;           // of that, in steps: those that the machine has forgotten
  std::vector<PackedPath::Place> places_;  // scratch
  std::vector<Step> steps_;                // scratch
  std::vector<Move> alternatives_;         // of threads at an `either`, that are still to be taken
  struct Digit {
    std::int64_t number = 0;
    std::int64_t count = 0;
  };
  std::vector<Digit> choices_;  // scratch
  Growth<Machine> growth_;
  std::vector<typename Table::Change> changes_;  // scratch
  bool live_;                                    // whether anything is claimed about runs that never end
  StateGraph graph_;                             // if so, and in the order of its states:
  std::vector<std::uint64_t> unfinished_;  // threads that should end and are still there; none if `stopped_`
  std::vector<bool> stopped_;              // some thread was cut off or found a violation: nothing is claimed
  struct Truth {
    std::vector<bool> cause;
    std::vector<bool> goal;
  };
  std::vector<Truth> truths_;  // by claim
  Cut cut_;
};

}  // namespace

namespace {

// Of these, one thread knows more: which execution comes first, the limit of executions, what fairness is about.
bool is_for_several_threads(const Search& search) {
  const CheckOptions& options = search.options();
  return options.threads > 1 && !asks_about_endless_runs(search) && !options.max_executions &&
         !options.coverage && !options.witnesses && options.witness_of.empty();
}

using ExploreStates = std::function<void(Search&, StateCrew::Member*)>;

// Explores with several threads, whose `cut` is then known. False if the report needs a search by one thread: for the
// violation that comes first, or to know if some run never ends where all others are blocked.
bool explore_with_crew(Search& search, const ExploreStates& explore, const Cut& cut) {
  StateCrew(search, [&](Search& mine, StateCrew::Member& member) { explore(mine, &member); }).run();
  if (search.stopped()) return true;
  search.grows.clear();
  if (!search.violations().empty()) {
    if (search.options().any_violation && !search.options().keep_going) search.stop({});
    return search.stopped();
  }
  count_cut(search, cut);
  if (search.counts.executions > 0) return true;
  search.endless = blocked_runs(search.counts) == 0;
  return search.endless;
}

void explore_states(Search& search, const MachineOptions& options) {
  Cut cut;
  std::mutex mutex;
  const ExploreStates explore = [&](Search& mine, StateCrew::Member* member) {
    explore_with(mine, options, [&](Interleaving auto& machine) {
      StateSearch states(machine, mine, member, options.sharing);
      states.run();
      const std::lock_guard lock(mutex);
      cut.add(states.cut());
    });
  };
  std::optional<Findings> found;
  if (is_for_several_threads(search)) {
    if (explore_with_crew(search, explore, cut)) return;
    found = search.findings();
    search.restart();
  }
  explore(search, nullptr);
  // The limits may have come before the violation that is known.
  if (found && !search.stopped_by().empty() && search.violations().empty()) search.append(*found);
}

}  // namespace

void run_states(Search& search) {
  auto options = waiting_options(search);
  options.daemons_look_last = false;
  options.assumptions_hold =
      false;  // a thread that has assumed too early is another state, and no run for itself
  // A loop that only stores has no step in it before a buffer is full.
  options.most_stores_in_a_step = 10'000;
  Sharing sharing(search.image());
  if (!asks_about_endless_runs(search)) options.sharing = &sharing;
  try {
    for (std::uint32_t searches = 1;; ++searches) {
      try {
        return explore_states(search, options);
      } catch (const Sharing::Wrong&) {
        // (A program with an array that each search finds shared one element further is not worth it.)
        constexpr std::uint32_t most = 100;
        if (searches == most) options.sharing = nullptr;
        sharing.learn();
        search.restart();
      }
    }
  } catch (const StoresForEver& found) {
    search.stop("unbounded store buffer");
    search.grows = fmt::format("{} stores without end; --buffer-bound bounds its store buffer",
                               search.image().threads[found.thread].name);
  }
}

}  // namespace heddle::checker
