// Discrete Fourier transforms along one axis, which kernels of the library compute on the CPU.
#pragma once

#include <cstdint>

#include "compiler/ir/user_kernel.h"

namespace weft::runtime {

// Complex numbers to complex ones by exp(-2 pi i j k / n) or by its conjugate; the first half of what the first gives of
// real numbers; and the real numbers of such a half by the second.
enum class Fourier : uint8_t { Forward, Backward, OfReal, ToReal };

// `x` with this axis replaced by the transform of `n` elements, each times `factor`. The operand and the result are
// contiguous, and hold f32 and c64 or f64 and c128. ToReal takes n / 2 + 1 elements along the axis, the others n.
ir::UserKernelRef fourier_kernel(Fourier kind, const ir::TensorType& x, size_t axis, int64_t n,
                                 double factor);

}  // namespace weft::runtime
