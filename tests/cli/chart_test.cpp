// Folded traces, charts and Mermaid diagrams: of programs whose traces are known.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "cli/report.hpp"
#include "cli/trace_lines.hpp"
#include "heddle/details.h"
#include "heddle/graph.h"
#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

using cli::TraceLine;
using cli::TraceView;

// p sends two messages, q takes both; the last assertion fails.
const char* const post =
    "import std.channel(Vote, 2) as box;\n"
    "struct Vote { term: int; from: int; }\n"
    "shared b: box.Channel;\n"
    "shared last: Vote;\n"
    "thread p {\n"
    "  for i in 0..2 { box.send(b, Vote{term: i + 7, from: 3}); }\n"
    "}\n"
    "thread q {\n"
    "  var sum = 0;\n"
    "  for i in 0..2 {\n"
    "    let v = box.receive(b);\n"
    "    sum += v.term;\n"
    "    last = v;\n"
    "  }\n"
    "  assert sum == 0, \"a sum\";\n"
    "}\n";

struct Checked {
  Program program;
  Trace trace;
  TraceDetails details;
};

Checked checked(const std::string& text, const std::string& model = "sc") {
  Program program = Program::from_source(text, "post.hed").value();
  CheckOptions options;
  options.model = model;
  const CheckResult result = check(program, options).value();
  REQUIRE(result.violation.has_value());
  TraceDetails details = details_of(program, result.violation->trace, {.model = model});
  return {std::move(program), result.violation->trace, std::move(details)};
}

std::string all_text(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_part(const std::vector<std::string>& actions, const std::string& text) {
  return std::find(actions.begin(), actions.end(), text) != actions.end();
}

}  // namespace

TEST_CASE("details tell library calls apart and name structs") {
  const Checked post_office = checked(post);
  const TraceDetails& details = post_office.details;
  REQUIRE(details.calls.size() == post_office.trace.steps.size());
  std::set<std::size_t> sends, receives;
  for (std::size_t i = 0; i < details.calls.size(); ++i) {
    const Step& step = post_office.trace.steps[i];
    const auto& call = details.calls[i];
    CHECK(call.has_value() == (step.file == "std/channel.hed"));
    if (!call) continue;
    CHECK(call->file == "post.hed");
    CHECK(call->line == (step.thread == 0 ? 6 : 11));
    (step.thread == 0 ? sends : receives).insert(call->number);
  }
  // The loop's rounds are different calls, although the same line makes them.
  CHECK(sends.size() == 2);
  CHECK(receives.size() == 2);
  CHECK(details.structs.at("b.slots[1].value.term") == "Vote");
  CHECK(details.structs.at("b.slots[1].turn") == "Slot");
  CHECK(details.structs.at("last.from") == "Vote");
}

TEST_CASE("the locals of details lead to those at the end of the trace") {
  for (const char* const model : {"sc", "tso", "power"}) {
    CAPTURE(model);
    const Checked post_office = checked(post, model);
    const Trace& trace = post_office.trace;
    REQUIRE(post_office.details.locals.size() == trace.steps.size());
    std::map<std::pair<std::int32_t, std::string>, std::int64_t> values;
    std::size_t changes = 0;
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
      for (const NamedValue& value : post_office.details.locals[i]) {
        values[{trace.steps[i].thread, value.name}] = value.value;
        ++changes;
      }
    }
    CHECK(changes >= 2);
    for (std::size_t t = 0; t < trace.ends.size(); ++t) {
      for (const NamedValue& local : trace.ends[t].locals) {
        if (local.name != "sum") continue;
        CHECK(local.value == 15);
        CHECK((values[{static_cast<std::int32_t>(t), "sum"}] == 15));
      }
    }
  }
}

TEST_CASE("a library call is one line, and a struct one value") {
  const Checked post_office = checked(post);
  const Trace& trace = post_office.trace;
  const std::vector<TraceLine> lines = cli::lines_of(trace, {.details = &post_office.details});
  // Together the lines have each step once, in order.
  std::size_t next = 0;
  std::vector<std::string> actions;
  for (const TraceLine& line : lines) {
    CHECK(line.first == next);
    CHECK(line.last >= line.first);
    next = line.last + 1;
    CHECK(line.file == "post.hed");
    actions.push_back(line.action);
  }
  CHECK(next == trace.steps.size());
  CHECK(lines.size() < trace.steps.size() / 2);
  const auto begins = [&](const std::string& text) {
    return std::any_of(actions.begin(), actions.end(),
                       [&](const std::string& action) { return action.find(text) != std::string::npos; });
  };
  CHECK(begins("box.send: Vote{term=7, from=3}"));
  CHECK(begins("box.send: Vote{term=8, from=3}"));
  CHECK(begins("box.receive: Vote{term=8, from=3}"));
  CHECK(is_part(actions, "last = Vote{term=8, from=3}"));
  // Unfolded there is a line for each step.
  const auto all = cli::lines_of(trace, {.details = &post_office.details, .unfold = true});
  REQUIRE(all.size() == trace.steps.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].number() == std::to_string(i + 1));
    CHECK(all[i].action == trace.steps[i].action);
  }
}

