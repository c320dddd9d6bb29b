#include "lang/litmus/frontend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "lang/limits.hpp"
#include "lang/litmus/build.hpp"
#include "lang/litmus/c_program.hpp"
#include "lang/litmus/conditions.hpp"
#include "lang/litmus/grammar.hpp"
#include "lang/litmus/instructions.hpp"
#include "lang/litmus/translate.hpp"

namespace heddle::lang::litmus {
namespace {

struct ArchitectureName {
  std::string_view name;
  Architecture architecture;
};

constexpr std::array architectures{
    ArchitectureName{"PPC", Architecture::ppc}, ArchitectureName{"X86", Architecture::x86},
    ArchitectureName{"X86_64", Architecture::x86}, ArchitectureName{"C", Architecture::c}};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\f\v");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\f\v") - begin + 1);
}

class Frontend {
 public:
  Frontend(const SourceMap& sources, std::uint32_t file, Diagnostics& diagnostics)
      : sources_(sources), file_(file), diagnostics_(diagnostics), builder_(diagnostics) {}

  std::optional<Program> run() {
    const std::string_view text = sources_.text(file_);
    if (text.size() > limits::file_bytes) {
      diagnostics_.error({file_, 0, 0},
                         fmt::format("the file is too large: at most {} MiB", limits::file_bytes >> 20));
      return {};
    }
    const std::optional<std::uint32_t> body = header(text);
    if (!body) return {};
    tokens_ = tokenize(sources_, file_, *body,
                       architecture_ == Architecture::c ? Comments::c : Comments::assembly, diagnostics_);
    if (tokens_.empty() || diagnostics_.any()) return {};
    if (!split()) return {};
    initial_ = parse_initial_values(state_, initial_first_, initial_end_);
    constraint_ = parse_constraint(state_, constraint_first_, &tokens_.back());
    if (diagnostics_.any()) return {};
    if (architecture_ == Architecture::c) {
      c_threads();
    } else {
      assembly();
    }
    if (diagnostics_.any()) return {};
    add_conditions(constraint_, name_, architecture_, observed_locals_, builder_);
    if (diagnostics_.any()) return {};
    builder_.finish();
    if (diagnostics_.any()) return {};
    return std::move(builder_.program);
  }

