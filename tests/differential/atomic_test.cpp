// Random programs with `atomic`: all algorithms that run it agree on them, and under SC they have the final states of
// programs in which one mutex protects every step. Programs of which no variable is accessed both in blocks and outside are
// run by all algorithms under all models, and if all steps are blocks, all models have the same final states.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "heddle/heddle.h"
#include "heddle/machine.h"
#include "tests/environment.hpp"
#include "text_writer.hpp"
#include "whole_search.hpp"

namespace heddle::differential {

namespace {

// Where the program accesses its variables.
enum class Accesses : std::uint8_t { in_blocks, apart, mixed };

enum class Form : std::uint8_t {
  atomic,
  mutex,  // every step holds one mutex; what it awaits is assumed
};

class Writer : TextWriter {
 public:
  Writer(std::uint64_t number, Accesses accesses) : TextWriter(number), accesses_(accesses) {}

  std::string program(Form form) {
    form_ = form;
    std::string text =
        "shared x: int; shared y: int; shared z: int; shared a: int[2]; shared u: int; shared w: int; mutex "
        "m;\n"
        "fn twice(v: ref int) -> int { let old = v; v = old + old; return old; }\n";
    const int threads = below(3) == 0 ? 2 : 3;
    for (int t = 0; t < threads; ++t) {
      text += "thread " + std::string(1, "pqs"[t]) + " {\n  var r = 0;\n";
      for (int i = 1 + below(threads == 2 ? 4 : 2); i > 0; --i) {
        const bool choice = below(8) == 0;
        const bool in_block = !choice && (accesses_ == Accesses::in_blocks || below(2) == 0);
        text += choice ? "  r = r + choose(0..2);\n" : in_block ? block() : plain();
      }
      text += "}\n";
    }
    if (below(4) == 0 && form == Form::atomic) text += "invariant x + y < 9;\n";
    return text;
  }

 private:
  std::string variable() {
    if (accesses_ == Accesses::apart && !in_block_) return one_of("uw");
    return below(4) == 0 ? "a[" + std::to_string(below(2)) + "]" : one_of("xyz");
  }
  std::string condition() {
    std::string text = variable() + (below(3) == 0 ? " != " : " == ") + number();
    if (below(3) == 0) text += (below(2) == 0 ? " && " : " || ") + variable() + " == " + number();
    return text;
  }

  // One operation.
  std::string operation() {
    switch (below(7)) {
      case 0:
      case 1: return variable() + " = " + number() + ";";
      case 2: return variable() + " = r;";
      case 3: return "r = " + variable() + ";";
      case 4: return "fetch_add(" + variable() + ", 1);";
      case 5: return "if cas(" + variable() + ", " + number() + ", 2) { r = 5; }";
      default: return "r = r * 3 + " + variable() + ";";
    }
  }
  std::string plain() {
    const int kind = below(8);
    if (kind == 0) {
      const std::string awaited =
          variable() + " != " + number();  // one load, as no other may come in between
      return form_ == Form::atomic ? "  await " + awaited + ";\n"
                                   : "  { lock m; assume " + awaited + "; unlock m; }\n";
    }
    if (kind == 1) return "  fence;\n";
    const std::string text = operation();
    return form_ == Form::atomic ? "  " + text + "\n" : "  { lock m; " + text + " unlock m; }\n";
  }
  std::string block() {
    in_block_ = true;
    std::string text = form_ == Form::atomic ? "  atomic {" : "  { lock m;";
    if (below(3) == 0) text += (form_ == Form::atomic ? " await " : " assume ") + condition() + ";";
    for (int i = below(4); i > 0; --i) {
      switch (below(6)) {
        case 0: text += " if " + condition() + " { " + operation() + " } else { " + operation() + " }"; break;
        case 1: text += " r = r + choose(0..2);"; break;
        case 2: text += " r = twice(" + variable() + ");"; break;
        case 3:
          text += below(2) == 0 ? " for i in 0..2 { a[i] = r + i; }"
                                : " assume " + variable() + " != " + number() + ";";
          break;
        default: text += " " + operation(); break;
      }
    }
    in_block_ = false;
    return text + (form_ == Form::atomic ? " }\n" : " unlock m; }\n");
  }

