// The arguments and results of heddle/builder.h: expressions, locations, types, and handles of declarations.
// All of them are small values that hold nothing but a piece of program text. With another ProgramBuilder
// they refer to whatever has the same name there; compile() reports names that do not exist.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle {

class Expression;

namespace detail {

class ProgramText;  // what a ProgramBuilder writes into

// "object.name". Impossible names are quoted, so that compile() refuses them.
[[nodiscard]] inline std::string member_text(const std::string& object, std::string_view name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]";
  const bool possible = !name.empty() && name.find_first_not_of(allowed) == std::string_view::npos;
  return object + "." + (possible ? std::string(name) : "'" + std::string(name) + "'");
}

[[nodiscard]] Expression binary(const Expression& left, std::string_view op, const Expression& right);
[[nodiscard]] Expression unary(std::string_view op, const Expression& operand);

}  // namespace detail

// A value of the program: an integer, a truth value or a value of an enum.
class Expression {
 public:
  template <std::integral T>
  Expression(T value) : text_(literal(value)) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] const std::string& text() const { return text_; }

 protected:
  explicit Expression(std::string text) : text_(std::move(text)) {}

 private:
  template <std::integral T>
  static std::string literal(T value) {
    if constexpr (std::same_as<T, bool>) return value ? "true" : "false";
    // compile() refuses numbers that do not fit into a signed 64-bit integer.
    if constexpr (std::unsigned_integral<T>) return std::to_string(value);
    const auto number = static_cast<std::int64_t>(value);
    if (number == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807 - 1)";
    return number < 0 ? "(" + std::to_string(number) + ")" : std::to_string(number);
  }
  friend class ProgramBuilder;
  friend class ThreadBuilder;
  friend class ThreadHandle;
  friend class EnumHandle;
  friend class ModuleHandle;
  friend Expression detail::binary(const Expression& left, std::string_view op, const Expression& right);
  friend Expression detail::unary(std::string_view op, const Expression& operand);
  friend Expression select(const Expression& condition, const Expression& yes, const Expression& no);
  std::string text_;
};

// condition ? yes : no. Only one of the two is evaluated.
[[nodiscard]] Expression select(const Expression& condition, const Expression& yes, const Expression& no);

// `&&` and `||` evaluate their right side only if they need it.
inline Expression operator+(const Expression& a, const Expression& b) { return detail::binary(a, "+", b); }
inline Expression operator-(const Expression& a, const Expression& b) { return detail::binary(a, "-", b); }
inline Expression operator*(const Expression& a, const Expression& b) { return detail::binary(a, "*", b); }
inline Expression operator/(const Expression& a, const Expression& b) { return detail::binary(a, "/", b); }
inline Expression operator%(const Expression& a, const Expression& b) { return detail::binary(a, "%", b); }
inline Expression operator&(const Expression& a, const Expression& b) { return detail::binary(a, "&", b); }
inline Expression operator|(const Expression& a, const Expression& b) { return detail::binary(a, "|", b); }
inline Expression operator^(const Expression& a, const Expression& b) { return detail::binary(a, "^", b); }
inline Expression operator<<(const Expression& a, const Expression& b) { return detail::binary(a, "<<", b); }
inline Expression operator>>(const Expression& a, const Expression& b) { return detail::binary(a, ">>", b); }
inline Expression operator==(const Expression& a, const Expression& b) { return detail::binary(a, "==", b); }
inline Expression operator!=(const Expression& a, const Expression& b) { return detail::binary(a, "!=", b); }
inline Expression operator<(const Expression& a, const Expression& b) { return detail::binary(a, "<", b); }
inline Expression operator<=(const Expression& a, const Expression& b) { return detail::binary(a, "<=", b); }
inline Expression operator>(const Expression& a, const Expression& b) { return detail::binary(a, ">", b); }
inline Expression operator>=(const Expression& a, const Expression& b) { return detail::binary(a, ">=", b); }
inline Expression operator&&(const Expression& a, const Expression& b) { return detail::binary(a, "&&", b); }
inline Expression operator||(const Expression& a, const Expression& b) { return detail::binary(a, "||", b); }
inline Expression operator!(const Expression& a) { return detail::unary("!", a); }
inline Expression operator~(const Expression& a) { return detail::unary("~", a); }
inline Expression operator-(const Expression& a) { return detail::unary("-", a); }

// A shared variable, an element of an array or a field of a struct. In an expression it is a load.
class Location : public Expression {
 public:
  [[nodiscard]] Location operator[](const Expression& index) const {
    return Location(text() + "[" + index.text() + "]");
  }
  [[nodiscard]] Location field(std::string_view name) const {
    return Location(detail::member_text(text(), name));
  }

 private:
  using Expression::Expression;
  friend class ProgramBuilder;
  friend class ModuleHandle;
  friend class detail::ProgramText;
};

// A local that can be assigned again (ThreadBuilder::var), one of its elements or fields.
class LocalVariable : public Expression {
 public:
  [[nodiscard]] LocalVariable operator[](const Expression& index) const {
    return LocalVariable(text() + "[" + index.text() + "]");
  }
  [[nodiscard]] LocalVariable field(std::string_view name) const {
    return LocalVariable(detail::member_text(text(), name));
  }

