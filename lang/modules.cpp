// `import std.spinlock;` and `import "./queue.hed";`.
#include "lang/modules.hpp"

#include <filesystem>
#include <unordered_map>

#include "lang/grammar.hpp"
#include "lang/limits.hpp"
#include "lang/suggest.hpp"
#include "lang/token.hpp"

namespace heddle::lang {
namespace {

using syntax::Item;
using syntax::ItemKind;

// A description of the item if only the user's own file may contain it, else null.
const char* own_only(ItemKind kind) {
  switch (kind) {
    case ItemKind::thread: return "threads";
    case ItemKind::final_: return "a 'final' block";
    case ItemKind::property: return "conditions";
    case ItemKind::expect: return "expect lines";
    default: return nullptr;
  }
}

class ModuleReader {
 public:
  ModuleReader(Resolution& resolution, const ModuleLoader& loader)
      : resolution_(resolution), loader_(loader) {}

  std::vector<std::uint32_t> run() {
    resolution_.modules.emplace_back().file = resolution_.file;
    resolution_.modules.front().plain = true;
    states_.push_back(State::open);
    path_.push_back(0);
    read(0);
    std::erase_if(order_, [this](std::uint32_t number) { return !resolution_.modules[number].plain; });
    return std::move(order_);
  }

 private:
  enum class State : std::uint8_t { open, done };

  void read(std::uint32_t number) {
    Module& module = resolution_.modules[number];
    const std::vector<Token> tokens = tokenize(resolution_.sources, module.file, resolution_.diagnostics);
    module.tree = std::make_shared<const syntax::File>(
        tokens.empty() ? syntax::File{}
                       : parse_syntax(tokens, resolution_.sources, module.file, resolution_.diagnostics));
    if (tokens.empty()) return;
    for (const Item& item : module.tree->items) {
      const char* what = number == 0 ? nullptr : own_only(item.kind);
      if (what != nullptr) {
        resolution_.error(item.word.range, fmt::format("an imported file cannot contain {}", what),
                          "move this to the importing file");
      }
      if (item.kind == ItemKind::import_ && !item.path.empty()) import(number, item);
    }
    states_[number] = State::done;
    order_.push_back(number);
  }

  void import(std::uint32_t importer, const Item& item) {
    Source source;
    if (!(item.path[0].kind == TokenKind::string ? find_file(importer, item, source)
                                                 : find_standard(item, source))) {
      return;
    }
    const auto known = numbers_.find(source.identity);
    std::uint32_t number = 0;
    if (known != numbers_.end()) {
      number = known->second;
      if (states_[number] == State::open) return report_cycle(number, item);
    } else {
      std::optional<std::uint32_t> added = add(item, source);
      if (!added) return;
      number = *added;
      path_.push_back(number);
      read(number);
      path_.pop_back();
    }
    if (item.expressions.empty()) resolution_.modules[number].plain = true;
    resolution_.modules[importer].imports.push_back({&item, number});
  }

  struct Source {
    std::string identity;  // the file's name in messages
    std::string name;      // "queue"
    std::optional<std::string_view> built_in;
  };

  bool find_standard(const Item& item, Source& source) {
    SourceRange range = item.path.front().range;
    range.end = item.path.back().range.end;
    if (item.path[0].text != "std" || item.path.size() != 2) {
      const std::string name(item.path.back().text);
      resolution_.error(
          range, fmt::format("unknown module '{}'", resolution_.sources.text(range)),
          fmt::format("write 'std.spinlock' for a module of the standard library, \"./{}.hed\" for a file",
                      name));
      return false;
    }
    source.name = std::string(item.path[1].text);
    source.identity = fmt::format("std/{}.hed", source.name);
    source.built_in = standard_module(item.path[1].text);
    if (source.built_in) return true;
    const std::vector<std::string_view> names = standard_modules();
    std::string hint = did_you_mean(item.path[1].text, names);
    if (hint.empty()) hint = fmt::format("choose from {}", fmt::join(names, ", "));
    resolution_.error(item.path[1].range, fmt::format("the standard library has no module '{}'", source.name),
                      std::move(hint));
    return false;
  }

  bool find_file(std::uint32_t importer, const Item& item, Source& source) {
    const std::string text = string_value(item.path[0].text);
    const std::filesystem::path file(text);
    source.name = file.stem().string();
    if (file.extension() != ".hed" || keyword_kind(source.name) != TokenKind::identifier ||
        !is_name(source.name)) {
      resolution_.error(item.path[0].range, fmt::format("'{}' cannot be imported", text),
                        "the file name must be a valid name followed by '.hed': \"./queue.hed\"");
      return false;
    }
    const std::filesystem::path from = resolution_.sources.name(resolution_.modules[importer].file);
    source.identity = (file.is_absolute() ? file : from.parent_path() / file).lexically_normal().string();
    return true;
  }

  static bool is_name(std::string_view text) {
    if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
    for (const char c : text) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
      if (!letter && !(c >= '0' && c <= '9')) return false;
    }
    return true;
  }

  // Adds a module that has not been read yet.
  std::optional<std::uint32_t> add(const Item& item, Source& source) {
    const SourceRange range = item.path.back().range;
    const std::string main =
        std::filesystem::path(resolution_.sources.name(resolution_.file)).lexically_normal().string();
    if (source.identity == main && !source.built_in) {
      report_cycle(0, item);
      return {};
    }
    if (resolution_.modules.size() >= limits::modules) {
      resolution_.error(range, fmt::format("too many modules: at most {}", limits::modules));
      return {};
    }
    for (std::size_t i = 1; i < resolution_.modules.size(); ++i) {
      if (resolution_.modules[i].name != source.name) continue;
      resolution_.error(range, fmt::format("there is already a module named '{}'", source.name),
                        fmt::format("it is {}", resolution_.sources.name(resolution_.modules[i].file)));
      return {};
    }
    ModuleText text;
    if (source.built_in) {
      text.text = std::string(*source.built_in);
    } else if (loader_) {
      text = loader_(source.identity);
    } else {
      text.error = "files cannot be read here";
    }
    if (!text.text) {
      resolution_.error(range, fmt::format("cannot import '{}': {}", source.identity, text.error));
      return {};
    }
    const auto number = static_cast<std::uint32_t>(resolution_.modules.size());
    Module& module = resolution_.modules.emplace_back();
    module.name = source.name;
    module.file =
        resolution_.sources.add(source.identity, std::move(*text.text), source.built_in.has_value());
    states_.push_back(State::open);
    numbers_.emplace(source.identity, number);
    return number;
  }

  void report_cycle(std::uint32_t number, const Item& item) {
    std::string message = "import cycle: ";
    bool inside = false;
    for (const std::uint32_t on_path : path_) {
      inside = inside || on_path == number;
      if (!inside) continue;
      message += resolution_.sources.name(resolution_.modules[on_path].file) + " imports ";
    }
    message += resolution_.sources.name(resolution_.modules[number].file);
    resolution_.error(item.path.back().range, std::move(message), "move what both need to a third file");
  }

  Resolution& resolution_;
  const ModuleLoader& loader_;
  std::vector<State> states_;
  std::vector<std::uint32_t> path_;  // the chain of modules being read
  std::vector<std::uint32_t> order_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace

std::vector<std::uint32_t> load_modules(Resolution& resolution, const ModuleLoader& loader) {
  return ModuleReader(resolution, loader).run();
}

}  // namespace heddle::lang
