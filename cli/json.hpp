// Common parts of all JSON documents of the command line; docs/json.md describes each field. Update it with
// every change of a field, and raise `json_version` if the change could break a reader.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"

namespace heddle::cli {

using Json = nlohmann::ordered_json;

inline constexpr int json_version = 1;

// The first fields of a document: its kind, its version, ours.
[[nodiscard]] Json json_head(std::string_view document);
// The text of a document. Bytes that are not UTF-8 (names of files, comments in a source line) become
// replacement characters.
[[nodiscard]] std::string json_text(const Json& json);
// "safe within bounds" -> "safe_within_bounds": names of verdicts and kinds as one word.
[[nodiscard]] std::string json_word(std::string_view text);

// "sync", "lwsync", "eieio", "isync".
[[nodiscard]] std::string_view fence_name(FenceType fence);

[[nodiscard]] Json to_json(const std::vector<Diagnostic>& diagnostics);
[[nodiscard]] Json to_json(const Parameters& parameters);
[[nodiscard]] Json to_json(const std::vector<NamedValue>& values);
[[nodiscard]] Json to_json(const std::vector<Outcome>& outcomes);
[[nodiscard]] Json to_json(const std::vector<ConditionCount>& conditions);
[[nodiscard]] Json to_json(const Counts& counts);
[[nodiscard]] Json to_json(const std::vector<BlockedAt>& places);
[[nodiscard]] Json to_json(const Trace& trace);
[[nodiscard]] Json to_json(const CycleEdge& edge);
[[nodiscard]] Json to_json(const Violation& violation);
[[nodiscard]] Json to_json(const Witness& witness);
template <typename Item>
[[nodiscard]] Json to_json_list(const std::vector<Item>& items) {
  Json result = Json::array();
  for (const Item& item : items) result.push_back(to_json(item));
  return result;
}

// Null for an empty text.
[[nodiscard]] inline Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

}  // namespace heddle::cli
