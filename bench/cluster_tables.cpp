// How well a search over a cluster uses its workers, as tables for docs/benchmarks.md: a simulation of the policy of
// cli/cluster (exchange.lua, work.cpp), event by event, with the subtrees of real searches.
//
// A real search is cut into pieces of some milliseconds by the interface that workers use (heddle/job.h). What a
// piece leaves are parts in serial order, so the pieces make a tree, with transitions as the measure of work. A
// simulated search is that tree, in which each piece is again a search of the same shape: as
// irregular as the real one on both levels, and as long as the table says.
//
// A worker takes the shallowest part that waits, renews its lease, learns there how many parts to give away, and commits, after half
// a minute at the latest.
// The server executes one step after the other. What each costs has been measured on this machine before (cluster_costs.hpp), with
// as many leases, and so has what a worker spends on each part besides exploring it. Only the network is assumed. Workers
// are lost at random; others explore what they had when the lease has ended.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <queue>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cluster_costs.hpp"
#include "bench/programs.hpp"
#include "heddle/job.h"

namespace heddle::bench {

namespace {

// -- Recording.

// A piece of the search: its own work in seconds, and the parts that it leaves, in serial order.
struct Piece {
  double work = 0;
  std::uint32_t depth = 0;
  std::vector<std::uint32_t> left = {};
};

struct Recorded {
  std::string name;
  std::vector<Piece> pieces;  // the first is where the search begins
  std::uint64_t executions = 0;
  double seconds = 0;  // of the search by one thread, undivided
  double each = 0;     // that dividing it adds for each piece: the way to it, writing down what is left
  double compile = 0;  // in another process
};

Recorded record(const std::string& file, const Parameters& parameters, const std::string& model) {
  constexpr double piece_seconds = 0.002;
  const Program program = load(file, parameters);
  const auto division =
      Division::of(program, {.model = model, .algorithm = "trust", .symmetry = false, .keep_going = true});
  if (!division) {
    std::cerr << to_text(division.error());
    std::exit(2);
  }
  Recorded recorded;
  recorded.name = label(file, parameters);
  const Measured serial = measure(program, division->options());
  recorded.seconds = serial.cpu_seconds;
  recorded.compile = measure_compilation(*division);
  std::vector<std::pair<double, double>> costs;  // transitions and CPU seconds of each piece
  std::vector<std::pair<SearchPart, std::uint32_t>> open{{Division::whole(), 0}};
  recorded.pieces.emplace_back();
  while (!open.empty()) {
    const auto [part, index] = open.back();
    open.pop_back();
    const double start = cpu_seconds();
    const auto explored = division->explore(part.text, [](const Progress& progress) {
      return progress.seconds < piece_seconds ? 0U : std::numeric_limits<std::uint32_t>::max() - 1;
    });
    if (!explored) {
      std::cerr << to_text(explored.error());
      std::exit(2);
    }
    const Progress found = Division::progress(explored->found);
    recorded.executions += found.executions;
    recorded.pieces[index].work = static_cast<double>(found.transitions);  // seconds below
    costs.emplace_back(recorded.pieces[index].work, cpu_seconds() - start);
    recorded.pieces[index].depth = part.depth;
    for (const SearchPart& left : explored->left) {
      const auto child = static_cast<std::uint32_t>(recorded.pieces.size());
      recorded.pieces[index].left.push_back(child);
      recorded.pieces.emplace_back();
      open.emplace_back(left, child);
    }
  }
  if (recorded.executions != serial.result.counts.executions) {
    std::cerr << recorded.name << ": the pieces do not add up\n";
    std::exit(2);
  }
  double transitions = 0;
  for (const Piece& piece : recorded.pieces) transitions += piece.work;
  // What is no exploring shows best in the pieces with the fewest transitions.
  std::sort(costs.begin(), costs.end());
  costs.resize(std::max<std::size_t>(1, costs.size() / 10));
  for (const auto& [own, spent] : costs) recorded.each += spent - own * recorded.seconds / transitions;
  recorded.each = std::max(0.0, recorded.each / static_cast<double>(costs.size()));
  for (Piece& piece : recorded.pieces) piece.work *= recorded.seconds / transitions;
  return recorded;
}

// -- Simulation. Times are seconds.

struct Costs {
  ServerCosts server;
  double network = 0.5e-3;  // one way; assumed
  double prepare = 0;  // for each part: from the root of the search to it, and to write down what it leaves
  double compile = 0;  // once for each worker
  double most_seconds = 30;  // before a worker commits what it has done
  double lease = 15;
  double life = 3600;   // mean time after which a worker is lost; 0: never
  double absence = 30;  // before another one comes in its place
};

// A piece of the outer tree, or of the inner one in a piece of the outer one.
struct Place {
  std::uint32_t outer = 0;
  std::int32_t inner = -1;  // -1: all of the outer piece and what it leaves
};

// Part of a search: what is left to do, the next thing last.
struct Work {
  std::vector<Place> stack;
  double begun = 0;  // of the piece on top: seconds of its own work that are done
};

class Simulation {
 public:
  Simulation(const Recorded& recorded, double seconds, std::uint32_t workers, const Costs& costs)
      : pieces_(recorded.pieces),
        scale_(seconds / recorded.seconds / recorded.seconds),
        total_(seconds),
        costs_(costs),
        workers_(workers),
        random_(1) {}

