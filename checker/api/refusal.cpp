#include "checker/api/refusal.hpp"

#include <fmt/format.h>

#include <utility>

namespace heddle {

namespace {

template <typename List>
std::string no_such(std::string_view what, std::string_view name, const List& list) {
  std::string known;
  for (const auto& entry : list) known += (known.empty() ? "" : ", ") + std::string(entry.name);
  return fmt::format("there is no {} '{}'; the {}s are {}", what, name, what, known);
}

}  // namespace

std::vector<Diagnostic> refuse(std::string message) {
  Diagnostic diagnostic;
  diagnostic.text = "error: " + message + "\n";
  diagnostic.message = std::move(message);
  return {diagnostic};
}

std::string no_such_model(std::string_view name) { return no_such("model", name, models()); }
std::string no_such_algorithm(std::string_view name) { return no_such("algorithm", name, algorithms()); }

}  // namespace heddle
