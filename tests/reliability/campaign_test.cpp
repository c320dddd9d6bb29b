// What remains of results when a process is killed, the disk fills up or memory runs out at a random moment.
// After each round, every file with a final name is either unchanged or a complete new document, and finished
// results are not lost. HEDDLE_ROUNDS scales the campaigns (20, or 40 in full, unless it is set; ./dev kill);
// HEDDLE_SEED selects other random moments.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <thread>

#include "tests/cli/process.hpp"
#include "tests/environment.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

using tests::number_from_environment;

std::uint64_t rounds() {
  return number_from_environment("HEDDLE_ROUNDS", tests::sized<std::uint64_t>(20, 40));
}

class Random {
 public:
  Random() : engine_(number_from_environment("HEDDLE_SEED", 1)) {}
  // From 0 to `most`.
  std::uint64_t up_to(std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(0, most)(engine_);
  }

 private:
  std::mt19937_64 engine_;
};

constexpr std::string_view old_content = "what was there before\n";

const char* const tested_program =
    "shared x: int;\nthread p { x += 1; }\nthread q { x += 1; }\n"
    "exists x == 1;\nexpect sc: sometimes;\nexpect tso: sometimes;\nexpect pso: sometimes;\n"
    "expect sc by source: executions 3;\n";  // the last one is wrong, so there is a failure to report

// A command that writes files, with the form of each complete file.
struct Scenario {
  std::string name;
  std::vector<std::string> arguments;
  std::string input;  // standard input; empty: none
  std::vector<std::pair<fs::path, std::function<bool(const std::string&)>>> outputs;
  std::string reported;  // part of standard output if it is not interrupted
};

bool is_json(const std::string& text) { return !Json::parse(text, nullptr, false).is_discarded(); }
std::function<bool(const std::string&)> ends_with(std::string_view end) {
  return [end](const std::string& text) { return text.ends_with(end); };
}

constexpr std::size_t programs_tested = 6;

// `inputs` and `outputs` are folders; `outputs` may be on a small disk.
std::vector<Scenario> scenarios(const TemporaryFolder& inputs, const fs::path& outputs) {
  const std::string lost = inputs.file("lost.hed", unsafe_program);
  fs::create_directories(inputs.path() / "tested");
  for (std::size_t i = 0; i < programs_tested; ++i)
    inputs.file("tested/" + std::to_string(i) + ".hed", tested_program);
  const fs::path copy = outputs / "copy.hed";
  const std::string script = inputs.file("script", ":load " + lost + "\n:save " + copy.string() + "\n");
  const auto in = [&](const char* name) { return (outputs / name).string(); };
  return {
      {"test",
       {"test", (inputs.path() / "tested").string(), "-j", "2", "--junit", in("junit.xml"), "--json",
        in("test.json")},
       "",
       {{outputs / "junit.xml", ends_with("</testsuites>\n")}, {outputs / "test.json", is_json}},
       "24 checks of 6 programs: 18 passed, 6 failed"},
      {"check",
       {"check", lost, "--json", "--trace", in("trace.json"), "--html", in("page.html"), "--dot",
        in("graph.dot"), "--mermaid", in("chart.mmd"), "--sarif", in("check.sarif")},
       "",
       {{outputs / "trace.json", is_json},
        {outputs / "page.html", ends_with("</html>\n")},
        {outputs / "graph.dot", ends_with("}\n")},
        {outputs / "chart.mmd", ends_with("\n")},
        {outputs / "check.sarif", is_json}},
       "\"verdict\": \"violation\""},
      {"repl", {"repl"}, script, {{copy, ends_with(unsafe_program)}}, ""},
  };
}

// Every output is unchanged or complete. A killed process may leave a temporary file (NAME.XXXXXX).
void check_outputs(const Scenario& scenario, const std::map<fs::path, bool>& existed) {
  for (const auto& [path, complete] : scenario.outputs) {
    CAPTURE(path.string());
    if (!fs::exists(path)) {
      CHECK(!existed.at(path));
      continue;
    }
    const std::string text = read(path);
    const bool as_before = existed.at(path) && text == old_content;
    CHECK_MESSAGE((as_before || complete(text)), "half written: " << text.substr(0, 200));
  }
}

// Creates half of the outputs beforehand.
std::map<fs::path, bool> prepare(const Scenario& scenario, Random& random) {
  std::map<fs::path, bool> existed;
  for (const auto& [path, complete] : scenario.outputs) {
    for (const auto& entry : fs::directory_iterator(path.parent_path())) {
      if (entry.is_regular_file()) fs::remove(entry.path());
    }
  }
  for (const auto& [path, complete] : scenario.outputs) {
    existed[path] = random.up_to(1) == 0;
    if (existed[path]) std::ofstream(path) << old_content;
  }
  return existed;
}

Setup setup_for(const Scenario& scenario) {
  Setup setup;
  setup.input_file = scenario.input;
  return setup;
}

// The children of a process.
std::vector<pid_t> children_of(pid_t process) {
  const std::string id = std::to_string(process);
  std::ifstream file("/proc/" + id + "/task/" + id + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

void sleep(std::uint64_t microseconds) {
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

// How long the command takes undisturbed, in microseconds.
std::uint64_t duration_of(const Scenario& scenario) {
  const auto start = std::chrono::steady_clock::now();
  const Finished run = run_heddle(scenario.arguments, setup_for(scenario));
  CAPTURE(run.errors);
  REQUIRE(contains(run.output, scenario.reported));
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start)
          .count());
}

}  // namespace