  struct Outcome {
    double seconds = 0;
    double efficiency = 0;
    double server = 0;  // its load
    std::uint64_t parts = 0;
    std::uint64_t lost = 0;
  };

  Outcome run() {
    queue_part({.stack = {{0, -1}}}, 0);
    watch();
    for (std::uint32_t i = 0; i < workers_.size(); ++i) {
      schedule(uniform() * 0.1, [this, i, life = workers_[i].life] { ask(i, life); });
      live(i);
    }
    while (open_ > 0) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      event.happen();
    }
    return {.seconds = now_,
            .efficiency = total_ / now_ / static_cast<double>(workers_.size()),
            .server = busy_server_ / now_,
            .parts = parts_,
            .lost = lost_};
  }

 private:
  struct Event {
    double time = 0;
    std::uint64_t number = 0;
    std::function<void()> happen;
    bool operator<(const Event& other) const {
      return time > other.time || (time == other.time && number > other.number);
    }
  };
  struct Worker {
    std::uint64_t life = 0;  // changes when another one takes its place
    std::uint64_t job = 0;   // changes with each part; odd: it has one
    bool idle = false;
    bool compiled = false;
    double taken = 0;
    double since = 0;  // `work` is up to date at this time
    Work original;     // what others explore if it is lost
    Work work;
  };

  void schedule(double time, std::function<void()> happen) {
    events_.push({time, ++number_, std::move(happen)});
  }
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  // The server executes a step that arrives now; `then` happens when the answer is there.
  template <typename Then>
  void step(double cost, Then&& then) {
    schedule(now_ + costs_.network, [this, cost, then = std::forward<Then>(then)] {
      server_free_ = std::max(server_free_, now_) + cost;
      busy_server_ += cost;
      schedule(server_free_, then);  // what the step does
    });
  }

  // The submitter asks how far the search is.
  void watch() {
    step(costs_.server.status, [this] { schedule(now_ + costs_.network + 0.1, [this] { watch(); }); });
  }

  void queue_part(Work work, double depth) {
    ++open_;
    ++parts_;
    waiting_[depth].push_back(std::move(work));
    ++waiting_count_;
  }
  [[nodiscard]] double depth_of(const Place& place) const {
    return pieces_[place.outer].depth +
           (place.inner < 0 ? 0 : 1e3 + pieces_[static_cast<std::size_t>(place.inner)].depth);
  }

  void live(std::uint32_t index) {
    if (costs_.life <= 0) return;
    const double life = -costs_.life * std::log(1 - uniform());
    schedule(now_ + life, [this, index] {
      Worker& worker = workers_[index];
      ++worker.life;
      ++lost_;
      worker.compiled = false;
      if (worker.idle) --idle_;
      worker.idle = false;
      if (worker.job % 2 == 1) {
        ++worker.job;
        schedule(now_ + costs_.lease, [this, work = worker.original] {
          --open_;
          --leases_;
          queue_part(work, work.stack.empty() ? 0 : depth_of(work.stack.back()));
        });
      }
      schedule(now_ + costs_.absence, [this, index, life_now = worker.life] { ask(index, life_now); });
      live(index);
    });
  }

