#include "frontend/cpp/ops/sort_words.h"

#include "frontend/cpp/weft/create.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/reductions.h"

namespace weft::detail {

namespace {

DType word_of(DType t) {
  switch (size_of(t)) {
    case 1:
      return DType::U8;
    case 2:
      return DType::U16;
    case 4:
      return DType::U32;
    default:
      return DType::U64;
  }
}

uint64_t top_of(DType t) { return uint64_t{1} << (8 * size_of(t) - 1); }

Array number(uint64_t value, DType dtype, const Array& beside) {
  return full({}, Number(value), Make(dtype, beside.device()));
}

}  // namespace

Array words(const Array& x) {
  const DTypeKind k = kind(x.dtype());
  if (k == DTypeKind::Unsigned) return x;
  if (k == DTypeKind::Bool) return x.astype(DType::U8);
  const DType dtype = word_of(x.dtype());
  const Array word = x.view_as(dtype);
  const Array top = number(top_of(dtype), dtype, x);
  if (k == DTypeKind::Signed) return word ^ top;
  // Below zero the bits count downwards.
  Array order = where(word >= top, bitwise_invert(word), word | top);
  order = where(x == 0, top, order);
  return where(isnan(x), number(top_of(dtype) | (top_of(dtype) - 1), dtype, x), order);
}

Array values_of(const Array& words, DType dtype) {
  const DTypeKind k = kind(dtype);
  if (k == DTypeKind::Unsigned || k == DTypeKind::Bool) return words.astype(dtype);
  const Array word = words.astype(word_of(dtype)), top = number(top_of(dtype), word.dtype(), words);
  if (k == DTypeKind::Signed) return (word ^ top).view_as(dtype);
  return where(word >= top, word ^ top, bitwise_invert(word)).view_as(dtype);
}

Array loses_bits(const Array& x) {
  if (kind(x.dtype()) != DTypeKind::Float) return zeros({}, Make(DType::Bool, x.device()));
  const DType dtype = word_of(x.dtype());
  return any(logical_or(isnan(x), x.view_as(dtype) == number(top_of(dtype), dtype, x)));
}

}  // namespace weft::detail
