// Programs written in C++ instead of the language: for models that C++ code generates.
//
//   heddle::ProgramBuilder p("store buffering");
//   auto x = p.shared("x"), y = p.shared("y");
//   auto left = p.thread("left", [&](auto& t) { t.store(x, 1); t.load(y, "a"); });
//   auto right = p.thread("right", [&](auto& t) { t.store(y, 1); t.load(x, "b"); });
//   p.exists(left["a"] == 0 && right["b"] == 0);
//   auto program = p.compile();
//
// The calls write down a program of the language, in their order; nothing is executed. A C++ loop around
// calls writes them down several times, `if` in C++ decides what is written; `t.if_`, `t.while_` and `t.for_`
// are branches and loops of the program itself. What stands for a shared variable can be used in an
// expression: then it is read where the statement is, as in the language.
//
// Nothing throws (except what the bodies themselves throw, and std::bad_alloc). Mistakes are collected:
// `compile` returns them, each with the place of the C++ call and the call's name.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {

// An integer or truth value of the program that is being written.
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
    const auto number = static_cast<std::int64_t>(value);
    if (number == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807 - 1)";
    return number < 0 ? "(" + std::to_string(number) + ")" : std::to_string(number);
  }
  friend class ProgramBuilder;
  friend class ThreadBuilder;
  friend class ThreadHandle;
  friend Expression binary(const Expression& left, std::string_view op, const Expression& right);
  friend Expression unary(std::string_view op, const Expression& operand);
  friend Expression select(const Expression& condition, const Expression& yes, const Expression& no);
  std::string text_;
};

[[nodiscard]] Expression binary(const Expression& left, std::string_view op, const Expression& right);
[[nodiscard]] Expression unary(std::string_view op, const Expression& operand);
// condition ? yes : no; only one of the two is evaluated.
[[nodiscard]] Expression select(const Expression& condition, const Expression& yes, const Expression& no);

// `&&` and `||` skip what they do not need when the program runs.
inline Expression operator+(const Expression& a, const Expression& b) { return binary(a, "+", b); }
inline Expression operator-(const Expression& a, const Expression& b) { return binary(a, "-", b); }
inline Expression operator*(const Expression& a, const Expression& b) { return binary(a, "*", b); }
inline Expression operator/(const Expression& a, const Expression& b) { return binary(a, "/", b); }
inline Expression operator%(const Expression& a, const Expression& b) { return binary(a, "%", b); }
inline Expression operator&(const Expression& a, const Expression& b) { return binary(a, "&", b); }
inline Expression operator|(const Expression& a, const Expression& b) { return binary(a, "|", b); }
inline Expression operator^(const Expression& a, const Expression& b) { return binary(a, "^", b); }
inline Expression operator<<(const Expression& a, const Expression& b) { return binary(a, "<<", b); }
inline Expression operator>>(const Expression& a, const Expression& b) { return binary(a, ">>", b); }
inline Expression operator==(const Expression& a, const Expression& b) { return binary(a, "==", b); }
inline Expression operator!=(const Expression& a, const Expression& b) { return binary(a, "!=", b); }
inline Expression operator<(const Expression& a, const Expression& b) { return binary(a, "<", b); }
inline Expression operator<=(const Expression& a, const Expression& b) { return binary(a, "<=", b); }
inline Expression operator>(const Expression& a, const Expression& b) { return binary(a, ">", b); }
inline Expression operator>=(const Expression& a, const Expression& b) { return binary(a, ">=", b); }
inline Expression operator&&(const Expression& a, const Expression& b) { return binary(a, "&&", b); }
inline Expression operator||(const Expression& a, const Expression& b) { return binary(a, "||", b); }
inline Expression operator!(const Expression& a) { return unary("!", a); }
inline Expression operator~(const Expression& a) { return unary("~", a); }
inline Expression operator-(const Expression& a) { return unary("-", a); }

