// The layout is computed from the tokens alone: given no syntax errors, the brackets determine the structure.
// Everything between two tokens (spaces, line breaks, comments) is written anew.
#include "lang/format.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/grammar.hpp"
#include "lang/token.hpp"

namespace heddle::lang {
namespace {

using Kind = TokenKind;

constexpr std::size_t columns = 100;

enum class Brace : std::uint8_t { none, block, list, literal, names };

struct Comment {
  std::string_view text;
  bool own_line = false;      // the first thing in its source line
  bool blank_before = false;  // preceded by an empty line
};

// A token with what precedes it.
struct Piece {
  Token token;
  std::vector<Comment> comments;
  bool new_line = false;  // the first token of its source line
  bool blank = false;     // preceded by an empty line
  bool unary = false;
  bool conditional = false;  // the ':' of '? :'
  bool tight = false;        // the '=' of an expect line
  Brace brace = Brace::none;
  std::size_t partner = 0;  // for braces
  bool inline_ = false;     // for braces: the whole block is on one line
};

std::size_t line_ends(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

bool is_operand_end(Kind kind) {
  return kind == Kind::identifier || kind == Kind::integer || kind == Kind::true_ || kind == Kind::false_ ||
         kind == Kind::right_parenthesis || kind == Kind::right_bracket;
}

class Formatter {
 public:
  Formatter(const SourceMap& sources, std::uint32_t file, const std::vector<Token>& tokens)
      : text_(sources.text(file)) {
    std::size_t end = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    for (const Token& token : tokens) {
      Piece piece;
      piece.token = token;
      gap(text_.substr(end, token.begin - end), end == 0 || pieces_.empty(), piece);
      end = token.end();
      pieces_.push_back(std::move(piece));
    }
    classify();
  }

  std::string run() {
    write();
    // Blocks that make a line too long are spread over several lines, outermost first.
    while (open_long_lines()) write();
    while (out_.ends_with("\n\n")) out_.pop_back();
    return std::move(out_);
  }

 private:
  // Splits the text between two tokens into comments and line breaks.
  static void gap(std::string_view text, bool first, Piece& piece) {
    bool line_begins = first;
    std::size_t ends = 0;
    std::size_t at = 0;
    while (at < text.size()) {
      if (text[at] == '/') {
        const bool rest = text[at + 1] == '/';
        std::size_t end = rest ? std::min(text.find('\n', at), text.size()) : text.find("*/", at + 2) + 2;
        std::string_view comment = text.substr(at, end - at);
        while (!comment.empty() &&
               (comment.back() == ' ' || comment.back() == '\r' || comment.back() == '\t'))
          comment.remove_suffix(1);
        piece.comments.push_back({comment, line_begins, ends > 1});
        line_begins = false;
        ends = 0;
        at = end;
        continue;
      }
      if (text[at] == '\n') {
        ++ends;
        line_begins = true;
      }
      ++at;
    }
    piece.new_line = line_begins;
    piece.blank = ends > 1;
  }

  void classify() {
    std::vector<std::size_t> open;
    std::vector<unsigned> questions{0};
    Kind item = Kind::end;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      Piece& piece = pieces_[i];
      const Kind before = i == 0 ? Kind::end : pieces_[i - 1].token.kind;
      if (open.empty() && begins_item(piece.token.kind)) item = piece.token.kind;
      switch (piece.token.kind) {
        case Kind::left_brace:
          piece.brace = before == Kind::assign                         ? Brace::list
                        : item != Kind::struct_ && starts_literal(i)   ? Brace::literal
                        : item == Kind::import_ || item == Kind::enum_ ? Brace::names
                                                                       : Brace::block;
          open.push_back(i);
          break;
        case Kind::right_brace: {
          if (open.empty()) break;
          Piece& partner = pieces_[open.back()];
          piece.brace = partner.brace;
          piece.partner = open.back();
          partner.partner = i;
          partner.inline_ = piece.inline_ = stands_on_one_line(open.back(), i);
          open.pop_back();
          break;
        }
        case Kind::minus: piece.unary = !is_operand_end(before); break;
        case Kind::question: ++questions.back(); break;
        case Kind::colon:
          if (questions.back() > 0) {
            --questions.back();
            piece.conditional = true;
          }
          break;
        case Kind::semicolon: questions.back() = 0; break;
        case Kind::assign: piece.tight = item == Kind::expect; break;
        default: break;
      }
    }
  }

  // `{ field:` after the name of a struct.
  [[nodiscard]] bool starts_literal(std::size_t i) const {
    return i > 0 && i + 2 < pieces_.size() && pieces_[i - 1].token.kind == Kind::identifier &&
           pieces_[i + 1].token.kind == Kind::identifier && pieces_[i + 2].token.kind == Kind::colon;
  }
  [[nodiscard]] static bool holds_values(Brace brace) {
    return brace == Brace::list || brace == Brace::literal;
  }

  bool stands_on_one_line(std::size_t begin, std::size_t end) const {
    if (holds_values(pieces_[begin].brace)) return true;  // the values may continue on further lines
    const std::size_t from = pieces_[begin].token.end();
    const std::string_view inside = text_.substr(from, pieces_[end].token.begin - from);
    const bool comment =
        inside.find("//") != std::string_view::npos || inside.find("/*") != std::string_view::npos;
    return !comment && (end == begin + 1 || line_ends(inside) == 0);
  }

  enum class Gap : std::uint8_t { none, blank, line, continuation };

  // The white space between the piece and the one before it, comments aside.
  [[nodiscard]] Gap gap_before(std::size_t i) const {
    const Piece& piece = pieces_[i];
    const Piece& before = pieces_[i - 1];
    const Kind kind = piece.token.kind;
    const Kind last = before.token.kind;
    if (piece.brace == Brace::block || piece.brace == Brace::names) {
      if (kind == Kind::right_brace) return piece.inline_ ? Gap::blank : Gap::line;
      // A nested block starts a statement.
      const bool begins = last == Kind::semicolon || before.brace == Brace::block;
      if (!begins) return Gap::blank;
    }
    if (before.brace == Brace::block || before.brace == Brace::names) {
      if (last == Kind::left_brace) return before.inline_ ? Gap::blank : Gap::line;
      if (kind == Kind::else_ || begins_alternative(i)) return Gap::blank;
      if (kind == Kind::semicolon) return Gap::none;
      return inside_inline(i) ? Gap::blank : Gap::line;
    }
    if (last == Kind::semicolon) return inside_inline(i) ? Gap::blank : Gap::line;
    if (last == Kind::comma && inside_names(i)) return Gap::line;
    if (piece.new_line && !inside_inline(i)) return Gap::continuation;
    if (kind == Kind::left_parenthesis && last == Kind::identifier && open_.empty() &&
        (before.token.text == "invariant" || before.token.text == "eventually" || before.token.text == "to"))
      return Gap::blank;  // a claim, no call
    return blank_between(before, piece) ? Gap::blank : Gap::none;
  }

  // The `or` of an `either`.
  [[nodiscard]] bool begins_alternative(std::size_t i) const {
    return pieces_[i].token.kind == Kind::identifier && pieces_[i].token.text == "or" &&
           pieces_[i + 1].token.kind == Kind::left_brace;
  }
  [[nodiscard]] bool inside_inline(std::size_t i) const {
    return !open_.empty() && pieces_[open_.back()].inline_ && i > 0;
  }
  [[nodiscard]] bool inside_names(std::size_t) const {
    return !open_.empty() && pieces_[open_.back()].brace == Brace::names && !pieces_[open_.back()].inline_;
  }

  [[nodiscard]] static bool blank_between(const Piece& before, const Piece& piece) {
    const Kind kind = piece.token.kind;
    const Kind last = before.token.kind;
    if (kind == Kind::semicolon || kind == Kind::comma || kind == Kind::right_parenthesis ||
        kind == Kind::right_bracket || kind == Kind::dot || last == Kind::dot || kind == Kind::dot_dot ||
        last == Kind::dot_dot || last == Kind::left_parenthesis || last == Kind::left_bracket ||
        kind == Kind::left_bracket) {
      return false;
    }
    if (kind == Kind::colon) return piece.conditional;
    if (before.unary || last == Kind::exclamation || last == Kind::tilde) return false;
    if (piece.tight || before.tight) return false;
    if (holds_values(before.brace) && last == Kind::left_brace) return false;
    if (holds_values(piece.brace) && kind == Kind::right_brace) return false;
    if (piece.brace == Brace::literal && kind == Kind::left_brace) return false;
    if (kind == Kind::left_parenthesis) {
      // A call, or an operation with call syntax.
      const bool operation = is_between(last, Kind::cas, Kind::fetch_min) || last == Kind::choose;
      return !is_operand_end(last) && !operation;
    }
    return true;
  }

  void write() {
    out_.clear();
    line_blocks_.assign(1, 0);
    open_.clear();
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& piece = pieces_[i];
      const bool closes = piece.token.kind == Kind::right_brace;
      Gap gap = i == 0 ? Gap::line : piece.token.kind == Kind::end ? Gap::line : gap_before(i);
      const std::size_t depth =
          open_depth() - (closes && !holds_values(piece.brace) && !piece.inline_ ? 1 : 0);
      write_comments(piece, gap, closes ? open_depth() : depth);
      if (piece.token.kind == Kind::end) break;
      const bool may_skip = i > 0 && !closes && pieces_[i - 1].token.kind != Kind::left_brace;
      separate(gap, depth, may_skip && piece.blank);
      out_ += piece.token.text;
      if (piece.token.kind == Kind::left_brace) {
        if (piece.inline_ && !holds_values(piece.brace) && line_blocks_.back() == 0 &&
            piece.partner > i + 1) {
          line_blocks_.back() = i + 1;
        }
        open_.push_back(i);
      } else if (closes && !open_.empty()) {
        open_.pop_back();
      }
    }
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
  }

