#include "checker/search/sampling.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::checker {

void Samples::add(const Sample& sample, std::uint64_t paths) {
  paths_ += paths;
  ++size_;
  const auto n = static_cast<double>(size_);
  const double distance = sample.executions - mean_.executions;
  mean_.executions += distance / n;
  mean_.blocked += (sample.blocked - mean_.blocked) / n;
  mean_.transitions += (sample.transitions - mean_.transitions) / n;
  squares_ += distance * (sample.executions - mean_.executions);
  largest_ = std::max(largest_, sample.executions);
}

double Samples::error() const {
  if (size_ < 2) return 0;
  const auto n = static_cast<double>(size_);
  return std::sqrt(squares_ / (n - 1) / n);
}

double Samples::largest_share() const {
  const double all = mean_.executions * static_cast<double>(size_);
  return all > 0 ? largest_ / all : 0;
}

}  // namespace heddle::checker
