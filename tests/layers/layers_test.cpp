// The order of the layers, read from the includes: docs/design.md has the picture.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Layer {
  std::string name;                // a folder, or one file of it
  std::vector<std::string> knows;  // layers before it, besides itself
};

// A layer knows layers further up only. A file belongs to the layer with the longest name that it begins with.
const std::vector<Layer> layers = {
    {"include/heddle/", {}},
    {"lang/", {}},
    {"compiler/image.hpp", {}},
    {"compiler/", {"lang/", "compiler/image.hpp"}},
    {"jit/", {"compiler/", "compiler/image.hpp"}},
    {"checker/state/", {"compiler/image.hpp"}},
    {"checker/search/", {"include/heddle/", "compiler/image.hpp", "checker/state/"}},
    {"checker/verifier/", {}},
    {"checker/axioms/", {}},
    {"checker/candidates/", {"compiler/image.hpp", "checker/state/", "checker/axioms/"}},
    {"checker/preemption_bound/", {"compiler/image.hpp", "checker/state/", "checker/search/"}},
    {"checker/interleavings/",
     {"compiler/image.hpp", "checker/state/", "checker/search/", "checker/verifier/"}},
    {"checker/commits/",
     {"compiler/image.hpp", "checker/state/", "checker/search/", "checker/preemption_bound/",
      "checker/interleavings/"}},  // to replay a graph on the machine
    {"checker/",                   // the registry
     {"include/heddle/", "checker/search/", "checker/verifier/", "checker/interleavings/",
      "checker/commits/"}},
    {"checker/report/",
     {"include/heddle/", "compiler/image.hpp", "checker/state/", "checker/search/", "checker/axioms/",
      "checker/candidates/", "checker/interleavings/", "checker/commits/", "checker/"}},
    {"checker/api/",
     {"include/heddle/", "lang/", "compiler/image.hpp", "compiler/", "jit/", "checker/state/",
      "checker/search/", "checker/verifier/", "checker/axioms/", "checker/candidates/",
      "checker/interleavings/", "checker/commits/", "checker/", "checker/report/"}},
    {"cli/", {"include/heddle/"}},
};

const Layer* layer_of(const std::string& file) {
  const Layer* found = nullptr;
  for (const auto& layer : layers) {
    if (file.starts_with(layer.name) && (found == nullptr || layer.name.size() > found->name.size()))
      found = &layer;
  }
  return found;
}

// Paths from the root of the source tree.
using Files = std::map<std::string, std::vector<std::string>>;

// What one line includes, as a path from the root; nothing for headers of others.
std::optional<std::string> included(const std::string& line, const fs::path& root, const fs::path& folder) {
  const auto hash = line.find_first_not_of(' ');
  if (hash == std::string::npos || line.compare(hash, 8, "#include") != 0) return std::nullopt;
  const auto begin = line.find_first_of("\"<", hash);
  const auto end = line.find_first_of("\">", begin + 1);
  if (begin == std::string::npos || end == std::string::npos) return std::nullopt;
  const auto name = line.substr(begin + 1, end - begin - 1);
  for (const auto& candidate : {fs::path(name), "include" / fs::path(name), folder / name}) {
    if (fs::is_regular_file(root / candidate)) return candidate.lexically_normal().generic_string();
  }
  if (line[begin] == '"') FAIL_CHECK("nothing is found for: ", line);
  return std::nullopt;
}

// Every source file of the layers, with what it includes.
Files read_files() {
  const fs::path root = HEDDLE_SOURCE_DIR;
  Files files;
  for (const auto* folder : {"include/heddle", "lang", "compiler", "jit", "checker", "cli"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp" && extension != ".h") continue;
      const auto path = fs::relative(entry.path(), root);
      auto& includes = files[path.generic_string()];
      std::ifstream text(entry.path());
      for (std::string line; std::getline(text, line);) {
        if (const auto header = included(line, root, path.parent_path())) includes.push_back(*header);
      }
    }
  }
  return files;
}

// Finds a circle of includes that the file leads to; empty if there is none. `done`: files known to lead to
// none.
std::string circle_from(const std::string& file, const Files& files, std::vector<std::string>& path,
                        std::map<std::string, bool>& done) {
  if (done[file]) return {};
  const auto known = std::find(path.begin(), path.end(), file);
  if (known != path.end()) {
    std::string circle;
    for (auto step = known; step != path.end(); ++step) circle += *step + " -> ";
    return circle + file;
  }
  path.push_back(file);
  if (const auto includes = files.find(file); includes != files.end()) {
    for (const auto& header : includes->second) {
      if (auto circle = circle_from(header, files, path, done); !circle.empty()) return circle;
    }
  }
  path.pop_back();
  done[file] = true;
  return {};
}

}  // namespace

TEST_CASE("the list of layers is in order: a layer knows layers before it only") {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (const auto& name : layers[i].knows) {
      const auto known =
          std::find_if(layers.begin(), layers.end(), [&](const Layer& layer) { return layer.name == name; });
      CAPTURE(layers[i].name);
      CAPTURE(name);
      CHECK_LT(known - layers.begin(), static_cast<std::ptrdiff_t>(i));
    }
  }
}

TEST_CASE("a file includes headers of its own layer and of those that the layer knows") {
  const auto files = read_files();
  CHECK_GT(files.size(), 200);
  for (const auto& [file, includes] : files) {
    const Layer* const layer = layer_of(file);
    REQUIRE_MESSAGE(layer != nullptr, file);
    for (const auto& header : includes) {
      const Layer* const other = layer_of(header);
      REQUIRE_MESSAGE(other != nullptr, header);
      const bool known = other == layer || std::count(layer->knows.begin(), layer->knows.end(), other->name);
      CHECK_MESSAGE(known, file, " includes ", header);
    }
  }
}

TEST_CASE("no file includes itself through others") {
  const auto files = read_files();
  std::map<std::string, bool> done;
  for (const auto& [file, includes] : files) {
    std::vector<std::string> path;
    CHECK_EQ(circle_from(file, files, path, done), "");
  }
}
