// Hints for syntax errors, guessing at what the author meant: a misspelt keyword, a habit from another
// language, a bracket that was never closed.
#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "lang/recovery.hpp"
#include "lang/suggest.hpp"

namespace heddle::lang {
namespace {

using Kind = TokenKind;
using Habit = std::pair<std::string_view, std::string_view>;

constexpr std::array<Habit, 14> statement_habits = {{
    {"and", "write '&&'"},
    {"or", "write '||'"},
    {"not", "write '!'"},
    {"elif", "write 'else if'"},
    {"elsif", "write 'else if'"},
    {"elseif", "write 'else if'"},
    {"then", "no 'then' is needed: write 'if c { ... }'"},
    {"do", "there is no 'do' loop: write 'while true { ... }' with 'break'"},
    {"switch", "write 'if' and 'else if'"},
    {"match", "write 'if' and 'else if'"},
    {"case", "write 'if' and 'else if'"},
    {"when", "write 'await c;' to wait until c holds"},
    {"goto", "there is no 'goto': use 'while' with 'break' and 'continue'"},
    {"UNCHANGED", "variables to which nothing is assigned keep their values"},
}};

constexpr std::array<Habit, 8> item_habits = {{
    {"func", "functions begin with 'fn'"},
    {"function", "functions begin with 'fn'"},
    {"def", "functions begin with 'fn'"},
    {"void", "functions begin with 'fn'"},
    {"global", "shared variables begin with 'shared'"},
    {"atomic", "shared variables begin with 'shared'"},
    {"volatile", "shared variables begin with 'shared'"},
    {"process", "threads begin with 'thread'"},
}};

template <std::size_t size>
std::string habit(const std::array<Habit, size>& habits, std::string_view text) {
  for (const auto& [word, hint] : habits) {
    if (word == text) return std::string(hint);
  }
  return {};
}

std::vector<std::string_view> keywords(bool (*wanted)(TokenKind)) {
  std::vector<std::string_view> texts;
  for (auto kind = Kind::import_; kind <= Kind::ref; kind = static_cast<Kind>(static_cast<int>(kind) + 1)) {
    if (wanted(kind)) texts.push_back(spelling(kind));
  }
  return texts;
}

bool is_type(const Token& token) { return is_between(token.kind, Kind::int_, Kind::bool_); }

const std::vector<std::string_view>& item_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> list = keywords(begins_item);
    list.insert(list.end(), std::begin(names_that_begin_items), std::end(names_that_begin_items));
    return list;
  }();
  return words;
}

// Whether the first word may be a misspelt keyword: what follows cannot follow a name.
bool suspects_first_word(const SyntaxError& error) {
  if (error.start->kind != Kind::identifier) return false;
  if (error.kind == Recovery::item) return true;
  return error.where == error.start + 1 || error.where->kind == Kind::left_brace;
}

// The innermost bracket opened since `start` that `expected` would close.
Position open_bracket(const SyntaxError& error, std::string_view expected) {
  const Kind wanted = expected == "')'"   ? Kind::left_parenthesis
                      : expected == "']'" ? Kind::left_bracket
                                          : Kind::left_brace;
  const auto closing = static_cast<Kind>(static_cast<int>(wanted) + 1);
  unsigned closed = 0;
  for (Position at = error.where; at > error.start;) {
    --at;
    if (at->kind == closing) {
      ++closed;
    } else if (at->kind == wanted) {
      if (closed == 0) return at;
      --closed;
    }
  }
  return nullptr;
}

// `m.lock()`: an operation of the language written as a method call.
std::string method_hint(const SyntaxError& error) {
  const Token& operation = *error.where;
  const Position owner = error.where - 2;
  const std::string_view object = owner >= error.start && owner->kind == Kind::identifier ? owner->text : "x";
  switch (operation.kind) {
    case Kind::lock:
    case Kind::unlock:
    case Kind::signal:
    case Kind::broadcast:
    case Kind::join: return fmt::format("write '{} {};'", operation.text, object);
    case Kind::trylock: return fmt::format("write 'trylock {}'", object);
    case Kind::wait: return fmt::format("write 'wait {}, m;', where m is the mutex you hold", object);
    case Kind::cas: return fmt::format("write 'cas({}, old, new)'", object);
    default: break;
  }
  if (is_between(operation.kind, Kind::exchange, Kind::fetch_min))
    return fmt::format("write '{}({}, ...)'", operation.text, object);
  return {};
}

