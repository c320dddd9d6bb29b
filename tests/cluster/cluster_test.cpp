// Checks over a cluster: real workers, a real server, and everything that can happen to them. Whatever happens, the
// result is that of one thread. HEDDLE_ROUNDS scales the number of checks (1: a few seconds for each case).
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/process.hpp"
#include "tests/cluster/server.hpp"
#include "tests/environment.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

void pause(int milliseconds_to_wait) { std::this_thread::sleep_for(milliseconds(milliseconds_to_wait)); }

// Of a finished report, all but what depends on time and on the number of processes.
std::string substance(const std::string& report) {
  Json json = Json::parse(report, nullptr, false);
  if (json.is_discarded()) return "not JSON: " + report;
  for (const char* const key : {"seconds", "workers"}) json.erase(key);
  if (json.contains("counts")) json["counts"].erase("peak_memory");
  return json.dump(1);
}

// Some seconds of work for one process, with violations, conditions, blocked executions and many final states.
// (The threads look at their index, so that there is no symmetry.)
std::string program_of(int threads) {
  return "shared x: int; shared y: int; mutex m;\n"
         "thread w[i: 0.." +
         std::to_string(threads) +
         "] { if i >= 0 { let a = x; x = a + 1; if a > 3 { lock m; y = a; unlock m; } assert a != 5; } }\n"
         "thread r { let b = y; let c = x; assume b != 4; }\n"
         "exists x == 1; exists x == 2 && y == 4;\n";
}

std::vector<std::string> check_of(const std::string& program, const std::string& model = "sc",
                                  const std::string& algorithm = "trust") {
  return {"check", program,  "--algorithm",  algorithm,   "--model",
          model,   "--json", "--keep-going", "--outcomes"};
}

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

using Worker = std::unique_ptr<Process>;
Worker hire(const std::string& url, const std::string& processes = "1", const std::string& lease = "0.5") {
  return std::make_unique<Process>(
      std::vector<std::string>{"cluster", "work", url, "-j", processes, "--lease", lease});
}

// A program, and what one process says about it.
struct Searched {
  explicit Searched(int threads, const std::string& model = "sc", const std::string& algorithm = "trust")
      : file(folder.file("searched.hed", program_of(threads))), check(check_of(file, model, algorithm)) {
    const auto start = std::chrono::steady_clock::now();
    expected = run_heddle(with(check, {"-j", "1"}));
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    REQUIRE(Json::parse(expected.output, nullptr, false).value("finished", false));
  }
  void compare(const Finished& result) const {
    CHECK(result.exit_code == expected.exit_code);
    CHECK(substance(result.output) == substance(expected.output));
    if (result.exit_code != expected.exit_code) MESSAGE(result.errors);
  }

  TemporaryFolder folder;
  std::string file;
  std::vector<std::string> check;
  Finished expected;
  double seconds = 0;
};

// All rounds of this file search the same program.
const Searched& searched() {
  static const Searched searched(6);
  return searched;
}

std::uint64_t rounds() {
  return tests::number_from_environment("HEDDLE_ROUNDS", tests::sized<std::uint64_t>(1, 5));
}

Json status_of(const std::string& url) {
  return Json::parse(run_heddle({"cluster", "status", url, "--json"}).output, nullptr, false);
}

// Submits the check, calls `meanwhile()` again and again while it runs, and compares the result.
template <typename Meanwhile>
void check_while(const std::string& url, Meanwhile&& meanwhile) {
  Process submitter(with(searched().check, {"--cluster", url, "--timeout", "100"}));
  // (The first contact is not repeated: a server that is not there at first is a wrong address.)
  for (int i = 0; i < 100 && status_of(url)["checks"].empty(); ++i) pause(20);
  std::jthread disturbing([&](const std::stop_token& token) {
    while (!token.stop_requested()) meanwhile();
  });
  const Finished result = submitter.finish();
  disturbing.request_stop();
  disturbing.join();
  searched().compare(result);
}