 private:
  using Expression::Expression;
  friend class ThreadBuilder;
};

// A lock or a condition variable, or an array of them with elements []. Those in structs and arrays of
// structs are Locations: t.lock(pool[0].field("guard")).
enum class HandleOf : std::uint8_t { mutex, condition };
template <HandleOf>
class Handle {
 public:
  Handle(const Location& location) : name_(location.text()) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] Handle operator[](const Expression& index) const {
    return Handle(name_ + "[" + index.text() + "]");
  }

 private:
  explicit Handle(std::string name) : name_(std::move(name)) {}
  friend class ProgramBuilder;
  friend class ThreadBuilder;
  std::string name_;
};
using MutexHandle = Handle<HandleOf::mutex>;
using ConditionHandle = Handle<HandleOf::condition>;

// A type of the program: one of these four, an enum or struct of a ProgramBuilder, or an array of a type.
class Type {
 public:
  [[nodiscard]] static Type integer() { return Type("int"); }
  [[nodiscard]] static Type boolean() { return Type("bool"); }
  [[nodiscard]] static Type mutex() { return Type("mutex"); }
  [[nodiscard]] static Type condition() { return Type("cond"); }
  // The length is a number, a param or a constant.
  [[nodiscard]] Type array(const Expression& length) const {
    Type result(name_);
    result.lengths_ = "[" + length.text() + "]" + lengths_;
    return result;
  }
  // For shared variables and fields of structs: unordered conflicting accesses are data races.
  [[nodiscard]] Type plain() const {
    Type result("plain " + name_);
    result.lengths_ = lengths_;
    return result;
  }
  [[nodiscard]] std::string text() const { return name_ + lengths_; }

 protected:
  explicit Type(std::string name) : name_(std::move(name)) {}

 private:
  friend class ProgramBuilder;
  friend class ModuleHandle;
  std::string name_;
  std::string lengths_;
};

// An enum; state["idle"] is one of its values.
class EnumHandle : public Type {
 public:
  [[nodiscard]] Expression operator[](std::string_view value) const {
    return Expression(detail::member_text(text(), value));
  }

 private:
  using Type::Type;
  friend class ProgramBuilder;
  friend class ModuleHandle;
};

// A field of a struct. `initial`: one value, or one for each element of an array; empty: 0, false or the
// enum's first value.
struct Field {
  std::string name;
  Type type;
  std::vector<Expression> initial = {};
};

// A parameter of a function or proc. `by_reference`: another name for the argument's location.
struct Parameter {
  std::string name;
  Type type;
  bool by_reference = false;
};

// A thread, for conditions over final states.
class ThreadHandle {
 public:
  // A local of the thread's outermost block, by the name that load(), var() or another call gave it.
  [[nodiscard]] Expression operator[](std::string_view local) const {
    return Expression(detail::member_text(name_, local));
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  explicit ThreadHandle(std::string name) : name_(std::move(name)) {}
  friend class ProgramBuilder;
  friend class ProcHandle;
  std::string name_;
};

// A function of the program, for ThreadBuilder::call.
class FunctionHandle {
 private:
  explicit FunctionHandle(std::string name) : name_(std::move(name)) {}
  friend class ProgramBuilder;
  friend class ThreadBuilder;
  friend class ModuleHandle;
  std::string name_;
};

// The code of spawned threads, for ThreadBuilder::spawn.
class ProcHandle {
 public:
  // For conditions: the only thread spawned on it, or one of several in the order of the spawns.
  [[nodiscard]] ThreadHandle thread() const { return ThreadHandle(name_); }
  [[nodiscard]] ThreadHandle thread(std::uint32_t number) const {
    return ThreadHandle(name_ + "[" + std::to_string(number) + "]");
  }

 private:
  explicit ProcHandle(std::string name) : name_(std::move(name)) {}
  friend class ProgramBuilder;
  friend class ThreadBuilder;
  friend class ModuleHandle;
  std::string name_;
};

// A thread started by ThreadBuilder::spawn.
class SpawnHandle {
 private:
  explicit SpawnHandle(std::string name) : name_(std::move(name)) {}
  friend class ThreadBuilder;
  std::string name_;
};

// An imported module; gives its declarations by name.
class ModuleHandle {
 public:
  [[nodiscard]] Type type(std::string_view name) const { return Type(member(name)); }
  [[nodiscard]] EnumHandle enumeration(std::string_view name) const { return EnumHandle(member(name)); }
  [[nodiscard]] FunctionHandle function(std::string_view name) const { return FunctionHandle(member(name)); }
  [[nodiscard]] ProcHandle proc(std::string_view name) const { return ProcHandle(member(name)); }
  [[nodiscard]] Location shared(std::string_view name) const { return Location(member(name)); }
  // A param or a constant.
  [[nodiscard]] Expression constant(std::string_view name) const { return Expression(member(name)); }

 private:
  explicit ModuleHandle(std::string name) : name_(std::move(name)) {}
  friend class ProgramBuilder;
  [[nodiscard]] std::string member(std::string_view name) const { return detail::member_text(name_, name); }
  std::string name_;
};

}  // namespace heddle
