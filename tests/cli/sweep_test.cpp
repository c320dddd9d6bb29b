// Sweeps: `heddle check` with several models, algorithms or values of params.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "heddle/heddle.h"
#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

// Two stores and two loads with an optional fence in each thread: 0/0 is possible under TSO without both.
const char* const fenced = R"(param P = 0;
param Q = 0;
shared x: int;
shared y: int;
thread p { x = 1; if P { fence; } let a = y; }
thread q { y = 1; if Q { fence; } let b = x; }
forbid p.a == 0 && q.b == 0;
)";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}

Json parse(const Finished& run) {
  CAPTURE(run.output);
  CAPTURE(run.errors);
  Json json = Json::parse(run.output, nullptr, false);
  REQUIRE(!json.is_discarded());
  return json;
}

void check_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
  const Finished result = run_heddle(arguments);
  CAPTURE(result.errors);
  CHECK(result.exit_code == 2);
  CHECK(result.output.empty());
  for (const std::string& part : parts) CHECK_MESSAGE(contains(result.errors, part), part);
}

const std::string seqlock = std::string(HEDDLE_SOURCE_DIR) + "/examples/seqlock_fences.hed";

}  // namespace

TEST_CASE("check under all models is a table with one line per model") {
  const std::string path = std::string(HEDDLE_SOURCE_DIR) + "/examples/message_passing.hed";
  const Json json = parse(run_heddle({"check", path, "--model", "all", "--json"}));
  CHECK(json["document"] == "sweep");
  REQUIRE(json["checks"].size() == models().size());
  for (std::size_t i = 0; i < models().size(); ++i) {
    const Json& check = json["checks"][i];
    CHECK(check["model"] == models()[i].name);
    CHECK(check["algorithm"] == models()[i].default_algorithm);
    // The same as the check alone.
    const Json alone = parse(run_heddle({"check", path, "--model", std::string(models()[i].name), "--json"}));
    CHECK(check["verdict"] == alone["verdict"]);
    CHECK(check["counts"]["executions"] == alone["counts"]["executions"]);
    CHECK(check["counts"]["transitions"] == alone["counts"]["transitions"]);
  }
  const Finished text = run_heddle({"check", path, "--model", "all"});
  CHECK(text.exit_code == json["exit_code"]);
  for (const ModelInfo& model : models())
    CHECK(contains(text.output, "\n  " + std::string(model.name) + " "));
}

TEST_CASE("the default algorithm can be one of several, and it is that of its model and question") {
  TemporaryFolder folder;
  const std::string path =
      folder.file("wait.hed", "shared x: int; thread p { x = 1; } thread q { await x == 1; }");
  const Json several = parse(run_heddle({"check", path, "--algorithm", "rf,auto", "--json"}));
  REQUIRE(several["checks"].size() == 2);
  CHECK(several["checks"][0]["algorithm"] == "rf");
  CHECK(several["checks"][1]["algorithm"] == "trust");
  const Json live = parse(run_heddle({"check", path, "--model", "tso,power", "--live", "--json"}));
  REQUIRE(live["checks"].size() == 2);
  CHECK(live["checks"][0]["algorithm"] == "states");
  CHECK(live["checks"][1]["algorithm"] == "trust");
  CHECK(live["checks"][1]["verdict"] == "safe");
}

TEST_CASE("params are combined, and models stand side by side") {
  TemporaryFolder folder;
  const std::string file = folder.file("fenced.hed", fenced);
  const Finished run = run_heddle({"check", file, "--model", "sc,tso", "-D", "P=0..2,Q=0,1", "-j", "3"},
                                  {.environment = {{"COLUMNS", "120"}}});
  CAPTURE(run.output);
  CHECK(run.exit_code == 1);
  const auto lines = lines_of(run.output);
  std::vector<std::string> rows;
  for (const std::string& line : lines) {
    if (line.starts_with("  0  ") || line.starts_with("  1  ")) rows.push_back(line);
  }
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].starts_with("  0  0  safe"));
  CHECK(rows[1].starts_with("  0  1  safe"));
  CHECK(rows[2].starts_with("  1  0  safe"));
  CHECK(rows[3].starts_with("  1  1  safe"));
  for (int i = 0; i < 3; ++i) CHECK(contains(rows[i], "violation [1]"));
  CHECK(!contains(rows[3], "violation"));
  CHECK(contains(run.output, "(3 checks)\n"));
  CHECK(contains(run.output, " --model tso -D P=0 -D Q=0\n"));
  CHECK(contains(run.output, "8 checks: 5 safe, 3 violation; "));
  CHECK(contains(run.output, "3 workers"));

  // Too narrow for that: one line per check.
  const Finished narrow = run_heddle({"check", file, "--model", "sc,tso", "-D", "P=0..2,Q=0,1"},
                                     {.environment = {{"COLUMNS", "60"}}});
  CHECK(contains(narrow.output, "\n  P  Q  model  algorithm  verdict        executions"));
}

