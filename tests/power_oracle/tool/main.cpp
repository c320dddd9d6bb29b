// heddle_power_oracle [-D NAME=VALUE] [--unroll N] [--all] FILE...: what the axioms of POWER say of programs,
// and with --all whether every algorithm agrees.
#include <cstdlib>
#include <iostream>
#include <string>

#include "checker/api/state.hpp"
#include "tests/power_oracle/compare.hpp"

int main(int count, char** arguments) {
  heddle::CompileOptions compile;
  heddle::power_oracle::Options options{
      .most_paths = 20'000, .most_combinations = 10'000'000, .most_candidates = 1'000'000'000};
  bool all = false;
  int differences = 0;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--all") {
      all = true;
    } else if (argument == "--naive") {
      options.deduce = false;
    } else if (argument == "--unroll" && i + 1 < count) {
      compile.unroll = static_cast<std::uint32_t>(std::strtoul(arguments[++i], nullptr, 10));
    } else if (argument == "-D" && i + 1 < count) {
      const std::string setting = arguments[++i];
      const auto equals = setting.find('=');
      compile.parameters[setting.substr(0, equals)] = std::strtoll(setting.c_str() + equals + 1, nullptr, 10);
    } else {
      const auto program = heddle::Program::from_file(argument, compile);
      if (!program) {
        std::cerr << program.error().front().text;
        return 2;
      }
      try {
        if (all) {
          const auto comparison = heddle::power_oracle::compare(*program, options);
          std::cout << argument << ": " << comparison.skipped << "\n";
          if (comparison.skipped.empty())
            std::cout << heddle::power_oracle::describe(*program, comparison.judgement);
          std::cout << comparison.difference;
          if (!comparison.difference.empty()) ++differences;
        } else {
          options.unroll = compile.unroll;
          const auto judgement = heddle::power_oracle::judge(state_of(*program).tree, options);
          std::cout << argument << ": " << heddle::power_oracle::describe(*program, judgement);
        }
      } catch (const heddle::power_oracle::TooLarge& reason) {
        std::cout << argument << ": " << reason.what() << "\n";
      }
    }
  }
  return differences == 0 ? 0 : 1;
}
