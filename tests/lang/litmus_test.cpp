// How litmus tests are translated: registers, dependencies, control flow, atomic operations, C, conditions.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "lang/litmus/print.hpp"
#include "lang/print.hpp"
#include "parse.hpp"
#include "tests/environment.hpp"

using heddle::lang::print_program;
using heddle::lang::Program;
using heddle::lang::test::dump;
using heddle::lang::test::parse;
using heddle::lang::test::Parsed;
using heddle::lang::test::read_file;

namespace {

// The test as a .hed file, or its messages if it is rejected.
std::string translated(const std::string& text) {
  const Parsed parsed = parse(text, {}, "test.litmus");
  return parsed.program ? print_program(*parsed.program) : parsed.rendered();
}

// A PPC test of one thread that observes r1; r5 and r6 hold the addresses of x and y.
std::string ppc(const std::string& instructions, const std::string& observed = "0:r1=0") {
  return "PPC one\n{ 0:r5=x; 0:r6=y; }\nP0 ;\n" + instructions + "exists (" + observed + ")\n";
}

std::string x86(const std::string& instructions, const std::string& observed = "0:rax=0") {
  return "X86_64 one\n{ }\nP0 ;\n" + instructions + "exists (" + observed + ")\n";
}

// The lines of the first thread's body.
std::string body(const std::string& program) {
  const auto begin = program.find("thread P0 {\n");
  if (begin == std::string::npos) return program;
  const auto end = program.find("\n}\n", begin);
  return program.substr(begin + 12, end + 1 - begin - 12);
}

}  // namespace

TEST_CASE("constants in registers vanish, loads become locals") {
  CHECK(body(translated(ppc("li r1,1 ;\nstw r1,0(r5) ;\nmr r2,r1 ;\naddi r2,r2,4 ;\nstw r2,0(r6) ;\n"
                            "lwz r1,0(r5) ;\n"))) == "  x = 1;\n  y = 5;\n  let r1 = x;\n");
}

TEST_CASE("a false address dependency stays an index") {
  const std::string text = translated(ppc("lwz r1,0(r5) ;\nxor r9,r1,r1 ;\nlwzx r2,r9,r6 ;\n", "0:r2=0"));
  CHECK(body(text) == "  let r1 = x;\n  let r2 = y[r1 ^ r1];\n");
  CHECK(text.find("shared y: int[1];") != std::string::npos);
  // With the address computed first, and as a store.
  CHECK(
      body(translated(ppc("lwz r1,0(r5) ;\nand r3,r1,r1 ;\nadd r3,r3,r6 ;\nli r4,1 ;\nstw r4,0(r3) ;\n"))) ==
      "  let r1 = x;\n  y[r1 & r1] = 1;\n");
}

TEST_CASE("a false data dependency stays an expression") {
  CHECK(body(translated(ppc("lwz r1,0(r5) ;\nxor r3,r1,r1 ;\naddi r3,r3,1 ;\nstw r3,0(r6) ;\n"))) ==
        "  let r1 = x;\n  y = (r1 ^ r1) + 1;\n");
}

TEST_CASE("a branch around nothing stays a control dependency") {
  CHECK(body(translated(ppc("lwz r1,0(r5) ;\ncmpw r1,r1 ;\nbeq LC00 ;\nLC00: ;\nisync ;\nli r2,1 ;\n"
                            "stw r2,0(r6) ;\n"))) ==
        "  let r1 = x;\n  if (r1 != r1) {}\n  fence isync;\n  y = 1;\n");
}

TEST_CASE("a register with different values on two joining paths becomes a local") {
  CHECK(body(translated(ppc(
            "lwz r2,0(r5) ;\ncmpwi r2,0 ;\nbne L ;\nli r1,1 ;\nb M ;\nL: li r1,2 ;\nM: stw r1,0(r6) ;\n"))) ==
        "  let r2 = x;\n  var r1 = 0;\n  if (r2 == 0) {\n    r1 = 1;\n  } else {\n    r1 = 2;\n  }\n  y = "
        "r1;\n");
}

