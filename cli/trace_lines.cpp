// See trace_lines.hpp.
#include "cli/trace_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "cli/report.hpp"
#include "cli/text.hpp"
#include "heddle/graph.h"

namespace heddle::cli {
namespace {

// A struct is shown as a whole if it has no more fields than this.
constexpr std::size_t most_fields = 6;
// A call's line names the scalars that it writes if they are no more than these.
constexpr std::size_t most_scalars = 3;
// And an atomic block's line no more than these.
constexpr std::size_t most_in_block = 4;

// A thread that could crash here and does not: stdlib/crash.hed.
bool is_no_crash(const Step& step) {
  return step.kind == StepKind::choose && step.file == "std/crash.hed" && step.read == 0;
}

// A location and the text of its value.
struct Access {
  std::string location;
  std::string value;
};

// The structs of the shared data: `net[0].kind` is the field `kind` of the object `net[0]`.
class Objects {
 public:
  Objects(const Trace& trace, const TraceDetails* details) {
    if (details == nullptr) return;
    for (const NamedValue& value : trace.initial) {
      const auto type = details->structs.find(value.name);
      const std::size_t dot = value.name.rfind('.');
      if (type == details->structs.end() || dot == std::string::npos) continue;
      const std::string name = value.name.substr(0, dot);
      Object& object = objects_[name];
      object.type = type->second;
      object.fields.push_back(value.name.substr(dot + 1));
      if (const std::size_t outer = name.rfind('.'); outer != std::string::npos)
        objects_[name.substr(0, outer)].nests = true;
    }
  }

  // The object of which the location is a field, if it is one to be shown as a whole.
  [[nodiscard]] std::optional<std::string> around(std::string_view location) const {
    const std::size_t dot = location.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const auto object = objects_.find(location.substr(0, dot));
    if (object == objects_.end() || !object->second.shown_whole()) return std::nullopt;
    return object->first;
  }
  [[nodiscard]] std::size_t field_count(const std::string& object) const {
    return objects_.at(object).fields.size();
  }
  // "Vote{term=1, from=2}"; empty if a field is missing. `values`: by location.
  [[nodiscard]] std::string text(const std::string& name,
                                 const std::map<std::string, std::string>& values) const {
    const Object& object = objects_.at(name);
    std::vector<std::string> fields;
    for (const std::string& field : object.fields) {
      const auto value = values.find(name + "." + field);
      if (value == values.end()) return {};
      fields.push_back(fmt::format("{}={}", field, value->second));
    }
    return fmt::format("{}{{{}}}", object.type, join(fields, ", "));
  }

 private:
  struct Object {
    std::string type;
    std::vector<std::string> fields;
    bool nests = false;  // it has fields that are structs, too
    [[nodiscard]] bool shown_whole() const {
      return !nests && fields.size() > 1 && fields.size() <= most_fields &&
             std::none_of(fields.begin(), fields.end(),
                          [](const std::string& field) { return field.find('[') != std::string::npos; });
    }
  };
  std::map<std::string, Object, std::less<>> objects_;
};

struct Grouped {
  std::vector<Access> objects;  // whole ones
  std::vector<Access> scalars;
};

// In the order in which they are accessed; of several values of a location the last.
Grouped grouped_accesses(const Objects& objects, const std::vector<Access>& accesses) {
  std::map<std::string, std::string> values;
  for (const Access& access : accesses) values[access.location] = access.value;
  Grouped result;
  std::set<std::string> done;
  for (const Access& access : accesses) {
    if (const auto object = objects.around(access.location)) {
      if (const std::string text = objects.text(*object, values); !text.empty()) {
        if (done.insert(*object).second) result.objects.push_back({*object, text});
        continue;
      }
    }
    if (done.insert(access.location).second)
      result.scalars.push_back({access.location, values[access.location]});
  }
  return result;
}

std::string text_of(std::int64_t value, const std::string& symbol) {
  return symbol.empty() ? std::to_string(value) : symbol;
}

std::vector<std::string> values_of(const std::vector<Access>& accesses) {
  std::vector<std::string> texts;
  for (const Access& access : accesses) {
    if (std::find(texts.begin(), texts.end(), access.value) == texts.end()) texts.push_back(access.value);
  }
  return texts;
}

std::vector<std::string> assignments_of(const std::vector<Access>& accesses) {
  std::vector<std::string> texts;
  for (const Access& access : accesses)
    texts.push_back(fmt::format("{} = {}", access.location, access.value));
  return texts;
}

// What a block writes, with the names; or else what it reads.
std::vector<std::string> effects_of_block(const Grouped& written, const Grouped& read) {
  const auto texts_of = [](const Grouped& accesses) {
    std::vector<std::string> texts = assignments_of(accesses.objects);
    for (std::string& text : assignments_of(accesses.scalars)) texts.push_back(std::move(text));
    if (texts.size() > most_in_block) {
      texts.resize(most_in_block);
      texts.emplace_back("...");
    }
    return texts;
  };
  std::vector<std::string> texts = texts_of(written);
  if (!texts.empty()) return texts;
  texts = texts_of(read);
  if (!texts.empty()) texts.front() = "read " + texts.front();
  return texts;
}

class Lines {
 public:
  Lines(const Trace& trace, const TraceView& view)
      : trace_(trace),
        view_(view),
        folds_(view.details != nullptr && !view.unfold),
        objects_(trace, folds_ ? view.details : nullptr) {
    if (!folds_) return;
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
      if (const LibraryCall* const call = call_at(i)) last_of_[call->number] = i;
    }
  }

