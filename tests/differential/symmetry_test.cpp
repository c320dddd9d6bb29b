// Programs with equal threads: of the executions that a permutation of these turns into each other, a search with
// symmetry must visit exactly one. The orbits are made here from all graphs, which a search without symmetry visits.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "checker/api/state.hpp"
#include "checker/commits/algorithms.hpp"
#include "checker/interleavings/algorithms.hpp"
#include "generate.hpp"
#include "tests/environment.hpp"
#include "text_writer.hpp"

namespace heddle::differential {

namespace {

using checker::PlainGraph;
using checker::Search;
using checker::ThreadId;

class Writer : TextWriter {
 public:
  // `sorted`: the first event of each member of a family is one by which POWER's machine sorts them.
  explicit Writer(std::uint64_t number, bool sorted = false) : TextWriter(number), sorted_(sorted) {}

  // One or two families, whose bodies do not use the index, and at times other threads around them.
  std::string program() {
    std::string text = "shared x: int; shared y: int; shared l: int; shared t: int; mutex m;\n";
    const bool two = below(4) == 0;
    if (below(3) == 0) thread(text, "a", 1);
    thread(text, "p", two ? 2 : 2 + below(2));
    if (two) thread(text, "q", 2);
    if (!two && below(2) == 0) thread(text, "b", 1);
    if (below(4) == 0) text += "invariant " + variable() + " < 2 || " + comparison() + ";\n";
    if (below(2) == 0) text += "exists x == " + number() + " && y == " + number() + ";\n";
    return text;
  }

 private:
  std::string variable() { return below(3) == 0 ? "y" : "x"; }
  std::string comparison() { return variable() + (below(3) == 0 ? " != " : " == ") + number(); }

  void thread(std::string& text, const std::string& name, int copies) {
    if (copies > 1 && below(8) == 0) text += "daemon ";
    text += "thread " + name + (copies > 1 ? "[i: 0.." + std::to_string(copies) + "]" : "") + " { ";
    if (sorted_ && copies > 1) text += first("k" + name);
    const int statements = sorted_ ? 1 + below(2) : copies > 2 ? 1 + below(3) : 1 + below(4);
    for (int i = 0; i < statements; ++i) text += statement("r" + name + std::to_string(i));
    text += "}\n";
  }
  std::string first(const std::string& local) {
    switch (below(6)) {
      case 0: return "fetch_add(t, 1); ";
      case 1: return "let " + local + " = fetch_add(t, 1); ";
      case 2: return "fence; let " + local + " = fetch_sub(t, 1); if " + local + " > 0 { x = 1; } ";
      case 3: return "let " + local + " = fetch_max(t, 2); y = " + local + "; ";
      case 4: return "lock m; x = 1; unlock m; ";
      default: return "lock m; let " + local + " = y; unlock m; ";
    }
  }
  std::string statement(const std::string& local) {
    switch (below(21)) {
      case 0:
      case 1:
      case 2: return variable() + " = " + number() + "; ";
      case 3:
      case 4:
      case 5: return "let " + local + " = " + variable() + "; ";
      case 6: return "let " + local + " = " + variable() + "; " + variable() + " = " + local + " + 1; ";
      case 7:
      case 8: return "await " + comparison() + "; ";
      case 9: return "await " + comparison() + (below(2) == 0 ? " || " : " && ") + comparison() + "; ";
      case 10: return "fetch_add(" + variable() + ", 1); ";
      case 11: return "let " + local + " = cas(" + variable() + ", " + number() + ", " + number() + "); ";
      case 12: return "lock m; " + variable() + " = " + number() + "; unlock m; ";
      case 13: return "lock m; " + variable() + " += 1; unlock m; ";
      case 14: return "if trylock m { " + variable() + " = " + number() + "; unlock m; } ";
      case 15: return "let " + local + " = choose(0..2); " + variable() + " = " + local + "; ";
      case 16: return "let " + local + " = choose(0..2); ";
      case 17: return "assume " + comparison() + "; ";
      case 18: return "fence; ";
      case 19: return "if " + comparison() + " { " + variable() + " = " + number() + "; } ";
      default: return "await l == 0; if cas(l, 0, 1) { " + variable() + " = " + number() + "; l = 0; } ";
    }
  }

