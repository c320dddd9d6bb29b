#include "bench/papers/papers.hpp"

#include <fmt/format.h>

#include <utility>

namespace heddle::bench::papers {

Measured explore(const Run& run, const Program& program, CheckOptions options, int rounds) {
  // CPU time, because other work on the machine must not change what is reached.
  const auto once = [&] {
    options.progress = [&run, start = cpu_seconds()](const Progress&) {
      return cpu_seconds() - start < run.limit;
    };
    return measure(program, options);
  };
  Measured result = once();
  for (int i = 1; i < rounds && result.cpu_seconds < run.limit / 10; ++i) {
    auto again = once();
    if (again.cpu_seconds < result.cpu_seconds) result = std::move(again);
  }
  return result;
}

bool finished(const Measured& measured) { return measured.result.stopped_by.empty(); }

std::string cell(const Measured& measured) {
  return fmt::format("{}{} ({:.2f} s)", finished(measured) ? "" : "> ", measured.result.counts.executions,
                     measured.cpu_seconds);
}

void note(std::string_view text) { fmt::print("\n{}\n\n", text); }

std::string text(const Published& published) {
  if (!published.count) return "-";
  return published.time.empty() ? fmt::to_string(*published.count)
                                : fmt::format("{} ({})", *published.count, published.time);
}

std::string compared(Run& run, const Measured& measured, const Published& published) {
  if (!finished(measured) || !published.count) return cell(measured);
  if (*published.count == measured.result.counts.executions) return cell(measured) + ", equal";
  run.all_equal = false;
  return cell(measured) + ", **differs**";
}

}  // namespace heddle::bench::papers