TEST_CASE("every cell of a sweep over models, algorithms and params is that of the check alone") {
  TemporaryFolder folder;
  const std::string file = folder.file("fenced.hed", fenced);
  const Json json =
      parse(run_heddle({"check", file, "--model", "all", "--algorithm", "all", "-D", "P=0..2", "--json"}));
  std::size_t pairs = 0;
  for (const ModelInfo& model : models()) {
    for (const AlgorithmInfo& algorithm : algorithms())
      pairs += why_not(model.name, algorithm.name).empty() ? 1 : 0;
  }
  std::size_t checked = 0;
  for (const Json& cell : json["checks"]) {
    const std::string reason =
        why_not(cell["model"].get<std::string>(), cell["algorithm"].get<std::string>());
    CHECK(cell["verdict"].is_null() == !reason.empty());
    if (!reason.empty()) continue;
    ++checked;
    CompileOptions options;
    options.parameters = cell["parameters"].get<Parameters>();
    const auto program = Program::from_file(file, options);
    REQUIRE(program);
    const auto alone = check(*program, {.model = cell["model"], .algorithm = cell["algorithm"]});
    REQUIRE(alone);
    CAPTURE(cell.dump());
    CHECK(cell["verdict"] == std::string(name(alone->verdict)));
    CHECK(cell["counts"]["executions"] == alone->counts.executions);
    CHECK(cell["violation"].is_null() == !alone->violation);
    if (alone->violation) {
      CHECK(cell["violation"]["message"] == alone->violation->message);
      CHECK(cell["violation"]["line"] == alone->violation->line);
    }
  }
}

TEST_CASE("the 81 choices of a seqlock's fences under POWER: safe exactly if there are all four") {
  const auto start = std::chrono::steady_clock::now();
  const Finished run = run_heddle({"check", seqlock, "--model", "power", "-D",
                                   "BEGIN=0..3,END=0..3,ENTER=0..3,CHECK=0..3", "--json", "-j", "2"});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  MESSAGE("81 checks in ", seconds, " s of wall time, ", run.cpu_seconds, " s of CPU");
  CHECK(run.exit_code == 1);
  const Json json = parse(run);
  REQUIRE(json["checks"].size() == 81);
  std::set<std::string> sets;
  for (const Json& check : json["checks"]) {
    bool all = true;
    for (const auto& [name, value] : check["parameters"].items()) all = all && value != 0;
    CHECK(check["verdict"] == (all ? "safe" : "violation"));
    sets.insert(check["parameters"].dump());
  }
  CHECK(sets.size() == 81);
  CHECK(json["sums"]["safe"] == 16);
  CHECK(json["sums"]["violation"] == 65);
}

TEST_CASE("a sweep as CSV") {
  TemporaryFolder folder;
  const std::string file = folder.file("fenced.hed", fenced);
  const Finished run =
      run_heddle({"check", file, "--model", "tso", "-D", "P=0,1", "-D", "Q=1", "--csv", "-"});
  CHECK(run.exit_code == 1);
  const auto lines = lines_of(run.output);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] ==
        "P,Q,model,algorithm,verdict,executions,blocked,transitions,seconds,stopped_by,file,line,message\r");
  CHECK(lines[1].starts_with("0,1,tso,trust,violation,"));
  CHECK(lines[1].ends_with("fenced.hed,7,a final state satisfies 'forbid p.a == 0 && q.b == 0'\r"));
  CHECK(lines[2].starts_with("1,1,tso,trust,safe,"));
  CHECK(lines[2].ends_with(",,,,\r"));

  // In addition to the report, and for a single check.
  const std::string table = (folder.path() / "out.csv").string();
  const Finished both = run_heddle({"check", file, "--csv", table});
  CHECK(both.exit_code == 0);
  CHECK(contains(both.output, "1 check: 1 safe; "));
  CHECK(lines_of(read(table)).size() == 2);
}

