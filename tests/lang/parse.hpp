// A program text that has been sent through the front end, with everything a test may want to see.
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

  // All messages as a user sees them.
  [[nodiscard]] std::string rendered() const;
  // The messages only, one a line: "3:7: unknown name 'x'".
  [[nodiscard]] std::string messages() const;
};

[[nodiscard]] Parsed parse(std::string text, const Parameters& parameters = {},
                           std::string name = "test.hed");

// The resolved tree in a fixed notation, one item or statement a line: what the tests compare.
[[nodiscard]] std::string dump(const Program& program);
// Of one thread template or function body only, without the frame around it.
[[nodiscard]] std::string dump_body(const Program& program, const Body& body);
[[nodiscard]] std::string dump_expression(const Program& program, const Body* body,
                                          const Expression& expression);

// The whole file; throws if it cannot be read.
[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace heddle::lang::test
