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

// Reads a regular file; rejects files of more than `largest` bytes.
[[nodiscard]] std::variant<std::string, FileError> read_file(const std::string& path, std::uint64_t largest);

// All output files must differ from each other and from every input, by whatever name. `outputs` are pairs of
// option and file; empty files are ignored, and so are files that are not regular, like /dev/null.
[[nodiscard]] std::optional<UsageError> overwritten_file(
    const std::vector<std::pair<std::string_view, std::string>>& outputs,
    const std::vector<std::string>& inputs);

// Writes the whole file or leaves it unchanged: a regular file is written under another name in the same
// folder and then renamed, so that readers never see a partial file. It keeps the permissions of a file that
// it replaces, and a symbolic link stays one. Other files (a pipe, /dev/stdout) are written directly. Returns
// an empty string or the error: "cannot write x.json: No space left on device". `durable`: the text is on the
// disk before it replaces what was there, so that one of the two survives a loss of power.
[[nodiscard]] std::string write_file(const std::string& path, std::string_view text, bool durable = false);

}  // namespace heddle::cli
