// Operators on values as IR; shared by thread code and conditions. A boolean is an i1, an integer an i64.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "lang/tree.hpp"

namespace heddle::compiler {

// i1 -> i64; i64 stays.
llvm::Value* widened(llvm::IRBuilder<>& builder, llvm::Value* value);
// i64 -> i1; i1 stays.
llvm::Value* truth(llvm::IRBuilder<>& builder, llvm::Value* value);

llvm::Value* unary_operation(llvm::IRBuilder<>& builder, lang::UnaryOperator op, llvm::Value* operand);

// Arithmetic wraps, shifts take their amount modulo 64. A divisor must have been checked: dividing by zero is
// undefined. The smallest number divided by -1 is itself, with remainder 0.
llvm::Value* binary_operation(llvm::IRBuilder<>& builder, lang::BinaryOperator op, llvm::Value* left,
                              llvm::Value* right);

inline bool divides(lang::BinaryOperator op) {
  return op == lang::BinaryOperator::divide || op == lang::BinaryOperator::remainder;
}

}  // namespace heddle::compiler
