// heddle cluster ACTION URL: see cluster.hpp.
#include "cli/cluster/cluster.hpp"

#include <fmt/format.h>

#include <string_view>

#include "cli/commands.hpp"
#include "cli/estimate.hpp"
#include "cli/json.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"

namespace heddle::cli {

namespace {

std::string_view word_of(CheckState state) {
  switch (state) {
    case CheckState::running: return "running";
    case CheckState::done: return "done";
    case CheckState::over: return "over";
    case CheckState::cancelled: return "cancelled";
    case CheckState::unknown: break;
  }
  return "unknown";
}

// Seconds without a word of a worker that are worth mentioning: all renew their leases far more often.
constexpr double silence = 5;

std::string text_of(const ClusterStatus& cluster) {
  std::string text = fmt::format(
      "{}\n", cluster.workers.empty() ? "No worker." : counted(cluster.workers.size(), "worker") + ":");
  for (const WorkerSummary& worker : cluster.workers) {
    text +=
        fmt::format("  {}  {}, {}, seen {:.1f} s ago\n", worker.info.id, counted(worker.info.jobs, "part"),
                    counted(worker.info.executions, "execution"), worker.silent);
  }
  text += cluster.checks.empty() ? "No check.\n" : "";
  for (const CheckSummary& check : cluster.checks) {
    text += fmt::format("{}  {}  {} {}  {}\n  {}\n", check.id, check.file, check.model, check.algorithm,
                        word_of(check.status.state), progress_text(check.status));
    if (check.status.expected) text += fmt::format("  {}\n", estimate_text(*check.status.expected));
    for (const auto& oldest : check.oldest)
      text += fmt::format("  explored for {:.1f} s by {}: {}{}\n", oldest.seconds, oldest.worker,
                          counted(oldest.executions, "execution"),
                          oldest.silent > silence ? fmt::format(", silent for {:.1f} s", oldest.silent) : "");
    if (check.status.aside > 0) text += fmt::format("  set aside: {}\n", check.status.aside_because);
    for (const auto& [worker, why] : check.status.refusals)
      text += fmt::format("  {} refuses: {}\n", worker, why);
  }
  return text;
}

Json estimate_of(const CheckStatus& status) {
  if (!status.expected) return nullptr;
  const auto left = status.state == CheckState::running
                        ? remaining(status.expected, status.progress.executions, status.rate)
                        : std::nullopt;
  const auto& interval = status.expected->interval;
  return {{"executions", status.expected->executions},
          {"interval", interval ? Json{interval->low, interval->high} : Json(nullptr)},
          {"seconds_left", left && left->seconds ? Json(*left->seconds) : Json(nullptr)}};
}

Json json_of(const ClusterStatus& cluster) {
  Json json = json_head("cluster");
  json["workers"] = Json::array();
  for (const WorkerSummary& worker : cluster.workers) {
    json["workers"].push_back({{"worker", worker.info.id},
                               {"parts", worker.info.jobs},
                               {"executions", worker.info.executions},
                               {"silent_seconds", worker.silent}});
  }
  json["checks"] = Json::array();
  for (const CheckSummary& check : cluster.checks) {
    Json oldest = Json::array(), refusals = Json::array();
    for (const auto& each : check.oldest)
      oldest.push_back({{"worker", each.worker},
                        {"seconds", each.seconds},
                        {"silent_seconds", each.silent},
                        {"executions", each.executions}});
    for (const auto& [worker, why] : check.status.refusals)
      refusals.push_back({{"worker", worker}, {"reason", why}});
    json["checks"].push_back({{"id", check.id},
                              {"file", check.file},
                              {"model", check.model},
                              {"algorithm", check.algorithm},
                              {"state", word_of(check.status.state)},
                              {"executions", check.status.progress.executions},
                              {"blocked", check.status.progress.blocked},
                              {"seconds", check.status.progress.seconds},
                              {"executions_per_second", check.status.rate},
                              {"estimate", estimate_of(check.status)},
                              {"open_parts", check.status.open},
                              {"explored_parts", check.status.leased},
                              {"set_aside", check.status.aside},
                              {"oldest", std::move(oldest)},
                              {"refusals", std::move(refusals)}});
  }
  return json;
}

int cancel(const Options& options, Exchange& exchange) {
  std::vector<std::string> checks;
  if (!options.cluster.check.empty()) {
    checks.push_back(options.cluster.check);
  } else {
    for (const CheckSummary& check : exchange.overview().checks) {
      if (check.status.state == CheckState::running) checks.push_back(check.id);
    }
  }
  std::size_t ended = 0;
  for (const std::string& check : checks) ended += exchange.cancel(check) ? 1 : 0;
  if (!options.cluster.check.empty() && ended == 0) {
    return report_errors(
        {as_diagnostic({fmt::format("no check '{}' is running", one_line(options.cluster.check)),
                        "heddle cluster status lists them"})},
        options.json);
  }
  return write_product(options, fmt::format("{} cancelled.\n", counted(ended, "check")));
}

}  // namespace

int run_cluster(const Options& options) {
  try {
    if (options.cluster.action == ClusterAction::work) return run_workers(options.cluster);
    const auto exchange = open_exchange({.url = options.cluster.url});
    if (options.cluster.action == ClusterAction::cancel) return cancel(options, *exchange);
    const ClusterStatus cluster = exchange->overview();
    return write_report(options.json ? json_text(json_of(cluster)) : clean(text_of(cluster), true))
               ? 0
               : bad_input;
  } catch (const ExchangeError& error) {
    return report_errors({as_diagnostic({error.what(), ""})}, options.json);
  }
}

}  // namespace heddle::cli
