// The C++ builder writes program text and remembers which call wrote which line. So there is one front end to
// check names and types, and compile() maps its messages back to the calls.
#include "heddle/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "checker/api/builder_text.hpp"
#include "heddle/source.h"

namespace heddle {

namespace {

bool is_name(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !letter(name.front())) return false;
  const bool good =
      std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
  const auto& words = keywords();
  return good && std::find(words.begin(), words.end(), name) == words.end();
}

Diagnostic at_call(std::string_view call, std::string message, std::string hint, std::string file,
                   std::uint32_t line, std::uint32_t column) {
  Diagnostic result;
  result.message = fmt::format("{}(): {}", call, message);
  result.text = fmt::format("{}:{}: error: {}\n", file, line, result.message);
  if (!hint.empty()) result.text += fmt::format("  hint: {}\n", hint);
  result.file = std::move(file);
  result.line = line;
  result.column = column;
  result.hint = std::move(hint);
  return result;
}

}  // namespace

namespace detail {

Expression binary(const Expression& left, std::string_view op, const Expression& right) {
  return Expression(fmt::format("({} {} {})", left.text_, op, right.text_));
}
Expression unary(std::string_view op, const Expression& operand) {
  return Expression(fmt::format("({}{})", op, operand.text_));
}

void ProgramText::line(std::string_view call, std::string text, const CallPlace& place) {
  // A line end would shift all later lines to the wrong calls. Only text that is refused anyway contains one.
  std::replace(text.begin(), text.end(), '\n', ' ');
  text_ += text + '\n';
  calls_.push_back({std::string(call), place.file_name(), place.line(), place.column()});
}

void ProgramText::error(std::string_view call, std::string message, const CallPlace& place) {
  errors_.push_back(at_call(call, std::move(message), {}, place.file_name(), place.line(), place.column()));
}

void ProgramText::check_name(std::string_view call, const std::string& name, const CallPlace& place) {
  if (!is_name(name)) error(call, fmt::format("'{}' is not a name", name), place);
}

void ProgramText::give(std::string_view call, const std::string& name, const CallPlace& place) {
  check_name(call, name, place);
  if (automatic_.contains(name)) error(call, taken(name), place);
  given_.insert(name);
}

void ProgramText::body(std::string_view call, const std::string& head, const ThreadBuilder::Block& block,
                       const CallPlace& place) {
  line(call, head + " {", place);
  BodyText text(*this);
  ThreadBuilder builder(text);
  block(builder);
  line(call, "}", place);
}

void ProgramText::callable(std::string_view call, std::string_view keyword, const std::string& name,
                           const std::vector<Parameter>& parameters, const std::string& result,
                           const ProgramBuilder::CallBlock& block, const CallPlace& place) {
  give(call, name, place);
  std::string list;
  std::vector<Location> arguments;
  for (const Parameter& parameter : parameters) {
    check_name(call, parameter.name, place);
    given_.insert(parameter.name);
    list += fmt::format("{}{}: {}{}", list.empty() ? "" : ", ", parameter.name,
                        parameter.by_reference ? "ref " : "", parameter.type.text());
    arguments.push_back(Location(parameter.name));
  }
  body(
      call, fmt::format("{} {}({}){}", keyword, name, list, result),
      [&](ThreadBuilder& t) { block(t, arguments); }, place);
}

Result<Program> ProgramText::compile(const CompileOptions& options) const {
  if (!errors_.empty()) return errors_;
  if (name_.ends_with(".litmus")) {
    return Errors{at_call("ProgramBuilder", "the name of a program cannot end in '.litmus'", {},
                          made_at_.file_name(), made_at_.line(), made_at_.column())};
  }
  auto program = Program::from_source(text_, name_, options);
  if (program) return program;
  Errors errors;
  for (const Diagnostic& error : program.error()) {
    // Errors in imported files keep their places.
    if (error.file != name_ || error.line == 0 || error.line > calls_.size()) {
      errors.push_back(error);
      continue;
    }
    const Call& call = calls_[error.line - 1];
    errors.push_back(at_call(call.name, error.message, error.hint, call.file, call.line, call.column));
  }
  return errors;
}

}  // namespace detail