TEST_CASE("a backward branch becomes a loop, a branch to the end a return") {
  CHECK(body(translated(ppc("L: lwz r2,0(r5) ;\ncmpwi r2,0 ;\nbeq L ;\nlwz r1,0(r6) ;\n"))) ==
        "  var r2 = 0;\n  while (true) {\n    let r2_2 = x;\n    if (r2_2 != 0) {\n      r2 = r2_2;\n      "
        "break;\n"
        "    }\n    r2 = r2_2;\n  }\n  let r1 = y;\n");
  const std::string leaves =
      "L: lwz r2,0(r5) ;\ncmpwi r2,2 ;\nbeq E ;\ncmpwi r2,0 ;\nbeq L ;\nlwz r1,0(r6) ;\nE: ;\n";
  const std::string text = body(translated(ppc(leaves)));
  CHECK(text.find("      r1 = 0;\n      return;\n") != std::string::npos);
  CHECK(text.find("  r1 = r1_2;\n") != std::string::npos);
}

TEST_CASE("a lwarx loop is one atomic operation") {
  CHECK(body(translated(ppc("li r2,7 ;\nL: lwarx r1,0,r5 ;\nstwcx. r2,0,r5 ;\nbne L ;\n"))) ==
        "  let r1 = exchange(x, 7);\n");
  CHECK(body(translated(ppc("L: lwarx r1,0,r5 ;\naddi r2,r1,3 ;\nstwcx. r2,0,r5 ;\nbne L ;\n"))) ==
        "  let r1 = fetch_add(x, 3);\n  if (r1 != r1) {}\n");
  // Spins until the lock is free.
  CHECK(body(translated(
            ppc("li r2,1 ;\nL: lwarx r1,0,r5 ;\ncmpwi r1,0 ;\nbne L ;\nstwcx. r2,0,r5 ;\nbne L ;\n"))) ==
        "  let r1 = exchange(x, 1);\n  if (r1 != 0) {\n    assume false;\n  }\n");
}

TEST_CASE("a stwcx. that is not retried may fail") {
  CHECK(body(translated(
            ppc("li r2,7 ;\nlwarx r1,0,r5 ;\nstwcx. r2,0,r5 ;\nbne F ;\nstw r2,0(r6) ;\nF: ;\n"))) ==
        "  let done = choose(0..2);\n  var r1_3 = 0;\n  if (done == 1) {\n    let r1 = exchange(x, 7);\n"
        "    r1_3 = r1;\n  } else {\n    let r1_2 = x;\n    r1_3 = r1_2;\n  }\n  if (done == 1) {\n    y = "
        "7;\n  }\n");
}

TEST_CASE("a branch after a stwcx. depends on the value and the address of the store") {
  // On what lwarx read, if that is stored; also if the branch retries.
  CHECK(body(translated(ppc("lwarx r1,0,r5 ;\nstwcx. r1,0,r5 ;\nbne F ;\nstw r2,0(r6) ;\nF: ;\n")))
            .find("if ((done + (r1_3 ^ r1_3)) == 1) {\n    y = 0;\n  }\n") != std::string::npos);
  CHECK(body(translated(ppc("lwz r3,0(r6) ;\nxor r4,r3,r3 ;\nL: lwarx r1,r4,r5 ;\nstwcx. r2,r4,r5 ;\nbne L "
                            ";\n"))) ==
        "  let r3 = y;\n  let r1 = exchange(x[r3 ^ r3], 0);\n  if (r3 != r3) {}\n");
  // On nothing, if a number is stored to a known location.
  CHECK(body(translated(ppc("li r2,7 ;\nlwarx r1,0,r5 ;\nstwcx. r2,0,r5 ;\nbne F ;\nF: ;\n")))
            .find("if (done == 1) {}\n") != std::string::npos);
}

TEST_CASE("a loop around a stwcx. stays a loop if its rounds differ") {
  const std::string counts =
      body(translated(ppc("L: lwarx r1,0,r5 ;\naddi r8,r8,1 ;\nstwcx. r8,0,r5 ;\nbne L ;\n", "x=2")));
  CHECK(counts.find("while (true)") != std::string::npos);
  CHECK(counts.find("exchange(x, r8 + 1)") != std::string::npos);
}

