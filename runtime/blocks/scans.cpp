// Running values: of rows in the kernel's vectors, of columns one row after another.
#include <algorithm>
#include <type_traits>

#include "runtime/blocks/joins.h"
#include "runtime/blocks/run.h"

namespace weft::runtime {

// Vectors of the kernel's lanes: the values before each within its vector, then those of the vectors before.
template <class Span, class Total>
void Run::scan_as(const BlockTotal& t, const char* from, bool repeats) {
  using Join = BlockTotal::Join;
  const auto run = [&](auto join) {
    const Span none = read<Span>(reinterpret_cast<const char*>(t.none_of_span));
    Total sum = read<Total>(sums(t));
    char* to = where(t.wide);
    Span values[kMostKernelLanes], next[kMostKernelLanes];
    for (int64_t base = 0; base < count_; base += p_.walk.lanes) {
      const int64_t live = std::min<int64_t>(p_.walk.lanes, count_ - base);
      for (int64_t k = 0; k < p_.walk.lanes; ++k)
        values[k] = k < live ? read<Span>(from + (repeats ? 0 : base + k) * int64_t{sizeof(Span)}) : none;
      for (int64_t half = p_.walk.lanes / 2; half > 0; half /= 2) {
        for (int64_t k = 0; k < p_.walk.lanes; ++k)
          next[k] = join(k < half ? none : values[k - half], values[k]);
        std::copy_n(next, p_.walk.lanes, values);
      }
      for (int64_t k = 0; k < live; ++k) {
        const Total value = join(sum, widened<Total>(values[k]));
        std::memcpy(to + (base + k) * int64_t{sizeof(Total)}, &value, sizeof value);
      }
      sum = join(sum, widened<Total>(values[p_.walk.lanes - 1]));
    }
    std::memcpy(sums(t), &sum, sizeof sum);
  };
  switch (t.join_by) {
    case Join::Sum:
      return run([](auto a, auto b) { return added(a, b); });
    case Join::Product:
      return run([](auto a, auto b) { return multiplied(a, b); });
    case Join::Most:
      if constexpr (std::is_arithmetic_v<Span>) run([](auto a, auto b) { return most(a, b); });
      return;
    case Join::Least:
      if constexpr (std::is_arithmetic_v<Span>) run([](auto a, auto b) { return least(a, b); });
      return;
  }
}

void Run::scan(const BlockInstruction& i) {
  const BlockTotal& t = total(static_cast<int32_t>(i.number));
  const char* from = where(i.in[0]);
  bool repeats = steps_[i.in[0]] == 0;
  if (t.spread >= 0) {
    loops_.loops[t.spread](where(t.narrow_values), &from, &steps_[i.in[0]], vectors_);
    from = where(t.narrow_values), repeats = false;
  }
  scan_dtype(t, from, repeats);
  const char* sums_of_all = where(t.wide);
  give(t, i.out, sums_of_all);
}

void Run::scan_dtype(const BlockTotal& t, const char* from, bool repeats) {
  switch (t.span) {
    case DType::Bool:
    case DType::U8:
      return scan_as<uint8_t, uint8_t>(t, from, repeats);
    case DType::I8:
      return scan_as<int8_t, int8_t>(t, from, repeats);
    case DType::I16:
      return scan_as<int16_t, int16_t>(t, from, repeats);
    case DType::I32:
      return scan_as<int32_t, int32_t>(t, from, repeats);
    case DType::I64:
      return scan_as<int64_t, int64_t>(t, from, repeats);
    case DType::U16:
      return scan_as<uint16_t, uint16_t>(t, from, repeats);
    case DType::U32:
      return scan_as<uint32_t, uint32_t>(t, from, repeats);
    case DType::U64:
      return scan_as<uint64_t, uint64_t>(t, from, repeats);
    case DType::F32:
      return t.total == DType::F64 ? scan_as<float, double>(t, from, repeats)
                                   : scan_as<float, float>(t, from, repeats);
    case DType::F64:
      return scan_as<double, double>(t, from, repeats);
    case DType::C64:
      return scan_as<SmallComplex, Complex>(t, from, repeats);
    case DType::C128:
      return scan_as<Complex, Complex>(t, from, repeats);
    case DType::F16:
    case DType::BF16:
      return;  // spans of halves are of f32
  }
}

void Run::give(const BlockTotal& t, int32_t out, const char* from) {
  if (t.finish < 0) {
    std::memcpy(where(out), from, static_cast<size_t>(count_ * p_.slots[static_cast<size_t>(out)].bytes));
    return;
  }
  const long step = static_cast<long>(size_of(t.total)) * loops_.lanes;
  loops_.loops[t.finish](where(out), &from, &step, vectors_);
}

void Run::scan_columns(const BlockInstruction& i) {
  BlockInstruction as_fold = i;
  as_fold.out = static_cast<int32_t>(i.number);
  fold_columns(as_fold);
  const BlockTotal& t = total(as_fold.out);
  give(t, i.out, sums(t) + (at_ - kept_from_) * static_cast<int64_t>(size_of(t.total)));
}

}  // namespace weft::runtime
