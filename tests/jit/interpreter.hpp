// The semantics of the language, written as simply as possible: walks the tree and asks the same host. The
// compiled code must request the same operations in the same order.
#pragma once

#include "lang/tree.hpp"
#include "tests/jit/host.hpp"

namespace heddle::test {

struct Interpreted {
  Log log;
  Log locals;  // the thread's named locals, "a = 1"
};

Interpreted interpret(const lang::Program& program, const compiler::Image& image, std::size_t thread,
                      Host& host, std::uint32_t unroll, std::size_t steps = 10'000);

}  // namespace heddle::test
