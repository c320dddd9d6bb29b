#include "checker/report/commits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "checker/report/trace.hpp"

namespace heddle::checker {

namespace {

std::uint32_t position(const ReportMachine& machine, EventName name) {
  const auto& requests = machine.requests(name.thread);
  const auto before = std::count_if(requests.begin(), requests.begin() + name.index,
                                    [](const Request& request) { return request.event(); });
  return 1 + static_cast<std::uint32_t>(before);
}

std::vector<std::size_t> steps_of(const ReportMachine& machine, ThreadId t, LoadSet loads) {
  std::vector<std::size_t> result;
  machine.load_sets().for_each(loads, [&](std::uint32_t load) {
    const EventId read = machine.load(t, load).read;
    if (read != no_event) result.push_back(machine.step_of(read));
  });
  return result;
}

std::vector<FenceType> fences_before(const ReportMachine& machine, EventName name) {
  std::vector<FenceType> result;
  const auto& requests = machine.requests(name.thread);
  for (std::uint32_t i = name.index; i-- > 0;) {
    if (requests[i].event() && requests[i].committed) break;
    if (requests[i].op != Op::fence) continue;
    const FenceType fence = fence_type(requests[i].fence);
    if (std::find(result.begin(), result.end(), fence) == result.end()) result.insert(result.begin(), fence);
  }
  return result;
}

Commit commit_of(const ReportMachine& machine, EventName name) {
  const Request& self = machine.request(name);
  const auto& model = machine.model();
  Commit commit;
  commit.position = position(machine, name);
  commit.address = steps_of(machine, name.thread, self.address);
  commit.data = steps_of(machine, name.thread, self.data);
  commit.control = steps_of(machine, name.thread, self.control);
  commit.control_isync = steps_of(machine, name.thread, self.control_isync);
  commit.fences = fences_before(machine, name);
  if (self.write_half())
    commit.read_half = machine.step_of(machine.requests(name.thread)[name.index - 1].read);
  if (self.op == Op::choose) return commit;
  const auto step_of = [&](EventId write) -> std::optional<std::size_t> {
    return write < 0 ? std::nullopt : std::optional<std::size_t>(machine.step_of(write));
  };
  if (self.read != no_event) commit.source = step_of(model[self.read].source);
  if (self.write != no_event) commit.behind = step_of(model[self.write].previous);
  return commit;
}

// The position of the event: " (po 2, rf q line 3)". The place of a write is included if others are possible.
std::string note(const ReportMachine& machine, EventName name) {
  const Request& self = machine.request(name);
  std::string text = fmt::format(" (po {}", position(machine, name));
  if (self.op == Op::choose) return text + ")";
  const auto& model = machine.model();
  if (self.read != no_event) {
    text += ", rf " + write_name(machine, model[self.read].source);
  } else if (model.previous(self.write) >= 0 || model.next(self.write) != no_event) {
    text += ", co after " + write_name(machine, model.previous(self.write));
  }
  return text + ")";
}

// The events that the thread has fetched but not committed, except the one that it is at.
std::size_t open_events(const ReportMachine& machine, ThreadId t) {
  const auto& requests = machine.requests(t);
  return static_cast<std::size_t>(
      std::count_if(requests.begin(), requests.end() - 1,
                    [](const Request& request) { return request.event() && !request.committed; }));
}

std::string ahead_state(const ReportMachine& machine, const std::vector<std::int64_t>& memory, ThreadId t) {
  Mailbox m = compiler::mailbox(machine.block(t));
  const auto open = open_events(machine, t);
  const std::string left = open == 0   ? std::string()
                           : open == 1 ? std::string("1 event not committed")
                                       : fmt::format("{} events not committed", open);
  if (const auto stopped = machine.stopped_at(t)) {
    const Request& request = machine.requests(t)[*stopped];
    m.site = request.site;
    m.op = request.op == Op::assumption  ? Op::assume_failed
           : request.op == Op::assertion ? Op::assert_failed
                                         : request.op;
  }
  if (m.op == Op::done && open > 0) return "at its end, " + left;
  std::string state;
  if (m.op == Op::need) {
    // For a branch or an address; the compiler does not always tell them apart.
    state = "needs " + missing_loads(machine, t, static_cast<LoadSet>(m.value));
  } else {
    state = thread_state(machine.image(), memory, m);
  }
  return left.empty() ? state : state + ", " + left;
}

}  // namespace

std::string write_name(const ReportMachine& machine, EventId write) {
  const EventName name = machine.name_of(write);
  if (name.thread == none) return "initial";
  const auto& requests = machine.requests(name.thread);
  const auto& sites = machine.image().sites;
  const Request& self = machine.request(name);
  const auto line = sites[self.site].line;
  // The thread may write the location several times in that line.
  const auto same = std::count_if(requests.begin(), requests.end(), [&](const Request& request) {
    return request.event() && request.writes() && request.location == self.location &&
           sites[request.site].line == line;
  });
  std::string text = fmt::format("{} line {}", machine.image().threads[name.thread].name, line);
  if (same > 1) text += fmt::format(" po {}", position(machine, name));
  return text;
}

heddle::Step describe_commit(const ReportMachine& machine, std::uint32_t depth) {
  const EventName name = machine.step(depth);
  heddle::Step step = describe_row(machine.image(), machine.row(depth));
  step.action += note(machine, name);
  step.commit = commit_of(machine, name);
  return step;
}

std::vector<heddle::Step> describe_commits(const ReportMachine& machine) {
  std::vector<heddle::Step> steps;
  for (std::uint32_t depth = 0; depth < machine.depth(); ++depth)
    steps.push_back(describe_commit(machine, depth));
  return steps;
}

std::string missing_loads(const ReportMachine& machine, ThreadId t, LoadSet loads) {
  std::vector<std::uint32_t> lines;
  machine.load_sets().for_each(loads, [&](std::uint32_t load) {
    if (!machine.has_value(t, load)) lines.push_back(machine.image().sites[machine.load(t, load).site].line);
  });
  std::string text = lines.size() == 1 ? "the load on line " : "the loads on lines ";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += i + 1 == lines.size() ? " and " : ", ";
    text += std::to_string(lines[i]);
  }
  return text;
}

std::vector<ThreadEnd> describe_ahead_threads(ReportMachine& machine,
                                              const std::vector<std::int64_t>& memory) {
  machine.clean();
  std::vector<ThreadEnd> ends;
  for (ThreadId t = 0; t < machine.thread_count(); ++t) {
    const std::byte* const block = machine.block(t);
    ThreadEnd end = describe_thread(machine.image(), memory, t, block);
    end.state = ahead_state(machine, memory, t);
    const auto& locals = machine.image().threads[t].locals;
    for (std::size_t i = 0; i < locals.size(); ++i) {
      LoadSet loads = 0;
      std::memcpy(&loads, block + locals[i].mask_offset, sizeof loads);
      end.locals[i].pending = !machine.has_values(t, loads);
    }
    ends.push_back(std::move(end));
  }
  return ends;
}

}  // namespace heddle::checker
