// Lists of models: a model of a list is found by its name.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace heddle::checker {

// An algorithm was asked to run under a model that it has no machine for. The registry offers no such pair.
struct NoImplementation : std::logic_error {
  explicit NoImplementation(std::string_view model)
      : std::logic_error("internal error: no implementation for the model '" + std::string(model) + "'") {}
};

template <typename... Models>
struct ModelList {
  // Calls `visit.template operator()<Model>()` for each model in order.
  template <typename Visit>
  static void for_each(Visit&& visit) {
    (visit.template operator()<Models>(), ...);
  }
  // Calls it for the model of the name. False if the list has none.
  template <typename Visit>
  [[nodiscard]] static bool visit(std::string_view name, Visit&& visit) {
    const auto match = [&]<typename Model>() {
      if (Model::name != name) return false;
      visit.template operator()<Model>();
      return true;
    };
    return (match.template operator()<Models>() || ...);
  }
};

}  // namespace heddle::checker
