// What check() does where no algorithm is named.
//
// `trust` explores every execution graph once; `sdpor` every state about once. Either may need exponentially more than
// the other, and no cheap test tells which: n atomic increments of one counter have n! graphs and 2^n states; threads
// that wait for nothing and share little have fewer graphs than states. So `trust` has the first turn, which decides
// most programs. If it does not finish within first_turn() transitions, `sdpor` has a turn of a fixed share of these,
// and then `states`, which knows equal threads and does best where threads depend on each other all the time;
// then `trust` continues from where it stopped, up to four times as many transitions, and so on. Turns are counted in
// transitions, so that runs repeat; those of `trust` also in the states of graphs in which it judges invariants. What
// `sdpor` spends without a result is at most a twenty-fourth of the turns of `trust`, in about 40 % of its time at worst; `states`
// has an eighth, in another 40 %, but for its first turn, which is of 1,000,000 transitions. Under `power` there are `trust` and
// `sdpor`, which has an eighth.
//
// Where `trust` cuts loops at the default bound, `states`, which cuts none, has the next turn alone. If loops are cut and no
// execution is complete, as in programs that never end, `trust` has a sixteenth of its turns, and `states` as many transitions as
// these would have. If the search ends, but has cut loops, `states` may take as many transitions again. If it finishes, its result
// is that of the whole program.
#pragma once

#include <cstdint>
#include <string_view>

#include "heddle/heddle.h"

namespace heddle::checker {

// The name that asks for this, like no name at all.
inline constexpr std::string_view automatic = "auto";

// Whether the options leave the algorithm to check().
[[nodiscard]] inline bool is_automatic(const CheckOptions& options) {
  return options.algorithm.empty() || options.algorithm == automatic;
}

// What the program's invariants look at. (Locals: perhaps at shared variables, too.)
enum class InvariantsOf : std::uint8_t { nothing, shared, locals };
[[nodiscard]] InvariantsOf invariants_of(const Program& program);
// Whether the program claims something with `eventually` or `leads to`.
[[nodiscard]] bool has_temporal_claims(const Program& program);

// Whether another algorithm may take over: where neither all violations are needed, nor numbers of executions, nor
// something else that only one of them has.
[[nodiscard]] bool may_alternate(const Program& program, const CheckOptions& options);

// As heddle::check, for options that name no algorithm: begins with default_algorithm(), by turns where that may be,
// and leaves executions that are too long for `trust` to `source`, and endless loops to `states`.
[[nodiscard]] Result<CheckResult> check_automatically(const Program& program, const CheckOptions& options);

// How many transitions `trust` has in its first turn: 4,000,000, some 0.4 s; a quarter of that under models whose threads run
// ahead, 0.2 to 2 s.
[[nodiscard]] std::uint64_t first_turn(const CheckOptions& options);

// As heddle::check, by turns. The options name no algorithm and may_alternate() holds. `first`: the length of the first turn.
[[nodiscard]] Result<CheckResult> check_by_turns(const Program& program, const CheckOptions& options,
                                                 std::uint64_t first);

}  // namespace heddle::checker
