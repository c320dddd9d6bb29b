// The programs that the tests of this folder run: .hed files and the blocks of the documentation.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "heddle/heddle.h"

namespace heddle::tests {

// The text of a program, and its name.
struct Source {
  std::string name;
  std::string text;
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file, "cannot read ", path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// All .hed files right in `folder` (relative to the source tree), sorted by name.
inline std::vector<Source> programs_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR "/") + folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".hed") paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  std::vector<Source> sources;
  for (const std::string& path : paths) sources.push_back({path, read_file(path)});
  return sources;
}

// The blocks of a Markdown file that are marked as programs (```heddle).
inline std::vector<Source> programs_of_document(const std::string& document) {
  std::istringstream text(read_file(std::string(HEDDLE_SOURCE_DIR "/") + document));
  std::vector<Source> sources;
  bool inside = false;
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      sources.back().text += line + "\n";
    } else if (line == "```heddle") {
      inside = true;
      sources.push_back({document + " from line " + std::to_string(number), ""});
    }
  }
  return sources;
}

inline std::string base_name(const std::string& path) { return std::filesystem::path(path).stem().string(); }

inline std::string first_error(const auto& result) { return to_text(result.error()); }

inline std::string text(const Parameters& parameters) {
  std::string all;
  for (const auto& [name, value] : parameters) all += name + "=" + std::to_string(value) + " ";
  return all;
}

// One program, compiled for each requested set of parameters. Fails the test if it cannot be compiled.
class Variants {
 public:
  explicit Variants(Source source, std::uint32_t unroll = CompileOptions{}.unroll)
      : source_(std::move(source)), unroll_(unroll) {}

  const Program& get(const Parameters& parameters) {
    const auto known = programs_.find(parameters);
    if (known != programs_.end()) return known->second;
    const auto program =
        Program::from_source(source_.text, source_.name, {.parameters = parameters, .unroll = unroll_});
    REQUIRE_MESSAGE(program, first_error(program));
    return programs_.emplace(parameters, *program).first->second;
  }

 private:
  Source source_;
  std::uint32_t unroll_;
  std::map<Parameters, Program> programs_;
};

}  // namespace heddle::tests
