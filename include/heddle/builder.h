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

#include <cstdint>
#include <functional>
#include <set>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/expression.h"
#include "heddle/heddle.h"

namespace heddle {

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
  // Loads, computes and stores, as `at += value` does; `op` is one of + - * / % & | ^ << >>.
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
  // Some value of low .. high - 1; every one of them is explored.
  Expression choose(const Expression& low, const Expression& high, std::string name = {},
                    CallPlace place = CallPlace::current());
  Expression choose(const EnumHandle& type, std::string name = {}, CallPlace place = CallPlace::current());

  // `let` and `var` of the language. An empty name is replaced by one of its own.
  Expression let(std::string name, const Expression& value, CallPlace place = CallPlace::current());
  LocalVariable var(std::string name, const Expression& value, CallPlace place = CallPlace::current());
  // An array or object of the thread's own. `initial`: one value, or one for each element.
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
  // From low up to below high.
  void for_(std::string name, const Expression& low, const Expression& high,
            const std::function<void(ThreadBuilder& t, Expression i)>& body,
            CallPlace place = CallPlace::current());
  void break_(CallPlace place = CallPlace::current());
  void continue_(CallPlace place = CallPlace::current());
  void return_(CallPlace place = CallPlace::current());
  void return_(const Expression& value, CallPlace place = CallPlace::current());

  // A call of a function without a result, and of one with.
  void call(const FunctionHandle& function, const std::vector<Expression>& arguments = {},
            CallPlace place = CallPlace::current());
  Expression call_value(const FunctionHandle& function, const std::vector<Expression>& arguments = {},
                        std::string name = {}, CallPlace place = CallPlace::current());
  // Starts a thread. join() waits for its end, or for the ends of all that this thread has started on a proc.
  SpawnHandle spawn(const ProcHandle& proc, const std::vector<Expression>& arguments = {},
                    std::string name = {}, CallPlace place = CallPlace::current());
  void join(const SpawnHandle& thread, CallPlace place = CallPlace::current());
  void join(const ProcHandle& proc, CallPlace place = CallPlace::current());

 private:
  friend class ProgramBuilder;
  explicit ThreadBuilder(ProgramBuilder& program) : program_(program) {}
  std::string name_for(std::string_view call, std::string name, const CallPlace& place);
  void give(std::string_view call, const std::string& name, const CallPlace& place);
  Expression define(std::string_view call, std::string name, std::string_view keyword,
                    const std::string& value, const CallPlace& place);
  Expression modify(const char* function, const Location& at, const Expression& value, std::string name,
                    const CallPlace& place);
  void statement(std::string_view call, const std::string& text, const CallPlace& place);
  void block(const Block& body);

  ProgramBuilder& program_;
  unsigned depth_ = 1;
  unsigned names_ = 0;
  std::set<std::string> given_;      // names of this body, by the caller
  std::set<std::string> automatic_;  // and by name_for
};

class ProgramBuilder {
 public:
  using Block = ThreadBuilder::Block;
  using FamilyBlock = std::function<void(ThreadBuilder& t, Expression me)>;
  // The arguments in the order of the parameters. One that is not by reference can only be read.
  using CallBlock = std::function<void(ThreadBuilder& t, const std::vector<Location>& arguments)>;

  // `name` is how messages and traces call the program; imported files are looked for beside it.
  explicit ProgramBuilder(std::string name, CallPlace place = CallPlace::current());

  // Shared variables, of int unless the name says otherwise, all elements with the same first value.
  Location shared(std::string name, std::int64_t initial = 0, CallPlace place = CallPlace::current());
  Location shared_bool(std::string name, bool initial = false, CallPlace place = CallPlace::current());
  Location shared_array(std::string name, std::uint32_t length, std::int64_t initial = 0,
                        CallPlace place = CallPlace::current());
  // Of any type. `initial`: one value, or one for each element of an array.
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
  // A value that CompileOptions::parameters can override.
  Expression param(std::string name, std::int64_t value, CallPlace place = CallPlace::current());
  // A number or truth value that follows from numbers, params and constants.
  Expression constant(std::string name, const Expression& value, CallPlace place = CallPlace::current());
  // "std.spinlock", or a file beside the program's name, "./queue.hed". `name` is what it is called here;
  // empty: the module's own name.
  ModuleHandle import(std::string_view module, std::string name = {}, CallPlace place = CallPlace::current());

  ThreadHandle thread(std::string name, const Block& body, CallPlace place = CallPlace::current());
  // One thread for each number of low .. high - 1, which `me` stands for. The handles are in that order.
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

  // Conditions over final states: shared variables and locals of threads.
  void exists(const Expression& condition, CallPlace place = CallPlace::current());
  void forall(const Expression& condition, CallPlace place = CallPlace::current());
  void forbid(const Expression& condition, CallPlace place = CallPlace::current());

  // An `expect` line, for what text() is saved as: expect("sc, tso", "safe"), expect("pso", "violation
  // \"late\""). `settings` is what stands behind `with`.
  void expect(std::string_view models, std::string_view outcome, std::string_view settings = {},
              CallPlace place = CallPlace::current());

  // The program so far in the language. Line numbers of traces count in it.
  [[nodiscard]] const std::string& text() const { return text_; }
  // Compiles what has been written down. Errors have the file and line of the C++ call.
  [[nodiscard]] Result<Program> compile(const CompileOptions& options = {}) const;

 private:
  friend class ThreadBuilder;
  // Adds a line that comes from the call.
  void line(std::string_view call, std::string text, const CallPlace& place);
  void check_name(std::string_view call, const std::string& name, const CallPlace& place);
  // The same for a name of the whole program, which no name in a body may be.
  void give(std::string_view call, const std::string& name, const CallPlace& place);
  void error(std::string_view call, std::string message, const CallPlace& place);
  void body(std::string_view call, const std::string& head, const Block& block, const CallPlace& place);
  void callable(std::string_view call, std::string_view keyword, const std::string& name,
                const std::vector<Parameter>& parameters, const std::string& result, const CallBlock& block,
                const CallPlace& place);

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
  std::vector<Diagnostic> errors_;
  std::set<std::string> given_;      // names of the whole program
  std::set<std::string> automatic_;  // of all bodies, see ThreadBuilder
};

}  // namespace heddle
