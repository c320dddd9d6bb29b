// See candidates.hpp.
#include "checker/report/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "checker/report/trace.hpp"

namespace heddle::checker {

namespace {

FenceType fence_of(axioms::PointKind kind) {
  switch (kind) {
    case axioms::PointKind::full: return FenceType::full;
    case axioms::PointKind::lightweight: return FenceType::lightweight;
    case axioms::PointKind::store_store: return FenceType::store_store;
    default: return FenceType::instruction;
  }
}

std::string_view fence_text(FenceType fence) {
  switch (fence) {
    case FenceType::full: return "fence";
    case FenceType::lightweight: return "fence lw";
    case FenceType::store_store: return "fence st";
    case FenceType::instruction: break;
  }
  return "fence isync";
}

class CandidateText {
 public:
  CandidateText(const Image& image, const Candidate& candidate) : image_(image), candidate_(candidate) {}

  Trace run() {
    Trace trace;
    for (const auto& thread : image_.threads) trace.threads.push_back(thread.name);
    ThreadId thread = none;
    std::uint32_t position = 0;
    for (std::size_t i = 0; i < candidate_.accesses.size(); ++i) {
      const auto& access = candidate_.accesses[i];
      if (access.thread != thread) {
        thread = access.thread;
        position = 0;
        next_point_ = 0;
        while (next_point_ < candidate_.points.size() && candidate_.points[next_point_].thread != thread)
          ++next_point_;
        control_.clear();
        control_isync_.clear();
      }
      trace.steps.push_back(step(i, position++));
    }
    std::vector<std::int64_t> memory = candidate_.memory;
    for (std::size_t i = 0; i < image_.locations.size(); ++i) {
      const auto& location = image_.locations[i];
      if (location.is_mutex) continue;
      trace.initial.push_back(named_value(location.name, location.initial, location.type));
      trace.memory.push_back(named_value(location.name, memory[i], location.type));
    }
    for (ThreadId t = 0; t < image_.threads.size(); ++t)
      trace.ends.push_back(describe_thread(image_, memory, t, candidate_.blocks[t]));
    return trace;
  }

 private:
  heddle::Step step(std::size_t index, std::uint32_t position) {
    const auto& [thread, access, read, write] = candidate_.accesses[index];
    Row row{.op = access->op,
            .reads = access->reads,
            .writes = access->writes,
            .thread = thread,
            .location = access->location,
            .site = access->site,
            .read = access->read,
            .written = access->written};
    if (access->op == Op::try_lock) row.read = access->writes ? 1 : 0;
    heddle::Step result = describe_row(image_, row);
    Commit commit;
    commit.position = position + 1;
    add_points(thread, position, commit);
    const auto& events = candidate_.execution.events;
    if (read != axioms::no_event) {
      commit.source = step_of(events[read].source);
      commit.address = steps_of(events[read].address);
    }
    if (write != axioms::no_event) {
      const auto& order = candidate_.execution.coherence[events[write].location];
      const auto place = std::find(order.begin(), order.end(), write);
      if (place != order.begin()) commit.behind = step_of(*(place - 1));
      commit.address = steps_of(events[write].address);
      auto data = events[write].data;
      std::erase(data, read);
      commit.data = steps_of(data);
    }
    commit.control = control_;
    commit.control_isync = control_isync_;
    result.commit = std::move(commit);
    return result;
  }

  // The fences and branches of the thread before the access.
  void add_points(ThreadId thread, std::uint32_t position, Commit& commit) {
    const auto& points = candidate_.points;
    for (; next_point_ < points.size() && points[next_point_].thread == thread; ++next_point_) {
      const PathPoint& point = *points[next_point_].point;
      if (point.position > position || (point.position == position && point.inside)) break;
      if (point.kind == axioms::PointKind::branch) {
        for (const auto load : steps_of(candidate_.execution.points[next_point_].reads)) {
          if (std::find(control_.begin(), control_.end(), load) == control_.end()) control_.push_back(load);
        }
        continue;
      }
      if (point.implicit) continue;
      if (point.kind == axioms::PointKind::instruction) control_isync_ = control_;
      const FenceType fence = fence_of(point.kind);
      if (std::find(commit.fences.begin(), commit.fences.end(), fence) == commit.fences.end())
        commit.fences.push_back(fence);
    }
  }