  bool sorted_;
};

// The threads of each class.
std::vector<std::vector<ThreadId>> classes_of(const compiler::Image& image) {
  std::map<ThreadId, std::vector<ThreadId>> by_first;
  std::vector<ThreadId> first(image.threads.size());
  for (ThreadId t = 0; t < image.threads.size(); ++t) {
    const auto twin = image.threads[t].twin;
    first[t] = twin ? first[*twin] : t;
    by_first[first[t]].push_back(t);
  }
  std::vector<std::vector<ThreadId>> classes;
  for (auto& [thread, members] : by_first) classes.push_back(std::move(members));
  return classes;
}

// The graph with thread t as thread new_place[t]. A mutex holds the number of its owner, which is left out.
PlainGraph permuted(const PlainGraph& graph, const std::vector<ThreadId>& new_place) {
  const auto move = [&](PlainGraph::Place place) {
    if (place.first != checker::none) place.first = new_place[place.first];
    return place;
  };
  PlainGraph result;
  result.threads.resize(graph.threads.size());
  for (ThreadId t = 0; t < graph.threads.size(); ++t) {
    for (PlainGraph::Event event : graph.threads[t]) {
      event.source = move(event.source);
      if (event.op == compiler::Op::lock || event.op == compiler::Op::try_lock) event.value = 0;
      result.threads[new_place[t]].push_back(event);
    }
  }
  for (const auto& [location, writes] : graph.coherence) {
    for (const auto& write : writes) result.coherence[location].push_back(move(write));
  }
  return result;
}

// The same text for graphs that a permutation turns into each other, and only for them.
std::string orbit_of(const PlainGraph& graph, const std::vector<std::vector<ThreadId>>& classes) {
  std::vector<ThreadId> new_place(graph.threads.size());
  std::string least;
  std::function<void(std::size_t)> try_class = [&](std::size_t number) {
    if (number == classes.size()) {
      std::string text = permuted(graph, new_place).text();
      if (least.empty() || text < least) least = std::move(text);
      return;
    }
    std::vector<ThreadId> order = classes[number];
    do {
      for (std::size_t i = 0; i < order.size(); ++i) new_place[classes[number][i]] = order[i];
      try_class(number + 1);
    } while (std::next_permutation(order.begin(), order.end()));
  };
  try_class(0);
  return least;
}

// Violations with the threads of each class taken for one.
std::set<std::vector<std::uint32_t>> violations_of(const Search& search,
                                                   const std::vector<std::vector<ThreadId>>& classes) {
  std::set<std::vector<std::uint32_t>> result;
  for (const auto& found : search.violations()) {
    std::vector<std::vector<std::uint32_t>> waits;
    for (std::size_t i = 0; i + 2 < found.waits.size(); i += 3) {
      ThreadId thread = found.waits[i];
      for (const auto& members : classes) {
        if (std::find(members.begin(), members.end(), thread) != members.end()) thread = members.front();
      }
      waits.push_back({thread, found.waits[i + 1], found.waits[i + 2]});
    }
    std::sort(waits.begin(), waits.end());
    std::vector<std::uint32_t> key{static_cast<std::uint32_t>(found.kind), found.site};
    for (const auto& wait : waits) key.insert(key.end(), wait.begin(), wait.end());
    result.insert(key);
  }
  return result;
}

using Algorithm = void (*)(Search&, const checker::GraphObserver&);
struct NamedAlgorithm {
  const char* name;
  Algorithm run;
  std::uint64_t most_transitions;  // of trust: programs with more take this algorithm too long
};
constexpr NamedAlgorithm algorithms[] = {
    {"trust", [](Search& search, const checker::GraphObserver& o) { checker::run_trust(search, o); },
     200'000},
    {"trust, recommitting",
     [](Search& search, const checker::GraphObserver& o) { checker::run_trust_recommitting(search, o); },
     4'000},
    {"rsmc", [](Search& search, const checker::GraphObserver& o) { checker::run_rsmc(search, o); }, 8'000},
    {"naive", [](Search& search, const checker::GraphObserver& o) { checker::commits::run_naive(search, o); },
     250},
    {"source",
     [](Search& search, const checker::GraphObserver& o) { checker::commits::run_source(search, o); }, 2'000},
};

constexpr std::uint64_t most_with_bounds = 20'000;  // transitions of a search without one

struct Truth {
  std::map<std::string, std::uint64_t> orbits;  // with the number of graphs
  std::set<std::vector<std::uint32_t>> violations;
  std::vector<std::uint64_t> satisfied;
  std::uint64_t executions = 0;
  std::uint64_t transitions = 0;
};

Truth without_symmetry(const compiler::Image& image, CheckOptions options,
                       const std::vector<std::vector<ThreadId>>& classes) {
  options.symmetry = false;
  Search search(image, options);
  Truth truth;
  search.on_restart([&] { truth.orbits.clear(); });
  const auto run = options.model == "power"
                       ? Algorithm{checker::run_trust_recommitting}
                       : [](Search& s, const checker::GraphObserver& o) { checker::run_trust(s, o); };
  run(search, [&](const PlainGraph& graph) { ++truth.orbits[orbit_of(graph, classes)]; });
  truth.violations = violations_of(search, classes);
  truth.satisfied = search.satisfied();
  truth.executions = search.counts.executions;
  truth.transitions = search.counts.transitions;
  return truth;
}

std::string compare(const compiler::Image& image, const CheckOptions& options,
                    const NamedAlgorithm& algorithm, const Truth& truth,
                    const std::vector<std::vector<ThreadId>>& classes) {
  Search search(image, options);
  std::map<std::string, std::uint64_t> found;
  search.on_restart([&] { found.clear(); });
  std::string wrong;
  algorithm.run(search, [&](const PlainGraph& graph) {
    const std::string orbit = orbit_of(graph, classes);
    if (++found[orbit] == 2) wrong += "twice: " + graph.text() + "\n";
    if (!truth.orbits.contains(orbit)) wrong += "invented: " + graph.text() + "\n";
  });
  for (const auto& [orbit, graphs] : truth.orbits) {
    if (!found.contains(orbit)) wrong += "missing: " + orbit + "\n";
  }
  if (violations_of(search, classes) != truth.violations)
    wrong += "violations: " + std::to_string(search.violations().size()) + " kinds instead of " +
             std::to_string(truth.violations.size()) + "\n";
  if (search.counts.executions != truth.executions || search.satisfied() != truth.satisfied)
    wrong += "executions: " + std::to_string(search.counts.executions) + " instead of " +
             std::to_string(truth.executions) + "\n";
  if (wrong.empty() && search.counts.representatives != truth.orbits.size())
    wrong += "representatives: " + std::to_string(search.counts.representatives) + " instead of " +
             std::to_string(truth.orbits.size()) + "\n";
  return wrong;
}

}  // namespace

TEST_CASE(
    "with symmetry, of executions that permutations of equal threads make of each other one is visited") {
  const std::size_t programs = tests::sized(100, 1500);
  std::size_t failures = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const std::string text = Writer(default_seed() * 1'000'000 + number).program();
    const auto program = Program::from_source(text, "symmetry.hed");
    REQUIRE(program);
    const auto image = state_of(*program).image(false);
    const auto classes = classes_of(*image);
    REQUIRE(classes.size() < image->threads.size());
    for (const char* model : {"sc", "tso", "pso"}) {
      for (const int bound : {-1, 0, 1, 2}) {
        if (bound >= 0 && text.find("daemon") != std::string::npos) continue;  // is refused
        CheckOptions options;
        options.model = model;
        options.keep_going = true;
        options.max_executions = 20'000;
        if (bound >= 0) options.preemption_bound = bound;
        if (std::string_view(model) != "sc" && number % 2 == 1)
          options.buffer_bound = static_cast<std::uint32_t>(number % 3);
        const Truth truth = without_symmetry(*image, options, classes);
        if (truth.executions >= *options.max_executions) break;
        options.max_executions.reset();
        for (const auto& algorithm : algorithms) {
          if (truth.transitions > algorithm.most_transitions) continue;
          const std::string wrong = compare(*image, options, algorithm, truth, classes);
          failures += !wrong.empty();
          CHECK_MESSAGE(wrong.empty(), algorithm.name << " under " << model << ", bound " << bound
                                                      << ", program " << number << ":\n"
                                                      << text << wrong);
          if (bound >= 0) break;  // only trust has bounds
        }
        // With a bound, a search may meet many executions beyond it.
        if (truth.transitions > most_with_bounds) break;
      }
    }
  }
}

TEST_CASE(
    "with symmetry under POWER, threads that begin with a lock or an atomic addition are sorted by it") {
  constexpr NamedAlgorithm over_commits[] = {
      {"trust", checker::run_trust_recommitting, 4'000},
      {"rsmc", [](Search& search, const checker::GraphObserver& o) { checker::run_rsmc(search, o); }, 4'000},
      {"naive", checker::commits::run_naive, 400},
      {"dpor", checker::commits::run_dpor, 2'000},
      {"source", checker::commits::run_source, 2'000},
      {"sdpor", checker::commits::run_sdpor, 2'000}};
  const std::size_t programs = tests::sized(60, 1000);
  std::size_t failures = 0;
  std::size_t compared = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const std::string text = Writer(default_seed() * 3'000'000 + number, true).program();
    if (text.find("invariant") != std::string::npos) continue;
    const auto program = Program::from_source(text, "symmetry.hed");
    REQUIRE(program);
    const auto image = state_of(*program).image(true);
    const auto classes = classes_of(*image);
    REQUIRE(classes.size() < image->threads.size());
    CheckOptions options{.model = "power"};
    options.keep_going = true;
    options.max_executions = 5'000;
    const Truth truth = without_symmetry(*image, options, classes);
    if (truth.executions >= *options.max_executions) continue;
    options.max_executions.reset();
    ++compared;
    for (const auto& algorithm : over_commits) {
      if (truth.transitions > algorithm.most_transitions) continue;
      const std::string wrong = compare(*image, options, algorithm, truth, classes);
      failures += !wrong.empty();
      CHECK_MESSAGE(wrong.empty(), algorithm.name << ", program " << number << ":\n" << text << wrong);
    }
    Search with(*image, options);
    options.symmetry = false;
    Search without(*image, options);
    checker::commits::run_rf(with, {});
    checker::commits::run_rf(without, {});
    const bool same = with.counts.executions == without.counts.executions &&
                      with.satisfied() == without.satisfied() &&
                      violations_of(with, classes) == violations_of(without, classes);
    failures += !same;
    CHECK_MESSAGE(same, "rf, program " << number << ":\n" << text);
  }
  CHECK(compared > programs / 4);
}

TEST_CASE("equal threads that add to a counter under POWER are one execution of all that permutations make") {
  const auto representatives = [](const char* text) {
    const auto program = Program::from_source(text, "additions.hed");
    REQUIRE(program);
    const auto result = check(*program, {.model = "power", .algorithm = "trust"});
    REQUIRE(result);
    return std::pair(result->counts.representatives, result->counts.executions);
  };
  using Numbers = std::pair<std::uint64_t, std::uint64_t>;
  CHECK(representatives("shared x: int; thread p[i: 0..9] { fetch_add(x, 1); }") == Numbers(1, 362'880));
  CHECK(representatives("shared x: int; thread p[i: 0..4] { fetch_add(x, 1); fetch_add(x, 1); }") ==
        Numbers(105, 2'520));
  CHECK(representatives("mutex m; shared x: int; thread p[i: 0..6] { lock m; x += 1; unlock m; }") ==
        Numbers(1, 720));
  // An exchange does not depend on what it reads.
  CHECK(representatives("shared x: int; thread p[i: 0..4] { exchange(x, 1); }") == Numbers(24, 24));
}

TEST_CASE("states with symmetry finds the violations, ends and conditions of all states, in fewer of them") {
  const std::size_t programs = tests::sized(150, 500);
  std::size_t failures = 0;
  std::size_t merged = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const std::string text = Writer(default_seed() * 2'000'000 + number).program();
    const auto program = Program::from_source(text, "symmetry.hed");
    REQUIRE(program);
    const auto image = state_of(*program).image(false, Loops::endless);
    const auto classes = classes_of(*image);
    std::uint64_t permutations = 1;
    for (const auto& members : classes) {
      for (std::size_t i = 2; i <= members.size(); ++i) permutations *= i;
    }
    for (const char* model : {"sc", "tso", "pso"}) {
      CheckOptions options;
      options.model = model;
      options.keep_going = true;
      // Without a bound some have very many states under pso.
      if (std::string_view(model) != "sc" && text.find("daemon") == std::string::npos)
        options.buffer_bound = 1;
      Search with(*image, options);
      options.symmetry = false;
      Search without(*image, options);
      checker::run_states(with);
      checker::run_states(without);
      const auto happens = [](const Search& search) {
        std::vector<bool> result{search.counts.executions > 0, search.counts.blocked_assume > 0};
        for (const auto count : search.satisfied()) result.push_back(count > 0);
        return result;
      };
      const bool same = violations_of(with, classes) == violations_of(without, classes) &&
                        happens(with) == happens(without) && with.counts.states <= without.counts.states &&
                        with.counts.states * permutations >= without.counts.states;
      merged += with.counts.states < without.counts.states;
      failures += !same;
      CHECK_MESSAGE(same, "states under " << model << ", program " << number << ": " << with.counts.states
                                          << " of " << without.counts.states << "\n"
                                          << text);
    }
  }
  CHECK(merged > programs);
}

TEST_CASE("states visits one state of each set that permutations make") {
  const struct {
    const char* text;
    std::uint64_t states;
    std::uint64_t of;
  } programs[] = {
      {"shared x: int; thread p[i: 0..9] { fetch_add(x, 1); }", 10, 512},
      {"shared x: int; thread p[i: 0..4] { fetch_add(x, 1); fetch_add(x, 1); }", 15, 81},
      // Of n threads, one may hold the mutex: n + 1 with none, n with one, who has begun and who has ended.
      {"mutex m; thread p[i: 0..4] { lock m; unlock m; }", 9, 48},
  };
  for (const auto& [text, states, of] : programs) {
    const auto program = Program::from_source(text, "symmetry.hed");
    REQUIRE(program);
    for (const char* model : {"sc", "tso", "pso"}) {
      CheckOptions options{.model = model, .algorithm = "states"};
      auto result = check(*program, options);
      REQUIRE(result);
      CHECK(result->counts.states == states);
      options.symmetry = false;
      result = check(*program, options);
      REQUIRE(result);
      CHECK(result->counts.states == of);
    }
  }
}

}  // namespace heddle::differential
