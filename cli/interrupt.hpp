// Ctrl-C (SIGINT) and SIGTERM as a question that the search asks now and then. The second one ends the
// process.
#pragma once

namespace heddle::cli {

// From here on the first signal is only noted; the second one acts as if it had never been caught.
void catch_interrupts();
[[nodiscard]] bool interrupted();

// For a program that outlives what was interrupted: from here on SIGINT is noted, every time; system calls
// that it meets return early, and nothing is ended by it.
void catch_every_interrupt();
// Forgets what was noted. Returns whether anything was.
bool forget_interrupts();

// A reader that leaves becomes an error of write() instead of the end of the process.
void ignore_broken_pipes();

}  // namespace heddle::cli
