// Layout of structs and arrays.
#include "lang/objects.hpp"

#include <algorithm>
#include <utility>

namespace heddle::lang {
namespace {

Expression combine(BinaryOperator operation, Expression left, Expression right) {
  Expression result;
  result.kind = ExpressionKind::binary;
  result.binary = operation;
  result.range = left.range;
  result.operands.push_back(std::move(left));
  result.operands.push_back(std::move(right));
  return result;
}

Expression bounded(Object::Index index) {
  if (index.checked) return std::move(index.value);
  if (index.value.kind == ExpressionKind::literal && index.value.value >= 0 &&
      index.value.value < index.length)
    return std::move(index.value);
  Expression result;
  result.kind = ExpressionKind::bounded;
  result.value = index.length;
  result.range = index.value.range;
  result.operands.push_back(std::move(index.value));
  return result;
}

class Collector {
 public:
  Collector(const std::vector<Structure>& structures, std::vector<Leaf>& leaves)
      : structures_(structures), leaves_(leaves) {}

  void collect(const DataType& type, ElementNames names, const std::vector<std::int64_t>& initial,
               bool plain) {
    for (const std::uint32_t length : type.lengths) {
      names.lengths.push_back(length);
      names.parts.emplace_back();
    }
    if (type.kind == DataType::Kind::structure) {
      for (const FieldType& field : structures_[type.structure].fields) {
        ElementNames inner = names;
        inner.parts.back() += "." + std::string(field.name);
        collect(field.type, std::move(inner), field.initial, plain || field.plain);
      }
      return;
    }
    Leaf leaf;
    leaf.type = type;
    leaf.type.lengths.clear();
    const auto size = static_cast<std::size_t>(element_count(names.lengths));
    leaf.initial.resize(size);
    for (std::size_t i = 0; i < size && !initial.empty(); ++i) leaf.initial[i] = initial[i % initial.size()];
    leaf.elements = std::move(names);
    leaf.plain = plain && type.kind == DataType::Kind::scalar;
    leaves_.push_back(std::move(leaf));
  }

 private:
  const std::vector<Structure>& structures_;
  std::vector<Leaf>& leaves_;
};

}  // namespace

std::uint64_t element_count(const std::vector<std::uint32_t>& lengths) {
  std::uint64_t count = 1;
  for (const std::uint32_t length : lengths) count = std::min<std::uint64_t>(count * length, 1ULL << 31U);
  return count;
}

std::uint32_t leaf_count(const std::vector<Structure>& structures, const DataType& type) {
  return type.kind == DataType::Kind::structure ? structures[type.structure].leaves : 1;
}

std::uint64_t scalar_count(const std::vector<Structure>& structures, const DataType& type) {
  const std::uint64_t each = type.kind == DataType::Kind::structure ? structures[type.structure].scalars : 1;
  return std::min<std::uint64_t>(element_count(type.lengths) * each, 1ULL << 31U);
}

std::vector<Leaf> leaves_of(const std::vector<Structure>& structures, const DataType& type,
                            const std::string& name, const std::vector<std::int64_t>& initial, bool plain) {
  std::vector<Leaf> leaves;
  Collector(structures, leaves).collect(type, {{name}, {}}, initial, plain);
  return leaves;
}

std::optional<DataType::Kind> lock_in(const std::vector<Structure>& structures, const DataType& type) {
  if (type.kind == DataType::Kind::mutex || type.kind == DataType::Kind::condition) return type.kind;
  if (type.kind == DataType::Kind::scalar) return {};
  for (const FieldType& field : structures[type.structure].fields) {
    if (const auto found = lock_in(structures, field.type)) return found;
  }
  return {};
}

void select_element(Object& object, Expression index) {
  object.indexes.push_back({std::move(index), object.type.lengths.front(), false});
  object.type.lengths.erase(object.type.lengths.begin());
}

void select_field(const std::vector<Structure>& structures, Object& object, std::size_t field) {
  const Structure& structure = structures[object.type.structure];
  for (std::size_t i = 0; i < field; ++i) object.first += leaf_count(structures, structure.fields[i].type);
  object.type = DataType(structure.fields[field].type);
}

std::vector<Object> scalars_of(const std::vector<Structure>& structures, const Object& object) {
  std::vector<Object> scalars;
  Object leaf_object = object;
  for (const Leaf& leaf : leaves_of(structures, object.type, "", {})) {
    leaf_object.type = leaf.type;
    for (std::size_t element = 0; element < leaf.initial.size(); ++element) {
      Object& scalar = scalars.emplace_back(leaf_object);
      std::size_t rest = element;
      std::size_t inner = leaf.initial.size();
      for (const std::uint32_t length : leaf.elements.lengths) {
        inner /= length;
        scalar.indexes.push_back(
            {literal(Type::integer, static_cast<std::int64_t>(rest / inner), {}), length, true});
        rest %= inner;
      }
    }
    ++leaf_object.first;
  }
  return scalars;
}

std::optional<Expression> element_index(Object& object) {
  if (object.indexes.empty()) return {};
  if (object.indexes.size() == 1) return std::move(object.indexes.front().value);
  std::optional<Expression> sum;
  for (Object::Index& index : object.indexes) {
    const std::uint32_t length = index.length;
    Expression next = bounded(std::move(index));
    if (!sum) {
      sum = std::move(next);
      continue;
    }
    if (sum->kind == ExpressionKind::literal && next.kind == ExpressionKind::literal) {
      sum->value = sum->value * length + next.value;
      continue;
    }
    Expression scaled =
        combine(BinaryOperator::multiply, std::move(*sum), literal(Type::integer, length, next.range));
    sum = combine(BinaryOperator::add, std::move(scaled), std::move(next));
  }
  return sum;
}

}  // namespace heddle::lang
