// Data larger than one scalar: structs, arrays of structs, and the objects that names, fields and indexes
// denote. The resolved program (lang/tree.hpp) only has scalars and arrays: each field of a struct becomes a
// separate variable or local, a "leaf", and an array of structs becomes one array per leaf.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/tree.hpp"

namespace heddle::lang {

// The type of a declared object. `lengths`: of its array dimensions, outermost first.
struct DataType {
  enum class Kind : std::uint8_t { scalar, mutex, condition, structure };
  Kind kind = Kind::scalar;
  Type scalar = Type::integer;
  std::uint32_t structure = 0;  // index into Resolution::structures
  std::vector<std::uint32_t> lengths;

  bool operator==(const DataType&) const = default;
  [[nodiscard]] bool is_scalar() const { return kind == Kind::scalar && lengths.empty(); }
};

struct FieldType {
  std::string_view name;
  DataType type;
  std::vector<std::int64_t> initial;  // of fields that are not structs: one value, or one per element
  SourceRange range;
  bool plain = false;
};

struct Structure {
  std::string name;
  std::vector<FieldType> fields;
  std::uint32_t leaves = 0;   // number of scalars, mutexes and condition variables; an array counts as one
  std::uint64_t scalars = 0;  // the same counting every array element; saturates
};

// One leaf of a type.
struct Leaf {
  DataType type;  // without lengths
  ElementNames elements;
  std::vector<std::int64_t> initial;  // one value per element
  bool plain = false;                 // a scalar, and the object or a field around it is `plain`
  [[nodiscard]] bool is_array() const { return !elements.lengths.empty(); }
};

// What an expression like `pool[i].slots` denotes. The leaves of a type have consecutive numbers in field
// order, so the number of the first leaf and the type identify an object.
struct Object {
  enum class Base : std::uint8_t { shared, local, thread };
  Base base = Base::shared;
  std::uint32_t first = 0;  // VariableId, or LocalId of the body or of `thread`
  ThreadId thread = 0;
  DataType type;
  // Indexes given so far, outermost first, with the lengths of their arrays. An index is an unchecked integer
  // expression unless it is marked as checked.
  struct Index {
    Expression value;
    std::uint32_t length = 0;
    bool checked = false;
  };
  std::vector<Index> indexes;
  bool fixed = false;  // a parameter or declared with `let`: cannot be assigned
};

// The number of elements of an array with these lengths; saturates.
[[nodiscard]] std::uint64_t element_count(const std::vector<std::uint32_t>& lengths);

// The number of leaves of the type.
[[nodiscard]] std::uint32_t leaf_count(const std::vector<Structure>& structures, const DataType& type);

// The number of scalars in an object of the type; saturates.
[[nodiscard]] std::uint64_t scalar_count(const std::vector<Structure>& structures, const DataType& type);

// The leaves in order, their names prefixed by `name`. For types that are not structs, `initial` holds one
// value or one per element. `plain`: the object as a whole is declared so.
[[nodiscard]] std::vector<Leaf> leaves_of(const std::vector<Structure>& structures, const DataType& type,
                                          const std::string& name, const std::vector<std::int64_t>& initial,
                                          bool plain = false);

// The first mutex or condition variable in an object of the type, which is then no value; else nothing.
[[nodiscard]] std::optional<DataType::Kind> lock_in(const std::vector<Structure>& structures,
                                                    const DataType& type);

// Narrow an object to a part of it: an element, a field.
void select_element(Object& object, Expression index);
void select_field(const std::vector<Structure>& structures, Object& object, std::size_t field);

// The scalars of an object of scalars only: fields in order, of an array field one for each element.
[[nodiscard]] std::vector<Object> scalars_of(const std::vector<Structure>& structures, const Object& object);

// The element's number within its leaf; nothing if the leaf is not an array. Several indexes are each
// checked; a single index is checked by the operation itself. Consumes the indexes.
[[nodiscard]] std::optional<Expression> element_index(Object& object);

}  // namespace heddle::lang