TEST_CASE("a lwarx without any stwcx. is a load") {
  CHECK(body(translated(ppc("lwarx r1,0,r5 ;\nlwz r2,0(r6) ;\n"))) == "  let r1 = x;\n  let r2 = y;\n");
}

TEST_CASE("AT&T and Intel operand order are distinguished") {
  const std::string wanted = "  x = 1;\n  fence;\n  let rax = y;\n  let rbx = exchange(x, 2);\n";
  CHECK(body(translated(
            x86("movq $1,(x) ;\nmfence ;\nmovl (y),%eax ;\nmovq $2,%rbx ;\nxchgq %rbx,(x) ;\n"))) == wanted);
  CHECK(body(translated(x86(
            "MOV [x],$1 ;\nMFENCE ;\nMOV EAX,dword ptr [y] ;\nMOV RBX,2 ;\nXCHG [x],RBX ;\n"))) == wanted);
}

TEST_CASE("locked instructions are atomic operations") {
  CHECK(body(translated(
            x86("movl $3,%eax ;\nlock xaddl %eax,(x) ;\nlock decl (y) ;\njne L ;\nmovl $1,(z) ;\nL: ;\n"))) ==
        "  let rax = fetch_add(x, 3);\n  let old = fetch_sub(y, 1);\n  if ((old - 1) == 0) {\n    z = 1;\n  "
        "}\n  let rax_2 = rax & 4294967295;\n");
  CHECK(body(translated(
            x86("movl $0,%eax ;\nmovl $1,%ebx ;\nlock cmpxchg %ebx,(x) ;\njne L ;\nmovl $1,(y) ;\nL: ;\n",
                "y=1"))) == "  let done = cas(x, 0, 1) ? 1 : 0;\n  if (done == 1) {\n    y = 1;\n  }\n");
  // If the value found is observed, both outcomes are written out.
  CHECK(body(translated(x86("movl $1,%ebx ;\nlock cmpxchg %ebx,(x) ;\n"))) ==
        "  let done = choose(0..2);\n  var rax_2 = 0;\n  if (done == 1) {\n    let old = exchange(x, 1);\n"
        "    if (old != 0) {\n      assume false;\n    }\n  } else {\n    fence;\n    let rax = x;\n"
        "    if (rax == 0) {\n      assume false;\n    }\n    rax_2 = rax;\n  }\n");
}

TEST_CASE("after a stwcx. equal means success, and less and greater never hold") {
  const auto branch = [](const std::string& mnemonic) {
    const std::string text = body(translated(
        ppc("li r2,7 ;\nlwarx r1,0,r5 ;\nstwcx. r2,0,r5 ;\n" + mnemonic + " F ;\nstw r2,0(r6) ;\nF: ;\n",
            "y=7")));
    const auto last = text.rfind("  if (");
    return text.substr(last, text.find('\n', last) - last);
  };
  CHECK(branch("bne") == "  if (done == 1) {");
  CHECK(branch("beq") == "  if (done != 1) {");
  CHECK(branch("blt") == "  if (done == done) {");
  CHECK(branch("bgt") == "  if (done == done) {");
  CHECK(branch("ble") == "  if (done != done) {");
  CHECK(branch("bge") == "  if (done != done) {");
}

TEST_CASE("a branch on the order after lock cmpxchg compares rax with the value found") {
  CHECK(
      body(translated(x86(
          "movl $1,(x) ;\nmovl $5,%eax ;\nlock cmpxchg %ebx,(x) ;\njl L ;\nmovl $1,(y) ;\nL: ;\n", "y=1"))) ==
      "  x = 1;\n  let done = choose(0..2);\n  var rax_2 = 5;\n  if (done == 1) {\n"
      "    let old = exchange(x, 0);\n    if (old != 5) {\n      assume false;\n    }\n  } else {\n    "
      "fence;\n"
      "    let rax = x;\n    if (rax == 5) {\n      assume false;\n    }\n    rax_2 = rax;\n  }\n"
      "  if (5 >= rax_2) {\n    y = 1;\n  }\n");
}