// The name that a key has at the server (exchange.lua).
std::string key(const Server& server, const std::string& name) {
  return "heddle:" + server.ask({"HGET", "heddle:steps", "epoch"}) + ":" + name;
}

// What redis-cli prints of one step of the exchange.
std::string step(const Server& server, std::vector<std::string> words) {
  static const std::string script = read(HEDDLE_SOURCE_DIR "/cli/cluster/exchange.lua");
  words.insert(words.begin(), {"EVAL", script, "0"});
  return server.ask(words);
}

template <typename Condition>
bool comes_true(Condition&& condition) {
  for (int i = 0; i < 600; ++i) {
    if (condition()) return true;
    pause(50);
  }
  return false;
}

class Random {
 public:
  explicit Random(std::uint64_t salt) : random_(tests::number_from_environment("HEDDLE_SEED", 1) + salt) {}
  int up_to(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }

 private:
  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("the result over a cluster is that of one thread, under every model") {
  Server server;
  const Worker workers = hire(server.url(), "3");
  for (const auto& [model, algorithm, threads] : {std::tuple("sc", "trust", 5),
                                                  {"tso", "trust", 4},
                                                  {"pso", "trust", 4},
                                                  {"power", "trust", 3},
                                                  {"sc", "naive", 3},
                                                  {"pso", "naive", 2}}) {
    CAPTURE(model);
    CAPTURE(algorithm);
    const Searched here(threads, model, algorithm);
    here.compare(run_heddle(with(here.check, {"--cluster", server.url()})));
  }
  // Other questions than the verdict.
  const Searched here(4);
  for (const std::vector<std::string>& question :
       {std::vector<std::string>{"--preemption-bound", "1", "--keep-going"},
        {"--robust", "--model", "tso"}}) {
    const std::vector<std::string> check =
        with({"check", here.file, "--algorithm", "trust", "--json"}, question);
    const Finished alone = run_heddle(with(check, {"-j", "1"}));
    const Finished shared = run_heddle(with(check, {"--cluster", server.url()}));
    CHECK(shared.exit_code == alone.exit_code);
    CHECK(Json::parse(shared.output)["verdict"] == Json::parse(alone.output)["verdict"]);
  }
}

TEST_CASE("a violation ends the check, and says that it need not be the first") {
  Server server;
  const Worker workers = hire(server.url(), "2");
  TemporaryFolder folder;
  const std::string file = folder.file("unsafe.hed", program_of(7));
  const Finished result = run_heddle({"check", file, "--algorithm", "trust", "--cluster", server.url()});
  CHECK(result.exit_code == 1);
  CHECK(contains(result.output, "report the one that they meet first"));
  CHECK(contains(result.output, "a != 5"));
}

TEST_CASE("workers are killed at random, and new ones come") {
  Random random(1);
  for (std::uint64_t round = 0; round < rounds(); ++round) {
    for (const int percent : {10, 50, 100}) {
      CAPTURE(percent);
      Server server;
      std::vector<Worker> workers;
      int kills = 0;
      check_while(server.url(), [&] {
        while (workers.size() < 4) workers.push_back(hire(server.url()));
        pause(150 + random.up_to(300));
        for (Worker& worker : workers) {
          if (random.up_to(99) >= percent) continue;
          worker->send(SIGKILL);
          worker.reset();
          ++kills;
        }
        std::erase(workers, nullptr);
        if (kills > 12 * (percent / 10)) pause(100'000 / percent);  // a busy machine gets to the end, too
      });
      MESSAGE(percent, " %: ", kills, " workers killed");
    }
  }
}

TEST_CASE("workers are stopped for longer than their lease, and continued") {
  Random random(2);
  for (std::uint64_t round = 0; round < rounds(); ++round) {
    Server server;
    std::vector<Worker> workers;
    for (int i = 0; i < 3; ++i) workers.push_back(hire(server.url(), "1", "0.3"));
    int stops = 0;
    check_while(server.url(), [&] {
      const Worker& worker = workers[static_cast<std::size_t>(random.up_to(2))];
      const std::vector<pid_t> children = worker->children();
      pause(100);
      if (++stops > 20) return pause(500);
      for (const pid_t child : children) ::kill(child, SIGSTOP);
      pause(400 + random.up_to(200));
      for (const pid_t child : children) ::kill(child, SIGCONT);
    });
    CHECK(stops > 0);
  }
}

TEST_CASE("the server is killed and restarted, also with the end of its file cut off") {
  Random random(3);
  for (std::uint64_t round = 0; round < rounds(); ++round) {
    for (const bool cut : {false, true}) {
      CAPTURE(cut);
      Server server;
      const Worker workers = hire(server.url(), "3", "1");
      int kills = 0;
      check_while(server.url(), [&] {
        pause(200 + random.up_to(400));
        if (++kills > 12) return pause(500);
        server.kill();
        if (cut) {
          const int share = random.up_to(3);  // a torn last step, or up to a third of all that happened
          server.cut_file(share == 0
                              ? static_cast<std::uint64_t>(random.up_to(200))
                              : server.file_size() * static_cast<std::uint64_t>(random.up_to(33)) / 100);
        }
        pause(random.up_to(100));
        server.start();
      });
      CHECK(kills > 0);
    }
  }
}

TEST_CASE("a file that is torn inside steps, again and again, counts nothing twice and loses nothing") {
  // No search: a binary tree of parts, each of which counts one. So nearly every step is torn somewhere.
  constexpr std::size_t depth = 4;
  constexpr const char* total = "31";
  Random random(7);
  for (std::uint64_t round = 0; round < 4 * rounds(); ++round) {
    CAPTURE(round);
    Server server;
    const auto lines_of = [&](std::vector<std::string> words) {
      std::vector<std::string> lines;
      std::istringstream answer(step(server, std::move(words)));
      for (std::string line; std::getline(answer, line);) lines.push_back(line);
      lines.resize(std::max<std::size_t>(lines.size(), 1));
      return lines;
    };
    int tears = 0, token = 0, steps = 0;
    for (bool done = false; !done; ++steps) {
      REQUIRE(steps < 3000);
      if (steps > 0 && tears < 12 && random.up_to(9) == 0) {
        ++tears;
        server.kill();
        server.cut_file(static_cast<std::uint64_t>(random.up_to(random.up_to(3) == 0 ? 3000 : 400)));
        server.start();
      }
      const std::string state = lines_of({"status", "tree", "submitter", "60000"}).front();
      if (state.empty()) {
        step(server, {"submit", "tree", "text", "{}", "submitter", "60000", "r", "0", "r"});
      } else if (state == "done") {
        const std::vector<std::string> found = lines_of({"findings", "tree"});
        for (const char* const name : {"a", "b", "c", "d", "e", "f"}) {
          const auto place = std::find(found.begin(), found.end(), name);
          REQUIRE(place + 1 < found.end());
          CHECK(*(place + 1) == total);
        }
        done = tears == 12;
        if (!done) step(server, {"submit", "tree", "text", "{}", "submitter", "60000", "r", "0", "r"});
      } else {
        const std::string lease = std::to_string(++token);
        const std::vector<std::string> taken = lines_of({"take", "worker", "0 0", lease, "20"});
        if (taken.size() < 2) continue;
        const std::string& part = taken[1];
        Json left = Json::array();
        if (part.size() <= depth) {
          for (const char* const branch : {"0", "1"})
            left.push_back({part + branch, part.size(), part + branch});
        }
        Json found{{"maxima", Json::object()}, {"firsts", Json::object()}, {"left", left}, {"over", false}};
        for (const char* const name : {"a", "b", "c", "d", "e", "f"}) found["sums"][name] = "1";
        step(server, {"commit", lease, "1 1", found.dump()});
      }
    }
  }
}

TEST_CASE("the network is slow, and cut again and again") {
  Random random(4);
  for (std::uint64_t round = 0; round < rounds(); ++round) {
    Server server;
    Network network(server);
    network.delay(milliseconds(5));
    const Worker workers = hire(network.url(), "3");
    int cuts = 0;
    check_while(network.url(), [&] {
      pause(100 + random.up_to(300));
      if (++cuts > 15) return pause(500);
      network.cut(true);
      pause(random.up_to(2) == 0 ? 700 : 30);
      network.cut(false);
    });
    CHECK(cuts > 0);
  }
}

TEST_CASE("the server knows how large a search is, and how long it will take at the present rate") {
  Server server;
  const auto submit = [&](const std::string& program, const std::string& parameter, const Setup& setup = {}) {
    return std::make_unique<Process>(
        std::vector<std::string>{"check", HEDDLE_SOURCE_DIR "/tests/programs/reference/" + program, "-D",
                                 parameter, "--algorithm", "trust", "--cluster", server.url()},
        setup);
  };
  // All paths of the first weigh the same. Those of the other differ too much for an interval.
  const auto regular = submit("n-writers.hed", "N=8", {.error_terminal = have_terminals()});
  const auto irregular = submit("inc.hed", "N=6");
  constexpr double executions = 3'628'800;  // 10!
  const auto check_named = [&](const std::string& file) -> Json {
    const Json status = status_of(server.url());
    for (const Json& check : status["checks"]) {
      if (contains(check["file"].get<std::string>(), file)) return check;
    }
    return {{"estimate", nullptr}};
  };
  Json found;
  REQUIRE(comes_true([&] { return !(found = check_named("inc.hed"))["estimate"].is_null(); }));
  CHECK(found["estimate"]["executions"].get<double>() > 1e4);
  CHECK(found["estimate"]["executions"].get<double>() < 1e7);
  CHECK(found["estimate"]["interval"].is_null());
  CHECK(found["estimate"]["seconds_left"].is_null());  // no worker has come
  REQUIRE(comes_true([&] { return !(found = check_named("n-writers.hed"))["estimate"].is_null(); }));
  CHECK(found["estimate"]["executions"].get<double>() == doctest::Approx(executions));
  CHECK(found["estimate"]["interval"][0].get<double>() <= executions * (1 + 1e-9));
  CHECK(found["estimate"]["interval"][1].get<double>() >= executions * (1 - 1e-9));

  // A worker that says a third is done, and a straggler that says nothing.
  const std::string id = found["id"];
  std::string token = "first";
  if (!contains(step(server, {"take", "here:1", "0 0", "first", "60000"}), id)) {
    REQUIRE(contains(step(server, {"take", "here:2", "0 0", "second", "60000"}), id));
    token = "second";
  }
  step(server, {"renew", token, "60000", "1209600 0 5"});
  found = check_named("n-writers.hed");
  CHECK(found["executions"] == 1'209'600);
  const double rate = found["executions_per_second"];
  CHECK(rate > 0);
  CHECK(rate <= 1'209'600 / 1.0);  // it is older than a second
  CHECK(found["estimate"]["seconds_left"].get<double>() ==
        doctest::Approx((executions - 1'209'600) / rate).epsilon(0.01));
  CHECK(found["oldest"].size() == 1);
  CHECK(found["oldest"][0]["executions"] == 1'209'600);
  const std::string text = run_heddle({"cluster", "status", server.url()}).output;
  CHECK(contains(text, ", 33 % of about 3.6 million, "));
  CHECK(contains(text, "about 3.6 million executions (95 %: 3.6 million to 3.6 million)"));
  CHECK(contains(text, ": 1,209,600 executions\n"));
  CHECK(contains(text, "or many more: paths differ too much for an interval"));
  if (have_terminals()) CHECK(regular->wait_for_error(" % of about 3.6 million, ", 20));
  // The submitters say it once; the worker is silent.
  REQUIRE(comes_true([&] {
    return contains(run_heddle({"cluster", "status", server.url()}).output,
                    "1,209,600 executions, silent for ");
  }));
  // More than was estimated is no share of it.
  step(server, {"renew", token, "60000", "4000000 0 5"});
  CHECK(check_named("n-writers.hed")["estimate"]["seconds_left"].is_null());
  CHECK_FALSE(contains(run_heddle({"cluster", "status", server.url()}).output, "of about 3.6 million"));
  // Whoever writes nonsense is refused.
  server.ask({"HSET", key(server, id + ":check"), "expected", "1 2 nan"});
  const Finished refused = run_heddle({"cluster", "status", server.url()});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.errors, "does not understand"));
}

