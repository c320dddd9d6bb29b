// See server.hpp.
#include "tests/cluster/server.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace heddle::test {

namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error("the path of a socket is too long");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

// -1: no server listens.
int connect_to(const std::string& path) {
  const int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(path);
  if (::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return file;
  ::close(file);
  return -1;
}

// Runs the program with its standard output in a pipe, the end of which comes back.
pid_t launch(std::vector<std::string> words, int input, int output) {
  const pid_t process = ::fork();
  if (process != 0) return process;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (input >= 0) ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
  ::_exit(127);
}

}  // namespace

Server::Server(std::string password)
    : socket_((folder_.path() / "redis.sock").string()), password_(std::move(password)) {
  start();
}

Server::~Server() { kill(); }

void Server::start() {
  std::filesystem::remove(socket_);
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  std::vector<std::string> words{"redis-server",
                                 "--port",
                                 "0",
                                 "--unixsocket",
                                 socket_,
                                 "--dir",
                                 folder_.path().string(),
                                 "--appendonly",
                                 "yes",
                                 "--appendfsync",
                                 "always",
                                 "--save",
                                 "",
                                 "--aof-load-truncated",
                                 "yes"};
  if (!password_.empty()) words.insert(words.end(), {"--requirepass", password_});
  process_ = launch(words, -1, null);
  ::close(null);
  for (int i = 0; i < 1000; ++i) {
    if (const int file = connect_to(socket_); file >= 0) {
      ::close(file);
      return;
    }
    int status = 0;
    if (::waitpid(process_, &status, WNOHANG) == process_) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  process_ = -1;
  FAIL(
      "redis-server does not start: it comes with the Debian package redis-server, which ./dev test "
      "installs");
}

void Server::kill() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::filesystem::path Server::newest_file() const {
  std::filesystem::path newest;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "appendonlydir")) {
    if (contains(entry.path().filename().string(), ".incr.") && entry.path() > newest) newest = entry.path();
  }
  return newest;
}

void Server::mend_file() const {
  const std::string yes = folder_.file("yes", "y\n");
  const int in = ::open(yes.c_str(), O_RDONLY | O_CLOEXEC), out = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t process = launch({"redis-check-aof", "--fix", newest_file().string()}, in, out);
  ::close(in);
  ::close(out);
  ::waitpid(process, nullptr, 0);
}

std::uint64_t Server::file_size() const { return std::filesystem::file_size(newest_file()); }

void Server::cut_file(std::uint64_t bytes) const {
  const auto size = file_size();
  std::filesystem::resize_file(newest_file(), size - std::min(size, bytes));
}

std::string Server::ask(const std::vector<std::string>& words, const std::string& input) const {
  std::vector<std::string> command{"redis-cli", "-s", socket_};
  if (!input.empty()) command.emplace_back("-x");
  command.insert(command.end(), words.begin(), words.end());
  const std::string asked = folder_.file("input", input);
  const int in = ::open(asked.c_str(), O_RDONLY | O_CLOEXEC);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  const pid_t process = launch(command, in, ends[1]);
  ::close(ends[1]);
  ::close(in);
  std::string answer;
  std::array<char, 65536> buffer{};
  for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    answer.append(buffer.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  ::waitpid(process, nullptr, 0);
  if (answer.ends_with('\n')) answer.pop_back();
  return answer;
}

Network::Network(const Server& server)
    : socket_((folder_.path() / "network.sock").string()), server_(server.socket()) {
  listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(socket_);
  if (::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listening_, 64) != 0)
    throw std::runtime_error("cannot listen");
  accepting_ = std::jthread([this] { accept_connections(); });
}

Network::~Network() {
  ending_ = true;
  accepting_.join();
  connections_.clear();
  ::close(listening_);
}

void Network::cut(bool is_cut) {
  cut_ = is_cut;
  ++cuts_;
}

void Network::accept_connections() {
  while (!ending_) {
    pollfd waiting{listening_, POLLIN, 0};
    if (::poll(&waiting, 1, 20) <= 0) continue;
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    if (cut_) {
      ::close(client);
    } else {
      connections_.emplace_back([this, client] { forward(client); });
    }
  }
}

void Network::forward(int client) {
  const int server = connect_to(server_);
  const int cuts = cuts_;
  std::array<char, 65536> buffer{};
  while (server >= 0 && !ending_ && cuts == cuts_) {
    std::array<pollfd, 2> files{{{client, POLLIN, 0}, {server, POLLIN, 0}}};
    if (::poll(files.data(), files.size(), 10) <= 0) continue;
    bool ended = false;
    for (const int side : {0, 1}) {
      if (files[static_cast<std::size_t>(side)].revents == 0) continue;
      const ssize_t got = ::read(side == 0 ? client : server, buffer.data(), buffer.size());
      std::this_thread::sleep_for(delay_.load());
      // What is under way when the network is cut is lost.
      ended = ended || got <= 0 || cuts != cuts_ ||
              ::send(side == 0 ? server : client, buffer.data(), static_cast<std::size_t>(got),
                     MSG_NOSIGNAL) != got;
    }
    if (ended) break;
  }
  if (server >= 0) ::close(server);
  ::close(client);
}

}  // namespace heddle::test
