// Expressions that are not visible operations; the others are in operations.cpp.
#include "compiler/arithmetic.hpp"
#include "compiler/generator.hpp"

namespace heddle::compiler {

using lang::BinaryOperator;
using lang::Expression;
using lang::ExpressionKind;
using llvm::BasicBlock;
using llvm::Value;

Value* Generator::value(const Expression& expression) {
  mask_ = nullptr;
  switch (expression.kind) {
    case ExpressionKind::literal:
      return expression.type == lang::Type::boolean
                 ? static_cast<Value*>(ir().getInt1(expression.value != 0))
                 : ir().getInt64(static_cast<std::uint64_t>(expression.value));
    case ExpressionKind::local: return local(expression);
    case ExpressionKind::unary: return unary(expression);
    case ExpressionKind::binary: return binary(expression);
    case ExpressionKind::logical_and:
    case ExpressionKind::logical_or: return logical(expression);
    case ExpressionKind::conditional: return conditional(expression);
    case ExpressionKind::call: return call(expression);
    case ExpressionKind::choose: return choose(expression);
    case ExpressionKind::bounded: return bounded(expression);
    case ExpressionKind::let: return let(expression);
    default: return operation(expression);
  }
}

Value* Generator::let(const Expression& expression) {
  const std::uint32_t top = frame_->top();
  const Expression& first = expression.operands[0];
  if (first.type == lang::Type::none) {
    for (std::uint32_t i = 0; i < expression.value; ++i) {
      const lang::LocalId local = expression.id + i;
      const Expression zero = lang::literal(scope().body->locals[local].type, 0, expression.range);
      if (scope().body->locals[local].is_array) {
        declare_array(local, std::span(&zero, 1));
      } else {
        declare(local, zero);
      }
    }
    value(first);
  } else {
    declare(expression.id, first);
  }
  Value* const result = value(expression.operands.back());
  frame_->release_to(top);
  return result;
}

Value* Generator::integer(const Expression& expression) { return widened(ir(), value(expression)); }

Value* Generator::local(const Expression& expression) {
  Value* const index = expression.operands.empty()
                           ? nullptr
                           : element(expression.id, expression.operands[0], expression.range);
  const Binding& binding = scope().bindings[expression.id];
  if (binding.constant != nullptr) return binding.constant;
  Value* result = index == nullptr ? load_masked(*binding.slot) : load_masked(expression.id, index);
  return scope().body->locals[expression.id].type == lang::Type::boolean ? ir().CreateIsNotNull(result)
                                                                         : result;
}

Value* Generator::element(lang::LocalId local, const Expression& index, const lang::SourceRange& range) {
  Value* const length = ir().getInt64(scope().body->locals[local].length);
  const std::uint32_t site = sites_.at(range);
  Value* const number = known(integer(index), site);
  require(ir().CreateICmpULT(number, length),
          {.op = Op::index_out_of_bounds, .value = number, .expected = length, .site = site});
  return number;
}

Value* Generator::bounded(const Expression& expression) {
  Value* const length = ir().getInt64(static_cast<std::uint64_t>(expression.value));
  const std::uint32_t site = sites_.at(expression.range);
  Value* const number = known(integer(expression.operands[0]), site);
  require(ir().CreateICmpULT(number, length),
          {.op = Op::index_out_of_bounds, .value = number, .expected = length, .site = site});
  return number;
}

// Jumps to `yes` or `no`, but not to a target known to be unreachable. Ends the current block.
void Generator::branch(const Expression& condition, BasicBlock* yes, BasicBlock* no) {
  if (condition.kind == ExpressionKind::unary && condition.unary == lang::UnaryOperator::logical_not) {
    branch(condition.operands[0], no, yes);
  } else if (condition.kind == ExpressionKind::logical_and || condition.kind == ExpressionKind::logical_or) {
    const bool conjunction = condition.kind == ExpressionKind::logical_and;
    BasicBlock* right = frame_->block();
    branch(condition.operands[0], conjunction ? right : yes, conjunction ? no : right);
    if (frame_->start_if_used(right)) branch(condition.operands[1], yes, no);
  } else {
    branch_on(value(condition), yes, no);
  }
}

void Generator::branch_on(Value* value, BasicBlock* yes, BasicBlock* no) {
  Value* const decision = truth(ir(), value);
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(decision)) {
    frame_->jump(known->isZero() ? no : yes);
  } else {
    ir().CreateCondBr(settled(decision), yes, no);
    ir().ClearInsertionPoint();
  }
}

// && or || as a value. If evaluating the right operand has no visible effect, a thread that runs ahead
// evaluates both: that avoids a branch, and the result depends on both operands.
Value* Generator::logical(const Expression& expression) {
  if (run_ahead_ && facts_.silent(*scope().body, expression.operands[1])) return logical_of_both(expression);
  BasicBlock* yes = frame_->block();
  BasicBlock* no = frame_->block();
  branch(expression, yes, no);
  if (yes->use_empty() != no->use_empty()) {
    const bool known = no->use_empty();
    frame_->start_if_used(known ? no : yes);
    frame_->start(known ? yes : no);
    mask_ = nullptr;
    return ir().getInt1(known);
  }
  BasicBlock* join = frame_->block();
  frame_->start(yes);
  frame_->jump(join);
  frame_->start(no);
  frame_->jump(join);
  frame_->start(join);
  llvm::PHINode* result = ir().CreatePHI(ir().getInt1Ty(), 2);
  result->addIncoming(ir().getTrue(), yes);
  result->addIncoming(ir().getFalse(), no);
  mask_ = nullptr;  // its dependencies are now those of a branch
  return result;
}

