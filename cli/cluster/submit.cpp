// Those who want a check: see cluster.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

#include "cli/cluster/cluster.hpp"
#include "cli/estimate.hpp"
#include "cli/text.hpp"

namespace heddle::cli {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<Diagnostic> failure(const std::string& message) {
  Diagnostic diagnostic;
  diagnostic.message = message;
  diagnostic.text = fmt::format("heddle: {}\n", message);
  return {diagnostic};
}

class Submitter {
 public:
  Submitter(const Division& division, const std::optional<double>& timeout, const std::string& url,
            const std::function<bool(const CheckStatus&)>& watch)
      : division_(division), timeout_(timeout), watch_(watch), exchange_(open_exchange({.url = url})) {
    // The first step shows whether the server is there at all. Later, it is waited for.
    joined_ = !exchange_->submit(division_, name_);
    exchange_ = open_exchange({.url = url, .patience = [this](const std::string& why) {
                                 last_.reason = why;
                                 return continues();
                               }});
  }

  Result<CheckResult> run() {
    auto pause = std::chrono::milliseconds(5);
    for (;;) {
      try {
        last_ = exchange_->status(division_.id(), name_);
        if (last_.state == CheckState::unknown) {
          // The server has lost it: only time is lost.
          exchange_->submit(division_, name_);
          continue;
        }
        if (last_.state != CheckState::running) {
          if (auto result = end(last_.reason)) return *std::move(result);
          continue;
        }
        if (last_.progress.seconds > 1 && !last_.expected) say_how_large();
        if (!continues()) {
          exchange_->leave(division_.id(), name_);
          return *end(why_ended_);
        }
      } catch (const ExchangeError& error) {
        if (why_ended_.empty()) throw;
        // Nothing can be asked of the server any more.
        return division_.result({}, {.stopped_by = why_ended_, .seconds = seconds()});
      }
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::milliseconds(100));
    }
  }

 private:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  bool continues() {
    if (timeout_ && seconds() > *timeout_) why_ended_ = "timeout";
    if (watch_ && !watch_(last_)) why_ended_ = "interrupted";
    return why_ended_.empty();
  }

  // Workers explore meanwhile. Others may have said it, or this one before the server has lost it.
  void say_how_large() {
    if (!estimated_) estimate_ = quick_estimate(division_.program(), division_.options());
    estimated_ = true;
    if (estimate_) exchange_->expect(division_.id(), *estimate_);
  }

  // Nothing if the server says now that the check has not ended: it has lost the end since it said so.
  std::optional<Result<CheckResult>> end(std::string stopped_by) {
    const CheckFindings found = exchange_->findings(division_.id());
    const CheckState state = found.status.state;
    if (state == CheckState::unknown || state == CheckState::running) {
      if (why_ended_.empty()) return std::nullopt;
      if (state == CheckState::unknown)
        return division_.result({}, {.stopped_by = std::move(stopped_by), .seconds = seconds()});
    }
    const bool found_violation =
        std::any_of(found.tally.firsts.begin(), found.tally.firsts.end(),
                    [](const auto& first) { return first.first.starts_with("violation/"); });
    if (stopped_by.empty() && found.status.state == CheckState::over && !found_violation)
      stopped_by = "a worker ended the search without a reason";
    if (stopped_by.empty() && found.status.aside > 0) {
      stopped_by =
          fmt::format("{} set aside: {}", counted(found.status.aside, "part"), found.status.aside_because);
    }
    return division_.result(found.tally, {.stopped_by = std::move(stopped_by),
                                          .processes = std::max(found.processes, 1U),
                                          .seconds = found.status.progress.seconds});
  }

  const Division& division_;
  const std::optional<double> timeout_;
  const std::function<bool(const CheckStatus&)>& watch_;
  const std::string name_ = random_token();
  const Clock::time_point start_ = Clock::now();
  std::unique_ptr<Exchange> exchange_;
  CheckStatus last_;
  std::optional<Estimate> estimate_;
  bool estimated_ = false;
  std::string why_ended_;
  bool joined_ = false;
};

}  // namespace

Result<CheckResult> check_on_cluster(const Program& program, const CheckOptions& options,
                                     const std::string& url,
                                     const std::function<bool(const CheckStatus&)>& watch) {
  const Result<Division> division = Division::of(program, options);
  if (!division) return division.error();
  try {
    return Submitter(*division, options.timeout, url, watch).run();
  } catch (const ExchangeError& error) {
    return failure(error.what());
  }
}

std::string progress_text(const CheckStatus& status) {
  const Progress& progress = status.progress;
  std::string text =
      fmt::format("{} ({} a second)", counted(progress.executions, "execution"), magnitude(status.rate));
  // Before all that a narrow terminal may cut off.
  if (status.state == CheckState::running)
    text += remaining_text(status.expected, progress.executions, status.rate);
  if (progress.blocked > 0) text += fmt::format(", {} blocked", grouped(progress.blocked));
  text += status.workers == 0 ? ", no worker" : fmt::format(", {}", counted(status.workers, "worker"));
  text += fmt::format(", {} open", counted(status.open, "part"));
  if (status.aside > 0) text += fmt::format(", {} set aside", grouped(status.aside));
  if (!status.refusals.empty())
    text += fmt::format(", {} refuse: {}", counted(status.refusals.size(), "worker"),
                        status.refusals.front().second);
  return fmt::format("{}, {:.0f} s", text, progress.seconds);
}

}  // namespace heddle::cli
