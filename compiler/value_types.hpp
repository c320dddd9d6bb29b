// The types of a program as the image describes them: the names of their values.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/image.hpp"
#include "lang/tree.hpp"

namespace heddle::compiler {

// The types of a program. Everything made from one table shares its lists of names.
class ValueTypes {
 public:
  explicit ValueTypes(const lang::Program& program) {
    for (const lang::Enumeration& enumeration : program.enumerations)
      names_.push_back(std::make_shared<const std::vector<std::string>>(enumeration.values));
  }

  // O(1).
  [[nodiscard]] ValueType of(lang::Type type) const {
    if (type < lang::Type::first_enumeration) return {.boolean = type == lang::Type::boolean, .names = {}};
    const auto number =
        static_cast<std::size_t>(type) - static_cast<std::size_t>(lang::Type::first_enumeration);
    return {.boolean = false, .names = names_[number]};
  }

 private:
  std::vector<std::shared_ptr<const std::vector<std::string>>> names_;
};

}  // namespace heddle::compiler
