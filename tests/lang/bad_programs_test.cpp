// tests/bad/NAME.hed (or NAME.litmus) is a program that must be rejected with exactly the messages in
// tests/bad/NAME.expected. HEDDLE_UPDATE_EXPECTED=1 writes the current messages there instead; read the diff
// before committing it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "parse.hpp"

using heddle::lang::test::parse;
using heddle::lang::test::Parsed;
using heddle::lang::test::read_file;

namespace {

std::vector<std::filesystem::path> bad_programs() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/tests/bad")) {
    const auto extension = entry.path().extension();
    if (extension == ".hed" || extension == ".litmus") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string all_messages(const Parsed& parsed) {
  std::string out = parsed.rendered();
  if (parsed.diagnostics.dropped() > 0) out += fmt::format("and {} more\n", parsed.diagnostics.dropped());
  return out;
}

}  // namespace

TEST_CASE("every bad program is rejected with exactly the expected messages") {
  const bool update = std::getenv("HEDDLE_UPDATE_EXPECTED") != nullptr;
  const auto paths = bad_programs();
  REQUIRE(paths.size() >= 70);
  for (const auto& path : paths) {
    CAPTURE(path.filename().string());
    const Parsed parsed = parse(read_file(path.string()), {}, path.filename().string());
    CHECK_FALSE(parsed.program.has_value());
    CHECK(parsed.diagnostics.any());
    auto expected = path;
    expected.replace_extension(".expected");
    if (update) std::ofstream(expected, std::ios::binary) << all_messages(parsed);
    CHECK_MESSAGE(all_messages(parsed) == read_file(expected.string()), path.filename().string());
  }
}

TEST_CASE("every prefix of an example is either accepted or rejected, never a crash") {
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".hed") continue;
    const std::string text = read_file(entry.path().string());
    for (std::size_t size = 0; size < text.size(); ++size) {
      const Parsed parsed = parse(text.substr(0, size));
      CHECK(parsed.program.has_value() != parsed.diagnostics.any());
      CHECK(parsed.rendered().empty() == parsed.program.has_value());
    }
  }
}

TEST_CASE("an example with any one character removed or doubled never crashes the front end") {
  for (const char* name : {"peterson.hed", "bounded_buffer.hed", "store_buffering.hed"}) {
    const std::string text = read_file(std::string(HEDDLE_SOURCE_DIR "/examples/") + name);
    for (std::size_t i = 0; i < text.size(); ++i) {
      for (const bool doubled : {false, true}) {
        std::string changed = text;
        doubled ? changed.insert(i, 1, text[i]) : changed.erase(i, 1);
        const Parsed parsed = parse(changed);
        CHECK(parsed.program.has_value() != parsed.diagnostics.any());
      }
    }
  }
}

TEST_CASE("all examples are accepted") {
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".hed") continue;
    ++found;
    CHECK(parse(read_file(entry.path().string()), {}, entry.path().filename().string()).rendered() == "");
  }
  CHECK(found > 0);
}