TEST_CASE("a step that is sent twice, because its answer was lost, does nothing twice") {
  Server server;
  Process submitter(with(searched().check, {"--cluster", server.url()}));
  REQUIRE(comes_true([&] { return server.ask({"ZCARD", key(server, "checks")}) == "1"; }));
  const std::string taken = step(server, {"take", "w", "0 0", "token", "60000"});
  CHECK(contains(taken, "0:"));
  CHECK(step(server, {"take", "w", "0 0", "token", "60000"}) == taken);
  CHECK(server.ask({"ZCARD", key(server, "leases")}) == "1");
  const std::string split =
      R"({"sums":{"executions":"5"},"maxima":{},"firsts":{},"left":[["p",1,"1:1.1"],["q",0,"0:1"]],"over":false,"reason":""})";
  CHECK(step(server, {"commit", "token", "1 5", split}) == "1");
  CHECK(step(server, {"commit", "token", "1 5", split}) == "0");
  CHECK(status_of(server.url())["checks"][0]["executions"] == 5);
  CHECK(status_of(server.url())["checks"][0]["open_parts"] == 2);
  CHECK(step(server, {"take", "w", "0 0", "one", "60000"}) !=
        step(server, {"take", "w", "0 0", "two", "60000"}));
  CHECK(step(server, {"give_back", "one", "1", "why"}) == "1");
  CHECK(step(server, {"give_back", "one", "1", "why"}) == "0");
}

