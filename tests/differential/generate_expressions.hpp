// Random expressions, the lowest layer of the generator: see generate.hpp.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "generate.hpp"
#include "random_program.hpp"

namespace heddle::differential {

// Uniform random numbers. The standard distributions differ between libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  bool percent(unsigned chance) { return below(100) < chance; }
  template <typename List>
  const auto& of(const List& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937_64 engine_;
};

[[nodiscard]] Expression leaf(Expression::Kind kind, std::int64_t value, std::string name = {});
[[nodiscard]] Expression binary(std::string_view operation, Expression left, Expression right);

// What a generated program can name and use.
struct Scope {
  // In the whole program.
  std::vector<std::string> scalars;
  std::vector<std::string> mutexes;
  std::int64_t initial = 0;  // of the shared variables
  bool has_array = false;
  bool has_structs = false;
  bool has_enum = false;
  bool has_assertions = false;
  // In the thread that is being made.
  bool in_family = false;
  bool has_own_array = false;          // it has stored something in its own array
  std::vector<std::int64_t> assigned;  // its locals assigned so far

  void begin_thread(bool family) {
    in_family = family;
    has_own_array = false;
    assigned.clear();
  }
};

class Expressions {
 public:
  // All arguments must outlive the object.
  Expressions(Random& random, const Profile& profile, const Scope& scope)
      : random_(random), profile_(profile), scope_(scope) {}

  // A small constant.
  Expression value();
  // A shared int.
  Expression place();
  // The same, sometimes the shared enum.
  Expression place_or_enum();
  // A load as a number, possibly of the enum.
  Expression loaded();
  // Of the thread's own array.
  Expression element();
  // With operators nested up to `depth` deep.
  Expression integer(int depth);
  // With at least one load.
  Expression any_comparison();
  // Of a local if one has been assigned, else with a load.
  Expression test();
  // The condition of an await.
  Expression awaited();

 private:
  Expression indexed(Expression element);
  Expression comparison(Expression left);
  Expression local_comparison();

  Random& random_;
  const Profile& profile_;
  const Scope& scope_;
};

}  // namespace heddle::differential
