// What misuse of arrays says: the op, the rule and what was got, thrown on the line that records.
#include "tests/support/test_session.h"

namespace weft {
namespace {

class ArrayErrors : public testing::Test {
 protected:
  TestSession session_;
  const Array f_ = zeros({3, 4}, DType::F32);
  const Array i_ = zeros({3, 4}, DType::I8);
};

TEST_F(ArrayErrors, ShapesThatDoNotBroadcast) {
  EXPECT_EQ(message_of([&] { f_ + zeros({5}); }), "add: shapes do not broadcast: got (3, 4) and (5,)");
}

TEST_F(ArrayErrors, Matmul) {
  EXPECT_EQ(message_of([&] { matmul(f_, zeros({5, 6}, DType::F32)); }),
            "matmul: inner extents differ: got (3, 4) and (5, 6)");
  EXPECT_EQ(message_of([&] { matmul(f_, 2); }), "matmul: needs at least one axis: got (3, 4) and ()");
  EXPECT_EQ(message_of([&] { tensordot(f_, f_, 1); }),
            "tensordot: summed extents differ: got (3, 4) and (3, 4) over axes (1,) and (0,)");
  EXPECT_EQ(message_of([&] { vecdot(f_, zeros({3})); }),
            "vecdot: summed extents differ: got (3, 4) and (3,) along axis -1");
}

TEST_F(ArrayErrors, NameTheOpThatWasCalled) {
  const Array wrong = zeros({2, 5}, DType::I64);
  EXPECT_EQ(message_of([&] { take_along_axis(f_, wrong, 0); }),
            "take_along_axis: index does not broadcast off axis 0: got (3, 4) and (2, 5)");
  EXPECT_EQ(message_of([&] { put_along_axis(f_.copy(), wrong, 1, 0); }),
            "put_along_axis: index does not broadcast off axis 0: got (3, 4) and (2, 5)");
  EXPECT_EQ(message_of<OverflowError>([&] { clip(i_, 0, 1000); }),
            "clip: the number does not fit the array's dtype i8: got 1000");
  EXPECT_EQ(message_of([&] { where(f_ > 0, zeros({7}), 0); }),
            "where: shapes do not broadcast: got (3, 4) and (7,)");
  EXPECT_EQ(message_of([&] { f_.transpose({0, 0}); }), "transpose: axes must be different: got (0, 0)");
  EXPECT_EQ(message_of([&] { matmul(zeros({2, 3, 4}), zeros({3, 4, 5})); }),
            "matmul: the axes before the last two do not broadcast: got (2, 3, 4) and (3, 4, 5)");
}

TEST_F(ArrayErrors, DTypesThatAnOpDoesNotTake) {
  message_of<TypeError>([&] { f_ & 1; });
  message_of<TypeError>([&] { atan2(f_, zeros({3, 4}, DType::C64)); });
  EXPECT_EQ(message_of<TypeError>([&] { softmax(zeros({2}, DType::C64)); }),
            "softmax: takes real numbers only: got c64");
}

TEST_F(ArrayErrors, NumbersThatDoNotFit) {
  EXPECT_EQ(message_of<OverflowError>([&] { i_ + 300; }),
            "add: the number does not fit the array's dtype i8: got 300");
  EXPECT_EQ(message_of<OverflowError>([&] { zeros({2}, DType::U16) * -1; }),
            "multiply: the number does not fit the array's dtype u16: got -1");
  EXPECT_EQ(message_of<OverflowError>([&] { i_(0) = 1000; }),
            "assign: the number does not fit the array's dtype i8: got 1000");
  EXPECT_EQ(message_of([&] { pow(i_, -1); }),
            "pow: integers to negative integer powers are not integers: got i8 and -1");
}

TEST_F(ArrayErrors, NumbersThatADTypeDoesNotStore) {
  EXPECT_EQ(message_of<OverflowError>([&] { full({2}, 1e30, DType::I32); }),
            "full: the number does not fit the array's dtype i32: got 1e+30");
  EXPECT_EQ(message_of<TypeError>([&] { scalar(std::complex<double>(1, 2), DType::F32); }),
            "scalar: complex values cannot be stored as f32: got c128");
  Array u = zeros({3}, DType::U8);
  const Array first = from<int64_t>({0});
  EXPECT_EQ(message_of<OverflowError>([&] { put_along_axis(u, first, 300, 0); }),
            "put_along_axis: the number does not fit the array's dtype u8: got 300");
  EXPECT_EQ(message_of<TypeError>([&] { put_along_axis(u, first, zeros({1}, DType::C64), 0); }),
            "put_along_axis: complex values cannot be stored as u8: got c64");
  EXPECT_EQ(message_of<OverflowError>([&] { arange(-3, 3, 1, DType::U8); }),
            "arange: the numbers do not fit the dtype u8: got -3 to 3 by 1");
  EXPECT_EQ(message_of<OverflowError>([&] { arange(0, 257, 1, DType::U8); }),
            "arange: the numbers do not fit the dtype u8: got 0 to 257 by 1");
  EXPECT_EQ(arange(0, 256, 1, DType::U8).shape(), Shape{256});
  EXPECT_EQ(message_of([&] { arange(1, 2, 1e-320); }),
            "arange: the range must be finite: got 1 to 2 by 1e-320");
  EXPECT_EQ(message_of<TypeError>([&] { arange(5, DType::Bool); }),
            "arange: bool holds two values, 0 and 1: got 0 to 5 by 1");
}

TEST_F(ArrayErrors, ElementsThatATypeDoesNotHold) {
  EXPECT_EQ(message_of<OverflowError>([&] { scalar(70000).item<float16>(); }),
            "item: f16 does not hold the value: got 70000 of dtype i64");
  message_of<OverflowError>([&] { from<std::complex<double>>({{1, 2}}).item<double>(); });
  message_of<OverflowError>([&] { from<std::complex<double>>({{1, 1e300}}).item<std::complex<float>>(); });
  EXPECT_EQ(from<std::complex<double>>({{1, 0}}).item<double>(), 1);
}

TEST_F(ArrayErrors, ExtentsThatAreNegative) {
  EXPECT_EQ(message_of([&] { zeros({-1}); }), "zeros: extents must not be negative: got (-1,)");
  EXPECT_EQ(message_of([&] { eye(-1); }), "eye: extents must not be negative: got (-1, -1)");
}

TEST_F(ArrayErrors, PositionsBeyondSignedNumbers) {
  EXPECT_EQ(message_of<IndexError>([&] { f_(UINT64_MAX); }),
            "index: position out of range: got 18446744073709551615");
  message_of<IndexError>([&] { f_.at(0, UINT64_MAX); });
}

TEST_F(ArrayErrors, ResultsThatDoNotFitInPlace) {
  Array a = i_;
  EXPECT_EQ(message_of<TypeError>([&] { a += 0.5; }),
            "add: the result cannot be stored in place as i8: got f64");
  EXPECT_EQ(message_of<TypeError>([&] { a /= 2; }),
            "divide: the result cannot be stored in place as i8: got f64");
  Array u = zeros({2}, DType::U8);
  EXPECT_EQ(message_of<TypeError>([&] { u += from<int8_t>({1, 1}); }),
            "add: the result cannot be stored in place as u8: got i16");
  EXPECT_EQ(message_of([&] { a(0) += f_.astype(DType::I8); }),
            "add: the result cannot be stored in place in shape (4,): got (3, 4)");
}

TEST_F(ArrayErrors, AFailedWriteLeavesTheArrayAsItWas) {
  Array a = from<int32_t>({1, 2});
  message_of([&] { a += 0.5; });
  message_of([&] { a(Slice{}) = zeros({3}); });
  a += 1;
  EXPECT_EQ(a.to_vector<int32_t>(), (std::vector<int32_t>{2, 3}));
}

TEST_F(ArrayErrors, Assignment) {
  EXPECT_EQ(message_of([&] { f_(0) = zeros({3}); }),
            "assign: the value does not broadcast to shape (4,): got (3,)");
  EXPECT_EQ(message_of<TypeError>([&] { f_(0) = zeros({4}, DType::C64); }),
            "assign: complex values cannot be stored as f32: got c64");
}

TEST_F(ArrayErrors, Indices) {
  EXPECT_EQ(message_of<IndexError>([&] { f_(3); }),
            "index: position out of range for axis 0 of extent 3: got 3");
  EXPECT_EQ(message_of<IndexError>([&] { f_(0, -5); }),
            "index: position out of range for axis 1 of extent 4: got -5");
  EXPECT_EQ(message_of<IndexError>([&] { f_(0, 0, 0); }),
            "index: too many positions for an array of 2 axes: got 3");
  EXPECT_EQ(message_of([&] { f_(Slice{{}, {}, 0}); }), "index: the step of a slice must not be zero: got 0");
  EXPECT_EQ(message_of<IndexError>([&] { f_(ellipsis, ellipsis); }),
            "index: takes one ellipsis at most: got 2");
  EXPECT_EQ(message_of<IndexError>([&] { f_.at(1); }), "at: takes a position for each of 2 axes: got 1");
}

TEST_F(ArrayErrors, PositionsOutsideOfAnAxis) {
  const std::string message = "take: position out of range for axis 1 of extent 4: got ";
  for (int64_t bad : {int64_t{4}, int64_t{-5}, INT64_MIN, INT64_MAX})
    EXPECT_EQ(message_of<IndexError>([&] { take(f_, from<int64_t>({0, bad, 3, -4}), 1); }),
              message + std::to_string(bad));
  EXPECT_EQ(message_of<IndexError>([&] { take(f_, from<uint64_t>({UINT64_MAX}), 1); }),
            message + std::to_string(INT64_MAX));
  EXPECT_EQ(message_of<IndexError>([&] { take(f_, full({2}, 7, DType::I64), 1); }), message + "7");
  const Array columns = from<uint8_t>({0, 9, 1, 9, 2, 9, 3, 9}).reshape({4, 2});
  EXPECT_EQ(message_of<IndexError>([&] { take(f_, columns(Slice{}, 1), 1); }), message + "9");
  EXPECT_EQ(take(f_, columns(Slice{}, 0), 1).shape(), (Shape{3, 4}));
  const Array one = from<int32_t>({3}).reshape({1, 1});
  EXPECT_EQ(message_of<IndexError>([&] { take_along_axis(f_, one, 0); }),
            "take_along_axis: position out of range for axis 0 of extent 3: got 3");
  EXPECT_EQ(message_of<IndexError>([&] { put_along_axis(f_, one, 1, 0); }),
            "put_along_axis: position out of range for axis 0 of extent 3: got 3");
}

TEST_F(ArrayErrors, Shaping) {
  EXPECT_EQ(message_of([&] { f_.reshape({5, 3}); }), "reshape: cannot view 12 elements as (5, 3)");
  EXPECT_EQ(message_of([&] { f_.reshape({-1, 5}); }), "reshape: cannot view 12 elements as (-1, 5)");
  EXPECT_EQ(message_of([&] { f_.reshape({-1, -1}); }),
            "reshape: extents must not be negative, but for one -1: got (-1, -1)");
  EXPECT_EQ(message_of([&] { broadcast_to(f_, {4, 3}); }),
            "broadcast_to: the shape does not broadcast: got (3, 4) to (4, 3)");
  EXPECT_EQ(message_of([&] { permute_dims(f_, {0, 0}); }),
            "permute_dims: axes must be different: got (0, 0)");
  EXPECT_EQ(message_of([&] { squeeze(f_, Dims{0}); }),
            "squeeze: only axes of extent 1 can go: got axis 0 of shape (3, 4)");
  EXPECT_EQ(message_of([&] { stack({f_, f_.T()}); }), "stack: shapes differ: got (3, 4) and (4, 3)");
  EXPECT_EQ(message_of([&] { pad(f_, {{1, 1}}); }), "pad: takes widths for each of 2 axes: got 1");
  EXPECT_EQ(message_of([&] { sum(f_, {0, -2}); }), "sum: axes must be different: got (0, -2)");
  message_of<IndexError>([&] { sum(f_, 2); });
  EXPECT_EQ(message_of([&] { max(zeros({0})); }),
            "max: nothing to reduce and no identity: got (0,) over axes (0,)");
  EXPECT_EQ(message_of<TypeError>([&] { take(f_, f_); }),
            "take: the index must be of an integer dtype: got f32");
}

TEST_F(ArrayErrors, HostReads) {
  EXPECT_EQ(message_of<TypeError>([&] { f_.to_vector<int>(); }), "to_vector: the array is f32: got i32");
  EXPECT_EQ(message_of([&] { f_.item<float>(); }), "item: takes an array of one element: got shape (3, 4)");
  EXPECT_EQ(message_of([&] { f_.T().span<float>(); }),
            "span: the view must be contiguous: got strides (1, 4) for shape (4, 3)");
}

TEST_F(ArrayErrors, ArraysWithoutAValue) {
  EXPECT_EQ(message_of([] { Array().shape(); }), "array: it has no value: got a default-constructed Array");
  EXPECT_EQ(message_of([&] { f_ + Array(); }), "array: it has no value: got a default-constructed Array");
}

TEST_F(ArrayErrors, Creation) {
  EXPECT_EQ(message_of([] { from(std::vector<float>(5), {2, 3}); }),
            "from: the shape must hold all elements: got 5 elements for (2, 3)");
  EXPECT_EQ(message_of([] { arange(0, 1, 0); }), "arange: the step must not be zero: got 0");
  message_of([] { zeros({-1}); });
  EXPECT_EQ(message_of([] { zeros({1}, {DType::F32, "tpu:0"}); }),
            "device: takes cpu or cuda:N: got 'tpu:0'");
}

TEST_F(ArrayErrors, OneKernelSaysWhyThereAreMore) {
  const Array a = zeros({64, 64}, DType::F32) + 1.5, b = matmul(a, a) + 1;
  const std::string message = message_of([&] { one_kernel(b); });
  EXPECT_NE(message.find("one_kernel: the array must be one kernel: got"), std::string::npos) << message;
  EXPECT_NE(message.find("dot"), std::string::npos) << message;
}

TEST_F(ArrayErrors, OneKernelListsEveryStepThatItCounts) {
  const Array a = zeros({64, 64}, DType::F32) + 1.5;
  Array scattered = a.eval().copy();
  put_along_axis(scattered, zeros({1, 64}, DType::I64), 1, 0);
  const std::vector<std::pair<Array, std::pair<int, int>>> cases = {
      {matmul(roll(a.eval(), 1, 1), a) + 1, {2, 1}}, {scattered, {1, 1}}};
  for (const auto& [x, counts] : cases) {
    const std::string message = message_of([&] { one_kernel(x); });
    EXPECT_NE(message.find("got " + std::to_string(counts.first) + " kernels and " +
                           std::to_string(counts.second) + " library"),
              std::string::npos)
        << message;
    int steps = 0;
    for (size_t at = 0; (at = message.find("\nstep ", at)) != std::string::npos; ++at) ++steps;
    EXPECT_EQ(steps, counts.first + counts.second) << message;
  }
}

TEST_F(ArrayErrors, ShowNamesTheStages) {
  const std::string message = message_of([&] { show(f_ + 1.5, "nonsense"); });
  EXPECT_NE(message.find("show: takes one of graph"), std::string::npos) << message;
}

}  // namespace
}  // namespace weft
