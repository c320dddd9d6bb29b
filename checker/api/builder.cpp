// The C++ builder writes the program down in the language and remembers which call wrote which line. So the
// one front end judges names and types, and its messages are carried back to the calls.
#include "heddle/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heddle/source.h"

namespace heddle {

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

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

Expression binary(const Expression& left, std::string_view op, const Expression& right) {
  return Expression(fmt::format("({} {} {})", left.text_, op, right.text_));
}
Expression unary(std::string_view op, const Expression& operand) {
  return Expression(fmt::format("({}{})", op, operand.text_));
}
Expression select(const Expression& condition, const Expression& yes, const Expression& no) {
  return Expression(fmt::format("({} ? {} : {})", condition.text_, yes.text_, no.text_));
}

// --- Statements

void ThreadBuilder::statement(std::string_view call, const std::string& text, const CallPlace& place) {
  program_.line(call, std::string(std::size_t{2} * depth_, ' ') + text, place);
}

Expression ThreadBuilder::define(std::string_view call, std::string name, std::string_view keyword,
                                 const std::string& value, const CallPlace& place) {
  if (name.empty()) {
    name = fmt::format("r{}", ++names_);
  } else {
    program_.check_name(call, name, place);
  }
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
Expression ThreadBuilder::exchange(const Location& at, const Expression& value, std::string name,
                                   CallPlace place) {
  return define("exchange", std::move(name), "let", fmt::format("exchange({}, {})", at.text_, value.text_),
                place);
}
Expression ThreadBuilder::fetch_add(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return define("fetch_add", std::move(name), "let", fmt::format("fetch_add({}, {})", at.text_, value.text_),
                place);
}
Expression ThreadBuilder::fetch_sub(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return define("fetch_sub", std::move(name), "let", fmt::format("fetch_sub({}, {})", at.text_, value.text_),
                place);
}
Expression ThreadBuilder::fetch_and(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return define("fetch_and", std::move(name), "let", fmt::format("fetch_and({}, {})", at.text_, value.text_),
                place);
}
Expression ThreadBuilder::fetch_or(const Location& at, const Expression& value, std::string name,
                                   CallPlace place) {
  return define("fetch_or", std::move(name), "let", fmt::format("fetch_or({}, {})", at.text_, value.text_),
                place);
}
Expression ThreadBuilder::fetch_xor(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return define("fetch_xor", std::move(name), "let", fmt::format("fetch_xor({}, {})", at.text_, value.text_),
                place);
}
Expression ThreadBuilder::fetch_max(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return define("fetch_max", std::move(name), "let", fmt::format("fetch_max({}, {})", at.text_, value.text_),
                place);
}
Expression ThreadBuilder::fetch_min(const Location& at, const Expression& value, std::string name,
                                    CallPlace place) {
  return define("fetch_min", std::move(name), "let", fmt::format("fetch_min({}, {})", at.text_, value.text_),
                place);
}
void ThreadBuilder::fence(FenceType type, CallPlace place) {
  static constexpr const char* kinds[] = {"fence;", "fence lw;", "fence st;", "fence isync;"};
  statement("fence", kinds[static_cast<std::size_t>(type)], place);
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
  program_.check_name("for_", name, place);
  statement("for_", fmt::format("for {} in {}..{} {{", name, low.text_, high.text_), place);
  block([&](ThreadBuilder& t) { body(t, Expression(name)); });
  statement("for_", "}", place);
}
void ThreadBuilder::break_(CallPlace place) { statement("break_", "break;", place); }
void ThreadBuilder::continue_(CallPlace place) { statement("continue_", "continue;", place); }
void ThreadBuilder::return_(CallPlace place) { statement("return_", "return;", place); }

// --- Declarations

ProgramBuilder::ProgramBuilder(std::string name) : name_(std::move(name)) {}

void ProgramBuilder::line(std::string_view call, std::string text, const CallPlace& place) {
  // A line end would put the lines behind it under the wrong calls; nothing but names can bring one in, which
  // are refused.
  std::replace(text.begin(), text.end(), '\n', ' ');
  text_ += text + '\n';
  calls_.push_back({std::string(call), place.file_name(), place.line(), place.column()});
}

void ProgramBuilder::error(std::string_view call, std::string message, const CallPlace& place) {
  errors_.push_back(at_call(call, std::move(message), {}, place.file_name(), place.line(), place.column()));
}

void ProgramBuilder::check_name(std::string_view call, const std::string& name, const CallPlace& place) {
  if (!is_name(name)) error(call, fmt::format("'{}' is not a name", name), place);
}

Location ProgramBuilder::shared(std::string name, std::int64_t initial, CallPlace place) {
  check_name("shared", name, place);
  line("shared", fmt::format("shared {}: int = {};", name, Expression(initial).text_), place);
  return Location(std::move(name));
}
Location ProgramBuilder::shared_bool(std::string name, bool initial, CallPlace place) {
  check_name("shared_bool", name, place);
  line("shared_bool", fmt::format("shared {}: bool = {};", name, initial), place);
  return Location(std::move(name));
}
ArrayHandle ProgramBuilder::shared_array(std::string name, std::uint32_t length, std::int64_t initial,
                                         CallPlace place) {
  check_name("shared_array", name, place);
  line("shared_array", fmt::format("shared {}: int[{}] = {};", name, length, Expression(initial).text_),
       place);
  return ArrayHandle(std::move(name));
}
MutexHandle ProgramBuilder::mutex(std::string name, CallPlace place) {
  check_name("mutex", name, place);
  line("mutex", fmt::format("mutex {};", name), place);
  return MutexHandle(std::move(name));
}
Expression ProgramBuilder::param(std::string name, std::int64_t value, CallPlace place) {
  check_name("param", name, place);
  line("param", fmt::format("param {} = {};", name, Expression(value).text_), place);
  return Expression(std::move(name));
}

void ProgramBuilder::body(std::string_view call, const std::string& head, const Block& block,
                          const CallPlace& place) {
  line(call, head + " {", place);
  ThreadBuilder builder(*this);
  block(builder);
  line(call, "}", place);
}

ThreadHandle ProgramBuilder::thread(std::string name, const Block& block, CallPlace place) {
  check_name("thread", name, place);
  body("thread", "thread " + name, block, place);
  return ThreadHandle(std::move(name));
}

std::vector<ThreadHandle> ProgramBuilder::threads(std::string name, std::int64_t low, std::int64_t high,
                                                  const FamilyBlock& block, CallPlace place) {
  check_name("threads", name, place);
  const auto head = fmt::format("thread {}[me: {}..{}]", name, Expression(low).text_, Expression(high).text_);
  body(
      "threads", head, [&](ThreadBuilder& t) { block(t, Expression(std::string("me"))); }, place);
  std::vector<ThreadHandle> handles;
  // More threads than a program can have are an error of compile().
  constexpr std::int64_t most = 1000;
  for (auto i = low; i < high && i - low < most; ++i)
    handles.push_back(ThreadHandle(fmt::format("{}[{}]", name, i)));
  return handles;
}

void ProgramBuilder::finally(const Block& block, CallPlace place) { body("finally", "final", block, place); }

void ProgramBuilder::exists(const Expression& condition, CallPlace place) {
  line("exists", fmt::format("exists {};", condition.text_), place);
}
void ProgramBuilder::forall(const Expression& condition, CallPlace place) {
  line("forall", fmt::format("forall {};", condition.text_), place);
}
void ProgramBuilder::forbid(const Expression& condition, CallPlace place) {
  line("forbid", fmt::format("forbid {};", condition.text_), place);
}

Result<Program> ProgramBuilder::compile(const CompileOptions& options) const {
  if (!errors_.empty()) return errors_;
  auto program = Program::from_source(text_, name_, options);
  if (program) return program;
  std::vector<Diagnostic> errors;
  for (const Diagnostic& error : program.errors()) {
    if (error.line == 0 || error.line > calls_.size()) {
      errors.push_back(error);
      continue;
    }
    const Call& call = calls_[error.line - 1];
    errors.push_back(at_call(call.name, error.message, error.hint, call.file, call.line, call.column));
  }
  return errors;
}

}  // namespace heddle
