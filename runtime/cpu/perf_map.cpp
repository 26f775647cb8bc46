#include "runtime/cpu/perf_map.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <mutex>
#include <string_view>

namespace weft::runtime {

namespace {

template <class T>
bool read(std::string_view bytes, uint64_t at, T& out) {
  if (at > bytes.size() || bytes.size() - at < sizeof out) return false;
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return true;
}

std::string_view text_at(std::string_view bytes, const Elf64_Shdr& strings, uint64_t at) {
  const uint64_t from = strings.sh_offset + at;
  if (at >= strings.sh_size || from >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(from);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

std::vector<CodeRange> functions_of(std::string_view object, std::string_view entry, uint64_t address) {
  Elf64_Ehdr header;
  if (!read(object, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  const auto section = [&](uint64_t number, Elf64_Shdr& out) {
    return number < header.e_shnum && read(object, header.e_shoff + number * sizeof(Elf64_Shdr), out);
  };
  Elf64_Shdr table, strings;
  uint64_t k = 0;
  while (section(k, table) && table.sh_type != SHT_SYMTAB) ++k;
  if (k == header.e_shnum || !section(table.sh_link, strings)) return {};
  std::vector<Elf64_Sym> functions;
  const Elf64_Sym* first = nullptr;
  functions.reserve(table.sh_size / sizeof(Elf64_Sym));
  for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    if (!read(object, table.sh_offset + at, symbol) || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    functions.push_back(symbol);
    if (text_at(object, strings, symbol.st_name) == entry) first = &functions.back();
  }
  if (!first) return {};
  std::vector<CodeRange> out;
  out.reserve(functions.size());
  for (const Elf64_Sym& symbol : functions)
    if (symbol.st_shndx == first->st_shndx)
      out.push_back({std::string(text_at(object, strings, symbol.st_name)),
                     address - first->st_value + symbol.st_value, symbol.st_size});
  return out;
}

std::string perf_name(const KernelSource& source, const std::string& symbol) {
  std::string name = source.name;
  if (!source.ops.empty()) name += " " + source.ops;
  if (!source.lines.empty()) name += " at " + to_string(source.lines);
  if (symbol != source.name) name += " (" + symbol + ")";
  std::ranges::replace(name, '\n', ' ');
  return name;
}

std::string write_perf_map(const KernelSource& source, const std::vector<CodeRange>& functions) {
  std::string text;
  for (const CodeRange& function : functions)
    if (function.bytes > 0)
      fmt::format_to(std::back_inserter(text), "{:x} {:x} {}\n", function.address, function.bytes,
                     perf_name(source, function.name));
  const std::string path = fmt::format("/tmp/perf-{}.map", ::getpid());
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  // Anybody may write to /tmp: what another user put there is not followed.
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return fmt::format("{}: {}", path, std::strerror(errno));
  struct stat status{};
  std::string problem;
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
    problem = path + " is another user's";
  else if (::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    problem = fmt::format("{}: {}", path, std::strerror(errno));
  ::close(file);
  return problem;
}

}  // namespace weft::runtime
