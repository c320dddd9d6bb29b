// Programs that differ only in their params: the text is parsed once, and code that several of them have in
// common is compiled once.
//
//   auto text = heddle::ProgramText::from_file("seqlock.hed");
//   if (!text) { std::cerr << heddle::to_text(text.error()); return 2; }
//   for (const auto& program : text->compile({{{"BEGIN", 0}}, {{"BEGIN", 1}}}, {"tso", "power"})) ...
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {

// A parsed text with its imports. Immutable; copying is O(1).
class ProgramText {
 public:
  // The options hold for all programs made from the text; a set of params adds to `options.parameters` and
  // prevails over them. Errors: those of reading and parsing, which no params can correct. Linear in the
  // text.
  static Result<ProgramText> from_file(const std::string& path, const CompileOptions& options = {});

  // One program for each set, in order, or the errors of that program: those that Program::from_file would
  // return. Programs compiled together share machine code, which is freed with the last of them.
  // `models`: those that checks will use, as CompileOptions::model; empty: any. Thread-safe.
  [[nodiscard]] std::vector<Result<Program>> compile(const std::vector<Parameters>& sets,
                                                     const std::vector<std::string>& models = {}) const;

  // The files that it was read from: the main one, then its imports without modules of the standard library.
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  struct State;
  explicit ProgramText(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace heddle
