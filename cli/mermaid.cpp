// --mermaid; see pictures.hpp. The language is that of Mermaid's sequence diagrams (mermaid.js.org/syntax/sequenceDiagram).
#include <fmt/format.h>

#include <algorithm>

#include "cli/pictures.hpp"
#include "cli/report.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

// The text of a note or an arrow: it ends at the end of its line, and these characters have a meaning in it.
std::string mermaid_text(std::string_view text) {
  std::string result;
  for (const char c : one_line(text)) {
    switch (c) {
      case '#': result += "#35;"; break;
      case ';': result += "#59;"; break;
      case '<': result += "#lt;"; break;
      case '>': result += "#gt;"; break;
      case '%': result += "#37;"; break;
      default: result += c;
    }
  }
  return result;
}

}  // namespace

std::string mermaid_diagram(const Shown& shown, const std::string& model, const TraceView& view,
                            const std::string& file) {
  const Trace& trace = shown.trace;
  const std::vector<TraceLine> lines = lines_of(trace, view);
  const std::vector<Message> messages = messages_of(trace, lines, view);
  std::string text = "sequenceDiagram\n";
  for (std::size_t i = 0; i < trace.threads.size(); ++i)
    text += fmt::format("  participant t{} as {}\n", i, mermaid_text(trace.threads[i]));
  const std::string all = trace.threads.size() < 2 ? "t0" : fmt::format("t0,t{}", trace.threads.size() - 1);
  text += fmt::format("  Note over {}: {}\n", all,
                      mermaid_text(fmt::format("{} under {}: {}", file, model, shown.message)));
  auto message = messages.begin();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const TraceLine& line = lines[i];
    for (; message != messages.end() && message->line == i; ++message)
      text += fmt::format("  t{}->>t{}: {}\n", message->from, line.thread, mermaid_text(message->text));
    // (The `final` block is no thread: its steps are about all of them.)
    text += fmt::format("  Note over {}: {} {}", line.thread < 0 ? all : fmt::format("t{}", line.thread),
                        line.number(), mermaid_text(line.action));
    if (!line.locals.empty()) text += fmt::format("<br/>[{}]", mermaid_text(format_values(line.locals)));
    text += "\n";
  }
  return text;
}

}  // namespace heddle::cli
