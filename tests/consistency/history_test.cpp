// check_consistency on histories in the public format.
#include <doctest/doctest.h>

#include <string>

#include "heddle/consistency.h"

namespace {

using heddle::History;
using heddle::HistoryEvent;
using heddle::Realisability;
using Kind = heddle::HistoryEvent::Kind;

HistoryEvent read(const char* location, std::int64_t value) {
  return {.kind = Kind::read, .location = location, .read = value, .written = {}, .source = {}};
}
HistoryEvent write(const char* location, std::int64_t value) {
  return {.kind = Kind::write, .location = location, .read = {}, .written = value, .source = {}};
}
HistoryEvent update(const char* location, std::int64_t value, std::int64_t written) {
  return {.kind = Kind::update, .location = location, .read = value, .written = written, .source = {}};
}
HistoryEvent plain(Kind kind, const char* location = "") {
  return {.kind = kind, .location = location, .read = {}, .written = {}, .source = {}};
}

History history(std::vector<std::vector<HistoryEvent>> threads) {
  History result;
  for (auto& events : threads)
    result.threads.push_back({"t" + std::to_string(result.threads.size()), std::move(events)});
  return result;
}

// "sc tso pso": '+' realisable, '-' not, '?' undecided.
std::string verdicts(const History& history, const heddle::ConsistencyOptions& options = {}) {
  const auto results = heddle::check_consistency(history, options);
  REQUIRE(results);
  std::string text;
  for (const auto& result : *results) {
    text += result.verdict == Realisability::realisable     ? '+'
            : result.verdict == Realisability::unrealisable ? '-'
                                                            : '?';
    CHECK_EQ(result.witness.empty(), result.verdict != Realisability::realisable);
  }
  return text;
}

std::string error(const History& history) {
  const auto results = heddle::check_consistency(history);
  REQUIRE_FALSE(results);
  return results.error().front().message;
}

}  // namespace

TEST_CASE("store buffering needs store buffers, and fences forbid it") {
  CHECK_EQ(verdicts(history({{write("x", 1), read("y", 0)}, {write("y", 1), read("x", 0)}})), "-++");
  const auto fence = plain(Kind::fence);
  CHECK_EQ(verdicts(history({{write("x", 1), fence, read("y", 0)}, {write("y", 1), fence, read("x", 0)}})),
           "---");
}

TEST_CASE("message passing fails under PSO only, and not with a store-store fence") {
  CHECK_EQ(verdicts(history({{write("x", 1), write("y", 1)}, {read("y", 1), read("x", 0)}})), "--+");
  CHECK_EQ(verdicts(history(
               {{write("x", 1), plain(Kind::store_fence), write("y", 1)}, {read("y", 1), read("x", 0)}})),
           "---");
}

TEST_CASE("two updates cannot read the same write") {
  CHECK_EQ(verdicts(history({{update("x", 0, 1)}, {update("x", 0, 1)}})), "---");
  CHECK_EQ(verdicts(history({{update("x", 0, 1)}, {update("x", 1, 2)}})), "+++");
}

TEST_CASE("if several writes have the value read, each is tried") {
  // Only the later write of 1 explains both reads.
  CHECK_EQ(verdicts(history({{write("x", 1), write("x", 2), write("x", 1)}, {read("x", 2), read("x", 1)}})),
           "+++");
  CHECK_EQ(verdicts(history({{write("x", 1), write("x", 2)}, {read("x", 2), read("x", 1)}})), "---");
}

TEST_CASE("critical sections of one mutex exclude each other") {
  const auto lock = plain(Kind::lock, "m");
  const auto unlock = plain(Kind::unlock, "m");
  CHECK_EQ(verdicts(history({{lock, write("x", 1), write("x", 2), unlock}, {lock, read("x", 2), unlock}})),
           "+++");
  CHECK_EQ(verdicts(history({{lock, write("x", 1), write("x", 2), unlock}, {lock, read("x", 1), unlock}})),
           "---");
}

TEST_CASE("an empty history is realisable, with and without threads") {
  const auto results = heddle::check_consistency(history({}));
  REQUIRE(results);
  CHECK_EQ(results->front().verdict, Realisability::realisable);
  CHECK_EQ(heddle::check_consistency(history({{}, {}}))->front().verdict, Realisability::realisable);
}

TEST_CASE("a search with too small a limit is undecided") {
  auto events = history({{write("x", 1), read("y", 0)}, {write("y", 1), read("x", 0)}});
  CHECK_EQ(verdicts(events, {.models = {"sc"}, .closure = true, .max_states = 1}), "?");
}

TEST_CASE("errors in a history are reported") {
  CHECK_EQ(error(history({{plain(Kind::read)}})), "event 0 of thread 't0' has no location");
  CHECK_EQ(error(history({{plain(Kind::unlock, "m")}})),
           "event 0 of thread 't0': unlock of 'm', which the thread does not hold");
  CHECK_EQ(error(history({{plain(Kind::lock, "m"), plain(Kind::lock, "m")}})),
           "event 1 of thread 't0': lock of 'm', which the thread holds already");
  CHECK_EQ(error(history({{plain(Kind::lock, "m"), plain(Kind::read, "m")}})),
           "event 1 of thread 't0': 'm' is used both as a mutex and as a variable");
  auto wrong = history({{write("x", 1)}, {read("x", 2)}});
  wrong.threads[1].events[0].source = heddle::HistorySource{false, 0, 0};
  CHECK_EQ(error(wrong), "event 0 of thread 't1' reads 2 from event 0 of thread 't0', which writes 1");
  wrong.threads[1].events[0].source = heddle::HistorySource{false, 7, 0};
  CHECK_EQ(error(wrong), "event 0 of thread 't1' reads from an event that does not exist");
  CHECK_FALSE(heddle::check_consistency(history({}), {.models = {"power"}}));
}
