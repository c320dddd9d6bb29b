// Random programs with endless loops: `states` against a search of all states that shares no code with it but
// the machine, and liveness against another algorithm for fair runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "checker/api/state.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "tests/environment.hpp"
#include "text_writer.hpp"

namespace heddle::differential {

namespace {

class Writer : TextWriter {
 public:
  // `has_loops`: loops that do more than wait.
  explicit Writer(std::uint64_t number, bool has_loops = true) : TextWriter(number), has_loops_(has_loops) {}

  std::string program() {
    std::string text = "shared x: int; shared y: int; mutex m;\n";
    const int threads = 2 + below(2);
    for (int t = 0; t < threads; ++t) {
      const std::string local(1, static_cast<char>('a' + t));
      const bool is_daemon = below(3) == 0;
      if (is_daemon) text += "daemon ";
      text += "thread " + std::string(1, static_cast<char>('p' + t)) + " { var " + local +
              " = 0; var l: int[2]; ";
      const bool loops = has_loops_ && below(3) > 0;
      if (below(3) == 0) text += statement(local);
      if (loops) text += "while " + condition(local) + " { ";
      const int statements = 1 + below(has_loops_ ? 3 : 5);
      for (int i = 0; i < statements; ++i) text += statement(local);
      if (!is_daemon && below(4) == 0) text += below(2) == 0 ? "progress; " : "if x == 1 { progress; } ";
      if (loops) text += "} ";
      text += "}\n";
    }
    return text;
  }
  std::string claims() { return "eventually " + claim() + ";\n" + claim() + " leads to " + claim() + ";\n"; }

