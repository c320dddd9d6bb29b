// Program: text -> tree -> module -> machine code, with every error as a value.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "checker/api/sources.hpp"
#include "checker/api/state.hpp"
#include "compiler/lower.hpp"
#include "compiler/sites.hpp"
#include "jit/load.hpp"
#include "lang/frontend.hpp"

namespace heddle {

namespace {

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

// True if the model needs threads that run ahead of their loads.
bool runs_ahead(const std::string& model) {
  return std::any_of(models().begin(), models().end(),
                     [&](const ModelInfo& info) { return info.name == model && info.out_of_order; });
}

// LLVM does not survive running out of memory: its half-made objects can be neither used nor destroyed. So
// this checks beforehand that there is room for a program of this size; throws std::bad_alloc if there is
// none.
void ask_for_room(const lang::SourceMap& sources) {
  constexpr std::size_t least = 8 << 20, for_each_byte = 700, most = 512 << 20;  // measured, rounded up
  std::size_t length = 0;
  for (std::uint32_t file = 0; file < sources.size(); ++file) length += sources.text(file).size();
  ::operator delete(::operator new(std::min(most, least + for_each_byte * length)));
}

// As compiler::lower, but a fault of the compiler is an error like others, so that an embedding program lives
// on.
std::variant<compiler::LoweredProgramPointer, std::string> lowered_program(const lang::Program& program,
                                                                           const lang::SourceMap& sources,
                                                                           const compiler::Options& options) {
  ask_for_room(sources);
  try {
    return compiler::lower(program, sources, options);
  } catch (const std::logic_error& error) {
    return fmt::format("internal error: {}: a bug in heddle, please report it", error.what());
  }
}

}  // namespace

Result<Program> Program::from_source(std::string_view text, std::string name, const CompileOptions& options) {
  if (text.size() > largest_source) return std::vector{about_file(name, "the file is larger than 16 MiB")};
  lang::SourceMap sources;
  const auto file = sources.add(std::move(name), std::string(text));
  lang::Diagnostics diagnostics;
  auto front_end = front_end_options();
  front_end.spin_await = !options.unroll_spin_loops;
  auto program = lang::parse_source(sources, file, options.parameters, diagnostics, front_end);
  if (!program) return convert_diagnostics(diagnostics, sources);

  auto state = std::make_shared<State>();
  state->options = {
      .unroll = options.unroll, .run_ahead = runs_ahead(options.model), .optimise = options.optimise};
  // Checking a litmus test takes less time than the coroutine passes.
  if (program->litmus) state->options.coroutine_operations = 0;
  state->name = sources.name(file);
  auto compiled = lowered_program(*program, sources, state->options);
  if (const auto* const message = std::get_if<std::string>(&compiled))
    return std::vector{about_file(state->name, *message)};
  auto lowered = std::get<compiler::LoweredProgramPointer>(std::move(compiled));
  for (const auto& parameter : program->parameters) state->parameters[parameter.name] = parameter.value;
  state->spin_loops = program->spin_loops;
  state->unroll_spin_loops = options.unroll_spin_loops;
  state->expectations = convert(program->expectations, sources);
  if (program->litmus) {
    state->litmus = LitmusTest{program->litmus->name, static_cast<LitmusKind>(program->litmus->kind),
                               compiler::fold_text(sources.text(program->litmus->condition),
                                                   std::numeric_limits<std::size_t>::max())};
  }
  if (options.keep_ir) state->ir = compiler::print_ir(*lowered);
  auto loaded = jit::load(std::move(lowered));
  if (const auto* message = std::get_if<std::string>(&loaded))
    return std::vector{about_file(state->name, *message)};
  state->images_[state->options.run_ahead ? 1 : 0] =
      std::get<std::shared_ptr<const compiler::Image>>(std::move(loaded));
  state->sources = std::move(sources);
  state->tree = std::move(*program);
  return Program(std::move(state));
}

const std::shared_ptr<const compiler::Image>& Program::State::image(bool run_ahead) const {
  const std::lock_guard lock(making_);
  auto& image = images_[run_ahead ? 1 : 0];
  if (!image) {
    compiler::Options form = options;
    form.run_ahead = run_ahead;
    image = make_image(form).image;
  }
  return image;
}

Program::State::Instrumented Program::State::instrumented(bool run_ahead) const {
  compiler::Options form = options;
  form.run_ahead = run_ahead;
  form.coverage = true;
  return make_image(form);
}

Program::State::Instrumented Program::State::make_image(const compiler::Options& form) const {
  auto compiled = lowered_program(tree, sources, form);
  if (const auto* const error = std::get_if<std::string>(&compiled)) throw std::runtime_error(*error);
  auto& lowered = std::get<compiler::LoweredProgramPointer>(compiled);
  Instrumented result{.image = nullptr, .points = compiler::coverage_points(*lowered)};
  auto loaded = jit::load(std::move(lowered));
  if (auto* const error = std::get_if<std::string>(&loaded)) throw std::runtime_error(*error);
  result.image = std::get<std::shared_ptr<const compiler::Image>>(std::move(loaded));
  return result;
}

Result<Program> Program::from_file(const std::string& path, const CompileOptions& options) {
  const Result<std::string> text = read_source(path);
  if (!text) return text.error();
  return from_source(*text, path, options);
}

const std::string& Program::name() const { return state_->name; }
const Parameters& Program::parameters() const { return state_->parameters; }
const std::vector<Expectation>& Program::expectations() const { return state_->expectations; }
const std::optional<LitmusTest>& Program::litmus() const { return state_->litmus; }
// FNV-1a of all files, separated by a byte that no source text contains.
std::string Program::fingerprint() const {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3; };
  for (std::uint32_t file = 0; file < state_->sources.size(); ++file) {
    if (file > 0) add(0xff);
    for (const char c : state_->sources.text(file)) add(static_cast<unsigned char>(c));
  }
  return fmt::format("{:016x}", hash);
}
const std::string& Program::llvm_ir() const { return state_->ir; }

std::uint32_t Program::spin_loops() const { return state_->spin_loops; }

std::vector<std::string> Program::threads() const {
  std::vector<std::string> names;
  for (const auto& thread : state_->any_image().threads) names.push_back(thread.name);
  return names;
}

std::vector<std::string> Program::variables() const {
  std::vector<std::string> names;
  if (state_->any_image().observed) {
    for (const auto& observed : *state_->any_image().observed) names.push_back(observed.name);
    return names;
  }
  for (const auto& location : state_->any_image().locations) {
    if (!location.is_mutex) names.push_back(location.name);
  }
  for (const auto& thread : state_->any_image().threads) {
    for (const auto& local : thread.locals) names.push_back(thread.name + "." + local.name);
  }
  return names;
}

}  // namespace heddle
