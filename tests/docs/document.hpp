// A Markdown document for the tests of the documentation: blocks of code and commands inside the text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::test {

// A block between ``` and ```. The comment directly above it can be one of these:
//   <!-- file: counter.hed -->     save it under this name in the folder where the document's commands run
//   <!-- not run: why -->          do not run it
struct Block {
  std::string language;  // the word after ```
  std::string text;
  std::size_t line = 0;  // of the ``` above it, from 1
  std::string file;
  std::string not_run;
};

// `...` in the text, on one line.
struct Span {
  std::string text;
  std::size_t line = 0;
};

struct Document {
  std::string name;  // relative to the source tree
  std::vector<Block> blocks;
  std::vector<Span> spans;
  std::vector<std::string> links;    // [text](this)
  std::vector<std::string> anchors;  // of its headings, as in links after '#'
};

[[nodiscard]] Document read_document(const std::string& name);
// README.md and everything in docs/.
[[nodiscard]] std::vector<Document> all_documents();

// Whether the output matches the document. "..." matches anything, alone on a line any number of lines; times
// and memory are not compared.
[[nodiscard]] bool matches(const std::string& shown, const std::string& output);

}  // namespace heddle::test
