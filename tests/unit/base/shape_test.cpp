#include "compiler/base/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/base/error.h"
#include "compiler/base/hash.h"

namespace weft {
namespace {

template <class E, class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "no error";
}

TEST(Dims, GrowsPastTheInlineEntriesAndKeepsItsValues) {
  Dims d;
  for (int64_t i = 0; i < 100; ++i) d.push_back(i);
  Dims copy = d;
  Dims moved = std::move(d);
  EXPECT_EQ(copy, moved);
  EXPECT_TRUE(d.empty());  // NOLINT: a moved-from list is stated to be empty
  copy.insert(3, -1);
  EXPECT_EQ(copy[3], -1);
  EXPECT_EQ(copy[4], 3);
  copy.erase(3);
  EXPECT_EQ(copy, moved);
  copy = Dims{1, 2};
  EXPECT_EQ(copy, (Dims{1, 2}));
  copy.resize(6, 9);
  EXPECT_EQ(copy, (Dims{1, 2, 9, 9, 9, 9}));
  copy = std::move(moved);
  EXPECT_EQ(copy.size(), 100u);
  EXPECT_EQ(copy.back(), 99);
  moved = Dims{5};
  EXPECT_EQ(moved, Dims{5});
  copy = std::move(moved);
  EXPECT_EQ(copy, Dims{5});
}

TEST(Shape, RowMajorStrides) {
  EXPECT_EQ(contiguous_strides({2, 3, 4}), (Dims{12, 4, 1}));
  EXPECT_EQ(contiguous_strides({}), Dims{});
  EXPECT_EQ(contiguous_strides({5}), (Dims{1}));
  EXPECT_EQ(contiguous_strides({2, 0, 4}), (Dims{4, 4, 1}));
}

TEST(Shape, Prints) {
  EXPECT_EQ(to_string(Dims{}), "()");
  EXPECT_EQ(to_string(Dims{3}), "(3,)");
  EXPECT_EQ(to_string(Dims{3, -4}), "(3, -4)");
}

TEST(Shape, BroadcastsAsNumPy) {
  EXPECT_EQ(broadcast_shapes("add", {3, 1}, {4}), (Shape{3, 4}));
  EXPECT_EQ(broadcast_shapes("add", {4}, {3, 1}), (Shape{3, 4}));
  EXPECT_EQ(broadcast_shapes("add", {}, {2, 2}), (Shape{2, 2}));
  EXPECT_EQ(broadcast_shapes("add", {0, 3}, {1, 1}), (Shape{0, 3}));
  EXPECT_EQ(broadcast_shapes("add", {1}, {0}), (Shape{0}));
  EXPECT_EQ(error_of<Error>([] { broadcast_shapes("add", {3, 4}, {3, 5}); }),
            "add: shapes do not broadcast: got (3, 4) and (3, 5)");
  EXPECT_EQ(error_of<Error>([] { broadcast_shapes("add", {0}, {2}); }),
            "add: shapes do not broadcast: got (0,) and (2,)");
}

TEST(Shape, AxesCountFromTheEnd) {
  EXPECT_EQ(normalize_axis("sum", -1, 3), 2);
  EXPECT_EQ(normalize_axis("sum", 0, 3), 0);
  EXPECT_EQ(error_of<IndexError>([] { normalize_axis("sum", 3, 3); }),
            "sum: axis out of range for rank 3: got 3");
  EXPECT_EQ(error_of<IndexError>([] { normalize_axis("sum", -1, 0); }),
            "sum: axis out of range for rank 0: got -1");
}

TEST(Shape, SizesAreBounded) {
  check_size("input", Dims{1 << 30, 1 << 30}, 4);
  check_size("input", Dims{}, 16);
  check_size("input", Dims{0, 1 << 30}, 4);
  EXPECT_EQ(error_of<Error>([] { check_size("input", Dims{1 << 30, 1 << 30}, 8); }),
            "input: too many elements: got (1073741824, 1073741824) of 8 bytes each");
  EXPECT_EQ(error_of<Error>([] { check_size("input", Dims{INT64_MAX, 2}, 1); }),
            "input: too many elements: got (9223372036854775807, 2) of 1 bytes each");
  EXPECT_EQ(
      error_of<Error>([] { check_size("input", Dims{0, INT64_MAX, 2}, 1); }),
      "input: too many elements: got (0, 9223372036854775807, 2) of 1 bytes each, although one extent is 0");
  EXPECT_EQ(error_of<Error>([] { check_size("input", Dims{2, -1}, 1); }),
            "input: extents must not be negative: got (2, -1)");
}

TEST(Hash, IsXxh3AndPrintsItsHighHalfFirst) {
  // XXH3_128bits of nothing, seed 0, as published with xxHash.
  EXPECT_EQ(to_string(hash_text("")), "99aa06d3014798d86001c324468d497f");
  EXPECT_NE(hash_text("a"), hash_text("b"));
  EXPECT_NE(hash_bytes("a", 1, 0), hash_bytes("a", 1, 1));
  EXPECT_EQ(to_string(Hash{0x1, 0xa}), "000000000000000a0000000000000001");
}

}  // namespace
}  // namespace weft
