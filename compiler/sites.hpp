// Numbers source positions: Mailbox::site refers to them. Independent of LLVM.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/image.hpp"
#include "lang/source.hpp"

namespace heddle::compiler {

// Source text on one line: comments and runs of white space become one space, a trailing `;` is removed, and
// text longer than `limit` bytes is cut at a code point and ends in an ellipsis.
[[nodiscard]] std::string fold_text(std::string_view text, std::size_t limit = 160);

// The sites of a program, or of several that result from one text. One source range is one site, however often its code is inlined; waiting() is the
// exception.
class SiteTable {
  struct Call {
    std::uint32_t site = 0;  // of the call, within those around it
    std::uint32_t user = 0;  // of the call in the user's file
    bool repeated = false;   // it is in a loop of the module
    bool block = false;      // of a function that is one atomic block, or in one
    std::uint32_t loops = 0;
  };

 public:
  // The files that ranges refer to from now on: those of the first program, or equal ones.
  void use(const lang::SourceMap& sources) { sources_ = &sources; }
  // From now on each place of a built-in module, or of a function that is one atomic block, has a site for each chain of
  // calls that leads to it from elsewhere in a user's file, and Site::call of all these sites is the call there.
  void distinguish_calls() { by_call_ = true; }

  // The calls that lead to the code being generated, and the loops around it since the innermost of them. `block`: of a
  // function that is one atomic block.
  void enter(const lang::SourceRange& call, bool block);
  void leave() { calls_.pop_back(); }
  class Loop {
   public:
    explicit Loop(SiteTable& sites)
        : loops_(sites.calls_.empty() ? sites.loops_ : sites.calls_.back().loops) {
      ++loops_;
    }
    ~Loop() { --loops_; }
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

   private:
    std::uint32_t& loops_;
  };
  // The code of an expression that stands outside of all calls.
  class Outside {
   public:
    explicit Outside(SiteTable& sites) : sites_(sites) { calls_.swap(sites.calls_); }
    ~Outside() { calls_.swap(sites_.calls_); }
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

   private:
    SiteTable& sites_;
    std::deque<Call> calls_;
  };
  // By site: whether one call in a user's file may pass it several times. Only if calls are distinguished.
  [[nodiscard]] const std::vector<bool>& repeated() const { return repeated_; }

  // The number of the site at `range`, described by its source text.
  std::uint32_t at(const lang::SourceRange& range, std::string_view message = {});
  // The same for a `choose` among values of a type.
  std::uint32_t chosen(const lang::SourceRange& range, ValueType type);
  std::uint32_t progress(const lang::SourceRange& range);
  // The same for an operation at which a thread can wait forever. `call`: the call that leads there, or null.
  // In a built-in module each call gets its own site, which refers back to the call.
  std::uint32_t waiting(const lang::SourceRange& range, const lang::SourceRange* call);
  // The same with the given text.
  std::uint32_t named(const lang::SourceRange& range, std::string text);

  [[nodiscard]] bool built_in(const lang::SourceRange& range) const { return sources_->built_in(range.file); }

  // By number.
  [[nodiscard]] const std::vector<Site>& all() const { return sites_; }

 private:
  struct Key {
    std::uint64_t place;
    std::uint32_t end;
    std::optional<std::uint32_t> call;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (key.place + key.call.value_or(0)) * 0x9e3779b97f4a7c15U ^ key.end;
    }
  };
  // Returns the site's number and whether it is new; only the position of a new site is filled in, and its
  // call if calls are distinguished.
  std::pair<std::uint32_t, bool> find(const lang::SourceRange& range, std::optional<std::uint32_t> call = {});

  const lang::SourceMap* sources_ = nullptr;
  bool by_call_ = false;
  std::deque<Call> calls_;   // which loops refer to
  std::uint32_t loops_ = 0;  // outside of any call
  std::vector<bool> repeated_;
  std::vector<Site> sites_;
  std::unordered_map<Key, std::uint32_t, Hash> numbers_;
};

}  // namespace heddle::compiler
