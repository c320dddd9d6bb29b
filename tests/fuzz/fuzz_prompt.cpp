// libFuzzer target: arbitrary bytes as a script for the prompt, one input per line. Every input is either
// executed or rejected with a message. Excluded are commands that read or write files or start an editor, and
// :set, which could remove the limits that keep checks short.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "cli/repl/session.hpp"
#include "cli/terminal.hpp"

namespace {

bool left_out(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return true;
  line.remove_prefix(begin);
  for (const std::string_view prefix : {":s", ":e", ":l", ":r"}) {
    if (!line.starts_with(prefix)) continue;
    for (const std::string_view harmless :
         {":start", ":step", ":state", ":list", ":run", ":random", ":replay", ":enabled"}) {
      if (line.starts_with(harmless)) return false;
    }
    return true;
  }
  return line.find("import") != std::string_view::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::cli::Options options;
  options.progress = false;
  options.check.max_executions = 50;
  options.check.timeout = 0.2;
  options.check.max_memory = 16 << 20;
  options.compile.unroll = 4;
  const heddle::cli::ReportCapture said;
  heddle::cli::Session session(options, {});
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  int inputs = 0;
  for (std::string line; !session.finished() && inputs < 40 && std::getline(lines, line);) {
    if (left_out(line)) continue;
    ++inputs;
    try {
      session.obey(line);
    } catch (const heddle::cli::Complaint& complaint) {
      if (complaint.text.empty() || complaint.text.back() != '\n') std::abort();
    }
  }
  return 0;
}
