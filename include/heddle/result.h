// What every function that can fail returns: a value, or errors. The names are those of std::expected.
//
//   auto program = heddle::Program::from_file("peterson.hed");
//   if (!program) { std::cerr << heddle::to_text(program.error()); return 2; }
//   use(*program);                                                        // a reference
//   auto own = heddle::Program::from_file("peterson.hed").value();        // moved out; throws BadResult
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

// One message about a source text, an option or a file.
struct Diagnostic {
  std::string file;          // empty if the message is not about a file
  std::uint32_t line = 0;    // from 1; 0 if the message is not about a place
  std::uint32_t column = 0;  // from 1, in code points
  std::string message;       // one sentence, without place and final dot
  std::string hint;          // "did you mean 'turn'?"; may be empty
  // All of it as it should be shown: place, message, source line with caret, hint. Ends in '\n'.
  std::string text;
};

// What went wrong, in the order of the text that is wrong. Never empty in a Result without a value.
using Errors = std::vector<Diagnostic>;

// The texts of all of them, one after the other.
[[nodiscard]] std::string to_text(const Errors& errors);

// Thrown by value() of a Result that has none. what() is the text of its errors.
struct BadResult : std::logic_error {
  explicit BadResult(const Errors& errors) : std::logic_error(to_text(errors)) {}
};

// A T, or at least one error. Like std::optional it owns what it holds, and copying it copies that.
template <typename T>
class [[nodiscard]] Result {
  static_assert(!std::is_same_v<T, Errors>, "a value and errors must differ in type");

 public:
  using value_type = T;
  using error_type = Errors;

  Result(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
  Result(Errors errors) : errors_(std::move(errors)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return value_.has_value(); }

  // Precondition: has_value().
  T& operator*() & noexcept { return *value_; }
  const T& operator*() const& noexcept { return *value_; }
  T&& operator*() && noexcept { return std::move(*value_); }
  T* operator->() noexcept { return &*value_; }
  const T* operator->() const noexcept { return &*value_; }

  // Throws BadResult unless has_value().
  T& value() & { return checked(), *value_; }
  const T& value() const& { return checked(), *value_; }
  T&& value() && { return checked(), std::move(*value_); }

  template <typename U>
  [[nodiscard]] T value_or(U&& other) const& {
    return value_ ? *value_ : static_cast<T>(std::forward<U>(other));
  }
  template <typename U>
  [[nodiscard]] T value_or(U&& other) && {
    return value_ ? std::move(*value_) : static_cast<T>(std::forward<U>(other));
  }

  // Empty if has_value().
  [[nodiscard]] const Errors& error() const& noexcept { return errors_; }
  [[nodiscard]] Errors&& error() && noexcept { return std::move(errors_); }

 private:
  void checked() const {
    if (!value_) throw BadResult(errors_);
  }
  std::optional<T> value_;
  Errors errors_;
};

// For functions that only do something: done, or at least one error.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  using error_type = Errors;

  Result() = default;
  Result(Errors errors) : errors_(std::move(errors)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const noexcept { return errors_.empty(); }
  explicit operator bool() const noexcept { return errors_.empty(); }
  void operator*() const noexcept {}
  // Throws BadResult unless has_value().
  void value() const {
    if (!errors_.empty()) throw BadResult(errors_);
  }
  // Empty if has_value().
  [[nodiscard]] const Errors& error() const& noexcept { return errors_; }
  [[nodiscard]] Errors&& error() && noexcept { return std::move(errors_); }

 private:
  Errors errors_;
};

}  // namespace heddle
