#include "lang/litmus/grammar.hpp"

#include <utility>

namespace heddle::lang::litmus {
namespace grammar {

// A number with optional sign.
struct Number {
  std::int64_t value = 0;
  SourceRange range;
};

constexpr auto set_number = [](auto& context) {
  Number& number = x3::_val(context);
  const bool negative = number.value < 0;  // a minus sign has set it to -1
  number.value = checked_integer(state_of(context), x3::_attr(context), negative);
  number.range = state_of(context).range(x3::_attr(context));
};
constexpr auto negative = [](auto& context) { x3::_val(context).value = -1; };

const x3::rule<struct NumberRule, Number> number = "a number";
const auto number_def = -(word("-") >> x3::eps[negative]) >> integer[set_number];
BOOST_SPIRIT_DEFINE(number)

// --- Places and initial values ---

// `0:`, or `P0:` as in some tests.
constexpr auto set_thread = [](auto& context) {
  const Token& token = x3::_attr(context);
  std::string_view digits = token.text;
  if (digits.starts_with('P')) digits.remove_prefix(1);
  std::int64_t value = 0;
  if (!integer_value(digits, false, value) || value < 0 ||
      value >= static_cast<std::int64_t>(limits::threads)) {
    state_of(context).give_up(state_of(context).range(token),
                              fmt::format("'{}' is not a thread: threads are numbered from 0 to {}",
                                          token.text, limits::threads - 1));
  }
  x3::_val(context).thread = static_cast<std::uint32_t>(value);
  x3::_val(context).range = state_of(context).range(token);
};
constexpr auto set_name = [](auto& context) {
  Place& place = x3::_val(context);
  place.name = matched(context);
  if (!place.thread) place.range = place.name.range;
  place.range.end = place.name.range.end;
};
constexpr auto set_symbolic = [](auto& context) { x3::_val(context).symbolic = true; };

const x3::rule<struct PlaceRule, Place> place = "a register like 0:r1 or a location";
const auto register_name = -(word("%") >> x3::eps[set_symbolic]) > name[set_name];
const auto place_def =
    (&(x3::omit[integer] >> word(":")) >> integer[set_thread] >> word(":") >> register_name) |
    (&(x3::omit[name] >> word(":")) >> name[set_thread] >> word(":") >> register_name) |
    (word("[") > name[set_name] > word("]")) | (word("%") > x3::eps[set_symbolic] > name[set_name]) |
    (-word("*") >> name[set_name]);
BOOST_SPIRIT_DEFINE(place)

constexpr auto set_place = [](auto& context) { x3::_val(context).place = std::move(x3::_attr(context)); };
constexpr auto set_value = [](auto& context) { x3::_val(context).value = x3::_attr(context).value; };
constexpr auto set_given = [](auto& context) { x3::_val(context).given = true; };
constexpr auto set_address = [](auto& context) { x3::_val(context).address = matched(context); };

const x3::rule<struct InitialRule, InitialValue> initial = "an initial value";
const x3::rule<struct InitialsRule, std::vector<InitialValue>> initials = "initial values";
constexpr auto refuse_array = [](auto& context) {
  const Token& token = x3::_attr(context);
  state_of(context).give_up(state_of(context).range(token), "arrays are not supported");
};
const auto type_words =
    *(&(x3::omit[name] >> (x3::omit[name] | (x3::omit[integer] >> word(":")) | word("*") | word("["))) >>
      !(x3::omit[name] >> word("[") >> x3::omit[integer]) >> name[check_type]);
const auto initial_def = type_words >> place[set_place] >> -(word("[") > integer[refuse_array]) >>
                         -(word("=") > x3::eps[set_given] >
                           (number[set_value] | (-word("&") >> name[set_address]) |
                            (word("(") > number[set_value] > word(")"))));
constexpr auto push = [](auto& context) { x3::_val(context).push_back(std::move(x3::_attr(context))); };
const auto initials_def = *(word(";") | (initial[push] > (word(";") | &word("}")))) > word("}");
BOOST_SPIRIT_DEFINE(initial)
BOOST_SPIRIT_DEFINE(initials)

// --- Conditions ---

template <FormulaKind kind>
struct Join {
  template <typename Context>
  void operator()(Context& context) const {
    Formula& formula = x3::_val(context);
    if (formula.kind != kind || formula.parts.empty()) {
      Formula first = std::move(formula);
      formula = Formula{};
      formula.kind = kind;
      formula.range = first.range;
      formula.parts.push_back(std::move(first));
    }
    formula.range.end = x3::_attr(context).range.end;
    formula.parts.push_back(std::move(x3::_attr(context)));
  }
};
constexpr auto set_constant = [](auto& context) {
  const Token& token = x3::_attr(context);
  if (token.text != "true" && token.text != "false") {
    x3::_pass(context) = false;
    return;
  }
  x3::_val(context).value = token.text == "true" ? 1 : 0;
  x3::_val(context).range = state_of(context).range(token);
};
constexpr auto set_atom = [](auto& context) {
  Formula& formula = x3::_val(context);
  formula.kind = FormulaKind::equal;
  formula.place = std::move(x3::_attr(context));
  formula.range = formula.place.range;
};
constexpr auto close_atom = [](auto& context) {
  x3::_val(context).value = x3::_attr(context).value;
  x3::_val(context).range.end = x3::_attr(context).range.end;
};
constexpr auto negate = [](auto& context) {
  Formula& formula = x3::_val(context);
  formula.kind = FormulaKind::negation;
  formula.range = x3::_attr(context).range;
  formula.parts.push_back(std::move(x3::_attr(context)));
};
constexpr auto close_with_address = [](auto& context) {
  x3::_val(context).address = matched(context);
  x3::_val(context).range.end = x3::_val(context).address->range.end;
};
constexpr auto close_with_place = [](auto& context) {
  x3::_val(context).range.end = x3::_attr(context).range.end;
  x3::_val(context).other = std::move(x3::_attr(context));
};
// `a => b` is `not a \/ b`.
constexpr auto imply = [](auto& context) {
  Formula& formula = x3::_val(context);
  Formula unless;
  unless.kind = FormulaKind::negation;
  unless.range = formula.range;
  unless.parts.push_back(std::move(formula));
  formula = Formula{};
  formula.kind = FormulaKind::disjunction;
  formula.range = unless.range;
  formula.range.end = x3::_attr(context).range.end;
  formula.parts.push_back(std::move(unless));
  formula.parts.push_back(std::move(x3::_attr(context)));
};

const x3::rule<struct FormulaRule, Formula> formula = "a condition";
const x3::rule<struct ConjunctionRule, Formula> conjunction = "a condition";
const x3::rule<struct ImplicationRule, Formula> implication = "a condition";
const x3::rule<struct FactorRule, Formula> factor = "a condition";
const x3::rule<struct AtomRule, Formula> atom = "a condition";
const x3::rule<struct UnequalRule, Formula> unequal = "a condition";

const auto formula_def = conjunction[replace] >>
                         *((word("\\/") | word("||")) > conjunction[Join<FormulaKind::disjunction>{}]);
const auto conjunction_def = implication[replace] >>
                             *((word("/\\") | word("&&")) > implication[Join<FormulaKind::conjunction>{}]);
const auto implication_def = factor[replace] >> -(word("=>") > nested[implication[imply]]);
const auto unequal_sign = word("!=") | word("<>");
const auto observed_value =
    (&((x3::omit[integer | name] >> word(":")) | word("[") | word("*")) >> place[close_with_place]) |
    number[close_atom] | (-word("&") >> name[close_with_address]);
const auto factor_def =
    ((word("not") | word("~") | word("!")) > nested[factor[negate]]) |
    (word("(") > nested[formula[replace]] > word(")")) |
    (&(x3::omit[name] >> !(word(":") | word("=") | word("==") | unequal_sign)) >> name[set_constant]) |
    (&(x3::omit[place] >> unequal_sign) >> unequal[negate]) | atom[replace];
const auto unequal_def = place[set_atom] > unequal_sign > observed_value;
const auto atom_def = place[set_atom] > (word("=") | word("==")) > observed_value;
BOOST_SPIRIT_DEFINE(formula)
BOOST_SPIRIT_DEFINE(conjunction)
BOOST_SPIRIT_DEFINE(implication)
BOOST_SPIRIT_DEFINE(factor)
BOOST_SPIRIT_DEFINE(atom)
BOOST_SPIRIT_DEFINE(unequal)

constexpr auto push_location = [](auto& context) {
  x3::_val(context).locations.push_back(std::move(x3::_attr(context)));
};
constexpr auto set_filter = [](auto& context) { x3::_val(context).filter = std::move(x3::_attr(context)); };
template <Quantifier quantifier>
struct SetFormula {
  template <typename Context>
  void operator()(Context& context) const {
    Constraint& constraint = x3::_val(context);
    constraint.quantifier = quantifier;
    constraint.formula = std::move(x3::_attr(context));
    constraint.range = constraint.formula.range;
  }
};

const x3::rule<struct ConstraintRule, Constraint> constraint = "a condition";
// A place may be followed by a type.
const auto observed_place = place[push_location] >> *(word("*") | name[check_type]);
// `with tso: ~exists; power: exists`: results under other models. Ignored.
const auto other_model = x3::omit[name] > word(":") >
                         (word("exists") | word("forall") | ((word("~") | word("not")) > word("exists")));
const auto constraint_def =
    *((word("locations") > word("[") > *(observed_place > (word(";") | &word("]"))) > word("]")) |
      (word("filter") > formula[set_filter]) | word(";")) >>
    -((word("exists") > formula[SetFormula<Quantifier::exists>{}]) |
      (word("final") > formula[SetFormula<Quantifier::exists>{}]) |
      (word("forall") > formula[SetFormula<Quantifier::forall>{}]) |
      ((word("~") | word("not")) > word("exists") > formula[SetFormula<Quantifier::not_exists>{}])) >>
    *word(";") >> -(word("with") > other_model >> *(word(";") >> -other_model));
BOOST_SPIRIT_DEFINE(constraint)

// --- Instructions ---

constexpr auto set_immediate = [](auto& context) {
  Operand& operand = x3::_val(context);
  operand.kind = OperandKind::immediate;
  operand.value = x3::_attr(context).value;
  operand.range = x3::_attr(context).range;
};
constexpr auto set_location = [](auto& context) {
  Operand& operand = x3::_val(context);
  operand.kind = OperandKind::address;
  operand.name = matched(context);
  operand.range = operand.name.range;
};
constexpr auto set_dollar = [](auto& context) { x3::_val(context).dollar = true; };
constexpr auto set_percent = [](auto& context) { x3::_val(context).percent = true; };
constexpr auto set_register = [](auto& context) {
  Operand& operand = x3::_val(context);
  operand.kind = OperandKind::register_;
  operand.percent = true;
  operand.name = matched(context);
  operand.range = operand.name.range;
};
constexpr auto set_word = [](auto& context) {
  Operand& operand = x3::_val(context);
  operand.kind = OperandKind::word;
  operand.name = matched(context);
  operand.range = operand.name.range;
};
constexpr auto set_base = [](auto& context) {
  Operand& operand = x3::_val(context);
  operand.kind = OperandKind::memory;
  operand.name = matched(context);
  operand.range = operand.name.range;
};
constexpr auto set_round = [](auto& context) { x3::_val(context).round = true; };
constexpr auto set_offset = [](auto& context) { x3::_val(context).value = x3::_attr(context).value; };

const x3::rule<struct OperandRule, Operand> operand = "an operand";
const auto base = -(word("%") >> x3::eps[set_percent]) > name[set_base];
const auto in_round = word("(") > x3::eps[set_round] > base > word(")");
const auto in_square = word("[") > base > -(word("+") > number[set_offset]) > word("]");
// `dword ptr [x]`
const auto size_words =
    -((any_case("byte") | any_case("word") | any_case("dword") | any_case("qword")) >> any_case("ptr"));
const auto operand_def = (word("$") > x3::eps[set_dollar] > (number[set_immediate] | name[set_location])) |
                         (number[set_immediate] >> -in_round) | in_round | (size_words >> in_square) |
                         (word("%") > name[set_register]) | name[set_word];
BOOST_SPIRIT_DEFINE(operand)

constexpr auto push_label = [](auto& context) { x3::_val(context).labels.push_back(matched(context)); };
constexpr auto push_mnemonic = [](auto& context) { x3::_val(context).mnemonic.push_back(matched(context)); };
constexpr auto push_operand = [](auto& context) {
  x3::_val(context).operands.push_back(std::move(x3::_attr(context)));
};
template <char mark>
struct SetMark {
  template <typename Context>
  void operator()(Context& context) const {
    x3::_val(context).mark = mark;
  }
};

const x3::rule<struct LineRule, Line> line = "an instruction";
const auto marks = -(word(".")[SetMark<'.'>{}] | word("+")[SetMark<'+'>{}] |
                     (word("-") >> !integer >> x3::eps[SetMark<'-'>{}]));
const auto mnemonic = (&any_case("lock") >> name[push_mnemonic] >> name[push_mnemonic]) | name[push_mnemonic];
const auto line_def = *(&(x3::omit[name] >> word(":")) >> name[push_label] >> word(":")) >>
                      -(mnemonic >> marks >> -(operand[push_operand] > *(word(",") > operand[push_operand])));
BOOST_SPIRIT_DEFINE(line)

}  // namespace grammar

std::vector<InitialValue> parse_initial_values(ParserState& state, const Token* first, const Token* last) {
  std::vector<InitialValue> result;
  static_cast<void>(grammar::parse_all(grammar::initials, first, last, state, result));
  return result;
}

Line parse_line(ParserState& state, const Token* first, const Token* last) {
  Line result;
  result.range = {state.file, first->begin, first == last ? first->begin : (last - 1)->end()};
  static_cast<void>(grammar::parse_all(grammar::line, first, last, state, result));
  if (!result.mnemonic.empty()) result.range.begin = result.mnemonic.front().range.begin;
  return result;
}

namespace {

bool names_quantifier(const Token& token) {
  return token.is("exists") || token.is("forall") || token.is("final");
}

}  // namespace

Constraint parse_constraint(ParserState& state, const Token* first, const Token* last) {
  Constraint result;
  static_cast<void>(grammar::parse_all(grammar::constraint, first, last, state, result));
  if (result.quantifier == Quantifier::none) return result;
  // The range from the quantifier to the last parenthesis. The text around the formula has no attribute.
  const Token* quantifier = first;
  while (quantifier->begin < result.formula.range.begin && !names_quantifier(*quantifier)) ++quantifier;
  const Token* end = quantifier;
  while (end != last && !end->is(";") && !end->is("with")) ++end;
  const bool negated = quantifier != first && ((quantifier - 1)->is("~") || (quantifier - 1)->is("not"));
  result.range = {state.file, (negated ? quantifier - 1 : quantifier)->begin, (end - 1)->end()};
  return result;
}

bool begins_constraint(const Token* token) {
  if (token->kind == TokenKind::name) {
    return names_quantifier(*token) || token->is("locations") || token->is("filter");
  }
  return token->is("~");
}

}  // namespace heddle::lang::litmus
