// Cholesky's factors, and what is made of LU factors. Row-major elements are the transposed matrix to LAPACK.
#include <bit>
#include <string>

#include "runtime/cpu/matrix_ranges.h"
#include "runtime/cpu/matrix_words.h"

namespace weft::runtime {
namespace {

// Of LU factors of the transposed matrix.
template <class T>
int64_t factor(const Lapack<T>& lapack, int64_t n, T* a, int64_t* pivots, const char* what,
               const MatrixWords& call) {
  const int64_t lda = leading(n);
  int64_t info = 0;
  lapack.getrf(&n, &n, a, &lda, pivots, &info);
  return said(lapack, info, what, call);
}

// A product, which is kept as a number of the size of 1 and a power of 2: on the way to a determinant there may be numbers that no
// float holds.
template <class T>
struct Product {
  T value = 1;
  int64_t exponent = 0;
  using Real = RealOf<T>;

  static T scaled(const T& x, int power) {
    if constexpr (kIsComplex<T>)
      return T(std::ldexp(x.real(), power), std::ldexp(x.imag(), power));
    else
      return std::ldexp(x, power);
  }
  static int exponent_of(const T& x) {
    const Real size = std::max(std::abs(std::real(x)), std::abs(std::imag(x)));
    int power = 0;
    if (std::isfinite(size) && size > 0) std::frexp(size, &power);
    return power;
  }
  void times(T x) {
    const int of_x = exponent_of(x);
    value *= scaled(x, -of_x);
    const int of_value = exponent_of(value);
    value = scaled(value, -of_value);
    exponent += of_x + of_value;
  }
  T result() const { return scaled(value, static_cast<int>(std::clamp<int64_t>(exponent, -4000, 4000))); }
};

template <class T>
T sign_of(const T& x) {
  if constexpr (kIsComplex<T>)
    return x / std::abs(x);
  else
    return x < 0 ? T(-1) : T(1);
}

template <class T>
struct Determinant {
  T value, sign;
  RealOf<T> logarithm;
};

template <class T>
Determinant<T> determinant_of(const Lapack<T>& lapack, const T* factors, const int64_t* pivots, int64_t n) {
  Product<T> value, sign;
  double logarithm = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T& d = factors[i * n + i];
    const bool is_swapped = lapack.pivot(pivots, i) != i + 1;
    value.times(is_swapped ? -d : d);
    sign.times(is_swapped ? -sign_of(d) : sign_of(d));
    logarithm += std::log(static_cast<double>(std::abs(d)));
  }
  return {value.result(), sign.result(), static_cast<RealOf<T>>(logarithm)};
}

}  // namespace

template <class T>
void cholesky_range(const uint64_t* words, long begin, long end, char*) {
  const MatrixWords call(words, 3);
  const int64_t n = call.n(), lda = leading(n);
  const bool is_upper = call.option() == kUpper;
  const Lapack<T>& lapack = runtime::lapack<T>();
  const OneBlasThread one_thread(openblas());
  for (int64_t i = begin; i < end; ++i) {
    const T* a = call.at<const T>(0, i, n * n);
    T* factor = call.at<T>(1, i, n * n);
    for (int64_t r = 0; r < n; ++r) {
      const int64_t first = is_upper ? r : 0, last = is_upper ? n : r + 1;
      std::fill_n(factor + r * n, first, T(0));
      std::copy(a + r * n + first, a + r * n + last, factor + r * n + first);
      std::fill_n(factor + r * n + last, n - last, T(0));
    }
    int64_t info = 0;
    lapack.potrf(is_upper ? "L" : "U", &n, factor, &lda, &info, 1);
    info = said(lapack, info, "cholesky", call);
    // Some builds go on with a NaN.
    if (info == 0 && n > 0 && !std::isfinite(std::real(factor[n * n - 1]))) info = n;
    if (info != 0) fill_nan(factor, n * n);
    *call.at<int64_t>(2, i, 1) = info;
  }
}

