// Conversions between all pairs of dtypes, against the reference conversion of one scalar.
#include "tests/unit/prelude/prelude_calls.h"

namespace weft::prelude_test {
namespace {

TEST(PreludeCast, AgreesWithTheReferenceForEveryPairOfDtypes) {
  for (int lanes : kLanes)
    for (DType from : dtypes_where([](DType) { return true; }))
      for (DType to : dtypes_where([](DType) { return true; })) {
        Column in = edges(from);
        std::string function = "weft_cast" + suffix(from) + suffix(to);
        Column got = map(lanes, function, to, {in});
        for (size_t i = 0; i < in.size(); ++i) expect_same(got[i], in[i].cast(to), function, {in[i]});
      }
}

TEST(PreludeCast, SaturatesAndTurnsNanToZero) {
  Column in = {Scalar::of(1e30), Scalar::of(-1e30), Scalar::of(double(NAN)), Scalar::of(-0.99)};
  for (DType to : dtypes_where(is_integer)) {
    Column got = map(4, "weft_cast_f64" + suffix(to), to, {in});
    const int bits = static_cast<int>(size_of(to)) * 8;
    const bool negative = kind(to) == DTypeKind::Signed;
    EXPECT_EQ(static_cast<uint64_t>(got[0].i), ~uint64_t{0} >> (negative ? 65 - bits : 64 - bits));
    EXPECT_EQ(got[1].i, negative ? -static_cast<int64_t>(~uint64_t{0} >> (65 - bits)) - 1 : 0);
    EXPECT_EQ(got[2].i, 0);
    EXPECT_EQ(got[3].i, 0);
  }
}

TEST(PreludeBitcast, KeepsTheBitsBetweenDtypesOfOneSize) {
  for (int lanes : kLanes)
    for (DType from : dtypes_where([](DType) { return true; }))
      for (DType to : dtypes_where([](DType) { return true; })) {
        if (size_of(from) != size_of(to) || from == DType::Bool || to == DType::Bool) continue;
        std::string function = "weft_bitcast" + suffix(from) + suffix(to);
        Column in = edges(from);
        Column got = map(lanes, function, to, {in});
        for (size_t i = 0; i < in.size(); ++i) {
          if (is_nan(in[i])) continue;
          unsigned char bytes[16];
          in[i].store(bytes);
          expect_same(got[i], Scalar::load(to, bytes), function, {in[i]});
        }
      }
}

}  // namespace
}  // namespace weft::prelude_test
