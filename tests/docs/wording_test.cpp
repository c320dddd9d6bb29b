// The wording of documentation, help texts and comments: a list of phrases that read like a translation, each
// with plainer words, and references to things outside of the repository. A failure names file, line, phrase
// and remedy.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/docs/document.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

// `pattern` is only searched for in texts that contain `key`, because std::regex is slow.
struct Phrase {
  std::string key;
  std::regex pattern;
  std::string instead;
};

Phrase phrase(const char* key, const char* pattern, const char* instead) {
  return {key, std::regex(pattern, std::regex::ECMAScript | std::regex::optimize), instead};
}

// All texts are in lower case.
const std::vector<Phrase>& phrases() {
  static const std::vector<Phrase> list{
      phrase("behind", R"(\bbehind\b)", "after (order, time), beyond (a bound), inside (a branch)"),
      phrase("called", R"(\bwhat (is|was|are) called\b|\bcalled so\b)", "the term itself"),
      phrase("sentence", R"(\bthe sentence that\b)", "the message, the reason"),
      phrase("that there", R"(\b(every|each|all|any|those|no)\b[\w ]{0,30}\bthat there (is|are)\b)",
             "leave it out: \"every model\""),
      phrase("st",
             R"(\b(stands?|stood) (in|on|at|above|below|there|elsewhere|alone|before|)"
             R"(next|here|where|between)\b)",
             "is, is written, is placed"),
      phrase(" on", R"(\b(go|goes|going|gone|went) on\b)", "continue"),
      phrase(" not", R"(\b(has|have|had) not[.,;:)])", "does not have, lacks"),
      phrase("so many", R"(\bso many\b(?! that))", "N, this many"),
      phrase("in vain", R"(\bin vain\b)", "redundant, without effect"),
      phrase("all the same", R"(\ball the same\b)", "still, nevertheless"),
      phrase("what ", R"(\bwhat (is|was|are|were) (asked|wanted|looked|meant|given|missing)\b)",
             "a noun: the requested, needed, missing ..."),
      phrase("asked for", R"(\basked for\b)", "requested"),
      phrase("body", R"(\b(somebody|nobody|anybody)\b)", "the actor: a thread, no thread, the caller"),
      phrase("beside", R"(\bbeside\b)", "next to, in addition to, with"),
      phrase("at hand", R"(\bat hand\b)", "current, given"),
      phrase(
          "?",
          R"((^|[.:;] )(is|are|does|do|has|have|can|could|would|will|did|may|must|should|what|how|where|which|)"
          R"(why|who|when|whose|was|were)\b[^.?]*\?)",
          "a statement: \"Whether ...\", \"True if ...\", \"The reason why ...\""),
      phrase("looked at", R"(\b(is|are|was|were|be|been|being|not|never) looked at\b)",
             "checked, examined, visited"),
      phrase("put right", R"(\bput right\b)", "corrected"),
      phrase("wanted", R"(\b(is|are|was|were) wanted\b(?! for))", "needed, expected"),
      phrase("in the place of", R"(\bin the place of\b)", "instead of, in place of"),
      phrase(" back", R"(\b(take|takes|taken|took|taking) back\b)", "undo, undone"),
      phrase(" away", R"(\b(take|takes|taken|took|taking) away\b)", "remove, removed"),
      phrase("forward", R"(\b(bring|brings|brought) forward\b)", "advance, advanced"),
      phrase(" apart", R"(\b(tell|tells|told|keep|keeps|kept) apart\b)", "distinguish"),
      phrase("told otherwise", R"(\btold otherwise\b)", "by default"),
      phrase(" of", R"(\b(becomes?|became|become|comes?|came) of (it|them|that|the|a|an|this|one)\b)",
             "the result"),
      phrase(" so", R"(\b(ends?|begins?|stopped|expressed) so\b)", "in this way, with this"),
      phrase("heed", R"(\bheed(s|ed|ing)?\b)", "obey, respect"),
      phrase("commas between", R"(\bcommas between\b)", "separated by commas"),
      phrase("a line", R"(\b(one a line|a line each|an? \w+ a line)\b)", "one per line"),
      phrase("tabulator", R"(\btabulator\b)", "Tab"),
      // Nothing may refer to what is not in the repository.
      phrase("shared/", R"((^|[^\w])shared/[a-z.])", "a citation (docs/papers.md), or the text itself"),
      phrase("issue", R"(\bissues? #?[0-9]+)", "the reason itself"),
      phrase("#", R"((^|[ (])#[0-9]+\b)", "the reason itself"),
      phrase("commit", R"(\bcommit [0-9a-f]{7,40}\b)", "the reason itself"),
  };
  return list;
}

