#include "jit/load.hpp"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/TargetSelect.h>

#include "compiler/module.hpp"
#include "jit/passes.hpp"

namespace heddle::jit {
namespace {

using llvm::orc::JITTargetMachineBuilder;
using llvm::orc::LLJIT;
using llvm::orc::ThreadSafeModule;

// The target machine's properties, determined once per process.
llvm::Expected<JITTargetMachineBuilder> target() {
  static const bool initialised = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  static_cast<void>(initialised);
  return JITTargetMachineBuilder::detectHost();
}

std::string text(llvm::Error error) { return llvm::toString(std::move(error)); }

}  // namespace

std::variant<Images, std::string> load(compiler::LoweredProgramsPointer programs) {
  auto builder = target();
  if (!builder) return text(builder.takeError());
  builder->setCodeGenOptLevel(programs->optimise ? llvm::CodeGenOptLevel::Default
                                                 : llvm::CodeGenOptLevel::None);
  auto machine = builder->createTargetMachine();
  if (!machine) return text(machine.takeError());
  programs->module->setTargetTriple((*machine)->getTargetTriple().str());
  programs->module->setDataLayout((*machine)->createDataLayout());
  const std::vector<std::size_t> sizes = run_passes(*programs, **machine);

  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*builder)).create();
  if (!jit) return text(jit.takeError());
  ThreadSafeModule module(std::move(programs->module), std::move(programs->context));
  if (auto error = (*jit)->addIRModule(std::move(module))) return text(std::move(error));
  auto table = (*jit)->lookup(compiler::table_name);
  if (!table) return text(table.takeError());
  void* const* functions = table->toPtr<void* const*>();
  const std::shared_ptr<LLJIT> code(std::move(*jit));

  Images images;
  for (compiler::LoweredPrograms::Part& part : programs->parts) {
    auto image = std::make_shared<compiler::Image>(std::move(part.image));
    const auto fill = [&](compiler::ThreadImage& thread, std::uint32_t function) {
      thread.start = reinterpret_cast<void (*)(void*, std::int64_t)>(functions[function]);
      thread.block_size = sizes[function];
    };
    for (std::size_t thread = 0; thread < image->threads.size(); ++thread) {
      fill(image->threads[thread], part.thread_functions[thread]);
    }
    if (image->final_block) fill(*image->final_block, part.final_function);
    using Holds = bool (*)(const std::int64_t*, const std::byte* const*);
    for (std::size_t number = 0; number < image->conditions.size(); ++number)
      image->conditions[number].holds = reinterpret_cast<Holds>(functions[part.condition_functions[number]]);
    for (std::size_t number = 0; number < image->invariants.size(); ++number)
      image->invariants[number].holds = reinterpret_cast<Holds>(functions[part.invariant_functions[number]]);
    image->code = code;
    images.push_back(std::move(image));
  }
  return images;
}

}  // namespace heddle::jit
