// See lint_trees.hpp.
#include "checker/api/lint_trees.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

#include "checker/api/trees.hpp"

namespace heddle::lint_trees {

namespace {

using lang::Expression;
using lang::ExpressionKind;
using lang::Statement;
using lang::StatementKind;
using trees::known;
using trees::walk_expression;
using trees::walk_threads;

constexpr std::size_t most_values = 64;          // of a variable; more count as unknown
constexpr std::size_t most_combinations = 4096;  // of the variables of a condition

Place place_of(const lang::SourceRange& range) { return {range.begin, range.end}; }
bool is_own(const lang::SourceRange& range) { return range.file == 0 && range.end > range.begin; }

bool same(const Expression& a, const Expression& b) {
  return a.kind == b.kind && a.id == b.id && a.value == b.value && a.unary == b.unary &&
         a.binary == b.binary &&
         std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(), same);
}

// In the stored value: the load of the location that the statement stores to.
bool is_load_of(const Expression& e, const Statement& store) {
  if (e.kind != ExpressionKind::load || e.id != store.id) return false;
  return store.expressions.size() == 1 || same(e.operands[0], store.expressions[0]);
}

bool is_update(const Statement& statement, const lang::Program& program) {
  if (statement.kind != StatementKind::store || !is_own(statement.range)) return false;
  if (program.variables[statement.id].type != lang::Type::integer) return false;
  if (statement.compound) return true;
  bool found = false;
  walk_expression(statement.expressions.back(),
                  [&](const Expression& e) { found = found || is_load_of(e, statement); });
  return found;
}

Expression local(lang::LocalId id, const lang::SourceRange& range) {
  Expression result;
  result.kind = ExpressionKind::local;
  result.id = id;
  result.range = range;
  return result;
}

Statement declare(lang::Body& body, Expression value, const char* name) {
  Statement result;
  result.kind = StatementKind::declare;
  result.id = static_cast<lang::LocalId>(body.locals.size());
  result.range = value.range;
  lang::Local fresh;
  fresh.name = name;
  fresh.range = value.range;
  body.locals.push_back(std::move(fresh));
  result.expressions.push_back(std::move(value));
  return result;
}

void replace_loads(Expression& e, const Statement& store, lang::LocalId by) {
  if (is_load_of(e, store)) {
    e = local(by, e.range);
    return;
  }
  for (Expression& operand : e.operands) replace_loads(operand, store, by);
}

// { let index = I; let old = x[index]; assert cas(x[index], old, NEW); } replaces x[I] = NEW.
void watch(Statement& store, lang::Body& body) {
  Statement block;
  block.kind = StatementKind::block;
  block.range = store.range;
  Expression cas;
  cas.kind = ExpressionKind::cas;
  cas.type = lang::Type::boolean;
  cas.id = store.id;
  cas.range = store.range;
  Expression load = cas;
  load.kind = ExpressionKind::load;
  load.type = lang::Type::integer;
  Expression value = store.expressions.back();
  std::optional<lang::LocalId> index;
  if (store.expressions.size() == 2) {
    block.body.push_back(declare(body, store.expressions[0], "lint index"));
    index = block.body.back().id;
    load.operands.push_back(local(*index, store.range));
    cas.operands.push_back(local(*index, store.range));
  }
  block.body.push_back(declare(body, std::move(load), "lint value"));
  const lang::LocalId old = block.body.back().id;
  if (store.compound) {
    Expression computed;
    computed.kind = ExpressionKind::binary;
    computed.binary = *store.compound;
    computed.range = store.range;
    computed.operands.push_back(local(old, store.range));
    computed.operands.push_back(std::move(value));
    value = std::move(computed);
  } else {
    replace_loads(value, store, old);
  }
  cas.operands.push_back(local(old, store.range));
  cas.operands.push_back(std::move(value));
  Statement check;
  check.kind = StatementKind::assert_;
  check.range = store.range;
  check.expressions.push_back(std::move(cas));
  block.body.push_back(std::move(check));
  store = std::move(block);
}

// All values that a variable can have; nothing if they are unknown.
using Values = std::optional<std::set<std::int64_t>>;

std::vector<Values> possible_values(const lang::Program& program) {
  std::vector<Values> result;
  for (const auto& variable : program.variables) {
    result.emplace_back(std::set<std::int64_t>(variable.initial.begin(), variable.initial.end()));
    if (variable.is_mutex) result.back().reset();
  }
  const auto write = [&](std::uint32_t id, const Expression* value) {
    const auto constant = value == nullptr ? std::nullopt : known(*value);
    if (!constant) {
      result[id].reset();
    } else if (result[id]) {
      result[id]->insert(*constant);
      if (result[id]->size() > most_values) result[id].reset();
    }
  };
  walk_threads(program, [&](const Statement& statement, const lang::Body&) {
    if (statement.kind == StatementKind::store)
      write(statement.id, statement.compound ? nullptr : &statement.expressions.back());
    for (const Expression& expression : statement.expressions) {
      walk_expression(expression, [&](const Expression& e) {
        const bool stores = e.kind == ExpressionKind::cas || e.kind == ExpressionKind::exchange;
        if (stores) write(e.id, &e.operands.back());
        if (e.kind == ExpressionKind::fetch) write(e.id, nullptr);
      });
    }
  });
  return result;
}

// The condition with one value for each variable, the same at every occurrence. Elements of an array can
// differ, so an array with several values counts as unknown.
class Await {
 public:
  Await(const Expression& condition, const lang::Program& program, const std::vector<Values>& values)
      : condition_(condition), program_(program) {
    walk_expression(condition, [&](const Expression& e) {
      if (e.kind != ExpressionKind::load || choice_.contains(e.id)) return;
      const Values& all = values[e.id];
      variables_.push_back(e.id);
      if (!all || (program.variables[e.id].is_array && all->size() > 1)) return;
      choice_[e.id] = *all->begin();
      followed_.emplace_back(e.id, std::vector<std::int64_t>(all->begin(), all->end()));
    });
  }

