// The short pipeline contains only passes that measurably speed up small threads. CoroEarly and CoroSplit do
// the split. JumpThreading removes the detour over the suspension's result, without which code takes nearly
// twice as long. The index of the suspension is widened to a type that the fast instruction selector
// supports. O2 pays off for threads that compute a lot between their operations.
#include "jit/passes.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Coroutines/CoroCleanup.h>
#include <llvm/Transforms/Coroutines/CoroEarly.h>
#include <llvm/Transforms/Coroutines/CoroSplit.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <algorithm>

namespace heddle::jit {
namespace {

struct Analyses {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;

  explicit Analyses(llvm::PassBuilder& builder) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

// The host never destroys a frame, since it owns the memory.
void drop_destroyers(llvm::Module& module) {
  std::vector<llvm::Function*> doomed;
  for (llvm::Function& function : module) {
    if (function.getName().ends_with(".destroy") || function.getName().ends_with(".cleanup")) {
      doomed.push_back(&function);
    }
  }
  for (llvm::Function* function : doomed) {
    function->replaceAllUsesWith(llvm::ConstantPointerNull::get(function->getType()));
    function->eraseFromParent();
  }
}

unsigned memory_width(unsigned bits) {
  unsigned width = 8;
  while (width < bits) width *= 2;
  return width;
}

void widen_dispatch(llvm::LoadInst* load, unsigned width) {
  auto* narrow = llvm::dyn_cast<llvm::SwitchInst>(load->user_back());
  if (narrow == nullptr) return;
  llvm::IRBuilder<> builder(load);
  auto* index = builder.CreateLoad(builder.getIntNTy(width), load->getPointerOperand(), "index");
  builder.SetInsertPoint(narrow);
  auto* wide = builder.CreateSwitch(index, narrow->getDefaultDest(), narrow->getNumCases());
  for (const auto& entry : narrow->cases()) {
    wide->addCase(llvm::ConstantInt::get(builder.getContext(), entry.getCaseValue()->getValue().zext(width)),
                  entry.getCaseSuccessor());
  }
  narrow->eraseFromParent();
  load->eraseFromParent();
}

// LLVM gives the suspension's index the smallest possible width. No other value in generated code has such a
// width.
void widen_index(llvm::Module& module) {
  std::vector<std::pair<llvm::LoadInst*, unsigned>> loads;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        auto* number = llvm::dyn_cast<llvm::ConstantInt>(store->getValueOperand());
        if (number == nullptr) continue;
        const unsigned width = memory_width(number->getBitWidth());
        store->setOperand(0, llvm::ConstantInt::get(module.getContext(), number->getValue().zext(width)));
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (!load->getType()->isIntegerTy() || !load->hasOneUse()) continue;
        const unsigned bits = load->getType()->getIntegerBitWidth();
        if (memory_width(bits) != bits) loads.emplace_back(load, memory_width(bits));
      }
    }
  }
  for (const auto& [load, width] : loads) widen_dispatch(load, width);
}

// Branches from the end of the block to the cases, which are in the order of their values.
void bisect(llvm::SwitchInst& dispatch, llvm::BasicBlock* from,
            llvm::ArrayRef<llvm::SwitchInst::CaseHandle> cases) {
  llvm::IRBuilder<> builder(from);
  llvm::Value* const index = dispatch.getCondition();
  const auto block_after = [](llvm::BasicBlock* block) {
    return llvm::BasicBlock::Create(block->getContext(), "", block->getParent(), block->getNextNode());
  };
  if (cases.size() > 3) {
    llvm::BasicBlock* const high = block_after(from);
    llvm::BasicBlock* const low = block_after(from);
    const std::size_t half = cases.size() / 2;
    builder.CreateCondBr(builder.CreateICmpULT(index, cases[half].getCaseValue()), low, high);
    bisect(dispatch, low, cases.take_front(half));
    bisect(dispatch, high, cases.drop_front(half));
    return;
  }
  for (const llvm::SwitchInst::CaseHandle& one : cases) {
    const bool is_last = &one == &cases.back();
    llvm::BasicBlock* const others = is_last ? dispatch.getDefaultDest() : block_after(from);
    builder.CreateCondBr(builder.CreateICmpEQ(index, one.getCaseValue()), one.getCaseSuccessor(), others);
    if (!is_last) builder.SetInsertPoint(from = others);
  }
}

// The fast instruction selector leaves each switch to the slow one, which also bisects when it does not optimise.
void replace_switches(llvm::Module& module) {
  std::vector<llvm::SwitchInst*> switches;
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      auto* const dispatch = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator());
      if (dispatch == nullptr || dispatch->getNumCases() == 0) continue;
      const auto has_phis = [](const llvm::BasicBlock* successor) { return !successor->phis().empty(); };
      if (llvm::none_of(llvm::successors(&block), has_phis)) switches.push_back(dispatch);
    }
  }
  for (llvm::SwitchInst* const dispatch : switches) {
    std::vector<llvm::SwitchInst::CaseHandle> cases(dispatch->case_begin(), dispatch->case_end());
    std::sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) {
      return a.getCaseValue()->getValue().ult(b.getCaseValue()->getValue());
    });
    bisect(*dispatch, dispatch->getParent(), cases);
    dispatch->eraseFromParent();
  }
}

std::vector<std::size_t> take_block_sizes(compiler::LoweredPrograms& programs) {
  std::vector<std::size_t> sizes(programs.functions.size(), 0);
  llvm::Function* marker = programs.module->getFunction(compiler::block_size_marker);
  if (marker == nullptr) return sizes;
  for (std::size_t number = 0; number < sizes.size(); ++number) {
    llvm::Function* function = programs.module->getFunction(programs.functions[number]);
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(*function))) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call == nullptr || call->getCalledFunction() != marker) continue;
      const std::uint64_t size = llvm::cast<llvm::ConstantInt>(call->getArgOperand(0))->getZExtValue();
      sizes[number] =
          (size + compiler::block_alignment - 1) / compiler::block_alignment * compiler::block_alignment;
      call->eraseFromParent();
    }
  }
  marker->eraseFromParent();
  return sizes;
}

}  // namespace

std::vector<std::size_t> run_passes(compiler::LoweredPrograms& programs, llvm::TargetMachine& machine) {
  llvm::Module& module = *programs.module;
  const bool has_coroutines = std::any_of(module.begin(), module.end(),
                                          [](const llvm::Function& f) { return f.isPresplitCoroutine(); });
  // Plain functions need no passes, and setting up the passes takes as long as compiling a small program.
  if (!has_coroutines && !programs.optimise) {
    replace_switches(module);
    return take_block_sizes(programs);
  }
  llvm::PassBuilder builder(&machine);
  Analyses analyses(builder);
  if (programs.optimise) {
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, analyses.modules);
    drop_destroyers(module);
    return take_block_sizes(programs);
  }
  llvm::ModulePassManager split;
  split.addPass(llvm::CoroEarlyPass());
  split.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::CoroSplitPass()));
  split.addPass(llvm::CoroCleanupPass());
  split.run(module, analyses.modules);
  drop_destroyers(module);
  widen_index(module);

  analyses.functions.clear();
  llvm::FunctionPassManager tidy;
  tidy.addPass(llvm::JumpThreadingPass());
  tidy.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) tidy.run(function, analyses.functions);
  }
  replace_switches(module);
  return take_block_sizes(programs);
}

}  // namespace heddle::jit
