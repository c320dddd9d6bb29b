// See option_values.hpp.
#include "cli/option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "cli/cluster/exchange.hpp"
#include "cli/text.hpp"

namespace heddle::cli {

void refuse(std::string message, std::string hint) { throw Refusal{{std::move(message), std::move(hint)}}; }

std::string shown(std::string_view word) { return shorten(clean(word), 60); }

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string candidate = near_miss(word, candidates);
  return candidate.empty() ? std::string() : fmt::format("did you mean '{}'?", candidate);
}

namespace {

enum class Number { good, not_a_number, too_large };

// Decimal or 0x; consumes the whole text. The caller handles signs.
Number read_unsigned(std::string_view text, std::uint64_t& value) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return Number::not_a_number;
  return error == std::errc::result_out_of_range ? Number::too_large : Number::good;
}

}  // namespace

std::uint64_t whole_number(std::string_view option, std::string_view text, std::uint64_t least,
                           std::uint64_t most) {
  std::uint64_t value = 0;
  const Number outcome = read_unsigned(text, value);
  if (outcome == Number::not_a_number) {
    refuse(fmt::format("{} takes a whole number of at least {}, not '{}'", option, least, shown(text)));
  }
  if (outcome == Number::too_large || value > most) {
    refuse(fmt::format("{} is at most {}, and '{}' is more", option, most, shown(text)));
  }
  if (value < least) refuse(fmt::format("{} is at least {}, and '{}' is less", option, least, shown(text)));
  return value;
}

std::int64_t signed_number(std::string_view what, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    refuse(fmt::format("{}: '{}' is not a whole number of 64 bits", what, shown(text)));
  return value;
}

std::uint64_t bytes_number(std::string_view option, std::string_view text) {
  std::uint64_t unit = 1;
  std::string_view digits = text;
  if (!digits.empty()) {
    const std::size_t suffix = std::string_view("kKmMgG").find(digits.back());
    if (suffix != std::string_view::npos) {
      unit = std::uint64_t{1} << (10 * (suffix / 2 + 1));
      digits.remove_suffix(1);
    }
  }
  std::uint64_t value = 0;
  const Number outcome = read_unsigned(digits, value);
  if (outcome == Number::not_a_number || value == 0) {
    refuse(fmt::format("{} takes a number of bytes, not '{}'", option, shown(text)),
           "for example: 1048576, 512K, 64M or 2G");
  }
  if (outcome == Number::too_large || value > std::numeric_limits<std::uint64_t>::max() / unit) {
    refuse(fmt::format("{}: '{}' is more than any machine has", option, shown(text)));
  }
  return value * unit;
}

double seconds_number(std::string_view option, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
  if (!number || value <= 0) {
    refuse(fmt::format("{} takes a number of seconds above 0, not '{}'", option, shown(text)));
  }
  return value;
}

namespace {

// The number in the text, for the param `name`.
std::int64_t parameter_value(std::string_view name, std::string_view text) {
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  std::uint64_t magnitude = 0;
  const Number outcome = read_unsigned(digits, magnitude);
  if (outcome == Number::not_a_number)
    refuse(fmt::format("-D {}: '{}' is not a whole number", shown(name), shown(text)));
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (outcome == Number::too_large || magnitude > most + (negative ? 1 : 0))
    refuse(fmt::format("-D {}: {} does not fit into 64 bits", shown(name), shown(text)));
  return static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
}

// Splits "NAME=VALUE".
std::pair<std::string_view, std::string_view> split_definition(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    refuse(fmt::format("-D takes NAME=VALUE, not '{}'", shown(text)), "for example: -D N=3");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// Adds a number or a range to the values of a param.
void add_values(std::string_view text, ParameterValues& parameter) {
  const std::size_t dots = text.find("..");
  const std::int64_t low = parameter_value(parameter.name, text.substr(0, dots));
  const std::int64_t high =
      dots == std::string_view::npos ? low : parameter_value(parameter.name, text.substr(dots + 2));
  const bool range = dots != std::string_view::npos;
  if (range && low >= high) {
    refuse(fmt::format("-D {}: the range {} is empty", shown(parameter.name), shown(text)),
           "a range does not include its end: 0..3 is 0, 1, 2");
  }
  const std::uint64_t more = range ? static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) : 1;
  if (more > most_checks || parameter.values.size() + more > most_checks) {
    refuse(fmt::format("-D {}: {} has more than {} values", shown(parameter.name), shown(text),
                       grouped(most_checks)));
  }
  for (std::uint64_t i = 0; i < more; ++i)
    parameter.values.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + i));
}