TEST_CASE("an atomic block is one line, and a function that is one shows as its call") {
  const Checked boxes = checked(
      "struct Vote { term: int; from: int; }\n"
      "shared box: Vote; shared full: bool; shared n: int;\n"
      "fn send(v: Vote) { atomic { await !full; box = v; full = true; } }\n"
      "fn receive() -> Vote { var v: Vote; atomic { await full; v = box; full = false; } return v; }\n"
      "thread p { for i in 0..2 { send(Vote{term: i + 7, from: 3}); } }\n"
      "thread q { let v = receive(); let w = receive(); atomic { n = v.term + w.term; full = true; } assert "
      "n != 15; }\n");
  std::vector<std::string> actions;
  for (const TraceLine& line : cli::lines_of(boxes.trace, {.details = &boxes.details}))
    actions.push_back(line.action);
  const std::vector<std::string> expected{"send: Vote{term=7, from=3}",  "receive: Vote{term=7, from=3}",
                                          "send: Vote{term=8, from=3}",  "receive: Vote{term=8, from=3}",
                                          "atomic: n = 15, full = true", "read n = 15"};
  REQUIRE(actions.size() == expected.size() + 1);  // and the assertion
  actions.pop_back();
  CHECK(actions == expected);
}

TEST_CASE("without library calls and structs a folded trace is as it was") {
  const Checked lost = checked(
      "shared x: int;\nshared a: int[2];\nthread w[i: 0..2] { a[i] = 1; x += 1; }\n"
      "final { assert x == 2; }\n");
  const cli::Style folded{.width = 100, .view = {.details = &lost.details}};
  CHECK(cli::format_trace(lost.trace, "post.hed", folded) ==
        cli::format_trace(lost.trace, "post.hed", {.width = 100}));
}

TEST_CASE("each message of a chart is a value that another thread has written") {
  for (const char* const model : {"sc", "tso", "pso"}) {
    CAPTURE(model);
    const Checked post_office = checked(post, model);
    for (const bool unfold : {false, true}) {
      const TraceView view{.details = &post_office.details, .unfold = unfold};
      const auto lines = cli::lines_of(post_office.trace, view);
      const auto messages = cli::messages_of(post_office.trace, lines, view);
      REQUIRE(!messages.empty());
      std::size_t votes = 0;
      for (const cli::Message& message : messages) {
        REQUIRE(message.line < lines.size());
        CHECK(message.from != lines[message.line].thread);
        votes += message.text.find("Vote{") != std::string::npos ? 1 : 0;
      }
      CHECK(votes == (unfold ? 0 : 2));
    }
  }
}

TEST_CASE("no write is received twice by a thread") {
  // q reads the first write twice: it is one message, and the second write another one.
  const Checked flag = checked(
      "shared x: int;\nthread p { x = 1; x = 2; }\n"
      "thread q { let a = x; let b = x; let c = x; assert a != 1 || b != 1 || c != 2; }\n");
  const TraceView view{.details = &flag.details};
  const auto messages = cli::messages_of(flag.trace, cli::lines_of(flag.trace, view), view);
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].text == "x = 1");
  CHECK(messages[1].text == "x = 2");
}

TEST_CASE("a chart has a column for each thread and arrows between them") {
  const Checked flag =
      checked("shared x: int;\nthread p { x = 1; }\nthread q { let a = x; assert a == 0, \"seen\"; }\n");
  const cli::Style style{.width = 60, .view = {.details = &flag.details, .locals = true, .chart = true}};
  const std::string text = cli::format_chart(flag.trace, "post.hed", style);
  CHECK(text ==
        "  #  p                       q                         line\n"
        "  1  | x = 1                 |                         2\n"
        "     |-------- x = 1 ------->|\n"
        "  2  |                       | read x = 1              3\n"
        "     |                       | [a = 1]\n"
        "  3  |                       | assertion failed        3\n");
}

TEST_CASE("charts fit narrow terminals and texts of any kind") {
  const Checked post_office = checked(post);
  for (std::size_t width = 20; width <= 120; width += 9) {
    const cli::Style style{.width = width, .view = {.details = &post_office.details, .chart = true}};
    const std::string text = cli::format_chart(post_office.trace, "post.hed", style);
    CHECK(text.find("<") == std::string::npos);  // q writes nothing that p reads, except freed slots
    CHECK(text.find(">|") != std::string::npos);
  }
  Trace strange;
  strange.threads = {"p", "q"};
  strange.steps.resize(1);
  strange.steps[0].thread = 7;
  strange.steps[0].action = "\xFF\x1b[31m\xC3\xA4 \xE4\xBD\xA0\xE5\xA5\xBD";
  const std::string text = cli::format_chart(strange, "x.hed", {.width = 20});
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(!cli::format_chart(Trace{}, "x.hed", {}).empty());
}

