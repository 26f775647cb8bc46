// The parts of a layout that lay_out() puts together, in this order: a part may ask those before it.
#pragma once

#include "compiler/emit/cpu/layout.h"

namespace weft::emit::cpu {

// One more argument.
Word add_word(CpuLayout& layout, int64_t value);

// ---- memory

// What a task needs of scratch memory: arrays, squares, windows.
void lay_out_scratch(const plan::RowProgram& program, CpuLayout& layout);
// Parts of rows that a second launch joins.
void lay_out_partials(const plan::RowProgram& program, CpuLayout& layout);
// Totals across the points, and how the second launch shares them out.
void lay_out_across(const plan::RowProgram& program, CpuLayout& layout);

// ---- entries

// Whether a load runs along the axis of the squares that are transposed.
bool is_tiled(const CpuLayout& layout, const plan::Load& load);

// What is done with statements of an entry, which are added to it in the order in which they are written.
class EntryBuilder {
 public:
  EntryBuilder(const plan::RowProgram& program, CpuLayout& layout, EntryLayout& entry)
      : p_(program), l_(layout), entry_(entry) {}
  BlockLayout block(const std::vector<plan::Stmt>& stmts, int rows_axis = -1);
  // `body`: what is done of the sweep's.
  SweepLayout sweep(const plan::Sweep& sweep, const std::vector<plan::Stmt>& body);

 private:
  SpanLayout span(const std::vector<const plan::Stmt*>& stmts, int rows_axis);
  void find_families(SpanLayout& span);
  void find_ways(SpanLayout& span);
  Way way_of(const SpanLayout& span, const plan::Load& load) const;
  Way way_of(const SpanLayout& span, const plan::Stmt& stmt) const;
  void find_ends(SpanLayout& span) const;
  void ask_ahead(SpanStmt& stmt, const plan::Load& load);
  void find_bounds(const SpanStmt& stmt, const plan::Load& load);
  void bound(int buffer, bool is_end);

  const plan::RowProgram& p_;
  CpuLayout& l_;
  EntryLayout& entry_;
  std::set<int> asked_ahead_;  // buffers
};

}  // namespace weft::emit::cpu
