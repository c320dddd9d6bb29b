// See paths.hpp.
#include "checker/candidates/paths.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "checker/state/threads.hpp"

namespace heddle::checker {

namespace {

using Values = std::vector<std::set<std::int64_t>>;  // by location

// What the threads write in one round, also on paths that do not reach their end: a thread may have no
// complete path before it knows what the others write.
struct Written {
  Values values;
  bool fresh = false;           // some value is new
  std::size_t most_writes = 0;  // of one path of the current thread
};

constexpr unsigned most_loads = 63;  // sets of which are words without a table (compiler::Dependencies)

// Walks one thread through all its paths.
class Walk {
 public:
  Walk(const Image& image, Threads& threads, ThreadId thread, const Values& values, const PathLimits& limits,
       Written& written, Paths& result)
      : image_(image),
        threads_(threads),
        thread_(thread),
        values_(values),
        limits_(limits),
        written_(written),
        result_(result),
        paths_(result.threads[thread]) {}

  void run() {
    threads_.start(thread_, image_.threads[thread_]);
    explore();
  }

 private:
  // The length of the current path at a choice.
  struct Mark {
    std::size_t accesses, points, loads;
    std::uint64_t controlled;
    std::vector<std::uint32_t> held;
  };
  [[nodiscard]] Mark mark() const {
    return {path_.accesses.size(), path_.points.size(), path_.loads.size(), controlled_, held_};
  }
  void back_to(const Mark& mark) {
    path_.accesses.resize(mark.accesses);
    path_.points.resize(mark.points);
    path_.loads.resize(mark.loads);
    controlled_ = mark.controlled;
    held_ = mark.held;
  }

  [[nodiscard]] Mailbox& mailbox() const { return threads_.mailbox(thread_); }
  void resume() const { compiler::resume(threads_.block(thread_)); }
  void give_up(std::string why) {
    if (result_.gave_up.empty()) result_.gave_up = std::move(why);
  }

  [[nodiscard]] std::uint32_t position() const { return static_cast<std::uint32_t>(path_.accesses.size()); }
  void point(axioms::PointKind kind, std::uint32_t site, bool implicit = false, std::uint64_t reads = 0) {
    path_.points.push_back(
        {.position = position(), .kind = kind, .implicit = implicit, .reads = reads, .site = site});
  }
  // A branch on loads that no earlier branch depends on.
  void branch(std::uint64_t control, std::uint32_t site) {
    const auto fresh = control & ~controlled_;
    if (fresh == 0) return;
    controlled_ |= fresh;
    point(axioms::PointKind::branch, site, false, fresh);
  }

  // Continues from the thread's request.
  void explore() {
    std::uint32_t asked = none;  // the place of the newest branch or address that depends on a load
    for (;;) {
      if (!result_.gave_up.empty()) return;
      const Mailbox m = mailbox();
      const auto& dependencies = compiler::dependencies(threads_.block(thread_));
      branch(dependencies.control, asked != none ? asked : m.site);
      switch (m.op) {
        case Op::need: asked = m.site; break;
        case Op::fence: point(point_kind(m.fence), m.site); break;
        case Op::assertion:
        case Op::assert_failed: break;
        case Op::assumption:
          if (m.value == 0) return;
          break;
        case Op::loop_bound:
        case Op::round_limit: result_.cut = m.site; return;
        case Op::done: return finish();
        case Op::choose: return choose(m);
        default:
          if (m.op >= Op::await_failed) return;  // never part of a complete execution
          if (m.op == Op::unlock && !release(m.location)) return;
          if (m.op != Op::store && m.op != Op::unlock) return read(m);
          write(m);
          break;
      }
      if (m.op != Op::need) asked = none;
      resume();
    }
  }

  [[nodiscard]] static axioms::PointKind point_kind(Fence fence) {
    switch (fence) {
      case Fence::full: return axioms::PointKind::full;
      case Fence::lightweight: return axioms::PointKind::lightweight;
      case Fence::store_store: return axioms::PointKind::store_store;
      case Fence::instruction: break;
    }
    return axioms::PointKind::instruction;
  }

  void finish() {
    if (paths_.size() == limits_.most_paths)
      return give_up("thread " + image_.threads[thread_].name + " has too many paths");
    const std::byte* const block = threads_.block(thread_);
    path_.block.assign(block, block + threads_.size(thread_));
    paths_.push_back(path_);
  }

  template <typename Continue>
  void alternative(const std::vector<std::byte>& bytes, const Mark& before, Continue&& go_on) {
    copy_block(threads_.block(thread_), bytes.data(), bytes.size());
    go_on();
    explore();
    back_to(before);
  }
  [[nodiscard]] std::vector<std::byte> snapshot() const {
    const std::byte* const block = threads_.block(thread_);
    return {block, block + threads_.size(thread_)};
  }

