// A program text after the front end, with everything tests want to inspect.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lang/frontend.hpp"

namespace heddle::lang::test {

struct Parsed {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<Program> program;

  // All messages as the user sees them.
  [[nodiscard]] std::string rendered() const;
  // Only the messages, one per line: "3:7: unknown name 'x'".
  [[nodiscard]] std::string messages() const;
};

[[nodiscard]] Parsed parse(std::string text, const Parameters& parameters = {},
                           std::string name = "test.hed");

// The resolved tree in a fixed notation, one item or statement per line, for tests to compare.
[[nodiscard]] std::string dump(const Program& program);
// Only one thread template or function body, without what encloses it.
[[nodiscard]] std::string dump_body(const Program& program, const Body& body);
[[nodiscard]] std::string dump_expression(const Program& program, const Body* body,
                                          const Expression& expression);

// The whole file. Throws if it cannot be read.
[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace heddle::lang::test
