// The file that `heddle conformance --expected` reads: the results of another tool for each test.
//
// It is a table of tab-separated columns with a line of headings: test, model, n_states, verdict ("Ok
// Sometimes"), states. States are separated by " | "; each is a list "0:r1=0; [x]=1;" of the observed values.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "heddle/heddle.h"

namespace heddle::cli {

using States = std::set<std::string>;

struct ExpectedTest {
  std::string verdict;
  States states;
};

// Keyed by test name: the part of a file's name before ".litmus".
using ExpectedTests = std::map<std::string, ExpectedTest, std::less<>>;

// Reads the rows about `model`, ignoring case. An unreadable file, a malformed row, a duplicate test and a
// file without rows about the model are errors with their place.
[[nodiscard]] Result<ExpectedTests> read_expected(const std::string& path, std::string_view model);

// A state with its values sorted, so that equal states are equal strings.
[[nodiscard]] std::string canonical_state(std::string_view state);

}  // namespace heddle::cli