// Habits from languages for protocols: Promela, TLA+, PlusCal.
std::string protocol_hint(const SyntaxError& error) {
  const Token& found = *error.where;
  const Token& start = *error.start;
  const auto next = [&](Position at) { return at->kind == Kind::end ? at : at + 1; };
  if (error.kind == Recovery::statement && start.text == "or" && next(error.start)->kind == Kind::left_brace)
    return "an 'or' follows the block of an 'either', with nothing in between";
  if (start.text == "either" && error.expected == "'or { ... }'")
    return "an 'either' has at least two alternatives: either { ... } or { ... }";
  if (error.kind == Recovery::statement && start.text == "d_step" &&
      next(error.start)->kind == Kind::left_brace)
    return "an indivisible step is written 'atomic { ... }'";
  if (error.kind == Recovery::statement && start.text == "atomic" && error.where == error.start + 1)
    return "an atomic block has braces: 'atomic { ... }'; a single access to shared data is atomic anyway";
  if (error.kind == Recovery::statement && start.kind == Kind::identifier && error.where > error.start) {
    if (found.kind == Kind::exclamation && error.where == error.start + 1)
      return fmt::format("to send, call a function: channel.send({}, ...)", start.text);
    if (error.expected == "':'" && found.kind == Kind::semicolon && (error.start + 1)->kind == Kind::question)
      return fmt::format("to receive, call a function: let m = channel.receive({});", start.text);
  }
  const bool operand = error.expected == "an expression";
  if (operand && found.kind == Kind::left_bracket && next(error.where)->kind == Kind::right_bracket)
    return "'invariant c;' is about every reachable state, 'forall c;' about all final states, 'assert c;' "
           "about "
           "the moment";
  if (operand && found.kind == Kind::less && next(error.where)->kind == Kind::greater)
    return "'eventually c;' claims that every fair run comes to c, 'c leads to d;' that d follows c; 'exists "
           "c;' asks "
           "whether some final state satisfies c";
  return {};
}

// Types and names from languages with pointers, templates and scopes.
std::string foreign_hint(const SyntaxError& error) {
  const Token& found = *error.where;
  const Kind before = error.where > error.start ? (error.where - 1)->kind : Kind::end;
  if (found.kind == Kind::bit_and && (before == Kind::left_parenthesis || before == Kind::comma))
    return "there are no pointers: name the variable itself, as in cas(x, old, new)";
  if (found.kind == Kind::string && error.expected == "an expression")
    return "there are no strings: declare an enum, and compare with its values";
  if (found.kind == Kind::colon && error.where > error.start && (error.where + 1)->kind == Kind::colon) {
    const Token& right = *(error.where + 2);
    return fmt::format("write {}.{}", (error.where - 1)->text,
                       right.kind == Kind::identifier ? right.text : std::string_view("x"));
  }
  if (found.kind == Kind::arrow && error.kind == Recovery::statement)
    return "there are no pointers: name a field like pool[i].next";
  const bool types = error.start->kind == Kind::shared || error.start->kind == Kind::struct_;
  if (error.kind == Recovery::statement && found.kind == Kind::colon && error.where > error.start &&
      (error.where + 1)->kind == Kind::assign)
    return "an assignment is written 'x = e;'";
  if (types && found.kind == Kind::star && error.expected == "';'")
    return "there are no pointers: use an int as an index into an array";
  if (types && found.kind == Kind::less && error.expected == "';'")
    return "types have no parameters: write int; cas, exchange and fetch_add work on every shared variable";
  if (error.where > error.start && found.kind == Kind::right_bracket &&
      (error.where - 1)->kind == Kind::left_bracket)
    return "give the length: int[4]";
  if (found.kind == Kind::assign && error.where > error.start && (error.where - 1)->kind == Kind::dot_dot)
    return "the end of a range is not part of it: write 0..N + 1";
  return {};
}

// A keyword or type where none is allowed.
std::string keyword_hint(const SyntaxError& error) {
  const Token& found = *error.where;
  const bool wants_name = error.expected == "a name";
  if (is_type(found) && (error.start->kind == Kind::const_ || error.start->kind == Kind::param)) {
    return fmt::format("a '{0}' has no type: write '{0} N = 1;'", error.start->text);
  }
  if (is_type(found) && (error.start->kind == Kind::fn || wants_name)) {
    return fmt::format("the type follows the name: 'x: {}'", found.text);
  }
  if (wants_name && error.where > error.start && (error.where - 1)->kind == Kind::dot) {
    if (std::string hint = method_hint(error); !hint.empty()) return hint;
  }
  if (wants_name && is_keyword(found.kind))
    return fmt::format("'{}' is a keyword and cannot be a name", found.text);
  return {};
}

// No item can begin with this token.
std::string stray_item_hint(const Token& found) {
  if (found.kind == Kind::right_brace) return "there is one '}' too many, here or above";
  if (found.kind == Kind::semicolon) return "no ';' is needed after a block";
  if (is_statement_keyword(found.kind) || found.kind == Kind::left_brace) {
    return "statements belong in a 'thread', a 'fn' or 'final'";
  }
  if (is_type(found)) return fmt::format("declare a shared variable as 'shared x: {};'", found.text);
  if (found.kind != Kind::identifier) return {};
  std::string hint = habit(item_habits, found.text);
  if (!hint.empty()) return hint;
  if (found.text == "daemon") return "a daemon is a 'daemon thread' or a 'daemon proc'";
  return fmt::format("declarations begin with {}, or claim 'c leads to d'", fmt::join(item_words(), ", "));
}

