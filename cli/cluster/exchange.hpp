// Where those who want checks and those who do them meet: the only thing that a cluster needs besides heddle/job.h. Whoever
// implements it for another server or queue writes one file; see redis.cpp.
//
// A check has open parts, which wait or are leased. A lease is known by a random token, and ends when it is not
// renewed in time; its part then waits again. Whatever happens to a part happens in one step, which counts only
// if the lease is known: its findings are added, the parts that are left of it begin to wait, and the lease ends. So at
// every moment what was found and what is open are the whole search, once each.
//
// Functions wait for the server as long as the patience that they were made with says, and throw ExchangeError when
// that is over. Objects are used by one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "heddle/estimate.h"
#include "heddle/job.h"

namespace heddle::cli {

// A sentence for the user.
struct ExchangeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A part of a check that a worker has taken.
struct Lease {
  std::string token;
  std::string check;  // Division::id
  std::string part;   // SearchPart::text
};

// The answer to a worker that renews its lease.
struct Renewal {
  bool known = false;  // false: the lease has ended, and what the worker does will not count
  std::uint32_t parts_wanted = 0;
  std::chrono::milliseconds next{100};  // when to renew again
};

// What a worker says about itself and its job.
struct WorkerInfo {
  std::string id;  // "host:process"
  std::uint64_t jobs = 0;
  std::uint64_t executions = 0;
};

enum class CheckState : std::uint8_t { unknown, running, done, over, cancelled };

// A check as its submitter sees it.
struct CheckStatus {
  CheckState state = CheckState::unknown;
  std::string reason;  // over, cancelled: why
  Progress
      progress;  // findings of parts that have ended, and what workers say of theirs; seconds since the start
  std::uint64_t open = 0;                                     // parts
  std::uint64_t leased = 0;                                   // of these
  std::uint64_t workers = 0;                                  // alive, whatever they do
  std::uint64_t aside = 0;                                    // parts that are not explored any more
  std::string aside_because;                                  // of one of them
  std::vector<std::pair<std::string, std::string>> refusals;  // workers that cannot work on it, and why
  std::optional<Estimate>
      expected;     // `executions` and `interval` of the whole search, as a submitter has said
  double rate = 0;  // executions a second: in the last seconds, or in all if it has ended
};

struct CheckFindings {
  CheckStatus status;
  Tally tally;
  std::uint32_t processes = 0;  // whose findings are in it
};

// For `heddle cluster status`.
struct CheckSummary {
  std::string id, file, model, algorithm;
  CheckStatus status;
  struct Straggler {
    std::string worker;
    double seconds = 0;            // since it took the part
    double silent = 0;             // since it was last heard of
    std::uint64_t executions = 0;  // of the part, as it has said then
  };
  std::vector<Straggler> oldest;  // leases, the oldest first
};
struct WorkerSummary {
  WorkerInfo info;
  double silent = 0;  // seconds
};
struct ClusterStatus {
  std::vector<WorkerSummary> workers;
  std::vector<CheckSummary> checks;
};

class Exchange {
 public:
  virtual ~Exchange() = default;

  // -- Those who want a check. `submitter`: any text that is theirs alone; it is forgotten after ten seconds without
  // `status`.

  // Begins the check, or joins the others who wait for the same one. False: joined.
  virtual bool submit(const Division& division, const std::string& submitter) = 0;
  virtual CheckStatus status(const std::string& check, const std::string& submitter) = 0;
  // What was found, at one moment.
  virtual CheckFindings findings(const std::string& check) = 0;
  // Says how large the search is, for all who look at it. The first that says so counts.
  virtual void expect(const std::string& check, const Estimate& estimate) = 0;
  // Ends the check unless others wait for it.
  virtual void leave(const std::string& check, const std::string& submitter) = 0;

  // -- Workers.

  // A part of a running check; nothing: none waits, and the worker is then known to be idle for a while. `refused`:
  // checks that are not for this worker.
  virtual std::optional<Lease> take(const WorkerInfo& worker, const std::vector<std::string>& refused) = 0;
  // The text of the check's division; nothing: the check has ended.
  virtual std::optional<std::string> division(const std::string& check) = 0;
  virtual Renewal renew(const Lease& lease, const Progress& progress) = 0;
  // False: the lease was not known, so this does not count.
  virtual bool commit(const Lease& lease, const WorkerInfo& worker, const Division& division,
                      const Explored& explored) = 0;
  // The part waits again. `crashed`: exploring it has ended the worker; a part that does so three times is set aside.
  virtual void give_back(const Lease& lease, bool crashed, const std::string& reason) = 0;
  virtual void refuse(const std::string& check, const WorkerInfo& worker, const std::string& reason) = 0;
  // When an idle worker is to ask again.
  [[nodiscard]] virtual std::chrono::milliseconds idle_period() const = 0;

  // -- Everybody.

  virtual ClusterStatus overview() = 0;
  // False: there is no such running check.
  virtual bool cancel(const std::string& check) = 0;
};

struct ExchangeSettings {
  std::string url;
  std::chrono::milliseconds lease{15'000};
  // Called while the server does not answer, with the reason; false: give up.
  std::function<bool(const std::string& why)> patience = {};
};

// The kind of exchange that the URL names. Throws ExchangeError if it names none, or if the server refuses us.
[[nodiscard]] std::unique_ptr<Exchange> open_exchange(const ExchangeSettings& settings);
// Why the URL is none of an exchange, as a sentence; empty: it is one.
[[nodiscard]] std::string why_not_url(const std::string& url);

// 32 random hexadecimal digits.
[[nodiscard]] std::string random_token();

}  // namespace heddle::cli
