// Code for statements.
#include <utility>

#include "compiler/arithmetic.hpp"
#include "compiler/generator.hpp"
#include "compiler/retry_loops.hpp"

namespace heddle::compiler {

using lang::Expression;
using lang::ExpressionKind;
using lang::Statement;
using lang::StatementKind;
using llvm::BasicBlock;
using llvm::Value;

void Generator::block(std::span<const Statement> statements) {
  const std::uint32_t top = frame_->top();
  const std::size_t retries = retries_.size();
  for (std::size_t i = 0; i < statements.size() && frame_->reachable(); ++i) {
    const WaitingUpdate* const waiting = waiting_update(statements[i]);
    if (!retries_.empty() && retries_.back().begins == &statements[i]) {
      end_round();
    } else if (waiting == nullptr) {
      begin_retry_before(statements.subspan(i));
    }
    if (waiting != nullptr) {
      wait_for(*waiting);
      if (waiting->loop != &statements[i]) ++i;
      continue;
    }
    if (attempt_ != nullptr) {  // the first statement of the function that makes it
      await(*std::exchange(attempt_, nullptr));
      continue;
    }
    if (pair_ != nullptr) {
      load_and_update(*std::exchange(pair_, nullptr));
      continue;
    }
    if (const UpdatePair* const pair = update_pair(statements[i])) {
      guard_ = nullptr;  // (as for `await`)
      if (pair->call == nullptr) {
        load_and_update(*pair);
      } else {
        pair_ = pair;
        value(*pair->call);
      }
      continue;
    }
    const bool around = std::exchange(before_assume_, comes_before_assume(statements.subspan(i)));
    statement(statements[i]);
    before_assume_ = around;
  }
  retries_.resize(retries);  // (what comes before a loop may leave the block)
  frame_->release_to(top);
}

// Whether the first statement is an `assume`, or computes a local just before one that only computes.
bool Generator::comes_before_assume(std::span<const Statement> statements) const {
  const Statement& first = statements[0];
  if (first.kind == StatementKind::assume) return true;
  if (first.kind != StatementKind::declare && first.kind != StatementKind::assign) return false;
  return statements.size() > 1 && statements[1].kind == StatementKind::assume &&
         !facts_.suspends(statements[1].expressions[0]);
}

// The counters belong to the host: restoring a snapshot does not change them.
void Generator::count(const void* node, std::uint32_t which) {
  if (counters_ == nullptr) return;
  const auto address = [&](const std::uint64_t* counter) {
    return ir().CreateIntToPtr(ir().getInt64(reinterpret_cast<std::uintptr_t>(counter)), ir().getPtrTy());
  };
  Value* const counter = address(&counters_->counts[points_->of(node, which)]);
  Value* const weight = ir().CreateLoad(ir().getInt64Ty(), address(&counters_->weight));
  ir().CreateStore(ir().CreateAdd(ir().CreateLoad(ir().getInt64Ty(), counter), weight), counter);
}

void Generator::note_branch(const void* node, std::uint32_t arm, bool decided) {
  if (counters_ != nullptr) points_->note_branch(points_->of(node, arm), decided);
}

void Generator::statement(const Statement& statement) {
  if (lang::is_written(statement)) count(&statement);
  if (guard_ != nullptr && !keeps_guard(statement)) guard_ = nullptr;
  switch (statement.kind) {
    case StatementKind::block: block(statement.body); break;
    case StatementKind::declare:
      if (scope().body->locals[statement.id].is_array) {
        declare_array(statement.id, statement.expressions);
      } else {
        declare(statement.id, statement.expressions[0]);
      }
      break;
    case StatementKind::assign: assign_statement(statement); break;
    case StatementKind::store: store(statement); break;
    case StatementKind::if_: if_statement(statement); break;
    case StatementKind::while_: while_statement(statement); break;
    case StatementKind::for_: for_statement(statement); break;
    case StatementKind::break_:
    case StatementKind::continue_: {
      const Loop& loop = scope().loops.back();
      if (section_ && section_->scope == scope_ && section_->loops == scope().loops.size()) leave_section();
      frame_->clear_to(loop.top);
      frame_->jump(statement.kind == StatementKind::break_ ? loop.leave : loop.next);
      break;
    }
    case StatementKind::return_: return_statement(statement); break;
    case StatementKind::evaluate:
      discarded_ = statement.expressions[0].kind == ExpressionKind::exchange ||
                   statement.expressions[0].kind == ExpressionKind::fetch;
      value(statement.expressions[0]);
      break;
    case StatementKind::fence:
      if (begun_) break;  // the block is one
      perform({.op = Op::fence,
               .site = sites_.at(statement.range),
               .fence = static_cast<Fence>(statement.fence)});
      break;
    case StatementKind::progress:
      // Seen only where runs without an end are judged: like a `choose` with one value.
      if (endless_) {
        perform({.op = Op::choose,
                 .value = ir().getInt64(0),
                 .expected = ir().getInt64(1),
                 .site = sites_.progress(statement.range)});
      }
      break;
    case StatementKind::lock:
    case StatementKind::unlock: {
      const Place target = place(statement.id, statement.expressions, false, statement.range);
      Value* const mutex = location(target, statement.range);
      perform({.op = statement.kind == StatementKind::lock ? Op::lock : Op::unlock,
               .location = mutex,
               .site = sites_.waiting(statement.range, scope().call)},
              mask_);
      // (Nothing can come between the two.)
      if (!retries_.empty()) {
        const bool reverts = statement.kind == StatementKind::unlock && revertible_[statement.id] && !begun_;
        note_update(constant(reverts ? UpdateEffect::reverts : UpdateEffect::changes));
      }
      break;
    }
    case StatementKind::assert_:
    case StatementKind::assume: assert_statement(statement); break;
    case StatementKind::await: await(statement, std::exchange(guard_, nullptr)); break;
    case StatementKind::either: either(statement); break;
    case StatementKind::atomic: atomic(statement); break;
    case StatementKind::restart: restart(statement); break;
  }
}

void Generator::if_statement(const Statement& statement) {
  BasicBlock* yes = frame_->block();
  BasicBlock* no = frame_->block();
  BasicBlock* join = statement.otherwise.empty() && counters_ == nullptr ? no : frame_->block();
  branch(statement.expressions[0], yes, no);
  note_branch(&statement, 1, yes->use_empty() || no->use_empty());
  if (frame_->start_if_used(yes)) {
    count(&statement, 1);
    block(statement.body);
    frame_->jump(join);
  }
  if (no != join && frame_->start_if_used(no)) {
    count(&statement, 2);
    block(statement.otherwise);
    frame_->jump(join);
  }
  frame_->start_if_used(join);
}

// Executes at most Options::unroll rounds, unless it is endless and in no atomic block. If the condition holds once
// more, the thread stops. So it does after an idle round of a retry loop: one in which it has written nothing that it has
// not reverted, and has given no local that is older than the round, and that is read again, another value.
void Generator::while_statement(const Statement& statement) {
  const SiteTable::Loop rounds_of_this(sites_);
  const std::uint32_t top = frame_->top();
  const std::uint32_t site = sites_.at(statement.range);
  const bool counted = !endless_ || begun_;  // an atomic block has to end
  const std::uint32_t rounds = counted ? frame_->allocate() : 0;
  if (counted) frame_->store(rounds, ir().getInt64(0));
  if (is_retried(statement) && (retries_.empty() || retries_.back().loop != &statement))
    begin_retry(statement, nullptr);
  const bool retries = !retries_.empty() && retries_.back().loop == &statement;
  const bool ends_round = retries && retries_.back().begins == nullptr;
  BasicBlock* head = frame_->block();
  BasicBlock* next = ends_round ? frame_->block() : head;
  BasicBlock* round = frame_->block();
  BasicBlock* leave = frame_->block();
  BasicBlock* left = counters_ == nullptr ? leave : frame_->block();  // taken when the condition is false
  begin_rounds();
  frame_->jump(head);
  frame_->start(head);
  branch(statement.expressions[0], round, left);
  note_branch(&statement, 1, round->use_empty() || left->use_empty());
  if (ends_round && !left->use_empty() && repeatable(statement.expressions[0], false))
    frame_->set_body(retries_.back().rounds, round, left);
  if (frame_->start_if_used(round)) {
    count(&statement, 1);
    if (counted) {
      Value* const done = frame_->load(rounds);
      require(ir().CreateICmpULT(done, ir().getInt64(options_.unroll)), {.op = Op::loop_bound, .site = site});
      frame_->store(rounds, ir().CreateAdd(done, ir().getInt64(1)));
    }
    loop_body(statement, leave, next, site);
    frame_->jump(next);
  }
  if (ends_round && frame_->start_if_used(next)) {
    end_round();
    frame_->jump(head);
  }
  if (retries) retries_.pop_back();
  if (left != leave && frame_->start_if_used(left)) {
    count(&statement, 2);
    frame_->jump(leave);
  }
  frame_->start_if_used(leave);
  frame_->release_to(top);
}

const WaitingUpdate* Generator::waiting_update(const Statement& first) const {
  const auto found = waiting_updates_.find(&first);
  return found == waiting_updates_.end() ? nullptr : &found->second;
}

void Generator::wait_for(const WaitingUpdate& update) {
  if (update.call == nullptr) return await(update);
  guard_ = nullptr;
  attempt_ = &update;
  value(*update.call);
}

// (In a critical section, others see the whole round or nothing of it.)
const UpdatePair* Generator::update_pair(const Statement& first) const {
  if (begun_ || section_ || in_await_) return nullptr;
  const auto found = update_pairs_.find(&first);
  return found == update_pairs_.end() ? nullptr : &found->second;
}

void Generator::load_and_update(const UpdatePair& pair) {
  if (pair.waits_for) {
    await({.loop = pair.loop,
           .update = &pair.update.expressions[0],
           .ends = *pair.waits_for,
           .call = nullptr,
           .gives = &pair.update});
  } else {
    decides_ = true;
    statement(pair.update);
  }
  updated_by_load_ = pair.cas;
}

// (In an await, the evaluation of the condition is what is repeated.)
bool Generator::is_retried(const Statement& loop) const {
  return !begun_ && !in_await_ && retry_loops_.contains(&loop);
}

void Generator::begin_retry_before(std::span<const Statement> statements) {
  if (retry_loops_.empty()) return;
  const Statement* const loop = repeated_by(*scope().body, statements);
  if (loop == nullptr || !is_retried(*loop) || (!retries_.empty() && retries_.back().loop == loop)) return;
  const auto before = static_cast<std::size_t>(loop - statements.data());
  begin_retry(*loop, &loop->body[loop->body.size() - before]);
}

void Generator::begin_retry(const Statement& loop, const Statement* begins) {
  const std::uint32_t changed = frame_->allocate();
  const std::uint32_t pending = frame_->allocate();
  const std::uint32_t probe = frame_->allocate();
  end_probes();
  retries_.push_back({.loop = &loop,
                      .begins = begins,
                      .rounds = frame_->add_loop(),
                      .changed = changed,
                      .pending = pending,
                      .probe = probe,
                      .top = frame_->top(),
                      .site = sites_.at(loop.range)});
  start_round(retries_.back());
}

void Generator::start_round(const Retry& loop) {
  frame_->store(loop.changed, ir().getInt64(0));
  frame_->store(loop.pending, ir().getInt64(0));
  frame_->store(loop.probe, constant(Probe::first));
}

void Generator::end_round() {
  const Retry& loop = retries_.back();
  Value* const changes = ir().CreateOr(frame_->load(loop.changed), frame_->load(loop.pending));
  require(ir().CreateIsNotNull(changes), {.op = Op::idle_round, .site = loop.site});
  start_round(loop);
  frame_->start_round(loop.rounds);
}

Value* Generator::note_change_in(const Retry& loop, Value* changed) {
  Value* const change = ir().CreateZExt(changed, ir().getInt64Ty());
  frame_->store(loop.changed, ir().CreateOr(frame_->load(loop.changed), change));
  return change;
}

void Generator::note_change(Value* changed) {
  for (const Retry& loop : retries_) note_change_in(loop, changed);
}

// Comes before the assignment. `index`: null, or into the array of these slots.
void Generator::note_assigned(SlotRange slots, Value* index, Value* assigned) {
  if (retries_.empty() || slots.first >= retries_.back().top) return;
  Value* const before = index == nullptr ? frame_->load(slots.first) : frame_->load(slots, index);
  Value* const changed = ir().CreateICmpNE(before, ir().CreateZExt(assigned, ir().getInt64Ty()));
  for (const Retry& loop : retries_) {
    if (slots.first >= loop.top) continue;
    Value* const change = note_change_in(loop, changed);
    Value* const kept = ir().CreateSub(change, ir().getInt64(1));  // all bits, or none
    frame_->store(loop.probe, ir().CreateAnd(frame_->load(loop.probe), kept));
    frame_->note_change(slots, before, change, loop.rounds);
  }
}

// The rounds that have begun have come to something else than a load of their own.
void Generator::end_probes() {
  for (const Retry& loop : retries_) frame_->store(loop.probe, constant(Probe::none));
}

// Of the next load: a Probe (i64), or null: it belongs to none.
Value* Generator::probe() {
  static_assert(static_cast<int>(Probe::first) == 1 && static_cast<int>(Probe::later) == 2);
  if (!has_probes_ || begun_ || section_) return nullptr;
  if (in_probe_) return ir().CreateSub(constant(Probe::later), frame_->at_first_load());
  return retries_.empty() ? nullptr : frame_->load(retries_.back().probe);
}

// What stores write need not change anything, but others may read it.
void Generator::note_performed(const Request& request, Value* result) {
  if (retries_.empty()) return;
  if (request.op == Op::load) {
    const std::uint32_t slot = retries_.back().probe;
    Value* const probe = frame_->load(slot);  // `first` becomes `later`
    frame_->store(slot, ir().CreateAdd(probe, ir().CreateAnd(probe, constant(Probe::first))));
  } else if (request.op != Op::fence) {
    end_probes();
  }
  switch (request.op) {
    case Op::load:
    case Op::lock:
    case Op::unlock:
    case Op::fence:
    case Op::choose:
    case Op::await_failed:
    case Op::assert_failed: break;
    default:
      if (request.asks_effect) return note_update(frame_->effect());
      if (request.op == Op::compare_exchange || request.op == Op::try_lock) {
        note_change(ir().CreateIsNotNull(result));
      } else {
        note_change(ir().getTrue());
      }
      break;
  }
}

// After an operation on Mailbox::location that had this effect. A round may revert what it has written to one
// location before it writes to another one.
void Generator::note_update(Value* effect) {
  const auto is = [&](UpdateEffect which) { return ir().CreateICmpEQ(effect, constant(which)); };
  Value* const zero = ir().getInt64(0);
  Value* const here = ir().CreateAdd(frame_->location(), ir().getInt64(1));
  Value* const writes = ir().CreateNot(is(UpdateEffect::nothing));
  Value* const reverts = is(UpdateEffect::reverts);
  for (const Retry& loop : retries_) {
    Value* const pending = frame_->load(loop.pending);
    Value* const none = ir().CreateICmpEQ(pending, zero);
    Value* const closes = ir().CreateAnd(reverts, ir().CreateICmpEQ(pending, here));
    Value* const begins = ir().CreateSelect(none, here, pending);
    frame_->store(loop.pending, ir().CreateSelect(writes, ir().CreateSelect(closes, zero, begins), pending));
    Value* const changes = ir().CreateAnd(writes, ir().CreateNot(ir().CreateOr(none, closes)));
    frame_->store(loop.changed,
                  ir().CreateOr(frame_->load(loop.changed), ir().CreateZExt(changes, ir().getInt64Ty())));
  }
}

// Both ends are evaluated once, before the first round. `i`, and ends that are not constant, take slots.
void Generator::for_statement(const Statement& statement) {
  const SiteTable::Loop rounds_of_this(sites_);
  const std::uint32_t top = frame_->top();
  const std::uint32_t site = sites_.at(statement.range);
  const Held from = keep(statement.expressions[0]);
  const Held to = keep(statement.expressions[1]);
  const auto* first = llvm::dyn_cast_or_null<llvm::ConstantInt>(from.value);
  const auto* last = llvm::dyn_cast_or_null<llvm::ConstantInt>(to.value);
  const bool known = first != nullptr && last != nullptr;
  note_branch(&statement, 1, known);
  if (known && first->getSExtValue() >= last->getSExtValue()) return;
  const bool bounded = known && last->getValue().usub_sat(first->getValue()).ule(for_rounds);

  const std::uint32_t variable = allocate();
  scope().bindings[statement.id] = {.slot = variable};
  BasicBlock* head = frame_->block();
  BasicBlock* round = frame_->block();
  BasicBlock* next = frame_->block();
  BasicBlock* leave = frame_->block();
  BasicBlock* left = counters_ == nullptr ? leave : frame_->block();
  Value* const initial = use(from);
  store_masked(variable, initial);
  begin_rounds();
  frame_->jump(head);
  frame_->start(head);
  Value* const end = use(to);
  Value* const end_mask = mask_;
  Value* const in_range = ir().CreateICmpSLT(load_masked(variable), end);
  mask_ = joined(mask_, end_mask);
  ir().CreateCondBr(settled(in_range), round, left);
  frame_->start(round);
  count(&statement, 1);
  if (!bounded) {
    Value* const done = ir().CreateSub(frame_->load(variable), use(from));
    require(ir().CreateICmpULT(done, ir().getInt64(for_rounds)), {.op = Op::round_limit, .site = site});
  }
  loop_body(statement, leave, next, site);
  frame_->jump(next);
  if (frame_->start_if_used(next)) {
    frame_->store(variable, ir().CreateAdd(frame_->load(variable), ir().getInt64(1)));
    frame_->jump(head);
  }
  if (left != leave) {
    frame_->start(left);
    count(&statement, 2);
    frame_->jump(leave);
  }
  frame_->start(leave);
  frame_->release_to(top);
}

void Generator::loop_body(const Statement& statement, BasicBlock* leave, BasicBlock* next,
                          std::uint32_t site) {
  if (counts_rounds_) {
    require(ir().CreateNot(frame_->round_exceeds(silent_rounds)), {.op = Op::round_limit, .site = site});
  }
  scope().loops.push_back({leave, next, frame_->top()});
  block(statement.body);
  scope().loops.pop_back();
}

Generator::Held Generator::keep(const Expression& expression) {
  Value* const now = integer(expression);
  const bool constant = llvm::isa<llvm::Constant>(now);
  if (!constant && repeatable(expression, true)) {
    return {.later = &expression, .value = nullptr, .slot = {}};  // evaluated again in every round
  }
  return hold(now, true);
}

void Generator::return_statement(const Statement& statement) {
  Value* result = statement.expressions.empty() ? nullptr : value(statement.expressions[0]);
  Scope& body = scope();
  if (section_ && section_->scope == scope_) {
    const Held returned = result == nullptr ? Held{} : hold(result, true);
    leave_section();
    if (result != nullptr) result = use(returned);
  }
  if (body.result_value != nullptr) body.result_value->addIncoming(result, ir().GetInsertBlock());
  if (body.result_mask != nullptr) body.result_mask->addIncoming(mask_or_none(mask_), ir().GetInsertBlock());
  frame_->clear_to(body.top);
  frame_->jump(body.leave == nullptr ? done_ : body.leave);
}

// The index comes first and is checked when evaluated, as in stores to shared arrays.
void Generator::assign_statement(const Statement& statement) {
  const Expression& from = statement.expressions.back();
  if (statement.expressions.size() == 1) {
    Value* const assigned = value(from);
    store_masked(*scope().bindings[statement.id].slot, assigned);
    return;
  }
  const std::uint32_t top = frame_->top();
  const Held index = hold(element(statement.id, statement.expressions[0], statement.range), suspends(from));
  Value* const assigned = value(from);
  Value* const mask = mask_;
  Value* const place = use(index);
  mask_ = joined(mask, mask_);
  store_masked(statement.id, place, assigned);
  frame_->release_to(top);
}

void Generator::assert_statement(const Statement& statement) {
  if (run_ahead_) return observe(statement);
  const bool assertion = statement.kind == StatementKind::assert_;
  BasicBlock* good = frame_->block();
  BasicBlock* bad = frame_->block();
  branch(statement.expressions[0], good, bad);
  if (bad->use_empty()) {
    delete bad;
  } else {
    const Request request{.op = assertion ? Op::assert_failed : Op::assume_failed,
                          .site = sites_.at(statement.range, statement.text)};
    frame_->start_cold(bad);
    if (assertion) {
      perform(request);
      frame_->jump(good);
    } else {
      frame_->stop(request);
    }
  }
  frame_->start_if_used(good);
}

// A thread that runs ahead does not wait for the loads of an assertion. If the condition depends on no load
// and holds, the host is not asked at all.
void Generator::observe(const Statement& statement) {
  Value* const holds = truth(ir(), value(statement.expressions[0]));
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(holds);
  if (known != nullptr && known->isOne()) return;
  assumes_ = assumes_ || statement.kind == StatementKind::assume;
  Value* const mask = mask_;
  BasicBlock* ask = frame_->block();
  BasicBlock* go_on = frame_->block();
  Value* const settled = mask == nullptr ? holds : ir().CreateAnd(holds, ir().CreateIsNull(mask));
  ir().CreateCondBr(settled, go_on, ask);
  frame_->start(ask);
  perform({.op = statement.kind == StatementKind::assert_ ? Op::assertion : Op::assumption,
           .value = holds,
           .site = sites_.at(statement.range, statement.text)},
          nullptr, mask);
  frame_->jump(go_on);
  frame_->start(go_on);
}

}  // namespace heddle::compiler
