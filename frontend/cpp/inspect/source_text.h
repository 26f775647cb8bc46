// The text of the user's lines, as far as it can be read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/base/source_line.h"

namespace weft::detail {

// Who knows the text of files that are on no disk, as a notebook's cells; empty: nobody. `read` gives "" for others.
void on_source(std::string (*read)(const std::string& file));
// The first lines of a file.
std::vector<std::string> text_of_file(const std::string& name, uint32_t most);
// One line; empty where it cannot be read.
std::string line_text(const SourceLine& line);

}  // namespace weft::detail
