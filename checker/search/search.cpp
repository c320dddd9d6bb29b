#include "checker/search/search.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace heddle::checker {

namespace {

// Transitions between two looks at the clock: few, since one that summarises a long path may take a
// millisecond.
constexpr std::uint32_t look_interval = 64;
// Looks between two polls where transitions are fast; the time between two polls where they are slow.
constexpr std::uint32_t looks_per_poll = 128;
constexpr std::chrono::milliseconds poll_period{2};

struct AlignedBlock {
  explicit AlignedBlock(std::size_t size)
      : bytes(static_cast<std::byte*>(::operator new (size, std::align_val_t{compiler::block_alignment}))) {
    std::memset(bytes, 0, size);
  }
  ~AlignedBlock() { ::operator delete (bytes, std::align_val_t{compiler::block_alignment}); }
  AlignedBlock(const AlignedBlock&) = delete;
  AlignedBlock& operator=(const AlignedBlock&) = delete;
  std::byte* bytes;
};

}  // namespace

std::size_t FinalStateHash::operator()(const FinalState& state) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const auto value : state) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

FinalEnd run_final_block(const Image& image, std::vector<std::int64_t>& memory, bool resume_after_assert,
                         Rows* rows) {
  FinalEnd end;
  const AlignedBlock block(image.final_block->block_size);
  image.final_block->start(block.bytes, image.final_block->argument);
  auto& m = compiler::mailbox(block.bytes);
  for (;; compiler::resume(block.bytes)) {
    Row row{.op = m.op, .in_final = true, .location = m.location, .site = m.site};
    auto* const cell = memory.data() + m.location;
    if (m.op == Op::load) {
      row.reads = true;
      m.value = row.read = *cell;
    } else if (m.op == Op::store) {
      row.writes = true;
      row.written = *cell = m.value;
    } else if (is_read_modify_write(m.op)) {
      row.reads = true;
      row.read = *cell;
      if (m.op != Op::compare_exchange || row.read == m.expected) {
        row.writes = true;
        row.written = *cell = modified(m.op, row.read, m.value);
      }
      m.value = row.read;
    } else if (m.op == Op::fence) {
      continue;
    } else {
      row.type = RowType::failure;
      if (!end.at(m)) return end;
      if (rows != nullptr) rows->push_back(row);
      end.violations.push_back({.kind = Search::kind_of(m.op), .site = m.site, .in_final = true});
      if (m.op != Op::assert_failed || !resume_after_assert) return end;
      continue;
    }
    if (rows != nullptr) rows->push_back(row);
  }
}

Search::Search(const Image& image, const CheckOptions& options)
    : image_(image),
      options_(options),
      start_(std::chrono::steady_clock::now()),
      satisfied_(image.conditions.size(), 0) {}

Search::Search(const Search& whole, const CheckOptions& options, CrewTask& task)
    : Search(whole.image_, options) {
  only_ = whole.only_;
  wanted_state_ = whole.wanted_state_;
  task_ = &task;
}

double Search::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Search::stop(std::string reason) {
  if (stopped_) return;
  stopped_ = halted_ = true;
  stopped_by_ = std::move(reason);
}

void Search::restart() {
  counts = {.peak_memory = counts.peak_memory};
  violations_.clear();
  known_violations_.clear();
  witnesses_.clear();
  blocked_.clear();
  satisfied_.assign(satisfied_.size(), 0);
  judged_ = 0;
  final_states_.clear();
  if (image_.coverage) image_.coverage->counts.assign(image_.coverage->counts.size(), 0);
  if (forget_) forget_();
}

bool Search::poll_is_due() {
  until_look_ = look_interval;
  if (looks_left_ == 0) return true;
  --looks_left_;
  return std::chrono::steady_clock::now() - last_poll_ >= poll_period;
}

void Search::note_memory(std::uint64_t bytes) {
  bytes += final_states_memory();
  if (bytes > counts.peak_memory) counts.peak_memory = bytes;
}

// Of a hash table with a node for each state: links and the heap's own words are part of what it takes.
std::uint64_t Search::final_states_memory() const {
  if (final_states_.empty()) return 0;
  constexpr std::uint64_t word = sizeof(void*);
  const std::uint64_t state = final_states_.begin()->first.size() * sizeof(FinalState::value_type) + 2 * word;
  const std::uint64_t node = sizeof(*final_states_.begin()) + 4 * word;
  return final_states_.size() * (node + state) + final_states_.bucket_count() * word;
}

