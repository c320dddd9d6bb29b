// The program `heddle`: the command line on top of the public interface. No exception may escape.
#include <exception>
#include <new>
#include <string>

#include "cli/commands.hpp"
#include "cli/terminal.hpp"

int main(int count, char** arguments) {
  try {
    return heddle::cli::run(count, arguments);
  } catch (const std::bad_alloc&) {
    heddle::cli::write_error("heddle: out of memory, so nothing is decided\n");
    return 3;
  } catch (const std::exception& error) {
    heddle::cli::write_error(std::string("heddle: internal error: ") + error.what() + "\n");
    return 2;
  }
}
