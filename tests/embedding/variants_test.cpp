// Programs that differ only in their params, made from one parsed text (include/heddle/variants.h).
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "heddle/heddle.h"
#include "heddle/variants.h"

namespace {

using heddle::Parameters;
using heddle::Program;
using heddle::ProgramText;
using heddle::Result;

const std::string root = HEDDLE_SOURCE_DIR;

// The same verdict, counts and final states as the program compiled alone.
void check_equal(const Program& program, const std::string& path, const Parameters& set,
                 const std::string& model) {
  const auto alone = Program::from_file(path, {.parameters = set});
  REQUIRE(alone);
  CHECK(program.parameters() == alone->parameters());
  CHECK(program.name() == alone->name());
  CHECK(program.fingerprint() == alone->fingerprint());
  CHECK(program.variables() == alone->variables());
  const heddle::CheckOptions options{.model = model, .keep_going = true, .collect_outcomes = true};
  const auto one = heddle::check(program, options);
  const auto other = heddle::check(*alone, options);
  REQUIRE(one);
  REQUIRE(other);
  CHECK(one->verdict == other->verdict);
  CHECK(one->counts.executions == other->counts.executions);
  CHECK(one->counts.transitions == other->counts.transitions);
  REQUIRE(one->outcomes.size() == other->outcomes.size());
  for (std::size_t i = 0; i < one->outcomes.size(); ++i) {
    CHECK(one->outcomes[i].executions == other->outcomes[i].executions);
    REQUIRE(one->outcomes[i].values.size() == other->outcomes[i].values.size());
    for (std::size_t k = 0; k < one->outcomes[i].values.size(); ++k)
      CHECK(one->outcomes[i].values[k].text() == other->outcomes[i].values[k].text());
  }
  REQUIRE(one->violations.size() == other->violations.size());
  for (std::size_t i = 0; i < one->violations.size(); ++i) {
    CHECK(one->violations[i].message == other->violations[i].message);
    CHECK(one->violations[i].line == other->violations[i].line);
    REQUIRE(one->violations[i].trace.steps.size() == other->violations[i].trace.steps.size());
    for (std::size_t k = 0; k < one->violations[i].trace.steps.size(); ++k) {
      CHECK(one->violations[i].trace.steps[k].action == other->violations[i].trace.steps[k].action);
      CHECK(one->violations[i].trace.steps[k].line == other->violations[i].trace.steps[k].line);
      CHECK(one->violations[i].trace.steps[k].source == other->violations[i].trace.steps[k].source);
    }
  }
}

class File {
 public:
  explicit File(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("heddle_variants_" + std::to_string(::rand()) + ".hed")) {
    std::ofstream(path_) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("programs made together behave as those made alone, for every set of params in the examples") {
  std::size_t programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/examples")) {
    if (entry.path().extension() != ".hed") continue;
    const std::string path = entry.path().string();
    const auto text = ProgramText::from_file(path);
    REQUIRE_MESSAGE(text, path);
    const auto plain = Program::from_file(path);
    REQUIRE(plain);
    std::vector<Parameters> sets{{}};
    for (const auto& expectation : plain->expectations()) sets.push_back(expectation.parameters);
    const auto made = text->compile(sets, {"tso", "power"});
    REQUIRE(made.size() == sets.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      REQUIRE_MESSAGE(made[i], path);
      ++programs;
      if (i > 4) continue;  // the others take long
      for (const std::string model : {"tso", "power"}) {
        // Large explorations say no more.
        const auto size = heddle::check(*made[i], {.model = model, .max_executions = 2000});
        REQUIRE(size);
        if (size->stopped_by.empty() || size->violation) {
          CAPTURE(path);
          CAPTURE(model);
          const auto whole =
              heddle::check(*made[i], {.model = model, .max_executions = 2000, .keep_going = true});
          REQUIRE(whole);
          if (whole->stopped_by.empty()) check_equal(*made[i], path, sets[i], model);
        }
      }
    }
  }
  CHECK(programs > 200);
}

TEST_CASE("the programs outlive the text and each other") {
  const std::string path = root + "/examples/seqlock_fences.hed";
  std::vector<Result<Program>> made;
  {
    const auto text = ProgramText::from_file(path);
    REQUIRE(text);
    made = text->compile({{{"BEGIN", 0}}, {{"BEGIN", 1}}, {{"BEGIN", 2}}}, {"power"});
  }
  const Program last = *made.back();
  made.clear();
  const auto result = heddle::check(last, {.model = "power"});
  REQUIRE(result);
  CHECK(result->verdict == heddle::Verdict::safe);
  CHECK(heddle::check(last, {.model = "sc"})->verdict == heddle::Verdict::safe);  // a form compiled now
}

TEST_CASE("the errors of one set are its own") {
  const File file("param N = 1;\nshared x: int[N];\nthread p { x[0] = N; }\n");
  const auto text = ProgramText::from_file(file.path());
  REQUIRE(text);
  const auto made = text->compile({{{"N", 1}}, {{"N", 0}}, {{"M", 1}}, {{"N", 2}}});
  REQUIRE(made.size() == 4);
  CHECK(made[0]);
  CHECK(made[3]);
  CHECK(made[3]->variables().size() == 2);
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    REQUIRE(!made[i]);
    const auto alone = Program::from_file(
        file.path(), {.parameters = {i == 1 ? Parameters{{"N", 0}} : Parameters{{"M", 1}}}});
    REQUIRE(!alone);
    CHECK(heddle::to_text(made[i].error()) == heddle::to_text(alone.error()));
  }
  CHECK(text->compile({}).empty());
}

TEST_CASE("errors of the text are found before any params are known") {
  const File file("thread p { x = ; }\n");
  const auto text = ProgramText::from_file(file.path());
  REQUIRE(!text);
  CHECK(heddle::to_text(text.error()) == heddle::to_text(Program::from_file(file.path()).error()));
  CHECK(!ProgramText::from_file("/nowhere/none.hed"));
}

TEST_CASE("params of the options hold for all sets, which prevail over them; the IR is that of one program") {
  const File file("param A = 1;\nparam B = 1;\nshared x: int;\nthread p { x = A + B; }\n");
  const auto text =
      ProgramText::from_file(file.path(), {.parameters = {{"A", 2}, {"B", 2}}, .keep_ir = true});
  REQUIRE(text);
  const auto made = text->compile({{}, {{"A", 3}}});
  CHECK(made[0]->parameters() == Parameters{{"A", 2}, {"B", 2}});
  CHECK(made[1]->parameters() == Parameters{{"A", 3}, {"B", 2}});
  for (std::size_t i = 0; i < 2; ++i) {
    const auto alone =
        Program::from_file(file.path(), {.parameters = made[i]->parameters(), .keep_ir = true});
    CHECK(made[i]->llvm_ir() == alone->llvm_ir());
  }
}

TEST_CASE("several threads compile from one text at the same time") {
  const auto text = ProgramText::from_file(root + "/examples/seqlock_fences.hed");
  REQUIRE(text);
  std::vector<int> safe(4, 0);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        std::vector<Parameters> sets;
        for (int i = 0; i < 9; ++i) sets.push_back({{"BEGIN", t % 3}, {"END", i % 3}, {"CHECK", i / 3}});
        for (const auto& program : text->compile(sets, {"power"})) {
          if (heddle::check(*program, {.model = "power"})->verdict == heddle::Verdict::safe)
            ++safe[static_cast<std::size_t>(t)];
        }
      });
    }
  }
  CHECK(safe == std::vector<int>{0, 4, 4, 0});
}
