// See interrupt.hpp. A signal handler has no other way to speak than a variable of the whole process.
#include "cli/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace heddle::cli {
namespace {

std::atomic<bool> caught = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not wait for a lock");

extern "C" void note_signal(int) { caught.store(true, std::memory_order_relaxed); }

}  // namespace

void catch_interrupts() {
  struct sigaction note {};
  note.sa_handler = note_signal;
  // SA_RESETHAND: the next one of the same kind does what it does by default.
  note.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    // Who started us with the signal ignored (nohup, a background job) wants it to stay so.
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    ::sigaction(signal, &note, nullptr);
  }
}

void catch_every_interrupt() {
  struct sigaction note {};
  note.sa_handler = note_signal;
  ::sigaction(SIGINT, &note, nullptr);
}

bool forget_interrupts() { return caught.exchange(false, std::memory_order_relaxed); }

void ignore_broken_pipes() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, nullptr);
}

bool interrupted() { return caught.load(std::memory_order_relaxed); }

}  // namespace heddle::cli
