// See files.hpp.
#include "cli/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/terminal.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

std::string failed(std::string_view what, const std::string& path, int error) {
  return fmt::format("cannot {} {}: {}", what, clean(path), std::strerror(error));
}

mode_t permissions_for(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<mode_t>(0666) & ~mask;
}

// Whether both names refer to one regular file, or would after it is written.
bool same_file(const std::string& left, const std::string& right) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool exists = fs::exists(left, error);
  if (exists != fs::exists(right, error)) return false;
  if (exists) return fs::is_regular_file(left, error) && fs::equivalent(left, right, error);
  const fs::path absolute = fs::weakly_canonical(left, error);
  return !error && absolute == fs::weakly_canonical(right, error) && !error;
}

std::string write_directly(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return failed("write", path, errno);
  const int error = write_all(file, text);
  if (::close(file) != 0 && error == 0) return failed("write", path, errno);
  return error == 0 ? std::string() : failed("write", path, error);
}

}  // namespace

std::variant<std::string, FileError> read_file(const std::string& path, std::uint64_t largest) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return FileError{failed("read", path, errno)};
  if (S_ISDIR(status.st_mode)) return FileError{failed("read", path, EISDIR)};
  if (!S_ISREG(status.st_mode)) {
    return FileError{fmt::format("cannot read {}: it is not a regular file", clean(path))};
  }
  if (static_cast<std::uint64_t>(status.st_size) > largest) {
    return FileError{fmt::format("cannot read {}: it is larger than {}", clean(path), byte_size(largest))};
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return FileError{failed("read", path, errno)};
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad() || text.size() < static_cast<std::size_t>(status.st_size)) {
    return FileError{fmt::format("cannot read {} to its end", clean(path))};
  }
  return text;
}

std::optional<UsageError> overwritten_file(
    const std::vector<std::pair<std::string_view, std::string>>& outputs,
    const std::vector<std::string>& inputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    const auto& [option, file] = *output;
    if (file.empty()) continue;
    for (const std::string& input : inputs) {
      if (!same_file(file, input)) continue;
      return UsageError{fmt::format("{} would overwrite {}, which is read", option, clean(input)),
                        "name another file"};
    }
    for (auto other = outputs.begin(); other != output; ++other) {
      if (other->second.empty() || !same_file(file, other->second)) continue;
      return UsageError{fmt::format("{} and {} are the same file, {}", other->first, option, clean(file)),
                        "name another file"};
    }
  }
  return {};
}

std::string write_file(const std::string& path, std::string_view text, bool durable) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return failed("write", path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return write_directly(path, text);
  // A read-only file is kept, even if its folder would allow replacing it.
  if (exists && ::access(path.c_str(), W_OK) != 0) return failed("write", path, errno);
  std::error_code no_link;
  const std::filesystem::path real = std::filesystem::canonical(path, no_link);
  const std::string target = no_link ? path : real.string();
  std::string temporary = target + ".XXXXXX";
  const int file = ::mkstemp(temporary.data());
  if (file < 0) return failed("write", path, errno);
  int error = write_all(file, text);
  if (error == 0 && ::fchmod(file, permissions_for(target)) != 0) error = errno;
  if (error == 0 && durable && ::fsync(file) != 0) error = errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return failed("write", path, error);
}

}  // namespace heddle::cli
