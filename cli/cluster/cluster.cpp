// heddle cluster ACTION URL: see cluster.hpp.
#include "cli/cluster/cluster.hpp"

#include <fmt/format.h>

#include <string_view>

#include "cli/commands.hpp"
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
    for (const auto& oldest : check.oldest)
      text += fmt::format("  explored for {:.1f} s by {}\n", oldest.seconds, oldest.worker);
    if (check.status.aside > 0) text += fmt::format("  set aside: {}\n", check.status.aside_because);
    for (const auto& [worker, why] : check.status.refusals)
      text += fmt::format("  {} refuses: {}\n", worker, why);
  }
  return text;
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
      oldest.push_back({{"worker", each.worker}, {"seconds", each.seconds}});
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
