#include "tests/jit/host.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "lang/frontend.hpp"

namespace heddle::test {
namespace {

lang::Program parse(lang::SourceMap& sources, const std::string& source) {
  const std::uint32_t file = sources.add("test.hed", source);
  lang::Diagnostics diagnostics;
  auto program = lang::parse_program(sources, file, {}, diagnostics);
  std::string errors;
  for (const lang::Diagnostic& diagnostic : diagnostics.errors()) errors += lang::render(diagnostic, sources);
  INFO(errors);
  REQUIRE(program.has_value());
  return std::move(*program);
}

compiler::LoweredProgramsPointer lower(const std::string& source, const compiler::Options& options) {
  lang::SourceMap sources;
  return compiler::lower(parse(sources, source), sources, options);
}

std::uint64_t unsigned_of(std::int64_t value) { return static_cast<std::uint64_t>(value); }
std::int64_t wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::string range(const compiler::Mailbox& request) {
  return std::to_string(request.value) + ".." + std::to_string(request.expected);
}

}  // namespace

Block::Block(std::size_t size) : storage_(size + compiler::block_alignment), size_(size) {
  void* start = storage_.data();
  std::size_t space = storage_.size();
  data_ = static_cast<std::byte*>(std::align(compiler::block_alignment, size, start, space));
}

void Block::restore(const std::vector<std::byte>& bytes) {
  REQUIRE(bytes.size() == size_);
  std::copy(bytes.begin(), bytes.end(), data_);
}

lang::Program parse(const std::string& source) {
  lang::SourceMap sources;
  return parse(sources, source);
}

std::shared_ptr<const compiler::Image> compile(const std::string& source, const compiler::Options& options) {
  auto images = jit::load(lower(source, options));
  REQUIRE_MESSAGE(images.index() == 0, std::get<std::string>(images));
  return std::get<0>(images).front();
}

std::string ir(const std::string& source, const compiler::Options& options) {
  return compiler::print_ir(*lower(source, options));
}

std::string describe(const compiler::Image& image, const compiler::Mailbox& request) {
  using compiler::Op;
  const auto name = [&] { return image.locations.at(request.location).name; };
  const auto value = [&] { return std::to_string(request.value); };
  const auto condition = [&](const char* relation) {
    return " if " + std::string(relation) + " " + std::to_string(request.expected);
  };
  switch (request.op) {
    case Op::load: return (request.in_await != 0 ? "await load " : "load ") + name();
    case Op::store: return "store " + name() + " = " + value();
    case Op::exchange: return "exchange " + name() + " = " + value();
    case Op::compare_exchange:
      return "cas " + name() + " " + std::to_string(request.expected) + " = " + value();
    case Op::fetch_add: return "fetch_add " + name() + " " + value();
    case Op::fetch_sub: return "fetch_sub " + name() + " " + value();
    case Op::fetch_and: return "fetch_and " + name() + " " + value();
    case Op::fetch_or: return "fetch_or " + name() + " " + value();
    case Op::fetch_xor: return "fetch_xor " + name() + " " + value();
    case Op::fetch_max: return "fetch_max " + name() + " " + value();
    case Op::fetch_min: return "fetch_min " + name() + " " + value();
    case Op::exchange_if_equal: return "exchange " + name() + " = " + value() + condition("==");
    case Op::add_if_equal: return "add " + name() + " " + value() + condition("==");
    case Op::add_if_at_least: return "add " + name() + " " + value() + condition(">=");
    case Op::add_if_at_most: return "add " + name() + " " + value() + condition("<=");
    case Op::fence: {
      static const char* const names[] = {"fence", "fence lw", "fence st", "fence isync"};
      return names[static_cast<std::size_t>(request.fence)];
    }
    case Op::lock: return "lock " + name();
    case Op::unlock: return "unlock " + name();
    case Op::try_lock: return "trylock " + name();
    case Op::choose: return "choose " + range(request);
    case Op::need: return "need " + value();
    case Op::assertion: return "assertion " + value();
    case Op::assumption: return "assumption " + value();
    case Op::await_failed: return "await_failed";
    case Op::assume_failed: return "assume_failed";
    case Op::idle_round: return "idle_round";
    case Op::loop_bound: return "loop_bound";
    case Op::round_limit: return "round_limit";
    case Op::assert_failed: return "assert_failed " + image.sites.at(request.site).message;
    case Op::index_out_of_bounds:
      return "index_out_of_bounds " + value() + " of " + std::to_string(request.expected);
    case Op::division_by_zero: return "division_by_zero";
    case Op::empty_choice: return "empty_choice " + range(request);
    case Op::done: return "done";
  }
  return "nothing that there is";
}

Host::Host(const compiler::Image& image) : image_(image) {
  for (const compiler::LocationImage& location : image.locations) memory.push_back(location.initial);
}

std::vector<std::string> Host::run(std::size_t thread, std::size_t steps) {
  return run(image_.threads.at(thread), steps);
}

std::vector<std::string> Host::run(const compiler::ThreadImage& thread, std::size_t steps) {
  std::vector<std::string> log;
  Block block(thread.block_size);
  thread.start(block.data(), thread.argument);
  while (true) {
    if (at_suspension) at_suspension(block);
    compiler::Mailbox& request = compiler::mailbox(block.data());
    CHECK(request.site < image_.sites.size());
    if (request.op == compiler::Op::need) {
      // Every load has its true value by now.
      compiler::resume(block.data());
      continue;
    }
    // For the same reason, the claim can be judged at once.
    if (request.op == compiler::Op::assertion || request.op == compiler::Op::assumption) {
      if (request.value != 0) {
        compiler::resume(block.data());
        continue;
      }
      request.op =
          request.op == compiler::Op::assertion ? compiler::Op::assert_failed : compiler::Op::assume_failed;
    }
    std::string entry = describe(image_, request);
    const bool go_on = perform(request, entry);
    log.push_back(std::move(entry));
    if (!go_on || log.size() >= steps) break;
    compiler::resume(block.data());
  }
  locals.clear();
  for (const compiler::LocalImage& local : thread.locals) {
    std::int64_t value = 0;
    std::memcpy(&value, block.data() + local.offset, sizeof value);
    locals.push_back(local.name + " = " +
                     (local.type.boolean ? (value != 0 ? "true" : "false") : std::to_string(value)));
  }
  last_block = block.bytes();
  return log;
}

bool Host::perform(compiler::Mailbox& request, std::string& entry) {
  using compiler::Op;
  std::int64_t none = 0;
  const bool located = request.op <= Op::try_lock && request.op != Op::fence;
  std::int64_t& cell = located ? memory.at(request.location) : none;
  const std::int64_t old = cell;
  switch (request.op) {
    case Op::load: break;
    case Op::store: cell = request.value; return true;
    case Op::exchange: cell = request.value; break;
    case Op::compare_exchange:
      if (old == request.expected) cell = request.value;
      break;
    case Op::exchange_if_equal:
      if (old == request.expected) cell = request.value;
      break;
    case Op::add_if_equal:
    case Op::add_if_at_least:
    case Op::add_if_at_most: {
      const bool equal = request.op == Op::add_if_equal && old == request.expected;
      const bool above = request.op == Op::add_if_at_least && old >= request.expected;
      const bool below = request.op == Op::add_if_at_most && old <= request.expected;
      if (equal || above || below) cell = wrapped(unsigned_of(cell) + unsigned_of(request.value));
      break;
    }
    case Op::fetch_add: cell = wrapped(unsigned_of(cell) + unsigned_of(request.value)); break;
    case Op::fetch_sub: cell = wrapped(unsigned_of(cell) - unsigned_of(request.value)); break;
    case Op::fetch_and: cell &= request.value; break;
    case Op::fetch_or: cell |= request.value; break;
    case Op::fetch_xor: cell ^= request.value; break;
    case Op::fetch_max: cell = std::max(cell, request.value); break;
    case Op::fetch_min: cell = std::min(cell, request.value); break;
    case Op::fence: return true;
    case Op::lock: cell = 1; return true;
    case Op::unlock: cell = 0; return true;
    case Op::try_lock:
      cell = 1;
      request.value = old == 0 ? 1 : 0;
      entry += " -> " + std::to_string(request.value);
      return true;
    case Op::choose:
      if (!choices.empty()) {
        request.value = choices.front();
        choices.pop_front();
      }
      entry += " -> " + std::to_string(request.value);
      return true;
    case Op::await_failed:
      if (!on_await_failed) return false;
      on_await_failed(*this);
      return true;
    case Op::assert_failed: return resumes_after_assertions;
    default: return false;
  }
  request.value = old;
  if (request.effect != compiler::UpdateEffect::not_asked && cell == old)
    request.effect = compiler::UpdateEffect::nothing;
  entry += " -> " + std::to_string(old);
  return true;
}

std::vector<std::string> log_of(const std::string& source, const Setup& setup, std::size_t thread,
                                const compiler::Options& options) {
  std::vector<std::string> first;
  std::vector<std::string> first_locals;
  std::vector<std::vector<std::byte>> machine_states;
  for (const bool optimise : {false, true}) {
    for (const std::uint32_t operations : {0U, 1'000'000U}) {
      compiler::Options variant = options;
      variant.optimise = optimise;
      variant.coroutine_operations = operations;
      const auto image = compile(source, variant);
      INFO((operations == 0 ? "as a machine" : "as a coroutine"), (optimise ? ", optimised" : ""));

      // All forms have the same mailbox and locals at every suspension. The bytes after them depend on the
      // form: the last slot may be padding in one and the index in another.
      std::vector<std::vector<std::byte>> states;
      Host plain(*image);
      if (setup) setup(plain);
      plain.at_suspension = [&](Block& block) {
        states.emplace_back(block.data() + compiler::mailbox_offset, block.data() + block.size());
      };
      const std::vector<std::string> log = plain.run(thread);
      if (machine_states.empty()) {
        first = log;
        first_locals = plain.locals;
        machine_states = states;
      }
      CHECK(log == first);
      CHECK(plain.locals == first_locals);
      REQUIRE(states.size() == machine_states.size());
      for (std::size_t step = 0; step < states.size(); ++step) {
        const auto end = static_cast<std::ptrdiff_t>(machine_states[step].size() - 8);
        CHECK(std::equal(machine_states[step].begin(), machine_states[step].begin() + end,
                         states[step].begin()));
      }

      Host scribbling(*image);
      if (setup) setup(scribbling);
      scribbling.at_suspension = [](Block& block) {
        const std::vector<std::byte> saved = block.bytes();
        std::fill_n(block.data(), block.size(), std::byte{0xa5});
        block.restore(saved);
      };
      CHECK(scribbling.run(thread) == first);
      CHECK(scribbling.last_block == plain.last_block);
    }
  }
  return first;
}

}  // namespace heddle::test
