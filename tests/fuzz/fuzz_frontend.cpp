// libFuzzer target: any bytes are sent through the front end. It must not crash, must not run long, must
// either accept or explain, and every explanation must be printable. `./dev fuzz` builds and runs it;
// tests/fuzz/corpus holds seeds, and what it has found lives on in tests/bad.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "lang/frontend.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::lang;  // NOLINT(google-build-using-namespace): one function
  // A litmus test begins with the name of an architecture, a program never with one.
  const std::string text(reinterpret_cast<const char*>(data), size);
  const bool is_litmus = text.starts_with("PPC") || text.starts_with("X86") || text.starts_with("C ");
  SourceMap sources;
  const std::uint32_t file = sources.add(is_litmus ? "fuzz.litmus" : "fuzz.hed", text);
  Diagnostics diagnostics;
  const std::optional<Program> program = parse_source(sources, file, {}, diagnostics);
  if (program.has_value() == diagnostics.any()) std::abort();
  for (const Diagnostic& error : diagnostics.errors()) {
    const std::string shown = render(error, sources);
    if (shown.empty() || shown.back() != '\n' || shown.find('\0') != std::string::npos) std::abort();
  }
  return 0;
}
