// State shared by all parts of name resolution and type checking: the program being built, the names, the
// messages.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/names.hpp"
#include "lang/objects.hpp"
#include "lang/source.hpp"
#include "lang/syntax.hpp"
#include "lang/tree.hpp"

namespace heddle::lang {

// One file of the program, or an instance of one: the file with values for its params.
struct Module {
  std::uint32_t file = 0;
  std::string name;                          // "spinlock"; empty for the user's file
  std::shared_ptr<const syntax::File> tree;  // shared by all programs that are made from it
  Names names;
  struct Import {
    const syntax::Item* item;
    std::uint32_t module;  // index into Resolution::modules
  };
  std::vector<Import> imports;
  // Whether it is imported without arguments. Otherwise only its instances are part of the program.
  bool plain = false;
  // Of an instance: what its params are, those declared first, and who imported it.
  struct Argument {
    std::optional<DataType> type;
    std::int64_t value = 0;
  };
  std::vector<Argument> arguments;
  std::optional<SourceRange> importer;
  std::string written;  // "(Vote, 4)"
};

// What callers must know about a function. A function without `ref` parameters becomes one function of the
// program; one with `ref` parameters is resolved again for each combination of objects passed to it.
struct Signature {
  struct Parameter {
    syntax::Word name;
    DataType type;
    bool reference = false;
    bool broken = false;
  };
  std::string name;
  const syntax::Item* item = nullptr;
  std::uint32_t module = 0;
  std::vector<Parameter> parameters;
  Type result = Type::none;
  std::optional<DataType> struct_result;  // then `result` is none
  bool generic = false;
  FunctionId function = 0;                      // if not generic
  std::map<std::string, FunctionId> instances;  // if generic, keyed by the objects bound to its references
};

// A function body still to be resolved.
struct Instance {
  std::uint32_t signature = 0;
  FunctionId function = 0;
  std::vector<std::optional<Object>> references;  // by parameter; of the indexes only the lengths
  std::optional<SourceRange> place;               // the one statement that it implements
  SourceRange call;
};

// A proc, and the threads that are spawned from it. See lang/spawns.cpp.
struct Proc {
  std::string name;
  const syntax::Item* item = nullptr;
  std::uint32_t module = 0;
  std::uint32_t thread_template = 0;
  std::vector<Signature::Parameter> parameters;
  VariableId started = 0;  // hidden variables with one element per thread
  VariableId ended = 0;
  std::vector<VariableId> arguments;
  std::uint32_t threads = 0;
};

// A text with its imports: parsed, with no name resolved and no param known. The trees are views into the
// texts of the source map that they were parsed from, or of a copy of it.
struct ParsedModules {
  std::deque<Module> modules;        // the first one is the user's file
  std::vector<std::uint32_t> order;  // each after those that it imports
};

struct Resolution {
  Resolution(SourceMap& all, std::uint32_t main, Diagnostics& messages)
      : sources(all), file(main), diagnostics(messages) {}

  SourceMap& sources;
  std::uint32_t file = 0;
  Diagnostics& diagnostics;
  Program program;
  std::deque<Module> modules;                      // the first one is the user's file
  std::uint32_t module = 0;                        // the module in force: names are looked up in it
  std::map<std::string, std::uint32_t> instances;  // of modules with arguments
  std::vector<Object> objects;
  std::vector<Structure> structures;
  std::deque<Signature> signatures;
  std::deque<Proc> procs;
  std::deque<Instance> pending;
  bool too_much_data = false;         // reported once
  std::uint64_t copied_scalars = 0;   // of all struct values
  std::size_t phantom_functions = 0;  // the program's functions from this number on are removed again
  std::size_t phantom_variables = 0;
  std::optional<std::uint32_t> condition_module;  // see lang/condition_variables.cpp
  std::optional<SourceRange> instance_call;       // while an instance is resolved: one of its calls
  // Per thread template: its first thread, and its top-level locals by name.
  struct TemplateInfo {
    ThreadId first_thread = 0;
    std::int64_t first_argument = 0;
    std::uint32_t threads = 0;
    std::optional<std::uint32_t> proc;
    std::unordered_map<std::string_view, LocalSymbol> locals;
  };
  std::vector<TemplateInfo> templates;
  bool may_lack_threads = false;         // a program without threads is not an error
  std::vector<std::string_view> models;  // that `expect` lines can name
  std::vector<std::string_view> algorithms;

