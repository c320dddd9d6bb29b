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

// The text of a file; what is wrong with it in `error` if there is none.
struct ModuleText {
  std::optional<std::string> text;
  std::string error;  // "no such file"
};
using ModuleLoader = std::function<ModuleText(const std::string& path)>;

// The standard library's module of that name ("spinlock"), from the sources that are built in.
[[nodiscard]] std::optional<std::string_view> standard_module(std::string_view name);
[[nodiscard]] std::vector<std::string_view> standard_modules();

// Parses the user's file and all that it imports. Returns the numbers of the modules, imported ones before
// those that import them; they are meaningful only if no error has been reported.
[[nodiscard]] std::vector<std::uint32_t> load_modules(Resolution& resolution, const ModuleLoader& loader);

}  // namespace heddle::lang
