// Random programs with data races: some variables become `plain`.
#pragma once

#include <string>

#include "heddle/heddle.h"

namespace heddle::differential {

// The program with some of its shared variables `plain`, chosen by a hash of its text among those that no
// read-modify-write accesses; most of them if `many`. The same text if there are none.
[[nodiscard]] std::string with_plain_variables(const Program& program, bool many);

}  // namespace heddle::differential
