// Data that is more than one scalar: structs, arrays of them, and what a name, its fields and its indexes
// stand for. The resolved program (lang/tree.hpp) knows scalars and arrays only: each field of a struct
// becomes a variable or local of its own, a "leaf", and an array of structs becomes an array of each leaf.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/tree.hpp"

namespace heddle::lang {

// The type of a declared object; `lengths` are those of its arrays, the outermost first.
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
  std::vector<std::int64_t> initial;  // of fields that are no structs: one value, or one for each element
  SourceRange range;
};

struct Structure {
  std::string name;
  std::vector<FieldType> fields;
  std::uint32_t leaves = 0;   // how many scalars, mutexes and condition variables, arrays counted once
  std::uint64_t scalars = 0;  // the same with all elements of arrays; saturates
};

// One leaf of a type.
struct Leaf {
  DataType type;  // without lengths
  ElementNames elements;
  std::vector<std::int64_t> initial;  // one value for each element
  [[nodiscard]] bool is_array() const { return !elements.lengths.empty(); }
};

// What an expression like `pool[i].slots` stands for. The leaves of a type have consecutive numbers in the
// order of its fields, so that an object is the number of its first leaf, and its type.
struct Object {
  enum class Base : std::uint8_t { shared, local, thread };
  Base base = Base::shared;
  std::uint32_t first = 0;  // VariableId, or LocalId of the body or of `thread`
  ThreadId thread = 0;
  DataType type;
  // Indexes that have been given already, the outermost first, and the lengths of their arrays. An index is
  // an integer expression that nobody has checked, unless it is marked.
  struct Index {
    Expression value;
    std::uint32_t length = 0;
    bool checked = false;
  };
  std::vector<Index> indexes;
};

// The number of elements of arrays of such lengths; saturates.
[[nodiscard]] std::uint64_t element_count(const std::vector<std::uint32_t>& lengths);

// How many leaves the type has.
[[nodiscard]] std::uint32_t leaf_count(const std::vector<Structure>& structures, const DataType& type);

// How many scalars an object of the type consists of; saturates.
[[nodiscard]] std::uint64_t scalar_count(const std::vector<Structure>& structures, const DataType& type);

// The leaves in their order, called after `name`. `initial` holds one value or one for each element, for
// types that are no structs.
[[nodiscard]] std::vector<Leaf> leaves_of(const std::vector<Structure>& structures, const DataType& type,
                                          const std::string& name, const std::vector<std::int64_t>& initial);

// Steps from an object to a part of it: an element, a field.
void select_element(Object& object, Expression index);
void select_field(const std::vector<Structure>& structures, Object& object, std::size_t field);

// The number of the object's element within its leaf, nothing for a leaf that is no array. With several
// indexes each is checked; a single one is left to the operation. Consumes the indexes.
[[nodiscard]] std::optional<Expression> element_index(Object& object);

}  // namespace heddle::lang