template <class T>
void inverse_range(const uint64_t* words, long begin, long end, char*) {
  const MatrixWords call(words, 3);
  const int64_t n = call.n(), lda = leading(n);
  const Lapack<T>& lapack = runtime::lapack<T>();
  const OneBlasThread one_thread(openblas());
  const auto pivots = scratch<int64_t>(n);
  int64_t info = 0, count = -1;
  T asked{};
  lapack.getri(&n, nullptr, &lda, pivots.get(), &asked, &count, &info);
  count = words_of(asked);
  const auto work = scratch<T>(count);
  for (int64_t i = begin; i < end; ++i) {
    T* x = call.at<T>(1, i, n * n);
    std::copy_n(call.at<const T>(0, i, n * n), n * n, x);
    int64_t why = factor(lapack, n, x, pivots.get(), "inv", call);
    if (why == 0) {
      info = 0;
      lapack.getri(&n, x, &lda, pivots.get(), work.get(), &count, &info);
      why = said(lapack, info, "inv", call);
    }
    if (why != 0) fill_nan(x, n * n);
    *call.at<int64_t>(2, i, 1) = why;
  }
}

// A = U^T L^T P^T of the factors of the transposed: their row-major elements are those of U^T and L^T.
template <class T>
void solve_range(const uint64_t* words, long begin, long end, char*) {
  const MatrixWords call(words, 4);
  const int64_t n = call.n(), columns = call.columns();
  const Lapack<T>& lapack = runtime::lapack<T>();
  const OpenBlas& blas = openblas();
  const OneBlasThread one_thread(blas);
  const auto a = scratch<T>(n * n);
  const auto pivots = scratch<int64_t>(n);
  const T one = 1;
  for (int64_t i = begin; i < end; ++i) {
    T* x = call.at<T>(2, i, n * columns);
    std::copy_n(call.at<const T>(0, i, n * n), n * n, a.get());
    std::copy_n(call.at<const T>(1, i, n * columns), n * columns, x);
    const int64_t why = factor(lapack, n, a.get(), pivots.get(), "solve", call);
    const auto triangle = [&](int which, int diagonal) {
      blas.of<T>().trsm(kBlasRowMajor, kBlasLeft, which, kBlasPlain, diagonal, static_cast<int>(n),
                        static_cast<int>(columns), blas_scalar(one), a.get(), static_cast<int>(n), x,
                        static_cast<int>(columns));
    };
    if (why == 0 && n > 0 && columns > 0) {
      triangle(kBlasLower, kBlasNonUnit);
      triangle(kBlasUpper, kBlasUnit);
      for (int64_t r = n; r-- > 0;)
        if (const int64_t other = lapack.pivot(pivots.get(), r) - 1; other != r)
          std::swap_ranges(x + r * columns, x + (r + 1) * columns, x + other * columns);
    }
    if (why != 0) fill_nan(x, n * columns);
    *call.at<int64_t>(3, i, 1) = why;
  }
}

template <class T>
void determinant_range(const uint64_t* words, long begin, long end, char*) {
  const MatrixWords call(words, 4);
  const int64_t n = call.n();
  const Lapack<T>& lapack = runtime::lapack<T>();
  const OneBlasThread one_thread(openblas());
  const auto a = scratch<T>(n * n);
  const auto pivots = scratch<int64_t>(n);
  for (int64_t i = begin; i < end; ++i) {
    std::copy_n(call.at<const T>(0, i, n * n), n * n, a.get());
    Determinant<T> result{T(0), T(0), -std::numeric_limits<RealOf<T>>::infinity()};
    if (factor(lapack, n, a.get(), pivots.get(), "det", call) == 0)
      result = determinant_of(lapack, a.get(), pivots.get(), n);
    *call.at<T>(1, i, 1) = result.value;
    *call.at<T>(2, i, 1) = result.sign;
    *call.at<RealOf<T>>(3, i, 1) = result.logarithm;
  }
}

#define WEFT_OF(T)                                                     \
  template void cholesky_range<T>(const uint64_t*, long, long, char*); \
  template void inverse_range<T>(const uint64_t*, long, long, char*);  \
  template void solve_range<T>(const uint64_t*, long, long, char*);    \
  template void determinant_range<T>(const uint64_t*, long, long, char*);
WEFT_OF(float)
WEFT_OF(double)
WEFT_OF(std::complex<float>)
WEFT_OF(std::complex<double>)
#undef WEFT_OF

}  // namespace weft::runtime