// A shared scalar or an element of a shared array. In an expression it is a load.
class Location : public Expression {
 private:
  using Expression::Expression;
  friend class ProgramBuilder;
  friend class ArrayHandle;
  friend class MutexArrayHandle;
};

// A local that can be assigned again (ThreadBuilder::var).
class LocalVariable : public Expression {
 private:
  using Expression::Expression;
  friend class ThreadBuilder;
};

class ArrayHandle {
 public:
  [[nodiscard]] Location operator[](const Expression& index) const {
    return Location(name_ + "[" + index.text() + "]");
  }

 private:
  explicit ArrayHandle(std::string name) : name_(std::move(name)) {}
  friend class ProgramBuilder;
  std::string name_;
};

class MutexHandle {
 private:
  explicit MutexHandle(std::string name) : name_(std::move(name)) {}
  friend class ProgramBuilder;
  friend class ThreadBuilder;
  std::string name_;
};

// A thread that has been written down; for conditions over final states.
class ThreadHandle {
 public:
  // A local of the outermost block of the thread, by the name that load(), var() or another call gave it.
  [[nodiscard]] Expression operator[](const std::string& local) const {
    return Expression(name_ + "." + local);
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  explicit ThreadHandle(std::string name) : name_(std::move(name)) {}
  friend class ProgramBuilder;
  std::string name_;
};

enum class FenceType : std::uint8_t { full, lightweight, store_store, instruction };

// Where a call stands in the C++ source; the compiler fills it in.
using CallPlace = std::source_location;

class ProgramBuilder;

// Writes the statements of one thread, one after the other. Calls that give a value put it into a local;
// `name` makes it one of that name (see ThreadHandle), else it gets one of its own.
class ThreadBuilder {
 public:
  using Block = std::function<void(ThreadBuilder& t)>;

  void store(const Location& to, const Expression& value, CallPlace place = CallPlace::current());
  Expression load(const Location& from, std::string name = {}, CallPlace place = CallPlace::current());
  // True if `at` held `expected`, and now holds `desired`.
  Expression cas(const Location& at, const Expression& expected, const Expression& desired,
                 std::string name = {}, CallPlace place = CallPlace::current());
  // These give the value before.
  Expression exchange(const Location& at, const Expression& value, std::string name = {},
                      CallPlace place = CallPlace::current());
  Expression fetch_add(const Location& at, const Expression& value, std::string name = {},
                       CallPlace place = CallPlace::current());
  Expression fetch_sub(const Location& at, const Expression& value, std::string name = {},
                       CallPlace place = CallPlace::current());
  Expression fetch_and(const Location& at, const Expression& value, std::string name = {},
                       CallPlace place = CallPlace::current());
  Expression fetch_or(const Location& at, const Expression& value, std::string name = {},
                      CallPlace place = CallPlace::current());
  Expression fetch_xor(const Location& at, const Expression& value, std::string name = {},
                       CallPlace place = CallPlace::current());
  Expression fetch_max(const Location& at, const Expression& value, std::string name = {},
                       CallPlace place = CallPlace::current());
  Expression fetch_min(const Location& at, const Expression& value, std::string name = {},
                       CallPlace place = CallPlace::current());
  void fence(FenceType type = FenceType::full, CallPlace place = CallPlace::current());
  void lock(const MutexHandle& mutex, CallPlace place = CallPlace::current());
  void unlock(const MutexHandle& mutex, CallPlace place = CallPlace::current());
  Expression try_lock(const MutexHandle& mutex, std::string name = {},
                      CallPlace place = CallPlace::current());
  // Some value of low .. high - 1; every one of them is explored.
  Expression choose(const Expression& low, const Expression& high, std::string name = {},
                    CallPlace place = CallPlace::current());

  // `let` and `var` of the language. An empty name is replaced by one of its own.
  Expression let(std::string name, const Expression& value, CallPlace place = CallPlace::current());
  LocalVariable var(std::string name, const Expression& value, CallPlace place = CallPlace::current());
  void assign(const LocalVariable& variable, const Expression& value, CallPlace place = CallPlace::current());

