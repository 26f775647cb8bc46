#include "compiler/base/short_list.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>

namespace weft {
namespace {

TEST(ShortList, HoldsWhatFitsAndWhatDoesNot) {
  for (const size_t size : {0u, 1u, 4u, 5u, 100u}) {
    ShortList<int, 4> list(size);
    ASSERT_EQ(list.size(), size);
    for (const int one : list) EXPECT_EQ(one, 0);
    std::iota(list.begin(), list.end(), 1);
    const std::span<const int> seen = list;
    ASSERT_EQ(seen.size(), size);
    for (size_t i = 0; i < size; ++i) EXPECT_EQ(seen[i], static_cast<int>(i) + 1);
  }
}

TEST(ShortList, GivesUpWhatItHolds) {
  const auto held = std::make_shared<int>(1);
  for (const size_t size : {2u, 20u}) {
    ShortList<std::shared_ptr<int>, 4> list(size);
    for (auto& one : list) one = held;
    EXPECT_EQ(held.use_count(), static_cast<long>(size) + 1);
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace weft
