#include "cli/history_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/option_values.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

using Value = nlohmann::json;
using Kind = HistoryEvent::Kind;

constexpr std::int64_t history_version = 1;

struct Refused {
  std::string message;
};

[[noreturn]] void reject(const std::string& where, std::string_view message) {
  throw Refused{where.empty() ? std::string(message) : fmt::format("{}: {}", where, message)};
}

void check_fields(const Value& object, const std::string& where,
                  std::initializer_list<std::string_view> known) {
  for (const auto& [field, value] : object.items()) {
    bool found = false;
    for (const auto name : known) found = found || name == field;
    if (!found) reject(where, fmt::format("unknown field \"{}\"", shown(field)));
  }
}

std::int64_t integer(const Value& value, const std::string& where) {
  if (!value.is_number_integer()) reject(where, "must be a whole number");
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > most)
    reject(where, "does not fit into 64 bits");
  return value.get<std::int64_t>();
}

std::string text(const Value& value, const std::string& where) {
  if (!value.is_string()) reject(where, "must be a string");
  return value.get<std::string>();
}

class Reader {
 public:
  History read(const Value& root) {
    if (!root.is_object()) reject("", "a history is a JSON object");
    check_fields(root, "", {"version", "initial", "threads"});
    if (!root.contains("version")) reject("", "the field \"version\" is missing");
    if (integer(root["version"], "version") != history_version)
      reject("version", fmt::format("this is not version {}", history_version));
    if (root.contains("initial")) initial(root["initial"]);
    if (!root.contains("threads") || !root["threads"].is_array())
      reject("threads", "must be there, and a list of threads");
    const auto& threads = root["threads"];
    for (std::size_t t = 0; t < threads.size(); ++t) name_thread(threads[t], t);
    for (std::size_t t = 0; t < threads.size(); ++t) events(threads[t], t);
    return std::move(history_);
  }

 private:
  void initial(const Value& values) {
    if (!values.is_object()) reject("initial", "must be an object of locations and values");
    for (const auto& [location, value] : values.items())
      history_.initial[location] = integer(value, fmt::format("initial.{}", shown(location)));
  }

  void name_thread(const Value& thread, std::size_t index) {
    const auto where = fmt::format("threads[{}]", index);
    if (!thread.is_object()) reject(where, "must be an object");
    check_fields(thread, where, {"name", "events"});
    auto& added = history_.threads.emplace_back();
    added.name = thread.contains("name") ? text(thread["name"], where + ".name") : fmt::format("t{}", index);
    if (!numbers_.emplace(added.name, static_cast<std::uint32_t>(index)).second)
      reject(where, fmt::format("there is a thread '{}' already", shown(added.name)));
  }

  void events(const Value& thread, std::size_t index) {
    const auto where = fmt::format("threads[{}].events", index);
    if (!thread.contains("events") || !thread["events"].is_array())
      reject(where, "must be there, and a list");
    const auto& list = thread["events"];
    for (std::size_t i = 0; i < list.size(); ++i)
      history_.threads[index].events.push_back(event(list[i], fmt::format("{}[{}]", where, i)));
  }

  HistoryEvent event(const Value& json, const std::string& where) {
    if (!json.is_object()) reject(where, "must be an object");
    if (!json.contains("op")) reject(where, "the field \"op\" is missing");
    HistoryEvent event;
    event.kind = kind(text(json["op"], where + ".op"), where);
    switch (event.kind) {
      case Kind::fence:
      case Kind::store_fence: check_fields(json, where, {"op"}); return event;
      case Kind::read:
      case Kind::failed_update:
        check_fields(json, where, {"op", "location", "value", "from"});
        event.read = optional_integer(json, "value", where);
        break;
      case Kind::write:
        check_fields(json, where, {"op", "location", "value"});
        event.written = optional_integer(json, "value", where);
        break;
      case Kind::update:
        check_fields(json, where, {"op", "location", "read", "write", "from"});
        event.read = optional_integer(json, "read", where);
        event.written = optional_integer(json, "write", where);
        break;
      case Kind::lock: check_fields(json, where, {"op", "location", "from"}); break;
      case Kind::unlock: check_fields(json, where, {"op", "location"}); break;
    }
    if (!json.contains("location")) reject(where, "the field \"location\" is missing");
    event.location = text(json["location"], where + ".location");
    if (event.location.empty()) reject(where + ".location", "is empty");
    if (json.contains("from")) event.source = source(json["from"], where + ".from");
    return event;
  }

  Kind kind(const std::string& name, const std::string& where) {
    static constexpr std::array kinds{Kind::read,  Kind::write,       Kind::update, Kind::failed_update,
                                      Kind::fence, Kind::store_fence, Kind::lock,   Kind::unlock};
    std::string known;
    for (const auto kind : kinds) {
      if (heddle::name(kind) == name) return kind;
      known += (known.empty() ? "" : ", ") + std::string(heddle::name(kind));
    }
    reject(where, fmt::format("unknown op \"{}\"; the ops are {}", shown(name), known));
  }

  static std::optional<std::int64_t> optional_integer(const Value& json, const char* field,
                                                      const std::string& where) {
    if (!json.contains(field)) return std::nullopt;
    return integer(json[field], fmt::format("{}.{}", where, field));
  }

  HistorySource source(const Value& json, const std::string& where) {
    if (json == "initial") return {};
    if (!json.is_object() || !json.contains("thread") || !json.contains("event"))
      reject(where, "must be \"initial\" or an object with the fields \"thread\" and \"event\"");
    check_fields(json, where, {"thread", "event"});
    const auto name = text(json["thread"], where + ".thread");
    const auto thread = numbers_.find(name);
    if (thread == numbers_.end()) reject(where, fmt::format("there is no thread '{}'", shown(name)));
    const auto event = integer(json["event"], where + ".event");
    if (event < 0 || event > std::numeric_limits<std::uint32_t>::max())
      reject(where + ".event", "is not the number of an event");
    return {false, thread->second, static_cast<std::uint32_t>(event)};
  }

  History history_;
  std::map<std::string, std::uint32_t> numbers_;
};

}  // namespace

std::variant<History, std::string> parse_history(std::string_view text) {
  // The parser recurses into nested values, and a history has five levels.
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') ++i;
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (depth > 16) return "nested too deep for a history";
  }
  try {
    return Reader().read(Value::parse(text));
  } catch (const Refused& refused) {
    return refused.message;
  } catch (const Value::parse_error& error) {
    std::size_t line = 1;
    for (std::size_t i = 0; i + 1 < error.byte && i < text.size(); ++i) line += text[i] == '\n' ? 1U : 0U;
    return fmt::format("line {}: this is not JSON", line);
  } catch (const Value::exception& error) {
    return fmt::format("this is not a history: {}", error.what());
  }
}

}  // namespace heddle::cli
