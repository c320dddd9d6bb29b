#include "tests/jit/interpreter.hpp"

#include <limits>
#include <memory>

namespace heddle::test {
namespace {

using compiler::Op;
using lang::Expression;
using lang::ExpressionKind;
using lang::Statement;
using lang::StatementKind;

struct Stop {};  // the thread has ended, or cannot continue

enum class Flow { next, broken, continued, returned };

class Interpreter {
 public:
  Interpreter(const lang::Program& program, const compiler::Image& image, Host& host, std::uint32_t unroll,
              std::size_t steps)
      : program_(program), image_(image), host_(host), unroll_(unroll), steps_(steps) {}

  Interpreted run(std::size_t number) {
    const lang::Thread& thread = program_.threads[number];
    const lang::ThreadTemplate& code = program_.templates[thread.thread_template];
    Locals locals = make_locals(code.body);
    if (code.is_family) locals[0]->front() = thread.argument;
    locals_ = &locals;
    try {
      block(code.body.statements);
      request({.op = Op::done});
    } catch (const Stop&) {
    }
    for (std::size_t local = 0; local < locals.size(); ++local) {
      const lang::Local& declared = code.body.locals[local];
      if (!declared.top_level) continue;
      const bool boolean = declared.type == lang::Type::boolean;
      for (std::uint32_t k = 0; k < declared.length; ++k) {
        const std::int64_t held = (*locals[local])[k];
        result_.locals.push_back(lang::element_name(declared.name, declared.is_array, declared.elements, k) +
                                 " = " + (boolean ? (held != 0 ? "true" : "false") : std::to_string(held)));
      }
    }
    return std::move(result_);
  }

 private:
  struct Request {
    Op op;
    std::int64_t value = 0;
    std::int64_t expected = 0;
    std::int64_t location = 0;
    lang::FenceKind fence = lang::FenceKind::full;
    std::string message = {};
  };

  std::int64_t request(const Request& asked) {
    compiler::Mailbox mail{};
    mail.op = asked.op;
    mail.value = asked.value;
    mail.expected = asked.expected;
    mail.location = static_cast<std::uint32_t>(asked.location);
    mail.fence = static_cast<compiler::Fence>(asked.fence);
    mail.in_await = asked.op == Op::load && in_await_ ? 1 : 0;
    // The message of an assertion belongs to its site, which only the compiled code has.
    std::string entry =
        asked.op == Op::assert_failed ? "assert_failed " + asked.message : describe(image_, mail);
    const bool go_on = host_.perform(mail, entry);
    result_.log.push_back(std::move(entry));
    if (!go_on || result_.log.size() >= steps_) throw Stop{};
    return mail.value;
  }

  std::int64_t location(std::uint32_t id, const Expression* index) {
    const lang::Variable& variable = program_.variables[id];
    if (index == nullptr) return variable.first_location;
    const std::int64_t number = value(*index);
    if (number < 0 || number >= variable.length) {
      request({.op = Op::index_out_of_bounds, .value = number, .expected = variable.length});
    }
    return variable.first_location + number;
  }

  std::int64_t binary(lang::BinaryOperator op, std::int64_t left, std::int64_t right) {
    using lang::BinaryOperator;
    const auto a = static_cast<std::uint64_t>(left);
    const auto b = static_cast<std::uint64_t>(right);
    const auto wrapped = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    switch (op) {
      case BinaryOperator::add: return wrapped(a + b);
      case BinaryOperator::subtract: return wrapped(a - b);
      case BinaryOperator::multiply: return wrapped(a * b);
      case BinaryOperator::divide:
        if (right == 0) request({.op = Op::division_by_zero});
        return right == -1 ? wrapped(0 - a) : left / right;
      case BinaryOperator::remainder:
        if (right == 0) request({.op = Op::division_by_zero});
        return right == -1 ? 0 : left % right;
      case BinaryOperator::shift_left: return wrapped(a << (b & 63U));
      case BinaryOperator::shift_right: return left >> (b & 63U);
      case BinaryOperator::bit_and: return wrapped(a & b);
      case BinaryOperator::bit_or: return wrapped(a | b);
      case BinaryOperator::bit_xor: return wrapped(a ^ b);
      case BinaryOperator::equal: return left == right ? 1 : 0;
      case BinaryOperator::not_equal: return left != right ? 1 : 0;
      case BinaryOperator::less: return left < right ? 1 : 0;
      case BinaryOperator::less_equal: return left <= right ? 1 : 0;
      case BinaryOperator::greater: return left > right ? 1 : 0;
      case BinaryOperator::greater_equal: return left >= right ? 1 : 0;
    }
    return 0;
  }

