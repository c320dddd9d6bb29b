// IR for operators, shared by thread code and conditions. A boolean is an i1, an integer an i64.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "lang/tree.hpp"

namespace heddle::compiler {

// i1 -> i64; an i64 is returned unchanged.
llvm::Value* widened(llvm::IRBuilder<>& builder, llvm::Value* value);
// i64 -> i1; an i1 is returned unchanged.
llvm::Value* truth(llvm::IRBuilder<>& builder, llvm::Value* value);

llvm::Value* unary_operation(llvm::IRBuilder<>& builder, lang::UnaryOperator op, llvm::Value* operand);

// Arithmetic wraps; shift amounts are taken modulo 64. The caller has checked divisors: division by zero is
// undefined. The smallest integer divided by -1 is itself, with remainder 0.
llvm::Value* binary_operation(llvm::IRBuilder<>& builder, lang::BinaryOperator op, llvm::Value* left,
                              llvm::Value* right);

inline bool divides(lang::BinaryOperator op) {
  return op == lang::BinaryOperator::divide || op == lang::BinaryOperator::remainder;
}

}  // namespace heddle::compiler
