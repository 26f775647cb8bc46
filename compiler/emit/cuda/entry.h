// One entry of a kernel while its text is written: what its writers read, and the text so far. Two kinds of
// code: outer code runs once for each outer point, and body code runs for a batch of row elements (or of
// points) that a thread handles together.
//
// Threads whose place lies behind the end work on the last place again and only their stores and what they
// would add up twice are left out, so that nothing but those is conditional.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/emit/cuda/arguments.h"
#include "compiler/emit/cuda/cuda_dialect.h"
#include "compiler/emit/cuda/layout.h"
#include "compiler/emit/cuda/writer.h"

namespace weft::emit {

// Numbers of the layout that the text reads from its arguments, by their names there.
struct GridNumbers {
  std::string parts;  // of a row
  // Vectors (columns: elements) of a part, or of a block's part of its cluster's row.
  std::string part_length;
  std::string whole;   // strips that have one part
  std::string share;   // what weft_take_share takes behind the block
  std::string rows;    // rows that a block takes, some in turn
  std::string blocks;  // how many blocks have totals across rows
};

// How positions and values are spelled where the text has got to.
struct Scope {
  std::vector<std::string> axis;            // the position on each axis
  std::map<plan::Value, std::string> home;  // values that are read elsewhere than from their variable
  std::set<plan::Value> settled;            // values k<value>[u], whose sweep is over
  std::set<plan::Value> outer;              // columns: values h<value>[e], which outer code defines
  bool at_element = false;                  // inside of a loop over the lanes
  // Of calls of functions: the name of their results, and the length of the text behind them.
  std::map<std::string, std::pair<std::string, size_t>> calls;
};

// Where a statement stands.
struct Place {
  const Batch* batch = nullptr;  // null in outer code
  bool has_inverses = false;     // those of the batch's divisors are at hand
  bool is_inside = false;        // a branch in which all elements are of the row
  std::string fold_if = {};      // "if (in_fold) " where elements may be left out of folds
  std::string store_if = {};     // the same of stores
  std::string of_row = {};       // what holds of the row's own elements; empty: all are
};

struct Entry {
  const plan::RowProgram& program;
  const CudaLayout& layout;
  const EntryLayout& own;
  const GridNumbers& numbers;
  Arguments& arguments;
  CudaDialect dialect = {};
  Scope scope = {};
  Writer code{1};

  int lane() const { return layout.vectors.axis; }
  const plan::Num& extent(int axis) const { return program.extent(axis); }
  DType dtype(plan::Value v) const { return program.values[v].dtype; }
  std::string value_type(plan::Value v) const { return dialect.value_type(dtype(v)); }
  std::string vector_type(DType t) const {
    return fmt::format("Vec<{}, {}>", dialect.element_type(t), own.lanes);
  }
  // "[e]" where accumulators are arrays over the columns of a thread.
  const char* each() const { return layout.columns() ? "[e]" : ""; }
  // Rows, or vectors of columns, beside each other in a block.
  int beside() const { return own.threads / own.threads_per_row; }
};

// Changes a part of the scope until the end of the block.
template <class T>
class Changed {
 public:
  Changed(T& at, T now) : at_(at), before_(std::move(at)) { at_ = std::move(now); }
  ~Changed() { at_ = std::move(before_); }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;

 private:
  T& at_;
  T before_;
};

}  // namespace weft::emit
