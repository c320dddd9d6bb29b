// heddle fmt: programs in the canonical style.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>

#include "cli/commands.hpp"
#include "cli/text.hpp"
#include "heddle/source.h"

namespace heddle::cli {

namespace {

Diagnostic about(const std::string& path, const std::string& message) {
  Diagnostic diagnostic;
  diagnostic.file = path;
  diagnostic.message = message;
  diagnostic.text = fmt::format("{}: error: {}\n", clean(path), message);
  return diagnostic;
}

std::optional<std::string> read_all(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream in(path, std::ios::binary);
  if (!in || in.peek() == std::ifstream::traits_type::eof()) {
    if (!in.is_open() || in.bad()) return {};
  }
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) return {};
  return text;
}

bool write_all(const std::string& path, const std::string& text) {
  if (path == "-")
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  return static_cast<bool>(out << text << std::flush);
}

}  // namespace

int run_format(const Options& options) {
  int code = 0;
  for (const std::string& path : options.paths) {
    const std::optional<std::string> text = read_all(path);
    if (!text) {
      code = report_errors({about(path, "cannot be read")}, false);
      continue;
    }
    const Result<std::string> formatted = format(*text, path == "-" ? "standard input" : path);
    if (!formatted) {
      code = report_errors(formatted.errors(), false);
      continue;
    }
    if (options.check_only) {
      if (*formatted == *text) continue;
      std::fputs(fmt::format("{}: not in the canonical style\n", clean(path)).c_str(), stdout);
      if (code == 0) code = 1;
      continue;
    }
    if (path != "-" && *formatted == *text) continue;
    if (!write_all(path, *formatted)) code = report_errors({about(path, "cannot be written")}, false);
  }
  return code;
}

}  // namespace heddle::cli
