// Program and ProgramText: text -> tree -> module -> machine code, with every error as a value.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "checker/api/sources.hpp"
#include "checker/api/state.hpp"
#include "checker/registry.hpp"
#include "compiler/lower.hpp"
#include "compiler/retry_loops.hpp"
#include "compiler/sites.hpp"
#include "compiler/update_pairs.hpp"
#include "compiler/waiting_updates.hpp"
#include "heddle/variants.h"
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

// LLVM does not survive running out of memory: its half-made objects can be neither used nor destroyed. So
// this checks beforehand that there is room for programs of this size; throws std::bad_alloc if there is
// none.
void ask_for_room(const std::vector<compiler::Variant>& variants) {
  constexpr std::size_t least = 8 << 20, for_each_byte = 700, most = 512 << 20;  // measured, rounded up
  std::size_t length = 0;
  for (const compiler::Variant& variant : variants) {
    for (std::uint32_t file = 0; file < variant.sources->size(); ++file)
      length += variant.sources->text(file).size();
  }
  ::operator delete(::operator new(std::min(most, least + for_each_byte * length)));
}

// As compiler::lower, but a fault of the compiler is an error like others, so that an embedding program lives
// on.
std::variant<compiler::LoweredProgramsPointer, std::string> lowered_programs(
    const std::vector<compiler::Variant>& variants, const compiler::Options& options) {
  ask_for_room(variants);
  try {
    return compiler::lower(variants, options);
  } catch (const std::logic_error& error) {
    return fmt::format("internal error: {}: a bug in heddle, please report it", error.what());
  }
}

// In the order of the text.
std::vector<ProgramAccess::State::RetryLoop> retry_loops_of(const lang::Program& tree) {
  // A data race may be between an access of an idle round and one that depends on what the thread does after it.
  if (std::ranges::any_of(tree.variables, &lang::Variable::is_plain)) return {};
  const auto loops = compiler::retry_loops(tree);
  std::unordered_set<const lang::Statement*> retrying(loops.begin(), loops.end()), waiting, ahead;
  // (A loop that changes something once its update has succeeded is a retry loop only if this is one of a pair.)
  for (const auto& [first, pair] : compiler::update_pairs(tree)) {
    retrying.insert(pair.loop);
    waiting.insert(pair.loop);
    if (pair.ahead) ahead.insert(pair.loop);
  }
  if (!loops.empty()) {
    for (const auto& [first, update] : compiler::waiting_updates(tree)) {
      waiting.insert(update.loop);
      ahead.insert(update.loop);
    }
  }
  std::vector<ProgramAccess::State::RetryLoop> result;
  for (const lang::Statement* loop : retrying)
    result.push_back({loop->range, waiting.contains(loop), ahead.contains(loop)});
  std::ranges::sort(result, {},
                    [](const auto& loop) { return std::pair(loop.range.file, loop.range.begin); });
  return result;
}

lang::FrontendOptions front_end_of(const CompileOptions& options) {
  auto result = front_end_options();
  result.spin_await = !options.unroll_spin_loops;
  return result;
}

}  // namespace

// All but the images. `tree` may have become one without an error only.
std::shared_ptr<Program::State> Program::State::make(lang::Program tree, lang::SourceMap sources,
                                                     const CompileOptions& options, bool run_ahead,
                                                     std::vector<std::string> structs) {
  auto state = std::make_shared<State>();
  state->structs = std::move(structs);
  state->options = {.unroll = options.unroll, .run_ahead = run_ahead, .optimise = options.optimise};
  // Checking a litmus test takes less time than the coroutine passes.
  if (tree.litmus) state->options.coroutine_operations = 0;
  state->name = sources.name(0);
  for (const auto& parameter : tree.parameters) state->parameters[parameter.name] = parameter.value;
  state->spin_loops = tree.spin_loops;
  state->unroll_spin_loops = options.unroll_spin_loops;
  if (!options.unroll_spin_loops) state->retry_loops = retry_loops_of(tree);
  state->expectations = convert(tree.expectations, sources);
  if (tree.litmus) {
    state->litmus = LitmusTest{
        tree.litmus->name, static_cast<LitmusKind>(tree.litmus->kind),
        compiler::fold_text(sources.text(tree.litmus->condition), std::numeric_limits<std::size_t>::max())};
  }
  state->sources = std::move(sources);
  state->tree = std::move(tree);
  return state;
}

