// The call graph. The compiler inlines all calls, so recursion is an error, and a chain of functions that
// each call the next one twice must be rejected before it exhausts memory.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lang/declarations.hpp"
#include "lang/limits.hpp"
#include "lang/token.hpp"

namespace heddle::lang {
namespace {

struct Call {
  FunctionId callee = 0;
  std::uint64_t depth = 0;  // of statements and expressions around the call
  SourceRange range;
};

// The size of a body: first without its callees, then with them.
struct Extent {
  std::uint64_t statements = 0;
  std::uint64_t expressions = 0;
  std::uint64_t depth = 0;
  std::vector<Call> calls;
  std::string forbidden_in_final;         // an operation not allowed in `final`, empty if none
  std::string effect;                     // something other than loads and arithmetic, empty if none
  std::vector<const Expression*> awaits;  // the conditions of await statements
  bool loads = false;
  // What may not be in `atomic`: anything that waits, except for an `await` with which the block begins, and accesses
  // to plain variables.
  struct Refused {
    std::string what;
    SourceRange range;
  };
  std::vector<Refused> refused_in_atomic;  // by blocks of this body
  std::vector<Call> calls_in_atomic;
  std::string waits;  // something that waits, in the body or a callee; empty if nothing does
  std::string plain;  // a plain variable that it accesses; empty if there is none
};

std::string_view spelling_of(FetchOperator operation) {
  // Both lists have the same order.
  return spelling(
      static_cast<TokenKind>(static_cast<int>(TokenKind::fetch_add) + static_cast<int>(operation)));
}

// The name of an operation that does more than load or compute; empty for any other expression.
std::string_view effect_of(const Expression& node) {
  switch (node.kind) {
    case ExpressionKind::cas: return "cas";
    case ExpressionKind::exchange: return "exchange";
    case ExpressionKind::fetch: return spelling_of(node.fetch);
    case ExpressionKind::try_lock: return "trylock";
    case ExpressionKind::choose: return "choose";
    default: return {};
  }
}

class Measure {
 public:
  // `results`: the body's first locals that are its result.
  Measure(const Program& program, const Body& body, std::uint32_t results = 0)
      : program_(program), body_(body), results_(results) {
    statements(body.statements, 1);
  }
  [[nodiscard]] Extent take() { return std::move(extent_); }

 private:
  void forbid(std::string_view operation) {
    if (extent_.forbidden_in_final.empty()) extent_.forbidden_in_final = operation;
    if (extent_.effect.empty()) extent_.effect = operation;
  }

  void waits(const Statement& statement, std::string_view operation, bool begins_atomic) {
    if (extent_.waits.empty()) extent_.waits = operation;
    if (blocks_ > 0 && !begins_atomic)
      extent_.refused_in_atomic.push_back({fmt::format("'{}'", operation), statement.range});
  }
  void accesses(VariableId variable, const SourceRange& range) {
    if (!program_.variables[variable].is_plain) return;
    const std::string& name = program_.variables[variable].name;
    if (extent_.plain.empty()) extent_.plain = name;
    if (blocks_ > 0)
      extent_.refused_in_atomic.push_back({fmt::format("an access to the plain variable '{}'", name), range});
  }

  // `begins_atomic`: whether the list is the outermost block of an `atomic` that is in no other one.
  void statements(const std::vector<Statement>& list, std::uint64_t depth, bool begins_atomic = false) {
    for (const Statement& statement : list) {
      const bool first = begins_atomic && &statement == list.data();
      ++extent_.statements;
      extent_.depth = std::max(extent_.depth, depth);
      switch (statement.kind) {
        case StatementKind::either: forbid("either"); break;
        case StatementKind::atomic: forbid("atomic"); break;
        case StatementKind::progress:
          forbid("progress");
          if (blocks_ > 0) extent_.refused_in_atomic.push_back({"'progress'", statement.range});
          break;
        case StatementKind::restart: forbid("restart"); break;
        case StatementKind::fence: forbid("fence"); break;
        case StatementKind::lock:
          forbid("lock");
          waits(statement, "lock", false);
          break;
        case StatementKind::unlock: forbid("unlock"); break;
        case StatementKind::assume: forbid("assume"); break;
        case StatementKind::await:
          forbid("await");
          waits(statement, "await", first);
          extent_.awaits.push_back(&statement.expressions.front());
          break;
        case StatementKind::store:
          if (extent_.effect.empty()) extent_.effect = "a store";
          accesses(statement.id, statement.range);
          break;
        case StatementKind::assign:
          // This changes a variable of the caller.
          if (extent_.effect.empty() && statement.id >= results_ && body_.locals[statement.id].by_reference)
            extent_.effect = "a store";
          break;
        default: break;
      }
      for (const Expression& operand : statement.expressions) expression(operand, depth + 1);
      const bool atomic = statement.kind == StatementKind::atomic;
      blocks_ += atomic;
      statements(statement.body, depth + 1, atomic && blocks_ == 1);
      blocks_ -= atomic;
      statements(statement.otherwise, depth + 1);
    }
  }

