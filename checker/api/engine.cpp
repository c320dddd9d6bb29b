// Which engine runs a model.
#include "checker/api/engine.hpp"

#include "checker/api/operational_engine.hpp"
#include "checker/api/power_engine.hpp"
#include "checker/models/operational.hpp"

namespace heddle::checker {

std::unique_ptr<Engine> make_engine(const jit::Image& image, const heddle::MachineOptions& options,
                                    Rows& rows) {
  if (options.model == power_model)
    return std::make_unique<PowerEngine>(image, options.resume_after_assert, rows);
  std::unique_ptr<Engine> engine;
  OperationalModels::for_each([&]<typename Model>() {
    if (options.model != Model::name) return;
    constexpr unsigned narrow = 1;
    constexpr unsigned wide = 16;
    const MachineOptions inner{.buffer_bound = options.buffer_bound,
                               .resume_after_assert = options.resume_after_assert};
    if (Model::most_processes(image.threads.size(), image.locations.size()) <= 64 * narrow) {
      engine = std::make_unique<OperationalEngine<Machine<Model, narrow>>>(image, inner, rows);
    } else {
      engine = std::make_unique<OperationalEngine<Machine<Model, wide>>>(image, inner, rows);
    }
  });
  return engine;
}

}  // namespace heddle::checker
