// The plan of a batch: how each statement of a sweep's body reaches memory, and when it runs. A batch is
// `unroll` vectors of `lanes` elements along the lane axis, which a thread handles together. It runs in three
// steps that keep its loads in flight together: loads and whatever is the same along the lanes; the elements,
// one by one; vector stores.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/plan/plan.h"

namespace weft::emit {

// How a statement of a body reaches memory.
//
//   Element  with the element's computation
//   Same     once for a vector: nothing in it differs along the lanes
//   Vector   one aligned access
//   Cover    two aligned loads around a vector that begins at `phase` of the first; one where `phase` is 0
//   Staged   element by element, but before anything is computed
//   Tile     through shared memory, transposed
//   Run      as Same, and one vector for the row elements of a batch
//   Rows     once for each flattened row that the vector may have elements of
enum class Path { Element, Same, Vector, Cover, Staged, Tile, Run, Rows };

struct Route {
  Path path = Path::Element;
  int phase = 0;
  int first = -1, second = -1;            // Cover: its aligned vectors in Batch::blocks
  int64_t first_row = 0, second_row = 0;  // Cover: how many rows below the block's own they lie
};

// One aligned vector that Cover loads share. Where a thread computes rows that lie one below the other, it is
// read of `span` more rows, for loads of the same columns further down.
struct Block {
  const plan::Load* load;  // a load that it serves, of the first row
  int64_t shift;           // elements from that load's first element to the vector
  std::vector<plan::Value> guards;
  unsigned needed = 0;  // the elements of the batch's vector that it serves, as bits
  int span = 0;
};

// Rows along the lane axis: where a vector begins among them, each of its elements is in one of two. Where
// rows are shorter than a vector their length stands in the source, so that it is known which two.
struct FlatRows {
  plan::Num length;
  int touched = 0;  // rows that a vector may have elements of
  bool is_short = false;
};

// How much of the row, or of the points, a thread handles together.
struct BatchSize {
  int lanes = 1, unroll = 1;  // of a vector, and vectors
  int together = 1;           // neighbours on the row that a thread takes, as vectors
  int run = 1;                // batches between additions to totals of a wider dtype
};

// What one sweep's body needs.
struct Batch : BatchSize {
  const plan::Sweep* sweep = nullptr;
  int number = 0;

  std::vector<Route> routes;  // of each statement of the body
  std::vector<Block> blocks;
  std::set<plan::Value> late;                     // values of Same statements that elements read
  std::set<std::vector<plan::Value>> guard_sets;  // of guarded vector loads
  // What quotients and remainders of positions are found by, as row<number> and left<number>.
  std::vector<FlatRows> flat_rows;
  std::map<plan::Value, int> row_of;  // of each such value

  // Which statements need all elements of the batch before those after it, and the values of elements that
  // are read on the other side of one.
  std::vector<bool> needs_all;
  std::set<plan::Value> across;
  bool scans_row = false;  // the threads of a row scan it together

  // Which statements a thread does for all its points when a step's other values are there, and what they
  // read of those: so ptxas interleaves what waits for results with what does not, and reads fewer registers
  // of one bank at a time. Empty where none waits.
  std::vector<bool> last;
  std::set<plan::Value> folded;
  // Which statements are folds of packed words, or there for these alone; and of each fold its load.
  std::vector<bool> packed;
  std::vector<const plan::Load*> packed_load;

  // Numbers by which several elements of a thread are divided, so that their inverses are computed first.
  std::set<plan::Value> divisors;

  // Sums of a square and a number whose reciprocal roots the sweep takes, and what has to hold for them to be
  // no subnormals.
  std::set<plan::Value> normal;
  std::string normal_when;
};

}  // namespace weft::emit
