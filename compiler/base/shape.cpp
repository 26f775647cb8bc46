#include "compiler/base/shape.h"

#include "compiler/base/error.h"

namespace weft {

Dims contiguous_strides(const Shape& shape) {
  Dims strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<int64_t>(shape[i], 1);
  return strides;
}

void check_size(std::string_view op, std::span<const int64_t> shape, size_t item_bytes) {
  int64_t bytes = static_cast<int64_t>(item_bytes);
  bool empty = false, overflow = false;
  for (int64_t extent : shape) {
    if (extent < 0) {
      throw Error(std::string(op) + ": extents must not be negative: got " + to_string(Dims(shape)));
    }
    // The strides of an empty array are still products of its other extents, so those must fit as well.
    if (extent == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > kMaxBytes) {
      overflow = true;
      bytes = kMaxBytes;
    }
  }
  if (overflow) {
    throw Error(std::string(op) + ": too many elements: got " + to_string(Dims(shape)) + " of " +
                std::to_string(item_bytes) + " bytes each" + (empty ? ", although one extent is 0" : ""));
  }
}

Shape broadcast_shapes(std::string_view op, const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const size_t lead = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    int64_t& extent = result[lead + i];
    if (shorter[i] == extent || shorter[i] == 1) continue;
    if (extent != 1) {
      throw Error(std::string(op) + ": shapes do not broadcast: got " + to_string(a) + " and " +
                  to_string(b));
    }
    extent = shorter[i];
  }
  return result;
}

int64_t normalize_axis(std::string_view op, int64_t axis, size_t rank) {
  const auto n = static_cast<int64_t>(rank);
  if (axis < -n || axis >= n) {
    throw AxisError(std::string(op) + ": axis out of range for rank " + std::to_string(rank) + ": got " +
                    std::to_string(axis));
  }
  return axis < 0 ? axis + n : axis;
}

std::string to_string(const Dims& dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(dims[i]);
  }
  return text + (dims.size() == 1 ? ",)" : ")");
}

}  // namespace weft
