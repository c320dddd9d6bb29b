#include "tests/power_oracle/paths.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>
#include <utility>

namespace heddle::power_oracle {

namespace {

using lang::BinaryOperator;
using lang::Expression;
using lang::ExpressionKind;
using lang::Statement;
using lang::StatementKind;

constexpr std::size_t most_thread_steps = 200'000;

// The end of a path.
struct Stop {};

// The alternatives taken so far. They are replayed up to the last one with untried alternatives.
class Decisions {
 public:
  unsigned choose(unsigned alternatives) {
    if (alternatives == 1) return 0;
    if (next_ == taken_.size()) taken_.push_back({0, alternatives});
    return taken_[next_++].first;
  }
  // Moves on to the next path. Returns whether there is one.
  bool advance() {
    next_ = 0;
    while (!taken_.empty() && taken_.back().first + 1 == taken_.back().second) taken_.pop_back();
    if (taken_.empty()) return false;
    ++taken_.back().first;
    return true;
  }
  [[nodiscard]] std::size_t made() const { return next_; }
  [[nodiscard]] std::vector<unsigned> list() const {
    std::vector<unsigned> result;
    for (std::size_t i = 0; i < next_; ++i) result.push_back(taken_[i].first);
    return result;
  }

 private:
  std::vector<std::pair<unsigned, unsigned>> taken_;
  std::size_t next_ = 0;
};

// Whether an expression has no visible effect, cannot fail and terminates, so that it can be evaluated even
// if it is not needed.
class Silent {
 public:
  explicit Silent(const lang::Program& program) : program_(program) {}

  [[nodiscard]] bool expression(const lang::Body& body, const Expression& e) const {
    switch (e.kind) {
      case ExpressionKind::literal: return true;
      case ExpressionKind::local:
        if (!e.operands.empty() && !within(e.operands[0], body.locals[e.id].length)) return false;
        break;
      case ExpressionKind::bounded:
        if (!within(e.operands[0], static_cast<std::uint64_t>(e.value))) return false;
        break;
      case ExpressionKind::binary:
        if (e.binary == BinaryOperator::divide || e.binary == BinaryOperator::remainder) return false;
        break;
      case ExpressionKind::call: {
        const lang::Function& function = program_.functions[e.id];
        for (std::uint32_t i = 0; i < function.parameters; ++i) {
          if (function.body.locals[i].by_reference) return false;
        }
        if (!statements(function.body, function.body.statements)) return false;
        break;
      }
      case ExpressionKind::unary:
      case ExpressionKind::logical_and:
      case ExpressionKind::logical_or:
      case ExpressionKind::conditional: break;
      default: return false;
    }
    return std::ranges::all_of(e.operands, [&](const Expression& o) { return expression(body, o); });
  }

 private:
  [[nodiscard]] bool statements(const lang::Body& body, const std::vector<Statement>& list) const {
    return std::ranges::all_of(list, [&](const Statement& s) { return statement(body, s); });
  }
  [[nodiscard]] bool statement(const lang::Body& body, const Statement& s) const {
    switch (s.kind) {
      case StatementKind::block:
      case StatementKind::declare:
      case StatementKind::if_:
      case StatementKind::break_:
      case StatementKind::continue_:
      case StatementKind::return_:
      case StatementKind::evaluate: break;
      case StatementKind::assign:
        if (s.expressions.size() == 2 && !within(s.expressions[0], body.locals[s.id].length)) return false;
        break;
      case StatementKind::for_:
        if (s.expressions[0].kind != ExpressionKind::literal ||
            s.expressions[1].kind != ExpressionKind::literal)
          return false;
        break;
      default: return false;
    }
    return std::ranges::all_of(s.expressions, [&](const Expression& e) { return expression(body, e); }) &&
           statements(body, s.body) && statements(body, s.otherwise);
  }
  static bool within(const Expression& index, std::uint64_t length) {
    return index.kind == ExpressionKind::literal && static_cast<std::uint64_t>(index.value) < length;
  }
  const lang::Program& program_;
};

class Interpreter {
 public:
  // For one thread by itself.
  Interpreter(const lang::Program& program, const PathOptions& options, const std::vector<Domain>& locations,
              Decisions& decisions)
      : program_(program),
        options_(options),
        silent_(program),
        locations_(&locations),
        decisions_(&decisions) {}
  // For code that runs alone, on the memory.
  Interpreter(const lang::Program& program, const PathOptions& options, std::vector<std::int64_t>& memory)
      : program_(program), options_(options), silent_(program), memory_(&memory) {}

