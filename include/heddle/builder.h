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
// calls writes them several times, a C++ `if` decides whether they are written; `t.if_`, `t.while_` and
// `t.for_` are branches and loops of the program itself. A shared variable in an expression is read where the
// statement is, as in the language.
//
// Nothing throws except std::bad_alloc and your own bodies. Mistakes are collected: `compile` returns them,
// each with the name and the place of the C++ call. A builder belongs to one thread at a time. All calls are
// linear in what they write.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/expression.h"
#include "heddle/heddle.h"

namespace heddle {

// The place of a call in the C++ source; the compiler fills it in.
using CallPlace = std::source_location;

namespace detail {
class BodyText;     // what a ThreadBuilder
class ProgramText;  // and a ProgramBuilder write into
}  // namespace detail

// Writes the statements of one thread, one after the other. Calls with a result put it into a local called
// `name` (see ThreadHandle), or into one with a fresh name. The reference is valid during the body only.
class ThreadBuilder {
 public:
  using Block = std::function<void(ThreadBuilder& t)>;

  void store(const Location& to, const Expression& value, CallPlace place = CallPlace::current());
  Expression load(const Location& from, std::string name = {}, CallPlace place = CallPlace::current());
  // True if `at` held `expected`, and now holds `desired`.
  Expression cas(const Location& at, const Expression& expected, const Expression& desired,
                 std::string name = {}, CallPlace place = CallPlace::current());
  // These return the old value.
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
  // `at += value`: a load, a computation and a store, not atomic. `op` is one of + - * / % & | ^ << >>.
  void update(const Location& at, std::string_view op, const Expression& value,
              CallPlace place = CallPlace::current());
  void lock(const MutexHandle& mutex, CallPlace place = CallPlace::current());
  void unlock(const MutexHandle& mutex, CallPlace place = CallPlace::current());
  Expression try_lock(const MutexHandle& mutex, std::string name = {},
                      CallPlace place = CallPlace::current());
  void wait(const ConditionHandle& condition, const MutexHandle& mutex,
            CallPlace place = CallPlace::current());
  void signal(const ConditionHandle& condition, CallPlace place = CallPlace::current());
  void broadcast(const ConditionHandle& condition, CallPlace place = CallPlace::current());
  // Any value of low .. high - 1; checks explore all of them.
  Expression choose(const Expression& low, const Expression& high, std::string name = {},
                    CallPlace place = CallPlace::current());
  Expression choose(const EnumHandle& type, std::string name = {}, CallPlace place = CallPlace::current());

  // `let` and `var` of the language. An empty name is replaced by a fresh one.
  Expression let(std::string name, const Expression& value, CallPlace place = CallPlace::current());
  LocalVariable var(std::string name, const Expression& value, CallPlace place = CallPlace::current());
  // A local array or object. `initial`: one value, or one for each element.
  LocalVariable var(std::string name, const Type& type, const std::vector<Expression>& initial = {},
                    CallPlace place = CallPlace::current());
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
  // From low to high - 1.
  void for_(std::string name, const Expression& low, const Expression& high,
            const std::function<void(ThreadBuilder& t, Expression i)>& body,
            CallPlace place = CallPlace::current());
  void break_(CallPlace place = CallPlace::current());
  void continue_(CallPlace place = CallPlace::current());
  void return_(CallPlace place = CallPlace::current());
  void return_(const Expression& value, CallPlace place = CallPlace::current());

  // Calls of functions without and with a result.
  void call(const FunctionHandle& function, const std::vector<Expression>& arguments = {},
            CallPlace place = CallPlace::current());
  Expression call_value(const FunctionHandle& function, const std::vector<Expression>& arguments = {},
                        std::string name = {}, CallPlace place = CallPlace::current());
  // Starts a thread. join() waits until it has ended, or until all threads that this one started on a proc
  // have.
  SpawnHandle spawn(const ProcHandle& proc, const std::vector<Expression>& arguments = {},
                    std::string name = {}, CallPlace place = CallPlace::current());
  void join(const SpawnHandle& thread, CallPlace place = CallPlace::current());
  void join(const ProcHandle& proc, CallPlace place = CallPlace::current());