TEST_CASE("values computed on the only path that continues are known after it") {
  const std::string leaves =
      "lwz r1,0(r5) ;\ncmpwi r1,0 ;\nbne L ;\nlwz r2,0(r6) ;\naddi r3,r2,1 ;\ncmpw r2,r3 ;\nb M ;\nL: b OUT "
      ";\n"
      "M: stw r3,0(r7) ;\nbeq OUT ;\nstw r2,0(r7) ;\nOUT: ;\n";
  const std::string text =
      translated("PPC one\n{ 0:r5=x; 0:r6=y; 0:r7=z; }\nP0 ;\n" + leaves + "exists (z=1)\n");
  CHECK(body(text) ==
        "  let r1 = x;\n  var r2_2 = 0;\n  var r3 = 0;\n  var compared = 0;\n  var compared_2 = 0;\n"
        "  if (r1 == 0) {\n    let r2 = y;\n    r2_2 = r2;\n    r3 = r2 + 1;\n    compared = r2;\n"
        "    compared_2 = r2 + 1;\n  } else {\n    return;\n  }\n  z = r3;\n"
        "  if (compared != compared_2) {\n    z = r2_2;\n  }\n");
  CHECK(parse(text).program);
}

TEST_CASE("translated litmus tests can be parsed again") {
  std::vector<std::string> paths;
  for (const std::string& folder :
       {std::string(HEDDLE_SOURCE_DIR "/tests/litmus"), heddle::tests::published_litmus_tests()}) {
    if (folder.empty()) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".litmus") paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  REQUIRE(paths.size() >= 7);
  for (std::size_t i = 0; i<paths.size(); i += paths.size()> 1000 ? 5 : 1) {
    const std::string text = translated(read_file(paths[i]));
    const Parsed again = parse(text);
    CHECK_MESSAGE(again.program, paths[i] << "\n" << text << again.rendered());
  }
}

TEST_CASE("a loaded address accesses memory; an address stored, compared or observed is a number") {
  std::string zeros;
  for (int i = 1; i < 48; ++i) zeros += ", 0";
  CHECK(translated("PPC t\n{ p=x; 0:r5=y; 0:r6=p; }\nP0 ;\nlwz r1,0(r6) ;\nlwz r2,0(r1) ;\nstw r5,0(r6) ;\n"
                   "xor r3,r2,r2 ;\nstwx r2,r3,r5 ;\nexists (0:r1=y /\\ x=1)\n") ==
        "shared memory: int[48] = {1073741840" + zeros +
            "};\n\nthread P0 {\n"
            "  let r1 = memory[0];\n  let r2 = memory[r1 - 1073741824];\n  memory[0] = 1073741856;\n"
            "  memory[32 + (r2 ^ r2)] = r2;\n}\n\nexists (P0.r1 == 1073741856) && (memory[16] == 1);\n");
  // Without a loaded address, locations remain separate variables.
  CHECK(body(translated(ppc("lwz r1,0(r6) ;\ncmpw r1,r5 ;\nbne L ;\nstw r5,0(r6) ;\nL: ;\n"))) ==
        "  let r1 = y;\n  if (r1 == 1073741824) {\n    y = 1073741824;\n  }\n");
  // Two paths with different addresses.
  CHECK(body(translated(ppc("lwz r1,0(r5) ;\ncmpwi r1,0 ;\nbne L ;\nmr r5,r6 ;\nL: lwz r2,0(r5) ;\n"))) ==
        "  let r1 = memory[0];\n  var r5 = 1073741824;\n  if (r1 == 0) {\n    r5 = 1073741840;\n  }\n"
        "  let r2 = memory[r5 - 1073741824];\n");
}

TEST_CASE("r0 in an address and in addi is the number 0") {
  CHECK(body(translated(
            ppc("lwz r0,0(r5) ;\naddi r1,r0,3 ;\nlwzx r2,r0,r6 ;\nadd r3,r0,r1 ;\nstw r3,0(r5) ;\n"))) ==
        "  let r0 = x;\n  let r2 = y;\n  x = r0 + 3;\n  let r1 = 3;\n");
}

