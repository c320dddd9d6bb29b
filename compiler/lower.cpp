#include "compiler/lower.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/FunctionComparator.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "compiler/conditions.hpp"
#include "compiler/facts.hpp"
#include "compiler/generator.hpp"
#include "compiler/module.hpp"
#include "compiler/retry_loops.hpp"
#include "compiler/revertible.hpp"
#include "compiler/sites.hpp"
#include "compiler/value_types.hpp"

namespace heddle::compiler {
namespace {

// The module that programs are lowered to, with the sites and functions that they share.
class Batch {
 public:
  Batch() : programs_(new LoweredPrograms) {
    programs_->context = std::make_unique<llvm::LLVMContext>();
    programs_->module = std::make_unique<llvm::Module>("heddle", *programs_->context);
    programs_->module->setDataLayout(
        "e-i64:64");  // until the loader sets the target's; needed for the alignment of i64
    programs_->optimise = true;
  }

  [[nodiscard]] LoweredPrograms& programs() { return *programs_; }
  [[nodiscard]] llvm::Module& module() { return *programs_->module; }
  [[nodiscard]] SiteTable& sites() { return sites_; }

  // The function's number in the table. If the module already has an equal one, that one stays.
  std::uint32_t add(const std::string& name, llvm::Function* function) {
    std::vector<std::uint32_t>& alike = by_name_[name];
    for (const std::uint32_t number : alike) {
      if (llvm::FunctionComparator(functions_[number], function, &globals_).compare() != 0) continue;
      function->eraseFromParent();
      return number;
    }
    const auto number = static_cast<std::uint32_t>(functions_.size());
    alike.push_back(number);
    functions_.push_back(function);
    programs_->functions.push_back(function->getName().str());
    return number;
  }

  LoweredProgramsPointer finish() {
    auto* type = llvm::ArrayType::get(llvm::PointerType::getUnqual(*programs_->context), functions_.size());
    const std::vector<llvm::Constant*> entries(functions_.begin(), functions_.end());
    new llvm::GlobalVariable(*programs_->module, type, true, llvm::GlobalValue::ExternalLinkage,
                             llvm::ConstantArray::get(type, entries), table_name);
    std::string message;
    llvm::raw_string_ostream stream(message);
    if (llvm::verifyModule(*programs_->module, &stream))
      throw std::logic_error("invalid code: " + message.substr(0, message.find('\n')));
    return std::move(programs_);
  }

 private:
  LoweredProgramsPointer programs_;
  SiteTable sites_;
  std::vector<llvm::Function*> functions_;
  std::map<std::string, std::vector<std::uint32_t>> by_name_;
  llvm::GlobalNumberState globals_;
};

// One program.
class Lowering {
 public:
  Lowering(const Variant& variant, const Options& options, Batch& batch)
      : program_(*variant.program),
        batch_(batch),
        facts_(program_, options.endless ? std::numeric_limits<std::uint32_t>::max() : options.unroll),
        types_(program_),
        sites_(batch.sites()),
        generator_(program_, facts_, types_, sites_, options),
        run_ahead_(options.run_ahead),
        endless_(options.endless),
        locks_blocks_(options.lock_blocks),
        result_(batch.programs().parts.emplace_back()) {
    sites_.use(*variant.sources);
    calls_ = options.calls;
    if (calls_) sites_.distinguish_calls();
    if (options.coverage) {
      auto& counters = *(result_.image.coverage = std::make_shared<Coverage>());
      counters.counts.resize(points_.emplace(program_, sites_).size());
      generator_.count_into(counters, *points_);
    }
    if (options.end_idle) {
      if (!options.coverage) {
        waiting_updates_ = waiting_updates(program_);
        update_pairs_ = update_pairs(program_);
      }
      if (options.run_ahead) {
        std::erase_if(update_pairs_, [](const auto& it) { return !it.second.ahead; });
      } else {
        find_retries();
      }
      result_.image.waiting_loops =
          static_cast<std::uint32_t>(waiting_updates_.size() + update_pairs_.size());
    }
    batch.programs().optimise = batch.programs().optimise && options.optimise && optimisable();
  }

