// Types as written, structs, initial values, and the variables that objects are made of.
#include <algorithm>
#include <utility>

#include "lang/expressions.hpp"
#include "lang/limits.hpp"
#include "lang/modules.hpp"
#include "lang/resolution.hpp"
#include "lang/suggest.hpp"

namespace heddle::lang {
namespace {

constexpr std::uint32_t most_leaves = 10'000;  // fields of a struct, including those of nested structs

bool is_type(const Symbol* symbol) {
  return symbol != nullptr && (symbol->kind == SymbolKind::type || symbol->kind == SymbolKind::enumeration ||
                               symbol->kind == SymbolKind::structure);
}

std::string type_hint(const Resolution& resolution, std::string_view found) {
  if (found == "integer" || found == "int64_t" || found == "long") return "did you mean 'int'?";
  if (found == "boolean") return "did you mean 'bool'?";
  std::string hint = resolution.suggest(found, nullptr, is_type);
  return hint.empty() ? did_you_mean(found, {"int", "bool"}) : hint;
}

// The struct or enum of that name; null after a report.
const Symbol* find_type(Resolution& resolution, const syntax::TypeName& from) {
  const Symbol* symbol = nullptr;
  const std::string_view text = from.name.text;
  if (from.module.kind != TokenKind::end) {
    const Symbol* module = resolution.names().find(from.module.text);
    if (module == nullptr || module->kind != SymbolKind::module) {
      resolution.error(from.module.range, fmt::format("module '{}' is not imported", from.module.text),
                       standard_module(from.module.text)
                           ? fmt::format("import it first: import std.{};", from.module.text)
                           : std::string("import it first: import std.spinlock; or import \"./queue.hed\";"));
      return nullptr;
    }
    symbol = resolution.modules[module->id].names.find(text);
    if (symbol == nullptr) {
      const std::string_view owner = from.module.text;
      resolution.error(from.name.range, fmt::format("module '{}' has no type '{}'", owner, text),
                       did_you_mean(text, resolution.modules[module->id].names.all()));
      return nullptr;
    }
  } else {
    symbol = resolution.names().find(text);
  }
  if (symbol == nullptr) {
    resolution.error(from.name.range, fmt::format("unknown type '{}'", text), type_hint(resolution, text));
    return nullptr;
  }
  if (!is_type(symbol)) {
    resolution.error(from.name.range, fmt::format("'{}' is a {}, not a type", text, describe(symbol->kind)));
    return nullptr;
  }
  if (symbol->broken) return nullptr;
  if (!symbol->ready) {
    resolution.error(from.name.range,
                     fmt::format("the {} '{}' is used before it is complete: it is declared on {}",
                                 describe(symbol->kind), text, resolution.line_of(symbol->range)),
                     "move its declaration up; a struct cannot contain itself");
    return nullptr;
  }
  return symbol;
}

}  // namespace

std::optional<DataType> resolve_type(Resolution& resolution, const syntax::TypeName& from, Plain plain) {
  DataType type;
  bool good = true;
  if (is_plain(from) && plain == Plain::refused) {
    resolution.error(from.plain.range, "only shared variables and fields of structs can be 'plain'",
                     "the word belongs to the declaration of the data, not to a local or a parameter");
  }
  if (is_plain(from) && (from.name.kind == TokenKind::mutex || from.name.kind == TokenKind::cond)) {
    resolution.error(from.plain.range, fmt::format("a {} cannot be 'plain'", from.name.text),
                     "it is there to order the accesses of threads");
    good = false;
  }
  switch (from.name.kind) {
    case TokenKind::int_: break;
    case TokenKind::bool_: type.scalar = Type::boolean; break;
    case TokenKind::mutex: type.kind = DataType::Kind::mutex; break;
    case TokenKind::cond: type.kind = DataType::Kind::condition; break;
    default: {
      const Symbol* symbol = find_type(resolution, from);
      good = symbol != nullptr;
      if (good && symbol->kind != SymbolKind::structure) type.scalar = symbol->type;
      if (good && symbol->kind == SymbolKind::structure) {
        type.kind = DataType::Kind::structure;
        type.structure = symbol->id;
      }
    }
  }
  for (const syntax::Expression& length : from.lengths) {
    const auto value = constant_value(resolution, length, Type::integer, "the length of an array");
    if (value && (*value < 1 || *value > limits::array_length)) {
      resolution.error(length.range, fmt::format("the length of an array is {}", *value),
                       fmt::format("an array has 1 to {} elements", limits::array_length));
    }
    good = good && value && *value >= 1 && *value <= limits::array_length;
    if (good) type.lengths.push_back(static_cast<std::uint32_t>(*value));
  }
  if (!good) return {};
  return type;
}

std::optional<DataType> resolve_value_type(Resolution& resolution, const syntax::TypeName& from,
                                           std::string_view what, Structs structs) {
  const std::optional<DataType> type = resolve_type(resolution, from);
  if (!type || type->is_scalar()) return type;
  const bool is_struct = type->kind == DataType::Kind::structure && type->lengths.empty();
  const bool is_value = is_struct && !lock_in(resolution.structures, *type);
  if (is_value && structs == Structs::allowed) return type;
  std::string hint = what == "a result"
                         ? "return it through a 'ref' parameter"
                         : fmt::format("pass the object itself: 'x: ref {}'", resolution.name_of(*type));
  if (structs == Structs::refused) hint = "pass its fields one by one, or a number that says which one it is";
  resolution.error(from.name.range,
                   fmt::format("{} must be int, bool{}", what,
                               structs == Structs::refused
                                   ? " or an enum"
                                   : ", an enum or a struct without mutexes and condition variables"),
                   std::move(hint));
  return {};
}

void resolve_structure(Resolution& resolution, const syntax::Item& item, Symbol& symbol) {
  Structure structure;
  structure.name = std::string(item.name.text);
  std::uint64_t leaves = 0;
  if (item.fields.empty()) {
    resolution.error(item.name.range, fmt::format("struct '{}' has no fields", item.name.text),
                     "write them like 'struct Node { value: int; next: int; }'");
    symbol.broken = true;
  }
  for (const syntax::Field& from : item.fields) {
    const auto same = std::find_if(structure.fields.begin(), structure.fields.end(),
                                   [&](const FieldType& other) { return other.name == from.name.text; });
    if (same != structure.fields.end()) {
      resolution.error(from.name.range, fmt::format("'{}' is declared twice", from.name.text),
                       fmt::format("first declared on {} as a field", resolution.line_of(same->range)));
      continue;
    }
    const std::optional<DataType> type = resolve_type(resolution, from.type, Plain::allowed);
    if (!type) {
      symbol.broken = true;
      continue;
    }
    const auto initial = initial_values(resolution, from.expressions, from.is_list, *type, from.name.text);
    structure.fields.push_back({from.name.text, *type, initial.value_or(std::vector<std::int64_t>{}),
                                from.name.range, is_plain(from.type)});
    leaves += leaf_count(resolution.structures, *type);
    structure.scalars =
        std::min<std::uint64_t>(structure.scalars + scalar_count(resolution.structures, *type), 1ULL << 31U);
  }
  if (leaves > most_leaves) {
    resolution.error(
        item.name.range, fmt::format("struct '{}' is too large", item.name.text),
        fmt::format("a struct has at most {} fields, including those of nested structs", most_leaves));
    symbol.broken = true;
  }
  structure.leaves = static_cast<std::uint32_t>(std::min<std::uint64_t>(leaves, most_leaves));
  resolution.structures[symbol.id] = std::move(structure);
  symbol.ready = true;
}

std::optional<std::vector<std::int64_t>> initial_values(Resolution& resolution,
                                                        const std::vector<syntax::Expression>& from,
                                                        bool is_list, const DataType& type,
                                                        std::string_view name) {
  std::vector<std::int64_t> values;
  if (from.empty()) return values;
  if (type.kind != DataType::Kind::scalar) {
    resolution.error(from[0].range, fmt::format("'{}' cannot have an initial value", name),
                     type.kind == DataType::Kind::structure
                         ? "give the fields their values in the struct: 'owner: int = -1;'"
                         : "it is always free at the start");
    return {};
  }
  const std::uint64_t elements = element_count(type.lengths);
  if (is_list && type.lengths.empty()) {
    resolution.error(from[0].range, fmt::format("'{}' is not an array", name),
                     "write one value without braces");
    return {};
  }
  if (is_list && from.size() != elements) {
    resolution.error(from[0].range,
                     fmt::format("{} value{} for {} element{} of '{}'", from.size(),
                                 from.size() == 1 ? "" : "s", elements, elements == 1 ? "" : "s", name),
                     "give one value per element, or one for all: '= 0'");
    return {};
  }
  const std::string what = fmt::format("the initial value of '{}'", name);
  for (const syntax::Expression& expression : from) {
    const auto value = constant_value(resolution, expression, type.scalar, what);
    if (value) values.push_back(*value);
  }
  if (values.size() != from.size()) return {};
  return values;
}

void initial_structs(Resolution& resolution, const std::vector<syntax::Expression>& from, bool is_list,
                     const Object& object, std::string_view name) {
  const std::uint64_t elements = element_count(object.type.lengths);
  if (is_list && from.size() != elements) {
    resolution.error(from[0].range,
                     fmt::format("{} value{} for {} elements of '{}'", from.size(),
                                 from.size() == 1 ? "" : "s", elements, name),
                     "give one value per element, or one for all");
    return;
  }
  DataType one = object.type;
  one.lengths.clear();
  ExpressionResolver expressions(resolution, Place::constant, nullptr);
  std::vector<std::vector<std::int64_t>> values;
  for (const syntax::Expression& expression : from) {
    const auto value =
        expressions.struct_value(expression, one, fmt::format("the initial value of '{}'", name));
    if (!value) return;
    values.emplace_back();
    for (const Expression& scalar : value->scalars) {
      const auto number = fold_constant(resolution, scalar);
      if (!number) return;
      values.back().push_back(*number);
    }
  }
  std::size_t scalar = 0;
  const std::uint32_t leaves = leaf_count(resolution.structures, one);
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    Variable& variable = resolution.program.variables[object.first + leaf];
    const auto inner = static_cast<std::size_t>(variable.length / elements);
    for (std::size_t element = 0; element < elements; ++element) {
      for (std::size_t i = 0; i < inner; ++i)
        variable.initial[element * inner + i] = values[element % values.size()][scalar + i];
    }
    scalar += inner;
  }
}

