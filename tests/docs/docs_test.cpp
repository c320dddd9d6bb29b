// The documentation is correct: every program in it runs, every command prints the shown output, C++
// compiles, JSON parses, every option and every link exists. A comment above a block marks blocks that cannot
// be run (see document.hpp). Documentation, help texts and comments avoid the phrases of `phrases` below.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/docs/document.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

struct Ran {
  int exit_code = -1;
  std::string output;  // and standard error
};

// The folder in which a document's commands run: it has the files of the source tree that readers use, and
// `heddle` in the path.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "heddle-docs-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
    for (const char* part : {"examples", "tests", "stdlib", "docs", "dev"})
      fs::create_symlink(fs::path(HEDDLE_SOURCE_DIR) / part, path_ / part);
    fs::create_symlink(HEDDLE_BINARY_DIR, path_ / "build");
    // Suites name programs in their own folder.
    for (const auto& entry : fs::directory_iterator(HEDDLE_SOURCE_DIR "/examples")) {
      if (entry.path().extension() == ".hed")
        fs::copy_file(entry.path(), path_ / entry.path().filename(), fs::copy_options::overwrite_existing);
    }
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string save(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return name;
  }
  [[nodiscard]] Ran run(const std::string& command) const {
    const std::string script = (path_ / ".script").string();
    std::ofstream(script) << "cd '" << path_.string() << "'\n" << command << "\n";
    const std::string line = "PATH='" HEDDLE_BINARY_DIR "':\"$PATH\" COLUMNS=100 NO_COLOR=1 bash '" + script +
                             "' 2>&1 < /dev/null";
    FILE* const pipe = popen(line.c_str(), "r");
    REQUIRE(pipe != nullptr);
    Ran result;
    std::array<char, 4096> bytes{};
    while (const auto got = std::fread(bytes.data(), 1, bytes.size(), pipe))
      result.output.append(bytes.data(), got);
    const int status = pclose(pipe);
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    return result;
  }

 private:
  fs::path path_;
};

std::string place(const Document& document, std::size_t line) {
  return document.name + ":" + std::to_string(line);
}

// "$ command" lines, each followed by its output.
void run_console(const Folder& folder, const Block& block) {
  std::istringstream lines(block.text);
  std::string command, shown;
  const auto finish = [&] {
    if (command.empty()) return;
    const Ran ran = folder.run(command);
    CAPTURE(command);
    CAPTURE(ran.output);
    CHECK(ran.exit_code != 127);
    CHECK_MESSAGE(matches(shown, ran.output), "the document shows something else");
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("$ ")) {
      finish();
      command = line.substr(2);
      shown.clear();
    } else {
      REQUIRE_MESSAGE(!command.empty(), "the first line of a console block is '$ command'");
      shown += line + "\n";
    }
  }
  REQUIRE_FALSE(command.empty());
  finish();
}

// A session at the prompt: the text after "> " and ". " is typed.
void run_session(const Folder& folder, const Block& block) {
  std::istringstream lines(block.text);
  std::string script;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("> ") || line.starts_with(". ")) script += line.substr(2) + "\n";
  }
  const Ran ran = folder.run("heddle repl --echo < " + folder.save("session.txt", script));
  CAPTURE(ran.output);
  CHECK(ran.exit_code == 0);
  CHECK_MESSAGE(matches(block.text, ran.output), "the document shows something else");
}

// A whole file, or statements of a function body.
void compile_cpp(const Folder& folder, const Block& block) {
  std::string text = block.text;
  if (text.find("int main(") == std::string::npos && text.find("TEST_CASE(") == std::string::npos) {
    std::istringstream lines(block.text);
    std::string includes, statements;
    for (std::string line; std::getline(lines, line);)
      (line.starts_with("#include") ? includes : statements) += line + "\n";
    text =
        "#include <heddle/builder.h>\n#include <heddle/heddle.h>\n#include <heddle/machine.h>\n"
        "#include <iostream>\n" +
        includes + "int block() {\n" + statements + "return 0;\n}\n";
  }
  const Ran ran = folder.run(std::string(HEDDLE_CXX) + " -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I" +
                             HEDDLE_SOURCE_DIR + "/include " + folder.save("block.cpp", text));
  CHECK_MESSAGE(ran.exit_code == 0, ran.output);
}

