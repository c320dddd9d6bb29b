// What the compiled program's image tells about types: how the values of each are called.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/image.hpp"
#include "lang/tree.hpp"

namespace heddle::compiler {

// The types of a program. The lists of names are shared by all that is made from one table.
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