  Path thread(lang::ThreadId id) {
    const lang::Thread& thread = program_.threads[id];
    const lang::ThreadTemplate& code = program_.templates[thread.thread_template];
    Frame frame = enter(code.body);
    if (code.is_family) (*frame.locals[0])[0] = number(thread.argument);
    frame_ = &frame;
    try {
      block(code.body.statements);
    } catch (const Stop&) {
    }
    for (const auto& local : frame.locals) {
      auto& terms = path_.locals.emplace_back();
      for (const Value& value : *local) terms.push_back(value.term);
    }
    path_.decisions = decisions_->list();
    return std::move(path_);
  }

  void final_block() {
    Frame frame = enter(*program_.final_block);
    frame_ = &frame;
    try {
      block(program_.final_block->statements);
    } catch (const Stop&) {
    }
  }

  bool condition(const Expression& expression, const lang::Body& body,
                 const std::vector<std::vector<std::int64_t>>& locals) {
    Frame frame = enter(body);
    for (std::size_t i = 0; i < locals.size(); ++i) {
      for (std::size_t k = 0; k < locals[i].size(); ++k) (*frame.locals[i])[k] = number(locals[i][k]);
    }
    frame_ = &frame;
    return branch(expression);
  }

 private:
  enum class Flow : std::uint8_t { next, break_, continue_, return_ };

  struct Frame {
    const lang::Body* body = nullptr;
    std::vector<std::shared_ptr<std::vector<Value>>> locals;
    Value result;
  };

  Terms& terms() { return path_.terms; }
  Value number(std::int64_t value) { return {terms().constant(value), 0}; }

  Frame enter(const lang::Body& body) {
    Frame frame;
    frame.body = &body;
    for (const lang::Local& local : body.locals)
      frame.locals.push_back(std::make_shared<std::vector<Value>>(local.length, number(0)));
    frame.result = number(0);
    return frame;
  }

  [[noreturn]] void stop(Path::End end) {
    path_.end = end;
    throw Stop{};
  }
  [[noreturn]] void fail(Failure failure, const lang::SourceRange& range) {
    if (memory_ != nullptr) throw Failed{failure, range, {}};
    path_.failure = failure;
    path_.range = range;
    stop(Path::End::failed);
  }

  // Decisions.

  unsigned choose(std::size_t alternatives) {
    if (alternatives == 0) stop(Path::End::cut);
    if (alternatives == 1) return 0;
    return decisions_->choose(static_cast<unsigned>(alternatives));
  }

  void demand(Term holds) {
    path_.constraints.push_back({holds, path_.events.size()});
    const Set reads = terms().reads(holds);
    if (std::popcount(reads) != 1) return;
    const auto read = static_cast<unsigned>(std::countr_zero(reads));
    auto& domain = path_.domains[read];
    if (!domain) return;
    std::vector<std::int64_t> values(path_.domains.size());
    std::erase_if(*domain, [&](std::int64_t value) {
      values[read] = value;
      return terms().evaluate(holds, values) == 0;
    });
    if (domain->empty()) stop(Path::End::cut);
  }

  bool decide(Term term) {
    if (const auto value = terms().known(term)) return *value != 0;
    const Term truth = terms().truth(term);
    const Domain values = terms().values(truth, path_.domains);
    const bool both = !values || values->size() == 2;
    if (!both && values->empty()) stop(Path::End::cut);
    if (!both) return *values->begin() != 0;
    const bool yes = choose(2) == 0;
    demand(yes ? truth : terms().unary(lang::UnaryOperator::logical_not, truth));
    return yes;
  }

  // Chooses one of the values that the term may have.
  std::int64_t settle(const Value& value) {
    if (const auto known = terms().known(value.term)) return *known;
    const Domain values = terms().values(value.term, path_.domains);
    if (!values) throw TooLarge("a choice from a range that has too many values");
    auto place = values->begin();
    std::advance(place, choose(values->size()));
    demand(terms().binary(BinaryOperator::equal, value.term, terms().constant(*place)));
    return *place;
  }

