// Reading and writing whole files, with errors as one sentence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/options.hpp"

namespace heddle::cli {

struct FileError {
  std::string message;  // "cannot read x.json: No such file or directory"
};

// All of a regular file; refuses one of more than `largest` bytes.
[[nodiscard]] std::variant<std::string, FileError> read_file(const std::string& path, std::uint64_t largest);

// An error if two of the outputs (option and file; an empty one is none) are the same file, by whatever name,
// or one of them is one of the inputs. What is no regular file, like /dev/null, may be named twice.
[[nodiscard]] std::optional<UsageError> overwritten_file(
    const std::vector<std::pair<std::string_view, std::string>>& outputs,
    const std::vector<std::string>& inputs);

// Writes all of it or leaves things as they were: a regular file is written under another name in the same
// folder and then renamed, so that nobody ever sees half of it. It keeps the permissions of a file that it
// replaces, and a symbolic link stays one. What is not a regular file (a pipe, /dev/stdout) is written to
// directly. Returns an empty string or what went wrong: "cannot write x.json: No space left on device".
[[nodiscard]] std::string write_file(const std::string& path, std::string_view text);

}  // namespace heddle::cli