  void ask(std::uint32_t index, std::uint64_t life) {
    if (workers_[index].life != life) return;
    step(waiting_count_ == 0 ? costs_.server.idle_take : costs_.server.take, [this, index, life] {
      Worker& worker = workers_[index];
      if (worker.life != life) return;
      if (waiting_count_ == 0) {
        if (!worker.idle) ++idle_;
        worker.idle = true;
        const double pause = std::clamp(static_cast<double>(idle_) / 20, 10.0, 500.0) / 1000;
        schedule(now_ + costs_.network + pause, [this, index, life] { ask(index, life); });
        return;
      }
      if (worker.idle) --idle_;
      worker.idle = false;
      auto& shallowest = waiting_.begin()->second;
      worker.original = std::move(shallowest.front());
      shallowest.pop_front();
      if (shallowest.empty()) waiting_.erase(waiting_.begin());
      --waiting_count_;
      worker.work = worker.original;
      ++worker.job;
      ++leases_;
      double start = now_ + costs_.network + costs_.server.client + costs_.prepare;
      if (!worker.compiled) start += costs_.compile;
      worker.compiled = true;
      worker.taken = worker.since = start;
      const auto job = worker.job;
      schedule(start + 0.02, [this, index, life, job] { renew(index, life, job); });
      continue_until_done(index, life, job);
    });
  }

  // An event at the end of the work, unless it is divided before.
  void continue_until_done(std::uint32_t index, std::uint64_t life, std::uint64_t job) {
    const Worker& worker = workers_[index];
    const double left = seconds_left(worker.work);
    const bool ends = left <= costs_.most_seconds;
    schedule(worker.since + std::min(left, costs_.most_seconds), [this, index, life, job, ends] {
      Worker& done = workers_[index];
      if (done.life != life || done.job != job) return;
      if (ends) return commit(index, {});
      advance(done.work, now_ - done.since);
      std::vector<Work> rest;
      if (!done.work.stack.empty()) rest.push_back(done.work);
      commit(index, std::move(rest));
    });
  }

  void commit(std::uint32_t index, std::vector<Work> left) {
    Worker& worker = workers_[index];
    ++worker.job;  // even: explores nothing
    const auto life = worker.life;
    const double cost = costs_.server.commit + costs_.server.each_part * static_cast<double>(left.size());
    step(cost, [this, index, life, original = worker.original, left = std::move(left)]() mutable {
      --leases_;
      --open_;
      for (Work& work : left) queue_part(work, depth_of(work.stack.back()));
      if (workers_[index].life == life)
        schedule(now_ + costs_.network, [this, index, life] { ask(index, life); });
    });
  }

  void renew(std::uint32_t index, std::uint64_t life, std::uint64_t job) {
    if (workers_[index].life != life || workers_[index].job != job) return;
    step(costs_.server.renew, [this, index, life, job] {
      if (now_ > promised_until_) promised_ = 0;
      std::int64_t missing =
          static_cast<std::int64_t>(idle_) - static_cast<std::int64_t>(waiting_count_) - promised_;
      missing = std::clamp<std::int64_t>(missing, 0, 32);
      if (missing > 0) {
        promised_ += missing;
        promised_until_ = now_ + 0.1;
      }
      const double next =
          std::min(std::max(0.05, static_cast<double>(leases_) / 10 / 1000), costs_.lease / 4);
      schedule(now_ + costs_.network, [this, index, life, job, missing, next] {
        Worker& worker = workers_[index];
        if (worker.life != life || worker.job != job) return;
        if (missing > 0 && now_ - worker.taken > 0.01 && divide(index, missing)) return;
        schedule(now_ + next, [this, index, life, job] { renew(index, life, job); });
      });
    });
  }

  // Gives away the shallowest parts, and commits. False if there are none.
  bool divide(std::uint32_t index, std::int64_t wanted) {
    Worker& worker = workers_[index];
    advance(worker.work, now_ - worker.since);
    worker.since = now_;
    auto& stack = worker.work.stack;
    std::vector<Work> left;
    std::size_t given = 0;
    while (static_cast<std::int64_t>(given) < wanted && given + 1 < stack.size())
      left.push_back({.stack = {stack[given++]}});
    if (given == 0) return false;
    stack.erase(stack.begin(), stack.begin() + static_cast<std::ptrdiff_t>(given));
    left.push_back(worker.work);
    commit(index, std::move(left));
    return true;
  }

  // Replaces the piece on top by what it leaves.
  void open_top(Work& work) {
    const Place top = work.stack.back();
    work.stack.pop_back();
    work.begun = 0;
    const auto push = [&](const std::vector<std::uint32_t>& left, auto&& place) {
      for (auto child = left.rbegin(); child != left.rend(); ++child) work.stack.push_back(place(*child));
    };
    if (top.inner < 0) {
      push(pieces_[top.outer].left, [](std::uint32_t child) { return Place{child, -1}; });
      work.stack.push_back({top.outer, 0});
    } else {
      push(pieces_[static_cast<std::size_t>(top.inner)].left, [&](std::uint32_t child) {
        return Place{top.outer, static_cast<std::int32_t>(child)};
      });
    }
  }
  // Of the piece alone.
  [[nodiscard]] double own_work(const Place& place) const {
    return place.inner < 0
               ? 0
               : pieces_[place.outer].work * pieces_[static_cast<std::size_t>(place.inner)].work * scale_;
  }