// Compiles the programs, which result from one text, in one module. Returns an error message if that fails;
// `ir` receives the text of the module if it is not null.
std::string Program::State::compile(const std::vector<State*>& states, bool run_ahead, std::string* ir) {
  compiler::Options form = states.front()->options;
  form.run_ahead = form.lock_blocks = run_ahead;
  std::vector<compiler::Variant> variants;
  for (const State* state : states) variants.push_back({.program = &state->tree, .sources = &state->sources});
  auto compiled = lowered_programs(variants, form);
  if (auto* const message = std::get_if<std::string>(&compiled)) return std::move(*message);
  auto lowered = std::get<compiler::LoweredProgramsPointer>(std::move(compiled));
  if (ir != nullptr) *ir = compiler::print_ir(*lowered);
  auto loaded = jit::load(std::move(lowered));
  if (auto* const message = std::get_if<std::string>(&loaded)) return std::move(*message);
  const auto& images = std::get<jit::Images>(loaded);
  for (std::size_t i = 0; i < states.size(); ++i) {
    states[i]->slot(run_ahead, Loops::bounded, Blocks::steps) = images[i];
  }
  return {};
}

Result<Program> compile_source(std::string_view text, std::string name, const CompileOptions& options,
                               lang::ModuleLoader imports) {
  using State = ProgramAccess::State;
  if (text.size() > largest_source) return std::vector{about_file(name, "the file is larger than 16 MiB")};
  lang::SourceMap sources;
  const auto file = sources.add(std::move(name), std::string(text));
  lang::Diagnostics diagnostics;
  auto front_end = front_end_of(options);
  if (imports) front_end.loader = std::move(imports);
  std::vector<std::string> structs;
  front_end.structs = &structs;
  auto tree = lang::parse_source(sources, file, options.parameters, diagnostics, front_end);
  if (!tree) return convert_diagnostics(diagnostics, sources);
  const bool run_ahead = checker::runs_ahead(options.model);
  auto state = State::make(std::move(*tree), std::move(sources), options, run_ahead, std::move(structs));
  const std::string error = State::compile({state.get()}, run_ahead, options.keep_ir ? &state->ir : nullptr);
  if (!error.empty()) return std::vector{about_file(state->name, error)};
  return ProgramAccess::program_of(std::move(state));
}

Result<Program> Program::from_source(std::string_view text, std::string name, const CompileOptions& options) {
  return compile_source(text, std::move(name), options, {});
}

compiler::Options Program::State::form(bool run_ahead, Loops loops, Blocks blocks) const {
  compiler::Options result = options;
  result.run_ahead = run_ahead;
  result.lock_blocks = run_ahead || blocks == Blocks::sections;
  result.endless = loops == Loops::endless || loops == Loops::merging;
  result.clear_dead = loops == Loops::merging;
  result.end_idle = loops == Loops::retrying;
  return result;
}

const std::shared_ptr<const compiler::Image>& Program::State::image(bool run_ahead, Loops loops,
                                                                    Blocks blocks) const {
  const std::lock_guard lock(making_);
  const bool nothing_to_do = run_ahead ? waiting_loops(true).empty() : retry_loops.empty();
  if (loops == Loops::retrying && nothing_to_do) loops = Loops::bounded;
  auto& image = slot(run_ahead, loops, blocks);
  if (!image) image = make_image(form(run_ahead, loops, blocks)).image;
  return image;
}

std::vector<std::uint32_t> Program::State::waiting_loops(bool run_ahead) const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < retry_loops.size(); ++i) {
    if (run_ahead ? retry_loops[i].waits_ahead : retry_loops[i].waits) result.push_back(i);
  }
  return result;
}

Program::State::Instrumented Program::State::instrumented(bool run_ahead, Loops loops, Blocks blocks) const {
  compiler::Options result = form(run_ahead, loops, blocks);
  result.coverage = true;
  return make_image(result);
}

Program::State::Instrumented Program::State::traced(bool run_ahead, bool waits_at_loops) const {
  compiler::Options result =
      form(run_ahead, waits_at_loops ? Loops::retrying : Loops::bounded, Blocks::steps);
  result.unroll = std::numeric_limits<std::uint32_t>::max();
  result.calls = true;
  return make_image(result);
}

Program::State::Instrumented Program::State::make_image(const compiler::Options& form) const {
  auto compiled = lowered_programs({{.program = &tree, .sources = &sources}}, form);
  if (const auto* const error = std::get_if<std::string>(&compiled)) throw std::runtime_error(*error);
  auto& lowered = std::get<compiler::LoweredProgramsPointer>(compiled);
  Instrumented result{.image = nullptr,
                      .points = compiler::coverage_points(*lowered),
                      .repeated = compiler::repeated_sites(*lowered)};
  auto loaded = jit::load(std::move(lowered));
  if (auto* const error = std::get_if<std::string>(&loaded)) throw std::runtime_error(*error);
  result.image = std::get<jit::Images>(loaded).front();
  return result;
}

Result<Program> Program::from_file(const std::string& path, const CompileOptions& options) {
  const Result<std::string> text = read_source(path);
  if (!text) return text.error();
  return from_source(*text, path, options);
}

