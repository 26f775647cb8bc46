// Provenance: the set of source lines that a node comes from, united whenever nodes merge.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/base/source_line.h"

namespace weft::ir {

using weft::SourceLine;

// A small set: one line inside the object, more behind a shared pointer.
class Lines {
 public:
  Lines() = default;
  Lines(SourceLine line) : one_(line) {}  // NOLINT: a line is a set of one

  // One of the lines, for as long as there is only one; no file otherwise.
  const SourceLine& only() const { return one_; }
  bool empty() const { return one_.file == nullptr && !many_; }
  // Sorted by file, line and callers.
  std::vector<SourceLine> all() const;
  Lines united(const Lines& other) const;

 private:
  SourceLine one_;
  std::shared_ptr<const std::vector<SourceLine>> many_;
};

std::string to_string(const Lines& lines);

}  // namespace weft::ir