TEST_CASE("several checks share the workers, and the same check is done once") {
  Server server;
  const Worker workers = hire(server.url(), "3");
  const Searched other(5, "tso");
  Process first(with(searched().check, {"--cluster", server.url()}));
  Process second(with(other.check, {"--cluster", server.url()}));
  Process same(with(searched().check, {"--cluster", server.url()}));
  searched().compare(first.finish());
  other.compare(second.finish());
  searched().compare(same.finish());
}

TEST_CASE("a worker refuses checks of another version, and says why") {
  Server server;
  Process submitter(with(searched().check, {"--cluster", server.url()}));
  std::string check;
  REQUIRE(comes_true([&] {
    return !(check = server.ask({"ZRANGE", key(server, "checks"), "0", "0"})).empty();
  }));
  const std::string about = key(server, check + ":check");
  std::string text = server.ask({"HGET", about, "text"});
  const auto place = text.find("\"heddle\":\"");
  REQUIRE(place != std::string::npos);
  text.replace(place, 11, "\"heddle\":\"9");
  server.ask({"HSET", about, "text"}, text);
  const Worker workers = hire(server.url(), "2");
  REQUIRE(comes_true([&] { return !status_of(server.url())["checks"][0]["refusals"].empty(); }));
  CHECK(contains(status_of(server.url())["checks"][0]["refusals"][0]["reason"].get<std::string>(),
                 "was made by heddle 9"));
  // They still work on others.
  const Searched other(4);
  other.compare(run_heddle(with(other.check, {"--cluster", server.url()})));
  CHECK(run_heddle({"cluster", "cancel", server.url(), check}).exit_code == 0);
  const Finished result = submitter.finish();
  CHECK(result.exit_code == 3);
  CHECK(contains(result.output, "cancelled"));
}