  std::int64_t value(const Expression& e) {
    const auto operand = [&](std::size_t k) { return value(e.operands[k]); };
    switch (e.kind) {
      case ExpressionKind::literal: return e.value;
      case ExpressionKind::local:
        return e.operands.empty() ? local(e.id) : element(e.id, value(e.operands[0]));
      case ExpressionKind::bounded: {
        const std::int64_t index = operand(0);
        if (index < 0 || index >= e.value) {
          request({.op = Op::index_out_of_bounds, .value = index, .expected = e.value});
        }
        return index;
      }
      case ExpressionKind::unary: {
        const std::int64_t inner = operand(0);
        if (e.unary == lang::UnaryOperator::logical_not) return inner == 0 ? 1 : 0;
        if (e.unary == lang::UnaryOperator::complement) return ~inner;
        return binary(lang::BinaryOperator::subtract, 0, inner);
      }
      case ExpressionKind::binary: {
        const std::int64_t left = operand(0);
        return binary(e.binary, left, operand(1));
      }
      case ExpressionKind::logical_and: return operand(0) != 0 ? operand(1) : 0;
      case ExpressionKind::logical_or: return operand(0) != 0 ? 1 : operand(1);
      case ExpressionKind::conditional: return operand(0) != 0 ? operand(1) : operand(2);
      case ExpressionKind::call: return call(e);
      case ExpressionKind::choose: {
        const std::int64_t low = operand(0);
        const std::int64_t high = operand(1);
        return request({.op = low < high ? Op::choose : Op::empty_choice, .value = low, .expected = high});
      }
      default: return operation(e);
    }
  }

  std::int64_t operation(const Expression& e) {
    const bool array = program_.variables[e.id].is_array;
    const std::int64_t where = location(e.id, array ? &e.operands[0] : nullptr);
    const std::size_t first = array ? 1 : 0;
    switch (e.kind) {
      case ExpressionKind::load: return request({.op = Op::load, .location = where});
      case ExpressionKind::try_lock: return request({.op = Op::try_lock, .location = where});
      case ExpressionKind::exchange:
        return request({.op = Op::exchange, .value = value(e.operands[first]), .location = where});
      case ExpressionKind::fetch: {
        const auto op = static_cast<Op>(static_cast<int>(Op::fetch_add) + static_cast<int>(e.fetch));
        return request({.op = op, .value = value(e.operands[first]), .location = where});
      }
      default: {
        const std::int64_t expected = value(e.operands[first]);
        const std::int64_t desired = value(e.operands[first + 1]);
        const std::int64_t read =
            request({.op = Op::compare_exchange, .value = desired, .expected = expected, .location = where});
        return read == expected ? 1 : 0;
      }
    }
  }

  // By local; parameters by reference share the caller's.
  using Locals = std::vector<std::shared_ptr<std::vector<std::int64_t>>>;

  static Locals make_locals(const lang::Body& body) {
    Locals locals;
    for (const lang::Local& local : body.locals) {
      locals.push_back(std::make_shared<std::vector<std::int64_t>>(local.length));
    }
    return locals;
  }

  std::int64_t& local(lang::LocalId id) { return (*locals_)[id]->front(); }

  std::int64_t& element(lang::LocalId id, std::int64_t index) {
    std::vector<std::int64_t>& cells = *(*locals_)[id];
    const auto size = static_cast<std::int64_t>(cells.size());
    if (index < 0 || index >= size)
      request({.op = Op::index_out_of_bounds, .value = index, .expected = size});
    return cells[static_cast<std::size_t>(index)];
  }

  std::int64_t call(const Expression& e) {
    const lang::Function& function = program_.functions[e.id];
    Locals locals = make_locals(function.body);
    for (std::size_t k = 0; k < e.operands.size(); ++k) {
      if (function.body.locals[k].by_reference) {
        locals[k] = (*locals_)[e.operands[k].id];
      } else {
        locals[k]->front() = value(e.operands[k]);
      }
    }
    Locals* const caller = std::exchange(locals_, &locals);
    returned_ = 0;
    block(function.body.statements);
    locals_ = caller;
    return std::exchange(returned_, 0);
  }

  Flow block(const std::vector<Statement>& statements) {
    for (const Statement& inner : statements) {
      if (const Flow flow = statement(inner); flow != Flow::next) return flow;
    }
    return Flow::next;
  }