void run_block(const Folder& folder, const Block& block) {
  const std::string& language = block.language;
  // The file name that other blocks of the document use, or a default one.
  const auto name = [&](const char* otherwise) {
    return folder.save(block.file.empty() ? otherwise : block.file, block.text);
  };
  if (language == "heddle") {
    const bool expects = block.text.find("expect ") != std::string::npos;
    const Ran ran = folder.run((expects ? "heddle test " : "heddle check ") + name("block.hed"));
    CHECK_MESSAGE((ran.exit_code == 0 || (!expects && ran.exit_code == 1)), ran.output);
    CHECK_MESSAGE(folder.run("heddle emit --llvm " + name("block.hed") + " > /dev/null").exit_code == 0,
                  ran.output);
  } else if (language == "suite") {
    const Ran ran = folder.run("heddle test " + name("block.suite"));
    CHECK_MESSAGE(ran.exit_code == 0, ran.output);
  } else if (language == "litmus") {
    const Ran ran = folder.run("heddle outcomes --model sc " + name("block.litmus"));
    CHECK_MESSAGE(ran.exit_code == 0, ran.output);
  } else if (language == "console") {
    run_console(folder, block);
  } else if (language == "repl") {
    run_session(folder, block);
  } else if (language == "cpp") {
    compile_cpp(folder, block);
  } else if (language == "json") {
    CHECK(nlohmann::json::accept(block.text));
    CHECK_FALSE(block.file.empty());  // another block must read it
  } else if (language != "text") {
    FAIL_CHECK("nothing is known to do with a block of '" << language << "'");
  }
}

// The commands of `heddle`, `./dev` and their options, from their help.
struct Known {
  std::set<std::string> commands, dev_commands, options;
};

void add_matches(std::set<std::string>& to, const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), regex); it != std::sregex_iterator(); ++it)
    to.insert((*it)[1]);
}

const Known& known() {
  static const Known result = [] {
    Known known;
    const Folder folder;
    const std::string help = folder.run("heddle --help").output;
    add_matches(known.commands, help.substr(help.find("Commands:")), "\n  ([a-z]+) ");
    REQUIRE(known.commands.contains("check"));
    add_matches(known.options, help, "(--[a-z][a-z-]*)");
    for (const std::string& command : known.commands)
      add_matches(known.options, folder.run("heddle " + command + " --help").output, "(--[a-z][a-z-]*)");
    const std::string dev = folder.run("./dev help").output;
    add_matches(known.dev_commands, dev, "\n  ([a-z-]+) ");
    REQUIRE(known.dev_commands.contains("test"));
    add_matches(known.options, dev, "(--[a-z][a-z-]*)");
    // Options of CMake.
    known.options.insert({"--build", "--install", "--prefix"});
    return known;
  }();
  return result;
}

// "heddle check FILE" has placeholders; "heddle check examples/peterson.hed -D N=3" can be run.
bool is_form(const std::string& command) {
  static const std::regex form(R"(\b[A-Z]{2,}\b|\b[A-Z]\b|\[|\.\.\.)"), parameter(R"(-D ?\w+=-?[0-9]+)");
  return std::regex_search(std::regex_replace(command, parameter, ""), form);
}

// The numbers of commands in the text that were run, and of those with placeholders.
struct Spans {
  std::size_t run = 0, forms = 0;
};

void check_span(const Folder& folder, const Document& document, const Span& span, Spans& spans) {
  CAPTURE(place(document, span.line));
  CAPTURE(span.text);
  static const std::regex command(R"((?:build/)?heddle ([a-z]+)(.*))"), development(R"(\./dev ([a-z-]+).*)"),
      option("(^|[ `(])(--[a-z][a-z-]*)");
  std::smatch found;
  if (std::regex_match(span.text, found, command)) {
    CHECK_MESSAGE(known().commands.contains(found[1]), "there is no such command");
    if (found[2].length() > 0 && is_form(span.text)) ++spans.forms;
    if (found[2].length() > 0 && !is_form(span.text)) {
      ++spans.run;
      const Ran ran = folder.run(span.text);
      CHECK_MESSAGE((ran.exit_code == 0 || ran.exit_code == 1), ran.output);
    }
  } else if (std::regex_match(span.text, found, development)) {
    CHECK_MESSAGE(known().dev_commands.contains(found[1]), "there is no such command");
  }
  for (std::sregex_iterator it(span.text.begin(), span.text.end(), option); it != std::sregex_iterator();
       ++it)
    CHECK_MESSAGE(known().options.contains((*it)[2]), "there is no option ", (*it)[2].str());
}

}  // namespace

