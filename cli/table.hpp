// Tables of text and CSV.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::cli {

// Lines of a table: cells padded to the widest of their column, the first `left` columns aligned to the left.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& lines, std::size_t left);

// The columns that a table of these lines takes.
[[nodiscard]] std::size_t table_width(const std::vector<std::vector<std::string>>& lines);

// One record of a CSV file (RFC 4180), with its line end.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

}  // namespace heddle::cli