TEST_CASE("bit instructions are folded if all operands are known, else they keep their dependencies") {
  CHECK(body(translated(ppc("lis r2,1 ;\nori r2,r2,2 ;\nrlwinm r3,r2,4,0,31 ;\nrlwimi r3,r2,0,30,31 ;\n"
                            "stw r3,0(r5) ;\nli r4,-1 ;\nclrldi r4,r4,60 ;\nstw r4,0(r6) ;\n",
                            "x=0"))) == "  x = 1048610;\n  y = 15;\n");
  CHECK(body(translated(ppc("lwz r1,0(r5) ;\nrlwinm r3,r1,0,24,31 ;\nstw r3,0(r6) ;\ncmplwi r1,4 ;\nbgt L ;\n"
                            "lwa r4,0(r5) ;\nstw r4,0(r6) ;\nL: ;\n",
                            "x=0"))) ==
        "  let r1 = x;\n  y = r1 & 255;\n  var r4_2 = 0;\n  if ((r1 & 4294967295) <= 4) {\n    let r4 = x;\n"
        "    y = (r4 << 32) >> 32;\n    r4_2 = (r4 << 32) >> 32;\n  }\n");
}

TEST_CASE("32-bit x86 instructions truncate their results if these can be larger") {
  CHECK(body(translated(x86("movl (x),%eax ;\nincl %eax ;\nmovl %eax,(x) ;\n"))) ==
        "  let rax = x;\n  x = rax + 1;\n  let rax_2 = rax + 1;\n");
  const std::string large =
      "X86_64 t\n{ x=0xffffffff; }\nP0 ;\nmovl (x),%eax ;\nincl %eax ;\nmovl %eax,(y) ;\n";
  CHECK(translated(large + "exists (x=0xffffffff)\n") ==
        "shared x: int = -1;\nshared y: int;\n\nthread P0 {\n  let rax = x;\n"
        "  y = ((rax + 1) << 32) >> 32;\n}\n\nexists x == (-1);\n");
  // The 64-bit value is not negative.
  CHECK(body(translated(large + "exists (0:rax=0)\n"))
            .ends_with("  let rax_2 = (((rax + 1) << 32) >> 32) & 4294967295;\n"));
  CHECK(body(translated(x86("movl $-1,%eax ;\nmovq %rax,(x) ;\nmovl $-1,(y) ;\n", "x=0"))) ==
        "  x = 4294967295;\n  y = -1;\n");
}

TEST_CASE("punctuation and annotations around a condition are read") {
  const std::string plain = translated("PPC t\n{ x=1; }\nP0 ;\nnop ;\nexists (x=1)\n");
  CHECK(translated("PPC t\n{ x=1 };\nP0 ;\nnop ;\nexists (x=1);\n") == plain);
  CHECK(translated("PPC t\n{ x=1; };\nP0 ;\nnop ;\nfinal (x=1)\nwith sc: exists; tso: ~exists\n") == plain);
  CHECK(translated("PPC t\n{ x=1; }\nP0 ;\nnop ;\nexists (x=1);\n<< @any \"text { \n>>\n") == plain);
  const Parsed parsed = parse("PPC t\n{ }\nP0 ;\nnop ;\n~exists (x=1);\nwith sc: forall;\n", {}, "t.litmus");
  REQUIRE(parsed.program);
  CHECK(parsed.program->litmus->condition.end - parsed.program->litmus->condition.begin == 13);
  CHECK(print_program(
            *parse("PPC t\n{ }\nP0 ;\nnop ;\nexists (x=1 => y<>0 /\\ x=[y])\n", {}, "t.litmus").program)
            .find("exists (!(x == 1) || !(y == 0)) && (x == y);") != std::string::npos);
}