  void expression(const Expression& node, std::uint64_t depth) {
    ++extent_.expressions;
    extent_.depth = std::max(extent_.depth, depth);
    switch (node.kind) {
      case ExpressionKind::call:
        extent_.calls.push_back({node.id, depth, node.range});
        if (blocks_ > 0) extent_.calls_in_atomic.push_back(extent_.calls.back());
        break;
      case ExpressionKind::load:
        extent_.loads = true;
        accesses(node.id, node.range);
        break;
      default:
        if (const auto effect = effect_of(node); !effect.empty()) forbid(effect);
        break;
    }
    for (const Expression& operand : node.operands) expression(operand, depth + 1);
  }

  const Program& program_;
  const Body& body_;
  std::uint32_t results_;
  unsigned blocks_ = 0;  // `atomic` blocks around the current statement
  Extent extent_;
};

class CallChecker {
 public:
  explicit CallChecker(Resolution& resolution) : resolution_(resolution), program_(resolution.program) {
    functions_.reserve(program_.functions.size());
    for (const Function& function : program_.functions)
      functions_.push_back(Measure(program_, function.body, function.results).take());
  }

  void run() {
    if (!order()) return;
    for (const FunctionId id : finished_) expand(functions_[id]);
    for (const Extent& function : functions_) check_awaits(function);
    for (const ThreadTemplate& thread : program_.templates) {
      Extent extent = Measure(program_, thread.body).take();
      check_awaits(extent);
      check_size(std::move(extent), fmt::format("thread '{}'", thread.name), thread.range);
    }
    if (program_.final_block) check_final(*program_.final_block);
  }

  // Once spin loops have become `await`s.
  void check_atomic_blocks() {
    for (FunctionId id = 0; id < functions_.size(); ++id) {
      const Function& function = program_.functions[id];
      functions_[id] = Measure(program_, function.body, function.results).take();
    }
    for (const FunctionId id : finished_) expand(functions_[id]);
    for (const Extent& function : functions_) check_atomic(function);
    for (const ThreadTemplate& thread : program_.templates)
      check_atomic(Measure(program_, thread.body).take());
  }

  // Turns loops like `while x != 0 { }` into `await`s, except those reachable from `final`, where there is no
  // other thread to wait for.
  void find_spin_loops() {
    std::vector<bool> in_final(functions_.size(), false);
    if (program_.final_block) {
      for (const Call& call : Measure(program_, *program_.final_block).take().calls)
        in_final[call.callee] = true;
    }
    // In reverse order, callers come before callees.
    for (auto id = finished_.rbegin(); id != finished_.rend(); ++id) {
      for (const Call& call : functions_[*id].calls) {
        if (in_final[*id]) in_final[call.callee] = true;
      }
    }
    for (FunctionId id = 0; id < functions_.size(); ++id) {
      if (!in_final[id]) convert(program_.functions[id].body.statements);
    }
    for (ThreadTemplate& thread : program_.templates) convert(thread.body.statements);
    program_.spin_loops = static_cast<std::uint32_t>(spins_.size());
  }

 private:
  // Depth-first search with an explicit stack; false if there is a recursion. Afterwards `finished_` lists
  // callees before callers.
  bool order() {
    std::vector<Mark> marks(functions_.size(), Mark::new_);
    bool acyclic = true;
    for (FunctionId root = 0; root < functions_.size(); ++root) {
      if (marks[root] == Mark::new_ && !visit(root, marks)) acyclic = false;
    }
    return acyclic;
  }

