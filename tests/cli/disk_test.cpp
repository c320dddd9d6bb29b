// Every option that writes a file, on a full disk and in a read-only folder: one message, the usual results,
// and no new files in the folder.
#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

// Names and contents.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files[entry.path().filename().string()] = read(entry.path());
  }
  return files;
}

// A badly formatted program with a wrong expected number, not longer than its corrected form.
const char* const loose_program = "shared x:int;thread p{x=1;}\nexpect sc: executions 7;\n";

struct Command {
  std::vector<std::string> arguments;
  std::string still_said;  // required in standard output although the file cannot be written
};

// `inside` holds program.hed.
std::vector<Command> commands(const TemporaryFolder& folder, const fs::path& inside) {
  const std::string lost = folder.file("lost.hed", unsafe_program), loose = (inside / "program.hed").string();
  std::vector<Command> result;
  for (const char* option : {"--trace", "--dot", "--html", "--mermaid", "--sarif"})
    result.push_back({{"check", lost, option, (inside / "new").string()}, "lost.hed: violation"});
  for (const char* option : {"--junit", "--json"})
    result.push_back({{"test", loose, option, (inside / "new").string()}, "expected 7 executions, found 1"});
  result.push_back({{"test", loose, "--update"}, "expected 7 executions, found 1"});
  result.push_back({{"fmt", loose}, ""});
  return result;
}

void check_all_fail(const TemporaryFolder& folder, const fs::path& inside, const std::string& reason,
                    const Setup& setup) {
  const auto before = files_in(inside);
  for (const Command& command : commands(folder, inside)) {
    CAPTURE(command.arguments[0]);
    CAPTURE(command.arguments.back());
    const Finished run = run_heddle(command.arguments, setup);
    CHECK(run.exit_code == 2);
    CHECK(contains(run.output, command.still_said));
    CAPTURE(run.errors);
    CHECK(contains(run.errors, "cannot write " + inside.string() + "/"));
    CHECK(contains(run.errors, reason));
    CHECK(files_in(inside) == before);
  }
}

}  // namespace

TEST_CASE("a full disk leaves every file unchanged and no partial file") {
  TemporaryFolder folder;
  const fs::path disk = folder.path() / "disk";
  fs::create_directory(disk);
  if (std::system(("mount -t tmpfs -o size=8k tmpfs " + disk.string() + " 2> /dev/null").c_str()) != 0) {
    MESSAGE("cannot mount a small disk here: not tested");
    return;
  }
  std::ofstream(disk / "program.hed") << loose_program;
  std::ofstream(disk / "filler") << std::string(4096, 'x');
  check_all_fail(folder, disk, "No space left on device", {});

  const auto before = files_in(disk);
  const std::string script = folder.file("script", ":load " + (disk / "program.hed").string() + "\n:save " +
                                                       (disk / "copy.hed").string() + "\n");
  const std::string errors = (folder.path() / "errors").string();
  const int status = std::system(
      (std::string(HEDDLE_BINARY_DIR "/heddle repl < ") + script + " > /dev/null 2> " + errors).c_str());
  CHECK(WEXITSTATUS(status) == 2);
  CHECK(contains(files_in(folder.path())["errors"], "No space left on device"));
  CHECK(files_in(disk) == before);
  CHECK(std::system(("umount " + disk.string()).c_str()) == 0);
}

TEST_CASE("a read-only folder is one message for every option") {
  TemporaryFolder folder;
  const fs::path closed = folder.path() / "closed";
  fs::create_directory(closed);
  std::ofstream(closed / "program.hed") << loose_program;
  fs::permissions(closed / "program.hed", fs::perms(0444));
  fs::permissions(closed, fs::perms(0555));
  check_all_fail(folder, closed, "Permission denied", {.as_nobody = true});
  fs::permissions(closed, fs::perms(0755));
}

}  // namespace heddle::test