TEST_CASE("a part that crashes its worker three times is set aside") {
  Server server;
  const Worker workers = hire(server.url(), "1", "60");
  Process submitter(with(searched().check, {"--cluster", server.url()}));
  for (int crash = 0; crash < 3; ++crash) {
    // The only part of the check is explored by the only worker.
    REQUIRE(comes_true([&] { return server.ask({"ZCARD", key(server, "leases")}) == "1"; }));
    const std::vector<pid_t> children = workers->children();
    REQUIRE(children.size() == 1);
    ::kill(children[0], SIGSEGV);
    REQUIRE(comes_true([&] { return workers->children() != children; }));
  }
  const Finished result = submitter.finish();
  CHECK(result.exit_code == 3);
  const Json report = Json::parse(result.output);
  CHECK(report["verdict"] == "undecided");
  CHECK(contains(report["stopped_by"].get<std::string>(), "1 part set aside"));
  CHECK(contains(report["stopped_by"].get<std::string>(), "signal 11"));
}

TEST_CASE("interrupted workers give back what they have not done; an interrupted submitter ends its check") {
  Server server;
  Worker worker = hire(server.url(), "2", "60");
  Process submitter(with(searched().check, {"--cluster", server.url()}));
  REQUIRE(comes_true([&] { return server.ask({"ZCARD", key(server, "leases")}) != "0"; }));
  worker->send(SIGTERM);
  CHECK(worker->finish().exit_code == 0);
  CHECK(server.ask({"ZCARD", key(server, "leases")}) == "0");
  CHECK(status_of(server.url())["checks"][0]["open_parts"].get<int>() > 0);
  // Others continue; the lease of the first would have lasted for a minute.
  worker = hire(server.url(), "2");
  searched().compare(submitter.finish());

  const Searched& same = searched();
  worker.reset();
  Process first(with(same.check, {"--cluster", server.url()}));
  Process second(with(same.check, {"--cluster", server.url()}));
  REQUIRE(comes_true([&] {
    const std::string id = server.ask({"ZRANGE", key(server, "checks"), "0", "0"});
    return !id.empty() && server.ask({"ZCARD", key(server, id + ":submitters")}) == "2";
  }));
  REQUIRE(first.wait_for_handler(SIGINT));
  first.send(SIGINT);
  const Finished left = first.finish();
  CHECK(left.exit_code == 3);
  CHECK(Json::parse(left.output)["stopped_by"] == "interrupted");
  CHECK(status_of(server.url())["checks"][0]["state"] == "running");  // the second waits for it
  REQUIRE(second.wait_for_handler(SIGINT));
  second.send(SIGINT);
  CHECK(second.finish().exit_code == 3);
  CHECK(status_of(server.url())["checks"][0]["state"] == "cancelled");
}