  enum class Mark : std::uint8_t { new_, open, done };
  struct Frame {
    FunctionId function;
    std::size_t next_call;
  };

  bool visit(FunctionId root, std::vector<Mark>& marks) {
    bool acyclic = true;
    std::vector<Frame> path{{root, 0}};
    marks[root] = Mark::open;
    while (!path.empty()) {
      const FunctionId current = path.back().function;
      if (path.back().next_call == functions_[current].calls.size()) {
        marks[current] = Mark::done;
        finished_.push_back(current);
        path.pop_back();
        continue;
      }
      const Call& call = functions_[current].calls[path.back().next_call++];
      if (marks[call.callee] == Mark::open) {
        acyclic = false;
        report_cycle(path, call);
      } else if (marks[call.callee] == Mark::new_) {
        marks[call.callee] = Mark::open;
        path.push_back({call.callee, 0});
      }
    }
    return acyclic;
  }

  void report_cycle(const std::vector<Frame>& path, const Call& call) {
    constexpr std::ptrdiff_t shown = 6;
    const auto begin = std::find_if(path.begin(), path.end(),
                                    [&](const Frame& frame) { return frame.function == call.callee; });
    std::string message = fmt::format("recursion: {}", program_.functions[call.callee].name);
    for (auto at = begin + 1; at < path.end(); ++at) {
      if (at - begin < shown) {
        message += fmt::format(" calls {}", program_.functions[at->function].name);
      } else if (at - begin == shown) {
        message += " calls ...";
      }
    }
    message += fmt::format(" calls {}", program_.functions[call.callee].name);
    resolution_.error(call.range, std::move(message), "calls are inlined: use a loop instead");
  }

  // Adds the sizes of the callees, which must already be expanded. Saturates, since sizes grow exponentially.
  void expand(Extent& extent) const {
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    for (const Call& call : extent.calls) {
      const Extent& callee = functions_[call.callee];
      extent.statements = std::min(most, extent.statements + callee.statements);
      extent.expressions = std::min(most, extent.expressions + callee.expressions);
      extent.depth = std::max(extent.depth, std::min(most, call.depth + callee.depth));
      if (extent.forbidden_in_final.empty()) extent.forbidden_in_final = callee.forbidden_in_final;
      if (extent.effect.empty()) extent.effect = callee.effect;
      extent.loads = extent.loads || callee.loads;
      if (extent.waits.empty()) extent.waits = callee.waits;
      if (extent.plain.empty()) extent.plain = callee.plain;
    }
  }

  // The condition of an await may be evaluated any number of times, so it may only load.
  void check_awaits(const Extent& extent) {
    for (const Expression* condition : extent.awaits) check_await(*condition);
  }

  void check_atomic(const Extent& extent) {
    static constexpr const char* wait_hint =
        "only the first statement of the outermost 'atomic' may wait, as an 'await'; an empty 'while' loop "
        "is one, too";
    static constexpr const char* plain_hint =
        "a race on it would have no two places: declare it without 'plain'";
    for (const auto& refused : extent.refused_in_atomic) {
      const bool waits = refused.what.starts_with('\'');
      resolution_.error(refused.range, fmt::format("{} is not allowed inside 'atomic'", refused.what),
                        waits ? wait_hint : plain_hint);
    }
    for (const Call& call : extent.calls_in_atomic) {
      const Extent& callee = functions_[call.callee];
      const std::string& name = program_.functions[call.callee].name;
      if (!callee.waits.empty()) {
        resolution_.error(
            call.range,
            fmt::format("'{}' uses '{}', which is not allowed inside 'atomic'", name, callee.waits),
            wait_hint);
      } else if (!callee.plain.empty()) {
        resolution_.error(
            call.range,
            fmt::format("'{}' accesses the plain variable '{}', which is not allowed inside 'atomic'", name,
                        callee.plain),
            plain_hint);
      }
    }
  }

  void check_await(const Expression& node) {
    static constexpr const char* hint = "an 'await' condition may only read: use a 'while' loop";
    if (const auto effect = effect_of(node); !effect.empty()) {
      resolution_.error(node.range, fmt::format("'{}' is not allowed in the condition of 'await'", effect),
                        hint);
    } else if (node.kind == ExpressionKind::call && !functions_[node.id].effect.empty()) {
      const auto& found = functions_[node.id].effect;
      const auto what = found == "a store" ? found : fmt::format("'{}'", found);
      resolution_.error(node.range,
                        fmt::format("'{}' uses {}, which is not allowed in the condition of 'await'",
                                    program_.functions[node.id].name, what),
                        hint);
    }
    for (const Expression& operand : node.operands) check_await(operand);
  }