Expression select(const Expression& condition, const Expression& yes, const Expression& no) {
  return Expression(fmt::format("({} ? {} : {})", condition.text_, yes.text_, no.text_));
}

ProgramBuilder::ProgramBuilder(std::string name, CallPlace place)
    : text_(std::make_unique<detail::ProgramText>(std::move(name), place)) {}
ProgramBuilder::~ProgramBuilder() = default;
ProgramBuilder::ProgramBuilder(ProgramBuilder&& other) noexcept = default;
ProgramBuilder& ProgramBuilder::operator=(ProgramBuilder&& other) noexcept = default;
const std::string& ProgramBuilder::text() const { return text_->text(); }

Location ProgramBuilder::shared(std::string name, std::int64_t initial, CallPlace place) {
  text_->give("shared", name, place);
  text_->line("shared", fmt::format("shared {}: int = {};", name, Expression(initial).text_), place);
  return Location(std::move(name));
}
Location ProgramBuilder::shared_bool(std::string name, bool initial, CallPlace place) {
  text_->give("shared_bool", name, place);
  text_->line("shared_bool", fmt::format("shared {}: bool = {};", name, initial), place);
  return Location(std::move(name));
}
Location ProgramBuilder::shared_array(std::string name, std::uint32_t length, std::int64_t initial,
                                      CallPlace place) {
  text_->give("shared_array", name, place);
  text_->line("shared_array",
              fmt::format("shared {}: int[{}] = {};", name, length, Expression(initial).text_), place);
  return Location(std::move(name));
}
Location ProgramBuilder::shared(std::string name, const Type& type, const std::vector<Expression>& initial,
                                CallPlace place) {
  text_->give("shared", name, place);
  text_->line("shared", fmt::format("shared {}: {}{};", name, type.text(), detail::initializer(initial)),
              place);
  return Location(std::move(name));
}
MutexHandle ProgramBuilder::mutex(std::string name, CallPlace place) {
  text_->give("mutex", name, place);
  text_->line("mutex", fmt::format("mutex {};", name), place);
  return MutexHandle(std::move(name));
}
MutexHandle ProgramBuilder::mutex_array(std::string name, const Expression& length, CallPlace place) {
  text_->give("mutex_array", name, place);
  text_->line("mutex_array", fmt::format("mutex {}[{}];", name, length.text()), place);
  return MutexHandle(std::move(name));
}
ConditionHandle ProgramBuilder::condition(std::string name, CallPlace place) {
  text_->give("condition", name, place);
  text_->line("condition", fmt::format("cond {};", name), place);
  return ConditionHandle(std::move(name));
}
ConditionHandle ProgramBuilder::condition_array(std::string name, const Expression& length, CallPlace place) {
  text_->give("condition_array", name, place);
  text_->line("condition_array", fmt::format("cond {}[{}];", name, length.text()), place);
  return ConditionHandle(std::move(name));
}
EnumHandle ProgramBuilder::enumeration(std::string name, const std::vector<std::string>& values,
                                       CallPlace place) {
  text_->give("enumeration", name, place);
  std::string list;
  for (const std::string& value : values) {
    text_->check_name("enumeration", value, place);
    list += (list.empty() ? "" : ", ") + value;
  }
  text_->line("enumeration", fmt::format("enum {} {{ {} }}", name, list), place);
  return EnumHandle(std::move(name));
}
Type ProgramBuilder::structure(std::string name, const std::vector<Field>& fields, CallPlace place) {
  text_->give("structure", name, place);
  std::string list;
  for (const Field& field : fields) {
    text_->check_name("structure", field.name, place);
    list += fmt::format("{}: {}{}; ", field.name, field.type.text(), detail::initializer(field.initial));
  }
  text_->line("structure", fmt::format("struct {} {{ {}}}", name, list), place);
  return Type(std::move(name));
}
Expression ProgramBuilder::param(std::string name, std::int64_t value, CallPlace place) {
  text_->give("param", name, place);
  text_->line("param", fmt::format("param {} = {};", name, Expression(value).text_), place);
  return Expression(std::move(name));
}

