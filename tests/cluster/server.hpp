// A real redis-server on a socket in a temporary folder, and a network in front of it that can be slow or cut.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/process.hpp"

namespace heddle::test {

class Server {
 public:
  // Starts it, with an append-only file that is synced after every step. The test fails if there is no redis-server.
  explicit Server(std::string password = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::string url() const { return "redis+unix://" + socket_; }
  [[nodiscard]] const std::string& socket() const { return socket_; }
  void kill();
  // Starts it again after `kill`, with what its file holds.
  void start();
  // Removes the last bytes of the append-only file, at most as many as it has. The server is not running.
  void cut_file(std::uint64_t bytes) const;
  [[nodiscard]] std::uint64_t file_size() const;
  // redis-check-aof --fix.
  void mend_file() const;
  // What redis-cli answers. `input` is the last argument if it is not empty.
  std::string ask(const std::vector<std::string>& words, const std::string& input = {}) const;

 private:
  [[nodiscard]] std::filesystem::path newest_file() const;

  TemporaryFolder folder_;
  std::string socket_;
  std::string password_;
  pid_t process_ = -1;
};

// Forwards connections to the server.
class Network {
 public:
  explicit Network(const Server& server);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  [[nodiscard]] std::string url() const { return "redis+unix://" + socket_; }
  void delay(std::chrono::milliseconds each_way) { delay_ = each_way; }
  // Ends all connections; bytes that are under way are lost. While it is cut, there are no new ones.
  void cut(bool is_cut);

 private:
  void accept_connections();
  void forward(int client);

  TemporaryFolder folder_;
  std::string socket_;
  std::string server_;
  int listening_ = -1;
  std::atomic<bool> ending_{false};
  std::atomic<bool> cut_{false};
  std::atomic<int> cuts_{0};
  std::atomic<std::chrono::milliseconds> delay_{std::chrono::milliseconds(0)};
  std::vector<std::jthread> connections_;
  std::jthread accepting_;
};

}  // namespace heddle::test
