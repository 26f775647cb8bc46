#include "frontend/cpp/inspect/profile_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/cpp/evaluate/graphs_seen.h"

namespace weft::detail {

std::string_view kind_of(const runtime::TraceEvent& event) {
  if (event.what == kFindsPrograms) return kOverhead;
  if (event.what == kSetsUp) return "setup";
  switch (event.work) {
    case runtime::Work::Kernel:
      return "kernel";
    case runtime::Work::Blocks:
      return "blocks";
    case runtime::Work::Library:
      return "library";
    case runtime::Work::Copy:
      return "copy";
    case runtime::Work::Upload:
      return "upload";
    case runtime::Work::Download:
      return "download";
    case runtime::Work::Compile:
      return "compile";
    case runtime::Work::Load:
      return "load";
    case runtime::Work::Plan:
      return "plan";
    case runtime::Work::Interpret:
      return "interpret";
    case runtime::Work::Host:
      return "host";
    case runtime::Work::Record:
      break;
  }
  return "record";
}

bool is_first_call(std::string_view kind) {
  return kind == "compile" || kind == "load" || kind == "plan" || kind == "record" || kind == "setup";
}

std::vector<ProfileLine> lines_of(const std::vector<SourceLine>& given) {
  std::vector<ProfileLine> lines;
  lines.reserve(given.size());
  for (const SourceLine& line : given) lines.push_back({line.file, line.line});
  return lines;
}

namespace {

std::string_view name_of(std::string_view file) { return file.substr(file.rfind('/') + 1); }

}  // namespace

std::string text_of(const std::vector<ProfileLine>& lines) {
  constexpr size_t kMost = 6;
  std::string text, file;
  for (size_t i = 0; i < std::min(lines.size(), kMost); ++i) {
    text += text.empty() ? "" : ", ";
    if (lines[i].file != file) text += fmt::format("{}:", name_of(lines[i].file));
    text += std::to_string(lines[i].line);
    file = lines[i].file;
  }
  return lines.size() > kMost ? fmt::format("{} and {} more", text, lines.size() - kMost) : text;
}

std::string milliseconds(int64_t ns) {
  constexpr int64_t kSecond = 1'000'000'000;
  return ns < kSecond ? fmt::format("{:.3g} ms", static_cast<double>(ns) * 1e-6)
                      : fmt::format("{:.3g} s", static_cast<double>(ns) * 1e-9);
}

bool is_same(const ProfileLine& a, const ProfileLine& b) { return a.line == b.line && a.file == b.file; }

bool share_a_line(const std::vector<ProfileLine>& a, const std::vector<ProfileLine>& b) {
  return std::ranges::any_of(a, [&](const ProfileLine& one) {
    return std::ranges::any_of(b, [&](const ProfileLine& other) { return is_same(one, other); });
  });
}

}  // namespace weft::detail
