// The only logic of the resolved program, which is plain data otherwise.
#include "lang/tree.hpp"

namespace heddle::lang {

Expression literal(Type type, std::int64_t value, const SourceRange& range) {
  Expression result;
  result.type = type;
  result.value = value;
  result.range = range;
  return result;
}

std::optional<FetchOperator> fetch_with(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::add: return FetchOperator::add;
    case BinaryOperator::subtract: return FetchOperator::subtract;
    case BinaryOperator::bit_and: return FetchOperator::bit_and;
    case BinaryOperator::bit_or: return FetchOperator::bit_or;
    case BinaryOperator::bit_xor: return FetchOperator::bit_xor;
    default: return std::nullopt;
  }
}

std::string element_name(const std::string& name, bool is_array, const ElementNames& elements,
                         std::uint32_t element) {
  if (!is_array) return name;
  if (elements.parts.empty()) return name + "[" + std::to_string(element) + "]";
  std::uint32_t size = 1;
  for (const std::uint32_t length : elements.lengths) size *= length;
  std::string result = elements.parts[0];
  for (std::size_t i = 0; i < elements.lengths.size(); ++i) {
    size /= elements.lengths[i];
    result += "[" + std::to_string(element / size) + "]" + elements.parts[i + 1];
    element %= size;
  }
  return result;
}

}  // namespace heddle::lang
