// heddle new NAME --template KIND: writes a commented program to start from.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/templates.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

std::string replaced(std::string_view text, std::string_view mark, std::string_view by) {
  std::string result;
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark)) {
    result += fmt::format("{}{}", text.substr(0, at), by);
    text.remove_prefix(at + mark.size());
  }
  return result += text;
}

// The name is written into comments, a suite and at the top of a litmus test, and nothing in it may need quotes.
std::optional<UsageError> check_name_of_file(const std::string& path, std::string_view base) {
  const auto is_good = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  };
  if (base.empty() || base.front() == '.' || base.front() == '-')
    return UsageError{fmt::format("'{}' is no name for a file", one_line(path)),
                      "for example: heddle new queue --template queue"};
  if (!std::all_of(base.begin(), base.end(), is_good))
    return UsageError{fmt::format("'{}' is no name for a program", one_line(base)),
                      "use letters, digits, '_', '-' and '.'"};
  return {};
}

// Creates a file that does not exist. Returns an empty string or the error. A file that cannot be written as a whole is
// removed again.
std::string create(const std::string& path, std::string_view text) {
  const auto failed = [&](int error) {
    return fmt::format("cannot write {}: {}", clean(path), std::strerror(error));
  };
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST) return fmt::format("{} exists already", clean(path));
  if (file < 0) return failed(errno);
  int error = write_all(file, text);
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0) return {};
  ::unlink(path.c_str());
  return failed(error);
}

}  // namespace

int run_new(const Options& options) {
  const auto found = std::find_if(templates().begin(), templates().end(),
                                  [&](const Template& each) { return each.name == options.template_name; });
  // (Parsing has checked the name.)
  std::string path = options.file;
  for (const TemplateFile& file : found->files) {
    if (!path.ends_with(file.extension)) continue;
    path.resize(path.size() - file.extension.size());
    break;
  }
  const std::string base = path.substr(path.rfind('/') + 1);
  if (const auto error = check_name_of_file(options.file, base))
    return report_errors({as_diagnostic(*error)}, options.json);
  std::vector<std::string> written;
  std::string failure;
  // Nothing is written if one of them exists.
  for (const TemplateFile& file : found->files) {
    const std::string name = path + std::string(file.extension);
    if (failure.empty() && ::access(name.c_str(), F_OK) == 0)
      failure = fmt::format("{} exists already", clean(name));
  }
  for (const TemplateFile& file : found->files) {
    if (!failure.empty()) break;
    const std::string name = path + std::string(file.extension);
    failure = create(name, replaced(file.text, "@NAME@", base));
    if (failure.empty()) written.push_back(name);
  }
  if (!failure.empty()) {
    for (const std::string& name : written) ::unlink(name.c_str());
    const bool exists = failure.ends_with(" exists already");
    return report_errors({as_diagnostic({failure, exists ? "heddle new overwrites nothing" : ""})},
                         options.json);
  }
  const std::string next = replaced(found->next, "{}", path);
  if (options.json) {
    Json json = json_head("new");
    json["exit_code"] = 0;
    json["template"] = found->name;
    json["files"] = written;
    json["next"] = next;
    return write_report(json_text(json)) ? 0 : bad_input;
  }
  std::string text;
  for (const std::string& name : written) text += fmt::format("{} written\n", clean(name));
  text += fmt::format("next: {}\n", clean(next));
  return write_report(text) ? 0 : bad_input;
}

}  // namespace heddle::cli
