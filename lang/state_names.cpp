// Recovers the types of flattened objects. An object like `pool`, two nodes with the fields `value` and
// `slots`, has become the consecutive arrays of scalars "pool[].value" and "pool[].slots[]" (ElementNames).
// The common prefixes of such paths reveal the types again.
#include "lang/state_names.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::lang {
namespace {

// A scalar, or an array of scalars, with the path to its elements.
struct Path {
  struct Step {
    std::string_view field;    // empty: an index
    std::uint32_t length = 0;  // of the indexed array
    bool operator==(const Step&) const = default;
  };
  std::string_view base;
  std::vector<Step> steps;
  DataType leaf;
};

// ".left.right" or "left.right"
void add_fields(Path& path, std::string_view text) {
  while (!text.empty()) {
    if (text.front() == '.') text.remove_prefix(1);
    const std::size_t end = std::min(text.find('.'), text.size());
    if (path.base.empty()) {
      path.base = text.substr(0, end);
    } else {
      path.steps.push_back({.field = text.substr(0, end)});
    }
    text.remove_prefix(end);
  }
}

// `prefix`: length of the module's name including its dot, which is not part of the path.
template <typename Named>  // Variable or Local
Path path_of(const Named& named, std::size_t prefix, DataType leaf) {
  Path path{.base = {}, .steps = {}, .leaf = std::move(leaf)};
  const ElementNames& elements = named.elements;
  const auto without_module = [&](std::string_view text) {
    return text.substr(std::min(prefix, text.size()));
  };
  if (!named.is_array || elements.parts.empty()) {
    add_fields(path, without_module(named.name));
    if (named.is_array) path.steps.push_back({.field = {}, .length = named.length});
    return path;
  }
  add_fields(path, without_module(elements.parts[0]));
  for (std::size_t i = 0; i < elements.lengths.size(); ++i) {
    path.steps.push_back({.field = {}, .length = elements.lengths[i]});
    add_fields(path, elements.parts[i + 1]);
  }
  return path;
}

// The type whose leaves, in order, are `paths` without their first `depth` steps.
DataType type_of(Resolution& resolution, std::span<const Path> paths, std::size_t depth) {
  DataType type;
  for (; depth < paths[0].steps.size() && paths[0].steps[depth].field.empty(); ++depth)
    type.lengths.push_back(paths[0].steps[depth].length);
  if (depth >= paths[0].steps.size()) {
    type.kind = paths[0].leaf.kind;
    type.scalar = paths[0].leaf.scalar;
    return type;
  }
  Structure structure;
  for (std::size_t begin = 0; begin < paths.size();) {
    const auto field_of = [&](const Path& path) {
      return depth < path.steps.size() ? path.steps[depth].field : std::string_view();
    };
    const std::string_view field = field_of(paths[begin]);
    std::size_t end = begin + 1;
    while (end < paths.size() && field_of(paths[end]) == field) ++end;
    FieldType& added = structure.fields.emplace_back();
    added.name = field;
    added.type = type_of(resolution, paths.subspan(begin, end - begin), depth + 1);
    begin = end;
  }
  structure.name = "the struct";
  structure.leaves = static_cast<std::uint32_t>(paths.size());
  for (const FieldType& field : structure.fields)
    structure.scalars += scalar_count(resolution.structures, field.type);
  type.kind = DataType::Kind::structure;
  type.structure = static_cast<std::uint32_t>(resolution.structures.size());
  resolution.structures.push_back(std::move(structure));
  return type;
}

// The number of the module that declares `name`, and the length of its prefix including the dot. The user's
// own file is number 0.
std::pair<std::uint32_t, std::size_t> module_of(Resolution& resolution, std::string_view name,
                                                const SourceRange& range) {
  const std::size_t dot = name.find('.');
  if (range.file == 0 || dot == std::string_view::npos) return {0, 0};
  const std::string_view module = name.substr(0, dot);
  for (std::uint32_t i = 1; i < resolution.modules.size(); ++i) {
    if (resolution.modules[i].name == module) return {i, dot + 1};
  }
  const auto number = static_cast<std::uint32_t>(resolution.modules.size());
  resolution.modules.emplace_back().name = module;
  Symbol symbol;
  symbol.kind = SymbolKind::module;
  symbol.id = number;
  symbol.ready = true;
  resolution.modules[0].names.declare(module, symbol);
  return {number, dot + 1};
}

void declare(Resolution& resolution, std::string_view name, const Symbol& symbol) {
  const auto [module, prefix] = module_of(resolution, name, symbol.range);
  resolution.modules[module].names.declare(name.substr(prefix), symbol);
}

Symbol symbol_of(SymbolKind kind, std::size_t id, Type type, std::int64_t value, const SourceRange& range) {
  return {.kind = kind,
          .id = static_cast<std::uint32_t>(id),
          .ready = true,
          .broken = false,
          .type = type,
          .value = value,
          .range = range};
}

// Consecutive variables with the same first name are the leaves of one object.
void declare_objects(Resolution& resolution, const std::vector<Variable>& variables) {
  for (std::size_t begin = 0; begin < variables.size();) {
    const Variable& first = variables[begin];
    const std::uint32_t module = module_of(resolution, first.name, first.range).first;
    std::vector<Path> paths;
    std::size_t end = begin;
    for (; end < variables.size(); ++end) {
      const Variable& variable = variables[end];
      const auto [of, prefix] = module_of(resolution, variable.name, variable.range);
      DataType leaf;
      leaf.kind = variable.is_mutex ? DataType::Kind::mutex : DataType::Kind::scalar;
      leaf.scalar = variable.type;
      Path path = path_of(variable, prefix, std::move(leaf));
      if (end > begin && (of != module || path.base != paths[0].base)) break;
      paths.push_back(std::move(path));
    }
    Object object;
    object.first = static_cast<std::uint32_t>(begin);
    object.type = type_of(resolution, paths, 0);
    const bool mutex = object.type.kind == DataType::Kind::mutex;
    resolution.modules[module].names.declare(
        paths[0].base, symbol_of(mutex ? SymbolKind::mutex : SymbolKind::variable, resolution.objects.size(),
                                 object.type.scalar, 0, first.range));
    resolution.objects.push_back(std::move(object));
    begin = end;
  }
}

void declare_locals(Resolution& resolution, Resolution::TemplateInfo& info,
                    const std::vector<Local>& locals) {
  for (std::size_t begin = 0; begin < locals.size();) {
    std::vector<Path> paths;
    std::size_t end = begin;
    for (; end < locals.size() && locals[end].top_level; ++end) {
      DataType leaf;
      leaf.scalar = locals[end].type;
      Path path = path_of(locals[end], 0, std::move(leaf));
      if (end > begin && path.base != paths[0].base) break;
      paths.push_back(std::move(path));
    }
    if (paths.empty()) {
      ++begin;
      continue;
    }
    LocalSymbol& local = info.locals[paths[0].base];
    local.id = static_cast<LocalId>(begin);
    local.kind = LocalKind::var;
    local.type = locals[begin].type;
    local.range = locals[begin].range;
    if (!paths[0].steps.empty()) {
      local.object.emplace().first = local.id;
      local.object->type = type_of(resolution, paths, 0);
    }
    begin = end;
  }
}

void declare_threads(Resolution& resolution) {
  const Program& program = resolution.program;
  resolution.templates.resize(program.templates.size());
  for (std::size_t i = 0; i < program.templates.size(); ++i) {
    const auto& from = program.templates[i];
    declare(resolution, from.name, symbol_of(SymbolKind::thread, i, Type::none, 0, from.range));
    declare_locals(resolution, resolution.templates[i], from.body.locals);
  }
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    auto& info = resolution.templates[program.threads[t].thread_template];
    if (info.threads++ > 0) continue;
    info.first_thread = static_cast<ThreadId>(t);
    info.first_argument = program.threads[t].argument;
  }
}

}  // namespace

void declare_again(Resolution& resolution) {
  const Program& program = resolution.program;
  // Threads first: the variables that the compiler adds for a spawned thread are named after it.
  declare_threads(resolution);
  declare_objects(resolution, program.variables);
  for (const auto& from : program.parameters) {
    declare(resolution, from.name, symbol_of(SymbolKind::param, 0, Type::integer, from.value, from.range));
  }
  for (const auto& from : program.constants) {
    declare(resolution, from.name, symbol_of(SymbolKind::constant, 0, from.type, from.value, from.range));
  }
  for (std::size_t i = 0; i < program.enumerations.size(); ++i) {
    const auto type = static_cast<Type>(static_cast<std::uint32_t>(Type::first_enumeration) + i);
    declare(resolution, program.enumerations[i].name,
            symbol_of(SymbolKind::enumeration, i, type, 0, program.enumerations[i].range));
  }
  for (std::size_t i = 0; i < program.functions.size(); ++i) {
    declare(resolution, program.functions[i].name,
            symbol_of(SymbolKind::function, i, Type::none, 0, program.functions[i].range));
  }
}

}  // namespace heddle::lang
