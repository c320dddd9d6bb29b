// Random single-threaded programs that the front end accepts, for comparisons.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace heddle::test {

class RandomProgram {
 public:
  // `in_bounds`: no index of a shared array is out of bounds.
  explicit RandomProgram(std::uint64_t seed, bool in_bounds = false) : random_(seed), in_bounds_(in_bounds) {}

  // The program's text, determined by the seed.
  std::string generate();

 private:
  using Locals = std::vector<std::pair<std::string, bool>>;  // name, assignable

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }
  std::string pick(const std::vector<std::string>& from) {
    return from[below(static_cast<std::uint32_t>(from.size()))];
  }

  std::string integer(unsigned depth);
  std::string boolean(unsigned depth);
  std::string await();
  std::string place(unsigned depth);
  std::string element(unsigned depth);  // of one of the thread's own arrays, which must exist
  std::string statement(unsigned depth);
  std::string block(unsigned depth);
  std::string declaration(unsigned depth);
  std::string function(unsigned number);

  std::mt19937_64 random_;
  bool in_bounds_;
  Locals integers_;
  Locals booleans_;
  std::vector<std::string> arrays_;
  unsigned names_ = 0;
  unsigned functions_ = 0;
  bool only_reads_ = false;  // inside the condition of an await
  unsigned loops_ = 0;
  bool in_function_ = false;
};

}  // namespace heddle::test
