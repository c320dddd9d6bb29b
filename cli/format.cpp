// heddle fmt: programs in the canonical style.
#include <fmt/format.h>

#include <cstdint>
#include <iostream>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/json.hpp"
#include "cli/litmus.hpp"
#include "cli/report.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "heddle/source.h"

namespace heddle::cli {

namespace {

constexpr std::uint64_t largest_program = std::uint64_t{16} << 20;
constexpr int not_canonical = 1;

// The result for one file.
struct Formatted {
  std::string file;
  bool changed = false;  // or would be, with --check
  std::string text;      // of standard input: the result
  std::vector<Diagnostic> errors = {};
};

// The file is rewritten as a whole or stays unchanged.
Formatted format_file(const std::string& path, bool check_only) {
  Formatted result{.file = path, .changed = false, .text = {}, .errors = {}};
  if (const auto litmus = refuse_litmus(path)) {
    result.errors = {as_diagnostic(*litmus)};
    return result;
  }
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    auto read = read_file(path, largest_program);
    if (const auto* const error = std::get_if<FileError>(&read)) {
      result.errors = {as_diagnostic({error->message, ""})};
      return result;
    }
    text = std::move(std::get<std::string>(read));
  }
  Result<std::string> formatted = format(text, path == "-" ? "standard input" : path);
  if (!formatted) {
    result.errors = formatted.error();
    return result;
  }
  result.changed = *formatted != text;
  result.text = std::move(*formatted);
  if (path == "-" || check_only || !result.changed) return result;
  const std::string failure = write_file(path, result.text);
  if (!failure.empty()) result.errors = {as_diagnostic({failure, ""})};
  return result;
}

// Writes the result as text. False if it cannot be written.
bool show(const Formatted& file, bool check_only) {
  if (!file.errors.empty()) {
    static_cast<void>(report_errors(file.errors, false));
    return true;
  }
  if (check_only) {
    return !file.changed || write_report(fmt::format("{}: not in the canonical style\n", clean(file.file)));
  }
  return file.file != "-" || write_report(file.text);
}

Json json_of(const Formatted& file, bool check_only) {
  Json json{{"file", file.file}, {"changed", file.changed && file.errors.empty()}};
  json["text"] = file.file == "-" && !check_only && file.errors.empty() ? Json(file.text) : Json();
  json["diagnostics"] = to_json(file.errors);
  return json;
}

}  // namespace

int run_format(const Options& options) {
  int code = 0;
  Json files = Json::array();
  for (const std::string& path : options.paths) {
    const Formatted file = format_file(path, options.check_only);
    if (!file.errors.empty()) {
      code = bad_input;
    } else if (options.check_only && file.changed && code == 0) {
      code = not_canonical;
    }
    if (options.json) {
      files.push_back(json_of(file, options.check_only));
    } else if (!show(file, options.check_only)) {
      return bad_input;
    }
  }
  if (!options.json) return code;
  Json json = json_head("format");
  json["exit_code"] = code;
  json["files"] = std::move(files);
  return write_report(json_text(json)) ? code : bad_input;
}

}  // namespace heddle::cli