TEST_CASE("words that begin a condition can name locations") {
  CHECK(translated("C t\n{ filter=1; }\nP0 (int *locations, int *filter) {\n  *locations = *filter;\n}\n"
                   "exists (locations=1)\n") ==
        "shared filter: int = 1;\nshared locations: int;\n\nthread P0 {\n  locations = filter;\n}\n\n"
        "exists locations == 1;\n");
  CHECK(body(translated("X86_64 t\n{ }\nP0 ;\nMOV [filter],$1 ;\nMOV RAX,[locations] ;\nlocations [filter;]\n"
                        "exists (0:rax=0)\n")) == "  filter = 1;\n  let rax = locations;\n");
  // An unclosed parenthesis does not hide the condition.
  CHECK(translated("PPC t\n{ 0:r5=x; }\nP0 ;\nlwz r1,0(r5 ;\nexists (0:r1=0)\n")
            .find("expected ')' before ';'") != std::string::npos);
}

TEST_CASE("the smallest number can be written, one more than the largest cannot") {
  const std::string text = translated(
      "PPC t\n{ x=-9223372036854775808; 0:r1=-9223372036854775808; 0:r5=x; }\nP0 ;\n"
      "stw r1,0(r5) ;\nexists (x=-9223372036854775808)\n");
  CHECK(text.find("shared x: int = -9223372036854775807 - 1;") == 0);
  CHECK(translated("PPC t\n{ x=9223372036854775808; }\nP0 ;\nnop ;\nexists (x=0)\n")
            .find("'9223372036854775808' is not a number of at most 64 bits") != std::string::npos);
  CHECK(translated("PPC t\n{ x=-9223372036854775809; }\nP0 ;\nnop ;\nexists (x=0)\n")
            .find("'9223372036854775809' is not a number of at most 64 bits") != std::string::npos);
  CHECK(translated("C t\n{}\nP0 (int *x) { *x = 9223372036854775808; }\nexists (x=0)\n")
            .find("'9223372036854775808' is not a number of at most 64 bits") != std::string::npos);
}

TEST_CASE("a place has one initial value") {
  const auto with = [](const std::string& values) {
    return translated("PPC t\n{ " + values + " }\nP0 ;\nnop ;\nexists (x=0)\n");
  };
  for (const char* twice : {"x=1; [x]=2;", "0:r4=1; 0:r4=3;", "0:r4=x; 0:r4=y;", "0:r4=0; P0:R4=x;"}) {
    CHECK_MESSAGE(with(twice).find("this already has a different initial value") != std::string::npos, twice);
  }
  CHECK(with("x=1; x=1; uint64_t x; 0:r4=x; 0:r4=x;").find("shared x: int = 1;") == 0);
}

TEST_CASE("a test in C") {
  CHECK(translated("C MP\n{ int x = 0; [y] = 2; }\nP0 (int *x, atomic_int *y) {\n  *x = 1;\n"
                   "  atomic_thread_fence(memory_order_seq_cst);\n"
                   "  atomic_store_explicit(y, 1 + 2, memory_order_relaxed);\n}\n"
                   "P1 (int *x, atomic_int *y) {\n  int r0 = atomic_load_explicit(y, memory_order_relaxed);\n"
                   "  int r1 = 5;\n  if (r0 == 3 && *x) { r1 = *x + r0; } else { smp_mb(); }\n}\n"
                   "~exists (1:r0=3 /\\ 1:r1=3 \\/ x=7)\n") ==
        "shared x: int;\nshared y: int = 2;\n\nthread P0 {\n  x = 1;\n  fence;\n  y = 3;\n}\n\n"
        "thread P1 {\n  let r0 = y;\n  var r1 = 5;\n  if ((r0 == 3) && (x != 0)) {\n    r1 = x + r0;\n"
        "  } else {\n    fence;\n  }\n}\n\n"
        "forbid ((P1.r0 == 3) && (P1.r1 == 3)) || (x == 7);\n");
}

