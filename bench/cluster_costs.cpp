// See cluster_costs.hpp.
#include "bench/cluster_costs.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/programs.hpp"
#include "cli/cluster/exchange.hpp"

namespace heddle::bench {

namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "cluster costs: " << why << '\n';
  std::exit(2);
}

// A redis-server with the settings of deploy/: an append-only file, synced every second by a thread of its own.
class Server {
 public:
  Server() {
    std::string name = (std::filesystem::temp_directory_path() / "heddle-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) give_up("no temporary folder");
    folder_ = name;
    const std::string socket = folder_ + "/socket";
    process_ = ::fork();
    if (process_ == 0) {
      ::execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", socket.c_str(), "--dir",
               folder_.c_str(), "--appendonly", "yes", "--save", "", "--logfile", "/dev/null", nullptr);
      ::_exit(127);
    }
    for (int attempt = 0; attempt < 200; ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      connection_ = redisConnectUnix(socket.c_str());
      if (connection_ != nullptr && connection_->err == 0) return;
      redisFree(connection_);
      connection_ = nullptr;
    }
    give_up("redis-server cannot be started");
  }
  ~Server() {
    redisFree(connection_);
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::string url() const { return "redis+unix://" + folder_ + "/socket"; }
  // Of the thread that executes the steps.
  [[nodiscard]] double cpu() const {
    auto* const reply = static_cast<redisReply*>(redisCommand(connection_, "INFO cpu"));
    if (reply == nullptr || reply->str == nullptr) give_up("the server does not answer");
    const std::string text(reply->str, reply->len);
    freeReplyObject(reply);
    double seconds = 0;
    for (const std::string_view name : {"used_cpu_sys_main_thread:", "used_cpu_user_main_thread:"}) {
      const auto place = text.find(name);
      if (place == std::string::npos) give_up("a server older than Redis 7");
      seconds += std::strtod(text.c_str() + place + name.size(), nullptr);
    }
    return seconds;
  }

 private:
  std::string folder_;
  pid_t process_ = -1;
  redisContext* connection_ = nullptr;
};

// Paths as long as those of real parts, which are all different.
SearchPart part_numbered(std::uint64_t number) {
  std::string path = "0:1";
  for (int i = 0; i < 15; ++i, number /= 4) path += fmt::format(".{}", number % 4 + 1);
  return {.text = path, .depth = static_cast<std::uint32_t>(number % 7)};
}

}  // namespace

ServerCosts measure_server(std::uint32_t leases) {
  const Server server;
  const auto exchange = cli::open_exchange({.url = server.url(), .lease = std::chrono::hours(1)});
  const auto division =
      Division::of(load("tests/programs/reference/casw.hed", {{"N", 5}}), {.algorithm = "trust"});
  if (!division) give_up(to_text(division.error()));
  exchange->submit(*division, "bench");
  cli::WorkerInfo worker{.id = "host:1", .jobs = 12, .executions = 34'567'890};
  const auto take = [&] {
    worker.id = fmt::format("host:{}", worker.jobs++ % std::max(leases, 1U));
    auto lease = exchange->take(worker, {});
    if (!lease) give_up("no part waits");
    return *lease;
  };
  // What a part of casw has found: the names and sizes of a real tally.
  const auto real = division->explore(Division::whole().text, [](const Progress&) { return 0U; });
  if (!real) give_up(to_text(real.error()));
  std::uint64_t next = 0;
  const auto commit = [&](const cli::Lease& lease, std::uint32_t left) {
    Explored explored;
    explored.found = real->found;
    for (std::uint32_t i = 0; i < left; ++i) explored.left.push_back(part_numbered(++next));
    if (!exchange->commit(lease, worker, *division, explored)) give_up("a lease is not known");
  };
  constexpr std::uint32_t rounds = 2000, parts = 16;
  // Many parts, and all leases but those that are measured.
  const auto open_parts = [&](std::uint32_t number) {
    for (std::uint32_t i = 0; i < number; i += parts) commit(take(), parts + 1);
  };
  open_parts(leases + 2 * rounds);
  std::vector<cli::Lease> held;
  for (std::uint32_t i = 0; i < leases; ++i) held.push_back(take());

  // Seconds of the server for each of `count` times.
  const auto measure = [&](std::uint32_t count, auto&& act) {
    const double before = server.cpu();
    for (std::uint32_t i = 0; i < count; ++i) act(i);
    return (server.cpu() - before) / count;
  };
  ServerCosts costs;
  std::vector<cli::Lease> taken;
  const double client = cpu_seconds();
  costs.take = measure(rounds, [&](std::uint32_t) { taken.push_back(take()); });
  costs.commit = measure(rounds, [&](std::uint32_t i) { commit(taken[i], 0); });
  costs.client = (cpu_seconds() - client) / rounds;
  costs.renew = measure(rounds, [&](std::uint32_t i) {
    const std::uint64_t executions = 1000 + i;
    static_cast<void>(exchange->renew(held[i % std::max(leases, 1U)],
                                      {.executions = executions, .transitions = 20 * executions}));
  });
  costs.status =
      measure(200, [&](std::uint32_t) { static_cast<void>(exchange->status(division->id(), "bench")); });
  taken.clear();
  for (std::uint32_t i = 0; i < 200; ++i) taken.push_back(take());
  const double many = measure(200, [&](std::uint32_t i) { commit(taken[i], parts); });
  costs.each_part = std::max(0.0, (many - costs.commit) / parts);
  // Nothing waits any more: what is left is leased. Half of the workers of a small cluster are idle then.
  while (exchange->take(worker, {})) {
  }
  costs.idle_take = measure(rounds, [&](std::uint32_t i) {
    worker.id = fmt::format("host:{}", i % std::max(leases, 1U));
    if (exchange->take(worker, {})) give_up("a part waits");
  });
  return costs;
}

double measure_compilation(const Division& division) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const double before = cpu_seconds();
    if (const auto other = Division::from_text(division.text()); !other) give_up(to_text(other.error()));
    best = std::min(best, cpu_seconds() - before);
  }
  return best;
}

}  // namespace heddle::bench
