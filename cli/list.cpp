// heddle list: the models, the algorithms and the supported pairs.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/pairs.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

std::string list_json() {
  Json json = json_head("list");
  json["models"] = Json::array();
  for (const ModelInfo& model : models()) {
    Json pairs = Json::array();
    for (const AlgorithmInfo& algorithm : algorithms()) {
      if (why_not(model.name, algorithm.name).empty()) pairs.push_back(std::string(algorithm.name));
    }
    json["models"].push_back({{"name", std::string(model.name)},
                              {"summary", std::string(model.summary)},
                              {"default_algorithm", std::string(model.default_algorithm)},
                              {"store_buffers", model.has_buffers},
                              {"algorithms", std::move(pairs)}});
  }
  json["algorithms"] = Json::array();
  for (const AlgorithmInfo& algorithm : algorithms()) {
    json["algorithms"].push_back({{"name", std::string(algorithm.name)},
                                  {"summary", std::string(algorithm.summary)},
                                  {"paper", std::string(algorithm.paper)},
                                  {"counts", json_word(name(algorithm.counts))},
                                  {"bounds_preemptions", algorithm.bounds_preemptions}});
  }
  return json_text(json);
}

// The models under which the algorithm takes no preemption bound: ", not under power".
std::string exceptions(const AlgorithmInfo& algorithm) {
  std::vector<std::string_view> without;
  for (const ModelInfo& model : models()) {
    if (!why_no_preemption_bound(model.name, algorithm.name).empty()) without.push_back(model.name);
  }
  return without.empty() ? std::string() : fmt::format(", not under {}", fmt::join(without, " and "));
}

}  // namespace

int run_list(const Options& options) {
  if (options.json) return write_report(list_json()) ? 0 : bad_input;
  std::size_t name_width = 0;
  for (const ModelInfo& model : models()) name_width = std::max(name_width, model.name.size());
  for (const AlgorithmInfo& algorithm : algorithms())
    name_width = std::max(name_width, algorithm.name.size());
  const std::size_t indent = name_width + 4;
  const std::size_t width = terminal_width(STDOUT_FILENO);
  const auto entry = [&](std::string_view name, std::string_view body) {
    return fmt::format("  {}  {}\n", pad_right(name, name_width), wrap(body, width, indent));
  };

  std::string text = "Models:\n";
  for (const ModelInfo& model : models()) text += entry(model.name, model.summary);
  text += "\nAlgorithms:\n" + entry(automatic, automatic_summary);
  for (const AlgorithmInfo& algorithm : algorithms()) {
    std::string body(algorithm.summary);
    if (!algorithm.paper.empty()) body += fmt::format(" [{}]", algorithm.paper);
    if (algorithm.bounds_preemptions)
      body += fmt::format(" (takes --preemption-bound{})", exceptions(algorithm));
    text += entry(algorithm.name, body);
  }
  text += "\nSupported pairs (auto begins with *):\n  " + std::string(name_width, ' ');
  for (const AlgorithmInfo& algorithm : algorithms()) text += fmt::format("  {}", algorithm.name);
  text += '\n';
  std::string reasons;
  for (const ModelInfo& model : models()) {
    text += "  " + pad_right(model.name, name_width);
    for (const AlgorithmInfo& algorithm : algorithms()) {
      const std::string reason = why_not(model.name, algorithm.name);
      const bool is_default = model.default_algorithm == algorithm.name;
      const std::string_view mark = !reason.empty() ? "no" : is_default ? "yes*" : "yes";
      text += "  " + pad_right(mark, algorithm.name.size());
      if (!reason.empty()) reasons += fmt::format("  {}\n", wrap(reason, width, 2));
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  if (!reasons.empty()) text += "\n" + reasons;
  return write_report(text) ? 0 : bad_input;
}

}  // namespace heddle::cli
