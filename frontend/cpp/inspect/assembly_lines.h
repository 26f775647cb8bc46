// Assembly as people read it, and which line of its source each line is of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::detail {

struct AssemblyLines {
  std::string text;        // without what only a debugger reads
  std::vector<int> lines;  // of each line of the text the line of the source, from 1; 0: none
};

// Whether a line of assembly is one: what begins with a dot tells the assembler something.
bool is_instruction(std::string_view line);
// Of what LLVM prints with line tables (.loc).
AssemblyLines assembly_lines(std::string_view assembly);

}  // namespace weft::detail