TEST_CASE("servers that cannot be used are refused with a reason") {
  TemporaryFolder folder;
  const std::string file = folder.file("safe.hed", safe_program);
  const auto submit = [&](const std::string& url, const std::string& password = {}) {
    Setup setup;
    if (!password.empty()) setup.environment["HEDDLE_REDIS_PASSWORD"] = password;
    return run_heddle({"check", file, "--algorithm", "trust", "--cluster", url, "--timeout", "20"}, setup);
  };
  const Finished none = submit("redis+unix://" + (folder.path() / "none.sock").string());
  CHECK(none.exit_code == 2);
  CHECK(contains(none.errors, "does not answer"));
  for (const char* const url : {"http://x", "redis://", "redis://me:secret@host", "redis://host:99999",
                                "redis://h/x", "redis+unix://relative"}) {
    CAPTURE(url);
    CHECK(submit(url).exit_code == 2);
  }
  Server server("secret");
  CHECK(contains(submit(server.url()).errors, "NOAUTH"));
  CHECK(contains(submit(server.url(), "wrong").errors, "WRONGPASS"));
  Setup setup;
  setup.environment["HEDDLE_REDIS_PASSWORD"] = "secret";
  Process worker({"cluster", "work", server.url(), "-j", "1", "--idle", "1"}, setup);
  CHECK(submit(server.url(), "secret").exit_code == 0);
  CHECK(worker.finish().exit_code == 0);

  const Finished refused = run_heddle({"check", file, "--algorithm", "dpor", "--cluster", server.url()});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.errors, "does not divide"));
}

