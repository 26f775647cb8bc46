#include "frontend/cpp/record/resident_index.h"

#include <algorithm>

#include "compiler/base/error.h"
#include "compiler/ir/interpret/walk.h"
#include "compiler/ir/ops/storage.h"
#include "frontend/cpp/array/read.h"
#include "frontend/cpp/array/view.h"
#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/reductions.h"

namespace weft::detail {
namespace {

// Without branches or comparisons of 64 bits, so that they take vectors of any x86.
template <class T>
bool all_within(const T* data, int64_t count, int64_t extent) {
  uint64_t outside = 0;  // the sign, where some is
  const auto end = static_cast<uint64_t>(extent);
  for (int64_t i = 0; i < count; ++i) {
    const auto v = static_cast<uint64_t>(data[i]);  // signed ones keep their sign
    outside |= end - 1 - v;
    if constexpr (std::is_signed_v<T>) {
      outside |= v + end;
    } else {
      outside |= v;
    }
  }
  return static_cast<int64_t>(outside) >= 0;
}

bool is_contiguous(const Layout& at) {
  const Dims dense = contiguous_strides(at.type.shape);
  for (size_t k = 0; k < dense.size(); ++k)
    if (at.type.shape[k] != 1 && at.strides[k] != dense[k]) return false;
  return true;
}

template <class T>
Span extremes(const Layout& at, const T* data) {
  T least = data[at.offset], most = least;
  const auto see = [&](T v) {
    least = std::min(least, v);
    most = std::max(most, v);
  };
  if (is_contiguous(at)) {
    const int64_t count = element_count(at.type.shape);
    for (int64_t i = 0; i < count; ++i) see(data[at.offset + i]);
  } else {
    ir::walk<1>(at.type.shape, {at.strides}, {at.offset},
                [&](const std::array<int64_t, 1>& from) { see(data[from[0]]); });
  }
  // What u64 holds beyond i64 is outside of every axis.
  if constexpr (std::is_same_v<T, uint64_t>) most = std::min<uint64_t>(most, INT64_MAX);
  return {static_cast<int64_t>(least), static_cast<int64_t>(most)};
}

void check(std::string_view op, size_t axis, int64_t extent, const Span& found) {
  if (found.least >= -extent && found.most < extent) return;
  throw IndexError(std::string(op) + ": position out of range for axis " + std::to_string(axis) +
                   " of extent " + std::to_string(extent) + ": got " +
                   std::to_string(found.least < -extent ? found.least : found.most));
}

// What u64 holds beyond i64 is outside of every axis.
int64_t held(const Scalar& value) { return value.dtype == DType::U64 && value.i < 0 ? INT64_MAX : value.i; }

bool checks_later(std::string_view op, const Array& index, size_t axis, int64_t extent) {
  if (!depends_on_arguments(index)) return false;
  if (extent == 0) throw IndexError(std::string(op) + ": axis " + std::to_string(axis) + " has no positions");
  ir::NodeRef value = read(index, {});
  const LateCheck::Rule rule = LateCheck::Rule::Position;
  if (!known_late(rule, value, extent))
    note_late({rule, std::move(value), std::string(op), axis, extent, {}, min(index), max(index)});
  return true;
}

void check_exponent(DType base, int64_t least) {
  if (least >= 0) return;
  throw Error("pow: integers to negative integer powers are not integers: got " + std::string(name(base)) +
              " and " + std::to_string(least));
}

void check_count(int64_t count, int64_t number) {
  if (number < 0 ? -number <= count : number < count) return;
  throw IndexError("index: position out of range for what a mask picks, of " + std::to_string(count) +
                   (count == 1 ? " element" : " elements") + ": got " + std::to_string(number));
}

}  // namespace

bool depends_on_arguments(const Array& x) {
  return records_cells() && depends_on_arguments(Access::cell(x)->value());
}

void check_late(const LateCheck& late) {
  const int64_t least = held(late.least.only_element());
  if (late.rule == LateCheck::Rule::Exponent) return check_exponent(late.base, least);
  if (late.rule == LateCheck::Rule::Picked) return check_count(least, late.extent);
  check(late.op, late.axis, late.extent, {least, held(late.most.only_element())});
}

void check_exponents(DType base, const Array& exponents) {
  if (exponents.size() == 0) return;
  const Array least = min(exponents);
  if (!depends_on_arguments(exponents)) return check_exponent(base, least.item<int64_t>());
  ir::NodeRef value = read(exponents, {});
  if (!known_late(LateCheck::Rule::Exponent, value, 0))
    note_late({LateCheck::Rule::Exponent, std::move(value), "pow", 0, 0, base, least, least});
}
void check_exponents(DType base, int64_t exponent) { check_exponent(base, exponent); }

void check_picked(const Array& counts, int64_t number) {
  if (counts.size() == 0) return;
  const Array least = min(counts);
  if (!depends_on_arguments(counts)) return check_count(least.item<int64_t>(), number);
  ir::NodeRef value = read(counts, {});
  if (!known_late(LateCheck::Rule::Picked, value, number))
    note_late({LateCheck::Rule::Picked, std::move(value), "index", 0, number, {}, least, least});
}

void check_again(const LateCheck& late, const Array& values) {
  switch (late.rule) {
    case LateCheck::Rule::Position:
      return check_index(late.op, values, late.axis, late.extent);
    case LateCheck::Rule::Exponent:
      return check_exponents(late.base, values);
    case LateCheck::Rule::Picked:
      return check_picked(values, late.extent);
  }
}

void check_resident_index(std::string_view op, const Array& index, size_t axis, int64_t extent) {
  Cell& cell = *Access::cell(index);
  const ir::NodeRef value = cell.value();
  const bool known = value->op == ir::Op::constant;
  if (index.size() == 0) return;
  if (!known && (value->op != ir::Op::input || !cell.device.device->host_visible())) return;
  if (checks_later(op, index, axis, extent)) return;
  Layout at = layout_of(index);
  // Of arrays that are picked from again and again the positions are looked at once.
  const bool whole = !known && !Access::view(index);
  if (const auto span = whole ? cell.known_span(value) : std::nullopt)
    if (span->least >= -extent && span->most < extent) return;
  ir::with_dtype(index.dtype(), [&]<DType t>(std::integral_constant<DType, t>) {
    if constexpr (is_integer(t)) {
      using T = typename ir::Storage<t>::Stored;
      const auto constant = known ? static_cast<T>(value->as<ir::ConstantAttr>().value.i) : T{};
      if (known) at = {{}, {t, {}}, {}, 0};
      const T* const data = known ? &constant : static_cast<const T*>(value_of(*value)->data());
      if (!is_contiguous(at) || !all_within(data + at.offset, element_count(at.type.shape), extent))
        check(op, axis, extent, extremes(at, data));
    }
  });
  if (whole) cell.set_known_span(value, {-extent, extent - 1});
}

void check_index(std::string_view op, const Array& index, size_t axis, int64_t extent) {
  Cell& cell = *Access::cell(index);
  if (index.size() == 0 || checks_later(op, index, axis, extent)) return;
  if (cell.device.device->host_visible() || cell.value()->op == ir::Op::constant) {
    if (cell.value()->op != ir::Op::constant) materialized(cell);
    return check_resident_index(op, index, axis, extent);
  }
  // One kernel and one byte; the position itself is only looked for when it is to be named.
  const bool is_signed = kind(index.dtype()) == DTypeKind::Signed;
  const Array wide = size_of(index.dtype()) < sizeof(int64_t) ? index.astype(DType::I64) : index;
  const Array beyond = greater_equal(wide, extent);
  const Array outside = any(is_signed ? logical_or(beyond, less(wide, -extent)) : beyond);
  if (!outside.item<bool>()) return;
  check(op, axis, extent, {is_signed ? held(min(index).only_element()) : 0, held(max(index).only_element())});
}

bool counts_up(const Array& index) {
  if (index.ndim() != 1 || !is_integer(index.dtype()) || depends_on_arguments(index)) return false;
  Cell& cell = *Access::cell(index);
  const ir::NodeRef value = cell.value();
  const Layout at = layout_of(index);
  if (value->op == ir::Op::iota) {
    // In a dtype that does not hold them all they go around.
    const auto bits = 8 * size_of(index.dtype()) - (kind(index.dtype()) == DTypeKind::Signed ? 1 : 0);
    const bool held = bits >= 63 || index.size() <= int64_t{1} << bits;
    return held && value->shape().size() == 1 && at.offset == 0 && at.strides == Dims{1};
  }
  if (value->op != ir::Op::input || !cell.device.device->host_visible()) return false;
  note_read(cell);
  return ir::with_dtype(index.dtype(), [&]<DType t>(std::integral_constant<DType, t>) {
    if constexpr (is_integer(t)) {
      const auto* data =
          static_cast<const typename ir::Storage<t>::Stored*>(value_of(*value)->data()) + at.offset;
      const int64_t count = at.type.shape[0], step = at.strides[0];
      int64_t k = 0;
      while (k < count && static_cast<int64_t>(data[k * step]) == k) ++k;
      return k == count;
    }
    return false;
  });
}

}  // namespace weft::detail
