// See trace_file.hpp.
#include "cli/trace_file.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cli/json.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

// An error at a place in the document, as a sentence.
struct Malformed {
  std::string message;
};

// One value of the document, and its name for messages: "violation.trace.steps[3].kind".
class Field {
 public:
  Field(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  [[nodiscard]] Field operator[](const char* key) const {
    const std::string path = path_.empty() ? key : path_ + "." + key;
    if (!json_.is_object()) throw Malformed{fmt::format("{} is not an object", shown_path())};
    const auto found = json_.find(key);
    if (found == json_.end()) throw Malformed{fmt::format("{} is missing", path)};
    return {*found, path};
  }
  [[nodiscard]] bool is_null() const { return json_.is_null(); }
  [[nodiscard]] std::size_t size() const { return json_.size(); }
  [[nodiscard]] std::string text() const {
    if (!json_.is_string()) wrong("a string");
    return json_.get<std::string>();
  }
  [[nodiscard]] std::int64_t number() const {
    if (!json_.is_number_integer()) wrong("a whole number");
    if (json_.is_number_unsigned() && json_.get<std::uint64_t>() > INT64_MAX) wrong("a number of 64 bits");
    return json_.get<std::int64_t>();
  }
  [[nodiscard]] std::uint32_t count() const {
    const std::int64_t value = number();
    if (value < 0 || value > UINT32_MAX) wrong("a number from 0 to 4294967295");
    return static_cast<std::uint32_t>(value);
  }
  [[nodiscard]] bool truth() const {
    if (!json_.is_boolean()) wrong("true or false");
    return json_.get<bool>();
  }
  // A value of a program: a truth value or a number.
  [[nodiscard]] NamedValue value(std::string name) const {
    if (json_.is_null()) return {std::move(name), 0, false, true};
    if (json_.is_boolean()) return {std::move(name), json_.get<bool>() ? 1 : 0, true};
    return {std::move(name), number(), false};
  }
  // A member that may be missing or null.
  [[nodiscard]] std::optional<Field> optional(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end() || found->is_null()) return std::nullopt;
    return (*this)[key];
  }
  template <typename Each>
  void each(Each&& use) const {
    if (!json_.is_array()) wrong("a list");
    for (std::size_t i = 0; i < json_.size(); ++i) use(Field(json_[i], fmt::format("{}[{}]", path_, i)));
  }
  template <typename Each>
  void each_member(Each&& use) const {
    if (!json_.is_object()) wrong("an object");
    for (const auto& [key, value] : json_.items()) use(key, Field(value, path_ + "." + key));
  }
  [[noreturn]] void wrong(std::string_view wanted) const {
    throw Malformed{fmt::format("{} is not {}", shown_path(), wanted)};
  }

 private:
  [[nodiscard]] std::string shown_path() const { return path_.empty() ? "the document" : path_; }
  const Json& json_;
  std::string path_;
};

// The kind with that name; `last` is the last enumerator.
template <typename Kind>
Kind kind_of(const Field& field, Kind last) {
  const std::string word = field.text();
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (json_word(name(static_cast<Kind>(i))) == word) return static_cast<Kind>(i);
  }
  field.wrong("a kind that this version knows");
}

std::vector<NamedValue> values_of(const Field& list) {
  std::vector<NamedValue> values;
  list.each([&](const Field& entry) {
    values.push_back(entry["value"].value(entry["name"].text()));
    if (const auto symbol = entry.optional("symbol")) values.back().symbol = symbol->text();
  });
  return values;
}

// The number of a step, which may be one that has not been read yet.
std::size_t step_number(const Field& field, std::size_t steps) {
  const std::uint32_t number = field.count();
  if (number >= steps) field.wrong("the number of a step");
  return number;
}

Commit commit_of(const Field& field, std::size_t steps) {
  Commit commit;
  commit.position = field["position"].count();
  if (const auto source = field.optional("source")) commit.source = step_number(*source, steps);
  if (const auto behind = field.optional("behind")) commit.behind = step_number(*behind, steps);
  const auto list = [&](const char* key) {
    std::vector<std::size_t> numbers;
    field[key].each([&](const Field& each) { numbers.push_back(step_number(each, steps)); });
    return numbers;
  };
  commit.address = list("address");
  commit.data = list("data");
  commit.control = list("control");
  commit.control_isync = list("control_isync");
  field["fences"].each([&](const Field& each) {
    const std::string word = each.text();
    for (const FenceType fence :
         {FenceType::full, FenceType::lightweight, FenceType::store_store, FenceType::instruction}) {
      if (fence_name(fence) == word) return commit.fences.push_back(fence);
    }
    each.wrong("a fence that this version knows");
  });
  return commit;
}

