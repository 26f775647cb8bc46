// What the functions of linalg.h share: how LAPACK's functions are recorded, and what is said of matrices.
#pragma once

#include <span>
#include <vector>

#include "frontend/cpp/weft/linalg.h"
#include "runtime/cpu/matrix_functions.h"

namespace weft::linalg {

struct Decomposing {
  const char* op;
  runtime::MatrixFunction what;
  Where at;
  int64_t option = 0;
  const char* failure = "";  // of a matrix: "is singular"
};
// The results but `info`, which is looked at where the operands have values: LinAlgError where a matrix has no decomposition. The
// operands are of one dtype that LAPACK takes, and are not derived.
std::vector<Array> decomposed(const Decomposing& of, std::span<const Array> operands);

// Opens LAPACK, where nobody did: profiles tell, as it takes as long as some thousand small decompositions. Error where
// there is none.
void open_lapack();

// In a dtype that LAPACK takes. Error unless it is a matrix or a stack of them, TypeError for what LAPACK does not take.
Array matrices(const char* op, const Array& a);
Array square_matrices(const char* op, const Array& a);

// ---- of the last two axes
Array transposed(const Array& a);
Array adjoint(const Array& a);  // the transposed conjugates
Array product(const Array& a, const Array& b);
Array diagonal_of(const Array& a);                     // along the last axis
Array times_columns(const Array& a, const Array& by);  // each column by an element of `by`
Array times_rows(const Array& a, const Array& by);
Array identity_like(const Array& a);  // of a's last extent

}  // namespace weft::linalg
