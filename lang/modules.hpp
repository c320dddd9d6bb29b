// Imported files: finding, reading and parsing them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/resolution.hpp"

namespace heddle::lang {

// The text of a file, or in `error` the reason why there is none.
struct ModuleText {
  std::optional<std::string> text;
  std::string error;  // "no such file"
};
using ModuleLoader = std::function<ModuleText(const std::string& path)>;

// The source of the built-in standard library module `name` ("spinlock").
[[nodiscard]] std::optional<std::string_view> standard_module(std::string_view name);
[[nodiscard]] std::vector<std::string_view> standard_modules();

// Parses the user's file and everything it imports. Returns the module numbers, each after the modules it
// imports. They are meaningful only if no error has been reported.
[[nodiscard]] std::vector<std::uint32_t> load_modules(Resolution& resolution, const ModuleLoader& loader);

}  // namespace heddle::lang