  // The indentation level: the number of open braces whose blocks span several lines.
  [[nodiscard]] std::size_t open_depth() const {
    return static_cast<std::size_t>(std::count_if(open_.begin(), open_.end(), [this](std::size_t i) {
      return !holds_values(pieces_[i].brace) && !pieces_[i].inline_;
    }));
  }

  void write_comments(const Piece& piece, Gap& gap, std::size_t depth) {
    for (const Comment& comment : piece.comments) {
      if (comment.own_line || out_.empty()) {
        separate(Gap::line, depth, comment.blank_before && !out_.empty() && !out_.ends_with("{"));
      } else if (!out_.ends_with("\n")) {
        out_ += comment.text.starts_with("//") ? "  " : " ";
      }
      out_ += comment.text;
      const auto ends = line_ends(comment.text);
      line_blocks_.resize(line_blocks_.size() + ends);
      // Nothing can follow a line comment on its line.
      if (comment.text.starts_with("//") && gap != Gap::line) gap = Gap::continuation;
      if (!comment.text.starts_with("//") && gap == Gap::none) gap = Gap::blank;
      if (comment.own_line && gap == Gap::blank) gap = Gap::continuation;
    }
  }

  void separate(Gap gap, std::size_t depth, bool blank) {
    if (gap == Gap::none) return;
    if (gap == Gap::blank) {
      out_ += ' ';
      return;
    }
    if (!out_.empty()) {
      out_ += '\n';
      line_blocks_.push_back(0);
      if (blank) {
        out_ += '\n';
        line_blocks_.push_back(0);
      }
    }
    out_.append(2 * depth + (gap == Gap::continuation ? 4 : 0), ' ');
  }