TEST_CASE("CSV quotes fields with commas and quotes") {
  TemporaryFolder folder;
  const std::string file =
      folder.file("quotes.hed", "param N = 0;\nthread p { assert N == 1, \"one, or \\\"two\\\"\"; }\n");
  const Finished run = run_heddle({"check", file, "-D", "N=0,1", "--csv", "-"});
  CHECK(contains(run.output, ",\"assertion failed: one, or \"\"two\"\"\"\r\n"));
}

TEST_CASE("a sweep as a page") {
  TemporaryFolder folder;
  const std::string file = folder.file("a&b.hed", fenced);
  const std::string page = (folder.path() / "out.html").string();
  const Finished run = run_heddle({"check", file, "--model", "sc,pso", "-D", "P=0..2", "--html", page});
  CHECK(run.exit_code == 1);
  const std::string html = read(page);
  CHECK(html.starts_with("<!doctype html>"));
  CHECK(contains(html, "a&amp;b.hed"));
  CHECK(!contains(html, "a&b.hed"));
  CHECK(contains(html, "<td class=\"verdict safe\""));
  CHECK(contains(html,
                 "<td class=\"verdict violation\" title=\"a final state satisfies 'forbid p.a == 0 "
                 "&amp;&amp; q.b == 0'\">violation [1]</td>"));
  CHECK(contains(html, "<th colspan=\"3\">pso auto</th>"));
  CHECK(contains(html, "</html>"));
}

TEST_CASE("the exit code of a sweep is the worst of its cells") {
  TemporaryFolder folder;
  const std::string program = folder.file("codes.hed", R"(param N = 0;
shared a: int[4 - N];
shared x: int;
thread p { assume N != 1; assert N != 2, "two"; x = 1; }
)");
  CHECK(run_heddle({"check", program, "-D", "N=0,3"}).exit_code == 0);
  CHECK(run_heddle({"check", program, "-D", "N=0,1"}).exit_code == 3);    // vacuous
  CHECK(run_heddle({"check", program, "-D", "N=0..3"}).exit_code == 1);   // and a violation
  const Finished wrong = run_heddle({"check", program, "-D", "N=2..5"});  // an array without elements
  CAPTURE(wrong.output);
  CHECK(wrong.exit_code == 2);
  CHECK(contains(wrong.output, "3 checks: 1 violation, 1 safe, 1 error"));
  CHECK(contains(wrong.output, "codes.hed:2: "));
  // If all cells have one error, it is an error of the whole.
  check_refused({"check", program, "-D", "N=4", "--model", "sc,tso"}, {"codes.hed:2:15: error: "});
  check_refused({"check", program, "-D", "M=0..3"}, {"the program has no param 'M'"});
  check_refused({"check", (folder.path() / "none.hed").string(), "--model", "all"},
                {"none.hed: error: No such"});
  check_refused({"check", folder.file("wrong.hed", "thread p {"), "--model", "all"}, {"wrong.hed:1:"});
}

TEST_CASE("bounds apply where a model has something to bound, and cells that cannot obey are left out") {
  TemporaryFolder folder;
  const std::string file = folder.file("fenced.hed", fenced);
  const Json buffers = parse(run_heddle({"check", file, "--model", "all", "--buffer-bound", "0", "--json"}));
  CHECK(buffers["exit_code"] == 1);  // under POWER, which has no buffers
  for (const Json& check : buffers["checks"])
    CHECK((check["verdict"] == "violation") == (check["model"] == "power"));
  const Finished preemptions =
      run_heddle({"check", file, "--model", "tso,power", "--algorithm", "source", "--preemption-bound", "0"});
  CAPTURE(preemptions.output);
  CHECK(contains(preemptions.output, "left out"));
  CHECK(contains(preemptions.output, "'source' does not bound preemptions under 'power' (1 check)"));
  check_refused(
      {"check", file, "--model", "power", "--algorithm", "source", "-D", "P=0,1", "--preemption-bound", "0"},
      {"none of these checks is possible: 'source' does not bound preemptions"});
}

TEST_CASE("a limit of a sweep holds for each check") {
  TemporaryFolder folder;
  const Finished run = run_heddle({"check", folder.file("endless.hed", endless_program), "--algorithm",
                                   "naive", "--model", "sc,tso", "--max-executions", "10"});
  CAPTURE(run.output);
  CHECK(run.exit_code == 3);
  CHECK(contains(run.output, "2 checks: 2 undecided"));
}

