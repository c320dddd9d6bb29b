// The state of the C++ builder: the text of the program, the call that wrote each line, and the names in use.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/builder.h"

namespace heddle::detail {

// As a string literal of the language.
inline std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

// The message for a name that the builder has already given to an operation without one.
inline std::string taken(std::string_view name) {
  return "'" + std::string(name) + "' is the name of an operation above that was given none: name that one";
}

// The text after a type: "", " = 1" or " = {1, 2}".
inline std::string initializer(const std::vector<Expression>& values) {
  if (values.empty()) return {};
  if (values.size() == 1) return " = " + values.front().text();
  std::string result;
  for (const Expression& value : values) result += (result.empty() ? " = {" : ", ") + value.text();
  return result + "}";
}

class ProgramText {
 public:
  ProgramText(std::string name, const CallPlace& place) : name_(std::move(name)), made_at_(place) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  // Adds a line for the call.
  void line(std::string_view call, std::string text, const CallPlace& place);
  void error(std::string_view call, std::string message, const CallPlace& place);
  // Reports a name that the language does not allow.
  void check_name(std::string_view call, const std::string& name, const CallPlace& place);
  // Notes a name of the whole program; bodies must not use it.
  void give(std::string_view call, const std::string& name, const CallPlace& place);

  void body(std::string_view call, const std::string& head, const ThreadBuilder::Block& block,
            const CallPlace& place);
  // A function or proc; `result` is "" or " -> TYPE".
  void callable(std::string_view call, std::string_view keyword, const std::string& name,
                const std::vector<Parameter>& parameters, const std::string& result,
                const ProgramBuilder::CallBlock& block, const CallPlace& place);

  [[nodiscard]] Result<Program> compile(const CompileOptions& options) const;

 private:
  friend class BodyText;
  struct Call {
    std::string name;
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };
  std::string name_;
  CallPlace made_at_;
  std::string text_;
  std::vector<Call> calls_;  // of each line of the text
  Errors errors_;
  std::set<std::string> given_;      // names of the whole program
  std::set<std::string> automatic_;  // names from name_for in all bodies
};

// The statements of one body.
class BodyText {
 public:
  explicit BodyText(ProgramText& program) : program_(program) {}

  void statement(std::string_view call, const std::string& text, const CallPlace& place);
  void error(std::string_view call, std::string message, const CallPlace& place) {
    program_.error(call, std::move(message), place);
  }
  // Notes a name of this body.
  void give(std::string_view call, const std::string& name, const CallPlace& place);
  // The name, or a new one if it is empty.
  [[nodiscard]] std::string name_for(std::string_view call, std::string name, const CallPlace& place);
  // "let NAME = VALUE;"; returns the name.
  std::string define(std::string_view call, std::string name, const std::string& value,
                     const CallPlace& place, std::string_view keyword = "let");
  // Indents the lines that `write` adds by one more level.
  void inside(const std::function<void()>& write);

 private:
  ProgramText& program_;
  unsigned depth_ = 1;
  unsigned names_ = 0;
  std::set<std::string> given_;      // names of this body, by the caller
  std::set<std::string> automatic_;  // and those from name_for
};

}  // namespace heddle::detail