  void run() {
    find_named();
    locations();
    threads();
    block_mutex();
    chains();
    if (program_.final_block) final_block();
    conditions();
    twins();
    if (points_) result_.coverage_points = points_->take();
    result_.image.sites = sites_.all();
    if (calls_) result_.repeated_sites = sites_.repeated();
  }

 private:
  void find_retries() {
    const auto loops = retry_loops(program_);
    retry_loops_ = {loops.begin(), loops.end()};
    revertible_ = revertible_variables(program_);
    std::vector<bool> revertible;
    for (const auto& comparisons : revertible_) revertible.push_back(comparisons != nullptr);
    generator_.set_revertible(std::move(revertible));
  }

  // O2 takes quadratic time in the size of a thread.
  [[nodiscard]] bool optimisable() const {
    constexpr std::uint64_t most_nodes = 4000;
    const auto small = [&](const lang::Body& body) { return facts_.size(body).nodes <= most_nodes; };
    return (!program_.final_block || small(*program_.final_block)) &&
           std::all_of(program_.templates.begin(), program_.templates.end(),
                       [&](const lang::ThreadTemplate& thread) { return small(thread.body); });
  }

  void locations() {
    for (const lang::Variable& variable : program_.variables) {
      for (std::uint32_t index = 0; index < variable.length; ++index) {
        LocationImage& location = result_.image.locations.emplace_back();
        location.name = lang::element_name(variable.name, variable.is_array, variable.elements, index);
        location.initial = variable.initial.empty() ? 0 : variable.initial[index];
        location.is_mutex = variable.is_mutex;
        location.type = types_.of(variable.type);
        location.is_plain = variable.is_plain;
      }
    }
  }

  // What threads do to locations, and whether they assume anything.
  void chains() {
    result_.image.assumes = generator_.assumes();
    std::uint32_t location = 0;
    for (std::uint32_t number = 0; number < program_.variables.size(); ++number) {
      for (std::uint32_t index = 0; index < program_.variables[number].length; ++index) {
        LocationImage& image = result_.image.locations[location++];
        image.is_chain = !generator_.overwritten()[number];
        image.is_loaded = generator_.loaded()[number];
        if (generator_.updated()[number]) image.revertible = revertible_[number];
      }
    }
  }

  // The location after all others.
  void block_mutex() {
    if (!generator_.has_sections()) return;
    Image& image = result_.image;
    image.block_mutex = static_cast<std::uint32_t>(image.locations.size());
    image.locations.push_back({.name = "atomic", .is_mutex = true, .is_chain = true});
  }

  // One function per template that has threads; these share it.
  void threads() {
    if (locks_blocks_) generator_.lock_blocks(static_cast<std::uint32_t>(result_.image.locations.size()));
    std::vector<std::optional<std::uint32_t>> functions(program_.templates.size());
    std::vector<Generator::Result> bodies(program_.templates.size());
    for (const lang::Thread& thread : program_.threads) {
      const std::uint32_t number = thread.thread_template;
      const lang::ThreadTemplate& code = program_.templates[number];
      if (!functions[number]) {
        if (code.is_daemon) {
          generator_.end_idle_rounds({}, {}, {});
        } else {
          generator_.end_idle_rounds(retry_loops_, waiting_updates_, update_pairs_);
        }
        generator_.set_named(named_locals_[number]);
        // (An argument that is not used would tell equal threads apart by their bytes.)
        const bool takes_argument = code.is_family && facts_.used(code.body, 0);
        bodies[number] =
            generator_.generate(batch_.module(), "thread." + code.name, code.body, takes_argument,
                                sites_.named(code.range, "end of thread " + code.name), run_ahead_, endless_);
        functions[number] = batch_.add("thread." + code.name, bodies[number].start);
      }
      ThreadImage& image = result_.image.threads.emplace_back();
      image.name = thread.name;
      image.argument = thread.argument;
      image.is_daemon = code.is_daemon;
      image.writes = bodies[number].writes;
      image.locals = bodies[number].locals;
      result_.thread_functions.push_back(*functions[number]);
    }
  }