  std::vector<TraceLine> run() {
    for (std::size_t i = 0; i < trace_.steps.size();) {
      if (folds_ && is_no_crash(trace_.steps[i])) {
        ++i;
        continue;
      }
      const LibraryCall* const call = call_at(i);
      TraceLine line = call != nullptr ? line_of(*call, i) : line_of_struct(i);
      if (view_.locals && view_.details != nullptr) add_locals(line);
      i = line.last + 1;
      lines_.push_back(std::move(line));
    }
    return std::move(lines_);
  }

 private:
  [[nodiscard]] const LibraryCall* call_at(std::size_t step) const {
    if (!folds_ || step >= view_.details->calls.size()) return nullptr;
    const auto& call = view_.details->calls[step];
    return call ? &*call : nullptr;
  }

  [[nodiscard]] TraceLine single(std::size_t i) const {
    const Step& step = trace_.steps[i];
    return {.first = i,
            .last = i,
            .thread = step.thread,
            .kind = step.kind,
            .action = step.action.empty() ? std::string(name(step.kind)) : step.action,
            .file = step.file,
            .line = step.line,
            .source = step.source};
  }

  // The steps of the call from this one on, as far as no other step comes in between.
  [[nodiscard]] TraceLine line_of(const LibraryCall& call, std::size_t first) {
    TraceLine line = single(first);
    std::vector<Access> reads, writes;
    std::vector<std::string> chosen;
    for (std::size_t i = first; i < trace_.steps.size(); ++i) {
      if (is_no_crash(trace_.steps[i])) continue;
      const LibraryCall* const same = call_at(i);
      if (same == nullptr || same->number != call.number) break;
      const Step& step = trace_.steps[i];
      line.last = i;
      if (step.kind == StepKind::choose && !step.read_symbol.empty()) chosen.push_back(step.read_symbol);
      if (step.location.empty()) continue;
      if (step.writes) writes.push_back({step.location, text_of(step.written, step.written_symbol)});
      if (step.reads) reads.push_back({step.location, text_of(step.read, step.read_symbol)});
    }
    line.file = call.file;
    line.line = call.line;
    line.source = call.source;
    const Grouped written = grouped_accesses(objects_, writes), read = grouped_accesses(objects_, reads);
    std::vector<std::string> effects =
        call.atomic ? effects_of_block(written, read) : values_of(written.objects);
    if (effects.empty()) effects = values_of(read.objects);
    if (effects.empty() && written.scalars.size() <= most_scalars) effects = assignments_of(written.scalars);
    if (effects.empty()) effects = std::move(chosen);
    line.action = call.source.substr(0, call.source.find('('));
    if (!effects.empty()) line.action += ": " + join(effects, ", ");
    if (!begun_.insert(call.number).second) line.action = "... " + line.action;
    if (last_of_.at(call.number) > line.last) line.action += " ...";
    // (A line of one step has its kind, which has a colour.)
    if (line.last > line.first) line.kind = StepKind::load;
    return line;
  }

  // The accesses of one kind to all fields of a struct, if they begin here, else this step.
  [[nodiscard]] TraceLine line_of_struct(std::size_t first) const {
    TraceLine line = single(first);
    const Step& begin = trace_.steps[first];
    const bool flush = begin.kind == StepKind::flush;
    const bool simple = flush || begin.kind == StepKind::load || begin.kind == StepKind::store ||
                        begin.kind == StepKind::buffered;
    if (!folds_ || !simple || begin.commit) return line;
    const auto object = objects_.around(begin.location);
    if (!object) return line;
    std::map<std::string, std::string> values;
    std::size_t i = first;
    for (; i < trace_.steps.size() && values.size() < objects_.field_count(*object); ++i) {
      const Step& step = trace_.steps[i];
      if (step.thread != begin.thread || step.kind != begin.kind || call_at(i) != nullptr) break;
      if (!flush && (step.line != begin.line || step.file != begin.file)) break;
      if (objects_.around(step.location) != object || values.contains(step.location)) break;
      values[step.location] = begin.kind == StepKind::load ? text_of(step.read, step.read_symbol)
                                                           : text_of(step.written, step.written_symbol);
    }
    const std::string text = objects_.text(*object, values);
    if (text.empty()) return line;
    line.last = i - 1;
    line.action = fmt::format("{}{} = {}{}", begin.kind == StepKind::load ? "read " : "", *object, text,
                              flush                              ? " reaches memory"
                              : begin.kind == StepKind::buffered ? " buffered"
                                                                 : "");
    return line;
  }