Step step_of(const Field& field, std::size_t threads, std::size_t steps) {
  Step step;
  step.kind = kind_of(field["kind"], StepKind::final_);
  step.thread = -1;
  if (!field["thread"].is_null()) {
    const std::uint32_t thread = field["thread"].count();
    if (thread >= threads) field["thread"].wrong("the number of a thread");
    step.thread = static_cast<std::int32_t>(thread);
  }
  if (!field["location"].is_null()) step.location = field["location"].text();
  step.reads = !field["read"].is_null();
  if (step.reads) step.read = field["read"].number();
  step.writes = !field["written"].is_null();
  if (step.writes) step.written = field["written"].number();
  if (const auto symbol = field.optional("read_symbol")) step.read_symbol = symbol->text();
  if (const auto symbol = field.optional("written_symbol")) step.written_symbol = symbol->text();
  step.action = field["action"].text();
  step.file = field["file"].text();
  step.line = field["line"].count();
  step.column = field["column"].count();
  step.source = field["source"].text();
  if (const auto commit = field.optional("commit")) step.commit = commit_of(*commit, steps);
  return step;
}

Trace trace_of(const Field& field) {
  Trace trace;
  field["threads"].each([&](const Field& thread) { trace.threads.push_back(thread.text()); });
  const std::size_t steps = field["steps"].size();
  field["steps"].each(
      [&](const Field& step) { trace.steps.push_back(step_of(step, trace.threads.size(), steps)); });
  if (const auto from = field.optional("repeats_from")) trace.repeats_from = step_number(*from, steps + 1);
  if (const auto waits = field.optional("waits_at_loops")) trace.waits_at_loops = waits->truth();
  trace.initial = values_of(field["initial"]);
  trace.memory = values_of(field["memory"]);
  field["ends"].each([&](const Field& end) {
    trace.ends.push_back({.thread = end["thread"].text(),
                          .state = end["state"].text(),
                          .locals = values_of(end["locals"]),
                          .buffered = values_of(end["buffered"])});
  });
  return trace;
}

Violation violation_of(const Field& field) {
  Violation violation;
  violation.kind = kind_of(field["kind"], last_violation_kind);
  violation.message = field["message"].text();
  violation.file = field["file"].text();
  violation.line = field["line"].count();
  violation.column = field["column"].count();
  violation.trace = trace_of(field["trace"]);
  if (const auto cycle = field.optional("cycle")) {
    const std::size_t steps = violation.trace.steps.size();
    cycle->each([&](const Field& edge) {
      violation.cycle.push_back({.relation = edge["relation"].text(),
                                 .from = step_number(edge["from"], steps),
                                 .to = step_number(edge["to"], steps)});
    });
  }
  return violation;
}

Witness witness_of(const Field& field) {
  Witness witness;
  if (const auto condition = field.optional("condition")) {
    witness.condition = condition->text();
    witness.file = field["file"].text();
    witness.line = field["line"].count();
    witness.column = field["column"].count();
  }
  witness.trace = trace_of(field["trace"]);
  return witness;
}

SavedTrace saved_of(const Field& field) {
  if (const std::string document = field["document"].text(); document != "trace") {
    throw Malformed{fmt::format("it is not a trace but a document of the kind '{}'", one_line(document))};
  }
  if (const std::int64_t version = field["version"].number(); version != json_version) {
    throw Malformed{fmt::format("it is of version {} of the format, and this heddle reads version {}",
                                version, json_version)};
  }
  SavedTrace saved;
  saved.file = field["file"].text();
  saved.fingerprint = field["fingerprint"].text();
  field["parameters"].each_member(
      [&](const std::string& key, const Field& value) { saved.parameters[key] = value.number(); });
  saved.unroll = field["unroll"].count();
  // Older files do not have it.
  if (const auto unrolled = field.optional("unroll_spin_loops")) saved.unroll_spin_loops = unrolled->truth();
  saved.model = field["model"].text();
  saved.algorithm = field["algorithm"].text();
  if (!field["buffer_bound"].is_null()) saved.buffer_bound = field["buffer_bound"].count();
  if (const auto kept = field.optional("keep_going")) saved.keep_going = kept->truth();
  if (const auto witness = field.optional("witness")) {
    saved.witness = witness_of(*witness);
  } else {
    saved.violation = violation_of(field["violation"]);
  }
  return saved;
}

}  // namespace

std::string trace_json(const SavedTrace& saved) {
  Json json = json_head("trace");
  json["file"] = saved.file;
  json["fingerprint"] = saved.fingerprint;
  json["parameters"] = to_json(saved.parameters);
  json["unroll"] = saved.unroll;
  json["unroll_spin_loops"] = saved.unroll_spin_loops;
  json["model"] = saved.model;
  json["algorithm"] = saved.algorithm;
  json["buffer_bound"] = saved.buffer_bound ? Json(*saved.buffer_bound) : Json(nullptr);
  json["keep_going"] = saved.keep_going;
  json["violation"] = saved.violation ? to_json(*saved.violation) : Json(nullptr);
  json["witness"] = saved.witness ? to_json(*saved.witness) : Json(nullptr);
  return json_text(json);
}

std::variant<SavedTrace, std::string> parse_trace(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return "it is not JSON, or it was cut off";
  try {
    return saved_of(Field(json, ""));
  } catch (const Malformed& malformed) {
    return malformed.message;
  }
}

}  // namespace heddle::cli
