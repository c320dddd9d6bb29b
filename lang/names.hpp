// Symbol tables: the names of the program, and the locals visible at one point.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/objects.hpp"
#include "lang/tree.hpp"

namespace heddle::lang {

enum class SymbolKind : std::uint8_t {
  param,
  constant,
  type,  // a param of a module that is `int` or `bool`
  enumeration,
  structure,
  variable,
  mutex,
  condition,
  function,
  proc,
  thread,
  module
};

// One name of a file. All top-level names, including imported names and names of modules, share one
// namespace.
struct Symbol {
  SymbolKind kind = SymbolKind::constant;
  // Index into Resolution::objects (variables, mutexes, condition variables), Resolution::signatures
  // (functions), Program::templates (threads, procs), the program (params, enumerations) or the resolution
  // (structs, modules).
  std::uint32_t id = 0;
  bool ready = false;   // its declaration has been resolved
  bool broken = false;  // its declaration has an error: uses of it are not reported
  Type type = Type::integer;
  std::int64_t value = 0;  // of params and constants
  SourceRange range;       // of the name in the declaration
};

// "shared variable", "thread"...
[[nodiscard]] std::string_view describe(SymbolKind kind);

// Whether the symbol is a variable, mutex or condition variable. False for null.
[[nodiscard]] bool is_object(const Symbol* symbol);

class Names {
 public:
  // Returns the older symbol if the name is taken, else null. `name` must outlive the scope.
  const Symbol* declare(std::string_view name, const Symbol& symbol);
  [[nodiscard]] Symbol* find(std::string_view name);
  [[nodiscard]] const Symbol* find(std::string_view name) const;
  // All declared names in order of declaration.
  [[nodiscard]] const std::vector<std::string_view>& all() const { return order_; }

 private:
  std::unordered_map<std::string_view, Symbol> symbols_;
  std::vector<std::string_view> order_;
};

enum class LocalKind : std::uint8_t {
  let,
  var,
  loop_variable,
  function_parameter,
  family_parameter,
  reference,  // a `ref` parameter
  aggregate,  // an array or struct
  spawned,    // the handle that `spawn` returns
};

// A thread that a body spawns, with the expression for its number among the threads of its proc.
struct Spawned {
  std::uint32_t proc = 0;  // index into Resolution::procs
  Expression number;
};

struct LocalSymbol {
  LocalId id = 0;
  LocalKind kind = LocalKind::let;
  bool broken = false;  // its declaration has an error: uses of it are not reported
  Type type = Type::integer;
  SourceRange range;
  std::optional<Object> object;       // of references and aggregates
  std::optional<std::int64_t> value;  // of the counter of an unrolled loop
  std::optional<Spawned> spawned;
};

// The locals visible while a body is resolved. Shadowing is an error, so a name is visible at most once.
class Locals {
 public:
  void enter() { marks_.push_back(visible_.size()); }
  void leave();
  [[nodiscard]] bool at_top_level() const { return marks_.size() <= 1; }
  // Returns the older visible local of that name, else null.
  const LocalSymbol* declare(std::string_view name, const LocalSymbol& local);
  [[nodiscard]] const LocalSymbol* find(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string_view>& visible() const { return visible_; }

 private:
  std::unordered_map<std::string_view, LocalSymbol> locals_;
  std::vector<std::string_view> visible_;
  std::vector<std::size_t> marks_;
};

}  // namespace heddle::lang
