// Memory lent to be written to: what is written there is the array's value, and nobody else's.
#include <gmock/gmock.h>

#include "tests/support/test_session.h"

namespace weft {
namespace {

using testing::Each;
using testing::ElementsAre;

double* write_to(const Lent& lent) { return const_cast<double*>(static_cast<const double*>(lent.data)); }

TEST(LentMemory, IsTheValueUntilTheArrayIsWrittenTo) {
  TestSession session;
  Array x = ones({4});
  x.eval();
  const void* memory = look(x).data;
  const Lent lent = lend_to_write(x);
  EXPECT_EQ(lent.data, memory);
  write_to(lent)[1] = 5;
  EXPECT_THAT(x.to_vector<double>(), ElementsAre(1, 5, 1, 1));
  const Array later = x + 1;
  write_to(lent)[1] = 6;
  EXPECT_THAT(later.to_vector<double>(), ElementsAre(2, 6, 2, 2));
  EXPECT_EQ(lend_to_write(x).data, memory);
  x += 1;
  write_to(lent)[0] = 9;
  EXPECT_THAT(x.to_vector<double>(), ElementsAre(2, 7, 2, 2));
  EXPECT_EQ(write_to(lent)[1], 6);
}

TEST(LentMemory, IsCopiedWhereAnotherValueLiesThere) {
  TestSession session;
  Array x = ones({1000});
  x.eval();
  const Array pending = x * 2, copy = x.copy();
  const Lent read = lend(x), lent = lend_to_write(x);
  EXPECT_NE(lent.data, read.data);
  write_to(lent)[0] = 5;
  EXPECT_THAT(pending.to_vector<double>(), Each(2));
  EXPECT_THAT(copy.to_vector<double>(), Each(1));
  EXPECT_EQ(*static_cast<const double*>(read.data), 1);
  EXPECT_EQ(x.at(0).item<double>(), 5);
}

TEST(LentMemory, IsWrittenInPlaceAgainOnceItIsGivenBack) {
  TestSession session;
  Array x = ones({1 << 20});
  x.eval();
  const void* memory = look(x).data;
  write_to(lend_to_write(x))[0] = 5;
  x += 1;
  x.eval();
  EXPECT_EQ(look(x).data, memory);
  EXPECT_EQ(x.at(0).item<double>(), 6);
}

TEST(LentMemory, OfAViewIsTheWholes) {
  TestSession session;
  Array x = zeros({2, 3});
  const Lent lent = lend_to_write(x(Slice{}, Slice{{}, {}, -2}));
  EXPECT_EQ(lent.strides, (Dims{3, -2}));
  write_to(lent)[0] = 1;
  EXPECT_THAT(x.to_vector<double>(), ElementsAre(0, 0, 1, 0, 0, 0));
  EXPECT_THROW(lend_to_write(broadcast_to(x(0), {2, 3})), Error);
}

TEST(LentMemory, CompiledFunctionsAreRecordedAgainForWhatWasWritten) {
  TestSession session;
  Array x = ones({2000});
  x.eval();
  const Compiled f({}, [&](std::span<const Array>) { return std::vector<Array>{x * 2}; });
  EXPECT_TRUE(f.is_current({}));
  const Lent lent = lend_to_write(x);
  EXPECT_TRUE(f.is_current({}));
  write_to(lent)[7] = 3;
  EXPECT_FALSE(f.is_current({}));
  EXPECT_THAT(f({})[0].to_vector<double>(), Each(2));
}

TEST(LentMemory, BorrowedMemoryIsGivenBackBeforeItsTime) {
  TestSession session;
  std::vector<double> memory(1000, 2);
  int released = 0;
  Array x = borrow(memory.data(), DType::F64, {1000}, [&] { ++released; });
  const std::weak_ptr<void> owner = lend(x).owner;
  const Array pending = x + 1;
  {
    const Lent read = lend(x);
    EXPECT_FALSE(give_back(owner));
  }
  EXPECT_EQ(released, 0);
  EXPECT_TRUE(give_back(owner));
  EXPECT_EQ(released, 1);
  std::fill(memory.begin(), memory.end(), 0.0);
  EXPECT_THAT(x.to_vector<double>(), Each(2));
  EXPECT_THAT(pending.to_vector<double>(), Each(3));
  x = Array();
  EXPECT_EQ(released, 1);
  EXPECT_TRUE(give_back(owner));
}

}  // namespace
}  // namespace weft