  // The value as an index below `length`; fails if it is out of bounds.
  std::uint32_t index(const Value& value, std::uint32_t length, const lang::SourceRange& range) {
    std::vector<std::uint32_t> inside;
    bool outside = false;
    const auto look = [&](std::int64_t i) {
      if (i >= 0 && i < std::int64_t{length}) {
        inside.push_back(static_cast<std::uint32_t>(i));
      } else {
        outside = true;
      }
    };
    if (const auto known = terms().known(value.term)) {
      look(*known);
    } else if (const Domain values = terms().values(value.term, path_.domains)) {
      for (const std::int64_t i : *values) look(i);
    } else {
      for (std::uint32_t i = 0; i < length; ++i) inside.push_back(i);
      outside = true;
    }
    if (options_.loose && inside.empty()) return 0;
    const unsigned chosen = choose(inside.size() + (outside ? 1 : 0));
    const bool fails = chosen == inside.size();
    if (!terms().known(value.term)) {
      if (fails) {
        demand(terms().binary(
            BinaryOperator::bit_or, terms().binary(BinaryOperator::less, value.term, terms().constant(0)),
            terms().binary(BinaryOperator::greater_equal, value.term, terms().constant(length))));
      } else {
        demand(terms().binary(BinaryOperator::equal, value.term, terms().constant(inside[chosen])));
      }
    }
    if (fails) fail(Failure::index_out_of_bounds, range);
    return inside[chosen];
  }

  // Events.

  PathEvent& event(std::uint32_t location, Set address) {
    if (path_.events.size() == most_events) throw TooLarge("a thread of more than 64 events");
    PathEvent& event = path_.events.emplace_back();
    event.location = location;
    event.address = address;
    event.control = control_;
    event.control_isync = control_isync_;
    path_.domains.emplace_back(std::set<std::int64_t>());
    path_.decisions_before.push_back(decisions_->made());
    return event;
  }

  Value read(std::uint32_t location, Set address) {
    if (memory_ != nullptr) return number((*memory_)[location]);
    const auto id = static_cast<unsigned>(path_.events.size());
    event(location, address);
    path_.domains[id] = (*locations_)[location];
    return {terms().read(id), only(id)};
  }

  void write(std::uint32_t location, Set address, const Value& value, int read_of_pair = -1) {
    if (memory_ != nullptr) {
      (*memory_)[location] = *terms().known(value.term);
      return;
    }
    PathEvent& e = event(location, address);
    e.writes = true;
    e.value = value.term;
    e.data = value.depends;
    e.read_of_pair = read_of_pair;
  }

  void fence(lang::FenceKind kind) {
    if (memory_ != nullptr) return;
    path_.fences.push_back({kind, path_.events.size()});
    if (kind == lang::FenceKind::instruction) control_isync_ |= control_;
  }

  int newest() const { return static_cast<int>(path_.events.size()) - 1; }

  // Expressions.

  Value value(const Expression& e) {
    switch (e.kind) {
      case ExpressionKind::literal: return number(e.value);
      case ExpressionKind::local: return local(e);
      case ExpressionKind::unary: {
        const Value operand = value(e.operands[0]);
        return {terms().unary(e.unary, operand.term), operand.depends};
      }
      case ExpressionKind::binary: {
        const Value left = value(e.operands[0]);
        const Value right = value(e.operands[1]);
        return binary(e.binary, left, right, e.range);
      }
      case ExpressionKind::logical_and:
      case ExpressionKind::logical_or: return logical(e);
      case ExpressionKind::conditional: return value(e.operands[branch(e.operands[0]) ? 1 : 2]);
      case ExpressionKind::call: return call(e);
      case ExpressionKind::choose: {
        const std::int64_t low = settle(branched(value(e.operands[0])));
        const std::int64_t high = settle(branched(value(e.operands[1])));
        if (low >= high) fail(Failure::empty_choice, e.range);
        if (static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) > options_.most_paths)
          throw TooLarge("a choice from many values");
        return number(low + choose(static_cast<std::size_t>(high - low)));
      }
      case ExpressionKind::bounded: {
        const Value i = value(e.operands[0]);
        return {terms().constant(index(i, static_cast<std::uint32_t>(e.value), e.range)), i.depends};
      }
      case ExpressionKind::let: return let(e);
      default: return operation(e);
    }
  }

