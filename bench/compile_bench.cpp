// From text to callable code, from text to verdict, and from process start to verdict, for litmus-size
// programs.
#include <benchmark/benchmark.h>
#include <spawn.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>
#include <string>

#include "bench/programs.hpp"

extern char** environ;

namespace {

std::string read(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(std::string(HEDDLE_SOURCE_DIR) + "/" + file).rdbuf();
  return text.str();
}

void text_to_code(benchmark::State& state, const std::string& file) {
  const auto text = read(file);
  for (auto _ : state) benchmark::DoNotOptimize(heddle::Program::from_source(text, file));
}

void text_to_verdict(benchmark::State& state, const std::string& file) {
  const auto text = read(file);
  for (auto _ : state) {
    const auto program = heddle::Program::from_source(text, file);
    benchmark::DoNotOptimize(heddle::check(*program));
  }
}

void process_to_verdict(benchmark::State& state, const std::string& file) {
  std::string binary = HEDDLE_BINARY;
  std::string path = std::string(HEDDLE_SOURCE_DIR) + "/" + file;
  std::string command = "check";
  std::string quiet = "--no-progress";
  char* const arguments[] = {binary.data(), command.data(), path.data(), quiet.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1 /* O_WRONLY */, 0);
  for (auto _ : state) {
    pid_t child = 0;
    int status = 0;
    if (posix_spawn(&child, binary.c_str(), &actions, nullptr, arguments, environ) != 0) {
      state.SkipWithError("cannot start build/heddle");
      break;
    }
    waitpid(child, &status, 0);
  }
  posix_spawn_file_actions_destroy(&actions);
}

BENCHMARK_CAPTURE(text_to_code, store_buffering, "examples/store_buffering.hed")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(text_to_code, peterson, "examples/peterson.hed")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(text_to_verdict, store_buffering, "examples/store_buffering.hed")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(process_to_verdict, store_buffering, "examples/store_buffering.hed")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