// Idioms that contain a phrase.
constexpr std::array allowed{"left behind", "decisions behind", "idea behind", "reasons behind",
                             "truth value of"};

// A text of one or more lines, joined; `lines` are the offsets at which they begin.
struct Paragraph {
  std::size_t first_line = 0;
  std::string text;
  std::vector<std::size_t> lines;

  void add(std::string_view line) {
    if (!text.empty()) text += ' ';
    lines.push_back(text.size());
    text += line;
  }
  [[nodiscard]] std::size_t line_of(std::size_t offset) const {
    return first_line +
           static_cast<std::size_t>(std::upper_bound(lines.begin(), lines.end(), offset) - lines.begin()) - 1;
  }
};

// Code (`...` or '...') is not prose, and case does not matter.
std::string prose(std::string text) {
  static const std::regex code("`[^`]*`");
  text = std::regex_replace(text, code, "`");
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view idiom : allowed) {
    for (std::size_t at = text.find(idiom); at != std::string::npos; at = text.find(idiom, at + 1))
      std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), idiom.size(), '_');
  }
  return text;
}

class Findings {
 public:
  void check(const std::string& file, const Paragraph& paragraph) {
    for (const Phrase& each : phrases()) {
      if (paragraph.text.find(each.key) == std::string::npos) continue;
      for (std::sregex_iterator it(paragraph.text.begin(), paragraph.text.end(), each.pattern), end;
           it != end; ++it) {
        text_ += file + ":" + std::to_string(paragraph.line_of(static_cast<std::size_t>(it->position()))) +
                 ": \"" + it->str() + "\"; instead: " + each.instead + "\n";
      }
    }
  }
  // Every line that `take` accepts, after removing its marker, joined to paragraphs of consecutive lines.
  void check_lines(const std::string& file, std::istream& input,
                   const std::function<bool(std::string& line, bool& whole)>& take) {
    Paragraph paragraph;
    std::size_t number = 0;
    const auto flush = [&] {
      if (!paragraph.text.empty()) check(file, paragraph);
      paragraph = {};
    };
    for (std::string line; std::getline(input, line);) {
      ++number;
      bool whole = true;  // false: a comment after code, a paragraph of its own
      if (!take(line, whole)) {
        flush();
        continue;
      }
      if (!whole) flush();
      if (paragraph.text.empty()) paragraph.first_line = number;
      line.erase(0, line.find_first_not_of(' '));
      paragraph.add(prose(line));
      if (!whole) flush();
    }
    flush();
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Prose of a Markdown file: headings and items are paragraphs of their own, blocks of code are left out.
void check_markdown(Findings& findings, const std::string& name) {
  std::ifstream input(fs::path(HEDDLE_SOURCE_DIR) / name);
  REQUIRE(input.good());
  bool code = false;
  findings.check_lines(name, input, [&code](std::string& line, bool& whole) {
    if (line.starts_with("```")) code = !code;
    whole = !line.starts_with('#') && !line.starts_with('|');
    return !code && !line.starts_with("```") && !line.empty();
  });
}

// The comments of C++ and .hed files ("//") or of scripts and CMake files ("#").
void check_comments(Findings& findings, const fs::path& path, const std::string& marker) {
  std::ifstream input(path);
  const std::string name = fs::relative(path, HEDDLE_SOURCE_DIR).string();
  findings.check_lines(name, input, [&marker](std::string& line, bool& whole) {
    bool quoted = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] == '\\') {
        ++at;
      } else if (line[at] == '"') {
        quoted = !quoted;
      } else if (!quoted && line.compare(at, marker.size(), marker) == 0 &&
                 (at == 0 || line[at - 1] == ' ')) {
        whole = line.find_first_not_of(' ') == at;
        line.erase(0, at + marker.size());
        return line.find_first_not_of(" /!#") != std::string::npos;
      }
    }
    return false;
  });
}

