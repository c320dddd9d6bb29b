// See document.hpp.
#include "tests/docs/document.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string_view>

namespace heddle::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void add_spans_and_links(Document& document, const std::string& line, std::size_t number) {
  for (std::size_t at = line.find('`'); at != std::string::npos;) {
    const std::size_t end = line.find('`', at + 1);
    if (end == std::string::npos) break;
    document.spans.push_back({line.substr(at + 1, end - at - 1), number});
    at = line.find('`', end + 1);
  }
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  const std::string bare = std::regex_replace(line, std::regex("`[^`]*`"), "");
  for (std::sregex_iterator it(bare.begin(), bare.end(), link); it != std::sregex_iterator(); ++it)
    document.links.push_back((*it)[1]);
}

// "## What `x` is, in short" -> "what-x-is-in-short"; the second one of that name gets "-1".
std::string anchor_of(const std::string& heading, const std::vector<std::string>& known) {
  std::string name;
  for (const char c : heading.substr(heading.find_first_not_of("# "))) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ' || c == '-') name += '-';
    if (std::isalnum(byte) != 0 || c == '_' || byte >= 0x80) name += static_cast<char>(std::tolower(byte));
  }
  std::string result = name;
  for (int again = 1; std::find(known.begin(), known.end(), result) != known.end(); ++again)
    result = name + "-" + std::to_string(again);
  return result;
}

// Matches one line of a pattern: "..." matches anything.
bool line_matches(std::string_view pattern, std::string_view line) {
  const std::size_t dots = pattern.find("...");
  if (dots == std::string_view::npos) return pattern == line;
  if (line.substr(0, dots) != pattern.substr(0, dots)) return false;
  const std::string_view rest = pattern.substr(dots + 3);
  for (std::size_t skip = dots; skip <= line.size(); ++skip) {
    if (line_matches(rest, line.substr(skip))) return true;
  }
  return false;
}

std::string without_measurements(const std::string& line) {
  static const std::regex measured("^(  (?:time|memory) ).*| +[0-9.]+ (?:ms|s)\\b");
  std::string result = std::regex_replace(line, measured, "$1");
  while (result.ends_with(' ')) result.pop_back();
  return result;
}

bool lines_match(const std::vector<std::string>& shown, std::size_t i, const std::vector<std::string>& lines,
                 std::size_t k) {
  for (; i < shown.size(); ++i, ++k) {
    if (shown[i] == "...") {
      for (std::size_t next = k; next <= lines.size(); ++next) {
        if (lines_match(shown, i + 1, lines, next)) return true;
      }
      return false;
    }
    if (k == lines.size() || !line_matches(shown[i], lines[k])) return false;
  }
  return k == lines.size();
}

}  // namespace

Document read_document(const std::string& name) {
  std::ifstream file(std::string(HEDDLE_SOURCE_DIR "/") + name);
  REQUIRE_MESSAGE(file, "cannot read ", name);
  static const std::regex file_comment("<!-- file: (\\S+) -->"), skip_comment("<!-- not run: (.+) -->");
  Document document{.name = name, .blocks = {}, .spans = {}, .links = {}, .anchors = {}};
  Block block;
  bool inside = false;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::smatch found;
    if (line.starts_with("```")) {
      if (inside) {
        document.blocks.push_back(std::move(block));
        block = {};
      } else {
        block.language = line.substr(3);
        block.line = number;
      }
      inside = !inside;
    } else if (inside) {
      block.text += line + "\n";
    } else if (std::regex_match(line, found, file_comment)) {
      block.file = found[1];
    } else if (std::regex_match(line, found, skip_comment)) {
      block.not_run = found[1];
    } else {
      REQUIRE_MESSAGE((block.file.empty() && block.not_run.empty()), name, ":", number,
                      ": the comment above has no block below it");
      add_spans_and_links(document, line, number);
      if (line.starts_with("#")) document.anchors.push_back(anchor_of(line, document.anchors));
    }
  }
  REQUIRE_MESSAGE(!inside, name, ": a block is not closed");
  return document;
}

std::vector<Document> all_documents() {
  std::vector<std::string> names{"README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/docs")) {
    if (entry.path().extension() == ".md") names.push_back("docs/" + entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  std::vector<Document> documents;
  for (const std::string& name : names) documents.push_back(read_document(name));
  return documents;
}

bool matches(const std::string& shown, const std::string& output) {
  std::vector<std::string> pattern = lines_of(shown), lines = lines_of(output);
  for (std::string& line : pattern) line = without_measurements(line);
  for (std::string& line : lines) line = without_measurements(line);
  return lines_match(pattern, 0, lines, 0);
}

}  // namespace heddle::test
