// Values of options: numbers, names, lists, with a message for each kind of error. All functions throw
// Refusal, which parse_options() turns into its result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "heddle/heddle.h"

namespace heddle::cli {

// Leaves CLI11's parser from inside a callback.
struct Refusal {
  UsageError error;
};
[[noreturn]] void refuse(std::string message, std::string hint = {});

// A word of the command line for use in a message: sanitised and shortened.
[[nodiscard]] std::string shown(std::string_view word);
// "did you mean 'x'?" or an empty string.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// Decimal or 0x, from `least` to `most`. Messages name `option`.
[[nodiscard]] std::uint64_t whole_number(std::string_view option, std::string_view text, std::uint64_t least,
                                         std::uint64_t most);
// Decimal with an optional minus, 64 bits.
[[nodiscard]] std::int64_t signed_number(std::string_view what, std::string_view text);
// "1048576", "512K", "64M", "2G" (powers of 1024).
[[nodiscard]] std::uint64_t bytes_number(std::string_view option, std::string_view text);
// The address of a server; see cli/cluster/exchange.hpp.
[[nodiscard]] std::string cluster_url(const std::string& text);
// A positive number with an optional fraction.
[[nodiscard]] double seconds_number(std::string_view option, std::string_view text);
// Adds "NAME=VALUE"; a second value for a name is an error.
void define(std::string_view text, Parameters& parameters);
// Adds "A=0..3,B=0,1": names with lists of numbers and ranges; like those of the language, a range does not
// include its end. A second list for a name, an empty range and a value given twice are errors.
void define_lists(std::string_view text, std::vector<ParameterValues>& values);
// The most checks of a sweep.
inline constexpr std::uint64_t most_checks = 100'000;

[[nodiscard]] std::vector<std::string> model_names();
[[nodiscard]] std::vector<std::string> algorithm_names();
// Those that cut loops at --unroll.
[[nodiscard]] std::vector<std::string> bounded_algorithm_names();
// Throws for a name that is not in `known`; `what` is "model" or "algorithm".
void check_name(std::string_view what, const std::string& name, const std::vector<std::string>& known);
// "sc,tso" or "all"; each name once, in the order given.
[[nodiscard]] std::vector<std::string> name_list(std::string_view what, std::string_view text,
                                                 const std::vector<std::string>& known);

// "x,flag[1]": any non-empty names.
[[nodiscard]] std::vector<std::string> split_names(std::string_view text);

}  // namespace heddle::cli
