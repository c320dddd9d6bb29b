// One check divided among processes, on one machine or many. Whoever wants the check describes it once (Division), as a
// text; others read the text, compile the program themselves and explore parts of the search. A part is explored
// to its end, or is given back as a finding and smaller parts. Findings are added up by anyone who can add
// numbers: the order does not matter. The sum of all parts is what one process would have found.
//
//   auto division = heddle::Division::of(*program, {.algorithm = "trust"});
//   heddle::Tally total;
//   std::vector<heddle::SearchPart> open{heddle::Division::whole()};
//   while (!open.empty()) {
//     const auto part = open.back();
//     open.pop_back();
//     auto explored = division->explore(part.text, [](const heddle::Progress&) { return 0; });
//     add(total, explored->found);
//     open.insert(open.end(), explored->left.begin(), explored->left.end());
//   }
//   auto result = division->result(total, {});
//
// How parts and findings travel is not decided here.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {

// A part of a search: a path to where it begins, and how far it reaches. Parts of the same text are the same.
struct SearchPart {
  std::string text;         // one line of ASCII
  std::uint32_t depth = 0;  // of the shallowest node with something left: small ones tend to be large parts
};

// Findings in a form that can be added up by anyone: numbers whose sums and maxima count, and texts of which the
// first in serial order counts. Keys are ASCII without blanks.
struct Tally {
  struct First {
    std::string order;  // compared as bytes, the smallest first
    std::string text;
  };
  std::map<std::string, std::uint64_t> sums;
  std::map<std::string, std::uint64_t> maxima;
  std::map<std::string, First> firsts;
};
// Sums of more than 64 bits stay at the largest number. O(other log into).
void add(Tally& into, const Tally& other);

// What exploring a part has led to: it is done, with these findings, except for parts that are left.
struct Explored {
  Tally found;
  std::vector<SearchPart> left;
  // The search is to end with these findings, whatever other parts hold: a violation, or the requested state.
  bool over = false;
  std::string stopped_by;  // if it is over for another reason than a violation
};

// What is known of a search besides its tally.
struct DivisionEnd {
  std::string stopped_by = {};  // why it ended early; empty: it did not, or at a violation
  std::uint32_t processes = 1;  // that took part
  double seconds = 0;
};

// A check that can be divided. Immutable; functions may be called by several threads. Copying is O(1).
class Division {
 public:
  // Errors: those of check(); the pair of model and algorithm cannot be divided (why_not_divided); an option means
  // nothing here: `max_executions`, `max_memory`, `coverage`, `robust_states`, `save`, `resume`. `timeout`,
  // `progress`, `threads` and `any_violation` are ignored.
  static Result<Division> of(const Program& program, const CheckOptions& options);
  // In another process: compiles the program that the text holds, with the imports that it holds; reads no
  // file. Errors: those of the program; the text is damaged, or comes from another version of the library.
  static Result<Division> from_text(std::string_view text);

  // Program, imports, params and options, from which another process can work. Its size is that of the source texts.
  [[nodiscard]] const std::string& text() const;
  // 32 hexadecimal digits, different for different texts. Not cryptographic.
  [[nodiscard]] const std::string& id() const;
  [[nodiscard]] const Program& program() const;
  [[nodiscard]] const CheckOptions& options() const;

  // The part that is all of the search.
  [[nodiscard]] static SearchPart whole();
  // An identity of the part of this search, 32 hexadecimal digits.
  [[nodiscard]] std::string id(const SearchPart& part) const;

  // Explores a part with the calling thread. `parts_wanted` is called every few milliseconds: 0: continue; N: give
  // away up to N parts, if there are as many, and return with them and with the rest; `stop`: return with what is
  // left. It may throw. Errors: the program's search has no such part; memory has run out.
  static constexpr std::uint32_t stop = std::numeric_limits<std::uint32_t>::max();
  using PartsWanted = std::function<std::uint32_t(const Progress&)>;
  [[nodiscard]] Result<Explored> explore(std::string_view part, const PartsWanted& parts_wanted) const;

  // The result of the check from the sum of all findings. Errors: the tally is not one of this search.
  [[nodiscard]] Result<CheckResult> result(const Tally& tally, const DivisionEnd& end) const;
  // The complete executions, blocked runs and transitions in a tally, without reading all of it.
  [[nodiscard]] static Progress progress(const Tally& tally);

 private:
  struct State;
  explicit Division(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace heddle
