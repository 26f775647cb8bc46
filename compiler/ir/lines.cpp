#include "compiler/ir/lines.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

namespace weft::ir {
namespace {

// Front ends intern file names separately, so two pointers may name one file.
int compare(const SourceLine& a, const SourceLine& b) {
  const int files = a.file == b.file ? 0 : std::strcmp(a.file, b.file);
  if (files != 0) return files;
  if (a.line != b.line) return a.line < b.line ? -1 : 1;
  return a.callers < b.callers ? -1 : a.callers > b.callers;
}

bool before(const SourceLine& a, const SourceLine& b) { return compare(a, b) < 0; }

}  // namespace

std::vector<SourceLine> Lines::all() const {
  if (many_) return *many_;
  if (one_.file) return {one_};
  return {};
}

Lines Lines::united(const Lines& other) const {
  if (other.empty() || (many_ && many_ == other.many_)) return *this;
  if (empty()) return other;
  if (!many_ && !other.many_ && compare(one_, other.one_) == 0) return *this;
  const std::vector<SourceLine> a = all(), b = other.all();
  if (std::includes(a.begin(), a.end(), b.begin(), b.end(), before)) return *this;
  auto merged = std::make_shared<std::vector<SourceLine>>();
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(*merged), before);
  Lines result;
  result.many_ = std::move(merged);
  return result;
}

std::string to_string(const Lines& lines) { return weft::to_string(lines.all()); }

}  // namespace weft::ir
