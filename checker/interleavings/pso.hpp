// Partial store order (SPARC), the operational form: one FIFO store buffer per thread and location
// (memory-models.md, "PSO"; paper 1, section 4.2). `fence st` and `fence lw` (stbar) let later stores reach
// memory only after earlier ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "checker/interleavings/store_buffers.hpp"

namespace heddle::checker {

class PartialStoreOrder : public StoreBuffers<PartialStoreOrder> {
 public:
  static constexpr std::string_view name = "pso";
  static constexpr std::string_view summary =
      "partial store order (SPARC): one FIFO store buffer per thread and location";

  PartialStoreOrder(std::uint32_t threads, std::uint32_t locations, std::optional<std::uint32_t> bound)
      : StoreBuffers(threads, bound), locations_(locations), index_(std::size_t{threads} * locations, none) {}
  static constexpr std::uint64_t most_processes(std::uint64_t threads, std::uint64_t locations) {
    return threads + threads * locations;
  }

  // Buffers are created by the first store that needs them and stay.
  [[nodiscard]] std::uint32_t buffer_for(ThreadId thread, Location location) {
    auto& index = index_[std::size_t{thread} * locations_ + location];
    if (index == none) index = add_buffer(thread);
    return index;
  }
  [[nodiscard]] StoreBuffer* find(ThreadId thread, Location location) {
    const auto index = index_[std::size_t{thread} * locations_ + location];
    return index == none ? nullptr : &buffers_[index];
  }
  [[nodiscard]] bool orders_stores(Fence fence) const {
    return fence == Fence::lightweight || fence == Fence::store_store;
  }
  // A buffer has one location.
  [[nodiscard]] std::uint32_t newest_index(const StoreBuffer& buffer, Location /*location*/) const {
    return static_cast<std::uint32_t>(buffer.writes.size()) - 1;
  }
  void set_newest(const StoreBuffer& /*buffer*/, Location /*location*/, std::uint32_t /*index*/) {}

 private:
  std::size_t locations_;
  std::vector<std::uint32_t> index_;
};

}  // namespace heddle::checker