  void add_locals(TraceLine& line) const {
    for (std::size_t i = line.first; i <= line.last && i < view_.details->locals.size(); ++i) {
      for (const NamedValue& value : view_.details->locals[i]) {
        const auto known = std::find_if(line.locals.begin(), line.locals.end(),
                                        [&](const NamedValue& other) { return other.name == value.name; });
        if (known == line.locals.end()) {
          line.locals.push_back(value);
        } else {
          *known = value;
        }
      }
    }
  }

  const Trace& trace_;
  const TraceView& view_;
  bool folds_;
  Objects objects_;
  std::map<std::size_t, std::size_t> last_of_;  // by number of a call
  std::set<std::size_t> begun_;                 // numbers of calls
  std::vector<TraceLine> lines_;
};

}  // namespace

std::string TraceLine::number() const {
  return first == last ? std::to_string(first + 1) : fmt::format("{}-{}", first + 1, last + 1);
}

std::vector<TraceLine> lines_of(const Trace& trace, const TraceView& view) {
  return Lines(trace, view).run();
}

std::vector<Message> messages_of(const Trace& trace, const std::vector<TraceLine>& lines,
                                 const TraceView& view) {
  const Objects objects(trace, view.unfold ? nullptr : view.details);
  const ExecutionGraph graph = graph_of(trace);
  std::set<std::string> variables;
  for (const NamedValue& value : trace.initial) variables.insert(value.name);
  std::vector<std::size_t> line_of_step(trace.steps.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t step = lines[i].first; step <= lines[i].last; ++step) line_of_step[step] = i;
  }
  // In the order of the reads.
  std::map<std::size_t, std::size_t> writers;  // events, by event
  for (const GraphEdge& edge : graph.edges) {
    const GraphEvent& from = graph.events[edge.from];
    const GraphEvent& to = graph.events[edge.to];
    if (edge.relation == GraphRelation::reads_from && from.thread >= 0 && to.thread >= 0 &&
        from.thread != to.thread)
      writers[edge.to] = edge.from;
  }
  std::vector<std::pair<std::size_t, std::size_t>> reads(writers.begin(), writers.end());
  std::sort(reads.begin(), reads.end(), [&](const auto& a, const auto& b) {
    return graph.events[a.first].step < graph.events[b.first].step;
  });
  std::set<std::pair<std::int32_t, std::size_t>> seen;  // thread, event that writes
  std::map<std::pair<std::size_t, std::int32_t>, std::vector<Access>> found;
  std::map<std::pair<std::size_t, std::int32_t>, std::vector<std::string>> mutexes;
  for (const auto& [read, write] : reads) {
    const GraphEvent& event = graph.events[read];
    if (!seen.insert({event.thread, write}).second) continue;
    const std::pair key(line_of_step[event.step], graph.events[write].thread);
    auto& there = found[key];
    if (variables.contains(event.location)) {
      there.push_back({event.location, text_of(event.read, event.read_symbol)});
    } else {
      mutexes[key].push_back(event.location);
    }
  }
  std::vector<Message> result;
  for (const auto& [key, accesses] : found) {
    const Grouped grouped = grouped_accesses(objects, accesses);
    std::vector<std::string> parts = values_of(grouped.objects);
    if (parts.empty()) parts = assignments_of(grouped.scalars);
    const auto locked = mutexes.find(key);
    if (parts.empty() && locked != mutexes.end()) parts = locked->second;
    if (parts.size() > most_scalars) {
      parts.resize(most_scalars);
      parts.emplace_back("...");
    }
    result.push_back({.line = key.first, .from = key.second, .text = join(parts, ", ")});
  }
  return result;
}

std::string format_memory(const Trace& trace, const TraceView& view, std::size_t& left_out) {
  left_out = 0;
  const TraceDetails* const details = view.unfold ? nullptr : view.details;
  if (details == nullptr || details->structs.empty()) return format_values(trace.memory);
  const Objects objects(trace, details);
  std::map<std::string, std::string> values;
  std::set<std::string> changed;  // locations, and objects that are shown as a whole
  for (std::size_t i = 0; i < trace.memory.size(); ++i) {
    const NamedValue& value = trace.memory[i];
    values[value.name] = value.text();
    if (i < trace.initial.size() && trace.initial[i].value == value.value) continue;
    changed.insert(value.name);
    if (const auto object = objects.around(value.name)) changed.insert(*object);
  }
  std::vector<std::string> parts;
  std::vector<NamedValue> plain;
  const auto finish = [&] {
    if (!plain.empty()) parts.push_back(format_values(plain));
    plain.clear();
  };
  std::set<std::string> done;
  for (const NamedValue& value : trace.memory) {
    const auto object = objects.around(value.name);
    const bool field = details->structs.contains(value.name);
    if (object ? !changed.contains(*object) : field && !changed.contains(value.name)) {
      ++left_out;
      continue;
    }
    if (!object) {
      plain.push_back(value);
      continue;
    }
    finish();
    if (done.insert(*object).second)
      parts.push_back(fmt::format("{} = {}", *object, objects.text(*object, values)));
  }
  finish();
  return join(parts, ", ");
}

}  // namespace heddle::cli
