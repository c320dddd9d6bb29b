// Files that cannot be checked: one clear message and exit code 2, quickly.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

// Processor time, so that a busy machine does not matter. Sanitizers slow everything down.
#ifdef __SANITIZE_ADDRESS__
constexpr double soon = 20;
#else
constexpr double soon = 1;
#endif

// Rejected with a message that names the file.
void check_bad_file(const std::string& file, const Setup& setup = {}) {
  CAPTURE(file);
  const Finished result = run_heddle({"check", file}, setup);
  CAPTURE(result.errors);
  CHECK(result.exit_code == 2);
  CHECK(result.output.empty());
  CHECK(result.errors.find(std::filesystem::path(file).filename().string()) != std::string::npos);
  CHECK(result.errors.size() < 100'000);
  CHECK(result.errors.find('\x1b') == std::string::npos);
  CHECK(result.cpu_seconds < soon);
}

}  // namespace

TEST_CASE("every file of tests/bad is refused within a second") {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/tests/bad")) {
    if (entry.path().extension() == ".hed") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  CHECK(files.size() >= 60);
  for (const std::string& file : files) check_bad_file(file);
}

TEST_CASE("a missing file, a directory, an empty file and a device are refused") {
  TemporaryFolder folder;
  check_bad_file((folder.path() / "missing.hed").string());
  check_bad_file(folder.path().string());
  check_bad_file(folder.file("empty.hed", ""));
  check_bad_file("/dev/null");
  check_bad_file("/dev/zero");
}

TEST_CASE("an unreadable file is refused") {
  TemporaryFolder folder;
  const std::string file = folder.file("secret.hed", safe_program);
  std::filesystem::permissions(file, std::filesystem::perms::none);
  // Root may read everything, so the test drops its rights. If `nobody` may not run the program, there is
  // nothing to test.
  const Setup setup{.as_nobody = true};
  if (run_heddle({"--version"}, setup).exit_code == 0) check_bad_file(file, setup);
}

TEST_CASE("ten megabytes of anything are refused within a second") {
  TemporaryFolder folder;
  const std::size_t size = 10'000'000;
  check_bad_file(folder.file("zeros.hed", std::string(size, '\0')));
  check_bad_file(folder.file("open.hed", std::string(size, '(')));
  check_bad_file(folder.file("word.hed", std::string(size, 'a')));
  std::string noise;
  unsigned random = 1;
  while (noise.size() < size) {
    random = random * 1664525U + 1013904223U;
    noise.push_back(static_cast<char>(random >> 24U));
  }
  check_bad_file(folder.file("noise.hed", noise));
  check_bad_file(folder.file("huge.hed", std::string(17'000'000, ' ')));
}

TEST_CASE("escape sequences in a program do not reach the terminal") {
  TemporaryFolder folder;
  check_bad_file(folder.file("escape.hed", "shared x: \x1b[31mint;\nthread p { x = \x1b]0;title\a 1; }\n"));
}

}  // namespace heddle::test
