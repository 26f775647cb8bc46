// Discrete Fourier transforms, as numpy.fft has them. They are recorded like every other operation: functions that are compiled,
// derived or mapped may use them. The CPU computes them, for arrays of a GPU by a copy.
//
//   Array spectrum = weft::fft::rfft(signal);
//
// y[k] = sum of x[j] exp(-2 pi i j k / n) over j. Real numbers are taken as f64, but f32 and halves as f32; irfft() and hfft()
// of halves give halves.
#pragma once

#include <optional>

#include "frontend/cpp/weft/array.h"

namespace weft::fft {

// What the sums are multiplied by: there and back 1 and 1/n; 1/sqrt(n) both; or 1/n and 1.
enum class Norm : uint8_t { Backward, Ortho, Forward };

// `n` elements along the axis: others are left out, and zeros stand for those that x lacks. Without it all of x's.
struct Along {
  std::optional<int64_t> n = {};
  int64_t axis = -1;
  Norm norm = Norm::Backward;
};
Array fft(const Array& x, const Along& along = {}, Where at = Where::current());
Array ifft(const Array& x, const Along& along = {}, Where at = Where::current());
// Of real numbers: the first n / 2 + 1 elements, as the others are their conjugates. And back to n real numbers. Of irfft() `n` counts
// the results: 2 (count - 1) unless told, so that an odd number is told: irfft(rfft(x), {.n = x.size()}).
Array rfft(const Array& x, const Along& along = {}, Where at = Where::current());
Array irfft(const Array& x, const Along& along = {}, Where at = Where::current());
// The same of a spectrum that is real, and of a signal whose second half are conjugates.
Array hfft(const Array& x, const Along& along = {}, Where at = Where::current());
Array ihfft(const Array& x, const Along& along = {}, Where at = Where::current());

// Along several axes: of all of x, or the last as many as `shape` has. The real ones halve the last of them.
struct Over {
  std::optional<Shape> shape = {};
  std::optional<Dims> axes = {};
  Norm norm = Norm::Backward;
};
Array fftn(const Array& x, const Over& over = {}, Where at = Where::current());
Array ifftn(const Array& x, const Over& over = {}, Where at = Where::current());
Array rfftn(const Array& x, const Over& over = {}, Where at = Where::current());
Array irfftn(const Array& x, const Over& over = {}, Where at = Where::current());

// The frequencies of fft() and rfft() of n samples that are d apart.
Array fftfreq(int64_t n, double d = 1);
Array rfftfreq(int64_t n, double d = 1);
// The frequency 0 in the middle of the axes, of all unless told, and back.
Array fftshift(const Array& x, const std::optional<Dims>& axes = {});
Array ifftshift(const Array& x, const std::optional<Dims>& axes = {});

}  // namespace weft::fft
