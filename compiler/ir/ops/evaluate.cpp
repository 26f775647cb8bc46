#include "compiler/ir/ops/evaluate.h"

#include <array>

#include "compiler/base/error.h"
#include "compiler/ir/ops/op_eval.h"
#include "compiler/ir/ops/storage.h"

namespace weft::ir {
namespace {

template <class C>
const Evaluator::Typed<C>& typed(const Evaluator& e) {
  if constexpr (std::is_same_v<C, bool>) return e.b;
  if constexpr (std::is_same_v<C, int64_t>) return e.i;
  if constexpr (std::is_same_v<C, uint64_t>) return e.u;
  if constexpr (std::is_same_v<C, float>) return e.f32;
  if constexpr (std::is_same_v<C, double>) return e.f64;
  if constexpr (std::is_same_v<C, std::complex<float>>) return e.c64;
  if constexpr (std::is_same_v<C, std::complex<double>>) return e.c128;
}

template <class S, class Function, class StoreResult>
void loop(std::span<const Elements> args, int64_t count, Function function, StoreResult store_result) {
  using C = typename S::Compute;
  C values[kMostOperands] = {};
  std::array<bool, kMostOperands> moving{};
  for (size_t k = 0; k < args.size(); ++k) {
    moving[k] = !args[k].splat;
    if (args[k].splat && count > 0) values[k] = S::load(args[k].data, 0);
  }
  for (int64_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < args.size(); ++k) {
      if (moving[k]) values[k] = S::load(args[k].data, i);
    }
    store_result(i, function(values));
  }
}

// A half's neighbours are those of its own format, not of float.
void next_after_halves(DType t, std::span<const Elements> args, std::byte* result, int64_t count) {
  using Bits = PlainStorage<uint16_t, uint16_t>;
  const uint16_t infinity = t == DType::F16 ? 0x7c00 : 0x7f80;
  for (int64_t i = 0; i < count; ++i) {
    const uint16_t x = Bits::load(args[0].data, args[0].splat ? 0 : i);
    const uint16_t y = Bits::load(args[1].data, args[1].splat ? 0 : i);
    Bits::store(result, i, eval::next_after_half(x, y, infinity));
  }
}

void fma_halves(DType t, std::span<const Elements> args, std::byte* result, int64_t count) {
  const auto value = [&](size_t k, int64_t i) {
    const int64_t at = args[k].splat ? 0 : i;
    return Scalar::load(t, args[k].data + at * static_cast<int64_t>(size_of(t))).re;
  };
  for (int64_t i = 0; i < count; ++i)
    Scalar::of(eval::fma_of_halves(value(0, i), value(1, i), value(2, i)))
        .cast(t)
        .store(result + i * static_cast<int64_t>(size_of(t)));
}

void select(DType t, std::span<const Elements> args, std::byte* result, int64_t count) {
  const size_t bytes = size_of(t);
  for (int64_t i = 0; i < count; ++i) {
    const Elements& from = args[args[0].data[args[0].splat ? 0 : i] != std::byte{0} ? 1 : 2];
    std::memcpy(result + static_cast<size_t>(i) * bytes,
                from.data + (from.splat ? 0 : static_cast<size_t>(i) * bytes), bytes);
  }
}

}  // namespace

void evaluate_map(Op op, DType from, DType to, std::span<const Elements> args, std::byte* result,
                  int64_t count) {
  if (op == Op::select) return select(to, args, result, count);
  if (op == Op::cast) {
    for (int64_t i = 0; i < count; ++i) {
      const size_t at = args[0].splat ? 0 : static_cast<size_t>(i);
      Scalar::load(from, args[0].data + at * size_of(from))
          .cast(to)
          .store(result + static_cast<size_t>(i) * size_of(to));
    }
    return;
  }
  if (op == Op::bitcast) {
    for (int64_t i = 0; i < count; ++i) {
      const size_t at = args[0].splat ? 0 : static_cast<size_t>(i);
      std::memcpy(result + static_cast<size_t>(i) * size_of(to), args[0].data + at * size_of(to),
                  size_of(to));
    }
    return;
  }
  if (op == Op::nextafter && is_half(from)) return next_after_halves(from, args, result, count);
  if (op == Op::fma && is_half(from)) return fma_halves(from, args, result, count);
  const OpInfo& row = info(op);
  with_dtype(from, [&]<DType t>(std::integral_constant<DType, t>) {
    using S = Storage<t>;
    using C = typename S::Compute;
    const Evaluator::Typed<C>& functions = typed<C>(row.eval);
    if (functions.predicate) {
      loop<S>(args, count, functions.predicate,
              [result](int64_t i, bool v) { result[i] = static_cast<std::byte>(v); });
    } else if (functions.join) {
      using Z = std::complex<C>;
      loop<S>(args, count, functions.join,
              [result](int64_t i, Z v) { PlainStorage<Z, Z>::store(result, i, v); });
    } else if (!functions.value) {
      throw InternalError("evaluate: " + std::string(row.name) + " has no evaluation for " +
                          std::string(name(from)));
    } else if constexpr (is_complex(t)) {
      if (row.result == Result::Real) {
        loop<S>(args, count, functions.value, [result](int64_t i, C v) {
          using R = typename C::value_type;
          PlainStorage<R, R>::store(result, i, v.real());
        });
      } else {
        loop<S>(args, count, functions.value, [result](int64_t i, C v) { S::store(result, i, v); });
      }
    } else {
      loop<S>(args, count, functions.value, [result](int64_t i, C v) { S::store(result, i, v); });
    }
  });
}

Scalar evaluate_map(Op op, DType to, std::span<const Scalar> args) {
  std::byte storage[kMostOperands][16], result[16];
  Elements elements[kMostOperands];
  for (size_t k = 0; k < args.size(); ++k) {
    args[k].store(storage[k]);
    elements[k] = {storage[k], true};
  }
  evaluate_map(op, args.back().dtype, to, {elements, args.size()}, result, 1);
  return Scalar::load(to, result);
}

}  // namespace weft::ir