  Flow statement(const Statement& s) {
    const bool indexed =
        (s.kind == StatementKind::store && s.expressions.size() == 2) ||
        ((s.kind == StatementKind::lock || s.kind == StatementKind::unlock) && !s.expressions.empty());
    const Expression* const index = indexed ? &s.expressions[0] : nullptr;
    switch (s.kind) {
      case StatementKind::block: return block(s.body);
      case StatementKind::declare: {
        std::vector<std::int64_t>& cells = *(*locals_)[s.id];
        std::int64_t initial = 0;
        for (std::size_t k = 0; k < cells.size(); ++k) {
          if (k < s.expressions.size()) initial = value(s.expressions[k]);
          cells[k] = initial;
        }
        break;
      }
      case StatementKind::assign:
        if (s.expressions.size() == 2) {
          std::int64_t& cell = element(s.id, value(s.expressions[0]));
          cell = value(s.expressions[1]);
        } else {
          const std::int64_t assigned = value(s.expressions[0]);
          local(s.id) = assigned;
        }
        break;
      case StatementKind::store: {
        const std::int64_t where = location(s.id, index);
        std::int64_t stored = 0;
        if (s.compound) {
          const std::int64_t old = request({.op = Op::load, .location = where});
          stored = binary(*s.compound, old, value(s.expressions.back()));
        } else {
          stored = value(s.expressions.back());
        }
        request({.op = Op::store, .value = stored, .location = where});
        break;
      }
      case StatementKind::if_: return block(value(s.expressions[0]) != 0 ? s.body : s.otherwise);
      case StatementKind::while_:
        for (std::uint32_t rounds = 0; value(s.expressions[0]) != 0; ++rounds) {
          if (rounds == unroll_) request({.op = Op::loop_bound});
          const Flow flow = block(s.body);
          if (flow == Flow::broken) break;
          if (flow == Flow::returned) return flow;
        }
        break;
      case StatementKind::for_: {
        const std::int64_t from = value(s.expressions[0]);
        const std::int64_t to = value(s.expressions[1]);
        for (std::int64_t k = from; k < to; ++k) {
          if (static_cast<std::uint64_t>(k) - static_cast<std::uint64_t>(from) >= 1'000'000) {
            request({.op = Op::loop_bound});
          }
          local(s.id) = k;
          const Flow flow = block(s.body);
          if (flow == Flow::broken) break;
          if (flow == Flow::returned) return flow;
        }
        break;
      }
      case StatementKind::break_: return Flow::broken;
      case StatementKind::continue_: return Flow::continued;
      case StatementKind::return_:
        if (!s.expressions.empty()) returned_ = value(s.expressions[0]);
        return Flow::returned;
      case StatementKind::evaluate: value(s.expressions[0]); break;
      case StatementKind::progress: break;  // the comparison is with loops that are bounded
      case StatementKind::restart: break;   // random programs have none
      case StatementKind::fence: request({.op = Op::fence, .fence = s.fence}); break;
      case StatementKind::lock: request({.op = Op::lock, .location = location(s.id, index)}); break;
      case StatementKind::unlock: request({.op = Op::unlock, .location = location(s.id, index)}); break;
      case StatementKind::assert_:
        if (value(s.expressions[0]) == 0) request({.op = Op::assert_failed, .message = s.text});
        break;
      case StatementKind::assume:
        if (value(s.expressions[0]) == 0) request({.op = Op::assume_failed});
        break;
      case StatementKind::await: {
        const bool around = std::exchange(in_await_, true);
        std::int64_t awaited = 0;
        while ((awaited = value(s.expressions[0])) == 0) request({.op = Op::await_failed});
        in_await_ = around;
        if (s.gives) local(s.id) = awaited;
        break;
      }
      case StatementKind::atomic: return block(s.body);
      case StatementKind::either: {
        const auto chosen = value(s.expressions[0]);
        if (s.body.size() > 1) return block(s.body[static_cast<std::size_t>(chosen)].body);
        local(s.id) = chosen;
        return block(s.body[0].body);
      }
    }
    return Flow::next;
  }

  const lang::Program& program_;
  const compiler::Image& image_;
  Host& host_;
  std::uint32_t unroll_;
  std::size_t steps_;
  Interpreted result_;
  Locals* locals_ = nullptr;
  std::int64_t returned_ = 0;
  bool in_await_ = false;
};

}  // namespace

Interpreted interpret(const lang::Program& program, const compiler::Image& image, std::size_t thread,
                      Host& host, std::uint32_t unroll, std::size_t steps) {
  return Interpreter(program, image, host, unroll, steps).run(thread);
}

}  // namespace heddle::test
