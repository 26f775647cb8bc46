// What the writers of an entry share: the program, its layout, and the functions that the entry calls.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>

#include "compiler/emit/cpu/cpu_dialect.h"
#include "compiler/emit/cpu/layout.h"

namespace weft::emit::cpu {

using fmt::format;

// Where an entry unpacks its numbers.
constexpr const char* kArguments = "WEFT_ARGUMENTS\n";

// Functions of the kernel, each before whoever calls it.
struct Functions {
  std::string text;
  std::set<std::string> names;  // of those that several call
  int spans = 0;                // so far
};

struct Entry {
  const plan::RowProgram& program;
  const CpuLayout& layout;
  const EntryLayout& entry;
  Functions& functions;
  CpuDialect dialect = {};
  // The position on the row axes other than the lanes', as one number.
  std::string row = "0";

  std::string type(DType t) const { return dialect.value_type(t); }
  std::string element(DType t) const { return dialect.element_type(t); }
  const plan::Num& extent(int axis) const { return program.extent(axis); }
  int axes() const { return layout.outer_axes + static_cast<int>(program.row.size()); }
  const plan::Accumulator& accumulator(int a) const { return program.accumulators[static_cast<size_t>(a)]; }
  const TotalLayout& total(int a) const { return layout.totals[static_cast<size_t>(a)]; }
};

inline std::string name_of(Value v) { return format("v{}", v); }

// The text of a number that the kernel is told: behind those of the program.
inline std::string word(const Entry& e, Word w) {
  return format("p[{}]", e.program.params.size() + static_cast<size_t>(w));
}
inline std::string in_scratch(const Entry& e, Word at) { return format("(scratch + {})", word(e, at)); }

inline std::string convert(DType from, DType to, const std::string& x) {
  return from == to ? x : format("weft_cast_{}_{}({})", suffix(from), suffix(to), x);
}

}  // namespace weft::emit::cpu
