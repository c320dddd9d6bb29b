// `spawn` and `join`: threads that begin when another one says so.
#pragma once

#include <vector>

#include "lang/resolution.hpp"

namespace heddle::lang {

// The signature of a proc and the hidden variables of its threads. `symbol` is the number of its template.
void declare_proc(Resolution& resolution, const syntax::Item& item,
                  std::vector<Signature::Parameter> parameters, std::uint32_t thread_template);

// Once all bodies that spawn have been resolved: the threads, and the sizes of the hidden variables.
void complete_procs(Resolution& resolution);

// The body that all threads of the proc share.
void resolve_proc(Resolution& resolution, std::uint32_t proc);

// Whether a `spawn` stands in the statements.
[[nodiscard]] bool spawns(const std::vector<syntax::Statement>& statements);

}  // namespace heddle::lang
