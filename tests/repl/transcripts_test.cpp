// Every tests/repl/*.txt is a session: lines after "> " (or ". ", where an input continues) are typed, the
// others are the expected output of `heddle repl --echo`. HEDDLE_UPDATE_TRANSCRIPTS=1 rewrites the files with
// the actual output.
#include <doctest/doctest.h>

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "heddle-repl-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

// The typed lines, with TMP replaced by the temporary folder.
std::string script_of(const std::string& transcript, const fs::path& folder) {
  std::istringstream lines(transcript);
  std::string script;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("> ") || line.starts_with(". ") || line == ">" || line == ".")
      script += line.substr(std::min<std::size_t>(2, line.size())) + "\n";
  }
  replace_all(script, "TMP/", folder.string() + "/");
  return script;
}

// Removes output that differs from run to run.
std::string normalised(std::string text, const fs::path& folder) {
  replace_all(text, folder.string() + "/", "TMP/");
  static const std::regex time("  time  .*"), memory("  memory  +[0-9.,]+ (bytes|KiB|MiB)"),
      column(" +[0-9.]+ (ms|s)\n");
  text = std::regex_replace(text, time, "  time         ...");
  text = std::regex_replace(text, memory, "  memory       ...");
  return std::regex_replace(text, column, "  ...\n");
}

std::string run(const fs::path& script, const std::string& option = "--echo") {
  const std::string command = std::string("cd '") + HEDDLE_SOURCE_DIR +
                              "' && COLUMNS=100 NO_COLOR=1 VISUAL= EDITOR=\"sed -i 's/x = 1/x = 7/'\" '" +
                              HEDDLE_BINARY_DIR + "/heddle' repl " + option + " < '" + script.string() +
                              "' 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char bytes[4096];
  while (const auto got = std::fread(bytes, 1, sizeof bytes, pipe)) output.append(bytes, got);
  const int status = pclose(pipe);
  REQUIRE(WIFEXITED(status));
  return output + "(exit code " + std::to_string(WEXITSTATUS(status)) + ")\n";
}

TEST_CASE("every session prints its transcript") {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / "tests/repl")) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  CHECK(files.size() >= 25);
  for (const auto& file : files) {
    CAPTURE(file.filename().string());
    const Folder folder;
    const auto expected = read(file);
    const auto script = folder.path / "script";
    std::ofstream(script) << script_of(expected, folder.path);
    const auto said = normalised(run(script), folder.path);
    if (std::getenv("HEDDLE_UPDATE_TRANSCRIPTS") != nullptr) {
      std::ofstream(file) << said;
    } else {
      CHECK(said == expected);
    }
  }
}

TEST_CASE("--json answers each input with one document on a line, up to the first error") {
  const Folder folder;
  const auto script = folder.path / "script";
  std::ofstream(script) << "shared x: int = 6;\nthread p {\n  x = 1;\n}\nx * 7\n:outcomes\ny\nx\n";
  const std::string said = run(script, "--json");
  std::istringstream lines(said);
  const auto next = [&] {
    std::string line;
    std::getline(lines, line);
    return line;
  };
  const auto contains = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const std::string first = next();
  CHECK(first.starts_with("{\"document\":\"answer\",\"version\":1,"));
  CHECK(first.ends_with("\"input\":\"shared x: int = 6;\",\"output\":\"\",\"error\":null}"));
  CHECK(contains(next(), R"("input":"thread p {\n  x = 1;\n}")"));
  CHECK(contains(next(), R"("output":"42\n","error":null)"));
  CHECK(contains(next(), R"(1 distinct final state)"));
  CHECK(contains(next(), R"("output":"","error":"expression:1:1: error: unknown name 'y')"));
  CHECK(next() == "(exit code 2)");
}

}  // namespace
