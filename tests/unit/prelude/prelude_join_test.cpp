// Joins over the lanes: the joined value comes out in every lane.
#include <cmath>
#include <random>

#include "tests/unit/prelude/prelude_calls.h"

namespace weft::prelude_test {
namespace {

void expect_everywhere(const Column& got, const Scalar& want, const std::string& what) {
  for (const Scalar& lane : got) expect_same(lane, want, what);
}

// Small whole numbers, so that sums and products are exact in every dtype and in every order.
Column small_values(DType t, int lanes, unsigned seed) {
  std::mt19937 random(seed);
  Column out;
  for (int i = 0; i < lanes; ++i) {
    int64_t v = static_cast<int64_t>(random() % 4) - (kind(t) == DTypeKind::Unsigned ? 0 : 2);
    Scalar s = Scalar::of(v).cast(t);
    if (is_complex(t)) s.im = static_cast<double>(random() % 3) - 1;
    out.push_back(s);
  }
  return out;
}

TEST(PreludeJoins, SumAndProduct) {
  for (int lanes : kLanes)
    for (DType t : dtypes_where([](DType d) { return d != DType::Bool; })) {
      Column in = small_values(t, lanes, 7);
      std::complex<double> sum = 0;
      int64_t whole = 0;
      for (const Scalar& s : in) sum += std::complex<double>(s.re, s.im), whole += s.i;
      Scalar want = is_integer(t) ? Scalar::of(whole).cast(t) : Scalar{t, 0, sum.real(), sum.imag()};
      expect_everywhere(map(lanes, "weft_join_sum" + suffix(t), t, {in}), want, "sum" + suffix(t));
      Column ones(static_cast<size_t>(lanes), Scalar::of(int64_t{1}).cast(t));
      ones[1] = Scalar::of(int64_t{3}).cast(t);
      ones[static_cast<size_t>(lanes) - 1] = Scalar::of(int64_t{5}).cast(t);
      if (is_complex(t)) ones[2].re = 0, ones[2].im = 1;
      want = Scalar::of(int64_t{15}).cast(t);
      if (is_complex(t)) want.re = 0, want.im = 15;
      expect_everywhere(map(lanes, "weft_join_prod" + suffix(t), t, {ones}), want, "prod" + suffix(t));
    }
}

bool ahead(const Scalar& a, const Scalar& b, bool largest) {
  if (is_nan(b)) return false;
  if (is_nan(a)) return true;
  if (kind(a.dtype) == DTypeKind::Unsigned) {
    uint64_t x = static_cast<uint64_t>(a.i), y = static_cast<uint64_t>(b.i);
    return largest ? x > y : x < y;
  }
  if (is_float(a.dtype)) return largest ? a.re > b.re : a.re < b.re;
  return largest ? a.i > b.i : a.i < b.i;
}

TEST(PreludeJoins, ExtremesSoFarOrderZerosAndKnowOfNaN) {
  for (int lanes : kLanes)
    for (DType t : {DType::F32, DType::F64})
      for (bool largest : {true, false})
        for (bool nan : {false, true}) {
          const std::string end = (largest ? "max" : "min") + suffix(t);
          Block so_far, next;
          unsigned long nans = 0;
          const auto load = [&](Block& to, auto value) {
            Block memory;
            for (int i = 0; i < lanes; ++i)
              Scalar{t, 0, value(i), 0}.store(memory.bytes + static_cast<size_t>(i) * size_of(t));
            call(lanes, "weft_load" + suffix(t), {memory.bytes, to.bytes});
          };
          load(so_far, [](int i) { return i % 2 ? 0.0 : -0.0; });
          load(next, [&](int i) { return nan && i == lanes - 1 ? NAN : i == 2 ? 3.0 : i % 2 ? -0.0 : 0.0; });
          call(lanes, "weft_extend_" + end, {so_far.bytes, &nans, next.bytes});
          Block value;
          call(lanes, "weft_unless_nan" + suffix(t), {so_far.bytes, &nans, value.bytes});
          unsigned long left = 0;
          call(lanes, "weft_nans" + suffix(t), {value.bytes, &left});
          EXPECT_EQ(left != 0, nan);
          Block got;
          call(lanes, "weft_store" + suffix(t), {got.bytes, value.bytes});
          for (int i = 0; i < lanes && !nan; ++i)
            expect_same(Scalar::load(t, got.bytes + static_cast<size_t>(i) * size_of(t)),
                        Scalar{t, 0,
                               i == 2    ? (largest ? 3.0 : -0.0)
                               : largest ? 0.0
                                         : -0.0,
                               0},
                        end);
        }
}

TEST(PreludeJoins, ExtremesAndTheFirstPlaceWhereTheyAre) {
  for (int lanes : kLanes)
    for (DType t : dtypes_where([](DType d) { return !is_complex(d); }))
      for (unsigned seed = 0; seed < 20; ++seed)
        for (bool largest : {true, false}) {
          Column in = small_values(t, lanes, seed);
          if (is_float(t) && seed % 4 == 0) in[seed % static_cast<unsigned>(lanes)].re = NAN;
          if (is_float(t) && seed % 8 == 0) in[static_cast<unsigned>(lanes) / 2].re = NAN;
          size_t best = 0;
          for (size_t i = 1; i < in.size(); ++i)
            if (ahead(in[i], in[best], largest)) best = i;
          std::string end = (largest ? "max" : "min") + suffix(t);
          if (!is_float(t) || is_nan(in[best]) || in[best].re != 0)
            expect_everywhere(map(lanes, "weft_join_" + end, t, {in}), in[best], end);
          Block memory, value, index;
          for (size_t i = 0; i < in.size(); ++i) {
            in[i].store(memory.bytes + i * size_of(t));
            int64_t at = static_cast<int64_t>(i) + 1000;
            std::memcpy(index.bytes + i * 8, &at, 8);
          }
          call(lanes, "weft_load" + suffix(t), {memory.bytes, value.bytes});
          call(lanes, "weft_join_arg" + end, {value.bytes, index.bytes});
          for (size_t i = 0; i < in.size(); ++i) {
            int64_t at;
            std::memcpy(&at, index.bytes + i * 8, 8);
            EXPECT_EQ(at, static_cast<int64_t>(best) + 1000) << end << " seed " << seed;
          }
          call(lanes, "weft_store" + suffix(t), {memory.bytes, value.bytes});
          expect_same(Scalar::load(t, memory.bytes), in[best], "value of arg" + end);
        }
}

TEST(PreludeJoins, AnyAndAll) {
  for (int lanes : kLanes)
    for (int set = -1; set <= lanes; ++set) {  // none, one lane, all but one
      Column in(static_cast<size_t>(lanes), Scalar::of(false)),
          inverse(static_cast<size_t>(lanes), Scalar::of(true));
      if (set >= 0 && set < lanes)
        in[static_cast<size_t>(set)].i = 1, inverse[static_cast<size_t>(set)].i = 0;
      bool one = set >= 0 && set < lanes;
      expect_everywhere(map(lanes, "weft_join_any_bool", DType::Bool, {in}), Scalar::of(one), "any");
      expect_everywhere(map(lanes, "weft_join_all_bool", DType::Bool, {in}), Scalar::of(false), "all");
      expect_everywhere(map(lanes, "weft_join_all_bool", DType::Bool, {inverse}), Scalar::of(!one), "all");
      expect_everywhere(map(lanes, "weft_join_any_bool", DType::Bool, {inverse}), Scalar::of(true), "any");
    }
}

TEST(PreludeJoins, LaneNumbersCountFromZero) {
  for (int lanes : kLanes) {
    alignas(64) long long index[64];
    call(lanes, "weft_lanes_i64", {index});
    for (int i = 0; i < lanes; ++i) EXPECT_EQ(index[i], i);
  }
}

}  // namespace
}  // namespace weft::prelude_test
