// The grammar of the language. The first token decides each rule, so nothing is parsed twice. After it, `>`
// demands what must follow; its failure becomes a message (lang/recovery.cpp).
#include "lang/grammar.hpp"

#include "lang/grammar_actions.hpp"

namespace heddle::lang {
namespace grammar {

using syntax::Expression;
using syntax::ExpressionKind;
using syntax::Item;
using syntax::ItemKind;
using syntax::Statement;
using syntax::StatementKind;
using Kind = TokenKind;

const auto name = word(Kind::identifier);
const auto string = word(Kind::string);

// --- Expressions ---

const x3::rule<struct TypeRule, syntax::TypeName> type = "a type";
const x3::rule<struct ExpressionRule, Expression> expression = "an expression";
const x3::rule<struct OperationRule, Expression> operation = "an expression";
const x3::rule<struct ChainRule, Chain> chain = "an expression";
const x3::rule<struct OperandRule, Expression> operand = "an expression";
const x3::rule<struct UnaryRule, Expression> unary = "an expression";
const x3::rule<struct PostfixRule, Expression> postfix = "an expression";
const x3::rule<struct PlaceRule, Expression> place = "a mutex";
const x3::rule<struct CallRule, Expression> call = "the name of a 'proc'";
const x3::rule<struct ConditionPlaceRule, Expression> condition_place = "a condition variable";
const x3::rule<struct PrimaryRule, Expression> primary = "an expression";
const x3::rule<struct FieldValueRule, Expression> field_value = "a field";

// `mutex` and `cond` are types of struct fields and parameters only.
const auto type_def = -qualifier("plain", begins_type)[SetPlain<&syntax::TypeName::plain>{}] >>
                      ((word(Kind::int_, Kind::bool_, "a type")[SetPlain<&syntax::TypeName::name>{}] |
                        word(Kind::mutex, Kind::cond, "a type")[SetPlain<&syntax::TypeName::name>{}] |
                        (name[SetPlain<&syntax::TypeName::name>{}] >
                         -(token(Kind::dot) > name[set_qualified_type]))) >
                       *(token(Kind::left_bracket) > nested[expression[Push<&syntax::TypeName::lengths>{}]] >
                         token(Kind::right_bracket)));

const auto expression_def = operation[replace] >>
                            -(token(Kind::question) > x3::eps[Wrap<ExpressionKind::conditional>{}] >
                              nested[expression[add]] > token(Kind::colon) > nested[expression[add]]);

const auto operation_def = chain[fold_chain];

const auto chain_def = operand[chain_operand] >>
                       *(word(Kind::or_or, Kind::percent, "an operator")[chain_operator] >
                         operand[chain_operand]);

const auto operand_def = unary | postfix;

const auto unary_def = (word(Kind::minus)[BeginExpression<ExpressionKind::unary>{}] |
                        word(Kind::exclamation, Kind::tilde,
                             "an operator")[BeginExpression<ExpressionKind::unary>{}]) > nested[operand[add]];

const auto arguments = nested[-(expression[add] > *(token(Kind::comma) > expression[add]))];

const auto postfix_def = primary[replace] >>
                         *((token(Kind::left_bracket) > x3::eps[Wrap<ExpressionKind::index>{}] >
                            nested[expression[add]] > word(Kind::right_bracket)[close]) |
                           (token(Kind::left_parenthesis) > x3::eps[Wrap<ExpressionKind::call>{}] >
                            arguments > word(Kind::right_parenthesis)[close]) |
                           (token(Kind::dot) > x3::eps[Wrap<ExpressionKind::member>{}] > name[set_member]) |
                           (literal_brace > x3::eps[Wrap<ExpressionKind::structure>{}] >
                            nested[field_value[add] > *(token(Kind::comma) > field_value[add])] >
                            word(Kind::right_brace)[close]));

const auto field_value_def = name[BeginExpression<ExpressionKind::field>{}] >
                             token(Kind::colon) > expression[add];

const auto place_def = postfix;

const auto primary_def =
    word(Kind::integer)[BeginExpression<ExpressionKind::integer>{}] |
    word(Kind::true_, Kind::false_, "a bool")[BeginExpression<ExpressionKind::boolean>{}] |
    name[BeginExpression<ExpressionKind::name>{}] |
    (word(Kind::left_parenthesis)[open_parenthesis] > nested[expression[inside_parentheses]] >
     word(Kind::right_parenthesis)[close]) |
    (word(Kind::cas, Kind::fetch_min, "an atomic operation")[BeginExpression<ExpressionKind::atomic>{}] >
     token(Kind::left_parenthesis) > arguments > word(Kind::right_parenthesis)[close]) |
    (word(Kind::trylock)[BeginExpression<ExpressionKind::try_lock>{}] > nested[place[add]]) |
    (word(Kind::choose)[BeginExpression<ExpressionKind::choose>{}] > token(Kind::left_parenthesis) >
     nested[expression[add]] > -(token(Kind::dot_dot) > nested[expression[add]]) >
     word(Kind::right_parenthesis)[close]) |
    (word(Kind::spawn)[BeginExpression<ExpressionKind::spawn>{}] > nested[call[add]]);

const auto call_def = postfix;
const auto condition_place_def = postfix;

BOOST_SPIRIT_DEFINE(type)
BOOST_SPIRIT_DEFINE(call)
BOOST_SPIRIT_DEFINE(condition_place)
BOOST_SPIRIT_DEFINE(expression)
BOOST_SPIRIT_DEFINE(operation)
BOOST_SPIRIT_DEFINE(chain)
BOOST_SPIRIT_DEFINE(operand)
BOOST_SPIRIT_DEFINE(unary)
BOOST_SPIRIT_DEFINE(postfix)
BOOST_SPIRIT_DEFINE(place)
BOOST_SPIRIT_DEFINE(primary)
BOOST_SPIRIT_DEFINE(field_value)

// --- Statements ---

const x3::rule<struct BlockRule, std::vector<Statement>> block = "'{'";
const x3::rule<struct StatementRule, Statement> statement = "a statement";
const x3::rule<struct SimpleRule, Statement> simple_statement = "a statement";
const x3::rule<struct DeclareRule, Statement> declare = "a statement";
const x3::rule<struct JumpRule, Statement> jump = "a statement";
const x3::rule<struct OrderRule, Statement> order = "a statement";
const x3::rule<struct CheckRule, Statement> check = "a statement";
const x3::rule<struct EvaluateRule, Statement> evaluate = "a statement";
const x3::rule<struct EmptyRule, Statement> empty = "a statement";
const x3::rule<struct BracesRule, Statement> braces = "a statement";
const x3::rule<struct IfRule, Statement> if_statement = "a statement";
const x3::rule<struct OtherwiseRule, std::vector<Statement>> otherwise = "'{' or 'if'";
const x3::rule<struct WhileRule, Statement> while_statement = "a statement";
const x3::rule<struct ForRule, Statement> for_statement = "a statement";
const x3::rule<struct EitherRule, Statement> either_statement = "a statement";
const x3::rule<struct AlternativeRule, Statement> alternative = "'{'";
const x3::rule<struct AtomicRule, Statement> atomic_statement = "a statement";

const auto block_def = token(Kind::left_brace) > nested[*statement] > token(Kind::right_brace);

const auto statement_def = recovering(
    Recovery::statement)[if_statement | while_statement | for_statement | either_statement |
                         atomic_statement | braces | empty | (simple_statement > token(Kind::semicolon)) |
                         stray(Recovery::statement, "a statement")];

const auto simple_statement_def = declare | jump | order | check | evaluate;

const auto awaited = word(Kind::await_)[set_waits] > expression[push_expression];

const auto initial =
    (word(Kind::left_brace)[set_list] > nested[expression[push_expression]] >
     *(token(Kind::comma) > nested[expression[push_expression]]) > token(Kind::right_brace)) |
    x3::expect[expression[push_expression]];

const auto declare_def =
    word(Kind::let, Kind::var, "'let'")[Begin<StatementKind::declare>{}] > name[SetWord<&Statement::name>{}] >
    ((token(Kind::colon) > type[set_type] > -(token(Kind::assign) > (awaited | initial))) |
     (x3::expect[token(Kind::assign)] > (awaited | x3::expect[expression[push_expression]])));

const auto jump_def = word(Kind::break_)[Begin<StatementKind::break_>{}] |
                      word(Kind::continue_)[Begin<StatementKind::continue_>{}] |
                      (word(Kind::return_)[Begin<StatementKind::return_>{}] > -expression[push_expression]);

const auto order_def =
    (word(Kind::fence)[Begin<StatementKind::fence>{}] > -name[SetWord<&Statement::name>{}]) |
    (word(Kind::lock)[Begin<StatementKind::lock>{}] > place[push_expression]) |
    (word(Kind::unlock)[Begin<StatementKind::unlock>{}] > place[push_expression]) |
    (word(Kind::wait)[Begin<StatementKind::wait>{}] > condition_place[push_expression] > token(Kind::comma) >
     place[push_expression]) |
    (word(Kind::signal)[Begin<StatementKind::signal>{}] > condition_place[push_expression]) |
    (word(Kind::broadcast)[Begin<StatementKind::broadcast>{}] > condition_place[push_expression]) |
    (word(Kind::join)[Begin<StatementKind::join>{}] > call[push_expression]);

const auto check_def = (word(Kind::assert_)[Begin<StatementKind::assert_>{}] > expression[push_expression] >
                        -(token(Kind::comma) > string[SetWord<&Statement::text>{}])) |
                       (word(Kind::assume)[Begin<StatementKind::assume>{}] > expression[push_expression]) |
                       (word(Kind::await_)[Begin<StatementKind::await>{}] > expression[push_expression]) |
                       qualifier("progress", is_semicolon)[Begin<StatementKind::progress>{}] |
                       (qualifier("restart", is_if)[Begin<StatementKind::restart>{}] > token(Kind::if_) >
                        expression[push_expression]);

const auto evaluate_def = expression[begin_evaluate] >>
                          -(word(Kind::assign, Kind::shift_right_assign, "'='")[set_assignment] >
                            expression[push_expression]);

const auto empty_def = word(Kind::semicolon)[Begin<StatementKind::empty>{}];

const auto braces_def = block[begin_block];

const auto if_statement_def = word(Kind::if_)[Begin<StatementKind::if_>{}] > expression[push_expression] >
                              block[Set<&Statement::body>{}] >
                              -(token(Kind::else_) > nested[otherwise[Set<&Statement::otherwise>{}]]);

const auto otherwise_def = if_statement[push_statement] | block[replace];

const auto while_statement_def = word(Kind::while_)[Begin<StatementKind::while_>{}] >
                                 expression[push_expression] > block[Set<&Statement::body>{}];

const auto for_statement_def = word(Kind::for_)[Begin<StatementKind::for_>{}] >
                               name[SetWord<&Statement::name>{}] >
                               token(Kind::in) > expression[push_expression] > token(Kind::dot_dot) >
                               expression[push_expression] > block[Set<&Statement::body>{}];

const auto alternative_def = block[begin_block];

const auto either_statement_def =
    (block_word("either")[Begin<StatementKind::either>{}] > alternative[push_alternative] > block_word("or") >
     alternative[push_alternative] > *(block_word("or") > alternative[push_alternative])) |
    (range_word("either")[Begin<StatementKind::either>{}] > name[SetWord<&Statement::name>{}] >
     token(Kind::in) > expression[push_expression] > token(Kind::dot_dot) > expression[push_expression] >
     alternative[push_alternative]);

const auto atomic_statement_def =
    block_word("atomic")[Begin<StatementKind::atomic>{}] > block[Set<&Statement::body>{}];

BOOST_SPIRIT_DEFINE(alternative)
BOOST_SPIRIT_DEFINE(atomic_statement)
BOOST_SPIRIT_DEFINE(either_statement)
BOOST_SPIRIT_DEFINE(block)
BOOST_SPIRIT_DEFINE(statement)
BOOST_SPIRIT_DEFINE(simple_statement)
BOOST_SPIRIT_DEFINE(declare)
BOOST_SPIRIT_DEFINE(jump)
BOOST_SPIRIT_DEFINE(order)
BOOST_SPIRIT_DEFINE(check)
BOOST_SPIRIT_DEFINE(evaluate)
BOOST_SPIRIT_DEFINE(empty)
BOOST_SPIRIT_DEFINE(braces)
BOOST_SPIRIT_DEFINE(if_statement)
BOOST_SPIRIT_DEFINE(otherwise)
BOOST_SPIRIT_DEFINE(while_statement)
BOOST_SPIRIT_DEFINE(for_statement)

// --- Items ---

const x3::rule<struct ItemRule, Item> item = "a declaration";
const x3::rule<struct ImportRule, Item> import = "a declaration";
const x3::rule<struct ConstantRule, Item> constant = "a declaration";
const x3::rule<struct ArgumentRule, Expression> argument = "an argument";
const x3::rule<struct SharedRule, Item> shared = "a declaration";
const x3::rule<struct MutexRule, Item> mutex = "a declaration";
const x3::rule<struct EnumerationRule, Item> enumeration = "a declaration";
const x3::rule<struct FieldRule, syntax::Field> field = "a name";
const x3::rule<struct StructureRule, Item> structure = "a declaration";
const x3::rule<struct ProcRule, Item> proc = "a declaration";
const x3::rule<struct FunctionRule, Item> function = "a declaration";
const x3::rule<struct FunctionParameterRule, syntax::FunctionParameter> function_parameter = "a name";
const x3::rule<struct ThreadRule, Item> thread = "a declaration";
const x3::rule<struct FinalRule, Item> final_block = "a declaration";
const x3::rule<struct PropertyRule, Item> property = "a declaration";
const x3::rule<struct LeadsToRule, Item> leads_to = "a declaration";
const x3::rule<struct ExpectRule, Item> expect = "a declaration";
const x3::rule<struct ExpectLineRule, syntax::ExpectLine> expect_line = "the name of a model";
const x3::rule<struct SettingRule, syntax::Setting> setting = "a name";
const x3::rule<struct FileRule, std::vector<Item>> file = "a program";

const auto module_name =
    word(Kind::identifier, Kind::identifier, "a module like std.spinlock or \"./queue.hed\"");

const auto import_def = word(Kind::import_)[Begin<ItemKind::import_>{}] >
                        (string[PushWord<&Item::path>{}] |
                         (x3::expect[module_name[PushWord<&Item::path>{}]] >
                          *(token(Kind::dot) > name[PushWord<&Item::path>{}]))) >
                        -(token(Kind::left_parenthesis) > argument[push_expression] >
                          *(token(Kind::comma) > argument[push_expression]) >
                          token(Kind::right_parenthesis)) >
                        -(context_word("as") > name[SetWord<&Item::name>{}]) >
                        -(token(Kind::left_brace) > name[PushWord<&Item::words>{}] >
                          *(token(Kind::comma) > name[PushWord<&Item::words>{}]) > token(Kind::right_brace)) >
                        token(Kind::semicolon);

// `int` and `bool` are no expressions, but types that a module can be given.
const auto argument_def = word(Kind::int_, Kind::bool_, "a type")[BeginExpression<ExpressionKind::name>{}] |
                          x3::expect[nested[expression[replace]]];

const auto constant_def =
    (word(Kind::param)[Begin<ItemKind::param>{}] | word(Kind::const_)[Begin<ItemKind::constant>{}]) >
    name[SetWord<&Item::name>{}] >
    ((token(Kind::colon) > context_word("type") > token(Kind::assign) > type[set_type]) |
     (x3::expect[token(Kind::assign)] > expression[push_expression])) > token(Kind::semicolon);

const auto length = token(Kind::left_bracket) > nested[expression[push_length]] > token(Kind::right_bracket);

const auto shared_def = word(Kind::shared)[Begin<ItemKind::shared>{}] > name[SetWord<&Item::name>{}] >
                        token(Kind::colon) > type[set_type] > -(token(Kind::assign) > initial) >
                        token(Kind::semicolon);

const auto mutex_def = (word(Kind::mutex)[Begin<ItemKind::mutex>{}] |
                        word(Kind::cond)[Begin<ItemKind::cond>{}]) > name[SetWord<&Item::name>{}] > *length >
                       token(Kind::semicolon);

const auto enumeration_def = word(Kind::enum_)[Begin<ItemKind::enumeration>{}] >
                             name[SetWord<&Item::name>{}] >
                             token(Kind::left_brace) > name[PushWord<&Item::words>{}] >
                             *(token(Kind::comma) > name[PushWord<&Item::words>{}]) >
                             token(Kind::right_brace);

const auto field_initial =
    (word(Kind::left_brace)[set_list] > expression[Push<&syntax::Field::expressions>{}] >
     *(token(Kind::comma) > expression[Push<&syntax::Field::expressions>{}]) > token(Kind::right_brace)) |
    x3::expect[expression[Push<&syntax::Field::expressions>{}]];

const auto field_def = name[SetPlain<&syntax::Field::name>{}] >
                       token(Kind::colon) > type[Set<&syntax::Field::type>{}] >
                       -(token(Kind::assign) > field_initial) > token(Kind::semicolon);

const auto structure_def = word(Kind::struct_)[Begin<ItemKind::structure>{}] > name[SetWord<&Item::name>{}] >
                           token(Kind::left_brace) > *field[Push<&Item::fields>{}] > token(Kind::right_brace);

const auto function_parameter_def = name[SetPlain<&syntax::FunctionParameter::name>{}] > token(Kind::colon) >
                                    -word(Kind::ref)[SetPlain<&syntax::FunctionParameter::reference>{}] >
                                    type[Set<&syntax::FunctionParameter::type>{}];

const auto parameters = -(function_parameter[Push<&Item::parameters>{}] >
                          *(token(Kind::comma) > function_parameter[Push<&Item::parameters>{}])) >
                        token(Kind::right_parenthesis);

const auto function_def = word(Kind::fn)[Begin<ItemKind::function>{}] > name[SetWord<&Item::name>{}] >
                          token(Kind::left_parenthesis) > parameters >
                          -(token(Kind::arrow) > type[set_type]) > block[Set<&Item::body>{}];

const auto daemon = -qualifier("daemon", begins_thread)[SetPlain<&Item::daemon>{}];

const auto proc_def = daemon >> word(Kind::proc)[Begin<ItemKind::proc>{}] > name[SetWord<&Item::name>{}] >
                      token(Kind::left_parenthesis) > parameters > block[Set<&Item::body>{}];

const auto thread_def = daemon >>
                        word(Kind::thread)[Begin<ItemKind::thread>{}] > name[SetWord<&Item::name>{}] >
                        -(token(Kind::left_bracket) > name[SetPlain<&Item::family>{}] > token(Kind::colon) >
                          nested[expression[push_length]] > token(Kind::dot_dot) >
                          nested[expression[push_length]] >
                          token(Kind::right_bracket)) > block[Set<&Item::body>{}];

const auto final_block_def = word(Kind::final_)[Begin<ItemKind::final_>{}] > block[Set<&Item::body>{}];

const auto property_def = (word(Kind::exists, Kind::forbid, "'exists'")[Begin<ItemKind::property>{}] |
                           qualifier("invariant", is_any)[Begin<ItemKind::property>{}] |
                           qualifier("eventually", is_any)[Begin<ItemKind::property>{}]) >
                          expression[push_expression] > token(Kind::semicolon);

const auto leads_to_def = leads_to_ahead >> x3::expect[expression[begin_leads_to]] >
                          qualifier("leads", is_any)[SetWord<&Item::word>{}] >
                          context_word("to") > expression[push_expression] > token(Kind::semicolon);

const auto setting_def = name[SetPlain<&syntax::Setting::name>{}] >
                         -(token(Kind::dot) > name[set_qualified_setting]) > token(Kind::assign) >
                         -word(Kind::minus)[set_negative] >
                         word(Kind::integer)[SetPlain<&syntax::Setting::value>{}];

const auto model =
    word(Kind::identifier, Kind::identifier, "the name of a model")[PushWord<&syntax::ExpectLine::models>{}];
const auto algorithm = word(Kind::identifier, Kind::identifier,
                            "the name of an algorithm")[PushWord<&syntax::ExpectLine::algorithms>{}];
const auto one_setting = setting[Push<&syntax::ExpectLine::settings>{}];

const auto expect_line_def = model > *(token(Kind::comma) > model) >
                             -(context_word("by") > algorithm > *(token(Kind::comma) > algorithm)) >
                             -(context_word("with") > one_setting > *(token(Kind::comma) > one_setting)) >
                             token(Kind::colon) >
                             word(Kind::identifier, Kind::identifier,
                                  "an outcome like 'safe'")[PushWord<&syntax::ExpectLine::outcome>{}] >
                             *word(Kind::identifier)[PushWord<&syntax::ExpectLine::outcome>{}] >
                             -(string[SetPlain<&syntax::ExpectLine::argument>{}] |
                               word(Kind::integer)[SetPlain<&syntax::ExpectLine::argument>{}]);

const auto expect_def = word(Kind::expect)[Begin<ItemKind::expect>{}] > expect_line[set_expect_line] >
                        token(Kind::semicolon);

const auto item_def = recovering(
    Recovery::item)[import | constant | shared | mutex | enumeration | structure | function | proc | thread |
                    final_block | property | leads_to | expect | stray(Recovery::item, "a declaration")];

const auto file_def = *item;

BOOST_SPIRIT_DEFINE(item)
BOOST_SPIRIT_DEFINE(import)
BOOST_SPIRIT_DEFINE(argument)
BOOST_SPIRIT_DEFINE(constant)
BOOST_SPIRIT_DEFINE(shared)
BOOST_SPIRIT_DEFINE(mutex)
BOOST_SPIRIT_DEFINE(enumeration)
BOOST_SPIRIT_DEFINE(field)
BOOST_SPIRIT_DEFINE(structure)
BOOST_SPIRIT_DEFINE(proc)
BOOST_SPIRIT_DEFINE(function)
BOOST_SPIRIT_DEFINE(function_parameter)
BOOST_SPIRIT_DEFINE(thread)
BOOST_SPIRIT_DEFINE(final_block)
BOOST_SPIRIT_DEFINE(property)
BOOST_SPIRIT_DEFINE(leads_to)
BOOST_SPIRIT_DEFINE(expect)
BOOST_SPIRIT_DEFINE(expect_line)
BOOST_SPIRIT_DEFINE(setting)
BOOST_SPIRIT_DEFINE(file)

}  // namespace grammar

syntax::File parse_syntax(std::span<const Token> tokens, const SourceMap& sources, std::uint32_t file,
                          Diagnostics& diagnostics) {
  syntax::File result;
  ParserState state{diagnostics, sources, file, tokens.data(), &tokens.back()};
  Position first = state.first;
  try {
    grammar::x3::parse(first, state.last, grammar::x3::with<grammar::StateTag>(state)[grammar::file],
                       result.items);
  } catch (const GiveUp&) {
    result.items.clear();
  }
  return result;
}

syntax::Expression parse_expression_syntax(std::span<const Token> tokens, const SourceMap& sources,
                                           std::uint32_t file, Diagnostics& diagnostics) {
  syntax::Expression result;
  ParserState state{diagnostics, sources, file, tokens.data(), &tokens.back()};
  Position first = state.first;
  try {
    grammar::x3::parse(
        first, state.last,
        grammar::x3::with<grammar::StateTag>(
            state)[grammar::recovering(Recovery::item)[grammar::x3::expect[grammar::expression]]],
        result);
    if (first != state.last && !diagnostics.any())
      diagnostics.error(state.range(*first), "expected the end of the expression");
  } catch (const GiveUp&) {
    result = {};
  }
  return result;
}

}  // namespace heddle::lang