Value* Generator::logical_of_both(const Expression& expression) {
  const Expression& right = expression.operands[1];
  const std::uint32_t top = frame_->top();
  const Held held = hold(expression.operands[0], suspends(right));
  Value* const second = truth(ir(), value(right));
  Value* const second_mask = mask_;
  Value* const first = truth(ir(), use(held));
  frame_->release_to(top);
  mask_ = joined(mask_, second_mask);
  return expression.kind == ExpressionKind::logical_and ? ir().CreateAnd(first, second)
                                                        : ir().CreateOr(first, second);
}

Value* Generator::conditional(const Expression& expression) {
  BasicBlock* arms[2] = {frame_->block(), frame_->block()};
  Value* values[2] = {};
  BasicBlock* ends[2] = {};
  Value* masks[2] = {};
  branch(expression.operands[0], arms[0], arms[1]);
  note_branch(&expression, 0, arms[0]->use_empty() || arms[1]->use_empty());
  if (arms[0]->use_empty() != arms[1]->use_empty()) {
    const std::size_t known = arms[0]->use_empty() ? 1 : 0;
    frame_->start_if_used(arms[1 - known]);
    frame_->start(arms[known]);
    return value(expression.operands[1 + known]);
  }
  BasicBlock* join = frame_->block();
  for (std::size_t arm = 0; arm < 2; ++arm) {
    frame_->start(arms[arm]);
    count(&expression, static_cast<std::uint32_t>(arm));
    values[arm] = value(expression.operands[1 + arm]);
    masks[arm] = mask_;
    ends[arm] = ir().GetInsertBlock();
    frame_->jump(join);
  }
  frame_->start(join);
  llvm::PHINode* result = ir().CreatePHI(values[0]->getType(), 2);
  for (std::size_t arm = 0; arm < 2; ++arm) result->addIncoming(values[arm], ends[arm]);
  mask_ = masks_of(masks, ends);
  return result;
}

Value* Generator::unary(const Expression& expression) {
  return unary_operation(ir(), expression.unary, value(expression.operands[0]));
}

Value* Generator::binary(const Expression& expression) {
  const Expression& left = expression.operands[0];
  const Expression& right = expression.operands[1];
  const std::uint32_t top = frame_->top();
  const Held held = hold(left, suspends(right));
  Value* second = value(right);
  Value* const second_mask = mask_;
  Value* first = use(held);
  frame_->release_to(top);
  return arithmetic(expression.binary, first, second, expression.range, mask_, second_mask);
}

Value* Generator::arithmetic(BinaryOperator op, Value* left, Value* right, const lang::SourceRange& range,
                             Value* left_mask, Value* right_mask) {
  if (divides(op)) {
    right = widened(ir(), right);
    if (right_mask != nullptr) {
      const std::uint32_t top = frame_->top();
      mask_ = left_mask;
      const Held held = hold(left, true);
      mask_ = right_mask;
      right = settled(right);
      left = use(held);
      left_mask = mask_;
      right_mask = nullptr;  // the check turned it into a control dependency
      frame_->release_to(top);
    }
    require(ir().CreateIsNotNull(right), {.op = Op::division_by_zero, .site = sites_.at(range)});
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(right);
    if (known != nullptr && known->isZero()) return right;  // unreachable
  }
  mask_ = joined(left_mask, right_mask);
  return binary_operation(ir(), op, left, right);
}

Value* Generator::call(const Expression& expression) {
  const lang::Function& function = program_.functions[expression.id];
  Scope callee{.body = &function.body,
               .bindings = std::vector<Binding>(function.body.locals.size()),
               .loops = {},
               .result = function.result,
               .leave = frame_->block(),
               .result_value = nullptr,
               .top = frame_->top(),
               .call = sites_.built_in(expression.range) ? scope().call : &expression.range};
  for (std::uint32_t parameter = 0; parameter < function.parameters; ++parameter) {
    const Expression& argument = expression.operands[parameter];
    if (function.body.locals[parameter].by_reference) {
      callee.bindings[parameter] = scope().bindings[argument.id];
    } else if (const auto shared = share(function.body, parameter, argument)) {
      callee.bindings[parameter] = *shared;
    } else {
      bind(callee, parameter, value(argument));
    }
  }
  if (function.result != lang::Type::none) {
    auto* type = function.result == lang::Type::boolean ? ir().getInt1Ty() : ir().getInt64Ty();
    callee.result_value = llvm::PHINode::Create(type, 2);
    callee.result_value->insertInto(callee.leave, callee.leave->end());
    if (run_ahead_) {
      callee.result_mask = llvm::PHINode::Create(ir().getInt64Ty(), 2);
      callee.result_mask->insertInto(callee.leave, callee.leave->end());
    }
  }
  Scope* const caller = scope_;
  scope_ = &callee;
  sites_.enter(expression.range, is_one_block(function.body));
  stack_.run([&] {
    block(function.body.statements);
    if (frame_->reachable()) {  // control falls off the end
      if (callee.result_value != nullptr) {
        callee.result_value->addIncoming(llvm::Constant::getNullValue(callee.result_value->getType()),
                                         ir().GetInsertBlock());
      }
      if (callee.result_mask != nullptr)
        callee.result_mask->addIncoming(ir().getInt64(0), ir().GetInsertBlock());
      frame_->clear_to(callee.top);
      frame_->jump(callee.leave);
    }
  });
  sites_.leave();
  scope_ = caller;
  frame_->start(callee.leave);  // even if unreachable: the enclosing expression needs a current block
  frame_->release_cleared(callee.top);
  mask_ = callee.result_mask;
  return callee.result_value;
}

}  // namespace heddle::compiler