Expression ProgramBuilder::constant(std::string name, const Expression& value, CallPlace place) {
  text_->give("constant", name, place);
  text_->line("constant", fmt::format("const {} = {};", name, value.text()), place);
  return Expression(std::move(name));
}
ModuleHandle ProgramBuilder::import(std::string_view module, std::string name, CallPlace place) {
  const bool standard = module.starts_with("std.");
  const std::string own(standard ? module.substr(4) : std::filesystem::path(module).stem().native());
  if (standard || name.empty()) text_->give("import", own, place);
  if (!name.empty()) text_->give("import", name, place);
  const std::string what = standard ? std::string(module) : detail::quoted(module);
  text_->line("import", fmt::format("import {}{};", what, name.empty() ? "" : " as " + name), place);
  return ModuleHandle(name.empty() ? own : std::move(name));
}

ThreadHandle ProgramBuilder::thread(std::string name, const Block& block, CallPlace place) {
  text_->give("thread", name, place);
  text_->body("thread", "thread " + name, block, place);
  return ThreadHandle(std::move(name));
}

std::vector<ThreadHandle> ProgramBuilder::threads(std::string name, std::int64_t low, std::int64_t high,
                                                  const FamilyBlock& block, CallPlace place) {
  text_->give("threads", name, place);
  const auto head = fmt::format("thread {}[me: {}..{}]", name, Expression(low).text_, Expression(high).text_);
  text_->body(
      "threads", head, [&](ThreadBuilder& t) { block(t, Expression(std::string("me"))); }, place);
  std::vector<ThreadHandle> handles;
  // compile() refuses more threads than a program can have.
  constexpr std::int64_t most = 1000;
  for (auto i = low; i < high && i - low < most; ++i)
    handles.push_back(ThreadHandle(fmt::format("{}[{}]", name, i)));
  return handles;
}

FunctionHandle ProgramBuilder::function(std::string name, const std::vector<Parameter>& parameters,
                                        const CallBlock& block, CallPlace place) {
  text_->callable("function", "fn", name, parameters, {}, block, place);
  return FunctionHandle(std::move(name));
}
FunctionHandle ProgramBuilder::function(std::string name, const std::vector<Parameter>& parameters,
                                        const Type& result, const CallBlock& block, CallPlace place) {
  text_->callable("function", "fn", name, parameters, " -> " + result.text(), block, place);
  return FunctionHandle(std::move(name));
}
ProcHandle ProgramBuilder::proc(std::string name, const std::vector<Parameter>& parameters,
                                const CallBlock& block, CallPlace place) {
  text_->callable("proc", "proc", name, parameters, {}, block, place);
  return ProcHandle(std::move(name));
}

void ProgramBuilder::finally(const Block& block, CallPlace place) {
  text_->body("finally", "final", block, place);
}

void ProgramBuilder::exists(const Expression& condition, CallPlace place) {
  text_->line("exists", fmt::format("exists {};", condition.text_), place);
}
void ProgramBuilder::forall(const Expression& condition, CallPlace place) {
  text_->line("forall", fmt::format("forall {};", condition.text_), place);
}
void ProgramBuilder::forbid(const Expression& condition, CallPlace place) {
  text_->line("forbid", fmt::format("forbid {};", condition.text_), place);
}

void ProgramBuilder::expect(std::string_view models, std::string_view outcome, std::string_view settings,
                            CallPlace place) {
  text_->line("expect",
              fmt::format("expect {}{}{}: {};", models, settings.empty() ? "" : " with ", settings, outcome),
              place);
}

Result<Program> ProgramBuilder::compile(const CompileOptions& options) const {
  return text_->compile(options);
}

}  // namespace heddle
