#include "checker/api/sources.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace heddle {

Diagnostic about_file(const std::string& file, std::string message) {
  Diagnostic diagnostic;
  diagnostic.file = file;
  diagnostic.text = fmt::format("{}: error: {}\n", file, message);
  diagnostic.message = std::move(message);
  return diagnostic;
}

std::vector<Diagnostic> convert_diagnostics(const lang::Diagnostics& diagnostics,
                                            const lang::SourceMap& sources) {
  std::vector<Diagnostic> result;
  for (const auto& error : diagnostics.errors()) {
    const auto place = sources.locate(error.range.file, error.range.begin);
    result.push_back({.file = sources.name(error.range.file),
                      .line = place.line,
                      .column = place.column,
                      .message = error.message,
                      .hint = error.hint,
                      .text = lang::render(error, sources)});
  }
  if (diagnostics.dropped() > 0) {
    result.push_back(about_file(sources.name(0), fmt::format("{} more errors", diagnostics.dropped())));
  }
  return result;
}

Result<std::string> read_source(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::vector{about_file(path, std::strerror(errno))};
  if (S_ISDIR(status.st_mode)) return std::vector{about_file(path, "is a directory")};
  if (!S_ISREG(status.st_mode)) return std::vector{about_file(path, "is not a regular file")};
  if (static_cast<std::uint64_t>(status.st_size) > largest_source) {
    return std::vector{about_file(path, "the file is larger than 16 MiB")};
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::vector{about_file(path, std::strerror(errno))};
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad() || (status.st_size > 0 && text.str().empty()))
    return std::vector{about_file(path, "cannot be read")};
  return text.str();
}

namespace {

// As read_source, for imports.
lang::ModuleText read_module(const std::string& path) {
  Result<std::string> text = read_source(path);
  if (text) return {.text = std::move(*text), .error = {}};
  return {.text = {}, .error = text.error().front().message};
}

}  // namespace

lang::FrontendOptions front_end_options() {
  lang::FrontendOptions options;
  options.loader = read_module;
  for (const ModelInfo& model : models()) options.models.push_back(model.name);
  for (const AlgorithmInfo& algorithm : algorithms()) options.algorithms.push_back(algorithm.name);
  return options;
}

}  // namespace heddle
