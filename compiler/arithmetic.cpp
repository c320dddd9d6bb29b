#include "compiler/arithmetic.hpp"

namespace heddle::compiler {

using lang::BinaryOperator;
using llvm::Value;

Value* widened(llvm::IRBuilder<>& builder, Value* value) {
  return value->getType()->isIntegerTy(1) ? builder.CreateZExt(value, builder.getInt64Ty()) : value;
}

Value* truth(llvm::IRBuilder<>& builder, Value* value) {
  return value->getType()->isIntegerTy(1) ? value : builder.CreateIsNotNull(value);
}

Value* unary_operation(llvm::IRBuilder<>& builder, lang::UnaryOperator op, Value* operand) {
  switch (op) {
    case lang::UnaryOperator::negate: return builder.CreateNeg(widened(builder, operand));
    case lang::UnaryOperator::complement: return builder.CreateNot(widened(builder, operand));
    case lang::UnaryOperator::logical_not: break;
  }
  return builder.CreateNot(truth(builder, operand));
}

Value* binary_operation(llvm::IRBuilder<>& builder, BinaryOperator op, Value* left, Value* right) {
  // Booleans can be compared for equality as they are; all other operators work on 64-bit integers.
  const bool equality = op == BinaryOperator::equal || op == BinaryOperator::not_equal;
  if (!equality || left->getType() != right->getType()) {
    left = widened(builder, left);
    right = widened(builder, right);
  }
  const auto amount = [&] { return builder.CreateAnd(right, builder.getInt64(63)); };
  switch (op) {
    case BinaryOperator::add: return builder.CreateAdd(left, right);
    case BinaryOperator::subtract: return builder.CreateSub(left, right);
    case BinaryOperator::multiply: return builder.CreateMul(left, right);
    case BinaryOperator::shift_left: return builder.CreateShl(left, amount());
    case BinaryOperator::shift_right: return builder.CreateAShr(left, amount());
    case BinaryOperator::bit_and: return builder.CreateAnd(left, right);
    case BinaryOperator::bit_or: return builder.CreateOr(left, right);
    case BinaryOperator::bit_xor: return builder.CreateXor(left, right);
    case BinaryOperator::equal: return builder.CreateICmpEQ(left, right);
    case BinaryOperator::not_equal: return builder.CreateICmpNE(left, right);
    case BinaryOperator::less: return builder.CreateICmpSLT(left, right);
    case BinaryOperator::less_equal: return builder.CreateICmpSLE(left, right);
    case BinaryOperator::greater: return builder.CreateICmpSGT(left, right);
    case BinaryOperator::greater_equal: return builder.CreateICmpSGE(left, right);
    case BinaryOperator::divide:
    case BinaryOperator::remainder: break;
  }
  // The CPU traps when the smallest integer is divided by -1: divide by 1 instead and negate.
  Value* const negates = builder.CreateICmpEQ(right, builder.getInt64(~std::uint64_t{0}));
  Value* const divisor = builder.CreateSelect(negates, builder.getInt64(1), right);
  if (op == BinaryOperator::remainder) return builder.CreateSRem(left, divisor);
  return builder.CreateSelect(negates, builder.CreateNeg(left), builder.CreateSDiv(left, divisor));
}

}  // namespace heddle::compiler
