// Products of matrices and vectors, with NumPy's rules. Integer products wrap around in their dtype.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "frontend/cpp/weft/array.h"

namespace weft {

// The last two axes multiplied as matrices, the others broadcast; an array of one axis is a row on the left
// and a column on the right, and that axis is gone from the result.
Array matmul(const Operand& a, const Operand& b);
// NumPy's dot: matmul up to two axes; beyond, the sum over a's last and b's last but one axis; the product
// with a number.
Array dot(const Operand& a, const Operand& b);
// The sum over pairs of axes; `count`: a's last ones against b's first ones.
Array tensordot(const Operand& a, const Operand& b, int64_t count = 2);
Array tensordot(const Operand& a, const Operand& b, const Dims& a_axes, const Dims& b_axes);
// Every product of an element of a with one of b, both flat.
Array outer(const Operand& a, const Operand& b);
// sum(conj(a) * b) along an axis that counts from the end.
Array vecdot(const Operand& a, const Operand& b, int64_t axis = -1);

// Products summed over named axes: einsum("ij,jk->ik", {a, b}) is the matrix product, "ii->i" the diagonal, which is a
// view, "i,j->ij" the outer product. Each letter names an axis, "..." those that broadcast. Without "->" the result has
// the letters that occur once, in alphabetical order. Dtypes promote; sums are of the operands' dtype, as NumPy's.
// Error where the subscripts do not fit the shapes.
Array einsum(std::string_view subscripts, std::span<const Array> xs, Where at = Where::current());
inline Array einsum(std::string_view subscripts, std::initializer_list<Array> xs,
                    Where at = Where::current()) {
  return einsum(subscripts, std::span(xs.begin(), xs.size()), at);
}

// X of A X = B for a square matrix and one or several right-hand sides (its columns), f32, f64, c64 or c128.
// Computed on the CPU when it is called, wherever the arrays lie; none where the matrix is singular.
std::optional<Array> solve(const Array& a, const Array& b);
bool can_solve(const Array& a, const Array& b);

}  // namespace weft