  Value let(const Expression& e) {
    const Expression& first = e.operands[0];
    if (first.type == lang::Type::none) {
      for (std::int64_t i = 0; i < e.value; ++i)
        std::ranges::fill(*frame_->locals[e.id + static_cast<std::size_t>(i)], number(0));
      static_cast<void>(value(first));
    } else {
      (*frame_->locals[e.id])[0] = value(first);
    }
    return value(e.operands[1]);
  }

  // Branches on the value.
  Value branched(const Value& value) {
    control_ |= value.depends;
    return value;
  }

  Value binary(BinaryOperator op, const Value& left, const Value& right, const lang::SourceRange& range) {
    if (op == BinaryOperator::divide || op == BinaryOperator::remainder) {
      if (!decide(branched(right).term)) fail(Failure::division_by_zero, range);
      return {terms().binary(op, left.term, right.term), left.depends};
    }
    return {terms().binary(op, left.term, right.term), left.depends | right.depends};
  }

  Value local(const Expression& e) {
    if (e.operands.empty()) return (*frame_->locals[e.id])[0];
    const Value i = value(e.operands[0]);
    const std::uint32_t place = index(i, frame_->body->locals[e.id].length, e.range);
    Value element = (*frame_->locals[e.id])[place];
    element.depends |= i.depends;
    return element;
  }

  // Branches on a condition.
  bool branch(const Expression& e) {
    if (e.kind == ExpressionKind::unary && e.unary == lang::UnaryOperator::logical_not)
      return !branch(e.operands[0]);
    if (e.kind == ExpressionKind::logical_and) return branch(e.operands[0]) && branch(e.operands[1]);
    if (e.kind == ExpressionKind::logical_or) return branch(e.operands[0]) || branch(e.operands[1]);
    return decide(branched(value(e)).term);
  }

  // && and || as a value branch only if evaluating the right operand is visible.
  Value logical(const Expression& e) {
    if (!silent_.expression(*frame_->body, e.operands[1])) return number(branch(e) ? 1 : 0);
    const Value left = value(e.operands[0]);
    const Value right = value(e.operands[1]);
    const auto op = e.kind == ExpressionKind::logical_and ? BinaryOperator::bit_and : BinaryOperator::bit_or;
    return {terms().binary(op, terms().truth(left.term), terms().truth(right.term)),
            left.depends | right.depends};
  }

  Value call(const Expression& e) {
    const lang::Function& function = program_.functions[e.id];
    Frame callee = enter(function.body);
    for (std::uint32_t i = 0; i < function.parameters; ++i) {
      if (function.body.locals[i].by_reference) {
        callee.locals[i] = frame_->locals[e.operands[i].id];
      } else {
        (*callee.locals[i])[0] = value(e.operands[i]);
      }
    }
    Frame* const caller = std::exchange(frame_, &callee);
    block(function.body.statements);
    frame_ = caller;
    return callee.result;
  }

  struct Place {
    std::uint32_t first = 0;
    std::uint32_t length = 1;
    std::optional<Value> index;
    lang::SourceRange range;
  };
  Place place(std::uint32_t id, const std::vector<Expression>& operands, const lang::SourceRange& range) {
    const lang::Variable& variable = program_.variables[id];
    Place result{variable.first_location, variable.length, {}, range};
    if (variable.is_array) result.index = value(operands[0]);
    return result;
  }
  std::uint32_t location(const Place& place) {
    return place.first + (place.index ? index(*place.index, place.length, place.range) : 0);
  }
  static Set address(const Place& place) { return place.index ? place.index->depends : 0; }

