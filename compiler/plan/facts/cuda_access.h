// What a program's numbers prove about its memory accesses: how large indices get, what stays the same along
// the lanes, where vectors begin. Scheduling and emission for CUDA ask the same questions.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/plan/plan.h"

namespace weft::plan {

struct Range {
  int64_t low = 0, high = 0;
  bool known = false;
};

// The range of each i64 value, where the program tells it.
std::vector<Range> value_ranges(const RowProgram& program);

// Whether every index, and every count of points, stays far enough below 2^31 for 32-bit arithmetic.
bool fits_32_bits(const RowProgram& program);

// Which values differ from one position on `axis` to the next.
std::vector<bool> varies_along(const RowProgram& program, int axis);

// Vectors of `width` elements begin at multiples of `width` on `axis`. The remainder by `width` of the
// element that such a vector begins with, when `at` steps by 1 along `axis` and the remainder is the same
// everywhere; else -1.
int vector_phase(const RowProgram& program, const Index& at, int axis, int width,
                 const std::vector<bool>& varies);

// The access by whose memory vectors along `axis` are laid out where rows do not begin with aligned ones: the
// first store that steps by 1, else the first such load. Null where there is none.
const Index* alignment_reference(const RowProgram& program, int axis);
// Whether vectors of `width` elements along `axis` that are aligned for one index are so for the other.
bool aligned_alike(const RowProgram& program, const Index& a, const Index& b, int axis, int width);

// Whether one statement reads the buffer, each element once.
bool read_once(const RowProgram& program, int buffer);

// Columns, whose rows of single elements do not begin with aligned vectors: of how many elements those are by
// which all loads that step along `lane` can be copied alike; 0 where they cannot. The program has one outer
// and one row axis.
int wide_copy_elements(const RowProgram& program, int lane);

// Memory is written in sectors: how many elements of the buffer are one.
int64_t sector_elements(const RowProgram& program, int buffer);
// The most elements of a sector among what the sweeps store along `lane`; 0 where all rows begin with one, or
// where elements may be stored but once.
int64_t widest_sector(const RowProgram& program, int lane);

// The buffer of an access whose rows lie one behind the other from its beginning; null for others.
// The program has one outer axis, and `lane` is its only row axis.
const BufferUse* bundled_buffer(const RowProgram& program, const Stmt& stmt, int lane);
// The last sweep that reads such rows; -1: none, or one of the arrays is written, too.
int last_to_read_bundles(const RowProgram& program, int lane);

// Values that are known not to be below 0; NaN they may be.
std::vector<bool> never_negative(const RowProgram& program);

// Where the values that cross sweeps lie in shared memory: a place is free for another value of its size in
// the sweep that reads it last, since each element is read before it is written.
struct SharedPlaces {
  std::map<Value, int> of;
  std::vector<int64_t> bytes;  // of an element in each place
  int64_t element_bytes() const;
};
SharedPlaces shared_places(const RowProgram& program);

}  // namespace weft::plan