void Search::poll(std::uint64_t depth, std::uint64_t memory) {
  looks_left_ = looks_per_poll;
  last_poll_ = std::chrono::steady_clock::now();
  if (depth > counts.max_depth) counts.max_depth = depth;
  note_memory(memory);
  if (task_ != nullptr) return task_->poll(*this, depth, memory + final_states_memory());
  if (options_.max_memory && memory + final_states_memory() > *options_.max_memory) stop("memory limit");
  const auto now = seconds();
  if (options_.timeout && now > *options_.timeout) stop("timeout");
  if (options_.progress && !options_.progress({.executions = counts.executions,
                                               .blocked = blocked_runs(counts),
                                               .transitions = counts.transitions,
                                               .depth = depth,
                                               .seconds = now}))
    stop("interrupted");
}

std::uint64_t blocked_runs(const Counts& counts) {
  return counts.blocked_assume + counts.blocked_await + counts.blocked_sleep_set + counts.blocked_race +
         counts.blocked_loop_bound;
}

namespace {

void add(Counts& counts, const Counts& later) {
  constexpr std::uint64_t Counts::*sums[] = {&Counts::executions,
                                             &Counts::blocked_assume,
                                             &Counts::blocked_await,
                                             &Counts::blocked_sleep_set,
                                             &Counts::blocked_loop_bound,
                                             &Counts::blocked_race,
                                             &Counts::blocked_preemption_bound,
                                             &Counts::beyond_bound,
                                             &Counts::buffer_bound_flushes,
                                             &Counts::transitions,
                                             &Counts::states,
                                             &Counts::revisits,
                                             &Counts::runs};
  for (const auto member : sums) counts.*member += later.*member;
  counts.max_depth = std::max(counts.max_depth, later.max_depth);
}

}  // namespace

void Search::append(const Search& later) {
  add(counts, later.counts);
  for (const auto& [key, place] : later.known_violations_) {
    if (const auto known = known_violations_.find(key); known != known_violations_.end())
      violations_[known->second].count += later.violations_[place].count;
  }
  // In their order, which is not that of the keys.
  std::vector<const std::vector<std::uint32_t>*> keys(later.violations_.size());
  for (const auto& [key, place] : later.known_violations_) keys[place] = &key;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (known_violations_.try_emplace(*keys[i], violations_.size()).second)
      violations_.push_back(later.violations_[i]);
  }
  for (const FoundWitness& witness : later.witnesses_) {
    const bool known = witness.condition ? satisfied_[*witness.condition] > 0 : !witnesses_.empty();
    if (!known) witnesses_.push_back(witness);
  }
  for (const auto& [place, runs] : later.blocked_) blocked_[place] += runs;
  for (std::size_t i = 0; i < satisfied_.size(); ++i) satisfied_[i] += later.satisfied_[i];
  judged_ += later.judged_;
  for (const auto& [state, count] : later.final_states_) final_states_[state] += count;
}

ViolationKind Search::kind_of(Op op) {
  switch (op) {
    case Op::index_out_of_bounds: return ViolationKind::index_out_of_bounds;
    case Op::division_by_zero: return ViolationKind::division_by_zero;
    case Op::empty_choice: return ViolationKind::empty_choice;
    case Op::unlock: return ViolationKind::unlock_not_owner;
    default: return ViolationKind::assertion;
  }
}

void Search::note(FoundViolation found, const std::function<Schedule()>& schedule) {
  if (only_ && found.kind != *only_) return;
  std::vector<std::uint32_t> key{static_cast<std::uint32_t>(found.kind), found.site, found.in_final};
  key.insert(key.end(), found.waits.begin(), found.waits.end());
  const auto [place, fresh] = known_violations_.try_emplace(std::move(key), violations_.size());
  if (fresh) {
    found.schedule = schedule();
    violations_.push_back(std::move(found));
  } else {
    ++violations_[place->second].count;
  }
  if (!options_.keep_going) stopped_ = halted_ = true;
}

// A place as one number: 8 bits of the operation, 32 of the site, 24 of the thread.
constexpr std::uint32_t final_thread = 0xffffff;

void Search::blocked(ThreadId thread, Op op, std::uint32_t site) {
  switch (op) {
    case Op::assume_failed: ++counts.blocked_assume; break;
    case Op::await_failed: ++counts.blocked_await; break;
    default: ++counts.blocked_loop_bound; break;
  }
  if (site == none) return;
  ++blocked_[std::uint64_t{static_cast<std::uint8_t>(op)} << 56 | std::uint64_t{site} << 24 |
             (thread == none ? final_thread : thread)];
}

