// Matrix products on a GPU against a reference in double; skipped where there is none.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>
#include <thread>

#include "runtime/cuda/cuda_device.h"

namespace weft::runtime {
namespace {

double epsilon(DType dtype) {
  switch (dtype) {
    case DType::F16:
      return std::ldexp(1.0, -10);
    case DType::BF16:
      return std::ldexp(1.0, -7);
    case DType::F32:
    case DType::C64:
      return std::ldexp(1.0, -23);
    default:
      return std::ldexp(1.0, -52);
  }
}

struct DotCase {
  int64_t batch, m, n, k;
  bool transpose_a, transpose_b;
  int64_t pad;  // elements between the end of a row and the next
  bool repeat_a, repeat_b;
};

class CudaDot : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    std::string reason;
    if (cuda_device_count(reason) == 0) GTEST_SKIP() << reason;
    device_ = make_cuda_device(0, {}, nullptr, counters_);
  }

  using Values = std::vector<std::complex<double>>;

  // Random values as the dtype can hold them, in its bytes and as the reference sees them.
  Values random(size_t count, std::vector<uint8_t>& bytes) {
    std::uniform_real_distribution<double> range(-1, 1);
    Values values(count);
    bytes.resize(count * size_of(GetParam()));
    for (size_t i = 0; i < count; ++i) {
      const double re = range(random_), im = is_complex(GetParam()) ? range(random_) : 0;
      Scalar s = Scalar::of(std::complex<double>(re, im));
      if (!is_complex(GetParam())) s = Scalar::of(re);
      s = s.cast(GetParam());
      s.store(&bytes[i * size_of(GetParam())]);
      values[i] = {s.re, is_complex(GetParam()) ? s.im : 0};
    }
    return values;
  }

  void check(const DotCase& c) {
    SCOPED_TRACE(testing::Message() << name(GetParam()) << " batch " << c.batch << " m " << c.m << " n "
                                    << c.n << " k " << c.k << " ta " << c.transpose_a << " tb "
                                    << c.transpose_b << " pad " << c.pad << " repeat " << c.repeat_a
                                    << c.repeat_b);
    const int64_t rows_a = c.transpose_a ? c.k : c.m, columns_a = c.transpose_a ? c.m : c.k;
    const int64_t rows_b = c.transpose_b ? c.n : c.k, columns_b = c.transpose_b ? c.k : c.n;
    Dot dot{GetParam(),        c.batch,     c.m, c.n, c.k, c.transpose_a, c.transpose_b, columns_a + c.pad,
            columns_b + c.pad, c.n + c.pad, 0,   0,   0};
    dot.stride_a = c.repeat_a ? 0 : rows_a * dot.lda + c.pad;
    dot.stride_b = c.repeat_b ? 0 : rows_b * dot.ldb + c.pad;
    dot.stride_c = c.m * dot.ldc + c.pad;
    const size_t item = size_of(GetParam());
    auto size = [&](int64_t rows, int64_t ld, bool repeat) {
      return static_cast<size_t>((repeat ? 1 : c.batch) * (rows * ld + c.pad));
    };
    std::vector<uint8_t> bytes_a, bytes_b, bytes_c;
    Values a = random(size(rows_a, dot.lda, c.repeat_a), bytes_a),
           b = random(size(rows_b, dot.ldb, c.repeat_b), bytes_b),
           old = random(size(c.m, dot.ldc, false), bytes_c);
    BufferRef buffer_a = device_->allocate(bytes_a.size()), buffer_b = device_->allocate(bytes_b.size()),
              buffer_c = device_->allocate(bytes_c.size());
    device_->upload(*buffer_a, 0, bytes_a.data(), bytes_a.size());
    device_->upload(*buffer_b, 0, bytes_b.data(), bytes_b.size());
    device_->upload(*buffer_c, 0, bytes_c.data(), bytes_c.size());
    device_->dot(dot, buffer_c->data(), buffer_a->data(), buffer_b->data());
    device_->download(bytes_c.data(), *buffer_c, 0, bytes_c.size());

    auto got = [&](int64_t at) {
      Scalar s = Scalar::load(GetParam(), &bytes_c[static_cast<size_t>(at) * item]);
      return std::complex<double>(s.re, is_complex(GetParam()) ? s.im : 0);
    };
    // Accumulation errors grow with k in the accumulator's precision; the result is rounded once to the
    // dtype.
    const double accumulate = is_half(GetParam()) ? epsilon(DType::F32) : epsilon(GetParam());
    int failures = 0;
    for (int64_t i = 0; i < c.batch; ++i) {
      for (int64_t row = 0; row < c.m; ++row) {
        for (int64_t column = 0; column < dot.ldc; ++column) {
          const int64_t at = i * dot.stride_c + row * dot.ldc + column;
          if (column >= c.n) {
            // What lies between the rows is not the product's to write.
            failures += got(at) != old[static_cast<size_t>(at)];
            continue;
          }
          std::complex<double> expected = 0;
          double magnitude = 0;
          for (int64_t k = 0; k < c.k; ++k) {
            const int64_t ia = i * dot.stride_a + (c.transpose_a ? k * dot.lda + row : row * dot.lda + k);
            const int64_t ib =
                i * dot.stride_b + (c.transpose_b ? column * dot.ldb + k : k * dot.ldb + column);
            const auto product = a[static_cast<size_t>(ia)] * b[static_cast<size_t>(ib)];
            expected += product;
            magnitude += 2 * std::abs(a[static_cast<size_t>(ia)]) * std::abs(b[static_cast<size_t>(ib)]);
          }
          const double bound = static_cast<double>(c.k + 2) * accumulate * magnitude +
                               epsilon(GetParam()) * std::abs(expected) + 1e-7 * is_half(GetParam());
          if (!(std::abs(got(at) - expected) <= bound) && ++failures <= 3)
            ADD_FAILURE() << "at " << i << ", " << row << ", " << column << ": " << got(at) << " for "
                          << expected;
        }
      }
    }
    EXPECT_EQ(failures, 0);
  }

