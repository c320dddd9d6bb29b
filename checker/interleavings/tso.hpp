// Total store order (x86-TSO), the operational form: one FIFO store buffer per thread (memory-models.md,
// "TSO"; paper 1, section 4.2). Only full fences and locked operations wait for the buffer; `fence lw`,
// `fence st` and `fence isync` order nothing that TSO leaves unordered.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "checker/interleavings/store_buffers.hpp"

namespace heddle::checker {

class TotalStoreOrder : public StoreBuffers<TotalStoreOrder> {
 public:
  static constexpr std::string_view name = "tso";
  static constexpr std::string_view summary = "total store order (x86): one FIFO store buffer per thread";

  TotalStoreOrder(std::uint32_t threads, std::uint32_t locations, std::optional<std::uint32_t> bound)
      : StoreBuffers(threads, bound), locations_(locations), newest_(std::size_t{threads} * locations, none) {
    for (ThreadId thread = 0; thread < threads; ++thread) add_buffer(thread);
  }
  static constexpr std::uint64_t most_processes(std::uint64_t threads, std::uint64_t /*locations*/) {
    return 2 * threads;
  }

  [[nodiscard]] std::uint32_t buffer_for(ThreadId thread, Location /*location*/) const { return thread; }
  [[nodiscard]] StoreBuffer* find(ThreadId thread, Location /*location*/) { return &buffers_[thread]; }
  [[nodiscard]] bool orders_stores(Fence /*fence*/) const { return false; }
  [[nodiscard]] std::uint32_t newest_index(const StoreBuffer& buffer, Location location) const {
    return newest_[buffer.thread * locations_ + location];
  }
  void set_newest(const StoreBuffer& buffer, Location location, std::uint32_t index) {
    newest_[buffer.thread * locations_ + location] = index;
  }

 private:
  std::size_t locations_;
  std::vector<std::uint32_t> newest_;  // by thread and location
};

}  // namespace heddle::checker
