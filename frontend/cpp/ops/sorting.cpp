#include "frontend/cpp/weft/sorting.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/evaluate/made_by.h"
#include "frontend/cpp/ops/on_host.h"
#include "frontend/cpp/ops/radix_sort.h"
#include "frontend/cpp/ops/sort_words.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/record/resident_index.h"
#include "frontend/cpp/session/long_work.h"
#include "frontend/cpp/weft/create.h"
#include "frontend/cpp/weft/derivatives.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/scans.h"
#include "frontend/cpp/weft/shaping.h"
#include "runtime/interrupt.h"
#include "runtime/trace.h"

namespace weft {
namespace {

using detail::words;

void needs_values(std::string_view op, const Array& x) {
  if (detail::depends_on_arguments(x)) {
    throw Error(
        std::string(op) +
        ": orders are found on the host, and a function that is being recorded has no values there; " +
        std::string(op) + " outside of the compiled function");
  }
}

// What the host orders: the rows of an array, in memory of their own.
class Rows {
 public:
  Rows(const char* op, const Array& x) : Rows(op, x, detail::Recording(op, Operand(x))) {}

  // Calls work(the CPU, the rows, their memory), which a profile shows as the op's.
  template <class Work>
  void order(Work&& work) const {
    runtime::Device& host = *detail::host_of(here_).device;
    const runtime::StopScope may_stop(true);  // nobody has seen the memory
    runtime::Timed timed(here_.session.counters.trace, [] {});
    work(host, rows_, memory_->data());
    if (here_.session.log->should_log(spdlog::level::debug))
      here_.session.log->debug(
          "{} of {} bytes{}", op_, memory_->bytes(),
          lines_.empty() ? "" : " at " + weft::to_string(std::span<const SourceLine>(lines_)));
    timed.end([&] {
      runtime::TraceEvent event;
      event.work = runtime::Work::Library, event.what = op_, event.lines = lines_;
      event.bytes_read = event.bytes_written = static_cast<int64_t>(memory_->bytes());
      return event;
    });
  }
  runtime::BufferRef allocate(size_t bytes) const { return detail::host_of(here_).device->allocate(bytes); }
  const runtime::BufferRef& memory() const { return memory_; }
  // Of the rows' shape and on their device, what lies in the host's memory.
  Array array(DType dtype, const runtime::BufferRef& memory) const {
    const runtime::BufferRef there = detail::moved(memory, here_);
    detail::made_lately().add(
        {there, lines_.empty() ? SourceLine() : lines_.front(), detail::MadeResult::How::Order, {}, {}, op_});
    return detail::record(here_, detail::input_node({dtype, shape_}, there), detail::kInMemory);
  }

 private:
  Rows(const char* op, const Array& x, detail::Recording&& r)
      : op_(op),
        lines_(r.lines().all()),
        here_(detail::Access::cell(x)->device),
        shape_(x.shape()),
        rows_{x.dtype(), x.size() / x.shape().back(), x.shape().back()} {
    memory_ = detail::value_to_write(here_, r.node(x), r.lines());
  }

  const char* op_;
  std::vector<SourceLine> lines_;
  detail::DeviceSlot& here_;
  Shape shape_;
  runtime::SortedRows rows_;
  runtime::BufferRef memory_;  // that the host sees
};

// A GPU orders long rows itself, one after the other, where there are few.
constexpr int64_t kMostRows = 16;

bool rows_on_gpu(const Array& x) {
  const int64_t n = x.shape().back();
  return x.size() <= kMostRows * n && detail::radix_sorts(n, x.device());
}

template <class Row>
Array row_by_row(const Array& x, Row&& order) {
  const Array rows = x.reshape({-1, x.shape().back()});
  std::vector<Array> ordered;
  ordered.reserve(static_cast<size_t>(rows.shape()[0]));
  for (int64_t k = 0; k < rows.shape()[0]; ++k) ordered.push_back(order(rows[k]));
  return (ordered.size() == 1 ? ordered[0] : stack(ordered)).reshape(x.shape());
}

// What a radix sort starts from: words of 32 or 64 bits, and up to which bit they differ.
struct RadixWords {
  explicit RadixWords(const Array& row) {
    const Array narrow = detail::words(row);
    word = narrow.itemsize() < 4 ? narrow.astype(DType::U32) : narrow;
    const Array seen = stack({min(word).astype(DType::U64), max(word).astype(DType::U64),
                              detail::loses_bits(row).astype(DType::U64)});
    eval({word, seen});
    const std::vector<uint64_t> found = seen.to_vector<uint64_t>();
    bits = std::bit_width(found[0] ^ found[1]), lost = found[2] != 0;
  }