  // load, cas, exchange, fetch_*, trylock
  Value operation(const Expression& e) {
    const Place target = place(e.id, e.operands, e.range);
    std::vector<Value> operands;
    for (std::size_t i = target.index ? 1 : 0; i < e.operands.size(); ++i)
      operands.push_back(value(e.operands[i]));
    const std::uint32_t where = location(target);
    const Set through = address(target);
    switch (e.kind) {
      case ExpressionKind::load: return read(where, through);
      case ExpressionKind::exchange: {
        const Value old = read(where, through);
        write(where, through, operands[0], newest());
        return old;
      }
      case ExpressionKind::fetch: {
        const Value old = read(where, through);
        write(where, through,
              {terms().fetch(e.fetch, old.term, operands[0].term), old.depends | operands[0].depends},
              newest());
        return old;
      }
      case ExpressionKind::cas: {
        const Value old = read(where, through);
        control_ |= old.depends | operands[0].depends;
        const bool equal = decide(terms().binary(BinaryOperator::equal, old.term, operands[0].term));
        if (equal) write(where, through, operands[1], newest());
        return {terms().constant(equal ? 1 : 0), old.depends};
      }
      case ExpressionKind::try_lock: return {terms().constant(acquire(where, through, false) ? 1 : 0), 0};
      default: throw TooLarge("an expression that the oracle does not know");
    }
  }

  bool acquire(std::uint32_t mutex, Set through, bool waits) {
    if (waits && choose(2) == 1) {
      path_.mutex = mutex;
      stop(Path::End::locking);
    }
    fence(lang::FenceKind::full);
    const Value held = read(mutex, through);
    if (waits) demand(terms().unary(lang::UnaryOperator::logical_not, held.term));
    const bool free = waits || !decide(held.term);
    if (free) {
      write(mutex, through, number(1), newest());
      held_.push_back(mutex);
    }
    fence(lang::FenceKind::full);
    return free;
  }

  void release(std::uint32_t mutex, Set through, const lang::SourceRange& range) {
    const auto mine = std::ranges::find(held_, mutex);
    if (mine == held_.end()) fail(Failure::unlock_not_owner, range);
    held_.erase(mine);
    fence(lang::FenceKind::full);
    write(mutex, through, number(0));
    fence(lang::FenceKind::full);
  }

  // Statements.

  Flow block(const std::vector<Statement>& statements) {
    for (const Statement& s : statements) {
      const Flow flow = statement(s);
      if (flow != Flow::next) return flow;
    }
    return Flow::next;
  }

  Flow statement(const Statement& s) {
    if (++steps_ > most_thread_steps) throw TooLarge("a thread that computes for long");
    switch (s.kind) {
      case StatementKind::block: return block(s.body);
      case StatementKind::declare: declare(s); break;
      case StatementKind::assign: assign(s); break;
      case StatementKind::store: store(s); break;
      case StatementKind::if_: return block(branch(s.expressions[0]) ? s.body : s.otherwise);
      case StatementKind::while_: return while_loop(s);
      case StatementKind::for_: return for_loop(s);
      case StatementKind::break_: return Flow::break_;
      case StatementKind::continue_: return Flow::continue_;
      case StatementKind::return_:
        if (!s.expressions.empty()) frame_->result = value(s.expressions[0]);
        return Flow::return_;
      case StatementKind::evaluate: static_cast<void>(value(s.expressions[0])); break;
      case StatementKind::progress: break;
      case StatementKind::fence: fence(s.fence); break;
      case StatementKind::lock:
      case StatementKind::unlock: {
        const Place target = place(s.id, s.expressions, s.range);
        const std::uint32_t mutex = location(target);
        if (s.kind == StatementKind::lock) {
          acquire(mutex, address(target), true);
        } else {
          release(mutex, address(target), s.range);
        }
        break;
      }
      case StatementKind::assert_: {
        const Value holds = value(s.expressions[0]);
        if (memory_ == nullptr) {
          path_.checks.push_back({holds.term, path_.events.size(), path_.constraints.size(),
                                  decisions_->made(), s.range, s.text});
        } else if (terms().known(holds.term) == 0) {
          throw Failed{Failure::assertion, s.range, s.text};
        }
        break;
      }
      case StatementKind::assume: {
        const Value holds = value(s.expressions[0]);
        if (!options_.loose && !assumed(holds.term)) stop(Path::End::cut);
        break;
      }
      case StatementKind::await:
        if (memory_ == nullptr && choose(2) == 1) {
          path_.awaited = &s.expressions[0];
          path_.environment.body = frame_->body;
          for (const auto& local : frame_->locals) {
            auto& values = path_.environment.locals.emplace_back();
            for (const Value& v : *local) values.push_back(v.term);
          }
          stop(Path::End::awaiting);
        }
        if (s.gives) {
          const Value given = branched(value(s.expressions[0]));
          if (!decide(given.term)) stop(Path::End::cut);
          (*frame_->locals[s.id])[0] = given;
        } else if (!branch(s.expressions[0])) {
          stop(Path::End::cut);
        }
        break;
      case StatementKind::restart: throw TooLarge("the oracle has no 'restart'");
      case StatementKind::either: throw TooLarge("the oracle has no 'either'");
      case StatementKind::atomic: throw TooLarge("the oracle has no 'atomic'");
    }
    return Flow::next;
  }

