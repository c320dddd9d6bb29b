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

namespace detail {

void BodyText::statement(std::string_view call, const std::string& text, const CallPlace& place) {
  program_.line(call, std::string(std::size_t{2} * depth_, ' ') + text, place);
}

std::string BodyText::name_for(std::string_view call, std::string name, const CallPlace& place) {
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

void BodyText::give(std::string_view call, const std::string& name, const CallPlace& place) {
  program_.check_name(call, name, place);
  if (automatic_.contains(name)) error(call, taken(name), place);
  given_.insert(name);
}

std::string BodyText::define(std::string_view call, std::string name, const std::string& value,
                             const CallPlace& place, std::string_view keyword) {
  name = name_for(call, std::move(name), place);
  statement(call, fmt::format("{} {} = {};", keyword, name, value), place);
  return name;
}

void BodyText::inside(const std::function<void()>& write) {
  ++depth_;
  write();
  --depth_;
}

}  // namespace detail

void ThreadBuilder::store(const Location& to, const Expression& value, CallPlace place) {
  body_.statement("store", fmt::format("{} = {};", to.text_, value.text_), place);
}
Expression ThreadBuilder::load(const Location& from, std::string name, CallPlace place) {
  return Expression(body_.define("load", std::move(name), from.text_, place));
}
Expression ThreadBuilder::cas(const Location& at, const Expression& expected, const Expression& desired,
                              std::string name, CallPlace place) {
  return Expression(body_.define("cas", std::move(name),
                                 fmt::format("cas({}, {}, {})", at.text_, expected.text_, desired.text_),
                                 place));
}
Expression ThreadBuilder::exchange(const Location& at, const Expression& value, std::string name,
                                   CallPlace place) {
  return Expression(body_.define("exchange", std::move(name),
                                 fmt::format("exchange({}, {})", at.text_, value.text_), place));
}
Expression ThreadBuilder::fetch_add(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return Expression(body_.define("fetch_add", std::move(name),
                                 fmt::format("fetch_add({}, {})", at.text_, value.text_), place));
}
Expression ThreadBuilder::fetch_sub(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return Expression(body_.define("fetch_sub", std::move(name),
                                 fmt::format("fetch_sub({}, {})", at.text_, value.text_), place));
}
Expression ThreadBuilder::fetch_and(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return Expression(body_.define("fetch_and", std::move(name),
                                 fmt::format("fetch_and({}, {})", at.text_, value.text_), place));
}
Expression ThreadBuilder::fetch_or(const Location& at, const Expression& value, std::string name,
                                   CallPlace place) {
  return Expression(body_.define("fetch_or", std::move(name),
                                 fmt::format("fetch_or({}, {})", at.text_, value.text_), place));
}
Expression ThreadBuilder::fetch_xor(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return Expression(body_.define("fetch_xor", std::move(name),
                                 fmt::format("fetch_xor({}, {})", at.text_, value.text_), place));
}
Expression ThreadBuilder::fetch_max(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return Expression(body_.define("fetch_max", std::move(name),
                                 fmt::format("fetch_max({}, {})", at.text_, value.text_), place));
}
Expression ThreadBuilder::fetch_min(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return Expression(body_.define("fetch_min", std::move(name),
                                 fmt::format("fetch_min({}, {})", at.text_, value.text_), place));
}
void ThreadBuilder::fence(FenceType type, CallPlace place) {
  static constexpr const char* kinds[] = {"fence;", "fence lw;", "fence st;", "fence isync;"};
  body_.statement("fence", kinds[static_cast<std::size_t>(type)], place);
}
void ThreadBuilder::update(const Location& at, std::string_view op, const Expression& value,
                           CallPlace place) {
  static constexpr std::string_view operators[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
  if (std::find(std::begin(operators), std::end(operators), op) == std::end(operators)) {
    body_.error("update", fmt::format("'{}' is not an operator for this", op), place);
  }
  body_.statement("update", fmt::format("{} {}= {};", at.text_, op, value.text_), place);
}
void ThreadBuilder::lock(const MutexHandle& mutex, CallPlace place) {
  body_.statement("lock", fmt::format("lock {};", mutex.name_), place);
}
void ThreadBuilder::unlock(const MutexHandle& mutex, CallPlace place) {
  body_.statement("unlock", fmt::format("unlock {};", mutex.name_), place);
}
Expression ThreadBuilder::try_lock(const MutexHandle& mutex, std::string name, CallPlace place) {
  return Expression(body_.define("try_lock", std::move(name), "trylock " + mutex.name_, place));
}
void ThreadBuilder::wait(const ConditionHandle& condition, const MutexHandle& mutex, CallPlace place) {
  body_.statement("wait", fmt::format("wait {}, {};", condition.name_, mutex.name_), place);
}
void ThreadBuilder::signal(const ConditionHandle& condition, CallPlace place) {
  body_.statement("signal", fmt::format("signal {};", condition.name_), place);
}
void ThreadBuilder::broadcast(const ConditionHandle& condition, CallPlace place) {
  body_.statement("broadcast", fmt::format("broadcast {};", condition.name_), place);
}
Expression ThreadBuilder::choose(const EnumHandle& type, std::string name, CallPlace place) {
  return Expression(body_.define("choose", std::move(name), fmt::format("choose({})", type.text()), place));
}
Expression ThreadBuilder::choose(const Expression& low, const Expression& high, std::string name,
                                 CallPlace place) {
  return Expression(
      body_.define("choose", std::move(name), fmt::format("choose({}..{})", low.text_, high.text_), place));
}
Expression ThreadBuilder::let(std::string name, const Expression& value, CallPlace place) {
  return Expression(body_.define("let", std::move(name), value.text_, place));
}
LocalVariable ThreadBuilder::var(std::string name, const Expression& value, CallPlace place) {
  return LocalVariable(body_.define("var", std::move(name), value.text_, place, "var"));
}
LocalVariable ThreadBuilder::var(std::string name, const Type& type, const std::vector<Expression>& initial,
                                 CallPlace place) {
  name = body_.name_for("var", std::move(name), place);
  body_.statement("var", fmt::format("var {}: {}{};", name, type.text(), detail::initializer(initial)),
                  place);
  return LocalVariable(std::move(name));
}
void ThreadBuilder::assign(const LocalVariable& variable, const Expression& value, CallPlace place) {
  body_.statement("assign", fmt::format("{} = {};", variable.text_, value.text_), place);
}
void ThreadBuilder::check(const Expression& condition, std::string_view text, CallPlace place) {
  body_.statement("check",
                  text.empty() ? fmt::format("assert {};", condition.text_)
                               : fmt::format("assert {}, {};", condition.text_, detail::quoted(text)),
                  place);
}
void ThreadBuilder::assume(const Expression& condition, CallPlace place) {
  body_.statement("assume", fmt::format("assume {};", condition.text_), place);
}
void ThreadBuilder::await(const Expression& condition, CallPlace place) {
  body_.statement("await", fmt::format("await {};", condition.text_), place);
}
void ThreadBuilder::if_(const Expression& condition, const Block& then, CallPlace place) {
  body_.statement("if_", fmt::format("if ({}) {{", condition.text_), place);
  body_.inside([&] { then(*this); });
  body_.statement("if_", "}", place);
}
void ThreadBuilder::if_else(const Expression& condition, const Block& then, const Block& otherwise,
                            CallPlace place) {
  body_.statement("if_else", fmt::format("if ({}) {{", condition.text_), place);
  body_.inside([&] { then(*this); });
  body_.statement("if_else", "} else {", place);
  body_.inside([&] { otherwise(*this); });
  body_.statement("if_else", "}", place);
}
void ThreadBuilder::while_(const Expression& condition, const Block& body, CallPlace place) {
  body_.statement("while_", fmt::format("while ({}) {{", condition.text_), place);
  body_.inside([&] { body(*this); });
  body_.statement("while_", "}", place);
}
void ThreadBuilder::for_(std::string name, const Expression& low, const Expression& high,
                         const std::function<void(ThreadBuilder&, Expression)>& body, CallPlace place) {
  body_.give("for_", name, place);
  body_.statement("for_", fmt::format("for {} in {}..{} {{", name, low.text_, high.text_), place);
  body_.inside([&] { body(*this, Expression(name)); });
  body_.statement("for_", "}", place);
}
void ThreadBuilder::break_(CallPlace place) { body_.statement("break_", "break;", place); }
void ThreadBuilder::continue_(CallPlace place) { body_.statement("continue_", "continue;", place); }
void ThreadBuilder::return_(CallPlace place) { body_.statement("return_", "return;", place); }
void ThreadBuilder::return_(const Expression& value, CallPlace place) {
  body_.statement("return_", fmt::format("return {};", value.text_), place);
}

void ThreadBuilder::call(const FunctionHandle& function, const std::vector<Expression>& arguments,
                         CallPlace place) {
  body_.statement("call", call_text(function.name_, arguments) + ";", place);
}
Expression ThreadBuilder::call_value(const FunctionHandle& function, const std::vector<Expression>& arguments,
                                     std::string name, CallPlace place) {
  return Expression(body_.define("call_value", std::move(name), call_text(function.name_, arguments), place));
}
SpawnHandle ThreadBuilder::spawn(const ProcHandle& proc, const std::vector<Expression>& arguments,
                                 std::string name, CallPlace place) {
  return SpawnHandle(
      body_.define("spawn", std::move(name), "spawn " + call_text(proc.name_, arguments), place));
}
void ThreadBuilder::join(const SpawnHandle& thread, CallPlace place) {
  body_.statement("join", fmt::format("join {};", thread.name_), place);
}
void ThreadBuilder::join(const ProcHandle& proc, CallPlace place) {
  body_.statement("join", fmt::format("join {};", proc.name_), place);
}

}  // namespace heddle