std::vector<Search::BlockedPlace> Search::blocked_places() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sorted(blocked_.begin(), blocked_.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<BlockedPlace> places;
  for (const auto& [place, runs] : sorted) {
    const auto thread = static_cast<std::uint32_t>(place & final_thread);
    places.push_back({.thread = thread == final_thread ? none : thread,
                      .op = static_cast<Op>(place >> 56),
                      .site = static_cast<std::uint32_t>(place >> 24),
                      .runs = runs});
  }
  return places;
}

void Search::complete(const std::vector<std::int64_t>& memory, const std::byte* const* blocks,
                      const std::function<Schedule()>& schedule) {
  if (judge(memory, blocks, schedule)) count_execution();
}

void Search::count_execution() {
  ++counts.executions;
  if (options_.max_executions && counts.executions >= *options_.max_executions) stop("execution limit");
}

bool Search::judge(const std::vector<std::int64_t>& memory, const std::byte* const* blocks,
                   const std::function<Schedule()>& schedule) {
  const std::vector<std::int64_t>* final_memory = &memory;
  if (image_.final_block) {
    scratch_memory_ = memory;
    final_memory = &scratch_memory_;
    std::uint64_t weight = 0;
    // Counted also where threads that run ahead are not yet.
    if (image_.coverage) weight = std::exchange(image_.coverage->weight, 1);
    FinalEnd end = run_final_block(image_, scratch_memory_, options_.keep_going, nullptr);
    if (image_.coverage) image_.coverage->weight = weight;
    for (auto& found : end.violations) note(std::move(found), schedule);
    if (end.cut()) {
      blocked(none, end.op, end.site);
      return false;
    }
  }
  for (const auto& condition : image_.conditions) {
    if (condition.kind == compiler::ConditionKind::filter && !condition.holds(final_memory->data(), blocks))
      return true;
  }
  ++judged_;
  for (std::size_t i = 0; i < image_.conditions.size(); ++i) {
    const auto& condition = image_.conditions[i];
    const bool holds = condition.holds(final_memory->data(), blocks);
    if (holds && satisfied_[i]++ == 0 && options_.witnesses &&
        condition.kind == compiler::ConditionKind::exists)
      witnesses_.push_back({.condition = i, .schedule = schedule()});
    if (condition.kind == compiler::ConditionKind::forall && !holds)
      note({.kind = ViolationKind::forall, .site = condition.site}, schedule);
    if (condition.kind == compiler::ConditionKind::forbid && holds)
      note({.kind = ViolationKind::forbid, .site = condition.site}, schedule);
  }
  if (wanted_execution_ && witnesses_.empty()) {
    if (Schedule made = schedule(); wanted_execution_(made)) {
      witnesses_.push_back({.condition = {}, .schedule = std::move(made)});
      stop("the execution was found");
    }
  }
  if (options_.collect_outcomes) {
    make_final_state(*final_memory, blocks);
    ++final_states_[scratch_state_];
    const auto is_so = [&](const StateValue& wanted) { return scratch_state_[wanted.index] == wanted.value; };
    if (wanted_state_.empty() || !witnesses_.empty() ||
        !std::all_of(wanted_state_.begin(), wanted_state_.end(), is_so))
      return true;
    witnesses_.push_back({.condition = {}, .schedule = schedule()});
    stop("the execution was found");
  }
  return true;
}

void Search::make_final_state(const std::vector<std::int64_t>& memory, const std::byte* const* blocks) {
  const auto add_local = [&](std::size_t thread, std::uint32_t offset) {
    std::int64_t value = 0;
    std::memcpy(&value, blocks[thread] + offset, sizeof value);
    scratch_state_.push_back(value);
  };
  if (image_.observed) {
    scratch_state_.clear();
    for (const auto& observed : *image_.observed) {
      if (observed.thread) {
        add_local(*observed.thread, observed.offset);
      } else {
        scratch_state_.push_back(memory[observed.location]);
      }
    }
    return;
  }
  scratch_state_ = memory;
  for (std::size_t thread = 0; thread < image_.threads.size(); ++thread) {
    for (const auto& local : image_.threads[thread].locals) add_local(thread, local.offset);
  }
}

}  // namespace heddle::checker
