// `spawn` and `join`: threads started by other threads.
#pragma once

#include <vector>

#include "lang/resolution.hpp"

namespace heddle::lang {

// Adds the signature of a proc and the hidden variables of its threads. `symbol` is the number of its
// template.
void declare_proc(Resolution& resolution, const syntax::Item& item,
                  std::vector<Signature::Parameter> parameters, std::uint32_t thread_template);

// Adds the threads and sets the sizes of the hidden variables. Call once all bodies with spawns are resolved.
void complete_procs(Resolution& resolution);

// Resolves the body shared by all threads of the proc.
void resolve_proc(Resolution& resolution, std::uint32_t proc);

// Whether the statements contain a `spawn`.
[[nodiscard]] bool spawns(const std::vector<syntax::Statement>& statements);

}  // namespace heddle::lang
