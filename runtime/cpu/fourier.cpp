#include "runtime/cpu/fourier.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#define POCKETFFT_NO_MULTITHREADING
#define POCKETFFT_CACHE_SIZE 32
#include <pocketfft_hdronly.h>

namespace weft::runtime {
namespace {

constexpr int64_t kColumns = 16;        // of one piece, where elements lie apart: whole lines of memory
constexpr int64_t kElements = 1 << 14;  // worth a thread of their own

int64_t pieces_of(int64_t apart) { return apart > 1 ? apart / kColumns + (apart % kColumns != 0) : 1; }

// Behind the operand and the result.
FourierNumbers numbers_of(const uint64_t* words) {
  const auto number = [&](int k) { return static_cast<int64_t>(words[2 + k]); };
  return {static_cast<Fourier>(number(0)), number(1), number(2), number(3), std::bit_cast<double>(words[6])};
}

// A block of transforms: along `axis` of two, the other counts them.
template <class T>
void transform(const FourierNumbers& call, const void* from, void* to, size_t axis, int64_t many) {
  using C = std::complex<T>;
  const bool real_in = call.kind == Fourier::OfReal, real_out = call.kind == Fourier::ToReal;
  const auto in = static_cast<std::ptrdiff_t>(real_in ? sizeof(T) : sizeof(C)),
             out = static_cast<std::ptrdiff_t>(real_out ? sizeof(T) : sizeof(C));
  const auto n = static_cast<size_t>(call.n), count = static_cast<size_t>(many);
  const pocketfft::shape_t shape = axis == 0 ? pocketfft::shape_t{n, count} : pocketfft::shape_t{count, n};
  const auto strides = [&](std::ptrdiff_t bytes, int64_t extent) {
    return axis == 0 ? pocketfft::stride_t{call.apart * bytes, bytes}
                     : pocketfft::stride_t{extent * bytes, bytes};
  };
  const auto steps = strides(in, call.taken()), steps_out = strides(out, call.given());
  const auto factor = static_cast<T>(call.factor);
  switch (call.kind) {
    case Fourier::OfReal:
      return pocketfft::r2c(shape, steps, steps_out, axis, pocketfft::FORWARD, static_cast<const T*>(from),
                            static_cast<C*>(to), factor, 1);
    case Fourier::ToReal:
      return pocketfft::c2r(shape, steps, steps_out, axis, pocketfft::BACKWARD, static_cast<const C*>(from),
                            static_cast<T*>(to), factor, 1);
    default:
      return pocketfft::c2c(shape, steps, steps_out, {axis}, call.kind == Fourier::Forward,
                            static_cast<const C*>(from), static_cast<C*>(to), factor, 1);
  }
}

// The range counts transforms where each is contiguous, and blocks of kColumns of them where they lie among each other.
template <class T>
void transform_range(const uint64_t* words, long begin, long end, char*) {
  const FourierNumbers call = numbers_of(words);
  const auto bytes = [&](bool real) { return static_cast<int64_t>(real ? sizeof(T) : 2 * sizeof(T)); };
  const int64_t in = bytes(call.kind == Fourier::OfReal), out = bytes(call.kind == Fourier::ToReal);
  const auto at = [](uint64_t word, int64_t offset) { return reinterpret_cast<char*>(word) + offset; };
  if (call.apart == 1)
    return transform<T>(call, at(words[0], begin * call.taken() * in),
                        at(words[1], begin * call.given() * out), 1, end - begin);
  for (long task = begin; task < end; ++task) {
    const int64_t outer = task / call.pieces, first = task % call.pieces * kColumns;
    transform<T>(call, at(words[0], (outer * call.taken() * call.apart + first) * in),
                 at(words[1], (outer * call.given() * call.apart + first) * out), 0,
                 std::min(kColumns, call.apart - first));
  }
}

// Whether an array is `outer` times so many elements along the axis, `apart` from each other.
bool holds(const TensorType& array, int64_t outer, int64_t along, int64_t apart) {
  int64_t all = 0;
  return !__builtin_mul_overflow(outer, along, &all) && !__builtin_mul_overflow(all, apart, &all) &&
         all == element_count(array.shape);
}

template <class T>
std::string broken_rule(const LibraryCall& call) {
  if (call.operands.size() != 1 || call.results.size() != 1 || call.numbers.size() != 5)
    return "takes one array and the numbers [kind, n, apart, pieces, factor], and gives one array";
  const int64_t kind = call.numbers[0];
  if (kind < 0 || kind > static_cast<int64_t>(Fourier::ToReal))
    return fmt::format("the kind of a transform is 0 to 3: got {}", kind);
  const FourierNumbers numbers{static_cast<Fourier>(kind), call.numbers[1], call.numbers[2], call.numbers[3]};
  const TensorType &x = call.operands[0], &r = call.results[0];
  constexpr DType kReal = sizeof(T) == 4 ? DType::F32 : DType::F64,
                  kComplex = sizeof(T) == 4 ? DType::C64 : DType::C128;
  if (x.dtype != (numbers.kind == Fourier::OfReal ? kReal : kComplex) ||
      r.dtype != (numbers.kind == Fourier::ToReal ? kReal : kComplex))
    return fmt::format("does not make {} of {}", name(r.dtype), name(x.dtype));
  const bool is_empty = element_count(x.shape) == 0 && element_count(r.shape) == 0 && call.range == 0;
  if (is_empty) return {};
  const int64_t n = numbers.n, apart = numbers.apart, pieces = numbers.pieces;
  const int64_t outer = pieces > 0 ? call.range / pieces : 0;
  if (n < 1 || apart < 1 || pieces != pieces_of(apart) || call.range != outer * pieces ||
      !holds(x, outer, numbers.taken(), apart) || !holds(r, outer, numbers.given(), apart))
    return fmt::format("a range of {} with n {}, apart {} and pieces {} does not make {} of {}", call.range,
                       n, apart, pieces, to_string(r), to_string(x));
  return {};
}

constexpr LibraryFunction kSingle{"fourier_f32", transform_range<float>, broken_rule<float>};
constexpr LibraryFunction kDouble{"fourier_f64", transform_range<double>, broken_rule<double>};
[[maybe_unused]] const bool kTransformsAdded = add_library_function(kSingle) && add_library_function(kDouble);

}  // namespace

FourierCall::FourierCall(Fourier of, const Shape& shape, size_t axis, int64_t elements, double times)
    : FourierNumbers{.kind = of, .n = elements, .factor = times} {
  int64_t outer = 1;
  for (size_t i = 0; i < shape.size(); ++i)
    if (i != axis) (i < axis ? outer : apart) *= shape[i];
  pieces = pieces_of(apart);
  range = apart == 0 ? 0 : outer * pieces;
  grain = std::max<int64_t>(1, kElements / (n * std::clamp<int64_t>(apart, 1, kColumns)));
}

std::vector<int64_t> FourierCall::numbers() const {
  return {static_cast<int64_t>(kind), n, apart, pieces, std::bit_cast<int64_t>(factor)};
}

const LibraryFunction& fourier_function(bool single) { return single ? kSingle : kDouble; }

}  // namespace weft::runtime
