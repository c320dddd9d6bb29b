// The files that `heddle new` writes, which the build embeds in the program (cli/templates/).
#pragma once

#include <span>
#include <string_view>

namespace heddle::cli {

struct TemplateFile {
  std::string_view extension;  // ".hed"
  std::string_view text;       // "@NAME@" is the placeholder for the name without its folder
};

struct Template {
  std::string_view name;
  std::string_view summary;
  std::string_view next;  // what to do with the file after it is written; "{}" is its path without extension
  std::span<const TemplateFile> files;
};

// By name, in the order of the help.
[[nodiscard]] std::span<const Template> templates();

}  // namespace heddle::cli
