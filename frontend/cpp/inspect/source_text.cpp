#include "frontend/cpp/inspect/source_text.h"

#include <atomic>
#include <fstream>
#include <istream>
#include <sstream>

namespace weft::detail {

namespace {

std::atomic<std::string (*)(const std::string& file)> read_source{nullptr};

}  // namespace

void on_source(std::string (*read)(const std::string& file)) { read_source = read; }

std::vector<std::string> text_of_file(const std::string& name, uint32_t most) {
  std::ifstream on_disk(name);
  std::istringstream elsewhere;
  if (!on_disk)
    if (const auto read = read_source.load()) elsewhere.str(read(name));
  std::istream& file = on_disk ? static_cast<std::istream&>(on_disk) : elsewhere;
  std::vector<std::string> lines;
  for (std::string text; lines.size() < most && std::getline(file, text);) lines.push_back(text);
  return lines;
}

std::string line_text(const SourceLine& line) {
  if (!line.file) return "";
  const std::vector<std::string> all = text_of_file(line.file, line.line);
  return line.line > 0 && all.size() >= line.line ? all[line.line - 1] : "";
}

}  // namespace weft::detail