  // `assert` of the language (a macro in C++).
  void check(const Expression& condition, std::string_view text = {}, CallPlace place = CallPlace::current());
  void assume(const Expression& condition, CallPlace place = CallPlace::current());
  void await(const Expression& condition, CallPlace place = CallPlace::current());

  void if_(const Expression& condition, const Block& then, CallPlace place = CallPlace::current());
  void if_else(const Expression& condition, const Block& then, const Block& otherwise,
               CallPlace place = CallPlace::current());
  // The condition is evaluated before every round.
  void while_(const Expression& condition, const Block& body, CallPlace place = CallPlace::current());
  // From low up to below high.
  void for_(std::string name, const Expression& low, const Expression& high,
            const std::function<void(ThreadBuilder& t, Expression i)>& body,
            CallPlace place = CallPlace::current());
  void break_(CallPlace place = CallPlace::current());
  void continue_(CallPlace place = CallPlace::current());
  void return_(CallPlace place = CallPlace::current());

 private:
  friend class ProgramBuilder;
  explicit ThreadBuilder(ProgramBuilder& program) : program_(program) {}
  Expression define(std::string_view call, std::string name, std::string_view keyword,
                    const std::string& value, const CallPlace& place);
  void statement(std::string_view call, const std::string& text, const CallPlace& place);
  void block(const Block& body);

  ProgramBuilder& program_;
  unsigned depth_ = 1;
  unsigned names_ = 0;
};

class ProgramBuilder {
 public:
  using Block = ThreadBuilder::Block;
  using FamilyBlock = std::function<void(ThreadBuilder& t, Expression me)>;

  // `name` is how messages and traces call the program.
  explicit ProgramBuilder(std::string name);

  // Shared variables, of int unless the name says otherwise, all elements with the same first value.
  Location shared(std::string name, std::int64_t initial = 0, CallPlace place = CallPlace::current());
  Location shared_bool(std::string name, bool initial = false, CallPlace place = CallPlace::current());
  ArrayHandle shared_array(std::string name, std::uint32_t length, std::int64_t initial = 0,
                           CallPlace place = CallPlace::current());
  MutexHandle mutex(std::string name, CallPlace place = CallPlace::current());
  // A value that CompileOptions::parameters can override.
  Expression param(std::string name, std::int64_t value, CallPlace place = CallPlace::current());

  ThreadHandle thread(std::string name, const Block& body, CallPlace place = CallPlace::current());
  // One thread for each number of low .. high - 1, which `me` stands for. The handles are in that order.
  std::vector<ThreadHandle> threads(std::string name, std::int64_t low, std::int64_t high,
                                    const FamilyBlock& body, CallPlace place = CallPlace::current());
  // The `final` block: after all threads have ended.
  void finally(const Block& body, CallPlace place = CallPlace::current());

  // Conditions over final states: shared variables and locals of threads.
  void exists(const Expression& condition, CallPlace place = CallPlace::current());
  void forall(const Expression& condition, CallPlace place = CallPlace::current());
  void forbid(const Expression& condition, CallPlace place = CallPlace::current());

  // The program so far in the language. Line numbers of traces count in it.
  [[nodiscard]] const std::string& text() const { return text_; }
  // Compiles what has been written down. Errors have the file and line of the C++ call.
  [[nodiscard]] Result<Program> compile(const CompileOptions& options = {}) const;

 private:
  friend class ThreadBuilder;
  // Adds a line that comes from the call.
  void line(std::string_view call, std::string text, const CallPlace& place);
  void check_name(std::string_view call, const std::string& name, const CallPlace& place);
  void error(std::string_view call, std::string message, const CallPlace& place);
  void body(std::string_view call, const std::string& head, const Block& block, const CallPlace& place);

  struct Call {
    std::string name;
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };
  std::string name_;
  std::string text_;
  std::vector<Call> calls_;  // of each line of the text
  std::vector<Diagnostic> errors_;
};

}  // namespace heddle
