// Program: text -> tree -> module -> machine code, with every error as a value.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "checker/api/state.hpp"
#include "compiler/lower.hpp"
#include "jit/load.hpp"
#include "lang/frontend.hpp"

namespace heddle {

namespace {

constexpr std::size_t largest_source = std::size_t{16} << 20;

Diagnostic about_file(const std::string& file, std::string message) {
  Diagnostic diagnostic;
  diagnostic.file = file;
  diagnostic.text = fmt::format("{}: error: {}\n", file, message);
  diagnostic.message = std::move(message);
  return diagnostic;
}

std::vector<Expectation> convert(const std::vector<lang::Expectation>& expectations,
                                 const lang::SourceMap& sources) {
  std::vector<Expectation> result;
  for (const auto& expectation : expectations) {
    result.push_back({.models = expectation.models,
                      .algorithms = expectation.algorithms,
                      .parameters = {expectation.parameters.begin(), expectation.parameters.end()},
                      .outcome = static_cast<ExpectedOutcome>(expectation.outcome),
                      .text = expectation.text,
                      .count = expectation.count,
                      .line = sources.locate(expectation.range.file, expectation.range.begin).line,
                      .source = std::string(sources.text(expectation.range))});
  }
  return result;
}

using FileText = lang::ModuleText;

// A readable, regular file of bearable size, or what is wrong with it.
FileText read_file(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {.text = {}, .error = std::strerror(errno)};
  if (S_ISDIR(status.st_mode)) return {.text = {}, .error = "is a directory"};
  if (!S_ISREG(status.st_mode)) return {.text = {}, .error = "is not a regular file"};
  if (static_cast<std::uint64_t>(status.st_size) > largest_source) {
    return {.text = {}, .error = "the file is larger than 16 MiB"};
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return {.text = {}, .error = std::strerror(errno)};
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad() || (status.st_size > 0 && text.str().empty())) return {.text = {}, .error = "cannot be read"};
  return {.text = text.str(), .error = {}};
}

}  // namespace

std::vector<Diagnostic> convert_diagnostics(const lang::Diagnostics& diagnostics,
                                            const lang::SourceMap& sources) {
  std::vector<Diagnostic> result;
  for (const auto& error : diagnostics.errors()) {
    const auto place = sources.locate(error.range.file, error.range.begin);
    result.push_back({.file = sources.name(error.range.file),
                      .line = place.line,
                      .column = place.column,
                      .message = error.message,
                      .hint = error.hint,
                      .text = lang::render(error, sources)});
  }
  if (diagnostics.dropped() > 0) {
    result.push_back(about_file(sources.name(0), fmt::format("{} more errors", diagnostics.dropped())));
  }
  return result;
}

Result<Program> Program::from_source(std::string_view text, std::string name, const CompileOptions& options) {
  if (text.size() > largest_source) return std::vector{about_file(name, "the file is larger than 16 MiB")};
  lang::SourceMap sources;
  const auto file = sources.add(std::move(name), std::string(text));
  lang::Diagnostics diagnostics;
  auto program = lang::parse_program(sources, file, options.parameters, diagnostics,
                                     {.loader = read_file, .spin_await = !options.unroll_spin_loops});
  if (!program) return convert_diagnostics(diagnostics, sources);

  auto lowered = compiler::lower(*program, sources, {.unroll = options.unroll, .optimise = options.optimise});
  auto state = std::make_shared<State>();
  state->name = sources.name(file);
  for (const auto& parameter : program->parameters) state->parameters[parameter.name] = parameter.value;
  state->spin_loops = program->spin_loops;
  state->expectations = convert(program->expectations, sources);
  if (options.keep_ir) state->ir = compiler::print_ir(*lowered);
  auto loaded = jit::load(std::move(lowered));
  if (const auto* message = std::get_if<std::string>(&loaded))
    return std::vector{about_file(state->name, *message)};
  state->image = std::get<std::shared_ptr<const jit::Image>>(std::move(loaded));
  state->sources = std::move(sources);
  state->tree = std::move(*program);
  return Program(std::move(state));
}

Result<Program> Program::from_file(const std::string& path, const CompileOptions& options) {
  FileText file = read_file(path);
  if (!file.text) return std::vector{about_file(path, std::move(file.error))};
  return from_source(*file.text, path, options);
}

const std::string& Program::name() const { return state_->name; }
const Parameters& Program::parameters() const { return state_->parameters; }
const std::vector<Expectation>& Program::expectations() const { return state_->expectations; }
// FNV-1a.
std::string Program::fingerprint() const {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : state_->sources.text(0)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}
const std::string& Program::llvm_ir() const { return state_->ir; }

std::uint32_t Program::spin_loops() const { return state_->spin_loops; }

std::vector<std::string> Program::threads() const {
  std::vector<std::string> names;
  for (const auto& thread : state_->image->threads) names.push_back(thread.name);
  return names;
}

std::vector<std::string> Program::variables() const {
  std::vector<std::string> names;
  for (const auto& location : state_->image->locations) {
    if (!location.is_mutex) names.push_back(location.name);
  }
  for (const auto& thread : state_->image->threads) {
    for (const auto& local : thread.locals) names.push_back(thread.name + "." + local.name);
  }
  return names;
}

}  // namespace heddle