  void final_block() {
    generator_.end_idle_rounds({}, {}, {});
    generator_.lock_blocks({});
    generator_.set_named({});
    const lang::Body& body = *program_.final_block;
    const lang::SourceRange place =
        body.statements.empty() ? lang::SourceRange{} : body.statements.back().range;
    auto code = generator_.generate(batch_.module(), "final", body, false,
                                    sites_.at({place.file, place.end, place.end}), false, false);
    result_.final_function = batch_.add("final", code.start);
    auto image = std::make_unique<ThreadImage>();
    image->name = "final";
    image->locals = std::move(code.locals);
    result_.image.final_block = std::move(image);
  }

  void conditions() {
    LocalOffsets offsets;
    for (std::size_t thread = 0; thread < program_.threads.size(); ++thread) {
      const lang::Body& body = program_.templates[program_.threads[thread].thread_template].body;
      auto& of_thread = offsets.emplace_back(body.locals.size());
      auto named = result_.image.threads[thread].locals.begin();
      for (std::size_t local = 0; local < body.locals.size(); ++local) {
        if (!body.locals[local].top_level) continue;
        of_thread[local] = named->offset;
        named += body.locals[local].length;
      }
    }
    for (const lang::Property& property : program_.properties) {
      if (property.kind == lang::PropertyKind::invariant) {
        invariant(property, offsets);
        continue;
      }
      if (is_temporal(property.kind)) {
        temporal(property, offsets);
        continue;
      }
      const std::string name = "condition." + std::to_string(result_.image.conditions.size());
      result_.condition_functions.push_back(
          batch_.add(name, generate_condition(batch_.module(), name, program_, property.condition, offsets)));
      ConditionImage& image = result_.image.conditions.emplace_back();
      image.kind = static_cast<ConditionKind>(property.kind);
      image.site = sites_.at(property.range);
      look_at(property.condition, image.locations, nullptr);
      sort_out(image.locations);
    }
    if (program_.litmus) observations(offsets);
  }

  void invariant(const lang::Property& property, const LocalOffsets& offsets) {
    const std::string name = "invariant." + std::to_string(result_.image.invariants.size());
    result_.invariant_functions.push_back(
        batch_.add(name, generate_condition(batch_.module(), name, program_, property.condition, offsets)));
    InvariantImage& image = result_.image.invariants.emplace_back();
    image.site = sites_.at(property.range);
    look_at(property.condition, image.locations, &image.threads);
    sort_out(image.locations);
    sort_out(image.threads);
  }
  static void sort_out(std::vector<std::uint32_t>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }
  void temporal(const lang::Property& property, const LocalOffsets& offsets) {
    const std::string name = "temporal." + std::to_string(result_.image.temporal.size());
    const auto add = [&](const std::string& of, const lang::Expression& condition) {
      return batch_.add(of, generate_condition(batch_.module(), of, program_, condition, offsets));
    };
    auto& functions = result_.temporal_functions.emplace_back();
    const bool has_cause = property.kind == lang::PropertyKind::leads_to;
    if (has_cause) functions.cause = add(name + ".cause", property.condition);
    functions.goal = add(name + ".goal", has_cause ? property.goal : property.condition);
    result_.image.temporal.emplace_back().site = sites_.at(property.range);
  }

  // What the expression may look at: locations, and threads of whose locals it names one. All elements of an array whose
  // index is not constant.
  void look_at(const lang::Expression& expression, std::vector<std::uint32_t>& locations,
               std::vector<std::uint32_t>* threads) {
    if (threads != nullptr && expression.kind == lang::ExpressionKind::thread_local_)
      threads->push_back(expression.thread);
    if (expression.kind == lang::ExpressionKind::load) {
      const lang::Variable& variable = program_.variables[expression.id];
      const bool constant =
          !expression.operands.empty() && expression.operands[0].kind == lang::ExpressionKind::literal &&
          expression.operands[0].value >= 0 && expression.operands[0].value < std::int64_t{variable.length};
      const auto first = constant ? static_cast<std::uint32_t>(expression.operands[0].value) : 0;
      const auto count = constant ? 1 : variable.length;
      for (std::uint32_t i = first; i < first + count; ++i) locations.push_back(variable.first_location + i);
    }
    for (const lang::Expression& operand : expression.operands) look_at(operand, locations, threads);
  }

