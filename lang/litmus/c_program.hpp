// Translates the threads of a C test to thread templates.
//
// Plain accesses, READ_ONCE, WRITE_ONCE and relaxed atomics become the language's loads and stores, relaxed
// read-modify-writes its atomic operations, atomic_thread_fence(memory_order_seq_cst) its full fence. Other
// memory orders have no meaning under the supported models and are rejected.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lang/litmus/build.hpp"
#include "lang/litmus/c_syntax.hpp"

namespace heddle::lang::litmus::c {

// Adds thread number `number` to the program of `builder`. `observed`: names of its locals that the condition
// mentions. Returns their ids in the same order; nothing if an error was reported.
[[nodiscard]] std::optional<std::vector<LocalId>> translate(const Thread& thread, std::uint32_t number,
                                                            const std::vector<Word>& observed,
                                                            Builder& builder);

}  // namespace heddle::lang::litmus::c
