// Widths, wrapping, numbers and misspellings.
#include "cli/text.hpp"

#include <doctest/doctest.h>

namespace heddle::cli {

TEST_CASE("width counts columns, not bytes") {
  CHECK(display_width("") == 0);
  CHECK(display_width("abc") == 3);
  CHECK(display_width("\xC3\xA4") == 1);                  // a letter with an umlaut
  CHECK(display_width("a\xCC\x88") == 1);                 // the same as two code points
  CHECK(display_width("\xE6\x97\xA5\xE6\x9C\xAC") == 4);  // two wide characters
  CHECK(display_width("\xFF\xFE") == 2);                  // not UTF-8
  CHECK(display_width("\xE6\x97") == 2);                  // cut off
  CHECK(display_width("\xED\xA0\x80") == 3);              // a surrogate
}

TEST_CASE("control characters and bytes that are not UTF-8 are replaced") {
  CHECK(clean("a\x1b[31mb\tc\n") == "a [31mb c ");
  CHECK(clean("a\nb", true) == "a\nb");
  CHECK(clean("\xC2\x9B"
              "31m") == " 31m");  // the one-character form of ESC [
  CHECK(clean("a\xE2\x80\xAE"
              "b") == "a b");  // right-to-left override
  CHECK(clean("\xFFx") == "\xEF\xBF\xBDx");
  CHECK(one_line("  a\n   b\t c ") == "a b c");
}

TEST_CASE("text is shortened to a width in columns") {
  CHECK(shorten("abcdef", 6) == "abcdef");
  CHECK(shorten("abcdef", 5) == "ab...");
  CHECK(shorten("abcdef", 2) == "..");
  CHECK(shorten("abcdef", 0).empty());
  CHECK(shorten("\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E", 5) == "\xE6\x97\xA5...");
  CHECK(pad_right("\xC3\xA4", 3) == "\xC3\xA4  ");
  CHECK(pad_left("12", 4) == "  12");
  CHECK(pad_left("12345", 4) == "12345");
}

TEST_CASE("lines are broken at spaces and indented") {
  CHECK(wrap("one two three", 100, 2) == "one two three");
  CHECK(wrap("one two three", 9, 2) == "one two\n  three");
  CHECK(wrap("one unbreakable", 6, 2) == "one\n  unbreakable");
  CHECK(wrap("", 10, 2).empty());
}

TEST_CASE("numbers are formatted for people") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(18446744073709551615U) == "18,446,744,073,709,551,615");
  CHECK(counted(1, "execution") == "1 execution");
  CHECK(counted(0, "execution") == "0 executions");
  CHECK(duration(0.00042) == "0.42 ms");
  CHECK(duration(0.042) == "0.042 s");
  CHECK(duration(75) == "1 min 15 s");
  CHECK(duration(3700) == "1 h 01 min");
  CHECK(byte_size(1) == "1 byte");
  CHECK(byte_size(1536) == "1.5 KiB");
  CHECK(byte_size(18446744073709551615U) == "16777216.0 TiB");
  CHECK(magnitude(1234) == "1,234");
  CHECK(magnitude(1234567) == "1.2 million");
}

TEST_CASE("a close misspelling is recognised, a distant one is not") {
  const std::vector<std::string> names = {"--model", "--algorithm", "--unroll"};
  CHECK(near_miss("--modle", names) == "--model");
  CHECK(near_miss("--algoritm", names) == "--algorithm");
  CHECK(near_miss("--frobnicate", names).empty());
  CHECK(near_miss("", names).empty());
  CHECK(near_miss("tsp", {"sc", "tso", "pso"}) == "tso");
  CHECK(near_miss(std::string(1'000'000, 'x'), names).empty());
}

}  // namespace heddle::cli