void check_distinct(const ParameterValues& parameter) {
  std::vector<std::int64_t> sorted = parameter.values;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    refuse(fmt::format("-D {} gives the value {} twice", shown(parameter.name), *twice));
}

}  // namespace

void define(std::string_view text, Parameters& parameters) {
  const auto [name, value] = split_definition(text);
  if (value.find(',') != std::string_view::npos || value.find("..") != std::string_view::npos) {
    refuse(fmt::format("-D {}: '{}' is more than one value", shown(name), shown(value)),
           "heddle check takes lists and ranges, and makes a table");
  }
  if (!parameters.emplace(std::string(name), parameter_value(name, value)).second)
    refuse(fmt::format("-D gives {} twice", shown(name)));
}

void define_lists(std::string_view text, std::vector<ParameterValues>& values) {
  const std::size_t first = values.size();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    if (begin == 0 || part.find('=') != std::string_view::npos) {
      const auto [name, value] = split_definition(part);
      const bool known = std::any_of(values.begin(), values.end(),
                                     [&](const ParameterValues& each) { return each.name == name; });
      if (known) refuse(fmt::format("-D gives {} twice", shown(name)));
      values.push_back({std::string(name), {}});
      part = value;
    }
    add_values(part, values.back());
    begin = end + 1;
  }
  for (std::size_t i = first; i < values.size(); ++i) check_distinct(values[i]);
}

namespace {

template <typename Info>
std::vector<std::string> names(const std::vector<Info>& infos) {
  std::vector<std::string> result;
  for (const Info& info : infos) result.emplace_back(info.name);
  return result;
}

}  // namespace

std::string cluster_url(const std::string& text) {
  std::string why = why_not_url(text);
  if (!why.empty()) refuse(std::move(why));
  return text;
}

std::vector<std::string> model_names() { return names(models()); }
std::vector<std::string> algorithm_names() { return names(algorithms()); }

std::vector<std::string> bounded_algorithm_names() {
  std::vector<std::string> result;
  for (const AlgorithmInfo& info : algorithms()) {
    if (!info.runs_endless) result.emplace_back(info.name);
  }
  return result;
}

void check_name(std::string_view what, const std::string& name, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  if (name == "all" || name.find(',') != std::string::npos) {
    refuse(fmt::format("'{}' is more than one {}", shown(name), what),
           "heddle check and heddle compare take lists, and make a table");
  }
  std::string hint = did_you_mean(name, known);
  hint += fmt::format("{}the {}s are {}", hint.empty() ? "" : " ", what, join(known, ", "));
  refuse(fmt::format("unknown {} '{}'", what, shown(name)), std::move(hint));
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (begin == end) refuse(fmt::format("a name is missing in '{}'", shown(text)));
    result.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

std::vector<std::string> name_list(std::string_view what, std::string_view text,
                                   const std::vector<std::string>& known) {
  std::vector<std::string> result;
  bool all = false;
  for (std::string& name : split_names(text)) {
    all = all || name == "all";
    if (name == "all") continue;
    check_name(what, name, known);
    if (std::find(result.begin(), result.end(), name) == result.end()) result.push_back(std::move(name));
  }
  return all ? known : result;
}

}  // namespace heddle::cli
