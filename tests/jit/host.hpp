// A minimal host: runs one thread of a compiled program alone, answers its requests from an array, and writes
// a log.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiler/image.hpp"
#include "compiler/lower.hpp"
#include "jit/load.hpp"
#include "lang/tree.hpp"

namespace heddle::test {

// A thread's block, aligned, zeroed.
class Block {
 public:
  explicit Block(std::size_t size);
  [[nodiscard]] std::byte* data() { return data_; }
  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::vector<std::byte> bytes() const { return {data_, data_ + size_}; }
  void restore(const std::vector<std::byte>& bytes);

 private:
  std::vector<std::byte> storage_;
  std::byte* data_;
  std::size_t size_;
};

// Fails the test with the rendered diagnostics if the text is not a program.
std::shared_ptr<const compiler::Image> compile(const std::string& source,
                                               const compiler::Options& options = {});
std::string ir(const std::string& source, const compiler::Options& options = {});

// The resolved program of a text.
lang::Program parse(const std::string& source);

// The thread's request, "store x = 1"; results of loads etc. are appended later.
std::string describe(const compiler::Image& image, const compiler::Mailbox& request);

class Host {
 public:
  explicit Host(const compiler::Image& image);

  std::vector<std::int64_t> memory;
  std::deque<std::int64_t> choices;  // answers to op choose; the low end when used up
  // called before the thread is resumed; without it the run ends there
  std::function<void(Host&)> on_await_failed;
  bool resumes_after_assertions = false;      // whether to resume after op assert_failed
  std::function<void(Block&)> at_suspension;  // called at every suspension, before the operation

  // Runs the thread from its start until it ends, fails, or has executed `steps` operations.
  std::vector<std::string> run(std::size_t thread = 0, std::size_t steps = 10'000);
  std::vector<std::string> run(const compiler::ThreadImage& thread, std::size_t steps = 10'000);
  // The values of the thread's named locals at the end of the last run, "a = 1".
  std::vector<std::string> locals;
  // The block at the end of the last run.
  std::vector<std::byte> last_block;

  // Performs the operation and appends its result to the log entry; false if the thread cannot continue.
  bool perform(compiler::Mailbox& request, std::string& entry);

 private:
  const compiler::Image& image_;
};

// How a test sets up the host of each variant.
using Setup = std::function<void(Host&)>;

// The log of the program's thread number `thread`. It must be the same for all forms of generated code, with and
// without optimisation, and when the block is saved, scribbled over and restored at each suspension.
std::vector<std::string> log_of(const std::string& source, const Setup& setup = {}, std::size_t thread = 0,
                                const compiler::Options& options = {});

using Log = std::vector<std::string>;

}  // namespace heddle::test

// Lets failed comparisons of logs show them.
template <>
struct doctest::StringMaker<heddle::test::Log> {
  static doctest::String convert(const heddle::test::Log& log) {
    std::string text;
    for (const std::string& line : log) text += (text.empty() ? "" : " | ") + line;
    return text.c_str();
  }
};