  void choose(const Mailbox& m) {
    const auto bytes = snapshot();
    const Mark before = mark();
    for (auto value = m.value; value < m.expected && result_.gave_up.empty(); ++value) {
      alternative(bytes, before, [&] {
        compiler::dependencies(threads_.block(thread_)).result = 0;
        mailbox().value = value;
        resume();
      });
    }
  }

  // True if the thread is known to hold the mutex that it unlocks.
  bool release(Location location) {
    const auto held = std::find(held_.begin(), held_.end(), location);
    if (held == held_.end()) return false;
    held_.erase(held);
    return true;
  }

  [[nodiscard]] PathAccess access(const Mailbox& m) const {
    const auto& dependencies = compiler::dependencies(threads_.block(thread_));
    return {.op = m.op,
            .location = m.location,
            .site = m.site,
            .address = dependencies.address,
            .data = dependencies.data};
  }
  [[nodiscard]] bool full() {
    if (path_.accesses.size() >= limits_.most_accesses)
      give_up("thread " + image_.threads[thread_].name + " has too many accesses");
    return !result_.gave_up.empty();
  }

  void add(const PathAccess& access) {
    path_.accesses.push_back(access);
    if (!access.writes) return;
    auto& values = written_.values[access.location];
    written_.fresh = values.insert(access.written).second || written_.fresh;
    if (values.size() > limits_.most_values)
      give_up(image_.locations[access.location].name + " has too many values");
    const auto writes = std::count_if(path_.accesses.begin(), path_.accesses.end(),
                                      [](const PathAccess& each) { return each.writes; });
    written_.most_writes = std::max(written_.most_writes, static_cast<std::size_t>(writes));
  }

  void write(const Mailbox& m) {
    if (full()) return;
    PathAccess store = access(m);
    store.writes = true;
    store.written = m.op == Op::store ? m.value : 0;
    const bool mutex = m.op == Op::unlock;
    if (mutex) point(axioms::PointKind::full, m.site, true);
    add(store);
    if (mutex) point(axioms::PointKind::full, m.site, true);
  }

  void read(const Mailbox& m) {
    if (full()) return;
    if (path_.loads.size() == most_loads)
      return give_up("thread " + image_.threads[thread_].name + " has more than 63 loads");
    const auto bytes = snapshot();
    const Mark before = mark();
    const auto compared = compiler::dependencies(threads_.block(thread_)).compared;
    const bool mutex = m.op == Op::lock || m.op == Op::try_lock;
    for (const std::int64_t value : values_[m.location]) {
      if (++tried_ > limits_.most_reads)
        give_up("thread " + image_.threads[thread_].name + " has too many paths");
      if (limits_.go_on && tried_ % 256 == 0 && !limits_.go_on()) give_up("timeout");
      if (!result_.gave_up.empty()) return;
      if (m.op == Op::lock && value != 0) continue;  // it waits
      alternative(bytes, before, [&] {
        const ReadEffect effect = m.op == Op::load
                                      ? ReadEffect{.writes = false, .written = 0, .result = value}
                                      : effect_of_reading(m.op, value, m.value, m.expected, thread_);
        PathAccess load = access(m);
        load.reads = true;
        load.read = value;
        load.writes = effect.writes;
        load.written = effect.written;
        if (mutex) point(axioms::PointKind::full, m.site, true);
        if (mutex && effect.writes) held_.push_back(m.location);
        const auto bit = std::uint64_t{1} << path_.loads.size();
        path_.loads.push_back(position());
        if (m.op == Op::compare_exchange) {
          point(axioms::PointKind::branch, m.site, false, compared | bit);
          path_.points.back().inside = true;
          controlled_ |= compared | bit;
        }
        add(load);
        if (mutex) point(axioms::PointKind::full, m.site, true);
        compiler::dependencies(threads_.block(thread_)).result = bit;
        mailbox().value = effect.result;
        resume();
      });
    }
  }

  const Image& image_;
  Threads& threads_;
  ThreadId thread_;
  const Values& values_;
  const PathLimits& limits_;
  Written& written_;
  Paths& result_;
  std::vector<Path>& paths_;
  Path path_;
  std::uint64_t tried_ = 0;          // values of reads
  std::uint64_t controlled_ = 0;     // loads that branches so far depend on
  std::vector<std::uint32_t> held_;  // mutexes
};

}  // namespace

Paths paths_of(const Image& image, const PathLimits& limits) {
  const Uncounted uncounted(image);
  Values values(image.locations.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i].insert(image.locations[i].initial);
  Threads threads(image);
  for (std::size_t round = 0;; ++round) {
    Paths result;
    result.threads.resize(image.threads.size());
    Written written{.values = values};
    std::size_t most_writes = 0;
    for (ThreadId t = 0; t < threads.count() && result.gave_up.empty(); ++t) {
      written.most_writes = 0;
      Walk(image, threads, t, values, limits, written, result).run();
      most_writes += written.most_writes;
    }
    if (!written.fresh || !result.gave_up.empty() || round > most_writes) return result;
    values = std::move(written.values);
  }
}

}  // namespace heddle::checker
