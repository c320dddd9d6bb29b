// Chooses the engine for a model.
#include "checker/api/engine.hpp"

#include "checker/api/operational_engine.hpp"
#include "checker/api/power_engine.hpp"
#include "checker/interleavings/models.hpp"

namespace heddle::checker {

std::unique_ptr<Engine> make_engine(const compiler::Image& image, const heddle::MachineOptions& options,
                                    Rows& rows) {
  if (options.model == power_model)
    return std::make_unique<PowerEngine>(image, options.resume_after_assert, rows);
  std::unique_ptr<Engine> engine;
  const bool found = OperationalModels::visit(options.model, [&]<typename Model>() {
    with_width<Model>(image, [&]<unsigned Words>() {
      const MachineOptions inner{.buffer_bound = options.buffer_bound,
                                 .resume_after_assert = options.resume_after_assert};
      engine = std::make_unique<OperationalEngine<Machine<Model, Words>>>(image, inner, rows);
    });
  });
  if (!found) throw NoImplementation(options.model);
  return engine;
}

}  // namespace heddle::checker
