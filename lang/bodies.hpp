// Resolves the statements of a function, a thread or `final`.
#pragma once

#include <string_view>
#include <vector>

#include "lang/expressions.hpp"
#include "lang/resolution.hpp"

namespace heddle::lang {

enum class BodyKind : std::uint8_t { function, thread, final_ };

class BodyResolver {
 public:
  // Fills `body`, which must outlive this. `result` is the function's result type.
  BodyResolver(Resolution& resolution, BodyKind kind, Type result, Body& body);

  // Declares a parameter. Call before `resolve`.
  void add_parameter(const syntax::Word& name, Type type, LocalKind kind);
  // The same for a struct passed by value: parameters for its scalars. `into`: statements that the body begins
  // with. `complete_struct_parameters` declares them, after all parameters.
  void add_struct_parameter(const syntax::Word& name, const DataType& type);
  void complete_struct_parameters(std::vector<Statement>& into);
  // Declares the locals of the caller that get the struct that the function returns. Call first.
  void add_result(const DataType& type, const SourceRange& range);
  // Declares a `ref` parameter bound to `object`: locals of the caller or shared variables. Indexes in
  // `object` become parameters of their own.
  void add_reference(const syntax::Word& name, const Object& object);
  // Declares a local initialised to `value`.
  void add_initialised(const syntax::Word& name, Type type, Expression value, std::vector<Statement>& into);
  // Call before `resolve`. `number`: the thread template this body belongs to. A proc also has an epilogue:
  // statements to run before every exit.
  void set_template(std::uint32_t number) { template_ = number; }
  void set_epilogue(std::vector<Statement> statements) { epilogue_ = std::move(statements); }
  void resolve(const std::vector<syntax::Statement>& statements);
  // The locals of the outermost block, by name. Valid after `resolve`.
  [[nodiscard]] const std::unordered_map<std::string_view, LocalSymbol>& top_level() const {
    return top_level_;
  }

 private:
  [[nodiscard]] ExpressionResolver expressions() { return {resolution_, place_, &locals_, &body_}; }
  std::vector<Statement> block(const std::vector<syntax::Statement>& statements);
  void statement(const syntax::Statement& from, std::vector<Statement>& into);
  void declare(const syntax::Statement& from, Statement& into);
  void declare_awaited(const syntax::Statement& from, Statement& into);
  void declare_struct(const syntax::Statement& from, const DataType& type, Statement& into);
  void declare_aggregate(const syntax::Statement& from, const DataType& type, Statement& into);
  void evaluate(const syntax::Statement& from, Statement& into);
  // assignments.cpp
  void assign(const syntax::Statement& from, Statement& into);
  void assign_struct(const syntax::Statement& from, const DataType& type, Statement& into);
  void assign_local(const syntax::Statement& from, const LocalSymbol& local, Statement& into);
  void store(const syntax::Statement& from, Statement& into);
  // control.cpp
  void branch(const syntax::Statement& from, Statement& into);
  void either_of_range(const syntax::Statement& from, Statement& into);
  void refuse_guard(const syntax::Statement& first);
  void either(const syntax::Statement& from, Statement& into);
  void atomic(const syntax::Statement& from, Statement& into);
  void loop(const syntax::Statement& from, Statement& into);
  void count_loop(const syntax::Statement& from, Statement& into);
  void jump(const syntax::Statement& from, Statement& into);
  void return_struct(const syntax::Statement& from, Statement& into);
  void return_value(const syntax::Statement& from, Statement& into);
  void progress(const syntax::Statement& from, Statement& into);
  void restart(const syntax::Statement& from, Statement& into);
  // Whether a thread that ends may restart instead. A proc may do so before the store that is its end.
  [[nodiscard]] bool restarts_at_end() const { return restarts_ && epilogue_.empty(); }
  static Statement end_of_restart(const SourceRange& range);
  void fence(const syntax::Statement& from, Statement& into);
  void lock(const syntax::Statement& from, Statement& into);
  void condition_variable(const syntax::Statement& from, Statement& into);
  void check(const syntax::Statement& from, Statement& into);
  // spawns.cpp
  std::optional<Spawned> spawn(const syntax::Expression& from, Statement& into);
  void join(const syntax::Statement& from, Statement& into);
  void unrolled_loop(const syntax::Statement& from, std::int64_t low, std::int64_t high, Statement& into);

  void declare_local(const syntax::Word& name, const LocalSymbol& local);
  void add_leaves(const syntax::Word& name, Object& object, bool by_reference, bool top_level);
  // Whether conditions can name locals declared here.
  [[nodiscard]] bool nameable() const { return locals_.at_top_level() && unrolled_ == 0; }
  LocalId add_local(const syntax::Word& name, Type type, LocalKind kind, bool broken);
  // Reports and returns false if the statement is not allowed in this kind of body.
  bool check_allowed(const syntax::Statement& from);

  Resolution& resolution_;
  BodyKind kind_;
  Place place_;
  Type result_;
  Body& body_;
  Locals locals_;
  std::unordered_map<std::string_view, LocalSymbol> top_level_;
  unsigned loops_ = 0;     // enclosing the current statement
  unsigned branches_ = 0;  // the same, without loops that are unrolled
  unsigned unrolled_ = 0;
  bool left_ = false;      // a `return` has been seen
  bool restarts_ = false;  // a `restart` has been seen
  std::optional<std::uint32_t> template_;
  std::optional<Object> struct_result_;  // of a function that returns a struct
  struct StructParameter {
    syntax::Word name;
    DataType type;
    LocalId first;  // of its scalars
  };
  std::vector<StructParameter> struct_parameters_;
  std::vector<Statement> epilogue_;
  std::vector<Spawned> spawned_;
};

// Whether control can never reach the end of `statements`.
[[nodiscard]] bool never_falls_off(const std::vector<Statement>& statements);

}  // namespace heddle::lang
