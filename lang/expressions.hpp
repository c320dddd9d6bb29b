// Resolves and types expressions.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lang/resolution.hpp"

namespace heddle::lang {

// The context of an expression decides what it may contain.
enum class Place : std::uint8_t {
  constant,   // literals, params, constants
  code,       // everything
  final_,     // no atomics, locks, choices
  condition,  // over final states: no calls, but locals of threads are allowed
};

// A shared variable or mutex, with the index for arrays.
struct Target {
  VariableId variable = 0;
  Type type = Type::integer;
  std::optional<Expression> index;
};

// A struct as a value: `steps` to be evaluated first, in order (expressions `let` that still lack their body), then
// one expression for each of its scalars, fields in order, of an array field one for each element.
struct StructValue {
  std::vector<Expression> steps;
  std::vector<Expression> scalars;
};

// What an object is needed for; messages depend on it.
enum class Want : std::uint8_t {
  value,      // read it
  place,      // assign to it
  shared,     // an atomic operation on it
  mutex,      // lock it
  condition,  // wait for it
  reference,  // pass it on
};

// All functions report errors and then return nothing. What has been reported already is not reported again.
class ExpressionResolver {
 public:
  // `locals` may be null. `body`: gets a local for what is evaluated before its use; null for conditions and
  // constants.
  ExpressionResolver(Resolution& resolution, Place place, const Locals* locals, Body* body = nullptr)
      : resolution_(resolution), place_(place), locals_(locals), body_(body) {}

  // An expression with a value.
  [[nodiscard]] std::optional<Expression> value(const syntax::Expression& from);
  // A value of type `wanted`. `what` names it in messages: "the index" gives "the index must be int, not
  // bool".
  [[nodiscard]] std::optional<Expression> value_of_type(const syntax::Expression& from, Type wanted,
                                                        std::string_view what);
  // A bool, or an int wrapped into `!= 0`.
  [[nodiscard]] std::optional<Expression> condition(const syntax::Expression& from);
  // An expression statement: a call (possibly without a result) or an atomic operation.
  [[nodiscard]] std::optional<Expression> effect(const syntax::Expression& from);
  // The struct that the expression is a value of; nothing, and no report, if it is none.
  [[nodiscard]] std::optional<DataType> struct_type(const syntax::Expression& from) const;
  // A struct of type `wanted`; `what` as for value_of_type.
  [[nodiscard]] std::optional<StructValue> struct_value(const syntax::Expression& from,
                                                        const DataType& wanted, std::string_view what);
  // The steps as statements.
  void add_steps(std::vector<Expression> steps, const SourceRange& range, std::vector<Statement>& into);
  // Evaluates and checks the indexes of the object once.
  void hold_indexes(Object& object, std::vector<Expression>& steps);
  // Evaluates all values that are no literals once, in order.
  void hold_all(std::vector<Expression>& values, std::vector<Expression>& steps);
  // A shared scalar or array element. `use` is for messages: "lock", "cas".
  [[nodiscard]] std::optional<Target> shared_target(const syntax::Expression& from, std::string_view use);
  [[nodiscard]] std::optional<Target> mutex_target(const syntax::Expression& from, std::string_view use);
  // The object, of any type, denoted by names, indexes and members. For `use` see Want.
  [[nodiscard]] std::optional<Object> object(const syntax::Expression& from, Want want, std::string_view use);
  // The same for one shared scalar, mutex or condition variable.
  [[nodiscard]] std::optional<Target> target(const syntax::Expression& from, Want want, std::string_view use);
  // The symbol that `name` or `module.name` refers to; null, without a report, if there is none.
  [[nodiscard]] const Symbol* symbol_named(const syntax::Expression& from) const;
  [[nodiscard]] bool names_thread(const syntax::Expression& from) const;
  void unknown_name(const syntax::Word& word, std::string_view what, bool (*wanted)(const Symbol*) = nullptr);
  // A call whose `ref` parameters are bound to `objects`. `place`: the one statement that the function
  // implements.
  [[nodiscard]] Expression bound_call(std::uint32_t signature, std::vector<Object> objects,
                                      const SourceRange& place);
  // Resolves arguments passed by value to a function or proc; false after a report.
  [[nodiscard]] bool arguments(const syntax::Expression& call, std::string_view name,
                               const std::vector<Signature::Parameter>& parameters,
                               const SourceRange& declared, std::vector<std::optional<Object>>& references,
                               std::vector<Expression>& into, std::vector<Expression>& steps,
                               std::string& key);
  // Reports that an object that cannot be assigned is.
  void fixed_object(const syntax::Expression& place);

