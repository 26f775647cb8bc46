// What a machine can do with loops of a certain shape: asked by fusion, which decides what becomes one
// kernel, and by schedules, which decide how it runs. Both must agree, so the answers stand here once.
#pragma once

#include <cstdint>

#include "compiler/base/dtype.h"
#include "compiler/program/options.h"

namespace weft::machine {

// Points (results) whose rows of `row` elements are walked: reduced, or scanned. `columns`: whether points,
// not elements of a row, lie beside each other in memory.
struct RowLoop {
  int64_t points = 1, row = 1;
  bool columns = false, scans = false;
};

// Whether one thread (CPU), or one block or cluster (CUDA), walks the row of a point, so that what reads the
// result can follow in the same kernel. That is worth it where points are enough to keep the machine busy, or
// where rows are short. Few long rows of CUDA are walked by all blocks of the device, in one cooperative
// launch. On the CPU the numbers are fixed: results must not depend on the number of threads.
bool row_is_local(const RowLoop& loop, DType dtype, const Target& target);

// The same, for rows that a block walks whatever lies beside each other.
bool row_is_local(int64_t points, int64_t row, bool scanned, const Target& target, int64_t words = 1);

// CPU: whether these are so few columns that each is reduced with lanes of its own.
bool unrolls_columns(int64_t columns, const Target& cpu);

// CUDA: whether these are so few rows that several multiprocessors had better share each.
bool has_few(int64_t rows, const Target& cuda);

// CUDA: elements of the longest row whose totals, of `bytes` each, stay in registers beside it.
int64_t widest_totals(int64_t bytes, const Target& cuda);

// CUDA: whether these are rows that take a cluster of many blocks each, more of them than run at once, but
// less than three times as many. Their turns take longer than to read them from the cache again.
bool are_few_for_clusters(int64_t points, int64_t elements, int64_t widest, const Target& cuda);

// CUDA: whether blocks, a cluster at most, can take whole sections of a row each: they have registers for
// them and enough to do, and keep half the device busy.
bool repays_sections(int64_t points, int64_t sections, int64_t bytes, const Target& cuda);

// CPU: whether a row, or a section of one, is long enough to be totalled beside others.
int64_t narrowest_totals(const Target& cpu);
int64_t shortest_section(const Target& cpu);
// CPU: rows that repay the memory of their totals, at least.
int64_t fewest_rows_of_totals(int64_t elements);

// CUDA: of so many blocks that could run at once, those that do where clusters of several blocks share rows:
// a GPC has no room for half a cluster.
inline int64_t running_in_clusters(int64_t blocks) { return blocks * 7 / 8; }

}  // namespace weft::machine
