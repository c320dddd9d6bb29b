// Every single fence of the standard library has its own `param` that removes it, and an expect line in
// tests/stdlib shows a model under which its removal is caught. (expect_test.cpp checks these lines.)
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "heddle/heddle.h"
#include "tests/programs/program_files.hpp"

namespace {

using heddle::ExpectedOutcome;
using heddle::tests::base_name;
using heddle::tests::programs_in;
using heddle::tests::Source;

// The module's text without comments.
std::string code(const Source& module) { return std::regex_replace(module.text, std::regex("//[^\n]*"), ""); }

std::size_t count(const std::string& text, const std::regex& what) {
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), what), std::sregex_iterator()));
}

// The params that remove fences, as `module.NAME`, with repetitions.
std::vector<std::string> guards(const Source& module) {
  static const std::regex guarded(R"(if (?:\w+ && )?([A-Z]\w*) \{\s*fence( lw| st| isync)?;\s*\})");
  const std::string text = code(module);
  std::vector<std::string> names;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), guarded); match != std::sregex_iterator();
       ++match) {
    names.push_back(base_name(module.name) + "." + (*match)[1].str());
  }
  return names;
}

}  // namespace

TEST_CASE("every fence of the standard library has a param of its own") {
  for (const Source& module : programs_in("stdlib")) {
    CAPTURE(module.name);
    const auto names = guards(module);
    CHECK_EQ(names.size(), count(code(module), std::regex(R"(\bfence\b)")));
    CHECK_EQ(std::set(names.begin(), names.end()).size(), names.size());
  }
}

TEST_CASE("for every fence of the standard library there is a model under which its removal is caught") {
  std::set<std::string> caught;
  std::map<std::string, std::set<std::string>> safe_under;  // by module
  for (const Source& source : programs_in("tests/stdlib")) {
    heddle::tests::Variants variants(source);
    for (const auto& expectation : variants.get({}).expectations()) {
      std::string removed;
      int zeros = 0;
      for (const auto& [name, value] : expectation.parameters) {
        if (value != 0) continue;
        removed = name;
        ++zeros;
      }
      const bool violated = expectation.outcome == ExpectedOutcome::violation ||
                            expectation.outcome == ExpectedOutcome::deadlock;
      if (violated && zeros == 1) caught.insert(removed);
      if (expectation.outcome != ExpectedOutcome::safe || !expectation.parameters.empty()) continue;
      safe_under[base_name(source.name)].insert(expectation.models.begin(), expectation.models.end());
    }
  }
  for (const Source& module : programs_in("stdlib")) {
    CAPTURE(module.name);
    const std::set<std::string> all_models = {"sc", "tso", "pso", "power"};
    CHECK_MESSAGE(safe_under[base_name(module.name)] == all_models, "not shown to be safe under every model");
    for (const std::string& guard : guards(module)) {
      CHECK_MESSAGE(caught.contains(guard), guard, " is not shown to be needed");
    }
  }
}
