// See suggestion.hpp.
#include "cli/suggestion.hpp"

#include <fmt/format.h>

namespace heddle::cli {

std::string quoted_for_shell(std::string_view word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW"
                                          "XYZ0123456789_-./+=,:@") == std::string_view::npos;
  if (plain) return std::string(word);
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string check_command(std::string_view file, const CompileOptions& compile, const CheckOptions& check) {
  std::string text = fmt::format("heddle check {} --model {}", quoted_for_shell(file), check.model);
  if (!check.algorithm.empty()) text += fmt::format(" --algorithm {}", check.algorithm);
  for (const auto& [parameter, value] : compile.parameters)
    text += fmt::format(" -D {}={}", parameter, value);
  if (compile.unroll != CompileOptions{}.unroll) text += fmt::format(" --unroll {}", compile.unroll);
  if (compile.unroll_spin_loops) text += " --no-spin-await";
  if (check.buffer_bound) text += fmt::format(" --buffer-bound {}", *check.buffer_bound);
  if (check.preemption_bound) text += fmt::format(" --preemption-bound {}", *check.preemption_bound);
  if (check.report_beyond_bound) text += " --report-beyond-bound";
  if (check.robust) text += check.robust_states ? " --robust --states" : " --robust";
  if (check.live) text += " --live";
  if (check.random) {
    text += fmt::format(" --random {} --seed {} --depth {}", check.random->runs, check.random->seed,
                        check.random->depth);
  }
  if (check.keep_going) text += " --keep-going";
  if (check.collect_outcomes) text += " --outcomes";
  return text;
}

}  // namespace heddle::cli
