// Decompositions held to what defines them, their derivatives to differences, and their calls in text to their shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "tests/support/test_session.h"

namespace weft {
namespace {

using linalg::LinAlgError;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Linalg : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    if (!linalg::is_available()) GTEST_SKIP() << "no LAPACK can be opened";
  }
  TestSession session_{1 << 20};
};

// Numbers without a rule, of which the imaginary parts are none for real dtypes.
Array drawn(const Shape& shape, DType dtype, int seed = 1) {
  const Array k = arange(element_count(shape)).reshape(shape) + seed;
  const Array x = sin(k * k * 0.7 + 0.3);
  if (kind(dtype) != DTypeKind::Complex) return x.astype(dtype);
  return (x + cos(k * 1.3) * std::complex<double>(0, 1)).astype(dtype);
}

Array adjoint(const Array& a) {
  const Array turned = swapaxes(a, -2, -1);
  return kind(a.dtype()) == DTypeKind::Complex ? conj(turned) : turned;
}
Array positive(const Shape& shape, DType dtype) {
  const Array a = drawn(shape, dtype);
  return matmul(a, adjoint(a)) + eye(shape.back(), -1, 0, Make(dtype));
}
double difference(const Array& a, const Array& b) {
  return a.size() == 0 ? 0 : max(abs(a - b)).astype(DType::F64).item<double>();
}
double tolerance(DType dtype) { return dtype == DType::F32 || dtype == DType::C64 ? 2e-4 : 1e-11; }
Array identity(int64_t n, DType dtype) { return eye(n, -1, 0, Make(dtype)); }

TEST_P(Linalg, CholeskysFactorGivesTheMatrix) {
  for (const Shape& shape :
       {Shape{1, 1}, Shape{5, 5}, Shape{3, 4, 4}, Shape{2, 3, 70, 70}, Shape{0, 3, 3}, Shape{2, 0, 0}}) {
    const Array a = positive(shape, GetParam());
    const Array lower = linalg::cholesky(a), upper = linalg::cholesky(a, true);
    EXPECT_EQ(lower.shape(), shape);
    EXPECT_EQ(lower.dtype(), GetParam());
    EXPECT_LE(difference(matmul(lower, adjoint(lower)), a),
              tolerance(GetParam()) * static_cast<double>(shape.back() + 1));
    EXPECT_EQ(difference(tril(lower), lower), 0);
    EXPECT_LE(difference(upper, adjoint(lower)), tolerance(GetParam()));
    // Of the other triangle nothing is read.
    EXPECT_EQ(difference(linalg::cholesky(tril(a)), lower), 0);
    EXPECT_EQ(difference(linalg::cholesky(triu(a), true), upper), 0);
  }
}

TEST_P(Linalg, InversesDeterminantsAndSolutions) {
  for (const Shape& shape :
       {Shape{1, 1}, Shape{6, 6}, Shape{4, 3, 3}, Shape{2, 2, 40, 40}, Shape{2, 0, 0}, Shape{0, 2, 2}}) {
    const DType dtype = GetParam();
    const int64_t n = shape.back();
    const Array a = drawn(shape, dtype) + identity(n, dtype) * 3,
                one = broadcast_to(identity(n, dtype), shape);
    EXPECT_LE(difference(matmul(a, linalg::inv(a)), one), tolerance(dtype));
    const Array b = drawn(shape, dtype, 5)(ellipsis, Slice{0, std::min<int64_t>(n, 2)});
    EXPECT_LE(difference(matmul(a, linalg::solve(a, b)), b), tolerance(dtype));
    const auto [sign, logarithm] = linalg::slogdet(a);
    const Array det = linalg::det(a);
    EXPECT_EQ(det.ndim(), shape.size() - 2);
    EXPECT_LE(difference(sign * exp(logarithm) / det, ones_like(det)), tolerance(dtype));
    EXPECT_LE(difference(linalg::det(linalg::inv(a)) * det, ones_like(det)), tolerance(dtype));
  }
}

