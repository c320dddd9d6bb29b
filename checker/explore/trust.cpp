#include "checker/explore/algorithms.hpp"
#include "checker/explore/trust_search.hpp"
#include "checker/explore/trust_threads.hpp"

namespace heddle::checker {

namespace {

template <typename Model, unsigned Words>
void run_to_the_end(Trust<Model, Words>& trust, Search& search) {
  constexpr unsigned widest = 8;
  if (trust.run()) return;
  if constexpr (Words < widest) {
    Trust<Model, 8 * Words> wider(std::move(trust));
    run_to_the_end(wider, search);
  } else {
    search.stop("an execution of more than 4,000 events");
  }
}

}  // namespace

void run_trust(Search& search) { run_trust(search, {}); }

void run_trust(Search& search, const GraphObserver& observer) {
  AxiomaticModels::for_each([&]<typename Model>() {
    if (search.options().model != Model::name) return;
    Trust<Model, 1> trust(search);
    trust.observe(observer);
    run_to_the_end(trust, search);
  });
}

}  // namespace heddle::checker
