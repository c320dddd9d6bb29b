// Finding the .hed files that the tests of this folder run.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace heddle::tests {

// All .hed files right in `folder` (relative to the source tree), sorted by name.
inline std::vector<std::string> program_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR "/") + folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".hed") {
      files.push_back(entry.path().string());
    }
  }
  std::ranges::sort(files);
  return files;
}

inline std::string base_name(const std::string& path) { return std::filesystem::path(path).stem().string(); }

}  // namespace heddle::tests