TEST_CASE("kill -9 at any moment leaves no half-written file under its final name") {
  const TemporaryFolder inputs, outputs;
  Random random;
  for (const Scenario& scenario : scenarios(inputs, outputs.path())) {
    CAPTURE(scenario.name);
    const std::uint64_t duration = duration_of(scenario);
    for (std::uint64_t round = 0; round < rounds(); ++round) {
      CAPTURE(round);
      const auto existed = prepare(scenario, random);
      Process process(scenario.arguments, setup_for(scenario));
      sleep(random.up_to(duration + duration / 4));
      process.send(SIGKILL);
      static_cast<void>(process.finish());
      check_outputs(scenario, existed);
    }
  }
}

TEST_CASE("if a worker is killed at any moment, only its current check is lost") {
  const TemporaryFolder inputs, outputs;
  Random random;
  const Scenario scenario = scenarios(inputs, outputs.path()).front();
  const std::uint64_t duration = duration_of(scenario);
  for (std::uint64_t round = 0; round < rounds(); ++round) {
    CAPTURE(round);
    const auto existed = prepare(scenario, random);
    Process process(scenario.arguments);
    sleep(random.up_to(duration));
    const auto workers = children_of(process.id());
    if (!workers.empty()) ::kill(workers[random.up_to(workers.size() - 1)], SIGKILL);
    const Finished run = process.finish();
    CAPTURE(run.output);
    CAPTURE(run.errors);
    CHECK(run.exit_code == 1);
    check_outputs(scenario, existed);
    const Json report = Json::parse(read(outputs.path() / "test.json"), nullptr, false);
    REQUIRE(report.is_object());
    std::map<std::string, std::size_t> statuses;
    for (const auto& result : report["results"]) ++statuses[result["status"]];
    CHECK(statuses["crashed"] <= 1);
    CHECK(statuses["passed"] + statuses["failed"] + statuses["crashed"] == report["results"].size());
    // A worker may die while compiling a program, before any of its checks. That leaves one result in place
    // of all its remaining checks.
    const std::size_t lost = 4 * programs_tested - report["results"].size();
    CHECK(lost <= (contains(run.output, "while compiling") ? 3 : 0));
  }
}

TEST_CASE("a disk that fills up at any moment leaves no half-written file and hides no result") {
  const TemporaryFolder inputs, outputs;
  const fs::path disk = outputs.path() / "disk";
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=256k") != 0) {
    MESSAGE("cannot mount a small disk here: not tested");
    return;
  }
  Random random;
  std::uint64_t refused = 0;
  for (const Scenario& scenario : scenarios(inputs, disk)) {
    CAPTURE(scenario.name);
    const std::uint64_t duration = duration_of(scenario);
    for (std::uint64_t round = 0; round < rounds(); ++round) {
      CAPTURE(round);
      const auto existed = prepare(scenario, random);
      Process process(scenario.arguments, setup_for(scenario));
      sleep(random.up_to(duration));
      std::ofstream(disk / "filler") << std::string(random.up_to(1) == 0 ? 1 << 20 : 200'000, 'x');
      const Finished run = process.finish();
      CAPTURE(run.errors);
      CHECK(run.signal == 0);
      CHECK(contains(run.output, scenario.reported));
      if (!run.errors.empty()) {
        CHECK(run.exit_code == 2);
        CHECK(contains(run.errors, "No space left on device"));
        ++refused;
      }
      check_outputs(scenario, existed);
      for (const auto& entry : fs::directory_iterator(disk)) {
        const bool known = entry.path() == disk / "filler" || existed.contains(entry.path());
        CHECK_MESSAGE(known, "left behind: " << entry.path().string());
      }
    }
  }
  MESSAGE(refused << " of " << 3 * rounds() << " rounds could not write a file");
  CHECK(refused > 0);
  CHECK(::umount(disk.c_str()) == 0);
}

TEST_CASE("a memory limit ends a command with its results or with one message, never by a signal") {
  const TemporaryFolder inputs, outputs;
  Random random;
  // The smallest address space, in MiB, in which the program can be loaded. With less, the dynamic loader or
  // constructors of libraries end the process; where that happens varies a little from run to run.
  std::uint64_t least = 16;
  while (run_heddle({"--version"}, {.address_space = least << 20}).exit_code != 0) ++least;
  std::uint64_t ended_early = 0;
  auto all = scenarios(inputs, outputs.path());
  // A search that uses any amount of memory: its table of states grows without end.
  all.push_back({"search",
                 {"check", inputs.file("endless.hed", endless_program), "--algorithm", "sdpor", "--json"},
                 "",
                 {},
                 "\"verdict\""});
  for (const Scenario& scenario : all) {
    CAPTURE(scenario.name);
    for (std::uint64_t round = 0; round < rounds(); ++round) {
      const std::uint64_t limit = (least << 20) + (1 << 20) + random.up_to(24 << 20);
      CAPTURE(limit);
      const auto existed = prepare(scenario, random);
      Setup setup = setup_for(scenario);
      setup.address_space = limit;
      const Finished run = run_heddle(scenario.arguments, setup);
      CAPTURE(run.output);
      CAPTURE(run.errors);
      CHECK(run.signal == 0);
      const bool complete = contains(run.output, scenario.reported) && run.errors.empty();
      if (!complete) {
        ++ended_early;
        CHECK((!run.errors.empty() || contains(run.output, "crashed") ||
               contains(run.output, "out of memory")));
        CHECK(run.exit_code != 0);
      }
      check_outputs(scenario, existed);
    }
  }
  MESSAGE(ended_early << " of " << all.size() * rounds() << " rounds ran out of memory");
  CHECK(ended_early > 0);
}

}  // namespace heddle::test
