#include "frontend/cpp/inspect/assembly_lines.h"

#include <algorithm>
#include <charconv>

namespace weft::detail {

namespace {

// Of "\t.loc\t0 12 3 is_stmt 0 # kernel.cpp:12:3" the second number: 12.
int line_of(std::string_view directive) {
  int line = 0;
  const size_t file = directive.find_first_of("0123456789"), next = directive.find(' ', file);
  if (next != std::string_view::npos)
    std::from_chars(directive.data() + next + 1, directive.data() + directive.size(), line);
  return line;
}

std::string_view trimmed(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

bool is_for_debuggers(std::string_view line) {
  constexpr std::string_view kStarts[] = {".Ltmp",         ".Lfunc_begin", ".Lfunc_end",   ".cfi_",
                                          ".file",         ".Lsec_end",    "#DEBUG_VALUE", "# %bb",
                                          ".Linfo_string", ".addrsig",     ".ident"};
  return std::ranges::any_of(kStarts, [&](std::string_view start) { return line.starts_with(start); });
}

}  // namespace

bool is_instruction(std::string_view line) {
  const std::string_view text = trimmed(line);
  return line.starts_with('\t') && !text.empty() && !text.starts_with('.') && !text.starts_with('#');
}

AssemblyLines assembly_lines(std::string_view assembly) {
  AssemblyLines out;
  int line = 0;
  bool skips = false;  // a section that only a debugger reads
  while (!assembly.empty()) {
    const size_t end = std::min(assembly.find('\n'), assembly.size());
    const std::string_view whole = assembly.substr(0, end), text = trimmed(whole);
    assembly.remove_prefix(std::min(end + 1, assembly.size()));
    if (text.starts_with(".section") || text == ".text")
      skips =
          text.find(".debug_") != std::string_view::npos || text.find("note.GNU") != std::string_view::npos;
    if (text.starts_with(".loc")) line = line_of(text);
    if (skips || text.empty() || text.starts_with(".loc") || is_for_debuggers(text)) continue;
    out.text.append(whole).push_back('\n');
    out.lines.push_back(is_instruction(whole) ? line : 0);
  }
  return out;
}

}  // namespace weft::detail
