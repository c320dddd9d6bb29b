// The statements of the C++ builder (include/heddle/builder.h): each call writes one line of the program's
// text.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "checker/api/builder_text.hpp"
#include "heddle/builder.h"

namespace heddle {

namespace {

std::string call_text(const std::string& name, const std::vector<Expression>& arguments) {
  std::string result = name + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) result += (i == 0 ? "" : ", ") + arguments[i].text();
  return result + ")";
}

}  // namespace

void ThreadBuilder::statement(std::string_view call, const std::string& text, const CallPlace& place) {
  program_.line(call, std::string(std::size_t{2} * depth_, ' ') + text, place);
}

std::string ThreadBuilder::name_for(std::string_view call, std::string name, const CallPlace& place) {
  if (!name.empty()) {
    give(call, name, place);
    return name;
  }
  do {
    name = fmt::format("r{}", ++names_);
  } while (given_.contains(name) || program_.given_.contains(name));
  automatic_.insert(name);
  program_.automatic_.insert(name);
  return name;
}

void ThreadBuilder::give(std::string_view call, const std::string& name, const CallPlace& place) {
  program_.check_name(call, name, place);
  if (automatic_.contains(name)) program_.error(call, taken(name), place);
  given_.insert(name);
}

Expression ThreadBuilder::define(std::string_view call, std::string name, std::string_view keyword,
                                 const std::string& value, const CallPlace& place) {
  name = name_for(call, std::move(name), place);
  statement(call, fmt::format("{} {} = {};", keyword, name, value), place);
  return Expression(std::move(name));
}

void ThreadBuilder::block(const Block& body) {
  ++depth_;
  body(*this);
  --depth_;
}

