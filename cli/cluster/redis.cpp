// The exchange on a Redis server: redis://HOST[:PORT][/DB], redis+unix:///PATH. All steps are those of
// exchange.lua; this file sends them, and reads the answers as what anyone may have written.
//
// Leases are a sorted set of deadlines. A stream with a consumer group would keep entries and deadlines, too, but
// not in the order of their depth; the id of an entry is no secret, so that a commit would need a token of its own
// to be refused; and one step would have to read both. A script that does all of it is shorter, and as safe.
#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string_view>
#include <thread>

#include "cli/cluster/exchange.hpp"
#include "cli/cluster/script.hpp"
#include "cli/text.hpp"

namespace heddle::cli {

namespace {

using Document = nlohmann::json;

// What one text of the server may take: a description, the text of a violation.
constexpr std::size_t longest_text = std::size_t{64} << 20;
constexpr std::chrono::milliseconds submitter_patience{10'000};

struct Address {
  std::string host;  // or the path of a socket
  int port = 6379;   // 0: a socket
  int database = 0;
};

int number_in(std::string_view text, int most) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > most) return -1;
  return value;
}

// Throws ExchangeError.
Address address_of(const std::string& url) {
  constexpr std::string_view tcp = "redis://", socket = "redis+unix://";
  const auto wrong = [&](std::string_view why) {
    return ExchangeError(fmt::format("'{}' is no address of a server: {}", shorten(one_line(url), 80), why));
  };
  Address address;
  std::string_view rest = url;
  if (rest.starts_with(socket)) {
    rest.remove_prefix(socket.size());
    if (!rest.starts_with('/')) throw wrong("redis+unix:///PATH needs an absolute path");
    address.host = rest;
    address.port = 0;
    return address;
  }
  if (!rest.starts_with(tcp)) throw wrong("write redis://HOST[:PORT][/DB] or redis+unix:///PATH");
  rest.remove_prefix(tcp.size());
  if (rest.find('@') != std::string_view::npos)
    throw wrong("passwords are given in the environment, as HEDDLE_REDIS_PASSWORD");
  if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
    if (slash + 1 < rest.size()) address.database = number_in(rest.substr(slash + 1), 1'000'000);
    if (address.database < 0) throw wrong("the part after the host is the number of a database");
    rest = rest.substr(0, slash);
  }
  const auto bracket = rest.find(']');  // [::1]:6379
  const auto colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    address.port = number_in(rest.substr(colon + 1), 65535);
    if (address.port <= 0) throw wrong("the port is a number up to 65535");
    rest = rest.substr(0, colon);
  }
  if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
  if (rest.empty()) throw wrong("the host is missing");
  address.host = rest;
  return address;
}

// -- Answers. Functions throw Strange for what this program never writes.

struct Strange : std::runtime_error {
  Strange() : std::runtime_error("an answer that this version does not understand") {}
};

class Answer {
 public:
  explicit Answer(const redisReply* reply) : reply_(reply) {
    if (reply == nullptr) throw Strange();
  }
  [[nodiscard]] bool is_nothing() const { return reply_->type == REDIS_REPLY_NIL; }
  [[nodiscard]] std::size_t size() const { return array().elements; }
  [[nodiscard]] Answer operator[](std::size_t index) const {
    if (index >= size()) throw Strange();
    return Answer(reply_->element[index]);
  }
  [[nodiscard]] std::string text() const {
    if (reply_->type != REDIS_REPLY_STRING && reply_->type != REDIS_REPLY_STATUS) throw Strange();
    if (reply_->len > longest_text) throw Strange();
    return {reply_->str, reply_->len};
  }
  [[nodiscard]] std::uint64_t number() const {
    if (reply_->type == REDIS_REPLY_INTEGER && reply_->integer >= 0)
      return static_cast<std::uint64_t>(reply_->integer);
    const std::string digits = text();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) throw Strange();
    return value;
  }
  // Of a list of names and values.
  template <typename Use>
  void for_each_pair(Use&& use) const {
    if (size() % 2 != 0) throw Strange();
    for (std::size_t i = 0; i < size(); i += 2) use((*this)[i].text(), (*this)[i + 1]);
  }

 private:
  [[nodiscard]] const redisReply& array() const {
    if (reply_->type != REDIS_REPLY_ARRAY) throw Strange();
    return *reply_;
  }
  const redisReply* reply_;
};