TEST_CASE("ranges and lists that make no sense are refused") {
  TemporaryFolder folder;
  const std::string file = folder.file("fenced.hed", fenced);
  const auto refused = [&](const std::string& values, const std::vector<std::string>& parts) {
    CAPTURE(values);
    check_refused({"check", file, "-D", values}, parts);
  };
  refused("P=3..3", {"-D P: the range 3..3 is empty", "0..3 is 0, 1, 2"});
  refused("P=2..-2", {"-D P: the range 2..-2 is empty"});
  refused("P=0,,1", {"-D P: '' is not a whole number"});
  refused("P=0..", {"-D P: '' is not a whole number"});
  refused("P=..2", {"-D P: '' is not a whole number"});
  refused("P=a..b", {"-D P: 'a' is not a whole number"});
  refused("P=0..3,1", {"-D P gives the value 1 twice"});
  refused("P=0,P=1", {"-D gives P twice"});
  refused("0..3", {"-D takes NAME=VALUE, not '0..3'"});
  refused("P=0..1000000000000", {"has more than 100,000 values"});
  refused("P=-9223372036854775808..9223372036854775807", {"has more than 100,000 values"});
  refused("P=0..1000,Q=0..1000", {"more than 100,000 checks", "multiplied"});
}

TEST_CASE("commands that run one check name those that take lists") {
  TemporaryFolder folder;
  const std::string file = folder.file("fenced.hed", fenced);
  check_refused({"outcomes", file, "--model", "all"}, {"'all' is more than one model", "heddle compare"});
  check_refused({"outcomes", file, "--model", "sc,tso"}, {"'sc,tso' is more than one model"});
  check_refused({"outcomes", file, "--algorithm", "all"}, {"'all' is more than one algorithm"});
  check_refused({"compare", file, "-D", "P=0..2"}, {"-D P: '0..2' is more than one value", "heddle check"});
  check_refused({"outcomes", file, "-D", "P=0,1"}, {"-D P: '0,1' is more than one value"});
}

TEST_CASE("options about one execution or one program are refused in a sweep") {
  TemporaryFolder folder;
  const std::string file = folder.file("fenced.hed", fenced);
  const std::vector<std::vector<std::string>> refused{
      {"--trace", "t.json"}, {"--dot", "t.dot"}, {"--sarif", "s.json"}, {"--coverage-lcov", "c.info"},
      {"--coverage"},        {"--outcomes"},     {"--witness", "1"},    {"--violation", "2", "--keep-going"},
      {"--minimise"},        {"--lint"},
  };
  for (const auto& options : refused) {
    std::vector<std::string> arguments{"check", file, "--model", "all"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    check_refused(arguments, {options.front() + " ", "a table of checks"});
  }
  const Finished both = run_heddle({"check", file, "--model", "all", "--json", "--csv", "-"});
  CHECK(both.exit_code == 2);
  CHECK(contains(both.output, "--json and --csv - would both write to standard output"));
  check_refused({"check", file, "--model", "all", "--csv", file}, {"--csv"});
}

TEST_CASE("Ctrl-C ends a sweep with the checks that have finished") {
  TemporaryFolder folder;
  const std::string file = folder.file("slow.hed", R"(param N = 1;
shared x: int;
thread p[i: 0..N] { for k in 0..N { x = fetch_add(x, 1); } }
)");
  Process process({"check", file, "--algorithm", "naive", "-D", "N=1,2,9,10", "-j", "1", "--json"});
  REQUIRE(process.wait_for_handler(SIGINT));
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  process.send(SIGINT);
  const Finished result = process.finish();
  CHECK(result.signal == 0);
  CHECK(result.exit_code == 3);
  const Json json = parse(result);
  CHECK(json["interrupted"] == true);
  CHECK(json["checks"][0]["verdict"] == "safe");
  CHECK(json["checks"][1]["verdict"] == "safe");
  CHECK(json["checks"][2]["verdict"] == "undecided");
  CHECK(json["checks"][2]["stopped_by"] == "interrupted");
  CHECK(json["checks"][3]["status"] == "not_run");
  CHECK(json["checks"][3]["verdict"].is_null());
}

TEST_CASE("a litmus test has no params, but can be checked under several models") {
  const std::string test = std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/SB.litmus";
  const Json json = parse(run_heddle({"check", test, "--model", "all", "--json"}));
  CHECK(json["checks"].size() == models().size());
  check_refused({"check", test, "-D", "N=0..3"}, {"a litmus test has no params"});
}

}  // namespace heddle::test
