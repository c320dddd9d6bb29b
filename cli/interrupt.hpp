// Ctrl-C (SIGINT) and SIGTERM as a flag that searches poll. The second signal ends the process.
#pragma once

namespace heddle::cli {

// From here on the first signal only sets the flag; the second one has its default effect.
void catch_interrupts();
[[nodiscard]] bool interrupted();

// For a program that continues after an interrupted search: from here on every SIGINT sets the flag and
// interrupts system calls, but never ends the process.
void catch_every_interrupt();
// Clears the flag. Returns whether it was set.
bool forget_interrupts();

// A closed pipe makes write() fail instead of ending the process.
void ignore_broken_pipes();

}  // namespace heddle::cli
