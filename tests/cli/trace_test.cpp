// The layout of traces.
#include <doctest/doctest.h>

#include <sstream>

#include "cli/report.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

Step step(std::int32_t thread, std::string action, std::uint32_t line, std::string source) {
  Step result;
  result.thread = thread;
  result.action = std::move(action);
  result.file = "sb.hed";
  result.line = line;
  result.source = std::move(source);
  return result;
}

Trace store_buffering() {
  Trace trace;
  trace.threads = {"p", "q"};
  trace.steps = {step(0, "x = 1 buffered", 3, "x = 1;"), step(1, "read x = 0", 4, "let b = x;"),
                 step(0, "x = 1 reaches memory", 3, "x = 1;"),
                 step(-1, "assertion failed", 5, "assert x == 2;")};
  trace.memory = {{"x", 1, false}, {"flag[0]", 1, true}, {"flag[1]", 0, true}};
  trace.ends = {{"p", "finished", {{"a", 0, false}}, {}},
                {"q", "waits for m", {}, {{"y", 1, false}, {"y", 2, false}}}};
  return trace;
}

}  // namespace

TEST_CASE("a trace that fits is a table with a column for each thread and one for the final block") {
  const std::string text = format_trace(store_buffering(), "sb.hed", {.width = 100});
  CHECK(text ==
        "  #  p                     q           final             line  source\n"
        "  ---------------------------------------------------------------------------\n"
        "  1  x = 1 buffered                                         3  x = 1;\n"
        "  2                        read x = 0                       4  let b = x;\n"
        "  3  x = 1 reaches memory                                   3  x = 1;\n"
        "  4                                    assertion failed     5  assert x == 2;\n"
        "\n"
        "Shared variables at the end:\n"
        "  x = 1, flag = {true, false}\n"
        "\n"
        "Threads at the end:\n"
        "  p  finished\n"
        "     locals: a = 0\n"
        "  q  waits for m\n"
        "     store buffer, oldest first: y = 1, y = 2\n");
}

TEST_CASE("no line of a trace is wider than the terminal unless a single step is") {
  for (std::size_t width = 30; width <= 120; ++width) {
    const std::string text = format_trace(store_buffering(), "sb.hed", {.width = width});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      // The longest step needs a line of its own: "  3  final  x = 1 reaches memory".
      CHECK(display_width(line) <= std::max<std::size_t>(width, 32));
    }
  }
}

TEST_CASE("a trace that does not fit is a list") {
  const std::string text = format_trace(store_buffering(), "sb.hed", {.width = 50});
  CHECK(
      text.starts_with("  1  p      x = 1 buffered  (line 3: x = 1;)\n"
                       "  2  q      read x = 0  (line 4: let b = x;)\n"
                       "  3  p      x = 1 reaches memory  (line 3: x = 1;)\n"
                       "  4  final  assertion failed\n"
                       "            (line 5: assert x == 2;)\n"));
}

TEST_CASE("columns line up with characters of more than one byte") {
  Trace trace;
  trace.threads = {"p", "q"};
  trace.steps = {step(0, "\xC3\xA4 = 1", 1, ""), step(1, "b = 2", 2, "")};
  const std::string text = format_trace(trace, "sb.hed", {});
  CHECK(text.find("  1  \xC3\xA4 = 1            1\n") != std::string::npos);
  CHECK(text.find("  2         b = 2     2\n") != std::string::npos);
}

TEST_CASE("traces without steps or threads, or with control characters in their text, can be printed") {
  Trace trace;
  CHECK(!format_trace(trace, "x.hed", {}).empty());
  trace.steps = {step(7, "a\x1b[31m\nb\xFF", 0, "\n\n")};
  const std::string text = format_trace(trace, "x.hed", {.width = 20});
  CHECK(text.find('\x1b') == std::string::npos);
  trace.steps.front().thread = -1;
  CHECK(!format_trace(trace, "x.hed", {}).empty());
}

TEST_CASE("many threads become a list") {
  Trace trace;
  for (int i = 0; i < 64; ++i) trace.threads.push_back("w[" + std::to_string(i) + "]");
  trace.steps = {step(63, "x = 1", 2, "x = 1;")};
  CHECK(format_trace(trace, "sb.hed", {}).starts_with("  1  w[63]  x = 1  (line 2: x = 1;)\n"));
}

TEST_CASE("array elements become one item, and long runs are counted") {
  std::vector<NamedValue> values;
  for (int i = 0; i < 10; ++i) values.push_back({"a[" + std::to_string(i) + "]", i == 9 ? 5 : 0, false});
  values.push_back({"b[0]", 1, false});
  values.push_back({"c[1]", 2, false});
  CHECK(format_values(values) == "a = {0 (9 times), 5}, b[0] = 1, c[1] = 2");
  CHECK(format_values({}).empty());
}

}  // namespace heddle::cli
