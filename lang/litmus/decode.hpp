// Shared by the two decoders: labels, and operands by position with their errors.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include "lang/litmus/instructions.hpp"
#include "lang/litmus/tables.hpp"

namespace heddle::lang::litmus {

[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Rows of the instruction tables.
struct Branch {
  std::string_view name;
  Relation relation;
};

struct Barrier {
  std::string_view name;
  FenceKind kind;
};

// Thrown to abandon the decoding of one instruction; the error has been reported.
struct Undecodable {};

// Finds labels and decodes line by line. `Machine` has `void decode(const Line&, Instruction&)`.
class Decoder {
 public:
  Decoder(Registers& registers, Diagnostics& diagnostics)
      : registers_(registers), diagnostics_(diagnostics) {}

  template <typename Decode>
  std::vector<Instruction> run(std::span<const Line> lines, Decode&& decode) {
    std::vector<Instruction> code;
    for (const Line& line : lines) {
      for (const Word& label : line.labels) {
        if (find(label.text)) {
          diagnostics_.error(label.range, fmt::format("the label '{}' is defined twice", label.text));
        }
        labels_.emplace_back(label.text, code.size());
      }
      if (line.mnemonic.empty()) continue;
      Instruction& instruction = code.emplace_back();
      instruction.range = line.range;
      try {
        decode(line, instruction);
      } catch (const Undecodable&) {
        instruction = {};
      }
    }
    for (const auto& [index, label] : jumps_) {
      if (const auto place = find(label.text)) {
        code[index].destination = *place;
      } else {
        diagnostics_.error(label.range, fmt::format("there is no label '{}' in this thread", label.text));
      }
    }
    return code;
  }

  [[noreturn]] void refuse(const SourceRange& range, std::string message, std::string hint = {}) {
    diagnostics_.error(range, std::move(message), std::move(hint));
    throw Undecodable{};
  }

  void expect(const Line& line, std::size_t count) {
    if (line.operands.size() == count) return;
    refuse(line.range, fmt::format("'{}' takes {} operand{}, not {}", line.mnemonic.back().text, count,
                                   count == 1 ? "" : "s", line.operands.size()));
  }

  void fence(const Line& line, const Barrier& barrier, Instruction& instruction) {
    expect(line, 0);
    instruction.kind = InstructionKind::fence;
    instruction.fence = barrier.kind;
  }

  void jump_to(const Operand& operand, std::size_t index) {
    if (operand.kind != OperandKind::word) refuse(operand.range, "expected a label");
    jumps_.emplace_back(index, operand.name);
  }

  RegisterId id(std::string_view canonical) { return registers_.id(canonical); }

 private:
  [[nodiscard]] std::optional<std::size_t> find(std::string_view label) const {
    const auto found =
        std::find_if(labels_.begin(), labels_.end(), [&](const auto& entry) { return entry.first == label; });
    if (found == labels_.end()) return {};
    return found->second;
  }

  Registers& registers_;
  Diagnostics& diagnostics_;
  std::vector<std::pair<std::string_view, std::size_t>> labels_;
  std::vector<std::pair<std::size_t, Word>> jumps_;
};

}  // namespace heddle::lang::litmus
