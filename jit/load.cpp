#include "jit/load.hpp"

#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <array>
#include <memory>

#include "compiler/module.hpp"
#include "jit/passes.hpp"

namespace heddle::jit {
namespace {

using llvm::orc::IRCompileLayer;
using llvm::orc::JITTargetMachineBuilder;
using llvm::orc::LLJIT;
using llvm::orc::ThreadSafeModule;

// Small threads are compiled for the base architecture: reading the host's list of features takes longer than
// compiling them, and they use none.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_machine(bool optimise) {
  static const bool initialised = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  static_cast<void>(initialised);
  JITTargetMachineBuilder builder(llvm::Triple(llvm::sys::getProcessTriple()));
  if (optimise) {
    auto host = JITTargetMachineBuilder::detectHost();
    if (!host) return host.takeError();
    builder = std::move(*host);
  } else {
    builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  }
  // JITLink places a module in one piece of memory. With the large model, LLVM's default for a JIT, the fast instruction
  // selector leaves functions with calls to the slow one.
  return builder.setRelocationModel(llvm::Reloc::PIC_)
      .setCodeModel(llvm::CodeModel::Small)
      .createTargetMachine();
}

// The machine of this thread, made once: it takes as long as a small program. Compiled code does not need it.
llvm::Expected<llvm::TargetMachine*> machine_for(bool optimise) {
  thread_local std::array<std::unique_ptr<llvm::TargetMachine>, 2> machines;
  auto& machine = machines[optimise ? 1 : 0];
  if (!machine) {
    auto made = make_machine(optimise);
    if (!made) return made.takeError();
    machine = std::move(*made);
  }
  return machine.get();
}

std::string text(llvm::Error error) { return llvm::toString(std::move(error)); }

}  // namespace

std::variant<Images, std::string> load(compiler::LoweredProgramsPointer programs) {
  auto made = machine_for(programs->optimise);
  if (!made) return text(made.takeError());
  llvm::TargetMachine& machine = **made;
  programs->module->setTargetTriple(machine.getTargetTriple().str());
  programs->module->setDataLayout(machine.createDataLayout());
  const std::vector<std::size_t> sizes = run_passes(*programs, machine);

  auto jit =
      llvm::orc::LLJITBuilder()
          .setJITTargetMachineBuilder(JITTargetMachineBuilder(machine.getTargetTriple()))
          .setDataLayout(machine.createDataLayout())
          .setPlatformSetUp(llvm::orc::setUpInactivePlatform)  // no constructors, no atexit
          .setCompileFunctionCreator([&](const JITTargetMachineBuilder&)
                                         -> llvm::Expected<std::unique_ptr<IRCompileLayer::IRCompiler>> {
            return std::make_unique<llvm::orc::SimpleCompiler>(machine);
          })
          .create();
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
    using compiler::Holds;
    for (std::size_t number = 0; number < image->conditions.size(); ++number)
      image->conditions[number].holds = reinterpret_cast<Holds>(functions[part.condition_functions[number]]);
    for (std::size_t number = 0; number < image->invariants.size(); ++number)
      image->invariants[number].holds = reinterpret_cast<Holds>(functions[part.invariant_functions[number]]);
    for (std::size_t number = 0; number < image->temporal.size(); ++number) {
      const auto& claim = part.temporal_functions[number];
      if (claim.cause) image->temporal[number].cause = reinterpret_cast<Holds>(functions[*claim.cause]);
      image->temporal[number].goal = reinterpret_cast<Holds>(functions[claim.goal]);
    }
    image->code = code;
    images.push_back(std::move(image));
  }
  return images;
}

}  // namespace heddle::jit
