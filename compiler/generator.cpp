#include "compiler/generator.hpp"

#include <algorithm>

namespace heddle::compiler {
Generator::Generator(const lang::Program& program, const Facts& facts, const ValueTypes& types,
                     SiteTable& sites, const Options& options)
    : program_(program),
      facts_(facts),
      types_(types),
      sites_(sites),
      options_(options),
      has_probes_(std::ranges::none_of(program.variables, &lang::Variable::is_plain)),
      updated_(program.variables.size(), false),
      overwritten_(program.variables.size(), false),
      loaded_(program.variables.size(), false) {}

Generator::Result Generator::generate(llvm::Module& module, const std::string& name, const lang::Body& body,
                                      bool argument, std::uint32_t end, bool run_ahead, bool endless) {
  Result result;
  Scope thread{.body = &body, .bindings = std::vector<Binding>(body.locals.size()), .loops = {}};
  run_ahead_ = run_ahead;
  endless_ = endless;
  mask_ = nullptr;
  writes_ = false;
  const std::uint32_t size_of_local = run_ahead ? 2 : 1;
  const std::uint32_t first =
      run_ahead ? static_cast<std::uint32_t>(sizeof(Dependencies) / sizeof(std::uint64_t)) : 0;
  std::uint32_t permanent = first;
  for (std::size_t local = 0; local < body.locals.size(); ++local) {
    const lang::Local& declared = body.locals[local];
    if (!declared.top_level && !(argument && local == 0)) continue;
    thread.bindings[local].slot = permanent;
    for (std::uint32_t i = 0; i < declared.length; ++i) {
      if (!declared.top_level) continue;
      result.locals.push_back({lang::element_name(declared.name, declared.is_array, declared.elements, i),
                               Frame::offset(permanent + i), types_.of(declared.type),
                               run_ahead ? Frame::offset(permanent + declared.length + i) : 0});
    }
    permanent += declared.length * size_of_local;
  }
  const Size size = facts_.size(body);
  counts_rounds_ = size.rounds > silent_rounds;
  if (counts_rounds_) ++permanent;
  thread.top = permanent;

  const bool machine = size.operations > options_.coroutine_operations;
  Frame frame(module, name, machine ? FrameForm::machine : FrameForm::coroutine, permanent,
              argument ? std::optional(first) : std::nullopt);
  if (counts_rounds_) frame.count_rounds(permanent - 1);
  frame_ = &frame;
  scope_ = &thread;
  restart_.reset();
  done_ = frame.block();
  block(body.statements);
  frame.jump(done_);
  if (frame.start_if_used(done_)) frame.stop({.op = Op::done, .site = end});
  std::vector<SlotRange> kept;
  std::vector<SlotRange> shown;
  for (lang::LocalId local = 0; local < body.locals.size(); ++local) {
    if (!body.locals[local].top_level) continue;
    shown.push_back(slots_of(local));
    if (local < named_.size() && named_[local]) kept.push_back(slots_of(local));
  }
  result.writes = writes_;
  result.start = frame.finish(std::move(kept), std::move(shown), options_.clear_dead);
  frame_ = nullptr;
  scope_ = nullptr;
  restart_.reset();
  return result;
}

// Gives the local its value from the declaration on. Allocates a slot only if needed.
void Generator::bind(Scope& scope, lang::LocalId local, llvm::Value* value) {
  Binding& binding = scope.bindings[local];
  const bool permanent = scope.leave == nullptr && scope.body->locals[local].top_level;
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  binding.constant = constant != nullptr && !facts_.assigned(*scope.body, local) ? constant : nullptr;
  if (!permanent) {
    binding.slot.reset();
    if (binding.constant != nullptr) return;
    binding.slot = allocate();
  }
  store_masked(*binding.slot, value);
}

// A local that is an alias of another shares its slot if neither is ever assigned: the other one lives
// longer.
std::optional<Generator::Binding> Generator::share(const lang::Body& body, lang::LocalId local,
                                                   const lang::Expression& initial) {
  if (initial.kind != lang::ExpressionKind::local || !initial.operands.empty()) return std::nullopt;
  if (facts_.assigned(body, local) || facts_.assigned(*scope().body, initial.id)) return std::nullopt;
  return scope().bindings[initial.id];
}

void Generator::declare(lang::LocalId local, const lang::Expression& initial) {
  const bool permanent = scope().leave == nullptr && scope().body->locals[local].top_level;
  if (!permanent) {
    if (const auto shared = share(*scope().body, local, initial)) {
      scope().bindings[local] = *shared;
      return;
    }
  }
  bind(scope(), local, value(initial));
}

// One value for all elements, or one per element, evaluated in order.
void Generator::declare_array(lang::LocalId local, std::span<const lang::Expression> values) {
  const lang::Local& declared = scope().body->locals[local];
  Binding& binding = scope().bindings[local];
  if (!(scope().leave == nullptr && declared.top_level)) {
    binding.slot = allocate();
    for (std::uint32_t i = 1; i < declared.length; ++i) (void)allocate();
  }
  llvm::Value* initial = nullptr;
  for (std::uint32_t i = 0; i < declared.length; ++i) {
    if (i < values.size()) initial = value(values[i]);
    frame_->store(*binding.slot + i, initial);
    if (run_ahead_) frame_->store(*binding.slot + declared.length + i, mask_or_none(mask_));
  }
}

}  // namespace heddle::compiler