struct ProgramText::State {
  lang::SourceMap sources;
  std::shared_ptr<const lang::ParsedModules>
      modules;  // null: a litmus test, which is parsed for each program
  CompileOptions options;

  // The tree with these params, and its sources.
  struct Resolved {
    lang::Program tree;
    lang::SourceMap sources;
    std::vector<std::string> structs;
  };
  [[nodiscard]] Result<Resolved> resolve(const Parameters& set) const {
    Parameters parameters = options.parameters;
    for (const auto& [name, value] : set) parameters[name] = value;
    Resolved result{{}, sources, {}};
    lang::Diagnostics diagnostics;
    auto front_end = front_end_of(options);
    front_end.structs = &result.structs;
    auto tree = modules == nullptr
                    ? lang::parse_source(result.sources, 0, parameters, diagnostics, front_end)
                    : lang::resolve_modules(*modules, result.sources, parameters, diagnostics, front_end);
    if (!tree) return convert_diagnostics(diagnostics, result.sources);
    result.tree = std::move(*tree);
    return result;
  }
};

Result<ProgramText> ProgramText::from_file(const std::string& path, const CompileOptions& options) {
  Result<std::string> text = read_source(path);
  if (!text) return text.error();
  auto state = std::make_shared<State>();
  state->options = options;
  const auto file = state->sources.add(path, std::move(*text));
  if (path.ends_with(".litmus")) return ProgramText(std::move(state));
  lang::Diagnostics diagnostics;
  state->modules = lang::parse_modules(state->sources, file, diagnostics, front_end_of(options));
  if (state->modules == nullptr) return convert_diagnostics(diagnostics, state->sources);
  return ProgramText(std::move(state));
}

std::vector<Result<Program>> ProgramText::compile(const std::vector<Parameters>& sets,
                                                  const std::vector<std::string>& models) const {
  const CompileOptions& options = state_->options;
  bool forms[2] = {false, false};  // by `run_ahead`
  for (const std::string& model : models) forms[checker::runs_ahead(model) ? 1 : 0] = true;
  if (models.empty()) forms[checker::runs_ahead(options.model) ? 1 : 0] = true;

  std::vector<Result<Program>> results;
  std::vector<std::size_t> good;
  std::vector<std::shared_ptr<ProgramAccess::State>> states;
  for (const Parameters& set : sets) {
    auto resolved = state_->resolve(set);
    if (!resolved) {
      results.emplace_back(resolved.error());
      continue;
    }
    auto state = ProgramAccess::State::make(std::move(resolved->tree), std::move(resolved->sources), options,
                                            !forms[0], std::move(resolved->structs));
    good.push_back(results.size());
    states.push_back(state);
    results.emplace_back(ProgramAccess::program_of(std::move(state)));
  }
  if (states.empty()) return results;
  // The text of a module that several programs share would not be that of one.
  const std::size_t together = options.keep_ir ? 1 : states.size();
  for (std::size_t begin = 0; begin < states.size(); begin += together) {
    std::vector<ProgramAccess::State*> batch;
    for (std::size_t i = begin; i < begin + together; ++i) batch.push_back(states[i].get());
    std::string error;
    for (const bool run_ahead : {false, true}) {
      if (!forms[run_ahead ? 1 : 0] || !error.empty()) continue;
      error = ProgramAccess::State::compile(batch, run_ahead, options.keep_ir ? &batch.front()->ir : nullptr);
    }
    if (error.empty()) continue;
    for (std::size_t i = begin; i < begin + together; ++i)
      results[good[i]] = std::vector{about_file(states[i]->name, error)};
  }
  return results;
}

std::vector<std::string> ProgramText::files() const {
  std::vector<std::string> names;
  for (std::uint32_t file = 0; file < state_->sources.size(); ++file) {
    if (!state_->sources.built_in(file)) names.push_back(state_->sources.name(file));
  }
  return names;
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

std::vector<RetryLoop> Program::retry_loops() const {
  std::vector<RetryLoop> loops;
  for (const auto& [range, waits, ahead] : state_->retry_loops) {
    const auto [line, column] = state_->sources.locate(range.file, range.begin);
    loops.push_back(
        {state_->sources.name(range.file), line, column,
         compiler::fold_text(state_->sources.text(range), std::numeric_limits<std::size_t>::max())});
  }
  return loops;
}

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

Program with_tree(const Program& program, lang::Program tree) {
  const ProgramAccess::State& from = state_of(program);
  auto state = std::make_shared<ProgramAccess::State>();
  state->name = from.name;
  state->parameters = from.parameters;
  state->sources = from.sources;
  state->options = from.options;
  state->options.run_ahead = false;
  state->unroll_spin_loops = from.unroll_spin_loops;
  if (!from.unroll_spin_loops) state->retry_loops = retry_loops_of(tree);
  state->tree = std::move(tree);
  return ProgramAccess::program_of(std::move(state));
}

}  // namespace heddle