 private:
  [[nodiscard]] SourceRange at(std::size_t begin, std::size_t size) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + size)};
  }
  [[nodiscard]] SourceRange range(const Token& token) const { return state_.range(token); }

  // Parses architecture and name. Returns the position of the initial values.
  std::optional<std::uint32_t> header(std::string_view text) {
    std::size_t begin = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    bool first = true;
    while (begin < text.size()) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = trimmed(text.substr(begin, end - begin));
      if (!line.empty() && first) {
        if (!title(line, static_cast<std::size_t>(line.data() - text.data()))) return {};
        first = false;
      } else if (line.starts_with('{')) {
        return static_cast<std::uint32_t>(line.data() - text.data());
      }
      begin = end + 1;
    }
    const std::size_t last = text.size();
    if (first) {
      diagnostics_.error(at(0, 0), "the file is empty", "a test begins with its architecture and its name");
    } else {
      diagnostics_.error(at(last, 0), "expected '{' and the initial values", "write {} if there are none");
    }
    return {};
  }

  bool title(std::string_view line, std::size_t begin) {
    const std::size_t word_end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, word_end);
    const auto known = std::find_if(architectures.begin(), architectures.end(),
                                    [&](const ArchitectureName& entry) { return entry.name == word; });
    if (known == architectures.end()) {
      std::string names;
      for (const ArchitectureName& entry : architectures) names += fmt::format(" {}", entry.name);
      const bool printable =
          std::all_of(word.begin(), word.end(), [](char c) { return c > 0x20 && c < 0x7F; });
      diagnostics_.error(
          at(begin, word.size()),
          printable && word.size() <= 40
              ? fmt::format("the architecture '{}' is not supported", word)
              : "this is not a litmus test: it does not begin with the name of an architecture",
          "supported architectures:" + names);
      return false;
    }
    architecture_ = known->architecture;
    const std::string_view rest = trimmed(line.substr(word_end));
    name_ = std::string(rest.substr(0, rest.find_first_of(" \t")));
    if (name_.empty()) {
      diagnostics_.error(at(begin, word.size()), "the test has no name", "the first line looks like: PPC SB");
      return false;
    }
    return true;
  }

  // Finds the three parts: { initial values } program condition.
  bool split() {
    const Token* token = tokens_.data();
    const Token* const end = &tokens_.back();
    initial_first_ = ++token;  // after the '{' at which tokenizing began
    while (token != end && !token->is("}")) ++token;
    if (token == end) {
      diagnostics_.error(range(*end), "expected '}' after the initial values");
      return false;
    }
    initial_end_ = ++token;
    while (token->is(";")) ++token;
    program_first_ = token;
    // Inside parentheses, a word that could begin a condition is the name of a location.
    unsigned braces = 0;  // of C
    unsigned others = 0;
    for (; token != end && (braces > 0 || others > 0 || !begins_constraint(token)); ++token) {
      if (token->is("{")) ++braces;
      if (token->is("}") && braces > 0) --braces;
      if (token->is("(") || token->is("[")) ++others;
      if ((token->is(")") || token->is("]")) && others > 0) --others;
      if (token->is(";") || token->is("}")) others = 0;  // an unclosed one is reported later, at its position
    }
    constraint_first_ = token;
    return true;
  }

  // --- Assembly: rows of cells ---

  // Calls `use(column, first, last)` for each cell of the row. Returns the token after the row's ';'.
  template <typename Use>
  const Token* row(const Token* first, Use&& use) {
    std::size_t column = 0;
    const Token* cell = first;
    for (const Token* token = first;; ++token) {
      const bool ends = token == constraint_first_ || token->is(";");
      if (!ends && !token->is("|")) continue;
      use(column++, cell, token);
      if (!ends) {
        cell = token + 1;
        continue;
      }
      if (token != constraint_first_) return token + 1;
      diagnostics_.error(range(*token), "expected ';' at the end of the row");
      return token;
    }
  }

  void assembly() {
    if (program_first_ == constraint_first_) {
      diagnostics_.error(range(*program_first_), "the test has no program",
                         "its first row looks like: P0 | P1 ;");
      return;
    }
    std::vector<SourceRange> heads;
    const Token* token = row(program_first_, [&](std::size_t column, const Token* first, const Token* last) {
      heads.push_back(range(*first));
      if (last - first == 1 && first->text == fmt::format("P{}", column)) return;
      diagnostics_.error(range(*first), fmt::format("expected 'P{}', the name of the thread", column));
    });
    if (heads.size() > limits::threads) {
      diagnostics_.error(heads.back(), fmt::format("too many threads: at most {}", limits::threads));
    }
    if (diagnostics_.any()) return;
    std::vector<std::vector<Line>> lines(heads.size());
    while (token != constraint_first_ && !diagnostics_.any()) {
      const Token* const start = token;
      std::size_t cells = 0;
      token = row(token, [&](std::size_t column, const Token* first, const Token* last) {
        ++cells;
        if (column < lines.size()) lines[column].push_back(parse_line(state_, first, last));
      });
      if (cells != lines.size()) {
        diagnostics_.error(range(*start), fmt::format("this row has {} column{}, but there are {} threads",
                                                      cells, cells == 1 ? "" : "s", lines.size()));
      }
    }
    if (!diagnostics_.any()) threads(heads, lines);
  }

  void threads(const std::vector<SourceRange>& heads, const std::vector<std::vector<Line>>& lines) {
    const bool intel = uses_intel_order(lines);
    std::vector<Registers> registers(heads.size());
    std::vector<ThreadCode> threads(heads.size());
    std::vector<std::vector<Instruction>> code(heads.size());
    for (std::size_t thread = 0; thread < heads.size(); ++thread) {
      threads[thread].number = static_cast<std::uint32_t>(thread);
      threads[thread].range = heads[thread];
      threads[thread].registers = &registers[thread];
      code[thread] = architecture_ == Architecture::ppc
                         ? decode_ppc(lines[thread], registers[thread], diagnostics_)
                         : decode_x86(lines[thread], intel, registers[thread], diagnostics_);
      threads[thread].code = code[thread];
    }
    Numbers numbers = numbers_of(code);
    for (const InitialValue& value : initial_) {
      initialise(value, threads, registers);
      numbers.negative = numbers.negative || value.value < 0;
      if (value.value < INT16_MIN || value.value > INT16_MAX) numbers = {true, true};
    }
    observe(threads, registers);
    if (diagnostics_.any()) return;
    for (ThreadCode& thread : threads) thread.numbers = numbers;
    for (ThreadCode& thread : threads) {
      const auto locals = translate(thread, builder_);
      if (!locals) continue;
      for (std::size_t i = 0; i < locals->size(); ++i) {
        observed_locals_.push_back(
            {thread.number, registers[thread.number].name(thread.observed[i].reg), (*locals)[i]});
      }
    }
    for (const InitialValue& value : initial_) {
      if (value.given && !value.address && !value.place.thread && !value.place.symbolic) fit_word(value);
    }
  }

  // The initial value of a 32-bit location may be written signed or unsigned.
  void fit_word(const InitialValue& initial) {
    const VariableId variable = builder_.variable(initial.place.name.text, initial.place.range);
    if (!builder_.is_word(variable)) return;
    if (initial.value < INT32_MIN || initial.value > static_cast<std::int64_t>(UINT32_MAX)) {
      diagnostics_.error(initial.place.range, fmt::format("{} has 32 bits: its initial value does not fit",
                                                          initial.place.name.text));
    }
    builder_.program.variables[variable].initial = {static_cast<std::int32_t>(initial.value)};
  }

  // --- C ---

  void c_threads() {
    const std::vector<c::Thread> threads = c::parse_threads(state_, program_first_, constraint_first_);
    if (diagnostics_.any()) return;
    if (threads.empty()) {
      diagnostics_.error(range(*program_first_), "the test has no program",
                         "its first thread looks like: P0 (int *x) { *x = 1; }");
    }
    if (threads.size() > limits::threads) {
      diagnostics_.error(threads.back().name.range,
                         fmt::format("too many threads: at most {}", limits::threads));
    }
    for (const InitialValue& initial : initial_) {
      if (!initial.place.thread && !initial.place.symbolic) {
        initialise_location(initial);
      } else {
        diagnostics_.error(initial.place.range, "in a C test only locations have initial values");
      }
    }
    std::vector<std::vector<Word>> observed(threads.size());
    each_place(constraint_, [&](const Place& place) {
      if (!place.thread) return;
      if (*place.thread >= threads.size()) return no_thread(place);
      auto& names = observed[*place.thread];
      const bool known = std::any_of(names.begin(), names.end(),
                                     [&](const Word& word) { return word.text == place.name.text; });
      if (!known) names.push_back(place.name);
    });
    if (diagnostics_.any()) return;
    for (std::uint32_t number = 0; number < threads.size(); ++number) {
      if (threads[number].name.text != fmt::format("P{}", number)) {
        diagnostics_.error(threads[number].name.range,
                           fmt::format("expected 'P{}', the name of the thread", number));
        return;
      }
      const auto locals = c::translate(threads[number], number, observed[number], builder_);
      if (!locals) continue;
      for (std::size_t i = 0; i < locals->size(); ++i) {
        observed_locals_.push_back({number, std::string(observed[number][i].text), (*locals)[i]});
      }
    }
  }

  // --- Initial values ---

  void initialise_location(const InitialValue& initial) {
    const VariableId variable = builder_.variable(initial.place.name.text, initial.place.range);
    if (!initial.given) return;
    give_once(fmt::format("[{}]", initial.place.name.text), initial);
    std::int64_t value = initial.value;
    if (initial.address) {
      if (architecture_ == Architecture::c) {
        diagnostics_.error(initial.address->range, "in a C test a location cannot hold an address");
      }
      value = builder_.address(builder_.variable(initial.address->text, initial.address->range));
    }
    builder_.program.variables[variable].initial = {value};
  }

  // Reports a place that is given two different initial values.
  void give_once(const std::string& place, const InitialValue& initial) {
    const std::pair value(initial.value, initial.address ? initial.address->text : std::string_view());
    const auto [known, inserted] = given_.emplace(place, value);
    if (inserted || known->second == value) return;
    diagnostics_.error(initial.place.range, "this already has a different initial value");
  }

  void initialise(const InitialValue& initial, std::vector<ThreadCode>& threads,
                  std::vector<Registers>& registers) {
    const Place& place = initial.place;
    if (!place.thread && !place.symbolic) return initialise_location(initial);
    const std::string name = canonical(place, architecture_);
    if (name.empty()) {
      diagnostics_.error(place.range, fmt::format("'{}' is not a register", place.name.text));
      return;
    }
    if (place.thread && *place.thread >= threads.size()) return no_thread(place);
    Value value;
    value.expression = literal(initial.value, place.range);
    if (architecture_ == Architecture::x86 && is_word_x86(place.name.text)) {
      value.word = true;
      value.expression = sign_extended(std::move(value.expression), place.range);
    }
    if (initial.address) {
      value.word = false;
      value.kind = Value::Kind::address;
      value.expression = literal(0, place.range);
      value.variable = builder_.variable(initial.address->text, initial.address->range);
    }
    for (std::size_t thread = 0; thread < threads.size(); ++thread) {
      if (place.thread && *place.thread != thread) continue;
      if (initial.given) give_once(fmt::format("{}:{}", thread, name), initial);
      const RegisterId reg = registers[thread].id(name);
      auto& values = threads[thread].initial;
      if (values.size() <= reg) values.resize(reg + 1);
      values[reg] = value;
    }
  }

  void no_thread(const Place& place) {
    diagnostics_.error(place.range, fmt::format("there is no thread {}", *place.thread));
  }

  void observe(std::vector<ThreadCode>& threads, std::vector<Registers>& registers) {
    each_place(constraint_, [&](const Place& place) {
      if (!place.thread) return;
      const std::string name = canonical(place, architecture_);
      if (name.empty()) {
        diagnostics_.error(place.range, fmt::format("'{}' is not a register", place.name.text));
        return;
      }
      if (*place.thread >= threads.size()) return no_thread(place);
      ThreadCode& thread = threads[*place.thread];
      const RegisterId reg = registers[*place.thread].id(name);
      const bool known = std::any_of(thread.observed.begin(), thread.observed.end(),
                                     [&](const Observed& each) { return each.reg == reg; });
      if (!known) {
        thread.observed.push_back({reg, architecture_ == Architecture::x86 && is_word_x86(place.name.text)});
      }
    });
  }

  const SourceMap& sources_;
  std::uint32_t file_;
  Diagnostics& diagnostics_;
  Builder builder_;
  ParserState state_{diagnostics_, file_};
  Architecture architecture_ = Architecture::ppc;
  std::string name_;
  std::vector<Token> tokens_;
  const Token* initial_first_ = nullptr;
  const Token* initial_end_ = nullptr;
  const Token* program_first_ = nullptr;
  const Token* constraint_first_ = nullptr;
  std::vector<InitialValue> initial_;
  std::map<std::string, std::pair<std::int64_t, std::string_view>> given_;  // by place
  Constraint constraint_;
  std::vector<ObservedLocal> observed_locals_;
};

}  // namespace

std::optional<Program> parse_test(const SourceMap& sources, std::uint32_t file, Diagnostics& diagnostics) {
  return Frontend(sources, file, diagnostics).run();
}

}  // namespace heddle::lang::litmus