  [[nodiscard]] Names& names() { return modules[module].names; }
  [[nodiscard]] const Names& names() const { return modules[module].names; }
  [[nodiscard]] const std::vector<syntax::Item>& items() const { return modules[module].tree->items; }
  // The symbol declared by the item; null if its name was already taken.
  [[nodiscard]] Symbol* symbol_of(const syntax::Item& item);
  // The program-wide name of a declaration in the module in force: "spinlock.next".
  [[nodiscard]] std::string qualified(std::string_view name) const;

  // In an instance of a module, the hint also says who imported it.
  void error(const SourceRange& range, std::string message, std::string hint = {});
  // "line 3" or "line 3 of queue.hed", to mention a second place in a message.
  [[nodiscard]] std::string line_of(const SourceRange& range) const;
  // The source text if it is short enough for a message, else `otherwise`.
  [[nodiscard]] std::string quote(const SourceRange& range, std::string_view otherwise) const;
  // "did you mean ...?" from the visible names that `wanted` accepts (a null symbol stands for a local).
  [[nodiscard]] std::string suggest(std::string_view name, const Locals* locals,
                                    bool (*wanted)(const Symbol*) = nullptr) const;
  // "did you mean 'spinlock.acquire'?" if an imported module declares the name.
  [[nodiscard]] std::string suggest_module(std::string_view name, bool (*wanted)(const Symbol*)) const;
  // "did you mean 'Role.leader'?" if a visible enum has that value.
  [[nodiscard]] std::string suggest_value(std::string_view name) const;
  [[nodiscard]] std::string name_of(Type type) const;
  [[nodiscard]] std::string name_of(const DataType& type) const;
  [[nodiscard]] bool is_enumeration(Type type) const { return type >= Type::first_enumeration; }
  [[nodiscard]] const Enumeration& enumeration(Type type) const {
    return program
        .enumerations[static_cast<std::uint32_t>(type) - static_cast<std::uint32_t>(Type::first_enumeration)];
  }
};

// The type as written. Reports errors.
// Reports `plain` unless the caller allows it there; what it means there is up to the caller.
enum class Plain : std::uint8_t { refused, allowed };
[[nodiscard]] std::optional<DataType> resolve_type(Resolution& resolution, const syntax::TypeName& from,
                                                   Plain plain = Plain::refused);
[[nodiscard]] inline bool is_plain(const syntax::TypeName& type) { return type.plain.kind != TokenKind::end; }
// The same where only int, bool, enums and structs are allowed. `what`: "a parameter".
enum class Structs : std::uint8_t { refused, allowed };
[[nodiscard]] std::optional<DataType> resolve_value_type(Resolution& resolution, const syntax::TypeName& from,
                                                         std::string_view what,
                                                         Structs structs = Structs::allowed);
// Resolves the fields of a struct; `symbol` is the struct's.
void resolve_structure(Resolution& resolution, const syntax::Item& item, Symbol& symbol);
// The initial values: one for all elements, one per element, or none if none are given.
[[nodiscard]] std::optional<std::vector<std::int64_t>> initial_values(
    Resolution& resolution, const std::vector<syntax::Expression>& from, bool is_list, const DataType& type,
    std::string_view name);
// Gives a struct, or the structs of an array, their initial values: one for all elements, or one per element.
void initial_structs(Resolution& resolution, const std::vector<syntax::Expression>& from, bool is_list,
                     const Object& object, std::string_view name);
// Appends the variables of an object and assigns their locations. Reports too much data.
[[nodiscard]] std::optional<Object> add_shared_object(Resolution& resolution, const std::string& name,
                                                      const DataType& type,
                                                      const std::vector<std::int64_t>& initial,
                                                      const SourceRange& range, bool plain = false);

// The value of an expression made of literals and operators only. Reports division by zero.
[[nodiscard]] std::optional<std::int64_t> fold_constant(Resolution& resolution, const Expression& expression);

}  // namespace heddle::lang