  Counters counters_;
  std::shared_ptr<Device> device_;
  std::mt19937 random_{7};
};

TEST_P(CudaDot, AgreesWithAReferenceInDouble) {
  ASSERT_TRUE(device_->supports_dot(GetParam()));
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      check({1, 1, 1, 1, ta, tb, 0, false, false});
      check({1, 3, 5, 7, ta, tb, 0, false, false});
      check({1, 3, 5, 7, ta, tb, 3, false, false});
      check({1, 64, 32, 128, ta, tb, 0, false, false});
      check({1, 1, 33, 65, ta, tb, 1, false, false});
      check({1, 33, 1, 65, ta, tb, 0, false, false});
      check({3, 17, 9, 30, ta, tb, 0, false, false});
      check({3, 17, 9, 30, ta, tb, 2, true, false});
      check({4, 8, 16, 8, ta, tb, 0, false, true});
      check({2, 4, 6, 0, ta, tb, 0, false, false});
      check({2, 4, 6, 0, ta, tb, 2, false, false});
    }
  }
  check({1, 130, 70, 1000, false, false, 0, false, false});
  check({70'000, 2, 2, 2, false, false, 0, false, true});
}

TEST_P(CudaDot, DoesNothingForAnEmptyResult) {
  BufferRef empty = device_->allocate(0);
  device_->dot({GetParam(), 1, 0, 4, 4, false, false, 4, 4, 4, 0, 0, 0}, empty->data(), empty->data(),
               empty->data());
  device_->dot({GetParam(), 0, 4, 4, 4, false, false, 4, 4, 4, 16, 16, 16}, empty->data(), empty->data(),
               empty->data());
  device_->synchronize();
}

TEST_P(CudaDot, GivesTheSameBitsEachTime) {
  std::vector<uint8_t> a, b;
  random(200 * 3000, a);
  random(3000 * 100, b);
  BufferRef buffer_a = device_->allocate(a.size()), buffer_b = device_->allocate(b.size());
  device_->upload(*buffer_a, 0, a.data(), a.size());
  device_->upload(*buffer_b, 0, b.data(), b.size());
  std::vector<uint8_t> first, again(200 * 100 * size_of(GetParam()));
  for (int i = 0; i < 3; ++i) {
    BufferRef c = device_->allocate(again.size());
    device_->dot({GetParam(), 1, 200, 100, 3000, false, false, 3000, 100, 100, 0, 0, 0}, c->data(),
                 buffer_a->data(), buffer_b->data());
    device_->download(again.data(), *c, 0, again.size());
    if (i == 0) first = again;
    EXPECT_TRUE(first == again);
  }
  EXPECT_EQ(counters_.library_calls, 3);
}

TEST_P(CudaDot, ServesManyThreads) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(6, 0);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const int64_t n = 8 + static_cast<int64_t>(t % 3);
      const size_t count = static_cast<size_t>(n * n), item = size_of(GetParam());
      // The identity times the identity.
      std::vector<uint8_t> host(count * item, 0), back(count * item);
      for (int64_t i = 0; i < n; ++i)
        Scalar::of(1.0).cast(GetParam()).store(&host[static_cast<size_t>(i * n + i) * item]);
      for (int round = 0; round < 20; ++round) {
        BufferRef a = device_->allocate(host.size()), c = device_->allocate(host.size());
        device_->upload(*a, 0, host.data(), host.size());
        device_->dot({GetParam(), 1, n, n, n, false, false, n, n, n, 0, 0, 0}, c->data(), a->data(),
                     a->data());
        device_->download(back.data(), *c, 0, back.size());
        wrong[t] += back != host;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(wrong.size(), 0));
}

INSTANTIATE_TEST_SUITE_P(DTypes, CudaDot,
                         testing::Values(DType::F16, DType::BF16, DType::F32, DType::F64, DType::C64,
                                         DType::C128),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace weft::runtime