TEST_CASE("every block of code and every command in the documentation works, every option exists") {
  std::size_t run = 0, skipped = 0;
  Spans spans;
  for (const Document& document : all_documents()) {
    const Folder folder;
    for (const Block& block : document.blocks) {
      if (!block.file.empty()) folder.save(block.file, block.text);
    }
    // In the order of the text, because one command reads what another has written.
    auto span = document.spans.begin();
    const auto check_spans = [&](std::size_t before) {
      for (; span != document.spans.end() && span->line < before; ++span)
        check_span(folder, document, *span, spans);
    };
    for (const Block& block : document.blocks) {
      check_spans(block.line);
      const std::string where = place(document, block.line);
      CAPTURE(where);
      if (block.not_run.empty()) {
        run_block(folder, block);
        ++run;
      } else {
        MESSAGE(where << " not run: " << block.not_run);
        ++skipped;
      }
    }
    check_spans(std::string::npos);
  }
  MESSAGE(run << " blocks run, " << skipped << " not; " << spans.run << " commands in the text run, "
              << spans.forms << " are forms");
}

TEST_CASE("placeholders make a command a form, a parameter's value does not") {
  CHECK(is_form("heddle check FILE"));
  CHECK(is_form("heddle check a.hed -D NAME=VALUE"));
  CHECK(is_form("heddle check a.hed --unroll N"));
  CHECK_FALSE(is_form("heddle check a.hed -D N=3 -DFENCED=-1"));
}

TEST_CASE("every link in the documentation has a target, and the index links to every page") {
  std::set<std::string> reached;
  std::map<std::string, std::vector<std::string>> anchors;
  for (const Document& document : all_documents()) anchors[document.name] = document.anchors;
  CHECK(anchors["docs/json.md"].front() == "machine-readable-output");
  for (const Document& document : all_documents()) {
    const fs::path folder = fs::path(HEDDLE_SOURCE_DIR) / fs::path(document.name).parent_path();
    for (const std::string& link : document.links) {
      if (link.starts_with("http")) continue;
      const std::size_t hash = link.find('#');
      const std::string file = link.substr(0, hash);
      const fs::path target =
          file.empty() ? fs::path(HEDDLE_SOURCE_DIR) / document.name : (folder / file).lexically_normal();
      CHECK_MESSAGE(fs::exists(target), document.name, ": ", link);
      if (hash != std::string::npos) {
        const auto& names = anchors[fs::relative(target, HEDDLE_SOURCE_DIR).string()];
        CHECK_MESSAGE(std::find(names.begin(), names.end(), link.substr(hash + 1)) != names.end(),
                      document.name, ": no heading for ", link);
      }
      if (document.name == "docs/index.md") reached.insert(target.filename().string());
    }
  }
  for (const Document& document : all_documents()) {
    if (document.name != "docs/index.md")
      CHECK_MESSAGE(reached.contains(fs::path(document.name).filename().string()), document.name,
                    " is not in the index");
  }
}

// docs/extending.md creates files; a test of its own compiles them.
TEST_CASE("every file that the documentation names exists") {
  static const std::regex path(
      R"((lang|compiler|jit|checker|cli|include|stdlib|examples|tests|bench|docs|editors|cmake)/[\w./-]*)");
  for (const Document& document : all_documents()) {
    if (document.name == "docs/extending.md") continue;
    for (const Span& span : document.spans) {
      if (!std::regex_match(span.text, path) || span.text.find("NAME") != std::string::npos) continue;
      CHECK_MESSAGE(fs::exists(fs::path(HEDDLE_SOURCE_DIR) / span.text), place(document, span.line),
                    ": there is no ", span.text);
    }
  }
}

TEST_CASE("output is compared line by line, with ... for anything") {
  CHECK(matches("a\nb\n", "a\nb\n"));
  CHECK_FALSE(matches("a\n", "a\nb\n"));
  CHECK_FALSE(matches("a\nb\n", "a\n"));
  CHECK(matches("a\n...\nd\n", "a\nb\nc\nd\n"));
  CHECK(matches("a\n...\n", "a\n"));
  CHECK_FALSE(matches("a\n...\nd\n", "a\nb\nc\n"));
  CHECK(matches("x ... y\n", "x 1 2 y\n"));
  CHECK_FALSE(matches("x ... y\n", "x 1 2\n"));
  CHECK(matches("  time         0.03 ms\n", "  time         4.1 s\n"));
  CHECK(matches("safe; 1.003 s, 2 workers\n", "safe; 0.4 s, 2 workers\n"));
}

}  // namespace heddle::test