TEST_CASE("values in structs that are as at the start are left out") {
  const Checked post_office = checked(post);
  std::size_t left_out = 0;
  const std::string text = cli::format_memory(post_office.trace, {.details = &post_office.details}, left_out);
  CHECK(text.find("b.slots[0].value = Vote{term=7, from=3}") != std::string::npos);
  CHECK(text.find("last = Vote{term=8, from=3}") != std::string::npos);
  const TraceView unfolded{.details = &post_office.details, .unfold = true};
  CHECK(cli::format_memory(post_office.trace, unfolded, left_out) ==
        cli::format_values(post_office.trace.memory));
  CHECK(left_out == 0);
}

TEST_CASE("check, outcomes and replay show traces as the options say") {
  TemporaryFolder folder;
  const std::string file = folder.file("post.hed", post);
  const std::string saved = (folder.path() / "t.json").string();
  const Finished plain = run_heddle({"check", file, "--trace", saved});
  CHECK(plain.exit_code == 1);
  CHECK(contains(plain.output, "box.send: Vote{term=7, from=3}"));
  CHECK(!contains(plain.output, "std/channel.hed"));
  const Finished unfolded = run_heddle({"check", file, "--unfold"});
  CHECK(contains(unfolded.output, "std/channel.hed"));
  CHECK(!contains(unfolded.output, "Vote{"));
  const Finished locals = run_heddle({"check", file, "--locals"});
  CHECK(contains(locals.output, "[sum = 15]"));
  CHECK(!contains(plain.output, "[sum = 15]"));
  const Finished chart = run_heddle({"check", file, "--chart"});
  CHECK(contains(chart.output, "->|"));
  const Finished replayed = run_heddle({"replay", saved, "--chart"});
  CHECK(replayed.exit_code == 1);
  CHECK(chart.output.substr(chart.output.find("#")) == replayed.output.substr(replayed.output.find("#")));

  const std::string sb = folder.file(
      "sb.hed", "shared x: int;\nthread p { x = 1; }\nthread q { let a = x; }\nexists q.a == 1;\n");
  CHECK(contains(run_heddle({"check", sb, "--witness", "1", "--chart"}).output, "- x = 1 -"));
  CHECK(contains(run_heddle({"outcomes", sb, "--witness", "2", "--chart"}).output, "line\n"));
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& part) {
    const Finished run = run_heddle(arguments);
    CHECK(run.exit_code == 2);
    CHECK_MESSAGE(contains(run.errors, part), run.errors);
  };
  refused({"check", file, "--model", "sc,tso", "--chart"}, "--chart shows one execution");
  refused({"outcomes", sb, "--locals"}, "--locals needs --witness");
  refused({"outcomes", sb, "--mermaid", saved + "x"}, "needs --witness");
  refused({"replay", saved, "--step", "--unfold"}, "--step and --unfold exclude each other");
  const Finished json = run_heddle({"check", file, "--chart", "--json"});
  CHECK(json.exit_code == 2);
  CHECK(contains(json.output, "--json and --chart exclude each other"));
}

TEST_CASE("--mermaid writes a sequence diagram in which nothing ends a line early") {
  TemporaryFolder folder;
  const std::string file = folder.file("a;b#c.hed", post);
  const std::string path = (folder.path() / "m.mmd").string();
  CHECK(run_heddle({"check", file, "--mermaid", path, "--locals"}).exit_code == 1);
  const std::string text = all_text(path);
  CHECK(text.starts_with("sequenceDiagram\n  participant t0 as p\n  participant t1 as q\n"));
  CHECK(contains(text, "a#59;b#35;c.hed under sc: assertion failed: a sum"));
  CHECK(contains(text, "t0->>t1: Vote{term=7, from=3}\n"));
  CHECK(contains(text, "<br/>[sum = 15"));
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    CAPTURE(line);
    CHECK((line == "sequenceDiagram" || line.starts_with("  participant t") ||
           line.starts_with("  Note over t") || line.starts_with("  t")));
    // Each ';' ends an entity.
    for (std::size_t at = line.find(';'); at != std::string::npos; at = line.find(';', at + 1))
      CHECK(line.rfind('#', at) + 4 >= at);
    begin = end + 1;
  }
  const Finished safe = run_heddle(
      {"check", folder.file("safe.hed", "shared x: int;\nthread p { x = 1; }\n"), "--mermaid", path + "2"});
  CHECK(safe.exit_code == 0);
  CHECK(contains(safe.errors, "is not written"));
}

}  // namespace heddle::test