  // Notes which locals others read: conditions, and observations of litmus tests.
  void find_named() {
    named_threads_.resize(program_.threads.size());
    for (const lang::ThreadTemplate& code : program_.templates)
      named_locals_.emplace_back(code.body.locals.size());
    for (const lang::Property& property : program_.properties) {
      find_named(property.condition);
      find_named(property.goal);
    }
    if (!program_.litmus) return;
    for (const lang::Observation& observation : program_.litmus->observed) {
      if (observation.thread) named_local(*observation.thread, observation.id) = true;
    }
  }
  void find_named(const lang::Expression& expression) {
    if (expression.kind == lang::ExpressionKind::thread_local_) {
      named_threads_[expression.thread] = true;
      named_local(expression.thread, expression.id) = true;
    }
    for (const lang::Expression& operand : expression.operands) find_named(operand);
  }
  [[nodiscard]] std::vector<bool>::reference named_local(lang::ThreadId thread, lang::LocalId local) {
    return named_locals_[program_.threads[thread].thread_template][local];
  }

  // See ThreadImage::twin.
  void twins() {
    std::vector<std::optional<std::uint32_t>> newest(program_.templates.size());
    for (std::uint32_t thread = 0; thread < program_.threads.size(); ++thread) {
      const std::uint32_t number = program_.threads[thread].thread_template;
      const lang::ThreadTemplate& code = program_.templates[number];
      if (!code.is_family || facts_.used(code.body, 0) || named_threads_[thread]) continue;
      result_.image.threads[thread].twin = newest[number];
      newest[number] = thread;
    }
  }

  void observations(const LocalOffsets& offsets) {
    auto& observed = result_.image.observed.emplace();
    for (const lang::Observation& observation : program_.litmus->observed) {
      ObservedImage& image = observed.emplace_back();
      image.name = observation.name;
      image.thread = observation.thread;
      if (observation.thread) {
        image.offset = offsets[*observation.thread][observation.id];
      } else {
        image.location = program_.variables[observation.id].first_location + observation.index;
      }
    }
  }

  const lang::Program& program_;
  Batch& batch_;
  Facts facts_;
  std::unordered_set<const lang::Statement*> retry_loops_;
  WaitingUpdates waiting_updates_;
  UpdatePairs update_pairs_;
  std::vector<std::shared_ptr<const std::vector<Comparison>>> revertible_;  // by variable, with `end_idle`
  std::vector<bool> named_threads_;              // whether conditions name locals of theirs
  std::vector<std::vector<bool>> named_locals_;  // by template and local: whether others read it
  ValueTypes types_;
  SiteTable& sites_;
  std::optional<CoveragePoints> points_;
  Generator generator_;
  bool run_ahead_;
  bool endless_;
  bool locks_blocks_;
  bool calls_ = false;
  LoweredPrograms::Part& result_;
};

}  // namespace

void LoweredProgramsDeleter::operator()(LoweredPrograms* programs) const { delete programs; }

LoweredProgramsPointer lower(const lang::Program& program, const lang::SourceMap& sources,
                             const Options& options) {
  return lower({{.program = &program, .sources = &sources}}, options);
}

LoweredProgramsPointer lower(const std::vector<Variant>& variants, const Options& options) {
  Batch batch;
  batch.programs().parts.reserve(variants.size());
  for (const Variant& variant : variants) Lowering(variant, options, batch).run();
  return batch.finish();
}

const std::vector<CoveragePoint>& coverage_points(const LoweredPrograms& programs) {
  return programs.parts.front().coverage_points;
}

const std::vector<bool>& repeated_sites(const LoweredPrograms& programs) {
  return programs.parts.front().repeated_sites;
}

std::string print_ir(const LoweredPrograms& programs) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  programs.module->print(stream, nullptr);
  return text;
}

}  // namespace heddle::compiler
