// heddle consistency FILE: the models under which a recorded history is possible.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <variant>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/history_file.hpp"
#include "cli/json.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "heddle/consistency.h"

namespace heddle::cli {
namespace {

constexpr std::uintmax_t largest_history = 256 << 20;

// The value that an event read, if the file or the write that it read from gives it.
std::optional<std::int64_t> value_read(const History& history, const ConsistencyResult& result,
                                       const HistoryStep& step) {
  const auto& event = history.threads[step.thread].events[step.event];
  if (event.read) return event.read;
  const auto& source = result.sources[step.thread][step.event];
  if (!source) return std::nullopt;
  if (!source->initial) return history.threads[source->thread].events[source->event].written;
  const auto first = history.initial.find(event.location);
  return first == history.initial.end() ? 0 : first->second;
}

std::string describe(const History& history, const ConsistencyResult& result, const HistoryStep& step) {
  const auto& event = history.threads[step.thread].events[step.event];
  const auto value = [](std::optional<std::int64_t> known) {
    return known ? fmt::format(" {}", *known) : std::string(" ?");
  };
  const auto read = value(value_read(history, result, step));
  if (step.flush) return fmt::format("{} ={} reaches memory", event.location, value(event.written));
  switch (event.kind) {
    case HistoryEvent::Kind::write: return fmt::format("{} ={}", event.location, value(event.written));
    case HistoryEvent::Kind::read: return fmt::format("read {} ={}", event.location, read);
    case HistoryEvent::Kind::update:
      return fmt::format("update {}:{} ->{}", event.location, read, value(event.written));
    case HistoryEvent::Kind::failed_update: return fmt::format("failed update {} ={}", event.location, read);
    case HistoryEvent::Kind::fence: return "fence";
    case HistoryEvent::Kind::store_fence: return "store fence";
    case HistoryEvent::Kind::lock: return "lock " + event.location;
    case HistoryEvent::Kind::unlock: break;
  }
  return "unlock " + event.location;
}

std::string text_report(const std::string& file, const History& history,
                        const std::vector<ConsistencyResult>& results) {
  std::string text;
  std::size_t width = 0;
  for (const auto& thread : history.threads) width = std::max(width, clean(thread.name).size());
  for (const auto& result : results) {
    text += fmt::format("{}: {} (model {})\n", clean(file), name(result.verdict), result.model);
    if (result.verdict == Realisability::undecided)
      text += fmt::format("  gave up after {} states\n", result.states);
    for (std::size_t i = 0; i < result.witness.size(); ++i) {
      const auto& step = result.witness[i];
      text +=
          fmt::format("  {:3}  {}  {}\n", i + 1, pad_right(clean(history.threads[step.thread].name), width),
                      clean(describe(history, result, step)));
    }
  }
  return text;
}

Json source_json(const History& history, const HistorySource& source) {
  if (source.initial) return "initial";
  return {{"thread", history.threads[source.thread].name}, {"event", source.event}};
}

std::string json_report(const std::string& file, const History& history,
                        const std::vector<ConsistencyResult>& results, int exit_code) {
  Json document{{"document", "consistency"},        {"version", 1},
                {"heddle", std::string(version())}, {"file", file},
                {"exit_code", exit_code},           {"models", Json::array()}};
  for (const auto& result : results) {
    const char* const verdict = result.verdict == Realisability::realisable     ? "realisable"
                                : result.verdict == Realisability::unrealisable ? "unrealisable"
                                                                                : "undecided";
    Json entry{{"model", result.model}, {"verdict", verdict}, {"states", result.states}};
    if (result.verdict == Realisability::realisable) {
      entry["witness"] = Json::array();
      for (const auto& step : result.witness) {
        entry["witness"].push_back(
            {{"thread", history.threads[step.thread].name}, {"event", step.event}, {"flush", step.flush}});
      }
      entry["reads"] = Json::array();
      for (std::size_t t = 0; t < result.sources.size(); ++t) {
        for (std::size_t i = 0; i < result.sources[t].size(); ++i) {
          if (!result.sources[t][i]) continue;
          entry["reads"].push_back({{"thread", history.threads[t].name},
                                    {"event", i},
                                    {"from", source_json(history, *result.sources[t][i])}});
        }
      }
    }
    document["models"].push_back(std::move(entry));
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int run_consistency(const Options& options) {
  const auto read = read_file(options.file, largest_history);
  if (const auto* const error = std::get_if<FileError>(&read))
    return report_errors({as_diagnostic({error->message, ""})}, options.json);
  const auto parsed = parse_history(std::get<std::string>(read));
  if (const auto* const message = std::get_if<std::string>(&parsed))
    return report_errors({about_file(options.file, *message)}, options.json);
  const auto& history = std::get<History>(parsed);
  const auto results = check_consistency(history, options.consistency);
  if (!results)
    return report_errors({about_file(options.file, results.error().front().message)}, options.json);
  const auto any = [&](Realisability verdict) {
    return std::any_of(results->begin(), results->end(),
                       [&](const ConsistencyResult& result) { return result.verdict == verdict; });
  };
  const auto verdict = any(Realisability::unrealisable) ? Verdict::violation
                       : any(Realisability::undecided)  ? Verdict::undecided
                                                        : Verdict::safe;
  const auto report = options.json ? json_report(options.file, history, *results, exit_code(verdict))
                                   : text_report(options.file, history, *results);
  return write_report(report) ? exit_code(verdict) : bad_input;
}

}  // namespace heddle::cli
