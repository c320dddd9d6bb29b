// The stages of the front end: text -> tokens -> parse tree -> resolved program, including imported files.
// Each stage runs only if the previous one found no error, so that no message is a mere consequence of
// another.
#include "lang/frontend.hpp"

#include "lang/declarations.hpp"
#include "lang/definitions.hpp"
#include "lang/litmus/frontend.hpp"

namespace heddle::lang {
namespace {

// Appends the struct of each leaf of the type, in the order of leaves_of.
void name_structs(const std::vector<Structure>& structures, const DataType& type, const std::string& owner,
                  std::vector<std::string>& names) {
  if (type.kind != DataType::Kind::structure) {
    names.push_back(owner);
    return;
  }
  const Structure& structure = structures[type.structure];
  for (const FieldType& field : structure.fields) name_structs(structures, field.type, structure.name, names);
}

std::vector<std::string> structs_of(const Resolution& resolution) {
  std::vector<std::string> result(resolution.program.variables.size());
  for (const Object& object : resolution.objects) {
    if (object.base != Object::Base::shared || object.type.kind != DataType::Kind::structure) continue;
    std::vector<std::string> names;
    name_structs(resolution.structures, object.type, {}, names);
    for (std::size_t leaf = 0; leaf < names.size() && object.first + leaf < result.size(); ++leaf)
      result[object.first + leaf] = std::move(names[leaf]);
  }
  return result;
}

}  // namespace

std::shared_ptr<const ParsedModules> parse_modules(SourceMap& sources, std::uint32_t file,
                                                   Diagnostics& diagnostics, const FrontendOptions& options) {
  Resolution resolution{sources, file, diagnostics};
  auto parsed = std::make_shared<ParsedModules>();
  parsed->order = load_modules(resolution, options.loader);
  if (diagnostics.any()) return nullptr;
  parsed->modules = std::move(resolution.modules);
  return parsed;
}

std::optional<Program> resolve_modules(const ParsedModules& parsed, SourceMap& sources,
                                       const Parameters& overrides, Diagnostics& diagnostics,
                                       const FrontendOptions& options) {
  Resolution resolution{sources, parsed.modules.front().file, diagnostics};
  resolution.modules = parsed.modules;
  resolution.may_lack_threads = options.may_lack_threads;
  resolution.models = options.models;
  resolution.algorithms = options.algorithms;
  resolve_program(resolution, parsed.order, overrides);
  if (diagnostics.any()) return {};
  check_calls(resolution, options.spin_await);
  if (diagnostics.any()) return {};
  drop_phantoms(resolution);
  if (options.structs != nullptr) *options.structs = structs_of(resolution);
  return std::move(resolution.program);
}

std::optional<Program> parse_program(SourceMap& sources, std::uint32_t file, const Parameters& overrides,
                                     Diagnostics& diagnostics, const FrontendOptions& options) {
  const auto parsed = parse_modules(sources, file, diagnostics, options);
  if (parsed == nullptr) return {};
  return resolve_modules(*parsed, sources, overrides, diagnostics, options);
}

std::optional<Program> parse_source(SourceMap& sources, std::uint32_t file, const Parameters& overrides,
                                    Diagnostics& diagnostics, const FrontendOptions& options) {
  if (!sources.name(file).ends_with(".litmus"))
    return parse_program(sources, file, overrides, diagnostics, options);
  if (!overrides.empty()) {
    diagnostics.error({file, 0, 0},
                      "a litmus test has no params: '" + overrides.begin()->first + "' cannot be set");
    return {};
  }
  return litmus::parse_test(sources, file, diagnostics);
}

}  // namespace heddle::lang
