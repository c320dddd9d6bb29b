// See artefacts.hpp.
#include "cli/artefacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "cli/coverage.hpp"
#include "cli/files.hpp"
#include "cli/pairs.hpp"
#include "cli/pictures.hpp"
#include "cli/sarif.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "cli/trace_file.hpp"
#include "heddle/source.h"

namespace heddle::cli {
namespace {

bool write(const std::string& path, const std::string& text) {
  const std::string error = write_file(path, text);
  if (!error.empty()) write_error(fmt::format("heddle: {}\n", error));
  return error.empty();
}

bool complain(const std::string& message) {
  write_error(fmt::format("heddle: {}\n", message));
  return false;
}

// Whether the algorithm runs loops as the program has them, so that traces of it may have any number of rounds.
bool cuts_no_loop(std::string_view algorithm) {
  const AlgorithmInfo* const info = find_algorithm_info(algorithm);
  return info != nullptr && info->runs_endless;
}

}  // namespace

std::optional<UsageError> overwritten_file(const Artefacts& files, const Program& program,
                                           std::vector<std::string> inputs) {
  for (std::string& file : files_of(program)) inputs.push_back(std::move(file));
  return overwritten_file({{"--trace", files.trace},
                           {"--dot", files.dot},
                           {"--html", files.html},
                           {"--mermaid", files.mermaid},
                           {"--sarif", files.sarif},
                           {"--coverage-lcov", files.lcov},
                           {"--checkpoint", files.checkpoint}},
                          inputs);
}

std::optional<Shown> shown_execution(const CheckResult& result, const Options& options) {
  const bool asked = options.witness > 0 && !result.witnesses.empty();
  if (result.violation && !asked) {
    const Violation& violation = *result.violation;
    return Shown{.message = violation.message,
                 .line = violation.line,
                 .trace = violation.trace,
                 .cycle = violation.cycle};
  }
  if (result.witnesses.empty()) return std::nullopt;
  const Witness& witness = result.witnesses.front();
  return Shown{
      .message = witness_message(witness), .line = witness.line, .trace = witness.trace, .witness = &witness};
}

TraceView view_of(const Program& program, const Trace& trace, const std::string& model,
                  const Options& options, std::optional<TraceDetails>& details) {
  // (A file of the user's in a folder of this name makes no difference.)
  const bool calls_library = std::any_of(trace.steps.begin(), trace.steps.end(),
                                         [](const Step& step) { return step.file.starts_with("std/"); });
  if (calls_library || options.layout.locals || has_atomic_blocks(program)) {
    details = details_of(program, trace,
                         {.model = model,
                          .buffer_bound = options.check.buffer_bound,
                          .resume_after_assert = options.check.keep_going || options.check.robust});
  } else {
    details.emplace().structs = struct_names(program);
  }
  return {.details = &*details,
          .unfold = options.layout.unfold,
          .locals = options.layout.locals,
          .chart = options.layout.chart};
}

bool write_artefacts(const Program& program, const CheckResult& result, const Options& options,
                     const std::vector<LintWarning>& warnings) {
  const Artefacts& files = options.artefacts;
  bool good = files.sarif.empty() || write(files.sarif, sarif(program, result, warnings));
  if (!files.lcov.empty()) good = write(files.lcov, coverage_lcov(program, result)) && good;
  const auto shown = shown_execution(result, options);
  if (!shown) {
    for (const std::string& file : {files.trace, files.dot, files.html, files.mermaid}) {
      if (!file.empty())
        write_error(fmt::format("heddle: no violation{}, so {} is not written\n",
                                result.conditions.empty() ? "" : " and no witness", clean(file)));
    }
    return good;
  }
  if (!files.trace.empty()) {
    SavedTrace saved{.file = program.name(),
                     .fingerprint = program.fingerprint(),
                     .parameters = program.parameters(),
                     .unroll = cuts_no_loop(result.algorithm) ? std::numeric_limits<std::uint32_t>::max()
                                                              : options.compile.unroll,
                     .unroll_spin_loops = options.compile.unroll_spin_loops,
                     // (The question of robustness passes over assertions that fail.)
                     .keep_going = options.check.keep_going || options.check.robust,
                     .model = result.model_of_traces(),
                     .algorithm = result.algorithm,
                     .buffer_bound = options.check.buffer_bound,
                     .violation = {},
                     .witness = {}};
    if (shown->witness != nullptr) {
      saved.witness = *shown->witness;
    } else {
      saved.violation = *result.violation;
    }
    good = write(files.trace, trace_json(saved)) && good;
  }
  if (!files.mermaid.empty()) {
    std::optional<TraceDetails> details;
    const TraceView view = view_of(program, shown->trace, result.model_of_traces(), options, details);
    good =
        write(files.mermaid, mermaid_diagram(*shown, result.model_of_traces(), view, program.name())) && good;
  }
  if (files.dot.empty() && files.html.empty()) return good;
  const auto graph = picture_graph(shown->trace);
  if (!files.dot.empty()) {
    const bool drawn =
        graph ? write(files.dot, dot_picture(*shown, result.model_of_traces(), *graph, program.name()))
              : complain("no graph: the trace reads values that it does not write");
    good = drawn && good;
  }
  if (!files.html.empty()) {
    good = write(files.html, html_page(program, result, *shown, options, graph ? &*graph : nullptr)) && good;
  }
  return good;
}

}  // namespace heddle::cli