TEST_CASE("one suite runs over a cluster, and its long checks are explored there") {
  Server server;
  const Worker workers = hire(server.url(), "2");
  TemporaryFolder folder;
  folder.file("short.hed", std::string(safe_program) + "expect sc: executions 3;\n");
  folder.file("long.hed", program_of(6) + "thread s { let d = x; }\nexpect sc by trust: sometimes;\n");
  const Finished result = run_heddle({"test", folder.path().string(), "-j", "2", "--cluster", server.url(),
                                      "--timeout", "100", "--json", "-"});
  CHECK(result.exit_code == 0);
  if (result.exit_code != 0) MESSAGE(result.output, result.errors);
  // Whether a check lasts for a second depends on the machine. The long one does on every known one.
  CHECK(status_of(server.url())["checks"].size() >= 1);
}

TEST_CASE("as many long checks of a suite are on the cluster at a time as -j says, with exact counts") {
  Server server;
  TemporaryFolder folder;
  // 7!^2 executions, which take some seconds; the second expects another number.
  const std::string increments = "shared x: int; thread w[i: 0..7] { let r = x; x = r + (1 << i); }\n";
  folder.file("right.hed", increments + "expect sc by trust: executions 25401600;\n");
  folder.file("wrong.hed", increments + "expect sc by trust: executions 25401601;\n");
  folder.file("short.hed", std::string(safe_program) + "expect sc by trust: executions 3;\n");
  Process shared({"test", folder.path().string(), "-j", "2", "--cluster", server.url(), "--timeout", "100",
                  "--json", "-"});
  // There is no worker, so both wait there.
  REQUIRE(comes_true([&] { return server.ask({"ZCARD", key(server, "checks")}) == "2"; }));
  const Worker workers = hire(server.url(), "2");
  const Finished result = shared.finish();
  CHECK(result.exit_code == 1);
  const Json report = Json::parse(result.output, nullptr, false);
  REQUIRE(report.is_object());
  CHECK(report["passed"] == 2);
  CHECK(report["failed"] == 1);
  for (const Json& each : report["results"]) {
    if (!contains(each["program"].get<std::string>(), "wrong.hed")) continue;
    CHECK(contains(each["message"].get<std::string>(), "25401600"));
  }
  const Json status = status_of(server.url());
  CHECK(status["checks"].size() == 2);
  for (const Json& check : status["checks"]) {
    CHECK(check["state"] == "done");
    CHECK(check["executions"] == 25'401'600);
  }
}

TEST_CASE("what others have written into the server is no reason to crash") {
  Server server;
  Worker workers = hire(server.url(), "1");
  Process submitter(with(searched().check, {"--cluster", server.url()}));
  std::string check;
  REQUIRE(comes_true([&] {
    return !(check = server.ask({"ZRANGE", key(server, "checks"), "0", "0"})).empty();
  }));
  const std::string prefix = key(server, check) + ":";
  const std::string endless = "0:" + std::string(100'000, '1');
  for (const std::string& part :
       {std::string("0:9.9.9.9"), std::string("nonsense"), std::string("7:1.2.3"), endless}) {
    server.ask({"HSET", prefix + "parts", "evil" + std::to_string(part.size()), "0 " + part});
    server.ask({"HINCRBY", prefix + "check", "open", "1"});
    server.ask({"ZADD", prefix + "queue", "0", "evil" + std::to_string(part.size())});
  }
  const Finished result = submitter.finish();
  CHECK(result.exit_code == 1);  // with --keep-going, there were violations in the good parts
  CHECK(contains(result.output, "4 parts set aside"));
  // A tally that is none of the program.
  workers.reset();
  Process second(with(searched().check, {"--cluster", server.url()}));
  REQUIRE(comes_true([&] { return server.ask({"HGET", prefix + "check", "state"}) == "running"; }));
  server.ask({"HSET", prefix + "sums", "state/1,2,x", "7"});
  server.ask({"HSET", prefix + "firsts", "violation/5", "00 {\"kind\":1234}"});
  workers = hire(server.url());
  const Finished damaged = second.finish();
  CHECK(damaged.exit_code == 2);
  CHECK(contains(damaged.output, "cannot be used"));
}

}  // namespace heddle::test
