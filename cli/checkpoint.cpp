#include "cli/checkpoint.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/text.hpp"
#include "heddle/checkpoint.h"

namespace heddle::cli {

namespace {

template <typename Value>
void take_unless_given(Value& given, const Value& standard, const Value& saved) {
  if (given == standard) given = saved;
}

}  // namespace

std::optional<std::vector<Diagnostic>> resume_checkpoint(Options& options) {
  auto text = read_file(options.resume_file, std::numeric_limits<std::uint32_t>::max());
  if (const auto* const error = std::get_if<FileError>(&text))
    return std::vector{as_diagnostic({error->message, ""})};
  options.check.resume = std::get<std::string>(std::move(text));
  const auto info = describe_checkpoint(options.check.resume);
  if (!info) return info.error();
  for (const auto& [name, value] : info->parameters) options.compile.parameters.try_emplace(name, value);
  const CompileOptions compiled;
  take_unless_given(options.compile.unroll, compiled.unroll, info->unroll);
  take_unless_given(options.compile.unroll_spin_loops, compiled.unroll_spin_loops, info->unroll_spin_loops);
  const CheckOptions standard;
  const CheckOptions& saved = info->options;
  const auto take = [&](auto member) {
    take_unless_given(options.check.*member, standard.*member, saved.*member);
  };
  take(&CheckOptions::model);
  take(&CheckOptions::algorithm);
  take(&CheckOptions::buffer_bound);
  take(&CheckOptions::preemption_bound);
  take(&CheckOptions::witness_of);
  take(&CheckOptions::keep_going);
  take(&CheckOptions::report_beyond_bound);
  take(&CheckOptions::robust);
  take(&CheckOptions::collect_outcomes);
  take(&CheckOptions::witnesses);
  return std::nullopt;
}

std::function<void(const std::string&)> CheckpointFile::saver() {
  if (name_.empty()) return nullptr;
  return [this](const std::string& text) {
    failure_ = write_file(name_, text, true);
    written_ = written_ || failure_.empty();
  };
}

std::string CheckpointFile::advice(const CheckResult& result) const {
  if (result.stopped_by.empty()) return {};
  if (written_) return fmt::format("Continue with: --resume {}", one_line(name_));
  if (name_.empty() && why_not_divided(result.model, result.algorithm).empty())
    return "With --checkpoint FILE, a search that was stopped can be continued.";
  return {};
}

}  // namespace heddle::cli