 private:
  // Reports unless `found`, the type of `from`, equals `wanted`.
  bool check_type(const syntax::Expression& from, Type found, Type wanted, std::string_view what);
  bool check_operands(const syntax::Expression& from, BinaryOperator operation, Type left, Type right);
  void bind(Object object, std::vector<Expression>& into, std::string& key);
  FunctionId instance(std::uint32_t signature, const std::string& key,
                      std::vector<std::optional<Object>> references, const SourceRange& call,
                      const std::optional<SourceRange>& place);
  [[nodiscard]] std::string conversion_hint(const syntax::Expression& from, Type found, Type wanted) const;

  std::optional<Expression> any(const syntax::Expression& from);
  std::optional<Expression> name(const syntax::Expression& from);
  std::optional<Expression> symbol_value(const syntax::Expression& from, const Symbol& symbol);
  std::optional<Expression> load(const syntax::Expression& from);
  std::optional<Expression> read(const syntax::Expression& from, Object object);
  std::optional<Expression> member(const syntax::Expression& from);
  std::optional<Object> named_object(const syntax::Expression& from, const syntax::Word& word,
                                     const Symbol* symbol, Want want, std::string_view use);
  std::optional<Object> member_object(const syntax::Expression& from, Want want, std::string_view use);
  std::optional<Object> thread_object(const syntax::Expression& from);
  std::optional<ThreadId> thread_named_by(const syntax::Expression& from);
  std::optional<Expression> unary(const syntax::Expression& from);
  std::optional<Expression> binary(const syntax::Expression& from);
  std::optional<Expression> logical(const syntax::Expression& from);
  std::optional<Expression> conditional(const syntax::Expression& from);
  // `into`: locals for the scalars of a struct that it returns. `steps` come before the call.
  std::optional<Expression> call(const syntax::Expression& from, std::vector<Expression> into,
                                 std::vector<Expression>& steps);
  std::optional<Expression> atomic(const syntax::Expression& from);
  void plain_atomic(const SourceRange& range, std::string_view operation, VariableId variable);
  std::optional<Expression> try_lock(const syntax::Expression& from);
  std::optional<Expression> choose(const syntax::Expression& from);

  // struct_values.cpp. The steps around an expression; nothing after a report: there are too many.
  [[nodiscard]] std::optional<Expression> wrap(std::vector<Expression> steps, Expression body);
  [[nodiscard]] Expression hold(Expression value, std::vector<Expression>& steps);
  // The type of a place, struct literal or call of a function that returns a struct; nothing for anything else.
  [[nodiscard]] std::optional<DataType> any_type(const syntax::Expression& from) const;
  [[nodiscard]] std::optional<DataType> thread_local_type(const syntax::Expression& from) const;
  [[nodiscard]] std::string example(const DataType& type) const;
  std::optional<StructValue> struct_literal(const syntax::Expression& from);
  std::optional<std::vector<Expression>> field_value(const syntax::Expression& given, const FieldType& field,
                                                     std::vector<Expression>& steps);
  void unknown_field(const syntax::Expression& given, const Structure& structure, bool twice);
  std::optional<StructValue> struct_call(const syntax::Expression& from);
  std::optional<Expression> struct_comparison(const syntax::Expression& from);
  // Reports and returns true if it is a struct: a single value is needed here.
  bool refuse_struct(const syntax::Expression& from);

  // Reports that a mutex or condition variable has no value to read.
  void no_value(const SourceRange& range, std::string_view name, bool mutex);
  // Reports and returns true if `type` is an array: an element is needed here.
  bool refuse_array(const SourceRange& range, std::string_view name, const DataType& type);
  // Reports if `what` is not allowed here.
  bool check_allowed(const SourceRange& range, std::string_view what);

  Resolution& resolution_;
  Place place_;
  const Locals* locals_;
  Body* body_;
};

// The value of a compile-time expression of type `wanted`; `what` as for value_of_type.
[[nodiscard]] std::optional<std::int64_t> constant_value(Resolution& resolution,
                                                         const syntax::Expression& from, Type wanted,
                                                         std::string_view what);

}  // namespace heddle::lang