TEST_CASE("conditions determine what is observed") {
  const Parsed parsed = parse(
      "PPC t\n{ 0:r5=x; }\nP0 ;\nlwz r1,0(r5) ;\nlocations [y; 0:r1;]\nfilter (x=1)\n"
      "forall (0:r10=0 /\\ not (0:r2=1) \\/ [x]=2)\n",
      {}, "t.litmus");
  REQUIRE(parsed.program);
  std::string names;
  for (const auto& observation : parsed.program->litmus->observed) names += observation.name + " ";
  CHECK(names == "0:r1 0:r2 0:r10 [x] [y] ");
  CHECK(print_program(*parsed.program)
            .find("forall !(x == 1) || (((P0.r10 == 0) && !(P0.r2 == 1)) || (x == 2));") !=
        std::string::npos);
}

TEST_CASE("names that clash or that .hed reserves are changed") {
  CHECK(translated(
            "X86_64 t\n{ lock=1; P0=2; }\nP0 ;\nmovq (lock),%rax ;\nmovq (P0),%rbx ;\nexists (0:rax=1)\n")
            .find("shared lock_: int = 1;\nshared P0: int = 2;\n\nthread P0_2 {\n  let rax = lock_;\n") == 0);
}

// Whether the printer supports the program. It is made for translated litmus tests, not for the whole
// language.
bool printable(const heddle::lang::Program& program) {
  const auto scalar = [](const heddle::lang::Body& body) {
    return std::none_of(body.locals.begin(), body.locals.end(), [](const heddle::lang::Local& local) {
      const bool part = local.name.find_first_of(".[") != std::string::npos;  // of a struct or a reference
      return part || local.is_array || local.by_reference;
    });
  };
  const auto& functions = program.functions;
  const auto& templates = program.templates;
  const auto& variables = program.variables;
  // A function with `ref` parameters, like the implementation of `wait`, becomes several functions of the
  // same name.
  std::set<std::string> names;
  for (const auto& function : functions) names.insert(function.name);
  return names.size() == functions.size() &&
         std::all_of(functions.begin(), functions.end(), [&](const auto& f) { return scalar(f.body); }) &&
         std::all_of(templates.begin(), templates.end(), [&](const auto& t) { return scalar(t.body); }) &&
         std::none_of(variables.begin(), variables.end(),
                      [](const auto& v) { return v.name.find_first_of(".[") != std::string::npos; }) &&
         (!program.final_block || scalar(*program.final_block));
}

TEST_CASE("the printer's output parses to the same program") {
  int programs = 0;
  for (const char* folder : {"/examples", "/tests/programs"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(HEDDLE_SOURCE_DIR + std::string(folder))) {
      if (entry.path().extension() != ".hed") continue;
      const Parsed original = parse(read_file(entry.path().string()));
      if (!original.program || !printable(*original.program)) continue;
      ++programs;
      const std::string text = print_program(*original.program);
      const Parsed again = parse(text);
      REQUIRE_MESSAGE(again.program, entry.path().string() << "\n" << text << again.rendered());
      CHECK_MESSAGE(print_program(*again.program) == text, entry.path().string());
    }
  }
  CHECK(programs >= 10);
}

TEST_CASE("a program that can be expressed as a litmus test survives the round trip") {
  const std::string program =
      "shared x: int;\nshared y: int = 3;\n\nthread P0 {\n  x = 1;\n  fence;\n  let a = fetch_add(y, "
      "2);\n}\n\n"
      "thread P1 {\n  var b = exchange(x, 5);\n  while (b == 0) {\n    b = x;\n  }\n  if (b < 2) {\n    y = "
      "b + 1;\n"
      "  } else {\n    y = 0;\n  }\n}\n\nexists (P0.a == 3) && ((P1.b == 0) || (x == 5));\n";
  const Parsed original = parse(program);
  REQUIRE(original.program);
  const auto printed = heddle::lang::litmus::print_test(*original.program, "both");
  REQUIRE(std::holds_alternative<std::string>(printed));
  CHECK(translated(std::get<std::string>(printed)) == program);
}

