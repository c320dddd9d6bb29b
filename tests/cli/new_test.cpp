// heddle new: every template checks as it is, and nothing is overwritten.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/templates.hpp"
#include "tests/cli/process.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("every template is a file that checks as it is") {
  REQUIRE(cli::templates().size() == 5);
  for (const cli::Template& each : cli::templates()) {
    CAPTURE(each.name);
    TemporaryFolder folder;
    const std::string path = (folder.path() / "my-first").string();
    const Finished made = run_heddle({"new", path, "--template", std::string(each.name)});
    CHECK(made.exit_code == 0);
    bool expects = false;
    for (const cli::TemplateFile& file : each.files) {
      const std::string name = path + std::string(file.extension);
      CHECK(contains(made.output, name + " written"));
      const std::string text = content(name);
      CHECK(contains(text, "my-first"));
      CHECK(!contains(text, "@NAME@"));
      expects = expects || contains(text, "expect ") || file.extension == ".suite";
      if (file.extension == ".hed") {
        CHECK(run_heddle({"fmt", "--check", name}).exit_code == 0);
        const Finished linted = run_heddle({"check", name, "--lint", "--no-progress"});
        CHECK(linted.exit_code == 0);
        CHECK(contains(linted.output, "No warnings"));
      }
    }
    // Its expectations are met, and the command that it names works.
    const Finished tested = run_heddle({"test", folder.path().string()});
    CHECK_MESSAGE(tested.exit_code == (expects ? 0 : 2), tested.output);
    if (expects) CHECK(contains(tested.output, "passed"));
    const std::size_t next = made.output.find("next: heddle ");
    REQUIRE(next != std::string::npos);
    const std::string command = made.output.substr(next + 13);
    const std::size_t blank = command.find(' ');
    std::vector<std::string> words{command.substr(0, blank)};
    for (std::size_t begin = blank + 1; begin < command.size();) {
      const std::size_t end = std::min(command.find_first_of(" \n", begin), command.size());
      words.push_back(command.substr(begin, end - begin));
      begin = end + 1;
    }
    CHECK(run_heddle(words).exit_code == 0);
  }
}

TEST_CASE("new overwrites nothing and leaves nothing half made") {
  TemporaryFolder folder;
  const std::string mine = folder.file("mine.hed", "shared x: int;\n");
  for (const char* name : {"mine", "mine.hed"}) {
    const Finished run = run_heddle({"new", (folder.path() / name).string(), "--template", "lock"});
    CHECK(run.exit_code == 2);
    CHECK(run.output.empty());
    CHECK(contains(run.errors, mine + " exists already"));
  }
  // Of two files one exists.
  const std::string suite = folder.file("both.suite", "# mine\n");
  CHECK(run_heddle({"new", (folder.path() / "both").string(), "--template", "suite"}).exit_code == 2);
  CHECK(!fs::exists(folder.path() / "both.hed"));
  CHECK(content(mine) == "shared x: int;\n");
  CHECK(content(suite) == "# mine\n");
  fs::create_symlink(folder.path() / "nothing", folder.path() / "link.hed");
  CHECK(run_heddle({"new", (folder.path() / "link").string(), "--template", "lock"}).exit_code == 2);
  CHECK(!fs::exists(folder.path() / "nothing"));
}

TEST_CASE("new says what is wrong with its arguments") {
  TemporaryFolder folder;
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& part) {
    CAPTURE(part);
    const Finished run = run_heddle(arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.output.empty());
    CHECK_MESSAGE(contains(run.errors, part), run.errors);
  };
  const std::string at = folder.path().string();
  refused({"new", at + "/a"}, "the templates are lock, queue, protocol, litmus, suite");
  refused({"new", at + "/a", "--template", "locks"}, "did you mean 'lock'?");
  refused({"new", "--template", "lock"}, "missing");
  refused({"new", at + "/a b", "--template", "lock"}, "'a b' is no name for a program");
  refused({"new", at + "/", "--template", "lock"}, "is no name for a file");
  refused({"new", at + "/.hed", "--template", "lock"}, "is no name for a file");
  refused({"new", at + "/none/a", "--template", "lock"},
          "cannot write " + at + "/none/a.hed: No such file or directory");
  const Finished json = run_heddle({"new", at + "/a.hed", "--template", "lock", "--json"});
  CHECK(json.exit_code == 0);
  const auto document = nlohmann::json::parse(json.output, nullptr, false);
  CHECK(document["document"] == "new");
  CHECK(document["files"] == nlohmann::json::array({at + "/a.hed"}));
}

}  // namespace heddle::test