std::optional<Object> add_shared_object(Resolution& resolution, const std::string& name, const DataType& type,
                                        const std::vector<std::int64_t>& initial, const SourceRange& range,
                                        bool plain) {
  Program& program = resolution.program;
  Object object;
  object.first = static_cast<std::uint32_t>(program.variables.size());
  object.type = type;
  // Check before creating the leaves: there may be very many.
  if (scalar_count(resolution.structures, type) > limits::locations - program.locations) {
    if (std::exchange(resolution.too_much_data, true)) return {};
    resolution.error(range,
                     fmt::format("too much shared data: at most {} scalars in all", limits::locations));
    return {};
  }
  for (const Leaf& leaf : leaves_of(resolution.structures, type, name, initial, plain)) {
    Variable& variable = program.variables.emplace_back();
    variable.is_mutex = leaf.type.kind == DataType::Kind::mutex;
    variable.is_plain = leaf.plain;
    variable.type = leaf.type.kind == DataType::Kind::scalar ? leaf.type.scalar : Type::integer;
    variable.is_array = leaf.is_array();
    variable.length = static_cast<std::uint32_t>(leaf.initial.size());
    variable.first_location = program.locations;
    variable.initial = leaf.initial;
    variable.range = range;
    for (const std::string& part : leaf.elements.parts) variable.name += part;
    const bool simple = leaf.elements.lengths.size() == 1 && leaf.elements.parts.back().empty();
    if (variable.is_array && !simple) variable.elements = leaf.elements;
    program.locations += variable.length;
  }
  return object;
}

}  // namespace heddle::lang