  Array word;
  int bits;
  bool lost;  // whether values_of() would change a value
};

Array sorted_on_gpu(const Array& row) {
  const RadixWords of(row);
  // Zeros and NaN keep their bits where they are moved themselves.
  if (of.lost) return take(row, detail::radix_ordered(of.word, of.bits));
  return detail::values_of(detail::radix_sorted(of.word, of.bits), row.dtype());
}

Array ordered_on_gpu(const Array& row) {
  const RadixWords of(row);
  return detail::radix_ordered(of.word, of.bits).astype(DType::I64);
}

Array sorted_rows(const Array& x) {
  if (rows_on_gpu(x)) return row_by_row(x, sorted_on_gpu);
  const detail::LongWork busy;
  const Rows rows("sort", x);
  rows.order(
      [](runtime::Device& host, const runtime::SortedRows& of, void* values) { host.sort(of, values); });
  return rows.array(x.dtype(), rows.memory());
}

Array ordered_rows(const Array& x) {
  if (rows_on_gpu(x)) return row_by_row(x, ordered_on_gpu);
  const detail::LongWork busy;
  const Rows rows("argsort", x);
  const runtime::BufferRef positions = rows.allocate(static_cast<size_t>(x.size()) * sizeof(int64_t));
  rows.order([&](runtime::Device& host, const runtime::SortedRows& of, const void* values) {
    host.order(of, values, static_cast<int64_t*>(positions->data()));
  });
  return rows.array(DType::I64, positions);
}

bool is_ordered_already(const Array& x, int64_t axis) {
  return x.size() == 0 || x.shape()[static_cast<size_t>(axis)] == 1;
}

// By the least important word first: each order is stable.
Array complex_positions(const Array& x, int64_t axis) {
  Array order = argsort(imag(x), axis);
  const Array re = real(x), nan = isnan(re).astype(DType::U8) * 2 + isnan(imag(x)).astype(DType::U8);
  for (const Array& word : {re, nan})
    order = take_along_axis(order, argsort(take_along_axis(word, order, axis), axis), axis);
  return order;
}

int64_t checked_axis(std::string_view op, const Array& x, int64_t axis) {
  if (x.ndim() == 0) throw Error(std::string(op) + ": needs an axis: got an array of rank 0");
  return normalize_axis(op, axis, x.ndim());
}

// Which elements of sorted words differ from the one before.
Array firsts(const Array& word) {
  const int64_t n = word.size();
  if (n == 0) return zeros({0}, Make(DType::Bool, word.device()));
  return concat({ones({1}, Make(DType::Bool, word.device())), word(Slice{1, n}) != word(Slice{0, n - 1})});
}

// The reduced axes as one axis behind the others, and the shape of the result.
struct Laid {
  Array rows;
  Shape shape;
};
Laid lay(std::string_view op, const Array& x, const Axes& axes, bool keepdims) {
  std::vector<char> reduced(x.ndim(), !axes.list());
  if (axes.list())
    for (int64_t axis : *axes.list()) {
      char& one = reduced[static_cast<size_t>(normalize_axis(op, axis, x.ndim()))];
      if (one) throw Error(std::string(op) + ": axis " + std::to_string(axis) + " is given twice");
      one = true;
    }
  Dims order, last;
  Shape rows, shape;
  int64_t count = 1;
  for (size_t i = 0; i < x.ndim(); ++i) {
    const int64_t extent = x.shape()[i];
    (reduced[i] ? last : order).push_back(static_cast<int64_t>(i));
    if (reduced[i]) {
      count *= extent;
      if (keepdims) shape.push_back(1);
    } else {
      rows.push_back(extent), shape.push_back(extent);
    }
  }
  if (count == 0 && element_count(shape) != 0) {
    throw Error(std::string(op) + ": there is nothing to take it of: got shape " + to_string(x.shape()));
  }
  for (int64_t axis : last) order.push_back(axis);
  rows.push_back(count);
  return {permute_dims(x, order).reshape(rows), shape};
}

Array column(const Array& rows, int64_t at) { return moveaxis(rows, -1, 0)[at]; }

// The mean of two neighbours, which may be infinite, or too large for their sum.
Array middle(const Array& least, const Array& most) {
  const Array both = least + most;
  return where(isfinite(both), both * 0.5, least * 0.5 + most * 0.5);
}

// Between the elements at floor(at) and ceil(at) of each sorted row, or NaN where the row has one: it is the last.
Array between(std::string_view op, const Array& x, double q, const Axes& axes, bool keepdims) {
  if (kind(x.dtype()) == DTypeKind::Complex) {
    throw TypeError(std::string(op) + ": complex numbers have no order that it could mean: got " +
                    std::string(name(x.dtype())));
  }
  needs_values(op, x);
  const bool counts = kind(x.dtype()) != DTypeKind::Float;
  const auto [rows, shape] = lay(op, counts ? x.astype(DType::F64) : x, axes, keepdims);
  const int64_t n = rows.shape().back();
  if (element_count(shape) == 0) return zeros(shape, Make(rows.dtype(), x.device()));
  const Array sorted = sort(rows);
  const double at = q * static_cast<double>(n - 1);
  const auto low = static_cast<int64_t>(std::floor(at));
  const Array least = column(sorted, low), most = column(sorted, std::min(low + 1, n - 1)),
              last = column(sorted, n - 1);
  const double part = at - static_cast<double>(low);
  // As NumPy has it: exact at both ends, and between equal values. An infinite neighbour that counts for nothing stays
  // out of it.
  Array value = part == 0    ? least
                : part < 0.5 ? least + (most - least) * part
                             : most - (most - least) * (1 - part);
  if (part != 0) value = where(least == most, least, value);
  if (op == "median" && part != 0) value = middle(least, most);
  return where(isnan(last), last, value).reshape(shape);
}

// A plain number's dtype gives way unless its kind exceeds the array's.
Array number_beside(const Array& x, const Number& n) {
  const DTypeKind of = n.kind() == DTypeKind::Unsigned ? DTypeKind::Signed : n.kind();
  const bool gives_way = of <= kind(x.dtype()) && !n.is_typed() && detail::holds(x.dtype(), n.value());
  return full({}, n, Make(gives_way ? x.dtype() : n.value().dtype, x.device()));
}

}  // namespace

bool detail::sorts_on_gpu(const Array& x, int64_t axis) {
  return x.size() > 0 && kind(x.dtype()) != DTypeKind::Complex && rows_on_gpu(moveaxis(x, axis, -1));
}

Array sort(const Array& x, int64_t axis, Where at) {
  const LineScope scope(at);
  const int64_t along = checked_axis("sort", x, axis);
  if (is_ordered_already(x, along)) return x.copy();
  needs_values("sort", x);
  if (is_derived(x) || kind(x.dtype()) == DTypeKind::Complex)
    return take_along_axis(x, argsort(stop_gradient(x), along), along);
  return moveaxis(sorted_rows(moveaxis(x, along, -1)), -1, along);
}

Array argsort(const Array& x, int64_t axis, Where at) {
  const LineScope scope(at);
  const int64_t along = checked_axis("argsort", x, axis);
  if (is_ordered_already(x, along)) return zeros(x.shape(), Make(DType::I64, x.device()));
  needs_values("argsort", x);
  const Array values = stop_gradient(x);
  if (kind(x.dtype()) == DTypeKind::Complex) return complex_positions(values, along);
  return moveaxis(ordered_rows(moveaxis(values, along, -1)), -1, along);
}

Array searchsorted(const Array& sorted, const Operand& values, Side side, Where at) {
  const LineScope scope(at);
  if (sorted.ndim() != 1) {
    throw Error("searchsorted: searches an array of one axis: got shape " + to_string(sorted.shape()));
  }
  const Array given = values.array() ? *values.array() : number_beside(sorted, values.number());
  const DType common = promote(sorted.dtype(), given.dtype());
  if (kind(common) == DTypeKind::Complex) {
    throw TypeError("searchsorted: takes real values: got " + std::string(name(common)));
  }
  const int64_t n = sorted.size();
  const Make positions(DType::I64, sorted.device());
  if (n == 0 || given.size() == 0) return zeros(given.shape(), positions);
  const Array keys = words(stop_gradient(sorted).astype(common));
  const Array key = words(stop_gradient(given).astype(common));
  // How many are known to stand before: a bit after the other, from the highest.
  Array found = zeros(given.shape(), positions);
  for (auto step = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(n))); step > 0; step /= 2) {
    const Array to = found + step, there = take(keys, minimum(to, n) - 1);
    const Array ahead = side == Side::Right ? there <= key : there < key;
    found = where(ahead & (to <= n), to, found);
  }
  return found;
}