  // Opens the first block of each line that is too long. Returns whether there was one.
  bool open_long_lines() {
    bool changed = false;
    std::size_t begin = 0;
    for (std::size_t line = 0; begin < out_.size(); ++line) {
      const std::size_t end = out_.find('\n', begin);
      if (line < line_blocks_.size() && line_blocks_[line] != 0 && end - begin > columns) {
        Piece& piece = pieces_[line_blocks_[line] - 1];
        piece.inline_ = pieces_[piece.partner].inline_ = false;
        changed = true;
      }
      begin = end + 1;
    }
    return changed;
  }

  std::string_view text_;
  std::vector<Piece> pieces_;
  std::string out_;
  std::vector<std::size_t> open_;         // braces enclosing the current piece
  std::vector<std::size_t> line_blocks_;  // per output line: one more than the first inline block, or 0
};

}  // namespace

std::optional<std::string> format_program(const SourceMap& sources, std::uint32_t file,
                                          Diagnostics& diagnostics) {
  const std::vector<Token> tokens = tokenize(sources, file, diagnostics);
  if (tokens.empty()) return {};
  (void)parse_syntax(tokens, sources, file, diagnostics);
  if (diagnostics.any()) return {};
  return Formatter(sources, file, tokens).run();
}

}  // namespace heddle::lang