CheckState state_named(const std::string& name) {
  if (name == "running") return CheckState::running;
  if (name == "done") return CheckState::done;
  if (name == "over") return CheckState::over;
  if (name == "cancelled") return CheckState::cancelled;
  throw Strange();
}

double seconds_in(const Answer& milliseconds) { return static_cast<double>(milliseconds.number()) / 1000; }

// "EXECUTIONS" or "EXECUTIONS LOW HIGH".
std::string text_of(const Estimate& estimate) {
  return estimate.interval
             ? fmt::format("{} {} {}", estimate.executions, estimate.interval->low, estimate.interval->high)
             : fmt::format("{}", estimate.executions);
}
// Numbers, not negative, with a blank between each two.
std::vector<double> numbers_in(const std::string& text) {
  std::vector<double> numbers;
  const char* const all = text.data() + text.size();
  for (const char* place = text.data(); place != all;) {
    double number = 0;
    const auto [end, error] = std::from_chars(place, all, number);
    if (error != std::errc() || !std::isfinite(number) || number < 0) throw Strange();
    if (end != all && (*end != ' ' || end + 1 == all)) throw Strange();
    numbers.push_back(number);
    place = end == all ? all : end + 1;
  }
  return numbers;
}
std::optional<Estimate> estimate_in(const std::string& text) {
  const std::vector<double> numbers = numbers_in(text);
  if (numbers.empty()) return std::nullopt;
  if (numbers.size() != 1 && numbers.size() != 3) throw Strange();
  Estimate estimate;
  estimate.executions = numbers[0];
  if (numbers.size() == 3) estimate.interval = {numbers[1], numbers[2]};
  return estimate;
}

CheckStatus status_in(const Answer& answer) {
  CheckStatus status;
  if (answer.is_nothing()) return status;
  status.state = state_named(answer[0].text());
  status.reason = one_line(answer[1].text());
  status.progress = {.executions = answer[3].number(),
                     .blocked = answer[4].number(),
                     .transitions = answer[5].number(),
                     .seconds = seconds_in(answer[2])};
  status.open = answer[6].number();
  status.leased = answer[7].number();
  status.workers = answer[8].number();
  status.aside = answer[9].number();
  status.aside_because = one_line(answer[10].text());
  answer[12].for_each_pair([&](const std::string& worker, const Answer& why) {
    status.refusals.emplace_back(one_line(worker), one_line(why.text()));
  });
  status.expected = estimate_in(answer[13].text());
  const std::vector<double> rate = numbers_in(answer[14].text());
  if (rate.size() != 1) throw Strange();
  status.rate = rate[0];
  return status;
}

std::string about(const WorkerInfo& worker) { return fmt::format("{} {}", worker.jobs, worker.executions); }

// -- The connection.

class RedisExchange final : public Exchange {
 private:
  template <typename Use>
  auto read(const std::vector<std::string>& words, Use&& use) {
    const Reply reply = step(words);
    try {
      return use(Answer(reply.get()));
    } catch (const Strange& strange) {
      throw ExchangeError(
          fmt::format("the server has sent {}; is it used by something else?", strange.what()));
    }
  }

 public:
  explicit RedisExchange(ExchangeSettings settings)
      : settings_(std::move(settings)), address_(address_of(settings_.url)) {}

  bool submit(const Division& division, const std::string& submitter) override {
    const SearchPart whole = Division::whole();
    const Document named{{"file", division.program().name()},
                         {"model", division.options().model},
                         {"algorithm", division.options().algorithm}};
    const auto answer = step({"submit", division.id(), division.text(),
                              named.dump(-1, ' ', false, Document::error_handler_t::replace), submitter,
                              std::to_string(submitter_patience.count()), division.id(whole),
                              std::to_string(whole.depth), whole.text});
    return Answer(answer.get()).number() == 1;
  }