  [[nodiscard]] std::optional<std::size_t> step_of(axioms::EventId event) const {
    if (event == axioms::no_event) return std::nullopt;
    return candidate_.execution.events[event].tag;
  }
  [[nodiscard]] std::vector<std::size_t> steps_of(const std::vector<axioms::EventId>& events) const {
    std::vector<std::size_t> steps;
    for (const axioms::EventId event : events) steps.push_back(candidate_.execution.events[event].tag);
    return steps;
  }

  const Image& image_;
  const Candidate& candidate_;
  std::size_t next_point_ = 0;
  std::vector<std::size_t> control_;  // steps of the thread's loads that branches so far depend on
  std::vector<std::size_t> control_isync_;
};

}  // namespace

Trace describe(const Image& image, const Candidate& candidate) {
  return CandidateText(image, candidate).run();
}

std::vector<WhyEdge> describe(const Image& image, const Candidate& candidate, const axioms::Cycle& cycle) {
  std::vector<WhyEdge> result;
  for (const axioms::Edge& edge : cycle.edges) {
    const auto& events = candidate.execution.events;
    WhyEdge described{.relation = std::string(axioms::name(edge.kind)),
                      .from = events[edge.from].tag,
                      .to = events[edge.to].tag};
    if (described.from == described.to) continue;  // within a read-modify-write
    const auto point = edge.fence != axioms::Edge::no_point ? edge.fence : edge.branch;
    if (point != axioms::Edge::no_point) {
      const auto site = candidate.points[candidate.execution.points[point].tag].point->site;
      if (site != none) {
        described.file = image.sites[site].file;
        described.line = image.sites[site].line;
        described.source = image.sites[site].text;
      }
    }
    result.push_back(std::move(described));
  }
  return result;
}

WhyChange describe(const Image& image, const std::string& main_file, const Change& change,
                   const std::vector<StatementPlace>& statements) {
  const auto place = [&](const std::string& file, std::uint32_t line) {
    return file == main_file ? fmt::format("line {}", line) : fmt::format("{}:{}", file, line);
  };
  WhyChange result;
  if (change.kind == Change::Kind::add) {
    const StatementPlace& statement = statements[change.place];
    result.kind = WhyChangeKind::add_fence;
    result.fence = fence_of(change.after);
    result.file = statement.file;
    result.line = statement.line;
    result.column = statement.column;
    result.source = statement.source;
    result.text = fmt::format("add '{}' before {}: {}", fence_text(result.fence),
                              place(result.file, result.line), result.source);
    return result;
  }
  const compiler::Site& site = image.sites[change.site];
  result.file = site.file;
  result.line = site.line;
  result.column = site.column;
  result.source = site.text;
  const std::string where = place(site.file, site.line);
  switch (change.kind) {
    case Change::Kind::weaken:
      result.kind = WhyChangeKind::weaken_fence;
      result.fence = fence_of(change.after);
      result.before = fence_of(change.before);
      result.text = fmt::format("weaken '{}' on {} to '{}'", site.text, where, fence_text(result.fence));
      break;
    case Change::Kind::remove:
      result.kind = WhyChangeKind::remove_fence;
      result.fence = result.before = fence_of(change.before);
      result.text = fmt::format("remove '{}' on {}", site.text, where);
      break;
    default: {
      const compiler::Site& to = image.sites[change.to];
      result.kind = WhyChangeKind::drop_dependency;
      result.dependency = axioms::name(change.dependency);
      result.to_line = to.line;
      result.to_source = to.text;
      const std::string_view kind = change.dependency == axioms::EdgeKind::address ? "address"
                                    : change.dependency == axioms::EdgeKind::data  ? "data"
                                                                                   : "control";
      result.text = fmt::format("drop the {} dependency from '{}' on {} to '{}' on {}", kind, site.text,
                                where, to.text, place(to.file, to.line));
      break;
    }
  }
  return result;
}

}  // namespace heddle::checker
