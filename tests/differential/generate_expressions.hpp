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

// Uniform numbers; not the standard distributions, whose results differ between libraries.
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

// What there is to name and to do.
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
  bool has_own_array = false;          // it keeps something in its own array
  std::vector<std::int64_t> assigned;  // its locals that have been assigned so far

  void begin_thread(bool family) {
    in_family = family;
    has_own_array = false;
    assigned.clear();
  }
};

class Expressions {
 public:
  // All of them must outlive this.
  Expressions(Random& random, const Profile& profile, const Scope& scope)
      : random_(random), profile_(profile), scope_(scope) {}

  // A small constant.
  Expression value();
  // A shared int.
  Expression place();
  // The same, now and then the shared enum.
  Expression place_or_enum();
  // A load as a number, perhaps of the enum.
  Expression loaded();
  // Of the thread's own array.
  Expression element();
  // With operators nested `depth` deep at most.
  Expression integer(int depth);
  // With at least one load.
  Expression any_comparison();
  // Of a local if one has a value, else with a load.
  Expression test();
  // What to wait for.
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