  void advance(Work& work, double seconds) {
    while (!work.stack.empty()) {
      const double rest = own_work(work.stack.back()) - work.begun;
      if (rest > seconds) {
        work.begun += seconds;
        return;
      }
      seconds -= rest;
      open_top(work);
    }
  }

  // With everything that the pieces leave.
  double seconds_left(const Work& work) {
    if (below_.empty()) {
      below_.resize(pieces_.size());
      for (std::size_t i = pieces_.size(); i-- > 0;) {
        below_[i] = pieces_[i].work;
        for (const std::uint32_t child : pieces_[i].left) below_[i] += below_[child];
      }
    }
    double seconds = -work.begun;
    for (const Place& place : work.stack) {
      seconds +=
          (place.inner < 0 ? below_[place.outer] * below_[0]
                           : pieces_[place.outer].work * below_[static_cast<std::size_t>(place.inner)]) *
          scale_;
    }
    return std::max(seconds, 0.0);
  }

  const std::vector<Piece>& pieces_;
  const double scale_;
  const double total_;
  const Costs costs_;
  std::vector<double> below_;
  std::vector<Worker> workers_;
  std::mt19937_64 random_;
  std::priority_queue<Event> events_;
  std::uint64_t number_ = 0;
  double now_ = 0;
  std::map<double, std::deque<Work>> waiting_;  // by depth
  std::size_t waiting_count_ = 0;
  std::uint64_t open_ = 0;
  std::uint64_t parts_ = 0;
  std::uint64_t lost_ = 0;
  std::size_t idle_ = 0;
  std::size_t leases_ = 0;
  std::int64_t promised_ = 0;
  double promised_until_ = 0;
  double server_free_ = 0;
  double busy_server_ = 0;
};

constexpr std::array<std::uint32_t, 5> sizes{2, 16, 128, 1024, 8192};
using ServerTable = std::array<ServerCosts, sizes.size()>;

ServerTable print_costs() {
  fmt::print(
      "Microseconds of the server's CPU time for a step, and of the worker's for a take and a commit:\n\n"
      "| leases | take a part | take, none waits | renew | commit | each part that it leaves | status | "
      "worker |\n"
      "|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  ServerTable table;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const ServerCosts& costs = table[i] = measure_server(sizes[i]);
    constexpr double us = 1e6;
    fmt::print("| {} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} |\n", sizes[i],
               costs.take * us, costs.idle_take * us, costs.renew * us, costs.commit * us,
               costs.each_part * us, costs.status * us, costs.client * us);
    std::cout.flush();
  }
  return table;
}

void print_tables(const Recorded& recorded, const ServerTable& servers) {
  fmt::print(
      "\n{}: {} executions in {:.1f} s, {} pieces, {:.0f} us for each of them, {:.1f} ms to compile\n\n",
      recorded.name, recorded.executions, recorded.seconds, recorded.pieces.size(), recorded.each * 1e6,
      recorded.compile * 1e3);
  fmt::print(
      "| workers | 10 min for each: efficiency | parts | workers lost | server | without losses | "
      "search of 14 h: efficiency | time | server |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::uint32_t workers = sizes[i];
    Costs costs{.server = servers[i], .prepare = recorded.each, .compile = recorded.compile};
    const auto weak = Simulation(recorded, 600.0 * workers, workers, costs).run();
    const auto strong = Simulation(recorded, 50'000, workers, costs).run();
    costs.life = 0;
    const auto lossless = Simulation(recorded, 600.0 * workers, workers, costs).run();
    fmt::print("| {} | {:.2f} | {} | {} | {:.0f} % | {:.2f} | {:.2f} | {:.0f} s | {:.0f} % |\n", workers,
               weak.efficiency, weak.parts, weak.lost, weak.server * 100, lossless.efficiency,
               strong.efficiency, strong.seconds, strong.server * 100);
    std::cout.flush();
  }
}

}  // namespace

}  // namespace heddle::bench

int main() {
  using namespace heddle::bench;
  const auto servers = print_costs();
  print_tables(record("tests/programs/reference/n-writers.hed", {{"N", 9}}, "sc"), servers);
  print_tables(record("tests/programs/reference/casw.hed", {{"N", 7}}, "sc"), servers);
  print_tables(record("examples/lost_update.hed", {{"N", 7}}, "sc"), servers);
}
