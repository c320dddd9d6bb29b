#include "corpus.hpp"

#include <algorithm>
#include <filesystem>

#include "tests/environment.hpp"

namespace heddle::cross {
namespace fs = std::filesystem;

namespace {

std::vector<std::string> files(const std::string& folder, const std::string& extension) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == extension) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

Corpus corpus(std::size_t sample) {
  const std::string root = HEDDLE_SOURCE_DIR;
  Corpus result{.paths = files(root + "/examples", ".hed")};
  for (auto& path : files(root + "/tests/programs", ".hed")) result.paths.push_back(std::move(path));
  for (auto& path : files(root + "/tests/litmus", ".litmus")) result.paths.push_back(std::move(path));
  const std::string litmus = tests::published_litmus_tests();
  if (litmus.empty()) return result;
  const auto published = files(litmus, ".litmus");
  for (std::size_t i = 0; i < published.size(); i += sample) result.paths.push_back(published[i]);
  result.published = published.size();
  return result;
}

differential::Finding examine_file(const std::string& path) {
  CompileOptions options;
  options.unroll = 2;  // any bound will do for a comparison
  const auto program = Program::from_file(path, options);
  if (!program) return {.difference = program.error().front().text};
  return differential::all_pairs_agree(*program);
}

std::string all_pairs() {
  std::string text;
  for (const auto& model : models()) {
    for (const auto& algorithm : algorithms()) {
      if (!why_not(model.name, algorithm.name).empty()) continue;
      text += (text.empty() ? "" : " ") + std::string(algorithm.name) + "/" + std::string(model.name);
    }
  }
  return text;
}

}  // namespace heddle::cross
