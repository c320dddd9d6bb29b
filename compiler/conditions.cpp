#include "compiler/conditions.hpp"

#include <llvm/IR/IRBuilder.h>

#include "compiler/arithmetic.hpp"

namespace heddle::compiler {
namespace {

using lang::Expression;
using lang::ExpressionKind;
using llvm::BasicBlock;
using llvm::Value;

class Condition {
 public:
  Condition(llvm::Function& function, const lang::Program& program, const LocalOffsets& locals)
      : program_(program), locals_(locals), function_(function), ir_(function.getContext()) {
    ir_.SetInsertPoint(BasicBlock::Create(function.getContext(), "entry", &function));
  }

  void generate(const Expression& condition) { ir_.CreateRet(truth(ir_, value(condition))); }

 private:
  Value* value(const Expression& expression) {
    switch (expression.kind) {
      case ExpressionKind::literal:
        return expression.type == lang::Type::boolean
                   ? static_cast<Value*>(ir_.getInt1(expression.value != 0))
                   : ir_.getInt64(static_cast<std::uint64_t>(expression.value));
      case ExpressionKind::load: return load(expression);
      case ExpressionKind::thread_local_: return thread_local_value(expression);
      case ExpressionKind::bounded: return bounded(expression);
      case ExpressionKind::unary:
        return unary_operation(ir_, expression.unary, value(expression.operands[0]));
      case ExpressionKind::binary: return binary(expression);
      case ExpressionKind::logical_and:
        return choice(expression.operands[0], &expression.operands[1], nullptr, ir_.getFalse());
      case ExpressionKind::logical_or:
        return choice(expression.operands[0], nullptr, &expression.operands[1], ir_.getTrue());
      case ExpressionKind::conditional:
        return choice(expression.operands[0], &expression.operands[1], &expression.operands[2], nullptr);
      default: return ir_.getInt64(0);  // the front end allows nothing else in a condition
    }
  }

  Value* typed(Value* value, lang::Type type) {
    return type == lang::Type::boolean ? truth(ir_, value) : value;
  }

  Value* load(const Expression& expression) {
    const lang::Variable& variable = program_.variables[expression.id];
    Value* location = ir_.getInt64(variable.first_location);
    Value* inside = nullptr;
    if (variable.is_array) {
      Value* index = widened(ir_, value(expression.operands[0]));
      inside = ir_.CreateICmpULT(index, ir_.getInt64(variable.length));
      location = ir_.CreateAdd(location, ir_.CreateSelect(inside, index, ir_.getInt64(0)));
    }
    Value* place = ir_.CreateGEP(ir_.getInt64Ty(), function_.getArg(0), {location});
    Value* result = ir_.CreateLoad(ir_.getInt64Ty(), place);
    if (inside != nullptr) result = ir_.CreateSelect(inside, result, ir_.getInt64(0));
    return typed(result, expression.type);
  }

  Value* thread_local_value(const Expression& expression) {
    const std::uint32_t offset = locals_[expression.thread][expression.id];
    Value* inside = nullptr;
    Value* element = ir_.getInt64(0);
    if (!expression.operands.empty()) {
      const lang::Thread& thread = program_.threads[expression.thread];
      const lang::Local& local = program_.templates[thread.thread_template].body.locals[expression.id];
      Value* const index = widened(ir_, value(expression.operands[0]));
      inside = ir_.CreateICmpULT(index, ir_.getInt64(local.length));
      element = ir_.CreateSelect(inside, index, ir_.getInt64(0));
    }
    Value* place = ir_.CreateConstGEP1_64(ir_.getPtrTy(), function_.getArg(1), expression.thread);
    Value* block = ir_.CreateLoad(ir_.getPtrTy(), place);
    Value* first = ir_.CreateConstGEP1_64(ir_.getInt8Ty(), block, offset);
    Value* address = ir_.CreateGEP(ir_.getInt64Ty(), first, {element});
    Value* result = ir_.CreateLoad(ir_.getInt64Ty(), address);
    if (inside != nullptr) result = ir_.CreateSelect(inside, result, ir_.getInt64(0));
    return typed(result, expression.type);
  }

  // An index out of bounds is redirected beyond the whole array, where elements read as 0.
  Value* bounded(const Expression& expression) {
    Value* const index = widened(ir_, value(expression.operands[0]));
    Value* const length = ir_.getInt64(static_cast<std::uint64_t>(expression.value));
    return ir_.CreateSelect(ir_.CreateICmpULT(index, length), index, ir_.getInt64(1ULL << 40U));
  }

  Value* binary(const Expression& expression) {
    Value* left = value(expression.operands[0]);
    Value* right = value(expression.operands[1]);
    if (!divides(expression.binary)) return binary_operation(ir_, expression.binary, left, right);
    Value* const zero = ir_.getInt64(0);
    Value* const undefined = ir_.CreateICmpEQ(widened(ir_, right), zero);
    Value* const divisor = ir_.CreateSelect(undefined, ir_.getInt64(1), widened(ir_, right));
    return ir_.CreateSelect(undefined, zero, binary_operation(ir_, expression.binary, left, divisor));
  }

  // Evaluates only the chosen arm. A missing arm has the value `known`.
  Value* choice(const Expression& condition, const Expression* yes, const Expression* no, Value* known) {
    Value* const decision = truth(ir_, value(condition));
    const Expression* const arms[2] = {yes, no};
    BasicBlock* const starts[2] = {block(), block()};
    BasicBlock* ends[2] = {};
    Value* values[2] = {};
    BasicBlock* const join = block();
    ir_.CreateCondBr(decision, starts[0], starts[1]);
    for (std::size_t arm = 0; arm < 2; ++arm) {
      ir_.SetInsertPoint(starts[arm]);
      values[arm] = arms[arm] == nullptr ? known : value(*arms[arm]);
      if (known != nullptr) values[arm] = truth(ir_, values[arm]);
      ends[arm] = ir_.GetInsertBlock();
      ir_.CreateBr(join);
    }
    ir_.SetInsertPoint(join);
    llvm::PHINode* result = ir_.CreatePHI(values[0]->getType(), 2);
    for (std::size_t arm = 0; arm < 2; ++arm) result->addIncoming(values[arm], ends[arm]);
    return result;
  }

  BasicBlock* block() { return BasicBlock::Create(function_.getContext(), "", &function_); }

  const lang::Program& program_;
  const LocalOffsets& locals_;
  llvm::Function& function_;
  llvm::IRBuilder<> ir_;
};

}  // namespace

llvm::Function* generate_condition(llvm::Module& module, const std::string& name,
                                   const lang::Program& program, const lang::Expression& condition,
                                   const LocalOffsets& locals) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getInt1Ty(context), {pointer, pointer}, false);
  llvm::Function* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  function->setDoesNotThrow();
  function->addRetAttr(llvm::Attribute::ZExt);  // the C++ caller expects a zero-extended bool
  function->getArg(0)->setName("memory");
  function->getArg(1)->setName("blocks");
  Condition(*function, program, locals).generate(condition);
  return function;
}

}  // namespace heddle::compiler
