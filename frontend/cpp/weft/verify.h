// Whether results are right: computed as fused kernels and op by op, and compared with the reference interpreter; and what
// makes them wrong.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "frontend/cpp/weft/array.h"

namespace weft {

struct Verification {
  bool agrees = true;  // false, too, where every element of an output is NaN, so that nothing was compared
  std::string text;    // for people: each result, and the first op that differs, with its line
  std::string json;    // the same as data: docs/seeing_inside.md has the schema
};

// The arrays stay uncomputed. Integers and bools have to be equal; floats may differ by what other orders of rounding
// explain. Error where all are computed already, and where one depends on a kernel of a user's own text.
Verification verify(const Array& x);
Verification verify(std::span<const Array> xs);

// Where the results are wrong, the first of these that makes them so: a pass over the graph, an op by itself, ops that share
// a kernel. Takes what verify() takes.
Verification bisect(const Array& x);
Verification bisect(std::span<const Array> xs);

// The same of what a call computes: of each part that it computes on the way, as loops, sorts and looks at values do, and of
// what it gives. Calls of recorded functions are named, and not compared. Error where nothing is computed.
Verification verify_call(const std::function<std::vector<Array>()>& call);
Verification bisect_call(const std::function<std::vector<Array>()>& call);

}  // namespace weft
