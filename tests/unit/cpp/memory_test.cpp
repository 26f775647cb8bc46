// Memory shared with others: read where it lies, never written, let go when nobody reads it.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/support/test_session.h"

namespace weft {
namespace {

using testing::Each;

class MemoryTest : public testing::TestWithParam<int> {
 protected:
  TestSession session_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Both, MemoryTest, testing::Values(0, 1 << 20),
                         [](const auto& run) { return run.param ? "interpreted" : "compiled"; });

TEST_P(MemoryTest, BorrowedMemoryIsReadWhereItLiesAndReleasedOnce) {
  const std::vector<float> memory(1000, 2);
  int released = 0;
  {
    Array x = borrow(memory.data(), DType::F32, {10, 100}, [&] { ++released; });
    EXPECT_EQ(lend(x).data, memory.data());
    const Array y = x + 1;
    x = Array();
    EXPECT_EQ(released, 0);  // y still has to read it
    EXPECT_THAT(y.to_vector<float>(), Each(3));
  }
  EXPECT_EQ(released, 1);
}

TEST_P(MemoryTest, WritesLeaveBorrowedMemoryAlone) {
  const std::vector<float> memory(1000, 2);
  Array x = borrow(memory.data(), DType::F32, {1000}, [] {});
  x(Slice{10, 20}) = 5;
  x += 1;
  EXPECT_EQ(x.at(0).item<float>(), 3);
  EXPECT_EQ(x.at(10).item<float>(), 6);
  EXPECT_THAT(memory, Each(2));
}

TEST_P(MemoryTest, LentMemoryKeepsTheValuesOfItsMoment) {
  Array x = arange(6, DType::I32).reshape({2, 3});
  const Lent lent = lend(x(Slice{}, Slice{{}, {}, -2}));
  EXPECT_EQ(lent.strides, (Dims{3, -2}));
  x += 100;
  x.eval();
  EXPECT_EQ(*static_cast<const int32_t*>(lent.data), 2);
}

TEST(Memory, AnArrayThatIsChangedAsAWholeStaysWhereItIs) {
  TestSession session;
  constexpr int64_t kSide = 1024;
  Array x = ones({kSide, kSide});
  const void* memory = lend(x).data;
  x += 1;
  x = exp(x) - 2 * x;
  EXPECT_EQ(lend(x).data, memory);
  x.T() *= 2;
  EXPECT_EQ(lend(x).data, memory);
  EXPECT_FLOAT_EQ(static_cast<float>(x.at(3, 4).item<double>()), static_cast<float>(2 * (std::exp(2.0) - 4)));
  const Array before = x;
  const Array other = before * 1;
  x = x + 1;
  EXPECT_NE(lend(x).data, memory) << "others hold it";
  const Lent lent = lend(x);
  x += 1;
  EXPECT_NE(lend(x).data, lent.data) << "lent";
  Array y = x - x.T();
  const void* of_x = lend(x).data;
  x = Array();
  EXPECT_NE(lend(y).data, of_x) << "read at other positions too";
  EXPECT_EQ(y.at(5, 6).item<double>(), 0);
}

TEST_P(MemoryTest, TypedNumbersPromoteAsArraysDo) {
  const Array x = ones({3}, DType::F32);
  EXPECT_EQ((x + Number(2.0)).dtype(), DType::F32);
  EXPECT_EQ((x + Number::typed(Scalar::of(2.0))).dtype(), DType::F64);
  EXPECT_EQ((ones({3}, DType::I8) + Number::typed(Scalar::of(2.0).cast(DType::F32))).dtype(), DType::F32);
}

TEST_P(MemoryTest, NegativeExponentsOfIntegersAreRefused) {
  EXPECT_THROW(pow(from({2, 3}), from({1, -1})), Error);
  EXPECT_EQ(pow(from({2, 3}), from({1, 2})).to_vector<int>(), (std::vector<int>{2, 9}));
}

TEST(Interrupts, LeaveWhatWasGivenUpToBeComputed) {
  const TestSession session(0);
  static int asked;
  asked = 0;
  const Array x = full({64, 64}, 0.5).copy(), once = matmul(x, x), twice = matmul(once, x);
  on_interrupt([] { return ++asked > 0; });
  EXPECT_THROW(twice.to_vector<double>(), Interrupted);
  on_interrupt(nullptr);
  EXPECT_EQ(asked, 1);
  EXPECT_THAT(twice.to_vector<double>(), Each(512));
  EXPECT_THAT(once.to_vector<double>(), Each(16));
}

}  // namespace
}  // namespace weft