TEST_P(Linalg, SingularValuesOfEveryShape) {
  for (const Shape& shape : {Shape{4, 4}, Shape{7, 3}, Shape{3, 7}, Shape{3, 20, 5}, Shape{2, 2, 5, 20},
                             Shape{3, 0}, Shape{0, 3}, Shape{2, 0, 3}}) {
    const DType dtype = GetParam();
    const int64_t m = shape[shape.size() - 2], n = shape.back(), k = std::min(m, n);
    const Array a = drawn(shape, dtype);
    const auto [u, s, vh] = linalg::svd(a, false);
    EXPECT_EQ(u.shape()[u.ndim() - 1], k);
    EXPECT_EQ(s.dtype(), real_of(dtype));
    EXPECT_LE(difference(matmul(u * expand_dims(s, -2), vh), a), tolerance(dtype));
    const auto [all_u, same_s, all_vh] = linalg::svd(a);
    EXPECT_LE(difference(matmul(all_u, adjoint(all_u)), broadcast_to(identity(m, dtype), all_u.shape())),
              tolerance(dtype));
    EXPECT_LE(difference(matmul(all_vh, adjoint(all_vh)), broadcast_to(identity(n, dtype), all_vh.shape())),
              tolerance(dtype));
    EXPECT_LE(difference(same_s, linalg::svdvals(a)), tolerance(dtype));
    EXPECT_LE(difference(same_s, s), tolerance(dtype));
  }
}

TEST_P(Linalg, OrthogonalFactorsOfEveryShape) {
  for (const Shape& shape : {Shape{4, 4}, Shape{9, 3}, Shape{3, 9}, Shape{3, 50, 5}, Shape{2, 2, 5, 20},
                             Shape{3, 0}, Shape{0, 3}}) {
    const DType dtype = GetParam();
    const int64_t m = shape[shape.size() - 2];
    const Array a = drawn(shape, dtype);
    const auto [q, r] = linalg::qr(a);
    const auto [all_q, all_r] = linalg::qr(a, true);
    EXPECT_LE(difference(matmul(q, r), a), tolerance(dtype));
    EXPECT_LE(difference(matmul(all_q, all_r), a), tolerance(dtype));
    EXPECT_LE(difference(matmul(adjoint(all_q), all_q), broadcast_to(identity(m, dtype), all_q.shape())),
              tolerance(dtype));
    EXPECT_EQ(difference(triu(r), r), 0);
    EXPECT_LE(difference(linalg::qr_factor(a), r), tolerance(dtype));
  }
}

