// Loads and stores in all their forms: each touches exactly the elements that it should.
#include "tests/unit/prelude/prelude_calls.h"

namespace weft::prelude_test {
namespace {

constexpr unsigned char kUntouched = 0xa5;

Scalar nth(DType t, int i) {
  if (t == DType::Bool) return Scalar::of(i % 3 == 0);
  if (is_complex(t)) return Scalar::of(std::complex<double>(i, -i - 0.5)).cast(t);
  return Scalar::of(static_cast<int64_t>(i)).cast(t);
}

struct Memory {
  explicit Memory(DType dtype, int count) : t(dtype), bytes(static_cast<size_t>(count) * size_of(dtype)) {
    for (int i = 0; i < count; ++i) nth(t, i).store(at(i));
  }
  unsigned char* at(int i) { return bytes.data() + static_cast<size_t>(i) * size_of(t); }
  DType t;
  std::vector<unsigned char> bytes;
};

// What a value's lanes are, read back through a plain store.
Column lanes_of(int lanes, DType t, Block& value) {
  Block memory;
  call(lanes, "weft_store" + suffix(t), {memory.bytes, value.bytes});
  Column out;
  for (int i = 0; i < lanes; ++i)
    out.push_back(Scalar::load(t, memory.bytes + static_cast<size_t>(i) * size_of(t)));
  return out;
}

class PreludeMemory : public testing::TestWithParam<std::tuple<int, DType>> {
 protected:
  int lanes = std::get<0>(GetParam());
  DType t = std::get<1>(GetParam());
};

TEST_P(PreludeMemory, LoadsAndStoresNeedNoAlignment) {
  Memory memory(t, lanes + 2);
  Block value;
  for (int shift : {0, 1, 2}) {
    call(lanes, "weft_load" + suffix(t), {memory.at(shift), value.bytes});
    Column got = lanes_of(lanes, t, value);
    for (int i = 0; i < lanes; ++i) expect_same(got[static_cast<size_t>(i)], nth(t, i + shift), "load");
  }
}

TEST_P(PreludeMemory, StridedForwardAndBackward) {
  for (long stride : {1L, 3L, -1L, -2L}) {
    const int span = static_cast<int>(std::abs(stride)) * (lanes - 1), first = stride < 0 ? span : 0;
    Memory memory(t, span + 1);
    Block value;
    call(lanes, "weft_load_strided" + suffix(t), {memory.at(first), &stride, value.bytes});
    Column got = lanes_of(lanes, t, value);
    for (int i = 0; i < lanes; ++i)
      expect_same(got[static_cast<size_t>(i)], nth(t, first + i * static_cast<int>(stride)), "strided load");
    std::vector<unsigned char> before = memory.bytes;
    std::fill(memory.bytes.begin(), memory.bytes.end(), kUntouched);
    call(lanes, "weft_store_strided" + suffix(t), {memory.at(first), &stride, value.bytes});
    for (int i = 0; i <= span; ++i)
      for (size_t b = 0; b < size_of(t); ++b)
        EXPECT_EQ(memory.at(i)[b],
                  i % stride == 0 ? before[static_cast<size_t>(i) * size_of(t) + b] : kUntouched);
  }
}

TEST_P(PreludeMemory, PartialStoreStopsAtItsCount) {
  for (long n = 0; n < lanes; ++n) {
    Memory full(t, lanes);
    Block value;
    call(lanes, "weft_load" + suffix(t), {full.bytes.data(), value.bytes});
    std::vector<unsigned char> out(static_cast<size_t>(lanes) * size_of(t), kUntouched);
    call(lanes, "weft_store_partial" + suffix(t), {out.data(), value.bytes, &n});
    for (size_t b = 0; b < out.size(); ++b)
      EXPECT_EQ(out[b], b < static_cast<size_t>(n) * size_of(t) ? full.bytes[b] : kUntouched) << n;
  }
}

TEST_P(PreludeMemory, GatherReadsByIndexAndOnlyWhereTheMaskIs) {
  Memory memory(t, 100);
  alignas(64) long long index[64];
  alignas(64) unsigned char mask[64];
  for (int i = 0; i < lanes; ++i) index[i] = (i * 37 + 11) % 100, mask[i] = i % 3 != 1;
  Block value;
  call(lanes, "weft_gather" + suffix(t), {memory.bytes.data(), index, value.bytes});
  Column got = lanes_of(lanes, t, value);
  for (int i = 0; i < lanes; ++i)
    expect_same(got[static_cast<size_t>(i)], nth(t, static_cast<int>(index[i])), "gather");
  for (int i = 0; i < lanes; ++i)
    if (!mask[i]) index[i] = int64_t{1} << 50;  // would fault if it were read
  call(lanes, "weft_gather_masked" + suffix(t), {memory.bytes.data(), index, mask, value.bytes});
  got = lanes_of(lanes, t, value);
  for (int i = 0; i < lanes; ++i)
    expect_same(got[static_cast<size_t>(i)],
                mask[i] ? nth(t, static_cast<int>(index[i])) : Scalar{t, 0, 0, 0}, "masked gather");
}

TEST_P(PreludeMemory, EveryFewElements) {
  if (is_complex(t) || size_of(t) < 4) return;
  alignas(64) unsigned char mask[64];
  for (long by : {2L, 3L, 4L})
    for (int live : {1, lanes / 2, lanes - 1, lanes}) {
      Memory memory(t,
                    static_cast<int>(by) * (live - 1) + 1);  // no more, so that sanitizers see a step beyond
      for (bool all : {true, false}) {
        for (int i = 0; i < lanes; ++i) mask[i] = i < live && (all || i % 3 != 1);
        Block value;
        call(lanes, "weft_load_apart" + suffix(t), {memory.bytes.data(), &by, mask, value.bytes});
        Column got = lanes_of(lanes, t, value);
        for (int i = 0; i < lanes; ++i)
          expect_same(got[static_cast<size_t>(i)],
                      mask[i] ? nth(t, i * static_cast<int>(by)) : Scalar{t, 0, 0, 0}, "apart");
      }
    }
}

// What a mask leaves out may lie beyond the buffer.
TEST_P(PreludeMemory, MaskedLoadsTouchWhatTheMaskSays) {
  alignas(64) unsigned char mask[64];
  for (int first : {0, 1, lanes / 2})
    for (int last : {first, lanes - 1, lanes}) {
      Memory memory(t, last - first);
      for (int i = 0; i < lanes; ++i) mask[i] = i >= first && i < last;
      Block value;
      call(lanes, "weft_load_masked" + suffix(t),
           {memory.bytes.data() - static_cast<ptrdiff_t>(static_cast<size_t>(first) * size_of(t)), mask,
            value.bytes});
      Column got = lanes_of(lanes, t, value);
      for (int i = 0; i < lanes; ++i)
        expect_same(got[static_cast<size_t>(i)], mask[i] ? nth(t, i - first) : Scalar{t, 0, 0, 0}, "masked");
      long stride = 2;
      Memory apart(t, 2 * (last - first));
      call(lanes, "weft_load_strided_masked" + suffix(t),
           {apart.bytes.data() - static_cast<ptrdiff_t>(2 * static_cast<size_t>(first) * size_of(t)), &stride,
            mask, value.bytes});
      got = lanes_of(lanes, t, value);
      for (int i = 0; i < lanes; ++i)
        expect_same(got[static_cast<size_t>(i)], mask[i] ? nth(t, 2 * (i - first)) : Scalar{t, 0, 0, 0},
                    "masked steps");
    }
}

TEST_P(PreludeMemory, TheFirstLanesAreAMask) {
  if (t != DType::Bool) return;
  for (long n = 1; n <= lanes + 1; ++n) {
    alignas(64) unsigned char mask[64];
    call(lanes, "weft_first", {&n, mask});
    for (int i = 0; i < lanes; ++i) EXPECT_EQ(mask[i], i < n) << n;
  }
}

TEST_P(PreludeMemory, StoresOfTheFirstLanesStopThere) {
  Memory from(t, lanes);
  Block value;
  call(lanes, "weft_load" + suffix(t), {from.bytes.data(), value.bytes});
  for (long n = 1; n <= lanes + 1; ++n) {
    const size_t live = static_cast<size_t>(std::min<long>(n, lanes)) * size_of(t);
    std::vector<unsigned char> out(static_cast<size_t>(lanes) * size_of(t), kUntouched);
    call(lanes, "weft_store_first" + suffix(t), {out.data(), value.bytes, &n});
    for (size_t b = 0; b < out.size(); ++b) EXPECT_EQ(out[b], b < live ? from.bytes[b] : kUntouched) << n;
    for (long stride : {2L, -1L}) {
      const int count = static_cast<int>(std::min<long>(n, lanes));
      Memory read(t, static_cast<int>(std::abs(stride)) * (count - 1) + 1);
      const int begin = stride < 0 ? count - 1 : 0;
      Block some;
      call(lanes, "weft_load_strided_first" + suffix(t), {read.at(begin), &stride, &n, some.bytes});
      Column got = lanes_of(lanes, t, some);
      for (int i = 0; i < count; ++i)
        expect_same(got[static_cast<size_t>(i)], nth(t, begin + i * static_cast<int>(stride)), "first");
      std::vector<unsigned char> apart(static_cast<size_t>(2 * lanes) * size_of(t), kUntouched);
      const int first = stride < 0 ? lanes - 1 : 0;
      call(lanes, "weft_store_strided_first" + suffix(t),
           {apart.data() + static_cast<size_t>(first) * size_of(t), &stride, value.bytes, &n});
      for (int i = 0; i < 2 * lanes; ++i) {
        const int lane = stride < 0 ? first - i : i / 2;
        const bool written = lane >= 0 && lane < count && first + lane * stride == i;
        for (size_t b = 0; b < size_of(t); ++b)
          EXPECT_EQ(apart[static_cast<size_t>(i) * size_of(t) + b], written ? from.at(lane)[b] : kUntouched)
              << n;
      }
    }
  }
}

TEST_P(PreludeMemory, StreamingStoresWhatStoringDoes) {
  Memory from(t, lanes);
  Block value, out;
  call(lanes, "weft_load" + suffix(t), {from.bytes.data(), value.bytes});
  call(lanes, "weft_stream" + suffix(t), {out.bytes, value.bytes});
  EXPECT_EQ(std::memcmp(out.bytes, from.bytes.data(), from.bytes.size()), 0);
}

TEST_P(PreludeMemory, SelectTakesEachLaneFromItsSide) {
  Column mask, a, b;
  for (int i = 0; i < lanes; ++i) {
    mask.push_back(Scalar::of(i % 5 < 2));
    a.push_back(nth(t, i));
    b.push_back(nth(t, i + 1));
  }
  Column got = map(lanes, "weft_select" + suffix(t), t, {mask, a, b});
  for (size_t i = 0; i < got.size(); ++i) expect_same(got[i], mask[i].i ? a[i] : b[i], "select");
}

INSTANTIATE_TEST_SUITE_P(EveryDtype, PreludeMemory,
                         testing::Combine(testing::ValuesIn(kLanes),
                                          testing::ValuesIn(dtypes_where([](DType) { return true; }))),
                         [](const auto& at) {
                           return std::string(name(std::get<1>(at.param))) + "_" +
                                  std::to_string(std::get<0>(at.param));
                         });

}  // namespace
}  // namespace weft::prelude_test
