#include "checker/search/search.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "checker/search/twins.hpp"

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

std::string limit_met(const CheckOptions& options, const Progress& progress, std::uint64_t memory) {
  const bool goes_on = !options.progress || options.progress(progress);
  if (options.max_memory && memory > *options.max_memory) return "memory limit";
  if (options.timeout && progress.seconds > *options.timeout) return "timeout";
  return goes_on ? "" : "interrupted";
}

Search::Search(const Image& image, const CheckOptions& options)
    : image_(image),
      options_(options),
      twins_(twins_of(image, options)),
      start_(std::chrono::steady_clock::now()),
      found_{.satisfied = std::vector<std::uint64_t>(image.conditions.size())} {}

Search::Search(const Search& whole, const CheckOptions& options, CrewTask& task,
               std::uint64_t executions_before)
    : Search(whole.image_, options) {
  executions_before_ = executions_before;
  only_ = whole.only_;
  wanted_state_ = whole.wanted_state_;
  known_states_ = whole.known_states_;
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
  found_ = {.satisfied = std::vector<std::uint64_t>(found_.satisfied.size())};
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
  if (found_.final_states.empty()) return 0;
  constexpr std::uint64_t word = sizeof(void*);
  const std::uint64_t state =
      found_.final_states.begin()->first.size() * sizeof(FinalState::value_type) + 2 * word;
  const std::uint64_t node = sizeof(*found_.final_states.begin()) + 4 * word;
  return found_.final_states.size() * (node + state) + found_.final_states.bucket_count() * word;
}

void Search::poll(std::uint64_t depth, std::uint64_t memory) {
  looks_left_ = looks_per_poll;
  last_poll_ = std::chrono::steady_clock::now();
  if (depth > counts.max_depth) counts.max_depth = depth;
  note_memory(memory);
  if (task_ != nullptr) return task_->poll(*this, depth, memory + final_states_memory());
  const Progress progress{.executions = counts.executions,
                          .blocked = blocked_runs(counts),
                          .transitions = counts.transitions,
                          .states = counts.states,
                          .cuts = counts.cuts,
                          .depth = depth,
                          .seconds = seconds()};
  if (std::string reason = limit_met(options_, progress, memory + final_states_memory()); !reason.empty())
    stop(std::move(reason));
}

Findings Search::findings() const {
  Findings all = found_;
  all.counts = counts;
  return all;
}

void Search::append(const Findings& later) {
  std::swap(found_.counts, counts);
  found_.append(later);
  std::swap(found_.counts, counts);
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
  if (found_.note(std::move(found))) found_.violations.back().schedule = schedule();
  if (!options_.keep_going) stopped_ = halted_ = true;
}

void Search::blocked(ThreadId thread, Op op, std::uint32_t site) {
  switch (op) {
    case Op::assume_failed: ++counts.blocked_assume; break;
    case Op::await_failed: ++counts.blocked_await; break;
    case Op::idle_round: ++counts.blocked_idle; break;
    default: ++counts.blocked_loop_bound; break;
  }
  if (site == none) return;
  ++found_.blocked[number_of({.thread = thread, .op = op, .site = site})];
}

std::vector<std::pair<BlockedPlace, std::uint64_t>> Search::blocked_places() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sorted(found_.blocked.begin(), found_.blocked.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::pair<BlockedPlace, std::uint64_t>> places;
  for (const auto& [place, runs] : sorted) places.emplace_back(place_of(place), runs);
  return places;
}

void Search::complete(const std::vector<std::int64_t>& memory, const std::byte* const* blocks,
                      const std::function<Schedule()>& schedule) {
  if (judge(memory, blocks, schedule)) count_execution();
}

void Search::count_execution() {
  add_up(counts.executions, weight_);
  ++counts.representatives;
  if (!options_.max_executions || executions_before_ + counts.executions < *options_.max_executions) return;
  if (task_ != nullptr) return task_->reach_limit(*this);
  stop("execution limit");
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
    FinalEnd end = run_final_block(image_, scratch_memory_, machine_options().resume_after_assert, nullptr);
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
  add_up(found_.judged, weight_);
  for (std::size_t i = 0; i < image_.conditions.size(); ++i) {
    const auto& condition = image_.conditions[i];
    const bool holds = condition.holds(final_memory->data(), blocks);
    const bool first = found_.satisfied[i] == 0;
    if (holds) add_up(found_.satisfied[i], weight_);
    if (holds && first && options_.witnesses && condition.kind == compiler::ConditionKind::exists)
      found_.witnesses.push_back({.condition = i, .schedule = schedule()});
    if (condition.kind == compiler::ConditionKind::forall && !holds)
      note({.kind = ViolationKind::forall, .site = condition.site}, schedule);
    if (condition.kind == compiler::ConditionKind::forbid && holds)
      note({.kind = ViolationKind::forbid, .site = condition.site}, schedule);
  }
  if (known_states_ != nullptr) {
    make_final_state(*final_memory, blocks);
    if (!known_states_->contains(scratch_state_)) note({.kind = ViolationKind::not_robust}, schedule);
  }
  if (options_.collect_outcomes) {
    make_final_state(*final_memory, blocks);
    add_up(found_.final_states[scratch_state_], weight_);
    const auto is_so = [&](const StateValue& wanted) { return scratch_state_[wanted.index] == wanted.value; };
    if (wanted_state_.empty() || !found_.witnesses.empty() ||
        !std::all_of(wanted_state_.begin(), wanted_state_.end(), is_so))
      return true;
    found_.witnesses.push_back({.condition = {}, .schedule = schedule()});
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
