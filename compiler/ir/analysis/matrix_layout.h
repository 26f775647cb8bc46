// Where a matrix operand lies in memory, as BLAS describes it.
#pragma once

#include <functional>
#include <optional>

#include "compiler/ir/node.h"

namespace weft::ir {

// Elements, not bytes. A transposed matrix lies column by column: `ld` elements lie between its columns.
struct MatrixLayout {
  const Node* base = nullptr;  // the node whose memory holds the elements
  int64_t offset = 0, ld = 0, batch = 0;
  bool transposed = false;
};

// Follows the views of `operand`, of rank 2 or more, down to what lies `in_memory`. None where no batch
// stride and leading dimension describe it: a library needs a copy then.
std::optional<MatrixLayout> matrix_layout(const Node& operand,
                                          const std::function<bool(const Node*)>& in_memory);

}  // namespace weft::ir
