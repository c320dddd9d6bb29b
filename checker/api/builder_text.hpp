// What declarations and statements of the C++ builder have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/expression.h"

namespace heddle {

// As a text of the language.
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

// Of a name that the caller gives after the builder has given it to an operation without one.
inline std::string taken(std::string_view name) {
  return "'" + std::string(name) + "' is the name of an operation above that was given none: name that one";
}

// What follows a type: nothing, " = 1" or " = {1, 2}".
inline std::string initializer(const std::vector<Expression>& values) {
  if (values.empty()) return {};
  if (values.size() == 1) return " = " + values.front().text();
  std::string result;
  for (const Expression& value : values) result += (result.empty() ? " = {" : ", ") + value.text();
  return result + "}";
}

}  // namespace heddle