TEST_P(Linalg, EigenvaluesAndVectors) {
  for (const Shape& shape : {Shape{1, 1}, Shape{5, 5}, Shape{3, 4, 4}, Shape{2, 2, 30, 30}, Shape{2, 0, 0}}) {
    const DType dtype = GetParam();
    const Array a = drawn(shape, dtype), hermitian = (a + adjoint(a)) * 0.5;
    for (const bool upper : {false, true}) {
      const auto [values, vectors] = linalg::eigh(upper ? triu(hermitian) : tril(hermitian), upper);
      EXPECT_EQ(values.dtype(), real_of(dtype));
      EXPECT_LE(difference(matmul(hermitian, vectors), vectors * expand_dims(values, -2)), tolerance(dtype));
      EXPECT_LE(difference(linalg::eigvalsh(hermitian, upper), values), tolerance(dtype));
    }
    const auto [values, vectors] = linalg::eig(a);
    EXPECT_EQ(kind(values.dtype()), DTypeKind::Complex);
    EXPECT_LE(difference(matmul(a, vectors), vectors * expand_dims(values, -2)), tolerance(dtype) * 10);
    EXPECT_LE(difference(sum(linalg::eigvals(a), -1), sum(values, -1)), tolerance(dtype));
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, Linalg, testing::Values(DType::F32, DType::F64, DType::C64, DType::C128),
                         [](const auto& one) { return std::string(name(one.param)); });

class LinalgOfF64 : public Linalg {};
INSTANTIATE_TEST_SUITE_P(F64, LinalgOfF64, testing::Values(DType::F64), [](const auto&) { return "f64"; });

TEST_P(LinalgOfF64, ViewsAreTakenAsTheyAre) {
  const Array a = positive({3, 4, 4}, DType::F64);
  const Array turned = flip(a, Dims{0})(Slice{0, 3, 2}).transpose({0, 2, 1});
  EXPECT_EQ(difference(linalg::inv(turned), linalg::inv(turned.copy())), 0);
  EXPECT_EQ(difference(linalg::cholesky(turned), linalg::cholesky(turned.copy())), 0);
}

TEST_P(LinalgOfF64, SolutionsLeaveTheirOperandsAlone) {
  const Array a = drawn({4, 4}, DType::F64) + eye(4) * 3, b = sin(arange(8).reshape({4, 2}) + 5.0),
              same = b.copy();
  const Array x = *solve(a, same);
  EXPECT_LE(difference(b, sin(arange(8).reshape({4, 2}) + 5.0)), 0);
  EXPECT_LE(difference(matmul(a, x), b), 1e-13);
}

TEST_P(LinalgOfF64, ADeterminantMayBeOnTheWayWhatNoFloatHolds) {
  EXPECT_DOUBLE_EQ(
      linalg::det(eye(4) * from(std::vector<double>{1e200, 1e200, 1e-200, -1e-200})).item<double>(), -1);
  EXPECT_EQ(linalg::det(zeros({2, 2})).item<double>(), 0);
  EXPECT_EQ(linalg::slogdet(zeros({2, 2})).logarithm.item<double>(),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(linalg::det(zeros({0, 0})).item<double>(), 1);
}

TEST_P(LinalgOfF64, SaysWhichMatrixFails) {
  const Array good = eye(3), bad = good * -1;
  EXPECT_THAT(
      [&] { linalg::cholesky(stack({good, good, bad})); },
      ThrowsMessage<LinAlgError>(HasSubstr("cholesky: matrix 2 of the stack is not positive definite")));
  EXPECT_THAT([&] { linalg::cholesky(bad); },
              ThrowsMessage<LinAlgError>(HasSubstr("cholesky: the matrix is not positive definite")));
  EXPECT_THAT([&] { linalg::inv(stack({good, good * 0}).reshape({2, 1, 3, 3})); },
              ThrowsMessage<LinAlgError>(HasSubstr("inv: matrix (1, 0) of the stack is singular")));
  EXPECT_THAT([&] { linalg::solve(good * 0, ones(3)); },
              ThrowsMessage<LinAlgError>(HasSubstr("solve: the matrix is singular")));
  const Array nan = good * std::numeric_limits<double>::quiet_NaN();
  for (const auto& f : {linalg::svdvals, linalg::eigvals})
    EXPECT_THAT([&] { f(nan, Where::current()); },
                ThrowsMessage<LinAlgError>(HasSubstr("has elements that are not finite")));
  EXPECT_THAT([&] { linalg::eigh(nan); },
              ThrowsMessage<LinAlgError>(HasSubstr("eigh: the matrix has elements that are not finite")));
  EXPECT_THAT([] { linalg::inv(ones({2, 3})); },
              ThrowsMessage<LinAlgError>(HasSubstr("inv: takes square matrices: got shape (2, 3)")));
  EXPECT_THAT([] { linalg::svd(ones(3)); },
              ThrowsMessage<LinAlgError>(HasSubstr("svd: takes a matrix or a stack")));
  EXPECT_THAT([&] { linalg::det(good.astype(DType::F16)); },
              ThrowsMessage<TypeError>(HasSubstr("det: takes f32, f64, c64 and c128: got f16")));
  EXPECT_THAT([&] { linalg::solve(good, ones(4)); },
              ThrowsMessage<Error>(HasSubstr("right-hand sides of the matrix's height")));
}

TEST_P(LinalgOfF64, WithinWhatIsCompiledTheResultIsNan) {
  const Array given = stack({eye(2) * 4, eye(2) * -1}), other = stack({eye(2) * 9, eye(2)});
  const Compiled f({&given, 1},
                   [](std::span<const Array> a) -> std::vector<Array> { return {linalg::cholesky(a[0])}; });
  const Array both = f({&given, 1})[0];
  EXPECT_EQ(both(0, 0, 0).item<double>(), 2);
  EXPECT_TRUE(std::isnan(both(1, 0, 0).item<double>()));
  EXPECT_EQ(f({&other, 1})[0](0, 0, 0).item<double>(), 3);
}

TEST_P(LinalgOfF64, LeastSquaresAndWhatSingularValuesTell) {
  const Array a = drawn({7, 3}, DType::F64), b = drawn({7, 2}, DType::F64, 4);
  const linalg::LeastSquares fit = linalg::lstsq(a, b);
  EXPECT_LE(difference(matmul(a.T(), matmul(a, fit.x)), matmul(a.T(), b)), 1e-12);
  EXPECT_LE(difference(fit.residuals, sum(square(b - matmul(a, fit.x)), 0)), 1e-12);
  EXPECT_EQ(fit.rank.item<int64_t>(), 3);
  EXPECT_LE(difference(matmul(linalg::pinv(a), a), eye(3)), 1e-12);
  EXPECT_EQ(linalg::lstsq(a, b(Slice{}, 0)).x.shape(), Shape({3}));
  const Array low = outer(arange(3) + 1, arange(4) + 1).astype(DType::F64);
  EXPECT_EQ(linalg::matrix_rank(stack({low, low * 0})).to_vector<int64_t>(), (std::vector<int64_t>{1, 0}));
  EXPECT_TRUE(std::isnan(linalg::lstsq(low, ones(3)).residuals.item<double>()));
  EXPECT_LE(difference(matmul(matmul(low, linalg::pinv(low)), low), low), 1e-12);
  EXPECT_EQ(linalg::pinv(zeros({0, 3})).shape(), Shape({3, 0}));
}

TEST_P(LinalgOfF64, EquationsOfTensors) {
  const Array a = drawn({2, 3, 6}, DType::F64), b = drawn({2, 3}, DType::F64);
  const Array x = linalg::tensorsolve(a, b), inverse = linalg::tensorinv(a);
  EXPECT_EQ(x.shape(), Shape({6}));
  EXPECT_LE(difference(tensordot(a, x, 1), b), 1e-12);
  EXPECT_EQ(inverse.shape(), Shape({6, 2, 3}));
  EXPECT_LE(difference(tensordot(inverse, b, 2), x), 1e-12);
  EXPECT_LE(difference(linalg::tensorsolve(permute_dims(a, {0, 2, 1}), b, {1}), x), 1e-12);
  EXPECT_THAT([&] { linalg::tensorinv(a, 1); },
              ThrowsMessage<LinAlgError>(HasSubstr("along the first 1 axes")));
  EXPECT_THAT([&] { linalg::tensorsolve(a, ones(2)); },
              ThrowsMessage<LinAlgError>(HasSubstr("tensorsolve: takes as many unknowns")));
}

TEST_P(LinalgOfF64, PowersProductsAndNorms) {
  const Array a = from(std::vector<int64_t>{1, 1, 0, 1}, {2, 2});
  EXPECT_EQ(linalg::matrix_power(a, 5).to_vector<int64_t>(), (std::vector<int64_t>{1, 5, 0, 1}));
  EXPECT_EQ(linalg::matrix_power(a, 0).to_vector<int64_t>(), (std::vector<int64_t>{1, 0, 0, 1}));
  EXPECT_EQ(linalg::matrix_power(a, -2).to_vector<double>(), (std::vector<double>{1, -2, 0, 1}));
  const std::vector<Array> xs = {drawn({4}, DType::F64), drawn({4, 9}, DType::F64), drawn({9, 2}, DType::F64),
                                 drawn({2}, DType::F64)};
  EXPECT_LE(difference(linalg::multi_dot(xs), matmul(matmul(matmul(xs[0], xs[1]), xs[2]), xs[3])), 1e-13);
  EXPECT_THAT([&] { linalg::multi_dot({xs[1], xs[1]}); },
              ThrowsMessage<Error>(HasSubstr("factors that fit")));
  const Array m = from(std::vector<double>{3, 0, 0, -4}, {2, 2});
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(linalg::norm(m).item<double>(), 5);
  EXPECT_DOUBLE_EQ(linalg::norm(m, {.order = 2.0}).item<double>(), 4);
  EXPECT_DOUBLE_EQ(linalg::norm(m, {.order = linalg::Named::Nuclear, .keepdims = true}).item<double>(), 7);
  EXPECT_EQ(linalg::norm(m, {.order = -infinite, .axes = Dims{0, 1}}).item<double>(), 3);
  EXPECT_EQ(linalg::norm(m, {.order = 1.0, .axes = Dims{1}}).to_vector<double>(),
            (std::vector<double>{3, 4}));
  EXPECT_EQ(linalg::vector_norm(m, 0).item<double>(), 2);
  EXPECT_DOUBLE_EQ(linalg::cond(m).item<double>(), 4.0 / 3);
  EXPECT_DOUBLE_EQ(linalg::cond(m, 1.0).item<double>(), 4.0 / 3);
  EXPECT_EQ(linalg::cond(m * 0, 1.0).item<double>(), infinite);
  EXPECT_EQ(linalg::cond(m * 0).item<double>(), infinite);
  EXPECT_THAT([&] { linalg::norm(m, {.order = 3.0}); },
              ThrowsMessage<Error>(HasSubstr("norm: matrices have norms of")));
}

// The slope of a loss along t beside its differences, and beside its tangent.
void expect_slope(const std::function<Array(const Array&)>& loss, const Array& a, const char* what) {
  const Array t = drawn(a.shape(), a.dtype(), 9);
  const double step = 1e-6;
  const double expected =
      (loss(a + t * step).item<double>() - loss(a - t * step).item<double>()) / (2 * step);
  const auto all = [&](std::span<const Array> xs) -> std::vector<Array> { return {loss(xs[0])}; };
  EXPECT_NEAR(real(sum(grad(loss)(a) * t)).item<double>(), expected, 1e-6 * (1 + std::abs(expected))) << what;
  EXPECT_NEAR(jvp(all, {&a, 1}, {&t, 1}).second[0].item<double>(), expected, 1e-6 * (1 + std::abs(expected)))
      << what;
}

// One real number of an array, in which each element counts otherwise.
Array weighed(const Array& x) {
  const Array size = kind(x.dtype()) == DTypeKind::Complex ? square(real(x)) + square(imag(x)) + real(x) * 0.3
                                                           : square(x) + x * 0.3;
  return sum(size * cos(arange(x.size()).reshape(x.shape()).astype(DType::F64)));
}

TEST_P(LinalgOfF64, DerivativesAreThoseOfTheValues) {
  for (const DType dtype : {DType::F64, DType::C128}) {
    const Array a = drawn({2, 3, 3}, dtype) + identity(3, dtype) * 2, tall = drawn({2, 4, 3}, dtype, 3),
                wide = drawn({3, 5}, dtype, 2);
    const Array b = drawn({2, 3, 2}, dtype, 7);
    expect_slope([](const Array& x) { return weighed(linalg::inv(x)); }, a, "inv");
    expect_slope([](const Array& x) { return weighed(linalg::det(x)); }, a, "det");
    expect_slope(
        [](const Array& x) { return weighed(linalg::slogdet(x).sign * linalg::slogdet(x).logarithm); }, a,
        "slogdet");
    expect_slope([&](const Array& x) { return weighed(linalg::solve(x, b)); }, a, "solve, by the matrices");
    expect_slope([&](const Array& x) { return weighed(linalg::solve(a, x)); }, b,
                 "solve, by the right-hand sides");
    const auto positive_of = [](const Array& x) {
      return matmul(x, adjoint(x)) + eye(3, -1, 0, Make(x.dtype()));
    };
    expect_slope([&](const Array& x) { return weighed(linalg::cholesky(positive_of(x))); }, a, "cholesky");
    expect_slope([&](const Array& x) { return weighed(linalg::cholesky(positive_of(x), true)); }, a,
                 "cholesky, upper");
    expect_slope([&](const Array& x) { return weighed(linalg::eigvalsh(positive_of(x))); }, a, "eigvalsh");
    expect_slope(
        [&](const Array& x) {
          const auto [values, vectors] = linalg::eigh(positive_of(x));
          return weighed(matmul(vectors * expand_dims(cos(values), -2), adjoint(vectors)));
        },
        a, "eigh");
    for (const Array& x : {a, tall, wide}) {
      expect_slope([](const Array& y) { return weighed(linalg::svdvals(y)); }, x, "svdvals");
      expect_slope(
          [](const Array& y) {
            const auto [u, s, vh] = linalg::svd(y, false);
            return weighed(matmul(u * expand_dims(cos(s), -2), vh)) + weighed(matmul(u, adjoint(u)));
          },
          x, "svd");
      expect_slope([](const Array& y) { return weighed(linalg::pinv(y)); }, x, "pinv");
    }
    for (const Array& x : {a, tall}) {
      expect_slope([](const Array& y) { return weighed(linalg::qr(y).r) + weighed(linalg::qr(y).q); }, x,
                   "qr");
      expect_slope([](const Array& y) { return weighed(linalg::qr_factor(y)); }, x, "qr_factor");
    }
    expect_slope([](const Array& x) { return weighed(linalg::lstsq(x, ones({2, 4, 1}, Make(x.dtype()))).x); },
                 tall, "lstsq");
  }
}

TEST_P(LinalgOfF64, SaysWhatHasNoDerivative) {
  const Array a = drawn({3, 3}, DType::F64), wide = drawn({2, 3}, DType::F64);
  const auto real_sum = [](const Array& x) { return sum(real(x)); };
  EXPECT_THAT([&] { grad([&](const Array& x) { return real_sum(linalg::eigvals(x)); })(a); },
              ThrowsMessage<Error>(HasSubstr("eigvals: has no derivatives; eigh() has")));
  EXPECT_THAT([&] { grad([&](const Array& x) { return sum(linalg::qr(x).r); })(wide); },
              ThrowsMessage<Error>(
                  HasSubstr("qr: has derivatives of matrices with as many rows as columns or more")));
  EXPECT_THAT([&] { grad([&](const Array& x) { return sum(linalg::svd(x).s); })(wide); },
              ThrowsMessage<Error>(HasSubstr("svd: has derivatives of as many vectors as there are values")));
}

// A call in text is held to the shapes of its arrays.
const std::string kText =
    R"(kernel cholesky_f64(f64[2, 3, 3] x0) -> (f64[2, 3, 3] r0, i64[2] r1), range=2, grain=720, library=[0, 3, 3, 0]

graph {
  %x = input "x" : f64[2, 3, 3]
  %0 = kernel %x, function=cholesky_f64, result=0 : f64[2, 3, 3]
  return %0
}
)";

TEST(LinalgText, NamesTheFunctionOfTheLibrary) { EXPECT_EQ(ir::print(ir::parse(kText)), kText); }

TEST(LinalgText, IsHeldToItsShapes) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kText;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const auto& [from, to, rule] : std::vector<std::array<std::string, 3>>{
           {"range=2", "range=3", "has the numbers [0, 3, 3, 0] and a range of 2: got [0, 3, 3, 0] and 3"},
           {"[0, 3, 3, 0]", "[0, 4, 3, 0]", "got [0, 4, 3, 0] and 2"},
           {"[0, 3, 3, 0]", "[2, 3, 3, 0]",
            "takes no matrices of f64[2, 3, 3] with the numbers [2, 3, 3, 0]"},
           {"[0, 3, 3, 0]", "[]", "got [] and 2"},
           {"(f64[2, 3, 3] x0)", "(f64[2, 3, 4] x0)", "takes no matrices of f64[2, 3, 4]"},
           {"(f64[2, 3, 3] x0)", "(f64[3] x0)", "takes no matrices of f64[3]"},
           {"(f64[2, 3, 3] x0)", "(f32[2, 3, 3] x0)", "takes matrices of f64"},
           {"(f64[2, 3, 3] r0", "(f64[2, 3, 2] r0",
            "gives f64[2, 3, 3], i64[2] of f64[2, 3, 3]: got f64[2, 3, 2], i64[2]"},
           {", i64[2] r1", "", "got f64[2, 3, 3]"},
       })
    EXPECT_THAT([&] { ir::parse(with(from, to)); }, ThrowsMessage<Error>(HasSubstr(rule))) << from << to;
}

}  // namespace
}  // namespace weft
