// check --dot and --html: the contents of the pictures; in headless Chromium if it is installed.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "cli/pictures.hpp"
#include "heddle/heddle.h"
#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using cli::picture_graph;

using Json = nlohmann::json;

const char* const buffering =
    "shared x: int;\nshared y: int;\nmutex m;\n"
    "thread p { lock m; x = 1; unlock m; y = 5; let a = x; let c = y; }\n"
    "thread q { x = 2; let b = y; }\n"
    "final { assert x != 1 || y != 5, \"</script><b>&\"; }\n";

// Its violation takes 202 steps.
const char* const long_program =
    "shared x: int;\nthread p { for i in 0..50 { x = x + 1; } }\n"
    "thread q { for i in 0..50 { x = x + 1; } assert x < 100; }\n";

// The JSON in a page.
Json data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t start = page.find(begin);
  REQUIRE(start != std::string::npos);
  const std::size_t end = page.find("</script>", start);
  const Json json =
      Json::parse(page.substr(start + begin.size(), end - start - begin.size()), nullptr, false);
  REQUIRE(json.is_object());
  return json;
}

std::string page_of(const TemporaryFolder& folder, const std::string& program, const std::string& model) {
  const std::string page = (folder.path() / "trace.html").string();
  const Finished run = run_heddle({"check", program, "--model", model, "--html", page});
  CAPTURE(run.errors);
  REQUIRE(run.exit_code == 1);
  return page;
}

bool have(const char* program) {
  return std::system(("command -v " + std::string(program) + " > /dev/null 2>&1").c_str()) == 0;
}

}  // namespace

TEST_CASE("the execution graph of a trace has the po, rf, co and fr edges that its values imply") {
  TemporaryFolder folder;
  for (const std::string model : {"sc", "tso", "pso", "power"}) {
    CAPTURE(model);
    const auto program = Program::from_file(folder.file("b.hed", buffering));
    REQUIRE(program);
    CheckOptions options;
    options.model = model;
    const auto result = check(*program, options);
    REQUIRE(result);
    REQUIRE(result->violation);
    const Trace& trace = result->violation->trace;
    REQUIRE(trace.initial.size() == 2);
    const auto graph = picture_graph(trace);
    REQUIRE(graph);
    std::size_t reads = 0;
    for (const GraphEvent& event : graph->events) reads += event.reads ? 1 : 0;
    std::size_t sources = 0;
    for (const GraphEdge& edge : graph->edges) {
      const GraphEvent& from = graph->events[edge.from];
      const GraphEvent& to = graph->events[edge.to];
      if (edge.relation == GraphRelation::program_order) {
        CHECK(from.thread == to.thread);
        if (const auto& commit = trace.steps[from.step].commit) {
          CHECK(commit->position < trace.steps[to.step].commit->position);
        } else {
          CHECK(from.step < to.step);
        }
        continue;
      }
      if (edge.relation > GraphRelation::from_read) {
        CHECK(model == "power");
        CHECK(from.thread == to.thread);
        continue;
      }
      CHECK(from.location == to.location);
      if (edge.relation != GraphRelation::reads_from) continue;
      ++sources;
      CHECK(from.writes);
      if (to.location != "m") CHECK(from.written == to.read);
    }
    CHECK(sources == reads);

    Trace wrong = trace;
    for (Step& step : wrong.steps) {
      if (step.kind == StepKind::load) step.read += 10;
    }
    CHECK_FALSE(picture_graph(wrong));
  }
}

TEST_CASE("--dot draws every event and every edge, in valid DOT") {
  TemporaryFolder folder;
  const std::string file = folder.file("b.hed", buffering);
  const std::string dot = (folder.path() / "graph.dot").string();
  REQUIRE(run_heddle({"check", file, "--model", "tso", "--dot", dot}).exit_code == 1);
  const std::string text = read(dot);
  for (const char* part : {"digraph execution {", "label=\"initial\"", "label=\"p\"", "label=\"q\"",
                           "label=\"rf\"", "label=\"co\"", "y = 5 buffered (in memory at "}) {
    CHECK_MESSAGE(contains(text, part), part);
  }
  CHECK(std::count(text.begin(), text.end(), '{') == std::count(text.begin(), text.end(), '}'));
  if (!have("dot")) {
    MESSAGE("Graphviz is not installed: the picture was not drawn");
    return;
  }
  const std::string svg = (folder.path() / "graph.svg").string();
  CHECK(std::system(("dot -Tsvg -o " + svg + " " + dot).c_str()) == 0);
  CHECK(contains(read(svg), "<svg"));
}