 private:
  std::string variable() { return below(2) == 0 ? "y" : "x"; }
  std::string number() { return std::to_string(below(2)); }
  std::string claim() {
    if (below(4) == 0) return "p.a == " + number() + " && p.l[0] == " + number();
    return variable() + " == " + number() + (below(3) > 0 ? " && " + variable() + " == " + number() : "");
  }
  std::string condition(const std::string& local) {
    return below(2) == 0 ? "true" : below(2) == 0 ? local + " != 1" : variable() + " != 1";
  }
  std::string guard() {
    if (below(2) == 0) return "await " + variable() + " == " + number() + "; ";
    return "await x == " + number() + (below(2) == 0 ? " && " : " || ") + "y == " + number() + "; ";
  }
  std::string alternative(const std::string& local) {
    switch (below(6)) {
      case 0: return "{ " + local + " = 1; } ";
      case 1: return "{ " + variable() + " = " + number() + "; } ";
      case 2: return "{ either { " + guard() + "} or { " + guard() + variable() + " = " + number() + "; } } ";
      case 3:
        if (has_loops_) return "{ atomic { " + guard() + variable() + " = " + number() + "; } } ";
        [[fallthrough]];
      default: return "{ " + guard() + variable() + " = " + number() + "; } ";
    }
  }
  std::string statement(const std::string& local) {
    switch (below(has_loops_ ? 19 : 15)) {
      case 0:
      case 1:
      case 2: return variable() + " = " + number() + "; ";
      case 3: return local + " = " + variable() + "; ";
      case 4: return "fetch_xor(" + variable() + ", 1); ";
      case 5:
      case 6: return guard();
      case 7: return "lock m; " + variable() + " = " + number() + "; unlock m; ";
      case 8: return "if cas(" + variable() + ", " + number() + ", " + number() + ") { " + local + " = 1; } ";
      case 9: return "if " + local + " == 1 { return; } ";
      case 10: return local + " = choose(0..2); ";
      case 11: return "if x == 1 && " + local + " == 1 { assert y == 1; } ";
      case 12: return "fence; ";
      case 13: return "either " + alternative(local) + "or " + alternative(local);
      case 14: return "either i in 0..2 { await x == i; y = " + number() + "; } ";
      case 17: return "l[" + local + "] = " + variable() + "; ";
      case 18: return local + " = l[" + (below(2) == 0 ? number() : "1 - " + local) + "]; ";
      case 15: return "atomic { x = " + number() + "; y = choose(0..2); x = " + number() + "; } ";
      default: return "atomic { " + guard() + local + " = choose(0..2); y = " + local + "; } ";
    }
  }
  bool has_loops_;
};

// All states, in a table of their bytes, from a breadth-first search by replaying paths.
struct Graph {
  struct Edge {
    std::size_t to = 0;
    checker::ProcessId process = 0;
    bool progresses = false;
    bool waits = false;  // the thread is still at its `either`
  };
  struct Claim {
    std::vector<bool> cause;  // by state
    std::vector<bool> goal;
  };
  std::vector<std::vector<Edge>> edges;       // by state
  std::vector<bool> in_block;                 // by state: in the middle of an atomic block
  std::vector<std::vector<bool>> unfinished;  // by state and thread that is no daemon
  std::vector<bool> stopped;                  // by state: some thread has failed or was cut off
  std::vector<Claim> claims;
  std::set<std::vector<std::int64_t>> ends;  // memories of complete executions
  std::uint32_t processes = 0;
  bool deadlock = false;
  bool fails = false;
};

template <typename Machine>
std::string bytes_of(Machine& machine) {
  std::string key;
  const auto add = [&](const void* from, std::size_t size) {
    key.append(static_cast<const char*>(from), size);
  };
  add(machine.memory().data(), machine.memory().size() * sizeof(std::int64_t));
  for (checker::ThreadId t = 0; t < machine.thread_count(); ++t)
    add(machine.threads().block(t), machine.threads().size(t));
  if constexpr (Machine::has_buffers) {
    for (checker::ThreadId t = 0; t < machine.thread_count(); ++t) {
      for (checker::Location location = 0; location < machine.memory().size(); ++location) {
        const auto* const buffer = machine.model().find(t, location);
        if (buffer == nullptr) continue;
        for (auto i = buffer->head; i < buffer->writes.size(); ++i) {
          const auto& write = buffer->writes[i];
          if (write.location != location) continue;
          const std::uint64_t entry[] = {t, location, i - buffer->head,
                                         static_cast<std::uint64_t>(write.value)};
          add(entry, sizeof entry);
        }
      }
    }
  }
  return key;
}

std::optional<Graph> all_states(const compiler::Image& image, const checker::Search& search,
                                std::size_t most) {
  Graph graph;
  graph.claims.resize(image.temporal.size());
  bool too_many = false;
  auto options = checker::waiting_options(search);
  options.daemons_look_last = false;
  checker::with_machine(search, options, [&]<typename Machine>(Machine& machine) {
    std::map<std::string, std::size_t> known;
    using Step = std::pair<checker::ProcessId, std::int64_t>;  // a transition, or a choice's value from 1 on
    std::vector<std::vector<Step>> paths;
    const auto take = [&](const Step& step) {
      if (step.second == 0) return machine.execute(step.first);
      if (step.second < 0) {
        if (step.second == -1) machine.execute(step.first);
        return machine.retry(step.first, compiler::choose_again);
      }
      machine.choose(step.first, step.second - 1);
    };
    const auto number = [&](const std::vector<Step>& path) {
      graph.fails = graph.fails || !machine.failures().empty();
      const auto [place, fresh] = known.emplace(bytes_of(machine), paths.size());
      if (!fresh) return place->second;
      paths.push_back(path);
      graph.edges.emplace_back();
      auto& unfinished = graph.unfinished.emplace_back();
      graph.in_block.push_back(machine.in_block());
      bool stopped = false;
      bool judged = true;
      for (checker::ThreadId t = 0; t < machine.thread_count(); ++t) {
        const auto op = machine.threads().mailbox(t).op;
        judged = judged && (op != compiler::Op::choose ||
                            machine.threads().mailbox(t).in_either != compiler::InEither::no);
        unfinished.push_back(op != compiler::Op::done && !image.threads[t].is_daemon);
        stopped = stopped || checker::is_failure(op) || op == compiler::Op::round_limit;
      }
      if (stopped) unfinished.assign(unfinished.size(), false);
      graph.stopped.push_back(stopped);
      for (std::size_t i = 0; i < image.temporal.size(); ++i) {
        const auto& claim = image.temporal[i];
        const auto holds = [&](auto condition) {
          return judged && condition(machine.memory().data(), machine.threads().blocks());
        };
        graph.claims[i].cause.push_back(claim.cause != nullptr ? holds(claim.cause)
                                                               : graph.stopped.size() == 1);
        graph.claims[i].goal.push_back(holds(claim.goal));
      }
      if (machine.enabled().empty() && machine.choosing().empty()) {
        const auto depth = machine.depth();
        machine.evaluate_waits();
        const auto ending = machine.ending();
        if (ending == checker::Ending::complete) graph.ends.insert(machine.memory());
        graph.deadlock = graph.deadlock || ending == checker::Ending::deadlock;
        while (machine.depth() > depth) machine.undo();
      }
      return place->second;
    };
    (void)number({});
    for (std::size_t at = 0; at < paths.size(); ++at) {
      if (paths.size() > most) {
        too_many = true;
        return;
      }
      const auto path = paths[at];
      for (const auto& step : path) take(step);
      std::vector<Step> next;
      machine.choosing().for_each([&](checker::ProcessId t) {
        const auto& m = machine.threads().mailbox(t);
        for (auto value = m.value; value < m.expected; ++value) next.emplace_back(t, value + 1);
      });
      machine.enabled().for_each([&](checker::ProcessId p) { next.emplace_back(p, 0); });
      for (checker::ThreadId t = 0; t < machine.thread_count(); ++t) {
        const auto& m = machine.threads().mailbox(t);
        if (machine.in_block() || machine.broken()) continue;
        if (m.op == compiler::Op::await_failed) next.emplace_back(t, -2);
        bool drained = true;  // (An atomic block does not look before.)
        if constexpr (Machine::has_buffers) drained = m.in_atomic == 0 || machine.model().drained(t);
        const bool inside =
            m.in_either == compiler::InEither::inside || (m.in_atomic == 0 && m.expected == 0);
        if (machine.awaits(t) && !machine.enabled().contains(t) && m.op == compiler::Op::load && inside &&
            drained)
          next.emplace_back(t, -1);
      }
      for (const auto& step : next) {
        const auto depth = machine.depth();
        const bool progresses =
            step.second > 0 && image.sites[machine.threads().mailbox(step.first).site].is_progress;
        take(step);
        auto longer = path;
        longer.push_back(step);
        const std::size_t to = number(longer);
        using compiler::InEither;
        InEither now = InEither::no;
        if (step.first < machine.thread_count()) now = machine.threads().mailbox(step.first).in_either;
        const bool waits = now == InEither::inside || (step.second < 0 && now == InEither::entry);
        graph.edges[at].push_back({to, step.first, progresses, waits});
        while (machine.depth() > depth) machine.undo();
      }
      while (machine.depth() > 0) machine.undo();
    }
    graph.processes = machine.process_count();
  });
  return too_many ? std::nullopt : std::optional(std::move(graph));
}

// Whether the process can take a step; if it is at an `either`, by itself.
bool enabled(const Graph& graph, std::size_t state, checker::ProcessId process) {
  if (graph.in_block[state]) return true;
  std::set<std::size_t> seen{state};
  for (std::vector<std::size_t> queue{state}; !queue.empty();) {
    const auto at = queue.back();
    queue.pop_back();
    for (const auto& edge : graph.edges[at]) {
      if (edge.process != process) continue;
      if (!edge.waits) return true;
      if (seen.insert(edge.to).second) queue.push_back(edge.to);
    }
  }
  return false;
}

// The states from which a fair run stays in `good` without an edge that makes progress for `thread`, by a greatest
// fixpoint (Emerson and Lei, 1986): from these one can reach again and again, for each process, a state in which it is
// disabled or a step of it, without leaving the set. `may_end`: a run that ends there counts, or in which threads only
// wait from some point on.
std::vector<bool> stays(const Graph& graph, std::vector<bool> good, bool may_end,
                        checker::ThreadId thread = checker::none) {
  const std::size_t count = graph.edges.size();
  std::vector<std::vector<bool>> can(graph.processes + 1, std::vector<bool>(count, true));
  for (checker::ProcessId p = 0; p < graph.processes; ++p)
    for (std::size_t s = 0; s < count; ++s) can[p][s] = enabled(graph, s, p);
  const auto steps = [&](const Graph::Edge& edge, checker::ProcessId p) {
    return !edge.waits && (p == graph.processes || edge.process == p);
  };
  for (bool changed = true; changed;) {
    changed = false;
    // (The last one stands for all of them.)
    for (checker::ProcessId p = 0; p < graph.processes + (may_end ? 0 : 1); ++p) {
      // States of the set from which one step inside it reaches, after any number of steps inside it, a state or
      // step that is fair to p.
      std::vector<bool> reaches(count, false);
      for (bool more = true; more;) {
        more = false;
        for (std::size_t s = count; s-- > 0;) {  // (Most edges lead to later states.)
          if (!good[s] || reaches[s]) continue;
          if (graph.edges[s].empty() && may_end) reaches[s] = more = true;
          for (const auto& edge : graph.edges[s]) {
            if (!good[edge.to] || (edge.progresses && edge.process == thread)) continue;
            if (can[p][s] && !steps(edge, p) && !reaches[edge.to]) continue;
            reaches[s] = more = true;
            break;
          }
        }
      }
      for (std::size_t s = 0; s < count; ++s) {
        if (!good[s] || reaches[s]) continue;
        good[s] = false;
        changed = true;
      }
    }
  }
  return good;
}

bool any(const std::vector<bool>& states) {
  return std::find(states.begin(), states.end(), true) != states.end();
}

// Whether in some fair run some thread neither ends nor makes progress again and again.
bool has_fair_endless_run(const Graph& graph) {
  for (checker::ThreadId t = 0; t < graph.unfinished.front().size(); ++t) {
    std::vector<bool> inside;
    for (const auto& unfinished : graph.unfinished) inside.push_back(unfinished[t]);
    if (any(stays(graph, inside, false, t))) return true;
  }
  return false;
}

bool fails(const Graph& graph, const Graph::Claim& claim) {
  std::vector<bool> inside;
  for (std::size_t s = 0; s < graph.edges.size(); ++s) inside.push_back(!claim.goal[s] && !graph.stopped[s]);
  inside = stays(graph, inside, true);
  for (std::size_t s = 0; s < inside.size(); ++s) {
    if (inside[s] && claim.cause[s]) return true;
  }
  return false;
}

Program compiled(const std::string& text) {
  auto program = Program::from_source(text, "endless.hed");
  REQUIRE_MESSAGE(program, text);
  return *program;
}

// Calls `compare(program, image, options, graph)` for each model under which the program has few enough states.
template <typename Compare>
void with_all_states(const std::string& text, std::uint64_t number, Compare&& compare) {
  const Program program = compiled(text);
  for (const char* model : {"sc", "tso", "pso"}) {
    CheckOptions options{.model = model, .algorithm = "states", .keep_going = true, .collect_outcomes = true};
    if (std::string_view(model) != "sc") options.buffer_bound = 1 + static_cast<std::uint32_t>(number % 2);
    const auto image = state_of(program).image(false, Loops::endless);
    const auto graph = all_states(*image, checker::Search(*image, options), 3000);
    if (!graph) continue;
    INFO("program " << number << " under " << model << ":\n" << text);
    compare(program, *image, options, *graph);
  }
}

}  // namespace

TEST_SUITE_BEGIN("endless");

TEST_CASE(
    "states finds the states, ends, deadlocks, violations and unfair ends that a search of all states "
    "finds") {
  const std::size_t programs = 30;
  std::size_t compared = 0;
  std::size_t livelocks = 0;
  std::size_t live = 0;
  std::size_t fewer = 0;
  const auto kinds_of = [](const CheckResult& result) {
    std::set<ViolationKind> kinds;  // but for lassos, of which any may be found
    for (const Violation& violation : result.violations) {
      if (!violation.trace.repeats_from) kinds.insert(violation.kind);
    }
    return kinds;
  };
  for (std::uint64_t number = 0; number < programs; ++number) {
    const std::string text = Writer(default_seed() * 1'000'000 + number).program();
    with_all_states(
        text, number, [&](const Program& program, const auto&, CheckOptions options, const Graph& graph) {
          ++compared;
          const auto result = check(program, options);
          REQUIRE(result);
          REQUIRE(result->stopped_by.empty());
          std::set<std::vector<std::int64_t>> ends;
          for (const auto& outcome : result->outcomes)
            ends.insert({outcome.values[0].value, outcome.values[1].value});
          std::set<std::vector<std::int64_t>> expected;
          for (const auto& memory : graph.ends) expected.insert({memory[0], memory[1]});
          CHECK(ends == expected);
          const auto finds = [&](ViolationKind kind) {
            return std::any_of(result->violations.begin(), result->violations.end(),
                               [&](const Violation& violation) { return violation.kind == kind; });
          };
          CHECK(finds(ViolationKind::deadlock) == graph.deadlock);
          CHECK(finds(ViolationKind::assertion) == graph.fails);
          options.live = true;
          const auto lively = check(program, options);
          REQUIRE(lively);
          if (text.find("either") == std::string::npos) CHECK(lively->counts.states == graph.edges.size());
          const auto has_lasso = [](const CheckResult& found) {
            bool lasso = false;
            for (const auto& violation : found.violations) {
              const bool endless =
                  violation.kind == ViolationKind::livelock || violation.kind == ViolationKind::starvation;
              lasso = lasso || endless;
              CHECK(endless == violation.trace.repeats_from.has_value());
            }
            return lasso;
          };
          const bool lasso = has_lasso(*lively);
          CHECK(lasso == has_fair_endless_run(graph));
          (lasso ? livelocks : live) += 1;
          // Without outcomes, locals that are not read again tell no states apart.
          options.collect_outcomes = false;
          const auto merged = check(program, options);
          REQUIRE(merged);
          CHECK(has_lasso(*merged) == lasso);
          CHECK(kinds_of(*merged) == kinds_of(*lively));
          CHECK((merged->counts.executions > 0) == (lively->counts.executions > 0));
          CHECK(merged->counts.states <= lively->counts.states);
          fewer += merged->counts.states < lively->counts.states ? 1 : 0;
          const auto merging = state_of(program).image(false, Loops::merging);
          const auto smaller = all_states(*merging, checker::Search(*merging, options), 3000);
          REQUIRE(smaller);
          if (text.find("either") == std::string::npos) CHECK(merged->counts.states == smaller->edges.size());
        });
  }
  CHECK(compared > programs);
  CHECK(fewer > programs / 4);
  CHECK(livelocks > programs / 10);
  CHECK(live > programs / 10);
}

TEST_CASE("temporal claims come true exactly where a fixpoint over all states says so") {
  const std::size_t programs = tests::sized(60, 300);
  std::size_t unmet = 0;
  std::size_t met = 0;
  std::size_t ends = 0;
  for (std::uint64_t number = 0; number < programs; ++number) {
    Writer writer(default_seed() * 3'000'000 + number);
    std::string text = writer.program();
    text += writer.claims();
    with_all_states(
        text, number,
        [&](const Program& program, const compiler::Image& image, const CheckOptions& options,
            const Graph& graph) {
          for (const bool all_locals : {true, false}) {
            auto forms = options;
            forms.collect_outcomes = all_locals;
            const auto result = check(program, forms);
            REQUIRE(result);
            CHECK((result->stopped_by.empty() || result->stopped_by == "a thread that was cut off"));
            for (std::size_t claim = 0; claim < image.temporal.size(); ++claim) {
              const auto line = image.sites[image.temporal[claim].site].line;
              const auto found = std::find_if(
                  result->violations.begin(), result->violations.end(), [&](const Violation& violation) {
                    return violation.kind == ViolationKind::temporal && violation.line == line;
                  });
              const bool expected = fails(graph, graph.claims[claim]);
              CHECK((found != result->violations.end()) == expected);
              (expected ? unmet : met) += 1;
              if (found != result->violations.end()) ends += !found->trace.repeats_from;
            }
          }
        });
  }
  CHECK(unmet > programs / 4);
  CHECK(met > programs / 4);
  CHECK(ends > programs / 20);
}

TEST_CASE("where loops only wait, every algorithm says as states does whether all threads end") {
  const std::size_t programs = tests::sized(60, 500);
  constexpr std::uint64_t most_states =
      300;  // of programs with more, algorithms that keep none take too long
  std::size_t safe = 0;
  std::size_t stuck = 0;
  for (std::uint64_t number = 0; number < programs; ++number) {
    Writer writer(default_seed() * 4'000'000 + number, false);
    const std::string text = writer.program();
    const Program program = compiled(text);
    INFO("program " << number << ":\n" << text);
    bool is_large = false;
    for (const ModelInfo& model : models()) {
      std::optional<Verdict> first;  // of `states`, or else of the first algorithm
      for (const bool keeps_states : {true, false}) {
        for (const AlgorithmInfo& algorithm : algorithms()) {
          if (is_large || algorithm.decides_liveness != keeps_states ||
              !why_not(program, model.name, algorithm.name).empty())
            continue;
          const auto result = check(
              program,
              {.model = std::string(model.name), .algorithm = std::string(algorithm.name), .live = true});
          REQUIRE(result);
          INFO(algorithm.name << " under " << model.name);
          CHECK(result->stopped_by.empty());
          is_large = result->counts.states > most_states;
          if (!first) first = result->verdict;
          CHECK((result->verdict == Verdict::violation) == (*first == Verdict::violation));
        }
      }
      if (is_large) break;
      (*first == Verdict::violation ? stuck : safe) += 1;
    }
  }
  CHECK(safe > programs / 2);
  CHECK(stuck > programs / 2);
}

TEST_CASE("no process is put off for ever by a cycle of another one") {
  // In each of these, going round p's loop for ever meets known states only. What q does must still be seen.
  const char* const bodies[] = {
      "shared x: int; thread p { while true { let a = choose(0..2); } } thread q { assert false; }",
      "shared x: int; thread p { while true { var a = choose(0..3); a = 0; } } thread q { x = 1; assert x == "
      "0; }",
      "shared x: int; thread p { while true { x = 1 - x; } } thread q { let b = x; assert b == 0; }",
      "shared x: int; thread p { while true { let a = x; } } thread q { x = 1; assert x == 0; }",
      "shared x: int; thread p { while true { let a = choose(0..2); x = a; } } thread q { assert x == 0; }",
      "shared x: int; thread p { while true { let a = choose(0..2); } } "
      "thread r { while true { let b = choose(0..2); } } thread q { assert false; }"};
  for (const char* const body : bodies) {
    const auto program = compiled(body);
    for (const char* model : {"sc", "tso", "pso"}) {
      CheckOptions options{.model = model, .algorithm = "states"};
      if (std::string_view(model) != "sc") options.buffer_bound = 2;
      const auto result = check(program, options);
      REQUIRE(result);
      CHECK_MESSAGE(result->violation, body << " under " << model);
    }
  }
}

TEST_CASE("a program with infinitely many states is undecided, and the report names what grows") {
  const auto counter = compiled("shared x: int; thread p { while true { x += 1; } } thread q { let a = x; }");
  CheckOptions options{.model = "sc", .algorithm = "states", .timeout = 0.3};
  auto result = check(counter, options);
  REQUIRE(result);
  CHECK(result->verdict == Verdict::undecided);
  CHECK(result->grows.find("x: from 0 to") != std::string::npos);
  const auto stores = compiled("shared x: int; thread p { while true { x = 1; } }");
  options.model = "tso";
  result = check(stores, options);
  REQUIRE(result);
  CHECK(result->verdict == Verdict::undecided);
  CHECK(result->stopped_by == "unbounded store buffer");
  CHECK(result->grows.find("p stores without end") != std::string::npos);
  const auto reads = compiled("shared x: int; thread p { while true { x = 1; let a = x; } }");
  result = check(reads, options);
  REQUIRE(result);
  CHECK(result->verdict == Verdict::undecided);
  CHECK(result->grows.find("the store buffer of p") != std::string::npos);
  options.buffer_bound = 2;
  result = check(stores, options);
  REQUIRE(result);
  CHECK(result->verdict == Verdict::safe_within_bounds);
  options.model = "sc";
  options.buffer_bound.reset();
  result = check(stores, options);
  REQUIRE(result);
  CHECK(result->verdict == Verdict::safe);
  CHECK(result->endless);
}

TEST_SUITE_END();

}  // namespace heddle::differential
