// Lookup of symbols, and how positions, names and types appear in messages.
#include "lang/resolution.hpp"

#include <algorithm>

#include "lang/suggest.hpp"

namespace heddle::lang {

Symbol* Resolution::symbol_of(const syntax::Item& item) {
  Symbol* symbol = names().find(item.name.text);
  const bool same = symbol != nullptr && symbol->range.begin == item.name.range.begin &&
                    symbol->range.file == item.name.range.file;
  return same ? symbol : nullptr;
}

void Resolution::error(const SourceRange& range, std::string message, std::string hint) {
  const Module& in = modules[module];
  if (in.importer && range.file == in.file) {
    if (!hint.empty()) hint += "; ";
    const LineColumn place = sources.locate(in.importer->file, in.importer->begin);
    hint += fmt::format("it is imported with {} on line {} of {}", in.written, place.line,
                        sources.name(in.importer->file));
  }
  diagnostics.error(range, std::move(message), std::move(hint));
}

std::string Resolution::qualified(std::string_view name) const {
  const std::string& of = modules[module].name;
  return of.empty() ? std::string(name) : fmt::format("{}.{}", of, name);
}

std::string Resolution::line_of(const SourceRange& range) const {
  const std::uint32_t line = sources.locate(range.file, range.begin).line;
  if (range.file == modules[module].file) return fmt::format("line {}", line);
  return fmt::format("line {} of {}", line, sources.name(range.file));
}

std::string Resolution::quote(const SourceRange& range, std::string_view otherwise) const {
  const std::string_view text = sources.text(range);
  return std::string(text.size() <= 40 && text.find('\n') == std::string_view::npos ? text : otherwise);
}

std::string Resolution::suggest(std::string_view name, const Locals* locals,
                                bool (*wanted)(const Symbol*)) const {
  // Many names and many unknown names must not take quadratic time together.
  constexpr std::size_t most = 10'000;
  if (diagnostics.full()) return {};
  if (std::string hint = suggest_module(name, wanted); !hint.empty()) return hint;
  std::vector<std::string_view> candidates;
  if (locals != nullptr && (wanted == nullptr || wanted(nullptr))) {
    candidates.assign(locals->visible().begin(), locals->visible().end());
  }
  for (const std::string_view other : names().all()) {
    if (candidates.size() >= most) break;
    if (wanted == nullptr || wanted(names().find(other))) candidates.push_back(other);
  }
  return did_you_mean(name, candidates);
}

std::string Resolution::suggest_module(std::string_view name, bool (*wanted)(const Symbol*)) const {
  for (const std::string_view other : names().all()) {
    const Symbol* module_symbol = names().find(other);
    if (module_symbol->kind != SymbolKind::module) continue;
    const Symbol* symbol = modules[module_symbol->id].names.find(name);
    if (symbol == nullptr || symbol->kind == SymbolKind::module || (wanted != nullptr && !wanted(symbol)))
      continue;
    return fmt::format("did you mean '{}.{}'?", other, name);
  }
  return {};
}

std::string Resolution::suggest_value(std::string_view name) const {
  if (diagnostics.full()) return {};
  for (const std::string_view other : names().all()) {
    const Symbol* symbol = names().find(other);
    if (symbol->kind != SymbolKind::enumeration || !symbol->ready || symbol->broken) continue;
    const std::vector<std::string>& values = enumeration(symbol->type).values;
    if (std::find(values.begin(), values.end(), name) != values.end())
      return fmt::format("did you mean '{}.{}'?", other, name);
  }
  return {};
}

std::string Resolution::name_of(Type type) const {
  switch (type) {
    case Type::integer: return "int";
    case Type::boolean: return "bool";
    case Type::none: return "nothing";
    default: return enumeration(type).name;
  }
}

std::string Resolution::name_of(const DataType& type) const {
  std::string name;
  switch (type.kind) {
    case DataType::Kind::scalar: name = name_of(type.scalar); break;
    case DataType::Kind::mutex: name = "mutex"; break;
    case DataType::Kind::condition: name = "cond"; break;
    case DataType::Kind::structure: name = structures[type.structure].name; break;
  }
  for (const std::uint32_t length : type.lengths) name += fmt::format("[{}]", length);
  return name;
}

}  // namespace heddle::lang
