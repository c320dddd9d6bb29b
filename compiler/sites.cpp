#include "compiler/sites.hpp"

#include <utility>

namespace heddle::compiler {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The position after the comment that starts at `at`, or `at` if there is no comment.
std::size_t skip_comment(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "//") {
    const std::size_t end = text.find('\n', at);
    return end == std::string_view::npos ? text.size() : end;
  }
  if (text.substr(at, 2) == "/*") {
    const std::size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  return at;
}

// The position after the string literal that starts at `at`.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

}  // namespace

std::string fold_text(std::string_view text, std::size_t limit) {
  std::string folded;
  bool blank = false;
  std::size_t at = 0;
  while (at < text.size() && folded.size() <= limit) {
    const std::size_t behind = skip_comment(text, at);
    if (behind != at || is_space(text[at])) {
      blank = true;
      at = behind != at ? behind : at + 1;
      continue;
    }
    if (blank && !folded.empty()) folded += ' ';
    blank = false;
    const std::size_t end = text[at] == '"' ? skip_string(text, at) : at + 1;
    folded += text.substr(at, end - at);
    at = end;
  }
  while (!folded.empty() && (folded.back() == ';' || is_space(folded.back()))) folded.pop_back();
  if (folded.size() > limit) {
    std::size_t cut = limit;
    while (cut > 0 && (static_cast<unsigned char>(folded[cut]) & 0xc0U) == 0x80U) --cut;
    folded.resize(cut);
    folded += "...";
  }
  return folded;
}

std::uint32_t SiteTable::at(const lang::SourceRange& range, std::string_view message) {
  const auto [number, fresh] = find(range);
  if (fresh) {
    sites_[number].text = fold_text(sources_->text(range));
    sites_[number].message = message;
  }
  return number;
}

std::uint32_t SiteTable::chosen(const lang::SourceRange& range, ValueType type) {
  const std::uint32_t number = at(range);
  sites_[number].type = std::move(type);
  return number;
}

std::uint32_t SiteTable::progress(const lang::SourceRange& range) {
  const std::uint32_t number = at(range);
  sites_[number].is_progress = true;
  return number;
}

std::uint32_t SiteTable::waiting(const lang::SourceRange& range, const lang::SourceRange* call) {
  if (call == nullptr || !built_in(range) || by_call_) return at(range);
  const std::uint32_t caller = at(*call);
  const auto [number, fresh] = find(range, caller);
  if (fresh) {
    sites_[number].text = fold_text(sources_->text(range));
    sites_[number].call = caller;
  }
  return number;
}

std::uint32_t SiteTable::named(const lang::SourceRange& range, std::string text) {
  const auto [number, fresh] = find(range);
  if (fresh) sites_[number].text = std::move(text);
  return number;
}

void SiteTable::enter(const lang::SourceRange& call, bool block) {
  if (!by_call_) {
    calls_.emplace_back();
    return;
  }
  const bool inside = !calls_.empty() && (built_in(call) || calls_.back().block);
  const Call around = inside ? calls_.back() : Call{};
  const std::uint32_t site = at(call);
  calls_.push_back({.site = site,
                    .user = inside ? around.user : site,
                    .repeated = inside && (around.repeated || around.loops > 0),
                    .block = block || around.block});
}

std::pair<std::uint32_t, bool> SiteTable::find(const lang::SourceRange& range,
                                               std::optional<std::uint32_t> call) {
  const bool inside = by_call_ && !calls_.empty() && (built_in(range) || calls_.back().block);
  if (inside) call = calls_.back().site;
  const Key key{(std::uint64_t{range.file} << 32U) | range.begin, range.end, call};
  const auto [entry, fresh] = numbers_.try_emplace(key, static_cast<std::uint32_t>(sites_.size()));
  if (fresh) {
    const lang::LineColumn place = sources_->locate(range.file, range.begin);
    Site& site = sites_.emplace_back();
    site.file = sources_->name(range.file);
    site.line = place.line;
    site.column = place.column;
    if (inside) site.call = calls_.back().user;
    repeated_.push_back(false);
  }
  if (inside && (calls_.back().repeated || calls_.back().loops > 0)) repeated_[entry->second] = true;
  return {entry->second, fresh};
}

}  // namespace heddle::compiler