std::string item_hint(const SyntaxError& error) {
  const auto& [kind, start, where, expected] = error;
  if (where == start) return stray_item_hint(*where);
  if (start->kind == Kind::fn && expected == "'{'" && where > start + 2)
    return "a result type is written '-> int'";
  if (start->kind == Kind::thread &&
      (open_bracket(error, "']'") != nullptr || where->kind == Kind::left_parenthesis)) {
    return "write a family of threads like 'thread w[i: 0..N] { ... }'";
  }
  if (start->kind == Kind::shared && where->kind == Kind::left_bracket) {
    return "the length follows the type: 'shared a: int[2]'";
  }
  if (start->kind == Kind::shared && expected == "':'") return "give its type: 'shared x: int'";
  if ((start->kind == Kind::fn || start->kind == Kind::proc) && expected == "':'")
    return fmt::format("give its type: '{}: int'", (where - 1)->text);
  if (start->kind == Kind::struct_ && expected == "';'" && where->kind == Kind::comma)
    return "each field of a struct ends with ';'";
  const bool asks = start->kind == Kind::exists || start->kind == Kind::forall ||
                    start->kind == Kind::forbid ||
                    (start->kind == Kind::identifier && start->text == "invariant");
  if (asks && where->kind == Kind::assign) return "did you mean '=='?";
  return {};
}

std::string statement_hint(const SyntaxError& error) {
  const auto& [kind, start, where, expected] = error;
  const Token& found = *where;
  if (std::string hint = habit(statement_habits, found.text); !hint.empty()) return hint;
  if (suspects_first_word(error)) {
    if (std::string hint = habit(statement_habits, start->text); !hint.empty()) return hint;
  }
  if (where == start && found.kind == Kind::else_) return "this 'else' has no 'if'";
  if (where != start && found.kind == Kind::await_ && expected == "an expression")
    return "only a declaration takes the value of an await: let v = await e;";
  if (where == start && is_type(found)) {
    return fmt::format("declare a local variable as 'let x: {0} = ...;' or 'var x: {0} = ...;'", found.text);
  }
  if (start->kind == Kind::assert_ && expected == "')'" && found.kind == Kind::comma) {
    return "write it without parentheses: assert c, \"text\";";
  }
  if (start->kind == Kind::wait && expected == "')'" && found.kind == Kind::comma)
    return "write it without parentheses: wait c, m;";
  if (start->kind == Kind::wait && expected == "','") return "also name the mutex you hold: wait c, m;";
  if (start->kind == Kind::fence && found.kind == Kind::left_parenthesis) return "write 'fence;'";
  if (expected == "')'" && found.kind == Kind::comma) {
    const Position open = open_bracket(error, expected);
    if (open != nullptr && open != error.start && (open - 1)->kind == Kind::choose)
      return "a range is written like 0..N";
  }
  if (start->kind == Kind::for_ && found.kind == Kind::left_parenthesis && where == start + 1) {
    return "write it like 'for i in 0..N { ... }'";
  }
  const bool condition = start->kind == Kind::await_ || start->kind == Kind::assert_ ||
                         start->kind == Kind::assume || start->kind == Kind::return_;
  if ((condition || expected == "'{'" || expected == "')'") && found.kind == Kind::assign)
    return "did you mean '=='?";
  if ((start->kind == Kind::let || start->kind == Kind::var) && expected == "'='" && where == start + 2 &&
      found.kind == Kind::semicolon)
    return fmt::format("give it an initial value: {} {} = 0;", start->text, (where - 1)->text);
  if (expected == "'{'" && is_statement_keyword(start->kind)) {
    return "the body of 'if', 'else', 'while' and 'for' must be in braces";
  }
  return {};
}

std::string bracket_hint(const ParserState& state, const SyntaxError& error) {
  const Position open = open_bracket(error, error.expected);
  if (open == nullptr) return {};
  const LineColumn place = state.sources.locate(state.file, open->begin);
  return fmt::format("the '{}' at line {}, column {} is not closed", open->text, place.line, place.column);
}

}  // namespace

std::string misspelt_keyword(const SyntaxError& error) {
  static const std::vector<std::string_view> statement_words = keywords(is_statement_keyword);
  if (!suspects_first_word(error) || !habit(statement_habits, error.where->text).empty()) return {};
  if (!protocol_hint(error).empty()) return {};
  return did_you_mean(error.start->text, error.kind == Recovery::item ? item_words() : statement_words);
}

std::string syntax_hint(const ParserState& state, const SyntaxError& error) {
  const Token& found = *error.where;
  const std::string& expected = error.expected;
  if (std::string hint = protocol_hint(error); !hint.empty()) return hint;
  if (std::string hint = keyword_hint(error); !hint.empty()) return hint;
  if (std::string hint = foreign_hint(error); !hint.empty()) return hint;
  if (expected == "a name" && found.kind == Kind::integer && (error.where - 1)->kind == Kind::dot) {
    return "there are no fractions: values are 64-bit integers";
  }
  if (expected == "'..'" || (found.kind == Kind::dot && error.where != error.start)) {
    return "a range is written like 0..N";
  }
  std::string hint = error.kind == Recovery::item ? item_hint(error) : statement_hint(error);
  if (!hint.empty()) return hint;
  if (expected == "')'" || expected == "']'" || expected == "'}'") return bracket_hint(state, error);
  return {};
}

}  // namespace heddle::lang