TEST_CASE("pictures of a trace under POWER show dependencies and fences") {
  TemporaryFolder folder;
  const std::string file =
      folder.file("mp.hed",
                  "shared x: int;\nshared y: int;\n"
                  "thread p { x = 1; fence lw; y = 1; }\n"
                  "thread q { let a = y; if a == 1 { let b = x; let c = x + a; y = c; } }\n"
                  "forbid q.a == 1 && x == 1 && y == 1;\n");
  const std::string dot = (folder.path() / "graph.dot").string();
  const std::string html = (folder.path() / "page.html").string();
  const Finished run = run_heddle({"check", file, "--model", "power", "--dot", dot, "--html", html});
  CAPTURE(run.output);
  REQUIRE(run.exit_code == 1);
  CHECK(run.errors.empty());
  CHECK(contains(run.output, "Execution graph, by the numbers of the steps:"));
  const std::string text = read(dot);
  for (const char* part : {"label=\"lwsync\"", "label=\"ctrl\"", "label=\"data\"", "label=\"rf\""})
    CHECK_MESSAGE(contains(text, part), part);
  CHECK(std::count(text.begin(), text.end(), '{') == std::count(text.begin(), text.end(), '}'));
  if (have("dot")) CHECK(std::system(("dot -Tsvg -o " + dot + ".svg " + dot).c_str()) == 0);
  const Json data = data_of(read(html));
  std::set<std::string> relations;
  for (const Json& edge : data["graph"]["edges"]) relations.insert(edge[0].get<std::string>());
  for (const char* relation : {"po", "rf", "co", "data", "ctrl", "lwsync"})
    CHECK_MESSAGE(relations.count(relation) > 0, relation);
  for (const Json& step : data["trace"]["steps"]) CHECK(step["commit"]["position"] >= 1);
}

TEST_CASE("--html writes one page with trace, source, graph and options that needs no network access") {
  TemporaryFolder folder;
  const std::string file = folder.file("b.hed", buffering);
  const std::string page = read(page_of(folder, file, "pso"));
  // The page fetches nothing: no element loads anything, and the only addresses are XML namespaces.
  for (const char* part :
       {"<link", "<img", "<iframe", "src=", "@import", "url(http", "fetch(", "XMLHttpRequest"})
    CHECK_MESSAGE(!contains(page, part), part);
  std::size_t scripts = 0;
  for (std::size_t at = page.find("</script>"); at != std::string::npos; at = page.find("</script>", at + 1))
    ++scripts;
  CHECK(scripts == 2);  // the text of the assertion does not end a script
  for (const char* part : {"prefers-color-scheme: dark", "@media print", "id=\"slider\"", "ArrowRight"})
    CHECK_MESSAGE(contains(page, part), part);
  const Json data = data_of(page);
  CHECK(data["file"] == file);
  CHECK(data["model"] == "pso");
  CHECK(contains(data["message"].get<std::string>(), "</script><b>&"));
  CHECK(data["sources"][0]["lines"].size() == 6);
  CHECK(data["sources"][0]["lines"][1] == "shared y: int;");
  const Json& trace = data["trace"];
  CHECK(trace["threads"] == std::vector<std::string>{"p", "q"});
  CHECK(trace["initial"].size() == 2);
  const Json& graph = data["graph"];
  for (const Json& event : graph["events"]) {
    if (!event["step"].is_null()) CHECK(event["step"] < trace["steps"].size());
    if (!event["flushed"].is_null())
      CHECK(trace["steps"][event["flushed"].get<std::size_t>()]["kind"] == "flush");
  }
  for (const Json& edge : graph["edges"]) {
    CHECK(edge[1] < graph["events"].size());
    CHECK(edge[2] < graph["events"].size());
  }
  CHECK(data["foot"].size() >= 5);
}

TEST_CASE("the page of a trace of 200 steps is far below 1 MB") {
  TemporaryFolder folder;
  const std::string page = read(page_of(folder, folder.file("long.hed", long_program), "sc"));
  CHECK(data_of(page)["trace"]["steps"].size() >= 200);
  CHECK(page.size() < 300'000);
}

TEST_CASE("the page works in a browser") {
  const char* const browser = have("chromium")           ? "chromium"
                              : have("chromium-browser") ? "chromium-browser"
                                                         : nullptr;
  if (browser == nullptr) {
    MESSAGE("Chromium is not installed: the page was not opened");
    return;
  }
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "profile");
  const std::string page = page_of(folder, folder.file("b.hed", buffering), "tso");
  const Json data = data_of(read(page));
  const std::string output = (folder.path() / "dom.html").string();
  const std::string profile = (folder.path() / "profile").string();
  const auto open = [&](const std::string& address) {
    const std::string command = "HOME=" + profile + " timeout 60 " + browser +
                                " --headless --no-sandbox --disable-gpu --user-data-dir=" + profile +
                                " --dump-dom 'file://" + address + "' > " + output + " 2>/dev/null";
    return std::system(command.c_str()) == 0 ? read(output) : std::string();
  };
  const std::string dom = open(page + "#3");
  if (dom.empty()) {
    MESSAGE("Chromium does not start here: the page was not opened");
    return;
  }
  const std::string steps = std::to_string(data["trace"]["steps"].size());
  CHECK(contains(dom, ">3 of " + steps + ": "));
  CHECK(contains(dom, "<tr class=\"now\">"));
  CHECK(contains(dom, "<path class=\"rf\""));
  CHECK(contains(dom, "aria-label=\"execution graph\""));
  CHECK(contains(dom, "class=\"row now\""));

  // From the start of the navigation to the end of the page's script, which draws everything. A reader should
  // wait at most a second; the test allows more for a busy machine.
  std::string timed = read(page_of(folder, folder.file("long.hed", long_program), "sc"));
  timed.insert(timed.find("</body>"),
               "<script>document.body.dataset.opened = Math.ceil(performance.now())</script>");
  const std::string slow = open(folder.file("timed.html", timed) + "#150");
  const std::string mark = "data-opened=\"";
  REQUIRE(contains(slow, mark));
  const int milliseconds = std::atoi(slow.c_str() + slow.find(mark) + mark.size());
  MESSAGE("a trace of 202 steps is on the screen after " << milliseconds << " ms");
  CHECK(milliseconds < 5000);
}

}  // namespace heddle::test
