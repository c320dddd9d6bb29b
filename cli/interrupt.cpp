// See interrupt.hpp. A signal handler can only communicate through a global variable.
#include "cli/interrupt.hpp"

#include <atomic>
#include <csignal>
#include <ctime>

namespace heddle::cli {
namespace {

std::atomic<bool> caught = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not wait for a lock");

extern "C" void note_signal(int) { caught.store(true, std::memory_order_relaxed); }
// A signal that comes just before the prompt begins to wait for a key would only be noticed at the next key.
// So a timer sends more signals until it is noticed; they only interrupt the wait.
timer_t reminder;
bool has_reminder = false;
void remind(long nanoseconds) {
  if (!has_reminder) return;
  const itimerspec again{.it_interval = {0, nanoseconds}, .it_value = {0, nanoseconds}};
  ::timer_settime(reminder, 0, &again, nullptr);
}
extern "C" void note_signal_at_prompt(int) {
  caught.store(true, std::memory_order_relaxed);
  remind(20'000'000);
}
extern "C" void only_end_waiting(int) {}

}  // namespace

void catch_interrupts() {
  struct sigaction note {};
  note.sa_handler = note_signal;
  // SA_RESETHAND: the next signal of the same kind has its default effect.
  note.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    // A signal ignored by the parent process (nohup, a background job) stays ignored.
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    ::sigaction(signal, &note, nullptr);
  }
}

void catch_every_interrupt() {
  struct sigaction note {};
  note.sa_handler = only_end_waiting;
  ::sigaction(SIGALRM, &note, nullptr);
  has_reminder = ::timer_create(CLOCK_MONOTONIC, nullptr, &reminder) == 0;  // sends SIGALRM
  note.sa_handler = note_signal_at_prompt;
  ::sigaction(SIGINT, &note, nullptr);
}

bool forget_interrupts() {
  const bool any = caught.exchange(false, std::memory_order_relaxed);
  if (any) remind(0);
  return any;
}

void ignore_broken_pipes() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, nullptr);
}

bool interrupted() { return caught.load(std::memory_order_relaxed); }

}  // namespace heddle::cli