  // An assumption on an open value becomes a constraint; it does not branch.
  bool assumed(Term term) {
    if (const auto value = terms().known(term)) return *value != 0;
    demand(terms().truth(term));
    return true;
  }

  void declare(const Statement& s) {
    auto& local = *frame_->locals[s.id];
    std::vector<Value> values;
    for (const Expression& e : s.expressions) values.push_back(value(e));
    for (std::size_t i = 0; i < local.size(); ++i) local[i] = values.size() == 1 ? values[0] : values[i];
  }

  void assign(const Statement& s) {
    auto& local = *frame_->locals[s.id];
    if (s.expressions.size() == 1) {
      local[0] = value(s.expressions[0]);
      return;
    }
    const Value i = value(s.expressions[0]);
    const std::uint32_t place = index(i, frame_->body->locals[s.id].length, s.range);
    Value element = value(s.expressions[1]);
    element.depends |= i.depends;
    local[place] = element;
  }

  void store(const Statement& s) {
    const Place target = place(s.id, s.expressions, s.range);
    if (!s.compound) {
      const Value stored = value(s.expressions.back());
      write(location(target), address(target), stored);
      return;
    }
    const std::uint32_t where = location(target);
    const Value old = read(where, address(target));
    const Value operand = value(s.expressions.back());
    write(where, address(target), binary(*s.compound, old, operand, s.range));
  }

  Flow while_loop(const Statement& s) {
    for (std::uint32_t round = 0; branch(s.expressions[0]); ++round) {
      if (round == options_.unroll) stop(Path::End::cut);
      const Flow flow = block(s.body);
      if (flow == Flow::break_) break;
      if (flow == Flow::return_) return flow;
    }
    return Flow::next;
  }

  Flow for_loop(const Statement& s) {
    const Value from = value(s.expressions[0]);
    const Value to = value(s.expressions[1]);
    auto& variable = (*frame_->locals[s.id])[0];
    variable = from;
    while (decide(branched({terms().binary(BinaryOperator::less, variable.term, to.term),
                            variable.depends | to.depends})
                      .term)) {
      const Flow flow = block(s.body);
      if (flow == Flow::break_) break;
      if (flow == Flow::return_) return flow;
      variable.term = terms().binary(BinaryOperator::add, variable.term, terms().constant(1));
    }
    return Flow::next;
  }

  const lang::Program& program_;
  const PathOptions& options_;
  Silent silent_;
  const std::vector<Domain>* locations_ = nullptr;
  Decisions* decisions_ = nullptr;
  std::vector<std::int64_t>* memory_ = nullptr;
  Path path_;
  Frame* frame_ = nullptr;
  Set control_ = 0;
  Set control_isync_ = 0;
  std::vector<std::uint32_t> held_;
  std::size_t steps_ = 0;
};

}  // namespace

std::vector<Path> paths(const lang::Program& program, lang::ThreadId thread,
                        const std::vector<Domain>& locations, const PathOptions& options) {
  std::vector<Path> result;
  Decisions decisions;
  do {
    if (result.size() == options.most_paths) throw TooLarge("a thread of many paths");
    result.push_back(Interpreter(program, options, locations, decisions).thread(thread));
  } while (decisions.advance());
  return result;
}

void run_final(const lang::Program& program, std::vector<std::int64_t>& memory, std::uint32_t unroll) {
  if (!program.final_block) return;
  const PathOptions options{.unroll = unroll};
  Interpreter(program, options, memory).final_block();
}

bool holds_in(const lang::Program& program, const lang::Expression& condition, const lang::Body& body,
              const std::vector<std::vector<std::int64_t>>& locals, std::vector<std::int64_t>& memory) {
  const PathOptions options;
  try {
    return Interpreter(program, options, memory).condition(condition, body, locals);
  } catch (const Failed&) {
    return false;
  }
}

}  // namespace heddle::power_oracle