  CheckStatus status(const std::string& check, const std::string& submitter) override {
    return read({"status", check, submitter, std::to_string(submitter_patience.count())}, status_in);
  }

  CheckFindings findings(const std::string& check) override {
    return read({"findings", check}, [](const Answer& answer) {
      CheckFindings findings;
      findings.status = status_in(answer[0]);
      const auto numbers = [](const Answer& pairs, std::map<std::string, std::uint64_t>& into) {
        pairs.for_each_pair(
            [&](std::string name, const Answer& value) { into[std::move(name)] = value.number(); });
      };
      numbers(answer[1], findings.tally.sums);
      numbers(answer[2], findings.tally.maxima);
      answer[3].for_each_pair([&](std::string name, const Answer& value) {
        const std::string text = value.text();
        const auto blank = text.find(' ');
        if (blank == std::string::npos) throw Strange();
        findings.tally.firsts[std::move(name)] = {text.substr(0, blank), text.substr(blank + 1)};
      });
      findings.processes = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(answer[4].number(), std::numeric_limits<std::uint32_t>::max()));
      return findings;
    });
  }

  void expect(const std::string& check, const Estimate& estimate) override {
    step({"expect", check, text_of(estimate)});
  }

  void leave(const std::string& check, const std::string& submitter) override {
    step({"leave", check, submitter});
  }

  std::optional<Lease> take(const WorkerInfo& worker, const std::vector<std::string>& refused) override {
    Lease lease;
    lease.token = random_token();
    std::vector<std::string> words{"take", worker.id, about(worker), lease.token,
                                   std::to_string(settings_.lease.count())};
    words.insert(words.end(), refused.begin(), refused.end());
    return read(words, [&](const Answer& answer) -> std::optional<Lease> {
      if (answer.size() == 1) {
        idle_ = std::chrono::milliseconds(std::clamp<std::uint64_t>(answer[0].number(), 5, 5000));
        return std::nullopt;
      }
      lease.check = answer[0].text();
      lease.part = answer[1].text();
      return lease;
    });
  }

  std::optional<std::string> division(const std::string& check) override {
    return read({"division", check}, [](const Answer& answer) {
      return answer.is_nothing() ? std::nullopt : std::optional(answer.text());
    });
  }

  Renewal renew(const Lease& lease, const Progress& progress) override {
    const std::vector<std::string> words{
        "renew", lease.token, std::to_string(settings_.lease.count()),
        fmt::format("{} {} {}", progress.executions, progress.blocked, progress.transitions)};
    return read(words, [](const Answer& answer) {
      Renewal renewal;
      renewal.known = answer[0].number() == 1;
      renewal.parts_wanted = static_cast<std::uint32_t>(std::min<std::uint64_t>(answer[1].number(), 1000));
      renewal.next = std::chrono::milliseconds(std::clamp<std::uint64_t>(answer[2].number(), 5, 60'000));
      return renewal;
    });
  }

  bool commit(const Lease& lease, const WorkerInfo& worker, const Division& division,
              const Explored& explored) override {
    // Numbers travel as text: those of the script are floating-point numbers.
    Document sums = Document::object(), maxima = Document::object(), firsts = Document::object(),
             left = Document::array();
    for (const auto& [name, value] : explored.found.sums) sums[name] = std::to_string(value);
    for (const auto& [name, value] : explored.found.maxima) maxima[name] = std::to_string(value);
    for (const auto& [name, first] : explored.found.firsts) firsts[name] = {first.order, first.text};
    for (const SearchPart& part : explored.left) left.push_back({division.id(part), part.depth, part.text});
    const Document result{{"sums", std::move(sums)},     {"maxima", std::move(maxima)},
                          {"firsts", std::move(firsts)}, {"left", std::move(left)},
                          {"over", explored.over},       {"reason", explored.stopped_by}};
    const auto answer = step({"commit", lease.token, about(worker), result.dump()});
    return Answer(answer.get()).number() == 1;
  }

  void give_back(const Lease& lease, bool crashed, const std::string& reason) override {
    step({"give_back", lease.token, crashed ? "1" : "0", reason});
  }

  void refuse(const std::string& check, const WorkerInfo& worker, const std::string& reason) override {
    step({"refuse", check, worker.id, reason});
  }

  [[nodiscard]] std::chrono::milliseconds idle_period() const override { return idle_; }

  ClusterStatus overview() override {
    return read({"overview"}, [](const Answer& answer) {
      ClusterStatus cluster;
      const Answer workers = answer[0], checks = answer[1];
      for (std::size_t i = 0; i < workers.size(); ++i) {
        WorkerSummary& worker = cluster.workers.emplace_back();
        worker.info.id = one_line(workers[i][0].text());
        worker.silent = seconds_in(workers[i][2]);
        const std::string counts = workers[i][1].text();
        std::from_chars(counts.data(), counts.data() + counts.size(), worker.info.jobs);
        if (const auto blank = counts.find(' '); blank != std::string::npos)
          std::from_chars(counts.data() + blank + 1, counts.data() + counts.size(), worker.info.executions);
      }
      for (std::size_t i = 0; i < checks.size(); ++i) {
        CheckSummary& check = cluster.checks.emplace_back();
        check.id = one_line(checks[i][0].text());
        check.status = status_in(checks[i][1]);
        const Document named = Document::parse(checks[i][1][11].text(), nullptr, false);
        const auto word = [&](const char* name) {
          return named.is_object() && named.contains(name) && named[name].is_string()
                     ? one_line(named[name].get<std::string>())
                     : std::string();
        };
        check.file = word("file");
        check.model = word("model");
        check.algorithm = word("algorithm");
        const Answer oldest = checks[i][2];
        for (std::size_t j = 0; j < oldest.size(); ++j) {
          check.oldest.push_back({.worker = one_line(oldest[j][0].text()),
                                  .seconds = seconds_in(oldest[j][1]),
                                  .silent = seconds_in(oldest[j][2]),
                                  .executions = oldest[j][3].number()});
        }
      }
      return cluster;
    });
  }

  bool cancel(const std::string& check) override {
    const auto answer = step({"cancel", check});
    return Answer(answer.get()).number() == 1;
  }

 private:
  struct FreeContext {
    void operator()(redisContext* context) const { redisFree(context); }
  };
  struct FreeReply {
    void operator()(redisReply* reply) const { freeReplyObject(reply); }
  };
  using Context = std::unique_ptr<redisContext, FreeContext>;
  using Reply = std::unique_ptr<redisReply, FreeReply>;

  // Sends the step until it is answered. A step whose answer was lost is sent again, with the same token: no step
  // does anything twice.
  Reply step(const std::vector<std::string>& words) {
    std::chrono::milliseconds pause{20};
    for (;;) {
      std::string why;
      if (context_ || connect(why)) {
        if (Reply reply = try_step(words, why)) return reply;
        context_.reset();
      }
      if (!settings_.patience || !settings_.patience(why)) throw ExchangeError(why);
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::milliseconds(1000));
    }
  }

  Reply try_step(const std::vector<std::string>& words, std::string& why) {
    if (Reply reply = evaluate("EVALSHA", sha_, words, why)) {
      if (reply->type != REDIS_REPLY_ERROR) return reply;
      const std::string error(reply->str, reply->len);
      if (!error.starts_with("NOSCRIPT")) return refused(error, why);
      reply = evaluate("EVAL", std::string(exchange_script()), words, why);
      if (reply == nullptr || reply->type != REDIS_REPLY_ERROR) return reply;
      return refused(std::string(reply->str, reply->len), why);
    }
    return nullptr;
  }

  // An error that will pass is a reason to try again, another one is thrown.
  Reply refused(const std::string& error, std::string& why) {
    why = fmt::format("the server at {} refuses: {}", settings_.url, shorten(one_line(error), 200));
    for (const std::string_view passing : {"LOADING", "BUSY", "OOM", "MASTERDOWN", "READONLY", "MISCONF"}) {
      if (error.starts_with(passing)) return nullptr;
    }
    throw ExchangeError(why);
  }

  Reply evaluate(const char* command, const std::string& script, const std::vector<std::string>& words,
                 std::string& why) {
    std::vector<const char*> texts{command, script.data(), "0"};
    std::vector<std::size_t> lengths{std::string_view(command).size(), script.size(), 1};
    for (const std::string& word : words) {
      texts.push_back(word.data());
      lengths.push_back(word.size());
    }
    Reply reply(static_cast<redisReply*>(
        redisCommandArgv(context_.get(), static_cast<int>(texts.size()), texts.data(), lengths.data())));
    if (reply == nullptr) why = unreachable(context_.get());
    return reply;
  }

  std::string unreachable(const redisContext* context) const {
    return fmt::format("the server at {} does not answer: {}", settings_.url,
                       context == nullptr ? "out of memory" : one_line(context->errstr));
  }

  bool connect(std::string& why) {
    const timeval to_connect{.tv_sec = 5, .tv_usec = 0}, to_answer{.tv_sec = 30, .tv_usec = 0};
    Context context(address_.port == 0
                        ? redisConnectUnixWithTimeout(address_.host.c_str(), to_connect)
                        : redisConnectWithTimeout(address_.host.c_str(), address_.port, to_connect));
    if (context == nullptr || context->err != 0) {
      why = unreachable(context.get());
      return false;
    }
    redisSetTimeout(context.get(), to_answer);
    if (address_.port != 0) redisEnableKeepAlive(context.get());
    context_ = std::move(context);
    const char* const user = std::getenv("HEDDLE_REDIS_USER");
    const char* const password = std::getenv("HEDDLE_REDIS_PASSWORD");
    bool ready = true;
    if (password != nullptr) {
      ready = user != nullptr ? call({"AUTH", user, password}, why).has_value()
                              : call({"AUTH", password}, why).has_value();
    }
    // Shows in plain words that a password is missing.
    ready = ready && call({"PING"}, why).has_value();
    if (ready && address_.database != 0)
      ready = call({"SELECT", std::to_string(address_.database)}, why).has_value();
    if (ready && sha_.empty()) {
      if (const auto sha = call({"SCRIPT", "LOAD", std::string(exchange_script())}, why)) sha_ = *sha;
      ready = !sha_.empty();
    }
    if (!ready) context_.reset();
    return ready;
  }

  // A command with a text as its answer; nothing: the connection is lost.
  std::optional<std::string> call(const std::vector<std::string>& words, std::string& why) {
    std::vector<const char*> texts;
    std::vector<std::size_t> lengths;
    for (const std::string& word : words) {
      texts.push_back(word.data());
      lengths.push_back(word.size());
    }
    const Reply reply(static_cast<redisReply*>(
        redisCommandArgv(context_.get(), static_cast<int>(texts.size()), texts.data(), lengths.data())));
    if (reply == nullptr) {
      why = unreachable(context_.get());
      return std::nullopt;
    }
    if (reply->type == REDIS_REPLY_ERROR) {
      if (refused(std::string(reply->str, reply->len), why) == nullptr) return std::nullopt;
    }
    if (reply->type != REDIS_REPLY_STATUS && reply->type != REDIS_REPLY_STRING)
      throw ExchangeError(fmt::format("what answers at {} is no Redis server", settings_.url));
    return std::string(reply->str, reply->len);
  }

  ExchangeSettings settings_;
  Address address_;
  Context context_;
  std::string sha_;
  std::chrono::milliseconds idle_{20};
};

}  // namespace

std::unique_ptr<Exchange> open_exchange(const ExchangeSettings& settings) {
  return std::make_unique<RedisExchange>(settings);
}

std::string why_not_url(const std::string& url) {
  try {
    static_cast<void>(address_of(url));
    return {};
  } catch (const ExchangeError& error) {
    return error.what();
  }
}

std::string random_token() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace heddle::cli
