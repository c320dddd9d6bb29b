// The data races of a reads-from class: gives the events of its run to DataRaces (data_races.hpp). They do not
// depend on the run: program order and reads-from are those of the class.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/interleavings/rf/run.hpp"
#include "checker/search/data_races.hpp"

namespace heddle::checker::rf {

template <typename Run>
class ClassRaces {
 public:
  explicit ClassRaces(const Run& run)
      : run_(run),
        races_(run.machine().image()),
        order_(races_, {.store_to_store = Run::model != consistency::Model::pso || !run.buffers_stores(),
                        .store_to_load = !run.buffers_stores(),
                        .buffer_bound = run.buffer_bound()}) {}

  // Notes the races of the run, which is maximal.
  void judge(Search& search) {
    find();
    for (const auto& found : races_.found())
      search.note(Search::found_by(found.race), [&] { return schedule_to(found); });
  }

 private:
  using Effect = consistency::Effect;

  void find() {
    index_of_.assign(run_.threads(), {});
    sites_.assign(run_.threads(), {});
    for (ThreadId t = 0; t < run_.threads(); ++t) {
      index_of_[t].assign(run_.events(t).size(), none);
      sites_[t].assign(run_.events(t).size(), 0);
    }
    for (std::uint32_t step = 0; step < run_.machine().depth(); ++step) {
      const EventName name = run_.subject(step);
      sites_[thread_of(name)][index_of(name)] = run_.machine().step(step).site;
    }
    order_.begin(run_.threads(), run_.sequence().size());
    for (const EventName name : run_.sequence()) {
      const RunEvent& event = run_.event(name);
      const ThreadId t = thread_of(name);
      if (event.op == Op::fence) {
        order_.pass(t, (event.effect & Effect::drains) != 0);
        continue;
      }
      const bool external = event.reads() && event.source != initial_write && thread_of(event.source) != t;
      index_of_[t][index_of(name)] =
          order_.add({.thread = t,
                      .location = event.location,
                      .site = sites_[t][index_of(name)],
                      .reads = event.reads(),
                      .writes = event.writes(),
                      .source = external ? index_of_[thread_of(event.source)][index_of(event.source)] : none},
                     kind_of(event));
    }
  }
  [[nodiscard]] static BufferedOrder::Kind kind_of(const RunEvent& event) {
    if ((event.effect & Effect::drains) != 0) return BufferedOrder::Kind::locked;
    return event.writes() ? BufferedOrder::Kind::store : BufferedOrder::Kind::load;
  }

  // The part of the run that must come before the two accesses, in its own order.
  [[nodiscard]] Schedule schedule_to(const DataRaces::Found& found) const {
    std::vector<bool> causes(run_.sequence().size(), false);
    races_.for_each_cause(found, [&](DataRaces::Index index) { causes[index] = true; });
    const Schedule all = run_.machine().schedule();
    Schedule schedule;
    for (std::uint32_t step = 0; step < all.size(); ++step) {
      const EventName name = run_.subject(step);
      if (causes[index_of_[thread_of(name)][index_of(name)]]) schedule.push_back(all[step]);
    }
    return schedule;
  }

  const Run& run_;
  DataRaces races_;
  BufferedOrder order_;
  std::vector<std::vector<DataRaces::Index>> index_of_;  // by thread and number
  std::vector<std::vector<std::uint32_t>> sites_;
};

}  // namespace heddle::checker::rf