  void convert(std::vector<Statement>& statements) {
    for (Statement& statement : statements) {
      convert(statement.body);
      convert(statement.otherwise);
      if (statement.kind != StatementKind::while_ || !is_empty(statement.body)) continue;
      Expression& condition = statement.expressions.front();
      if (!only_tries(condition) && (!looks(condition) || acts(condition))) continue;
      Expression negated;
      negated.kind = ExpressionKind::unary;
      negated.unary = UnaryOperator::logical_not;
      negated.type = Type::boolean;
      negated.range = condition.range;
      negated.operands.push_back(std::move(condition));
      condition = std::move(negated);
      statement.kind = StatementKind::await;
      statement.body.clear();
      spins_.emplace(statement.range.file, statement.range.begin);
    }
  }

  // `!cas(...)` and `!trylock m`: a round that fails has only read.
  [[nodiscard]] bool only_tries(const Expression& node) const {
    if (node.kind != ExpressionKind::unary || node.unary != UnaryOperator::logical_not) return false;
    const Expression& tried = node.operands.front();
    if (tried.kind != ExpressionKind::cas && tried.kind != ExpressionKind::try_lock) return false;
    return std::none_of(tried.operands.begin(), tried.operands.end(),
                        [this](const Expression& operand) { return acts(operand); });
  }

  static bool is_empty(const std::vector<Statement>& statements) {
    return std::all_of(statements.begin(), statements.end(), [](const Statement& statement) {
      return statement.kind == StatementKind::block && is_empty(statement.body);
    });
  }

  [[nodiscard]] bool looks(const Expression& node) const {
    if (node.kind == ExpressionKind::load) return true;
    if (node.kind == ExpressionKind::call && functions_[node.id].loads) return true;
    return std::any_of(node.operands.rbegin(), node.operands.rend(),
                       [this](const Expression& operand) { return looks(operand); });
  }

  [[nodiscard]] bool acts(const Expression& node) const {
    if (!effect_of(node).empty()) return true;
    if (node.kind == ExpressionKind::call && !functions_[node.id].effect.empty()) return true;
    return std::any_of(node.operands.rbegin(), node.operands.rend(),
                       [this](const Expression& operand) { return acts(operand); });
  }

  void check_size(Extent extent, const std::string& what, const SourceRange& range) {
    expand(extent);
    if (extent.statements > limits::inlined_statements || extent.expressions > limits::inlined_expressions) {
      resolution_.error(range, fmt::format("{} is too large", what),
                        fmt::format("with its calls inlined, it has more than {} statements or {} operations",
                                    limits::inlined_statements, limits::inlined_expressions));
    } else if (extent.depth > limits::inlined_depth) {
      resolution_.error(
          range, fmt::format("{} is nested too deeply", what),
          fmt::format("with its calls inlined, it has more than {} levels", limits::inlined_depth));
    }
  }

  void check_final(const Body& body) {
    Extent extent = Measure(program_, body).take();
    for (const Call& call : extent.calls) {
      const Extent& callee = functions_[call.callee];
      if (callee.forbidden_in_final.empty()) continue;
      resolution_.error(call.range,
                        fmt::format("'{}' uses '{}', which is not allowed in 'final'",
                                    program_.functions[call.callee].name, callee.forbidden_in_final),
                        "'final' runs after all threads have ended");
    }
    const SourceRange range = body.statements.empty() ? SourceRange{} : body.statements.front().range;
    check_size(std::move(extent), "'final'", range);
  }

  Resolution& resolution_;
  Program& program_;
  std::vector<Extent> functions_;
  std::vector<FunctionId> finished_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> spins_;  // positions of converted loops
};

}  // namespace

void check_calls(Resolution& resolution, bool spin_await) {
  CallChecker checker(resolution);
  checker.run();
  if (resolution.diagnostics.any()) return;
  if (spin_await) checker.find_spin_loops();
  checker.check_atomic_blocks();
}

}  // namespace heddle::lang
