// Cholesky's factors, and what is made of LU factors. Row-major elements are the transposed matrix to LAPACK.
#include "runtime/cpu/few_rows_factors.h"
#include "runtime/cpu/matrix_ranges.h"
#include "runtime/cpu/matrix_words.h"

namespace weft::runtime {
namespace {

// LU factors of the transposed matrix, and how its rows were swapped.
template <class T>
class Factors {
 public:
  Factors(const MatrixWords& call, const char* what)
      : call_(call),
        what_(what),
        n_(call.n()),
        elements_(scratch<T>(n_ * n_)),
        pivots_(scratch<int64_t>(n_)) {}
  // 0, or the first pivot that is zero, from 1.
  int64_t take(const T* a) {
    std::copy_n(a, n_ * n_, elements_.get());
    if (n_ <= kFewRows) return few_rows_lu(n_, elements_.get(), pivots_.get());
    const int64_t lda = leading(n_);
    int64_t info = 0;
    lapack_.getrf(&n_, &n_, elements_.get(), &lda, pivots_.get(), &info);
    return said(lapack_, info, what_, call_);
  }
  // The row that row k was swapped with.
  int64_t pivot(int64_t k) const { return n_ <= kFewRows ? pivots_[k] : lapack_.pivot(pivots_.get(), k) - 1; }
  const T& diagonal(int64_t k) const { return elements_[k * n_ + k]; }

  // A X = B, of which x has B's rows. A = U^T L^T P^T, and the row-major elements of the factors are those of U^T and L^T.
  void solve(int64_t columns, T* x) const {
    if (n_ == 0 || columns == 0) return;
    if (n_ <= kFewRows) {
      few_rows_solve(n_, elements_.get(), columns, x);
    } else {
      triangle(kBlasLower, kBlasNonUnit, columns, x);
      triangle(kBlasUpper, kBlasUnit, columns, x);
    }
    for (int64_t r = n_; r-- > 0;)
      if (const int64_t other = pivot(r); other != r)
        std::swap_ranges(x + r * columns, x + (r + 1) * columns, x + other * columns);
  }

 private:
  void triangle(int which, int diagonal, int64_t columns, T* x) const {
    const T one = 1;
    const auto n = static_cast<int>(n_), count = static_cast<int>(columns);
    blas_.trsm(kBlasRowMajor, kBlasLeft, which, kBlasPlain, diagonal, n, count, blas_scalar(one),
               elements_.get(), n, x, count);
  }

  const Lapack<T>& lapack_ = lapack<T>();
  const BlasFunctions<T>& blas_ = openblas().of<T>();
  const MatrixWords& call_;
  const char* what_;
  const int64_t n_;
  std::unique_ptr<T[]> elements_;
  std::unique_ptr<int64_t[]> pivots_;
};

// A product in f64, which is kept as a number and a power of 2: on the way to a determinant there may be numbers that no float holds.
template <class T>
class Product {
 public:
  using Wide = std::conditional_t<kIsComplex<T>, std::complex<double>, double>;
  void times(const T& by) {
    Wide x(by);
    rescale(x);
    value_ *= x;
    rescale(value_);
  }
  T result() const {
    return T(scaled(value_, static_cast<int>(std::clamp<int64_t>(exponent_, -4000, 4000))));
  }

 private:
  static Wide scaled(const Wide& x, int power) {
    if constexpr (kIsComplex<T>)
      return Wide(std::ldexp(x.real(), power), std::ldexp(x.imag(), power));
    else
      return std::ldexp(x, power);
  }
  // To the size of 1, where a product with another would not be held.
  void rescale(Wide& x) {
    constexpr double kLarge = 0x1p500, kSmall = 0x1p-500;
    const double size = std::max(std::abs(std::real(x)), std::abs(std::imag(x)));
    if (!(size > kLarge || size < kSmall) || size == 0 || std::isinf(size)) return;
    int power = 0;
    std::frexp(size, &power);
    x = scaled(x, -power);
    exponent_ += power;
  }

  Wide value_ = 1;
  int64_t exponent_ = 0;
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
Determinant<T> determinant_of(const Factors<T>& factors, int64_t n) {
  Product<T> value;
  T sign = 1;
  double logarithm = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T d = factors.pivot(i) != i ? -factors.diagonal(i) : factors.diagonal(i);
    value.times(d);
    sign *= sign_of(d);
    logarithm += std::log(static_cast<double>(std::abs(d)));
  }
  return {value.result(), sign, static_cast<RealOf<T>>(logarithm)};
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
    if (!is_upper && n <= kFewRowsOfCholesky) {
      info = few_rows_cholesky(n, factor);
    } else {
      lapack.potrf(is_upper ? "L" : "U", &n, factor, &lda, &info, 1);
      info = said(lapack, info, "cholesky", call);
    }
    // Some builds go on with a NaN.
    if (info == 0 && n > 0 && !std::isfinite(std::real(factor[n * n - 1]))) info = n;
    if (info != 0) fill_nan(factor, n * n);
    *call.at<int64_t>(2, i, 1) = info;
  }
}

template <class T>
void inverse_range(const uint64_t* words, long begin, long end, char*) {
  const MatrixWords call(words, 3);
  const int64_t n = call.n();
  const OneBlasThread one_thread(openblas());
  Factors<T> factors(call, "inv");
  for (int64_t i = begin; i < end; ++i) {
    T* x = call.at<T>(1, i, n * n);
    const int64_t why = factors.take(call.at<const T>(0, i, n * n));
    if (why == 0) {
      set_identity(x, n);
      factors.solve(n, x);
    } else {
      fill_nan(x, n * n);
    }
    *call.at<int64_t>(2, i, 1) = why;
  }
}

template <class T>
void solve_range(const uint64_t* words, long begin, long end, char*) {
  const MatrixWords call(words, 4);
  const int64_t n = call.n(), columns = call.columns();
  const OneBlasThread one_thread(openblas());
  Factors<T> factors(call, "solve");
  for (int64_t i = begin; i < end; ++i) {
    T* x = call.at<T>(2, i, n * columns);
    const int64_t why = factors.take(call.at<const T>(0, i, n * n));
    if (why == 0) {
      std::copy_n(call.at<const T>(1, i, n * columns), n * columns, x);
      factors.solve(columns, x);
    } else {
      fill_nan(x, n * columns);
    }
    *call.at<int64_t>(3, i, 1) = why;
  }
}

template <class T>
void determinant_range(const uint64_t* words, long begin, long end, char*) {
  const MatrixWords call(words, 4);
  const int64_t n = call.n();
  const OneBlasThread one_thread(openblas());
  Factors<T> factors(call, "det");
  for (int64_t i = begin; i < end; ++i) {
    Determinant<T> result{T(0), T(0), -std::numeric_limits<RealOf<T>>::infinity()};
    if (factors.take(call.at<const T>(0, i, n * n)) == 0) result = determinant_of(factors, n);
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
