// The file that `heddle conformance --expected` reads: what another tool found for each test.
//
// A table with tabs between its columns and a line of headings: test, model, n_states, verdict ("Ok
// Sometimes"), states. States are separated by " | ", each is a list "0:r1=0; [x]=1;" of what the test
// observes.
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

// By test name: the part of a file's name before ".litmus".
using ExpectedTests = std::map<std::string, ExpectedTest, std::less<>>;

// Reads the rows about `model`, in any case of letters. A file that cannot be read, a malformed row, a test
// that stands there twice and a file that says nothing about the model are errors with their place.
[[nodiscard]] Result<ExpectedTests> read_expected(const std::string& path, std::string_view model);

// A state with its values in order, so that equal states are equal texts.
[[nodiscard]] std::string canonical_state(std::string_view state);

}  // namespace heddle::cli