  [[nodiscard]] bool hopeless() {
    std::size_t combinations = 1;
    for (const auto& [id, values] : followed_) {
      combinations *= values.size();
      if (combinations > most_combinations) return false;
    }
    return !variables_.empty() && always_false(0);
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const std::uint32_t id : variables_) {
      const std::string& name = program_.variables[id].name;
      if (std::find(result.begin(), result.end(), name) == result.end()) result.push_back(name);
    }
    return result;
  }

 private:
  bool always_false(std::size_t next) {
    if (next == followed_.size()) {
      Expression with_values = condition_;
      substitute(with_values);
      const auto value = known(with_values);
      return value && *value == 0;
    }
    const auto& [id, values] = followed_[next];
    return std::all_of(values.begin(), values.end(), [&, variable = id](std::int64_t value) {
      choice_[variable] = value;
      return always_false(next + 1);
    });
  }
  void substitute(Expression& e) const {
    if (e.kind == ExpressionKind::load) {
      const auto chosen = choice_.find(e.id);
      if (chosen == choice_.end()) return;
      e.kind = ExpressionKind::literal;
      e.value = chosen->second;
      e.operands.clear();
      return;
    }
    for (Expression& operand : e.operands) substitute(operand);
  }

  const Expression& condition_;
  const lang::Program& program_;
  std::vector<std::uint32_t> variables_;
  std::vector<std::pair<std::uint32_t, std::vector<std::int64_t>>> followed_;
  std::map<std::uint32_t, std::int64_t> choice_;
};

}  // namespace

std::vector<Place> fences(const lang::Program& program, const lang::SourceMap& sources) {
  std::set<Place> places;
  walk_threads(program, [&](const Statement& statement, const lang::Body&) {
    // `signal` and `broadcast` contain fences, which cannot be removed.
    if (statement.kind == StatementKind::fence && is_own(statement.range) &&
        sources.text(statement.range).starts_with("fence"))
      places.insert(place_of(statement.range));
  });
  return {places.begin(), places.end()};
}

lang::Program with_changes(const lang::Program& program, const Changes& changes) {
  lang::Program result = program;
  walk_threads(result, [&](Statement& statement, const lang::Body&) {
    if (statement.kind != StatementKind::fence || !is_own(statement.range)) return;
    const auto change = changes.find(place_of(statement.range));
    if (change == changes.end()) return;
    if (change->second) {
      statement.fence = *change->second;
    } else {
      statement.kind = StatementKind::block;
    }
  });
  return result;
}

std::vector<Update> updates(const lang::Program& program) {
  std::map<Place, std::string> found;
  walk_threads(program, [&](const Statement& statement, const lang::Body&) {
    if (is_update(statement, program))
      found[place_of(statement.range)] = program.variables[statement.id].name;
  });
  std::vector<Update> result;
  for (const auto& [place, variable] : found) result.push_back({place, variable});
  return result;
}

lang::Program watching(const lang::Program& program, Place place) {
  lang::Program result = program;
  result.properties.clear();
  result.final_block.reset();
  walk_threads(result, [](Statement& statement, const lang::Body&) {
    if (statement.kind == StatementKind::assert_) statement.kind = StatementKind::evaluate;
  });
  walk_threads(result, [&](Statement& statement, lang::Body& body) {
    if (is_update(statement, program) && place_of(statement.range) == place) watch(statement, body);
  });
  return result;
}

std::vector<HopelessAwait> hopeless_awaits(const lang::Program& program) {
  const std::vector<Values> values = possible_values(program);
  std::map<Place, std::optional<HopelessAwait>> found;
  walk_threads(program, [&](const Statement& statement, const lang::Body&) {
    if (statement.kind != StatementKind::await || !is_own(statement.range)) return;
    const Place place = place_of(statement.range);
    Await await(statement.expressions[0], program, values);
    const bool hopeless = await.hopeless();
    const auto [entry, fresh] = found.try_emplace(place);
    if (!hopeless) {
      entry->second.reset();
    } else if (fresh) {
      entry->second = HopelessAwait{place, await.names()};
    }
  });
  std::vector<HopelessAwait> result;
  for (const auto& [place, await] : found) {
    if (await) result.push_back(*await);
  }
  return result;
}

}  // namespace heddle::lint_trees
