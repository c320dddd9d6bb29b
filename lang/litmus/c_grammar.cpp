// The grammar of the C flavour. The first tokens decide each rule, so that only the name of a type may be
// read twice.
#include <utility>

#include "lang/litmus/c_syntax.hpp"

namespace heddle::lang::litmus::grammar {
namespace {

int precedence(std::string_view op) {
  constexpr std::pair<std::string_view, int> levels[] = {
      {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {"<=", 7},
      {">", 7},  {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
  for (const auto& [spelling, level] : levels) {
    if (spelling == op) return level;
  }
  return 0;
}

}  // namespace

// Matches one token that is a binary operator.
struct OperatorParser : x3::parser<OperatorParser> {
  using attribute_type = Token;
  static constexpr bool has_attribute = true;

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&,
             Attribute& attribute) const {
    if (first == last || first->kind != TokenKind::symbol || precedence(first->text) == 0) return false;
    x3::traits::move_to(Token(*first), attribute);
    ++first;
    return true;
  }
};

// Matches one symbol. Its attribute is the token.
struct SymbolParser : x3::parser<SymbolParser> {
  using attribute_type = Token;
  static constexpr bool has_attribute = true;
  explicit constexpr SymbolParser(std::string_view wanted) : text(wanted) {}

  template <typename Iterator, typename Context, typename RuleContext, typename Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context&, RuleContext&,
             Attribute& attribute) const {
    if (first == last || first->text != text) return false;
    x3::traits::move_to(Token(*first), attribute);
    ++first;
    return true;
  }
  std::string_view text;
};
}  // namespace heddle::lang::litmus::grammar

namespace boost::spirit::x3 {

template <>
struct get_info<heddle::lang::litmus::grammar::SymbolParser> {
  using result_type = std::string;
  std::string operator()(const heddle::lang::litmus::grammar::SymbolParser& parser) const {
    return fmt::format("'{}'", parser.text);
  }
};

template <>
struct get_info<heddle::lang::litmus::grammar::OperatorParser> {
  using result_type = std::string;
  std::string operator()(const heddle::lang::litmus::grammar::OperatorParser& /*parser*/) const {
    return "an operator";
  }
};

}  // namespace boost::spirit::x3

namespace heddle::lang::litmus {
namespace grammar {

using c::Expression;
using c::ExpressionKind;
using c::Statement;
using c::StatementKind;
using c::Thread;

// Operands and operators of an expression without parentheses, in source order.
struct Chain {
  std::vector<Expression> operands;
  std::vector<Word> operators;
};

namespace {

void adopt(ParserState& state, Expression& parent, Expression operand) {
  parent.depth = std::max(parent.depth, operand.depth + 1);
  if (parent.depth > limits::expression_depth) {
    state.give_up(operand.range, fmt::format("this expression is nested too deeply: at most {} levels",
                                             limits::expression_depth));
  }
  parent.operands.push_back(std::move(operand));
}

// All binary operators associate to the left. Linear.
Expression fold(ParserState& state, Chain chain) {
  std::vector<Expression> operands;
  std::vector<Word> operators;
  const auto reduce = [&] {
    Expression result;
    result.kind = ExpressionKind::binary;
    result.word = operators.back();
    operators.pop_back();
    Expression right = std::move(operands.back());
    operands.pop_back();
    Expression left = std::move(operands.back());
    operands.pop_back();
    result.range = {left.range.file, left.range.begin, right.range.end};
    adopt(state, result, std::move(left));
    adopt(state, result, std::move(right));
    operands.push_back(std::move(result));
  };
  for (std::size_t i = 0; i < chain.operands.size(); ++i) {
    if (i > 0) {
      const Word& op = chain.operators[i - 1];
      while (!operators.empty() && precedence(operators.back().text) >= precedence(op.text)) reduce();
      operators.push_back(op);
    }
    operands.push_back(std::move(chain.operands[i]));
  }
  while (!operators.empty()) reduce();
  return std::move(operands.front());
}

}  // namespace

// --- Expressions ---

template <ExpressionKind kind>
struct Begin {
  template <typename Context>
  void operator()(Context& context) const {
    Expression& expression = x3::_val(context);
    expression.kind = kind;
    expression.word = matched(context);
    expression.range = expression.word.range;
    if constexpr (kind == ExpressionKind::integer) {
      expression.value = checked_integer(state_of(context), x3::_attr(context), false);
    }
  }
};
constexpr auto as_call = [](auto& context) { x3::_val(context).kind = ExpressionKind::call; };
constexpr auto add = [](auto& context) {
  Expression& expression = x3::_val(context);
  const SourceRange range = x3::_attr(context).range;
  adopt(state_of(context), expression, std::move(x3::_attr(context)));
  expression.range.end = std::max(expression.range.end, range.end);
};
constexpr auto close = [](auto& context) { x3::_val(context).range.end = x3::_attr(context).end(); };
constexpr auto chain_operand = [](auto& context) {
  x3::_val(context).operands.push_back(std::move(x3::_attr(context)));
};
constexpr auto chain_operator = [](auto& context) {
  x3::_val(context).operators.push_back(matched(context));
};
constexpr auto fold_chain = [](auto& context) {
  x3::_val(context) = fold(state_of(context), std::move(x3::_attr(context)));
};

constexpr SymbolParser symbol(std::string_view text) { return SymbolParser(text); }

const x3::rule<struct CExpressionRule, Expression> c_expression = "an expression";
const x3::rule<struct CChainRule, Chain> c_chain = "an expression";
const x3::rule<struct CUnaryRule, Expression> c_unary = "an expression";
const x3::rule<struct CPrimaryRule, Expression> c_primary = "an expression";

const auto c_expression_def = c_chain[fold_chain];
const auto c_chain_def = c_unary[chain_operand] >>
                         *(OperatorParser{}[chain_operator] > c_unary[chain_operand]);
const auto c_unary_def =
    ((symbol("-")[Begin<ExpressionKind::unary>{}] | symbol("!")[Begin<ExpressionKind::unary>{}] |
      symbol("~")[Begin<ExpressionKind::unary>{}] | symbol("*")[Begin<ExpressionKind::dereference>{}] |
      symbol("&")[Begin<ExpressionKind::address>{}]) > nested[c_unary[add]]) |
    c_primary[replace];
const auto arguments = -(c_expression[add] > *(word(",") > c_expression[add]));
const auto c_primary_def = integer[Begin<ExpressionKind::integer>{}] |
                           (name[Begin<ExpressionKind::name>{}] >>
                            -(word("(") > x3::eps[as_call] > nested[arguments] > symbol(")")[close])) |
                           (word("(") > nested[c_expression[replace]] > word(")"));
BOOST_SPIRIT_DEFINE(c_expression)
BOOST_SPIRIT_DEFINE(c_chain)
BOOST_SPIRIT_DEFINE(c_unary)
BOOST_SPIRIT_DEFINE(c_primary)

// --- Statements ---

template <StatementKind kind>
struct BeginStatement {
  template <typename Context>
  void operator()(Context& context) const {
    x3::_val(context).kind = kind;
    x3::_val(context).word = matched(context);
    x3::_val(context).range = x3::_val(context).word.range;
  }
};
constexpr auto push_expression = [](auto& context) {
  Statement& statement = x3::_val(context);
  statement.range.end = std::max(statement.range.end, x3::_attr(context).range.end);
  statement.expressions.push_back(std::move(x3::_attr(context)));
};
constexpr auto begin_evaluate = [](auto& context) {
  Statement& statement = x3::_val(context);
  statement.kind = StatementKind::evaluate;
  statement.range = x3::_attr(context).range;
  statement.expressions.push_back(std::move(x3::_attr(context)));
};
constexpr auto as_assignment = [](auto& context) { x3::_val(context).kind = StatementKind::assign; };
constexpr auto set_body = [](auto& context) { x3::_val(context).body = std::move(x3::_attr(context)); };
constexpr auto push_body = [](auto& context) {
  x3::_val(context).body.push_back(std::move(x3::_attr(context)));
};
constexpr auto push_otherwise = [](auto& context) {
  x3::_val(context).otherwise.push_back(std::move(x3::_attr(context)));
};

const x3::rule<struct CBlockRule, std::vector<Statement>> c_block = "'{'";
const x3::rule<struct CStatementRule, Statement> c_statement = "a statement";
const x3::rule<struct CDeclareRule, Statement> c_declare = "a declaration";
const x3::rule<struct CSimpleRule, Statement> c_simple = "a statement";

const auto c_block_def = word("{") > *c_statement > word("}");
// `int r0`, `unsigned long r0`: two names in a row.
const auto c_declare_def = &(x3::omit[name] >> x3::omit[name]) >> name[check_type] >>
                           *(&(x3::omit[name] >> x3::omit[name]) >> name[check_type]) >>
                           name[BeginStatement<StatementKind::declare>{}] >>
                           -(word("=") > c_expression[push_expression]);
const auto c_simple_def = c_expression[begin_evaluate] >>
                          -(word("=") > x3::eps[as_assignment] > c_expression[push_expression]);
const auto condition = word("(") > c_expression[push_expression] > word(")");
const auto c_statement_def =
    (symbol("if")[BeginStatement<StatementKind::if_>{}] > condition > nested[c_statement[push_body]] >
     -(word("else") > nested[c_statement[push_otherwise]])) |
    (symbol("while")[BeginStatement<StatementKind::while_>{}] > condition > nested[c_statement[push_body]]) |
    (symbol("break")[BeginStatement<StatementKind::break_>{}] > word(";")) |
    (symbol("continue")[BeginStatement<StatementKind::continue_>{}] > word(";")) |
    (symbol("return")[BeginStatement<StatementKind::return_>{}] > word(";")) |
    (&word("{") >> nested[c_block[set_body]]) | word(";") | (c_declare[replace] > word(";")) |
    ((!word("}") >> c_simple[replace]) > word(";"));
BOOST_SPIRIT_DEFINE(c_block)
BOOST_SPIRIT_DEFINE(c_statement)
BOOST_SPIRIT_DEFINE(c_declare)
BOOST_SPIRIT_DEFINE(c_simple)

// --- Threads ---

constexpr auto set_thread_name = [](auto& context) { x3::_val(context).name = matched(context); };
constexpr auto push_thread = [](auto& context) {
  x3::_val(context).push_back(std::move(x3::_attr(context)));
};

const x3::rule<struct CParameterRule, Word> c_parameter = "a parameter";
const x3::rule<struct CThreadRule, Thread> c_thread = "a thread like P0 (int *x) { }";
const x3::rule<struct CThreadsRule, std::vector<Thread>> c_threads = "a thread like P0 (int *x) { }";

constexpr auto set_word = [](auto& context) { x3::_val(context) = matched(context); };
constexpr auto push_word = [](auto& context) { x3::_val(context).parameters.push_back(x3::_attr(context)); };
const auto c_parameter_def = +name[check_type] > word("*") > name[set_word];
const auto c_thread_def = (-word("void") >> name[set_thread_name]) > word("(") >
                          -(c_parameter[push_word] > *(word(",") > c_parameter[push_word])) >
                          word(")") > c_block[set_body];
const auto c_threads_def = *c_thread[push_thread];
BOOST_SPIRIT_DEFINE(c_parameter)
BOOST_SPIRIT_DEFINE(c_thread)
BOOST_SPIRIT_DEFINE(c_threads)

}  // namespace grammar

namespace c {

std::vector<Thread> parse_threads(ParserState& state, const Token* first, const Token* last) {
  std::vector<Thread> result;
  static_cast<void>(grammar::parse_all(grammar::c_threads, first, last, state, result));
  return result;
}

}  // namespace c
}  // namespace heddle::lang::litmus
