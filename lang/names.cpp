// Symbol tables.
#include "lang/names.hpp"

namespace heddle::lang {

std::string_view describe(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::param: return "param";
    case SymbolKind::constant: return "constant";
    case SymbolKind::type: return "type";
    case SymbolKind::enumeration: return "enum";
    case SymbolKind::structure: return "struct";
    case SymbolKind::variable: return "shared variable";
    case SymbolKind::mutex: return "mutex";
    case SymbolKind::condition: return "condition variable";
    case SymbolKind::function: return "function";
    case SymbolKind::proc: return "proc";
    case SymbolKind::thread: return "thread";
    case SymbolKind::module: return "module";
  }
  return {};
}

bool is_object(const Symbol* symbol) {
  return symbol != nullptr && (symbol->kind == SymbolKind::variable || symbol->kind == SymbolKind::mutex ||
                               symbol->kind == SymbolKind::condition);
}

const Symbol* Names::declare(std::string_view name, const Symbol& symbol) {
  const auto [entry, added] = symbols_.emplace(name, symbol);
  if (!added) return &entry->second;
  order_.push_back(name);
  return nullptr;
}

Symbol* Names::find(std::string_view name) {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : &found->second;
}

const Symbol* Names::find(std::string_view name) const {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : &found->second;
}

void Locals::leave() {
  while (visible_.size() > marks_.back()) {
    locals_.erase(visible_.back());
    visible_.pop_back();
  }
  marks_.pop_back();
}

const LocalSymbol* Locals::declare(std::string_view name, const LocalSymbol& local) {
  const auto [entry, added] = locals_.emplace(name, local);
  if (!added) return &entry->second;
  visible_.push_back(name);
  return nullptr;
}

const LocalSymbol* Locals::find(std::string_view name) const {
  const auto found = locals_.find(name);
  return found == locals_.end() ? nullptr : &found->second;
}

}  // namespace heddle::lang
