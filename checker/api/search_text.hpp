// What checkpoints and jobs are written in: options, parts, violations and witnesses as JSON, and back. Whatever is
// read is compared with the program: nothing that comes from a file or a network is trusted.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "checker/search/findings.hpp"
#include "checker/search/part.hpp"
#include "compiler/image.hpp"
#include "heddle/heddle.h"

namespace heddle::checker {

using Json = nlohmann::ordered_json;

// A sentence about the text.
struct Unusable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}
template <typename Value>
std::optional<Value> optional_of(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<Value>();
}

// Those that decide what is explored and what is found.
[[nodiscard]] Json json_of(const CheckOptions& options);
[[nodiscard]] CheckOptions options_of(const Json& json);

[[nodiscard]] Json json_of(const FoundViolation& found);
[[nodiscard]] Json json_of(const FoundWitness& found);

// Reads what was found, and compares every number that is an index with the program. Functions throw Unusable or
// Json::exception.
class FindingsReader {
 public:
  explicit FindingsReader(const compiler::Image& image) : image_(image) {}

  [[nodiscard]] FoundViolation violation(const Json& json) const;
  [[nodiscard]] FoundWitness witness(const Json& json) const;
  // The number of a place where runs were blocked.
  [[nodiscard]] std::uint64_t place(std::uint64_t number) const;

 private:
  [[nodiscard]] DataRace race(const Json& json) const;
  [[nodiscard]] Schedule schedule(const Json& json) const;

  const compiler::Image& image_;
};

}  // namespace heddle::checker
