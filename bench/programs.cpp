#include "bench/programs.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace heddle::bench {

namespace {

template <typename T>
T value_or_exit(Result<T> result) {
  if (result) return *result;
  std::fputs(to_text(result.error()).c_str(), stderr);
  std::exit(2);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

Program load(const std::string& file, const Parameters& parameters, std::uint32_t unroll,
             bool loops_as_written) {
  CompileOptions options;
  options.parameters = parameters;
  options.unroll = unroll;
  options.unroll_spin_loops = loops_as_written;
  return value_or_exit(Program::from_file(std::string(HEDDLE_SOURCE_DIR) + "/" + file, options));
}

Measured measure(const Program& program, const CheckOptions& options) {
  CheckOptions one_by_one = options;
  one_by_one.symmetry = false;
  const auto start = cpu_seconds();
  auto result = value_or_exit(check(program, one_by_one));
  return {std::move(result), cpu_seconds() - start};
}

Measured best(const Program& program, const CheckOptions& options) {
  Measured result = measure(program, options);
  for (int i = 0; i < 2 && result.cpu_seconds < options.timeout.value() / 10; ++i) {
    auto again = measure(program, options);
    if (again.cpu_seconds < result.cpu_seconds) result = std::move(again);
  }
  return result;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string label(const std::string& file, const Parameters& parameters) {
  auto text = std::filesystem::path(file).stem().string();
  for (const auto& [name, value] : parameters) text += fmt::format(" {}={}", name, value);
  return text;
}

}  // namespace heddle::bench