Array unique(const Array& x, Where at) { return unique_all(x, at).values; }

Unique unique_all(const Array& x, Where at) {
  const LineScope scope(at);
  needs_values("unique", x);
  const Array flat = x.reshape({-1}), order = argsort(flat), taken = take(flat, order),
              sorted = stop_gradient(taken);
  const bool complex = kind(x.dtype()) == DTypeKind::Complex;
  Array first =
      complex ? logical_or(firsts(words(real(sorted))), firsts(words(imag(sorted)))) : firsts(words(sorted));
  // All complex NaNs stand at the end and are one, whichever part it is.
  if (complex && flat.size() > 0) {
    const Array nan = isnan(sorted);
    const int64_t n = flat.size();
    const Array both =
        concat({zeros({1}, Make(DType::Bool, x.device())), nan(Slice{1, n}) & nan(Slice{0, n - 1})});
    first = first & !both;
  }
  const Array starts = true_positions(first), group = cumulative_sum(first.astype(DType::I64)) - 1;
  const Array end = concat({starts, full({1}, flat.size(), Make(DType::I64, x.device()))});
  const Array inverse = flat.size() > 0 ? place(group, order, flat.size()) : group;
  return {take(taken, starts), take(order, starts), inverse.reshape(x.shape()),
          end(Slice{1, end.size()}) - end(Slice{0, starts.size()})};
}

std::vector<Array> nonzero(const Array& x, Where at) {
  const LineScope scope(at);
  if (x.ndim() == 0) throw Error("nonzero: needs an axis: got an array of rank 0; reshape it to {1} first");
  needs_values("nonzero", x);
  Array rest = true_positions(stop_gradient(x).reshape({-1}) != 0);
  std::vector<Array> positions(x.ndim());
  for (size_t axis = x.ndim(); --axis > 0;) {
    const int64_t extent = std::max<int64_t>(x.shape()[axis], 1);
    positions[axis] = rest % extent;
    rest = floor_divide(rest, extent);
  }
  positions[0] = rest;
  return positions;
}

Array median(const Array& x, const Axes& axes, bool keepdims, Where at) {
  const LineScope scope(at);
  return between("median", x, 0.5, axes, keepdims);
}

Array quantile(const Array& x, double q, const Axes& axes, bool keepdims, Where at) {
  const LineScope scope(at);
  if (!(q >= 0 && q <= 1)) throw Error("quantile: takes a part from 0 to 1: got " + std::to_string(q));
  return between("quantile", x, q, axes, keepdims);
}

}  // namespace weft