void ThreadBuilder::store(const Location& to, const Expression& value, CallPlace place) {
  statement("store", fmt::format("{} = {};", to.text_, value.text_), place);
}
Expression ThreadBuilder::load(const Location& from, std::string name, CallPlace place) {
  return define("load", std::move(name), "let", from.text_, place);
}
Expression ThreadBuilder::cas(const Location& at, const Expression& expected, const Expression& desired,
                              std::string name, CallPlace place) {
  return define("cas", std::move(name), "let",
                fmt::format("cas({}, {}, {})", at.text_, expected.text_, desired.text_), place);
}
Expression ThreadBuilder::modify(const char* function, const Location& at, const Expression& value,
                                 std::string name, const CallPlace& place) {
  return define(function, std::move(name), "let", fmt::format("{}({}, {})", function, at.text_, value.text_),
                place);
}
Expression ThreadBuilder::exchange(const Location& at, const Expression& value, std::string name,
                                   CallPlace place) {
  return modify("exchange", at, value, std::move(name), place);
}
Expression ThreadBuilder::fetch_add(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return modify("fetch_add", at, value, std::move(name), place);
}
Expression ThreadBuilder::fetch_sub(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return modify("fetch_sub", at, value, std::move(name), place);
}
Expression ThreadBuilder::fetch_and(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return modify("fetch_and", at, value, std::move(name), place);
}
Expression ThreadBuilder::fetch_or(const Location& at, const Expression& value, std::string name,
                                   CallPlace place) {
  return modify("fetch_or", at, value, std::move(name), place);
}
Expression ThreadBuilder::fetch_xor(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return modify("fetch_xor", at, value, std::move(name), place);
}
Expression ThreadBuilder::fetch_max(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return modify("fetch_max", at, value, std::move(name), place);
}
Expression ThreadBuilder::fetch_min(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return modify("fetch_min", at, value, std::move(name), place);
}
void ThreadBuilder::fence(FenceType type, CallPlace place) {
  static constexpr const char* kinds[] = {"fence;", "fence lw;", "fence st;", "fence isync;"};
  statement("fence", kinds[static_cast<std::size_t>(type)], place);
}
void ThreadBuilder::update(const Location& at, std::string_view op, const Expression& value,
                           CallPlace place) {
  static constexpr std::string_view operators[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
  if (std::find(std::begin(operators), std::end(operators), op) == std::end(operators)) {
    program_.error("update", fmt::format("'{}' is not an operator for this", op), place);
  }
  statement("update", fmt::format("{} {}= {};", at.text_, op, value.text_), place);
}
void ThreadBuilder::lock(const MutexHandle& mutex, CallPlace place) {
  statement("lock", fmt::format("lock {};", mutex.name_), place);
}
void ThreadBuilder::unlock(const MutexHandle& mutex, CallPlace place) {
  statement("unlock", fmt::format("unlock {};", mutex.name_), place);
}
Expression ThreadBuilder::try_lock(const MutexHandle& mutex, std::string name, CallPlace place) {
  return define("try_lock", std::move(name), "let", "trylock " + mutex.name_, place);
}
void ThreadBuilder::wait(const ConditionHandle& condition, const MutexHandle& mutex, CallPlace place) {
  statement("wait", fmt::format("wait {}, {};", condition.name_, mutex.name_), place);
}
void ThreadBuilder::signal(const ConditionHandle& condition, CallPlace place) {
  statement("signal", fmt::format("signal {};", condition.name_), place);
}
void ThreadBuilder::broadcast(const ConditionHandle& condition, CallPlace place) {
  statement("broadcast", fmt::format("broadcast {};", condition.name_), place);
}
Expression ThreadBuilder::choose(const EnumHandle& type, std::string name, CallPlace place) {
  return define("choose", std::move(name), "let", fmt::format("choose({})", type.text()), place);
}
Expression ThreadBuilder::choose(const Expression& low, const Expression& high, std::string name,
                                 CallPlace place) {
  return define("choose", std::move(name), "let", fmt::format("choose({}..{})", low.text_, high.text_),
                place);
}
Expression ThreadBuilder::let(std::string name, const Expression& value, CallPlace place) {
  return define("let", std::move(name), "let", value.text_, place);
}
LocalVariable ThreadBuilder::var(std::string name, const Expression& value, CallPlace place) {
  return LocalVariable(define("var", std::move(name), "var", value.text_, place).text_);
}
LocalVariable ThreadBuilder::var(std::string name, const Type& type, const std::vector<Expression>& initial,
                                 CallPlace place) {
  name = name_for("var", std::move(name), place);
  statement("var", fmt::format("var {}: {}{};", name, type.text(), initializer(initial)), place);
  return LocalVariable(std::move(name));
}
void ThreadBuilder::assign(const LocalVariable& variable, const Expression& value, CallPlace place) {
  statement("assign", fmt::format("{} = {};", variable.text_, value.text_), place);
}
void ThreadBuilder::check(const Expression& condition, std::string_view text, CallPlace place) {
  statement("check",
            text.empty() ? fmt::format("assert {};", condition.text_)
                         : fmt::format("assert {}, {};", condition.text_, quoted(text)),
            place);
}
void ThreadBuilder::assume(const Expression& condition, CallPlace place) {
  statement("assume", fmt::format("assume {};", condition.text_), place);
}
void ThreadBuilder::await(const Expression& condition, CallPlace place) {
  statement("await", fmt::format("await {};", condition.text_), place);
}
void ThreadBuilder::if_(const Expression& condition, const Block& then, CallPlace place) {
  statement("if_", fmt::format("if ({}) {{", condition.text_), place);
  block(then);
  statement("if_", "}", place);
}
void ThreadBuilder::if_else(const Expression& condition, const Block& then, const Block& otherwise,
                            CallPlace place) {
  statement("if_else", fmt::format("if ({}) {{", condition.text_), place);
  block(then);
  statement("if_else", "} else {", place);
  block(otherwise);
  statement("if_else", "}", place);
}
void ThreadBuilder::while_(const Expression& condition, const Block& body, CallPlace place) {
  statement("while_", fmt::format("while ({}) {{", condition.text_), place);
  block(body);
  statement("while_", "}", place);
}
void ThreadBuilder::for_(std::string name, const Expression& low, const Expression& high,
                         const std::function<void(ThreadBuilder&, Expression)>& body, CallPlace place) {
  give("for_", name, place);
  statement("for_", fmt::format("for {} in {}..{} {{", name, low.text_, high.text_), place);
  block([&](ThreadBuilder& t) { body(t, Expression(name)); });
  statement("for_", "}", place);
}
void ThreadBuilder::break_(CallPlace place) { statement("break_", "break;", place); }
void ThreadBuilder::continue_(CallPlace place) { statement("continue_", "continue;", place); }
void ThreadBuilder::return_(CallPlace place) { statement("return_", "return;", place); }
void ThreadBuilder::return_(const Expression& value, CallPlace place) {
  statement("return_", fmt::format("return {};", value.text_), place);
}

void ThreadBuilder::call(const FunctionHandle& function, const std::vector<Expression>& arguments,
                         CallPlace place) {
  statement("call", call_text(function.name_, arguments) + ";", place);
}
Expression ThreadBuilder::call_value(const FunctionHandle& function, const std::vector<Expression>& arguments,
                                     std::string name, CallPlace place) {
  return define("call_value", std::move(name), "let", call_text(function.name_, arguments), place);
}
SpawnHandle ThreadBuilder::spawn(const ProcHandle& proc, const std::vector<Expression>& arguments,
                                 std::string name, CallPlace place) {
  return SpawnHandle(
      define("spawn", std::move(name), "let", "spawn " + call_text(proc.name_, arguments), place).text_);
}
void ThreadBuilder::join(const SpawnHandle& thread, CallPlace place) {
  statement("join", fmt::format("join {};", thread.name_), place);
}
void ThreadBuilder::join(const ProcHandle& proc, CallPlace place) {
  statement("join", fmt::format("join {};", proc.name_), place);
}

}  // namespace heddle