std::string output_of(const std::string& command) {
  FILE* const pipe = popen(
      ("cd '" HEDDLE_SOURCE_DIR "' && export PATH='" HEDDLE_BINARY_DIR "':\"$PATH\" && " + command).c_str(),
      "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 4096> bytes{};
  while (const auto got = std::fread(bytes.data(), 1, bytes.size(), pipe)) text.append(bytes.data(), got);
  CHECK(pclose(pipe) == 0);
  return text;
}

void check_output(Findings& findings, const std::string& command) {
  std::istringstream text(output_of(command));
  findings.check_lines(command, text, [](std::string& line, bool&) { return !line.empty(); });
}

}  // namespace

TEST_CASE("the documentation avoids awkward phrases and refers to nothing outside of the repository") {
  Findings findings;
  for (const Document& document : all_documents()) check_markdown(findings, document.name);
  for (const char* name : {"CONTRIBUTING.md", "CHANGELOG.md", "editors/vscode/README.md"})
    check_markdown(findings, name);
  CHECK_MESSAGE(findings.text().empty(), findings.text());
}

TEST_CASE("help texts avoid awkward phrases") {
  Findings findings;
  const std::string help = output_of("heddle --help");
  check_output(findings, "./dev help");
  check_output(findings, "heddle --help");
  check_output(findings, "echo :help | heddle repl");
  static const std::regex command("\n  ([a-z]+) ");
  const std::string commands = help.substr(help.find("Commands:"));
  for (std::sregex_iterator it(commands.begin(), commands.end(), command), end; it != end; ++it)
    check_output(findings, "heddle " + (*it)[1].str() + " --help");
  CHECK_MESSAGE(findings.text().empty(), findings.text());
}

TEST_CASE("comments avoid awkward phrases and refer to nothing outside of the repository") {
  Findings findings;
  const fs::path root = HEDDLE_SOURCE_DIR;
  for (const char* folder : {"lang", "compiler", "jit", "checker", "cli", "include", "bench", "tests",
                             "cmake", "stdlib", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".cpp" || extension == ".hpp" || extension == ".h" || extension == ".hed")
        check_comments(findings, entry.path(), "//");
      if (extension == ".sh" || extension == ".cmake" || entry.path().filename() == "CMakeLists.txt")
        check_comments(findings, entry.path(), "#");
    }
  }
  for (const char* file : {"dev", "CMakeLists.txt"}) check_comments(findings, root / file, "#");
  CHECK_MESSAGE(findings.text().empty(), findings.text());
}

TEST_CASE("a phrase is found across lines, but not in code or idioms") {
  Findings findings;
  Paragraph paragraph;
  paragraph.first_line = 7;
  paragraph.add(prose("The store stands"));
  paragraph.add(prose("in the buffer; `behind` is a field."));
  findings.check("a.md", paragraph);
  CHECK(findings.text() == "a.md:7: \"stands in\"; instead: is, is written, is placed\n");
  Paragraph idiom;
  idiom.add(prose("No file is left behind."));
  findings.check("b.md", idiom);
  CHECK(findings.text().find("b.md") == std::string::npos);
}

}  // namespace heddle::test