TEST_CASE("names that C or the format reserve are changed in a litmus test") {
  const Parsed original = parse(
      "shared NULL: int;\nshared NULL_: int;\nshared locations: int;\n"
      "thread p { let double = NULL; NULL_ = 1; locations = double; }\nexists p.double == 0 && NULL == 1;\n");
  REQUIRE(original.program);
  const auto printed = heddle::lang::litmus::print_test(*original.program, "t");
  REQUIRE(std::holds_alternative<std::string>(printed));
  const std::string& text = std::get<std::string>(printed);
  CHECK(text ==
        "C t\n{\n  int NULL__ = 0;\n  int NULL_ = 0;\n  int locations_ = 0;\n}\n\n"
        "P0 (atomic_int *NULL__, atomic_int *NULL_, atomic_int *locations_) {\n  int double_ = *NULL__;\n"
        "  *NULL_ = 1;\n  *locations_ = double_;\n}\n\nexists (0:double_=0 /\\ NULL__=1)\n");
  CHECK(parse(text, {}, "t.litmus").program);
  // All names with these prefixes are reserved, so a suffix would not help.
  const Parsed prefixes =
      parse("shared atomic_x: int; shared _atomic_x: int; thread p { let memory_order_y = atomic_x; }");
  REQUIRE(prefixes.program);
  const auto changed = heddle::lang::litmus::print_test(*prefixes.program, "t");
  REQUIRE(std::holds_alternative<std::string>(changed));
  CHECK(std::get<std::string>(changed) ==
        "C t\n{\n  int _atomic_x_ = 0;\n  int _atomic_x = 0;\n}\n\n"
        "P0 (atomic_int *_atomic_x_, atomic_int *_atomic_x) {\n  int _memory_order_y = "
        "*_atomic_x_;\n}\n\nlocations [_atomic_x_; _atomic_x; "
        "0:_memory_order_y; ]\n");
}

TEST_CASE("a program that cannot be expressed as a litmus test is reported with a position") {
  const auto reason = [](const std::string& text) {
    const Parsed parsed = parse(text);
    REQUIRE(parsed.program);
    const auto printed = heddle::lang::litmus::print_test(*parsed.program, "t");
    REQUIRE(std::holds_alternative<heddle::lang::litmus::NotALitmusTest>(printed));
    return std::get<heddle::lang::litmus::NotALitmusTest>(printed).message;
  };
  CHECK(reason("mutex m; thread p { lock m; unlock m; }") == "a litmus test has no mutexes");
  CHECK(reason("shared x: int; thread p { fence lw; x = 1; }") == "C has full fences only");
  CHECK(reason("shared x: int[2]; thread p { x[0] = 1; }") == "a litmus test has no arrays");
  CHECK(reason("shared x: int; thread p { let a = x; } exists p.a < 1;") ==
        "the condition of a litmus test compares locations and locals with numbers only");
}

TEST_CASE("a mutated or truncated litmus test never crashes the front end") {
  const std::string tests[] = {
      ppc("L: lwarx r1,0,r5 ;\ncmpwi r1,0 ;\nbne L ;\nstwcx. r1,0,r5 ;\nbne L ;\nlwzx r2,r1,r6 ;\nbeq M "
          ";\nli r1,1 ;\nM: ;\n"),
      x86("mov $1,(x) ;\nL: lock cmpxchg %rbx,(x) ;\njne L ;\nmovl $x,%eax ;\n"),
      "PPC t\n{ int *x=&y; uint64_t z=(2); };\nP0 ;\nnop ;\nlocations [x int; [y];]\nfilter true => x!=0:r1\n"
      "final (x=y);\nwith sc: ~exists; tso: forall;\n<< end\n",
      "C t\n{}\nP0 (int *x) { int r = *x + 1; while (r < 3) { r = *x; } if (r) *x = r; }\nexists (0:r=1)\n"};
  for (const std::string& test : tests) {
    for (std::size_t i = 0; i < test.size(); ++i) {
      for (const std::string& changed : {test.substr(0, i), test.substr(0, i) + test.substr(i + 1),
                                         test.substr(0, i) + test.substr(i, 1) + test.substr(i)}) {
        const Parsed parsed = parse(changed, {}, "t.litmus");
        CHECK(parsed.program.has_value() != parsed.diagnostics.any());
        const std::string messages = parsed.rendered();
        CHECK_MESSAGE(messages.find("spirit") == std::string::npos, messages);
      }
    }
  }
}