 private:
  friend class detail::ProgramText;
  explicit ThreadBuilder(detail::BodyText& body) : body_(body) {}
  detail::BodyText& body_;
};

class ProgramBuilder {
 public:
  using Block = ThreadBuilder::Block;
  using FamilyBlock = std::function<void(ThreadBuilder& t, Expression me)>;
  // The arguments are in the order of the parameters. Those that are not by reference are read-only.
  using CallBlock = std::function<void(ThreadBuilder& t, const std::vector<Location>& arguments)>;

  // `name` is the program's name in messages and traces; imports are relative to it.
  explicit ProgramBuilder(std::string name, CallPlace place = CallPlace::current());
  ~ProgramBuilder();
  ProgramBuilder(ProgramBuilder&& other) noexcept;
  ProgramBuilder& operator=(ProgramBuilder&& other) noexcept;

  // Shared variables, of type int unless the call's name says otherwise; all elements get the initial value.
  Location shared(std::string name, std::int64_t initial = 0, CallPlace place = CallPlace::current());
  Location shared_bool(std::string name, bool initial = false, CallPlace place = CallPlace::current());
  Location shared_array(std::string name, std::uint32_t length, std::int64_t initial = 0,
                        CallPlace place = CallPlace::current());
  // A shared variable of any type. `initial`: one value, or one for each element of an array.
  Location shared(std::string name, const Type& type, const std::vector<Expression>& initial = {},
                  CallPlace place = CallPlace::current());
  MutexHandle mutex(std::string name, CallPlace place = CallPlace::current());
  MutexHandle mutex_array(std::string name, const Expression& length, CallPlace place = CallPlace::current());
  ConditionHandle condition(std::string name, CallPlace place = CallPlace::current());
  ConditionHandle condition_array(std::string name, const Expression& length,
                                  CallPlace place = CallPlace::current());
  EnumHandle enumeration(std::string name, const std::vector<std::string>& values,
                         CallPlace place = CallPlace::current());
  Type structure(std::string name, const std::vector<Field>& fields, CallPlace place = CallPlace::current());
  // A constant that CompileOptions::parameters can override.
  Expression param(std::string name, std::int64_t value, CallPlace place = CallPlace::current());
  // A number or truth value, computed from numbers, params and constants.
  Expression constant(std::string name, const Expression& value, CallPlace place = CallPlace::current());
  // "std.spinlock", or a file relative to the program's name, "./queue.hed". `name` is its name in this
  // program; empty: the module's own.
  ModuleHandle import(std::string_view module, std::string name = {}, CallPlace place = CallPlace::current());

  ThreadHandle thread(std::string name, const Block& body, CallPlace place = CallPlace::current());
  // One thread for each `me` of low .. high - 1. The handles are in that order.
  std::vector<ThreadHandle> threads(std::string name, std::int64_t low, std::int64_t high,
                                    const FamilyBlock& body, CallPlace place = CallPlace::current());
  FunctionHandle function(std::string name, const std::vector<Parameter>& parameters, const CallBlock& body,
                          CallPlace place = CallPlace::current());
  FunctionHandle function(std::string name, const std::vector<Parameter>& parameters, const Type& result,
                          const CallBlock& body, CallPlace place = CallPlace::current());
  ProcHandle proc(std::string name, const std::vector<Parameter>& parameters, const CallBlock& body,
                  CallPlace place = CallPlace::current());
  // The `final` block: after all threads have ended.
  void finally(const Block& body, CallPlace place = CallPlace::current());

  // Conditions over shared variables and locals of threads in final states.
  void exists(const Expression& condition, CallPlace place = CallPlace::current());
  void forall(const Expression& condition, CallPlace place = CallPlace::current());
  void forbid(const Expression& condition, CallPlace place = CallPlace::current());

  // An `expect` line, for text() in a file: expect("sc, tso", "safe"), expect("pso", "violation \"late\"").
  // `settings` follows `with`.
  void expect(std::string_view models, std::string_view outcome, std::string_view settings = {},
              CallPlace place = CallPlace::current());

  // The program so far, in the language. Line numbers of traces refer to it. Valid until the next call.
  [[nodiscard]] const std::string& text() const;
  // Compiles the text; the builder can be used further. Errors have the file and line of the C++ call.
  [[nodiscard]] Result<Program> compile(const CompileOptions& options = {}) const;

 private:
  std::unique_ptr<detail::ProgramText> text_;
};

}  // namespace heddle
