#include "checker/interleavings/states/state_crew.hpp"

#include <new>
#include <utility>

namespace heddle::checker {

void StateCrew::Member::poll(Search& search, std::uint64_t depth, std::uint64_t memory) {
  counts_.note(search, depth, memory);
  if (is_caller_) {
    const std::lock_guard lock(crew_.mutex_);
    crew_.watch();
  }
  if (crew_.over_.load(std::memory_order_relaxed)) search.stop({});
}

StateCrew::StateCrew(Search& whole, Explore explore)
    : whole_(whole), explore_(std::move(explore)), options_(without_limits(whole.options())) {
  work_.emplace_back();
}

void StateCrew::run() {
  join_in(members_.emplace_back(*this, true));
  whole_.note_threads(static_cast<std::uint32_t>(threads_.size()) + 1);
  threads_.clear();  // joins
  if (error_) std::rethrow_exception(error_);
  if (!halted_by_.empty()) whole_.stop(std::move(halted_by_));
}

void StateCrew::join_in(Member& member) {
  Search search(whole_, options_, member, 0);
  std::exception_ptr error;
  std::string reason;
  try {
    explore_(search, member);
  } catch (const std::bad_alloc&) {
    reason = out_of_memory;
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  if (error && !error_) error_ = error;
  collect(member, search);
  if (error || !reason.empty() || search.stopped())
    halt(reason.empty() ? search.stopped_by() : std::move(reason));
}

std::optional<StateCrew::Work> StateCrew::next(bool by_caller) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  while (!over_ && work_.empty()) {
    if (waiting_ == members_.size()) {
      halt({});
      break;
    }
    note_hunger();
    wait_for_change(changed_, lock, by_caller, [this] { watch(); });
  }
  --waiting_;
  std::optional<Work> result;
  if (!over_) {
    result = std::move(work_.front());
    work_.pop_front();
  }
  note_hunger();
  return result;
}

void StateCrew::add(Work&& work) {
  const std::lock_guard lock(mutex_);
  work_.push_back(std::move(work));
  note_hunger();
  changed_.notify_one();
}

void StateCrew::halt(std::string reason) {
  if (!over_) halted_by_ = std::move(reason);
  over_ = true;
  changed_.notify_all();
}

// Starts the other threads, shows progress, obeys the limits. By the calling thread.
void StateCrew::watch() {
  if (over_) return;
  Progress progress{.seconds = whole_.seconds()};
  while (members_.size() < options_.threads) {
    Member& member = members_.emplace_back(*this, false);
    threads_.emplace_back([this, &member] { join_in(member); });
  }
  std::uint64_t memory = states_.memory_used();
  for (const Member& member : members_) {
    member.counts_.add_to(progress);
    if (member.is_caller_) progress.depth = member.counts_.depth();
    memory += member.counts_.memory();
  }
  whole_.note_memory(memory);
  if (std::string reason = limit_met(whole_.options(), progress, memory); !reason.empty())
    halt(std::move(reason));
}

// Of threads that each stop at a violation, the first one counts.
void StateCrew::collect(const Member& member, const Search& search) {
  Findings findings = search.findings();
  if (found_violation_ && !options_.keep_going) findings.violations.clear();
  found_violation_ = found_violation_ || !findings.violations.empty();
  whole_.append(findings);
  if (member.is_caller_) whole_.grows = search.grows;
}

}  // namespace heddle::checker
