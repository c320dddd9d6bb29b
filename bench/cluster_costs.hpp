// What the steps of a cluster cost on this machine, measured: the server's with a real redis-server, the worker's with
// a real search. For the simulation of cluster_tables.cpp.
#pragma once

#include <cstdint>

#include "heddle/job.h"

namespace heddle::bench {

// Seconds of CPU time of the server's main thread for one step, its share of the socket and of the append-only file
// included.
struct ServerCosts {
  double take = 0;       // a part
  double idle_take = 0;  // none waits
  double renew = 0;
  double commit = 0;     // of a part that leaves none
  double each_part = 0;  // that a commit queues
  double status = 0;     // for the submitter, and others that look
  double client = 0;     // CPU time of the worker for a take and a commit together
};

// With this many leases and at least as many open parts. Starts a server on a socket in a temporary folder, and ends it. Exits with a
// message if there is none. Takes some seconds.
[[nodiscard]] ServerCosts measure_server(std::uint32_t leases);

// Seconds of CPU time in which another process compiles the program of a division, text included.
[[nodiscard]] double measure_compilation(const Division& division);

}  // namespace heddle::bench
