// How the arguments of a compiled function lie in one another's memory. Two that show the same elements are
// one place of it; where they show parts of one array that overlap, the function is recorded with views of
// that array. Others are apart, parts of one array that do not overlap among them.
#pragma once

#include <span>
#include <vector>

#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/array/view.h"

namespace weft::detail {

struct SharedArgument {
  int same_as = 0;       // the first argument that shows these elements: itself mostly
  int part_of = -1;      // the first argument in the array of which it is recorded as a view; -1: it is apart
  ir::TensorType whole;  // that array
  Ref<const View> view;  // of it
};

// One for each argument; none where all are apart.
std::vector<SharedArgument> shared_arguments(std::span<const Array> arguments);
// Whether arguments that are shared in these ways are recorded alike.
bool same_sharing(std::span<const SharedArgument> a, std::span<const SharedArgument> b);

}  // namespace weft::detail
