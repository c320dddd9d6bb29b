// Error messages that several functions of the public interface share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {

// An error that has no place in a file.
[[nodiscard]] std::vector<Diagnostic> refuse(std::string message);

// "there is no model 'x'; the models are sc, tso, ..."
[[nodiscard]] std::string no_such_model(std::string_view name);
[[nodiscard]] std::string no_such_algorithm(std::string_view name);

}  // namespace heddle
