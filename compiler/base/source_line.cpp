#include "compiler/base/source_line.h"

#include <string_view>

namespace weft {

std::string to_string(std::span<const SourceLine> lines) {
  std::string text;
  for (const SourceLine& at : lines) {
    std::string_view file = at.file;
    file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
    if (!text.empty()) text += ", ";
    text += std::string(file) + ":" + std::to_string(at.line);
  }
  return text;
}

}  // namespace weft
