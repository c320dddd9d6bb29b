// check --checkpoint and --resume.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "heddle/heddle.h"

namespace heddle::cli {

// Reads the file of --resume and completes the options with those of the search that it continues. An option
// that was given and differs from its default is left alone: check() refuses it if it does not fit.
[[nodiscard]] std::optional<std::vector<Diagnostic>> resume_checkpoint(Options& options);

// The file of --checkpoint. A search continues if it cannot be written.
class CheckpointFile {
 public:
  // `name` empty: none.
  explicit CheckpointFile(std::string name) : name_(std::move(name)) {}
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;

  // To be called by the search; nothing if there is no file.
  [[nodiscard]] std::function<void(const std::string&)> saver();
  // What can be done about a search that has stopped before its end, as a sentence; empty: nothing.
  [[nodiscard]] std::string advice(const CheckResult& result) const;
  // Why the file could not be written, as a sentence; empty: it could.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  std::string name_;
  std::string failure_;
  bool written_ = false;
};

}  // namespace heddle::cli