  Accesses accesses_;
  bool in_block_ = false;
  Form form_ = Form::atomic;
};

// Keeps `power` from being explored as `sc`: a program that is all blocks, with an access outside that changes nothing else.
std::string with_access_outside(std::string text) {
  const std::string head = "thread p {\n";
  return text.insert(text.find(head) + head.size(), "  w = 1;\n");
}

using States = std::set<std::vector<std::int64_t>>;

// Where an assumption fails in a block, a run ends at once. How many such runs there are says nothing, all else must agree.
std::string difference_of_complete_executions(const Program& program) {
  for (const ModelInfo& named : models()) {
    const std::string model(named.name);
    std::optional<WholeSearch> naive;
    std::optional<WholeSearch> dpor;
    for (const AlgorithmInfo& info : algorithms()) {
      const std::string algorithm(info.name);
      if (!why_not(program, model, algorithm).empty()) continue;
      const WholeSearch found = search_whole(program, model, algorithm);
      if (!naive) naive = found;
      if (found.states != naive->states) return model + " " + algorithm + ": other final states than naive";
      if (found.violation != naive->violation)
        return model + " " + algorithm + ": another verdict than naive";
      if (algorithm == "dpor") dpor = found;
      if (algorithm == "source" && found.executions != dpor->executions)
        return model + ": dpor and source count different executions";
    }
  }
  return {};
}

// By the algorithms that take blocks for critical sections, too.
std::string difference_of_traces(const Program& program) {
  for (const ModelInfo& model : models()) {
    for (const AlgorithmInfo& algorithm : algorithms()) {
      if (!why_not(program, model.name, algorithm.name).empty()) continue;
      const std::string pair = std::string(model.name) + " " + std::string(algorithm.name) + ": ";
      const auto result =
          check(program, {.model = std::string(model.name), .algorithm = std::string(algorithm.name)});
      if (!result || !result->violation) return pair + "no violation";
      auto machine = Machine::start(program, {.model = result->model_of_traces()});
      if (!machine || !machine->load(result->violation->trace)) return pair + "the trace cannot be repeated";
      machine->forward(result->violation->trace.steps.size());
      const MachineStatus status = machine->status();
      if (status.end != MachineEnd::deadlock && status.end != MachineEnd::violation)
        return pair + "the trace leads to '" + status.message + "' instead of '" +
               result->violation->message + "'";
    }
  }
  return {};
}

}  // namespace

TEST_CASE(
    "an atomic block is one step: all algorithms agree, and under sc a mutex around every step says the "
    "same") {
  const std::size_t programs = tests::sized(400, 6000);
  std::size_t failures = 0;
  std::size_t violations = 0;
  for (std::uint64_t number = 0; number < programs && failures < 3; ++number) {
    const std::uint64_t seed = default_seed() * 1'000'000 + number;
    const auto accesses = static_cast<Accesses>(number % 3);
    const std::string text = Writer(seed, accesses).program(Form::atomic);
    INFO("program " << number << ":\n" << text);
    const auto program = Program::from_source(text, "atomic.hed");
    const auto locked = Program::from_source(Writer(seed, accesses).program(Form::mutex), "locked.hed");
    REQUIRE(program);
    REQUIRE(locked);
    const bool assumes = text.find("assume") != std::string::npos;
    const Finding finding = assumes ? Finding{.difference = difference_of_complete_executions(*program)}
                                    : all_pairs_agree(*program);
    CHECK_MESSAGE(finding.difference.empty(), finding.difference);
    failures += !finding.difference.empty();
    if (finding.violation) {
      const std::string different = difference_of_traces(*program);
      CHECK_MESSAGE(different.empty(), different);
      failures += !different.empty();
      ++violations;
    }
    if (text.find("invariant") != std::string::npos) continue;  // a violation ends a run
    if (accesses == Accesses::in_blocks) {
      const auto outside = Program::from_source(with_access_outside(text), "outside.hed");
      REQUIRE(outside);
      const WholeSearch steps = search_whole(*outside, "sc", "source");
      for (const char* algorithm : {"source", "trust"}) {
        const WholeSearch sections = search_whole(*outside, "power", algorithm);
        const bool same = sections.states == steps.states && sections.violation == steps.violation;
        CHECK_MESSAGE(same, "power, " << algorithm << ": other final states or another verdict than sc");
        failures += !same;
      }
    }
    const States expected = search_whole(*locked, "sc", "trust").states;
    for (const char* model : {"sc", "tso", "pso", "power"}) {
      if (!why_not(*program, model, "source").empty()) continue;
      const States found = search_whole(*program, model, "source").states;
      bool same = found == expected;
      if (std::string(model) != "sc" && accesses != Accesses::in_blocks)
        same = std::includes(found.begin(), found.end(), expected.begin(), expected.end());
      CHECK_MESSAGE(same, model << ": " << found.size() << " final states, with a mutex " << expected.size());
      failures += !same;
    }
  }
  CHECK(violations > programs / 20);
}

TEST_CASE("atomic blocks that do little, stop early, are left early, or that threads end in") {
  for (const std::string text : {
           // One without an operation on memory is no step, and orders nothing.
           "shared x: int; shared y: int; shared c: int;\n"
           "thread p { x = 1; atomic { } let r = y; }\n"
           "thread q { y = 1; atomic { fence; if choose(0..2) == 1 { c = 1; } } let r = x; }",
           // A condition that is known.
           "param N = 1; shared x: int; shared y: int;\n"
           "thread p { atomic { await N == 1; y += 1; } assert x != 0, \"A\"; }\nforall y < 1; forbid x == "
           "1;",
           "shared x: int; thread p { atomic { let v = await 3; x = v; } } invariant x < 2;",
           // States that are judged while a thread has a choice.
           "shared x: int; shared y: int;\n"
           "thread p { atomic { x = 1; } atomic { let b = choose(0..2); x = 0; } }\n"
           "thread q { var d = 0; atomic { d = choose(0..2); y = d; } }\ninvariant x == 0;",
           // Assertions that fail in blocks.
           "shared x: int; thread p { atomic { x = 1; assert 0, \"A\"; } assert 0, \"B\"; }",
           "shared x: int; thread p { x = 1; } thread q { atomic { assert 0, \"A\"; } }",
           // Ways out of a block.
           "shared x: int; shared y: int;\n"
           "fn take() -> int { atomic { if x == 1 { return 1; } x = 1; } return 0; }\n"
           "thread p[i: 0..2] { for k in 0..2 { atomic { if x == 1 { continue; } } y = 1; atomic { x = 0; "
           "break; } } "
           "let t = take(); }",
           "shared x: int; proc child() { atomic { if x == 1 { return; } x = 2; } }\n"
           "thread p { let h = spawn child(); atomic { x = 1; } join h; }",
           // Waiting.
           "shared x: int; shared y: int; thread p { atomic { await x == 1 && x != y; x = 0; } }\n"
           "thread q { either { atomic { await x == 0; x = 2; } } or { atomic { await y == 1; } } }",
           // A failed assumption in a block ends the execution, whoever waits.
           "shared x: int; thread p { atomic { await x == 0 && x == 0; let b = choose(0..2); } }\n"
           "thread q[i: 0..2] { let b = 0; atomic { await x != 1; assume b == 2; } }",
       }) {
    INFO(text);
    const auto program = Program::from_source(text, "atomic.hed");
    REQUIRE_MESSAGE(program, to_text(program.error()));
    const bool assumes = text.find("assume") != std::string::npos;
    const Finding finding = assumes ? Finding{.difference = difference_of_complete_executions(*program)}
                                    : all_pairs_agree(*program);
    CHECK_MESSAGE(finding.difference.empty(), finding.difference);
    if (!finding.violation) continue;
    const std::string different = difference_of_traces(*program);
    CHECK_MESSAGE(different.empty(), different);
  }
}

}  // namespace heddle::differential
