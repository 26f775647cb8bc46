#include "compiler/user_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "compiler/emit/user_library.h"

namespace weft {
namespace {

constexpr const char* kLacksFile =
    "No folder of the system is looked into. In Python include_dirs names folders whose files are taken into "
    "the text; "
    "CUDA's own headers lie in the include folder of CUDA's toolkit.\n";

// One error, warning or note: a line that says it, and indented ones that show where.
struct Said {
  enum class Of : uint8_t { Text, Call, Nobody };
  enum class Kind : uint8_t { Error, Warning, Note };
  Of of = Of::Text;
  Kind kind = Kind::Error;
  std::vector<std::string_view> lines = {};
};

std::vector<std::string_view> lines_of(std::string_view log) {
  std::vector<std::string_view> lines;
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    if (end > 0) lines.push_back(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return lines;
}

// What stands at no place of a text: "1 error generated." of Clang; how to hide warnings, and counts with the name of a
// file that no user has, of NVRTC.
bool is_of_whole_log(std::string_view line) {
  if (line.starts_with("Remark: ") || line.starts_with("Compilation terminated")) return true;
  if (line[0] < '0' || line[0] > '9') return false;
  return line.find(" generated.") != std::string_view::npos ||
         line.find(" detected in the compilation of ") != std::string_view::npos;
}

Said said_by(std::string_view line) {
  Said one;
  // Clang names what macros expand to "<scratch space>".
  if (line.starts_with(emit::kUserLibrary) || line[0] == '<' || is_of_whole_log(line))
    one.of = Said::Of::Nobody;
  else if (line.starts_with(emit::kUserCall))
    one.of = Said::Of::Call;
  // The first of the words: a message may have the others.
  const size_t note = line.find(": note"), warning = line.find(": warning"), error = line.find("error");
  if (note < std::min(warning, error)) one.kind = Said::Kind::Note;
  if (warning < std::min(note, error)) one.kind = Said::Kind::Warning;
  return one;
}

std::vector<Said> all_said(std::string_view log) {
  std::vector<Said> all;
  for (const std::string_view line : lines_of(log)) {
    if (all.empty() || line[0] != ' ') all.push_back(said_by(line));
    // NVRTC: "detected during instantiation of … at line 3 of the call of f".
    const bool leads_to_call = line[0] == ' ' && line.find(" at line ") != std::string_view::npos &&
                               line.find(emit::kUserCall) != std::string_view::npos;
    if (!leads_to_call) all.back().lines.push_back(line);
  }
  return all;
}

bool has_error_of(const std::vector<Said>& all, Said::Of of) {
  return std::ranges::any_of(all,
                             [&](const Said& one) { return one.of == of && one.kind == Said::Kind::Error; });
}

// NVRTC says the line alone, "f.cu(3): error: …", and puts a caret below what it shows of it. 0 where it does not.
size_t column_of(std::string_view line, std::string_view shown, std::string_view below) {
  constexpr size_t kIndent = 2;  // of lines that are shown
  const size_t open = line.find('('), close = line.find("): ", open), caret = below.find('^');
  if (line.starts_with(' ') || open == std::string_view::npos || close == std::string_view::npos) return 0;
  const std::string_view number = line.substr(open + 1, close - open - 1);
  if (number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos) return 0;
  if (caret == std::string_view::npos || caret < kIndent || caret > shown.size()) return 0;
  return below.find_first_not_of(" \t") == caret ? caret - kIndent + 1 : 0;
}

// The compiler reads __device__ where the user wrote __global__, which is as long.
std::string as_written(std::string_view shown, std::string_view text) {
  constexpr std::string_view kRead = "__device__", kWritten = "__global__";
  std::string out(shown);
  for (size_t at = 0; (at = out.find(kRead, at)) != std::string::npos; at += kRead.size())
    out.replace(at, kRead.size(), kWritten);
  const size_t first = std::min(out.find_first_not_of(' '), out.size());
  return text.find(std::string_view(out).substr(first)) != std::string_view::npos ? out : std::string(shown);
}

void write(const Said& one, std::string_view text, std::string& out) {
  const std::string_view line = one.lines[0];
  const size_t column = one.lines.size() > 2 ? column_of(line, one.lines[1], one.lines[2]) : 0;
  if (column != 0) {
    const size_t open = line.find('('), close = line.find(')', open);
    out += fmt::format("{}:{}:{}{}\n", line.substr(0, open), line.substr(open + 1, close - open - 1), column,
                       line.substr(close + 1));
  } else {
    out += std::string(line) + "\n";
  }
  for (size_t k = 1; k < one.lines.size(); ++k) out += as_written(one.lines[k], text) + "\n";
}

// An error of the call, without its place there: what is wrong with the name that is called.
std::string of_name(const Said& one, const std::string& called) {
  constexpr std::string_view kError = "error: ";
  const size_t at = one.lines[0].find(kError);
  const size_t message = at == std::string_view::npos ? 0 : at + kError.size();
  return fmt::format("{}: {}\n", called, one.lines[0].substr(message));
}

// What CUDA's assembler says, of the entry that Weft writes around the kernel.
constexpr std::string_view kAssembler = "ptxas error";

std::string of_assembler(std::string_view line, const std::string& called) {
  const size_t open = line.find(" uses too much shared data (");
  if (open == std::string_view::npos) return std::string(line) + "\n";
  const std::string_view sizes = line.substr(line.find('(', open) + 1);
  const auto number = [](std::string_view text) {
    return std::strtoull(std::string(text).c_str(), nullptr, 0);
  };
  const size_t comma = sizes.find(", ");
  return fmt::format(
      "{}: __shared__ arrays of {} bytes, where a block has at most {} whose size the text says: declare one "
      "as "
      "extern __shared__, and give its bytes as shared_mem\n",
      called, number(sizes), comma == std::string_view::npos ? 0 : number(sizes.substr(comma + 2)));
}

// What a name that is not there is of, and what stands in its place.
struct Advice {
  std::string_view name, text;
};
constexpr std::string_view kOfGpus =
    "it belongs to kernels for CUDA: give cuda_kernel() the text, or loop from begin to end";
constexpr std::string_view kMemory =
    "no memory is allocated in a kernel: declare an array, or give one as an argument";
constexpr std::string_view kPrints = "a kernel prints nothing: write to an array, and look at that";
constexpr Advice kAdvice[] = {{"threadIdx", kOfGpus},
                              {"blockIdx", kOfGpus},
                              {"blockDim", kOfGpus},
                              {"gridDim", kOfGpus},
                              {"__syncthreads", kOfGpus},
                              {"__shared__", kOfGpus},
                              {"atomicAdd", "write __atomic_fetch_add(&r[k], x, __ATOMIC_RELAXED)"},
                              {"malloc", kMemory},
                              {"calloc", kMemory},
                              {"free", kMemory},
                              {"printf", kPrints},
                              {"puts", kPrints},
                              {"__expf", "write expf"},
                              {"__logf", "write logf"},
                              {"__sinf", "write sinf"},
                              {"__cosf", "write cosf"},
                              {"__powf", "write powf"},
                              {"__fdividef", "write x / y"},
                              {"assert", "write to an array what was found"}};

std::string advice_of(std::string_view log) {
  std::string out;
  for (const Advice& one : kAdvice)
    if (log.find(fmt::format("undeclared identifier '{}'", one.name)) != std::string_view::npos ||
        log.find(fmt::format("unknown type name '{}'", one.name)) != std::string_view::npos)
      out += fmt::format("{}: {}\n", one.name, one.text);
  return out;
}

}  // namespace

std::string of_users_text(const std::string& log, std::string_view text, const std::string& called) {
  const std::vector<Said> all = all_said(log);
  const bool has_own = has_error_of(all, Said::Of::Text);
  const bool has_error = has_own || has_error_of(all, Said::Of::Call);
  std::string out;
  bool is_told = true;  // what the notes below belong to
  for (const Said& one : all) {
    if (one.lines[0].starts_with(kAssembler)) {
      out += of_assembler(one.lines[0], called);
      continue;
    }
    if (one.kind != Said::Kind::Note)
      is_told = one.of != Said::Of::Nobody && !(has_own && one.of == Said::Of::Call) &&
                !(has_error && one.kind == Said::Kind::Warning);
    if (!is_told) continue;
    if (one.of == Said::Of::Text) {
      write(one, text, out);
    } else if (one.of == Said::Of::Call && one.kind == Said::Kind::Error) {
      const std::string told = of_name(one, called);
      if (out.find(told) == std::string::npos) out += told;
    }
  }
  out += advice_of(log);
  const bool lacks_file = log.find("file not found") != std::string::npos ||
                          log.find("could not open source file") != std::string::npos;
  return lacks_file ? out + kLacksFile : out;
}

}  // namespace weft
